use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, TryRecvError};

use crate::observation::{
    Autopilot, Direction, Message, Observation, PathId, Sighting, Talker, WithheldBy,
};
use crate::source::address::Address;
use crate::source::mavlink::{Decoded, FrameDecoder, FrameEncoder};
use crate::source::{SourceMessage, wall_clock};
use crate::time::{Micros, Span};

use super::backoff::Backoff;
use super::clock_watch::ClockWatch;
use super::command::Posted;
use super::handle::Shared;
use super::heartbeats::{Heartbeats, Slot};
use super::opener::Opener;
use super::recorder::{RecordError, Recorder};
use super::transport::{self, Received, Transport};
use super::{FeedGauge, LinkCommand, LinkState, LinkStatus};

/// The thread comes round at least this often, whatever arrives.
const ROUND: Span = Span::from_millis(50);
/// So much is kept for a window that does not take it; beyond, the oldest goes and is counted.
const KEPT: usize = 65_536;
/// The window is told the time this often, so that its clock moves while nothing arrives.
const TELL_TIME: Span = Span::from_millis(100);
/// Two rounds further apart than this: the thread was stopped.
const STOPPED: Span = Span::from_secs(1);
/// An attempt to open is looked at this often.
const LOOK_AT_OPENER: Duration = Duration::from_millis(10);

