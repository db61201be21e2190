use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::observation::{
    Autopilot, Frame, Heartbeat, LinkNodeStatus, LoggedFact, MavType, Message, Observation,
    ParamValue, PathId, Sighting, Talker,
};
use crate::rules::Provenance;
use crate::rules::ekf::EkfFact;
use crate::rules::firmware::{Firmware, FirmwareSource, FirmwareVersion};
use crate::rules::parameter::decode_parameter;
use crate::rules::px4::{CounterSample, Px4Version, counted_between};
use crate::time::Micros;

use super::WhatIf;
use super::damage_count::DamageCount;
use super::early_frames::EarlyFrames;
use super::estimator::EstimatorSample;
use super::logged;
use super::own::OwnTrack;
use super::px4_facts::Px4Facts;
use super::recordings::Recordings;
use super::talkers::{TalkerRole, Talkers};
use super::texts::{JoinedText, TextJoiner};
use super::vehicle::{RoundTrip, UplinkProof, Vehicle};
use super::{EventEntry, Severity};

/// The ids under which the vehicle of an on-board log is listed.
const LOGGED_VEHICLE: Talker = Talker::new(1, 1);

/// After so many readings of a receive counter the topology is inferred anew.
const TOPOLOGY_EVERY: usize = 15;

/// What the session is told from outside: where its input comes from and what the operator knows.
#[derive(Clone, Debug)]
pub struct SessionSettings {
    /// Origin of the parameter values in the stream: a log, overheard, or read at our request.
    pub parameters_from: Provenance,
}

impl Default for SessionSettings {
    fn default() -> Self {
        Self {
            parameters_from: Provenance::Log,
        }
    }
}

/// The engine. Feed it observations; ask it about any moment.
#[derive(Clone, Debug, Default)]
pub struct Session {
    settings: SessionSettings,
    talkers: Talkers,
    vehicles: BTreeMap<Talker, Vehicle>,
    own: OwnTrack,
    damage: DamageCount,
    recordings: Recordings,
    events: Vec<EventEntry>,
    message_counts: BTreeMap<u32, u64>,
    blind: Vec<Micros>,
    texts: TextJoiner,
    early: EarlyFrames,
    /// The heartbeats of everybody who says to be a ground station, in order of time.
    ground_heartbeats: Vec<(Micros, Talker)>,
    /// Time requests under way: when each was sent, by its own time stamp.
    time_requests: BTreeMap<i64, Micros>,
    first: Option<Micros>,
    last: Option<Micros>,
    observations: u64,
    frames: u64,
    bytes: u64,
}

impl Session {
    /// An empty session.
    #[must_use]
    pub fn new(settings: SessionSettings) -> Self {
        Self {
            settings,
            ..Self::default()
        }
    }

    /// Folds one observation in.
    pub fn observe(&mut self, observation: &Observation) {
        let at = observation.at;
        self.observations += 1;
        self.first = Some(self.first.map_or(at, |first| first.min(at)));
        self.last = Some(self.last.map_or(at, |last| last.max(at)));
        match &observation.what {
            Sighting::Frame(frame) => self.take_frame(at, observation.path, frame),
            Sighting::Damage(damage) => {
                self.damage.note(*damage);
                self.recordings.note_damage(observation.path, *damage);
            }
            Sighting::Own(slot) => self.own.note(at, *slot),
            Sighting::Logged(fact) => self.take_logged(at, observation.path, fact),
            Sighting::Aligned(alignment) => {
                self.recordings.note_alignment(observation.path, alignment);
                self.event(at, None, Severity::Info, alignment.to_string());
            }
            Sighting::PathUp(what) => self.event(at, None, Severity::Info, format!("{what} is up")),
            Sighting::PathDown(why) => self.event(at, None, Severity::Warning, why.to_string()),
            Sighting::Blind(why) => {
                self.blind.push(at);
                self.event(at, None, Severity::Warning, why.to_string());
            }
        }
    }

    /// All talkers.
    #[must_use]
    pub const fn talkers(&self) -> &Talkers {
        &self.talkers
    }

    /// The vehicles in order of id.
    pub fn vehicles(&self) -> impl Iterator<Item = &Vehicle> {
        self.vehicles.values()
    }

    /// One vehicle.
    #[must_use]
    pub fn vehicle(&self, talker: Talker) -> Option<&Vehicle> {
        self.vehicles.get(&talker)
    }

