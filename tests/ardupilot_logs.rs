//! The EKF check run again from ArduPilot's own logs, against the trips and clears that the vehicle logged.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test; its figures are worth reading"
)]

mod support;

use std::ops::ControlFlow;

use heartline::observation::Talker;
use heartline::rules::ekf::CheckEvent;
use heartline::session::{Session, SessionSettings};
use heartline::source::LogFile;
use heartline::time::{Micros, Span};

const VEHICLE: Talker = Talker::new(1, 1);
/// Half a period of the check: its own tick.
const TICK: Span = Span::from_millis(50);
/// The farthest that any may be off.
const FARTHEST: Span = Span::from_millis(300);

#[test]
fn every_logged_trip_and_clear_is_met_at_its_own_tick() {
    let (mut all, mut at_tick) = (0, 0);
    let mut failures = Vec::new();
    for path in support::files("ardupilot", "BIN") {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let mut session = Session::new(SessionSettings::default());
        LogFile::open(&path)
            .and_then(|file| {
                file.read(&mut |observation| {
                    session.observe(&observation);
                    ControlFlow::Continue(())
                })
            })
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        let vehicle = session.vehicle(VEHICLE).expect("a vehicle");
        let logged: Vec<(Micros, bool)> = vehicle
            .logged
            .errors
            .iter()
            .filter(|(_, subsystem, _)| *subsystem == 16)
            .map(|(at, _, code)| (*at, *code == 2))
            .collect();
        let (_, replay) = session.ekf_replay(VEHICLE).expect("a log of the check");
        let changes: Vec<(Micros, bool)> = replay
            .changes
            .iter()
            .filter(|c| c.event != CheckEvent::Reset)
            .map(|c| (c.at, c.event == CheckEvent::Tripped))
            .collect();
        if changes.len() != logged.len() {
            failures.push(format!(
                "{name}: {} replayed, {} logged",
                changes.len(),
                logged.len()
            ));
        }
        for (logged, replayed) in logged.iter().zip(&changes) {
            all += 1;
            let off = (logged.0 - replayed.0).abs();
            at_tick += usize::from(off <= TICK);
            if logged.1 != replayed.1 || off > FARTHEST {
                failures.push(format!("{name}: {logged:?} replayed as {replayed:?}"));
            }
        }
        println!("{name}: {} trips and clears", logged.len());
    }
    println!("{at_tick} of {all} at their own tick");
    assert!(all > 0, "no trips in any log found");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(at_tick * 100 >= all * 95);
}
