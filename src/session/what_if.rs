use std::collections::BTreeMap;

use crate::observation::Talker;
use crate::rules::px4::{Entry, Px4Version};

/// The same observations under other circumstances: what the operator states, or asks about.
///
/// Everything computed from the session takes one of these; the default changes nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WhatIf {
    /// Parameters with other values.
    pub parameters: BTreeMap<String, f64>,
    /// Talkers that are left out: "if I unplug this one".
    pub without: Vec<Talker>,
    /// Where talkers enter the vehicle.
    pub topology: Vec<(Talker, Entry)>,
    /// The rules that a PX4 vehicle follows.
    pub px4_version: Option<Px4Version>,
}

impl WhatIf {
    /// The other value of a parameter, if there is one.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<f64> {
        self.parameters.get(name).copied()
    }
}
