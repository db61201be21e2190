//! What PX4 does when `gcs_connection_lost` is set: NAV_DLL_ACT and the rules around it.

use crate::time::{Bounds, Span};

use super::Px4Version;

/// The facts that decide about the reaction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActionInput {
    /// The rules.
    pub version: Px4Version,
    /// NAV_DLL_ACT: 0 none, 1 Hold, 2 Return, 3 Land, 5 Terminate, 6 Disarm (Lockdown before v1.14).
    pub nav_dll_act: i64,
    /// COM_FAIL_ACT_T, v1.14 and later.
    pub com_fail_act_t: Span,
    /// What may be left of it at least: a failsafe that used it up gets it back at a quarter of the speed
    /// (failsafe/framework.cpp `updateStartDelay`).
    pub least_delay: Span,
    /// COM_DLL_EXCEPT bits, v1.16 and later.
    pub com_dll_except: i64,
    /// The mode in force; `None` when it is not known.
    pub mode: Option<Px4Mode>,
    /// Whether the vehicle is armed; `None` when it is not known.
    pub armed: Option<bool>,
    /// Whether it is landed, where known. Matters up to v1.13.
    pub landed: Option<bool>,
}

/// PX4's modes as far as the reaction distinguishes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Px4Mode {
    /// Any manual, stabilised or acrobatic mode, Position and Altitude included.
    Manual,
    /// Mission.
    Mission,
    /// Hold (loiter).
    Hold,
    /// Take-off.
    Takeoff,
    /// Return.
    Return,
    /// Land, or precision landing.
    Land,
    /// Offboard.
    Offboard,
    /// Orbit: flown by the sticks' main mode, but by itself.
    Orbit,
    /// A mode that a companion computer brought along, v1.14 and later.
    External,
    /// Another automatic mode.
    OtherAuto,
}

impl Px4Mode {
    /// From a HEARTBEAT's custom_mode: main mode in byte 2, sub mode in byte 3.
    #[must_use]
    pub const fn from_custom_mode(custom_mode: u32) -> Self {
        let [_, _, main, sub] = custom_mode.to_le_bytes();
        match (main, sub) {
            (4, 2) => Self::Takeoff,
            (4, 3) => Self::Hold,
            (4, 4) => Self::Mission,
            (4, 5) => Self::Return,
            (4, 6 | 9) => Self::Land,
            (4, 11..=18) => Self::External,
            (4, _) => Self::OtherAuto,
            (3, 1) => Self::Orbit,
            (6, _) => Self::Offboard,
            _ => Self::Manual,
        }
    }

    /// The name that people use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Manual => "a manual mode",
            Self::Mission => "Mission",
            Self::Hold => "Hold",
            Self::Takeoff => "Takeoff",
            Self::Return => "Return",
            Self::Land => "Land",
            Self::Offboard => "Offboard",
            Self::Orbit => "Orbit",
            Self::External => "an external mode",
            Self::OtherAuto => "an automatic mode",
        }
    }
}

/// One visible reaction, as an offset from the instant at which the flag is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reaction {
    /// `Hold`, `Return`, `Land`, `Terminate`, `Disarm`, `Lockdown`.
    pub name: &'static str,
    /// Earliest offset.
    pub earliest: Span,
    /// Latest offset.
    pub latest: Span,
}

impl Reaction {
    /// The window of the reaction for a loss within `loss`.
    #[must_use]
    pub fn window(self, loss: Bounds) -> Bounds {
        loss.later_by(self.earliest, self.latest)
    }
}

/// What the vehicle will do, in order, or why nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReactionPlan {
    /// The reactions that change the mode, in order; the last one is what was configured.
    Acts(Vec<Reaction>),
    /// The flag is set but nothing follows, for this reason.
    Nothing(String),
}

