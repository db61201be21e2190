use serde::Deserialize;

use crate::observation::MavType;

/// Which ArduPilot vehicle firmware is flying.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
pub enum VehicleKind {
    /// ArduRover: rovers and boats.
    Rover,
    /// ArduCopter: multirotors and helicopters.
    Copter,
    /// ArduPlane, QuadPlanes included.
    Plane,
    /// ArduSub.
    Sub,
    /// Blimp.
    Blimp,
}

impl VehicleKind {
    /// From the type in its heartbeats. A QuadPlane says whatever Q_MAV_TYPE makes it say, so a banner
    /// (see [`Self::from_banner`]) beats this.
    #[must_use]
    pub const fn from_mav_type(mav_type: MavType) -> Option<Self> {
        Some(match mav_type.0 {
            10 | 11 => Self::Rover,
            2 | 3 | 4 | 13 | 14 | 15 | 29 | 35 => Self::Copter,
            1 | 19..=25 | 28 => Self::Plane,
            12 => Self::Sub,
            7 => Self::Blimp,
            _ => return None,
        })
    }

    /// From the text with which ArduPilot introduces itself.
    #[must_use]
    pub fn from_banner(text: &str) -> Option<Self> {
        let name = text.split_whitespace().next()?;
        Some(match name {
            "ArduRover" | "APMrover2" => Self::Rover,
            "ArduCopter" => Self::Copter,
            "ArduPlane" => Self::Plane,
            "ArduSub" => Self::Sub,
            "Blimp" => Self::Blimp,
            _ => return None,
        })
    }

    /// The firmware's name.
    #[must_use]
    pub const fn firmware_name(self) -> &'static str {
        match self {
            Self::Rover => "ArduRover",
            Self::Copter => "ArduCopter",
            Self::Plane => "ArduPlane",
            Self::Sub => "ArduSub",
            Self::Blimp => "Blimp",
        }
    }
}
