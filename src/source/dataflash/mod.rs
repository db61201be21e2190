//! ArduPilot's on-board log, DataFlash: the binary form (`.bin`) and the text form (`.log`).
//!
//! The log describes itself: `FMT` records name every message type, its length and its columns. Only
//! the messages that bear on links, failsafes and estimators are decoded; the others are stepped over
//! by their length and counted.
//!
//! An own reader rather than the crate `ardupilot-binlog` (0.2.0): that one ends for good after 256
//! errors in a row, does not say what it skipped, takes any two header bytes for a record after
//! damage, and allocates for every record. Logs of accidents are damaged logs.

mod binary;
mod collector;
mod facts;
mod format;
mod summary;
mod text;

pub(super) use format::MAGIC;
pub use summary::{DataflashError, DataflashSummary, UtcReference};

use std::ops::ControlFlow;

use crate::observation::{Observation, PathId};

use self::collector::Collector;
pub(super) use self::text::{text_beginning, text_is_dataflash};

/// Reads a whole DataFlash log, binary or text, told apart by content.
///
/// Observations go to `sink` in order of the vehicle's time since boot (`TimeUS`, or `TimeMS` of logs
/// before 2015). Records of parallel writers that overtook each other by less than a second are put in
/// order; a record dated far from its neighbours is quarantined unless the next one confirms it (then
/// the logger paused, or, when time runs back, another boot follows: a
/// [`crate::observation::Sighting::Blind`] separates the two). Damage is reported at the newest time
/// known when it was met.
///
/// Ends when `sink` breaks. `bytes` may be a mapped file: it is read once, front to back, and never copied.
pub fn read_dataflash(
    bytes: &[u8],
    path: PathId,
    sink: &mut impl FnMut(Observation) -> ControlFlow<()>,
) -> Result<DataflashSummary, DataflashError> {
    read_dataflash_watched(bytes, path, &mut |_| ControlFlow::Continue(()), sink)
}

/// [`read_dataflash`], which tells `passed` the offset of each record before it is read. When that
/// breaks, reading ends there.
pub fn read_dataflash_watched(
    bytes: &[u8],
    path: PathId,
    passed: &mut impl FnMut(usize) -> ControlFlow<()>,
    sink: &mut impl FnMut(Observation) -> ControlFlow<()>,
) -> Result<DataflashSummary, DataflashError> {
    if bytes.is_empty() {
        return Err(DataflashError::Empty);
    }
    let mut collector = Collector::new(path, sink);
    let formats = if text_beginning(bytes).is_some_and(text_is_dataflash) {
        text::read(bytes, passed, &mut collector)
    } else {
        binary::read(bytes, passed, &mut collector)
    };
    let summary = collector.finish();
    if formats == 0 {
        return Err(DataflashError::NoFormats {
            length: bytes.len() as u64,
        });
    }
    Ok(summary)
}
