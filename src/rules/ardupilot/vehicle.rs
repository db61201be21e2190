//! The forward form: a simulated ArduPilot whose main loop runs the GCS failsafe and the EKF check, each
//! in its own turns. Deterministic for a given source of lateness.
//!
//! This is what a scenario flies, and what the session's windows are tested against.

use crate::observation::EkfFlags;
use crate::rules::ekf::{CheckEvent, CheckInput, EkfCheck, EkfRule, Ratios};
use crate::time::{Micros, Span};

use super::modes::mode_number;
use super::{GcsChange, GcsFailsafe, GcsRule};

/// What the estimator says at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The ratios as they are reported: the compass is the largest axis, and all its axes are equal.
    pub ratios: Ratios,
    /// Status flags.
    pub flags: EkfFlags,
}

/// What somebody tells the vehicle to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArdupilotCommand {
    /// Change to the mode with this number.
    Mode(u32),
    /// Arm or disarm.
    Armed(bool),
}

/// Something that happened on the simulated vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArdupilotHappening {
    /// The main loop parsed a message that counts.
    Counted,
    /// A check found the link too old: Rover's FS_TIMEOUT runs from here.
    LinkTooOld,
    /// A check found it young enough again.
    LinkInTime,
    /// The GCS failsafe fired.
    Fired {
        /// Rover's RC check came first, so that the text says "Radio Failsafe".
        named_radio: bool,
    },
    /// It was cleared.
    Cleared,
    /// The EKF check's count changed to this.
    EkfCount(u8),
    /// The EKF check tripped, cleared, or stopped while tripped.
    Ekf(CheckEvent),
    /// The mode changed.
    Mode {
        /// To the mode with this number.
        number: u32,
        /// Who changed it.
        by: ChangedBy,
    },
    /// Armed or disarmed.
    Armed {
        /// The state now.
        armed: bool,
        /// Who changed it.
        by: ChangedBy,
    },
}

/// Who changed the mode or the arming.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangedBy {
    /// A command.
    Command,
    /// The GCS failsafe.
    GcsFailsafe,
    /// The EKF failsafe.
    EkfFailsafe,
}

/// In which turn of the main loop each check runs, counted from its first; any number, taken modulo the
/// check's period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckTurns {
    /// The link's age.
    pub link: u32,
    /// Rover's RC check.
    pub radio: u32,
    /// The EKF check.
    pub ekf: u32,
}

/// The fixed facts of a simulated vehicle.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulatedArdupilot {
    /// Its GCS failsafe.
    pub gcs: GcsRule,
    /// Its EKF check; `None` to fly without.
    pub ekf: Option<EkfRule>,
    /// Its turns begin here, and so does its life.
    pub start: Micros,
    /// Which turns the checks take.
    pub turns: CheckTurns,
    /// Mode number at the start.
    pub mode: u32,
    /// Armed at the start.
    pub armed: bool,
}

/// One period of `period` in turns of the main loop.
fn turns(period: Span, turn: Span) -> u32 {
    let turn = turn.as_micros().max(1);
    // Both were rounded up to whole microseconds: the nearest whole number of turns is meant.
    u32::try_from((period.as_micros() + turn / 2) / turn)
        .unwrap_or(u32::MAX)
        .max(1)
}

