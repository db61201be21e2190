use super::lost::{Lost, Run};
use super::raw_frame::{MAX_FRAME, RawFrame, Reading, is_start, read};
use super::unknown_ids::UnknownIds;
use super::{ChecksumSeeds, Decoded};

/// Bytes that decide about any position: a frame that begins within a frame of unknown id (see
/// [`Scanner::hides_a_frame`]) and reaches beyond it.
const LOOKAHEAD: usize = 2 * MAX_FRAME;

/// Where the bytes went. At any time
/// `bytes_in == good_bytes + unknown_bytes + bad_bytes + skipped + FrameDecoder::buffered()`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DecoderCounters {
    /// Bytes pushed.
    pub bytes_in: u64,
    /// Frames whose checksum holds.
    pub good: u64,
    /// Their bytes.
    pub good_bytes: u64,
    /// Frames of unknown id.
    pub unknown: u64,
    /// Their bytes.
    pub unknown_bytes: u64,
    /// Frames due that failed: their checksum, or flags that no frame can have.
    pub bad: u64,
    /// Bytes lost by them.
    pub bad_bytes: u64,
    /// All other bytes.
    pub skipped: u64,
}

/// Cuts a stream of bytes into MAVLink 1 and 2 frames.
///
/// Invariants, each proven by a test:
/// * every byte is accounted for (see [`DecoderCounters`]);
/// * the events do not depend on how the stream is cut into pushes;
/// * a good frame is found whatever stands before it: after a failure the search goes on at the byte after
///   the failed start, so a frame inside a damaged or a pretended one is not lost. Only a good frame, and
///   one of unknown id in which no good frame begins, take the bytes they cover.
///
/// A frame that lies within the pushed slice is parsed where it lies; only an unfinished end is copied.
#[derive(Debug)]
pub struct FrameDecoder {
    /// The unfinished end of what was pushed, never longer than what decides about one position.
    tail: Vec<u8>,
    scanner: Scanner,
}

impl Default for FrameDecoder {
    fn default() -> Self {
        Self::new()
    }
}