/// The reaction that the firmware's rules give.
///
/// Source: Commander.cpp, state_machine_helper.cpp (up to v1.13); failsafe/failsafe.cpp and
/// failsafe/framework.cpp (v1.14 and later).
#[must_use]
pub fn plan_reaction(input: &ActionInput, commander: Span) -> ReactionPlan {
    let name = match input.nav_dll_act {
        0 => return nothing("NAV_DLL_ACT is 0: the loss is noted, no action follows"),
        1 => "Hold",
        2 => "Return",
        3 => "Land",
        5 => "Terminate",
        6 if input.version >= Px4Version::V1_14 => "Disarm",
        6 => "Lockdown",
        other => return ReactionPlan::Nothing(format!("NAV_DLL_ACT {other} has no meaning")),
    };
    if input.armed == Some(false) {
        return nothing("the vehicle is disarmed: the loss is noted, no action follows");
    }
    if let Some(reason) = exempt(input) {
        return ReactionPlan::Nothing(reason);
    }
    // The loops are never early; the reaction runs in the next cycle, or in the same one up to v1.13.
    let (earliest, latest) = if input.version.reacts_one_cycle_later() {
        (Span::from_millis(10), commander)
    } else {
        (Span::ZERO, Span::from_millis(1))
    };
    let at_once = |name| Reaction {
        name,
        earliest,
        latest,
    };
    let already_holding = input.mode == Some(Px4Mode::Hold);
    let delayed = input.version >= Px4Version::V1_14
        && matches!(name, "Return" | "Land")
        && input.com_fail_act_t > Span::from_millis(100);
    if !delayed {
        return ReactionPlan::Acts(vec![at_once(name)]);
    }
    let action = Reaction {
        name,
        earliest: input.least_delay.min(input.com_fail_act_t) + earliest,
        // The delay is counted in the commander's cycles, and ends with the first one behind it.
        latest: input.com_fail_act_t + latest + commander + commander,
    };
    if already_holding {
        ReactionPlan::Acts(vec![action])
    } else {
        ReactionPlan::Acts(vec![at_once("Hold"), action])
    }
}

fn nothing(reason: &str) -> ReactionPlan {
    ReactionPlan::Nothing(reason.to_owned())
}

/// Why the mode in force keeps the vehicle from reacting, if it does.
fn exempt(input: &ActionInput) -> Option<String> {
    let mode = input.mode?;
    let in_mode = |why: &str| Some(format!("in {} {why}", mode.name()));
    match input.version {
        Px4Version::V1_11 | Px4Version::V1_12 | Px4Version::V1_13 => {
            let reacts = match mode {
                Px4Mode::Mission | Px4Mode::Hold | Px4Mode::Orbit => true,
                Px4Mode::Takeoff => input.version >= Px4Version::V1_12,
                _ => false,
            };
            if !reacts {
                return in_mode("this version does not react to the loss");
            }
            // v1.11 alone goes on with a mission that has not taken off yet.
            let mission = input.version == Px4Version::V1_11 && mode == Px4Mode::Mission;
            (input.landed == Some(true) && !mission)
                .then(|| "the vehicle is landed: no action follows".to_owned())
        }
        Px4Version::V1_14 | Px4Version::V1_16 | Px4Version::Main => {
            if mode == Px4Mode::Land {
                return in_mode("the vehicle goes on landing");
            }
            if mode == Px4Mode::Return
                && input.version >= Px4Version::V1_16
                && input.nav_dll_act == 2
            {
                return in_mode("the vehicle is returning already");
            }
            let bit = exception_bit(input.version, mode)?;
            (input.com_dll_except >> bit & 1 == 1)
                .then(|| format!("COM_DLL_EXCEPT exempts {}", mode.name()))
        }
    }
}