impl SimulatedArdupilot {
    /// Runs until `until`, telling everything that happens, in order; `tell` ends the run by saying no.
    ///
    /// `arrivals` are the messages that count, `commands` what the vehicle is told, both in order of time.
    /// `lateness` is asked once per turn; it must be shorter than a turn.
    pub fn run(
        &self,
        arrivals: &[Micros],
        commands: &[(Micros, ArdupilotCommand)],
        estimate: &dyn Fn(Micros) -> Estimate,
        until: Micros,
        lateness: &mut dyn FnMut() -> Span,
        tell: &mut dyn FnMut(Micros, ArdupilotHappening) -> bool,
    ) {
        let turn = self.gcs.loop_period;
        let link_every = turns(self.gcs.check_period, turn);
        let radio_every = turns(self.gcs.evaluation_period, turn);
        let ekf_every = self
            .ekf
            .as_ref()
            .map_or(u32::MAX, |rule| turns(rule.period(), turn));
        let mut run = Run {
            failsafe: GcsFailsafe::new(self.gcs.clone(), self.start),
            check: self.ekf.clone().map(EkfCheck::new),
            rule: &self.gcs,
            mode: self.mode,
            armed: self.armed,
            too_old: false,
            going: true,
            tell,
        };
        let mut arrivals = arrivals.iter().peekable();
        let mut commands = commands.iter().peekable();
        let mut begins = self.start;
        let (mut link, mut radio, mut ekf) = (
            self.turns.link % link_every,
            self.turns.radio % radio_every,
            self.turns.ekf % ekf_every,
        );
        while begins <= until && run.going {
            let now = begins + lateness();
            begins += turn;
            while let Some((_, command)) = commands.next_if(|(at, _)| *at <= now) {
                run.obey(now, *command);
            }
            while arrivals.next_if(|at| **at <= now).is_some() {
                run.failsafe.counted(now);
                run.say(now, ArdupilotHappening::Counted);
            }
            if comes_up(&mut radio, radio_every) && self.gcs.named_radio_failsafe {
                let change = run.failsafe.check_radio(now, run.mode, false);
                run.gcs(now, change);
            }
            if comes_up(&mut link, link_every) {
                let change = run.failsafe.check_link(now, run.mode);
                let too_old = run.failsafe.link_too_old_since().is_some();
                if too_old != std::mem::replace(&mut run.too_old, too_old) {
                    let news = if too_old {
                        ArdupilotHappening::LinkTooOld
                    } else {
                        ArdupilotHappening::LinkInTime
                    };
                    run.say(now, news);
                }
                run.gcs(now, change);
            }
            if comes_up(&mut ekf, ekf_every) {
                run.ekf(now, estimate);
            }
        }
    }
}

/// Whether a check takes this turn.
fn comes_up(left: &mut u32, every: u32) -> bool {
    if *left > 0 {
        *left -= 1;
        return false;
    }
    *left = every - 1;
    true
}

/// A run under way.
struct Run<'a> {
    failsafe: GcsFailsafe,
    check: Option<EkfCheck>,
    rule: &'a GcsRule,
    mode: u32,
    armed: bool,
    too_old: bool,
    going: bool,
    tell: &'a mut dyn FnMut(Micros, ArdupilotHappening) -> bool,
}

