use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::observation::Autopilot;
use crate::report::clock::Clock;
use crate::report::findings::VehicleFindings;
use crate::report::phrases;
use crate::rules::{LinkLoss, Parameter};

use super::ekf::EkfFailsafeReport;
use super::link_loss::LinkLossReport;

/// One vehicle.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct VehicleReport {
    /// MAVLink system id.
    pub sysid: u8,
    /// MAVLink component id.
    pub compid: u8,
    /// `px4`, `ardupilot` or `other`.
    pub autopilot: &'static str,
    /// What its heartbeats say it is.
    pub vehicle_type: String,
    /// Firmware version, where known.
    pub firmware: Option<FirmwareReport>,
    /// Parameters with their origin.
    pub parameters: BTreeMap<String, ParameterReport>,
    /// The losses of its link.
    pub link_losses: Vec<LinkLossReport>,
    /// Silences that came near a loss and led to none, or to none before the record ended.
    pub near_misses: Vec<LinkLossReport>,
    /// Stretches in which the vehicle was not heard for so long that it may have declared the loss, although
    /// its ground stations went on: what follows if nothing they sent arrived.
    pub link_doubts: Vec<LinkLossReport>,
    /// EKF failsafes: proven, or certain by the rule.
    pub ekf_failsafes: Vec<EkfFailsafeReport>,
    /// Upsets in which the EKF failsafe may have tripped, which the reports cannot decide.
    pub ekf_possible: Vec<EkfFailsafeReport>,
    /// What ArduPilot wrote into its own log as ERR, failsafes above all.
    pub logged_errors: Vec<LoggedErrorReport>,
    /// The GCS failsafes that an ArduPilot log tells of. It does not tell of the silences before them.
    pub logged_gcs_failsafes: Vec<LoggedFailsafeReport>,
}

/// One ERR record of an ArduPilot log.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LoggedErrorReport {
    /// When, on the log's clock.
    pub at_us: i64,
    /// The subsystem's number.
    pub subsystem: u8,
    /// Its code: 0 is the end of a trouble, for failsafes.
    pub code: u8,
    /// Both in words.
    pub text: String,
}

/// A GCS failsafe in the vehicle's own log.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LoggedFailsafeReport {
    /// When, on the log's clock.
    pub at_us: i64,
    /// The record that tells of it.
    pub evidence: String,
}

/// A firmware version.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FirmwareReport {
    /// `1.16.0`.
    pub version: String,
    /// How it is known.
    pub source: &'static str,
}

/// A parameter.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct ParameterReport {
    /// Its value.
    pub value: f64,
    /// How it is known.
    pub source: &'static str,
}

impl VehicleReport {
    pub(super) fn of(findings: &VehicleFindings<'_>, clock: &Clock) -> Self {
        let vehicle = findings.vehicle();
        let losses = |losses: Vec<&LinkLoss>| {
            let report = |loss| LinkLossReport::of(loss, vehicle, clock);
            losses.into_iter().map(report).collect()
        };
        let (happened, near) = findings.losses().iter().partition(|loss| loss.happened());
        let (ekf_failsafes, ekf_possible) = EkfFailsafeReport::all(findings, clock);
        Self {
            sysid: vehicle.talker.system,
            compid: vehicle.talker.component,
            autopilot: match vehicle.autopilot {
                Autopilot::PX4 => "px4",
                Autopilot::ARDUPILOT => "ardupilot",
                _ => "other",
            },
            vehicle_type: vehicle.mav_type.to_string(),
            firmware: vehicle.firmware.map(|f| FirmwareReport {
                version: f.version.to_string(),
                source: f.source.word(),
            }),
            parameters: vehicle
                .parameters
                .latest()
                .map(|(name, p)| (name.to_string(), ParameterReport::from(p)))
                .collect(),
            link_losses: losses(happened),
            near_misses: losses(near),
            link_doubts: losses(findings.doubts().iter().collect()),
            ekf_failsafes,
            ekf_possible,
            logged_gcs_failsafes: findings
                .logged_gcs_failsafes()
                .iter()
                .map(|(at, evidence)| LoggedFailsafeReport {
                    at_us: at.as_micros(),
                    evidence: evidence.clone(),
                })
                .collect(),
            logged_errors: vehicle
                .logged
                .errors
                .iter()
                .map(|&(at, subsystem, code)| LoggedErrorReport {
                    at_us: at.as_micros(),
                    subsystem,
                    code,
                    text: phrases::logged_error(subsystem, code),
                })
                .collect(),
        }
    }
}

impl From<Parameter> for ParameterReport {
    fn from(parameter: Parameter) -> Self {
        Self {
            value: parameter.value,
            source: parameter.provenance.word(),
        }
    }
}
