//! The heartbeat watchdog: a deadman timer that ties our heartbeats to the liveness of the window.
//!
//! The contract is MAVSDK's (core/heartbeat_watchdog, August 2026), checked against a real one second by
//! second, with one difference: a feed is judged by when it was *made*, never by when it was processed,
//! so that feeds that waited while the program was stopped cannot revive it.

use thiserror::Error;

use crate::time::{Micros, Span};

/// The shortest timeout besides "off". With 1 s, feed and heartbeat slot would be almost in phase, and a
/// single late feed would drop a heartbeat.
pub const SHORTEST: Span = Span::from_secs(2);
/// The longest timeout. MAVSDK has no limit and overflows beyond 292 years; an hour is beyond all use.
pub const LONGEST: Span = Span::from_secs(3_600);

/// A timeout that the watchdog does not take, in seconds.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[error("a watchdog timeout is 0 (off) or between 2 s and 3600 s, not {0} s")]
pub struct BadTimeout(pub f64);

/// A timeout from seconds as people and files give them.
///
/// Judged before it is rounded: 1e-9 s must not become "off", nor 1.9999999 s the shortest timeout.
pub fn timeout_of_seconds(seconds: f64) -> Result<Span, BadTimeout> {
    let valid =
        seconds == 0.0 || (SHORTEST.as_secs_f64()..=LONGEST.as_secs_f64()).contains(&seconds);
    match Span::from_secs_f64(seconds) {
        Some(timeout) if valid => Ok(timeout),
        _ => Err(BadTimeout(seconds)),
    }
}

/// Where the watchdog stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchdogState {
    /// Off: every heartbeat may go out.
    Disabled,
    /// Nothing may go out before the next feed.
    NeedsFeed,
    /// Heartbeats may go out before the deadline.
    Armed {
        /// The first instant at which none may.
        deadline: Micros,
    },
}

/// The answer at a heartbeat slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It may go out.
    Allowed,
    /// It may not.
    Withheld {
        /// This very question found that the deadline has passed; said once per expiry.
        expired_now: bool,
    },
}

/// The watchdog. Asked at each heartbeat slot; there is no second timer.
#[derive(Clone, Debug)]
pub struct Watchdog {
    timeout: Span,
    state: WatchdogState,
    last_feed: Option<Micros>,
    /// Feeds made up to here do not count.
    lapsed_at: Option<Micros>,
}

impl Default for Watchdog {
    fn default() -> Self {
        Self::new()
    }
}

