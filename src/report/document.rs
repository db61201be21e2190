//! The report as data: schema `heartline-report/1`.
//!
//! Keys may be added, never renamed. All times are whole microseconds on the file's own clock. A bound
//! that cannot be known is null. Where what is unknown splits the outcome, `candidates` holds one narrow
//! window per surviving hypothesis with its condition in words, and `earliest_us`/`latest_us` enclose
//! them all.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::observation::Autopilot;
use crate::rules::{
    Explanation, Knowledge, LinkLoss, LinkModel, Observed, Parameter, PredictedAction,
};
use crate::session::{Session, TalkerTrack, Vehicle};
use crate::time::{Bounds, ClockTime, Micros};

use super::damage::DamageReport;
use super::ekf::EkfFailsafeReport;

/// The schema's name and version.
pub const SCHEMA: &str = "heartline-report/1";

/// What was reported on.
#[derive(Clone, Debug)]
pub struct ReportSource {
    /// Path, address or scenario.
    pub path: String,
    /// `tlog`, `ulog`, `dataflash`, `demo`, `live`.
    pub kind: &'static str,
    /// Size of the file; 0 for anything else.
    pub bytes: u64,
}

/// A whole report.
#[derive(Clone, Debug, Serialize)]
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
#[derive(Clone, Debug, Serialize)]
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
    /// What could not be used.
    pub damage: DamageReport,
}

/// One vehicle.
#[derive(Clone, Debug, Serialize)]
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
    /// EKF failsafes: proven, or certain by the rule.
    pub ekf_failsafes: Vec<EkfFailsafeReport>,
    /// Upsets in which the EKF failsafe may have tripped, which the reports cannot decide.
    pub ekf_possible: Vec<EkfFailsafeReport>,
}

/// A firmware version.
#[derive(Clone, Debug, Serialize)]
pub struct FirmwareReport {
    /// `1.16.0`.
    pub version: String,
    /// How it is known.
    pub source: &'static str,
}

/// A parameter.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ParameterReport {
    /// Its value.
    pub value: f64,
    /// How it is known.
    pub source: &'static str,
}

/// An instant between two ends.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct BoundsReport {
    /// Earliest.
    pub earliest_us: Option<i64>,
    /// Latest.
    pub latest_us: Option<i64>,
}

/// The last counted sign of life.
#[derive(Clone, Debug, Serialize)]
pub struct LastHeartbeatReport {
    /// Earliest.
    pub earliest_us: Option<i64>,
    /// Latest.
    pub latest_us: Option<i64>,
    /// Whose, `system/component`.
    pub from: String,
}

/// The predicted loss.
#[derive(Clone, Debug, Serialize)]
pub struct PredictedLossReport {
    /// Earliest of all candidates.
    pub earliest_us: Option<i64>,
    /// Latest of all candidates.
    pub latest_us: Option<i64>,
    /// One narrow window per surviving hypothesis.
    pub candidates: Vec<CandidateReport>,
}

/// One surviving hypothesis.
#[derive(Clone, Debug, Serialize)]
pub struct CandidateReport {
    /// Earliest.
    pub earliest_us: i64,
    /// Latest.
    pub latest_us: i64,
    /// What must be so, in words; empty when nothing is open.
    pub condition: String,
}

/// Evidence.
#[derive(Clone, Debug, Serialize)]
pub struct ObservedReport {
    /// What happened; only for actions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// When.
    pub at_us: i64,
    /// How much earlier it may have been.
    pub resolution_us: i64,
    /// The evidence in words.
    pub evidence: String,
}

/// The predicted reaction.
#[derive(Clone, Debug, Serialize)]
pub struct PredictedActionReport {
    /// The reaction, e.g. `Hold`.
    pub name: String,
    /// Earliest.
    pub earliest_us: i64,
    /// Latest.
    pub latest_us: i64,
    /// Why this one.
    pub reason: String,
    /// What follows after it.
    pub then: Option<Box<PredictedActionReport>>,
}

