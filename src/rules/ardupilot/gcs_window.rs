//! The backward form of the GCS failsafe: from the last counted message to the window in which the
//! failsafe fires.

use crate::time::{Bounds, Micros, Span};

use super::gcs_rule::MILLISECOND;
use super::modes::{PLANE_AUTO, ROVER_HOLD, ROVER_RTL};
use super::{Comparison, GcsRule, VehicleKind};

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
        let due = last_counted + self.link_timeout;
        match self.comparison {
            // Two cut-off readings of the clock may lie a millisecond further apart than the instants.
            Comparison::AtLimit => due - MILLISECOND,
            Comparison::AboveLimit => due,
        }
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
        if let Some(reason) = self.off() {
            return GcsWindow::Silent(reason);
        }
        // What arrives is parsed in the next turn of the main loop.
        let parsed = last_counted.later_by(Span::ZERO, self.loop_period);
        let link_too_old = Bounds::new(
            self.link_too_old_from(parsed.earliest()),
            parsed.latest() + self.link_timeout + self.found_within(),
        );
        let due = Bounds::new(
            link_too_old.earliest() + self.hold_time,
            parsed.latest() + self.link_timeout + self.hold_time + self.latest_delay,
        );
        self.in_modes(link_too_old, due, modes, until)
    }

    /// Where a mode exempts, the timers run all the same: leaving it while the link is too old fires at
    /// the next look.
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
                    (*left + self.evaluation_period).max(due.latest()),
                ),
            },
            None => GcsWindow::Silent(self.exemption(*mode)),
        }
    }

    /// Whether the failsafe keeps silent in this mode.
    #[must_use]
    pub fn exempt(&self, mode: u32) -> bool {
        match self.kind {
            VehicleKind::Rover => mode == ROVER_RTL || (mode == ROVER_HOLD && !self.acts_in_hold),
            VehicleKind::Plane => self.only_in_auto && mode != PLANE_AUTO,
            _ => false,
        }
    }

    /// Why it keeps silent in an exempt mode.
    fn exemption(&self, mode: u32) -> String {
        if self.kind == VehicleKind::Plane {
            return "FS_GCS_ENABL 3 looks at the link in AUTO only; entering it while the link is lost \
                    fires at once"
                .to_owned();
        }
        format!(
            "Rover neither announces nor acts in {}; leaving it while the link is lost fires at once",
            if mode == ROVER_HOLD { "HOLD" } else { "RTL" }
        )
    }

    /// Why no silence fires, where that is so.
    fn off(&self) -> Option<String> {
        if self.enable == 0 {
            return Some(format!(
                "the GCS failsafe is switched off ({} 0)",
                self.enable_name()
            ));
        }
        self.ignores_heartbeats.then(|| {
            "FS_GCS_ENABL 2 of Plane 4.0 looks at the radio's RSSI, and at no heartbeat".to_owned()
        })
    }

    /// When the failsafe ends for a first counted message that arrived at `first`, if the others go on:
    /// at the next check of the link's age. `None` where no check ever ends it, which is so on a Plane
    /// whose FS_SHORT_TIMEOUT is below one second.
    ///
    /// On a Rover whose RC is lost as well it goes on.
    #[must_use]
    pub fn clears(&self, first: Bounds) -> Option<Bounds> {
        (self.clears_below > Span::ZERO)
            .then(|| first.later_by(Span::ZERO, self.loop_period + self.check_period))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::ardupilot::test_rules::rule;

    fn ms(millis: i64) -> Micros {
        Micros::from_millis(millis)
    }

    /// The window after a message that arrived at 0, in microseconds.
    fn window_us(rule: &GcsRule) -> (i64, i64) {
        match rule.window(Bounds::exact(ms(0)), &[(Micros::MIN, 0)], ms(60_000)) {
            GcsWindow::Fires { at, .. } => (at.earliest().as_micros(), at.latest().as_micros()),
            GcsWindow::Silent(why) => panic!("{why}"),
        }
    }

    /// A vehicle, its release and parameters; the ends of its window, microseconds after the message.
    type Case<'a> = (VehicleKind, (u8, u8), &'a [(&'a str, f64)], i64, i64);

    #[test]
    fn the_delay_is_the_sum_on_rover_and_the_timeout_elsewhere() {
        use VehicleKind::{Blimp, Copter, Plane, Rover, Sub};
        let enabled = [("FS_GCS_ENABLE", 1.0), ("FS_GCS_ENABL", 1.0)];
        let quadplane = [("FS_GCS_ENABL", 1.0), ("Q_ENABLE", 1.0)];
        let without_rc = [
            ("FS_GCS_ENABLE", 1.0),
            ("FS_THR_ENABLE", 0.0),
            ("FS_GCS_TIMEOUT", 3.0),
            ("FS_TIMEOUT", 2.0),
        ];
        // Each end: the sum of the time-outs; then the checks', the loop's and the clock's share.
        let cases: [Case<'_>; 10] = [
            (
                Rover,
                (4, 6),
                &enabled,
                6_500_000 - 1_000,
                6_500_000 + 141_000,
            ),
            (Rover, (4, 3), &enabled, 3_500_000, 3_500_000 + 142_000),
            (
                Rover,
                (4, 6),
                &without_rc,
                5_000_000 - 1_000,
                5_000_000 + 221_000,
            ),
            (Copter, (4, 6), &enabled, 5_000_000, 5_000_000 + 336_000),
            (
                Copter,
                (4, 0),
                &[("FS_GCS_ENABLE", 1.0), ("FS_GCS_TIMEOUT", 9.0)],
                5_000_000,
                5_336_000,
            ),
            (Plane, (4, 6), &enabled, 5_000_000, 5_000_000 + 341_000),
            (Plane, (4, 6), &quadplane, 5_000_000, 5_000_000 + 337_668),
            (Sub, (4, 5), &[], 2_500_000 - 1_000, 2_500_000 + 335_000),
            (Sub, (4, 6), &[], 5_000_000 - 1_000, 5_000_000 + 335_000),
            (Blimp, (4, 6), &enabled, 5_000_000, 5_000_000 + 336_000),
        ];
        for (kind, release, parameters, earliest, latest) in cases {
            assert_eq!(
                window_us(&rule(kind, release, parameters)),
                (earliest, latest),
                "{kind:?} {release:?}"
            );
        }
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
        assert!(at.contains(ms(12_215)), "{at:?}");
        assert!(at.width() <= Span::from_millis(120), "{at:?}");
        let options = super::super::test_rules::rule(
            VehicleKind::Rover,
            (4, 6),
            &[("FS_GCS_ENABLE", 1.0), ("FS_OPTIONS", 1.0)],
        );
        assert!(!options.exempt(ROVER_HOLD));
        assert!(options.exempt(ROVER_RTL));
    }

    #[test]
    fn a_plane_that_watches_in_auto_only_is_silent_until_it_enters_it() {
        let rule = rule(VehicleKind::Plane, (4, 6), &[("FS_GCS_ENABL", 3.0)]);
        let manual = [(ms(-5_000), 0)];
        let silent = rule.window(Bounds::exact(ms(0)), &manual, ms(60_000));
        assert!(matches!(silent, GcsWindow::Silent(_)));
        let entered = [(ms(-5_000), 0), (ms(9_000), PLANE_AUTO)];
        let GcsWindow::Fires { at, .. } = rule.window(Bounds::exact(ms(0)), &entered, ms(60_000))
        else {
            panic!("fires");
        };
        assert!(at.contains(ms(9_320)), "{at:?}");
    }

    #[test]
    fn switched_off_means_silent() {
        let off = [
            (VehicleKind::Copter, (4, 6), ("FS_GCS_ENABLE", 0.0)),
            (VehicleKind::Plane, (4, 0), ("FS_GCS_ENABL", 2.0)),
        ];
        for (kind, release, parameter) in off {
            let rule = rule(kind, release, &[parameter]);
            let window = rule.window(Bounds::exact(ms(0)), &[], ms(60_000));
            assert!(matches!(window, GcsWindow::Silent(_)), "{kind:?}");
        }
    }

    #[test]
    fn a_plane_with_a_short_time_out_below_a_second_never_clears() {
        let first = Bounds::exact(ms(0));
        let plane = |timeout| {
            rule(VehicleKind::Plane, (4, 6), &[("FS_SHORT_TIMEOUT", timeout)]).clears(first)
        };
        assert!(plane(1.5).is_some());
        assert_eq!(plane(0.9), None);
    }
}
