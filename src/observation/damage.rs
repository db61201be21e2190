use std::fmt;

/// Something in the input that could not be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Damage {
    /// What was wrong.
    pub kind: DamageKind,
    /// Bytes concerned.
    pub bytes: u32,
    /// Offset in the file, or bytes since the link opened.
    pub offset: u64,
}

/// The kinds of damage that are told apart, because they have different causes and consequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DamageKind {
    /// Bytes that belong to no frame: line noise, wrong baud rate, overwritten sectors.
    Skipped,
    /// A well-formed frame of a known id whose checksum is wrong. One id only: another dialect.
    BadChecksum {
        /// The message id concerned.
        id: u32,
    },
    /// A frame of an id that the dialect does not know; it cannot be checked and is not believed.
    UnknownId {
        /// The message id concerned.
        id: u32,
    },
    /// A frame start whose length or flags no frame can have.
    BadLength,
    /// A record's time stamp went backwards by `by` microseconds (saturating).
    BackwardStamp,
    /// A record's time stamp is absurd (zero, far future) and was replaced by its neighbour's.
    AbsurdStamp,
    /// The input ends within a record.
    CutTail,
    /// A batch could not be handed over because the reader's queue was full.
    Overrun,
}

impl fmt::Display for DamageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Skipped => f.write_str("bytes that belong to no frame"),
            Self::BadChecksum { id } => write!(f, "frames of message {id} with a wrong checksum"),
            Self::UnknownId { id } => write!(f, "frames of message {id}, which is not known"),
            Self::BadLength => f.write_str("frames of an impossible length"),
            Self::BackwardStamp => f.write_str("time stamps that step back"),
            Self::AbsurdStamp => f.write_str("absurd time stamps"),
            Self::CutTail => f.write_str("a record cut off at the end"),
            Self::Overrun => f.write_str("batches for which the queue was full"),
        }
    }
}
