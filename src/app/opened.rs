use crossbeam_channel::TryRecvError;

use crate::observation::Talker;
use crate::rules::Provenance;
use crate::session::{Session, SessionSettings, Vehicle};
use crate::source::address::Address;
use crate::source::{SourceHandle, SourceKind, SourceMessage};
use crate::time::{Micros, Span};

use super::alarms::{AlarmDesk, Present, causes};
use super::analysis::{Analysis, Wanted};
use super::command::Command;
use super::live::{Live, TransmitChoice};
use super::opening::Opening;
use super::scene::{Phase, Scene, ekf_trip_time, incident_time, incident_times};
use super::statements::Statements;
use super::theme::Palette;
use super::time_axis::TimeAxis;
use super::time_format::TimeFormat;
use super::transport::Transport;

/// Messages taken from the source in one frame. A file that is read faster than this waits in its
/// channel: the window stays alive, and with it the heartbeats.
const MESSAGES_PER_FRAME: usize = 64;
/// Observations after which a frame takes no further message.
const OBSERVATIONS_PER_FRAME: usize = 60_000;
/// A step of the arrow keys as a part of the visible range.
const STEPS_PER_VIEW: i64 = 50;

/// How often a live link is looked at for alarms.
const WATCH_EVERY: Span = Span::from_millis(200);

/// A source that is open: its channel, what it told so far, and how it is looked at.
#[derive(Debug)]
pub(super) struct Opened {
    handle: SourceHandle,
    live: Option<Live>,
    session: Session,
    transport: Transport,
    axis: TimeAxis,
    analysis: Analysis,
    vehicle: Option<Talker>,
    progress: Option<f32>,
    ended: bool,
    failure: Option<String>,
    failure_read: bool,
    arranged: bool,
    now: Option<Micros>,
    restart_waits: bool,
    statements: Statements,
    alarms: AlarmDesk,
    watched: Option<Micros>,
}

impl Opened {
    /// `choice` is offered before transmitting.
    pub(super) fn new(opening: Opening, choice: TransmitChoice) -> Self {
        let Opening {
            source: handle,
            link,
        } = opening;
        Self {
            transport: Transport::new(handle.kind),
            session: Session::new(settings_for(handle.kind)),
            handle,
            live: link.map(|link| Live::new(link, choice)),
            axis: TimeAxis::default(),
            analysis: Analysis::default(),
            vehicle: None,
            progress: None,
            ended: false,
            failure: None,
            failure_read: false,
            arranged: false,
            now: None,
            restart_waits: false,
            statements: Statements::default(),
            alarms: AlarmDesk::default(),
            watched: None,
        }
    }

    /// Takes what the source has to say. Returns whether more is waiting. Harmless to call twice.
    pub(super) fn drain(&mut self) -> bool {
        if self.restart_waits {
            if !self.transport.is_attached() {
                return false;
            }
            self.restart();
        }
        let mut observations = 0;
        for _ in 0..MESSAGES_PER_FRAME {
            match self.handle.messages.try_recv() {
                Ok(SourceMessage::Batch(batch)) => {
                    observations += batch.len();
                    for observation in &batch {
                        self.session.observe(observation);
                    }
                }
                Ok(SourceMessage::Progress { read, total }) => {
                    self.progress = (total > 0).then(|| read as f32 / total as f32);
                }
                Ok(SourceMessage::Now(now)) => self.now = Some(now),
                Ok(SourceMessage::Restarted) => {
                    // Whoever holds the picture to study it must not have it taken away.
                    if !self.is_empty() && !self.transport.is_attached() {
                        self.restart_waits = true;
                        return false;
                    }
                    self.restart();
                }
                Ok(SourceMessage::Finished) => self.ended = true,
                Ok(SourceMessage::Failed(why)) => {
                    self.ended = true;
                    self.failure = Some(why);
                }
                Err(TryRecvError::Empty) => return false,
                Err(TryRecvError::Disconnected) => {
                    if !self.ended {
                        self.failure = Some(
                            match self.handle.kind {
                                SourceKind::Log => {
                                    "The reader ended before the end of the file. Open it again."
                                }
                                _ => "The link's thread ended. Open the link again.",
                            }
                            .to_owned(),
                        );
                    }
                    self.ended = true;
                    return false;
                }
            }
            if observations > OBSERVATIONS_PER_FRAME {
                return true;
            }
        }
        true
    }

    /// Forgets what was observed and keeps how it is looked at.
    fn restart(&mut self) {
        self.session = Session::new(settings_for(self.handle.kind));
        self.transport = Transport::new(self.handle.kind);
        let asked = self.analysis.asked().what_if().clone();
        self.analysis = Analysis::default();
        self.analysis.ask(asked);
        self.statements.restart();
        self.now = None;
        self.restart_waits = false;
    }

    /// Whether the source has told all it will.
    pub(super) const fn has_ended(&self) -> bool {
        self.ended
    }

    /// Whether it is a recording, to which another of the same flight can be added.
    pub(super) fn is_recording(&self) -> bool {
        self.handle.kind == SourceKind::Log
    }

