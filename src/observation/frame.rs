use super::{Message, Talker};

/// A MAVLink message whose checksum held.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// The sender named in the header.
    pub from: Talker,
    /// The sender's sequence number, modulo 256.
    pub sequence: u8,
    /// MAVLink message id, 24 bit.
    pub id: u32,
    /// Bytes on the wire, header, checksum and signature included.
    pub length: u16,
    /// The checksum it carried: with the sequence number, what tells the same frame on two paths from two
    /// frames. 0 for a frame that was never bytes.
    pub checksum: u16,
    /// Whether the source knows that we sent it.
    pub direction: Direction,
    /// Whether it carried a MAVLink 2 signature (not whether that signature is good).
    pub signed: bool,
    /// What it said, as far as Heartline reads it.
    pub message: Message,
}

/// Which way a frame went, as far as the source knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// It arrived at the ground.
    Received,
    /// The ground station that made this record wrote it to its port. Sent is not received: whether it
    /// reached the vehicle is a matter of evidence.
    Sent,
    /// The record does not say (most tlogs); the session infers it from who talks.
    Unknown,
}