/// One silence and what came of it.
#[derive(Clone, Debug, Serialize)]
pub struct LinkLossReport {
    /// `px4` or `ardupilot`.
    pub model: &'static str,
    /// The last counted sign of life.
    pub last_heartbeat: LastHeartbeatReport,
    /// When the vehicle's flag turned false; null for rules without one.
    pub flag_false: Option<BoundsReport>,
    /// From where the failsafe timer runs.
    pub start_line: BoundsReport,
    /// When the loss is declared.
    pub predicted_loss: PredictedLossReport,
    /// Evidence for the loss.
    pub observed_loss: Option<ObservedReport>,
    /// The reaction, or null when none follows.
    pub predicted_action: Option<PredictedActionReport>,
    /// Why no reaction follows, when none does.
    pub no_action_because: Option<String>,
    /// Evidence for the reaction.
    pub observed_action: Option<ObservedReport>,
    /// The next counted sign of life.
    pub regained_us: Option<i64>,
    /// How prediction and evidence compare.
    pub verdict: String,
    /// What is not certain.
    pub assumptions: Vec<String>,
    /// What the conclusion rests on, certain or not.
    pub premises: Vec<String>,
    /// The story, a sentence per step.
    pub explanation: Vec<String>,
}

/// One talker.
#[derive(Clone, Debug, Serialize)]
pub struct TalkerReport {
    /// MAVLink system id.
    pub sysid: u8,
    /// MAVLink component id.
    pub compid: u8,
    /// What it says it is.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its heartbeats.
    pub heartbeats: u64,
    /// First frame.
    pub first_us: i64,
    /// Last frame.
    pub last_us: i64,
    /// Longest silence between two heartbeats.
    pub longest_gap_us: Option<i64>,
    /// Frames missing by sequence numbers.
    pub lost_frames: u64,
    /// Whether any vehicle counts it as a ground station.
    pub counts_as_gcs: bool,
}

impl Report {
    /// The report on a whole session.
    #[must_use]
    pub fn of(source: &ReportSource, session: &Session) -> Self {
        Self {
            schema: SCHEMA,
            source: SourceReport {
                path: source.path.clone(),
                kind: source.kind,
                first_us: session.first().map(Micros::as_micros),
                last_us: session.last().map(Micros::as_micros),
                bytes: source.bytes,
                frames: session.frames(),
                damage: DamageReport::of(session.damage()),
            },
            vehicles: session
                .vehicles()
                .map(|vehicle| VehicleReport::of(session, vehicle))
                .collect(),
            talkers: session
                .talkers()
                .iter()
                .map(|talker| TalkerReport::of(session, talker))
                .collect(),
        }
    }
}