    /// Whether it is the live link that `source` names, in whatever dialect.
    pub(super) fn leads_to(&self, source: &str) -> bool {
        self.live.as_ref().is_some_and(|live| {
            let address = source.parse::<Address>();
            address.is_ok_and(|address| address == *live.address())
        })
    }

    /// Looks at the live link's thread. `silence` is how long it has not come round.
    pub(super) fn look_at_link(&mut self, silence: Option<Span>) {
        if let Some(live) = &mut self.live {
            live.refresh(silence);
            if let Some(problem) = live.take_problem() {
                self.failure = Some(problem);
                self.failure_read = false;
            }
        }
    }

    /// Moves on to the frame at `frame_time` and answers anew what has changed. A frame that is not shown
    /// has no time.
    pub(super) fn advance(&mut self, frame_time: Option<f64>) {
        if let (Some(first), Some(last)) = (self.session.first(), self.session.last()) {
            let newest = self.now.map_or(last, |now| now.max(last));
            match frame_time {
                Some(time) => self.transport.tick(time, first, newest),
                None => self.transport.tick_unseen(first, newest),
            }
        }
        let known = self.vehicle.and_then(|talker| self.session.vehicle(talker));
        if known.is_none() {
            self.vehicle = self.session.vehicles().next().map(|vehicle| vehicle.talker);
        }
        self.refresh();
        if self.ended && !self.arranged && self.handle.kind == SourceKind::Log {
            self.arranged = true;
            self.arrange();
            self.refresh();
        }
    }

    /// Looks whether the present of a live link gives cause for alarm, whatever moment is shown. Returns
    /// whether an alarm was raised.
    pub(super) fn watch(&mut self) -> bool {
        let now = self.transport.last();
        let just_looked = self
            .watched
            .is_some_and(|before| (now - before).abs() < WATCH_EVERY);
        let (true, false, Some(vehicle)) = (self.is_live(), just_looked, self.vehicle) else {
            return false;
        };
        self.watched = Some(now);
        let held;
        let link = if self.transport.is_attached() {
            self.analysis.link()
        } else {
            held = self.session.link_at(vehicle, now);
            held.as_ref()
        };
        let causes = link.map(|link| {
            causes(&Present {
                session: &self.session,
                link,
                vehicle,
                live: self.live.as_ref().map(Live::view),
            })
        });
        self.alarms.look(now, &causes.unwrap_or_default())
    }

    fn refresh(&mut self) {
        self.statements.tell_anew(&mut self.session);
        self.axis.keep_up(self.transport.position());
        self.analysis.update(
            &self.session,
            self.vehicle,
            Wanted {
                moment: self.transport.position(),
                end: self.transport.last(),
                visible: (self.axis.from(), self.axis.to()),
                growing: !self.ended,
                stated: self.statements.revision(),
            },
        );
    }

    /// A recording that has just been read opens where it matters: at its first link loss, with the
    /// silence before it and what came after. Without one, the whole record is shown, at the first trip of
    /// the EKF failsafe or else at its start.
    fn arrange(&mut self) {
        let losses = self.analysis.losses();
        let first = losses
            .iter()
            .find(|loss| loss.happened())
            .or(losses.first());
        if let Some(loss) = first {
            let (at, silence) = (incident_time(loss), loss.last_heartbeat.earliest());
            self.transport.seek(at);
            let lead = ((at - silence) / 2).max(Span::from_secs(4));
            self.axis.show(silence - lead, at + lead);
            return;
        }
        self.fit();
        let trip = self.analysis.ekf_failsafes().iter().find_map(ekf_trip_time);
        if let Some(at) = trip {
            self.transport.seek(at);
        }
    }

    fn fit(&mut self) {
        let (first, last) = (self.transport.first(), self.transport.last());
        self.axis.show(first, last);
    }

    /// Carries out what concerns the source that is open.
    pub(super) fn obey(&mut self, command: &Command) {
        match command {
            Command::PlayPause => {
                self.transport.toggle();
                if self.transport.is_moving() {
                    self.axis.set_follow(true);
                }
            }
            Command::Step(steps) => {
                let step = self.axis.span() / STEPS_PER_VIEW;
                self.go(self.transport.position() + step * i64::from(*steps));
            }
            Command::Seek(at) => self.go(*at),
            Command::Incident(next) => self.go_to_incident(*next),
            Command::Home => self.go(self.transport.first()),
            Command::End => {
                self.transport.seek_end();
                self.reveal();
            }
            Command::Zoom(closer) => {
                let factor = if *closer { 0.5 } else { 2.0 };
                self.axis.zoom(factor, self.transport.position());
            }
            Command::Fit => self.fit(),
            Command::Follow => self.axis.set_follow(!self.axis.follows()),
            Command::ChangeSpeed(faster) => self.transport.change_speed(*faster),
            Command::Speed(index) => self.transport.set_speed(*index),
            Command::Vehicle(talker) => self.vehicle = Some(*talker),
            Command::DismissError => self.failure_read = true,
            Command::Acknowledge => self.alarms.acknowledge(self.transport.last()),
            Command::Transmit => {
                if let Some(live) = &mut self.live {
                    live.toggle();
                }
            }
            Command::ChooseTransmit(choice) => {
                if let Some(live) = &mut self.live {
                    live.choose(*choice);
                }
            }
            Command::State(statement) => {
                if let Some(vehicle) = self.vehicle {
                    self.statements
                        .state(&mut self.session, vehicle, *statement);
                }
            }
            Command::Ask(what_if) => self.analysis.ask(what_if.clone()),
            Command::Appearance
            | Command::OpenDialog
            | Command::AddDialog
            | Command::Open(_)
            | Command::Close
            | Command::Help
            | Command::Settings
            | Command::Configure(_)
            | Command::Freeze
            | Command::Tab(_) => {}
        }
    }

