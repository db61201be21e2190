//! Several recordings of one flight on one axis: clocks, evidence, and no guess where nothing fits.
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test"
)]

mod support;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use heartline::observation::{AlignmentMethod, ClockAlignment, Observation, PathId};
use heartline::rules::Verdict;
use heartline::session::{ClockRecord, Session, SessionSettings, align};
use heartline::source::tlog::read_tlog;
use heartline::source::{LogFile, MergeError, MergedLogs};
use heartline::time::Span;

fn merged(paths: &[&Path], nudge: Span) -> Result<Session, MergeError> {
    let files = paths.iter().map(|p| LogFile::open(p).unwrap()).collect();
    let mut session = Session::new(SessionSettings::default());
    MergedLogs::new(files, nudge)?.read(&mut || ControlFlow::Continue(()), &mut |observation| {
        session.observe(&observation);
        ControlFlow::Continue(())
    })?;
    Ok(session)
}

fn only_alignment(session: &Session) -> ClockAlignment {
    let mut all = session.recordings().alignments().values();
    let first = all.next().expect("is aligned").clone();
    assert_eq!(all.next(), None);
    first
}

/// A recording of the ground with the vehicle's own log of the same flight.
fn pairs(kind: &str, extension: &str) -> Vec<(PathBuf, PathBuf)> {
    support::files(kind, extension)
        .into_iter()
        .map(|log| (log.with_extension("tlog"), log))
        .filter(|(tlog, _)| tlog.exists())
        .collect()
}

#[test]
fn the_flag_that_px4_logged_lies_in_the_window_that_the_ground_gives() {
    let mut losses = 0;
    for (tlog, log) in pairs("px4", "ulg") {
        let name = log.display();
        if log.to_string_lossy().contains("s21_") {
            // A bench without any message that carries a time, disarmed and silent.
            let refused = merged(&[&tlog, &log], Span::ZERO);
            assert!(matches!(refused, Err(MergeError::Apart { .. })), "{name}");
            continue;
        }
        let session = merged(&[&tlog, &log], Span::ZERO).unwrap();
        let alignment = only_alignment(&session);
        assert_eq!(alignment.method, AlignmentMethod::BootTime, "{name}");
        assert!(
            alignment.residual <= Span::from_millis(5),
            "{name}: {alignment}"
        );
        assert!(alignment.agreeing >= 10, "{name}: {alignment}");
        assert_eq!(
            session.vehicles().count(),
            1,
            "{name}: one vehicle, not two"
        );

        let vehicle = session.vehicle(alignment.vehicle).unwrap();
        let (first, last) = (session.first().unwrap(), session.last().unwrap());
        let logged = vehicle.logged.connection_lost.changes();
        let start = logged.first().map_or(first, |(at, _)| *at);
        let found = session.link_losses(alignment.vehicle);
        for (at, _) in logged
            .iter()
            .filter(|(at, lost)| *lost && *at > start && *at < last)
        {
            let seen: Vec<_> = found
                .iter()
                .filter(|l| l.observed_loss.as_ref().is_some_and(|o| o.at == *at))
                .collect();
            assert_eq!(
                seen.len(),
                1,
                "{name}: one incident for the flag set at {at:?}"
            );
            assert_eq!(seen[0].verdict, Verdict::Inside, "{name}");
            losses += 1;
        }
    }
    assert!(losses >= 2);
}

#[test]
fn the_failsafe_that_ardupilot_logged_lies_in_the_window_that_the_ground_gives() {
    for (tlog, log) in pairs("ardupilot", "BIN") {
        let name = log.display();
        let session = merged(&[&tlog, &log], Span::ZERO).unwrap();
        let alignment = only_alignment(&session);
        assert!(
            alignment.residual <= Span::from_millis(30),
            "{name}: {alignment}"
        );
        assert!(
            alignment.agreeing > 0 || !alignment.assumed.is_empty(),
            "{name}: what is not proven is told: {alignment}"
        );
        let found = session.link_losses(alignment.vehicle);
        for loss in &found {
            assert!(
                !matches!(loss.verdict, Verdict::Outside(_)),
                "{name}: {}",
                loss.verdict
            );
        }
        let vehicle = session.vehicle(alignment.vehicle).unwrap();
        // What the log holds from before the ground's record began has no silence to belong to.
        let heard = session.talkers().get(alignment.vehicle).unwrap().first;
        let failsafes = vehicle
            .logged
            .errors
            .iter()
            .filter(|e| e.1 == 8 && e.2 != 0);
        for (at, ..) in failsafes.filter(|(at, ..)| *at > heard) {
            let seen = |l: &&heartline::rules::LinkLoss| {
                l.observed_loss.as_ref().is_some_and(|o| o.at == *at)
            };
            assert_eq!(found.iter().filter(seen).count(), 1, "{name} at {at:?}");
        }
    }
}

fn s06() -> (PathBuf, PathBuf) {
    pairs("px4", "ulg")
        .into_iter()
        .find(|(tlog, _)| tlog.to_string_lossy().contains("s06_"))
        .unwrap()
}

