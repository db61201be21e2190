use crate::time::{Micros, Span};

/// How far a stamp may lie from the newest good one and still be believed at once.
const NEAR: Span = Span::from_secs(10);
/// How far an unconfirmed stamp at the very end may lie ahead. A flipped bit above the 32nd is further
/// away than this; a logger that paused is not.
const PAUSE: Span = Span::from_secs(3_600);

/// Decides which time stamps of an on-board log are believed.
///
/// Neither format protects its records with a checksum, so one flipped bit can date a record centuries
/// ahead, and whatever is sorted or drawn after it is spoilt. A stamp far from its neighbours is
/// therefore held back until the next one: if that agrees with it, time really jumped (the logger
/// paused while disarmed) and both are used; if not, the held records are quarantined and counted.
/// Refusing every jump would lose the rest of a log after a pause, believing every jump would let one
/// bit move the whole axis.
#[derive(Debug)]
pub(super) struct StampGuard<T> {
    newest: Option<Micros>,
    suspect: Option<Micros>,
    /// What the record with the suspect stamp says.
    held: Vec<(Micros, T)>,
    /// Records, not items.
    quarantined: u64,
    /// How time moved since the last item: a record without items may have confirmed a jump.
    step: Step,
}

/// Which way an admitted stamp moved time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// On, or back by the little that concurrent writers cause.
    Near,
    /// Ahead over a pause of the logger.
    Ahead,
    /// Back by more than that: another boot follows in the same file.
    Back,
}

impl<T> StampGuard<T> {
    /// A guard that expects times near `start`, or any time when that is not known.
    pub(super) const fn new(start: Option<Micros>) -> Self {
        Self {
            newest: start,
            suspect: None,
            held: Vec::new(),
            quarantined: 0,
            step: Step::Near,
        }
    }

    /// Judges the stamp `at` of a record, once per record: offered twice, it would confirm itself. What
    /// may be used, from this record and earlier ones, goes to `admit` in order. No `items` stand for a
    /// record whose stamp helps to judge the others but of which nothing else is needed.
    pub(super) fn offer(
        &mut self,
        at: Micros,
        items: impl IntoIterator<Item = T>,
        admit: &mut impl FnMut(Micros, T, Step),
    ) {
        let near = |reference: Micros| (at - reference).abs() <= NEAR;
        let items = items.into_iter().map(|item| (at, item));
        if self.newest.is_none_or(near) {
            self.refute();
            self.newest = Some(self.newest.map_or(at, |newest| newest.max(at)));
            for (at, item) in items {
                admit(at, item, std::mem::replace(&mut self.step, Step::Near));
            }
        } else if self.suspect.is_some_and(near) {
            match self.newest {
                Some(newest) if at < newest => self.step = Step::Back,
                // Another boot that is not told yet stays one, however its time goes on.
                _ if self.step == Step::Near => self.step = Step::Ahead,
                _ => {}
            }
            for (at, item) in self.held.drain(..).chain(items) {
                admit(at, item, std::mem::replace(&mut self.step, Step::Near));
            }
            self.newest = self.suspect.map(|suspect| suspect.max(at));
            self.suspect = None;
        } else {
            self.refute();
            self.suspect = Some(at);
            self.held.extend(items);
        }
    }

    /// The newest believed time.
    pub(super) const fn newest(&self) -> Option<Micros> {
        self.newest
    }

    /// Ends the log: a last stamp that nothing could confirm is believed if a pause explains it.
    /// Returns how many records were quarantined in all.
    pub(super) fn finish(mut self, admit: &mut impl FnMut(Micros, T, Step)) -> u64 {
        let plausible = match (self.newest, self.suspect) {
            (Some(newest), Some(suspect)) => suspect > newest && suspect - newest <= PAUSE,
            _ => true,
        };
        if plausible {
            for (at, item) in self.held.drain(..) {
                let step = std::mem::replace(&mut self.step, Step::Ahead);
                admit(
                    at,
                    item,
                    if step == Step::Near {
                        Step::Ahead
                    } else {
                        step
                    },
                );
            }
        }
        self.refute();
        self.quarantined
    }

