use crate::observation::{MavType, Talker};
use crate::time::{Micros, Span};

/// What a heartbeat does at the MAVLink instance that receives it.
///
/// Source: `MavlinkReceiver::handle_message_heartbeat`, unchanged from v1.12 to main. State is kept per
/// instance (serial port or UDP port); nothing is shared between instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HeartbeatEffect {
    /// Not looked at: another system's, and not a ground station's.
    Ignored,
    /// Accepted: it forces a check, whatever its type.
    ForcesCheck,
    /// A ground station's: it is remembered, and forces a check.
    CountsAsGroundStation,
}

/// What a heartbeat of `mav_type` from `from` does at a vehicle with system id `own_system`.
///
/// The system id of a ground station does not matter, its type alone does: a companion or a logging
/// script that announces itself as a ground station counts as one.
#[must_use]
pub fn heartbeat_effect(own_system: u8, from: Talker, mav_type: MavType) -> HeartbeatEffect {
    if mav_type == MavType::GCS {
        HeartbeatEffect::CountsAsGroundStation
    } else if from.system == own_system {
        HeartbeatEffect::ForcesCheck
    } else {
        HeartbeatEffect::Ignored
    }
}

/// When the receiver checks, and what it finds.
///
/// Source: `MavlinkReceiver::CheckHeartbeats`, v1.12 to main.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlagRule {
    timeout: Span,
}

impl FlagRule {
    /// The rule with a heartbeat timeout (see [`super::Px4Version::heartbeat_timeout`]).
    #[must_use]
    pub const fn new(timeout: Span) -> Self {
        Self { timeout }
    }

    /// The heartbeat timeout.
    #[must_use]
    pub const fn timeout(self) -> Span {
        self.timeout
    }

    /// The last instant at which a check still finds the ground station present, that instant included.
    #[must_use]
    pub fn present_until(self, last_ground_heartbeat: Micros) -> Micros {
        last_ground_heartbeat + self.timeout
    }

    /// When the receiver checks by itself, if nothing forces a check before: half a timeout after the
    /// last check, forced or not.
    #[must_use]
    pub fn self_check_due(self, last_check: Micros) -> Micros {
        last_check + self.timeout / 2
    }
}

/// One instance's receiver, stepped exactly: the forward form.
#[derive(Clone, Copy, Debug)]
pub struct Receiver {
    rule: FlagRule,
    last_ground_heartbeat: Option<Micros>,
    last_check: Micros,
    flag: bool,
}

impl Receiver {
    /// A receiver that starts at `start`.
    #[must_use]
    pub const fn new(rule: FlagRule, start: Micros) -> Self {
        Self {
            rule,
            last_ground_heartbeat: None,
            last_check: start,
            flag: false,
        }
    }

    /// Whether it says that a ground station is present.
    #[must_use]
    pub const fn flag(&self) -> bool {
        self.flag
    }

    /// A heartbeat arrives. Returns whether it forced a check, and with it a report.
    pub fn heartbeat(&mut self, at: Micros, effect: HeartbeatEffect) -> bool {
        match effect {
            HeartbeatEffect::Ignored => return false,
            HeartbeatEffect::ForcesCheck => {}
            HeartbeatEffect::CountsAsGroundStation => self.last_ground_heartbeat = Some(at),
        }
        self.check(at);
        true
    }

    /// One turn of the loop. Returns whether it was time for a self-check.
    pub fn turn(&mut self, at: Micros) -> bool {
        let due = at >= self.rule.self_check_due(self.last_check);
        if due {
            self.check(at);
        }
        due
    }

    fn check(&mut self, at: Micros) {
        self.last_check = at;
        self.flag = self
            .last_ground_heartbeat
            .is_some_and(|last| at <= self.rule.present_until(last));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: FlagRule = FlagRule::new(Span::from_millis(2_500));

    fn ms(millis: i64) -> Micros {
        Micros::from_millis(millis)
    }

    #[test]
    fn the_type_counts_for_ground_stations_and_the_system_for_everybody_else() {
        use HeartbeatEffect::{CountsAsGroundStation, ForcesCheck, Ignored};
        let effect =
            |system, mav_type| heartbeat_effect(1, Talker::new(system, 191), MavType(mav_type));
        assert_eq!(effect(255, 6), CountsAsGroundStation);
        assert_eq!(effect(1, 6), CountsAsGroundStation);
        assert_eq!(effect(1, 18), ForcesCheck);
        assert_eq!(effect(1, 2), ForcesCheck);
        assert_eq!(effect(2, 18), Ignored);
    }

    #[test]
    fn the_limit_itself_is_still_present() {
        let mut receiver = Receiver::new(RULE, ms(0));
        receiver.heartbeat(ms(1_000), HeartbeatEffect::CountsAsGroundStation);
        receiver.heartbeat(ms(3_500), HeartbeatEffect::ForcesCheck);
        assert!(receiver.flag());
        receiver.heartbeat(
            ms(3_500) + Span::from_micros(1),
            HeartbeatEffect::ForcesCheck,
        );
        assert!(!receiver.flag());
    }

    #[test]
    fn two_self_checks_in_a_row_fall_just_behind_the_limit() {
        let mut receiver = Receiver::new(RULE, ms(0));
        receiver.heartbeat(ms(1_000), HeartbeatEffect::CountsAsGroundStation);
        assert!(!receiver.turn(ms(2_249)));
        assert!(receiver.turn(ms(2_254)));
        assert!(receiver.flag());
        assert!(
            !receiver.turn(ms(3_500)),
            "measured from the last check, not from the heartbeat"
        );
        assert!(receiver.turn(ms(3_508)));
        assert!(!receiver.flag());
    }
}
