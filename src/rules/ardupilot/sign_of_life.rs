use crate::observation::Talker;

use super::{Release, VehicleKind};

/// A message that may count as "the ground station is there".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SignOfLife {
    /// HEARTBEAT, whatever type and component it names.
    Heartbeat,
    /// RC_CHANNELS_OVERRIDE.
    RcOverride,
    /// MANUAL_CONTROL for this system.
    ManualControl {
        /// The system that it is addressed to.
        target: u8,
    },
}

/// The system ids that a vehicle takes for its ground station, and the messages it looks at.
///
/// Only the system id counts: a companion or a gimbal with the ground station's id keeps the failsafe
/// from firing. Source: `GCS_MAVLINK::handle_heartbeat`, `handle_rc_channels_override`,
/// `handle_manual_control` (GCS_Common.cpp, 4.1 to 4.7-dev; each vehicle's GCS_Mavlink.cpp in 4.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedIds {
    /// SYSID_MYGCS, or MAV_GCS_SYSID.
    pub low: u8,
    /// MAV_GCS_SYSID_HI where it spans a range, else `low`.
    pub high: u8,
    /// RC_CHANNELS_OVERRIDE of any system counts: Copter, Rover, Plane and Sub 4.0 look at the id later.
    pub any_override: bool,
    /// The parameter that holds `low`: renamed in 4.7.
    parameter: &'static str,
}

impl CountedIds {
    /// From the parameters: `low` and, in 4.7, `high`; a `high` not above `low` means `low` alone.
    #[must_use]
    pub fn new(low: u8, high: Option<u8>, kind: VehicleKind, release: Release) -> Self {
        Self {
            low,
            high: high.filter(|high| *high > low).unwrap_or(low),
            any_override: kind != VehicleKind::Blimp && release <= (4, 0),
            parameter: if release >= (4, 7) {
                "MAV_GCS_SYSID"
            } else {
                "SYSID_MYGCS"
            },
        }
    }

    /// Whether `sign` from `talker` counts for the vehicle with system id `own_system`.
    #[must_use]
    pub fn counts(&self, own_system: u8, talker: Talker, sign: SignOfLife) -> bool {
        let is_ground_station = (self.low..=self.high).contains(&talker.system);
        match sign {
            SignOfLife::Heartbeat => is_ground_station,
            SignOfLife::RcOverride => is_ground_station || self.any_override,
            SignOfLife::ManualControl { target } => is_ground_station && target == own_system,
        }
    }

    /// Why a talker counts or not, in words.
    #[must_use]
    pub fn reason(&self, talker: Talker) -> String {
        let ids = if self.low == self.high {
            format!("{} {}", self.parameter, self.low)
        } else {
            format!("in {} {} to {}", self.parameter, self.low, self.high)
        };
        if (self.low..=self.high).contains(&talker.system) {
            format!(
                "system id {} is {ids}: ArduPilot counts it, whatever its type",
                talker.system
            )
        } else if self.any_override {
            format!(
                "system id {} is not {ids}: ArduPilot 4.0 counts its RC overrides alone",
                talker.system
            )
        } else {
            format!(
                "system id {} is not {ids}: ArduPilot does not count it",
                talker.system
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_id_alone_decides() {
        let ids = CountedIds::new(255, None, VehicleKind::Rover, (4, 6));
        let counts = |system, sign| ids.counts(1, Talker::new(system, 191), sign);
        assert!(counts(255, SignOfLife::Heartbeat));
        assert!(!counts(254, SignOfLife::Heartbeat));
        assert!(counts(255, SignOfLife::RcOverride));
        assert!(!counts(254, SignOfLife::RcOverride));
        assert!(counts(255, SignOfLife::ManualControl { target: 1 }));
        assert!(!counts(255, SignOfLife::ManualControl { target: 2 }));
    }

    #[test]
    fn a_range_counts_in_4_7_and_any_override_in_4_0() {
        let ids = CountedIds::new(250, Some(255), VehicleKind::Copter, (4, 7));
        assert!(ids.counts(1, Talker::new(252, 190), SignOfLife::Heartbeat));
        let single = CountedIds::new(255, Some(10), VehicleKind::Copter, (4, 7));
        assert!(!single.counts(1, Talker::new(10, 190), SignOfLife::Heartbeat));
        let old = CountedIds::new(255, None, VehicleKind::Rover, (4, 0));
        assert!(old.counts(1, Talker::new(7, 1), SignOfLife::RcOverride));
        assert!(!old.counts(1, Talker::new(7, 1), SignOfLife::Heartbeat));
    }

    #[test]
    fn the_reason_names_the_ids_as_the_vehicle_does() {
        let reason = |low, high, release, system| {
            CountedIds::new(low, high, VehicleKind::Rover, release).reason(Talker::new(system, 190))
        };
        assert_eq!(
            reason(255, None, (4, 6), 254),
            "system id 254 is not SYSID_MYGCS 255: ArduPilot does not count it"
        );
        assert_eq!(
            reason(250, Some(255), (4, 7), 252),
            "system id 252 is in MAV_GCS_SYSID 250 to 255: ArduPilot counts it, whatever its type"
        );
        assert!(reason(255, None, (4, 0), 7).ends_with("counts its RC overrides alone"));
    }
}
