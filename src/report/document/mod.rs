//! The report as data: schema `heartline-report/1`.
//!
//! Keys may be added, never renamed. All times are whole microseconds on the file's own clock. A bound
//! that cannot be known is null. Where what is unknown splits the outcome, `candidates` holds one narrow
//! window per surviving hypothesis with its condition in words, and `earliest_us`/`latest_us` enclose
//! them all.

mod bounds;
mod damage;
mod ekf;
mod link_loss;
mod talker;
mod vehicle;
mod words;

use schemars::JsonSchema;
use serde::Serialize;

use crate::session::Session;
use crate::time::Micros;

pub use bounds::{BoundsReport, ObservedReport};
pub use damage::DamageReport;
pub use ekf::{EkfCandidateReport, EkfFailsafeReport};
pub use link_loss::{
    CandidateReport, LastHeartbeatReport, LinkLossReport, PredictedActionReport,
    PredictedLossReport,
};
pub use talker::TalkerReport;
pub use vehicle::{
    FirmwareReport, LoggedErrorReport, LoggedFailsafeReport, ParameterReport, VehicleReport,
};

use super::clock::Clock;
use super::findings::Findings;

/// The schema's name and version.
pub const SCHEMA: &str = "heartline-report/1";

/// What was reported on.
#[derive(Clone, Debug)]
pub struct ReportSource {
    /// Path, address or scenario.
    pub path: String,
    /// `tlog`, `ulog`, `dataflash`, `dataflash-text` or `demo`.
    pub kind: &'static str,
    /// Size of the file; 0 for anything else.
    pub bytes: u64,
}

/// A whole report.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// Where it comes from.
    pub source: SourceReport,
    /// The vehicles.
    pub vehicles: Vec<VehicleReport>,
    /// Everybody who sent a heartbeat.
    pub talkers: Vec<TalkerReport>,
}

/// Where a report comes from.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SourceReport {
    /// Path, address or scenario.
    pub path: String,
    /// Kind of source.
    pub kind: &'static str,
    /// First observation.
    pub first_us: Option<i64>,
    /// Last observation.
    pub last_us: Option<i64>,
    /// Bytes of the file.
    pub bytes: u64,
    /// MAVLink frames read.
    pub frames: u64,
    /// What the vehicle's satellite receiver says of the time of day, in on-board logs.
    pub satellite_time: Option<SatelliteTimeReport>,
    /// What could not be used.
    pub damage: DamageReport,
}

/// One instant of the record and its time of day, by a satellite receiver.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct SatelliteTimeReport {
    /// The instant on the record's own clock.
    pub at_us: i64,
    /// The same, UTC, since the Unix epoch.
    pub utc_us: i64,
}

impl SatelliteTimeReport {
    /// The first that a vehicle's log tells.
    fn of(session: &Session) -> Option<Self> {
        let (at, utc) = session
            .vehicles()
            .find_map(|vehicle| vehicle.logged.satellite_time)?;
        Some(Self {
            at_us: at.as_micros(),
            utc_us: utc.as_micros(),
        })
    }
}

impl Report {
    /// The report on all findings; `clock` writes the times in its sentences. Numbers are on the record's
    /// own clock in any case.
    #[must_use]
    pub fn of(findings: &Findings<'_>, clock: &Clock) -> Self {
        let session = findings.session();
        let source = findings.source();
        Self {
            schema: SCHEMA,
            source: SourceReport {
                path: source.path.clone(),
                kind: source.kind,
                first_us: session.first().map(Micros::as_micros),
                last_us: session.last().map(Micros::as_micros),
                bytes: source.bytes,
                frames: session.frames(),
                satellite_time: SatelliteTimeReport::of(session),
                damage: DamageReport::of(session),
            },
            vehicles: findings
                .vehicles()
                .iter()
                .map(|vehicle| VehicleReport::of(vehicle, clock))
                .collect(),
            talkers: session
                .talkers()
                .iter()
                .map(|talker| TalkerReport::of(talker, findings.counts(talker.talker)))
                .collect(),
        }
    }
}
