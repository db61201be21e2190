//! Where observations come from: bytes on a wire, recordings, logs, scenarios.
//!
//! Each source owns its thread and talks through a bounded channel.

pub mod address;
pub mod detect;
mod hand_over;
mod handle;
mod log_file;
mod mapped_file;
pub mod mavlink;
pub mod scenario;
pub mod tlog;
pub mod wall_clock;

pub use handle::{SourceHandle, SourceKind, SourceMessage};
pub use log_file::{LogFile, LogFileError};
pub use mapped_file::{MappedFile, OpenError};
