use crate::time::Micros;

use super::model::{Scenario, span};

/// Parts per million: a speed as a whole number, so that no time depends on how floats round.
const UNIT: i64 = 1_000_000;

/// The vehicle's clock beside the ground's: the same until a sped-up simulation lets it run ahead.
#[derive(Clone, Debug)]
pub(super) struct SimulatedClock {
    /// From the ground's instant and the vehicle's on, the vehicle's runs so many millionths as fast.
    pieces: Vec<(Micros, Micros, i64)>,
}

impl SimulatedClock {
    pub(super) fn of(scenario: &Scenario, start: Micros) -> Self {
        let mut pieces = vec![(start, start, UNIT)];
        for (at_s, speed) in &scenario.speed {
            let ground = start + span(*at_s);
            let vehicle = Self {
                pieces: pieces.clone(),
            }
            .vehicle(ground);
            pieces.push((ground, vehicle, (speed * UNIT as f64).round() as i64));
        }
        Self { pieces }
    }

    /// The vehicle's instant at the ground's `at`.
    pub(super) fn vehicle(&self, at: Micros) -> Micros {
        let piece = self.pieces.iter().rev().find(|(ground, ..)| *ground <= at);
        match piece.or(self.pieces.first()) {
            Some((ground, vehicle, speed)) if *ground <= at => {
                *vehicle + (at - *ground).scaled(*speed, UNIT)
            }
            // Before the beginning the two were the same.
            _ => at,
        }
    }

    /// The ground's instant at the vehicle's `at`; the first, where rounding leaves several.
    pub(super) fn ground(&self, at: Micros) -> Micros {
        let piece = self
            .pieces
            .iter()
            .rev()
            .find(|(_, vehicle, _)| *vehicle <= at);
        match piece {
            Some((ground, vehicle, speed)) => *ground + (at - *vehicle).scaled(UNIT, *speed),
            None => at,
        }
    }
}
