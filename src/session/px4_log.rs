//! The link losses of a PX4 vehicle from its own log: no heartbeat times, but the reports themselves.

use crate::observation::Talker;
use crate::rules::px4::{
    LoopTiming, Px4Version, ReportRow, logged_start_lines, loss_step, loss_window,
};
use crate::rules::{
    Candidate, Explanation, Knowledge, LinkLoss, LinkModel, Observed, Step, StepKind,
    told_candidate,
};
use crate::time::{Bounds, Micros, Seconds, Span};

use super::px4_action;
use super::px4_facts::{Px4Facts, rests_on_loss_time};
use super::silence::{Evidence, link_state, tell_the_end, verdict};
use super::{LinkState, LinkView, Session, Vehicle, WhatIf};

/// Reports come at least once a second; a longer hole in those that say "present" is a silence.
pub(super) const LONGEST_BETWEEN_REPORTS: Span = Span::from_millis(1_300);
/// The log's own times are exact to the commander's cycle.
const TOLERANCE: Span = Span::from_millis(2);
/// A log does not say whose heartbeats these were.
const NOBODY: Talker = Talker::new(0, 0);

/// All silences of the reports that were longer than COM_DL_LOSS_T.
pub(super) fn link_losses(session: &Session, vehicle: &Vehicle, what_if: &WhatIf) -> Vec<LinkLoss> {
    let until = session.last().unwrap_or_default();
    let facts = Px4Facts::new(session, vehicle, what_if, until);
    silences(&facts, Micros::MIN, until)
        .filter(|silence| silence.end - silence.from > facts.loss_time(silence.from).1)
        .filter_map(|silence| one_silence(&facts, silence.from, silence.next))
        .collect()
}

/// A hole in the reports that say "present".
pub(super) struct LoggedSilence {
    pub from: Micros,
    /// The next report that says so, if one does.
    pub next: Option<Micros>,
    /// That, or the end of what is known.
    pub end: Micros,
}

/// The silences that overlap `from..=to`.
pub(super) fn silences(
    facts: &Px4Facts<'_>,
    from: Micros,
    to: Micros,
) -> impl Iterator<Item = LoggedSilence> + use<> {
    let until = facts.until;
    let logged = &facts.vehicle.logged;
    let mut present: Vec<Micros> = Vec::new();
    for rows in logged.reports.values() {
        let start = rows.partition_point(|row| row.at < from);
        let end = rows.partition_point(|row| row.at <= to);
        let within = rows.get(start..end).unwrap_or_default();
        // The one on either side bounds a silence that reaches into the range.
        let before = rows.get(..start).unwrap_or_default();
        let after = rows.get(end..).unwrap_or_default();
        let known = after.iter().take_while(|row| row.at <= until);
        present.extend(
            before
                .iter()
                .rfind(|row| row.present)
                .into_iter()
                .chain(within.iter().filter(|row| row.present))
                .chain(known.into_iter().find(|row| row.present))
                .map(|row| row.at),
        );
    }
    present.sort_unstable();
    (0..present.len()).filter_map(move |index| {
        let begin = *present.get(index)?;
        let next = present.get(index + 1).copied();
        let end = next.unwrap_or(until);
        // A sampled row may be a second older than the report that counts.
        let long = end - begin > LONGEST_BETWEEN_REPORTS;
        // Between the neighbours of two instances lies nothing that was asked for.
        (long && begin <= to && end >= from).then_some(LoggedSilence {
            from: begin,
            next,
            end,
        })
    })
}

/// The link at one moment of a log, by the rows up to then.
pub(super) fn link_at(
    session: &Session,
    vehicle: &Vehicle,
    at: Micros,
    what_if: &WhatIf,
) -> LinkView {
    let facts = Px4Facts::new(session, vehicle, what_if, at);
    let latest = || {
        let all = vehicle.logged.reports.values();
        all.filter_map(|rows| rows_until(rows, at).last())
    };
    let present = latest().any(|row| row.present && at - row.at <= LONGEST_BETWEEN_REPORTS);
    let last_present = vehicle
        .logged
        .reports
        .values()
        .filter_map(|rows| rows_until(rows, at).iter().rfind(|row| row.present))
        .map(|row| row.at)
        .max();
    let prediction = last_present
        .filter(|_| !present)
        .and_then(|last| one_silence(&facts, last, None));
    let last = prediction
        .as_ref()
        .map(|loss| (NOBODY, loss.last_heartbeat.earliest()));
    let window = prediction.as_ref().and_then(LinkLoss::predicted_loss);
    let state = match &prediction {
        _ if present => LinkState::Present,
        Some(loss) => link_state(session, at, last, Some(loss)),
        // Of a hole in the log nothing is known.
        None if last_present.is_some() => LinkState::NotRecorded,
        None => LinkState::NeverSeen,
    };
    LinkView {
        at,
        model: Some(LinkModel::Px4),
        state,
        last_counted: None,
        counted: Vec::new(),
        remaining: window.map(|w| (w.earliest() - at, w.latest() - at)),
        prediction,
        doubt: None,
        in_failsafe: vehicle.in_failsafe(at),
        downlink: session.downlink(vehicle.talker, at),
        uplink: vehicle.uplink(at),
        decided_by: facts.decided_by(at),
    }
}

/// The rows up to `until`.
fn rows_until(rows: &[ReportRow], until: Micros) -> &[ReportRow] {
    let end = rows.partition_point(|row| row.at <= until);
    rows.get(..end).unwrap_or_default()
}

/// One silence: from the last report that said "present" to the next that does, or to the end of what is
/// known.
pub(super) fn one_silence(
    facts: &Px4Facts<'_>,
    last: Micros,
    next: Option<Micros>,
) -> Option<LinkLoss> {
    let timing = LoopTiming::FAST_LINK;
    let (loss_time, d) = facts.loss_time(last);
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
    rests_on_loss_time(loss_time, &mut explanation);
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
    let logged = &facts.vehicle.logged;
    for (instance, rows) in &logged.reports {
        let rows = rows_until(rows, facts.until);
        let after = rows.partition_point(|row| row.at <= last);
        let near = rows_until(rows, last)
            .iter()
            .rev()
            .take_while(|row| last - row.at < LONGEST_BETWEEN_REPORTS)
            .any(|row| row.present);
        if !near {
            continue;
        }
        let first_false = rows
            .get(after..)
            .and_then(|after| after.iter().find(|row| !row.present));
        // A property of the logger, whenever it shows: no word about what the vehicle did later.
        let sampled = logged.sampled.contains(instance);
        let lines = logged_start_lines(rows, last, timing, sampled);
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
            .changes_between(loss.at, facts.until.min(loss.at + Span::from_secs(30)))
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
