use crate::time::Micros;

use super::{MavType, VehicleEvent};

/// A fact that the vehicle itself wrote into its log (ULog or DataFlash).
///
/// This is the vehicle's truth and is kept apart from everything the ground inferred.
#[derive(Clone, Debug, PartialEq)]
pub enum LoggedFact {
    /// The log names the firmware, e.g. `v1.16.0` or `ArduRover V4.6.2`.
    Firmware(Box<str>),
    /// The log names the kind of vehicle.
    Vehicle(MavType),
    /// A parameter's value at log start or when it changed.
    Parameter {
        /// Its name.
        name: Box<str>,
        /// Its value, already converted to a number.
        value: f64,
    },
    /// PX4 `telemetry_status`: one instance's report, as far as the logger kept it.
    TelemetryStatus {
        /// uORB instance, in order of first publication.
        instance: u8,
        /// Whether it said that a ground station heartbeat is present.
        heartbeat_type_gcs: bool,
        /// Receive time of the last ground station heartbeat on the vehicle clock, for the layouts
        /// that carry it (up to v1.11).
        last_gcs_heartbeat_us: Option<i64>,
    },
    /// PX4 `vehicle_status`/`failsafe_flags`: the connection lost flag changed to this value.
    GcsConnectionLost(bool),
    /// PX4 `vehicle_status`: navigation state, arming and failsafe, when one of them changed.
    VehicleState {
        /// PX4 nav_state.
        nav_state: u8,
        /// Whether it is armed.
        armed: bool,
        /// Whether a failsafe is in force.
        failsafe: bool,
    },
    /// PX4 `event`: a structured event (from v1.13 on), as it is also sent by MAVLink.
    Event(VehicleEvent),
    /// ArduPilot `MODE`: mode number and reason.
    Mode {
        /// The autopilot's mode number.
        mode: u8,
        /// Why it changed (ModeReason).
        reason: u8,
    },
    /// ArduPilot `ERR`.
    Error {
        /// Subsystem: 8 GCS failsafe, 16 EKF check, 17 EKF failsafe, 24 EKF primary.
        subsystem: u8,
        /// Code: 0 usually means resolved.
        code: u8,
    },
    /// ArduPilot `EV` or `ARM`: armed or disarmed.
    Armed(bool),
    /// ArduPilot `XKF4`/`NKF4`: innovation test ratios of one lane.
    InnovationRatios {
        /// EKF lane (core).
        core: u8,
        /// Velocity.
        velocity: f32,
        /// Horizontal position.
        position: f32,
        /// Height.
        height: f32,
        /// Compass: the largest of the three axes.
        compass: f32,
        /// Airspeed.
        airspeed: f32,
        /// Filter fault/status bits of the record (`SS` for XKF4).
        status: u32,
        /// Primary lane as the record names it; 255 while there is none.
        primary: u8,
    },
    /// ArduPilot `XKF4`/`NKF4`: another lane leads than before. `ERR` 24 (EKF primary) tells the new lane only,
    /// and not every vehicle writes it.
    LaneSwitch {
        /// The lane that led.
        from: u8,
        /// The lane that leads now.
        to: u8,
    },
    /// ArduPilot `XKFS`: what one lane is fed with, when that changed.
    SensorSelection(SensorSelection),
    /// The time of day that the vehicle's satellite receiver gave with a fix in three dimensions: ULog
    /// `sensor_gps` and `vehicle_gps_position`, DataFlash `GPS`. Told once per log.
    SatelliteTime {
        /// On the UTC axis, since the Unix epoch.
        utc: Micros,
    },
    /// A text message of the log (`MSG`, ULog `logged_message`), with its severity 0 to 7.
    Text {
        /// MAV_SEVERITY; 6 (info) for `MSG`, which does not record it.
        severity: u8,
        /// What it says.
        text: Box<str>,
    },
    /// The logger lost data for this many milliseconds.
    Dropout {
        /// Length of the hole.
        millis: u32,
    },
}

/// The sensors that one lane of ArduPilot's EKF uses, by their numbers (AP_NavEKF3/LogStructure.h, 4.1 to
/// 4.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SensorSelection {
    /// EKF lane (core).
    pub core: u8,
    /// Compass.
    pub compass: u8,
    /// Barometer.
    pub barometer: u8,
    /// Satellite receiver.
    pub gps: u8,
    /// Airspeed sensor.
    pub airspeed: u8,
}
