use std::collections::BTreeMap;

use serde::Deserialize;

use crate::observation::MavType;
use crate::rules::ardupilot::VehicleKind;
use crate::time::{Micros, Span};

use super::{ScenarioError, version_1};

/// The file format's version that this program writes about in `docs/scenarios.md`.
pub(super) const VERSION: u32 = 2;

/// A scenario file: a vehicle, who talks to it over which link, what happens, and what is asked about it.
///
/// Every time is seconds of the ground's clock after `start`; `docs/scenarios.md` describes each field.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Version of the file format.
    pub version: u32,
    /// One line for lists and headings.
    pub title: String,
    /// What happens, for people.
    pub story: String,
    /// Time of day at which it begins, RFC 3339.
    pub start: String,
    /// Length; a player begins again after it.
    pub duration_s: f64,
    /// How much of it is there at once when it is played.
    #[serde(default)]
    pub begin_at_s: f64,
    /// Phases, lateness, jitter and loss follow from it.
    pub seed: u64,
    /// The vehicle.
    pub vehicle: ScenarioVehicle,
    /// Who talks to it.
    pub talkers: Vec<ScenarioTalker>,
    /// The link between ground and vehicle.
    #[serde(default)]
    pub link: ScenarioLink,
    /// What the vehicle's estimator reports.
    #[serde(default)]
    pub estimator: ScenarioEstimator,
    /// What the vehicle is told to do, in order of time.
    #[serde(default)]
    pub timeline: Vec<TimelineEntry>,
    /// From when on the vehicle's clock runs how many times as fast as the ground's: a sped-up simulation.
    #[serde(default)]
    pub speed: Vec<(f64, f64)>,
    /// What a class is asked, in order of time.
    #[serde(default)]
    pub questions: Vec<ScenarioQuestion>,
}

/// The simulated vehicle of a scenario.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct ScenarioVehicle {
    /// MAVLink system id.
    pub system: u8,
    /// MAV_TYPE.
    pub mav_type: u8,
    /// What flies it.
    pub firmware: ScenarioFirmware,
    /// How long it has been on when the scenario begins.
    pub booted_before_start_s: f64,
    /// Whether it is armed.
    pub armed: bool,
    /// The name of its mode until something changes it.
    pub mode: String,
    /// The parameters that it tells; any other has its default.
    pub parameters: BTreeMap<String, ParameterSetting>,
}

/// Autopilot and release: major, minor, patch.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub enum ScenarioFirmware {
    /// PX4.
    Px4(u8, u8, u8),
    /// ArduPilot: which vehicle.
    ArduPilot(VehicleKind, u8, u8, u8),
}

impl ScenarioFirmware {
    /// Major, minor and patch release.
    #[must_use]
    pub const fn release(self) -> (u8, u8, u8) {
        match self {
            Self::Px4(major, minor, patch) | Self::ArduPilot(_, major, minor, patch) => {
                (major, minor, patch)
            }
        }
    }
}

/// A parameter's value with its type, since PX4 sends integers and reals differently.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
pub enum ParameterSetting {
    /// A 32 bit integer.
    Integer(i32),
    /// A 32 bit real.
    Real(f32),
}

impl ParameterSetting {
    /// The value as a number.
    #[must_use]
    pub fn number(self) -> f64 {
        match self {
            Self::Integer(value) => f64::from(value),
            Self::Real(value) => f64::from(value),
        }
    }
}

