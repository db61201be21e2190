//! The backward form of the GCS failsafe: from the last counted message to the window in which the
//! failsafe fires; and the forward form, stepped at the checks, from the same due times.

use crate::time::{Bounds, Micros, Span};

use super::modes::{ROVER_HOLD, ROVER_RTL};
use super::{GcsRule, VehicleKind};

/// The main loop looks at what arrived at most this much later: 50 Hz on Rover and Plane.
const PARSED_WITHIN: Span = Span::from_millis(20);

/// When the failsafe fires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GcsWindow {
    /// Within these bounds.
    Fires {
        /// When the link is found too old: Rover's FS_TIMEOUT runs from there.
        link_too_old: Bounds,
        /// When the failsafe fires.
        at: Bounds,
    },
    /// Not at all while things stay as they are, for this reason.
    Silent(String),
}

impl GcsRule {
    /// The earliest instant at which a check finds the link too old.
    #[must_use]
    pub fn link_too_old_from(&self, last_counted: Micros) -> Micros {
        last_counted + self.link_timeout
    }

    /// The window for a silence that begins with `last_counted`, and goes on.
    ///
    /// `modes` are the vehicle's mode numbers from when on they held, in order; the silence ends at
    /// `until` as far as it is known.
    #[must_use]
    pub fn window(
        &self,
        last_counted: Bounds,
        modes: &[(Micros, u32)],
        until: Micros,
    ) -> GcsWindow {
        if !self.enabled() {
            return GcsWindow::Silent(format!(
                "the GCS failsafe is switched off ({} 0)",
                self.enable_name()
            ));
        }
        let link_too_old = Bounds::new(
            self.link_too_old_from(last_counted.earliest()),
            self.link_too_old_from(last_counted.latest()) + self.check_period + PARSED_WITHIN,
        );
        let due = Bounds::new(
            self.link_too_old_from(last_counted.earliest()) + self.hold_time,
            self.link_too_old_from(last_counted.latest())
                + self.hold_time
                + self.latest_delay
                + PARSED_WITHIN,
        );
        if self.kind != VehicleKind::Rover {
            return GcsWindow::Fires {
                link_too_old,
                at: due,
            };
        }
        self.in_modes(link_too_old, due, modes, until)
    }

    /// Rover neither announces nor acts in HOLD and RTL, but the timers run: leaving such a mode while the
    /// link is too old fires at once.
    fn in_modes(
        &self,
        link_too_old: Bounds,
        due: Bounds,
        modes: &[(Micros, u32)],
        until: Micros,
    ) -> GcsWindow {
        // The mode when the failsafe falls due decides. One entered after that may be the failsafe's own.
        let index = modes.partition_point(|(since, _)| *since <= due.earliest());
        let mode = index.checked_sub(1).and_then(|i| modes.get(i));
        let Some((_, mode)) = mode.filter(|(_, mode)| self.exempt(*mode)) else {
            return GcsWindow::Fires {
                link_too_old,
                at: due,
            };
        };
        let left = modes
            .get(index..)
            .unwrap_or_default()
            .iter()
            .find(|(at, mode)| *at <= until && !self.exempt(*mode));
        match left {
            Some((left, _)) => GcsWindow::Fires {
                link_too_old,
                at: Bounds::new(
                    (*left - MODE_NEWS).max(due.earliest()),
                    (*left + self.latest_delay).max(due.latest()),
                ),
            },
            None => GcsWindow::Silent(format!(
                "Rover neither announces nor acts in {}; leaving it while the link is lost fires at once",
                if *mode == ROVER_HOLD { "HOLD" } else { "RTL" }
            )),
        }
    }

    /// Whether the failsafe keeps silent in this mode.
    #[must_use]
    pub fn exempt(&self, mode: u32) -> bool {
        self.kind == VehicleKind::Rover
            && (mode == ROVER_RTL || (mode == ROVER_HOLD && !self.acts_in_hold))
    }

    /// The parameter that switches the failsafe on.
    #[must_use]
    pub const fn enable_name(&self) -> &'static str {
        match self.kind {
            VehicleKind::Plane => "FS_GCS_ENABL",
            _ => "FS_GCS_ENABLE",
        }
    }
}

