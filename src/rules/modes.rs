//! Names of flight modes, whatever the autopilot.

use std::borrow::Cow;

use crate::observation::Autopilot;

use super::ardupilot::{self, VehicleKind};
use super::px4;

/// The name that people use for the mode `custom_mode` of a HEARTBEAT; a number where no table has it.
#[must_use]
pub fn mode_name(
    autopilot: Autopilot,
    kind: Option<VehicleKind>,
    custom_mode: u32,
) -> Cow<'static, str> {
    let known = match autopilot {
        Autopilot::PX4 => px4::mode_name(custom_mode),
        Autopilot::ARDUPILOT => {
            kind.and_then(|kind| ardupilot::modes::mode_name(kind, custom_mode))
        }
        _ => None,
    };
    known.map_or_else(|| Cow::Owned(format!("mode {custom_mode}")), Cow::Borrowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_autopilot_has_its_own_table() {
        assert_eq!(mode_name(Autopilot::PX4, None, 50_593_792), "Hold");
        let rover = Some(VehicleKind::Rover);
        assert_eq!(mode_name(Autopilot::ARDUPILOT, rover, 4), "Hold");
        let copter = Some(VehicleKind::Copter);
        assert_eq!(mode_name(Autopilot::ARDUPILOT, copter, 4), "Guided");
        assert_eq!(mode_name(Autopilot(9), None, 4), "mode 4");
    }
}
