use std::collections::BTreeMap;

use thiserror::Error;

use crate::time::Micros;

/// Why a file gives nothing as a DataFlash log.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DataflashError {
    /// There are no bytes.
    #[error("the file is empty: the logger never wrote to it")]
    Empty,
    /// No record describes any other.
    #[error(
        "no FMT record in {length} bytes: not a DataFlash log, or its beginning is lost; copy it from the card again"
    )]
    NoFormats {
        /// Bytes searched.
        length: u64,
    },
}

/// What a DataFlash log held.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DataflashSummary {
    /// The firmware as the log names it, e.g. `ArduRover V4.6.2 (1ebd4d99)`.
    pub firmware: Option<Box<str>>,
    /// First and last time of the used records, vehicle's time since boot.
    pub range: Option<(Micros, Micros)>,
    /// Records by message name, used or not.
    pub records: BTreeMap<Box<str>, u64>,
    /// An instant of the vehicle's clock with the UTC time that its satellite receiver gave for it.
    pub utc: Option<UtcReference>,
    /// Ratios of an estimator that ran beside the one that flew, and were therefore not used.
    pub other_estimator: u64,
    /// Records whose time could not be believed.
    pub quarantined: u64,
    /// Stretches that belong to no usable record.
    pub holes: u64,
    /// Bytes in them.
    pub lost_bytes: u64,
    /// Bytes of a last record that the end of the file cut; 0 when it ends with a whole one.
    pub cut_tail: u64,
    /// How often time ran back because another boot follows in the same file.
    pub restarts: u64,
}

impl DataflashSummary {
    /// Whether every byte of the file was part of a believable record.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.holes == 0 && self.cut_tail == 0 && self.quarantined == 0
    }
}

/// One instant on two clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UtcReference {
    /// Vehicle's time since boot.
    pub boot: Micros,
    /// Microseconds since the Unix epoch.
    pub utc: Micros,
}