    /// One vehicle, to set what the operator knows of it.
    pub fn vehicle_mut(&mut self, talker: Talker) -> Option<&mut Vehicle> {
        self.vehicles.get_mut(&talker)
    }

    /// Our own heartbeat slots.
    #[must_use]
    pub const fn own(&self) -> &OwnTrack {
        &self.own
    }

    /// What could not be used.
    #[must_use]
    pub const fn damage(&self) -> &DamageCount {
        &self.damage
    }

    /// What concerns the recordings themselves.
    #[must_use]
    pub const fn recordings(&self) -> &Recordings {
        &self.recordings
    }

    /// The event list, in order of time.
    #[must_use]
    pub fn events(&self) -> &[EventEntry] {
        &self.events
    }

    /// Frames per message id.
    #[must_use]
    pub const fn message_counts(&self) -> &BTreeMap<u32, u64> {
        &self.message_counts
    }

    /// Instants at which the record was blind for a while.
    #[must_use]
    pub fn blind(&self) -> &[Micros] {
        &self.blind
    }

    /// The first observation.
    #[must_use]
    pub const fn first(&self) -> Option<Micros> {
        self.first
    }

    /// The last observation.
    #[must_use]
    pub const fn last(&self) -> Option<Micros> {
        self.last
    }

    /// Observations of any kind folded in so far. While it stays, so does every answer.
    #[must_use]
    pub const fn observations(&self) -> u64 {
        self.observations
    }

    /// Frames seen.
    #[must_use]
    pub const fn frames(&self) -> u64 {
        self.frames
    }

