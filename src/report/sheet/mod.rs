//! The incident sheet: what an investigator attaches to a report.

mod before;
mod block;
mod ekf;
mod incident;
mod limits;
mod record;
mod vehicle;
mod what_if;

pub use block::{Block, Section, Sheet, Table};

use super::clock::Clock;
use super::document::Report;
use super::findings::Findings;

impl Sheet {
    /// The sheet on all findings, with `report` as the same findings in data, and times as `clock` writes
    /// them.
    #[must_use]
    pub fn of(findings: &Findings<'_>, report: &Report, clock: &Clock) -> Self {
        let mut sections = vec![
            record::summary(findings, report, clock),
            record::source(findings, report, clock),
        ];
        for (found, summary) in findings.vehicles().iter().zip(&report.vehicles) {
            sections.push(vehicle::introduction(findings, found, summary, clock));
            for (index, loss) in found.losses().iter().enumerate() {
                sections.push(incident::section(findings, found, loss, index + 1, clock));
            }
            sections.extend(ekf::sections(findings, found, summary, clock));
            sections.extend(vehicle::logged_errors(summary, clock));
            sections.push(vehicle::parameters(found));
        }
        sections.push(record::talkers(report));
        sections.push(limits::section(findings, report));
        Self {
            title: format!("Heartline report: {}", report.source.path),
            sections,
        }
    }
}
