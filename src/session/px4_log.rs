//! The link losses of a PX4 vehicle from its own log: no heartbeat times, but the reports themselves.

use crate::observation::Talker;
use crate::rules::px4::{
    LoopTiming, Px4Version, ReportRow, is_sampled, logged_start_lines, loss_step, loss_window,
};
use crate::rules::{
    Candidate, Explanation, Knowledge, LinkLoss, LinkModel, Observed, Step, StepKind,
    told_candidate,
};
use crate::time::{Bounds, Micros, Seconds, Span};

use super::px4_action;
use super::px4_facts::{Px4Facts, rests_on_loss_time};
use super::silence::{Evidence, link_state, tell_the_end, verdict};
use super::{LinkView, Session, Vehicle, WhatIf};

/// Reports come at least once a second; a longer hole in those that say "present" is a silence.
const LONGEST_BETWEEN_REPORTS: Span = Span::from_millis(1_300);
/// The log's own times are exact to the commander's cycle.
const TOLERANCE: Span = Span::from_millis(2);
/// A log does not say whose heartbeats these were.
const NOBODY: Talker = Talker::new(0, 0);

/// All silences of the reports that were longer than COM_DL_LOSS_T.
pub(super) fn link_losses(session: &Session, vehicle: &Vehicle, what_if: &WhatIf) -> Vec<LinkLoss> {
    let until = session.last().unwrap_or_default();
    let facts = Px4Facts::new(session, vehicle, what_if, until);
    let mut present: Vec<Micros> = vehicle
        .logged
        .reports
        .values()
        .flatten()
        .filter(|row| row.present)
        .map(|row| row.at)
        .collect();
    present.sort_unstable();
    let mut losses = Vec::new();
    for (index, last) in present.iter().enumerate() {
        let next = present.get(index + 1).copied();
        let (_, d) = facts.loss_time(*last);
        // A sampled row may be a second older than the report that counts.
        let end = next.unwrap_or(until);
        if end - *last > LONGEST_BETWEEN_REPORTS && end - *last > d {
            losses.extend(one_silence(&facts, *last, next, d));
        }
    }
    losses
}

/// The link at one moment of a log: what is known of it is the silence under way, if one is. A log is only
/// ever read when all is over, so that its windows rest on what came after as well.
pub(super) fn link_at(
    session: &Session,
    vehicle: &Vehicle,
    at: Micros,
    what_if: &WhatIf,
) -> LinkView {
    let mut prediction = link_losses(session, vehicle, what_if)
        .into_iter()
        .find(|loss| {
            loss.last_heartbeat.latest() <= at && loss.regained.is_none_or(|back| at < back)
        });
    if let Some(loss) = &mut prediction {
        loss.observed_loss.take_if(|seen| seen.at > at);
        loss.observed_action.take_if(|seen| seen.at > at);
    }
    let last = prediction
        .as_ref()
        .map(|loss| (NOBODY, loss.last_heartbeat.earliest()));
    let window = prediction.as_ref().and_then(LinkLoss::predicted_loss);
    LinkView {
        at,
        model: Some(LinkModel::Px4),
        state: link_state(session, at, last, prediction.as_ref()),
        last_counted: None,
        counted: Vec::new(),
        remaining: window.map(|w| (w.earliest() - at, w.latest() - at)),
        prediction,
        doubt: None,
        in_failsafe: vehicle.in_failsafe(at),
        downlink: session.downlink(vehicle.talker, at),
        uplink: vehicle.uplink(at),
    }
}

fn one_silence(
    facts: &Px4Facts<'_>,
    last: Micros,
    next: Option<Micros>,
    d: Span,
) -> Option<LinkLoss> {
    let timing = LoopTiming::FAST_LINK;
    let logged = &facts.vehicle.logged;
    let end = next.unwrap_or(facts.until);
    let lost_at = logged
        .connection_lost
        .changes_between(last, end)
        .find(|(_, lost)| *lost)
        .map(|(at, _)| *at);
    let mut candidates = windows(facts, last, d, timing, lost_at);
    candidates.sort_by_key(|c| c.loss.earliest());
    let hull = candidates.iter().map(|c| c.loss).reduce(Bounds::hull)?;
    let evidence = evidence(facts, lost_at, hull);
    let verdict = verdict(&candidates, &evidence, TOLERANCE, next, facts.until);
    let chosen = told_candidate(&candidates, evidence.loss.as_ref());
    let told = chosen.filter(|_| evidence.loss.is_some());
    let action = px4_action::predicted(facts, told.map_or(hull, |c| c.loss), timing.commander);
    let last_heartbeat = chosen.map_or(Bounds::exact(last), |c| c.last_heartbeat);
    let mut explanation = chosen.map(|c| c.explanation.clone()).unwrap_or_default();
    px4_action::tell(&mut explanation, action.as_ref());
    tell_the_end(&mut explanation, &evidence, last, next, facts.until);
    rests_on_loss_time(facts.loss_time(last).0, &mut explanation);
    Some(LinkLoss {
        model: LinkModel::Px4,
        last_heartbeat_from: NOBODY,
        last_heartbeat,
        candidates,
        predicted_action: action,
        observed_loss: evidence.loss,
        observed_action: evidence.action,
        regained: next,
        verdict,
        explanation,
    })
}

