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
use heartline::rules::ardupilot::VehicleKind;
use heartline::rules::ekf::{
    Cause, CounterTrack, EkfEpisode, EkfFact, EkfRule, EkfSighting, EkfText, Truth,
};
use heartline::rules::firmware::FirmwareVersion;
use heartline::rules::{Parameters, Provenance, Verdict};
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
    files.sort_by_key(|path| path.file_name().map(ToOwned::to_owned));
    files.dedup_by_key(|path| path.file_name().map(ToOwned::to_owned));
    files
}

/// A run with an on-board record of the EKF check, or `None` for the others.
fn load(json: &Path) -> Option<Run> {
    let truth: Value = serde_json::from_slice(&std::fs::read(json).unwrap()).unwrap();
    let onboard = truth.get("ekf_onboard")?;
    let rate = truth["sim_over_wall_rate"].as_f64().unwrap_or(1.0);
    if (rate - 1.0).abs() > 0.01 {
        // The mapping of clocks below is one offset.
        return None;
    }
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
        dense: truth["ekf_status_report_mean_hz_sim"]
            .as_f64()
            .is_some_and(|hertz| hertz > 8.0),
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

/// The windows of an episode's trip: by the rule as it is known, and under each hypothesis.
fn trip_windows(episode: &EkfEpisode) -> impl Iterator<Item = Bounds> + '_ {
    let candidates = episode.candidates.iter().map(|c| c.trip);
    std::iter::once(episode.predicted_trip)
        .chain(candidates)
        .flatten()
}

fn clear_windows(episode: &EkfEpisode) -> impl Iterator<Item = Bounds> + '_ {
    let candidates = episode.candidates.iter().map(|c| c.clear);
    std::iter::once(episode.predicted_clear)
        .chain(candidates)
        .flatten()
}

/// Every window must hold the truth; the narrowest one says how well it is known.
fn check_windows(name: &str, what: &str, windows: impl Iterator<Item = Bounds>, truth: Micros) {
    let windows: Vec<Bounds> = windows.collect();
    let narrowest = windows
        .iter()
        .min_by_key(|w| w.width())
        .unwrap_or_else(|| panic!("{name}: {what} at {truth:?} has no window"));
    for window in &windows {
        assert!(
            window.widened(MAPPING).contains(truth),
            "{name}: {what} at {truth:?} is outside {}",
            show(Some(*window))
        );
    }
    println!(
        "{name:34} {what:5} at {:8.3}  window {}  middle off by {:6.3} s",
        truth.as_micros() as f64 / 1e6,
        show(Some(*narrowest)),
        (narrowest.middle() - truth).abs().as_secs_f64()
    );
    // Clear-cut: the window is not opened by ratios that jump around the threshold.
    if narrowest.width() <= Span::from_millis(600) {
        let off = (narrowest.middle() - truth).abs();
        assert!(
            off <= Span::from_millis(200),
            "{name}: {what} off by {off:?}"
        );
    }
}

#[test]
fn at_ten_hertz_every_trip_and_clear_lies_in_its_window() {
    for run in runs().iter().filter(|r| r.dense) {
        let track = CounterTrack::run(run.rule.clone(), &run.sightings);
        for &trip in &run.trips {
            let episode = episode_of(&track, trip)
                .unwrap_or_else(|| panic!("{}: trip at {trip:?} not found", run.name));
            assert!(
                episode.observed_trip.is_some(),
                "{}: {episode:#?}",
                run.name
            );
            assert_eq!(episode.verdict, Verdict::Inside, "{}", run.name);
            check_windows(&run.name, "trip", trip_windows(episode), trip);
            if let Some(&clear) = run.clears.iter().find(|c| **c > trip) {
                check_windows(&run.name, "clear", clear_windows(episode), clear);
                let seen = episode
                    .observed_clear
                    .as_ref()
                    .unwrap_or_else(|| panic!("{}: no evidence of the clear", run.name));
                let window = Bounds::new(seen.at - seen.resolution, seen.at);
                assert!(window.widened(MAPPING).contains(clear), "{}", run.name);
            }
        }
    }
}

#[test]
fn nothing_certain_is_claimed_that_did_not_happen() {
    for run in runs() {
        // All the reports, and what is left of them at lower rates, from every first report.
        for keep in [1, 2, 3, 5, 10] {
            for first in 0..keep {
                let sightings = thinned(&run.sightings, keep, first);
                let track = CounterTrack::run(run.rule.clone(), &sightings);
                assert_honest(&run, &track, keep);
            }
        }
    }
}

