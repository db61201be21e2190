//! MAVLink on the wire: bytes to frames, frames to messages, and the few frames that Heartline sends.
//!
//! The framing is our own rather than the `mavlink` crate's, whose reader skips failed checksums and
//! unknown ids silently, while here every byte is accounted for; and its typed decoding refuses a
//! HEARTBEAT whose MAV_TYPE is newer than the dialect, while here that is a heartbeat. The crate gives the
//! checksum seeds and the payloads of what is sent.

mod checksum;
mod decode;
mod decoded;
mod decoder;
mod encode;
mod lost;
mod payload;
mod raw_frame;
mod seeds;
mod unknown_ids;

pub use decode::decode_message;
pub use decoded::Decoded;
pub use decoder::{DecoderCounters, FrameDecoder};
pub use encode::{FrameEncoder, MessageInterval};
pub use raw_frame::{MAX_FRAME, RawFrame};
pub use seeds::ChecksumSeeds;

pub(crate) use checksum::Checksum;
pub(crate) use raw_frame::{Reading, is_start, read};

#[cfg(test)]
pub(crate) mod test_frames;
