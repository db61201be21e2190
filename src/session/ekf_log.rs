//! The EKF failsafe of an ArduPilot vehicle by its own log: what its ERR records say.

use crate::observation::Talker;
use crate::rules::ekf::{Cause, EkfEpisode};
use crate::rules::{Explanation, Knowledge, Observed, Step, StepKind, Verdict};
use crate::time::{Bounds, Micros, Span};

use super::Session;

/// ERR subsystem EKFCHECK: 2 is a trip, 0 is a clear (AP_Logger.h, 4.0 to 4.7).
const EKF_CHECK: u8 = 16;
const TRIPPED: u8 = 2;

impl Session {
    /// The trips of the vehicle's EKF failsafe that its own log holds, in order of time. Empty without such a
    /// log.
    #[must_use]
    pub fn ekf_episodes_logged(&self, vehicle: Talker) -> Vec<EkfEpisode> {
        let mut episodes: Vec<EkfEpisode> = Vec::new();
        let Some(vehicle) = self.vehicle(vehicle) else {
            return episodes;
        };
        let changes = vehicle.logged.errors.iter();
        for (at, _, code) in changes.filter(|(_, subsystem, _)| *subsystem == EKF_CHECK) {
            match episodes.last_mut().filter(|last| last.ongoing) {
                Some(open) if *code != TRIPPED => {
                    open.ongoing = false;
                    open.clear_certain = true;
                    open.observed_clear = Some(record(*at, *code));
                    open.explanation.steps.push(step(
                        *at,
                        StepKind::Regained,
                        "The EKF check passes again and the failsafe clears.",
                    ));
                }
                None if *code == TRIPPED => {
                    let armed = vehicle.armed.at(*at).is_some_and(|(_, armed)| *armed);
                    let mode = vehicle.mode.at(*at).map_or(0, |(_, mode)| *mode);
                    episodes.push(trip(*at, (armed, mode)));
                }
                _ => {}
            }
        }
        episodes
    }
}

fn record(at: Micros, code: u8) -> Observed {
    Observed {
        at,
        resolution: Span::ZERO,
        name: String::new(),
        evidence: format!("the log: ERR subsystem {EKF_CHECK}, code {code}"),
    }
}

fn step(at: Micros, kind: StepKind, text: &str) -> Step {
    Step {
        at: Bounds::exact(at),
        kind,
        knowledge: Knowledge::Reported,
        text: text.to_owned(),
        source: Some("ekf_check.cpp"),
    }
}

fn trip(at: Micros, vehicle: (bool, u32)) -> EkfEpisode {
    let mut explanation = Explanation::default();
    explanation.steps.push(step(
        at,
        StepKind::Loss,
        "The EKF check has failed often enough: the failsafe trips, as the vehicle's log says.",
    ));
    EkfEpisode {
        began: at,
        predicted_trip: None,
        certain: true,
        candidates: Vec::new(),
        observed_trip: Some(record(at, TRIPPED)),
        predicted_clear: None,
        clear_certain: false,
        observed_clear: None,
        ongoing: true,
        cause: Cause::Unexplained,
        vehicle: Some(vehicle),
        would_act: None,
        verdict: Verdict::CannotTell("told by the log, not predicted".to_owned()),
        explanation,
    }
}
