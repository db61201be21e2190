use crate::rules::{Explanation, Knowledge, Observed, Step, StepKind};
use crate::time::{Bounds, Micros, Seconds, Span};

use super::engine::Outcome;
use super::evidence::Evidence;
use super::feed::SHORTEST_HOLD;
use super::{Cause, EkfEpisode, EkfRule, Method, PositionPart, Truth};

/// So long after the last sign of trouble an excursion is over, when nothing proves that it is: a
/// full count needs half of that to run out.
const CALM: Span = Span::from_secs(2);

/// So long a low-pass keeps checks failing after the last bad report.
const FILTER_TAIL: Span = Span::from_millis(500);

/// An upset that is being followed: it becomes an [`EkfEpisode`] if a trip is proven or possible.
#[derive(Clone, Debug)]
pub(super) struct Excursion {
    began: Micros,
    last_sign: Micros,
    trip: Option<Bounds>,
    certain: bool,
    refuted: bool,
    pub(super) observed_trip: Option<Observed>,
    clear: Option<Bounds>,
    clear_certain: bool,
    pub(super) observed_clear: Option<Observed>,
    cause: Option<Cause>,
    vehicle: Option<(bool, u32)>,
    open: bool,
    notes: Vec<(Micros, &'static str)>,
}

impl Excursion {
    pub(super) fn new(began: Micros) -> Self {
        Self {
            began,
            last_sign: began,
            trip: None,
            certain: false,
            refuted: false,
            observed_trip: None,
            clear: None,
            clear_certain: false,
            observed_clear: None,
            cause: None,
            vehicle: None,
            open: false,
            notes: Vec::new(),
        }
    }

    pub(super) const fn began(&self) -> Micros {
        self.began
    }

    /// Trouble shows at `at`; `open` if the report can be judged either way.
    pub(super) fn sign(&mut self, at: Micros, open: bool) {
        self.last_sign = at;
        self.open |= open;
    }

    /// Whether hypotheses would judge it differently.
    pub(super) const fn is_open(&self) -> bool {
        self.open
    }

    pub(super) fn note(&mut self, at: Micros, text: &'static str) {
        self.notes.push((at, text));
    }

    /// Takes in one step. Where reports are rare a trip is possible at any time, and only the time around
    /// a bad report is worth naming.
    pub(super) fn step(&mut self, from: Micros, outcome: &Outcome) {
        let shown = from - self.last_sign <= FILTER_TAIL;
        let hull = |sum: Option<Bounds>, more: Option<Bounds>| match (sum, more) {
            (Some(a), Some(b)) => Some(a.hull(b)),
            (a, b) => a.or(b),
        };
        if !self.certain && shown {
            self.trip = hull(self.trip, outcome.may_trip);
        }
        self.certain |= outcome.trip_settled && self.trip.is_some();
        if !self.clear_certain {
            self.clear = hull(self.clear, outcome.may_clear);
            self.clear_certain = outcome.clear_settled
                && self.clear.is_some()
                && (self.certain || self.observed_trip.is_some());
        }
    }

    pub(super) fn trip_possible(&self) -> bool {
        self.trip.is_some() || self.observed_trip.is_some()
    }

    pub(super) fn has_vehicle(&self) -> bool {
        self.vehicle.is_some()
    }

    pub(super) fn state_before_trip(&mut self, vehicle: Option<(bool, u32)>, cause: Option<Cause>) {
        self.vehicle = vehicle;
        self.cause = self.cause.or(cause);
    }

    pub(super) fn trip_seen(&mut self, evidence: &Evidence, cause: Option<Cause>) {
        self.observed_trip = Some(evidence.observed());
        self.cause = cause.or(self.cause);
        // Clears thought possible before the trip was proven belong to trips that were not.
        self.clear = self
            .clear
            .filter(|c| c.latest() > evidence.window.earliest())
            .map(|c| Bounds::new(c.earliest().max(evidence.window.earliest()), c.latest()));
        self.clear_certain = false;
    }

    pub(super) fn clear_seen(&mut self, evidence: &Evidence) {
        self.observed_clear = Some(evidence.observed());
    }

    /// The vehicle said that it is not tripped although a trip was possible.
    pub(super) fn refute(&mut self) {
        if self.observed_trip.is_some() {
            return;
        }
        if self.certain {
            self.refuted = true;
        } else if self.clear.is_none() {
            self.trip = None;
        }
    }

    /// When its end was shown by evidence, or is certain by the rule.
    pub(super) fn cleared_at(&self) -> Option<Micros> {
        let by_rule = self.clear.filter(|_| self.clear_certain);
        let seen = self.observed_clear.as_ref();
        seen.map(|o| o.at).or(by_rule.map(Bounds::latest))
    }

    /// Takes over that a trip before the first step followed is possible.
    pub(super) const fn may_have_tripped(&mut self, window: Bounds) {
        self.trip = Some(window);
    }

    /// More evidence of the same trip.
    pub(super) fn add_words(&mut self, evidence: &Evidence) {
        let of = if evidence.trip {
            &mut self.observed_trip
        } else {
            &mut self.observed_clear
        };
        if let Some(observed) = of {
            observed.evidence.push_str("; ");
            observed.evidence.push_str(&evidence.words());
        }
    }

