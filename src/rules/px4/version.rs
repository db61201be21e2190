use std::fmt;

use crate::time::Span;

/// The PX4 releases between which the rules of link loss differ.
///
/// Read from the sources of the tags v1.11.3, v1.12.3, v1.13.3, v1.14.4, v1.15.4, v1.16.0 and the
/// branches release/1.17 and main (July 2026).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Px4Version {
    /// The commander looks at heartbeat receive times; there is no flag.
    V1_11,
    /// The flag with a heartbeat timeout of 1.5 s.
    V1_12,
    /// Heartbeat timeout 2.5 s; the failsafe acts in the same commander cycle.
    V1_13,
    /// The failsafe state machine: one cycle later, COM_FAIL_ACT_T. Also v1.15.
    V1_14,
    /// COM_DLL_EXCEPT; Hold is never announced as delayed and stays after regain. Also v1.17.
    V1_16,
    /// The development branch of July 2026.
    Main,
}

impl Px4Version {
    /// All versions, oldest first.
    pub const ALL: [Self; 6] = [
        Self::V1_11,
        Self::V1_12,
        Self::V1_13,
        Self::V1_14,
        Self::V1_16,
        Self::Main,
    ];

    /// The rules of release `major.minor`; the oldest known rules for older ones, the newest for newer.
    #[must_use]
    pub const fn of_release(major: u8, minor: u8) -> Self {
        match (major, minor) {
            (0, _) | (1, 0..=11) => Self::V1_11,
            (1, 12) => Self::V1_12,
            (1, 13) => Self::V1_13,
            (1, 14 | 15) => Self::V1_14,
            (1, 16 | 17) => Self::V1_16,
            _ => Self::Main,
        }
    }

    /// The oldest rules that a vehicle can follow which sends message `id`.
    #[must_use]
    pub const fn first_to_send(id: u32) -> Self {
        const LINK_NODE_STATUS: u32 = 8;
        const EVENT: u32 = 410;
        const CURRENT_MODE: u32 = 436;
        match id {
            // Since v1.15, whose rules are those of v1.14.
            CURRENT_MODE => Self::V1_14,
            EVENT => Self::V1_13,
            LINK_NODE_STATUS => Self::V1_12,
            _ => Self::V1_11,
        }
    }

    /// How old the last ground station heartbeat may be at a check for the flag to stay true, the limit
    /// included. `None` for v1.11, which has no flag.
    ///
    /// Source: `HEARTBEAT_TIMEOUT_US`, mavlink_receiver.h.
    #[must_use]
    pub const fn heartbeat_timeout(self) -> Option<Span> {
        match self {
            Self::V1_11 => None,
            Self::V1_12 => Some(Span::from_millis(1_500)),
            _ => Some(Span::from_millis(2_500)),
        }
    }

    /// Whether the reaction comes one commander cycle after the flag (Commander.cpp: the failsafe state
    /// machine runs on the flags of the cycle before).
    #[must_use]
    pub const fn reacts_one_cycle_later(self) -> bool {
        matches!(self, Self::V1_14 | Self::V1_16 | Self::Main)
    }
}

impl fmt::Display for Px4Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::V1_11 => "PX4 up to v1.11",
            Self::V1_12 => "PX4 v1.12",
            Self::V1_13 => "PX4 v1.13",
            Self::V1_14 => "PX4 v1.14/v1.15",
            Self::V1_16 => "PX4 v1.16/v1.17",
            Self::Main => "PX4 main (2026)",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_map_to_the_rules_that_their_sources_hold() {
        assert_eq!(Px4Version::of_release(1, 10), Px4Version::V1_11);
        assert_eq!(Px4Version::of_release(1, 15), Px4Version::V1_14);
        assert_eq!(Px4Version::of_release(1, 17), Px4Version::V1_16);
        assert_eq!(Px4Version::of_release(2, 0), Px4Version::Main);
        assert_eq!(
            Px4Version::V1_12.heartbeat_timeout(),
            Some(Span::from_millis(1_500))
        );
    }
}
