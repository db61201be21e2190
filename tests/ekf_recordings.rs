//! The EKF counter as the ground knows it, against what recorded vehicles logged about themselves.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a failing test should say so, and the table of widths is worth reading"
)]

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use heartline::observation::{Message, PathId, Sighting};
use heartline::rules::ekf::{
    CounterTrack, EkfEpisode, EkfFact, EkfRule, EkfSighting, EkfText, FirmwareVersion, Truth,
    VehicleKind,
};
use heartline::rules::{Parameters, Provenance};
use heartline::source::tlog::read_tlog;
use heartline::time::{Bounds, Micros, Span};
use serde_json::Value;

/// The mapping from the recording's clock to the vehicle's is good to this.
const MAPPING: Span = Span::from_millis(20);

struct Run {
    name: String,
    rule: EkfRule,
    sightings: Vec<EkfSighting>,
    trips: Vec<Micros>,
    clears: Vec<Micros>,
    counts: Vec<(Micros, u8)>,
    /// Reports are dense enough that the count can be followed.
    dense: bool,
}

fn recordings() -> Vec<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let more = std::env::var("HEARTLINE_ACCEPTANCE").unwrap_or_default();
    let mut files: Vec<PathBuf> = std::iter::once(own)
        .chain(more.split(':').filter(|r| !r.is_empty()).map(PathBuf::from))
        .filter_map(|root| std::fs::read_dir(root.join("ardupilot")).ok())
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .collect();
    files.sort();
    files.dedup_by(|a, b| a.file_name() == b.file_name());
    files
}

/// A run with an on-board record of the EKF check, or `None` for the others.
fn load(json: &Path) -> Option<Run> {
    let truth: Value = serde_json::from_slice(&std::fs::read(json).unwrap()).unwrap();
    let onboard = truth.get("ekf_onboard")?;
    let rate = truth["sim_over_wall_rate"].as_f64().unwrap_or(1.0);
    assert!(
        (rate - 1.0).abs() < 0.01,
        "{}: not in real time",
        json.display()
    );
    let mut parameters = Parameters::default();
    for (name, value) in truth["parameters"].as_object().unwrap() {
        if let Some(value) = value.as_f64() {
            parameters.learn(
                name.as_str().into(),
                value,
                Provenance::Read,
                Micros::default(),
            );
        }
    }
    let kind = match truth["vehicle"].as_str().unwrap() {
        "rover" => VehicleKind::Rover,
        "copter" => VehicleKind::Copter,
        other => panic!("{other}"),
    };
    let version = version_of(truth["firmware"].as_str().unwrap());
    let rule = EkfRule::select(kind, Some(version), &parameters, Micros::MAX);
    let errors = |code: i64| {
        truth["dataflash_events"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|e| e["type"] == "ERR" && e["Subsys"] == 16 && e["ECode"] == code)
            .map(|e| Micros::from_micros(e["TimeUS"].as_i64().unwrap()))
            .collect()
    };
    let counts = onboard["reconstructed_fail_count_changes"]
        .as_array()
        .map(|changes| {
            changes
                .iter()
                .map(|c| {
                    let at = (c[0].as_f64().unwrap() * 1e6) as i64;
                    (Micros::from_micros(at), c[1].as_u64().unwrap() as u8)
                })
                .collect()
        })
        .unwrap_or_default();
    Some(Run {
        name: json.file_stem().unwrap().to_string_lossy().into_owned(),
        rule,
        sightings: sightings(&json.with_extension("tlog")),
        trips: errors(2),
        clears: errors(0),
        counts,
        dense: truth["ekf_status_report_mean_hz_sim"].as_f64().unwrap() > 8.0,
    })
}

/// From a banner such as `ArduRover V4.6.2 (1ebd4d99)`.
fn version_of(banner: &str) -> FirmwareVersion {
    let digits = banner.split('V').nth(1).unwrap();
    let mut parts = digits
        .split(|c: char| !c.is_ascii_digit())
        .map(|p| p.parse().unwrap_or(0));
    FirmwareVersion {
        major: parts.next().unwrap(),
        minor: parts.next().unwrap(),
        patch: parts.next().unwrap_or(0),
    }
}

