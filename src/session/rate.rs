use crate::time::{Micros, Span};

/// Frames and losses per second of record: enough to answer "how was the link just before" for any
/// moment, at eight bytes a second.
#[derive(Clone, Debug, Default)]
pub(super) struct RateTrack {
    seconds: Vec<Second>,
}

#[derive(Clone, Copy, Debug)]
struct Second {
    start: i64,
    frames: u32,
    lost: u32,
}

impl RateTrack {
    /// Notes one frame at `at` and the frames missing before it.
    pub(super) fn note(&mut self, at: Micros, lost: u64) {
        let start = at.as_micros().div_euclid(1_000_000);
        let lost = u32::try_from(lost).unwrap_or(u32::MAX);
        match self.seconds.last_mut() {
            // A frame stamped before the current second is counted in it: order matters more here than
            // the second it belongs to.
            Some(second) if start <= second.start => {
                second.frames = second.frames.saturating_add(1);
                second.lost = second.lost.saturating_add(lost);
            }
            _ => self.seconds.push(Second {
                start,
                frames: 1,
                lost,
            }),
        }
    }

    /// Frames seen and frames lost within the `span` before `at`, by whole seconds.
    #[must_use]
    pub(super) fn before(&self, at: Micros, span: Span) -> (u64, u64) {
        let end = at.as_micros().div_euclid(1_000_000);
        let start = (at - span).as_micros().div_euclid(1_000_000);
        let from = self.seconds.partition_point(|s| s.start < start);
        let to = self.seconds.partition_point(|s| s.start < end);
        self.seconds
            .get(from..to)
            .unwrap_or_default()
            .iter()
            .fold((0, 0), |(frames, lost), s| {
                (frames + u64::from(s.frames), lost + u64::from(s.lost))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_the_seconds_before() {
        let mut track = RateTrack::default();
        for i in 0..100 {
            track.note(Micros::from_millis(i * 100), u64::from(i == 55));
        }
        assert_eq!(
            track.before(Micros::from_millis(8_000), Span::from_secs(5)),
            (50, 1)
        );
        assert_eq!(
            track.before(Micros::from_millis(60_000), Span::from_secs(5)),
            (0, 0)
        );
    }
}
