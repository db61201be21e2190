use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, TryRecvError, TrySendError};

use crate::observation::{
    Autopilot, Damage, DamageKind, Direction, Message, Observation, PathId, Sighting, WithheldBy,
};
use crate::source::address::Address;
use crate::source::mavlink::{Decoded, FrameDecoder, FrameEncoder};
use crate::source::{SourceMessage, wall_clock};
use crate::time::{Micros, Span};

use super::backoff::Backoff;
use super::command::Posted;
use super::handle::Shared;
use super::heartbeats::{Heartbeats, Slot};
use super::recorder::Recorder;
use super::transport::{self, Transport};
use super::{FeedGauge, LinkCommand, LinkState, LinkStatus};

/// The thread comes round at least this often, whatever arrives.
const ROUND: Span = Span::from_millis(50);
/// What has arrived is handed over at least this often.
const HAND_OVER: Span = Span::from_millis(20);
/// Or when this much has gathered.
const BATCH: usize = 512;
/// So much is kept for a window that does not take it; beyond, the oldest goes and is counted.
const KEPT: usize = 65_536;
/// The window is told the time this often, so that its clock moves while nothing arrives.
const TELL_TIME: Span = Span::from_millis(100);
/// After this long without a frame the link is silent.
const SILENT: Span = Span::from_secs(3);

/// The one thread that owns a link.
pub(super) struct LinkThread {
    address: Address,
    transport: Option<Box<dyn Transport>>,
    shared: Arc<Shared>,
    posted: Receiver<Posted>,
    batches: Sender<SourceMessage>,
    gauge: FeedGauge,
    wake: Box<dyn Fn() + Send>,
    recorder: Option<Recorder>,
    /// Unix time minus monotonic time at the start: the record's clock does not step with the computer's.
    epoch: Span,
    heartbeats: Heartbeats,
    encoder: Option<FrameEncoder>,
    decoders: BTreeMap<u16, PeerDecoder>,
    own_frames: FrameDecoder,
    gathered: Vec<Observation>,
    lost: u64,
    handed_over: Micros,
    told_time: Micros,
    vehicle_heard: Option<Micros>,
    backoff: Backoff,
    retry_at: Option<Micros>,
    status: LinkStatus,
}

/// A decoder per peer: the halves of two peers' frames must not be joined.
#[derive(Default)]
struct PeerDecoder {
    decoder: FrameDecoder,
    offset: u64,
}

