use super::ChecksumSeeds;
use super::raw_frame::{MAX_FRAME, RawFrame, Reading, is_start, read};

/// Bytes that decide about any position: a frame that begins within a frame of unknown id (see
/// [`Scanner::hides_a_frame`]) and reaches beyond it.
const LOOKAHEAD: usize = 2 * MAX_FRAME;

/// Length at which a run of skipped bytes is reported although it goes on. A port at the wrong speed
/// brings no frame that would end the run, and must be seen all the same.
const LONGEST_RUN: usize = 1024;

/// How many unknown ids are remembered at a time.
const REMEMBERED: usize = 16;

/// What the decoder found. The events cover the input without gap or overlap, in its order: the sum of
/// [`Decoded::length`] up to an event is the event's offset in the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decoded<'a> {
    /// A frame whose checksum holds.
    Frame(RawFrame<'a>),
    /// A frame of an id that the dialect does not have. Without the seed its checksum proves little (one
    /// in 256 chance frames passes), so it is counted, not believed.
    UnknownId(RawFrame<'a>),
    /// Where a frame was due, one of a known id came whose checksum fails.
    BadChecksum {
        /// The id that its header names.
        id: u32,
        /// Bytes lost by it: its whole length, or fewer when a good frame begins within it.
        length: usize,
    },
    /// Where a frame was due, a MAVLink 2 start came with flags that no known frame has.
    BadLength {
        /// The incompatibility flags.
        flags: u8,
        /// Bytes lost by it: its header, or fewer when a good frame begins within it.
        length: usize,
    },
    /// So many bytes belong to no frame.
    Skipped(usize),
}

impl Decoded<'_> {
    /// Bytes of the input that this event accounts for.
    #[must_use]
    pub const fn length(&self) -> usize {
        match self {
            Self::Frame(frame) | Self::UnknownId(frame) => frame.bytes.len(),
            Self::BadChecksum { length, .. } | Self::BadLength { length, .. } => *length,
            Self::Skipped(bytes) => *bytes,
        }
    }
}

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
            self.run.flush(sink);
            self.run.lost = lost;
            self.counters.bad += 1;
        }
        let mut left = bytes;
        while left > 0 {
            let taken = left.min(self.run.lost.extent() - self.run.bytes);
            match self.run.lost {
                Lost::Noise => self.counters.skipped += taken as u64,
                Lost::Checksum { .. } | Lost::Flags { .. } => {
                    self.counters.bad_bytes += taken as u64;
                }
            }
            self.run.bytes += taken;
            left -= taken;
            if self.run.bytes == self.run.lost.extent() {
                self.run.flush(sink);
            }
        }
    }
}

/// Adjacent bytes lost for one reason, reported together.
#[derive(Debug, Default)]
struct Run {
    lost: Lost,
    bytes: usize,
}

impl Run {
    /// Reports the run, if there is one, and begins another.
    fn flush(&mut self, sink: &mut impl FnMut(Decoded<'_>)) {
        let length = self.bytes;
        if length > 0 {
            sink(match self.lost {
                Lost::Noise => Decoded::Skipped(length),
                Lost::Checksum { id, .. } => Decoded::BadChecksum { id, length },
                Lost::Flags { flags } => Decoded::BadLength { flags, length },
            });
        }
        *self = Self::default();
    }
}

/// Why bytes are lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Lost {
    #[default]
    Noise,
    /// Up to `length` bytes belong to a frame whose checksum fails.
    Checksum { id: u32, length: usize },
    /// The header of a frame with unknown flags.
    Flags { flags: u8 },
}

impl Lost {
    /// Bytes to which the reason extends.
    const fn extent(self) -> usize {
        match self {
            Self::Noise => LONGEST_RUN,
            Self::Checksum { length, .. } => length,
            Self::Flags { .. } => 10,
        }
    }
}

/// Unknown ids whose frames were found whole, with the seeds that made their checksums hold. Another one
/// with the same seed is then as credible as a known message.
#[derive(Debug, Default)]
struct UnknownIds {
    entries: [Option<(u32, u8)>; REMEMBERED],
    oldest: usize,
}

impl UnknownIds {
    fn contains(&self, id: u32, seed: u8) -> bool {
        self.entries.contains(&Some((id, seed)))
    }

