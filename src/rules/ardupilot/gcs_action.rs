use super::modes::{COPTER_AUTO, COPTER_LAND, PLANE_AUTO, ROVER_AUTO};
use super::{GcsRule, VehicleKind};

/// What a vehicle does when its GCS failsafe fires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GcsAction {
    /// The mode or act, e.g. `Hold`, `RTL`; `None` when it only announces.
    pub name: Option<&'static str>,
    /// Why.
    pub reason: String,
}

impl GcsRule {
    /// The action in `mode`, armed or not.
    #[must_use]
    pub fn action_in(&self, mode: Option<u32>, armed: Option<bool>) -> GcsAction {
        match self.kind {
            VehicleKind::Rover => self.rover_action(mode),
            VehicleKind::Copter => self.copter_action(mode, armed),
            VehicleKind::Plane => self.plane_action(mode),
            VehicleKind::Sub => self.sub_action(armed),
            VehicleKind::Blimp => act("Disarm", "Blimp disarms".to_owned()),
        }
    }

    fn rover_action(&self, mode: Option<u32>) -> GcsAction {
        // Up to today FS_GCS_ENABLE 2 ("continue in Auto") is looked up under the caller's parameter, so
        // that FS_THR_ENABLE decides where the RC check is the caller.
        let continues = self.enable == 2 && !self.named_radio_failsafe;
        if continues && mode == Some(ROVER_AUTO) {
            return none("FS_GCS_ENABLE 2: the mission goes on".to_owned());
        }
        let reason = format!("FS_ACTION is {}", self.action);
        match self.action {
            0 => none(format!("{reason}: announced only")),
            1 => act("RTL", reason),
            2 => act("Hold", reason),
            3 => act("SmartRTL", format!("{reason}: SmartRTL, else RTL")),
            4 => act("SmartRTL", format!("{reason}: SmartRTL, else Hold")),
            5 => act("Terminate", reason),
            6 => act("Loiter", format!("{reason}: Loiter, else Hold")),
            _ => none(format!("{reason}: no known action")),
        }
    }

    fn copter_action(&self, mode: Option<u32>, armed: Option<bool>) -> GcsAction {
        const CONTINUE_AUTO: i64 = 1 << 1;
        const CONTINUE_LANDING: i64 = 1 << 3;
        const CONTINUE_PILOT: i64 = 1 << 4;
        if armed == Some(false) {
            return none("disarmed: announced only".to_owned());
        }
        if mode == Some(COPTER_LAND) && self.options & CONTINUE_LANDING != 0 {
            return none("FS_OPTIONS: the landing goes on".to_owned());
        }
        if mode == Some(COPTER_AUTO) && self.options & CONTINUE_AUTO != 0 {
            return none("FS_OPTIONS: the mission goes on".to_owned());
        }
        if mode.is_some_and(copter_pilot_mode) && self.options & CONTINUE_PILOT != 0 {
            return none("FS_OPTIONS: the pilot keeps control in a mode flown by hand".to_owned());
        }
        let reason = format!("FS_GCS_ENABLE is {}", self.action);
        match self.action {
            3 => act("SmartRTL", format!("{reason}: SmartRTL, else RTL")),
            4 => act("SmartRTL", format!("{reason}: SmartRTL, else Land")),
            5 => act("Land", reason),
            6 => act("Auto RTL", format!("{reason}: DO_LAND_START, else RTL")),
            7 => act("Brake", format!("{reason}: Brake, else Land")),
            _ => act("RTL", reason),
        }
    }

    fn plane_action(&self, mode: Option<u32>) -> GcsAction {
        if self.enable == 3 && mode != Some(PLANE_AUTO) {
            return none("FS_GCS_ENABL 3: only in AUTO".to_owned());
        }
        let reason = format!("FS_LONG_ACTN is {}", self.action);
        match self.action {
            0 if mode == Some(PLANE_AUTO) => none(format!("{reason}: the mission goes on")),
            2 => act("FBWA", format!("{reason}: glide")),
            3 => act("Parachute", reason),
            // 1, and 0 outside of AUTO.
            _ => act("RTL", reason),
        }
    }

    fn sub_action(&self, armed: Option<bool>) -> GcsAction {
        let reason = format!("FS_GCS_ENABLE is {}", self.action);
        if armed == Some(false) {
            return none("disarmed: announced only".to_owned());
        }
        match self.action {
            1 => none(format!("{reason}: announced only")),
            2 => act("Disarm", reason),
            3 => act("AltHold", reason),
            4 => act("Surface", reason),
            _ => none(format!("{reason}: no known action")),
        }
    }
}

/// Stabilize, Acro, AltHold, Loiter and the like: flown by hand, so that RC is the pilot's.
const fn copter_pilot_mode(mode: u32) -> bool {
    matches!(mode, 0 | 1 | 2 | 5 | 7 | 11 | 13 | 15 | 16 | 22 | 24)
}

fn act(name: &'static str, reason: String) -> GcsAction {
    GcsAction {
        name: Some(name),
        reason,
    }
}

fn none(reason: String) -> GcsAction {
    GcsAction { name: None, reason }
}
