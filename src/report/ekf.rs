use serde::Serialize;

use crate::session::{Session, Vehicle};

use super::document::{BoundsReport, ObservedReport};

/// One episode of the EKF failsafe.
#[derive(Clone, Debug, Serialize)]
pub struct EkfFailsafeReport {
    /// When it trips.
    pub predicted: Option<BoundsReport>,
    /// Evidence for it.
    pub observed: Option<ObservedReport>,
    /// When it clears.
    pub cleared: Option<BoundsReport>,
    /// Why it tripped, in words.
    pub cause: String,
    /// Whether the vehicle would act on it.
    pub would_act: Option<bool>,
    /// What is not certain.
    pub assumptions: Vec<String>,
    /// The story.
    pub explanation: Vec<String>,
}

impl EkfFailsafeReport {
    pub(super) fn all(_session: &Session, _vehicle: &Vehicle) -> Vec<Self> {
        Vec::new()
    }
}