    fn remember(&mut self, id: u32, seed: u8) {
        if let Some(entry) = self.entries.get_mut(self.oldest) {
            *entry = Some((id, seed));
        }
        self.oldest = (self.oldest + 1) % REMEMBERED;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::source::mavlink::test_frames::{heartbeat, v1, v2, v2_signed};

    /// An event without borrowed bytes.
    #[derive(Clone, Debug, PartialEq)]
    enum Event {
        Frame(Vec<u8>),
        Unknown(Vec<u8>),
        Other(Decoded<'static>),
    }

    impl Event {
        fn of(decoded: &Decoded<'_>) -> Self {
            match *decoded {
                Decoded::Frame(frame) => Self::Frame(frame.bytes.to_vec()),
                Decoded::UnknownId(frame) => Self::Unknown(frame.bytes.to_vec()),
                Decoded::BadChecksum { id, length } => {
                    Self::Other(Decoded::BadChecksum { id, length })
                }
                Decoded::BadLength { flags, length } => {
                    Self::Other(Decoded::BadLength { flags, length })
                }
                Decoded::Skipped(bytes) => Self::Other(Decoded::Skipped(bytes)),
            }
        }
    }

    /// Feeds `stream` in pieces of the given lengths, over and over, and checks the books after each.
    fn decode(stream: &[u8], pieces: &[usize]) -> Vec<Event> {
        let mut decoder = FrameDecoder::new();
        let mut events = Vec::new();
        let mut covered = 0;
        let mut rest = stream;
        let mut pieces = pieces.iter().cycle();
        while !rest.is_empty() {
            let (piece, after) = rest.split_at((*pieces.next().unwrap()).min(rest.len()));
            decoder.push(piece, &mut |decoded| {
                covered += decoded.length();
                events.push(Event::of(&decoded));
            });
            assert_books(&decoder);
            assert!(decoder.buffered() < LOOKAHEAD);
            rest = after;
        }
        decoder.finish(&mut |decoded| {
            covered += decoded.length();
            events.push(Event::of(&decoded));
        });
        assert_books(&decoder);
        assert_eq!(decoder.buffered(), 0);
        assert_eq!(covered, stream.len(), "events cover the stream");
        events
    }

    fn assert_books(decoder: &FrameDecoder) {
        let c = decoder.counters();
        assert_eq!(
            c.bytes_in,
            c.good_bytes + c.unknown_bytes + c.bad_bytes + c.skipped + decoder.buffered() as u64
        );
    }

    fn whole(stream: &[u8]) -> Vec<Event> {
        decode(stream, &[stream.len().max(1)])
    }

    /// Bytes with many more start bytes, small lengths and zeros than chance would give.
    fn noise(longest: usize) -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(
            prop_oneof![
                4 => any::<u8>(),
                1 => Just(0xfd),
                1 => Just(0xfe),
                2 => 0u8..12,
            ],
            0..longest,
        )
    }

    fn any_frame() -> impl Strategy<Value = Vec<u8>> {
        let payload = || prop::collection::vec(any::<u8>(), 0..60);
        prop_oneof![
            any::<u8>().prop_map(heartbeat),
            (any::<u8>(), payload()).prop_map(|(s, p)| v1(s, (1, 1), 30, &p, 39)),
            (any::<u8>(), payload()).prop_map(|(s, p)| v2(s, (1, 1), 410, &p, 160)),
            (any::<u8>(), payload()).prop_map(|(s, p)| v2_signed(s, (255, 190), 0, &p, 50)),
            // Unknown id, and a known one with the seed of another definition.
            (any::<u8>(), payload()).prop_map(|(s, p)| v2(s, (1, 1), 54_321, &p, 7)),
            (any::<u8>(), payload()).prop_map(|(s, p)| v2(s, (1, 1), 30, &p, 40)),
        ]
    }

    fn stream() -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(
            prop_oneof![
                4 => any_frame(),
                1 => noise(80),
                1 => (any_frame(), 0.0..1.0).prop_map(|(frame, cut)| {
                    frame[..(frame.len() as f64 * cut) as usize].to_vec()
                }),
            ],
            0..12,
        )
        .prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn every_byte_is_accounted_for_and_pieces_do_not_matter(
            stream in stream(),
            pieces in prop::collection::vec(1usize..700, 1..6),
        ) {
            let expected = whole(&stream);
            prop_assert_eq!(&decode(&stream, &pieces), &expected);
            prop_assert_eq!(&decode(&stream, &[1]), &expected);
        }

        #[test]
        fn a_good_frame_is_found_whatever_stands_before_it(noise in noise(400), cut in 1usize..20) {
            let frame = heartbeat(9);
            let expected = Event::Frame(frame.clone());
            // Right behind noise, and behind the beginning of another frame within that noise.
            let stream = [noise.as_slice(), &frame[..cut], &frame].concat();
            let events = whole(&stream);
            // One in 65536 starts in the noise passes for a frame, and may then cover this one.
            let by_chance = |event: &Event| matches!(event, Event::Frame(_)) && *event != expected;
            prop_assume!(!events.iter().any(by_chance));
            prop_assert!(events.contains(&expected));
        }

        #[test]
        fn undamaged_frames_are_all_there_is(frames in prop::collection::vec(any::<u8>(), 0..40)) {
            let frames: Vec<_> = frames.into_iter().map(heartbeat).collect();
            let expected: Vec<_> = frames.iter().cloned().map(Event::Frame).collect();
            prop_assert_eq!(whole(&frames.concat()), expected);
        }
    }

