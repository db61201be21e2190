/// The name of a PX4 mode: main mode in byte 2 of custom_mode, sub mode in byte 3 (px4_custom_mode.h).
#[must_use]
pub const fn mode_name(custom_mode: u32) -> Option<&'static str> {
    let [_, _, main, sub] = custom_mode.to_le_bytes();
    Some(match (main, sub) {
        (1, _) => "Manual",
        (2, _) => "Altitude",
        (3, 1) => "Orbit",
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
        (4, 11..=18) => "External",
        (5, _) => "Acro",
        (6, _) => "Offboard",
        (7, _) => "Stabilized",
        (8, _) => "Rattitude",
        (10, _) => "Termination",
        _ => return None,
    })
}

/// The custom_mode that a HEARTBEAT would show for vehicle_status.nav_state (NAVIGATION_STATE_*), for the
/// states that have a mode of their own.
#[must_use]
pub const fn custom_mode_of_nav_state(nav_state: u8) -> Option<u32> {
    let (main, sub) = match nav_state {
        0 => (1, 0),
        1 => (2, 0),
        2 => (3, 0),
        3 => (4, 4),
        4 => (4, 3),
        5 => (4, 5),
        10 => (5, 0),
        13 => (10, 0),
        14 => (6, 0),
        15 => (7, 0),
        17 => (4, 2),
        18 => (4, 6),
        19 => (4, 8),
        20 => (4, 9),
        21 => (3, 1),
        22 => (4, 10),
        _ => return None,
    };
    Some(u32::from_le_bytes([0, 0, main, sub]))
}
