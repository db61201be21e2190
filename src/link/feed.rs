use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::source::wall_clock;
use crate::time::{Micros, Span};

/// No stamp was made yet.
const NEVER: i64 = i64::MIN;

/// One stamp of the monotonic clock, written by one thread and read by another. A feed is a store, never a
/// message in a queue: one that waited while the program was stopped could otherwise revive the watchdog.
#[derive(Debug)]
struct Stamp(AtomicI64);

impl Stamp {
    const fn new() -> Self {
        Self(AtomicI64::new(NEVER))
    }

    fn set(&self, at: Micros) {
        self.0.store(at.as_micros(), Ordering::Release);
    }

    fn get(&self) -> Option<Micros> {
        let at = self.0.load(Ordering::Acquire);
        (at != NEVER).then(|| Micros::from_micros(at))
    }
}

/// Feeds the watchdog. There is one, it cannot be copied, and it cannot leave the thread it was made on:
/// made inside the window's creator, it can only be fed by the frame loop.
///
/// ```compile_fail
/// let (feeder, _gauge) = heartline::link::feed_pair();
/// std::thread::Builder::new().spawn(move || feeder.feed());
/// ```
#[derive(Debug)]
pub struct UiFeeder {
    feed: Arc<Stamp>,
    pulse: Arc<Stamp>,
    /// A raw pointer is not `Send`: the compiler keeps other threads from feeding.
    stays_here: PhantomData<*const ()>,
}

/// Reads the feeds on the link's thread, and stamps that thread's own pulse for the window.
#[derive(Clone, Debug)]
pub struct FeedGauge {
    feed: Arc<Stamp>,
    pulse: Arc<Stamp>,
}

/// The two halves.
#[must_use]
pub fn feed_pair() -> (UiFeeder, FeedGauge) {
    let (feed, pulse) = (Arc::new(Stamp::new()), Arc::new(Stamp::new()));
    let gauge = FeedGauge {
        feed: Arc::clone(&feed),
        pulse: Arc::clone(&pulse),
    };
    let feeder = UiFeeder {
        feed,
        pulse,
        stays_here: PhantomData,
    };
    (feeder, gauge)
}

impl UiFeeder {
    /// The frame loop came round.
    pub fn feed(&self) {
        self.feed.set(wall_clock::monotonic());
    }

    /// How long the link's thread has not come round; `None` before its first round. A window over a
    /// thread that is stuck would otherwise show old data as if it were new.
    #[must_use]
    pub fn link_silence(&self) -> Option<Span> {
        self.pulse.get().map(|at| wall_clock::monotonic() - at)
    }
}

impl FeedGauge {
    /// When the frame loop last came round, on the monotonic clock.
    #[must_use]
    pub fn last_feed(&self) -> Option<Micros> {
        self.feed.get()
    }

    /// The link's thread came round.
    pub fn pulse(&self, now: Micros) {
        self.pulse.set(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feed_and_a_pulse_reach_the_other_side() {
        let (feeder, gauge) = feed_pair();
        assert_eq!(gauge.last_feed(), None);
        assert_eq!(feeder.link_silence(), None);
        feeder.feed();
        gauge.pulse(wall_clock::monotonic());
        assert!(gauge.last_feed().is_some());
        assert!(feeder.link_silence().is_some());
    }
}
