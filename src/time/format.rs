use std::fmt;

use super::{Micros, Span};

/// A span shown in seconds with a fixed number of decimals, so that columns of them line up.
#[derive(Clone, Copy, Debug)]
pub struct Seconds {
    span: Span,
    decimals: usize,
}

impl Seconds {
    /// `span` in seconds with three decimals: the resolution at which failsafe timing is discussed.
    #[must_use]
    pub const fn millis(span: Span) -> Self {
        Self { span, decimals: 3 }
    }

    /// `span` in seconds with `decimals` decimals (0 to 6).
    #[must_use]
    pub fn with_decimals(span: Span, decimals: usize) -> Self {
        Self {
            span,
            decimals: decimals.min(6),
        }
    }
}

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.*}", self.decimals, self.span.as_secs_f64())
    }
}

/// An instant of an epoch timeline as a time of day in UTC, `HH:MM:SS.mmm`.
///
/// Arithmetic rather than a calendar library: a day has 86 400 s on a Unix timeline, and the date is
/// not shown here. Zones and dates are the business of the window's and the report's edge.
#[derive(Clone, Copy, Debug)]
pub struct ClockTime {
    at: Micros,
    decimals: u32,
}

impl ClockTime {
    /// `HH:MM:SS.mmm`.
    #[must_use]
    pub const fn millis(at: Micros) -> Self {
        Self { at, decimals: 3 }
    }

    /// `HH:MM:SS` with `decimals` decimals (0 to 6), truncated, never rounded up into the future.
    #[must_use]
    pub fn with_decimals(at: Micros, decimals: u32) -> Self {
        Self {
            at,
            decimals: decimals.min(6),
        }
    }
}

impl fmt::Display for ClockTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DAY: i64 = 86_400_000_000;
        let of_day = self.at.as_micros().rem_euclid(DAY);
        let seconds = of_day / 1_000_000;
        write!(
            f,
            "{:02}:{:02}:{:02}",
            seconds / 3_600,
            seconds / 60 % 60,
            seconds % 60
        )?;
        if self.decimals > 0 {
            let fraction = of_day % 1_000_000 / 10_i64.pow(6 - self.decimals);
            write!(f, ".{fraction:0width$}", width = self.decimals as usize)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_time_truncates_and_wraps_at_midnight() {
        let at = Micros::from_micros(86_400_000_000 * 3 + 56_462_412_999);
        assert_eq!(ClockTime::millis(at).to_string(), "15:41:02.412");
        assert_eq!(ClockTime::with_decimals(at, 0).to_string(), "15:41:02");
        assert_eq!(
            ClockTime::millis(Micros::from_micros(-1)).to_string(),
            "23:59:59.999"
        );
    }

    #[test]
    fn seconds_keep_their_decimals() {
        assert_eq!(
            Seconds::millis(Span::from_micros(2_872_499)).to_string(),
            "2.872"
        );
        assert_eq!(
            Seconds::with_decimals(Span::from_secs(10), 1).to_string(),
            "10.0"
        );
    }
}
