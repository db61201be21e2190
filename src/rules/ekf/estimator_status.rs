//! PX4's ESTIMATOR_STATUS ratios, which look like ArduPilot's and mean something else.

use crate::observation::EstimatorStatus;

/// The ratio at which PX4's estimator rejects a measurement.
///
/// A test ratio is the squared innovation over gate squared times innovation variance; 1.0 is the gate.
/// ArduPilot reports the square root of its own, so 0.64 here corresponds to 0.8 there.
/// PX4 `EKF2`, `estimator_status.msg` (`vel_test_ratio` and the others), all versions since 1.7.
pub const GATE: f32 = 1.0;

/// What one PX4 ratio says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RatioMeaning {
    /// Zero or not a number: this measurement is not fused.
    NotFused,
    /// Under the gate: accepted.
    Accepted,
    /// At or over the gate: rejected at this update.
    Rejected,
}

impl RatioMeaning {
    /// The meaning of `ratio`.
    #[must_use]
    pub fn of(ratio: f32) -> Self {
        if ratio > GATE {
            Self::Rejected
        } else if ratio > 0.0 {
            Self::Accepted
        } else {
            Self::NotFused
        }
    }

    /// The word shown to the user.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::NotFused => "not fused",
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
        }
    }
}

/// The ratios with their names, in the order of display.
#[must_use]
pub fn named_ratios(status: &EstimatorStatus) -> [(&'static str, f32); 6] {
    [
        ("velocity", status.velocity),
        ("horizontal position", status.position_horizontal),
        ("height", status.position_vertical),
        ("compass", status.compass),
        ("height above ground", status.height_above_ground),
        ("airspeed", status.airspeed),
    ]
}

/// What the ratios say and do not say, in a sentence for the panel.
#[must_use]
pub fn meaning(status: &EstimatorStatus) -> String {
    let rejected: Vec<&str> = named_ratios(status)
        .into_iter()
        .filter(|(_, ratio)| RatioMeaning::of(*ratio) == RatioMeaning::Rejected)
        .map(|(name, _)| name)
        .collect();
    let state = if rejected.is_empty() {
        "No measurement is rejected".to_owned()
    } else {
        format!("Rejected: {}", rejected.join(", "))
    };
    format!(
        "{state}. PX4 test ratios are squares, 1.0 is the rejection gate; PX4 has no FS_EKF_THRESH and \
         no counter: its position failsafe looks at the estimated error and at timeouts."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gate_is_one_and_zero_is_not_fused() {
        assert_eq!(RatioMeaning::of(0.0), RatioMeaning::NotFused);
        assert_eq!(RatioMeaning::of(f32::NAN), RatioMeaning::NotFused);
        assert_eq!(RatioMeaning::of(1.0), RatioMeaning::Accepted);
        assert_eq!(RatioMeaning::of(1.01), RatioMeaning::Rejected);
    }

    #[test]
    fn the_sentence_names_what_is_rejected_and_that_there_is_no_threshold() {
        let status = EstimatorStatus {
            time_us: 0,
            velocity: 0.2,
            position_horizontal: 3.0,
            position_vertical: 0.1,
            compass: 1.5,
            height_above_ground: 0.0,
            airspeed: 0.0,
            flags: 0,
        };
        let text = meaning(&status);
        assert!(text.starts_with("Rejected: horizontal position, compass."));
        assert!(text.contains("no FS_EKF_THRESH"));
    }
}
