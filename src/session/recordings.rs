use std::collections::BTreeMap;

use crate::observation::{ClockAlignment, Damage, Frame, Message, PathId, Talker};
use crate::time::{Micros, Span};

use super::DamageCount;

/// Two radios deliver one frame within this much of each other; a talker's sequence numbers come round
/// later than that.
const SAME_FRAME: Span = Span::from_secs(2);
/// A counter that was not read for so long has a successor on another path.
const COUNTER_GONE: Span = Span::from_secs(10);
/// Nothing at all for so long is a record that was not running: between two flights, say. A link that is
/// lost may be silent for minutes, and that must be told.
const NO_RECORD: Span = Span::from_secs(600);
/// More of them are not told apart.
const MOST: usize = 10_000;

/// What concerns the recordings themselves, of which a session may hold several of one flight.
#[derive(Clone, Debug, Default)]
pub struct Recordings {
    alignments: BTreeMap<PathId, ClockAlignment>,
    damage: BTreeMap<PathId, DamageCount>,
    several_radios: bool,
    /// By talker and sequence number, the frame that had it last.
    recent: BTreeMap<Talker, BTreeMap<u8, Seen>>,
    doubles: BTreeMap<PathId, u64>,
    counters: BTreeMap<Talker, (PathId, Micros)>,
    /// From when to when something was recorded, without pauses of ten minutes, in order of time.
    stretches: Vec<(Micros, Micros)>,
}

#[derive(Clone, Copy, Debug)]
struct Seen {
    at: Micros,
    path: PathId,
    id: u32,
    checksum: u16,
}

impl Recordings {
    /// The further recordings that were brought onto the timeline of the first, by path.
    #[must_use]
    pub const fn alignments(&self) -> &BTreeMap<PathId, ClockAlignment> {
        &self.alignments
    }

    /// What could not be used of one recording.
    #[must_use]
    pub fn damage_on(&self, path: PathId) -> Option<&DamageCount> {
        self.damage.get(&path)
    }

    /// Frames of this path that had arrived on another one already.
    #[must_use]
    pub fn doubles_on(&self, path: PathId) -> u64 {
        self.doubles.get(&path).copied().unwrap_or_default()
    }

    /// The stretches in which nothing at all was recorded for ten minutes or more, in order of time: between
    /// two flights.
    #[must_use]
    pub fn gaps(&self) -> Vec<(Micros, Micros)> {
        let pairs = self.stretches.windows(2);
        pairs
            .filter_map(|pair| match pair {
                [(_, end), (next, _)] => Some((*end, *next)),
                _ => None,
            })
            .collect()
    }

    /// If nothing at all was recorded for ten minutes or more between `from`, at which something was, and
    /// `to`: when the record stopped.
    #[must_use]
    pub fn ends_between(&self, from: Micros, to: Micros) -> Option<Micros> {
        let after = self.stretches.partition_point(|(start, _)| *start <= from);
        let (next, _) = self.stretches.get(after)?;
        let (_, end) = self.stretches.get(after.checked_sub(1)?)?;
        (*next <= to).then_some(*end)
    }

    pub(super) fn note_time(&mut self, at: Micros) {
        // Nearly always the record goes on where it is.
        if let Some((start, end)) = self.stretches.last_mut()
            && at >= *start
            && at - *end < NO_RECORD
        {
            *end = at.max(*end);
            return;
        }
        // A clock that was set back: the stretches are kept in order of time, as everything is.
        let after = self.stretches.partition_point(|(start, _)| *start <= at);
        let before = after
            .checked_sub(1)
            .and_then(|i| self.stretches.get_mut(i))
            .filter(|(_, end)| at - *end < NO_RECORD);
        if let Some((_, end)) = before {
            *end = at.max(*end);
        } else if self.stretches.len() < MOST {
            self.stretches.insert(after, (at, at));
        }
        self.join_at(after);
    }

    /// Joins the stretch before `index` with the one there, and that with the one behind it, where they have
    /// grown together.
    fn join_at(&mut self, index: usize) {
        for second in [index + 1, index] {
            let first = second.checked_sub(1).and_then(|i| self.stretches.get(i));
            if let (Some((start, end)), Some((next, last))) =
                (first.copied(), self.stretches.get(second).copied())
                && next - end < NO_RECORD
            {
                self.stretches.remove(second);
                if let Some(joined) = self.stretches.get_mut(second - 1) {
                    *joined = (start, end.max(last));
                }
            }
        }
    }

    pub(super) fn note_alignment(&mut self, path: PathId, alignment: &ClockAlignment) {
        self.several_radios |= !alignment.on_board;
        self.alignments.insert(path, alignment.clone());
    }

    pub(super) fn note_damage(&mut self, path: PathId, damage: Damage) {
        self.damage.entry(path).or_default().note(damage);
    }

    /// The vehicle whose own log is on this path, beside a recording of the ground.
    pub(super) fn vehicle_on(&self, path: PathId) -> Option<Talker> {
        self.alignments.get(&path).map(|a| a.vehicle)
    }

    /// Whether this very frame arrived on another path a moment ago. Counts it.
    pub(super) fn is_double(&mut self, at: Micros, path: PathId, frame: &Frame) -> bool {
        if !self.several_radios {
            return false;
        }
        let seen = Seen {
            at,
            path,
            id: frame.id,
            checksum: frame.checksum,
        };
        let recent = self.recent.entry(frame.from).or_default();
        let double = recent.get(&frame.sequence).is_some_and(|first| {
            first.path != path
                && first.id == seen.id
                && first.checksum == seen.checksum
                && (at - first.at).abs() <= SAME_FRAME
        });
        if double {
            *self.doubles.entry(path).or_default() += 1;
        } else {
            recent.insert(frame.sequence, seen);
        }
        double
    }

    /// Whether this is a receive counter of the vehicle's for another link than the one followed: each link
    /// has its own, and a rise from one to the other means nothing.
    pub(super) fn is_other_counter(&mut self, at: Micros, path: PathId, frame: &Frame) -> bool {
        if !self.several_radios || !matches!(frame.message, Message::LinkNodeStatus(_)) {
            return false;
        }
        let (followed, read) = self.counters.entry(frame.from).or_insert((path, at));
        if *followed == path || at - *read > COUNTER_GONE {
            (*followed, *read) = (path, at);
            return false;
        }
        true
    }
}
