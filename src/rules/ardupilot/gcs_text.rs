use super::VehicleKind;

/// What a STATUSTEXT says about the GCS failsafe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GcsText {
    /// It fired. `named_radio` when Rover calls it by the wrong name: its RC check runs the shared
    /// evaluation more often, and the caller's name is used.
    Fired {
        /// "Radio Failsafe" for what may be a GCS failsafe.
        named_radio: bool,
    },
    /// It ended.
    Cleared,
}

/// What `text` says about the GCS failsafe of a vehicle; `None` when it is about something else.
#[must_use]
pub fn gcs_text(kind: VehicleKind, text: &str) -> Option<GcsText> {
    let fired = GcsText::Fired { named_radio: false };
    if text.starts_with("GCS Failsafe Cleared") || text == "GCS Failsafe Off" {
        return Some(GcsText::Cleared);
    }
    match kind {
        VehicleKind::Rover => match text {
            "Radio Failsafe" => Some(GcsText::Fired { named_radio: true }),
            "GCS Failsafe" => Some(fired),
            // 4.0: the bits of all failsafes in hexadecimal; bit 1 is the GCS's.
            "Radio Failsafe Cleared" | "Failsafe ended" => Some(GcsText::Cleared),
            _ => text.starts_with("Failsafe trigger 0x").then_some(fired),
        },
        VehicleKind::Copter => (text == "GCS Failsafe"
            || text.starts_with("GCS Failsafe - ")
            || text.starts_with("GCS + Battery Failsafe"))
        .then_some(fired),
        VehicleKind::Plane => text.starts_with("GCS Failsafe On").then_some(fired),
        VehicleKind::Sub => {
            (text.starts_with("MYGCS:") && text.contains("heartbeat lost")).then_some(fired)
        }
        VehicleKind::Blimp => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misleading_names_are_understood() {
        use VehicleKind::{Copter, Plane, Rover, Sub};
        let named = |named_radio| Some(GcsText::Fired { named_radio });
        assert_eq!(gcs_text(Rover, "Radio Failsafe"), named(true));
        assert_eq!(gcs_text(Copter, "Radio Failsafe"), None);
        assert_eq!(
            gcs_text(Copter, "GCS Failsafe - Continuing Auto Mode"),
            named(false)
        );
        assert_eq!(
            gcs_text(Copter, "GCS Failsafe Cleared"),
            Some(GcsText::Cleared)
        );
        assert_eq!(gcs_text(Plane, "GCS Failsafe On: RTL"), named(false));
        assert_eq!(gcs_text(Plane, "GCS Failsafe Off"), Some(GcsText::Cleared));
        assert_eq!(gcs_text(Sub, "MYGCS: 255, heartbeat lost"), named(false));
        assert_eq!(gcs_text(Rover, "Throttle armed"), None);
    }
}
