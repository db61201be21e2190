//! Where observations come from: bytes on a wire, recordings, on-board logs, scenarios.
//!
//! Each source owns its thread and talks through a bounded channel.

pub mod address;
pub mod dataflash;
pub mod detect;
mod hand_over;
mod handle;
mod log_file;
mod mapped_file;
pub mod mavlink;
mod merged;
pub mod scenario;
mod stamp_guard;
mod time_order;
pub mod tlog;
pub mod ulog;
pub mod wall_clock;

pub use handle::{SourceHandle, SourceKind, SourceMessage};
pub use log_file::{LogFile, LogFileError};
pub use mapped_file::{MappedFile, OpenError};
pub use merged::{MergeError, MergedLogs};
