//! PX4's on-board log, ULog.
//!
//! Formats and values are decoded by the crate `px4-ulog`. What to give it is decided here, record by
//! record: as a whole-file reader (0.6.1) it stops at the first malformed record, panics on a parameter
//! record shorter than its own key, and resolves the format of every topic although Heartline needs
//! six. Here each record is framed and vetted first, records of other topics are stepped over by
//! their length, and after damage reading goes on at the next synchronisation mark or the next place
//! from which records follow each other again.

mod collected;
mod decoder;
mod facts;
mod flags;
mod format;
mod parser;
mod record;
mod row;
mod summary;

pub(super) use record::MAGIC;
pub use summary::{Completeness, UlogError, UlogSummary};

use std::ops::ControlFlow;

use crate::observation::{Observation, PathId};

/// Reads a whole ULog.
///
/// Observations go to `sink` strictly in order of the vehicle's time since boot. A ULog is not sorted:
/// each topic is written when the logger comes round to it, so rows of different topics overtake each
/// other by up to a logging interval, and the first row of a topic may be as old as the boot. The rows
/// that are needed are few (some per second, of the thousands logged), so all of them are held and
/// sorted once the file has been read; a sliding window would be wrong exactly at the start, where a
/// topic's first row lies far back. Records without a time (parameter changes, dropouts, damage) take
/// the newest time met before them.
///
/// Ends when `sink` breaks. `bytes` may be a mapped file: it is read once, front to back, and never copied.
pub fn read_ulog(
    bytes: &[u8],
    path: PathId,
    sink: &mut impl FnMut(Observation) -> ControlFlow<()>,
) -> Result<UlogSummary, UlogError> {
    read_ulog_watched(bytes, path, &mut |_| ControlFlow::Continue(()), sink)
}

/// [`read_ulog`], which tells `passed` the offset of each record before it is read. When that breaks,
/// reading ends there.
pub fn read_ulog_watched(
    bytes: &[u8],
    path: PathId,
    passed: &mut impl FnMut(usize) -> ControlFlow<()>,
    sink: &mut impl FnMut(Observation) -> ControlFlow<()>,
) -> Result<UlogSummary, UlogError> {
    let start = record::file_header(bytes)?;
    let (mut rows, mut summary) = decoder::decode(bytes, start, passed);
    // Stable: rows of one instant stay in the order in which the vehicle wrote them.
    rows.sort_by_key(|(at, _)| *at);
    facts::tell(rows, path, &mut summary, sink);
    Ok(summary)
}
