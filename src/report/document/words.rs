//! Explanations as lists of sentences.

use crate::report::clock::Clock;
use crate::rules::{Explanation, Knowledge};

/// The premises that are not certain.
pub(super) fn assumptions(explanation: &Explanation) -> Vec<String> {
    explanation.assumptions().map(|p| p.text.clone()).collect()
}

/// All premises, each with how firmly it stands.
pub(super) fn premises(explanation: &Explanation) -> Vec<String> {
    explanation
        .premises
        .iter()
        .map(|p| format!("{}: {}", p.knowledge.word(), p.text))
        .collect()
}

/// The steps as sentences, each with its time.
pub(super) fn sentences(explanation: &Explanation, clock: &Clock) -> Vec<String> {
    explanation
        .steps
        .iter()
        .map(|step| {
            let at = clock.time(step.at.earliest());
            let marker = match step.knowledge {
                Knowledge::Known | Knowledge::Reported => String::new(),
                other => format!(" ({})", other.word()),
            };
            format!("{at} {}{marker}", step.text)
        })
        .collect()
}