impl FrameDecoder {
    /// A decoder that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        Self {
            tail: Vec::with_capacity(2 * LOOKAHEAD),
            scanner: Scanner {
                seeds: ChecksumSeeds::of_dialect(),
                counters: DecoderCounters::default(),
                position: 0,
                due: 0,
                run: Run::default(),
                unknown_ids: UnknownIds::default(),
            },
        }
    }

    /// Takes in the next bytes of the stream and tells `sink` what they complete.
    pub fn push(&mut self, bytes: &[u8], sink: &mut impl FnMut(Decoded<'_>)) {
        self.scanner.counters.bytes_in += bytes.len() as u64;
        let mut rest = bytes;
        // What was left unfinished is completed with as much of the new bytes as can matter to it. From
        // the first position that lies in the new bytes, they are parsed in place.
        while !self.tail.is_empty() {
            if rest.is_empty() {
                return;
            }
            let old = self.tail.len();
            let (more, after) = rest.split_at(rest.len().min(LOOKAHEAD));
            self.tail.extend_from_slice(more);
            let used = self.scanner.scan(&self.tail, false, sink);
            if let Some(new) = used.checked_sub(old) {
                self.tail.clear();
                rest = rest.get(new..).unwrap_or_default();
                break;
            }
            self.tail.drain(..used);
            rest = after;
        }
        let used = self.scanner.scan(rest, false, sink);
        self.tail
            .extend_from_slice(rest.get(used..).unwrap_or_default());
    }

    /// The stream has ended: an unfinished frame will not be completed, and its bytes are reported. The
    /// decoder may be used for another stream afterwards.
    pub fn finish(&mut self, sink: &mut impl FnMut(Decoded<'_>)) {
        let used = self.scanner.scan(&self.tail, true, sink);
        debug_assert_eq!(used, self.tail.len(), "the end of input decides everything");
        self.tail.clear();
        self.scanner.run.flush(sink);
        self.scanner.due = self.scanner.position;
    }

    /// Bytes that wait for what decides about them.
    #[must_use]
    pub fn buffered(&self) -> usize {
        self.tail.len()
    }

    /// Where the bytes went so far. Bytes of a run that is not reported yet are already counted.
    #[must_use]
    pub const fn counters(&self) -> &DecoderCounters {
        &self.scanner.counters
    }
}

/// The decoder without its buffer, so that the buffer can be read while this changes.
#[derive(Debug)]
struct Scanner {
    seeds: &'static ChecksumSeeds,
    counters: DecoderCounters,
    /// Offset in the stream of the first byte not accounted for.
    position: u64,
    /// Offset at which a frame is due: where the last one ended. A failed start is worth a report only
    /// there; in the midst of noise every 128th byte looks like a start.
    due: u64,
    run: Run,
    unknown_ids: UnknownIds,
}

/// What one position turned out to be.
enum Verdict<'a> {
    Good(RawFrame<'a>),
    Unknown(RawFrame<'a>),
    /// No frame begins here: go on at the next byte.
    Nothing(Lost),
    /// More bytes are needed.
    Wait,
}

impl Scanner {
    /// Decides about positions of `data` from its start on and gives how many are decided. `at_end` says
    /// that nothing follows.
    fn scan(&mut self, data: &[u8], at_end: bool, sink: &mut impl FnMut(Decoded<'_>)) -> usize {
        let mut rest = data;
        while let Some(first) = rest.first() {
            let taken = if is_start(*first) {
                match self.judge(rest, at_end) {
                    Verdict::Good(frame) => {
                        self.run.flush(sink);
                        self.counters.good += 1;
                        self.counters.good_bytes += frame.bytes.len() as u64;
                        self.due = self.position + frame.bytes.len() as u64;
                        sink(Decoded::Frame(frame));
                        frame.bytes.len()
                    }
                    Verdict::Unknown(frame) => {
                        self.run.flush(sink);
                        self.counters.unknown += 1;
                        self.counters.unknown_bytes += frame.bytes.len() as u64;
                        self.due = self.position + frame.bytes.len() as u64;
                        sink(Decoded::UnknownId(frame));
                        frame.bytes.len()
                    }
                    Verdict::Nothing(lost) => {
                        self.lose(1, lost, sink);
                        1
                    }
                    Verdict::Wait => break,
                }
            } else {
                let bytes = rest
                    .iter()
                    .position(|byte| is_start(*byte))
                    .unwrap_or(rest.len());
                self.lose(bytes, Lost::Noise, sink);
                bytes
            };
            self.position += taken as u64;
            rest = rest.get(taken..).unwrap_or_default();
        }
        data.len() - rest.len()
    }

    fn judge<'a>(&mut self, bytes: &'a [u8], at_end: bool) -> Verdict<'a> {
        let is_due = self.position == self.due;
        match read(bytes, self.seeds) {
            Reading::Good(frame) => Verdict::Good(frame),
            Reading::Unknown { frame, seed } => {
                if self.unknown_ids.contains(frame.id, seed) {
                    return Verdict::Unknown(frame);
                }
                if !is_due {
                    return Verdict::Nothing(Lost::Noise);
                }
                match self.hides_a_frame(bytes, frame.bytes.len(), at_end) {
                    Some(true) => Verdict::Nothing(Lost::Noise),
                    Some(false) => {
                        self.unknown_ids.remember(frame.id, seed);
                        Verdict::Unknown(frame)
                    }
                    None => Verdict::Wait,
                }
            }
            Reading::BadChecksum { id, length } if is_due && self.seeds.seed(id).is_some() => {
                self.due += length as u64;
                Verdict::Nothing(Lost::Checksum { id, length })
            }
            Reading::BadFlags { flags } if is_due => Verdict::Nothing(Lost::Flags { flags }),
            Reading::Incomplete { .. } if !at_end => Verdict::Wait,
            _ => Verdict::Nothing(Lost::Noise),
        }
    }

    /// Whether a good frame begins within the first `length` bytes, after the first; `None` when that
    /// takes more bytes. Asked once per unknown id: its checksum alone is too weak a proof to let it cover
    /// others, but asking each time would hold frames back until the bytes after them have come.
    fn hides_a_frame(&self, bytes: &[u8], length: usize, at_end: bool) -> Option<bool> {
        let inside = bytes.get(..length).unwrap_or(bytes);
        for (offset, _) in inside
            .iter()
            .enumerate()
            .skip(1)
            .filter(|(_, byte)| is_start(**byte))
        {
            match read(bytes.get(offset..).unwrap_or_default(), self.seeds) {
                Reading::Good(_) => return Some(true),
                Reading::Incomplete { known } if known != Some(false) && !at_end => return None,
                _ => {}
            }
        }
        Some(false)
    }

    /// Accounts for `bytes` bytes that are part of no frame.
    fn lose(&mut self, bytes: usize, lost: Lost, sink: &mut impl FnMut(Decoded<'_>)) {
        if lost != Lost::Noise {
            self.run.begin(lost, sink);
            self.counters.bad += 1;
        }
        let mut left = bytes;
        while left > 0 {
            let (taken, failed) = self.run.add(left, sink);
            if failed {
                self.counters.bad_bytes += taken as u64;
            } else {
                self.counters.skipped += taken as u64;
            }
            left -= taken;
        }
    }
}

#[cfg(test)]
mod tests;