impl Run<'_> {
    fn say(&mut self, at: Micros, what: ArdupilotHappening) {
        self.going &= (self.tell)(at, what);
    }

    fn obey(&mut self, at: Micros, command: ArdupilotCommand) {
        match command {
            ArdupilotCommand::Mode(number) => self.change_mode(at, number, ChangedBy::Command),
            ArdupilotCommand::Armed(armed) => self.change_arming(at, armed, ChangedBy::Command),
        }
    }

    fn change_mode(&mut self, at: Micros, number: u32, by: ChangedBy) {
        if std::mem::replace(&mut self.mode, number) != number {
            self.say(at, ArdupilotHappening::Mode { number, by });
        }
    }

    fn change_arming(&mut self, at: Micros, armed: bool, by: ChangedBy) {
        if std::mem::replace(&mut self.armed, armed) != armed {
            self.say(at, ArdupilotHappening::Armed { armed, by });
        }
    }

    fn act(&mut self, at: Micros, name: &str, by: ChangedBy) {
        if matches!(name, "Disarm" | "Terminate") {
            self.change_arming(at, false, by);
        } else if let Some(number) = mode_number(self.rule.kind, name) {
            self.change_mode(at, number, by);
        }
    }

    fn gcs(&mut self, at: Micros, change: Option<GcsChange>) {
        match change {
            Some(GcsChange::Fired { named_radio }) => {
                self.say(at, ArdupilotHappening::Fired { named_radio });
                let action = self.rule.action_in(Some(self.mode), Some(self.armed));
                if let Some(name) = action.name {
                    self.act(at, name, ChangedBy::GcsFailsafe);
                }
            }
            Some(GcsChange::Cleared) => self.say(at, ArdupilotHappening::Cleared),
            None => {}
        }
    }

    fn ekf(&mut self, at: Micros, estimate: &dyn Fn(Micros) -> Estimate) {
        let Some(check) = self.check.as_mut() else {
            return;
        };
        let Estimate { mut ratios, flags } = estimate(at);
        ratios.compass = check.rule().compass.at_most(ratios.compass);
        let before = check.count();
        let input = CheckInput {
            ratios,
            flags,
            in_use: true,
            armed: self.armed,
            mode: self.mode,
            flow_healthy: false,
        };
        let event = check.tick(at, &input);
        let count = check.count();
        let action = (event == Some(CheckEvent::Tripped))
            .then(|| check.rule().would_act(self.armed, self.mode))
            .filter(|action| action.acts);
        if count != before {
            self.say(at, ArdupilotHappening::EkfCount(count));
        }
        if let Some(event) = event {
            self.say(at, ArdupilotHappening::Ekf(event));
        }
        if let Some(action) = action {
            self.act(at, action.name, ChangedBy::EkfFailsafe);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Parameters;
    use crate::rules::ardupilot::VehicleKind;
    use crate::rules::ardupilot::modes::{ROVER_AUTO, ROVER_HOLD};
    use crate::rules::ardupilot::test_rules::rule;

    fn ms(millis: i64) -> Micros {
        Micros::from_millis(millis)
    }

    fn fly(
        upset: impl Fn(Micros) -> bool,
        arrivals: &[Micros],
        commands: &[(Micros, ArdupilotCommand)],
    ) -> Vec<(i64, ArdupilotHappening)> {
        let vehicle = SimulatedArdupilot {
            gcs: rule(VehicleKind::Rover, (4, 6), &[("FS_GCS_ENABLE", 1.0)]),
            ekf: Some(EkfRule::select(
                VehicleKind::Rover,
                None,
                &Parameters::default(),
                ms(0),
            )),
            start: ms(0),
            turns: CheckTurns::default(),
            mode: ROVER_AUTO,
            armed: true,
        };
        let estimate = |at| Estimate {
            ratios: Ratios {
                velocity: if upset(at) { 2.0 } else { 0.1 },
                position: 0.1,
                compass: 0.1,
            },
            flags: EkfFlags(831),
        };
        let mut told = Vec::new();
        vehicle.run(
            arrivals,
            commands,
            &estimate,
            ms(9_000),
            &mut || Span::ZERO,
            &mut |at, what| {
                told.push((at.as_micros() / 1_000, what));
                true
            },
        );
        told
    }

    #[test]
    fn a_lost_link_is_told_in_the_order_in_which_it_happens() {
        use ArdupilotHappening::{Counted, Fired, LinkTooOld, Mode};
        let told = fly(|_| false, &[ms(90)], &[]);
        let hold = Mode {
            number: ROVER_HOLD,
            by: ChangedBy::GcsFailsafe,
        };
        let fired = Fired { named_radio: true };
        assert_eq!(
            told,
            [
                (100, Counted),
                (5_100, LinkTooOld),
                (6_620, fired),
                (6_620, hold)
            ]
        );
    }

    #[test]
    fn ten_bad_checks_trip_and_the_vehicle_holds() {
        let told = fly(|at| ms(1_000) <= at && at < ms(2_000), &[], &[]);
        let tripped = ArdupilotHappening::Ekf(CheckEvent::Tripped);
        assert!(told.contains(&(1_900, tripped)), "{told:?}");
        let cleared = ArdupilotHappening::Ekf(CheckEvent::Cleared);
        assert!(told.contains(&(2_900, cleared)), "{told:?}");
        let short = fly(|at| ms(1_000) <= at && at < ms(1_900), &[], &[]);
        assert!(!short.iter().any(|(_, what)| *what == tripped));
    }

    #[test]
    fn a_disarmed_rover_does_not_count() {
        let disarm = [(ms(0), ArdupilotCommand::Armed(false))];
        let told = fly(|at| ms(1_000) <= at, &[], &disarm);
        assert_eq!(told.len(), 1, "{told:?}");
    }
}
