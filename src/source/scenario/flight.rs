//! A scenario flown: the vehicle's truth, and the observations that the ground makes of it.

use std::collections::BTreeMap;

use crate::observation::{
    Autopilot, AutopilotVersion, Direction, EstimatorStatus, Frame, Heartbeat, LinkNodeStatus,
    MavType, Message, Observation, ParamType, ParamValue, PathId, Sighting, StatusText,
    SystemStatus, Talker, TimeSync, VehicleEvent,
};
use crate::rules::px4::{
    ActionInput, Happening, HeartbeatArrival, Px4Mode, Px4Version, ReactionPlan, SimulatedVehicle,
    VehicleLoop, heartbeat_effect, plan_reaction,
};
use crate::time::{Micros, Span};

use super::model::{ParameterSetting, Scenario, ScenarioError, ScenarioMode, TalkerKind, span};

/// Ways of a message between ground and vehicle, as short as a cable.
const TRANSPORT: Span = Span::from_micros(400);
/// A ground station asks for the vehicle's time this long after each of its heartbeats.
const TIME_REQUEST_AFTER: Span = Span::from_millis(450);
/// The commander's cycle is this long in a scenario: 10 ms and a little.
const CYCLE: Span = Span::from_micros(10_100);

/// A scenario flown from beginning to end. The same scenario gives the same flight.
#[derive(Clone, Debug)]
pub struct Flight {
    /// When it begins, on its own time of day.
    pub start: Micros,
    /// Its length.
    pub duration: Span,
    /// What happened on the vehicle: the truth that the ground cannot see. Times on the same timeline.
    pub truth: Vec<(Micros, Happening)>,
    /// What the ground sees of it, in order of time.
    pub observations: Vec<Observation>,
}

impl Flight {
    /// Flies the scenario.
    pub fn fly(scenario: &Scenario) -> Result<Self, ScenarioError> {
        let start = scenario.start()?;
        let duration = span(scenario.duration_s);
        let ids = Talker::new(scenario.vehicle.system, 1);
        let version = Px4Version::of_release(scenario.vehicle.px4.0, scenario.vehicle.px4.1);
        let mut arrivals = Vec::new();
        let mut requests = Vec::new();
        let mut ground = Ground::new(start, ids);
        for talker in &scenario.talkers {
            let from = Talker::new(talker.system, talker.component);
            let mav_type = match talker.kind {
                TalkerKind::GroundStation => MavType::GCS,
                TalkerKind::Companion => MavType::ONBOARD_CONTROLLER,
            };
            let effect = heartbeat_effect(ids.system, from, mav_type);
            for offset in talker.heartbeats(duration) {
                let at = start + offset;
                arrivals.push(HeartbeatArrival {
                    at,
                    instance: 0,
                    effect,
                });
                ground.heartbeat(at, from, mav_type);
                if talker.kind == TalkerKind::GroundStation {
                    requests.push(at + TIME_REQUEST_AFTER);
                }
            }
        }
        arrivals.sort_by_key(|a| a.at);
        let number = |name: &str, default: f64| {
            scenario
                .vehicle
                .parameters
                .get(name)
                .map_or(default, |p| p.number())
        };
        let vehicle = SimulatedVehicle {
            version,
            com_dl_loss_t: span(number("COM_DL_LOSS_T", 10.0)),
            instances: 1,
            publisher_sleep: Span::from_micros(1_500),
            start: start - span(scenario.vehicle.booted_before_start_s),
        };
        let truth = vehicle.run(
            &arrivals,
            start + duration,
            &mut loop_lateness(scenario.seed),
        );
        let plan = |mode| {
            plan_reaction(
                &ActionInput {
                    version,
                    nav_dll_act: number("NAV_DLL_ACT", 0.0) as i64,
                    com_fail_act_t: span(number("COM_FAIL_ACT_T", 5.0)),
                    com_dll_except: number("COM_DLL_EXCEPT", 0.0) as i64,
                    mode: Some(mode),
                    armed: Some(scenario.vehicle.armed),
                    landed: Some(false),
                },
                CYCLE,
            )
        };
        let modes = ModeHistory::of(scenario.vehicle.mode, &truth, plan);
        let received: Vec<Micros> = arrivals
            .iter()
            .map(|a| a.at)
            .chain(requests.iter().copied())
            .collect();
        ground.vehicle_stream(scenario, start, duration, &modes, &received);
        ground.time_requests(scenario, &requests);
        ground.announcements(&truth, &modes, vehicle.start);
        Ok(Self {
            start,
            duration,
            truth,
            observations: ground.finished(),
        })
    }
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

/// A xorshift generator: no statistics are drawn from it, it only must not repeat itself visibly.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Between -1 and 1.
    fn unit(&mut self) -> f32 {
        (self.next() % 2_001) as f32 / 1_000.0 - 1.0
    }
}