    /// Bytes of frames seen.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    fn take_frame(&mut self, at: Micros, path: PathId, frame: &Frame) {
        self.frames += 1;
        self.bytes += u64::from(frame.length);
        *self.message_counts.entry(frame.id).or_default() += 1;
        self.recordings.note_time(at);
        if self.recordings.is_double(at, path, frame) {
            self.talkers.take_double(path, frame);
            return;
        }
        let appeared = self
            .talkers
            .get(frame.from)
            .is_none_or(|t| t.heartbeats.is_empty());
        let Some(track) = self.talkers.take(at, path, frame) else {
            return;
        };
        if appeared && let Message::Heartbeat(heartbeat) = &frame.message {
            let text = format!(
                "{} {} appears ({})",
                track.role().word(),
                frame.from,
                heartbeat.mav_type
            );
            self.event(at, Some(frame.from), Severity::Info, text);
        }
        if !self.recordings.is_other_counter(at, path, frame) {
            self.take_message(at, frame);
        }
    }

    fn take_message(&mut self, at: Micros, frame: &Frame) {
        let from = frame.from;
        match &frame.message {
            Message::Heartbeat(heartbeat) => {
                self.take_heartbeat(at, from, *heartbeat);
                return;
            }
            Message::StatusText(chunk) => {
                for text in self.texts.take(at, from, chunk) {
                    self.take_text(text);
                }
                return;
            }
            _ => {}
        }
        if let Message::TimeSync(sync) = &frame.message
            && sync.tc1 == 0
            && !self.vehicles.contains_key(&from)
        {
            self.note_time_request(at, sync.ts1);
        }
        let provenance = self.settings.parameters_from;
        let Some(vehicle) = self.vehicles.get_mut(&from) else {
            self.early.keep(at, frame);
            return;
        };
        vehicle.oldest_px4 = vehicle.oldest_px4.max(Px4Version::first_to_send(frame.id));
        match &frame.message {
            Message::SystemTime { boot_ms, .. } | Message::BootClock { boot_ms } => {
                let boot = Micros::from_millis(i64::from(*boot_ms));
                if vehicle.clock.note(at, boot) {
                    self.event(
                        at,
                        Some(from),
                        Severity::Warning,
                        "The vehicle rebooted".to_owned(),
                    );
                }
            }
            Message::ParamValue(value) => learn(vehicle, at, value, provenance),
            Message::LinkNodeStatus(status) => self.take_receive_counter(at, from, *status),
            Message::EkfStatusReport(report) => {
                vehicle
                    .estimator
                    .push(EstimatorSample::from_ardupilot(at, report));
                vehicle.note_ekf(at, EkfFact::Report(*report));
            }
            Message::EstimatorStatus(status) => {
                vehicle
                    .estimator
                    .push(EstimatorSample::from_px4(at, status));
            }
            Message::ExtendedSysState { landed_state } => {
                vehicle.landed.note(at, *landed_state);
            }
            Message::CurrentMode(mode) => {
                vehicle.intended_mode.note(at, mode.intended_custom_mode);
            }
            Message::Event(event) => vehicle.vehicle_events.push((at, *event)),
            // Addressed to nobody in particular, it may answer a command from aboard.
            Message::CommandAck(ack) if to_ground(&self.talkers, ack.target) => {
                vehicle.uplink_proofs.push((at, UplinkProof::CommandAck));
            }
            Message::TimeSync(sync) if sync.tc1 != 0 => {
                // An answer to somebody else's request proves nothing about ours.
                if let Some(sent) = self.time_requests.remove(&sync.ts1) {
                    vehicle.round_trips.push(RoundTrip { sent, answered: at });
                    vehicle.uplink_proofs.push((at, UplinkProof::RoundTrip));
                }
            }
            Message::AutopilotVersion(version) => {
                if let Some(version) = FirmwareVersion::from_autopilot_version(version) {
                    vehicle.learn_firmware(Firmware {
                        version,
                        source: FirmwareSource::AutopilotVersion,
                    });
                }
            }
            Message::Ping { target, .. } if to_ground(&self.talkers, *target) => {
                vehicle.uplink_proofs.push((at, UplinkProof::RoundTrip));
            }
            _ => {}
        }
    }

    /// A reading of the vehicle's receive counter: proof that the ground is heard, if it rose by more than
    /// what everybody but the ground stations sent.
    fn take_receive_counter(&mut self, at: Micros, from: Talker, status: LinkNodeStatus) {
        let Some(vehicle) = self.vehicles.get(&from) else {
            return;
        };
        let before = vehicle.receive_counters.last().copied();
        let count = vehicle.receive_counters.len() + 1;
        let sample = |at, status: LinkNodeStatus| CounterSample {
            at,
            received: status.messages_received,
        };
        // Across a hole, frames that were never seen may have been counted: no proof of the ground's.
        let rise = before
            .and_then(|(t, b)| counted_between(&sample(t, b), &sample(at, status)))
            .unwrap_or(0);
        let others: usize = self
            .talkers
            .iter_all()
            .filter(|t| t.talker != from && t.role() != TalkerRole::GroundStation)
            .map(|t| t.frames.between(before.map_or(at, |(at, _)| at), at).len())
            .sum();
        if let Some(vehicle) = self.vehicles.get_mut(&from) {
            vehicle.receive_counters.push((at, status));
            if rise as usize > others {
                let proof = UplinkProof::ReceiveCounter(rise);
                vehicle.uplink_proofs.push((at, proof));
            }
        }
        if count.is_multiple_of(TOPOLOGY_EVERY) {
            self.infer_topology(at, from);
        }
    }

    /// Infers where talkers enter the vehicle while the link is as it is: a later outage must not undo it.
    fn infer_topology(&mut self, at: Micros, vehicle: Talker) {
        let Some(known) = self.vehicles.get(&vehicle) else {
            return;
        };
        let topology = Px4Facts::new(self, known, &WhatIf::default(), at).topology(at);
        let changed = known
            .inferred_topology
            .last()
            .is_none_or(|(_, last)| !last.same_entries(&topology));
        if changed && let Some(vehicle) = self.vehicles.get_mut(&vehicle) {
            vehicle.inferred_topology.push((at, topology));
        }
    }

    /// A fact from a vehicle's own log. A log alone speaks of one vehicle, and of its ids only by a
    /// parameter; one beside a recording of the ground was brought onto the vehicle's.
    fn take_logged(&mut self, at: Micros, path: PathId, fact: &LoggedFact) {
        let aligned = self.recordings.vehicle_on(path);
        let talker = aligned.unwrap_or(LOGGED_VEHICLE);
        if let Entry::Vacant(new) = self.vehicles.entry(talker) {
            new.insert(Vehicle::of_log(talker));
            self.take_early(talker);
        }
        let Some(vehicle) = self.vehicles.get_mut(&talker) else {
            return;
        };
        if aligned.is_some() {
            vehicle.take_logged_beside(at, fact);
        } else {
            // A log's time is the vehicle's own.
            if !vehicle.clock.is_known() {
                vehicle.clock.note(at, at);
            }
            vehicle.take_logged(at, fact);
        }
        if let Some((severity, text)) = logged::event_of(fact) {
            self.event(at, Some(talker), severity, text);
        }
    }

    /// Takes in what a talker said before it was known to be a vehicle.
    fn take_early(&mut self, talker: Talker) {
        for (at, frame) in self.early.take(talker) {
            self.take_message(at, &frame);
        }
        for text in self.early.take_texts(talker) {
            if let Some(vehicle) = self.vehicles.get_mut(&talker) {
                vehicle.take_text(text);
            }
        }
    }

    /// Remembers a time request until its answer. Requests that are never answered must not pile up:
    /// the oldest give way.
    fn note_time_request(&mut self, at: Micros, stamp: i64) {
        const UNDER_WAY: usize = 64;
        self.time_requests.insert(stamp, at);
        while self.time_requests.len() > UNDER_WAY {
            self.time_requests.pop_first();
        }
    }

    fn take_heartbeat(&mut self, at: Micros, from: Talker, heartbeat: Heartbeat) {
        // A vehicle is an autopilot component. Companions, cameras and gimbals share its system id and
        // some of them fill in the autopilot field as well; taking them for the vehicle makes mode and
        // arming flip every second.
        if heartbeat.mav_type == MavType::GCS {
            let place = self.ground_heartbeats.partition_point(|(t, _)| *t <= at);
            self.ground_heartbeats.insert(place, (at, from));
        }
        let is_autopilot = from.component == 1
            && heartbeat.autopilot != Autopilot::INVALID
            && heartbeat.mav_type != MavType::GCS;
        if !is_autopilot {
            return;
        }
        if let Entry::Vacant(new) = self.vehicles.entry(from) {
            new.insert(Vehicle::new(from, heartbeat));
            self.take_early(from);
        }
        let Some(vehicle) = self.vehicles.get_mut(&from) else {
            return;
        };
        vehicle.autopilot = heartbeat.autopilot;
        vehicle.mav_type = heartbeat.mav_type;
        vehicle.mode.note(at, heartbeat.custom_mode);
        vehicle.system_status.note(at, heartbeat.system_status);
        if heartbeat.autopilot == Autopilot::ARDUPILOT {
            let fact = EkfFact::Vehicle {
                armed: heartbeat.armed(),
                mode: heartbeat.custom_mode,
                status: heartbeat.system_status,
            };
            vehicle.note_ekf(at, fact);
        }
        let first = vehicle.armed.latest().is_none();
        if vehicle.armed.note(at, heartbeat.armed()) && !first {
            let text = if heartbeat.armed() {
                "Armed"
            } else {
                "Disarmed"
            };
            self.event(at, Some(from), Severity::Info, text.to_owned());
        }
    }

    fn take_text(&mut self, text: JoinedText) {
        let severity = Severity::of_mavlink(text.severity);
        self.event(text.at, Some(text.from), severity, text.text.clone());
        match self.vehicles.get_mut(&text.from) {
            Some(vehicle) => vehicle.take_text(text),
            None => self.early.keep_text(text),
        }
    }

    fn event(&mut self, at: Micros, talker: Option<Talker>, severity: Severity, text: String) {
        let entry = EventEntry {
            at,
            talker,
            severity,
            text,
        };
        let place = self.events.partition_point(|e| e.at <= at);
        self.events.insert(place, entry);
    }

    /// The heartbeats of everybody who says to be a ground station, within `from..=to`.
    #[must_use]
    pub fn ground_heartbeats_between(&self, from: Micros, to: Micros) -> &[(Micros, Talker)] {
        let all = &self.ground_heartbeats;
        let start = all.partition_point(|(at, _)| *at < from);
        let end = all.partition_point(|(at, _)| *at <= to);
        all.get(start..end).unwrap_or_default()
    }
}

/// Whether a message to `target` goes to a ground station that was seen: only then does an answer prove
/// that something from the ground arrived.
fn to_ground(talkers: &Talkers, target: Talker) -> bool {
    talkers
        .get(target)
        .is_some_and(|track| track.role() == TalkerRole::GroundStation)
}

fn learn(vehicle: &mut Vehicle, at: Micros, value: &ParamValue, provenance: Provenance) {
    if let Some(number) = decode_parameter(value, vehicle.autopilot) {
        vehicle.parameters.learn(value.name, number, provenance, at);
        // No proof that the vehicle hears the ground: it announces changed parameters unasked.
    }
}
