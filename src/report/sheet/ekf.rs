use crate::report::clock::Clock;
use crate::report::document::{EkfFailsafeReport, VehicleReport};
use crate::report::findings::{Findings, VehicleFindings};
use crate::report::phrases;
use crate::report::plot::Plot;
use crate::session::WhatIf;

use super::block::{Block, Section, figures, words};

/// FS_EKF_THRESH as ArduPilot's documentation offers it; 0 switches the check off.
const THRESHOLDS: [f64; 4] = [0.0, 0.6, 0.8, 1.0];

/// So many changes of the count at most: a count that goes up and down for minutes is not read line by line.
const MOST_COUNTS: usize = 40;

/// The EKF failsafes of a vehicle: those that tripped, those that may have, and what another threshold
/// would have made of the record.
pub(super) fn sections(
    findings: &Findings<'_>,
    found: &VehicleFindings<'_>,
    summary: &VehicleReport,
    clock: &Clock,
) -> Vec<Section> {
    let tripped = summary.ekf_failsafes.iter().map(|e| (e, "EKF failsafe"));
    let possible = summary
        .ekf_possible
        .iter()
        .map(|e| (e, "EKF failsafe, possible"));
    let mut sections: Vec<Section> = tripped
        .chain(possible)
        .enumerate()
        .map(|(index, (episode, name))| {
            let heading = format!("{name} {}", index + 1);
            one(findings, found, episode, heading, clock)
        })
        .collect();
    if let Some(last) = sections.last_mut() {
        other_thresholds(last, findings, found);
    }
    sections
}

fn one(
    findings: &Findings<'_>,
    found: &VehicleFindings<'_>,
    episode: &EkfFailsafeReport,
    heading: String,
    clock: &Clock,
) -> Section {
    let mut section = Section::new(2, heading);
    section.lead(episode.sentence.clone());
    let mut rows = vec![
        vec!["Cause".to_owned(), episode.cause.clone()],
        vec![
            "Predicted trip".to_owned(),
            phrases::bounds(episode.predicted.as_ref(), clock),
        ],
        vec![
            "Observed trip".to_owned(),
            episode.observed.as_ref().map_or_else(
                || "not seen in this record".to_owned(),
                |seen| phrases::observed(seen, clock),
            ),
        ],
        vec![
            "Cleared".to_owned(),
            phrases::bounds(episode.cleared.as_ref(), clock),
        ],
        vec!["Verdict".to_owned(), episode.verdict.clone()],
        vec!["Would it act".to_owned(), phrases::would_act(episode)],
    ];
    for candidate in &episode.candidates {
        rows.push(vec![
            format!("If {}", candidate.condition),
            phrases::ekf_candidate(candidate, clock),
        ]);
    }
    section.table("", &[words("What"), words("Value")], rows);
    let figure = Plot::of_episode(findings.session(), found, episode, clock);
    section.blocks.extend(figure.map(Block::Figure));
    counter(&mut section, findings, found, episode, clock);
    section.list(episode.explanation.clone());
    section.list(
        episode
            .assumptions
            .iter()
            .map(|assumption| format!("assumed: {assumption}"))
            .collect(),
    );
    section
}

/// The vehicle's count around a trip, where it changed.
fn counter(
    section: &mut Section,
    findings: &Findings<'_>,
    found: &VehicleFindings<'_>,
    episode: &EkfFailsafeReport,
    clock: &Clock,
) {
    let counter = found.ekf_counter(findings.session(), episode.span());
    let limit = counter.limit;
    let shown = counter.changes.into_iter().take(MOST_COUNTS);
    let rows = shown
        .map(|count| vec![clock.time(count.at), phrases::count(count)])
        .collect();
    section.table(
        format!("The check's count; {limit} trips it"),
        &[words("Time"), figures("Count")],
        rows,
    );
}

fn other_thresholds(section: &mut Section, findings: &Findings<'_>, found: &VehicleFindings<'_>) {
    // The replay of a log is judged under the parameters of the log alone.
    if found.replay().is_some() {
        return;
    }
    let rows = THRESHOLDS
        .into_iter()
        .map(|threshold| {
            let what_if = WhatIf {
                parameters: [("FS_EKF_THRESH".to_owned(), threshold)].into(),
                ..WhatIf::default()
            };
            let episodes = findings
                .session()
                .ekf_episodes_under(found.vehicle().talker, &what_if);
            vec![
                format!("FS_EKF_THRESH = {threshold}"),
                phrases::trips_under(threshold, &episodes),
            ]
        })
        .collect();
    section.table("What if", &[words("If"), words("Then")], rows);
}
