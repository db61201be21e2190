use crate::source::scenario::{Asked, Flight, Scenario};
use crate::time::{Micros, Span};

use super::{Outcome, Prediction};

/// A question of a scenario, with its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PosedQuestion {
    /// When it is asked, on the ground's timeline.
    pub asked_at: Micros,
    /// What it is about.
    pub about: Asked,
    /// In words.
    pub text: String,
    /// When it happens; `None` if it does not, up to the scenario's end.
    pub answer: Option<Micros>,
    /// Why it is so.
    pub explanation: String,
}

impl PosedQuestion {
    /// The questions of a scenario, answered by what happened when it was flown.
    #[must_use]
    pub fn all(scenario: &Scenario, flight: &Flight) -> Vec<Self> {
        scenario
            .questions
            .iter()
            .map(|question| {
                let offset = Span::from_secs_f64(question.ask_at_s).unwrap_or_default();
                let asked_at = flight.start + offset;
                Self {
                    asked_at,
                    about: question.about,
                    text: question.text.clone(),
                    answer: flight.truth.answer(question.about, asked_at),
                    explanation: question.explanation.clone(),
                }
            })
            .collect()
    }

    /// How a prediction compares with the answer.
    #[must_use]
    pub fn judge(&self, prediction: Prediction) -> Outcome {
        match (prediction, self.answer) {
            (Prediction::At(predicted), Some(happened)) => Outcome::Off(predicted - happened),
            (Prediction::Never, None) => Outcome::RightlyNever,
            (Prediction::Never, Some(happened)) => Outcome::Happened(happened),
            (Prediction::At(_), None) => Outcome::NeverHappened,
        }
    }
}
