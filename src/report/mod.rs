//! An analysed session as text and as JSON.

mod damage;
mod document;
mod ekf;
mod text;

pub use damage::DamageReport;
pub use document::{
    BoundsReport, CandidateReport, FirmwareReport, LastHeartbeatReport, LinkLossReport,
    ObservedReport, ParameterReport, PredictedActionReport, PredictedLossReport, Report,
    ReportSource, SCHEMA, SourceReport, TalkerReport, VehicleReport,
};
pub use ekf::{EkfCandidateReport, EkfFailsafeReport};
pub use text::{headline, text};

/// The report as JSON: indented for people, or on one line where several follow each other.
///
/// The document holds only strings, numbers, lists and maps with string keys, so there is nothing that
/// could fail to become JSON; if it ever did, the reader gets the reason as JSON.
#[must_use]
pub fn json(report: &Report, one_line: bool) -> String {
    let written = if one_line {
        serde_json::to_string(report)
    } else {
        serde_json::to_string_pretty(report)
    };
    written.unwrap_or_else(|e| serde_json::json!({ "error": e.to_string() }).to_string())
}
