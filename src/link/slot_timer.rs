use crate::time::{Micros, Span};

/// Heartbeats go out once a second.
const PERIOD: Span = Span::from_secs(1);
/// Two rounds of the link's thread further apart than this: it was stopped, and nobody can know what the
/// window did meanwhile.
const STOPPED: Span = Span::from_secs(1);

/// What a look at the clock gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tick {
    /// It is time for a heartbeat.
    pub due: bool,
    /// The thread did not run for this long before.
    pub stopped_for: Option<Span>,
}

/// Deals out heartbeat slots by the clock, never by reception: an uplink that goes on alone must keep its
/// pace. After a gap there is one slot, not one for each that was missed: a burst would be a lie about
/// the past.
#[derive(Clone, Debug, Default)]
pub struct SlotTimer {
    next: Option<Micros>,
    last_round: Option<Micros>,
}

impl SlotTimer {
    /// Begins with a slot at `now`.
    pub fn start(&mut self, now: Micros) {
        self.next = Some(now);
    }

    /// No more slots.
    pub fn stop(&mut self) {
        self.next = None;
    }

    /// The thread comes round at `now`, monotonic.
    pub fn tick(&mut self, now: Micros) -> Tick {
        let gap = self.last_round.map_or(Span::ZERO, |last| now - last);
        self.last_round = Some(now);
        let stopped_for = (gap > STOPPED).then_some(gap);
        if stopped_for.is_some() && self.next.is_some() {
            // What was missed stays missed; the next slot is a full period away, so that a feed made after
            // the gap can come first.
            self.next = Some(now + PERIOD);
        }
        let due = self.next.is_some_and(|next| now >= next);
        if due && let Some(next) = self.next {
            self.next = Some((next + PERIOD).max(now));
        }
        Tick { due, stopped_for }
    }

    /// How long until the next slot; `None` when there is none.
    #[must_use]
    pub fn wait(&self, now: Micros) -> Option<Span> {
        self.next.map(|next| (next - now).max(Span::ZERO))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: i64) -> Micros {
        Micros::from_millis(millis)
    }

    fn slots(timer: &mut SlotTimer, rounds: impl IntoIterator<Item = i64>) -> Vec<i64> {
        rounds
            .into_iter()
            .filter(|now| timer.tick(ms(*now)).due)
            .collect()
    }

    #[test]
    fn slots_keep_their_phase_whatever_the_rounds() {
        let mut timer = SlotTimer::default();
        timer.start(ms(0));
        let dealt = slots(&mut timer, (0..5_000).step_by(7));
        assert_eq!(dealt, [0, 1_001, 2_002, 3_003, 4_004]);
    }

    #[test]
    fn a_gap_of_a_minute_gives_no_burst() {
        let mut timer = SlotTimer::default();
        timer.start(ms(0));
        assert!(timer.tick(ms(0)).due);
        let after = timer.tick(ms(60_000));
        assert_eq!(after.stopped_for, Some(Span::from_secs(60)));
        assert!(!after.due, "nothing at the jump itself");
        let dealt = slots(&mut timer, (60_050..62_100).step_by(50));
        assert_eq!(dealt, [61_000, 62_000]);
    }

    #[test]
    fn a_round_that_is_late_by_less_keeps_the_slot() {
        let mut timer = SlotTimer::default();
        timer.start(ms(0));
        let dealt = slots(&mut timer, [0, 900, 1_700, 2_000]);
        assert_eq!(dealt, [0, 1_700, 2_000]);
    }
}
