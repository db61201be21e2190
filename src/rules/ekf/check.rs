use crate::observation::EkfFlags;
use crate::time::Micros;

use super::{EkfRule, Filter, Method, Ratios, RunsWhen, Truth};

/// Everything one check looks at, exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CheckInput {
    /// Velocity and position ratios, and the compass as the vehicle measures it: vector length or
    /// largest axis, see [`EkfRule::compass`].
    pub ratios: Ratios,
    /// The estimator's status flags.
    pub flags: EkfFlags,
    /// Whether the estimator, not DCM, is in use.
    pub in_use: bool,
    /// Armed.
    pub armed: bool,
    /// Mode number.
    pub mode: u32,
    /// A healthy optical flow sensor (Copter).
    pub flow_healthy: bool,
}

/// What a check changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckEvent {
    /// The failsafe tripped (ERR 16/2).
    Tripped,
    /// It cleared (ERR 16/0).
    Cleared,
    /// The check stopped running (disarmed, another mode, switched off) while tripped.
    Reset,
}

/// The vehicle's own EKF check, to be ticked every [`EkfRule::period`] with exact inputs.
///
/// Where a rule leaves something open (unknown version), the later firmware's rule is taken.
#[derive(Clone, Debug)]
pub struct EkfCheck {
    rule: EkfRule,
    count: u8,
    tripped: bool,
    passed_once: bool,
    filtered: Option<Ratios>,
    last_good: Option<Micros>,
}

impl EkfCheck {
    /// A check at power-on.
    #[must_use]
    pub const fn new(rule: EkfRule) -> Self {
        Self {
            rule,
            count: 0,
            tripped: false,
            passed_once: false,
            filtered: None,
            last_good: None,
        }
    }

    /// The count now (always 0 for Sub's timer).
    #[must_use]
    pub const fn count(&self) -> u8 {
        self.count
    }

    /// Whether the failsafe is tripped.
    #[must_use]
    pub const fn tripped(&self) -> bool {
        self.tripped
    }

    /// A parameter changed: from now on it follows `rule`, of the same vehicle.
    pub fn change_rule(&mut self, rule: EkfRule) {
        self.rule = rule;
    }

    /// The rule it follows.
    #[must_use]
    pub const fn rule(&self) -> &EkfRule {
        &self.rule
    }

    /// One check at `at`.
    pub fn tick(&mut self, at: Micros, input: &CheckInput) -> Option<CheckEvent> {
        let ratios = self.filter(input.ratios);
        let runs = self
            .rule
            .runs(Truth::from(input.armed), Some(input.mode))
            .possible();
        if !runs {
            self.count = 0;
            self.last_good = Some(at);
            return std::mem::take(&mut self.tripped).then_some(CheckEvent::Reset);
        }
        let over = self.rule.over(
            ratios,
            self.rule.velocity_twice.possible(),
            input.flow_healthy,
        );
        let lost = self
            .rule
            .position_lost(
                input.flags,
                Truth::from(input.armed),
                Truth::from(input.in_use),
            )
            .certain();
        match self.rule.method {
            Method::Counter => self.count_check(over || lost),
            Method::Timer => self.time_check(at, over),
        }
    }

    fn filter(&mut self, input: Ratios) -> Ratios {
        let (Filter::LowPass(low_pass) | Filter::Either(low_pass)) = self.rule.filter else {
            return input;
        };
        let state = self.filtered.map_or(input, |s| low_pass.apply(s, input));
        self.filtered = Some(state);
        state
    }

    fn count_check(&mut self, bad: bool) -> Option<CheckEvent> {
        self.passed_once |= !bad;
        // Copter that counts disarmed waits for the first passed check since boot.
        if self.rule.runs == RunsWhen::Always && !self.passed_once {
            return None;
        }
        if bad {
            if self.tripped {
                return None;
            }
            self.count += 1;
            self.tripped = self.count >= EkfRule::LIMIT;
            return self.tripped.then_some(CheckEvent::Tripped);
        }
        self.count = self.count.saturating_sub(1);
        (self.count == 0 && std::mem::take(&mut self.tripped)).then_some(CheckEvent::Cleared)
    }

    fn time_check(&mut self, at: Micros, bad: bool) -> Option<CheckEvent> {
        let last_good = *self.last_good.get_or_insert(at);
        if !bad {
            self.last_good = Some(at);
            return std::mem::take(&mut self.tripped).then_some(CheckEvent::Cleared);
        }
        let trips = !self.tripped && at - last_good >= EkfRule::SUB_PATIENCE;
        self.tripped |= trips;
        trips.then_some(CheckEvent::Tripped)
    }
}
