use crate::observation::{
    Autopilot, Heartbeat, LinkNodeStatus, LoggedFact, MavType, SystemStatus, Talker, VehicleEvent,
};
use crate::rules::ardupilot::VehicleKind;
use crate::rules::ekf::{EkfFact, EkfSighting, EkfText};
use crate::rules::firmware::{Firmware, FirmwareSource, FirmwareVersion};
use crate::rules::px4;
use crate::rules::px4::{Entry, Px4Version, Topology};
use crate::rules::{Parameters, Provenance};
use crate::time::{Micros, Span};

use super::estimator::EstimatorSample;
use super::texts::JoinedText;
use super::{LoggedTrack, Track, VehicleClock};

/// What is known of one vehicle: an autopilot component and the facts that its rules need.
#[derive(Clone, Debug)]
pub struct Vehicle {
    /// System and component id.
    pub talker: Talker,
    /// Which autopilot.
    pub autopilot: Autopilot,
    /// What kind of vehicle its heartbeats say it is.
    pub mav_type: MavType,
    /// Its parameters, as far as they are known.
    pub parameters: Parameters,
    /// Its clock against the ground's.
    pub clock: VehicleClock,
    /// Its mode (custom_mode), as its heartbeats showed it.
    pub mode: Track<u32>,
    /// The mode its user chose, where the autopilot tells it apart from a failsafe's.
    pub intended_mode: Track<u32>,
    /// Whether it is armed.
    pub armed: Track<bool>,
    /// MAV_STATE.
    pub system_status: Track<SystemStatus>,
    /// MAV_LANDED_STATE.
    pub landed: Track<u8>,
    /// Its texts, chunks joined.
    pub texts: Vec<JoinedText>,
    /// Its structured events.
    pub vehicle_events: Vec<(Micros, VehicleEvent)>,
    /// Its own receive counters for our link.
    pub receive_counters: Vec<(Micros, LinkNodeStatus)>,
    /// What bears on its EKF failsafe, at the ground's time.
    pub(super) ekf_sightings: Vec<EkfSighting>,
    /// Innovation test ratios as they arrived.
    pub estimator: Vec<EstimatorSample>,
    /// Its firmware version: the operator's word, else the best source so far.
    pub firmware: Option<Firmware>,
    /// What it said itself of its version, for when the operator takes their word back.
    told_firmware: Option<Firmware>,
    /// Where talkers enter, by the operator's word.
    pub(super) stated_topology: Vec<(Talker, Entry)>,
    /// Which ArduPilot firmware it introduced itself as.
    pub banner_kind: Option<VehicleKind>,
    /// Where talkers enter, as inferred from time to time; only changes are kept.
    pub(super) inferred_topology: Vec<(Micros, Topology)>,
    /// The oldest PX4 rules that it can follow, by the messages it sends.
    pub(super) oldest_px4: Px4Version,
    /// Time requests of the ground that it answered.
    pub round_trips: Vec<RoundTrip>,
    /// What it wrote into its own log, if that was read.
    pub logged: LoggedTrack,
    /// Proofs that something sent from the ground arrived, newest last.
    pub uplink_proofs: Vec<(Micros, UplinkProof)>,
}

/// A TIMESYNC request of the ground and the vehicle's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundTrip {
    /// When the request was sent.
    pub sent: Micros,
    /// When the answer arrived.
    pub answered: Micros,
}

impl RoundTrip {
    /// There and back again: an upper bound for either way.
    #[must_use]
    pub fn time(self) -> Span {
        self.answered - self.sent
    }
}

/// What proves that a message of the ground reached the vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UplinkProof {
    /// It answered a TIMESYNC or PING.
    RoundTrip,
    /// It acknowledged a command.
    CommandAck,
    /// Its receive counter rose by this many.
    ReceiveCounter(u32),
}

impl UplinkProof {
    /// The evidence in words.
    #[must_use]
    pub fn words(self) -> String {
        match self {
            Self::RoundTrip => "answered a time request".to_owned(),
            Self::CommandAck => "acknowledged a command".to_owned(),
            Self::ReceiveCounter(n) => format!("receive counter rose by {n}"),
        }
    }
}

impl Vehicle {
    /// Takes in a text of its own: what it says of the firmware and of the EKF, and the text itself.
    pub(super) fn take_text(&mut self, text: JoinedText) {
        if let Some(kind) = VehicleKind::from_banner(&text.text) {
            self.banner_kind = Some(kind);
            if let Some(version) = FirmwareVersion::find_in(&text.text) {
                self.learn_firmware(Firmware {
                    version,
                    source: FirmwareSource::Banner,
                });
            }
        }
        if let Some(recognised) = EkfText::recognise(&text.text) {
            self.note_ekf(text.at, EkfFact::Text(recognised));
        }
        self.texts.push(text);
    }

    pub(super) fn new(talker: Talker, heartbeat: Heartbeat) -> Self {
        Self {
            talker,
            autopilot: heartbeat.autopilot,
            mav_type: heartbeat.mav_type,
            parameters: Parameters::default(),
            clock: VehicleClock::default(),
            mode: Track::default(),
            intended_mode: Track::default(),
            armed: Track::default(),
            system_status: Track::default(),
            landed: Track::default(),
            texts: Vec::new(),
            vehicle_events: Vec::new(),
            receive_counters: Vec::new(),
            ekf_sightings: Vec::new(),
            estimator: Vec::new(),
            firmware: None,
            told_firmware: None,
            stated_topology: Vec::new(),
            banner_kind: None,
            inferred_topology: Vec::new(),
            oldest_px4: Px4Version::V1_11,
            round_trips: Vec::new(),
            logged: LoggedTrack::default(),
            uplink_proofs: Vec::new(),
        }
    }