impl VehicleReport {
    fn of(session: &Session, vehicle: &Vehicle) -> Self {
        let (losses, near): (Vec<LinkLoss>, Vec<LinkLoss>) = session
            .link_losses(vehicle.talker)
            .into_iter()
            .partition(LinkLoss::happened);
        let (ekf_failsafes, ekf_possible) = EkfFailsafeReport::all(session, vehicle);
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
            link_losses: losses.iter().map(LinkLossReport::of).collect(),
            near_misses: near.iter().map(LinkLossReport::of).collect(),
            ekf_failsafes,
            ekf_possible,
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

impl From<Bounds> for BoundsReport {
    fn from(bounds: Bounds) -> Self {
        Self {
            earliest_us: Some(bounds.earliest().as_micros()),
            latest_us: Some(bounds.latest().as_micros()),
        }
    }
}

impl BoundsReport {
    /// Bounds of which nothing is known.
    const UNKNOWN: Self = Self {
        earliest_us: None,
        latest_us: None,
    };
}

impl ObservedReport {
    pub(super) fn of(observed: &Observed) -> Self {
        Self {
            name: (!observed.name.is_empty()).then(|| observed.name.clone()),
            at_us: observed.at.as_micros(),
            resolution_us: observed.resolution.as_micros(),
            evidence: observed.evidence.clone(),
        }
    }
}

impl PredictedActionReport {
    fn of(action: &PredictedAction) -> Self {
        Self {
            name: action.name.clone(),
            earliest_us: action.at.earliest().as_micros(),
            latest_us: action.at.latest().as_micros(),
            reason: action.reason.clone(),
            then: action.then.as_ref().map(|(name, at)| {
                Box::new(Self {
                    name: name.clone(),
                    earliest_us: at.earliest().as_micros(),
                    latest_us: at.latest().as_micros(),
                    reason: action.reason.clone(),
                    then: None,
                })
            }),
        }
    }
}

impl LinkLossReport {
    fn of(loss: &LinkLoss) -> Self {
        let window = loss
            .predicted_loss()
            .map_or(BoundsReport::UNKNOWN, BoundsReport::from);
        let heard = BoundsReport::from(loss.last_heartbeat);
        let acts = loss
            .predicted_action
            .as_ref()
            .filter(|a| a.acts().is_some());
        Self {
            model: match loss.model {
                LinkModel::Px4 => "px4",
                LinkModel::ArduPilot => "ardupilot",
            },
            last_heartbeat: LastHeartbeatReport {
                earliest_us: heard.earliest_us,
                latest_us: heard.latest_us,
                from: loss.last_heartbeat_from.to_string(),
            },
            flag_false: loss.flag_false().map(BoundsReport::from),
            start_line: loss
                .start_line()
                .map_or(BoundsReport::UNKNOWN, BoundsReport::from),
            predicted_loss: PredictedLossReport {
                earliest_us: window.earliest_us,
                latest_us: window.latest_us,
                candidates: loss
                    .candidates
                    .iter()
                    .map(|c| CandidateReport {
                        earliest_us: c.loss.earliest().as_micros(),
                        latest_us: c.loss.latest().as_micros(),
                        condition: c.condition.clone(),
                    })
                    .collect(),
            },
            observed_loss: loss.observed_loss.as_ref().map(ObservedReport::of),
            predicted_action: acts.map(PredictedActionReport::of),
            no_action_because: loss
                .predicted_action
                .as_ref()
                .filter(|a| a.acts().is_none())
                .map(|a| a.reason.clone()),
            observed_action: loss.observed_action.as_ref().map(ObservedReport::of),
            regained_us: loss.regained.map(Micros::as_micros),
            verdict: loss.verdict.to_string(),
            assumptions: assumptions(&loss.explanation),
            premises: premises(&loss.explanation),
            explanation: sentences(&loss.explanation),
        }
    }
}

/// The premises that are not certain.
pub(super) fn assumptions(explanation: &Explanation) -> Vec<String> {
    explanation.assumptions().map(|p| p.text.clone()).collect()
}

/// All premises, each with how firmly it stands.
pub(super) fn premises(explanation: &Explanation) -> Vec<String> {
    explanation
        .premises
        .iter()
        .map(|p| format!("{}: {}", p.knowledge.word(), p.text))
        .collect()
}

/// The steps as sentences with their time of day.
pub(super) fn sentences(explanation: &Explanation) -> Vec<String> {
    explanation
        .steps
        .iter()
        .map(|step| {
            let at = ClockTime::millis(step.at.earliest());
            let marker = match step.knowledge {
                Knowledge::Known | Knowledge::Reported => String::new(),
                other => format!(" ({})", other.word()),
            };
            format!("{at} {}{marker}", step.text)
        })
        .collect()
}

impl TalkerReport {
    fn of(session: &Session, track: &TalkerTrack) -> Self {
        let counts_as_gcs = session.vehicles().any(|vehicle| {
            session
                .link_at(vehicle.talker, session.last().unwrap_or_default())
                .is_some_and(|view| {
                    view.counted
                        .iter()
                        .any(|c| c.talker == track.talker && c.counts)
                })
        });
        Self {
            sysid: track.talker.system,
            compid: track.talker.component,
            kind: track
                .last_heartbeat
                .map_or_else(String::new, |h| h.mav_type.to_string()),
            heartbeats: track.heartbeats.len() as u64,
            first_us: track.first.as_micros(),
            last_us: track.last.as_micros(),
            longest_gap_us: track.longest_gap.map(|(_, gap)| gap.as_micros()),
            lost_frames: track.lost_frames(),
            counts_as_gcs,
        }
    }
}
