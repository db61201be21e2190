use std::fmt;

use crate::time::{Micros, Seconds, Span};

/// What somebody says will happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prediction {
    /// It happens at this instant.
    At(Micros),
    /// It does not happen.
    Never,
}

/// How a prediction compares with what happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It happened, and the prediction was this much late (negative: early).
    Off(Span),
    /// It was said not to happen, and did not.
    RightlyNever,
    /// It was said not to happen, and happened then.
    Happened(Micros),
    /// It was said to happen, and did not.
    NeverHappened,
}

impl Outcome {
    /// An error up to this is a full success: the checks on board are as coarse.
    pub const FULL: Span = Span::from_millis(100);
    /// From this error on, nothing is left of it.
    pub const NOTHING: Span = Span::from_secs(3);
    /// The most points that a question gives.
    pub const MOST_POINTS: u8 = 100;

    /// 0 to [`Self::MOST_POINTS`]: all up to [`Self::FULL`], fewer in proportion to the error, none from
    /// [`Self::NOTHING`] on, and all or none where nothing happened.
    #[must_use]
    pub fn points(self) -> u8 {
        let most = i64::from(Self::MOST_POINTS);
        match self {
            Self::Off(error) => {
                let beyond = (error.abs() - Self::FULL).max(Span::ZERO);
                let range = Self::NOTHING - Self::FULL;
                let lost = Span::from_micros(most).scaled(beyond.as_micros(), range.as_micros());
                u8::try_from((most - lost.as_micros()).clamp(0, most)).unwrap_or_default()
            }
            Self::RightlyNever => Self::MOST_POINTS,
            Self::Happened(_) | Self::NeverHappened => 0,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off(Span::ZERO) => f.write_str("exactly right"),
            Self::Off(error) => {
                let way = if *error > Span::ZERO { "late" } else { "early" };
                write!(f, "{} s too {way}", Seconds::millis(error.abs()))
            }
            Self::RightlyNever => f.write_str("right: it did not happen"),
            Self::Happened(_) => f.write_str("wrong: it did happen"),
            Self::NeverHappened => f.write_str("wrong: it did not happen"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_fall_with_the_error_either_way() {
        let points = |ms: i64| Outcome::Off(Span::from_millis(ms)).points();
        assert_eq!(points(0), 100);
        assert_eq!(points(-100), 100);
        assert_eq!(points(1_550), 50);
        assert_eq!(points(-1_550), 50);
        assert_eq!(points(2_990), 1);
        assert_eq!(points(3_000), 0);
        assert_eq!(points(-90_000), 0);
        assert_eq!(Outcome::Off(Span::MAX).points(), 0);
        assert_eq!(Outcome::RightlyNever.points(), 100);
        assert_eq!(Outcome::NeverHappened.points(), 0);
    }

    #[test]
    fn the_error_is_told_with_its_way() {
        let words = |ms: i64| Outcome::Off(Span::from_millis(ms)).to_string();
        assert_eq!(words(1_200), "1.200 s too late");
        assert_eq!(words(-70), "0.070 s too early");
        assert_eq!(words(0), "exactly right");
    }
}
