/// A statement about the vehicle as far as the ground can judge it.
///
/// Ordered by how much it takes to be claimed: `No < Unknown < Yes`, so that "and" is the minimum and
/// "or" the maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Truth {
    /// It certainly does not hold.
    No,
    /// It may or may not hold.
    Unknown,
    /// It certainly holds.
    Yes,
}

impl Truth {
    /// Whether it may hold.
    #[must_use]
    pub fn possible(self) -> bool {
        self != Self::No
    }

    /// Whether it certainly holds.
    #[must_use]
    pub fn certain(self) -> bool {
        self == Self::Yes
    }

    /// Both hold.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.min(other)
    }

    /// At least one holds.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        self.max(other)
    }

    /// What is left when it is open which of the two statements applies.
    #[must_use]
    pub fn either(self, other: Self) -> Self {
        if self == other { self } else { Self::Unknown }
    }

    /// From the least and the most that can be the case.
    #[must_use]
    pub const fn between(at_least: bool, at_most: bool) -> Self {
        match (at_least, at_most) {
            (true, _) => Self::Yes,
            (false, true) => Self::Unknown,
            (false, false) => Self::No,
        }
    }
}

impl std::ops::Not for Truth {
    type Output = Self;
    fn not(self) -> Self {
        match self {
            Self::No => Self::Yes,
            Self::Unknown => Self::Unknown,
            Self::Yes => Self::No,
        }
    }
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }
}

#[cfg(test)]
mod tests {
    use super::Truth::{No, Unknown, Yes};
    use super::*;

    #[test]
    fn three_valued_logic() {
        assert_eq!(Yes.and(Unknown), Unknown);
        assert_eq!(No.and(Unknown), No);
        assert_eq!(Yes.or(Unknown), Yes);
        assert_eq!(No.or(Unknown), Unknown);
        assert_eq!(!Unknown, Unknown);
        assert_eq!(Yes.either(No), Unknown);
        assert_eq!(Truth::between(false, true), Unknown);
    }
}
