use crate::time::{Bounds, Micros, Span};

use super::cause::Cause;
use super::engine::{Engine, Outcome, Watch};
use super::feed::{Feed, VehicleState, View};
use super::{EkfRule, RunsWhen, Truth};

/// Length of a step: one check of the counter.
pub(super) const STEP: Span = Span::from_millis(100);

/// So long heartbeats or reports are waited for before steps are taken without them.
pub(super) const PATIENCE: Span = Span::from_secs(3);
/// After a hole of this length everything is possible and the steps inside it are not walked.
pub(super) const HOLE: Span = Span::from_secs(10);

/// The engine on its way through the steps of vehicle time, with what it still needs to have seen.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    pub(super) feed: Feed,
    pub(super) engine: Engine,
    view: View,
    /// Start of the next step, in whole steps; `None` before anything was seen.
    pub(super) next: Option<i64>,
    /// Some check passed for certain.
    passed_once: bool,
    /// The estimator has an origin; before that no check runs.
    origin_known: bool,
}

/// What the reports around a step showed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sign {
    /// The first bad report.
    pub(super) at: Micros,
    pub(super) cause: Cause,
    /// Some report can be judged either way.
    pub(super) open: bool,
}

impl Walk {
    pub(super) fn new(rule: &EkfRule) -> Self {
        Self {
            feed: Feed::default(),
            engine: Engine::new(rule),
            view: View::new(),
            next: None,
            passed_once: false,
            origin_known: false,
        }
    }

    pub(super) fn step_of(at: Micros) -> i64 {
        at.as_micros().div_euclid(STEP.as_micros())
    }

    pub(super) fn start_of(step: i64) -> Micros {
        Micros::from_micros(step.saturating_mul(STEP.as_micros()))
    }

    /// Gathers what bears on the step from `from` on; returns the last bad report, if the check runs.
    pub(super) fn look(&mut self, rule: &EkfRule, from: Micros) -> Option<Sign> {
        self.feed.prune(from);
        self.feed.look(rule, from, from + STEP, &mut self.view);
        self.origin_known |= self.view.reports.iter().any(|r| r.origin);
        if self.view.runs == Truth::No {
            return None;
        }
        let fallback = self.view.fallback;
        let open = self.view.reports.iter().any(|r| r.over == Truth::Unknown);
        self.view.reports.iter().rev().find_map(|report| {
            Cause::of(rule, report, fallback).map(|cause| Sign {
                at: report.at,
                cause,
                open,
            })
        })
    }

    /// Takes the step that was looked at.
    pub(super) fn step(&mut self, rule: &EkfRule, from: Micros, watch: Watch) -> Outcome {
        let waits = !self.origin_known || (rule.runs == RunsWhen::Always && !self.passed_once);
        let outcome = self.engine.step(rule, from, &self.view, waits, watch);
        self.passed_once |= outcome.bad == Truth::No;
        outcome
    }

    /// Walks until the step that contains `to` is taken or `stop` says so.
    pub(super) fn on_to(
        &mut self,
        rule: &EkfRule,
        to: Micros,
        mut stop: impl FnMut(&Outcome) -> bool,
    ) -> Option<Outcome> {
        let end = Self::step_of(to);
        let mut next = self.next?;
        if end - next > HOLE.as_micros() / STEP.as_micros() {
            self.engine.forget();
            next = end - 1;
        }
        let mut last = None;
        while next <= end {
            let from = Self::start_of(next);
            self.look(rule, from);
            let outcome = self.step(rule, from, Watch::default());
            last = Some(outcome);
            if stop(&outcome) {
                break;
            }
            next += 1;
        }
        last
    }

    /// When it trips if everything stays as last reported; uses the walk up.
    pub(super) fn trips_if_nothing_changes(
        mut self,
        rule: &EkfRule,
        now: Micros,
    ) -> Option<Bounds> {
        let last = self.feed.last_report()?.at;
        // Reports that stopped long ago say nothing about now.
        if now - last > PATIENCE {
            return None;
        }
        let end = now + EkfRule::SUB_PATIENCE + STEP * 5;
        let mut at = last + STEP;
        while at <= end + STEP {
            self.feed.repeat_last(at);
            at += STEP;
        }
        if let Some(vehicle) = self.feed.last_vehicle() {
            self.feed.vehicle(VehicleState {
                at: end + STEP,
                ..vehicle
            });
        }
        self.engine.open();
        let mut trip: Option<Bounds> = None;
        let mut settled = false;
        self.on_to(rule, end, |outcome| {
            if let Some(may) = outcome.may_trip {
                trip = Some(trip.map_or(may, |t| t.hull(may)));
            }
            settled = outcome.trip_settled;
            settled
        })?;
        trip.filter(|_| settled)
    }
}
