use std::collections::VecDeque;

use crate::observation::{Damage, DamageKind, Direction};
use crate::source::mavlink::{ChecksumSeeds, RawFrame, Reading, is_start, read};
use crate::time::Micros;

use super::stamp::{STAMP, instant, is_first_outlier, is_outlier};
use super::{ByteOrder, Layout, NotATlog, Survey};

/// A frame of a tlog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TlogRecord<'a> {
    /// Its time on the clock of the ground computer, since the Unix epoch; the neighbour's when its own
    /// is absurd.
    pub at: Micros,
    /// Which way it went, in files that say so.
    pub direction: Direction,
    /// The frame.
    pub frame: RawFrame<'a>,
    /// Where in the file the frame begins; its time stands before it.
    pub offset: u64,
}

/// What a tlog holds, in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TlogItem<'a> {
    /// A frame whose checksum holds.
    Record(TlogRecord<'a>),
    /// Something that could not be used.
    Damage {
        /// The time of the last record before it.
        at: Micros,
        /// What and where.
        damage: Damage,
    },
}

/// Reads a tlog from record to record.
///
/// A record is taken where the one before it ends, so that stamps that look like a start byte cost
/// nothing. Only when no good frame stands there, the next one is searched byte by byte, and the eight
/// bytes before it are its time. Invariant, proven by a test: the bytes of all records with their times,
/// and of all damage other than that of stamps, add up to the file.
#[derive(Debug)]
pub struct TlogReader<'a> {
    bytes: &'a [u8],
    /// Where the next record is due.
    offset: usize,
    order: ByteOrder,
    marked: bool,
    seeds: &'static ChecksumSeeds,
    /// The last stamp that was believed.
    last: Option<Micros>,
    /// The first time of the file, for records before it.
    first: Micros,
    pending: VecDeque<TlogItem<'a>>,
}

impl<'a> TlogReader<'a> {
    /// A reader of the file that holds `bytes`, after a look at its beginning.
    pub fn new(bytes: &'a [u8]) -> Result<Self, NotATlog> {
        Self::surveyed(bytes, Survey::of(bytes))
    }

    /// [`Self::new`] for who has looked at the beginning already.
    pub(crate) fn surveyed(bytes: &'a [u8], survey: Survey) -> Result<Self, NotATlog> {
        match survey.layout {
            Layout::NoFrames => return Err(NotATlog::NoFrames),
            Layout::Stampless => return Err(NotATlog::Stampless),
            Layout::Stamped => {}
        }
        Ok(Self {
            bytes,
            offset: 0,
            order: survey.order,
            marked: survey.marked,
            seeds: ChecksumSeeds::of_dialect(),
            last: None,
            first: survey.first.unwrap_or_default(),
            pending: VecDeque::new(),
        })
    }

    /// In which order the bytes of the times stand.
    #[must_use]
    pub const fn byte_order(&self) -> ByteOrder {
        self.order
    }

    /// Whether the file says which frames were sent and which received (MAVProxy's do).
    #[must_use]
    pub const fn tells_direction(&self) -> bool {
        self.marked
    }

    /// How many bytes of the file have been read.
    #[must_use]
    pub const fn position(&self) -> usize {
        self.offset
    }

