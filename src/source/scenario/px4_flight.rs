//! A PX4 vehicle flown: the three loops, and what follows from a loss.

use crate::rules::px4::{
    ActionInput, Happening, HeartbeatArrival, Px4Mode, Px4Version, ReactionPlan, SimulatedVehicle,
    VehicleLoop, plan_reaction,
};
use crate::time::{Micros, Span};

use super::check::mode_number;
use super::clock::SimulatedClock;
use super::model::{Scenario, ScenarioFirmware, TimelineAct, span};
use super::noise::Noise;
use super::truth::{ChangeCause, FlightTruth, TruthEntry, TruthEvent};

/// The commander's cycle is this long in a scenario: 10 ms and a little.
const CYCLE: Span = Span::from_micros(10_100);
/// So long before the beginning the loops may run; what was before leaves no trace in them.
const LEAD: Span = Span::from_secs(600);

/// Flies the scenario's vehicle, whose firmware is PX4 of this release, through these arrivals on its own
/// timeline. Everything told is at or after `start`.
pub(super) fn fly(
    scenario: &Scenario,
    release: (u8, u8),
    arrivals: &[HeartbeatArrival],
    clock: &SimulatedClock,
    start: Micros,
) -> FlightTruth {
    let version = Px4Version::of_release(release.0, release.1);
    let booted = span(scenario.vehicle.booted_before_start_s).min(LEAD);
    let instances = scenario.talkers.iter().map(|t| t.instance).max();
    let vehicle = SimulatedVehicle {
        version,
        com_dl_loss_t: span(scenario.parameter("COM_DL_LOSS_T", 10.0)),
        instances: instances.unwrap_or(0) + 1,
        publisher_sleep: Span::from_micros(1_500),
        start: start - booted,
    };
    let until = clock.vehicle(start + span(scenario.duration_s));
    let happenings = vehicle.run(arrivals, until, &mut loop_lateness(scenario.seed));
    let mut course = Course::new(scenario, version, clock, start);
    for (at, happening) in happenings {
        course.take(at, happening, arrivals);
    }
    course.finish(until)
}

/// Deterministic lateness of the vehicle's loops: small and different each turn.
fn loop_lateness(seed: u64) -> impl FnMut(VehicleLoop) -> Span {
    let mut noise = Noise(seed | 1);
    move |which| {
        let most = match which {
            VehicleLoop::Publisher => 500,
            VehicleLoop::Receiver | VehicleLoop::Commander => 200,
        };
        Span::from_micros(1 + (noise.next() % most) as i64)
    }
}

/// The state of the vehicle as the run goes on.
struct Course<'a> {
    scenario: &'a Scenario,
    version: Px4Version,
    clock: &'a SimulatedClock,
    start: Micros,
    mode: u32,
    armed: bool,
    flags: Vec<bool>,
    start_line: Option<Micros>,
    /// A loss has been declared before; the first contact after boot is no end of one.
    was_lost: bool,
    /// Commands still to come, on the vehicle's timeline.
    commands: std::vec::IntoIter<(Micros, TimelineAct)>,
    next_command: Option<(Micros, TimelineAct)>,
    /// Reactions still to come.
    pending: Vec<(Micros, &'static str)>,
    truth: FlightTruth,
}

impl<'a> Course<'a> {
    fn new(
        scenario: &'a Scenario,
        version: Px4Version,
        clock: &'a SimulatedClock,
        start: Micros,
    ) -> Self {
        let firmware = scenario.vehicle.firmware;
        let mut commands = scenario
            .timeline
            .iter()
            .map(|entry| {
                let at = clock.vehicle(start + span(entry.at_s));
                (at, entry.what.clone())
            })
            .collect::<Vec<_>>()
            .into_iter();
        Self {
            scenario,
            version,
            clock,
            start,
            mode: mode_number(firmware, &scenario.vehicle.mode).unwrap_or_default(),
            armed: scenario.vehicle.armed,
            flags: Vec::new(),
            start_line: None,
            was_lost: false,
            next_command: commands.next(),
            commands,
            pending: Vec::new(),
            truth: FlightTruth::default(),
        }
    }

    fn tell(&mut self, vehicle: Micros, event: TruthEvent) {
        let at = self.clock.ground(vehicle);
        if at >= self.start {
            let entry = TruthEntry { at, vehicle, event };
            self.truth.entries.push(entry);
        }
    }

