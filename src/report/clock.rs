use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::time::{Bounds, Micros, Seconds, Timeline};

/// How a report writes instants: as time of day in a zone where the record has a wall clock, else as
/// seconds since boot, the log's own time.
#[derive(Clone, Debug)]
pub struct Clock {
    timeline: Timeline,
    zone: TimeZone,
}

impl Clock {
    /// The clock of a record that begins at `first`, with times of day in `zone`.
    #[must_use]
    pub fn of(first: Option<Micros>, zone: TimeZone) -> Self {
        Self {
            timeline: Timeline::of(first),
            zone,
        }
    }

    /// What the instants count from.
    #[must_use]
    pub const fn timeline(&self) -> Timeline {
        self.timeline
    }

    /// To the millisecond, cut off rather than rounded into the future: `15:41:02.412` or `123.412 s`.
    #[must_use]
    pub fn time(&self, at: Micros) -> String {
        match (self.timeline, self.zoned(at)) {
            (Timeline::Unix, Some(at)) => at.strftime("%H:%M:%S%.3f").to_string(),
            _ => format!("{} s", Seconds::millis(at - Micros::default())),
        }
    }

    /// For the tick of an axis: to the second, or to the tenth between seconds.
    #[must_use]
    pub fn tick(&self, at: Micros) -> String {
        let whole = at.as_micros().rem_euclid(1_000_000) == 0;
        match (self.timeline, self.zoned(at)) {
            (Timeline::Unix, Some(at)) if whole => at.strftime("%H:%M:%S").to_string(),
            (Timeline::Unix, Some(at)) => at.strftime("%M:%S%.1f").to_string(),
            _ => Seconds::with_decimals(at - Micros::default(), usize::from(!whole)).to_string(),
        }
    }

    /// With the date, where there is one: `2026-03-14 15:41:02.412`.
    #[must_use]
    pub fn date_time(&self, at: Micros) -> String {
        match (self.timeline, self.zoned(at)) {
            (Timeline::Unix, Some(at)) => at.strftime("%Y-%m-%d %H:%M:%S%.3f").to_string(),
            _ => self.time(at),
        }
    }

    /// The day and the time of day of an instant that the record's own clock does not know as such. `None`
    /// when it does, or when no calendar has the instant.
    #[must_use]
    pub(super) fn calendar(&self, utc: Micros) -> Option<(String, String)> {
        let at = match self.timeline {
            Timeline::Boot => self.zoned(utc)?,
            Timeline::Unix => return None,
        };
        let zone = self.zone.iana_name().unwrap_or("in the chosen zone");
        let time = format!("{} {zone}", at.strftime("%H:%M:%S"));
        Some((at.strftime("%Y-%m-%d").to_string(), time))
    }

    /// One instant where both ends show the same, else both.
    #[must_use]
    pub fn window(&self, bounds: Bounds) -> String {
        let (earliest, latest) = (self.time(bounds.earliest()), self.time(bounds.latest()));
        if earliest == latest {
            earliest
        } else {
            format!("{earliest} to {latest}")
        }
    }

    /// What the times are, for the head of a column or of the sheet.
    #[must_use]
    pub fn unit(&self) -> String {
        match self.timeline {
            Timeline::Boot => "since boot".to_owned(),
            Timeline::Unix => self
                .zone
                .iana_name()
                .unwrap_or("the chosen zone")
                .to_owned(),
        }
    }

    /// `None` for an instant that no calendar has.
    fn zoned(&self, at: Micros) -> Option<jiff::ZonedDateTime> {
        let at = Timestamp::from_microsecond(at.as_micros()).ok()?;
        Some(at.to_zoned_datetime(self.zone.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_is_written_in_the_zone_and_a_boot_time_as_seconds() {
        let at = Micros::from_micros(1_764_540_551_936_999);
        let utc = Clock::of(Some(at), TimeZone::UTC);
        assert_eq!(utc.date_time(at), "2025-11-30 22:09:11.936");
        assert_eq!(utc.unit(), "UTC");
        let east = Clock::of(Some(at), TimeZone::fixed(jiff::tz::offset(1)));
        assert_eq!(east.date_time(at), "2025-11-30 23:09:11.936");
        let boot = Clock::of(Some(Micros::from_millis(2_244_283)), TimeZone::UTC);
        assert_eq!(boot.time(Micros::from_millis(2_273_289)), "2273.289 s");
        assert_eq!(boot.unit(), "since boot");
        assert!(utc.time(Micros::MAX).ends_with(" s"), "beyond any calendar");
    }
}
