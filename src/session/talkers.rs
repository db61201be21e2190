use std::collections::BTreeMap;

use crate::observation::{
    Autopilot, Direction, Frame, Heartbeat, MavType, Message, PathId, Talker,
};
use crate::time::{Micros, Span};

use super::rate::RateTrack;
use super::sequence::SequenceCounter;
use super::{Lane, Track};

/// What is known of one talker: its heartbeats, its frames, its losses.
#[derive(Clone, Debug)]
pub struct TalkerTrack {
    /// Its ids.
    pub talker: Talker,
    /// Arrivals (or, for our own ground station, departures) of its heartbeats.
    pub heartbeats: Lane,
    /// RC_CHANNELS_OVERRIDE: a sign of life that ArduPilot counts.
    pub overrides: Lane,
    /// MANUAL_CONTROL by addressed system: likewise.
    pub manual_controls: BTreeMap<u8, Lane>,
    /// All frames of a talker that is not an autopilot: what the vehicle's receive counter is compared
    /// with. Empty for autopilots, whose many frames no rule needs one by one.
    pub frames: Lane,
    /// What its heartbeats say it is, as it changed.
    pub kind: Track<MavType>,
    /// The last heartbeat.
    pub last_heartbeat: Option<Heartbeat>,
    /// First frame of any kind.
    pub first: Micros,
    /// Last frame of any kind.
    pub last: Micros,
    /// All frames, of any kind.
    pub frame_count: u64,
    /// Its frames carry MAVLink 2 signatures.
    pub signed: u64,
    /// Longest silence between two heartbeats, with the heartbeat it begins at.
    pub longest_gap: Option<(Micros, Span)>,
    /// The path it was heard on last.
    pub path: PathId,
    /// Whether the record itself says that its frames were sent by the ground.
    pub direction: Direction,
    sequences: BTreeMap<PathId, SequenceCounter>,
    pub(super) rate: RateTrack,
}

/// What a talker is, in the operator's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TalkerRole {
    /// An autopilot: a vehicle.
    Autopilot,
    /// It says it is a ground station.
    GroundStation,
    /// A companion computer on a vehicle.
    Companion,
    /// A radio, camera, gimbal or anything else.
    Other,
}

impl TalkerRole {
    /// The word shown to the user.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Autopilot => "Autopilot",
            Self::GroundStation => "GCS",
            Self::Companion => "Companion",
            Self::Other => "Component",
        }
    }
}

impl TalkerTrack {
    fn new(talker: Talker, at: Micros, frame: &Frame, path: PathId) -> Self {
        Self {
            talker,
            heartbeats: Lane::default(),
            overrides: Lane::default(),
            manual_controls: BTreeMap::new(),
            frames: Lane::default(),
            kind: Track::default(),
            last_heartbeat: None,
            first: at,
            last: at,
            frame_count: 0,
            signed: 0,
            longest_gap: None,
            path,
            direction: frame.direction,
            sequences: BTreeMap::new(),
            rate: RateTrack::default(),
        }
    }

    /// Its role, from the latest heartbeat.
    #[must_use]
    pub fn role(&self) -> TalkerRole {
        let Some(heartbeat) = self.last_heartbeat else {
            return TalkerRole::Other;
        };
        if heartbeat.mav_type == MavType::GCS {
            TalkerRole::GroundStation
        } else if heartbeat.autopilot != Autopilot::INVALID && self.talker.component == 1 {
            TalkerRole::Autopilot
        } else if heartbeat.mav_type == MavType::ONBOARD_CONTROLLER {
            TalkerRole::Companion
        } else {
            TalkerRole::Other
        }
    }

    /// Frames missing by sequence numbers, over all paths.
    #[must_use]
    pub fn lost_frames(&self) -> u64 {
        self.sequences.values().map(|s| s.lost).sum()
    }

    /// Median interval of the last heartbeats before `at`, and the largest deviation from it among
    /// them; `None` with fewer than three.
    #[must_use]
    pub fn rhythm(&self, at: Micros) -> Option<(Span, Span)> {
        const LOOK_BACK: usize = 12;
        let times = self.heartbeats.between(Micros::MIN, at);
        let recent = times.get(times.len().saturating_sub(LOOK_BACK)..)?;
        let mut intervals: Vec<Span> = recent
            .windows(2)
            .filter_map(|pair| match pair {
                [a, b] => Some(*b - *a),
                _ => None,
            })
            .collect();
        if intervals.len() < 2 {
            return None;
        }
        intervals.sort_unstable();
        let median = *intervals.get(intervals.len() / 2)?;
        // A gap is not jitter: intervals of a missed beat are left out of the deviation.
        let jitter = intervals
            .iter()
            .map(|i| (*i - median).abs())
            .filter(|d| *d < median / 2)
            .max()
            .unwrap_or_default();
        Some((median, jitter))
    }

    fn take(&mut self, at: Micros, path: PathId, frame: &Frame) {
        self.frame_count += 1;
        self.signed += u64::from(frame.signed);
        self.last = self.last.max(at);
        self.path = path;
        let lost = self.sequences.entry(path).or_default().note(frame.sequence);
        self.rate.note(at, lost, u32::from(frame.length));
        match &frame.message {
            Message::Heartbeat(heartbeat) => {
                if let Some(last) = self.heartbeats.last() {
                    let gap = at - last;
                    if self.longest_gap.is_none_or(|(_, longest)| gap > longest) {
                        self.longest_gap = Some((last, gap));
                    }
                }
                self.heartbeats.push(at);
                self.kind.note(at, heartbeat.mav_type);
                self.last_heartbeat = Some(*heartbeat);
            }
            Message::RcOverride { .. } => self.overrides.push(at),
            Message::ManualControl { target } => {
                self.manual_controls.entry(*target).or_default().push(at);
            }
            _ => {}
        }
        if self.role() != TalkerRole::Autopilot {
            self.frames.push(at);
        }
    }
}

/// All talkers of a session.
///
/// One is listed from its first heartbeat, or when it commands: a stray frame whose checksum happens to
/// hold must not put a phantom vehicle on the screen.
#[derive(Clone, Debug, Default)]
pub struct Talkers {
    all: BTreeMap<Talker, TalkerTrack>,
    refused: u64,
}

/// More talkers than this are not told apart: a flood of forged ids must not exhaust memory.
const LIMIT: usize = 1_024;

impl Talkers {
    pub(super) fn take(&mut self, at: Micros, path: PathId, frame: &Frame) -> Option<&TalkerTrack> {
        if self.all.len() >= LIMIT && !self.all.contains_key(&frame.from) {
            self.refused += 1;
            return None;
        }
        let track = self
            .all
            .entry(frame.from)
            .or_insert_with(|| TalkerTrack::new(frame.from, at, frame, path));
        track.take(at, path, frame);
        Some(track)
    }

    /// The talkers that have sent a heartbeat, in order of id.
    pub fn iter(&self) -> impl Iterator<Item = &TalkerTrack> {
        self.all.values().filter(|t| !t.heartbeats.is_empty())
    }

    /// All talkers, those without heartbeats too.
    pub fn iter_all(&self) -> impl Iterator<Item = &TalkerTrack> {
        self.all.values()
    }

    /// One talker.
    #[must_use]
    pub fn get(&self, talker: Talker) -> Option<&TalkerTrack> {
        self.all.get(&talker)
    }

    /// Frames that were not attributed because there were too many talkers.
    #[must_use]
    pub const fn refused(&self) -> u64 {
        self.refused
    }
}
