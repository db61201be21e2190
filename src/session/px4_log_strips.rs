//! What the strips show of a PX4 vehicle's own log: the flag and the reports as they were stored.

use std::cmp::Ordering;

use crate::rules::px4::ReportRow;
use crate::time::{Bounds, Micros, Span};

use super::px4_facts::Px4Facts;
use super::px4_log::{LONGEST_BETWEEN_REPORTS, one_silence, silences};
use super::px4_strips::{REPORTS_OVER, falling, presence};
use super::{
    CountdownPoint, FlagSegment, FlagState, LinkStrips, ReportMark, ReportOrigin, Session, Vehicle,
    WhatIf,
};

/// The longest distance of two stored rows between which the logger left out what came at its usual pace.
const LONGEST_WHEN_SAMPLED: Span = Span::from_millis(2_500);

pub(super) fn strips(session: &Session, vehicle: &Vehicle, from: Micros, to: Micros) -> LinkStrips {
    let until = session.last().unwrap_or_default();
    let reports = reports(vehicle, from, to);
    let what_if = WhatIf::default();
    let facts = Px4Facts::new(session, vehicle, &what_if, until);
    LinkStrips {
        flag: flag(vehicle, from, to),
        countdown: countdown(&facts, &reports, from, to),
        reports,
    }
}

/// What the commander goes by: some instance says "present".
fn flag(vehicle: &Vehicle, from: Micros, to: Micros) -> Vec<FlagSegment> {
    let logged = &vehicle.logged;
    logged
        .reports
        .iter()
        .map(|(instance, rows)| of_instance(rows, logged.sampled.contains(instance), from, to))
        .reduce(|a, b| either(&a, &b))
        .unwrap_or_default()
}

/// Appends a segment within `from..=to`, or lengthens the last one.
fn push(segments: &mut Vec<FlagSegment>, segment: FlagSegment) {
    if segment.to <= segment.from {
        return;
    }
    match segments.last_mut() {
        Some(last) if last.state == segment.state => last.to = segment.to,
        _ => segments.push(segment),
    }
}

/// The flag of one instance over the range, without gaps.
fn of_instance(rows: &[ReportRow], sampled: bool, from: Micros, to: Micros) -> Vec<FlagSegment> {
    let longest = if sampled {
        LONGEST_WHEN_SAMPLED
    } else {
        LONGEST_BETWEEN_REPORTS
    };
    let state_of = |row: &ReportRow| {
        if row.present {
            FlagState::True
        } else {
            FlagState::False
        }
    };
    let mut segments = Vec::new();
    let mut add = |begin: Micros, end: Micros, state| {
        push(
            &mut segments,
            FlagSegment {
                from: begin.max(from),
                to: end.min(to),
                state,
            },
        );
    };
    let start = rows.partition_point(|row| row.at <= from).saturating_sub(1);
    let shown = rows.get(start..).unwrap_or_default();
    let first = shown.first().map_or(to, |row| row.at);
    add(from, first, FlagState::Unknown);
    for (index, row) in shown.iter().enumerate() {
        if row.at > to {
            break;
        }
        let Some(next) = shown.get(index + 1) else {
            // It holds until the next report is overdue.
            let overdue = row.at + longest;
            add(row.at, overdue, state_of(row));
            add(overdue, to, FlagState::Unknown);
            break;
        };
        let open = next.at - row.at > longest || (sampled && next.present != row.present);
        let state = if open {
            FlagState::Unknown
        } else {
            state_of(row)
        };
        add(row.at, next.at, state);
    }
    segments
}

/// One flag of two, both without gaps over the same range: true where one is, false where both are.
fn either(a: &[FlagSegment], b: &[FlagSegment]) -> Vec<FlagSegment> {
    let (mut left, mut right) = (a.iter().peekable(), b.iter().peekable());
    let mut both = Vec::new();
    while let (Some(one), Some(other)) = (left.peek(), right.peek()) {
        let state = match (one.state, other.state) {
            (FlagState::True, _) | (_, FlagState::True) => FlagState::True,
            (FlagState::False, FlagState::False) => FlagState::False,
            _ => FlagState::Unknown,
        };
        push(
            &mut both,
            FlagSegment {
                from: one.from.max(other.from),
                to: one.to.min(other.to),
                state,
            },
        );
        match one.to.cmp(&other.to) {
            Ordering::Less => drop(left.next()),
            Ordering::Greater => drop(right.next()),
            Ordering::Equal => {
                left.next();
                right.next();
            }
        }
    }
    both
}

