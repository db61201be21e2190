use crate::time::{Micros, Span};

/// Heartbeats go out once a second.
const PERIOD: Span = Span::from_secs(1);
/// Two rounds of the link's thread further apart than this: it was stopped, and nobody can know what the
/// window did meanwhile.
const STOPPED: Span = Span::from_secs(1);
/// Two heartbeats are never closer together than this, whatever happens. A late slot would otherwise be
/// followed at once by the next of the grid, and a pair of heartbeats tells a rhythm that there was not.
pub const SPACING: Span = Span::from_millis(500);

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
///
/// Slots lie on a grid of one second. A slot that comes late does not move the grid; the one after it is at
/// least half a second away, and the next is on the grid again.
#[derive(Clone, Debug, Default)]
pub struct SlotTimer {
    next: Option<Slot>,
    last_round: Option<Micros>,
}

/// The slot to come.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// Its place on the grid.
    grid: Micros,
    /// When it is due: there, or later for the spacing.
    due: Micros,
}

impl Slot {
    const fn on_grid(at: Micros) -> Self {
        Self { grid: at, due: at }
    }
}

impl SlotTimer {
    /// Begins; the first slot is a period after `now`. What has to come before it (the first feed of the
    /// window) has that long.
    pub fn start(&mut self, now: Micros) {
        self.next = Some(Slot::on_grid(now + PERIOD));
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
        if stopped_for.is_some() {
            self.put_off(now);
        }
        let Some(slot) = self.next.filter(|slot| now >= slot.due) else {
            return Tick {
                due: false,
                stopped_for,
            };
        };
        let mut grid = slot.grid + PERIOD;
        if grid <= now {
            // A slot put back by the spacing may itself be late.
            grid += PERIOD;
        }
        self.next = Some(Slot {
            grid,
            due: grid.max(now + SPACING),
        });
        Tick {
            due: true,
            stopped_for,
        }
    }

    /// What was missed stays missed: the next slot is a full period away, so that a feed made after a gap
    /// can come first.
    pub fn put_off(&mut self, now: Micros) {
        if self.next.is_some() {
            self.start(now);
        }
    }

    /// How long until the next slot; `None` when there is none.
    #[must_use]
    pub fn wait(&self, now: Micros) -> Option<Span> {
        self.next.map(|next| (next.due - now).max(Span::ZERO))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
        assert_eq!(dealt, [1_001, 2_002, 3_003, 4_004]);
    }

    #[test]
    fn a_gap_of_a_minute_gives_no_burst() {
        let mut timer = SlotTimer::default();
        timer.start(ms(-1_000));
        assert!(timer.tick(ms(0)).due);
        let after = timer.tick(ms(60_000));
        assert_eq!(after.stopped_for, Some(Span::from_secs(60)));
        assert!(!after.due, "nothing at the jump itself");
        let dealt = slots(&mut timer, (60_050..62_100).step_by(50));
        assert_eq!(dealt, [61_000, 62_000]);
    }

    /// Rounds every 10 ms around a slot that comes 0.9 s late: without the spacing the next of the grid
    /// would follow after 100 ms.
    #[test]
    fn a_late_slot_is_not_followed_at_once_by_the_next_and_the_grid_stays() {
        let mut timer = SlotTimer::default();
        timer.start(ms(0));
        let rounds = (0..=1_000).step_by(10).chain((1_990..6_000).step_by(10));
        let dealt = slots(&mut timer, rounds);
        assert_eq!(dealt, [1_000, 2_000, 3_000, 4_000, 5_000]);

        let mut timer = SlotTimer::default();
        timer.start(ms(0));
        let rounds = (0..=990).step_by(10).chain((1_900..6_000).step_by(10));
        let dealt = slots(&mut timer, rounds);
        assert_eq!(dealt, [1_900, 2_400, 3_000, 4_000, 5_000]);
    }

    #[test]
    fn switching_off_and_on_again_does_not_shorten_the_spacing() {
        let mut timer = SlotTimer::default();
        timer.start(ms(0));
        assert!(timer.tick(ms(1_000)).due);
        timer.stop();
        timer.start(ms(1_001));
        assert_eq!(slots(&mut timer, (1_002..2_100).step_by(1)), [2_001]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn two_slots_are_never_closer_than_the_spacing(
            gaps in proptest::collection::vec(
                prop_oneof![1_i64..60, 400_i64..1_000, 1_000_i64..9_000],
                1..200,
            ),
        ) {
            let mut timer = SlotTimer::default();
            timer.start(ms(0));
            let mut now = 0;
            let mut last: Option<i64> = None;
            for gap in gaps {
                now += gap;
                if timer.tick(ms(now)).due {
                    if let Some(last) = last {
                        prop_assert!(now - last >= 500, "slots at {} and {}", last, now);
                    }
                    last = Some(now);
                }
            }
        }
    }
}
