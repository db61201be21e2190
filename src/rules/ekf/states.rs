use super::{EkfRule, Truth};

/// The set of states that the vehicle's up/down counter can be in, one bit each.
///
/// A set rather than an interval of counts: a tripped counter at 3 and an untripped one at 3 go
/// different ways, and a set carried through a check stays exact, while interval ends drift apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CountStates {
    /// Bit n: not tripped, count n (0 to 9).
    pub(super) quiet: u16,
    /// Bit n: tripped, count n (1 to 10).
    pub(super) tripped: u16,
}

/// What one check may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Check {
    /// Whether it fails.
    pub(super) bad: Truth,
    /// Whether it runs; where it does not, the count returns to zero.
    pub(super) runs: Truth,
    /// Whether it may be passed over, leaving the count as it is.
    pub(super) may_skip: bool,
}

impl CountStates {
    const QUIET: u16 = (1 << EkfRule::LIMIT) - 1;
    const TRIPPED: u16 = Self::QUIET << 1;

    pub(super) const ZERO: Self = Self {
        quiet: 1,
        tripped: 0,
    };
    pub(super) const NONE: Self = Self {
        quiet: 0,
        tripped: 0,
    };
    /// Nothing is known.
    pub(super) const ANY: Self = Self {
        quiet: Self::QUIET,
        tripped: Self::TRIPPED,
    };

    pub(super) fn is_empty(self) -> bool {
        self.quiet == 0 && self.tripped == 0
    }

    pub(super) fn union(self, other: Self) -> Self {
        Self {
            quiet: self.quiet | other.quiet,
            tripped: self.tripped | other.tripped,
        }
    }

    pub(super) fn after(self, check: Check) -> Self {
        let mut next = Self::NONE;
        if check.runs.possible() {
            if check.bad.possible() {
                next = next.union(self.after_bad());
            }
            if check.bad != Truth::Yes {
                next = next.union(self.after_good());
            }
        }
        if check.runs != Truth::Yes && !self.is_empty() {
            next = next.union(Self::ZERO);
        }
        if check.may_skip {
            next = next.union(self);
        }
        next
    }

    fn after_bad(self) -> Self {
        let up = self.quiet << 1;
        Self {
            quiet: up & Self::QUIET,
            tripped: self.tripped | (up & !Self::QUIET),
        }
    }

    fn after_good(self) -> Self {
        let down = self.tripped >> 1;
        Self {
            quiet: (self.quiet >> 1) | (self.quiet & 1) | (down & 1),
            tripped: down & Self::TRIPPED,
        }
    }

    /// Lowest and highest count, tripped or not; `None` when the set is empty.
    pub(super) fn range(self) -> Option<(u8, u8)> {
        let all = self.quiet | self.tripped;
        (all != 0).then(|| {
            (
                all.trailing_zeros() as u8,
                (u16::BITS - 1 - all.leading_zeros()) as u8,
            )
        })
    }

    /// Whether the counter is tripped.
    pub(super) fn is_tripped(self) -> Truth {
        Truth::between(self.quiet == 0 && self.tripped != 0, self.tripped != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BAD: Check = Check {
        bad: Truth::Yes,
        runs: Truth::Yes,
        may_skip: false,
    };
    const GOOD: Check = Check {
        bad: Truth::No,
        ..BAD
    };
    const OPEN: Check = Check {
        bad: Truth::Unknown,
        ..BAD
    };

    #[test]
    fn ten_bad_checks_trip_and_ten_good_ones_clear() {
        let mut states = CountStates::ZERO;
        for n in 1..=9 {
            states = states.after(BAD);
            assert_eq!(states.range(), Some((n, n)));
            assert_eq!(states.is_tripped(), Truth::No);
        }
        states = states.after(BAD).after(BAD);
        assert_eq!(states.is_tripped(), Truth::Yes);
        assert_eq!(states.range(), Some((10, 10)));
        for _ in 0..9 {
            states = states.after(GOOD).after(BAD);
            assert_eq!(
                states.is_tripped(),
                Truth::Yes,
                "bad checks do not count up again"
            );
        }
        assert_eq!(states.after(GOOD), CountStates::ZERO);
    }

    #[test]
    fn open_checks_keep_both_outcomes() {
        let states = CountStates::ZERO.after(OPEN).after(OPEN);
        assert_eq!(states.quiet, 0b111);
        let mut any = CountStates::ANY;
        for _ in 0..20 {
            any = any.after(GOOD);
        }
        assert_eq!(
            any,
            CountStates::ZERO,
            "enough good checks settle everything"
        );
    }

    #[test]
    fn a_check_that_does_not_run_resets() {
        let off = Check {
            runs: Truth::No,
            ..BAD
        };
        assert_eq!(CountStates::ANY.after(off), CountStates::ZERO);
        let skipped = Check {
            may_skip: true,
            ..BAD
        };
        assert_eq!(CountStates::ZERO.after(skipped).quiet, 0b11);
    }
}