    fn go(&mut self, at: Micros) {
        self.transport.seek(at);
        self.reveal();
    }

    fn go_to_incident(&mut self, next: bool) {
        let here = self.transport.position();
        let times = incident_times(
            self.analysis.losses(),
            self.analysis.doubts(),
            self.analysis.ekf_failsafes(),
        );
        let mut times = times.into_iter();
        let found = if next {
            times.find(|at| *at > here)
        } else {
            times.rfind(|at| *at < here)
        };
        if let Some(at) = found {
            self.go(at);
        }
    }

    /// Brings the moment shown into view, without changing how much is shown.
    fn reveal(&mut self) {
        let at = self.transport.position();
        if !self.axis.follows() && (at < self.axis.from() || at > self.axis.to()) {
            let centre = self.axis.from() + self.axis.span() / 2;
            self.axis.pan(at - centre);
        }
    }

    /// What the panels read.
    pub(super) fn scene(&self, palette: &'static Palette, zone: &str) -> Scene<'_> {
        Scene {
            palette,
            session: &self.session,
            kind: self.handle.kind,
            phase: match (&self.failure, self.ended) {
                (_, false) => Phase::Running,
                (Some(_), true) => Phase::Failed,
                (None, true) => Phase::Finished,
            },
            live: self.live.as_ref().map(Live::view),
            vehicle: self.vehicle(),
            link: self.analysis.link(),
            losses: self.analysis.losses(),
            doubts: self.analysis.doubts(),
            ekf_failsafes: self.analysis.ekf_failsafes(),
            strips: self.analysis.strips(),
            ratios: self.analysis.ratios(),
            asked: self.analysis.asked(),
            statements: &self.statements,
            alarms: &self.alarms,
            moment: self.transport.position(),
            end: self.transport.last(),
            at_present: self.transport.is_attached(),
            format: TimeFormat::of(self.session.first(), zone),
        }
    }

    fn vehicle(&self) -> Option<&Vehicle> {
        self.session.vehicle(self.vehicle?)
    }

    /// For people: the file, the address, the scenario.
    pub(super) fn title(&self) -> &str {
        &self.handle.title
    }

    /// Whether the source is live in the sense that its end is now.
    pub(super) fn is_live(&self) -> bool {
        self.handle.kind != SourceKind::Log
    }

    /// Whether an operator may have to be called: it is the real thing, not a demonstration.
    pub(super) fn calls(&self) -> bool {
        self.handle.kind == SourceKind::Live
    }

    /// Whether heartbeats are being sent on it.
    pub(super) fn transmits(&self) -> bool {
        self.live
            .as_ref()
            .is_some_and(|live| live.view().status.transmitting)
    }

    /// How much of a file has been read, while it is being read.
    pub(super) fn loading(&self) -> Option<f32> {
        (self.handle.kind == SourceKind::Log && !self.ended).then(|| self.progress.unwrap_or(0.0))
    }

    /// Why the source ended, if it failed and the operator has not put that away.
    pub(super) fn failure(&self) -> Option<&str> {
        self.failure.as_deref().filter(|_| !self.failure_read)
    }

    /// Whether nothing has been seen so far.
    pub(super) const fn is_empty(&self) -> bool {
        self.session.first().is_none()
    }

    /// Whether the picture changes by itself.
    pub(super) const fn is_moving(&self) -> bool {
        self.transport.is_moving()
    }

    /// How the moment shown moves.
    pub(super) const fn transport(&self) -> &Transport {
        &self.transport
    }

    /// The visible range.
    pub(super) const fn axis(&self) -> TimeAxis {
        self.axis
    }

    /// Takes over the range as the strips' navigation left it.
    pub(super) const fn set_axis(&mut self, axis: TimeAxis) {
        self.axis = axis;
    }
}

/// Parameters that pass on a live link were told to somebody: overheard. In a file they are the log's.
fn settings_for(kind: SourceKind) -> SessionSettings {
    SessionSettings {
        parameters_from: match kind {
            SourceKind::Live => Provenance::Overheard,
            SourceKind::Log | SourceKind::Demo => Provenance::Log,
        },
    }
}
