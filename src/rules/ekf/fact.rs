use crate::observation::{EkfStatusReport, SystemStatus};
use crate::time::Micros;

use super::EkfText;

/// Something the ground saw that bears on the EKF check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EkfSighting {
    /// When it left the vehicle, in vehicle time.
    pub at: Micros,
    /// What it was.
    pub fact: EkfFact,
}

/// The kinds of things that bear on the EKF check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EkfFact {
    /// An EKF_STATUS_REPORT.
    Report(EkfStatusReport),
    /// The autopilot's HEARTBEAT.
    Vehicle {
        /// Armed.
        armed: bool,
        /// Mode number.
        mode: u32,
        /// MAV_STATE.
        status: SystemStatus,
    },
    /// A STATUSTEXT that [`EkfText::recognise`] knows.
    Text(EkfText),
}
