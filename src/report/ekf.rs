use serde::Serialize;

use crate::rules::ekf::EkfEpisode;
use crate::session::{Session, Vehicle};

use super::document::{BoundsReport, ObservedReport, assumptions, sentences};

/// One episode of the EKF failsafe.
#[derive(Clone, Debug, Serialize)]
pub struct EkfFailsafeReport {
    /// The first report of the upset.
    pub began_us: i64,
    /// When it trips, by the reports alone.
    pub predicted: Option<BoundsReport>,
    /// Whether the reports leave no other outcome than a trip.
    pub certain: bool,
    /// The window under each hypothesis, where something open settles the outcome.
    pub candidates: Vec<EkfCandidateReport>,
    /// Evidence for it.
    pub observed: Option<ObservedReport>,
    /// When it clears.
    pub cleared: Option<BoundsReport>,
    /// Why it tripped, in words.
    pub cause: String,
    /// Whether the vehicle would act on it.
    pub would_act: Option<bool>,
    /// What it would do, and why.
    pub action: Option<String>,
    /// How prediction and evidence compare.
    pub verdict: String,
    /// What is not certain.
    pub assumptions: Vec<String>,
    /// The story.
    pub explanation: Vec<String>,
}

/// What one hypothesis makes of an episode.
#[derive(Clone, Debug, Serialize)]
pub struct EkfCandidateReport {
    /// What must be so, in words.
    pub condition: String,
    /// When it trips under it; null if it does not.
    pub trip: Option<BoundsReport>,
    /// Whether a trip is certain under it.
    pub certain: bool,
    /// When it clears under it.
    pub clear: Option<BoundsReport>,
}

impl EkfFailsafeReport {
    /// The episodes of a vehicle: first those that tripped, by evidence or because the reports leave no
    /// other outcome; then those that may have, which prove nothing.
    pub(super) fn all(session: &Session, vehicle: &Vehicle) -> (Vec<Self>, Vec<Self>) {
        let (tripped, possible): (Vec<_>, Vec<_>) = session
            .ekf_episodes(vehicle.talker)
            .into_iter()
            .partition(|e| e.certain || e.observed_trip.is_some());
        (
            tripped.iter().map(Self::of).collect(),
            possible.iter().map(Self::of).collect(),
        )
    }

    fn of(episode: &EkfEpisode) -> Self {
        Self {
            began_us: episode.began.as_micros(),
            predicted: episode.predicted_trip.map(BoundsReport::from),
            certain: episode.certain,
            candidates: episode
                .candidates
                .iter()
                .map(|c| EkfCandidateReport {
                    condition: c.condition.clone(),
                    trip: c.trip.map(BoundsReport::from),
                    certain: c.certain,
                    clear: c.clear.map(BoundsReport::from),
                })
                .collect(),
            observed: episode.observed_trip.as_ref().map(ObservedReport::of),
            cleared: episode.clear().map(BoundsReport::from),
            cause: episode.cause.words().to_owned(),
            would_act: episode.would_act.as_ref().map(|w| w.acts),
            action: episode.would_act.as_ref().map(|w| w.reason.clone()),
            verdict: episode.verdict.to_string(),
            assumptions: assumptions(&episode.explanation),
            explanation: sentences(&episode.explanation),
        }
    }
}