/// The windows of every instance that said "present" last, or nearly.
fn windows(
    facts: &Px4Facts<'_>,
    last: Micros,
    d: Span,
    timing: LoopTiming,
    lost_at: Option<Micros>,
) -> Vec<Candidate> {
    let mut instances = Vec::new();
    for rows in facts.vehicle.logged.reports.values() {
        let near = rows
            .iter()
            .rev()
            .any(|row| row.present && row.at <= last && last - row.at < LONGEST_BETWEEN_REPORTS);
        if !near {
            continue;
        }
        let first_false = rows.iter().find(|row| row.at > last && !row.present);
        let sampled = is_sampled(rows);
        let lines = logged_start_lines(rows, last, timing);
        instances.push((lines, first_false, sampled));
    }
    // The commander takes the latest report of any instance: one whose latest start line lies before
    // another's earliest cannot be it.
    let floor = instances
        .iter()
        .filter_map(|(lines, ..)| lines.iter().map(|line| line.report.earliest()).min())
        .max();
    let mut candidates = Vec::new();
    for (lines, first_false, sampled) in instances {
        for line in lines {
            if floor.is_some_and(|floor| line.report.latest() < floor) {
                continue;
            }
            let loss = loss_window(line.report, d, timing.commander);
            // With the loss itself in the log, the start line lies COM_DL_LOSS_T and at most one cycle
            // before it.
            let by_loss = lost_at.map(|at| Bounds::new(at - d - timing.commander, at - d));
            let start_line = by_loss
                .and_then(|bounds| bounds.intersection(line.report))
                .unwrap_or(line.report);
            candidates.push(Candidate {
                last_heartbeat: last_heartbeat(facts, line.report, first_false),
                flag_false: first_false.map(|row| Bounds::new(line.report.earliest(), row.at)),
                start_line,
                loss,
                condition: line.condition.to_owned(),
                explanation: explain(start_line, first_false, loss, d, sampled),
            });
        }
    }
    candidates
}

/// The heartbeat behind the last report that said "present": at most a heartbeat timeout and a second
/// before it, and more than a timeout before the first that did not.
fn last_heartbeat(facts: &Px4Facts<'_>, report: Bounds, first_false: Option<&ReportRow>) -> Bounds {
    let timeouts = facts
        .versions()
        .into_iter()
        .filter_map(Px4Version::heartbeat_timeout);
    let (shortest, longest) = timeouts.fold((Span::MAX, Span::ZERO), |(low, high), timeout| {
        (low.min(timeout), high.max(timeout))
    });
    let earliest = report.earliest() - longest - Span::from_secs(1);
    let latest = first_false
        .map_or(report.latest(), |row| row.at - shortest)
        .min(report.latest());
    Bounds::new(earliest, latest.max(earliest))
}

fn explain(
    start_line: Bounds,
    first_false: Option<&ReportRow>,
    loss: Bounds,
    d: Span,
    sampled: bool,
) -> Explanation {
    let mut explanation = Explanation::default();
    explanation.steps.push(Step {
        at: start_line,
        kind: StepKind::StartLine,
        knowledge: if sampled {
            Knowledge::Inferred
        } else {
            Knowledge::Reported
        },
        text: if sampled {
            "The last report that said present: the log keeps one a second, so it lies between the last \
             stored row that says so and the first that does not. COM_DL_LOSS_T runs from it."
                .to_owned()
        } else {
            "The last report that said present. COM_DL_LOSS_T runs from here.".to_owned()
        },
        source: Some("mavlink_main.cpp publish_telemetry_status"),
    });
    if let Some(row) = first_false {
        explanation.steps.push(Step {
            at: Bounds::exact(row.at),
            kind: StepKind::Absent,
            knowledge: Knowledge::Reported,
            text: "The first stored report that says absent.".to_owned(),
            source: None,
        });
    }
    explanation.steps.push(loss_step(loss, d));
    explanation
}

fn evidence(facts: &Px4Facts<'_>, lost_at: Option<Micros>, hull: Bounds) -> Evidence {
    let logged = &facts.vehicle.logged;
    let loss = lost_at.map(|at| Observed {
        at,
        resolution: Span::ZERO,
        name: String::new(),
        evidence: format!(
            "the log: gcs_connection_lost set at {} s",
            Seconds::millis(at - Micros::default())
        ),
    });
    let action = loss.as_ref().and_then(|loss| {
        let (at, state) = logged
            .nav_state
            .changes_between(loss.at, loss.at + Span::from_secs(30))
            .next()?;
        let name = nav_state_name(*state);
        Some(Observed {
            at: *at,
            resolution: Span::ZERO,
            name: name.to_owned(),
            evidence: format!("the log: nav_state {state} ({name})"),
        })
    });
    let covered = logged.connection_lost.last_confirmed().is_some();
    Evidence {
        loss,
        action,
        would_have_been_told: covered && facts.until > hull.latest(),
        why_unseen: "the log does not hold gcs_connection_lost".to_owned(),
        other: None,
    }
}

/// vehicle_status.nav_state (NAVIGATION_STATE_*), the ones that a failsafe enters.
const fn nav_state_name(state: u8) -> &'static str {
    match state {
        4 => "Hold",
        5 => "Return",
        12 => "Descend",
        13 => "Terminate",
        18 => "Land",
        _ => "another mode",
    }
}
