use crate::time::Span;

/// The first wait before a link is tried again.
const FIRST: Span = Span::from_millis(250);
/// The longest.
const LONGEST: Span = Span::from_secs(10);

/// How long to wait before a broken link is tried again: doubling, with a jitter of a quarter so that many
/// ground stations do not come back in step.
#[derive(Clone, Debug)]
pub(super) struct Backoff {
    next: Span,
    noise: u64,
}

impl Backoff {
    /// A fresh one; `seed` makes the jitter repeatable.
    pub(super) const fn new(seed: u64) -> Self {
        Self {
            next: FIRST,
            noise: seed | 1,
        }
    }

    /// The link is up: the next failure waits briefly again.
    pub(super) fn reset(&mut self) {
        self.next = FIRST;
    }

    /// The wait before the next try.
    pub(super) fn wait(&mut self) -> Span {
        self.noise ^= self.noise << 13;
        self.noise ^= self.noise >> 7;
        self.noise ^= self.noise << 17;
        let quarter = (self.next / 4).as_micros().max(1);
        let jitter = Span::from_micros((self.noise % quarter.unsigned_abs()) as i64);
        let wait = self.next + jitter;
        self.next = (self.next * 2).min(LONGEST);
        wait
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_limit_and_begin_anew() {
        let mut backoff = Backoff::new(7);
        let mut last = Span::ZERO;
        for _ in 0..5 {
            let wait = backoff.wait();
            assert!(wait > last);
            last = wait;
        }
        for _ in 0..5 {
            assert!(backoff.wait() <= LONGEST + LONGEST / 4);
        }
        backoff.reset();
        assert!(backoff.wait() < Span::from_millis(320));
    }
}
