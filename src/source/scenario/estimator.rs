use crate::observation::EkfFlags;
use crate::rules::ardupilot::Estimate;
use crate::rules::ekf::Ratios;
use crate::time::{Micros, Span};

use super::clock::SimulatedClock;
use super::model::{ScenarioEstimator, span, within};
use super::noise::Noise;

/// The compass is read so often.
const COMPASS_INTERVAL: Span = Span::from_millis(100);
/// Attitude, velocity, position, all there is in good order (recorded in simulation).
const GOOD: EkfFlags = EkfFlags(0x033f);
/// Attitude, vertical velocity and position, and a constant position held.
const NO_POSITION: EkfFlags = EkfFlags(0x00a5);
/// What a healthy estimator wanders around.
const HEALTHY: Ratios = Ratios {
    velocity: 0.16,
    position: 0.11,
    compass: 0.2,
};
/// A ratio above this is meant as it stands and does not wander.
const WANDERS_BELOW: f32 = 0.3;

/// The ratios of a scenario as an estimator holds them: each value until the sensor's next reading.
#[derive(Clone, Debug)]
pub(super) struct Estimator<'a> {
    rules: &'a ScenarioEstimator,
    clock: &'a SimulatedClock,
    start: Micros,
    seed: u64,
    gps_interval: Span,
    /// When the GPS and the compass read.
    phases: (Span, Span),
}

impl<'a> Estimator<'a> {
    pub(super) fn new(
        rules: &'a ScenarioEstimator,
        clock: &'a SimulatedClock,
        start: Micros,
        seed: u64,
        gps_interval: Span,
    ) -> Self {
        let mut noise = Noise::stream(seed, 11);
        Self {
            rules,
            clock,
            start,
            seed,
            gps_interval,
            phases: (noise.up_to(gps_interval), noise.up_to(COMPASS_INTERVAL)),
        }
    }

    /// What it says at the vehicle's `at`.
    pub(super) fn at(&self, at: Micros) -> Estimate {
        let (gps, compass) = self.phases;
        let fix = last_reading(at, self.gps_interval, gps);
        let reading = last_reading(at, COMPASS_INTERVAL, compass);
        let held = self.ratios(fix);
        let lost = within(
            &self.rules.position_lost_s,
            self.clock.ground(at) - self.start,
        );
        Estimate {
            ratios: Ratios {
                velocity: self.wander(held.velocity, fix, 1),
                position: self.wander(held.position, fix, 2),
                compass: self.wander(self.ratios(reading).compass, reading, 3),
            },
            flags: if lost { NO_POSITION } else { GOOD },
        }
    }

    /// What the scenario says for a reading at the vehicle's `at`.
    fn ratios(&self, at: Micros) -> Ratios {
        let offset = self.clock.ground(at) - self.start;
        self.rules
            .ratios
            .iter()
            .rev()
            .find(|point| span(point.at_s) <= offset)
            .map_or(HEALTHY, |point| Ratios {
                velocity: point.velocity,
                position: point.position,
                compass: point.compass,
            })
    }

    fn wander(&self, ratio: f32, reading: Micros, which: u64) -> f32 {
        if ratio >= WANDERS_BELOW {
            return ratio;
        }
        let stream = reading.as_micros().unsigned_abs().wrapping_mul(4) + which;
        let part = Noise::stream(self.seed, stream).part() as f32;
        (ratio + (part - 0.5) * 0.06).max(0.01)
    }
}

/// The last multiple of `interval` after `phase`, up to `at`.
fn last_reading(at: Micros, interval: Span, phase: Span) -> Micros {
    let since = (at - phase).as_micros();
    let whole = since.div_euclid(interval.as_micros().max(1)) * interval.as_micros();
    Micros::from_micros(whole) + phase
}
