use super::EkfRule;
use crate::rules::ardupilot::VehicleKind;

/// What a trip of the EKF failsafe would lead to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WouldAct {
    /// Whether the vehicle would change what it does, rather than only warn.
    pub acts: bool,
    /// In the operator's words: `Hold`, `Land`, `none (warning only)`.
    pub name: &'static str,
    /// Why: arming, mode, FS_EKF_ACTION.
    pub reason: String,
}

impl WouldAct {
    fn yes(name: &'static str, reason: impl Into<String>) -> Self {
        Self {
            acts: true,
            name,
            reason: reason.into(),
        }
    }

    fn no(reason: impl Into<String>) -> Self {
        Self {
            acts: false,
            name: "none (warning only)",
            reason: reason.into(),
        }
    }
}

impl EkfRule {
    /// What the vehicle would do on a trip, armed or not, in the mode with number `mode`.
    ///
    /// `failsafe_ekf_event` of each vehicle.
    #[must_use]
    pub fn would_act(&self, armed: bool, mode: u32) -> WouldAct {
        if self.enabled.is_err() {
            return WouldAct::no("the check is off");
        }
        match self.kind {
            VehicleKind::Rover => self.rover_acts(armed, mode),
            VehicleKind::Copter => self.copter_acts(armed, mode),
            VehicleKind::Plane => match (armed, mode) {
                (false, _) => WouldAct::no("disarmed: the check does not run"),
                (true, 10) => WouldAct::yes("QLand", "VTOL part of a mission"),
                (true, _) => WouldAct::yes("QHover", "VTOL mode that needs a position"),
            },
            VehicleKind::Sub => match (self.action, armed) {
                (2, true) => WouldAct::yes("Disarm", "FS_EKF_ACTION is 2"),
                (2, false) => WouldAct::no("already disarmed"),
                (action, _) => WouldAct::no(format!("FS_EKF_ACTION is {action}")),
            },
            VehicleKind::Blimp => match (armed, mode, self.action) {
                (false, ..) => WouldAct::no("disarmed: the check does not run"),
                (true, 0 | 1, action) if action != 3 => WouldAct::no("this mode needs no position"),
                (.., action) => WouldAct::yes("Land", format!("FS_EKF_ACTION is {action}")),
            },
        }
    }

    fn rover_acts(&self, armed: bool, mode: u32) -> WouldAct {
        if !armed {
            return WouldAct::no("disarmed: the check does not run");
        }
        // Manual, Acro, Steering, Hold and Initialising steer without a position.
        if matches!(mode, 0 | 1 | 3 | 4 | 16) {
            return WouldAct::no("this mode needs no position");
        }
        match self.action {
            0 => WouldAct::no("FS_EKF_ACTION is 0: off"),
            2 => WouldAct::no("FS_EKF_ACTION is 2: report only"),
            action => WouldAct::yes(
                "Hold",
                format!("the mode needs a position and FS_EKF_ACTION is {action}"),
            ),
        }
    }

    fn copter_acts(&self, armed: bool, mode: u32) -> WouldAct {
        if !armed {
            return WouldAct::no("disarmed: the check counts and warns, but nothing follows");
        }
        if mode == 9 {
            return WouldAct::yes(
                "Land without GPS",
                "already landing: a landing that uses GPS goes on without it",
            );
        }
        let needs_position = matches!(
            mode,
            3 | 4 | 5 | 6 | 7 | 11 | 16 | 17 | 18 | 19 | 21 | 23 | 24 | 27
        );
        match self.action {
            0 => WouldAct::no("FS_EKF_ACTION is 0: report only (4.7 and later)"),
            3 => WouldAct::yes("Land", "FS_EKF_ACTION is 3: in every mode"),
            _ if !needs_position => WouldAct::no("this mode needs no position"),
            2 => WouldAct::yes(
                "AltHold",
                "the mode needs a position and FS_EKF_ACTION is 2",
            ),
            action => WouldAct::yes(
                "Land",
                format!("the mode needs a position and FS_EKF_ACTION is {action}"),
            ),
        }
    }
}