fn sightings(tlog: &Path) -> Vec<EkfSighting> {
    let bytes = std::fs::read(tlog).unwrap();
    let mut offsets = Vec::new();
    let mut seen = Vec::new();
    let _ = read_tlog(&bytes, PathId(0), &mut |observation| {
        if let Sighting::Frame(frame) = observation.what
            && (frame.from.system, frame.from.component) == (1, 1)
        {
            let fact = match frame.message {
                Message::SystemTime { boot_ms, .. } | Message::BootClock { boot_ms } => {
                    offsets.push(observation.at.as_micros() - i64::from(boot_ms) * 1_000);
                    None
                }
                Message::EkfStatusReport(report) => Some(EkfFact::Report(report)),
                Message::Heartbeat(beat) => Some(EkfFact::Vehicle {
                    armed: beat.armed(),
                    mode: beat.custom_mode,
                    status: beat.system_status,
                }),
                Message::StatusText(text) => EkfText::recognise(&text.text).map(EkfFact::Text),
                _ => None,
            };
            seen.extend(fact.map(|fact| (observation.at, fact)));
        }
        ControlFlow::Continue(())
    })
    .unwrap();
    offsets.sort_unstable();
    let offset = Span::from_micros(offsets[offsets.len() / 2]);
    seen.into_iter()
        .map(|(at, fact)| EkfSighting {
            at: at - offset,
            fact,
        })
        .collect()
}

fn runs() -> Vec<Run> {
    let runs: Vec<Run> = recordings().iter().filter_map(|p| load(p)).collect();
    assert!(runs.len() >= 7, "the recordings of tests/data are missing");
    runs
}

fn episode_of(track: &CounterTrack, trip: Micros) -> Option<&EkfEpisode> {
    track
        .episodes()
        .iter()
        .find(|e| e.trip().is_some_and(|b| b.widened(MAPPING).contains(trip)))
}

fn show(bounds: Option<Bounds>) -> String {
    bounds.map_or_else(
        || "none".into(),
        |b| {
            format!(
                "{:.3}+{:.3}",
                b.earliest().as_micros() as f64 / 1e6,
                b.width().as_secs_f64()
            )
        },
    )
}

/// The count's interval at `at`.
fn count_at(track: &CounterTrack, at: Micros) -> Option<(u8, u8, Truth)> {
    let n = track.points().partition_point(|p| p.at <= at);
    let point = track.points().get(n.checked_sub(1)?)?;
    Some((point.low, point.high, point.tripped))
}

#[test]
fn every_trip_and_clear_at_ten_hertz_lies_in_its_window() {
    for run in runs() {
        let track = CounterTrack::run(run.rule.clone(), &run.sightings);
        println!("{} phase {:?}", run.name, track.tick_phase());
        for e in track.episodes() {
            println!(
                "   trip {} certain {} seen {:?} | clear {} certain {} seen {:?} | {} | {:?} | {:?}",
                show(e.predicted_trip),
                e.certain,
                e.observed_trip.as_ref().map(|o| o.at.as_micros()),
                show(e.predicted_clear),
                e.clear_certain,
                e.observed_clear.as_ref().map(|o| o.at.as_micros()),
                e.cause.words(),
                e.would_act.as_ref().map(|w| w.name),
                e.verdict,
            );
        }
        for e in track.episodes() {
            for c in &e.candidates {
                println!(
                    "     if {}: {} {} clear {}",
                    c.condition,
                    show(c.trip),
                    c.certain,
                    show(c.clear)
                );
            }
        }
        println!("   true {:?} {:?}", run.trips, run.clears);
        if !run.dense {
            continue;
        }
        for trip in &run.trips {
            let ok = episode_of(&track, *trip).is_some_and(|e| {
                e.predicted_trip
                    .is_some_and(|b| b.widened(MAPPING).contains(*trip))
            });
            if !ok {
                println!("   MISSED trip {trip:?}");
            }
        }
        for clear in &run.clears {
            let ok = track.episodes().iter().any(|e| {
                e.predicted_clear
                    .is_some_and(|b| b.widened(MAPPING).contains(*clear))
            });
            if !ok {
                println!("   MISSED clear {clear:?}");
            }
        }
        // counts
        let mut bad = 0;
        let mut n = 0;
        for w in run.counts.windows(2) {
            let mut at = w[0].0 + Span::from_millis(1);
            while at < w[1].0 {
                if let Some((low, high, _)) = count_at(&track, at) {
                    n += 1;
                    if w[0].1 < low || w[0].1 > high {
                        bad += 1;
                    }
                }
                at += Span::from_millis(100);
            }
        }
        println!("   counts outside {bad} of {n}");
    }
}
