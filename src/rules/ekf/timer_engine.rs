use crate::time::{Bounds, Micros, Span};

use super::engine::Outcome;
use super::feed::View;
use super::{EkfRule, Truth};

/// Length of a step; the count of this engine is in tenths of a second.
const STEP: Span = Span::from_millis(100);

/// Sub's timer: when the last passed check was, as an interval.
#[derive(Clone, Debug)]
pub(super) struct TimerEngine {
    last_passed: Option<Bounds>,
    tripped: Truth,
}

impl TimerEngine {
    pub(super) const fn new() -> Self {
        Self {
            last_passed: None,
            tripped: Truth::Unknown,
        }
    }

    pub(super) fn step(&mut self, rule: &EkfRule, from: Micros, view: &View) -> Outcome {
        let to = from + STEP;
        let limit = rule.limit();
        let (range, _) = view.between(from, to);
        let bad = if view.runs == Truth::No {
            Truth::No
        } else {
            rule.over_range(range)
        };
        let was = self.tripped;
        let before = self.last_passed;
        let count = |passed: Option<Bounds>, at: Micros| {
            let tenths = |since: Micros| {
                ((at - since).as_micros().max(0) / STEP.as_micros()).min(i64::from(limit)) as u8
            };
            passed.map_or((0, limit), |p| {
                (tenths(p.latest()), (tenths(p.earliest()) + 1).min(limit))
            })
        };
        let start = count(before, from);
        match bad {
            // The last of the five checks in this step.
            Truth::No => self.last_passed = Some(Bounds::new(to - rule.period(), to)),
            Truth::Unknown => self.last_passed = before.map(|p| Bounds::new(p.earliest(), to)),
            Truth::Yes => {}
        }
        let (mut may_trip, mut may_clear) = (None, None);
        if bad == Truth::No {
            if was.possible() {
                may_clear = Some(Bounds::new(from, from + rule.period()));
            }
            self.tripped = Truth::No;
        } else if let Some(passed) = self.last_passed {
            let due = passed.later_by(EkfRule::SUB_PATIENCE, EkfRule::SUB_PATIENCE + rule.period());
            if due.earliest() < to && !was.certain() {
                may_trip = Some(Bounds::new(due.earliest().max(from), to.min(due.latest())));
            }
            if bad == Truth::Unknown && was.possible() {
                may_clear = Some(Bounds::new(from, to));
            }
            self.tripped =
                Truth::between(due.latest() <= to, due.earliest() < to || was.possible());
        } else {
            self.tripped = Truth::Unknown;
        }
        let end = count(self.last_passed, to);
        Outcome {
            low: start.0.min(end.0),
            high: start.1.max(end.1),
            rests_at: end,
            tripped: self.tripped,
            may_trip,
            may_clear,
            trip_settled: self.tripped.certain(),
            clear_settled: self.tripped == Truth::No,
            at_rest: bad == Truth::No,
            bad,
        }
    }
}