    /// The bytes from `at` on.
    fn from(&self, at: usize) -> &'a [u8] {
        self.bytes.get(at..).unwrap_or_default()
    }

    /// Reads on by one record, or to the next one.
    fn advance(&mut self) {
        let due = self.offset + STAMP;
        let reading = read(self.from(due), self.seeds);
        let (limit, lost) = match reading {
            Reading::Good(frame) => return self.take(Some(self.offset), due, frame),
            Reading::BadChecksum { id, length } if self.seeds.seed(id).is_some() => (
                Some(due + length),
                Some((DamageKind::BadChecksum { id }, STAMP + length)),
            ),
            Reading::Unknown { frame, .. } => {
                let length = frame.bytes.len();
                let kind = DamageKind::UnknownId { id: frame.id };
                (Some(due + length), Some((kind, STAMP + length)))
            }
            Reading::BadFlags { .. } => (None, Some((DamageKind::BadLength, STAMP + 10))),
            _ => (None, None),
        };
        // A damaged or unknown frame ends where its header says, unless a good one begins before, or so
        // soon after that its time lies within.
        let end = limit.unwrap_or(self.bytes.len());
        let found = self.search(end.saturating_add(STAMP));
        let next = match found {
            Some((start, _)) if start >= self.offset + STAMP => start - STAMP,
            Some((start, _)) => start,
            None => end,
        };
        let unfinished = found.is_none() && matches!(reading, Reading::Incomplete { .. });
        let short = found.is_none() && self.bytes.len() - self.offset <= STAMP;
        let lost = if unfinished || short {
            Some((DamageKind::CutTail, next - self.offset))
        } else {
            lost
        };
        self.lose(next - self.offset, lost);
        if let Some((start, frame)) = found
            && start < next + STAMP
        {
            // Its time is lost with the bytes before it.
            self.take(None, start, frame);
        }
    }

    /// The first good frame that begins before `limit`.
    fn search(&self, limit: usize) -> Option<(usize, RawFrame<'a>)> {
        let mut at = self.offset;
        loop {
            let rest = self.from(at);
            at += rest.iter().position(|byte| is_start(*byte))?;
            if at > limit {
                return None;
            }
            if let Reading::Good(frame) = read(self.from(at), self.seeds) {
                return Some((at, frame));
            }
            at += 1;
        }
    }

    /// Takes the frame at `start`, whose time stands at `stamp_at`.
    fn take(&mut self, stamp_at: Option<usize>, start: usize, frame: RawFrame<'a>) {
        self.offset = start + frame.bytes.len();
        let number = stamp_at.and_then(|at| self.number(at));
        let stamp = number.and_then(instant).map(|at| self.unmarked(at));
        let believed = stamp.filter(|stamp| !self.contradicted(*stamp));
        let at = match (believed, self.last) {
            (Some(at), Some(last)) if at < last => {
                self.stamp_damage(DamageKind::BackwardStamp, start);
                at
            }
            (Some(at), _) => at,
            (None, neighbour) => {
                self.stamp_damage(DamageKind::AbsurdStamp, start);
                neighbour
                    .or_else(|| self.stamp_at(self.offset).map(|(stamp, _)| stamp))
                    .unwrap_or(self.first)
            }
        };
        self.last = believed.or(self.last);
        let direction = match number {
            Some(number) if self.marked && number & 3 == 3 => Direction::Sent,
            Some(_) if self.marked => Direction::Received,
            _ => Direction::Unknown,
        };
        self.pending.push_back(TlogItem::Record(TlogRecord {
            at,
            direction,
            frame,
            offset: start as u64,
        }));
    }

    /// Whether `stamp` contradicts those of the records around it.
    ///
    /// The next frame is checked only when its stamp raises doubt: checking always would compute every
    /// checksum twice.
    fn contradicted(&self, stamp: Micros) -> bool {
        let Some(last) = self.last else {
            return self.contradicted_as_first(stamp).unwrap_or(false);
        };
        let next = self.number(self.offset).and_then(instant);
        is_outlier(last, stamp, next)
            && is_outlier(
                last,
                stamp,
                self.stamp_at(self.offset).map(|(stamp, _)| stamp),
            )
    }

    /// [`Self::contradicted`] for the first stamp; `None` when too few records follow to tell.
    fn contradicted_as_first(&self, stamp: Micros) -> Option<bool> {
        let (second, end) = self.stamp_at(self.offset)?;
        let (third, _) = self.stamp_at(end)?;
        Some(is_first_outlier(stamp, second, third))
    }

    /// The time of the record at `at` and where that record ends, if a good frame proves that one stands
    /// there.
    fn stamp_at(&self, at: usize) -> Option<(Micros, usize)> {
        match read(self.from(at + STAMP), self.seeds) {
            Reading::Good(frame) => {
                let stamp = self.number(at).and_then(instant)?;
                Some((stamp, at + STAMP + frame.bytes.len()))
            }
            _ => None,
        }
    }

    /// The number that stands at `at` where a time should.
    fn number(&self, at: usize) -> Option<u64> {
        let stamp = self.from(at).first_chunk()?;
        Some(self.order.number(*stamp))
    }

    /// The time without MAVProxy's mark.
    const fn unmarked(&self, at: Micros) -> Micros {
        if self.marked {
            Micros::from_micros(at.as_micros() & !3)
        } else {
            at
        }
    }

    /// Passes over `bytes` bytes. `first` names what the first of them were and how far that extends.
    fn lose(&mut self, bytes: usize, first: Option<(DamageKind, usize)>) {
        let named = first.map_or(0, |(_, extent)| extent.min(bytes));
        if let Some((kind, _)) = first {
            self.damage(kind, named, self.offset);
        }
        self.damage(DamageKind::Skipped, bytes - named, self.offset + named);
        self.offset += bytes;
    }

    fn stamp_damage(&mut self, kind: DamageKind, frame_start: usize) {
        self.damage(kind, STAMP, frame_start.saturating_sub(STAMP));
    }

    fn damage(&mut self, kind: DamageKind, bytes: usize, offset: usize) {
        if bytes > 0 {
            self.pending.push_back(TlogItem::Damage {
                at: self.last.unwrap_or(self.first),
                damage: Damage::new(kind, bytes, offset as u64),
            });
        }
    }
}

