//! The check run again from what vehicles logged, against their own record of every trip and clear.
//!
//! `*.check.csv` holds, from the DataFlash log of the same name, the primary lane's XKF4 ratios where they
//! change (status: its low ten bits), and the records of the check: instant in microseconds, kind, fields.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failing test should say so"
)]

use std::path::{Path, PathBuf};

use heartline::observation::LoggedFact;
use heartline::rules::Parameters;
use heartline::rules::ardupilot::VehicleKind;
use heartline::rules::ekf::{CheckEvent, EkfRule, LogReplay, ReplayedCheck};
use heartline::rules::firmware::FirmwareVersion;
use heartline::time::{Micros, Span};

fn extracts() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/ardupilot");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(".check.csv"))
        .collect();
    files.sort();
    assert!(files.len() >= 6);
    files
}

fn rule(name: &str) -> EkfRule {
    let kind = if name.starts_with("copter") {
        VehicleKind::Copter
    } else {
        VehicleKind::Rover
    };
    let minor = if name.starts_with("rover43") { 3 } else { 6 };
    let version = FirmwareVersion {
        major: 4,
        minor,
        patch: 0,
    };
    EkfRule::select(kind, Some(version), &Parameters::default(), Micros::MAX)
}

fn fact(fields: &[&str]) -> LoggedFact {
    let float = |n: usize| fields[n].parse::<f32>().unwrap();
    let byte = |n: usize| fields[n].parse::<u8>().unwrap();
    match fields[1] {
        "XKF4" => LoggedFact::InnovationRatios {
            core: 0,
            velocity: float(2),
            position: float(3),
            height: 0.0,
            compass: float(4),
            airspeed: 0.0,
            status: fields[5].parse().unwrap(),
            primary: 0,
        },
        "ERR" => LoggedFact::Error {
            subsystem: byte(2),
            code: byte(3),
        },
        "ARM" => LoggedFact::Armed(fields[2] == "1"),
        "MODE" => LoggedFact::Mode {
            mode: byte(2),
            reason: byte(3),
        },
        "MSG" => LoggedFact::Text {
            severity: 2,
            text: fields[2].into(),
        },
        "PARM" => LoggedFact::Parameter {
            name: fields[2].into(),
            value: fields[3].parse().unwrap(),
        },
        other => panic!("{other}"),
    }
}

fn replay(path: &Path, rule: EkfRule) -> ReplayedCheck {
    let mut replay = LogReplay::new(rule);
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let fields: Vec<&str> = line.split(',').collect();
        let at = Micros::from_micros(fields[0].parse().unwrap());
        replay.observe(at, &fact(&fields));
    }
    replay.finish()
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

#[test]
fn every_logged_trip_and_clear_is_met_at_its_own_check() {
    for path in extracts() {
        let name = name_of(&path);
        let replayed = replay(&path, rule(&name));
        assert_eq!(replayed.unexplained, [], "{name}");
        assert!(!replayed.changes.is_empty(), "{name}");
        for change in &replayed.changes {
            let logged = change
                .logged
                .unwrap_or_else(|| panic!("{name}: {change:?}"));
            assert!(
                (change.at - logged).abs() < Span::from_millis(2),
                "{name}: {change:?}"
            );
        }
    }
}

#[test]
fn with_velocity_counted_once_a_velocity_trip_is_not_met() {
    let path = extracts()
        .into_iter()
        .find(|p| name_of(p).contains("nm4_noise"))
        .unwrap();
    let older = rule("rover43");
    let replayed = replay(&path, older);
    assert!(replayed.changes.is_empty());
    assert_eq!(replayed.unexplained.len(), 2, "a trip and a clear");
}

#[test]
fn a_lower_threshold_trips_no_later() {
    for path in extracts() {
        let name = name_of(&path);
        let first_trip = |threshold: f32| {
            replay(&path, rule(&name).with_threshold(threshold))
                .changes
                .iter()
                .find(|c| c.event == CheckEvent::Tripped)
                .map(|c| c.at)
        };
        let usual = first_trip(0.8).unwrap();
        assert!(first_trip(0.6).unwrap() <= usual, "{name}");
        assert_eq!(first_trip(0.0), None, "{name}: zero is off");
    }
}
