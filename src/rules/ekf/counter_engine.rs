use crate::time::{Bounds, Micros, Span};

use super::engine::{Outcome, Watch};
use super::feed::{Bearing, View};
use super::phase::Phase;
use super::ratios::RatioRange;
use super::states::{Check, CountStates};
use super::{EkfRule, Filter, Truth};

/// Hypotheses of where in each 100 ms the vehicle's check falls.
const PHASES: usize = 10;
/// Width of one hypothesis.
const WIDTH: Span = Span::from_millis(10);
/// The vehicle's check keeps its phase except when its scheduler slips, so a hypothesis spreads to its
/// neighbours once in this many steps: 10 ms in 5 s. In simulation the phase stands still.
const STEPS_PER_SPREAD: u32 = 50;

/// The up/down counter as the set of its possible states, for every phase of the vehicle's check.
///
/// The phase is the same from check to check, so it is carried as a hypothesis rather than as one
/// check more or less per report: ten reports would otherwise be "nine to twenty checks".
#[derive(Clone, Debug)]
pub(super) struct CounterEngine {
    phases: [Phase; PHASES],
    steps: u32,
    watching: bool,
    trip_known: bool,
}

impl CounterEngine {
    /// An engine that knows nothing: the ground may have joined at any time.
    pub(super) fn new() -> Self {
        Self {
            phases: [Phase::unknown(); PHASES],
            steps: 0,
            watching: false,
            trip_known: false,
        }
    }

    /// Everything is possible again: nothing was seen for long.
    pub(super) fn forget(&mut self) {
        *self = Self::new();
    }

    /// Starts to follow whether and when the counter trips from here on.
    pub(super) fn open(&mut self) {
        self.watching = true;
        self.trip_known = false;
        for phase in &mut self.phases {
            phase.never = phase.states.quiet;
            phase.held = 0;
        }
    }

    /// Follows, besides, the histories that are tripped already; returns whether there are any.
    pub(super) fn resume(&mut self) -> bool {
        for phase in &mut self.phases {
            phase.held = phase.states.tripped;
        }
        self.may_be_held()
    }

    pub(super) fn close(&mut self) {
        self.watching = false;
        self.trip_known = false;
        for phase in &mut self.phases {
            phase.never = 0;
            phase.held = 0;
        }
    }

    /// One step of 100 ms from `from` on: every phase has exactly one check in it.
    pub(super) fn step(
        &mut self,
        rule: &EkfRule,
        from: Micros,
        view: &View,
        may_skip: bool,
        watch: Watch,
    ) -> Outcome {
        let before = self.range();
        let whole = view.between(from, from + WIDTH * PHASES as i64);
        let mut may_trip: Option<Bounds> = None;
        let mut may_clear: Option<Bounds> = None;
        if let Some(bad) = self.quiet_step(rule, whole, watch.is_on()) {
            return self.outcome(before, None, None, bad);
        }
        self.steps = self.steps.wrapping_add(1);
        let spreads = self.steps.is_multiple_of(STEPS_PER_SPREAD);
        // The common case besides: the whole step is judged alike.
        let (range, lost) = whole;
        let alike = (rule.filter == Filter::None)
            .then(|| rule.over_range(range).or(lost))
            .filter(|bad| *bad != Truth::Unknown);
        let mut bad_overall = None;
        let mut last: Option<(Phase, Check)> = None;
        // Neighbours mostly bear the same reports, are in one state, and one check takes them to one state again.
        let mut judged: Option<(Bearing, Truth)> = None;
        let mut same: Option<(Phase, Check, Phase, (bool, bool))> = None;
        for (n, phase) in self.phases.iter_mut().enumerate() {
            let start = from + WIDTH * n as i64;
            let at = Bounds::new(start, start + WIDTH);
            let bad = alike.unwrap_or_else(|| {
                let bearing = view.bearing_on(at.earliest(), at.latest());
                let judged_before = judged.filter(|(b, _)| *b == bearing);
                if let Some((_, bad)) = judged_before.filter(|_| rule.filter == Filter::None) {
                    return bad;
                }
                let (range, lost) = view.of(bearing);
                let bad = phase.judge(rule, range).or(lost);
                judged = Some((bearing, bad));
                bad
            });
            let check = Check {
                bad,
                runs: view.runs,
                may_skip,
            };
            bad_overall = Some(bad_overall.map_or(check.bad, |b: Truth| b.either(check.bad)));
            last = Some((*phase, check));
            let watch_now = watch.at(at);
            let (trips, clears) = match &same {
                Some((before, with, after, outcome))
                    if *with == check && *before == *phase && !watch_now.is_on() =>
                {
                    *phase = *after;
                    *outcome
                }
                _ => {
                    let before = *phase;
                    let outcome = phase.tick(check, watch_now, self.trip_known);
                    same = (!watch_now.is_on()).then_some((before, check, *phase, outcome));
                    outcome
                }
            };
            let hull = |sum: Option<Bounds>| Some(sum.map_or(at, |b| b.hull(at)));
            if trips {
                may_trip = hull(may_trip);
            }
            if clears {
                may_clear = hull(may_clear);
            }
        }
        if let Some((before_tick, check)) = last.filter(|_| spreads) {
            self.spread(before_tick, check);
        }
        self.outcome(
            before,
            may_trip,
            may_clear,
            bad_overall.unwrap_or(Truth::Unknown),
        )
    }

