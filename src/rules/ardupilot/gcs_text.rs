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
            "Radio Failsafe Cleared" | "Failsafe ended" => Some(GcsText::Cleared),
            _ => triggered_bits(text)
                .is_some_and(|bits| bits & GCS_BIT != 0)
                .then_some(fired),
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

/// Whether `text` tells of a failsafe that has nothing to do with the ground station's heartbeats: RC,
/// battery, EKF, crash. They make system_status CRITICAL as well.
///
/// Whether a Rover's "Radio Failsafe" is one of them depends on when it comes; see [`gcs_text`].
///
/// Source: `announce_failsafe` (Copter/events.cpp), `failsafe_trigger` (Rover/failsafe.cpp),
/// `failsafe_short_on_event` (Plane/events.cpp), `AP_BattMonitor::check_failsafes`,
/// `AP_Vehicle` crash checks; 4.0 to 4.7-dev.
#[must_use]
pub fn tells_of_another_failsafe(text: &str) -> bool {
    const STARTS: [&str; 8] = [
        "Radio Failsafe",
        "Battery Failsafe",
        "RC Short Failsafe On",
        "RC Long Failsafe On",
        "EKF failsafe",
        "EKF Failsafe",
        "Terrain Failsafe",
        "Crash: ",
    ];
    let ended = text.to_ascii_lowercase().contains("cleared");
    let battery = text.starts_with("Battery ")
        && (text.contains(" is low ") || text.contains(" is critical "));
    !ended && (battery || STARTS.iter().any(|start| text.starts_with(start)))
}

/// FAILSAFE_EVENT_GCS (Rover/defines.h); bit 0 is the radio's.
const GCS_BIT: u32 = 1 << 1;

/// The failsafes that Rover 4.0 names as bits in hexadecimal: `Failsafe trigger 0x2`.
fn triggered_bits(text: &str) -> Option<u32> {
    let bits = text.strip_prefix("Failsafe trigger 0x")?;
    let digits = bits.split_whitespace().next()?;
    u32::from_str_radix(digits, 16).ok()
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
        assert_eq!(gcs_text(Sub, "MYGCS: heartbeat lost"), named(false));
        assert_eq!(gcs_text(Rover, "Throttle armed"), None);
    }

    #[test]
    fn other_failsafes_are_told_apart_from_their_ends_and_from_ours() {
        let other = [
            "Radio Failsafe",
            "Radio Failsafe - Disarming",
            "Battery 1 is low 10.40V used 2000 mAh",
            "EKF Failsafe: changed to LAND Mode",
            "Crash: Disarming: AngErr=60>30",
            "RC Long Failsafe On: RTL",
        ];
        for text in other {
            assert!(tells_of_another_failsafe(text), "{text}");
        }
        let not = [
            "Radio Failsafe Cleared",
            "EKF failsafe cleared",
            "GCS Failsafe",
            "Battery 1 is healthy",
        ];
        for text in not {
            assert!(!tells_of_another_failsafe(text), "{text}");
        }
    }

    #[test]
    fn rover_4_0_names_failsafes_by_their_bits() {
        let fired = Some(GcsText::Fired { named_radio: false });
        let text = |text| gcs_text(VehicleKind::Rover, text);
        assert_eq!(text("Failsafe trigger 0x2"), fired);
        assert_eq!(text("Failsafe trigger 0x3"), fired);
        assert_eq!(text("Failsafe trigger 0x1"), None, "the radio alone");
        assert_eq!(text("Failsafe trigger 0x"), None);
        assert_eq!(text("Failsafe ended"), Some(GcsText::Cleared));
    }
}
