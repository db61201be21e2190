use crate::time::{Bounds, Micros, Span};

use super::{GcsRule, GcsWindow};

/// What comes of a silence whose end is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GapOutcome {
    /// Nothing can be seen of it, and why.
    Silent(String),
    /// It depends on the phase of the vehicle's checks; if the failsafe fires, then within these bounds.
    Possible(Bounds),
    /// The failsafe fires within these bounds.
    Certain(Bounds),
}

impl GcsRule {
    /// What comes of the silence from `last_counted` to `next_counted`, or, where none came, to `until`.
    ///
    /// `modes` as for [`GcsRule::window`].
    #[must_use]
    pub fn gap(
        &self,
        last_counted: Bounds,
        next_counted: Option<Bounds>,
        modes: &[(Micros, u32)],
        until: Micros,
    ) -> GapOutcome {
        let end = next_counted.map_or(Bounds::exact(until), |next| {
            next.later_by(Span::ZERO, self.silence_outlasts())
        });
        let (link_too_old, at) = match self.window(last_counted, modes, end.latest()) {
            GcsWindow::Silent(reason) => return GapOutcome::Silent(reason),
            GcsWindow::Fires { link_too_old, at } => (link_too_old, at),
        };
        if end.latest() < at.earliest() {
            // The link check itself sees the message as soon as it is parsed.
            let parsed = next_counted.map_or(until, |next| next.latest() + self.loop_period);
            return GapOutcome::Silent(if parsed < link_too_old.earliest() {
                "the link did not get too old".to_owned()
            } else {
                "the link was too old, but not for FS_TIMEOUT: Rover says nothing of it".to_owned()
            });
        }
        if end.earliest() > at.latest() {
            return GapOutcome::Certain(at);
        }
        GapOutcome::Possible(Bounds::new(at.earliest(), at.latest().min(end.latest())))
    }

    /// How long after a message has arrived its silence may still fire the failsafe: until the message is
    /// parsed, and, where Rover's RC check evaluates too, until the link check next looks at the age. In
    /// between, the RC check goes by what the link check found last.
    #[must_use]
    pub fn silence_outlasts(&self) -> Span {
        if self.named_radio_failsafe {
            self.loop_period + self.check_period
        } else {
            self.loop_period
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::ardupilot::VehicleKind;
    use crate::rules::ardupilot::modes::ROVER_HOLD;
    use crate::rules::ardupilot::test_rules::rule;

    fn ms(millis: i64) -> Micros {
        Micros::from_millis(millis)
    }

    fn gap(rule: &GcsRule, millis: i64) -> GapOutcome {
        let next = Bounds::exact(ms(millis));
        rule.gap(
            Bounds::exact(ms(0)),
            Some(next),
            &[(Micros::MIN, 0)],
            ms(60_000),
        )
    }

    #[test]
    fn short_gaps_of_a_rover_are_silent_and_long_ones_fire() {
        let default = rule(VehicleKind::Rover, (4, 6), &[("FS_GCS_ENABLE", 1.0)]);
        let short = rule(
            VehicleKind::Rover,
            (4, 6),
            &[
                ("FS_GCS_ENABLE", 1.0),
                ("FS_GCS_TIMEOUT", 2.0),
                ("FS_TIMEOUT", 1.0),
            ],
        );
        let cases: [(&GcsRule, &[i64], i64); 2] = [
            (&default, &[4_900, 5_600, 6_300], 6_900),
            (&short, &[1_900, 2_500, 2_850], 3_300),
        ];
        for (rule, silent, fires) in cases {
            for millis in silent {
                let outcome = gap(rule, *millis);
                assert!(matches!(outcome, GapOutcome::Silent(_)), "{millis}");
            }
            let outcome = gap(rule, fires);
            assert!(matches!(outcome, GapOutcome::Certain(_)), "{fires}");
        }
    }

    #[test]
    fn the_next_message_ends_a_silence_when_the_link_check_sees_it() {
        let latest_of = |throttle, millis| {
            let parameters = [("FS_GCS_ENABLE", 1.0), ("FS_THR_ENABLE", throttle)];
            match gap(&rule(VehicleKind::Rover, (4, 6), &parameters), millis) {
                GapOutcome::Possible(at) => Some(at.latest()),
                _ => None,
            }
        };
        assert_eq!(latest_of(0.0, 6_560), Some(ms(6_580)), "parsed 20 ms later");
        assert_eq!(latest_of(0.0, 6_450), None);
        assert_eq!(
            latest_of(1.0, 6_450),
            Some(ms(6_570)),
            "and seen 100 ms after that"
        );
    }

    #[test]
    fn the_reason_tells_a_young_link_from_a_short_excess() {
        let rule = rule(VehicleKind::Rover, (4, 6), &[("FS_GCS_ENABLE", 1.0)]);
        let reason = |millis| match gap(&rule, millis) {
            GapOutcome::Silent(reason) => reason,
            fires => panic!("{fires:?}"),
        };
        assert_ne!(reason(4_900), reason(5_600));
        assert_eq!(reason(5_600), reason(6_300));
    }

    #[test]
    fn a_gap_spent_in_hold_is_silent_however_long() {
        let rule = rule(VehicleKind::Rover, (4, 6), &[("FS_GCS_ENABLE", 1.0)]);
        let holding = [(ms(-5_000), ROVER_HOLD), (ms(30_500), 0)];
        let outcome = rule.gap(
            Bounds::exact(ms(0)),
            Some(Bounds::exact(ms(30_000))),
            &holding,
            ms(60_000),
        );
        assert!(matches!(outcome, GapOutcome::Silent(_)), "{outcome:?}");
    }
}
