use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

use serde::{Deserialize, Serialize};

/// A signed length of time in whole microseconds.
///
/// Arithmetic saturates: a log with an absurd time stamp must never stop the program, and a saturated
/// span is still far outside every rule's window.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Span(i64);

impl Span {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// The longest span; stands for "without limit" where a rule needs an upper end.
    pub const MAX: Self = Self(i64::MAX);

    /// A span of `micros` microseconds.
    #[must_use]
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// A span of `millis` milliseconds.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis.saturating_mul(1_000))
    }

    /// A span of `seconds` whole seconds.
    #[must_use]
    pub const fn from_secs(seconds: i64) -> Self {
        Self(seconds.saturating_mul(1_000_000))
    }

    /// A span from seconds as autopilot parameters give them, rounded to the nearest microsecond.
    ///
    /// `None` for NaN and infinities; values beyond the range saturate.
    #[must_use]
    pub fn from_secs_f64(seconds: f64) -> Option<Self> {
        // `as` saturates for finite values outside the range of i64, which is what is wanted here.
        seconds
            .is_finite()
            .then(|| Self((seconds * 1e6).round() as i64))
    }

    /// Whole microseconds.
    #[must_use]
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// Seconds, for display and plotting only: rules compare spans, never floats.
    #[must_use]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// The span without its sign.
    #[must_use]
    pub const fn abs(self) -> Self {
        Self(self.0.saturating_abs())
    }

    /// This span times a rational factor, rounded towards zero; used to map between clocks that run at
    /// different rates. A zero denominator leaves the span as it is.
    #[must_use]
    pub fn scaled(self, numerator: i64, denominator: i64) -> Self {
        if denominator == 0 {
            return self;
        }
        let wide = i128::from(self.0) * i128::from(numerator) / i128::from(denominator);
        Self(i64::try_from(wide).unwrap_or(if wide < 0 { i64::MIN } else { i64::MAX }))
    }
}

impl Add for Span {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Span {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Span {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Neg for Span {
    type Output = Self;
    fn neg(self) -> Self {
        Self(self.0.saturating_neg())
    }
}

impl Mul<i64> for Span {
    type Output = Self;
    fn mul(self, factor: i64) -> Self {
        Self(self.0.saturating_mul(factor))
    }
}

impl Div<i64> for Span {
    type Output = Self;
    /// Division by zero yields the span itself rather than a panic: no input may stop the program.
    fn div(self, divisor: i64) -> Self {
        Self(self.0.checked_div(divisor).unwrap_or(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_in_seconds_become_exact_microseconds() {
        assert_eq!(Span::from_secs_f64(1.5), Some(Span::from_millis(1_500)));
        assert_eq!(Span::from_secs_f64(0.1), Some(Span::from_millis(100)));
        assert_eq!(Span::from_secs_f64(f64::NAN), None);
        assert_eq!(Span::from_secs_f64(f64::INFINITY), None);
        assert_eq!(Span::from_secs_f64(1e300), Some(Span::MAX));
    }

    #[test]
    fn extremes_saturate_instead_of_panicking() {
        assert_eq!(Span::MAX + Span::from_secs(1), Span::MAX);
        assert_eq!(Span::MAX * 3, Span::MAX);
        assert_eq!(Span::from_secs(1) / 0, Span::from_secs(1));
        assert_eq!(Span::MAX.scaled(10, 1), Span::MAX);
        assert_eq!(
            Span::from_secs(10).scaled(99, 100),
            Span::from_millis(9_900)
        );
    }
}
