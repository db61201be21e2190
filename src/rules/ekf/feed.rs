use std::collections::VecDeque;

use crate::observation::{EkfFlags, EkfStatusReport, SystemStatus};
use crate::time::{Micros, Span};

use super::ratios::{RatioRange, Ratios};
use super::{EkfRule, Truth};

/// How far a report's or text's vehicle time may be off: the mapping of clocks and the vehicle's send
/// queue. Measured on recordings: 95 % of reports within 5 ms.
pub(super) const TIME_ERROR: Span = Span::from_millis(15);

/// Reports no farther apart than this, that is at 10 Hz, are taken to leave no room for a value that
/// nobody saw. The compass and a 10 Hz GPS are fused about every 100 ms, so that this is an assumption
/// for them; for the usual 5 Hz GPS it follows.
pub(super) const SHORTEST_HOLD: Span = Span::from_millis(130);

/// How late a text may leave the vehicle's queue behind the event it tells.
pub(super) const TEXT_DELAY: Span = Span::from_millis(100);

/// One EKF_STATUS_REPORT.
#[derive(Clone, Copy, Debug)]
pub(super) struct Report {
    pub(super) at: Micros,
    pub(super) ratios: Ratios,
    pub(super) flags: EkfFlags,
}

/// One HEARTBEAT of the autopilot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct VehicleState {
    pub(super) at: Micros,
    pub(super) armed: bool,
    pub(super) mode: u32,
    pub(super) status: SystemStatus,
}

impl VehicleState {
    /// Some failsafe is active.
    pub(super) fn is_critical(&self) -> bool {
        self.status == SystemStatus::CRITICAL
    }

    /// No failsafe is active. Other states (calibrating, terminated) say neither.
    pub(super) fn is_well(&self) -> bool {
        matches!(self.status, SystemStatus::STANDBY | SystemStatus::ACTIVE)
    }
}

/// What was seen and is still needed: reports and heartbeats around the steps not yet taken.
#[derive(Clone, Debug, Default)]
pub(super) struct Feed {
    reports: VecDeque<Report>,
    vehicle: VecDeque<VehicleState>,
    /// When the estimator went out of use (`true`) or came back, in order.
    fallback: Vec<(Micros, bool)>,
}

impl Feed {
    pub(super) fn report(&mut self, at: Micros, report: &EkfStatusReport) {
        self.reports.push_back(Report {
            at,
            ratios: Ratios::from(report),
            flags: report.flags,
        });
    }

    /// The last report once more at `at`: for the question what happens if nothing changes.
    pub(super) fn repeat_last(&mut self, at: Micros) {
        if let Some(last) = self.reports.back().copied() {
            self.reports.push_back(Report { at, ..last });
        }
    }

    pub(super) fn vehicle(&mut self, state: VehicleState) {
        self.vehicle.push_back(state);
    }

    pub(super) fn fallback(&mut self, at: Micros, active: bool) {
        self.fallback.push((at, active));
    }

    pub(super) fn last_report(&self) -> Option<Report> {
        self.reports.back().copied()
    }

    pub(super) fn last_vehicle(&self) -> Option<VehicleState> {
        self.vehicle.back().copied()
    }

    /// The newest heartbeat at or before `at`.
    pub(super) fn vehicle_at(&self, at: Micros) -> Option<VehicleState> {
        self.vehicle.iter().rev().find(|v| v.at <= at).copied()
    }

