use super::ratios::{RatioRange, Ratios};

/// The first-order low-pass through which Copter 4.5 and later sends velocity and position (not the
/// compass) before it compares them.
///
/// `alpha = dt / (dt + 1 / (2 pi f))`: 0.76 at 10 Hz with the default of 5 Hz, so that a fall from far
/// above the threshold takes two or three checks. ArduPilot `LowPassFilter`, `ArduCopter/ekf_check.cpp`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LowPass {
    /// Weight of the new value at the check's period of 0.1 s, in (0, 1].
    alpha: f32,
}

impl LowPass {
    /// A filter with cut-off `hertz` (FS_EKF_FILT). Zero or less lets everything through, as on the
    /// vehicle.
    #[must_use]
    pub fn new(hertz: f64) -> Self {
        const PERIOD: f64 = 0.1;
        let alpha = if hertz > 0.0 && hertz.is_finite() {
            PERIOD / (PERIOD + 1.0 / (std::f64::consts::TAU * hertz))
        } else {
            1.0
        };
        Self {
            alpha: alpha as f32,
        }
    }

    fn towards(self, from: f32, to: f32) -> f32 {
        from + self.alpha * (to - from)
    }

    /// One check later: `state` after `input`.
    #[must_use]
    pub fn apply(self, state: Ratios, input: Ratios) -> Ratios {
        Ratios {
            velocity: self.towards(state.velocity, input.velocity),
            position: self.towards(state.position, input.position),
            compass: input.compass,
        }
    }

    /// The same for ranges. The filter is monotone in state and input, so ends map to ends.
    pub(super) fn apply_range(self, state: RatioRange, input: RatioRange) -> RatioRange {
        RatioRange {
            low: self.apply(state.low, input.low),
            high: self.apply(state.high, input.high),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_cut_off_needs_three_checks_from_twenty_to_below_the_threshold() {
        let filter = LowPass::new(5.0);
        assert!((filter.alpha - 0.7585).abs() < 1e-4);
        let mut state = Ratios {
            velocity: 20.0,
            ..Ratios::default()
        };
        let input = Ratios {
            velocity: 0.5,
            ..Ratios::default()
        };
        let mut checks = 0;
        while state.velocity >= 0.8 {
            state = filter.apply(state, input);
            checks += 1;
        }
        assert_eq!(checks, 3);
    }

    #[test]
    fn without_a_cut_off_nothing_is_filtered() {
        let input = Ratios {
            velocity: 3.0,
            position: 2.0,
            compass: 1.0,
        };
        assert_eq!(LowPass::new(0.0).apply(Ratios::default(), input), input);
    }
}
