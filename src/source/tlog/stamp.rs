use crate::time::{Micros, Span};

/// Bytes of a record's time.
pub(super) const STAMP: usize = 8;

/// 2100-01-01 in microseconds since the Unix epoch. Later stamps are damage.
const YEAR_2100: u64 = 4_102_444_800_000_000;

/// How far a stamp may lie outside those of its neighbours while they agree with each other. Two links
/// recorded by two threads are out of order by milliseconds; damage that stays below a second does not
/// mislead anyone about a link.
const TOLERANCE: Span = Span::from_millis(1_000);

/// Where there is no next stamp to ask: a jump that no recording makes between two frames.
const DAY: Span = Span::from_millis(86_400_000);

/// In which order the bytes of the times stand in a tlog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ByteOrder {
    /// Most significant byte first, as the format says.
    #[default]
    Big,
    /// Least significant first, as some ground stations wrote.
    Little,
}

impl ByteOrder {
    /// The number in `stamp`.
    pub(super) const fn number(self, stamp: [u8; STAMP]) -> u64 {
        match self {
            Self::Big => u64::from_be_bytes(stamp),
            Self::Little => u64::from_le_bytes(stamp),
        }
    }
}

/// The instant that `number` means, unless nobody can have recorded then. Stamps soon after 1970 are
/// accepted: small computers without a battery start there.
pub(super) const fn instant(number: u64) -> Option<Micros> {
    if number == 0 || number >= YEAR_2100 {
        None
    } else {
        Some(Micros::from_micros(number as i64))
    }
}

/// Whether `stamp`, which follows `before`, contradicts its neighbours while these agree with each other.
///
/// No checksum covers a stamp, so a flipped bit shows only this way. A clock that was set is no
/// contradiction: the stamps after it go on from the new time.
pub(super) fn is_outlier(before: Micros, stamp: Micros, after: Option<Micros>) -> bool {
    match after {
        Some(after) => before <= after && (stamp > after + TOLERANCE || stamp + TOLERANCE < before),
        None => stamp > before + DAY || stamp + DAY < before,
    }
}

/// Whether the first stamp of a file contradicts the two after it while these agree with each other. Two,
/// since one alone cannot tell which of both is wrong.
pub(super) fn is_first_outlier(stamp: Micros, second: Micros, third: Micros) -> bool {
    second <= third && third < second + DAY && (stamp > third + TOLERANCE || stamp + DAY < second)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(seconds: i64) -> Micros {
        Micros::from_millis(seconds * 1000)
    }

    #[test]
    fn one_wrong_stamp_is_told_from_a_clock_that_was_set() {
        let late_by_the_other_link = s(100) - Span::from_millis(4);
        let cases = [
            // stamp, after, outlier; 100 s before
            (s(101), Some(s(102)), false),
            (s(9_000), Some(s(102)), true),
            (s(5), Some(s(102)), true),
            // Set back, set forward, a long silence.
            (s(5), Some(s(6)), false),
            (s(9_000), Some(s(9_001)), false),
            (late_by_the_other_link, Some(s(101)), false),
            (s(1_000_000), None, true),
            (s(9_000), None, false),
        ];
        for (stamp, after, outlier) in cases {
            assert_eq!(
                is_outlier(s(100), stamp, after),
                outlier,
                "{stamp:?} {after:?}"
            );
        }
    }

    #[test]
    fn of_three_first_stamps_the_odd_one_is_wrong() {
        let now = 1_000_000;
        let cases = [
            // first, second, third, outlier
            (s(now), s(now + 1), s(now + 2), false),
            (s(now + 50), s(now + 1), s(now + 2), true),
            (s(5), s(now + 1), s(now + 2), true),
            // The second is the wrong one.
            (s(now), s(5), s(now + 2), false),
            (s(now), s(now - 50), s(now + 2), false),
            (s(now), s(now + 9_000), s(now + 2), false),
            // A silence after the first.
            (s(now), s(now + 9_000), s(now + 9_001), false),
        ];
        for (first, second, third, outlier) in cases {
            assert_eq!(
                is_first_outlier(first, second, third),
                outlier,
                "{first:?} {second:?} {third:?}"
            );
        }
    }

    #[test]
    fn nobody_records_at_zero_or_after_2100() {
        assert_eq!(instant(0), None);
        assert_eq!(instant(u64::MAX), None);
        assert_eq!(instant(YEAR_2100), None);
        assert_eq!(instant(1), Some(Micros::from_micros(1)));
    }
}