/// The news of a mode change comes with an extra heartbeat, at most this much after it.
const MODE_NEWS: Span = Span::from_millis(100);

/// What one check of the forward form changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GcsChange {
    /// The failsafe fired.
    Fired,
    /// It was cleared.
    Cleared,
}

/// The GCS failsafe stepped exactly: the forward form, for simulated vehicles.
///
/// Two calls per step as on the vehicle: the link check every [`GcsRule::check_period`], and, on Rover, the
/// shared evaluation at 50 Hz by the RC check.
#[derive(Clone, Debug)]
pub struct GcsFailsafe {
    rule: GcsRule,
    last_counted: Option<Micros>,
    too_old_since: Option<Micros>,
    fired: bool,
}

impl GcsFailsafe {
    /// A vehicle that has started at `start`.
    #[must_use]
    pub fn new(rule: GcsRule, start: Micros) -> Self {
        Self {
            last_counted: rule.seen_at_boot.then_some(start),
            rule,
            too_old_since: None,
            fired: false,
        }
    }

    /// The main loop parses a counted message.
    pub const fn counted(&mut self, at: Micros) {
        self.last_counted = Some(at);
    }

    /// The periodic check of the link's age.
    pub fn check_link(&mut self, at: Micros, mode: u32) -> Option<GcsChange> {
        // Rover and Sub compare with >=, the others with >; a microsecond decides nothing here.
        let too_old = self
            .last_counted
            .is_some_and(|last| at >= self.rule.link_too_old_from(last));
        if !too_old {
            self.too_old_since = None;
            return std::mem::take(&mut self.fired).then_some(GcsChange::Cleared);
        }
        self.too_old_since.get_or_insert(at);
        self.evaluate(at, mode)
    }