/// Somebody who sends signs of life to the vehicle.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct ScenarioTalker {
    /// MAVLink system id.
    pub system: u8,
    /// MAVLink component id.
    pub component: u8,
    /// What its heartbeats say it is.
    pub kind: TalkerKind,
    /// Where it sits; by default a ground station on the ground and everybody else aboard.
    #[serde(default)]
    pub place: Option<Place>,
    /// What it sends.
    #[serde(default)]
    pub sends: Sends,
    /// At which of the vehicle's MAVLink instances it arrives (PX4 keeps its flag for each).
    #[serde(default)]
    pub instance: usize,
    /// Its first message.
    pub first_s: f64,
    /// From one message to the next.
    pub period_s: f64,
    /// How late a message may be; each one by chance.
    #[serde(default)]
    pub jitter_s: f64,
    /// From when to when it is silent.
    #[serde(default)]
    pub silent_s: Vec<(f64, f64)>,
    /// The timeout of the watchdog that ties its messages to its window: 0 is off.
    #[serde(default)]
    pub watchdog_s: f64,
    /// From when to when its window hangs.
    #[serde(default)]
    pub frozen_s: Vec<(f64, f64)>,
}

impl ScenarioTalker {
    /// Where it sits.
    #[must_use]
    pub fn place(&self) -> Place {
        self.place.unwrap_or(match self.kind {
            TalkerKind::GroundStation => Place::Ground,
            _ => Place::Aboard,
        })
    }
}

/// The kinds of talkers that a scenario knows.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub enum TalkerKind {
    /// MAV_TYPE_GCS.
    GroundStation,
    /// MAV_TYPE_ONBOARD_CONTROLLER.
    Companion,
    /// MAV_TYPE_CAMERA.
    Camera,
    /// MAV_TYPE_GIMBAL.
    Gimbal,
}

impl TalkerKind {
    /// What its heartbeats name.
    #[must_use]
    pub const fn mav_type(self) -> MavType {
        match self {
            Self::GroundStation => MavType::GCS,
            Self::Companion => MavType::ONBOARD_CONTROLLER,
            Self::Camera => MavType(30),
            Self::Gimbal => MavType(26),
        }
    }
}

/// Where a talker sits.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub enum Place {
    /// On the ground, where the record is made: the vehicle hears it over the uplink.
    Ground,
    /// On the vehicle, which hears it at once: the ground hears it over the downlink.
    Aboard,
    /// Where the record is made, next to the vehicle: both hear it at once.
    Between,
}

/// What a talker sends.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
pub enum Sends {
    /// HEARTBEAT.
    #[default]
    Heartbeat,
    /// MANUAL_CONTROL: a joystick.
    ManualControl,
    /// RC_CHANNELS_OVERRIDE.
    RcOverride,
}

/// The link, one way and the other.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct ScenarioLink {
    /// From the ground to the vehicle.
    pub up: ScenarioWay,
    /// From the vehicle to the ground.
    pub down: ScenarioWay,
}

/// One direction of the link.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct ScenarioWay {
    /// How long a message is under way.
    pub delay_s: f64,
    /// How much longer it may be; each one by chance, none overtakes another.
    pub jitter_s: f64,
    /// Which part of the messages is lost, 0 to 1.
    pub loss: f64,
    /// From when to when nothing that is sent arrives.
    pub cuts_s: Vec<(f64, f64)>,
    /// From when to when another part is lost.
    pub bursts: Vec<Burst>,
}

impl Default for ScenarioWay {
    /// As short as a cable.
    fn default() -> Self {
        Self {
            delay_s: 0.000_4,
            jitter_s: 0.0,
            loss: 0.0,
            cuts_s: Vec::new(),
            bursts: Vec::new(),
        }
    }
}

/// A stretch in which another part of the messages is lost.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Burst {
    /// From here.
    pub from_s: f64,
    /// To here.
    pub to_s: f64,
    /// Which part of the messages is lost, 0 to 1.
    pub loss: f64,
}

/// What the vehicle's estimator reports.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct ScenarioEstimator {
    /// Reports a second, of the vehicle's seconds.
    pub report_hz: f64,
    /// The ratios: each point holds until the next. Without any, a healthy estimator's.
    pub ratios: Vec<RatioPoint>,
    /// From when to when it has no position.
    pub position_lost_s: Vec<(f64, f64)>,
}

impl Default for ScenarioEstimator {
    fn default() -> Self {
        Self {
            report_hz: 5.0,
            ratios: Vec::new(),
            position_lost_s: Vec::new(),
        }
    }
}