mod hand_over;

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
    /// Unix time minus monotonic time, as of the start and the last sleep of the computer: the record's
    /// clock does not step with the computer's.
    epoch: Span,
    clocks: ClockWatch,
    last_round: Micros,
    heartbeats: Heartbeats,
    /// Who we are while transmitting is on.
    talker: Option<Talker>,
    /// One for each of the ids that were chosen, for the sequence goes on whatever is switched or breaks.
    encoders: BTreeMap<Talker, FrameEncoder>,
    decoders: BTreeMap<u16, PeerDecoder>,
    own_frames: FrameDecoder,
    gathered: Vec<Observation>,
    lost: u64,
    /// The window's queue took nothing at the last try.
    refused: bool,
    handed_over: Micros,
    told_time: Micros,
    vehicle_heard: Option<Micros>,
    backoff: Backoff,
    /// A frame came since the link is up.
    proven: bool,
    retry_at: Option<Micros>,
    opener: Option<Opener>,
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
        recorder: Option<Result<Recorder, RecordError>>,
    ) -> Self {
        let now = wall_clock::monotonic();
        let mut status = LinkStatus::default();
        let recorder = match recorder {
            Some(Ok(recorder)) => {
                status.recording = Some(recorder.path().display().to_string());
                Some(recorder)
            }
            Some(Err(error)) => {
                status.recording_failed = Some(error.to_string());
                None
            }
            None => None,
        };
        let mut thread = Self {
            epoch: wall_clock::unix() - now,
            clocks: ClockWatch::default(),
            last_round: now,
            transport: None,
            shared,
            posted,
            batches,
            gauge,
            wake,
            recorder,
            heartbeats: Heartbeats::default(),
            talker: None,
            encoders: BTreeMap::new(),
            decoders: BTreeMap::new(),
            own_frames: FrameDecoder::new(),
            gathered: Vec::new(),
            lost: 0,
            refused: false,
            handed_over: now,
            told_time: now - TELL_TIME,
            vehicle_heard: None,
            backoff: Backoff::new(now.as_micros().unsigned_abs()),
            proven: false,
            opener: None,
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
            self.look_at_clocks(now, wall_clock::boot());
            self.heartbeat(now);
            self.receive(now, &mut buffer);
            if self.hand_over(wall_clock::monotonic()).is_none() {
                break;
            }
        }
    }

    /// After a sleep of the computer, or a stop of this thread, nothing from before counts as fresh.
    fn look_at_clocks(&mut self, now: Micros, boot: Micros) {
        let before = std::mem::replace(&mut self.last_round, now);
        let slept = self.clocks.round(now, boot);
        let stopped = now - before;
        if slept.is_none() && stopped <= STOPPED {
            return;
        }
        let gap = stopped + slept.unwrap_or(Span::ZERO);
        let seconds = crate::time::Seconds::with_decimals(gap, 1);
        let what = if slept.is_some() {
            "The computer slept"
        } else {
            "The link's thread did not run"
        };
        let text = format!("{what} for {seconds} s: what the vehicle sent meanwhile is unknown");
        // At the beginning of the stretch, by the clock as it was then.
        self.observe(before, Sighting::Blind(text.into()));
        if let Some(slept) = slept {
            self.epoch += slept;
            self.heartbeats.slept(now);
        }
        self.vehicle_heard = None;
        self.status.last_frame = None;
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
                self.talker = settings.map(|s| s.talker);
                self.heartbeats.set(settings, now);
                self.status.transmitting = settings.is_some();
                self.status.watchdog_timeout = self.heartbeats.watchdog().timeout();
                Ok(())
            }
        };
        // Whoever asked may have gone.
        posted.reply.try_send(answer).ok();
    }

    fn heartbeat(&mut self, now: Micros) {
        let fed = self.gauge.last_feed();
        let Some(slot) = self.heartbeats.round(now, fed, self.vehicle_heard) else {
            return;
        };
        let Some(talker) = self.talker else {
            return;
        };
        let mut slot = slot;
        if slot == Slot::Send {
            let encoder = self.encoders.entry(talker);
            let encoder = encoder.or_insert_with(|| FrameEncoder::new(talker));
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
        let sent = match transport.send(frame) {
            Ok(sent) => sent,
            Err(error) => {
                let reason = error.to_string();
                self.down(now, reason.clone());
                return Err(reason);
            }
        };
        self.status.send_refused += sent.refused;
        if sent.problem.is_some() {
            self.status.send_problem = sent.problem;
        } else if sent.bytes > 0 {
            self.status.send_problem = None;
        }
        if sent.bytes == 0 {
            return Err("nobody is at the other end".to_owned());
        }
        self.status.bytes_out += sent.bytes as u64;
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
            Ok(Some(Received::Bytes { peer, length })) => {
                let datagram = transport.datagrams();
                if let Some(bytes) = buffer.get(..length) {
                    self.take(peer, bytes, datagram);
                }
            }
            Ok(Some(Received::Left { peer })) => {
                if let Some(decoder) = self.decoders.remove(&peer) {
                    self.finish(decoder);
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
        let before = self.status.frames_in;
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
        if self.status.frames_in > before {
            if let Some(transport) = &mut self.transport {
                transport.confirm(peer);
            }
            if !std::mem::replace(&mut self.proven, true) {
                // A port that opens and a peer that hangs up at once are no link that works.
                self.backoff.reset();
            }
        }
    }

    /// Nothing more comes from a peer: a frame it began is damage.
    fn finish(&mut self, peer: PeerDecoder) {
        let now = wall_clock::monotonic();
        let PeerDecoder {
            mut decoder,
            mut offset,
        } = peer;
        decoder.finish(&mut |decoded| {
            if let Decoded::Frame(raw) | Decoded::UnknownId(raw) = &decoded {
                self.record(now, raw.bytes);
            }
            let length = decoded.length() as u64;
            self.observe(now, decoded.to_sighting(Direction::Received, offset));
            offset += length;
        });
    }

    fn record(&mut self, now: Micros, frame: &[u8]) {
        let at = self.at(now);
        let Some(recorder) = &self.recorder else {
            return;
        };
        if let Err(error) = recorder.record(at, frame) {
            self.stop_recording(&error);
        }
    }

    /// Recording stops, the link goes on; the window shows why.
    fn stop_recording(&mut self, error: &RecordError) {
        if let Some(recorder) = self.recorder.take() {
            recorder.abandon();
        }
        self.status.recording_failed = Some(error.to_string());
    }

    fn up(&mut self, now: Micros, transport: Box<dyn Transport>) {
        self.transport = Some(transport);
        self.retry_at = None;
        self.proven = false;
        self.status.state = LinkState::Waiting;
        let name = self.address.to_string();
        self.observe(now, Sighting::PathUp(name.into()));
    }

    fn down(&mut self, now: Micros, reason: String) {
        // Closed before it is opened again: a port can be held once.
        self.transport = None;
        for decoder in std::mem::take(&mut self.decoders).into_values() {
            self.finish(decoder);
        }
        self.retry_at = Some(now + self.backoff.wait());
        self.observe(now, Sighting::PathDown(reason.clone().into()));
        self.status.state = LinkState::Down(reason);
    }

    /// Waits for the next try or its result, or begins one.
    fn reconnect(&mut self, now: Micros, wait: Duration) {
        let Some(opener) = &self.opener else {
            if self.retry_at.is_some_and(|at| now < at) {
                std::thread::sleep(wait);
                return;
            }
            let address = self.address.clone();
            match Opener::start(address.to_string(), move || transport::open(&address)) {
                Ok(opener) => self.opener = Some(opener),
                Err(reason) => self.failed(reason.to_string()),
            }
            return;
        };
        let Some(attempt) = opener.poll() else {
            std::thread::sleep(wait.min(LOOK_AT_OPENER));
            return;
        };
        self.opener = None;
        match attempt {
            Ok(transport) => self.up(wall_clock::monotonic(), transport),
            Err(error) => self.failed(error.to_string()),
        }
    }

    /// An attempt to open failed. Told once, not at every try.
    fn failed(&mut self, reason: String) {
        let now = wall_clock::monotonic();
        if self.status.state == LinkState::Down(reason.clone()) {
            self.retry_at = Some(now + self.backoff.wait());
        } else {
            self.down(now, reason);
        }
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