    #[test]
    fn every_chunk_size_gives_the_same_events() {
        let mut stream = Vec::new();
        for sequence in 0..30 {
            stream.extend(heartbeat(sequence));
            stream.extend(v2(sequence, (1, 1), 54_321, &[0xfe; 40], 7));
            stream.extend(&[0xfd, 0x13, 0x00, 0xfe][..usize::from(sequence % 5).min(4)]);
            stream.extend(v2(sequence, (1, 1), 30, &[sequence; 28], 40));
        }
        let expected = whole(&stream);
        for size in 1..=stream.len() {
            assert_eq!(decode(&stream, &[size]), expected, "pieces of {size}");
        }
    }

    #[test]
    fn a_wrong_checksum_is_told_once_with_its_id() {
        let bad = v2(3, (1, 1), 30, &[7; 28], 40);
        let stream = [heartbeat(1), bad.clone(), bad.clone(), heartbeat(2)].concat();
        let lost = Event::Other(Decoded::BadChecksum {
            id: 30,
            length: bad.len(),
        });
        assert_eq!(
            whole(&stream),
            [
                Event::Frame(heartbeat(1)),
                lost.clone(),
                lost,
                Event::Frame(heartbeat(2))
            ]
        );
    }

    #[test]
    fn a_frame_cut_short_costs_only_what_was_cut() {
        let cut = &v2(3, (1, 1), 30, &[7; 28], 39)[..17];
        let stream = [heartbeat(1).as_slice(), cut, &heartbeat(2), &heartbeat(3)].concat();
        assert_eq!(
            whole(&stream),
            [
                Event::Frame(heartbeat(1)),
                Event::Other(Decoded::BadChecksum { id: 30, length: 17 }),
                Event::Frame(heartbeat(2)),
                Event::Frame(heartbeat(3))
            ]
        );
    }

    #[test]
    fn unknown_flags_are_not_believed() {
        let mut odd = heartbeat(2);
        odd[2] = 0x02;
        let stream = [heartbeat(1), odd, heartbeat(3)].concat();
        assert_eq!(
            whole(&stream),
            [
                Event::Frame(heartbeat(1)),
                Event::Other(Decoded::BadLength {
                    flags: 2,
                    length: 10
                }),
                Event::Other(Decoded::Skipped(11)),
                Event::Frame(heartbeat(3))
            ]
        );
    }

    #[test]
    fn an_unknown_id_is_seen_but_may_not_hide_a_frame() {
        let unknown = v2(1, (1, 1), 54_321, &[3; 20], 7);
        let carrier = v2(1, (1, 1), 54_322, &heartbeat(5), 7);
        let stream = [unknown.clone(), carrier, heartbeat(6)].concat();
        let events = whole(&stream);
        assert_eq!(events.first(), Some(&Event::Unknown(unknown)));
        assert!(events.contains(&Event::Frame(heartbeat(5))));
        assert!(events.contains(&Event::Frame(heartbeat(6))));
    }

    #[test]
    fn a_signature_belongs_to_its_frame() {
        let frame = v2_signed(1, (255, 190), 0, &[0, 0, 0, 0, 6, 8, 0, 4, 3], 50);
        let mut decoder = FrameDecoder::new();
        let mut seen = 0;
        decoder.push(&frame, &mut |decoded| {
            assert!(matches!(decoded, Decoded::Frame(f) if f.signed && f.bytes == frame));
            seen += 1;
        });
        assert_eq!(seen, 1);
    }

    #[test]
    fn noise_without_end_is_reported_while_it_lasts() {
        let mut decoder = FrameDecoder::new();
        let mut skipped = 0;
        decoder.push(&[0x55; 5000], &mut |decoded| skipped += decoded.length());
        assert_eq!(skipped, 4 * LONGEST_RUN);
        assert_eq!(decoder.counters().skipped, 5000);
    }
}
