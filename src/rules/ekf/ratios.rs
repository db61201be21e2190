use crate::observation::EkfStatusReport;

/// The three innovation ratios that the EKF check looks at: square roots of test ratios, 1.0 is the
/// rejection gate, and they may exceed it freely. Height and airspeed are reported but never counted.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Ratios {
    /// Velocity.
    pub velocity: f32,
    /// Horizontal position.
    pub position: f32,
    /// Compass. In a report and in a log the largest of the three axes; in a check what the vehicle
    /// compares, see [`super::CompassMeasure`].
    pub compass: f32,
}

impl From<&EkfStatusReport> for Ratios {
    fn from(report: &EkfStatusReport) -> Self {
        Self {
            velocity: report.velocity,
            position: report.position_horizontal,
            compass: report.compass,
        }
    }
}

/// What the ratios were at an instant between two reports: each somewhere from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RatioRange {
    pub(super) low: Ratios,
    pub(super) high: Ratios,
}

impl RatioRange {
    /// Larger than any ratio that a filter yields in practice (55 m of GPS error give 14, simulated
    /// noise of 40 m/s gives 60; the DataFlash field ends at 327), finite so that a low-pass recovers.
    pub(super) const LARGEST: f32 = 1_000.0;

    pub(super) fn exact(ratios: Ratios) -> Self {
        let mut range = Self {
            low: ratios,
            high: ratios,
        };
        // Nothing is known about a ratio that is no number.
        if ratios.velocity.is_nan() {
            range.forget_velocity();
        }
        if ratios.position.is_nan() {
            range.forget_position();
        }
        if ratios.compass.is_nan() {
            range.forget_compass();
        }
        range
    }

    pub(super) fn hull(self, other: Self) -> Self {
        Self {
            low: Ratios {
                velocity: self.low.velocity.min(other.low.velocity),
                position: self.low.position.min(other.low.position),
                compass: self.low.compass.min(other.low.compass),
            },
            high: Ratios {
                velocity: self.high.velocity.max(other.high.velocity),
                position: self.high.position.max(other.high.position),
                compass: self.high.compass.max(other.high.compass),
            },
        }
    }

    pub(super) fn forget_velocity(&mut self) {
        self.low.velocity = 0.0;
        self.high.velocity = Self::LARGEST;
    }

    pub(super) fn forget_position(&mut self) {
        self.low.position = 0.0;
        self.high.position = Self::LARGEST;
    }

    pub(super) fn forget_compass(&mut self) {
        self.low.compass = 0.0;
        self.high.compass = Self::LARGEST;
    }
}
