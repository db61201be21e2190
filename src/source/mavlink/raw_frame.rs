use crate::observation::{Direction, Frame, Talker};

use super::{Checksum, ChecksumSeeds, decode_message};

/// First byte of a MAVLink 1 frame.
const START_1: u8 = 0xfe;
/// First byte of a MAVLink 2 frame.
const START_2: u8 = 0xfd;
/// MAVLINK_IFLAG_SIGNED, the one incompatibility flag that is defined. A frame with another must not be
/// read, since its layout is not known.
const FLAG_SIGNED: u8 = 0x01;
/// Bytes of a MAVLink 1 frame before the payload.
const HEADER_1: usize = 6;
/// Bytes of a MAVLink 2 frame before the payload.
const HEADER_2: usize = 10;
/// Bytes of the checksum.
const CHECKSUM: usize = 2;
/// Bytes of a MAVLink 2 signature: link id, 48 bit time, 48 bit signature.
const SIGNATURE: usize = 13;

/// The longest frame there can be, signature included.
pub const MAX_FRAME: usize = HEADER_2 + 255 + CHECKSUM + SIGNATURE;

/// Whether a frame can begin with `byte`.
pub(crate) const fn is_start(byte: u8) -> bool {
    matches!(byte, START_1 | START_2)
}

/// A frame where it lies in the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawFrame<'a> {
    /// 1 or 2.
    pub version: u8,
    /// The sender's sequence number, modulo 256.
    pub sequence: u8,
    /// The sender.
    pub from: Talker,
    /// Message id, 24 bit.
    pub id: u32,
    /// The payload as sent. MAVLink 2 leaves zeros at its end away.
    pub payload: &'a [u8],
    /// Whether a signature follows the checksum. Whether it is good is not known here: that takes the key.
    pub signed: bool,
    /// The whole frame from the start byte to the checksum or signature.
    pub bytes: &'a [u8],
}

impl RawFrame<'_> {
    /// The checksum as sent.
    fn checksum(&self) -> u16 {
        let signature = if self.signed { SIGNATURE } else { 0 };
        let end = self.bytes.len().saturating_sub(signature);
        match self.bytes.get(end.saturating_sub(CHECKSUM)..end) {
            Some([low, high]) => u16::from_le_bytes([*low, *high]),
            _ => 0,
        }
    }

    /// The frame as an observation, its message read.
    #[must_use]
    pub fn to_frame(&self, direction: Direction) -> Frame {
        Frame {
            from: self.from,
            sequence: self.sequence,
            id: self.id,
            length: self.bytes.len() as u16,
            checksum: self.checksum(),
            direction,
            signed: self.signed,
            message: decode_message(self.id, self.payload),
        }
    }
}

/// What the bytes from one position on are, as far as that position alone can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading<'a> {
    /// A frame whose checksum holds.
    Good(RawFrame<'a>),
    /// A frame of an id without a known seed, whose checksum holds with `seed`. Chance alone finds such a
    /// seed once in 256 times.
    Unknown { frame: RawFrame<'a>, seed: u8 },
    /// Has the shape of a frame of `length` bytes, but its checksum fails. For an id without a known seed:
    /// fails with every seed.
    BadChecksum { id: u32, length: usize },
    /// A MAVLink 2 start with flags that no known frame has.
    BadFlags { flags: u8 },
    /// The input ends within the frame that begins here.
    Incomplete {
        /// Whether its id is known; `None` when the input ends before it.
        known: Option<bool>,
    },
    /// No start byte.
    NoStart,
}

/// Reads what begins at the first byte of `bytes`. Costs one pass over the frame.
pub(crate) fn read<'a>(bytes: &'a [u8], seeds: &ChecksumSeeds) -> Reading<'a> {
    match bytes.first() {
        Some(&START_2) => read_2(bytes, seeds),
        Some(&START_1) => read_1(bytes, seeds),
        _ => Reading::NoStart,
    }
}

fn read_1<'a>(bytes: &'a [u8], seeds: &ChecksumSeeds) -> Reading<'a> {
    let Some(&[_, len, sequence, system, component, id]) = bytes.first_chunk::<HEADER_1>() else {
        return Reading::Incomplete { known: None };
    };
    let shape = Shape {
        version: 1,
        header: HEADER_1,
        payload: usize::from(len),
        signed: false,
        sequence,
        from: Talker::new(system, component),
        id: u32::from(id),
    };
    shape.check(bytes, seeds)
}

fn read_2<'a>(bytes: &'a [u8], seeds: &ChecksumSeeds) -> Reading<'a> {
    // The flags come third and rule out most chance starts: do not wait for the rest of the header.
    if let Some(&flags) = bytes.get(2)
        && flags & !FLAG_SIGNED != 0
    {
        return Reading::BadFlags { flags };
    }
    let Some(&[_, len, flags, _, sequence, system, component, id0, id1, id2]) =
        bytes.first_chunk::<HEADER_2>()
    else {
        return Reading::Incomplete { known: None };
    };
    let shape = Shape {
        version: 2,
        header: HEADER_2,
        payload: usize::from(len),
        signed: flags & FLAG_SIGNED != 0,
        sequence,
        from: Talker::new(system, component),
        id: u32::from_le_bytes([id0, id1, id2, 0]),
    };
    shape.check(bytes, seeds)
}

/// What a header says.
struct Shape {
    version: u8,
    header: usize,
    payload: usize,
    signed: bool,
    sequence: u8,
    from: Talker,
    id: u32,
}

impl Shape {
    fn check<'a>(&self, bytes: &'a [u8], seeds: &ChecksumSeeds) -> Reading<'a> {
        let seed = seeds.seed(self.id);
        let checked = self.header + self.payload;
        let length = checked + CHECKSUM + if self.signed { SIGNATURE } else { 0 };
        let (Some(whole), Some(covered), Some(payload), Some(&[low, high])) = (
            bytes.get(..length),
            bytes.get(1..checked),
            bytes.get(self.header..checked),
            bytes
                .get(checked..)
                .and_then(|rest| rest.first_chunk::<CHECKSUM>()),
        ) else {
            return Reading::Incomplete {
                known: Some(seed.is_some()),
            };
        };
        let frame = RawFrame {
            version: self.version,
            sequence: self.sequence,
            from: self.from,
            id: self.id,
            payload,
            signed: self.signed,
            bytes: whole,
        };
        let sum = Checksum::new().with(covered);
        let sent = u16::from_le_bytes([low, high]);
        let bad = Reading::BadChecksum {
            id: self.id,
            length,
        };
        match seed {
            Some(seed) if sum.finish(seed) == sent => Reading::Good(frame),
            Some(_) => bad,
            None => sum
                .seed_for(sent)
                .map_or(bad, |seed| Reading::Unknown { frame, seed }),
        }
    }
}