/// The stored rows, unless the range is so long that they could not be told apart.
fn reports(vehicle: &Vehicle, from: Micros, to: Micros) -> Vec<ReportMark> {
    if to - from > REPORTS_OVER {
        return Vec::new();
    }
    let mut marks = Vec::new();
    // An instance that never said "present" talks to no ground station: its rows are no news of one.
    let ever = |rows: &&Vec<ReportRow>| rows.iter().any(|row| row.present);
    for rows in vehicle.logged.reports.values().filter(ever) {
        let start = rows.partition_point(|row| row.at < from);
        let within = rows.get(start..).unwrap_or_default();
        for row in within.iter().take_while(|row| row.at <= to) {
            marks.push(ReportMark {
                at: Bounds::exact(row.at),
                says: if row.present {
                    FlagState::True
                } else {
                    FlagState::False
                },
                origin: ReportOrigin::Logged,
            });
        }
    }
    marks.sort_by_key(|mark| mark.at.earliest());
    marks
}

/// The commander's countdown: it starts anew with every report that says "present".
fn countdown(
    facts: &Px4Facts<'_>,
    reports: &[ReportMark],
    from: Micros,
    to: Micros,
) -> Vec<CountdownPoint> {
    let mut points = Vec::new();
    let logged = &facts.vehicle.logged;
    let first = logged
        .reports
        .values()
        .filter_map(|rows| rows.iter().find(|row| row.present))
        .map(|row| row.at)
        .min();
    let Some(first) = first else {
        return points;
    };
    let mut shown_to = first.max(from);
    for silence in silences(facts, from, to) {
        let (_, d) = facts.loss_time(silence.from);
        if silence.from > shown_to {
            presence(&mut points, reports, d, shown_to, silence.from);
        }
        let loss = one_silence(facts, silence.from, silence.next);
        if let Some(told) = loss.as_ref().and_then(|loss| loss.told()) {
            points.extend(falling(told.start_line, told.loss, silence.end.min(to)));
        }
        shown_to = silence.end.max(shown_to);
    }
    if shown_to < to {
        let (_, d) = facts.loss_time(to);
        presence(&mut points, reports, d, shown_to, to);
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Micros {
        Micros::from_millis(ms)
    }

    fn rows(rows: &[(i64, bool)]) -> Vec<ReportRow> {
        rows.iter()
            .map(|(ms, present)| ReportRow {
                at: at(*ms),
                present: *present,
            })
            .collect()
    }

    fn told(segments: &[FlagSegment]) -> Vec<(i64, i64, FlagState)> {
        let ms = |at: Micros| at.as_micros() / 1_000;
        segments
            .iter()
            .map(|s| (ms(s.from), ms(s.to), s.state))
            .collect()
    }

    #[test]
    fn the_full_stream_tells_when_the_flag_fell_and_a_sampled_one_bounds_it() {
        use FlagState::{False, True, Unknown};
        let stored = rows(&[(1_000, true), (2_000, true), (2_505, false), (3_500, false)]);
        assert_eq!(
            told(&of_instance(&stored, false, at(500), at(6_000))),
            [
                (500, 1_000, Unknown),
                (1_000, 2_505, True),
                (2_505, 4_800, False),
                (4_800, 6_000, Unknown)
            ]
        );
        assert_eq!(
            told(&of_instance(&stored, true, at(1_500), at(3_000))),
            [
                (1_500, 2_000, True),
                (2_000, 2_505, Unknown),
                (2_505, 3_000, False)
            ]
        );
    }

    #[test]
    fn a_hole_in_the_log_is_not_known() {
        let stored = rows(&[(0, true), (1_000, true), (9_000, true), (10_000, true)]);
        let flag = of_instance(&stored, false, at(0), at(10_000));
        assert_eq!(told(&flag)[1], (1_000, 9_000, FlagState::Unknown));
    }

    #[test]
    fn one_instance_that_says_present_is_enough() {
        use FlagState::{False, True, Unknown};
        let one = of_instance(&rows(&[(0, true), (1_000, false)]), false, at(0), at(3_000));
        let other = of_instance(&rows(&[(0, false), (900, false)]), false, at(0), at(3_000));
        assert_eq!(
            told(&either(&one, &other)),
            [
                (0, 1_000, True),
                (1_000, 2_200, False),
                (2_200, 3_000, Unknown)
            ]
        );
    }
}
