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
