use std::collections::BTreeMap;

use crate::observation::{Autopilot, LoggedFact, MavType, Message, Observation, Sighting, Talker};
use crate::rules::px4;
use crate::time::Micros;

use super::{Track, VehicleClock};

/// Of each vehicle, so many things that happened are kept; a text a second for three hours.
const HAPPENINGS: usize = 10_000;
/// Both MAVLink and the loggers keep this much of a text at least.
const TEXT: usize = 40;

/// What one recording tells about clocks: the first of two passes over recordings of one flight.
///
/// Small whatever the recording's size: four clock pairs a second, and what happened.
#[derive(Clone, Debug, Default)]
pub struct ClockRecord {
    /// By vehicle; an on-board log has one, under ids that say nothing.
    pub(super) vehicles: BTreeMap<Talker, Signs>,
    /// What the vehicle's own log tells.
    pub(super) logged: Option<LoggedSigns>,
}

/// What a recording of the ground tells of one vehicle.
#[derive(Clone, Debug, Default)]
pub(super) struct Signs {
    pub clock: VehicleClock,
    pub happenings: Happenings,
    pub is_vehicle: bool,
}

/// What a vehicle's own log tells.
#[derive(Clone, Debug)]
pub(super) struct LoggedSigns {
    pub happenings: Happenings,
    pub first: Micros,
    pub last: Micros,
    /// Its MAVLink system id, by its parameters.
    pub system: Option<u8>,
}

/// Things that happened, in the order in which they were recorded.
#[derive(Clone, Debug, Default)]
pub(super) struct Happenings {
    pub all: Vec<(Micros, Happening)>,
    armed: Track<bool>,
    mode: Track<u32>,
}

/// Something that both the ground and the vehicle write down.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Happening {
    Armed(bool),
    Mode(u32),
    Text(Box<str>),
    /// PX4's events carry their own time: the same one in both is proof of the same boot.
    Event(u32, u32),
}

impl Happenings {
    fn push(&mut self, at: Micros, what: Happening) {
        if self.all.len() < HAPPENINGS {
            self.all.push((at, what));
        }
    }

    fn armed(&mut self, at: Micros, armed: bool) {
        // The first value is no change: the recording begins there.
        let first = self.armed.latest().is_none();
        if self.armed.note(at, armed) && !first {
            self.push(at, Happening::Armed(armed));
        }
    }

    fn mode(&mut self, at: Micros, mode: u32) {
        let first = self.mode.latest().is_none();
        if self.mode.note(at, mode) && !first {
            self.push(at, Happening::Mode(mode));
        }
    }

    fn text(&mut self, at: Micros, text: &str) {
        let start: String = text.trim().chars().take(TEXT).collect();
        self.push(at, Happening::Text(start.into()));
    }
}

impl ClockRecord {
    /// Takes in an observation of this recording, at the recording's own time.
    pub fn note(&mut self, observation: &Observation) {
        let at = observation.at;
        match &observation.what {
            Sighting::Frame(frame) if frame.from.component == 1 => {
                self.note_message(at, frame.from, &frame.message);
            }
            Sighting::Logged(fact) => self.note_fact(at, fact),
            _ => {}
        }
    }

    /// Whether it is a vehicle's own log.
    #[must_use]
    pub const fn is_on_board(&self) -> bool {
        self.logged.is_some()
    }

    fn note_message(&mut self, at: Micros, from: Talker, message: &Message) {
        if *message == Message::Other {
            return;
        }
        let signs = self.vehicles.entry(from).or_default();
        match message {
            Message::SystemTime { boot_ms, .. } | Message::BootClock { boot_ms } => {
                signs
                    .clock
                    .note(at, Micros::from_millis(i64::from(*boot_ms)));
            }
            Message::Heartbeat(heartbeat) => {
                signs.is_vehicle |=
                    heartbeat.autopilot != Autopilot::INVALID && heartbeat.mav_type != MavType::GCS;
                signs.happenings.armed(at, heartbeat.armed());
                signs.happenings.mode(at, heartbeat.custom_mode);
            }
            Message::StatusText(chunk) if chunk.chunk == 0 => {
                signs.happenings.text(at, &chunk.text);
            }
            Message::Event(event) => {
                let what = Happening::Event(event.id, event.boot_ms);
                signs.happenings.push(at, what);
            }
            _ => {}
        }
    }

    fn note_fact(&mut self, at: Micros, fact: &LoggedFact) {
        let signs = self.logged.get_or_insert_with(|| LoggedSigns {
            happenings: Happenings::default(),
            first: at,
            last: at,
            system: None,
        });
        signs.first = signs.first.min(at);
        signs.last = signs.last.max(at);
        let happenings = &mut signs.happenings;
        match fact {
            LoggedFact::Parameter { name, value } => {
                // PX4; ArduPilot to 4.6; ArduPilot from 4.7.
                let names_system = matches!(&**name, "MAV_SYS_ID" | "SYSID_THISMAV" | "MAV_SYSID");
                if names_system && (1.0..=255.0).contains(value) {
                    signs.system = Some(*value as u8);
                }
            }
            LoggedFact::Armed(armed) => happenings.armed(at, *armed),
            LoggedFact::Mode { mode, .. } => happenings.mode(at, u32::from(*mode)),
            LoggedFact::VehicleState {
                nav_state, armed, ..
            } => {
                happenings.armed(at, *armed);
                if let Some(mode) = px4::custom_mode_of_nav_state(*nav_state) {
                    happenings.mode(at, mode);
                }
            }
            LoggedFact::Text { text, .. } => happenings.text(at, text),
            LoggedFact::Event(event) => {
                happenings.push(at, Happening::Event(event.id, event.boot_ms));
            }
            _ => {}
        }
    }
}
