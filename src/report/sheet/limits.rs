use crate::report::document::Report;
use crate::report::findings::Findings;
use crate::report::phrases;

use super::block::Section;

/// What this record cannot show, and why.
pub(super) fn section(findings: &Findings<'_>, report: &Report) -> Section {
    let mut section = Section::new(1, "Limits");
    let mut limits = phrases::limits_of_kind(report.source.kind);
    for found in findings.vehicles() {
        limits.extend(phrases::limits_of_vehicle(found));
    }
    limits.push(phrases::LIMIT_OF_RULES.to_owned());
    section.list(limits);
    section
}