impl<'a> Iterator for TlogReader<'a> {
    type Item = TlogItem<'a>;

    fn next(&mut self) -> Option<TlogItem<'a>> {
        while self.pending.is_empty() && self.offset < self.bytes.len() {
            self.advance();
        }
        self.pending.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::mavlink::test_frames::{heartbeat, v1, v2, v2_signed};

    /// A tlog of `frames`, a second apart, whose stamps are full of start bytes.
    fn tlog(frames: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (i, frame) in frames.iter().enumerate() {
            let stamp = 0x0005_fdfe_fdfe_fdfe_u64 + i as u64 * 1_000_000;
            bytes.extend_from_slice(&stamp.to_be_bytes());
            bytes.extend_from_slice(frame);
        }
        bytes
    }

    fn read_all(bytes: &[u8]) -> (Vec<Vec<u8>>, Vec<(DamageKind, u32)>) {
        let mut frames = Vec::new();
        let mut damages = Vec::new();
        for item in TlogReader::new(bytes).unwrap() {
            match item {
                TlogItem::Record(record) => frames.push(record.frame.bytes.to_vec()),
                TlogItem::Damage { damage, .. } => damages.push((damage.kind, damage.bytes)),
            }
        }
        (frames, damages)
    }

    #[test]
    fn both_versions_and_signed_frames_stand_in_one_file() {
        let frames = [
            heartbeat(1),
            v1(2, (1, 1), 0, &[0, 0, 0, 0, 2, 3, 81, 4, 3], 50),
            v2_signed(3, (255, 190), 0, &[0, 0, 0, 0, 6, 8, 0, 4, 3], 50),
            // The shortest frame there is.
            v1(4, (1, 1), 0, &[], 50),
            heartbeat(5),
        ];
        assert_eq!(read_all(&tlog(&frames)), (frames.to_vec(), vec![]));
    }

    #[test]
    fn a_frame_of_unknown_id_is_one_damage_and_hides_nothing() {
        let unknown = v2(2, (1, 1), 54_321, &[3; 20], 7);
        let carrier = v2(3, (1, 1), 54_321, &heartbeat(9), 7);
        let frames = [heartbeat(1), unknown.clone(), heartbeat(4)];
        assert_eq!(
            read_all(&tlog(&frames)),
            (
                vec![heartbeat(1), heartbeat(4)],
                vec![(
                    DamageKind::UnknownId { id: 54_321 },
                    8 + unknown.len() as u32
                )]
            )
        );
        let (found, _) = read_all(&tlog(&[heartbeat(1), carrier, heartbeat(4)]));
        assert_eq!(found, [heartbeat(1), heartbeat(9), heartbeat(4)]);
    }

    #[test]
    fn unknown_flags_are_not_believed() {
        let mut odd = heartbeat(2);
        odd[2] = 0x04;
        let rest = odd.len() as u32 - 10;
        assert_eq!(
            read_all(&tlog(&[heartbeat(1), odd, heartbeat(3)])),
            (
                vec![heartbeat(1), heartbeat(3)],
                vec![(DamageKind::BadLength, 18), (DamageKind::Skipped, rest)]
            )
        );
    }
}
