//! Where observations come from: bytes on a wire, recordings, logs, scenarios.
//!
//! Each source owns its thread and talks through a bounded channel.

pub mod dataflash;
mod stamp_guard;
mod time_order;
pub mod ulog;