    /// The common step in which nothing can happen, without walking the phases: count zero and every
    /// ratio under the threshold. An hour without trouble is made of these.
    fn quiet_step(
        &mut self,
        rule: &EkfRule,
        (range, lost): (RatioRange, Truth),
        watched: bool,
    ) -> Option<Truth> {
        let idle = !self.watching
            && !watched
            && lost == Truth::No
            && self.phases.iter().all(|p| p.states == CountStates::ZERO);
        if !idle || rule.over_range(range).possible() {
            return None;
        }
        if let Filter::LowPass(low_pass) | Filter::Either(low_pass) = rule.filter {
            // One range for all phases: they have converged or will within a second.
            let filtered = self
                .phases
                .iter()
                .map(|p| p.filtered)
                .reduce(RatioRange::hull)?;
            if rule.over_range(filtered.hull(range)).possible() {
                return None;
            }
            let filtered = low_pass.apply_range(filtered, range);
            for phase in &mut self.phases {
                phase.filtered = filtered;
            }
        }
        Some(Truth::No)
    }

    fn outcome(
        &self,
        before: (u8, u8),
        may_trip: Option<Bounds>,
        may_clear: Option<Bounds>,
        bad: Truth,
    ) -> Outcome {
        let after = self.range();
        Outcome {
            low: before.0.min(after.0),
            high: before.1.max(after.1),
            rests_at: after,
            tripped: self.tripped(),
            may_trip,
            may_clear,
            trip_settled: self.phases.iter().all(|p| p.never == 0),
            clear_settled: self.phases.iter().all(|p| p.held == 0),
            at_rest: self.phases.iter().all(|p| p.never & !1 == 0 && p.held == 0),
            bad,
        }
    }

    fn alive(&self) -> impl Iterator<Item = &Phase> {
        self.phases.iter().filter(|p| !p.states.is_empty())
    }

    /// Lowest and highest count over all hypotheses.
    fn range(&self) -> (u8, u8) {
        self.alive()
            .filter_map(|p| p.states.range())
            .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
            .unwrap_or((0, EkfRule::LIMIT))
    }

    pub(super) fn tripped(&self) -> Truth {
        self.alive()
            .map(|p| p.states.is_tripped())
            .reduce(Truth::either)
            .unwrap_or(Truth::Unknown)
    }

    /// Where in each 100 ms the check may fall, when that is less than everywhere: microseconds from
    /// the full tenth of vehicle time.
    pub(super) fn phase(&self) -> Option<Bounds> {
        let alive = self
            .phases
            .iter()
            .enumerate()
            .filter(|(_, p)| !p.states.is_empty())
            .map(|(n, _)| {
                let start = Micros::default() + WIDTH * n as i64;
                Bounds::new(start, start + WIDTH)
            })
            .reduce(Bounds::hull)?;
        (alive.width() < WIDTH * PHASES as i64).then_some(alive)
    }

