//! The names of flight modes, as operators know them.

use crate::observation::{Autopilot, MavType};

/// The name of the mode that a HEARTBEAT's `custom_mode` stands for; `None` for one that this table does
/// not have.
///
/// PX4 v1.16 `px4_custom_mode.h`; ArduPilot 4.6 `mode.h` of Copter, Plane, Rover and Sub.
#[must_use]
pub fn flight_mode_name(
    autopilot: Autopilot,
    mav_type: MavType,
    custom_mode: u32,
) -> Option<&'static str> {
    match autopilot {
        Autopilot::PX4 => px4(custom_mode),
        Autopilot::ARDUPILOT => match mav_type.0 {
            // Fixed wing and every kind of VTOL run Plane.
            1 | 19..=25 => plane(custom_mode),
            10 | 11 => rover(custom_mode),
            12 => sub(custom_mode),
            2..=4 | 13..=15 | 29 | 35 => copter(custom_mode),
            _ => None,
        },
        _ => None,
    }
}

/// Main mode in byte 2, sub mode of the automatic modes in byte 3.
const fn px4(custom_mode: u32) -> Option<&'static str> {
    let [_, _, main, sub] = custom_mode.to_le_bytes();
    Some(match (main, sub) {
        (1, _) => "Manual",
        (2, _) => "Altitude",
        (3, 1) => "Orbit",
        (3, 2) => "Position slow",
        (3, _) => "Position",
        (4, 1) => "Ready",
        (4, 2) => "Takeoff",
        (4, 3) => "Hold",
        (4, 4) => "Mission",
        (4, 5) => "Return",
        (4, 6) => "Land",
        (4, 8) => "Follow me",
        (4, 9) => "Precision land",
        (4, 10) => "VTOL takeoff",
        (5, _) => "Acro",
        (6, _) => "Offboard",
        (7, _) => "Stabilized",
        (9, _) => "Simple",
        (10, _) => "Termination",
        _ => return None,
    })
}

const fn copter(mode: u32) -> Option<&'static str> {
    Some(match mode {
        0 => "Stabilize",
        1 => "Acro",
        2 => "AltHold",
        3 => "Auto",
        4 => "Guided",
        5 => "Loiter",
        6 => "RTL",
        7 => "Circle",
        9 => "Land",
        11 => "Drift",
        13 => "Sport",
        14 => "Flip",
        15 => "AutoTune",
        16 => "PosHold",
        17 => "Brake",
        18 => "Throw",
        19 => "Avoid ADSB",
        20 => "Guided no GPS",
        21 => "Smart RTL",
        22 => "FlowHold",
        23 => "Follow",
        24 => "ZigZag",
        25 => "System ID",
        26 => "Autorotate",
        27 => "Auto RTL",
        28 => "Turtle",
        _ => return None,
    })
}

const fn plane(mode: u32) -> Option<&'static str> {
    Some(match mode {
        0 => "Manual",
        1 => "Circle",
        2 => "Stabilize",
        3 => "Training",
        4 => "Acro",
        5 => "FBWA",
        6 => "FBWB",
        7 => "Cruise",
        8 => "AutoTune",
        10 => "Auto",
        11 => "RTL",
        12 => "Loiter",
        13 => "Takeoff",
        14 => "Avoid ADSB",
        15 => "Guided",
        16 => "Initialising",
        17 => "QStabilize",
        18 => "QHover",
        19 => "QLoiter",
        20 => "QLand",
        21 => "QRTL",
        22 => "QAutoTune",
        23 => "QAcro",
        24 => "Thermal",
        25 => "Loiter to QLand",
        26 => "AutoLand",
        _ => return None,
    })
}

const fn rover(mode: u32) -> Option<&'static str> {
    Some(match mode {
        0 => "Manual",
        1 => "Acro",
        3 => "Steering",
        4 => "Hold",
        5 => "Loiter",
        6 => "Follow",
        7 => "Simple",
        8 => "Dock",
        9 => "Circle",
        10 => "Auto",
        11 => "RTL",
        12 => "Smart RTL",
        15 => "Guided",
        16 => "Initialising",
        _ => return None,
    })
}

const fn sub(mode: u32) -> Option<&'static str> {
    Some(match mode {
        0 => "Stabilize",
        1 => "Acro",
        2 => "AltHold",
        3 => "Auto",
        4 => "Guided",
        7 => "Circle",
        9 => "Surface",
        16 => "PosHold",
        19 => "Manual",
        20 => "Motor detect",
        21 => "Surftrak",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_number_means_another_mode_on_another_vehicle() {
        let name = |mav_type, mode| flight_mode_name(Autopilot::ARDUPILOT, MavType(mav_type), mode);
        assert_eq!(name(2, 4), Some("Guided"));
        assert_eq!(name(10, 4), Some("Hold"));
        assert_eq!(name(1, 4), Some("Acro"));
        assert_eq!(name(12, 9), Some("Surface"));
        assert_eq!(name(6, 0), None, "a ground station has no flight mode");
    }

    #[test]
    fn px4_packs_main_and_sub_mode() {
        let name = |mode| flight_mode_name(Autopilot::PX4, MavType(2), mode);
        assert_eq!(name(67_371_008), Some("Mission"));
        assert_eq!(name(50_593_792), Some("Hold"));
        assert_eq!(name(0), None);
    }
}
