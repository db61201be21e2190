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

impl Damage {
    /// `bytes` bytes at `offset`; lengths beyond 4 GiB saturate.
    #[must_use]
    pub fn new(kind: DamageKind, bytes: usize, offset: u64) -> Self {
        Self {
            kind,
            bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
            offset,
        }
    }
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
    /// A record's time stamp is before that of the record before it.
    BackwardStamp,
    /// A record's time stamp is absurd (zero, far future) and was replaced by its neighbour's.
    AbsurdStamp,
    /// The input ends within a record.
    CutTail,
    /// A record that is whole by its length and whose content contradicts what the log said before.
    Refused,
    /// The vehicle's logger could not keep up and lost what it should have written; for how long says
    /// [`super::LoggedFact::Dropout`].
    Dropout,
    /// Messages arrived faster than they were taken: those that did not fit into the queue were dropped.
    Overrun,
}

impl DamageKind {
    /// Whether only a time is wrong: the frame behind it was read, so its bytes are not lost.
    #[must_use]
    pub const fn is_of_a_stamp(self) -> bool {
        matches!(self, Self::BackwardStamp | Self::AbsurdStamp)
    }
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
            Self::Refused => f.write_str("records that contradict what the log said before"),
            Self::Dropout => f.write_str("stretches that the vehicle's logger lost"),
            Self::Overrun => f.write_str("messages that came faster than they were taken"),
        }
    }
}
