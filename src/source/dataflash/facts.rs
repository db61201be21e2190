use std::borrow::Cow;

use crate::observation::{LoggedFact, MavType, SensorSelection};
use crate::time::Micros;

use super::DataflashSummary;

/// Unix time of the origin of GPS time, 6 January 1980, in seconds.
const GPS_EPOCH: i64 = 315_964_800;
/// GPS time is ahead of UTC by this many leap seconds since 2017.
const LEAP_SECONDS: i64 = 18;

/// MAV_SEVERITY_INFO: `MSG` records do not say how loud a text was.
const INFO: u8 = 6;

/// A record's columns by name, whether they were read from bytes or from text.
pub(super) trait Fields {
    /// The value of a numeric column in its unit.
    fn number(&self, name: &str) -> Option<f64>;
    /// The value of a text column.
    fn text(&self, name: &str) -> Option<Cow<'_, str>>;

    /// A numeric column as a small number; `None` when it does not fit.
    fn byte(&self, name: &str) -> Option<u8> {
        let value = self.number(name)?;
        (0.0..=255.0).contains(&value).then_some(value as u8)
    }
}

/// The messages whose content is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Ratios {
        estimator: Estimator,
        /// The lane of records without a `C` column: before 4.1 each lane had a message of its own.
        lane: u8,
    },
    Error,
    Event,
    Arm,
    Mode,
    Message,
    Version,
    Parameter,
    Sensors,
    Gps,
}

/// The navigation filters of ArduPilot, as AHRS_EKF_TYPE numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Estimator {
    Ekf2,
    Ekf3,
}

impl Wanted {
    pub(super) fn named(name: &str) -> Option<Self> {
        let ratios = |estimator, lane| Self::Ratios { estimator, lane };
        Some(match name {
            "XKF4" => ratios(Estimator::Ekf3, 0),
            "XKF9" => ratios(Estimator::Ekf3, 1),
            "NKF4" => ratios(Estimator::Ekf2, 0),
            "NKF9" => ratios(Estimator::Ekf2, 1),
            "ERR" => Self::Error,
            "EV" => Self::Event,
            "ARM" => Self::Arm,
            "MODE" => Self::Mode,
            "MSG" => Self::Message,
            "VER" => Self::Version,
            "PARM" => Self::Parameter,
            "XKFS" => Self::Sensors,
            "GPS" => Self::Gps,
            _ => return None,
        })
    }
}

/// Turns records into facts. Whether a fact was told before is not asked here.
#[derive(Debug, Default)]
pub(super) struct FactReader {
    /// AHRS_EKF_TYPE, once a parameter record named it.
    ekf_type: Option<f64>,
    ekf3_seen: bool,
}

impl FactReader {
    pub(super) fn read(
        &mut self,
        wanted: Wanted,
        fields: &impl Fields,
        summary: &mut DataflashSummary,
        emit: &mut impl FnMut(LoggedFact),
    ) {
        match wanted {
            Wanted::Ratios { estimator, lane } => {
                self.ekf3_seen |= estimator == Estimator::Ekf3;
                if estimator != self.flying() {
                    summary.other_estimator += 1;
                } else if let Some(fact) = ratios(fields, lane) {
                    emit(fact);
                }
            }
            Wanted::Error => {
                if let (Some(subsystem), Some(code)) = (fields.byte("Subsys"), fields.byte("ECode"))
                {
                    emit(LoggedFact::Error { subsystem, code });
                }
            }
            // Ids 10 and 11 (LogEvent::ARMED, DISARMED); firmware since 4.0 writes ARM as well.
            Wanted::Event => match fields.byte("Id") {
                Some(10) => emit(LoggedFact::Armed(true)),
                Some(11) => emit(LoggedFact::Armed(false)),
                _ => {}
            },
            Wanted::Arm => {
                if let Some(state) = fields.byte("ArmState") {
                    emit(LoggedFact::Armed(state != 0));
                }
            }
            Wanted::Mode => {
                // `Mode` alone in logs before 3.2; in text logs it may be the mode's name.
                if let Some(mode) = fields.byte("ModeNum").or_else(|| fields.byte("Mode")) {
                    let reason = fields
                        .byte("Rsn")
                        .or_else(|| fields.byte("Reason"))
                        .unwrap_or(0);
                    emit(LoggedFact::Mode { mode, reason });
                }
            }
            Wanted::Message => {
                if let Some(text) = fields.text("Message") {
                    message(&text, summary, emit);
                }
            }
            Wanted::Version => {
                if let Some(text) = fields.text("FWS") {
                    firmware(&text, summary, emit);
                }
            }
            Wanted::Parameter => {
                if let (Some(name), Some(value)) = (fields.text("Name"), fields.number("Value")) {
                    if name == "AHRS_EKF_TYPE" {
                        self.ekf_type = Some(value);
                    }
                    emit(LoggedFact::Parameter {
                        name: name.into(),
                        value,
                    });
                }
            }
            Wanted::Sensors => {
                if let Some(selection) = sensors(fields) {
                    emit(LoggedFact::SensorSelection(selection));
                }
            }
            Wanted::Gps => {
                if let Some(utc) = utc(fields) {
                    emit(LoggedFact::SatelliteTime { utc });
                }
            }
        }
    }

