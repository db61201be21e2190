use crate::source::SourceKind;
use crate::time::{Micros, Span};

/// The speeds of playback.
pub(super) const SPEEDS: [f64; 9] = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0];
const NORMAL: usize = 3;
/// A longer frame does not jump the recording: the operator would miss what happened meanwhile.
const LONGEST_FRAME: f64 = 0.25;
/// A live clock that falls behind by more than this was set back.
const CLOCK_SET_BACK: Span = Span::from_secs(2);

/// Which moment is shown, and how it moves.
///
/// Time comes in as the frame's own (seconds on any monotonic clock), so a test plays an hour in a
/// millisecond. For a live source "now" on the source's timeline is inferred from what it hands over: an
/// observation stamped `at`, or its own word that it is `at`, proves that it is at least `at`. Reading a
/// clock instead would need every source to share it.
#[derive(Clone, Debug)]
pub(super) struct Transport {
    live: bool,
    /// Moving along with the end of a live record.
    attached: bool,
    playing: bool,
    position: Micros,
    speed: usize,
    first: Micros,
    last: Micros,
    last_frame: Option<f64>,
    offset: Option<Span>,
    newest_seen: Option<Micros>,
}

impl Transport {
    /// For a source of this kind, before anything has arrived.
    pub(super) fn new(kind: SourceKind) -> Self {
        let live = kind != SourceKind::Log;
        Self {
            live,
            attached: live,
            playing: false,
            position: Micros::default(),
            speed: NORMAL,
            first: Micros::default(),
            last: Micros::default(),
            last_frame: None,
            offset: None,
            newest_seen: None,
        }
    }

    /// Moves on to the frame at `frame_time`; the record now reaches from `first` to `last`.
    pub(super) fn tick(&mut self, frame_time: f64, first: Micros, last: Micros) {
        let elapsed = self.last_frame.map_or(0.0, |before| {
            (frame_time - before).clamp(0.0, LONGEST_FRAME)
        });
        self.last_frame = Some(frame_time);
        let empty_before = self.newest_seen.is_none();
        self.first = first;
        self.last = last;
        if self.live {
            self.note_arrival(frame_time, last);
            self.last = self.now(frame_time);
        }
        self.newest_seen = Some(last);
        if self.attached {
            self.position = self.last;
        } else if empty_before {
            self.position = first;
        } else if self.playing {
            let step = Span::from_secs_f64(elapsed * self.speed()).unwrap_or_default();
            self.position += step;
            if self.position >= self.last {
                self.position = self.last;
                self.playing = false;
                self.attached = self.live;
            }
        }
        self.position = self.position.clamp(self.first, self.last.max(self.first));
    }

    /// Moves on in a frame that is not shown. It has no time of its own, so a live record ends with what its
    /// source has told, and a recording stands still.
    pub(super) fn tick_unseen(&mut self, first: Micros, last: Micros) {
        self.first = first;
        self.last = self.last.max(last);
        if self.attached {
            self.position = self.last;
        }
        self.position = self.position.clamp(self.first, self.last.max(self.first));
    }

    fn note_arrival(&mut self, frame_time: f64, last: Micros) {
        if self.newest_seen.is_some_and(|seen| last <= seen) {
            return;
        }
        let Some(offset) = Span::from_secs_f64(frame_time).map(|t| last - (Micros::default() + t))
        else {
            return;
        };
        // The largest offset belongs to the observation that waited least for its frame.
        self.offset = Some(match self.offset {
            Some(known) if known - offset <= CLOCK_SET_BACK => known.max(offset),
            _ => offset,
        });
    }

    fn now(&self, frame_time: f64) -> Micros {
        match (self.offset, Span::from_secs_f64(frame_time)) {
            (Some(offset), Some(time)) => (Micros::default() + time + offset).max(self.last),
            _ => self.last,
        }
    }

    /// The moment shown.
    pub(super) const fn position(&self) -> Micros {
        self.position
    }

    /// The end of the record; for a live source, now.
    pub(super) const fn last(&self) -> Micros {
        self.last
    }

    /// The begin of the record.
    pub(super) const fn first(&self) -> Micros {
        self.first
    }

    /// Whether the moment shown is the present of a live source.
    pub(super) const fn is_attached(&self) -> bool {
        self.attached
    }

    /// Whether the moment moves by itself.
    pub(super) const fn is_moving(&self) -> bool {
        self.attached || self.playing
    }

    /// Plays on, or stops. At the end of a recording it starts over.
    pub(super) fn toggle(&mut self) {
        if self.is_moving() {
            self.attached = false;
            self.playing = false;
        } else if self.live {
            self.attached = true;
        } else {
            if self.position >= self.last {
                self.position = self.first;
            }
            self.playing = true;
        }
    }

