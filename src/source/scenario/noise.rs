//! Numbers that look random and are the same each time.

use crate::observation::EstimatorStatus;

/// A xorshift generator: no statistics are drawn from it, it only must not repeat itself visibly.
pub(super) struct Noise(pub(super) u64);

impl Noise {
    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Between -1 and 1.
    fn unit(&mut self) -> f32 {
        (self.next() % 2_001) as f32 / 1_000.0 - 1.0
    }
}

/// Innovation test ratios of a healthy estimator: they wander below the gate.
pub(super) struct Ratios {
    noise: Noise,
    level: [f32; 3],
}

impl Ratios {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            noise: Noise(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1),
            level: [0.15, 0.1, 0.3],
        }
    }

    pub(super) fn next(&mut self, boot_ms: u32) -> EstimatorStatus {
        let centre = [0.16, 0.11, 0.32];
        for (level, centre) in self.level.iter_mut().zip(centre) {
            *level += (centre - *level) * 0.12 + self.noise.unit() * 0.03;
            *level = level.clamp(0.02, 0.6);
        }
        let [velocity, position_horizontal, compass] = self.level;
        EstimatorStatus {
            time_us: u64::from(boot_ms) * 1_000,
            velocity,
            position_horizontal,
            position_vertical: 0.08,
            compass,
            height_above_ground: 0.0,
            airspeed: 0.0,
            flags: 831,
        }
    }
}
