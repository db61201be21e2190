use crate::time::{Micros, Span};

use super::{Comparison, GcsRule, VehicleKind};

/// What one check of the forward form changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GcsChange {
    /// The failsafe fired.
    Fired {
        /// Rover's RC check came first, so that the text says "Radio Failsafe".
        named_radio: bool,
    },
    /// It was cleared.
    Cleared,
}

/// The GCS failsafe stepped exactly: the forward form, for simulated vehicles.
///
/// The vehicle's calls are the caller's: [`Self::counted`] where the main loop parses a message,
/// [`Self::check_link`] every [`GcsRule::check_period`] and, on a Rover whose FS_THR_ENABLE is not 0,
/// [`Self::check_radio`] every [`GcsRule::evaluation_period`]. Times are the vehicle's since it started.
#[derive(Clone, Debug)]
pub struct GcsFailsafe {
    rule: GcsRule,
    last_counted: Option<Micros>,
    causes: Causes,
    /// When the first of the causes came.
    since: Micros,
    /// The causes when it fired.
    fired: Causes,
}

/// What may hold Rover's failsafe; the others know the link alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Causes {
    link: bool,
    radio: bool,
}

impl Causes {
    const fn any(self) -> bool {
        self.link || self.radio
    }

    const fn and(self, other: Self) -> Self {
        Self {
            link: self.link && other.link,
            radio: self.radio && other.radio,
        }
    }
}

impl GcsFailsafe {
    /// A vehicle that has started at `start`.
    #[must_use]
    pub fn new(rule: GcsRule, start: Micros) -> Self {
        Self {
            last_counted: rule.seen_at_boot.then_some(start),
            rule,
            causes: Causes::default(),
            since: start,
            fired: Causes::default(),
        }
    }

    /// The main loop parses a counted message.
    pub const fn counted(&mut self, at: Micros) {
        self.last_counted = Some(at);
    }

    /// Since when the link has been found too old; `None` while it is not.
    #[must_use]
    pub fn link_too_old_since(&self) -> Option<Micros> {
        self.causes.link.then_some(self.since)
    }

    /// The periodic check of the link's age.
    pub fn check_link(&mut self, at: Micros, mode: u32) -> Option<GcsChange> {
        // A link never heard of cannot be lost, and one that nobody watches is not looked at.
        let last = self.last_counted.filter(|_| self.rule.enabled())?;
        let age = age(last, at);
        if self.rule.kind == VehicleKind::Rover {
            let causes = Causes {
                link: self.too_old(age),
                ..self.causes
            };
            return self.evaluate(at, mode, causes, false);
        }
        if self.fired.any() {
            if age < self.rule.clears_below {
                self.fired = Causes::default();
                self.causes = Causes::default();
                return Some(GcsChange::Cleared);
            }
            return None;
        }
        if !self.too_old(age) {
            self.causes.link = false;
            return None;
        }
        if !self.causes.link {
            self.causes.link = true;
            self.since = at;
        }
        if self.rule.exempt(mode) {
            return None;
        }
        self.fired = self.causes;
        Some(GcsChange::Fired { named_radio: false })
    }

    /// Rover's periodic check of the RC link: the same evaluation under another name.
    pub fn check_radio(&mut self, at: Micros, mode: u32, lost: bool) -> Option<GcsChange> {
        if !self.rule.named_radio_failsafe {
            return None;
        }
        let causes = Causes {
            radio: lost,
            ..self.causes
        };
        self.evaluate(at, mode, causes, true)
    }

    /// `Rover::failsafe_trigger`: one start for all causes, and whoever calls gives the name.
    fn evaluate(
        &mut self,
        at: Micros,
        mode: u32,
        causes: Causes,
        named_radio: bool,
    ) -> Option<GcsChange> {
        if !self.causes.any() && causes.any() {
            self.since = at;
        }
        self.causes = causes;
        let ended = self.fired.any() && !causes.any();
        self.fired = self.fired.and(causes);
        let due = causes.any() && age(self.since, at) > self.rule.hold_time;
        if due && !self.fired.any() && !self.rule.exempt(mode) {
            self.fired = causes;
            return Some(GcsChange::Fired { named_radio });
        }
        ended.then_some(GcsChange::Cleared)
    }

    fn too_old(&self, age: Span) -> bool {
        match self.rule.comparison {
            Comparison::AtLimit => age >= self.rule.link_timeout,
            Comparison::AboveLimit => age > self.rule.link_timeout,
        }
    }
}

