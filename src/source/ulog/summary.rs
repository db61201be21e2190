use std::collections::BTreeMap;

use thiserror::Error;

use crate::time::Micros;

/// Why a file gives nothing as a ULog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum UlogError {
    /// There are no bytes.
    #[error("the file is empty: the logger never wrote to it")]
    Empty,
    /// The first bytes are not those of a ULog.
    #[error(
        "the file does not begin with the ULog mark: not a ULog, or its beginning is lost; copy it from the card again"
    )]
    NotUlog,
    /// The header is cut.
    #[error(
        "the file ends after {length} bytes, within the 16 bytes of its header: nothing was logged"
    )]
    CutHeader {
        /// Bytes there are.
        length: u64,
    },
}

/// How much of a ULog could be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Completeness {
    /// Every byte was part of a sound record.
    #[default]
    Complete,
    /// Sound up to the end, which cuts the last record: power was lost or the card was pulled.
    CutTail,
    /// Some stretches within the file could not be used; what lies before, between and after could.
    Damaged,
}

/// What a ULog held.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UlogSummary {
    /// When logging started, vehicle's time since boot.
    pub start: Micros,
    /// The newest time of the rows that were used.
    pub end: Option<Micros>,
    /// How much could be used.
    pub completeness: Completeness,
    /// The firmware's version, e.g. `v1.16.0` (`ver_sw_release`).
    pub release: Option<Box<str>>,
    /// The firmware's git hash (`ver_sw`).
    pub git: Option<Box<str>>,
    /// The system's name, `PX4` (`sys_name`).
    pub system: Option<Box<str>>,
    /// Rows by topic and instance, used or not. Two subscriptions to one instance are added up.
    pub rows: BTreeMap<(Box<str>, u8), u64>,
    /// Parameter records, initial values and changes.
    pub parameters: u64,
    /// Text messages.
    pub texts: u64,
    /// Times at which the logger lost data.
    pub dropouts: u64,
    /// How long in all, milliseconds.
    pub dropout_millis: u64,
    /// Rows whose time could not be believed.
    pub quarantined: u64,
    /// Stretches that belong to no usable record.
    pub holes: u64,
    /// Bytes in them.
    pub lost_bytes: u64,
    /// Records that were framed soundly but whose content was refused.
    pub refused: u64,
    /// Bytes of a last record that the end of the file cut; 0 when it ends with a whole one.
    pub cut_tail: u64,
    /// The file says that it needs features which this reader does not know.
    pub unknown_features: bool,
}