    /// Takes a firmware version, unless a better source has given one.
    pub(super) fn learn_firmware(&mut self, firmware: Firmware) {
        if self
            .told_firmware
            .is_none_or(|known| known.source <= firmware.source)
        {
            self.told_firmware = Some(firmware);
            if self
                .firmware
                .is_none_or(|known| known.source != FirmwareSource::Operator)
            {
                self.firmware = Some(firmware);
            }
        }
    }

    /// Takes the operator's word for the version; with `None` what the vehicle told counts again.
    pub fn state_firmware(&mut self, version: Option<FirmwareVersion>) {
        let stated = version.map(|version| Firmware {
            version,
            source: FirmwareSource::Operator,
        });
        self.firmware = stated.or(self.told_firmware);
    }

    /// Takes the operator's word for where `talker` enters the vehicle; [`Entry::Undecided`] takes it back.
    pub fn state_entry(&mut self, talker: Talker, entry: Entry) {
        self.stated_topology.retain(|(other, _)| *other != talker);
        if entry != Entry::Undecided {
            self.stated_topology.push((talker, entry));
        }
    }

    /// Which ArduPilot firmware it runs; `None` for other autopilots and unknown types.
    #[must_use]
    pub fn ardupilot_kind(&self) -> Option<VehicleKind> {
        (self.autopilot == Autopilot::ARDUPILOT)
            .then(|| {
                self.banner_kind
                    .or_else(|| VehicleKind::from_mav_type(self.mav_type))
            })
            .flatten()
    }

    /// An upper bound of the delay to the vehicle, from the last round trips measured before `at`: all
    /// but the worst twentieth of them. `None` without any.
    #[must_use]
    pub fn transport(&self, at: Micros) -> Option<Span> {
        const LOOK_BACK: usize = 20;
        let end = self.round_trips.partition_point(|t| t.answered <= at);
        let mut times: Vec<Span> = self
            .round_trips
            .get(end.saturating_sub(LOOK_BACK)..end)?
            .iter()
            .map(|t| t.time())
            .collect();
        times.sort_unstable();
        let index = (times.len() * 19 / 20).min(times.len().checked_sub(1)?);
        Some((*times.get(index)?).max(Span::from_millis(1)))
    }

    /// Notes something that bears on the EKF failsafe. Kept in order of time.
    pub(super) fn note_ekf(&mut self, at: Micros, fact: EkfFact) {
        let sighting = EkfSighting { at, fact };
        let place = self.ekf_sightings.partition_point(|s| s.at <= at);
        self.ekf_sightings.insert(place, sighting);
    }

    /// The vehicle of an on-board log, of which nothing is known yet.
    pub(super) fn of_log(talker: Talker) -> Self {
        let heartbeat = Heartbeat {
            mav_type: MavType(0),
            autopilot: Autopilot(0),
            base_mode: 0,
            custom_mode: 0,
            system_status: SystemStatus(0),
        };
        Self::new(talker, heartbeat)
    }

    /// Takes in a fact of its own log beside what the ground recorded. Modes and arming stay apart: on
    /// one track, a heartbeat sent just before a change would undo what the log tells just after it.
    pub(super) fn take_logged_beside(&mut self, at: Micros, fact: &LoggedFact) {
        match fact {
            LoggedFact::Firmware(_) | LoggedFact::Vehicle(_) | LoggedFact::Parameter { .. } => {
                self.take_logged(at, fact);
            }
            _ => self.logged.take(at, fact),
        }
    }

    /// Takes in a fact of its own log.
    pub(super) fn take_logged(&mut self, at: Micros, fact: &LoggedFact) {
        self.logged.take(at, fact);
        self.estimator.extend(EstimatorSample::from_log(at, fact));
        match fact {
            LoggedFact::Firmware(text) => {
                self.banner_kind = VehicleKind::from_banner(text).or(self.banner_kind);
                self.autopilot = if self.banner_kind.is_some() {
                    Autopilot::ARDUPILOT
                } else {
                    Autopilot::PX4
                };
                if let Some(version) = FirmwareVersion::find_in(text) {
                    self.learn_firmware(Firmware {
                        version,
                        source: FirmwareSource::Log,
                    });
                }
            }
            LoggedFact::Vehicle(mav_type) => self.mav_type = *mav_type,
            LoggedFact::Parameter { name, value } => {
                let name = (&**name).into();
                self.parameters.learn(name, *value, Provenance::Log, at);
            }
            LoggedFact::Armed(armed) => {
                self.armed.note(at, *armed);
            }
            LoggedFact::Mode { mode, .. } => {
                self.autopilot = Autopilot::ARDUPILOT;
                self.mode.note(at, u32::from(*mode));
            }
            LoggedFact::VehicleState {
                nav_state, armed, ..
            } => {
                self.autopilot = Autopilot::PX4;
                self.armed.note(at, *armed);
                if let Some(custom_mode) = px4::custom_mode_of_nav_state(*nav_state) {
                    self.mode.note(at, custom_mode);
                }
            }
            LoggedFact::TelemetryStatus { .. } | LoggedFact::GcsConnectionLost(_) => {
                self.autopilot = Autopilot::PX4;
            }
            _ => {}
        }
    }
}