/// The time from `since` to `at` as the vehicle reckons it: by a clock that is read in whole milliseconds.
fn age(since: Micros, at: Micros) -> Span {
    let millis = |at: Micros| at.as_micros().div_euclid(1_000);
    Span::from_millis(millis(at) - millis(since))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::ardupilot::modes::{PLANE_AUTO, ROVER_HOLD};
    use crate::rules::ardupilot::test_rules::rule;

    fn ms(millis: i64) -> Micros {
        Micros::from_millis(millis)
    }

    const MANUAL: u32 = 0;

    fn rover(parameters: &[(&str, f64)]) -> GcsFailsafe {
        let all = [&[("FS_GCS_ENABLE", 1.0)], parameters].concat();
        GcsFailsafe::new(rule(VehicleKind::Rover, (4, 6), &all), ms(0))
    }

    /// Every check of a Rover from the message at 0 up to `until`: RC first within a turn, as on board.
    fn fly(
        failsafe: &mut GcsFailsafe,
        until: i64,
        mode: impl Fn(i64) -> u32,
        radio_lost: impl Fn(i64) -> bool,
    ) -> Vec<(i64, GcsChange)> {
        let mut changes = Vec::new();
        for now in (0..until).step_by(20) {
            let radio = failsafe.check_radio(ms(now), mode(now), radio_lost(now));
            changes.extend(radio.map(|change| (now, change)));
            if now % 100 == 0 {
                let link = failsafe.check_link(ms(now), mode(now));
                changes.extend(link.map(|change| (now, change)));
            }
        }
        changes
    }

    #[test]
    fn a_lost_link_alone_is_announced_as_a_radio_failsafe() {
        let mut failsafe = rover(&[]);
        failsafe.counted(ms(0));
        let changes = fly(&mut failsafe, 8_000, |_| MANUAL, |_| false);
        let fired = GcsChange::Fired { named_radio: true };
        assert_eq!(changes, [(6_520, fired)]);
        assert_eq!(failsafe.link_too_old_since(), Some(ms(5_000)));
        failsafe.counted(ms(8_010));
        assert_eq!(
            failsafe.check_link(ms(8_100), MANUAL),
            Some(GcsChange::Cleared)
        );
    }

    #[test]
    fn without_the_rc_check_it_has_its_own_name() {
        let mut failsafe = rover(&[("FS_THR_ENABLE", 0.0)]);
        failsafe.counted(ms(0));
        let changes = fly(&mut failsafe, 8_000, |_| MANUAL, |_| true);
        let fired = GcsChange::Fired { named_radio: false };
        assert_eq!(changes, [(6_600, fired)]);
    }

    #[test]
    fn one_start_serves_both_causes_so_that_rc_lost_before_brings_it_forward() {
        let mut failsafe = rover(&[]);
        failsafe.counted(ms(0));
        let changes = fly(&mut failsafe, 8_000, |_| MANUAL, |now| now >= 4_000);
        assert_eq!(
            changes[0].0, 5_520,
            "1.5 s after RC went, not after the link did"
        );
    }

    #[test]
    fn the_rc_check_fires_on_what_the_link_check_found_last() {
        let mut failsafe = rover(&[("FS_TIMEOUT", 1.05)]);
        failsafe.counted(ms(0));
        // The link check of 6.000 s still finds the silence; the message comes after it.
        assert_eq!(fly(&mut failsafe, 6_020, |_| MANUAL, |_| false), []);
        failsafe.counted(ms(6_030));
        let fired = Some(GcsChange::Fired { named_radio: true });
        assert_eq!(failsafe.check_radio(ms(6_060), MANUAL, false), fired);
        assert_eq!(
            failsafe.check_link(ms(6_100), MANUAL),
            Some(GcsChange::Cleared)
        );
    }

    #[test]
    fn leaving_hold_fires_in_the_same_turn() {
        let mut failsafe = rover(&[]);
        failsafe.counted(ms(0));
        let mode = |now| if now < 12_260 { ROVER_HOLD } else { MANUAL };
        let changes = fly(&mut failsafe, 14_000, mode, |_| false);
        assert_eq!(changes[0].0, 12_260);
    }

    #[test]
    fn only_a_plane_fails_without_ever_having_heard_a_ground_station() {
        for kind in [
            VehicleKind::Rover,
            VehicleKind::Copter,
            VehicleKind::Plane,
            VehicleKind::Sub,
            VehicleKind::Blimp,
        ] {
            let enabled = [("FS_GCS_ENABLE", 1.0), ("FS_GCS_ENABL", 1.0)];
            let mut failsafe = GcsFailsafe::new(rule(kind, (4, 6), &enabled), ms(0));
            let fired = (0..10_000)
                .step_by(100)
                .any(|now| failsafe.check_link(ms(now), MANUAL).is_some());
            assert_eq!(fired, kind == VehicleKind::Plane, "{kind:?}");
        }
    }

    #[test]
    fn a_plane_that_watches_in_auto_only_fires_on_entering_it() {
        let rule = rule(VehicleKind::Plane, (4, 6), &[("FS_GCS_ENABL", 3.0)]);
        let mut failsafe = GcsFailsafe::new(rule, ms(0));
        assert_eq!(failsafe.check_link(ms(9_000), MANUAL), None);
        let fired = Some(GcsChange::Fired { named_radio: false });
        assert_eq!(failsafe.check_link(ms(9_320), PLANE_AUTO), fired);
    }

    #[test]
    fn at_the_very_limit_copter_waits_and_sub_does_not() {
        let at_limit = |kind| {
            let rule = rule(kind, (4, 6), &[("FS_GCS_ENABLE", 1.0)]);
            let mut failsafe = GcsFailsafe::new(rule, ms(0));
            failsafe.counted(ms(1_000));
            failsafe.check_link(ms(6_000), MANUAL)
        };
        assert_eq!(at_limit(VehicleKind::Copter), None);
        assert!(at_limit(VehicleKind::Sub).is_some());
    }
}
