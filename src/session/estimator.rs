use crate::observation::{EkfFlags, EkfStatusReport, EstimatorStatus, LoggedFact};
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

    /// A logged record of the lane in use; `None` for any other fact or lane.
    pub(super) fn from_log(at: Micros, fact: &LoggedFact) -> Option<Self> {
        match fact {
            LoggedFact::InnovationRatios {
                core,
                velocity,
                position,
                height,
                compass,
                airspeed,
                status,
                primary,
            } if core == primary => Some(Self {
                at,
                velocity: *velocity,
                position: *position,
                height: *height,
                compass: *compass,
                airspeed: Some(*airspeed),
                // The low ten bits of the filter status are the report's flags.
                flags: Some(EkfFlags((*status & 0x3ff) as u16)),
            }),
            _ => None,
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