    /// Evidence's window has passed: keep only the histories that agree with it.
    ///
    /// Returns whether any does. If none does and the evidence is beyond doubt (`must`), it wins over
    /// the reports, which then did not show everything.
    pub(super) fn conclude(&mut self, tripped: bool, must: bool) -> bool {
        let fits = |s: CountStates| {
            if tripped {
                s.tripped != 0
            } else {
                s.quiet != 0
            }
        };
        let kept = |s: CountStates| {
            if tripped {
                CountStates { quiet: 0, ..s }
            } else {
                CountStates { tripped: 0, ..s }
            }
        };
        let fresh = |p: &Phase| if tripped { p.fresh_trip } else { p.fresh_clear };
        let explained = if self.phases.iter().any(|p| !fresh(p).is_empty()) {
            for phase in &mut self.phases {
                phase.states = fresh(phase);
            }
            true
        } else if self.phases.iter().any(|p| fits(p.states)) {
            // Older news than its window allows: a slow link.
            for phase in &mut self.phases {
                phase.states = kept(phase.states);
            }
            true
        } else if must {
            for phase in &mut self.phases {
                // Some checks have run since: at most two in the window of a text.
                phase.states = if tripped {
                    CountStates {
                        quiet: 0,
                        tripped: 0b111 << (EkfRule::LIMIT - 2),
                    }
                } else {
                    CountStates {
                        quiet: 0b111,
                        tripped: 0,
                    }
                };
            }
            false
        } else {
            false
        };
        for phase in &mut self.phases {
            phase.disregard(tripped);
            if explained || must {
                if tripped {
                    phase.held = phase.states.tripped;
                }
                if phase.states.is_empty() {
                    phase.held = 0;
                }
            }
        }
        if tripped && (explained || must) {
            self.trip_known = true;
        }
        explained
    }

    /// The vehicle said it is in no failsafe, within this step: it is not tripped, unless it clears in
    /// the very step. Returns whether the reports agree.
    pub(super) fn not_tripped(&mut self) -> bool {
        const ABOUT_TO_CLEAR: u16 = 0b111;
        let left = |s: CountStates| CountStates {
            tripped: s.tripped & ABOUT_TO_CLEAR,
            ..s
        };
        if self.phases.iter().all(|p| left(p.states).is_empty()) {
            return false;
        }
        for phase in &mut self.phases {
            phase.states = left(phase.states);
            phase.held &= ABOUT_TO_CLEAR;
        }
        true
    }

    /// The same at the end of that step: only a trip in the step itself, after the vehicle spoke, is left.
    pub(super) fn not_tripped_before_end(&mut self) {
        const JUST_TRIPPED: u16 = 1 << EkfRule::LIMIT;
        let left = |s: CountStates| CountStates {
            tripped: s.tripped & JUST_TRIPPED,
            ..s
        };
        if self.phases.iter().all(|p| left(p.states).is_empty()) {
            return;
        }
        for phase in &mut self.phases {
            phase.states = left(phase.states);
            phase.held &= JUST_TRIPPED;
        }
    }

    /// Whether a history is left in which the open excursion is tripped.
    pub(super) fn may_be_held(&self) -> bool {
        self.phases.iter().any(|p| p.held != 0)
    }

    /// Drops what was noted for evidence that turned out to tell nothing new.
    pub(super) fn disregard(&mut self, trip: bool) {
        for phase in &mut self.phases {
            phase.disregard(trip);
        }
    }

    /// Lets every hypothesis spread to its neighbours, at the end of a step. `before_tick` is the last
    /// phase as it was before this step's check, `check` that check.
    ///
    /// Across the full tenth the number of checks changes with the phase. The last phase, sliding
    /// later, has this step's check still before it as the first phase of the next step; the first,
    /// sliding earlier, has the next step's check already now, as the last phase of this one.
    fn spread(&mut self, before_tick: Phase, check: Check) {
        let old = self.phases;
        let early = old.first().map(|first| {
            let mut early = *first;
            early.tick(check, Watch::default(), self.trip_known);
            early
        });
        let count = self.phases.len();
        for (n, phase) in self.phases.iter_mut().enumerate() {
            let earlier = match n.checked_sub(1) {
                Some(n) => old.get(n).copied(),
                None => Some(before_tick),
            };
            let later = if n + 1 == count {
                early
            } else {
                old.get(n + 1).copied()
            };
            for other in [earlier, later].into_iter().flatten() {
                phase.join(&other);
            }
        }
    }
}