    fn refute(&mut self) {
        // All that is held is of one record.
        self.quarantined += u64::from(!self.held.is_empty());
        self.held.clear();
        self.suspect = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(start: Option<i64>, stamps: &[i64]) -> (Vec<(i64, Step)>, u64) {
        let mut admitted = Vec::new();
        let mut guard = StampGuard::new(start.map(Micros::from_millis));
        let mut admit = |at: Micros, (), step| admitted.push((at.as_micros() / 1_000, step));
        for &ms in stamps {
            guard.offer(Micros::from_millis(ms), Some(()), &mut admit);
        }
        let quarantined = guard.finish(&mut admit);
        (admitted, quarantined)
    }

    #[test]
    fn a_lone_absurd_stamp_is_quarantined_and_time_goes_on() {
        let (admitted, quarantined) = run(None, &[1_000, 1_100, 9_000_000_000_000, 1_200, 1_300]);
        assert_eq!(admitted.len(), 4);
        assert_eq!(quarantined, 1);
        assert!(admitted.iter().all(|(_, step)| *step == Step::Near));
    }

    #[test]
    fn an_absurd_first_stamp_does_not_lock_out_the_rest() {
        let (admitted, quarantined) = run(None, &[9_000_000_000_000, 1_000, 1_100, 1_200]);
        assert_eq!(quarantined, 0, "it was the only time known at that point");
        assert_eq!(admitted.len(), 4);
        assert_eq!(admitted[1], (1_000, Step::Back));
    }

    #[test]
    fn a_pause_loses_nothing() {
        let (admitted, quarantined) = run(None, &[1_000, 500_000, 500_100, 500_200]);
        assert_eq!(quarantined, 0);
        assert_eq!(
            admitted,
            [
                (1_000, Step::Near),
                (500_000, Step::Ahead),
                (500_100, Step::Near),
                (500_200, Step::Near)
            ]
        );
    }

    #[test]
    fn the_last_record_after_a_pause_is_kept_but_not_a_flipped_bit() {
        assert_eq!(run(None, &[1_000, 61_000]).0.len(), 2);
        assert_eq!(
            run(None, &[1_000, 1_i64 << 40]),
            (vec![(1_000, Step::Near)], 1)
        );
    }

    #[test]
    fn a_record_of_several_items_does_not_confirm_itself() {
        let mut admitted = Vec::new();
        let mut guard = StampGuard::new(None);
        let mut admit = |at: Micros, item: u8, step| admitted.push((at.as_micros(), item, step));
        guard.offer(Micros::from_micros(1), [1], &mut admit);
        guard.offer(Micros::from_micros(1 << 50), [2, 3, 4], &mut admit);
        guard.offer(Micros::from_micros(2), [5, 6], &mut admit);
        assert_eq!(guard.finish(&mut admit), 1, "one record");
        assert_eq!(
            admitted,
            [(1, 1, Step::Near), (2, 5, Step::Near), (2, 6, Step::Near)]
        );
    }

    #[test]
    fn another_boot_is_told_even_if_records_without_items_confirm_it() {
        let mut admitted = Vec::new();
        let mut guard = StampGuard::new(None);
        let mut admit = |at: Micros, item: u8, step| admitted.push((at.as_micros(), item, step));
        guard.offer(Micros::from_millis(900_000), [1], &mut admit);
        for ms in [5_000, 5_100, 5_200] {
            guard.offer(Micros::from_millis(ms), None, &mut admit);
        }
        guard.offer(Micros::from_millis(5_300), [2], &mut admit);
        guard.finish(&mut admit);
        assert_eq!(
            admitted,
            [(900_000_000, 1, Step::Near), (5_300_000, 2, Step::Back)]
        );
    }

    #[test]
    fn another_boot_is_told() {
        let (admitted, _) = run(None, &[900_000, 900_100, 5_000, 5_100]);
        assert_eq!(admitted[2], (5_000, Step::Back));
    }
}
