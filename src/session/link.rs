//! What can be asked about the link between a vehicle and its ground stations.

use crate::observation::{Autopilot, Talker};
use crate::rules::{LinkLoss, LinkModel};

use super::{Session, Vehicle, WhatIf, px4_link};

impl Vehicle {
    /// The rule that decides whether this vehicle counts a ground station as present.
    #[must_use]
    pub const fn link_model(&self) -> Option<LinkModel> {
        match self.autopilot {
            Autopilot::PX4 => Some(LinkModel::Px4),
            Autopilot::ARDUPILOT => Some(LinkModel::ArduPilot),
            _ => None,
        }
    }
}

impl Session {
    /// All silences of the record that came near a loss of the link or led to one, in order of time.
    #[must_use]
    pub fn link_losses(&self, vehicle: Talker) -> Vec<LinkLoss> {
        self.link_losses_under(vehicle, &WhatIf::default())
    }

    /// The same under other circumstances.
    #[must_use]
    pub fn link_losses_under(&self, vehicle: Talker, what_if: &WhatIf) -> Vec<LinkLoss> {
        let Some(vehicle) = self.vehicle(vehicle) else {
            return Vec::new();
        };
        match vehicle.link_model() {
            Some(LinkModel::Px4) => px4_link::link_losses(self, vehicle, what_if),
            Some(LinkModel::ArduPilot) | None => Vec::new(),
        }
    }
}
