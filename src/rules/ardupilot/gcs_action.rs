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
    ///
    /// What the ground does not hear of is left out: a Copter that has landed disarms, and a Plane in a
    /// landing sequence goes on with it. The rule's premises say so.
    #[must_use]
    pub fn action_in(&self, mode: Option<u32>, armed: Option<bool>) -> GcsAction {
        match self.kind {
            VehicleKind::Rover => self.rover_action(mode),
            VehicleKind::Copter => self.copter_action(mode, armed),
            VehicleKind::Plane => self.plane_action(mode),
            VehicleKind::Sub => self.sub_action(armed),
            VehicleKind::Blimp if armed == Some(false) => none("disarmed already".to_owned()),
            VehicleKind::Blimp => act("Disarm", "Blimp disarms".to_owned()),
        }
    }

    /// Source: `Rover::failsafe_trigger`. Whether a mission goes on is looked up under the caller's
    /// parameter, and where the RC check runs, it is the caller, except in the rare turn of the main loop
    /// in which the link check comes first.
    fn rover_action(&self, mode: Option<u32>) -> GcsAction {
        let (name, value) = if self.named_radio_failsafe {
            ("FS_THR_ENABLE", self.throttle_enable)
        } else {
            ("FS_GCS_ENABLE", self.enable)
        };
        if value == 2 && mode == Some(ROVER_AUTO) {
            return none(format!("{name} is 2: the mission goes on"));
        }
        let reason = format!("FS_ACTION is {}", self.action);
        match self.action {
            0 => none(format!("{reason}: announced only")),
            1 => act("RTL", format!("{reason}: RTL, else Hold")),
            2 => act("Hold", reason),
            3 => act("SmartRTL", format!("{reason}: SmartRTL, else RTL")),
            4 => act("SmartRTL", format!("{reason}: SmartRTL, else Hold")),
            5 => act("Terminate", reason),
            6 if self.release >= (4, 7) => act("Loiter", format!("{reason}: Loiter, else Hold")),
            _ => none(format!("{reason}: no action of this release")),
        }
    }

    /// Source: `Copter::failsafe_gcs_on_event`, in its order.
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
            6 if self.release >= (4, 2) => {
                act("Auto RTL", format!("{reason}: DO_LAND_START, else RTL"))
            }
            7 if self.release >= (4, 5) => act("Brake", format!("{reason}: Brake, else Land")),
            // A value that the release does not know acts as RTL.
            _ => act("RTL", reason),
        }
    }

    /// Source: `Plane::failsafe_long_on_event` (4.6).
    fn plane_action(&self, mode: Option<u32>) -> GcsAction {
        const QUADPLANE_QRTL: i64 = 1 << 5;
        const QUADPLANE_RTL: i64 = 1 << 20;
        let reason = format!("FS_LONG_ACTN is {}", self.action);
        match mode {
            // QStabilize, QHover, QLoiter, QAutotune, QAcro: Q_OPTIONS alone decides.
            Some(17..=19 | 22 | 23) => {
                let options = format!("Q_OPTIONS is {}", self.options);
                if self.options & QUADPLANE_RTL != 0 {
                    act("RTL", options)
                } else if self.options & QUADPLANE_QRTL != 0 {
                    act("QRTL", options)
                } else {
                    act("QLand", options)
                }
            }
            // QLand, QRTL, Loiter to QLand, Autoland, Initialising.
            Some(16 | 20 | 21 | 25 | 26) => none("this mode goes on".to_owned()),
            Some(PLANE_RTL) if !matches!(self.action, 4 | 5) => none("already in RTL".to_owned()),
            // Avoid ADSB and Guided follow the rule of Auto.
            Some(PLANE_AUTO | 14 | 15) if self.action == 0 => {
                none(format!("{reason}: the flight goes on"))
            }
            _ => match self.action {
                2 => act("FBWA", format!("{reason}: glide")),
                3 => act("Parachute", reason),
                4 => act("Auto", format!("{reason}: a release without it takes RTL")),
                5 => act("Autoland", format!("{reason}: Autoland, else RTL")),
                _ => act("RTL", reason),
            },
        }
    }

    /// Source: `Sub::failsafe_gcs_check`.
    fn sub_action(&self, armed: Option<bool>) -> GcsAction {
        let reason = format!("FS_GCS_ENABLE is {}", self.action);
        if armed == Some(false) {
            return none("disarmed: announced only".to_owned());
        }
        match self.action {
            1 => none(format!("{reason}: announced only")),
            2 => act("Disarm", reason),
            3 => act("AltHold", format!("{reason}: AltHold, else disarm")),
            4 => act("Surface", format!("{reason}: Surface, else disarm")),
            _ => none(format!("{reason}: no known action")),
        }
    }
}