/// The vehicle's mode over the flight, and whether a failsafe set it.
struct ModeHistory(Vec<(Micros, Px4Mode, bool)>);

impl ModeHistory {
    fn of(
        first: ScenarioMode,
        truth: &[(Micros, Happening)],
        plan: impl Fn(Px4Mode) -> ReactionPlan,
    ) -> Self {
        let first = match first {
            ScenarioMode::Position => Px4Mode::Manual,
            ScenarioMode::Mission => Px4Mode::Mission,
            ScenarioMode::Hold => Px4Mode::Hold,
        };
        let mut modes = vec![(Micros::MIN, first, false)];
        for (at, _) in truth
            .iter()
            .filter(|(_, h)| *h == Happening::CycleAfterLoss)
        {
            let mode = modes.last().map_or(first, |(_, mode, _)| *mode);
            if let ReactionPlan::Acts(reactions) = plan(mode) {
                for reaction in reactions {
                    // The reaction of the plan is measured from the loss, one cycle before this one.
                    let mode = match reaction.name {
                        "Return" => Px4Mode::Return,
                        "Land" => Px4Mode::Land,
                        _ => Px4Mode::Hold,
                    };
                    modes.push((
                        *at + reaction.earliest - CYCLE.min(reaction.earliest),
                        mode,
                        true,
                    ));
                }
            }
        }
        Self(modes)
    }

    fn at(&self, at: Micros) -> (Px4Mode, bool) {
        self.0
            .iter()
            .rev()
            .find(|(since, _, _)| *since <= at)
            .map_or((Px4Mode::Manual, false), |(_, mode, failsafe)| {
                (*mode, *failsafe)
            })
    }
}

/// Collects what the ground sees.
struct Ground {
    start: Micros,
    vehicle: Talker,
    seen: Vec<Observation>,
}

impl Ground {
    fn new(start: Micros, vehicle: Talker) -> Self {
        let up = Observation {
            at: start,
            path: PathId::default(),
            what: Sighting::PathUp("The scenario's link".into()),
        };
        Self {
            start,
            vehicle,
            seen: vec![up],
        }
    }

    /// A talker's heartbeat, seen on the link as it passes.
    fn heartbeat(&mut self, at: Micros, from: Talker, mav_type: MavType) {
        let heartbeat = Heartbeat {
            mav_type,
            autopilot: Autopilot::INVALID,
            base_mode: 0,
            custom_mode: 0,
            system_status: SystemStatus::ACTIVE,
        };
        self.push(at, from, 0, Message::Heartbeat(heartbeat));
    }

    fn push(&mut self, at: Micros, from: Talker, id: u32, message: Message) {
        let frame = Frame {
            from,
            sequence: 0,
            id,
            length: 21,
            direction: Direction::Unknown,
            signed: false,
            message,
        };
        self.seen.push(Observation {
            at,
            path: PathId::default(),
            what: Sighting::Frame(frame),
        });
    }

    fn vehicle_sends(&mut self, at: Micros, id: u32, message: Message) {
        self.push(at + TRANSPORT, self.vehicle, id, message);
    }

