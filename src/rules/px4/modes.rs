/// The name of a PX4 mode: main mode in byte 2 of custom_mode, sub mode in byte 3 (px4_custom_mode.h).
#[must_use]
pub const fn mode_name(custom_mode: u32) -> Option<&'static str> {
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
        (4, 11..=18) => "External",
        (5, _) => "Acro",
        (6, _) => "Offboard",
        (7, _) => "Stabilized",
        (8, _) => "Rattitude",
        (10, _) => "Termination",
        _ => return None,
    })
}

/// The custom_mode that a HEARTBEAT shows for vehicle_status.nav_state (NAVIGATION_STATE_*), by
/// get_px4_custom_mode (px4_custom_mode.h); `None` for a state that it does not know.
#[must_use]
pub const fn custom_mode_of_nav_state(nav_state: u8) -> Option<u32> {
    let (main, sub) = match nav_state {
        0 => (1, 0),
        1 => (2, 0),
        2 => (3, 0),
        3 => (4, 4),
        4 => (4, 3),
        5 => (4, 5),
        6 => (3, 2),
        10 => (5, 0),
        13 => (10, 0),
        14 => (6, 0),
        15 => (7, 0),
        17 => (4, 2),
        // Land, and Descend (12), which has no mode of its own.
        12 | 18 => (4, 6),
        19 => (4, 8),
        20 => (4, 9),
        21 => (3, 1),
        22 => (4, 10),
        // External 1 to 8: the sub modes that follow VTOL takeoff.
        23..=30 => (4, nav_state - 12),
        _ => return None,
    };
    Some(u32::from_le_bytes([0, 0, main, sub]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_of_a_log_has_the_name_that_its_heartbeat_would_have() {
        let name = |nav_state| custom_mode_of_nav_state(nav_state).and_then(mode_name);
        let states = [
            (0, "Manual"),
            (2, "Position"),
            (3, "Mission"),
            (4, "Hold"),
            (5, "Return"),
            (6, "Position slow"),
            (12, "Land"),
            (14, "Offboard"),
            (18, "Land"),
            (21, "Orbit"),
            (23, "External"),
            (30, "External"),
        ];
        for (nav_state, expected) in states {
            assert_eq!(name(nav_state), Some(expected), "nav_state {nav_state}");
        }
        assert_eq!(custom_mode_of_nav_state(4), Some(0x0304_0000));
        for unknown in [8, 31, u8::MAX] {
            assert_eq!(custom_mode_of_nav_state(unknown), None);
        }
        assert_eq!(mode_name(0), None);
    }
}