impl LinkThread {
    #[allow(
        clippy::too_many_arguments,
        reason = "the ends of every channel the thread holds"
    )]
    pub(super) fn new(
        address: Address,
        transport: Option<Box<dyn Transport>>,
        shared: Arc<Shared>,
        posted: Receiver<Posted>,
        batches: Sender<SourceMessage>,
        gauge: FeedGauge,
        wake: Box<dyn Fn() + Send>,
        recorder: Option<Result<Recorder, String>>,
    ) -> Self {
        let now = wall_clock::monotonic();
        let mut status = LinkStatus::default();
        let recorder = match recorder {
            Some(Ok(recorder)) => {
                status.recording = Some(recorder.path().display().to_string());
                Some(recorder)
            }
            Some(Err(reason)) => {
                status.recording_failed = Some(reason);
                None
            }
            None => None,
        };
        let mut thread = Self {
            epoch: wall_clock::unix() - now,
            transport: None,
            shared,
            posted,
            batches,
            gauge,
            wake,
            recorder,
            heartbeats: Heartbeats::default(),
            encoder: None,
            decoders: BTreeMap::new(),
            own_frames: FrameDecoder::new(),
            gathered: Vec::new(),
            lost: 0,
            handed_over: now,
            told_time: now - TELL_TIME,
            vehicle_heard: None,
            backoff: Backoff::new(now.as_micros().unsigned_abs()),
            retry_at: transport.is_none().then_some(now),
            status,
            address,
        };
        if let Some(transport) = transport {
            thread.up(now, transport);
        }
        thread
    }

    /// Until the owner, or everybody who listened, is gone. One command, then one round, so that neither
    /// starves the other.
    pub(super) fn run(mut self) {
        let mut buffer = vec![0; 65_536];
        while !self.shared.stop.load(Ordering::Acquire) {
            self.command();
            let now = wall_clock::monotonic();
            self.gauge.pulse(now);
            self.heartbeat(now);
            self.receive(now, &mut buffer);
            if self.hand_over(wall_clock::monotonic()).is_none() {
                break;
            }
        }
    }

    fn at(&self, now: Micros) -> Micros {
        now + self.epoch
    }

    fn observe(&mut self, now: Micros, what: Sighting) {
        if self.gathered.len() >= KEPT {
            // The window does not take what arrives. The recording has it; the picture gets a count.
            self.gathered.drain(..KEPT / 2);
            self.lost += KEPT as u64 / 2;
        }
        self.gathered.push(Observation {
            at: self.at(now),
            path: PathId::default(),
            what,
        });
    }

    fn command(&mut self) {
        let posted = match self.posted.try_recv() {
            Ok(posted) => posted,
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => return,
        };
        let now = wall_clock::monotonic();
        let answer = match posted.command {
            LinkCommand::Transmit(settings) => {
                self.encoder = settings.map(|s| FrameEncoder::new(s.talker));
                self.heartbeats.set(settings, now);
                self.status.transmitting = settings.is_some();
                self.status.watchdog_timeout = self.heartbeats.watchdog().timeout();
                Ok(())
            }
            LinkCommand::RequestParameter { vehicle, name } => match &mut self.encoder {
                None => Err("only listening: nothing was asked".to_owned()),
                Some(encoder) => {
                    let frame = encoder.parameter_request(vehicle, &name).to_vec();
                    self.send(now, &frame)
                }
            },
        };
        // Whoever asked may have gone.
        posted.reply.try_send(answer).ok();
    }

    fn heartbeat(&mut self, now: Micros) {
        let fed = self.gauge.last_feed();
        let Some(slot) = self.heartbeats.round(now, fed, self.vehicle_heard) else {
            return;
        };
        let Some(encoder) = &mut self.encoder else {
            return;
        };
        let talker = encoder.talker();
        let mut slot = slot;
        if slot == Slot::Send {
            let frame = encoder.heartbeat().to_vec();
            if self.send(now, &frame).is_err() {
                slot = Slot::Withhold(WithheldBy::LinkDown);
            }
        }
        match slot {
            Slot::Send => self.status.heartbeats_sent += 1,
            Slot::Withhold(WithheldBy::Watchdog) => {
                self.status.withheld_by_watchdog += 1;
            }
            Slot::Withhold(_) => self.status.withheld_by_policy += 1,
        }
        let record = self.heartbeats.record(slot, now, talker);
        self.observe(now, Sighting::Own(record));
    }

    /// Sends one frame; it enters the record only if it left.
    fn send(&mut self, now: Micros, frame: &[u8]) -> Result<(), String> {
        let Some(transport) = &mut self.transport else {
            return Err("the link is down".to_owned());
        };
        match transport.send(frame) {
            Ok(0) => Err("nobody is at the other end yet".to_owned()),
            Ok(bytes) => {
                self.status.bytes_out += bytes as u64;
                self.record(now, frame);
                let mut seen = Vec::new();
                self.own_frames.push(frame, &mut |decoded| {
                    if let Decoded::Frame(raw) = decoded {
                        seen.push(Sighting::Frame(raw.to_frame(Direction::Sent)));
                    }
                });
                for sighting in seen {
                    self.observe(now, sighting);
                }
                Ok(())
            }
            Err(error) => {
                let reason = error.to_string();
                self.down(now, reason.clone());
                Err(reason)
            }
        }
    }

    fn receive(&mut self, now: Micros, buffer: &mut [u8]) {
        let wait = self
            .heartbeats
            .wait(now)
            .map_or(ROUND, |until_slot| until_slot.min(ROUND));
        let wait = Duration::from_micros(wait.as_micros().max(0).unsigned_abs());
        let Some(transport) = &mut self.transport else {
            self.reconnect(now, wait);
            return;
        };
        match transport.receive(buffer, wait) {
            Ok(None) => {}
            Ok(Some(received)) => {
                let datagram = transport.datagrams();
                if let Some(bytes) = buffer.get(..received.length) {
                    self.take(received.peer, bytes, datagram);
                }
            }
            Err(error) => self.down(wall_clock::monotonic(), error.to_string()),
        }
    }

    fn take(&mut self, peer: u16, bytes: &[u8], datagram: bool) {
        let now = wall_clock::monotonic();
        self.status.bytes_in += bytes.len() as u64;
        let mut peer_decoder = self.decoders.remove(&peer).unwrap_or_default();
        let mut offset = peer_decoder.offset;
        let mut sink = |decoded: Decoded<'_>| {
            match &decoded {
                Decoded::Frame(raw) => {
                    self.record(now, raw.bytes);
                    self.status.frames_in += 1;
                    self.status.last_frame = Some(now);
                }
                // Another dialect's: of no use here, but whoever reads the recording may know it.
                Decoded::UnknownId(raw) => self.record(now, raw.bytes),
                _ => {}
            }
            let length = decoded.length() as u64;
            let sighting = decoded.to_sighting(Direction::Received, offset);
            offset += length;
            if is_vehicle_heartbeat(&sighting) {
                self.vehicle_heard = Some(now);
            }
            self.observe(now, sighting);
        };
        peer_decoder.decoder.push(bytes, &mut sink);
        if datagram {
            // A frame never crosses two datagrams: what is left over will not be completed.
            peer_decoder.decoder.finish(&mut sink);
        }
        peer_decoder.offset = offset;
        self.decoders.insert(peer, peer_decoder);
    }

    fn record(&mut self, now: Micros, frame: &[u8]) {
        let at = self.at(now);
        let Some(recorder) = &self.recorder else {
            return;
        };
        if let Err(reason) = recorder.record(at, frame) {
            // Recording stops, the link goes on; the window shows why.
            self.recorder = None;
            self.status.recording_failed = Some(reason);
        }
    }

    fn up(&mut self, now: Micros, transport: Box<dyn Transport>) {
        self.transport = Some(transport);
        self.retry_at = None;
        self.status.state = LinkState::Waiting;
        let name = self.address.to_string();
        self.observe(now, Sighting::PathUp(name.into()));
    }

    fn down(&mut self, now: Micros, reason: String) {
        self.transport = None;
        self.decoders.clear();
        self.retry_at = Some(now + self.backoff.wait());
        self.observe(now, Sighting::PathDown(reason.clone().into()));
        self.status.state = LinkState::Down(reason);
    }

    /// Waits for the next try, or tries.
    fn reconnect(&mut self, now: Micros, wait: Duration) {
        if self.retry_at.is_some_and(|at| now < at) {
            std::thread::sleep(wait);
            return;
        }
        match transport::open(&self.address) {
            Ok(transport) => {
                self.backoff.reset();
                self.up(wall_clock::monotonic(), transport);
            }
            Err(error) => {
                let now = wall_clock::monotonic();
                let reason = error.to_string();
                if self.status.state == LinkState::Down(reason.clone()) {
                    self.retry_at = Some(now + self.backoff.wait());
                } else {
                    // Told once, not at every try.
                    self.down(now, reason);
                }
            }
        }
    }

    /// Hands over what has gathered when it is time. `None` when nobody listens any more.
    fn hand_over(&mut self, now: Micros) -> Option<()> {
        let full = self.gathered.len() >= BATCH;
        if !full && now - self.handed_over < HAND_OVER {
            return Some(());
        }
        self.handed_over = now;
        self.publish(now);
        if self.lost > 0 {
            let damage = Damage {
                kind: DamageKind::Overrun,
                bytes: u32::try_from(self.lost).unwrap_or(u32::MAX),
                offset: self.status.bytes_in,
            };
            self.status.overruns += 1;
            self.lost = 0;
            self.observe(now, Sighting::Damage(damage));
        }
        let mut told = false;
        if !self.gathered.is_empty() {
            let batch = SourceMessage::Batch(std::mem::take(&mut self.gathered));
            match self.batches.try_send(batch) {
                Ok(()) => told = true,
                Err(TrySendError::Full(SourceMessage::Batch(back))) => self.gathered = back,
                Err(TrySendError::Full(_)) => {}
                Err(TrySendError::Disconnected(_)) => return None,
            }
        }
        if now - self.told_time >= TELL_TIME {
            self.told_time = now;
            // The time alone is not worth waking the window for, nor worth waiting for a place.
            match self.batches.try_send(SourceMessage::Now(self.at(now))) {
                Ok(()) | Err(TrySendError::Full(_)) => {}
                Err(TrySendError::Disconnected(_)) => return None,
            }
        }
        if told {
            (self.wake)();
        }
        Some(())
    }

    fn publish(&mut self, now: Micros) {
        if self.transport.is_some() {
            self.status.state = match self.status.last_frame {
                None => LinkState::Waiting,
                Some(last) if now - last > SILENT => LinkState::Silent,
                Some(_) => LinkState::Live,
            };
        }
        self.status.last_feed = self.gauge.last_feed();
        self.status.peers = self
            .transport
            .as_ref()
            .map(|t| t.peers())
            .unwrap_or_default();
        let mut shared = self
            .shared
            .status
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        shared.clone_from(&self.status);
    }
}

/// Whether an autopilot's heartbeat arrived.
fn is_vehicle_heartbeat(sighting: &Sighting) -> bool {
    let Sighting::Frame(frame) = sighting else {
        return false;
    };
    let Message::Heartbeat(heartbeat) = &frame.message else {
        return false;
    };
    frame.from.component == 1 && heartbeat.autopilot != Autopilot::INVALID
}

/// Where recordings go unless the operator chooses another folder: `Heartline` in the documents.
#[must_use]
pub fn usual_recording_folder() -> Option<std::path::PathBuf> {
    let directories = directories::UserDirs::new()?;
    let documents = directories.document_dir().map_or_else(
        || directories.home_dir().join("Documents"),
        Path::to_path_buf,
    );
    Some(documents.join("Heartline"))
}
