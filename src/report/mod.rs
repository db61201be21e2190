//! An analysed session as a sheet for people (text, Markdown, HTML) and as data (JSON, CSV).

mod clock;
mod concern;
mod document;
mod events_csv;
mod findings;
mod html;
mod markdown;
mod phrases;
mod plot;
mod sheet;
mod text;

pub use clock::Clock;
pub use concern::Concern;
pub use document::{
    BoundsReport, CandidateReport, DamageReport, EkfCandidateReport, EkfFailsafeReport,
    FirmwareReport, LastHeartbeatReport, LinkLossReport, LoggedErrorReport, LoggedFailsafeReport,
    ObservedReport, ParameterReport, PredictedActionReport, PredictedLossReport, Report,
    ReportSource, SCHEMA, SourceReport, TalkerReport, VehicleReport,
};
pub use events_csv::{CSV_COLUMNS, csv_head, csv_rows};
pub use findings::{Count, Counter, Findings, VehicleFindings};
pub use html::{HTML_END, html_article, html_begin};
pub use markdown::markdown;
pub use phrases::{damage_lines, loss_sentence, other_definition};
pub use sheet::Sheet;
pub use text::text;

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

/// The JSON Schema of [`SCHEMA`], draft 2020-12.
#[must_use]
pub fn json_schema() -> String {
    let schema = schemars::generate::SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<Report>();
    serde_json::to_string_pretty(&schema)
        .unwrap_or_else(|e| serde_json::json!({ "error": e.to_string() }).to_string())
}
