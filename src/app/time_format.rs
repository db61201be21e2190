use crate::time::{ClockTime, Micros, Seconds, Span, Timeline};

/// How instants are written: as time of day (UTC) where the record has a wall clock, as seconds from
/// the start where it only knows the vehicle's own time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimeFormat {
    /// `15:41:02.412`
    Clock,
    /// `123.412`, counted from this instant.
    FromStart(Micros),
}

const MINUTE: i64 = 60_000_000;

impl TimeFormat {
    /// The format for a record that begins at `first`.
    pub(super) fn of(first: Option<Micros>) -> Self {
        match (Timeline::of(first), first) {
            (Timeline::Boot, Some(first)) => Self::FromStart(first),
            _ => Self::Clock,
        }
    }

    /// The origin to which ticks are aligned.
    pub(super) const fn origin(self) -> Micros {
        match self {
            Self::Clock => Micros::from_micros(0),
            Self::FromStart(first) => first,
        }
    }

    /// What the numbers on the axis are.
    pub(super) const fn unit(self) -> &'static str {
        match self {
            Self::Clock => "UTC",
            Self::FromStart(_) => "s from start",
        }
    }

    /// In full, to the millisecond.
    pub(super) fn full(self, at: Micros) -> String {
        match self {
            Self::Clock => ClockTime::millis(at).to_string(),
            Self::FromStart(first) => Seconds::millis(at - first).to_string(),
        }
    }

    /// For the label of the present line: a tenth of a second.
    pub(super) fn tenth(self, at: Micros) -> String {
        match self {
            Self::Clock => ClockTime::with_decimals(at, 1).to_string(),
            Self::FromStart(first) => format!("{} s", Seconds::with_decimals(at - first, 1)),
        }
    }

    /// To the hundredth, for sentences.
    pub(super) fn hundredth(self, at: Micros) -> String {
        match self {
            Self::Clock => ClockTime::with_decimals(at, 2).to_string(),
            Self::FromStart(first) => format!("{} s", Seconds::with_decimals(at - first, 2)),
        }
    }

    /// Whole seconds, for lists.
    pub(super) fn seconds(self, at: Micros) -> String {
        match self {
            Self::Clock => ClockTime::with_decimals(at, 0).to_string(),
            Self::FromStart(first) => Seconds::with_decimals(at - first, 1).to_string(),
        }
    }

    /// Within its minute, to the millisecond: `02.412`. Lists of steps name the minute once. Seconds
    /// from the start have no minute and stay whole.
    pub(super) fn within_minute(self, at: Micros) -> String {
        match self {
            Self::Clock => {
                let micros = at.as_micros().rem_euclid(MINUTE);
                format!(
                    "{:02}.{:03}",
                    micros / 1_000_000,
                    micros % 1_000_000 / 1_000
                )
            }
            Self::FromStart(first) => Seconds::millis(at - first).to_string(),
        }
    }

    /// Whether two instants share their minute, so that [`Self::within_minute`] tells them apart.
    pub(super) fn same_minute(self, a: Micros, b: Micros) -> bool {
        match self {
            Self::Clock => a.as_micros().div_euclid(MINUTE) == b.as_micros().div_euclid(MINUTE),
            Self::FromStart(_) => true,
        }
    }

    /// A tick of the axis whose ticks are `step` apart: no more figures than the step needs.
    pub(super) fn tick(self, at: Micros, step: Span) -> String {
        let micros = step.as_micros().max(1);
        let decimals = match micros {
            1_000_000.. => 0,
            100_000.. => 1,
            10_000.. => 2,
            _ => 3,
        };
        match self {
            // Below a second the hour would only take the room of the figures that change.
            Self::Clock if decimals > 0 => {
                let text = ClockTime::with_decimals(at, decimals).to_string();
                text.get(3..).unwrap_or(&text).to_owned()
            }
            Self::Clock => {
                let text = ClockTime::with_decimals(at, 0).to_string();
                if micros % MINUTE == 0 {
                    text.get(..5).unwrap_or(&text).to_owned()
                } else {
                    text
                }
            }
            Self::FromStart(first) => {
                Seconds::with_decimals(at - first, decimals as usize).to_string()
            }
        }
    }
}

/// A span in seconds with as many decimals as its size deserves: `3.2 s`, `12 s`, `14 min`, `3 h`.
pub(super) fn age(span: Span) -> String {
    let seconds = span.as_secs_f64();
    match seconds.abs() {
        s if s < 99.95 => format!("{seconds:.1} s"),
        s if s < 600.0 => format!("{seconds:.0} s"),
        s if s < 7_200.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3_600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOMENT: Micros = Micros::from_micros(1_700_000_000_000_000 + 8_412_999);

    #[test]
    fn a_record_with_a_wall_clock_shows_it_and_one_without_counts_from_its_start() {
        assert_eq!(TimeFormat::of(Some(MOMENT)), TimeFormat::Clock);
        let boot = TimeFormat::of(Some(Micros::from_millis(12_000)));
        assert_eq!(boot.full(Micros::from_millis(15_250)), "3.250");
        assert_eq!(TimeFormat::Clock.full(MOMENT), "22:13:28.412");
        assert_eq!(TimeFormat::Clock.within_minute(MOMENT), "28.412");
    }

    #[test]
    fn ticks_carry_the_figures_their_step_needs() {
        let tick = |step| TimeFormat::Clock.tick(MOMENT, step);
        assert_eq!(tick(Span::from_secs(60)), "22:13");
        assert_eq!(tick(Span::from_secs(2)), "22:13:28");
        assert_eq!(tick(Span::from_millis(200)), "13:28.4");
        assert_eq!(tick(Span::from_millis(5)), "13:28.412");
    }

    #[test]
    fn ages_keep_one_decimal_while_it_matters() {
        assert_eq!(age(Span::from_millis(8_700)), "8.7 s");
        assert_eq!(age(Span::from_secs(900)), "15 min");
        assert_eq!(age(Span::MAX).split(' ').next_back(), Some("h"));
    }
}