    /// The shared evaluation: has the condition lasted, and does the mode let it through?
    pub fn evaluate(&mut self, at: Micros, mode: u32) -> Option<GcsChange> {
        let lasted = self.too_old_since.is_some_and(|since| {
            if self.rule.hold_time == Span::ZERO {
                at >= since
            } else {
                at - since > self.rule.hold_time
            }
        });
        if self.fired || !lasted || !self.rule.enabled() || self.rule.exempt(mode) {
            return None;
        }
        self.fired = true;
        Some(GcsChange::Fired)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::ardupilot::modes::ROVER_AUTO;
    use crate::rules::{Parameter, Provenance};
    use proptest::prelude::*;

    fn rule(kind: VehicleKind, release: (u8, u8), parameters: &[(&str, f64)]) -> GcsRule {
        GcsRule::select(kind, release, &|name| {
            parameters
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, value)| Parameter {
                    value: *value,
                    provenance: Provenance::Read,
                    at: None,
                })
        })
    }

    fn ms(millis: i64) -> Micros {
        Micros::from_millis(millis)
    }

    fn window_ms(rule: &GcsRule) -> (i64, i64) {
        match rule.window(Bounds::exact(ms(0)), &[(Micros::MIN, 0)], ms(60_000)) {
            GcsWindow::Fires { at, .. } => (
                at.earliest().as_micros() / 1_000,
                at.latest().as_micros() / 1_000,
            ),
            GcsWindow::Silent(why) => panic!("{why}"),
        }
    }

    #[test]
    fn the_delay_is_the_sum_on_rover_and_the_timeout_elsewhere() {
        use VehicleKind::{Copter, Plane, Rover, Sub};
        let enabled = [("FS_GCS_ENABLE", 1.0), ("FS_GCS_ENABL", 1.0)];
        assert_eq!(window_ms(&rule(Rover, (4, 6), &enabled)), (6_500, 6_640));
        assert_eq!(window_ms(&rule(Rover, (4, 3), &enabled)), (3_500, 3_640));
        assert_eq!(window_ms(&rule(Copter, (4, 6), &enabled)), (5_000, 5_352));
        assert_eq!(window_ms(&rule(Plane, (4, 6), &enabled)), (5_000, 5_340));
        assert_eq!(window_ms(&rule(Sub, (4, 5), &[])), (2_500, 2_852));
        assert_eq!(window_ms(&rule(Sub, (4, 6), &[])), (5_000, 5_352));
        let without_rc = [
            ("FS_GCS_ENABLE", 1.0),
            ("FS_THR_ENABLE", 0.0),
            ("FS_GCS_TIMEOUT", 3.0),
            ("FS_TIMEOUT", 2.0),
        ];
        assert_eq!(window_ms(&rule(Rover, (4, 6), &without_rc)), (5_000, 5_220));
    }

    #[test]
    fn rover_keeps_silent_in_hold_and_fires_when_it_is_left() {
        let rule = rule(VehicleKind::Rover, (4, 6), &[("FS_GCS_ENABLE", 1.0)]);
        let holding = [(ms(-5_000), ROVER_HOLD)];
        let silent = rule.window(Bounds::exact(ms(0)), &holding, ms(60_000));
        assert!(matches!(silent, GcsWindow::Silent(_)));
        let left = [(ms(-5_000), ROVER_HOLD), (ms(12_200), 0)];
        let GcsWindow::Fires { at, .. } = rule.window(Bounds::exact(ms(0)), &left, ms(60_000))
        else {
            panic!("fires");
        };
        assert!(at.contains(ms(12_270)), "{at:?}");
        let options = self::rule(
            VehicleKind::Rover,
            (4, 6),
            &[("FS_GCS_ENABLE", 1.0), ("FS_OPTIONS", 1.0)],
        );
        assert!(!options.exempt(ROVER_HOLD));
        assert!(options.exempt(ROVER_RTL));
    }

    #[test]
    fn switched_off_means_silent() {
        let rule = rule(VehicleKind::Copter, (4, 6), &[("FS_GCS_ENABLE", 0.0)]);
        let window = rule.window(Bounds::exact(ms(0)), &[], ms(60_000));
        assert!(matches!(window, GcsWindow::Silent(_)));
    }

    /// Flies the forward form through a silence that begins at 0 and ends after `gap`; gives when the
    /// failsafe fired.
    fn fly(rule: &GcsRule, phase: i64, gap: i64, mode: u32) -> Option<i64> {
        let mut failsafe = GcsFailsafe::new(rule.clone(), ms(-60_000));
        let period = rule.check_period.as_micros() / 1_000;
        failsafe.counted(ms(0));
        for now in 1..gap {
            let mut change = None;
            if (now + phase) % period == 0 {
                change = failsafe.check_link(ms(now), mode);
            }
            if rule.named_radio_failsafe && (now + phase) % 20 == 3 {
                change = change.or_else(|| failsafe.evaluate(ms(now), mode));
            }
            if change == Some(GcsChange::Fired) {
                return Some(now);
            }
        }
        None
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_forward_form_fires_inside_the_window(
            kind in prop_oneof![Just(VehicleKind::Rover), Just(VehicleKind::Copter), Just(VehicleKind::Plane), Just(VehicleKind::Sub)],
            timeout in 2.0_f64..8.0,
            hold in 1.0_f64..4.0,
            radio in any::<bool>(),
            phase in 0_i64..400,
            gap in 1_000_i64..16_000,
        ) {
            let (timeout, hold) = ((timeout * 10.0).round() / 10.0, (hold * 10.0).round() / 10.0);
            let rule = rule(kind, (4, 6), &[
                ("FS_GCS_ENABLE", 1.0), ("FS_GCS_ENABL", 1.0), ("FS_GCS_TIMEOUT", timeout),
                ("FS_LONG_TIMEOUT", timeout), ("FS_TIMEOUT", hold),
                ("FS_THR_ENABLE", if radio { 1.0 } else { 0.0 }),
            ]);
            let fired = fly(&rule, phase, gap, ROVER_AUTO);
            let (earliest, latest) = window_ms(&rule);
            match fired {
                Some(at) => prop_assert!((earliest..=latest).contains(&at), "{at} not in {earliest}..{latest}"),
                None => prop_assert!(gap <= latest, "a gap of {gap} ms must fire, window {earliest}..{latest}"),
            }
        }
    }
}
