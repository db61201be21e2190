/// What a STATUSTEXT (or a log's MSG) says about the estimator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EkfText {
    /// `EKF variance`: the check tripped. At most once in 30 s, never in the first 30 s after boot, so
    /// its absence proves nothing.
    Variance,
    /// Rover's `EKF failsafe` and Copter's `EKF Failsafe: changed to ... Mode`: it tripped and the mode
    /// needs a position.
    Failsafe,
    /// `EKF failsafe cleared`: always on Rover, on Copter only after an action.
    Cleared,
    /// Sub's `EKF bad`, at most once in 20 s.
    SubBad,
    /// `AHRS: DCM active`: the estimator is no longer what the vehicle steers by.
    DcmActive,
    /// `AHRS: EKF3 active` or `EKF2`: it is again.
    EkfActive,
    /// A lane switch: the reported ratios are another lane's from here on.
    LaneSwitch,
}

impl EkfText {
    /// Recognises a text; `None` for every other.
    #[must_use]
    pub fn recognise(text: &str) -> Option<Self> {
        let lower = text.trim().to_ascii_lowercase();
        let has = |prefix: &str| lower.starts_with(prefix);
        // The longer prefixes first: a clear begins like a trip.
        if has("ekf failsafe cleared") {
            Some(Self::Cleared)
        } else if has("ekf failsafe") {
            Some(Self::Failsafe)
        } else if has("ekf variance") {
            Some(Self::Variance)
        } else if has("ekf bad") {
            Some(Self::SubBad)
        } else if has("ahrs: dcm active") {
            Some(Self::DcmActive)
        } else if has("ahrs: ekf") && lower.ends_with("active") {
            Some(Self::EkfActive)
        } else if has("ekf primary changed") || (has("ekf3 lane switch") || has("ekf2 lane switch"))
        {
            Some(Self::LaneSwitch)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_all_vehicles_and_versions_are_told_apart() {
        let cases = [
            ("EKF variance", Some(EkfText::Variance)),
            ("EKF failsafe", Some(EkfText::Failsafe)),
            ("EKF failsafe!", Some(EkfText::Failsafe)),
            (
                "EKF Failsafe: changed to LAND Mode",
                Some(EkfText::Failsafe),
            ),
            ("EKF failsafe cleared", Some(EkfText::Cleared)),
            ("EKF Failsafe Cleared", Some(EkfText::Cleared)),
            ("EKF bad", Some(EkfText::SubBad)),
            ("AHRS: DCM active", Some(EkfText::DcmActive)),
            ("AHRS: EKF3 active", Some(EkfText::EkfActive)),
            ("EKF3 lane switch 1", Some(EkfText::LaneSwitch)),
            ("EKF primary changed:0", Some(EkfText::LaneSwitch)),
            ("EKF3 IMU0 is using GPS", None),
        ];
        for (text, expected) in cases {
            assert_eq!(EkfText::recognise(text), expected, "{text}");
        }
    }
}