    fn take(&mut self, at: Micros, happening: Happening, arrivals: &[HeartbeatArrival]) {
        self.catch_up(at);
        match happening {
            Happening::Checked {
                instance,
                forced,
                present,
            } => {
                if forced && counts(arrivals, at, instance) {
                    self.tell(at, TruthEvent::Heard);
                }
                if self.flags.len() <= instance {
                    self.flags.resize(instance + 1, false);
                }
                let flag = self.flags.get_mut(instance);
                if flag.is_some_and(|flag| std::mem::replace(flag, present) != present) {
                    self.tell(at, TruthEvent::Flag { instance, present });
                }
            }
            Happening::Reported { instance, present } => {
                if present {
                    self.start_line = Some(at);
                }
                self.tell(at, TruthEvent::Reported { instance, present });
            }
            Happening::Lost => {
                self.was_lost = true;
                let start_line = self.clock.ground(self.start_line.unwrap_or(at));
                let lost = TruthEvent::Lost {
                    start_line,
                    named_radio: false,
                };
                self.tell(at, lost);
                if !self.version.reacts_one_cycle_later() {
                    self.react(at);
                }
            }
            Happening::CycleAfterLoss => {
                if self.version.reacts_one_cycle_later() {
                    self.react(at);
                }
            }
            Happening::Regained => {
                self.pending.clear();
                if self.was_lost {
                    self.tell(at, TruthEvent::Regained);
                }
            }
        }
    }

    /// What the vehicle plans in the cycle at `at`, in which it sees the loss.
    fn react(&mut self, at: Micros) {
        let number = |name, default| self.scenario.parameter(name, default);
        let plan = plan_reaction(
            &ActionInput {
                version: self.version,
                nav_dll_act: number("NAV_DLL_ACT", 0.0) as i64,
                com_fail_act_t: span(number("COM_FAIL_ACT_T", 5.0)),
                // What a simulated flight has used up of it is not kept: each failsafe has all of it.
                least_delay: span(number("COM_FAIL_ACT_T", 5.0)),
                com_dll_except: number("COM_DLL_EXCEPT", 0.0) as i64,
                mode: Some(Px4Mode::from_custom_mode(self.mode)),
                armed: Some(self.armed),
                landed: Some(false),
            },
            CYCLE,
        );
        if let ReactionPlan::Acts(reactions) = plan {
            // The plan's offsets are measured from the loss, one cycle before this one.
            self.pending = reactions
                .iter()
                .map(|r| (at + r.earliest - CYCLE.min(r.earliest), r.name))
                .collect();
        }
    }

    /// Does what falls due up to `at`.
    fn catch_up(&mut self, at: Micros) {
        loop {
            let reaction = self.pending.first().map(|(due, _)| *due);
            let command = self.next_command.as_ref().map(|(due, _)| *due);
            let due = reaction.into_iter().chain(command).min();
            let Some(due) = due.filter(|due| *due <= at) else {
                return;
            };
            if command == Some(due) {
                // Whoever steers takes over from the failsafe.
                self.pending.clear();
                let next = self.commands.next();
                if let Some((_, act)) = std::mem::replace(&mut self.next_command, next) {
                    self.obey(due, &act);
                }
            } else {
                let (_, name) = self.pending.remove(0);
                self.do_reaction(due, name);
            }
        }
    }

    fn obey(&mut self, at: Micros, act: &TimelineAct) {
        match act {
            TimelineAct::Arm => self.arm(at, true, ChangeCause::Command),
            TimelineAct::Disarm => self.arm(at, false, ChangeCause::Command),
            TimelineAct::Mode(name) => self.change_mode(at, name, ChangeCause::Command),
        }
    }

    fn do_reaction(&mut self, at: Micros, name: &str) {
        match name {
            "Disarm" | "Lockdown" => self.arm(at, false, ChangeCause::LinkLoss),
            "Terminate" => self.change_mode(at, "Termination", ChangeCause::LinkLoss),
            mode => self.change_mode(at, mode, ChangeCause::LinkLoss),
        }
    }

    fn arm(&mut self, at: Micros, armed: bool, by: ChangeCause) {
        if std::mem::replace(&mut self.armed, armed) != armed {
            self.tell(at, TruthEvent::Armed { armed, by });
        }
    }

    fn change_mode(&mut self, at: Micros, name: &str, by: ChangeCause) {
        let firmware: ScenarioFirmware = self.scenario.vehicle.firmware;
        if let Some(number) = mode_number(firmware, name)
            && std::mem::replace(&mut self.mode, number) != number
        {
            self.tell(at, TruthEvent::Mode { number, by });
        }
    }

    fn finish(mut self, until: Micros) -> FlightTruth {
        self.catch_up(until);
        self.truth
    }
}

/// Whether a ground station's heartbeat came at `at`.
fn counts(arrivals: &[HeartbeatArrival], at: Micros, instance: usize) -> bool {
    use crate::rules::px4::HeartbeatEffect::CountsAsGroundStation;
    let from = arrivals.partition_point(|a| a.at < at);
    arrivals
        .iter()
        .skip(from)
        .take_while(|a| a.at == at)
        .any(|a| a.instance == instance && a.effect == CountsAsGroundStation)
}