    /// Goes to `at`. A live source is left behind, unless `at` is its end.
    pub(super) fn seek(&mut self, at: Micros) {
        self.attached = self.live && at >= self.last;
        self.position = at.clamp(self.first, self.last.max(self.first));
    }

    /// Goes to the end.
    pub(super) fn seek_end(&mut self) {
        self.seek(self.last);
    }

    /// The speed of playback.
    pub(super) fn speed(&self) -> f64 {
        SPEEDS.get(self.speed).copied().unwrap_or(1.0)
    }

    /// Sets the speed to the one of [`SPEEDS`] at `index`; held at the ends.
    pub(super) fn set_speed(&mut self, index: usize) {
        self.speed = index.min(SPEEDS.len() - 1);
    }

    /// One speed up or down.
    pub(super) fn change_speed(&mut self, faster: bool) {
        self.set_speed(if faster {
            self.speed + 1
        } else {
            self.speed.saturating_sub(1)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Micros {
        Micros::from_millis(ms)
    }

    fn log() -> Transport {
        let mut transport = Transport::new(SourceKind::Log);
        transport.tick(100.0, at(5_000), at(65_000));
        transport
    }

    #[test]
    fn a_recording_opens_at_its_start_and_plays_at_its_speed() {
        let mut transport = log();
        assert_eq!(transport.position(), at(5_000));
        transport.toggle();
        transport.set_speed(6);
        transport.tick(100.1, at(5_000), at(65_000));
        assert_eq!(transport.position(), at(6_000));
    }

    #[test]
    fn the_same_frame_time_twice_moves_nothing() {
        let mut transport = log();
        transport.toggle();
        transport.tick(100.1, at(5_000), at(65_000));
        let position = transport.position();
        transport.tick(100.1, at(5_000), at(65_000));
        assert_eq!(transport.position(), position);
    }

    #[test]
    fn playback_stops_at_the_end_and_starts_over() {
        let mut transport = log();
        transport.seek(at(64_999));
        transport.toggle();
        transport.tick(100.2, at(5_000), at(65_000));
        assert_eq!(transport.position(), at(65_000));
        assert!(!transport.is_moving());
        transport.toggle();
        assert_eq!(transport.position(), at(5_000));
    }

    #[test]
    fn live_time_runs_on_through_silence() {
        let mut transport = Transport::new(SourceKind::Live);
        let base = 1_700_000_000_000;
        transport.tick(10.0, at(base), at(base));
        transport.tick(11.0, at(base), at(base + 990));
        // The first observation waited 10 ms less for its frame than the second.
        assert_eq!(transport.position(), at(base + 1_000));
        transport.tick(14.0, at(base), at(base + 990));
        assert_eq!(
            transport.position(),
            at(base + 4_000),
            "nothing arrived for 3 s"
        );
        transport.toggle();
        transport.tick(15.0, at(base), at(base + 990));
        assert_eq!(transport.position(), at(base + 4_000), "paused");
        transport.toggle();
        transport.tick(16.0, at(base), at(base + 990));
        assert_eq!(
            transport.position(),
            at(base + 6_000),
            "and back to the present"
        );
    }

    #[test]
    fn unseen_frames_follow_a_live_record_and_leave_its_clock_alone() {
        let mut transport = Transport::new(SourceKind::Live);
        let base = 1_700_000_000_000;
        transport.tick(10.0, at(base), at(base));
        transport.tick_unseen(at(base), at(base + 60_000));
        assert_eq!(transport.position(), at(base + 60_000));
        transport.tick_unseen(at(base), at(base + 59_000));
        assert_eq!(transport.position(), at(base + 60_000), "never back");
        transport.tick(71.0, at(base), at(base + 60_900));
        assert_eq!(transport.position(), at(base + 61_000), "seen again");
    }

    #[test]
    fn a_recording_stands_still_while_unseen() {
        let mut transport = log();
        transport.toggle();
        transport.tick_unseen(at(5_000), at(65_000));
        assert_eq!(transport.position(), at(5_000));
        assert!(transport.is_moving());
    }

    #[test]
    fn absurd_times_do_not_panic() {
        let mut transport = Transport::new(SourceKind::Live);
        transport.tick_unseen(Micros::MAX, Micros::MIN);
        transport.tick(f64::NAN, Micros::MIN, Micros::MAX);
        transport.tick(f64::INFINITY, Micros::MAX, Micros::MIN);
        transport.seek(Micros::MIN);
        transport.toggle();
        transport.tick(1e300, Micros::MIN, Micros::MAX);
    }
}
