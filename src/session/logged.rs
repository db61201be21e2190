use std::collections::{BTreeMap, BTreeSet};

use crate::observation::{LoggedFact, SensorSelection};
use crate::rules::px4::{ReportRow, rows_left_out};
use crate::time::{Bounds, Micros};

use super::{Severity, Track};

/// What a vehicle wrote into its own log: its truth, kept apart from what the ground inferred.
#[derive(Clone, Debug, Default)]
pub struct LoggedTrack {
    /// The stored rows of `telemetry_status`, by instance.
    pub reports: BTreeMap<u8, Vec<ReportRow>>,
    /// `gcs_connection_lost`.
    pub connection_lost: Track<bool>,
    /// PX4's navigation state, where it changed.
    pub nav_state: Track<u8>,
    /// Whether PX4 had a failsafe in force.
    pub failsafe: Track<bool>,
    /// The instances of [`Self::reports`] of which the logger left rows out.
    pub(super) sampled: BTreeSet<u8>,
    /// ArduPilot's ERR records: subsystem and code.
    pub errors: Vec<(Micros, u8, u8)>,
    /// What the EKF check is run again from, in order.
    pub(super) check_facts: Vec<(Micros, LoggedFact)>,
    /// The first time of day by the vehicle's satellite receiver: when on the record's timeline, and since
    /// the Unix epoch.
    pub satellite_time: Option<(Micros, Micros)>,
    /// Milliseconds that the logger lost in all.
    pub lost_millis: u64,
    covers: Option<Bounds>,
}

impl LoggedTrack {
    /// Takes in a fact. What concerns the vehicle as a whole (firmware, parameters, texts, arming) is the
    /// session's to place.
    pub(super) fn take(&mut self, at: Micros, fact: &LoggedFact) {
        let now = Bounds::exact(at);
        self.covers = Some(self.covers.map_or(now, |covers| covers.hull(now)));
        match fact {
            LoggedFact::TelemetryStatus {
                instance,
                heartbeat_type_gcs,
                ..
            } => {
                let row = ReportRow {
                    at,
                    present: *heartbeat_type_gcs,
                };
                let rows = self.reports.entry(*instance).or_default();
                if rows.last().is_some_and(|last| rows_left_out(*last, row)) {
                    self.sampled.insert(*instance);
                }
                rows.push(row);
            }
            LoggedFact::GcsConnectionLost(lost) => {
                self.connection_lost.note(at, *lost);
            }
            LoggedFact::VehicleState {
                nav_state,
                failsafe,
                ..
            } => {
                self.nav_state.note(at, *nav_state);
                self.failsafe.note(at, *failsafe);
            }
            LoggedFact::Error { subsystem, code } => self.errors.push((at, *subsystem, *code)),
            LoggedFact::SatelliteTime { utc } => {
                self.satellite_time.get_or_insert((at, *utc));
            }
            LoggedFact::Dropout { millis } => self.lost_millis += u64::from(*millis),
            _ => {}
        }
        let bears_on_the_check = matches!(
            fact,
            LoggedFact::InnovationRatios { .. }
                | LoggedFact::Armed(_)
                | LoggedFact::Mode { .. }
                | LoggedFact::Text { .. }
                | LoggedFact::Error { .. }
                | LoggedFact::Parameter { .. }
        );
        if bears_on_the_check {
            self.check_facts.push((at, fact.clone()));
        }
    }

    /// From the first to the last fact.
    #[must_use]
    pub const fn covers(&self) -> Option<Bounds> {
        self.covers
    }

    /// Since when ArduPilot's ERR records say that its GCS failsafe is on at `at`: subsystem 8, whose code 0
    /// is its end (AP_Logger.h, 4.0 to 4.7).
    pub(super) fn gcs_failsafe_since(&self, at: Micros) -> Option<Micros> {
        const GCS_FAILSAFE: u8 = 8;
        let until = self.errors.partition_point(|(t, ..)| *t <= at);
        let (since, _, code) = self
            .errors
            .get(..until)?
            .iter()
            .rfind(|(_, subsystem, _)| *subsystem == GCS_FAILSAFE)?;
        (*code != 0).then_some(*since)
    }

    /// Whether anything was logged.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.reports.is_empty() && self.check_facts.is_empty()
    }
}

/// What a fact is in the list of events, if it is one.
pub(super) fn event_of(fact: &LoggedFact) -> Option<(Severity, String)> {
    Some(match fact {
        LoggedFact::Text { severity, text } => (Severity::of_mavlink(*severity), text.to_string()),
        LoggedFact::GcsConnectionLost(true) => {
            (Severity::Warning, "gcs_connection_lost is set".to_owned())
        }
        LoggedFact::GcsConnectionLost(false) => (
            Severity::Warning,
            "gcs_connection_lost is cleared".to_owned(),
        ),
        LoggedFact::LaneSwitch { from, to } => (
            Severity::Warning,
            format!("EKF switches from lane {from} to lane {to}"),
        ),
        LoggedFact::SensorSelection(selection) => (Severity::Info, sensors(*selection)),
        _ => return None,
    })
}

fn sensors(selection: SensorSelection) -> String {
    let SensorSelection {
        core,
        compass,
        barometer,
        gps,
        airspeed,
    } = selection;
    format!(
        "EKF lane {core} uses compass {compass}, barometer {barometer}, GPS {gps}, airspeed sensor {airspeed}"
    )
}
