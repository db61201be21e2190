//! What the ground sees of a flown scenario: the stream of a link, frame by frame.

use std::collections::BTreeMap;

use crate::observation::{
    Autopilot, AutopilotVersion, Direction, Frame, Heartbeat, LinkNodeStatus, MavType, Message,
    Observation, ParamType, ParamValue, PathId, Sighting, StatusText, SystemStatus, Talker,
    TimeSync, VehicleEvent,
};
use crate::rules::px4::{Happening, Px4Mode};
use crate::time::{Micros, Span};

use super::flight::{ModeHistory, TRANSPORT};
use super::model::{ParameterSetting, Scenario, TalkerKind, span};
use super::noise::Ratios;

/// Collects what the ground sees.
pub(super) struct Ground {
    start: Micros,
    vehicle: Talker,
    seen: Vec<Observation>,
}

impl Ground {
    pub(super) fn new(start: Micros, vehicle: Talker) -> Self {
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
    pub(super) fn heartbeat(&mut self, at: Micros, from: Talker, mav_type: MavType) {
        let heartbeat = Heartbeat {
            mav_type,
            autopilot: Autopilot::INVALID,
            base_mode: 0,
            custom_mode: 0,
            system_status: SystemStatus::ACTIVE,
        };
        self.push(at, from, 0, Message::Heartbeat(heartbeat));
    }

    pub(super) fn push(&mut self, at: Micros, from: Talker, id: u32, message: Message) {
        let frame = Frame {
            from,
            sequence: 0,
            id,
            length: 21,
            checksum: 0,
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

    pub(super) fn vehicle_sends(&mut self, at: Micros, id: u32, message: Message) {
        self.push(at + TRANSPORT, self.vehicle, id, message);
    }

    /// The time requests of the ground stations, and the vehicle's answers.
    pub(super) fn time_requests(&mut self, scenario: &Scenario, requests: &[Micros]) {
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
    pub(super) fn vehicle_stream(
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
    pub(super) fn announcements(
        &mut self,
        truth: &[(Micros, Happening)],
        modes: &ModeHistory,
        boot: Micros,
    ) {
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
    pub(super) fn finished(mut self) -> Vec<Observation> {
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
