//! ArduPilot's flight modes by number (each vehicle's mode.h / defines.h, 4.0 to 4.6).

use super::VehicleKind;

/// The name of mode `number` of a vehicle, or `None` for a number this table does not have.
#[must_use]
pub const fn mode_name(kind: VehicleKind, number: u32) -> Option<&'static str> {
    match kind {
        VehicleKind::Rover => rover(number),
        VehicleKind::Copter => copter(number),
        VehicleKind::Plane => plane(number),
        VehicleKind::Sub => sub(number),
        VehicleKind::Blimp => blimp(number),
    }
}

/// The number of the mode with this name; `None` for a name that the vehicle does not have.
#[must_use]
pub fn mode_number(kind: VehicleKind, name: &str) -> Option<u32> {
    mode_names(kind).find_map(|(number, known)| (known == name).then_some(number))
}

/// All modes of a vehicle.
pub fn mode_names(kind: VehicleKind) -> impl Iterator<Item = (u32, &'static str)> {
    const LAST: u32 = 63;
    (0..=LAST).filter_map(move |number| mode_name(kind, number).map(|name| (number, name)))
}

const fn rover(number: u32) -> Option<&'static str> {
    Some(match number {
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
        12 => "SmartRTL",
        15 => "Guided",
        16 => "Initialising",
        _ => return None,
    })
}

const fn copter(number: u32) -> Option<&'static str> {
    Some(match number {
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
        20 => "Guided NoGPS",
        21 => "SmartRTL",
        22 => "FlowHold",
        23 => "Follow",
        24 => "ZigZag",
        25 => "SystemID",
        26 => "Autorotate",
        27 => "Auto RTL",
        28 => "Turtle",
        _ => return None,
    })
}

const fn plane(number: u32) -> Option<&'static str> {
    Some(match number {
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
        26 => "Autoland",
        _ => return None,
    })
}

const fn sub(number: u32) -> Option<&'static str> {
    Some(match number {
        0 => "Stabilize",
        1 => "Acro",
        2 => "AltHold",
        3 => "Auto",
        4 => "Guided",
        7 => "Circle",
        9 => "Surface",
        16 => "PosHold",
        19 => "Manual",
        20 => "Motor Detect",
        21 => "SurfTrak",
        _ => return None,
    })
}

const fn blimp(number: u32) -> Option<&'static str> {
    Some(match number {
        0 => "Land",
        1 => "Manual",
        2 => "Velocity",
        3 => "Loiter",
        4 => "RTL",
        _ => return None,
    })
}

/// Rover's HOLD.
pub const ROVER_HOLD: u32 = 4;
/// Rover's RTL.
pub const ROVER_RTL: u32 = 11;
/// Rover's AUTO.
pub const ROVER_AUTO: u32 = 10;
/// Copter's AUTO.
pub const COPTER_AUTO: u32 = 3;
/// Copter's LAND.
pub const COPTER_LAND: u32 = 9;
/// Plane's AUTO.
pub const PLANE_AUTO: u32 = 10;
