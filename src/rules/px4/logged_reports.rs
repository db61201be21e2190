//! The start line from the vehicle's own log: what the stored rows of `telemetry_status` leave open.
//!
//! A row's time stamp is the report's, so with every report stored the last row that says "present" is the
//! start line; but the default logger keeps one row per second and instance, and then that row only bounds
//! it from below. Even with every report stored two are lost now and then: one that the commander overwrote
//! unread, and one that the logger missed.

use crate::time::{Bounds, Micros, Span};

use super::{LoopTiming, REPORT_INTERVAL};

/// One stored row of one instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReportRow {
    /// Publication time.
    pub at: Micros,
    /// `heartbeat_type_gcs`.
    pub present: bool,
}

/// One way the last report that said "present" may have been.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedStartLine {
    /// When it was published.
    pub report: Bounds,
    /// What must be so, in words; empty for the plain reading of the rows.
    pub condition: &'static str,
}

/// A hole between rows that is longer than the timer allows by this much: rows are missing.
const HOLE: Span = Span::from_millis(50);

/// Whether rows of an instance were left out between two stored ones: its timer reports at least once a
/// second, so that the full stream has no longer hole. The default logger keeps about one row a second, and
/// in its log the checks of a silence leave holes of a second and a quarter.
#[must_use]
pub fn rows_left_out(before: ReportRow, after: ReportRow) -> bool {
    after.at - before.at > REPORT_INTERVAL + HOLE
}

/// The start lines that the rows of one instance leave open for the silence that begins with its last row
/// saying "present" at or before `from`. `sampled` says that the logger left rows out ([`rows_left_out`]).
/// Empty when there is none, or no row after it.
#[must_use]
pub fn logged_start_lines(
    rows: &[ReportRow],
    from: Micros,
    timing: LoopTiming,
    sampled: bool,
) -> Vec<LoggedStartLine> {
    let before = rows.partition_point(|row| row.at <= from);
    let Some(last) = rows
        .get(..before)
        .unwrap_or_default()
        .iter()
        .rposition(|row| row.present)
    else {
        return Vec::new();
    };
    let (Some(last_true), Some(first_false)) = (rows.get(last), rows.get(last + 1)) else {
        return Vec::new();
    };
    let line = |report, condition| LoggedStartLine { report, condition };
    if sampled {
        let within = Bounds::new(last_true.at, first_false.at);
        return vec![line(within, "")];
    }
    let apart = first_false.at - last_true.at;
    let mut lines = vec![line(Bounds::exact(last_true.at), "")];
    if apart <= timing.commander
        && let Some(earlier) = rows
            .get(..last)
            .unwrap_or_default()
            .iter()
            .rev()
            .find(|row| row.present)
    {
        lines.push(line(
            Bounds::exact(earlier.at),
            "the commander did not read the last report that said present before the next one",
        ));
    }
    let slack = timing.publisher + timing.publisher + timing.commander;
    if apart >= REPORT_INTERVAL - timing.publisher && apart <= REPORT_INTERVAL + slack {
        let missed = (last_true.at + REPORT_INTERVAL).min(first_false.at);
        lines.push(line(
            Bounds::new(missed, first_false.at),
            "the logger missed a last report that said present",
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMING: LoopTiming = LoopTiming::FAST_LINK;

    fn rows(rows: &[(i64, bool)]) -> Vec<ReportRow> {
        rows.iter()
            .map(|(ms, present)| ReportRow {
                at: Micros::from_millis(*ms),
                present: *present,
            })
            .collect()
    }

    fn lines(stored: &[(i64, bool)]) -> Vec<(i64, i64)> {
        let rows = rows(stored);
        let sampled = rows.windows(2).any(|pair| rows_left_out(pair[0], pair[1]));
        logged_start_lines(&rows, Micros::MAX, TIMING, sampled)
            .iter()
            .map(|l| {
                let ms = |at: Micros| at.as_micros() / 1_000;
                (ms(l.report.earliest()), ms(l.report.latest()))
            })
            .collect()
    }

    #[test]
    fn with_every_report_stored_the_last_true_row_is_the_start_line() {
        let full = [
            (0, true),
            (250, true),
            (1_250, true),
            (2_250, true),
            (2_505, false),
        ];
        assert_eq!(lines(&full), [(2_250, 2_250)]);
    }

    #[test]
    fn with_one_row_a_second_it_is_only_bounded() {
        let sampled = [(0, true), (1_250, true), (2_505, false), (3_505, false)];
        assert_eq!(lines(&sampled), [(1_250, 2_505)]);
    }

    #[test]
    fn reports_lost_at_the_race_are_kept_open() {
        let unread = [(0, true), (200, true), (1_200, true), (1_202, false)];
        assert_eq!(lines(&unread), [(1_200, 1_200), (200, 200)]);
        let missed = [(0, true), (200, true), (1_205, false)];
        assert_eq!(lines(&missed), [(200, 200), (1_200, 1_205)]);
    }

    #[test]
    fn an_instance_that_never_said_present_has_none() {
        assert!(lines(&[(0, false), (1_000, false)]).is_empty());
        assert!(lines(&[(0, true)]).is_empty(), "not over yet");
    }
}