impl Watchdog {
    /// A new watchdog is off.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            timeout: Span::ZERO,
            state: WatchdogState::Disabled,
            last_feed: None,
            lapsed_at: None,
        }
    }

    /// The timeout; zero is off.
    #[must_use]
    pub const fn timeout(&self) -> Span {
        self.timeout
    }

    /// Where it stands. Expiry shows only once a slot has asked.
    #[must_use]
    pub const fn state(&self) -> WatchdogState {
        self.state
    }

    /// When it was last fed. A lapse is no feed: this still tells how old the last one is.
    #[must_use]
    pub const fn last_feed(&self) -> Option<Micros> {
        self.last_feed
    }

    /// Sets the timeout. A rejected value changes nothing, and neither does the one it has already. Any
    /// other stops the heartbeats until the next feed; zero lets them go at once.
    pub fn set_timeout(&mut self, timeout: Span) -> Result<(), BadTimeout> {
        if timeout != Span::ZERO && !(SHORTEST..=LONGEST).contains(&timeout) {
            return Err(BadTimeout(timeout.as_secs_f64()));
        }
        if timeout != self.timeout {
            self.timeout = timeout;
            self.state = if timeout == Span::ZERO {
                WatchdogState::Disabled
            } else {
                WatchdogState::NeedsFeed
            };
        }
        Ok(())
    }

    /// The window is alive, as of `at`. Forgotten while the watchdog is off; a feed older than the one
    /// before changes nothing.
    pub fn feed(&mut self, at: Micros) {
        let not_after = |stamp: Option<Micros>| stamp.is_some_and(|stamp| at <= stamp);
        if self.state == WatchdogState::Disabled
            || not_after(self.last_feed)
            || not_after(self.lapsed_at)
        {
            return;
        }
        self.last_feed = Some(at);
        self.state = WatchdogState::Armed {
            deadline: at + self.timeout,
        };
    }

    /// Requires a fresh feed: after a suspend, or any gap in which nobody can know whether the window
    /// lived. Feeds made up to `now` do not count any more, also if the watchdog is off now and set later.
    pub fn lapse(&mut self, now: Micros) {
        if self.state != WatchdogState::Disabled {
            self.state = WatchdogState::NeedsFeed;
        }
        self.lapsed_at = self.lapsed_at.max(Some(now));
    }

    /// May a heartbeat go out now? Strict: not any more at the deadline itself.
    pub fn may_send(&mut self, now: Micros) -> Decision {
        match self.state {
            WatchdogState::Disabled => Decision::Allowed,
            WatchdogState::NeedsFeed => Decision::Withheld { expired_now: false },
            WatchdogState::Armed { deadline } if now < deadline => Decision::Allowed,
            WatchdogState::Armed { .. } => {
                self.state = WatchdogState::NeedsFeed;
                Decision::Withheld { expired_now: true }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ms(millis: i64) -> Micros {
        Micros::from_millis(millis)
    }

    fn armed(timeout_s: i64, fed: Micros) -> Watchdog {
        let mut watchdog = Watchdog::new();
        watchdog
            .set_timeout(Span::from_secs(timeout_s))
            .expect("valid");
        watchdog.feed(fed);
        watchdog
    }

    #[test]
    fn off_allows_everything_and_on_nothing_before_the_first_feed() {
        let mut watchdog = Watchdog::new();
        assert_eq!(watchdog.may_send(ms(1_000_000)), Decision::Allowed);
        watchdog.set_timeout(Span::from_secs(2)).expect("valid");
        let withheld = Decision::Withheld { expired_now: false };
        assert_eq!(watchdog.may_send(ms(1_000_001)), withheld);
        assert_eq!(watchdog.may_send(ms(9_000_000)), withheld);
    }

    #[test]
    fn the_deadline_itself_is_too_late_and_expiry_is_told_once() {
        let mut watchdog = armed(2, ms(1_000));
        assert_eq!(watchdog.may_send(ms(2_999)), Decision::Allowed);
        assert_eq!(
            watchdog.may_send(ms(3_000)),
            Decision::Withheld { expired_now: true }
        );
        assert_eq!(
            watchdog.may_send(ms(3_001)),
            Decision::Withheld { expired_now: false }
        );
        watchdog.feed(ms(3_500));
        assert_eq!(watchdog.may_send(ms(3_501)), Decision::Allowed);
    }

    #[test]
    fn rejected_timeouts_change_nothing() {
        let mut watchdog = armed(3, ms(1_000));
        for bad in [
            Span::from_micros(1),
            Span::from_micros(1_999_999),
            Span::from_secs(-2),
            Span::from_secs(3_601),
            Span::MAX,
        ] {
            assert!(watchdog.set_timeout(bad).is_err(), "{bad:?}");
        }
        assert_eq!(watchdog.may_send(ms(3_999)), Decision::Allowed);
    }

    #[test]
    fn seconds_are_judged_before_they_are_rounded() {
        for bad in [1e-9, 1.999_999_9, -1.0, f64::NAN, f64::INFINITY, 3_600.1] {
            assert!(timeout_of_seconds(bad).is_err(), "{bad}");
        }
        assert_eq!(timeout_of_seconds(-0.0), Ok(Span::ZERO));
        assert_eq!(timeout_of_seconds(2.0), Ok(Span::from_secs(2)));
    }

    #[test]
    fn the_same_timeout_again_does_nothing_and_another_needs_a_feed() {
        let mut watchdog = armed(4, ms(1_000));
        watchdog.set_timeout(Span::from_secs(4)).expect("valid");
        assert_eq!(watchdog.may_send(ms(1_001)), Decision::Allowed);
        watchdog.set_timeout(Span::from_secs(5)).expect("valid");
        assert_eq!(watchdog.state(), WatchdogState::NeedsFeed);
        watchdog.set_timeout(Span::ZERO).expect("valid");
        assert_eq!(watchdog.may_send(ms(1_002)), Decision::Allowed);
        watchdog.feed(ms(1_003));
        watchdog.set_timeout(Span::from_secs(5)).expect("valid");
        assert_eq!(
            watchdog.state(),
            WatchdogState::NeedsFeed,
            "fed while off: forgotten"
        );
    }

    #[test]
    fn after_a_lapse_only_a_feed_made_later_counts() {
        let mut watchdog = armed(5, ms(1_000));
        watchdog.lapse(ms(2_000));
        watchdog.feed(ms(1_900));
        assert_eq!(
            watchdog.may_send(ms(2_001)),
            Decision::Withheld { expired_now: false }
        );
        watchdog.feed(ms(2_100));
        assert_eq!(watchdog.may_send(ms(2_101)), Decision::Allowed);
    }

    #[test]
    fn a_lapse_is_no_feed_and_counts_while_off_as_well() {
        let mut watchdog = armed(5, ms(1_000));
        watchdog.lapse(ms(2_000));
        assert_eq!(watchdog.last_feed(), Some(ms(1_000)));
        let mut watchdog = Watchdog::new();
        watchdog.lapse(ms(3_000));
        watchdog.set_timeout(Span::from_secs(2)).expect("valid");
        watchdog.feed(ms(2_900));
        assert_eq!(watchdog.state(), WatchdogState::NeedsFeed);
        assert_eq!(watchdog.last_feed(), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_heartbeat_of_a_dead_window_and_none_lost_of_a_living_one(
            timeout_ms in 2_000_i64..8_000,
            gaps in proptest::collection::vec(50_i64..9_000, 1..40),
        ) {
            let mut watchdog = Watchdog::new();
            watchdog.set_timeout(Span::from_millis(timeout_ms)).expect("valid");
            let mut feeds = Vec::new();
            let mut at = 0;
            for gap in &gaps {
                at += gap;
                feeds.push(at);
            }
            let mut pending = feeds.iter().copied().peekable();
            let mut last = None;
            for slot in 0..at / 1_000 + 12 {
                let now = slot * 1_000;
                while let Some(feed) = pending.next_if(|feed| *feed <= now) {
                    watchdog.feed(ms(feed));
                    last = Some(feed);
                }
                let allowed = watchdog.may_send(ms(now)) == Decision::Allowed;
                let alive = last.is_some_and(|last| now - last < timeout_ms);
                prop_assert_eq!(allowed, alive, "slot at {} ms, fed at {:?}", now, last);
            }
        }
    }
}
