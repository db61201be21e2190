use crate::report::clock::Clock;
use crate::report::findings::{Findings, VehicleFindings};
use crate::report::phrases;
use crate::report::plot::Plot;
use crate::rules::{Knowledge, LinkLoss, StepKind};
use crate::session::Session;
use crate::time::{Bounds, Seconds, Span};

use super::block::{Section, figures, words};
use super::{before, what_if};

/// Texts and events of the vehicle this long around a silence belong to its story.
const AROUND: Span = Span::from_secs(3);
/// So many of them at most.
const MOST_EVENTS: usize = 40;

/// One silence: the sentence, what was predicted and what was seen, and all that both rest on.
pub(super) fn section(
    findings: &Findings<'_>,
    found: &VehicleFindings<'_>,
    loss: &LinkLoss,
    number: usize,
    clock: &Clock,
) -> Section {
    let session = findings.session();
    let vehicle = found.vehicle();
    let mut section = Section::new(2, phrases::incident_heading(loss, number));
    section.lead(phrases::loss_sentence(loss, vehicle, clock));
    section.paragraph(format!("Verdict: {}.", loss.verdict));
    windows(&mut section, loss, clock);
    section
        .blocks
        .extend(Plot::of_silence(session, vehicle, loss, clock).map(super::Block::Figure));
    timeline(&mut section, session, found, loss, clock);
    section.paragraph("This rests on:");
    section.list(premises(loss));
    before::statistics(&mut section, session, vehicle, loss);
    before::who_counted(&mut section, session, vehicle, loss);
    what_if::other_circumstances(&mut section, session, vehicle, loss);
    section
}

fn windows(section: &mut Section, loss: &LinkLoss, clock: &Clock) {
    let (origin, since) = phrases::origin(loss, clock);
    let rows = loss
        .candidates
        .iter()
        .map(|candidate| {
            vec![
                clock.window(candidate.loss),
                phrases::after(candidate.loss, origin),
                if candidate.condition.is_empty() {
                    "in any case".to_owned()
                } else {
                    format!("if {}", candidate.condition)
                },
            ]
        })
        .collect();
    section.table(
        format!("Predicted: the loss is declared. Seconds count from {since}."),
        &[words("Window"), figures("After, s"), words("Condition")],
        rows,
    );
    if let Some(action) = &loss.predicted_action {
        section.paragraph(format!("Predicted reaction: {}", action.sentence()));
        if let Some((then, at)) = &action.then {
            section.paragraph(format!("Then {then}, {}.", clock.window(*at)));
        }
    }
}

/// One row of the timeline before it is written.
struct Row {
    at: Bounds,
    what: String,
    knowledge: Knowledge,
    evidence: String,
}

fn timeline(
    section: &mut Section,
    session: &Session,
    found: &VehicleFindings<'_>,
    loss: &LinkLoss,
    clock: &Clock,
) {
    let (origin, _) = phrases::origin(loss, clock);
    let mut rows: Vec<Row> = loss
        .explanation
        .steps
        .iter()
        // The evidence for the loss and the action is told from its own source below.
        .filter(|step| !is_evidence(step.kind, step.knowledge))
        .map(|step| Row {
            at: step.at,
            what: step.text.clone(),
            knowledge: step.knowledge,
            evidence: step
                .source
                .map_or_else(|| "this record".to_owned(), |rule| format!("rule: {rule}")),
        })
        .collect();
    let seen = [
        (&loss.observed_loss, "The loss, by evidence.".to_owned()),
        (
            &loss.observed_action,
            loss.observed_action
                .as_ref()
                .map_or_else(String::new, |a| format!("{}, by evidence.", a.name)),
        ),
    ];
    for (observed, what) in seen {
        if let Some(observed) = observed {
            rows.push(Row {
                at: observed.bounds(),
                what,
                knowledge: Knowledge::Reported,
                evidence: observed.evidence.clone(),
            });
        }
    }
    rows.extend(events(session, found, loss));
    rows.sort_by_key(|row| (row.at.earliest(), row.at.latest()));
    let rows = rows
        .into_iter()
        .map(|row| {
            vec![
                clock.window(row.at),
                Seconds::millis(row.at.earliest() - origin).to_string(),
                row.what,
                row.knowledge.word().to_owned(),
                row.evidence,
            ]
        })
        .collect();
    section.table(
        "Timeline",
        &[
            words("Time"),
            figures("After, s"),
            words("What"),
            words("How known"),
            words("Evidence"),
        ],
        rows,
    );
}

const fn is_evidence(kind: StepKind, knowledge: Knowledge) -> bool {
    matches!(kind, StepKind::Loss | StepKind::Action) && matches!(knowledge, Knowledge::Reported)
}

/// What the vehicle said while it was silent on the ground, and shortly after.
fn events<'a>(
    session: &'a Session,
    found: &VehicleFindings<'_>,
    loss: &LinkLoss,
) -> impl Iterator<Item = Row> + 'a {
    let who = found.vehicle().talker;
    let from = loss.last_heartbeat.earliest() - AROUND;
    let to = loss.regained.or(session.last()).unwrap_or_default() + AROUND;
    session
        .events()
        .iter()
        .filter(move |event| event.at >= from && event.at <= to)
        .filter(move |event| event.talker.is_none_or(|talker| talker == who))
        .take(MOST_EVENTS)
        .map(|event| Row {
            at: Bounds::exact(event.at),
            what: format!("\"{}\"", event.text),
            knowledge: Knowledge::Known,
            evidence: match event.talker {
                Some(talker) => format!("from {talker}, when it arrived"),
                None => "this record".to_owned(),
            },
        })
}

fn premises(loss: &LinkLoss) -> Vec<String> {
    loss.explanation
        .premises
        .iter()
        .map(|premise| format!("{}: {}", premise.knowledge.word(), premise.text))
        .collect()
}