    /// Whether nothing more can be learnt about it at `at`.
    pub(super) fn is_over(&self, at: Micros, outcome: &Outcome) -> bool {
        let calm = at - self.last_sign > CALM;
        if let Some(cleared) = &self.observed_clear {
            return self.clear_certain || at - cleared.at > CALM;
        }
        if self.observed_trip.is_some() {
            return self.clear_certain && self.clear.is_some_and(|c| at - c.latest() > CALM);
        }
        if self.certain && self.clear_certain {
            return self.clear.is_some_and(|c| at - c.latest() > CALM);
        }
        outcome.at_rest && self.trip.is_none() || calm
    }

    pub(super) fn into_episode(self, rule: &EkfRule, ongoing: bool) -> Option<EkfEpisode> {
        if !self.trip_possible() && self.observed_clear.is_none() {
            return None;
        }
        let would_act = self
            .vehicle
            .map(|(armed, mode)| rule.would_act(armed, mode));
        let cause = self.cause.unwrap_or(Cause::Unexplained);
        Some(EkfEpisode {
            began: self.began,
            predicted_trip: self.trip,
            certain: self.certain,
            verdict: EkfEpisode::compare(self.trip, self.observed_trip.as_ref()),
            explanation: self.explain(rule, cause),
            candidates: Vec::new(),
            observed_trip: self.observed_trip,
            predicted_clear: self.clear,
            clear_certain: self.clear_certain,
            observed_clear: self.observed_clear,
            ongoing,
            cause,
            vehicle: self.vehicle,
            would_act,
        })
    }

    fn explain(&self, rule: &EkfRule, cause: Cause) -> Explanation {
        let mut steps = vec![Step {
            at: Bounds::exact(self.began),
            kind: StepKind::Note,
            knowledge: Knowledge::Reported,
            text: format!(
                "Checks begin to fail against FS_EKF_THRESH {}: {}.",
                rule.threshold,
                cause.words()
            ),
            source: Some(rule.source()),
        }];
        steps.extend(self.notes.iter().map(|&(at, text)| Step {
            at: Bounds::exact(at),
            kind: StepKind::Note,
            knowledge: Knowledge::Reported,
            text: text.into(),
            source: None,
        }));
        if let Some(trip) = self.trip {
            steps.push(Step {
                at: trip,
                kind: StepKind::Loss,
                knowledge: if self.certain {
                    Knowledge::Inferred
                } else {
                    Knowledge::Uncertain
                },
                text: self.trip_sentence(rule, trip),
                source: Some(rule.source()),
            });
        }
        let mut seen = |observed: &Option<Observed>, kind, what: &str| {
            if let Some(observed) = observed {
                steps.push(Step {
                    at: observed.bounds(),
                    kind,
                    knowledge: Knowledge::Reported,
                    text: format!("{what}: {}.", observed.evidence),
                    source: None,
                });
            }
        };
        seen(
            &self.observed_trip,
            StepKind::Loss,
            "The vehicle says it tripped",
        );
        seen(
            &self.observed_clear,
            StepKind::Regained,
            "The vehicle says it cleared",
        );
        if let Some(clear) = self.clear {
            steps.push(Step {
                at: clear,
                kind: StepKind::Regained,
                knowledge: if self.clear_certain {
                    Knowledge::Inferred
                } else {
                    Knowledge::Uncertain
                },
                text: match rule.method {
                    Method::Counter => {
                        "Ten passed checks in all, not in a row, clear the failsafe.".into()
                    }
                    Method::Timer => "One passed check clears it silently.".into(),
                },
                source: Some(rule.source()),
            });
        }
        if let Some(act) = self
            .vehicle
            .map(|(armed, mode)| rule.would_act(armed, mode))
        {
            let at = self
                .trip
                .or(self.observed_trip.as_ref().map(|o| Bounds::exact(o.at)));
            steps.push(Step {
                at: at.unwrap_or(Bounds::exact(self.began)),
                kind: StepKind::Action,
                knowledge: Knowledge::Inferred,
                text: if act.acts {
                    format!("The vehicle acts: {} ({}).", act.name, act.reason)
                } else {
                    format!("The vehicle warns and does nothing else: {}.", act.reason)
                },
                source: Some("failsafe_ekf_event"),
            });
        }
        steps.sort_by_key(|s| s.at.earliest());
        let mut explanation = Explanation {
            steps,
            premises: rule.premises.clone(),
        };
        explanation.rests_on(
            Knowledge::Assumed,
            format!(
                "between reports at most {} s apart no ratio took a value that neither shows",
                Seconds::with_decimals(SHORTEST_HOLD, 2)
            ),
        );
        if rule.position != PositionPart::Ignored {
            explanation.rests_on(
                Knowledge::Assumed,
                "the vehicle used its estimator except where a text told of DCM",
            );
        }
        if self.refuted {
            explanation.rests_on(
                Knowledge::Uncertain,
                "the vehicle's system_status did not become CRITICAL, as it should have",
            );
        }
        if rule.velocity_twice == Truth::Unknown {
            explanation.rests_on(
                Knowledge::Uncertain,
                "whether velocity counts twice (Rover 4.4 and later) is open",
            );
        }
        explanation.premises.sort_by_key(|p| p.knowledge);
        explanation
    }

    fn trip_sentence(&self, rule: &EkfRule, trip: Bounds) -> String {
        let rule_words = match rule.method {
            Method::Counter => {
                "ten failed checks at ten a second trip the failsafe; each passed one takes one away"
            }
            Method::Timer => "two seconds without a passed check trip the failsafe",
        };
        if self.certain {
            let after = trip.middle() - self.began;
            format!(
                "It trips, {} s after the first bad report: {rule_words}.",
                Seconds::with_decimals(after, 1)
            )
        } else {
            format!("It may trip here: {rule_words}; the reports leave it open.")
        }
    }
}
