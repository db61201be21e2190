use crate::rules::{Explanation, Observed, Verdict};
use crate::time::{Bounds, Micros};

use super::{Cause, WouldAct};

/// The count over time, for plotting: holds from `at` until the next point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterPoint {
    /// Vehicle time.
    pub at: Micros,
    /// Lowest possible count, of [`super::EkfRule::limit`].
    pub low: u8,
    /// Highest possible count.
    pub high: u8,
    /// Whether the failsafe is tripped.
    pub tripped: super::Truth,
}

/// One trip of the EKF failsafe, proven, certain by the rule, or only possible.
///
/// Where it may have cleared and tripped again between two heartbeats without a text, one episode covers
/// both and gives the first trip and the last clear.
#[derive(Clone, Debug, PartialEq)]
pub struct EkfEpisode {
    /// The first report of the upset; vehicle time, as all instants here.
    pub began: Micros,
    /// When the rule says it tripped, from the reports alone: evidence of this very trip did not
    /// narrow it. `None` when the reports do not show it.
    pub predicted_trip: Option<Bounds>,
    /// Whether the reports leave no other outcome than a trip.
    pub certain: bool,
    /// Where the rule leaves something open that settles the outcome, the window under each
    /// hypothesis; empty where nothing is open.
    pub candidates: Vec<EkfCandidate>,
    /// Evidence of the trip.
    pub observed_trip: Option<Observed>,
    /// When the rule says it cleared, given the trip.
    pub predicted_clear: Option<Bounds>,
    /// Whether the reports leave no other outcome than a clear.
    pub clear_certain: bool,
    /// Evidence of the clear.
    pub observed_clear: Option<Observed>,
    /// Whether it was still going on when last looked at.
    pub ongoing: bool,
    /// Why the checks failed.
    pub cause: Cause,
    /// Armed and mode number before the trip.
    pub vehicle: Option<(bool, u32)>,
    /// What the vehicle would do about it.
    pub would_act: Option<WouldAct>,
    /// Prediction against evidence, for the trip.
    pub verdict: Verdict,
    /// The story; its instants are vehicle time, too.
    pub explanation: Explanation,
}

/// What one hypothesis makes of an episode.
#[derive(Clone, Debug, PartialEq)]
pub struct EkfCandidate {
    /// What must be true for it, in words.
    pub condition: String,
    /// When it tripped under it; `None` if it did not.
    pub trip: Option<Bounds>,
    /// Whether a trip is certain under it.
    pub certain: bool,
    /// When it cleared under it.
    pub clear: Option<Bounds>,
}

impl EkfEpisode {
    /// Compares a prediction with evidence that may be late by its resolution.
    pub(super) fn compare(predicted: Option<Bounds>, observed: Option<&Observed>) -> Verdict {
        match (predicted, observed) {
            (Some(predicted), Some(observed)) => {
                let seen = observed.bounds();
                if predicted.overlaps(seen) {
                    Verdict::Inside
                } else {
                    let distance = if seen.latest() < predicted.earliest() {
                        predicted.earliest() - seen.latest()
                    } else {
                        seen.earliest() - predicted.latest()
                    };
                    Verdict::Outside(distance)
                }
            }
            (Some(_), None) => Verdict::CannotTell("nothing seen shows whether it tripped".into()),
            (None, Some(_)) => {
                Verdict::CannotTell("the reports seen do not show why it tripped".into())
            }
            (None, None) => Verdict::CannotTell("neither reports nor texts show a trip".into()),
        }
    }

    /// The episode with every instant carried to another timeline, such as the recording's, by `map`.
    #[must_use]
    pub fn on_timeline(mut self, map: impl Fn(Micros) -> Micros) -> Self {
        let window = |b: Bounds| Bounds::new(map(b.earliest()), map(b.latest()));
        self.began = map(self.began);
        for bounds in [&mut self.predicted_trip, &mut self.predicted_clear]
            .into_iter()
            .chain(
                self.candidates
                    .iter_mut()
                    .flat_map(|c| [&mut c.trip, &mut c.clear]),
            )
        {
            *bounds = bounds.map(window);
        }
        for observed in [&mut self.observed_trip, &mut self.observed_clear]
            .into_iter()
            .flatten()
        {
            let since = map(observed.bounds().earliest());
            observed.at = map(observed.at);
            observed.resolution = observed.at - since;
        }
        for step in &mut self.explanation.steps {
            step.at = window(step.at);
        }
        self
    }

    /// The narrowest window of the trip: prediction and evidence together.
    #[must_use]
    pub fn trip(&self) -> Option<Bounds> {
        narrowest(self.predicted_trip, self.observed_trip.as_ref())
    }

    /// The narrowest window of the clear.
    #[must_use]
    pub fn clear(&self) -> Option<Bounds> {
        narrowest(self.predicted_clear, self.observed_clear.as_ref())
    }
}

fn narrowest(predicted: Option<Bounds>, observed: Option<&Observed>) -> Option<Bounds> {
    let seen = observed.map(Observed::bounds);
    match (predicted, seen) {
        (Some(p), Some(s)) => Some(p.intersection(s).unwrap_or(s)),
        (p, s) => s.or(p),
    }
}
