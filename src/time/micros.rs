use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};

use super::Span;

/// An instant: microseconds since the origin of the timeline it belongs to.
///
/// Which timeline is a matter of context and is named by whoever holds the value: tlog stamps count
/// from the Unix epoch on the ground computer, vehicle time from the autopilot's boot. Values of two
/// timelines must be mapped (see [`crate::session`]) before they are compared.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Micros(i64);

impl Micros {
    /// The earliest representable instant.
    pub const MIN: Self = Self(i64::MIN);
    /// The latest representable instant.
    pub const MAX: Self = Self(i64::MAX);

    /// An instant `micros` microseconds after the origin.
    #[must_use]
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// An instant `millis` milliseconds after the origin.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis.saturating_mul(1_000))
    }

    /// Microseconds since the origin.
    #[must_use]
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// Seconds since `origin`, for plotting only. Taking the difference first keeps the precision that
    /// an epoch value in `f64` would lose.
    #[must_use]
    pub fn seconds_since(self, origin: Self) -> f64 {
        (self - origin).as_secs_f64()
    }
}

impl Add<Span> for Micros {
    type Output = Self;
    fn add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.as_micros()))
    }
}

impl AddAssign<Span> for Micros {
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}

impl Sub<Span> for Micros {
    type Output = Self;
    fn sub(self, span: Span) -> Self {
        Self(self.0.saturating_sub(span.as_micros()))
    }
}

impl Sub for Micros {
    type Output = Span;
    fn sub(self, other: Self) -> Span {
        Span::from_micros(self.0.saturating_sub(other.0))
    }
}