    /// Heartbeats from `from` up to before `to`.
    pub(super) fn vehicle_between(
        &self,
        from: Micros,
        to: Micros,
    ) -> impl Iterator<Item = VehicleState> + '_ {
        self.vehicle
            .iter()
            .copied()
            .filter(move |v| from <= v.at && v.at < to)
    }

    /// Forgets what no step from `from` on can need: all but the last entry before it.
    pub(super) fn prune(&mut self, from: Micros) {
        while self
            .reports
            .get(1)
            .is_some_and(|r| r.at <= from - TIME_ERROR)
        {
            self.reports.pop_front();
        }
        // What flew before is asked for after the step.
        let before = from - Span::from_secs(1);
        while self.vehicle.get(1).is_some_and(|v| v.at <= before) {
            self.vehicle.pop_front();
        }
        while self.fallback.get(1).is_some_and(|f| f.0 <= before) {
            self.fallback.remove(0);
        }
    }

    /// Fills `view` with what may have held from `from` to `to`, the errors of time included.
    pub(super) fn look(&self, rule: &EkfRule, from: Micros, to: Micros, view: &mut View) {
        let (from, to) = (from - TIME_ERROR, to + TIME_ERROR);
        let (armed, mode) = self.armed_and_mode(from, to);
        view.fallback = self.fallback_between(from, to);
        view.runs = rule.runs(armed, mode);
        // Two fixes fit between reports whose true distance exceeds one interval.
        let certain = rule.gps_interval - TIME_ERROR * 2;
        view.hold = if certain > SHORTEST_HOLD {
            certain
        } else {
            SHORTEST_HOLD
        };
        view.reports.clear();
        let first = self.reports.iter().take_while(|r| r.at <= from).count();
        for report in self.reports.iter().skip(first.saturating_sub(1)) {
            let range = RatioRange::exact(report.ratios);
            view.reports.push(Judged {
                at: report.at,
                range,
                over: rule.over_range(range),
                lost: rule.position_lost(report.flags, armed, !view.fallback),
                origin: report.flags.contains(EkfFlags::POS_HORIZ_ABS),
            });
            if report.at >= to {
                break;
            }
        }
        view.ignores_position = rule.position == super::PositionPart::Ignored;
    }

    fn armed_and_mode(&self, from: Micros, to: Micros) -> (Truth, Option<u32>) {
        let mut armed: Option<Truth> = None;
        let mut mode: Option<Option<u32>> = None;
        let mut before = false;
        let mut note = |v: &VehicleState| {
            let is = Truth::from(v.armed);
            armed = Some(armed.map_or(is, |a| a.either(is)));
            mode = Some(match mode {
                None => Some(v.mode),
                Some(Some(m)) if m == v.mode => Some(m),
                Some(_) => None,
            });
        };
        let first = self.vehicle.iter().rposition(|v| v.at <= from);
        for v in self.vehicle.iter().skip(first.unwrap_or(0)) {
            before |= v.at <= from;
            note(v);
            if v.at >= to {
                break;
            }
        }
        let (Some(armed), Some(mode), true) = (armed, mode, before) else {
            return (Truth::Unknown, None);
        };
        (armed, mode)
    }

    fn fallback_between(&self, from: Micros, to: Micros) -> Truth {
        let mut state = Truth::No;
        for &(at, active) in &self.fallback {
            let active = Truth::from(active);
            if at <= from {
                state = active;
            } else if at - TEXT_DELAY <= to {
                // The news may be late: it may have been so already.
                state = state.either(active);
            }
        }
        state
    }
}

/// A report with what it means under the rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judged {
    pub(super) at: Micros,
    pub(super) range: RatioRange,
    /// Whether the ratios, unfiltered, are over.
    pub(super) over: Truth,
    pub(super) lost: Truth,
    pub(super) origin: bool,
}

/// Reports of a [`View`]: the last one before an instant and all up to the first one after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bearing {
    first: usize,
    end: usize,
    /// There is one on either side.
    bracketed: bool,
}

/// What may have held during one step.
#[derive(Clone, Debug)]
pub(super) struct View {
    /// The last report before the step, those in it, and the first one after it.
    pub(super) reports: Vec<Judged>,
    /// Whether the check runs.
    pub(super) runs: Truth,
    /// Whether DCM has taken over.
    pub(super) fallback: Truth,
    hold: Span,
    ignores_position: bool,
}

impl View {
    pub(super) const fn new() -> Self {
        Self {
            reports: Vec::new(),
            runs: Truth::Unknown,
            fallback: Truth::No,
            hold: Span::ZERO,
            ignores_position: false,
        }
    }

    /// The ratios and the position's loss somewhere from `from` to `to`, errors of time included.
    ///
    /// Between two reports every check saw the values of the one or the other, as long as no further
    /// fix fits in between: that is what the hold times say. Farther apart, anything is possible.
    pub(super) fn between(&self, from: Micros, to: Micros) -> (RatioRange, Truth) {
        self.of(self.bearing_on(from, to))
    }

    /// Which reports bear on `from..=to`: two instants with the same ones were judged alike.
    pub(super) fn bearing_on(&self, from: Micros, to: Micros) -> Bearing {
        let (from, to) = (from - TIME_ERROR, to + TIME_ERROR);
        let before = self.reports.iter().rposition(|r| r.at <= from);
        let after = self.reports.iter().position(|r| r.at >= to);
        Bearing {
            first: before.unwrap_or(0),
            end: after.map_or(self.reports.len(), |after| after + 1),
            bracketed: before.is_some() && after.is_some(),
        }
    }

    /// What these reports leave open.
    pub(super) fn of(&self, bearing: Bearing) -> (RatioRange, Truth) {
        let reports = self
            .reports
            .get(bearing.first..bearing.end)
            .unwrap_or_default();
        let apart = reports.windows(2).filter_map(|pair| match pair {
            [a, b] => Some(b.at - a.at),
            _ => None,
        });
        let widest = apart.max().unwrap_or_default();
        let (mut range, mut lost) = reports
            .iter()
            .map(|report| (report.range, report.lost))
            .reduce(|a, b| (a.0.hull(b.0), a.1.either(b.1)))
            .unwrap_or((RatioRange::exact(Ratios::default()), Truth::Unknown));
        if !bearing.bracketed || widest > SHORTEST_HOLD {
            range.forget_compass();
        }
        if !bearing.bracketed || widest > self.hold {
            range.forget_velocity();
            range.forget_position();
            lost = Truth::Unknown;
        }
        // DCM is told by a text, not by reports, and holds whatever their rate.
        if self.fallback.certain() {
            lost = Truth::Yes;
        }
        if self.ignores_position {
            lost = Truth::No;
        }
        (range, lost)
    }
}
