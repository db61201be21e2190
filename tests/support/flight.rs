//! A flight written by hand, second by second, for what no recording shows.
#![allow(
    dead_code,
    clippy::unwrap_used,
    unreachable_pub,
    reason = "each test binary uses its part of this; a broken fixture must stop the test"
)]

use heartline::observation::{
    Autopilot, Direction, EkfFlags, EkfStatusReport, Frame, Heartbeat, LinkNodeStatus, MavType,
    Message, Observation, ParamType, ParamValue, PathId, Sighting, StatusText, SystemStatus,
    Talker, VehicleEvent,
};
use heartline::session::{Session, SessionSettings};
use heartline::time::{Micros, Span};

pub const VEHICLE: Talker = Talker::new(1, 1);
pub const GCS: Talker = Talker::new(255, 190);

/// An instant of the flight.
pub fn seconds(seconds: f64) -> Micros {
    Micros::from_micros(1_700_000_000_000_000) + Span::from_secs_f64(seconds).unwrap()
}

/// What was seen of a flight so far.
pub struct Flight {
    autopilot: Autopilot,
    mav_type: MavType,
    mode: u32,
    observations: Vec<Observation>,
}

impl Flight {
    pub fn new(autopilot: Autopilot, mav_type: MavType, mode: u32) -> Self {
        Self {
            autopilot,
            mav_type,
            mode,
            observations: Vec::new(),
        }
    }

    pub fn frame(&mut self, at: f64, from: Talker, id: u32, message: Message) -> &mut Self {
        self.observations.push(Observation {
            at: seconds(at),
            path: PathId(0),
            what: Sighting::Frame(Frame {
                from,
                sequence: 0,
                id,
                length: 21,
                direction: Direction::Unknown,
                signed: false,
                message,
            }),
        });
        self
    }

    fn heartbeat(&mut self, at: f64, from: Talker, heartbeat: Heartbeat) -> &mut Self {
        self.frame(at, from, 0, Message::Heartbeat(heartbeat))
    }

    /// A heartbeat a second of a ground station, from `from` on up to and without `to`.
    pub fn ground(&mut self, from: u32, to: u32) -> &mut Self {
        for second in from..to {
            let heartbeat = Heartbeat {
                mav_type: MavType::GCS,
                autopilot: Autopilot::INVALID,
                base_mode: 0,
                custom_mode: 0,
                system_status: SystemStatus::ACTIVE,
            };
            self.heartbeat(f64::from(second), GCS, heartbeat);
        }
        self
    }

    /// A heartbeat a second of the armed vehicle in its mode, likewise.
    pub fn vehicle(&mut self, from: u32, to: u32, system_status: SystemStatus) -> &mut Self {
        for second in from..to {
            let heartbeat = Heartbeat {
                mav_type: self.mav_type,
                autopilot: self.autopilot,
                base_mode: 128,
                custom_mode: self.mode,
                system_status,
            };
            self.heartbeat(f64::from(second) + 0.3, VEHICLE, heartbeat);
        }
        self
    }

    /// A reading of PX4's receive counter.
    pub fn counter(&mut self, at: f64, messages_received: u32) -> &mut Self {
        let status = LinkNodeStatus {
            time_us: 0,
            messages_received,
            messages_lost: 0,
            rx_rate: 0,
            tx_rate: 0,
        };
        self.frame(at, VEHICLE, 8, Message::LinkNodeStatus(status))
    }

    pub fn text(&mut self, at: f64, text: &str) -> &mut Self {
        let text = StatusText {
            severity: 4,
            text: text.into(),
            chunk_id: 0,
            chunk: 0,
        };
        self.frame(at, VEHICLE, 253, Message::StatusText(text))
    }

    /// One of PX4's events; the vehicle has no other clock in such a flight.
    pub fn event(&mut self, at: f64, id: u32, first: &[u8]) -> &mut Self {
        let mut arguments = [0; 40];
        for (to, from) in arguments.iter_mut().zip(first) {
            *to = *from;
        }
        let event = VehicleEvent {
            id,
            boot_ms: 0,
            sequence: 0,
            log_levels: 0,
            arguments,
        };
        self.frame(at, VEHICLE, 410, Message::Event(event))
    }

    /// A parameter as ArduPilot sends it.
    pub fn parameter(&mut self, at: f64, name: &str, value: f32) -> &mut Self {
        let value = ParamValue {
            name: name.into(),
            raw: value.to_le_bytes(),
            kind: ParamType(9),
        };
        self.frame(at, VEHICLE, 22, Message::ParamValue(value))
    }

    /// A Rover's or Copter's ratios, ten times a second: all small but the velocity's.
    pub fn ratios(&mut self, from: u32, to: u32, velocity: f32) -> &mut Self {
        for tenth in from * 10..to * 10 {
            let report = EkfStatusReport {
                velocity,
                position_horizontal: 0.1,
                position_vertical: 0.1,
                compass: 0.1,
                terrain: 0.0,
                airspeed: None,
                // Attitude, velocity, position relative and absolute.
                flags: EkfFlags(0x1f),
            };
            let at = f64::from(tenth) / 10.0 + 0.05;
            self.frame(at, VEHICLE, 193, Message::EkfStatusReport(report));
        }
        self
    }

    /// Everything seen, in order of time.
    pub fn session(&mut self) -> Session {
        self.observations.sort_by_key(|observation| observation.at);
        let mut session = Session::new(SessionSettings::default());
        for observation in &self.observations {
            session.observe(observation);
        }
        session
    }
}