    /// The time requests of the ground stations, and the vehicle's answers.
    fn time_requests(&mut self, scenario: &Scenario, requests: &[Micros]) {
        let Some(asking) = scenario
            .talkers
            .iter()
            .find(|t| t.kind == TalkerKind::GroundStation)
        else {
            return;
        };
        let from = Talker::new(asking.system, asking.component);
        for at in requests {
            let ts1 = at.as_micros().saturating_mul(1_000);
            let request = TimeSync { tc1: 0, ts1 };
            self.push(*at, from, 111, Message::TimeSync(request));
            let answer = TimeSync {
                tc1: ts1 + TRANSPORT.as_micros() * 1_000,
                ts1,
            };
            self.vehicle_sends(*at + TRANSPORT, 111, Message::TimeSync(answer));
        }
    }

    /// The vehicle's regular messages, in order of time so that its sequence numbers are.
    fn vehicle_stream(
        &mut self,
        scenario: &Scenario,
        start: Micros,
        duration: Span,
        modes: &ModeHistory,
        received: &[Micros],
    ) {
        let boot = start - span(scenario.vehicle.booted_before_start_s);
        let (major, minor, patch) = scenario.vehicle.px4;
        let mut ratios = Ratios::new(scenario.seed);
        let mut tick = 0_i64;
        while Span::from_millis(100) * tick < duration {
            let at = start + Span::from_millis(100) * tick;
            let boot_ms = ((at - boot).as_micros() / 1_000) as u32;
            self.vehicle_sends(at, 30, Message::BootClock { boot_ms });
            if tick % 2 == 0 {
                let status = ratios.next(boot_ms);
                self.vehicle_sends(at, 230, Message::EstimatorStatus(status));
            }
            if tick % 10 == 1 {
                let (mode, failsafe) = modes.at(at);
                self.vehicle_sends(at, 0, heartbeat_of(scenario, mode, failsafe));
            }
            if tick % 10 == 6 {
                let received = received.iter().filter(|t| **t <= at).count() as u32;
                let status = LinkNodeStatus {
                    time_us: u64::from(boot_ms) * 1_000,
                    messages_received: 4_000 + received,
                    messages_lost: 0,
                    rx_rate: 60,
                    tx_rate: 2_400,
                };
                self.vehicle_sends(at, 8, Message::LinkNodeStatus(status));
            }
            if tick == 12 {
                let version = AutopilotVersion {
                    flight: [major, minor, patch, 255],
                    revision: [0; 8],
                    capabilities: 0,
                    uid: 0,
                };
                self.vehicle_sends(at, 148, Message::AutopilotVersion(version));
                for (name, value) in &scenario.vehicle.parameters {
                    let (raw, kind) = match value {
                        ParameterSetting::Integer(i) => (i.to_le_bytes(), ParamType(6)),
                        ParameterSetting::Real(r) => (r.to_le_bytes(), ParamType(9)),
                    };
                    let name = name.as_str().into();
                    self.vehicle_sends(at, 22, Message::ParamValue(ParamValue { name, raw, kind }));
                }
            }
            tick += 1;
        }
    }

    /// Events and texts, sent the moment they happen.
    fn announcements(&mut self, truth: &[(Micros, Happening)], modes: &ModeHistory, boot: Micros) {
        let event = |at: Micros, id, arguments| VehicleEvent {
            id,
            boot_ms: ((at - boot).as_micros() / 1_000) as u32,
            sequence: 0,
            log_levels: 0x64,
            arguments,
        };
        let start = self.start;
        for (at, happening) in truth.iter().filter(|(at, _)| *at >= start) {
            match happening {
                Happening::Lost => {
                    let event = event(*at, 27_571_288, [0; 40]);
                    self.vehicle_sends(*at, 410, Message::Event(event));
                }
                Happening::CycleAfterLoss if modes.at(*at).1 => {
                    // The user's mode (4 bytes), the action (5: Hold), the cause (2: link loss).
                    let mut arguments = [0; 40];
                    let [_, _, _, _, action, cause, ..] = &mut arguments;
                    (*action, *cause) = (5, 2);
                    let event = event(*at, 26_528_394, arguments);
                    self.vehicle_sends(*at, 410, Message::Event(event));
                }
                Happening::Regained => {
                    let text = StatusText {
                        severity: 6,
                        text: "GCS connection regained".into(),
                        chunk_id: 0,
                        chunk: 0,
                    };
                    self.vehicle_sends(*at, 253, Message::StatusText(text));
                }
                _ => {}
            }
        }
    }

