use crate::observation::{Damage, DamageKind, Direction, Sighting};

use super::RawFrame;

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

    /// The event as something seen: `direction` is what the source knows of frames, `offset` where the
    /// event begins in the stream.
    #[must_use]
    pub fn to_sighting(&self, direction: Direction, offset: u64) -> Sighting {
        let kind = match *self {
            Self::Frame(frame) => return Sighting::Frame(frame.to_frame(direction)),
            Self::UnknownId(frame) => DamageKind::UnknownId { id: frame.id },
            Self::BadChecksum { id, .. } => DamageKind::BadChecksum { id },
            Self::BadLength { .. } => DamageKind::BadLength,
            Self::Skipped(_) => DamageKind::Skipped,
        };
        Sighting::Damage(Damage::new(kind, self.length(), offset))
    }
}
