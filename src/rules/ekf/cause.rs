use std::collections::VecDeque;

use crate::time::{Micros, Span};

use super::feed::Judged;
use super::{EkfRule, Points, Truth};

/// Why checks failed, in the terms of the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// Velocity alone: it counts twice on Rover 4.4 and later.
    VelocityTwice,
    /// Copter: velocity at twice the threshold is enough.
    VelocityFarOver,
    /// Sub: velocity alone is enough.
    Velocity,
    /// Sub: compass alone is enough.
    Compass,
    /// Compass and velocity.
    CompassAndVelocity,
    /// Compass and position.
    CompassAndPosition,
    /// Velocity and position.
    VelocityAndPosition,
    /// The position flags are down.
    PositionLost,
    /// The vehicle flies by DCM instead of the estimator.
    DcmFallback,
    /// Nothing that was reported explains it.
    Unexplained,
}

impl Cause {
    /// The cause in words that complete "because ...".
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::VelocityTwice => "velocity alone is over: it counts twice on this version",
            Self::VelocityFarOver => "velocity is over twice the threshold",
            Self::Velocity => "velocity is over",
            Self::Compass => "compass is over (vector length)",
            Self::CompassAndVelocity => "compass and velocity are over",
            Self::CompassAndPosition => "compass and position are over",
            Self::VelocityAndPosition => "velocity and position are over",
            Self::PositionLost => "the estimator has no usable horizontal position",
            Self::DcmFallback => "the vehicle fell back to DCM: the estimator is not in use",
            Self::Unexplained => "the reports seen do not show why",
        }
    }

    /// The cause that one report shows, taking an open compass as over.
    pub(super) fn of(rule: &EkfRule, report: &Judged, fallback: Truth) -> Option<Self> {
        if fallback.certain() && report.lost.possible() {
            return Some(Self::DcmFallback);
        }
        if report.lost.possible() {
            return Some(Self::PositionLost);
        }
        if !report.over.possible() {
            return None;
        }
        let ratios = report.range.high;
        let velocity = ratios.velocity >= rule.threshold;
        let position = ratios.position >= rule.threshold;
        let compass = rule.compass.at_most(ratios.compass) >= rule.threshold;
        Some(match (rule.points, compass, velocity, position) {
            (Points::Sub, _, true, _) => Self::Velocity,
            (Points::Sub, ..) => Self::Compass,
            (_, true, true, _) => Self::CompassAndVelocity,
            (_, _, true, true) => Self::VelocityAndPosition,
            (_, true, _, true) => Self::CompassAndPosition,
            (Points::Rover, ..) => Self::VelocityTwice,
            (Points::Copter, ..) => Self::VelocityFarOver,
        })
    }
}

/// What the last reports showed, so that a trip can be explained by the checks that led to it.
#[derive(Clone, Debug, Default)]
pub(super) struct RecentCauses(VecDeque<(Micros, Cause)>);

impl RecentCauses {
    /// Ten bad checks and as many good ones in between.
    const WINDOW: Span = Span::from_secs(2);

    pub(super) fn note(&mut self, at: Micros, cause: Cause) {
        if self.0.back().is_none_or(|(last, _)| *last < at) {
            self.0.push_back((at, cause));
        }
        while self
            .0
            .front()
            .is_some_and(|(first, _)| at - *first > Self::WINDOW)
        {
            self.0.pop_front();
        }
    }

    /// The cause shown most often in the time before `at`; the newest of several.
    pub(super) fn before(&self, at: Micros) -> Option<Cause> {
        let recent = || {
            self.0
                .iter()
                .filter(move |(t, _)| *t <= at && at - *t <= Self::WINDOW)
                .map(|(_, cause)| *cause)
        };
        recent().max_by_key(|cause| recent().filter(|c| c == cause).count())
    }
}