    /// The filter whose ratios the vehicle's own check looks at. Both may run and log at once. Until
    /// the parameter is met (it is written among the first records, beside the first ratios) EKF3 is
    /// taken as soon as it logs at all: it is the default since 4.1, and before that it did not run
    /// unless it was asked for.
    fn flying(&self) -> Estimator {
        match self.ekf_type {
            Some(2.0) => Estimator::Ekf2,
            Some(3.0) => Estimator::Ekf3,
            _ if self.ekf3_seen => Estimator::Ekf3,
            _ => Estimator::Ekf2,
        }
    }
}

fn message(text: &str, summary: &mut DataflashSummary, emit: &mut impl FnMut(LoggedFact)) {
    firmware(text, summary, emit);
    // A log that begins with arming (LOG_DISARMED = 0, the default) holds no ARM record for it: the
    // record is written before the file is open. These texts are sent once arming has been decided
    // (AP_Arming::arm, AP_Arming_Copter::arm; 4.0 to 4.7).
    match text {
        "Throttle armed" | "Arming motors" => emit(LoggedFact::Armed(true)),
        "Throttle disarmed" | "Disarming motors" => emit(LoggedFact::Armed(false)),
        _ => {}
    }
    emit(LoggedFact::Text {
        severity: INFO,
        text: text.into(),
    });
}

fn ratios(fields: &impl Fields, lane: u8) -> Option<LoggedFact> {
    let ratio = |name| fields.number(name).map(|value| value as f32);
    Some(LoggedFact::InnovationRatios {
        core: fields.byte("C").unwrap_or(lane),
        velocity: ratio("SV")?,
        position: ratio("SP")?,
        height: ratio("SH")?,
        compass: ratio("SM")?,
        airspeed: ratio("SVT").unwrap_or(0.0),
        status: fields.number("SS")? as u32,
        // -1 while no lane has been chosen; 255 then matches no lane.
        primary: fields.byte("PI").unwrap_or(u8::MAX),
    })
}

fn sensors(fields: &impl Fields) -> Option<SensorSelection> {
    Some(SensorSelection {
        core: fields.byte("C")?,
        compass: fields.byte("MI")?,
        barometer: fields.byte("BI")?,
        gps: fields.byte("GI")?,
        airspeed: fields.byte("AI")?,
    })
}

/// Firmware and kind of vehicle, when `text` is a banner such as `ArduRover V4.6.2 (1ebd4d99)`.
fn firmware(text: &str, summary: &mut DataflashSummary, emit: &mut impl FnMut(LoggedFact)) {
    let Some((name, _)) = text.split_once(" V") else {
        return;
    };
    let kind = match name {
        "ArduPlane" => MavType(1),
        "ArduCopter" => MavType(2),
        "AntennaTracker" => MavType(5),
        "Blimp" => MavType(7),
        "ArduRover" | "APMrover2" => MavType(10),
        "ArduSub" => MavType(12),
        _ => return,
    };
    if summary.firmware.as_deref() != Some(text) {
        summary.firmware = Some(text.into());
    }
    emit(LoggedFact::Firmware(text.into()));
    emit(LoggedFact::Vehicle(kind));
}

/// The UTC time of a satellite fix.
fn utc(fields: &impl Fields) -> Option<Micros> {
    let (status, week, millis) = (
        fields.number("Status")?,
        fields.number("GWk")?,
        fields.number("GMS")?,
    );
    // 3: a fix in three dimensions. Receivers without one report dates of their own invention.
    if status < 3.0 || week < 1.0 {
        return None;
    }
    let seconds = GPS_EPOCH - LEAP_SECONDS + week as i64 * 7 * 86_400;
    Some(Micros::from_millis(seconds * 1_000 + millis as i64))
}
