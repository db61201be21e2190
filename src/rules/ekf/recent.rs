use std::collections::VecDeque;

use crate::time::{Bounds, Micros, Span};

use super::{CounterTrack, EkfCandidate, EkfRule, EkfSighting};

/// So much of what went before an excursion is kept: enough for any count to run out, and for heartbeats
/// on both sides.
const LEAD: Span = Span::from_secs(5);
/// So much of an excursion is kept: its trip lies at the beginning, and a picture redrawn at every frame
/// must not walk through hours.
const LONGEST: Span = Span::from_secs(300);

/// The sightings of the last seconds, or since shortly before the excursion began: what the windows under
/// each hypothesis are computed from.
#[derive(Clone, Debug, Default)]
pub(super) struct Recent(VecDeque<EkfSighting>);

impl Recent {
    pub(super) fn note(&mut self, sighting: EkfSighting, excursion_began: Option<Micros>) {
        let needed = excursion_began.unwrap_or(sighting.at);
        if sighting.at - needed > LONGEST {
            return;
        }
        self.0.push_back(sighting);
        while self.0.front().is_some_and(|s| needed - s.at > LEAD) {
            self.0.pop_front();
        }
    }

    /// What each hypothesis that `rule` leaves open makes of the trip in the window `around`.
    pub(super) fn candidates(&self, rule: &EkfRule, around: Bounds) -> Vec<EkfCandidate> {
        rule.hypotheses()
            .into_iter()
            .map(|(condition, rule)| {
                let track = CounterTrack::run(rule, &self.0);
                let same = track
                    .episodes()
                    .iter()
                    .find(|e| e.predicted_trip.is_some_and(|t| t.overlaps(around)));
                EkfCandidate {
                    condition,
                    trip: same.and_then(|e| e.predicted_trip),
                    certain: same.is_some_and(|e| e.certain),
                    clear: same.and_then(|e| e.predicted_clear),
                }
            })
            .collect()
    }
}