/// The bit of COM_DLL_EXCEPT that exempts `mode`. The meaning of bit 1 widened in main.
fn exception_bit(version: Px4Version, mode: Px4Mode) -> Option<u32> {
    match (version, mode) {
        (Px4Version::V1_16 | Px4Version::Main, Px4Mode::Mission) => Some(0),
        (Px4Version::V1_16 | Px4Version::Main, Px4Mode::Hold | Px4Mode::Takeoff)
        | (Px4Version::Main, Px4Mode::OtherAuto | Px4Mode::Return) => Some(1),
        (Px4Version::V1_16 | Px4Version::Main, Px4Mode::Offboard) => Some(2),
        (Px4Version::Main, Px4Mode::External) => Some(3),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Micros;

    const CYCLE: Span = Span::from_micros(11_500);

    fn input(nav_dll_act: i64) -> ActionInput {
        ActionInput {
            version: Px4Version::V1_16,
            nav_dll_act,
            com_fail_act_t: Span::from_secs(5),
            least_delay: Span::from_secs(5),
            com_dll_except: 0,
            mode: Some(Px4Mode::Mission),
            armed: Some(true),
            landed: Some(false),
        }
    }

    #[test]
    fn orbit_reacts_in_every_version_and_a_landed_mission_only_in_the_oldest() {
        for version in Px4Version::ALL {
            let orbiting = ActionInput {
                version,
                mode: Some(Px4Mode::from_custom_mode(0x0103_0000)),
                ..input(1)
            };
            assert_eq!(names(&orbiting), ["Hold"], "{version}");
            let landed = ActionInput {
                version,
                landed: Some(true),
                ..input(1)
            };
            let reacts = version == Px4Version::V1_11 || version >= Px4Version::V1_14;
            assert_eq!(!names(&landed).is_empty(), reacts, "{version}");
        }
    }

    #[test]
    fn an_external_mode_has_an_exception_of_its_own_in_main() {
        let external = |com_dll_except| {
            let input = ActionInput {
                version: Px4Version::Main,
                com_dll_except,
                mode: Some(Px4Mode::from_custom_mode(0x0b04_0000)),
                ..input(1)
            };
            names(&input)
        };
        assert_eq!(external(0b0010), ["Hold"]);
        assert!(external(0b1000).is_empty());
    }

    fn names(input: &ActionInput) -> Vec<&'static str> {
        match plan_reaction(input, CYCLE) {
            ReactionPlan::Acts(reactions) => reactions.iter().map(|r| r.name).collect(),
            ReactionPlan::Nothing(_) => Vec::new(),
        }
    }

    #[test]
    fn hold_comes_at_once_and_return_after_a_hold() {
        assert_eq!(names(&input(1)), ["Hold"]);
        assert_eq!(names(&input(2)), ["Hold", "Return"]);
        let undelayed = ActionInput {
            com_fail_act_t: Span::ZERO,
            ..input(2)
        };
        assert_eq!(names(&undelayed), ["Return"]);
        let holding = ActionInput {
            mode: Some(Px4Mode::Hold),
            ..input(2)
        };
        assert_eq!(names(&holding), ["Return"], "the hold is no change of mode");
    }

    #[test]
    fn a_delay_that_was_used_up_may_be_shorter_but_not_longer() {
        let soon_again = ActionInput {
            least_delay: Span::from_secs(2),
            ..input(2)
        };
        let window = |input: &ActionInput| match plan_reaction(input, CYCLE) {
            ReactionPlan::Acts(reactions) => reactions[1].window(Bounds::exact(Micros::default())),
            ReactionPlan::Nothing(why) => panic!("{why}"),
        };
        let (fresh, used) = (window(&input(2)), window(&soon_again));
        assert_eq!(fresh.earliest() - used.earliest(), Span::from_secs(3));
        assert_eq!(fresh.latest(), used.latest());
    }

    #[test]
    fn reasons_for_doing_nothing() {
        assert!(names(&input(0)).is_empty());
        let cases = [
            ActionInput {
                armed: Some(false),
                ..input(1)
            },
            ActionInput {
                mode: Some(Px4Mode::Land),
                ..input(1)
            },
            ActionInput {
                com_dll_except: 1,
                ..input(1)
            },
            ActionInput {
                version: Px4Version::V1_12,
                mode: Some(Px4Mode::Manual),
                ..input(1)
            },
        ];
        for case in cases {
            assert!(names(&case).is_empty(), "{case:?}");
        }
        let offboard_exempt = ActionInput {
            com_dll_except: 4,
            ..input(1)
        };
        assert_eq!(
            names(&offboard_exempt),
            ["Hold"],
            "another mode's exception"
        );
    }

    #[test]
    fn modes_are_read_from_the_two_upper_bytes() {
        assert_eq!(Px4Mode::from_custom_mode(0x0304_0000), Px4Mode::Hold);
        assert_eq!(Px4Mode::from_custom_mode(0x0404_0000), Px4Mode::Mission);
        assert_eq!(Px4Mode::from_custom_mode(0x0003_0000), Px4Mode::Manual);
        assert_eq!(Px4Mode::from_custom_mode(0x0006_0000), Px4Mode::Offboard);
    }
}
