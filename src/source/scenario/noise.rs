//! Numbers that look random and are the same each time.

use crate::rules::ekf::Ratios;
use crate::time::Span;

/// A xorshift generator: no statistics are drawn from it, it only must not repeat itself visibly.
#[derive(Clone, Debug)]
pub(super) struct Noise(pub(super) u64);

impl Noise {
    /// One of the independent streams of a scenario's seed.
    pub(super) fn stream(seed: u64, stream: u64) -> Self {
        let mixed =
            (seed ^ stream.wrapping_mul(0xD6E8_FEB8_6659_FD93)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut noise = Self((mixed ^ (mixed >> 32)) | 1);
        // Seeds that differ in few bits begin alike.
        for _ in 0..8 {
            noise.next();
        }
        noise
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// From 0 to less than 1.
    pub(super) fn part(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// From nothing to `most`.
    pub(super) fn up_to(&mut self, most: Span) -> Span {
        let count = most.as_micros().unsigned_abs().saturating_add(1);
        Span::from_micros((self.next() % count) as i64)
    }

    /// Between -1 and 1.
    fn unit(&mut self) -> f32 {
        (self.next() % 2_001) as f32 / 1_000.0 - 1.0
    }
}

/// Ratios of a healthy estimator: they wander below the gate.
pub(super) struct Wandering {
    noise: Noise,
    level: [f32; 3],
}

impl Wandering {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            noise: Noise(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1),
            level: [0.15, 0.1, 0.3],
        }
    }

    pub(super) fn next(&mut self) -> Ratios {
        let centre = [0.16, 0.11, 0.32];
        for (level, centre) in self.level.iter_mut().zip(centre) {
            *level += (centre - *level) * 0.12 + self.noise.unit() * 0.03;
            *level = level.clamp(0.02, 0.6);
        }
        let [velocity, position, compass] = self.level;
        Ratios {
            velocity,
            position,
            compass,
        }
    }
}
