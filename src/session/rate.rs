use crate::time::{Micros, Span};

/// Frames, bytes and losses per second of record: enough to answer "how was the link just before" for any
/// moment, at twenty-four bytes a second.
#[derive(Clone, Debug, Default)]
pub(super) struct RateTrack {
    seconds: Vec<Second>,
    /// The most that the link has carried so far, each time that grew.
    sustained: Vec<(Micros, u32)>,
}

#[derive(Clone, Copy, Debug)]
struct Second {
    start: i64,
    frames: u32,
    lost: u32,
    bytes: u32,
    /// A bit for each tenth of the second in which a frame came.
    tenths: u16,
}

/// Bursts are smoothed over so many seconds.
const SUSTAINED_OVER: i64 = 10;

/// The second that `at` lies in, and the tenth of it.
fn place(at: Micros) -> (i64, i64) {
    let tenth = at.as_micros().div_euclid(100_000);
    (tenth.div_euclid(10), tenth.rem_euclid(10))
}

impl RateTrack {
    /// Notes one frame of `bytes` at `at` and the frames missing before it.
    pub(super) fn note(&mut self, at: Micros, lost: u64, bytes: u32) {
        let (start, tenth) = place(at);
        let lost = u32::try_from(lost).unwrap_or(u32::MAX);
        match self.seconds.last_mut() {
            // A frame stamped before the current second is counted in it: order matters more here than
            // the second it belongs to.
            Some(second) if start <= second.start => {
                second.frames = second.frames.saturating_add(1);
                second.lost = second.lost.saturating_add(lost);
                second.bytes = second.bytes.saturating_add(bytes);
                second.tenths |= if start == second.start { 1 << tenth } else { 1 };
            }
            _ => {
                self.note_sustained(start);
                self.seconds.push(Second {
                    start,
                    frames: 1,
                    lost,
                    bytes,
                    tenths: 1 << tenth,
                });
            }
        }
    }

    /// A second begins: the ten before it are complete.
    fn note_sustained(&mut self, start: i64) {
        let from = self
            .seconds
            .partition_point(|s| s.start < start - SUSTAINED_OVER);
        let carried: u64 = self
            .seconds
            .get(from..)
            .unwrap_or_default()
            .iter()
            .map(|s| u64::from(s.bytes))
            .sum();
        let rate = u32::try_from(carried / SUSTAINED_OVER.unsigned_abs()).unwrap_or(u32::MAX);
        let most = self.sustained.last().map_or(0, |(_, most)| *most);
        // In steps of a twentieth, so that a slowly growing rate adds no entry every second.
        if rate > most + most / 20 {
            let at = Micros::from_millis(start * 1_000);
            self.sustained.push((at, rate));
        }
    }

    /// The stretches longer than `least` in which no frame came, each from the tenth of a second of the last one
    /// before it to that of the first one behind it.
    #[must_use]
    pub(super) fn holes(&self, least: Span) -> Vec<(Micros, Micros)> {
        let at = |second: &Second, tenth: u32| {
            Micros::from_millis(second.start * 1_000 + i64::from(tenth) * 100)
        };
        let pairs = self.seconds.windows(2).filter_map(|pair| match pair {
            [a, b] => Some((
                at(
                    a,
                    u16::BITS - 1 - a.tenths.leading_zeros().min(u16::BITS - 1),
                ),
                at(b, b.tenths.trailing_zeros().min(9)),
            )),
            _ => None,
        });
        pairs.filter(|(from, to)| *to - *from > least).collect()
    }

    /// The most bytes per second that came over ten seconds up to `at`; 0 before the first ten.
    #[must_use]
    pub(super) fn sustained(&self, at: Micros) -> u32 {
        let known = self.sustained.partition_point(|(since, _)| *since <= at);
        known
            .checked_sub(1)
            .and_then(|last| self.sustained.get(last))
            .map_or(0, |(_, rate)| *rate)
    }

    /// The last frame at or before `at`, to the tenth of a second in which it came.
    #[must_use]
    pub(super) fn last_until(&self, at: Micros) -> Option<Micros> {
        let (second, tenth) = place(at);
        let until = self.seconds.partition_point(|s| s.start <= second);
        self.seconds.get(..until)?.iter().rev().find_map(|s| {
            let passed = if s.start == second { tenth } else { 9 };
            let last = (0..=passed).rev().find(|n| s.tenths >> n & 1 == 1)?;
            Some(Micros::from_millis(s.start * 1_000 + last * 100))
        })
    }

    /// Frames seen and frames lost within the `span` before `at`, and in how many seconds: whole ones, and
    /// none before the first that was recorded.
    #[must_use]
    pub(super) fn before(&self, at: Micros, span: Span) -> (u64, u64, u64) {
        let end = at.as_micros().div_euclid(1_000_000);
        let first = self.seconds.first().map_or(end, |first| first.start);
        let start = (at - span).as_micros().div_euclid(1_000_000).max(first);
        let from = self.seconds.partition_point(|s| s.start < start);
        let to = self.seconds.partition_point(|s| s.start < end);
        self.seconds.get(from..to).unwrap_or_default().iter().fold(
            (0, 0, u64::try_from(end - start).unwrap_or(0)),
            |(frames, lost, seconds), s| {
                let lost = lost + u64::from(s.lost);
                (frames + u64::from(s.frames), lost, seconds)
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_the_seconds_before() {
        let mut track = RateTrack::default();
        for i in 0..100 {
            track.note(Micros::from_millis(i * 100), u64::from(i == 55), 100);
        }
        assert_eq!(
            track.before(Micros::from_millis(8_000), Span::from_secs(5)),
            (50, 1, 5)
        );
        assert_eq!(
            track.before(Micros::from_millis(60_000), Span::from_secs(5)),
            (0, 0, 5)
        );
    }

    #[test]
    fn the_last_frame_is_known_to_a_tenth() {
        let mut track = RateTrack::default();
        for at in [1_250, 1_950, 4_030] {
            track.note(Micros::from_millis(at), 0, 100);
        }
        let last = |at| {
            track
                .last_until(Micros::from_millis(at))
                .map(|last| last.as_micros() / 1_000)
        };
        assert_eq!(last(1_100), None);
        assert_eq!(last(1_300), Some(1_200));
        assert_eq!(last(1_899), Some(1_200));
        assert_eq!(last(3_500), Some(1_900));
        assert_eq!(last(60_000), Some(4_000));
    }

    #[test]
    fn the_beginning_is_not_thinned_by_seconds_that_were_never_recorded() {
        let mut track = RateTrack::default();
        for i in 0..100 {
            track.note(Micros::from_millis(100_000 + i * 100), 0, 100);
        }
        let span = Span::from_secs(5);
        assert_eq!(track.before(Micros::from_millis(102_500), span), (20, 0, 2));
        assert_eq!(track.before(Micros::from_millis(100_900), span), (0, 0, 0));
        assert_eq!(track.before(Micros::from_millis(90_000), span), (0, 0, 0));
    }

    #[test]
    fn a_burst_does_not_count_as_what_the_link_carries() {
        let mut track = RateTrack::default();
        // 2 000 bytes a second for a minute, with one second of ten times as much.
        for second in 0..60 {
            let bytes = if second == 30 { 20_000 } else { 2_000 };
            track.note(Micros::from_millis(second * 1_000), 0, bytes);
        }
        let at = |second: i64| track.sustained(Micros::from_millis(second * 1_000));
        assert_eq!(at(0), 0);
        assert_eq!(at(5), 1_000, "not yet ten seconds");
        assert_eq!(at(29), 2_000);
        assert_eq!(at(59), 3_800);
    }
}
