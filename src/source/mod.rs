//! Where observations come from: bytes on a wire, recordings, logs.

pub mod detect;
mod mapped_file;
pub mod mavlink;
pub mod tlog;
pub mod wall_clock;

pub use mapped_file::{MappedFile, OpenError};
