use schemars::JsonSchema;
use serde::Serialize;

use crate::report::clock::Clock;
use crate::report::findings::VehicleFindings;
use crate::report::phrases;
use crate::rules::Verdict;
use crate::rules::ekf::{CheckEvent, EkfEpisode, EkfRule, ReplayedCheck, WouldAct};
use crate::session::Vehicle;
use crate::time::{Bounds, Micros, Span};

use super::bounds::{BoundsReport, ObservedReport};
use super::words::{assumptions, sentences};

/// One episode of the EKF failsafe.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EkfFailsafeReport {
    /// What a reader takes away, in one sentence or a few.
    pub sentence: String,
    /// The first report of the upset; in a log, the first failed check that led to the trip.
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
    /// Whether the vehicle would act on it; null where that depends on what is not known.
    pub would_act: Option<bool>,
    /// What it would do, e.g. `Hold`.
    pub reaction: Option<String>,
    /// Why it would do that, or nothing.
    pub action: Option<String>,
    /// How prediction and evidence compare.
    pub verdict: String,
    /// Whether there is evidence that the rules do not explain.
    pub unexplained: bool,
    /// What is not certain.
    pub assumptions: Vec<String>,
    /// The story.
    pub explanation: Vec<String>,
}

/// What one hypothesis makes of an episode.
#[derive(Clone, Debug, Serialize, JsonSchema)]
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

/// A trip of the check run again from the vehicle's own log.
struct ReplayedTrip {
    /// The instant of its check, half a period either side.
    tick: Bounds,
    /// The first failed check that led to it.
    began: Micros,
    /// The log's own record of it.
    logged: Option<Micros>,
    /// When it cleared, likewise.
    cleared: Option<Bounds>,
    verdict: Verdict,
    /// Whether the check run again trips.
    reproduced: bool,
}

impl EkfFailsafeReport {
    /// From the first failed check to the clear, or to the trip if it did not clear, with a little on
    /// either side.
    pub(in crate::report) fn span(&self) -> Bounds {
        let end = [
            self.cleared.and_then(|b| b.latest_us),
            self.predicted.and_then(|b| b.latest_us),
            self.observed.as_ref().map(|seen| seen.at_us),
        ];
        let end = end.into_iter().flatten().max().unwrap_or(self.began_us);
        let (from, to) = (Micros::from_micros(self.began_us), Micros::from_micros(end));
        Bounds::new(from, to).widened(Span::from_secs(1))
    }

    /// The episodes of a vehicle: first those that tripped, by evidence or because the reports leave no
    /// other outcome; then those that may have, which prove nothing.
    pub(super) fn all(findings: &VehicleFindings<'_>, clock: &Clock) -> (Vec<Self>, Vec<Self>) {
        if let Some((rule, replay)) = findings.replay() {
            let trips = replayed_trips(rule, replay);
            let report = |trip| Self::of_replay(findings.vehicle(), rule, trip, clock);
            return (trips.iter().map(report).collect(), Vec::new());
        }
        let (tripped, possible): (Vec<_>, Vec<_>) = findings
            .episodes()
            .iter()
            .partition(|e| e.certain || e.observed_trip.is_some());
        let reports =
            |episodes: Vec<&EkfEpisode>| episodes.into_iter().map(|e| Self::of(e, clock)).collect();
        (reports(tripped), reports(possible))
    }

    fn of_replay(vehicle: &Vehicle, rule: &EkfRule, trip: &ReplayedTrip, clock: &Clock) -> Self {
        let before = trip.tick.middle() - rule.period();
        let (act, assumptions) = would_act(vehicle, rule, before);
        let mut explanation = vec![phrases::first_failed_check(trip.began, clock)];
        if trip.reproduced {
            explanation.push(phrases::replayed_trip(
                trip.tick.middle(),
                rule.limit(),
                clock,
            ));
        }
        explanation.extend(trip.logged.map(|at| phrases::logged_trip(at, clock)));
        explanation.extend(
            trip.cleared
                .map(|at| phrases::replayed_clear(at.middle(), clock)),
        );
        let mut report = Self {
            sentence: String::new(),
            began_us: trip.began.as_micros(),
            predicted: trip.reproduced.then(|| trip.tick.into()),
            certain: trip.reproduced,
            candidates: Vec::new(),
            observed: trip.logged.map(|at| ObservedReport {
                name: None,
                at_us: at.as_micros(),
                resolution_us: 0,
                evidence: phrases::LOGGED_TRIP.to_owned(),
            }),
            cleared: trip.cleared.map(BoundsReport::from),
            cause: phrases::REPLAYED_CAUSE.to_owned(),
            would_act: act.as_ref().map(|act| act.acts),
            reaction: act.as_ref().map(|act| act.name.to_owned()),
            action: act.as_ref().map(|act| act.reason.clone()),
            verdict: trip.verdict.to_string(),
            unexplained: !trip.reproduced || matches!(trip.verdict, Verdict::Outside(_)),
            assumptions,
            explanation,
        };
        report.sentence = phrases::ekf_sentence(&report, clock);
        report
    }

