//! What is common to the silences of all autopilots: evidence, verdict, and the end of the story.

use crate::observation::Talker;
use crate::rules::{
    Candidate, Explanation, Knowledge, LinkLoss, Observed, Step, StepKind, Verdict,
};
use crate::time::{Bounds, Micros, Seconds, Span};

use super::{LinkState, Session, Without};

/// The evidence for one loss.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Evidence {
    /// For the loss.
    pub loss: Option<Observed>,
    /// For the action.
    pub action: Option<Observed>,
    /// The vehicle was heard while the windows passed, and it announces its losses.
    pub would_have_been_told: bool,
    /// Why nothing was seen, in words, if nothing was.
    pub why_unseen: String,
    /// Another failsafe that acted within the silence, in words. A state that it explains is no evidence
    /// of this one.
    pub other: Option<String>,
}

/// How prediction and evidence compare, for a silence that ended with the heartbeat at `next`, or has not
/// ended by `until`. `tolerance` is how far the ground's idea of a vehicle instant may be off.
pub(super) fn verdict(
    candidates: &[Candidate],
    evidence: &Evidence,
    tolerance: Span,
    next: Option<Micros>,
    until: Micros,
) -> Verdict {
    let Some(hull) = candidates.iter().map(|c| c.loss).reduce(Bounds::hull) else {
        return Verdict::CannotTell("no window could be computed".to_owned());
    };
    if let Some(observed) = &evidence.loss {
        let seen = observed.bounds().widened(tolerance);
        if candidates.iter().any(|c| c.loss.overlaps(seen)) {
            return Verdict::Inside;
        }
        let off = candidates
            .iter()
            .map(|c| c.loss.distance_to(observed.at))
            .min()
            .unwrap_or_default();
        return Verdict::Outside(off);
    }
    let end = next.unwrap_or(until);
    match next {
        _ if end > hull.earliest() && evidence.other.is_some() => {
            Verdict::AnotherFailsafe(evidence.other.clone().unwrap_or_default())
        }
        Some(next) if next < hull.earliest() => Verdict::Averted(hull.earliest() - next),
        None if end <= hull.latest() => Verdict::Pending,
        // The silence ended while the windows were passing. A vehicle that is heard and announces its
        // losses would have told.
        Some(_) if end <= hull.latest() && evidence.would_have_been_told => {
            Verdict::Averted(Span::ZERO)
        }
        Some(_) if end <= hull.latest() => Verdict::CannotTell(
            "the heartbeat came back while the window was passing, and nothing tells whether it was \
             in time"
                .to_owned(),
        ),
        _ => Verdict::CannotTell(evidence.why_unseen.clone()),
    }
}

/// Where the link stands at `at`: `last` is who was counted last, and when; `prediction` is what comes of
/// the silence since then, by what is known at `at`.
pub(super) fn link_state(
    session: &Session,
    at: Micros,
    last: Option<(Talker, Micros)>,
    prediction: Option<&LinkLoss>,
) -> LinkState {
    let window = prediction.and_then(LinkLoss::predicted_loss);
    let (Some((talker, last)), Some(prediction), Some(window)) = (last, prediction, window) else {
        return LinkState::NeverSeen;
    };
    if let Some(observed) = &prediction.observed_loss {
        return LinkState::Lost {
            since: observed.bounds(),
            proven: true,
        };
    }
    if at >= window.earliest() {
        return if matches!(prediction.verdict, Verdict::Silent(_)) {
            LinkState::Off
        } else if at > window.latest() {
            LinkState::Lost {
                since: window,
                proven: false,
            }
        } else {
            LinkState::Due
        };
    }
    let period = session
        .talkers()
        .get(talker)
        .and_then(|t| t.rhythm(at))
        .map_or(Span::from_secs(1), |(period, jitter)| period + jitter);
    // Half a beat late is jitter; a whole one is missing.
    if at - last <= period + period / 2 {
        LinkState::Present
    } else {
        LinkState::Counting
    }
}

impl Without {
    /// What a loss would look like without `talker`: `alive` are all that keep the failsafe from firing
    /// now, and `remaining` is how long until it fires if all of them fall silent.
    pub(super) fn of(
        talker: Talker,
        counts: bool,
        alive: &[Talker],
        remaining: Option<(Span, Span)>,
    ) -> Self {
        if !counts {
            return Self::NoChange;
        }
        let others: Vec<Talker> = alive.iter().copied().filter(|a| *a != talker).collect();
        match remaining {
            _ if !others.is_empty() => Self::Masked(others),
            Some((earliest, latest)) => Self::LostIn(earliest, latest),
            None => Self::NoChange,
        }
    }
}

/// Adds the evidence and the return of the ground station to a story, puts it in order, and marks what
/// still lies ahead of `now`.
pub(super) fn tell_the_end(
    explanation: &mut Explanation,
    evidence: &Evidence,
    last_heartbeat: Micros,
    next: Option<Micros>,
    now: Micros,
) {
    for observed in evidence.loss.iter().chain(&evidence.action) {
        explanation.steps.push(Step {
            at: observed.bounds(),
            kind: if observed.name.is_empty() {
                StepKind::Loss
            } else {
                StepKind::Action
            },
            knowledge: Knowledge::Reported,
            text: format!("Evidence: {}.", observed.evidence),
            source: None,
        });
    }
    if let Some(next) = next {
        explanation.steps.push(Step {
            at: Bounds::exact(next),
            kind: StepKind::Regained,
            knowledge: Knowledge::Known,
            text: format!(
                "A ground station is heard again, {} s after the last heartbeat.",
                Seconds::millis(next - last_heartbeat)
            ),
            source: None,
        });
    }
    for step in &mut explanation.steps {
        if step.at.latest() > now && step.knowledge == Knowledge::Inferred {
            step.knowledge = Knowledge::Predicted;
        }
    }
    explanation
        .steps
        .sort_by_key(|s| (s.at.earliest(), s.at.latest()));
}