/// Every `keep`th report only.
fn thinned(sightings: &[EkfSighting], keep: usize, first: usize) -> Vec<EkfSighting> {
    let mut n = 0;
    sightings
        .iter()
        .filter(|s| {
            if matches!(s.fact, EkfFact::Report(_)) {
                n += 1;
                (n - 1) % keep == first
            } else {
                true
            }
        })
        .copied()
        .collect()
}

fn assert_honest(run: &Run, track: &CounterTrack, keep: usize) {
    let name = format!("{} every {keep}", run.name);
    for episode in track.episodes() {
        let truly = |window: Bounds| run.trips.iter().any(|t| window.contains(*t));
        if let (true, Some(window)) = (episode.certain, episode.predicted_trip) {
            assert!(truly(window.widened(MAPPING)), "{name}: {episode:#?}");
        }
        for candidate in episode.candidates.iter().filter(|c| c.certain) {
            let window = candidate.trip.unwrap();
            assert!(truly(window.widened(MAPPING)), "{name}: {candidate:#?}");
        }
        assert!(
            !run.trips.is_empty() || episode.observed_trip.is_none(),
            "{name}"
        );
    }
    for &trip in &run.trips {
        let (_, high, tripped) = count_at(track, trip + MAPPING).unwrap();
        assert!(
            high == track.rule().limit() && tripped.possible(),
            "{name}: no trip possible at {trip:?}"
        );
    }
}

#[test]
fn the_count_that_the_log_gives_lies_inside_the_interval() {
    for run in runs().iter().filter(|r| r.dense) {
        let track = CounterTrack::run(run.rule.clone(), &run.sightings);
        let (mut outside, mut all, mut width) = (0, 0, 0);
        for pair in run.counts.windows(2) {
            let [(from, count), (to, _)] = *pair else {
                continue;
            };
            let mut at = from - Span::from_millis(50);
            while at + Span::from_millis(100) < to {
                at += Span::from_millis(100);
                let Some((low, high, _)) = count_at(&track, at) else {
                    continue;
                };
                all += 1;
                width += u32::from(high - low);
                outside += u32::from(count < low || high < count);
            }
        }
        println!(
            "{:34} {outside} of {all} outside, mean width {:.2}",
            run.name,
            f64::from(width) / f64::from(all.max(1))
        );
        // The log's own reconstruction is good to a tick.
        assert!(outside * 50 <= all, "{}: {outside} of {all}", run.name);
    }
}

#[test]
fn near_misses_leave_no_episode_that_was_not_open() {
    for run in runs().iter().filter(|r| r.dense && r.trips.is_empty()) {
        let track = CounterTrack::run(run.rule.clone(), &run.sightings);
        for episode in track.episodes() {
            println!("{}: possible {}", run.name, show(episode.predicted_trip));
            assert!(
                !episode.certain && episode.observed_trip.is_none(),
                "{}",
                run.name
            );
        }
    }
}

#[test]
fn the_cause_and_the_action_are_named() {
    let expected = [
        ("rover_ekf_01_verr_1hz", Cause::VelocityTwice, "Hold"),
        (
            "rover_ekf_03_mag_glitch_10hz",
            Cause::CompassAndPosition,
            "Hold",
        ),
        ("rover_ekf_nm4_noise", Cause::VelocityTwice, "Hold"),
        (
            "copter_ekf_01_mag_glitch_10hz",
            Cause::CompassAndPosition,
            "Land",
        ),
    ];
    for run in runs() {
        let Some((_, cause, action)) = expected.iter().find(|(name, ..)| *name == run.name) else {
            continue;
        };
        let track = CounterTrack::run(run.rule.clone(), &run.sightings);
        let episode = episode_of(&track, run.trips[0]).unwrap();
        assert_eq!(episode.cause, *cause, "{}", run.name);
        assert_eq!(
            episode.would_act.as_ref().unwrap().name,
            *action,
            "{}",
            run.name
        );
    }
}

#[test]
fn a_what_if_answers_from_the_same_sightings() {
    let run = runs()
        .into_iter()
        .find(|r| r.name == "rover_ekf_nm4_noise")
        .unwrap();
    let certain = |threshold: f32| {
        let rule = run.rule.clone().with_threshold(threshold);
        let track = CounterTrack::run(rule, &run.sightings);
        track.episodes().iter().filter(|e| e.certain).count()
    };
    assert_eq!(certain(0.0), 0, "zero switches the check off");
    assert!(certain(0.4) >= 1);
    assert_eq!(certain(5.0), 0);
}
