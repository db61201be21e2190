use super::engine::Watch;
use super::ratios::{RatioRange, Ratios};
use super::states::{Check, CountStates};
use super::{EkfRule, Filter, Truth};

/// One hypothesis of where in each 100 ms the vehicle's check falls, and what follows from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Phase {
    /// All states that what was seen allows.
    pub(super) states: CountStates,
    /// Of the open excursion: untripped states that have not tripped in it.
    pub(super) never: u16,
    /// Of the open excursion: tripped states that have not cleared in it.
    pub(super) held: u16,
    /// States that tripped inside the window of evidence of a trip.
    pub(super) fresh_trip: CountStates,
    /// States that cleared inside the window of evidence of a clear. Apart, since the two windows may
    /// overlap: a heartbeat tells of the trip late, a text of the clear at once.
    pub(super) fresh_clear: CountStates,
    /// The low-pass.
    pub(super) filtered: RatioRange,
}

impl Phase {
    /// Nothing is known.
    pub(super) fn unknown() -> Self {
        let mut anything = RatioRange::exact(Ratios::default());
        anything.forget_velocity();
        anything.forget_position();
        Self {
            states: CountStates::ANY,
            never: 0,
            held: 0,
            fresh_trip: CountStates::NONE,
            fresh_clear: CountStates::NONE,
            filtered: anything,
        }
    }

    pub(super) fn join(&mut self, other: &Self) {
        if !other.states.is_empty() {
            self.filtered = if self.states.is_empty() {
                other.filtered
            } else {
                self.filtered.hull(other.filtered)
            };
        }
        self.states = self.states.union(other.states);
        self.never |= other.never;
        self.held |= other.held;
        self.fresh_trip = self.fresh_trip.union(other.fresh_trip);
        self.fresh_clear = self.fresh_clear.union(other.fresh_clear);
    }

    /// Forgets what was noted for evidence of a trip or a clear. What is noted for the other kind stays
    /// as far as it fits what is known now.
    pub(super) fn disregard(&mut self, trip: bool) {
        let states = self.states;
        let common = |s: CountStates| CountStates {
            quiet: s.quiet & states.quiet,
            tripped: s.tripped & states.tripped,
        };
        self.fresh_trip = if trip {
            CountStates::NONE
        } else {
            common(self.fresh_trip)
        };
        self.fresh_clear = if trip {
            common(self.fresh_clear)
        } else {
            CountStates::NONE
        };
    }

    /// Whether ratios in `range` make this phase's check fail, after its low-pass.
    pub(super) fn judge(&mut self, rule: &EkfRule, range: RatioRange) -> Truth {
        match rule.filter {
            Filter::None => rule.over_range(range),
            Filter::LowPass(low_pass) => {
                self.filtered = low_pass.apply_range(self.filtered, range);
                rule.over_range(self.filtered)
            }
            Filter::Either(low_pass) => {
                self.filtered = low_pass.apply_range(self.filtered, range);
                rule.over_range(self.filtered)
                    .either(rule.over_range(range))
            }
        }
    }

    /// One check; returns whether the open excursion may have tripped and cleared by it.
    pub(super) fn tick(&mut self, check: Check, watch: Watch, trip_known: bool) -> (bool, bool) {
        self.fresh_trip = self.fresh_trip.after(check);
        self.fresh_clear = self.fresh_clear.after(check);
        if watch.trip.is_some() {
            let about_to = CountStates {
                quiet: self.states.quiet & 1 << (EkfRule::LIMIT - 1),
                tripped: 0,
            };
            self.fresh_trip.tripped |= about_to.after(check).tripped;
        }
        if watch.clear.is_some() {
            let about_to = CountStates {
                quiet: 0,
                tripped: self.states.tripped,
            };
            self.fresh_clear.quiet |= about_to.after(check).quiet;
        }
        self.states = self.states.after(check);
        let never = CountStates {
            quiet: self.never,
            tripped: 0,
        }
        .after(check);
        let held = CountStates {
            quiet: 0,
            tripped: self.held,
        }
        .after(check);
        self.never = never.quiet;
        self.held = held.tripped | if trip_known { 0 } else { never.tripped };
        (never.tripped != 0, held.quiet != 0)
    }
}
