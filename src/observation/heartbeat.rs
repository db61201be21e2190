use std::fmt;

/// The fields of a HEARTBEAT (message 0), read from its bytes.
///
/// Raw numbers rather than a dialect's enums: a heartbeat with a type newer than the dialect is still
/// a heartbeat, and the autopilots' rules look at the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Heartbeat {
    /// What kind of system or component it says it is.
    pub mav_type: MavType,
    /// Which autopilot it says it is.
    pub autopilot: Autopilot,
    /// MAV_MODE_FLAG bits; 128 is "armed".
    pub base_mode: u8,
    /// The autopilot's own mode number.
    pub custom_mode: u32,
    /// MAV_STATE.
    pub system_status: SystemStatus,
}

impl Heartbeat {
    /// MAV_MODE_FLAG_SAFETY_ARMED.
    const ARMED: u8 = 128;

    /// Whether the sender says it is armed.
    #[must_use]
    pub const fn armed(self) -> bool {
        self.base_mode & Self::ARMED != 0
    }
}

/// MAV_TYPE as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MavType(pub u8);

impl MavType {
    /// MAV_TYPE_GCS.
    pub const GCS: Self = Self(6);
    /// MAV_TYPE_ONBOARD_CONTROLLER: companion computers.
    pub const ONBOARD_CONTROLLER: Self = Self(18);

    /// The name people use, or `None` for a number this table does not have.
    #[must_use]
    pub const fn name(self) -> Option<&'static str> {
        Some(match self.0 {
            0 => "generic",
            1 => "fixed wing",
            2 => "quadrotor",
            3 => "coaxial helicopter",
            4 => "helicopter",
            5 => "antenna tracker",
            6 => "ground station",
            7 => "airship",
            8 => "free balloon",
            9 => "rocket",
            10 => "rover",
            11 => "boat",
            12 => "submarine",
            13 => "hexarotor",
            14 => "octorotor",
            15 => "tricopter",
            16 => "flapping wing",
            17 => "kite",
            18 => "companion computer",
            19 => "VTOL tailsitter duo",
            20 => "VTOL tailsitter quad",
            21 => "VTOL tiltrotor",
            22 => "VTOL fixed rotor",
            23 => "VTOL tailsitter",
            24 => "VTOL tiltwing",
            25 => "VTOL",
            26 => "gimbal",
            27 => "ADS-B",
            28 => "parafoil",
            29 => "dodecarotor",
            30 => "camera",
            31 => "charging station",
            32 => "FLARM",
            33 => "servo",
            34 => "remote ID",
            35 => "decarotor",
            36 => "battery",
            37 => "parachute",
            38 => "log",
            39 => "on-screen display",
            40 => "IMU",
            41 => "GPS",
            42 => "winch",
            _ => return None,
        })
    }
}

impl fmt::Display for MavType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "type {}", self.0),
        }
    }
}

/// MAV_AUTOPILOT as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Autopilot(pub u8);

impl Autopilot {
    /// MAV_AUTOPILOT_ARDUPILOTMEGA.
    pub const ARDUPILOT: Self = Self(3);
    /// MAV_AUTOPILOT_INVALID: the sender is no autopilot.
    pub const INVALID: Self = Self(8);
    /// MAV_AUTOPILOT_PX4.
    pub const PX4: Self = Self(12);
}

/// MAV_STATE as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SystemStatus(pub u8);

impl SystemStatus {
    /// MAV_STATE_STANDBY.
    pub const STANDBY: Self = Self(3);
    /// MAV_STATE_ACTIVE.
    pub const ACTIVE: Self = Self(4);
    /// MAV_STATE_CRITICAL: a failsafe is active.
    pub const CRITICAL: Self = Self(5);
    /// MAV_STATE_FLIGHT_TERMINATION.
    pub const FLIGHT_TERMINATION: Self = Self(8);
}
