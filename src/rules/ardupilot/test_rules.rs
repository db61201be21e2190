//! Rules for the tests of this folder.

use crate::rules::{Parameter, Provenance};

use super::{GcsRule, Release, VehicleKind};

/// The rule of a vehicle whose parameters were read.
pub(super) fn rule(kind: VehicleKind, release: Release, parameters: &[(&str, f64)]) -> GcsRule {
    GcsRule::select(kind, release, &|name| {
        parameters
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| Parameter {
                value: *value,
                provenance: Provenance::Read,
                at: None,
            })
    })
}