    fn of(episode: &EkfEpisode, clock: &Clock) -> Self {
        let mut report = Self {
            sentence: String::new(),
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
            reaction: episode.would_act.as_ref().map(|w| w.name.to_owned()),
            action: episode.would_act.as_ref().map(|w| w.reason.clone()),
            verdict: episode.verdict.to_string(),
            unexplained: matches!(episode.verdict, Verdict::Outside(_)),
            assumptions: assumptions(&episode.explanation),
            explanation: sentences(&episode.explanation, clock),
        };
        report.sentence = phrases::ekf_sentence(&report, clock);
        report
    }
}

/// The trips of a check run again, tick by tick, and those of the log that it does not reproduce.
fn replayed_trips(rule: &EkfRule, replay: &ReplayedCheck) -> Vec<ReplayedTrip> {
    let mut trips: Vec<ReplayedTrip> = Vec::new();
    for change in &replay.changes {
        // The check runs every tenth of a second: half of one either side is its own tick.
        let tick = Bounds::exact(change.at).widened(rule.period() / 2);
        match change.event {
            CheckEvent::Tripped => trips.push(ReplayedTrip {
                tick,
                began: count_began(replay, change.at),
                logged: change.logged,
                cleared: None,
                verdict: match change.logged {
                    Some(logged) if tick.contains(logged) => Verdict::Inside,
                    Some(logged) => Verdict::Outside(tick.distance_to(logged)),
                    None => Verdict::CannotTell("the log has no ERR for it".to_owned()),
                },
                reproduced: true,
            }),
            CheckEvent::Cleared | CheckEvent::Reset => {
                if let Some(trip) = trips.last_mut() {
                    trip.cleared = Some(tick);
                }
            }
        }
    }
    for &(at, tripped) in &replay.unexplained {
        if tripped {
            trips.push(ReplayedTrip {
                tick: Bounds::exact(at),
                began: count_began(replay, at),
                logged: Some(at),
                cleared: None,
                verdict: Verdict::CannotTell(
                    "the check run again does not reproduce the ERR of the log".to_owned(),
                ),
                reproduced: false,
            });
        }
    }
    trips.sort_by_key(|trip| trip.tick.middle());
    trips
}

/// The check that took the count from zero on its way to what it was at `at`.
fn count_began(replay: &ReplayedCheck, at: Micros) -> Micros {
    replay
        .counts
        .iter()
        .take_while(|(when, ..)| *when <= at)
        .fold((at, true), |(began, was_zero), (when, count, _)| {
            (if was_zero { *when } else { began }, *count == 0)
        })
        .0
}

/// What the vehicle does on a trip, by what its log says of arming and mode `before` it, and what had to
/// be assumed.
fn would_act(vehicle: &Vehicle, rule: &EkfRule, before: Micros) -> (Option<WouldAct>, Vec<String>) {
    let mut assumptions = Vec::new();
    let armed = vehicle.armed.at(before).map(|(_, armed)| *armed);
    // As the check run again takes it: a log that says nothing was begun by arming, unless it is written
    // while disarmed.
    let logs_disarmed = vehicle
        .parameters
        .at("LOG_DISARMED", before)
        .is_some_and(|parameter| parameter.value != 0.0);
    if armed.is_none() {
        assumptions.push(
            if logs_disarmed {
                phrases::ASSUMED_DISARMED
            } else {
                phrases::ASSUMED_ARMED
            }
            .to_owned(),
        );
    }
    let mode = vehicle.mode.at(before).map(|(_, mode)| *mode);
    let act = mode.map(|mode| rule.would_act(armed.unwrap_or(!logs_disarmed), mode));
    if act.is_none() {
        assumptions.push(phrases::UNKNOWN_MODE.to_owned());
    }
    (act, assumptions)
}
