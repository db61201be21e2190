use crate::time::{ClockTime, Micros, Seconds, Span, Timeline};

/// How instants are written: as time of day (UTC) where the record has a wall clock, as seconds from
/// the start where it only knows the vehicle's own time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimeFormat {
    /// `15:41:02.412`
    Clock,
    /// The same in a zone that is this far ahead of UTC.
    Zoned(Span),
    /// `123.412`, counted from this instant.
    FromStart(Micros),
}

const MINUTE: i64 = 60_000_000;

impl TimeFormat {
    /// The format for a record that begins at `first`, in the zone named `zone`: `UTC`, `local` or a name
    /// of the zone database. The zone's offset at the begin holds for the whole record.
    pub(super) fn of(first: Option<Micros>, zone: &str) -> Self {
        match (Timeline::of(first), first) {
            (Timeline::Boot, Some(first)) => Self::FromStart(first),
            (_, Some(first)) => match offset(first, zone) {
                Some(offset) if offset != Span::ZERO => Self::Zoned(offset),
                _ => Self::Clock,
            },
            (_, None) => Self::Clock,
        }
    }

    /// The origin to which ticks are aligned.
    pub(super) const fn origin(self) -> Micros {
        match self {
            Self::Clock => Micros::from_micros(0),
            // Whole days of the zone begin this much earlier.
            Self::Zoned(offset) => Micros::from_micros(-offset.as_micros()),
            Self::FromStart(first) => first,
        }
    }

    /// What the numbers on the axis are.
    pub(super) fn unit(self) -> String {
        match self {
            Self::Clock => "UTC".to_owned(),
            Self::Zoned(offset) => {
                let minutes = offset.as_micros() / MINUTE;
                let sign = if minutes < 0 { '-' } else { '+' };
                let minutes = minutes.abs();
                format!("UTC{sign}{:02}:{:02}", minutes / 60, minutes % 60)
            }
            Self::FromStart(_) => "s from start".to_owned(),
        }
    }

    /// In full, to the millisecond.
    pub(super) fn full(self, at: Micros) -> String {
        match self {
            Self::Zoned(offset) => Self::Clock.full(at + offset),
            Self::Clock => ClockTime::millis(at).to_string(),
            Self::FromStart(first) => Seconds::millis(at - first).to_string(),
        }
    }

    /// For the label of the present line: a tenth of a second.
    pub(super) fn tenth(self, at: Micros) -> String {
        match self {
            Self::Zoned(offset) => Self::Clock.tenth(at + offset),
            Self::Clock => ClockTime::with_decimals(at, 1).to_string(),
            Self::FromStart(first) => format!("{} s", Seconds::with_decimals(at - first, 1)),
        }
    }

    /// To the hundredth, for sentences.
    pub(super) fn hundredth(self, at: Micros) -> String {
        match self {
            Self::Zoned(offset) => Self::Clock.hundredth(at + offset),
            Self::Clock => ClockTime::with_decimals(at, 2).to_string(),
            Self::FromStart(first) => format!("{} s", Seconds::with_decimals(at - first, 2)),
        }
    }

    /// Whole seconds, for lists.
    pub(super) fn seconds(self, at: Micros) -> String {
        match self {
            Self::Zoned(offset) => Self::Clock.seconds(at + offset),
            Self::Clock => ClockTime::with_decimals(at, 0).to_string(),
            Self::FromStart(first) => Seconds::with_decimals(at - first, 1).to_string(),
        }
    }

    /// Within its minute, to the millisecond: `02.412`. Lists of steps name the minute once. Seconds
    /// from the start have no minute and stay whole.
    pub(super) fn within_minute(self, at: Micros) -> String {
        match self {
            Self::Zoned(offset) => Self::Clock.within_minute(at + offset),
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
            // Offsets are whole minutes.
            Self::Zoned(_) => Self::Clock.same_minute(a, b),
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
            Self::Zoned(offset) => Self::Clock.tick(at + offset, step),
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

/// How far ahead of UTC the zone is at `at`; `None` for a zone that nobody knows.
fn offset(at: Micros, zone: &str) -> Option<Span> {
    let zone = match zone {
        "UTC" => return Some(Span::ZERO),
        "local" => jiff::tz::TimeZone::system(),
        name => jiff::tz::TimeZone::get(name).ok()?,
    };
    let at = jiff::Timestamp::from_microsecond(at.as_micros()).ok()?;
    let seconds = i64::from(zone.to_offset(at).seconds());
    // The sentences count in minutes; no zone in use since 1972 has seconds.
    Some(Span::from_secs(seconds / 60 * 60))
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
        assert_eq!(TimeFormat::of(Some(MOMENT), "UTC"), TimeFormat::Clock);
        let boot = TimeFormat::of(Some(Micros::from_millis(12_000)), "UTC");
        assert_eq!(boot.full(Micros::from_millis(15_250)), "3.250");
        assert_eq!(TimeFormat::Clock.full(MOMENT), "22:13:28.412");
        assert_eq!(TimeFormat::Clock.within_minute(MOMENT), "28.412");
    }

    #[test]
    fn a_zone_shifts_the_clock_and_says_so() {
        let format = TimeFormat::Zoned(Span::from_secs(-(3 * 3_600 + 1_800)));
        assert_eq!(format.full(MOMENT), "18:43:28.412");
        assert_eq!(format.unit(), "UTC-03:30");
        assert_eq!(
            TimeFormat::of(Some(MOMENT), "Nowhere/At_All"),
            TimeFormat::Clock
        );
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
