use serde::Serialize;

use crate::rules::ekf::{CheckEvent, EkfEpisode, EkfRule};
use crate::session::{Session, Vehicle};
use crate::time::{Bounds, Micros, Seconds};

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
        if !vehicle.logged.is_empty() {
            return (Self::of_log(session, vehicle), Vec::new());
        }
        let (tripped, possible): (Vec<_>, Vec<_>) = session
            .ekf_episodes(vehicle.talker)
            .into_iter()
            .partition(|e| e.certain || e.observed_trip.is_some());
        (
            tripped.iter().map(Self::of).collect(),
            possible.iter().map(Self::of).collect(),
        )
    }

    /// The trips of a vehicle whose own log was read: the check run again, tick by tick.
    fn of_log(session: &Session, vehicle: &Vehicle) -> Vec<Self> {
        let Some((rule, replay)) = session.ekf_replay(vehicle.talker) else {
            return Vec::new();
        };
        let mut reports: Vec<Self> = Vec::new();
        for change in &replay.changes {
            // The check runs every tenth of a second: half of one either side is its own tick.
            let tick = Bounds::exact(change.at).widened(rule.period() / 2);
            match change.event {
                CheckEvent::Tripped => {
                    reports.push(Self::replayed_trip(vehicle, &rule, tick, change.logged));
                }
                CheckEvent::Cleared | CheckEvent::Reset => {
                    if let Some(report) = reports.last_mut() {
                        report.cleared = Some(tick.into());
                    }
                }
            }
        }
        for (at, tripped) in &replay.unexplained {
            if *tripped {
                let mut report = Self::replayed_trip(vehicle, &rule, Bounds::exact(*at), Some(*at));
                report.predicted = None;
                report.certain = false;
                "the log's ERR is not reproduced by the check run again"
                    .clone_into(&mut report.verdict);
                reports.push(report);
            }
        }
        reports
    }

    fn replayed_trip(
        vehicle: &Vehicle,
        rule: &EkfRule,
        tick: Bounds,
        logged: Option<Micros>,
    ) -> Self {
        let at = tick.middle();
        let before = at - rule.period();
        let armed = vehicle.armed.at(before).is_none_or(|(_, armed)| *armed);
        let mode = vehicle.mode.at(before).map_or(0, |(_, mode)| *mode);
        let act = rule.would_act(armed, mode);
        Self {
            began_us: before.as_micros(),
            predicted: Some(tick.into()),
            certain: true,
            candidates: Vec::new(),
            observed: logged.map(|at| ObservedReport {
                name: None,
                at_us: at.as_micros(),
                resolution_us: 0,
                evidence: "ERR subsystem 16 (EKFCHECK), code 2".to_owned(),
            }),
            cleared: None,
            cause: "the logged ratios and flags, checked every 0.1 s as on board".to_owned(),
            would_act: Some(act.acts),
            action: Some(act.reason),
            verdict: match logged {
                Some(logged) if tick.contains(logged) => "inside the predicted window".to_owned(),
                Some(logged) => {
                    let by = tick.distance_to(logged);
                    format!("outside by {} s", Seconds::millis(by))
                }
                None => "cannot tell: the log has no ERR for it".to_owned(),
            },
            assumptions: Vec::new(),
            explanation: Vec::new(),
        }
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
