//! What the window and the report read: plain values, computed for a moment that is an argument.

use crate::observation::Talker;
use crate::rules::{LinkLoss, LinkModel, Parameter};
use crate::time::{Bounds, Micros, Span};

/// The link between one vehicle and its ground stations at one moment.
#[derive(Clone, Debug)]
pub struct LinkView {
    /// The moment.
    pub at: Micros,
    /// The rule that applies; `None` for an autopilot whose rule is not known.
    pub model: Option<LinkModel>,
    /// Where things stand.
    pub state: LinkState,
    /// The last counted sign of life up to the moment.
    pub last_counted: Option<(Talker, Micros)>,
    /// What follows if nothing counted arrives from now on (state present) or if the silence goes on.
    pub prediction: Option<LinkLoss>,
    /// What follows if nothing sent since the vehicle was last heard has arrived; `None` while it is heard,
    /// and when nothing was sent since.
    pub doubt: Option<LinkLoss>,
    /// Time left until the loss, seen from the moment: earliest and latest. Negative once passed.
    pub remaining: Option<(Span, Span)>,
    /// The vehicle itself shows that some failsafe is active (system_status CRITICAL), whichever it is.
    pub in_failsafe: bool,
    /// Whether and how well we hear the vehicle.
    pub downlink: Downlink,
    /// Whether there is proof that the vehicle hears us.
    pub uplink: Uplink,
    /// Every talker with its standing in the eyes of this vehicle.
    pub counted: Vec<CountedTalker>,
    /// The parameters that decide whether and when the failsafe fires, assumed defaults included.
    pub decided_by: Vec<(&'static str, Parameter)>,
}

/// Where the link stands in the eyes of the vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkState {
    /// No rule is known for this autopilot.
    Unknown,
    /// The failsafe is switched off by a parameter, or the mode exempts from it.
    Off,
    /// The vehicle has not counted any ground station yet.
    NeverSeen,
    /// The record is a vehicle's own log, which holds no heartbeats of others, and no loss is under way.
    NotRecorded,
    /// A counted ground station spoke when it was due.
    Present,
    /// At least one beat is missing, or the flag is down; the countdown runs.
    Counting,
    /// The predicted window has been reached: it happens now.
    Due,
    /// The loss is past: by evidence, or because the latest predicted instant is over.
    Lost {
        /// When it was declared.
        since: Bounds,
        /// Whether there is evidence, or only the rule.
        proven: bool,
    },
}

/// Vehicle to ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Downlink {
    /// Last frame of any kind from the autopilot.
    pub last_frame: Option<Micros>,
    /// Frames per second over the last seconds.
    pub rate: f64,
    /// Share of the vehicle's frames that were lost on the way here, 0 to 1, by sequence numbers, over
    /// the last seconds; `None` without frames.
    pub loss: Option<f64>,
}

/// Ground to vehicle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uplink {
    /// The last proof that something of ours (or of the ground station that made the record) arrived.
    pub last_proof: Option<(Micros, String)>,
    /// The vehicle's receive counter stands still although the ground talks.
    pub counter_stopped: bool,
}

/// How firmly it stands that the vehicle hears the ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UplinkState {
    /// Nothing has proven it so far.
    NeverProven,
    /// Proven within the last [`Uplink::FRESH`].
    Proven,
    /// The last proof is older than that.
    OldProof,
    /// The vehicle's receive counter stands still although the ground talks.
    CounterStopped,
}

impl Uplink {
    /// A proof older than this is none of the present.
    pub const FRESH: Span = Span::from_secs(10);

    /// How firmly it stands at `at`.
    #[must_use]
    pub fn state(&self, at: Micros) -> UplinkState {
        match &self.last_proof {
            _ if self.counter_stopped => UplinkState::CounterStopped,
            None => UplinkState::NeverProven,
            Some((proof, _)) if at - *proof < Self::FRESH => UplinkState::Proven,
            Some(_) => UplinkState::OldProof,
        }
    }
}

/// One talker in the eyes of one vehicle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedTalker {
    /// Who.
    pub talker: Talker,
    /// Whether its heartbeats count as a ground station's.
    pub counts: bool,
    /// By which rule, in words.
    pub reason: String,
    /// What a loss would look like without it.
    pub without: Without,
}

/// "If this one were unplugged now".
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Without {
    /// It does not count: nothing changes for the failsafe.
    NoChange,
    /// Others keep the failsafe from firing: the loss of this one would never be noticed.
    Masked(Vec<Talker>),
    /// The vehicle would declare the loss this long from the moment.
    LostIn(Span, Span),
}

/// What the ground can say of the vehicle's `heartbeat_type_gcs` flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagState {
    /// Certainly true.
    True,
    /// Certainly false.
    False,
    /// Either.
    Unknown,
}

/// A stretch of time over which the flag's state does not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlagSegment {
    /// Begin.
    pub from: Micros,
    /// End.
    pub to: Micros,
    /// State.
    pub state: FlagState,
}

/// A reconstructed status report of the vehicle's receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReportMark {
    /// When it was published.
    pub at: Bounds,
    /// What it said.
    pub says: FlagState,
    /// How it came about, and is known.
    pub origin: ReportOrigin,
}

/// How a status report came about, and how it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportOrigin {
    /// Inferred: a heartbeat forced the check behind it.
    Forced,
    /// Inferred: a self-check or the 1 Hz timer.
    Timed,
    /// A row of the vehicle's own log.
    Logged,
}

/// One point of the countdown strip: time left until the loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountdownPoint {
    /// When.
    pub at: Micros,
    /// Earliest possible time left.
    pub earliest: Span,
    /// Latest possible time left.
    pub latest: Span,
}

/// What the strips of one vehicle show over one range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkStrips {
    /// The vehicle's flag, without gaps. Empty for vehicles without that flag.
    pub flag: Vec<FlagSegment>,
    /// The status reports of the vehicle's receiver. Empty for a range so long that they could not be
    /// told apart.
    pub reports: Vec<ReportMark>,
    /// Time left until the loss: corner points of straight lines.
    pub countdown: Vec<CountdownPoint>,
}

/// Something worth a line in the event list.
#[derive(Clone, Debug, PartialEq)]
pub struct EventEntry {
    /// When it became known on the ground, or when it happened where the source says so.
    pub at: Micros,
    /// Which vehicle or talker it concerns.
    pub talker: Option<Talker>,
    /// How loud it is.
    pub severity: Severity,
    /// The sentence.
    pub text: String,
}

/// How loud an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Worth a look.
    Warning,
    /// Worth acting on.
    Critical,
}

impl Severity {
    /// How loud a MAV_SEVERITY is.
    pub(super) const fn of_mavlink(severity: u8) -> Self {
        match severity {
            0..=3 => Self::Critical,
            4 => Self::Warning,
            _ => Self::Info,
        }
    }
}
