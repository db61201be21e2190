use crate::observation::{EkfFlags, EkfStatusReport, EstimatorStatus};
use crate::time::Micros;

/// One sample of innovation test ratios, whichever autopilot sent it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EstimatorSample {
    /// Arrival on the ground.
    pub at: Micros,
    /// Velocity.
    pub velocity: f32,
    /// Horizontal position.
    pub position: f32,
    /// Height.
    pub height: f32,
    /// Compass.
    pub compass: f32,
    /// Airspeed, where sent.
    pub airspeed: Option<f32>,
    /// EKF_STATUS_REPORT flags; `None` on PX4.
    pub flags: Option<EkfFlags>,
}

impl EstimatorSample {
    pub(super) fn from_ardupilot(at: Micros, report: &EkfStatusReport) -> Self {
        Self {
            at,
            velocity: report.velocity,
            position: report.position_horizontal,
            height: report.position_vertical,
            compass: report.compass,
            airspeed: report.airspeed,
            flags: Some(report.flags),
        }
    }

    pub(super) fn from_px4(at: Micros, status: &EstimatorStatus) -> Self {
        Self {
            at,
            velocity: status.velocity,
            position: status.position_horizontal,
            height: status.position_vertical,
            compass: status.compass,
            airspeed: Some(status.airspeed),
            flags: None,
        }
    }
}