/// The innovation ratios from an instant on, as they are reported.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct RatioPoint {
    /// From here.
    pub at_s: f64,
    /// Velocity: taken over by the estimator at its next GPS fix.
    pub velocity: f32,
    /// Horizontal position: likewise.
    pub position: f32,
    /// Compass, the largest axis: taken over at its next reading, ten a second.
    pub compass: f32,
}

/// What the vehicle is told to do at an instant.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct TimelineEntry {
    /// When it gets there, whatever the link does.
    pub at_s: f64,
    /// What.
    pub what: TimelineAct,
}

/// What a vehicle can be told.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub enum TimelineAct {
    /// Arm.
    Arm,
    /// Disarm.
    Disarm,
    /// Change to the mode of this name.
    Mode(String),
}

/// A question to the class.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct ScenarioQuestion {
    /// When it is asked: what is asked about happens after this.
    pub ask_at_s: f64,
    /// The question.
    pub text: String,
    /// What it is about.
    pub about: Asked,
    /// Why it is so, shown with the answer.
    pub explanation: String,
}

/// What a question can be about. The answer is drawn from the truth.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Asked {
    /// PX4's receiver lets its flag fall.
    FlagFalls,
    /// The report from which the timer of the next loss runs (PX4), or the check that starts FS_TIMEOUT
    /// (Rover).
    StartLine,
    /// The loss of the ground station is declared: the GCS failsafe fires.
    Loss,
    /// The vehicle does something about the loss.
    Action,
    /// The loss is over.
    Regained,
    /// The EKF failsafe trips.
    EkfTrip,
    /// The EKF failsafe clears.
    EkfClear,
}

impl Scenario {
    /// Reads and checks a scenario file, of this version or an older one. Nothing is played unless all of
    /// it is in order.
    pub fn parse(text: &str) -> Result<Self, ScenarioError> {
        #[derive(Deserialize)]
        #[serde(rename = "Scenario")]
        struct OfVersion {
            version: u32,
        }
        let syntax = |e: ron::error::SpannedError| ScenarioError::Syntax {
            line: e.span.start.line,
            column: e.span.start.col,
            what: e.code.to_string(),
        };
        let OfVersion { version } = ron::from_str(text).map_err(syntax)?;
        let scenario = if version == version_1::VERSION {
            version_1::parse(text).map_err(syntax)?
        } else {
            // A file of a later version is refused by its version, not by a field that is not known here.
            match ron::from_str::<Self>(text) {
                Err(error) if version <= VERSION => return Err(syntax(error)),
                Err(_) => return Err(super::check::unknown_version(version, text)),
                Ok(scenario) => scenario,
            }
        };
        scenario.check(text)?;
        Ok(scenario)
    }

    /// When it begins, on the timeline of its time of day.
    pub fn start(&self) -> Result<Micros, ScenarioError> {
        self.start
            .parse::<jiff::Timestamp>()
            .map(|t| Micros::from_micros(t.as_microsecond()))
            .map_err(|e| ScenarioError::value("start", e.to_string()))
    }

    /// The number that its vehicle's heartbeats give for the mode in which it begins.
    #[must_use]
    pub fn mode_number(&self) -> u32 {
        let vehicle = &self.vehicle;
        super::check::mode_number(vehicle.firmware, &vehicle.mode).unwrap_or_default()
    }

    /// A parameter of the vehicle, or `default` where the file does not give it.
    #[must_use]
    pub fn parameter(&self, name: &str, default: f64) -> f64 {
        self.vehicle
            .parameters
            .get(name)
            .map_or(default, |setting| setting.number())
    }
}

/// Checked seconds as a span.
pub(super) fn span(seconds: f64) -> Span {
    Span::from_secs_f64(seconds).unwrap_or_default()
}

/// Whether `at` lies in one of the stretches.
pub(super) fn within(stretches: &[(f64, f64)], at: Span) -> bool {
    stretches
        .iter()
        .any(|(from, to)| span(*from) <= at && at < span(*to))
}
