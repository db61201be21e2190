use schemars::JsonSchema;
use serde::Serialize;

use crate::rules::Observed;
use crate::time::Bounds;

/// An instant between two ends.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct BoundsReport {
    /// Earliest.
    pub earliest_us: Option<i64>,
    /// Latest.
    pub latest_us: Option<i64>,
}

/// Evidence.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ObservedReport {
    /// What happened; only for actions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// When.
    pub at_us: i64,
    /// How much earlier it may have been.
    pub resolution_us: i64,
    /// The evidence in words.
    pub evidence: String,
}

impl From<Bounds> for BoundsReport {
    fn from(bounds: Bounds) -> Self {
        Self {
            earliest_us: Some(bounds.earliest().as_micros()),
            latest_us: Some(bounds.latest().as_micros()),
        }
    }
}

impl BoundsReport {
    /// Bounds of which nothing is known.
    pub(super) const UNKNOWN: Self = Self {
        earliest_us: None,
        latest_us: None,
    };
}

impl ObservedReport {
    pub(super) fn of(observed: &Observed) -> Self {
        Self {
            name: (!observed.name.is_empty()).then(|| observed.name.clone()),
            at_us: observed.at.as_micros(),
            resolution_us: observed.resolution.as_micros(),
            evidence: observed.evidence.clone(),
        }
    }
}
