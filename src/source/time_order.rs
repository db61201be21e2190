use std::collections::BTreeMap;

use crate::time::{Micros, Span};

/// How long an item waits for an older one. Writers on different threads of an autopilot overtake each
/// other by milliseconds.
const WINDOW: Span = Span::from_secs(1);

/// Puts items that arrive slightly out of order into order of time, without holding more than a second
/// of them.
///
/// Items of the same instant leave in the order in which they came: `ERR` 16 and `ERR` 17 of one EKF
/// check carry one time.
#[derive(Debug)]
pub(super) struct TimeOrder<T> {
    waiting: BTreeMap<(Micros, u64), T>,
    serial: u64,
}

impl<T> TimeOrder<T> {
    pub(super) const fn new() -> Self {
        Self {
            waiting: BTreeMap::new(),
            serial: 0,
        }
    }

    /// Takes an item and releases those that are older than the window before it.
    pub(super) fn push(&mut self, at: Micros, item: T, release: &mut impl FnMut(Micros, T)) {
        self.waiting.insert((at, self.serial), item);
        self.serial += 1;
        while let Some(first) = self.waiting.first_entry()
            && first.key().0 + WINDOW <= at
        {
            let ((at, _), item) = first.remove_entry();
            release(at, item);
        }
    }

    /// Releases everything that still waits.
    pub(super) fn flush(&mut self, release: &mut impl FnMut(Micros, T)) {
        for ((at, _), item) in std::mem::take(&mut self.waiting) {
            release(at, item);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_steps_back_are_sorted_and_equal_times_keep_their_order() {
        let mut order = TimeOrder::new();
        let mut out = Vec::new();
        let mut release = |at: Micros, item: u32| out.push((at.as_micros() / 1_000, item));
        for (item, ms) in [0, 20, 10, 10, 5_000, 4_500].into_iter().enumerate() {
            order.push(Micros::from_millis(ms), item as u32, &mut release);
        }
        order.flush(&mut release);
        assert_eq!(
            out,
            [(0, 0), (10, 2), (10, 3), (20, 1), (4_500, 5), (5_000, 4)]
        );
    }
}
