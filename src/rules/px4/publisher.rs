use crate::time::{Micros, Span};

/// A report of one instance to the rest of the vehicle: the uORB topic `telemetry_status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// Publication time: the time stamp that the commander uses.
    pub at: Micros,
    /// `heartbeat_type_gcs`.
    pub ground_station_present: bool,
}

/// A report goes out at the latest this long after the one before.
///
/// Source: `Mavlink::task_main`, `publish_telemetry_status`, v1.11 to main.
pub const REPORT_INTERVAL: Span = Span::from_secs(1);

/// When the timer publishes, if no check does before. Every publication restarts it.
#[must_use]
pub fn timer_report_due(last_publication: Micros) -> Micros {
    last_publication + REPORT_INTERVAL
}

/// One instance's publisher, stepped exactly: the forward form.
#[derive(Clone, Copy, Debug)]
pub struct Publisher {
    last: Micros,
    requested: bool,
}

impl Publisher {
    /// A publisher that starts at `start`.
    #[must_use]
    pub const fn new(start: Micros) -> Self {
        Self {
            last: start,
            requested: false,
        }
    }

    /// A check happened: the next turn of the loop publishes.
    pub const fn request(&mut self) {
        self.requested = true;
    }

    /// One turn of the sending loop, with the receiver's flag as it stands.
    pub fn turn(&mut self, at: Micros, flag: bool) -> Option<Report> {
        (self.requested || at >= timer_report_due(self.last)).then(|| {
            self.requested = false;
            self.last = at;
            Report {
                at,
                ground_station_present: flag,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_publishes_at_once_and_restarts_the_timer() {
        let ms = Micros::from_millis;
        let mut publisher = Publisher::new(ms(0));
        assert!(publisher.turn(ms(999), true).is_none());
        assert!(publisher.turn(ms(1_000), true).is_some());
        publisher.request();
        assert!(publisher.turn(ms(1_250), false).is_some());
        assert!(publisher.turn(ms(2_249), false).is_none());
        assert!(publisher.turn(ms(2_250), false).is_some());
    }
}
