//! PX4 link losses from the vehicle's own log alone.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test; its figures are worth reading"
)]

mod support;

use std::ops::ControlFlow;
use std::path::Path;

use heartline::observation::Talker;
use heartline::rules::LinkLoss;
use heartline::session::{FlagState, LinkState, ReportOrigin, Session, SessionSettings};
use heartline::source::LogFile;
use heartline::time::{Micros, Span};

const VEHICLE: Talker = Talker::new(1, 1);
/// The log's own times: exact but for the order of topics within a cycle.
const EXACT: Span = Span::from_millis(2);

#[test]
fn every_logged_loss_lies_inside_its_window() {
    let mut failures = Vec::new();
    let mut widths = Vec::new();
    let mut count = 0;
    for path in support::files("px4", "ulg") {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let truth = support::sidecar(&path);
        let build = truth["firmware"]["build"].as_str().unwrap_or_default();
        let lockstep = build.contains("lockstep") && !build.contains("lockstep disabled");
        let sampled = truth["logged_telemetry_status_interval_ms"].as_i64() != Some(0);
        let session = session_until(&path, Micros::MAX);
        let found: Vec<LinkLoss> = session
            .link_losses(VEHICLE)
            .into_iter()
            .filter(LinkLoss::happened)
            .collect();
        let expected = truth["losses"].as_array().unwrap();
        if found.len() != expected.len() {
            failures.push(format!(
                "{name}: {} found, {} true",
                found.len(),
                expected.len()
            ));
        }
        for (found, expected) in found.iter().zip(expected) {
            count += 1;
            let at = expected["gcs_connection_lost_vehicle_status_ulog_us"]
                .as_i64()
                .unwrap();
            let at = Micros::from_micros(at);
            let tolerance = if lockstep {
                Span::from_millis(8)
            } else {
                EXACT
            };
            // The moment just after it stands in the view too, though the log holds no heartbeat.
            let view = session
                .link_at(VEHICLE, at + Span::from_millis(100))
                .unwrap();
            if !matches!(view.state, LinkState::Lost { since, proven: true } if since.latest() == at)
            {
                failures.push(format!("{name}: the view says {:?}", view.state));
            }
            let off = found
                .candidates
                .iter()
                .map(|c| c.loss.distance_to(at))
                .min()
                .unwrap();
            if off > tolerance {
                failures.push(format!("{name}: {off:?} outside"));
            }
            for candidate in &found.candidates {
                let width = candidate.loss.width();
                if sampled {
                    let start = candidate.start_line.width();
                    if width > Span::from_millis(1_300) || start > Span::from_millis(30) {
                        failures.push(format!("{name}: sampled, width {width:?}, start {start:?}"));
                    }
                } else {
                    widths.push(width);
                }
            }
            println!(
                "{name}: {:?}, {} candidates",
                found.verdict,
                found.candidates.len()
            );
        }
    }
    widths.sort();
    println!(
        "{count} losses, median width {:?}",
        widths.get(widths.len() / 2)
    );
    assert!(count > 0, "no logs found");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(widths[widths.len() / 2] <= Span::from_millis(30));
}

fn session_until(path: &Path, until: Micros) -> Session {
    let mut session = Session::new(SessionSettings::default());
    LogFile::open(path)
        .and_then(|file| {
            file.read(&mut |observation| {
                if observation.at <= until {
                    session.observe(&observation);
                }
                ControlFlow::Continue(())
            })
        })
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    session
}

#[test]
fn no_moment_of_a_log_knows_what_comes_after_it() {
    let mut compared = 0;
    for path in support::files("px4", "ulg") {
        let whole = session_until(&path, Micros::MAX);
        let Some(loss) = whole.link_losses(VEHICLE).into_iter().next() else {
            continue;
        };
        let start = loss.told().unwrap().start_line.latest();
        let lost = loss.observed_loss.map_or(start, |seen| seen.at);
        for moment in [
            start + Span::from_millis(700),
            start + Span::from_secs(3),
            lost,
        ] {
            let then = session_until(&path, moment);
            let (by_all, by_then) = (
                whole.link_at(VEHICLE, moment).unwrap(),
                then.link_at(VEHICLE, moment).unwrap(),
            );
            assert_eq!(by_all.state, by_then.state, "{}", path.display());
            assert_eq!(by_all.prediction, by_then.prediction, "{}", path.display());
            compared += 1;
        }
    }
    assert!(compared > 0);
}

#[test]
fn the_strips_of_a_log_show_its_reports_and_the_countdown_that_they_start() {
    let mut seen = 0;
    for path in support::files("px4", "ulg") {
        let session = session_until(&path, Micros::MAX);
        let Some(loss) = session
            .link_losses(VEHICLE)
            .into_iter()
            .find(|l| l.observed_loss.is_some())
        else {
            continue;
        };
        let lost = loss.observed_loss.unwrap().at;
        let strips = session.link_strips(VEHICLE, lost - Span::from_secs(20), lost);
        let state_at = |at: Micros| {
            let mut segments = strips.flag.iter();
            segments
                .find(|s| s.from <= at && at < s.to)
                .map(|s| s.state)
        };
        let name = path.display();
        assert_eq!(
            state_at(lost - Span::from_secs(1)),
            Some(FlagState::False),
            "{name}"
        );
        assert!(
            strips.flag.iter().any(|s| s.state == FlagState::True),
            "{name}"
        );
        assert!(
            strips
                .reports
                .iter()
                .all(|r| r.origin == ReportOrigin::Logged),
            "{name}"
        );
        let last = strips.countdown.last().unwrap();
        assert!(last.earliest < Span::from_millis(100), "{name}: {last:?}");
        seen += 1;
    }
    assert!(seen > 0);
}
