use crate::time::{Bounds, Micros};

use super::counter_engine::CounterEngine;
use super::feed::View;
use super::timer_engine::TimerEngine;
use super::{EkfRule, Method, Truth};

/// The windows of evidence that bear on a step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Watch {
    /// A trip happened in here.
    pub(super) trip: Option<Bounds>,
    /// A clear happened in here.
    pub(super) clear: Option<Bounds>,
}

impl Watch {
    pub(super) const fn is_on(self) -> bool {
        self.trip.is_some() || self.clear.is_some()
    }

    /// Only the windows that a check somewhere in `at` may fall into.
    pub(super) fn at(self, at: Bounds) -> Self {
        let touches = |w: &Bounds| w.overlaps(at);
        Self {
            trip: self.trip.filter(touches),
            clear: self.clear.filter(touches),
        }
    }
}

/// What one step of 100 ms came to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome {
    /// Lowest count at any time in the step.
    pub(super) low: u8,
    /// Highest count at any time in the step.
    pub(super) high: u8,
    /// Lowest and highest count at its end.
    pub(super) rests_at: (u8, u8),
    pub(super) tripped: Truth,
    /// When the open excursion may have tripped for the first time.
    pub(super) may_trip: Option<Bounds>,
    /// When it may have cleared for the first time.
    pub(super) may_clear: Option<Bounds>,
    /// No history is left in which the excursion has not tripped.
    pub(super) trip_settled: bool,
    /// No history is left in which it is tripped and has not cleared.
    pub(super) clear_settled: bool,
    /// Neither tripped nor counting.
    pub(super) at_rest: bool,
    /// Whether checks in this step fail.
    pub(super) bad: Truth,
}

/// The engine of the rule's method.
#[derive(Clone, Debug)]
pub(super) enum Engine {
    Counter(Box<CounterEngine>),
    Timer(TimerEngine),
}

impl Engine {
    pub(super) fn new(rule: &EkfRule) -> Self {
        match rule.method {
            Method::Counter => Self::Counter(Box::new(CounterEngine::new())),
            Method::Timer => Self::Timer(TimerEngine::new()),
        }
    }

    pub(super) fn step(
        &mut self,
        rule: &EkfRule,
        from: Micros,
        view: &View,
        may_skip: bool,
        watch: Watch,
    ) -> Outcome {
        match self {
            Self::Counter(engine) => engine.step(rule, from, view, may_skip, watch),
            Self::Timer(engine) => engine.step(rule, from, view),
        }
    }

    pub(super) fn forget(&mut self) {
        match self {
            Self::Counter(engine) => engine.forget(),
            Self::Timer(engine) => *engine = TimerEngine::new(),
        }
    }

    pub(super) fn open(&mut self) {
        if let Self::Counter(engine) = self {
            engine.open();
        }
    }

    /// Follows, besides, what may be tripped already; returns whether anything is.
    pub(super) fn resume(&mut self) -> bool {
        match self {
            Self::Counter(engine) => engine.resume(),
            Self::Timer(_) => false,
        }
    }

    pub(super) fn close(&mut self) {
        if let Self::Counter(engine) = self {
            engine.close();
        }
    }

    pub(super) fn conclude(&mut self, tripped: bool, must: bool) -> bool {
        match self {
            Self::Counter(engine) => engine.conclude(tripped, must),
            // The timer has no hidden count that evidence could narrow.
            Self::Timer(_) => true,
        }
    }

    pub(super) fn disregard(&mut self, trip: bool) {
        if let Self::Counter(engine) = self {
            engine.disregard(trip);
        }
    }

    pub(super) fn not_tripped(&mut self) -> bool {
        match self {
            Self::Counter(engine) => engine.not_tripped(),
            Self::Timer(_) => true,
        }
    }

    pub(super) fn not_tripped_before_end(&mut self) {
        if let Self::Counter(engine) = self {
            engine.not_tripped_before_end();
        }
    }

    pub(super) fn may_be_held(&self) -> bool {
        match self {
            Self::Counter(engine) => engine.may_be_held(),
            Self::Timer(_) => true,
        }
    }

    pub(super) fn phase(&self) -> Option<Bounds> {
        match self {
            Self::Counter(engine) => engine.phase(),
            Self::Timer(_) => None,
        }
    }
}
