use std::ops::{Add, Sub};

use serde::{Deserialize, Serialize};

use super::{Micros, Span};

/// An instant that is known only to lie between two ends, both inclusive.
///
/// What the ground cannot know is an interval, never a guess. Invariant: `earliest <= latest`, kept by
/// the constructors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Bounds {
    earliest: Micros,
    latest: Micros,
}

impl Bounds {
    /// Bounds from two instants, put in order.
    #[must_use]
    pub fn new(a: Micros, b: Micros) -> Self {
        Self {
            earliest: a.min(b),
            latest: a.max(b),
        }
    }

    /// An instant that is known exactly.
    #[must_use]
    pub const fn exact(at: Micros) -> Self {
        Self {
            earliest: at,
            latest: at,
        }
    }

    /// The earliest possible instant.
    #[must_use]
    pub const fn earliest(self) -> Micros {
        self.earliest
    }

    /// The latest possible instant.
    #[must_use]
    pub const fn latest(self) -> Micros {
        self.latest
    }

    /// How much is not known: zero for an exact instant.
    #[must_use]
    pub fn width(self) -> Span {
        self.latest - self.earliest
    }

    /// The instant in the middle, for a label; never for a decision.
    #[must_use]
    pub fn middle(self) -> Micros {
        self.earliest + self.width() / 2
    }

    /// Whether `at` lies inside, ends included.
    #[must_use]
    pub fn contains(self, at: Micros) -> bool {
        self.earliest <= at && at <= self.latest
    }

    /// Whether the two intervals share an instant.
    #[must_use]
    pub fn overlaps(self, other: Self) -> bool {
        self.earliest <= other.latest && other.earliest <= self.latest
    }

    /// The smallest interval that encloses both.
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        Self {
            earliest: self.earliest.min(other.earliest),
            latest: self.latest.max(other.latest),
        }
    }

    /// The part that both share, or `None` when they are apart.
    #[must_use]
    pub fn intersection(self, other: Self) -> Option<Self> {
        self.overlaps(other).then(|| Self {
            earliest: self.earliest.max(other.earliest),
            latest: self.latest.min(other.latest),
        })
    }

    /// Later by something between `at_least` and `at_most`: the step with which a loop that is never
    /// early and at most so late is carried through.
    #[must_use]
    pub fn later_by(self, at_least: Span, at_most: Span) -> Self {
        Self::new(self.earliest + at_least, self.latest + at_most)
    }

    /// Wider by `margin` on both sides.
    #[must_use]
    pub fn widened(self, margin: Span) -> Self {
        Self::new(self.earliest - margin, self.latest + margin)
    }

    /// How far `at` lies outside; zero when inside.
    #[must_use]
    pub fn distance_to(self, at: Micros) -> Span {
        if at < self.earliest {
            self.earliest - at
        } else if at > self.latest {
            at - self.latest
        } else {
            Span::ZERO
        }
    }
}

impl Add<Span> for Bounds {
    type Output = Self;
    fn add(self, span: Span) -> Self {
        Self {
            earliest: self.earliest + span,
            latest: self.latest + span,
        }
    }
}

impl Sub<Span> for Bounds {
    type Output = Self;
    fn sub(self, span: Span) -> Self {
        Self {
            earliest: self.earliest - span,
            latest: self.latest - span,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(a: i64, b: i64) -> Bounds {
        Bounds::new(Micros::from_micros(a), Micros::from_micros(b))
    }

    #[test]
    fn ends_are_put_in_order_and_included() {
        let b = bounds(5, 2);
        assert_eq!(b.earliest(), Micros::from_micros(2));
        assert!(b.contains(Micros::from_micros(5)));
        assert!(!b.contains(Micros::from_micros(6)));
        assert_eq!(b.width(), Span::from_micros(3));
    }

    #[test]
    fn intersection_exists_exactly_when_they_overlap() {
        assert_eq!(bounds(0, 5).intersection(bounds(5, 9)), Some(bounds(5, 5)));
        assert_eq!(bounds(0, 4).intersection(bounds(5, 9)), None);
        assert_eq!(bounds(0, 4).hull(bounds(5, 9)), bounds(0, 9));
    }

    #[test]
    fn distance_is_zero_inside() {
        let b = bounds(10, 20);
        assert_eq!(b.distance_to(Micros::from_micros(15)), Span::ZERO);
        assert_eq!(b.distance_to(Micros::from_micros(7)), Span::from_micros(3));
        assert_eq!(b.distance_to(Micros::from_micros(26)), Span::from_micros(6));
    }
}
