use crate::report::clock::Clock;
use crate::report::document::{Report, TalkerReport};
use crate::report::findings::Findings;
use crate::report::phrases;
use crate::time::Seconds;

use super::block::{Section, figures, words};

/// What happened, a sentence for each incident, before anything else.
pub(super) fn summary(findings: &Findings<'_>, report: &Report, clock: &Clock) -> Section {
    let mut section = Section::new(1, "Summary");
    if report.vehicles.is_empty() {
        section.lead(phrases::NO_VEHICLE);
    }
    for (found, vehicle) in findings.vehicles().iter().zip(&report.vehicles) {
        let who = found.vehicle().talker;
        let happened = vehicle.link_losses.iter().map(|loss| &loss.sentence);
        let near = vehicle.near_misses.iter().map(|loss| &loss.sentence);
        let tripped = vehicle.ekf_failsafes.iter().map(|trip| &trip.sentence);
        let possible = vehicle.ekf_possible.iter().map(|trip| &trip.sentence);
        let logged: Vec<String> = found
            .logged_gcs_failsafes()
            .iter()
            .map(|(at, evidence)| phrases::logged_gcs_failsafe(*at, evidence, clock))
            .collect();
        let mut told = false;
        for sentence in happened
            .chain(near)
            .chain(tripped)
            .chain(possible)
            .chain(&logged)
        {
            told = true;
            section.lead(phrases::of_vehicle(who, sentence));
        }
        if !told {
            section.lead(phrases::of_vehicle(
                who,
                phrases::no_incident(findings, found),
            ));
        }
    }
    section
}

/// What was reported on, and what of it could not be used.
pub(super) fn source(findings: &Findings<'_>, report: &Report, clock: &Clock) -> Section {
    let mut section = Section::new(1, "Record");
    let source = &report.source;
    let session = findings.session();
    let mut rows = vec![
        vec!["Source".to_owned(), source.path.clone()],
        vec!["Kind".to_owned(), source.kind.to_owned()],
    ];
    if source.bytes > 0 {
        rows.push(vec!["Size".to_owned(), format!("{} bytes", source.bytes)]);
    }
    if source.frames > 0 {
        rows.push(vec!["MAVLink frames".to_owned(), source.frames.to_string()]);
    }
    if let (Some(first), Some(last)) = (session.first(), session.last()) {
        rows.push(vec!["From".to_owned(), clock.date_time(first)]);
        rows.push(vec!["To".to_owned(), clock.date_time(last)]);
        rows.push(vec![
            "Length".to_owned(),
            format!("{} s", Seconds::with_decimals(last - first, 1)),
        ]);
        if let Some(day) = source
            .satellite_time
            .and_then(|said| phrases::flown_on(said, first, clock))
        {
            rows.push(vec!["Flown on".to_owned(), day]);
        }
        rows.push(vec!["Times are".to_owned(), clock.unit()]);
    }
    section.table("", &[words("What"), words("Value")], rows);
    let alignments = session.recordings().alignments();
    section.list(alignments.values().map(|a| format!("{a}.")).collect());
    let damage = phrases::damage_lines(&source.damage, clock);
    if damage.is_empty() {
        section.paragraph(phrases::NO_DAMAGE);
    } else {
        section.paragraph(format!("Could not be used: {}.", damage.join("; ")));
        section.list(phrases::damage_consequences(&source.damage, source.kind));
    }
    section
}

/// Everybody who sent a heartbeat.
pub(super) fn talkers(report: &Report) -> Section {
    let mut section = Section::new(1, "Talkers");
    if report.talkers.is_empty() {
        section.paragraph(phrases::NO_TALKERS);
    }
    section.table(
        "",
        &[
            words("Id"),
            words("Type"),
            figures("Heartbeats"),
            figures("Longest gap, s"),
            figures("Lost frames"),
            words("Counts as ground station"),
        ],
        report.talkers.iter().map(talker).collect(),
    );
    section
}

fn talker(talker: &TalkerReport) -> Vec<String> {
    let gap = talker
        .longest_gap_us
        .map(crate::time::Span::from_micros)
        .map_or_else(String::new, |gap| Seconds::millis(gap).to_string());
    vec![
        format!("{}/{}", talker.sysid, talker.compid),
        talker.kind.clone(),
        talker.heartbeats.to_string(),
        gap,
        talker.lost_frames.to_string(),
        if talker.counts_as_gcs { "yes" } else { "no" }.to_owned(),
    ]
}