/// Plane's RTL.
const PLANE_RTL: u32 = 11;

/// The modes whose `is_autopilot` is false (ArduCopter/mode.h). Circle and ZigZag are autopilot modes
/// although the sticks move them; Brake, Throw and Flip are not although nobody steers.
const fn copter_pilot_mode(mode: u32) -> bool {
    matches!(
        mode,
        0 | 1 | 2 | 5 | 11 | 13 | 14 | 15 | 16 | 17 | 18 | 22 | 25 | 28
    )
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::ardupilot::test_rules::rule;

    fn name(
        kind: VehicleKind,
        release: (u8, u8),
        parameters: &[(&str, f64)],
        mode: u32,
    ) -> Option<&'static str> {
        rule(kind, release, parameters)
            .action_in(Some(mode), Some(true))
            .name
    }

    #[test]
    fn rover_looks_up_the_mission_rule_under_the_name_of_the_caller() {
        let auto = |gcs, throttle| {
            let parameters = [("FS_GCS_ENABLE", gcs), ("FS_THR_ENABLE", throttle)];
            name(VehicleKind::Rover, (4, 6), &parameters, ROVER_AUTO)
        };
        assert_eq!(auto(2.0, 0.0), None);
        assert_eq!(auto(2.0, 1.0), Some("Hold"));
        assert_eq!(auto(1.0, 2.0), None);
        assert_eq!(auto(1.0, 1.0), Some("Hold"));
    }

    #[test]
    fn copter_leaves_only_modes_flown_by_hand_to_the_pilot() {
        let enabled = [("FS_GCS_ENABLE", 1.0), ("FS_OPTIONS", 16.0)];
        let in_mode = |mode| name(VehicleKind::Copter, (4, 6), &enabled, mode);
        for by_hand in [0, 2, 5, 16, 17, 18] {
            assert_eq!(in_mode(by_hand), None, "mode {by_hand}");
        }
        for automatic in [3, 4, 6, 7, 9, 20, 21, 23, 24, 26, 27] {
            assert_eq!(in_mode(automatic), Some("RTL"), "mode {automatic}");
        }
    }

    #[test]
    fn a_value_newer_than_the_release_is_not_obeyed() {
        let copter = |release, value| {
            let parameters = [("FS_GCS_ENABLE", value), ("FS_OPTIONS", 0.0)];
            name(VehicleKind::Copter, release, &parameters, 4)
        };
        assert_eq!(copter((4, 5), 7.0), Some("Brake"));
        assert_eq!(copter((4, 4), 7.0), Some("RTL"));
        assert_eq!(copter((4, 1), 6.0), Some("RTL"));
        let rover = |release| {
            let parameters = [("FS_GCS_ENABLE", 1.0), ("FS_ACTION", 6.0)];
            name(VehicleKind::Rover, release, &parameters, 0)
        };
        assert_eq!(rover((4, 7)), Some("Loiter"));
        assert_eq!(rover((4, 6)), None);
    }

    #[test]
    fn plane_acts_by_groups_of_modes() {
        let plane = |action, mode| {
            let parameters = [("FS_GCS_ENABL", 1.0), ("FS_LONG_ACTN", action)];
            name(VehicleKind::Plane, (4, 6), &parameters, mode)
        };
        assert_eq!(plane(0.0, 5), Some("RTL"), "FBWA");
        assert_eq!(plane(0.0, PLANE_AUTO), None);
        assert_eq!(plane(1.0, PLANE_AUTO), Some("RTL"));
        assert_eq!(plane(1.0, PLANE_RTL), None);
        assert_eq!(plane(1.0, 18), Some("QLand"), "QHover");
        assert_eq!(plane(1.0, 21), None, "QRTL");
    }

    #[test]
    fn disarmed_vehicles_announce_and_do_nothing() {
        for kind in [VehicleKind::Copter, VehicleKind::Sub, VehicleKind::Blimp] {
            let rule = rule(kind, (4, 6), &[("FS_GCS_ENABLE", 2.0)]);
            assert_eq!(rule.action_in(Some(4), Some(false)).name, None, "{kind:?}");
            assert!(
                rule.action_in(Some(4), Some(true)).name.is_some(),
                "{kind:?}"
            );
        }
    }
}
