use crate::time::{Micros, Span};

use super::clock_record::{Happening, Happenings};

/// What happens reaches the ground this much later at most: with the next heartbeat.
pub(super) const LATE: Span = Span::from_millis(1_500);
/// And this much earlier at most: the mapping's own error.
const EARLY: Span = Span::from_millis(300);

/// How much of what happened stands in both at the same time.
pub(super) struct Agreement {
    pub agreeing: usize,
    /// Of so many in the other recording, while the ground's ran.
    pub of: usize,
}

impl Agreement {
    pub fn of(
        ground: &Happenings,
        other: &Happenings,
        from: Micros,
        to: Micros,
        carry: impl Fn(Micros) -> Option<Micros>,
    ) -> Self {
        let mut sorted: Vec<(&Happening, Micros)> =
            ground.all.iter().map(|(at, what)| (what, *at)).collect();
        sorted.sort_unstable();
        let mut agreement = Self { agreeing: 0, of: 0 };
        for (at, what) in &other.all {
            let Some(at) = carry(*at).filter(|at| *at >= from && *at <= to) else {
                continue;
            };
            let first = sorted.partition_point(|seen| *seen < (what, at - EARLY));
            let agrees = sorted
                .get(first)
                .is_some_and(|(seen, when)| *seen == what && *when <= at + LATE);
            agreement.of += 1;
            agreement.agreeing += usize::from(agrees);
        }
        agreement
    }
}