    /// Everything in order of time, each talker's frames numbered in the order in which they come.
    fn finished(mut self) -> Vec<Observation> {
        self.seen.sort_by_key(|o| o.at);
        let mut next: BTreeMap<Talker, u8> = BTreeMap::new();
        for observation in &mut self.seen {
            if let Sighting::Frame(frame) = &mut observation.what {
                let number = next.entry(frame.from).or_default();
                frame.sequence = *number;
                *number = number.wrapping_add(1);
            }
        }
        self.seen
    }
}

fn heartbeat_of(scenario: &Scenario, mode: Px4Mode, failsafe: bool) -> Message {
    let custom_mode = match mode {
        Px4Mode::Mission => 0x0404_0000,
        Px4Mode::Hold => 0x0304_0000,
        Px4Mode::Return => 0x0504_0000,
        Px4Mode::Land => 0x0604_0000,
        _ => 0x0003_0000,
    };
    let armed = if scenario.vehicle.armed { 128 } else { 0 };
    Message::Heartbeat(Heartbeat {
        mav_type: MavType(scenario.vehicle.mav_type),
        autopilot: Autopilot::PX4,
        base_mode: armed | 0x1d,
        custom_mode,
        system_status: if failsafe {
            SystemStatus::CRITICAL
        } else {
            SystemStatus::ACTIVE
        },
    })
}

/// Innovation test ratios of a healthy estimator: they wander below the gate.
struct Ratios {
    noise: Noise,
    level: [f32; 3],
}

impl Ratios {
    fn new(seed: u64) -> Self {
        Self {
            noise: Noise(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1),
            level: [0.15, 0.1, 0.3],
        }
    }

    fn next(&mut self, boot_ms: u32) -> EstimatorStatus {
        let centre = [0.16, 0.11, 0.32];
        for (level, centre) in self.level.iter_mut().zip(centre) {
            *level += (centre - *level) * 0.12 + self.noise.unit() * 0.03;
            *level = level.clamp(0.02, 0.6);
        }
        let [velocity, position_horizontal, compass] = self.level;
        EstimatorStatus {
            time_us: u64::from(boot_ms) * 1_000,
            velocity,
            position_horizontal,
            position_vertical: 0.08,
            compass,
            height_above_ground: 0.0,
            airspeed: 0.0,
            flags: 831,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::scenario::built_in;

    fn flight() -> Flight {
        let text = built_in("inc-0143").expect("is built in");
        Flight::fly(&Scenario::parse(text).expect("is valid")).expect("flies")
    }

    #[test]
    fn the_truth_of_the_incident_has_its_documented_times() {
        let flight = flight();
        let last_heartbeat = flight.start + Span::from_micros(16_412_000);
        let after = |wanted: fn(&Happening) -> bool| {
            flight
                .truth
                .iter()
                .find(|(at, h)| *at > last_heartbeat && wanted(h))
                .map(|(at, _)| (*at - last_heartbeat).as_micros())
                .expect("happened")
        };
        let last_true_report = flight
            .truth
            .iter()
            .filter(|(at, h)| {
                *at < last_heartbeat + Span::from_secs(20)
                    && matches!(h, Happening::Reported { present: true, .. })
            })
            .map(|(at, _)| (*at - last_heartbeat).as_micros())
            .max()
            .expect("reported");
        assert!(
            (1_872_000..=1_874_200).contains(&last_true_report),
            "{last_true_report}"
        );
        let fell = after(|h| matches!(h, Happening::Checked { present: false, .. }));
        assert_eq!(fell, 2_872_000);
        let lost = after(|h| *h == Happening::Lost);
        assert!((11_872_000..=11_885_500).contains(&lost), "{lost}");
        let reacted = after(|h| *h == Happening::CycleAfterLoss);
        assert!(
            (10_000..=10_300).contains(&(reacted - lost)),
            "{}",
            reacted - lost
        );
    }

    #[test]
    fn flying_twice_gives_the_same_flight() {
        assert_eq!(flight().observations, flight().observations);
        assert!(flight().observations.is_sorted_by_key(|o| o.at));
    }
}
