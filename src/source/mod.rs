//! Where observations come from: live links, recordings, on-board logs, scenarios.
//!
//! Each source owns its thread and talks through a bounded channel.

mod handle;

pub use handle::{SourceHandle, SourceKind, SourceMessage};