#[test]
fn a_nudge_by_hand_moves_the_log_and_is_told() {
    let (tlog, log) = s06();
    let session = merged(&[&tlog, &log], Span::from_secs(2)).unwrap();
    let alignment = only_alignment(&session);
    assert_eq!(alignment.nudge, Span::from_secs(2));
    assert!(alignment.to_string().contains("moved by hand by 2.000 s"));
    let losses = session.link_losses(alignment.vehicle);
    assert!(
        losses
            .iter()
            .any(|l| matches!(l.verdict, Verdict::Outside(_))),
        "a log moved by two seconds contradicts the window"
    );
}

#[test]
fn the_order_in_which_files_are_named_does_not_matter() {
    let (tlog, log) = s06();
    let one = merged(&[&tlog, &log], Span::ZERO).unwrap();
    let other = merged(&[&log, &tlog], Span::ZERO).unwrap();
    assert_eq!(only_alignment(&one), only_alignment(&other));
    assert_eq!(one.observations(), other.observations());
}

#[test]
fn logs_of_different_flights_are_refused() {
    let (_, log) = s06();
    let stranger = support::files("px4", "tlog").into_iter().next().unwrap();
    let refused = merged(&[&stranger, &log], Span::ZERO).unwrap_err();
    assert!(matches!(refused, MergeError::Apart { .. }), "{refused}");
    assert!(refused.to_string().contains("same flight?"), "{refused}");
    let alone = merged(&[&log, &log], Span::ZERO).unwrap_err();
    assert!(matches!(alone, MergeError::NoGround), "{alone}");
}

#[test]
fn a_listener_that_leaves_stops_all_readers() {
    let (tlog, log) = s06();
    let files = [&tlog, &log].map(|p| LogFile::open(p).unwrap());
    let mut taken = 0;
    MergedLogs::new(files.into(), Span::ZERO)
        .unwrap()
        .read(&mut || ControlFlow::Continue(()), &mut |_| {
            taken += 1;
            if taken == 100 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })
        .unwrap();
    assert_eq!(taken, 100);
}

#[test]
fn two_radios_of_one_flight_share_the_vehicles_clock() {
    let named = |part: &str| {
        support::files("px4", "tlog")
            .into_iter()
            .find(|p| p.to_string_lossy().contains(part))
            .unwrap()
    };
    let (one, two) = (named("twolinks_T10_hold.tlog"), named("link1.tlog"));
    let session = merged(&[&one, &two], Span::ZERO).unwrap();
    let alignment = only_alignment(&session);
    assert!(!alignment.on_board);
    assert!(
        alignment.offset.abs() < Span::from_millis(20),
        "{alignment}"
    );
    let losses = session.link_losses(alignment.vehicle);
    let [loss] = losses.as_slice() else {
        panic!("{} losses", losses.len());
    };
    assert_eq!(loss.verdict, Verdict::Inside);
    assert_eq!(
        loss.last_heartbeat_from.system, 250,
        "the station of the second radio spoke last"
    );
}

/// The same recording once more as another computer's, whose clock is ahead.
#[test]
fn what_two_radios_delivered_counts_once() {
    let (tlog, _) = s06();
    let first = support::observations_of(&tlog);
    let ahead = Span::from_millis(7_345);
    let second = |o: &Observation| Observation {
        at: o.at + ahead,
        path: PathId(1),
        what: o.what.clone(),
    };
    let record = |observations: &mut dyn Iterator<Item = Observation>| {
        let mut record = ClockRecord::default();
        observations.for_each(|o| record.note(&o));
        record
    };
    let ground = record(&mut first.iter().cloned());
    let other = record(&mut first.iter().map(second));
    let alignment = align(&ground, &other).unwrap();
    assert!((alignment.offset + ahead).abs() < Span::from_millis(2));

    let mut session = Session::new(SessionSettings::default());
    let announced = alignment.announcement("second".to_owned(), false);
    session.observe(&Observation {
        at: first[0].at,
        path: PathId(1),
        what: heartline::observation::Sighting::Aligned(Box::new(announced)),
    });
    for observation in &first {
        session.observe(observation);
        let mut again = second(observation);
        again.at = alignment.carry(again.at);
        session.observe(&again);
    }
    let alone = support::session_of(&tlog);
    assert_eq!(session.recordings().doubles_on(PathId(1)), alone.frames());
    for talker in alone.talkers().iter() {
        let both = session.talkers().get(talker.talker).unwrap();
        assert_eq!(both.heartbeats.len(), talker.heartbeats.len());
        assert_eq!(
            both.lost_frames(),
            talker.lost_frames() * 2,
            "each path has its own"
        );
    }
}

#[test]
fn reading_nothing_of_a_clock_is_no_alignment() {
    let (tlog, _) = s06();
    let bytes = std::fs::read(&tlog).unwrap();
    let mut ground = ClockRecord::default();
    read_tlog(&bytes, PathId::default(), &mut |o| {
        ground.note(&o);
        ControlFlow::Continue(())
    })
    .unwrap();
    let error = align(&ground, &ClockRecord::default()).unwrap_err();
    assert!(
        error.to_string().contains("no vehicle is in both"),
        "{error}"
    );
}
