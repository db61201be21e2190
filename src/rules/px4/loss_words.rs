//! The story of one candidate in sentences: from the last heartbeat over the checks and reports to the loss.

use crate::observation::Talker;
use crate::rules::{Explanation, Knowledge, Step, StepKind};
use crate::time::{Bounds, Seconds, Span};

use super::loss::InstanceLines;
use super::start_line::CheckStep;
use super::{FlagRule, LossInput, Px4Version, Question, REPORT_INTERVAL, StartLine};

/// What must be so for this branch, in words.
pub(super) fn questions_in_words(line: &StartLine) -> String {
    let forced_by = line
        .checks
        .last()
        .and_then(|c| c.forced_by)
        .map_or_else(|| "the check".to_owned(), |t| format!("{t}'s heartbeat"));
    line.questions
        .iter()
        .map(|question| match question {
            Question::TimerReportFirst(false) => {
                format!("{forced_by} came before the vehicle's 1 s report was due again")
            }
            Question::TimerReportFirst(true) => {
                format!("the vehicle's 1 s report went out just before {forced_by}")
            }
            Question::PresentAtLimit(true) => {
                "a check right at the heartbeat timeout still found the ground station".to_owned()
            }
            Question::PresentAtLimit(false) => {
                "a check right at the heartbeat timeout found the ground station gone".to_owned()
            }
            Question::SelfCheckFirst(true) => {
                "the receiver checked by itself just before a heartbeat made it".to_owned()
            }
            Question::SelfCheckFirst(false) => {
                "a heartbeat forced the check just before the receiver made it by itself".to_owned()
            }
        })
        .collect::<Vec<_>>()
        .join(", ")
}

pub(super) fn heartbeat_step(heard: Bounds, talker: Talker) -> Step {
    Step {
        at: heard,
        kind: StepKind::GroundHeartbeat,
        knowledge: Knowledge::Known,
        text: format!("Last heartbeat from ground station {talker}."),
        source: Some("mavlink_receiver.cpp handle_message_heartbeat"),
    }
}

/// The last step: COM_DL_LOSS_T, `time`, has run out within `loss`.
#[must_use]
pub fn loss_step(loss: Bounds, time: Span) -> Step {
    Step {
        at: loss,
        kind: StepKind::Loss,
        knowledge: Knowledge::Inferred,
        text: format!(
            "COM_DL_LOSS_T ({} s) has run out: PX4 sets gcs_connection_lost in its next 10 ms cycle.",
            Seconds::with_decimals(time, 0)
        ),
        source: Some("Commander.cpp dataLinkCheck"),
    }
}

/// The story of one candidate: from the last heartbeat over the checks and reports to the loss.
pub(super) fn explain(
    input: &LossInput<'_>,
    rule: FlagRule,
    version: Px4Version,
    instance: &InstanceLines,
    line: &StartLine,
    loss: Bounds,
) -> Explanation {
    let mut explanation = Explanation::default();
    let heard = instance.heard.earliest();
    let steps = &mut explanation.steps;
    steps.push(heartbeat_step(instance.heard, instance.talker));
    let age = |at: Bounds| Seconds::millis(at.earliest() - heard);
    let limit = Seconds::with_decimals(rule.timeout(), 1);
    let source = Some("mavlink_receiver.cpp CheckHeartbeats");
    if let Some(check) = line.checks.iter().rev().find(|c| c.present) {
        steps.push(Step {
            at: check.at,
            kind: StepKind::StillPresent,
            knowledge: knowledge_of(check),
            text: format!(
                "{}: the heartbeat is {} s old, not over {limit} s, so the flag stays true.",
                check_in_words(check),
                age(check.at)
            ),
            source,
        });
    }
    steps.push(Step {
        at: line.report,
        kind: StepKind::StartLine,
        knowledge: Knowledge::Inferred,
        text: if line.from_timer {
            format!(
                "The vehicle's report, due {} s after the one before, still says present, {} s after the \
                 last heartbeat. It is the last that will: COM_DL_LOSS_T runs from here.",
                Seconds::with_decimals(REPORT_INTERVAL, 0),
                age(line.report)
            )
        } else {
            format!(
                "The report of that check says present, {} s after the last heartbeat. It is the last \
                 that will: COM_DL_LOSS_T runs from here.",
                age(line.report)
            )
        },
        source: Some("mavlink_main.cpp publish_telemetry_status"),
    });
    if let Some(check) = line.checks.last() {
        steps.push(Step {
            at: check.at,
            kind: StepKind::Absent,
            knowledge: knowledge_of(check),
            text: format!(
                "{}: the heartbeat is {} s old, over {limit} s. The flag turns false.",
                check_in_words(check),
                age(check.at)
            ),
            source,
        });
    }
    steps.push(loss_step(loss, input.com_dl_loss_t));
    steps.sort_by_key(|s| s.at.earliest());
    explanation.rests_on(Knowledge::Inferred, format!("the rules of {version}"));
    for check in line.checks.iter().filter(|c| c.presumed) {
        if let Some(talker) = check.forced_by {
            explanation.rests_on(
                Knowledge::Assumed,
                format!("{talker} keeps the rhythm of its heartbeats"),
            );
        }
    }
    explanation
}

fn knowledge_of(check: &CheckStep) -> Knowledge {
    if check.presumed {
        Knowledge::Assumed
    } else {
        Knowledge::Inferred
    }
}

fn check_in_words(check: &CheckStep) -> String {
    match check.forced_by {
        Some(talker) => format!("{talker}'s heartbeat forces a check"),
        None => "The receiver checks by itself".to_owned(),
    }
}
