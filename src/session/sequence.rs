/// Loss accounting for one series of MAVLink sequence numbers: one talker on one path.
///
/// Modulo 256, per (path, system, component). A late or repeated number is not 250 lost ones: steps of
/// more than half the circle count as late, a step of zero as a repeat. Identity, by construction:
/// `accepted + late + repeated == frames seen`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SequenceCounter {
    last: Option<u8>,
    /// Frames that came in order, with or without a gap before.
    pub accepted: u64,
    /// Frames missing between accepted ones.
    pub lost: u64,
    /// Frames that came after a later one.
    pub late: u64,
    /// Frames with the number of the one before.
    pub repeated: u64,
}

impl SequenceCounter {
    /// Notes a frame's number and says how many are missing before it.
    pub(super) fn note(&mut self, sequence: u8) -> u64 {
        let Some(last) = self.last else {
            self.last = Some(sequence);
            self.accepted += 1;
            return 0;
        };
        match sequence.wrapping_sub(last) {
            0 => {
                self.repeated += 1;
                0
            }
            step @ 1..=127 => {
                let missing = u64::from(step) - 1;
                self.last = Some(sequence);
                self.accepted += 1;
                self.lost += missing;
                missing
            }
            _ => {
                self.late += 1;
                self.lost = self.lost.saturating_sub(1);
                0
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_without_loss_and_counts_gaps_over_the_wrap() {
        let mut counter = SequenceCounter::default();
        for number in [253, 254, 255, 0, 1] {
            assert_eq!(counter.note(number), 0);
        }
        assert_eq!(counter.note(4), 2);
        counter.note(250); // far back: late, not 246 lost
        assert_eq!((counter.lost, counter.late), (1, 1));
        counter.note(4);
        assert_eq!(counter.repeated, 1);
    }
}
