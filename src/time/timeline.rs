use super::Micros;

/// An instant before 2000 on a Unix timeline is no time of day but time since boot: no flight was recorded
/// then, and no autopilot has been up for thirty years.
const YEAR_2000: Micros = Micros::from_micros(946_684_800_000_000);

/// What the instants of a record count from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Timeline {
    /// The Unix epoch: they have a date and a time of day.
    Unix,
    /// The vehicle's boot: they have neither.
    Boot,
}

impl Timeline {
    /// The timeline of a record that begins at `first`; of a record without instants it does not matter.
    #[must_use]
    pub fn of(first: Option<Micros>) -> Self {
        match first {
            Some(first) if first < YEAR_2000 => Self::Boot,
            _ => Self::Unix,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boot_times_and_dates_are_told_apart() {
        let of = |micros| Timeline::of(Some(Micros::from_micros(micros)));
        assert_eq!(of(2_244_283_000), Timeline::Boot);
        assert_eq!(of(1_764_540_551_936_000), Timeline::Unix);
        assert_eq!(Timeline::of(None), Timeline::Unix);
    }
}
