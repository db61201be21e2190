use std::collections::HashSet;
use std::ops::ControlFlow;

use crate::observation::{Damage, DamageKind, LoggedFact, MavType, Observation, PathId, Sighting};
use crate::time::Micros;

use super::UlogSummary;
use super::row::{Row, VehicleStatus};

/// A dropout of this length may hide a whole report: the commander publishes `vehicle_status` at least
/// every half second (Commander.cpp, v1.11 to v1.16).
const BLIND_MILLIS: u32 = 500;

/// What was told last, so that repetitions are not told again.
#[derive(Default)]
struct Told {
    lost: Option<bool>,
    state: Option<(u8, bool, bool)>,
    system_type: Option<u8>,
    dated: bool,
    events: HashSet<(Micros, u32, u16)>,
}

/// Hands rows in order of time on as observations: states when they change, the rest as it is.
pub(super) fn tell(
    rows: Vec<(Micros, Row)>,
    path: PathId,
    summary: &mut UlogSummary,
    sink: &mut impl FnMut(Observation) -> ControlFlow<()>,
) {
    // `failsafe_flags` repeats what `vehicle_status` says some microseconds earlier. One of them is the
    // reference, or every loss would have two times.
    let status_has_flag = rows.iter().any(|(_, row)| {
        matches!(row, Row::VehicleStatus(status) if status.gcs_connection_lost.is_some())
    });
    let mut told = Told::default();
    for (at, row) in rows {
        let mut stop = false;
        let mut emit = |what| stop = stop || sink(Observation { at, path, what }).is_break();
        let mut fact = |fact| emit(Sighting::Logged(fact));
        match row {
            Row::TelemetryStatus {
                instance,
                gcs,
                last_gcs_heartbeat_us,
            } => fact(LoggedFact::TelemetryStatus {
                instance,
                heartbeat_type_gcs: gcs,
                last_gcs_heartbeat_us,
            }),
            Row::VehicleStatus(status) => told.status(status, &mut fact),
            Row::FailsafeFlags {
                gcs_connection_lost,
            } => {
                if !status_has_flag {
                    told.lost(gcs_connection_lost, &mut fact);
                }
            }
            Row::Event(event) => {
                // Some logger profiles subscribe to the topic twice. The time is part of the key since
                // sequence numbers wrap.
                if told.events.insert((at, event.id, event.sequence)) {
                    fact(LoggedFact::Event(event));
                }
            }
            Row::SatelliteTime { utc_us } => {
                if !std::mem::replace(&mut told.dated, true) {
                    let utc = Micros::from_micros(utc_us);
                    fact(LoggedFact::SatelliteTime { utc });
                }
            }
            Row::Parameter { name, value } => fact(LoggedFact::Parameter { name, value }),
            Row::Release(release) => fact(LoggedFact::Firmware(release)),
            Row::Text { severity, text } => fact(LoggedFact::Text { severity, text }),
            Row::Dropout { millis } => {
                fact(LoggedFact::Dropout { millis });
                emit(Sighting::Damage(Damage::new(DamageKind::Dropout, 0, 0)));
                if millis >= BLIND_MILLIS {
                    let why = format!("the vehicle's logger lost {millis} ms of data here");
                    emit(Sighting::Blind(why.into()));
                }
            }
            Row::Damage(damage) => emit(Sighting::Damage(damage)),
        }
        summary.end = Some(at);
        if stop {
            return;
        }
    }
}

impl Told {
    fn status(&mut self, status: VehicleStatus, fact: &mut impl FnMut(LoggedFact)) {
        if let Some(kind) = status.system_type
            && self.system_type.replace(kind) != Some(kind)
        {
            fact(LoggedFact::Vehicle(MavType(kind)));
        }
        if let Some(lost) = status.gcs_connection_lost {
            self.lost(lost, fact);
        }
        let state = (status.nav_state, status.armed, status.failsafe);
        if self.state.replace(state) != Some(state) {
            fact(LoggedFact::VehicleState {
                nav_state: status.nav_state,
                armed: status.armed,
                failsafe: status.failsafe,
            });
        }
    }

    fn lost(&mut self, lost: bool, fact: &mut impl FnMut(LoggedFact)) {
        if self.lost.replace(lost) != Some(lost) {
            fact(LoggedFact::GcsConnectionLost(lost));
        }
    }
}
