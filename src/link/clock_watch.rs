use crate::time::{Micros, Span};

/// The boot clock ahead of the monotonic one by more than this since the last round: the computer slept.
/// Less is the two clocks being read one after the other.
const SLEPT: Span = Span::from_secs(2);

/// Notices that the computer slept: the monotonic clock stands still meanwhile, the boot clock goes on. So
/// a feed of the window made just before looks fresh just after.
#[derive(Clone, Debug, Default)]
pub(super) struct ClockWatch {
    last: Option<Span>,
}

impl ClockWatch {
    /// A round at `monotonic`, read together with `boot`. Gives how long the computer slept since the round
    /// before, if it did.
    pub(super) fn round(&mut self, monotonic: Micros, boot: Micros) -> Option<Span> {
        let ahead = boot - monotonic;
        let moved = self.last.map_or(Span::ZERO, |last| ahead - last);
        self.last = Some(ahead);
        (moved > SLEPT).then_some(moved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Micros {
        Micros::from_millis(millis)
    }

    #[test]
    fn a_sleep_shows_once_and_a_busy_or_stopped_thread_is_none() {
        let mut watch = ClockWatch::default();
        assert_eq!(watch.round(at(0), at(500_000)), None, "up for long before");
        assert_eq!(watch.round(at(50), at(500_050)), None);
        // Stopped for six seconds, awake: both clocks went on.
        assert_eq!(watch.round(at(6_050), at(506_050)), None);
        let slept = watch.round(at(6_100), at(806_100));
        assert_eq!(slept, Some(Span::from_secs(300)));
        assert_eq!(watch.round(at(6_150), at(806_150)), None, "told once");
    }

    #[test]
    fn exactly_two_seconds_are_no_sleep_and_a_step_back_is_none() {
        let mut watch = ClockWatch::default();
        watch.round(at(0), at(0));
        assert_eq!(watch.round(at(50), at(2_050)), None);
        assert_eq!(watch.round(at(100), at(100)), None);
        assert!(watch.round(at(150), at(2_151)).is_some());
    }
}
