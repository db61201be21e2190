//! The rule of ArduPilot's GCS failsafe alone, in the vehicle's own time, against what was recorded on board:
//! when it fired, what it was called, what was done, and when it cleared. No tlog and no clock mapping of
//! ours takes part.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test; its figures are worth reading"
)]

mod support;

use heartline::observation::MavType;
use heartline::rules::ardupilot::{
    GapOutcome, GcsRule, GcsText, GcsWindow, VehicleKind, gcs_text, modes,
};
use heartline::rules::firmware::FirmwareVersion;
use heartline::rules::{Parameter, Provenance};
use heartline::time::{Bounds, Micros, Span};
use serde_json::Value;

/// How far off the sidecar's delays are: a text's way into the recording and the estimate of the clock.
const TOLERANCE: Span = Span::from_millis(50);

/// How far off the sidecar's own times of the vehicle's clock are, as it says itself.
const CLOCK: Span = Span::from_millis(20);

/// A recorded run, without its frames.
struct Run {
    name: String,
    truth: Value,
    kind: VehicleKind,
    rule: GcsRule,
    /// From the vehicle's log, in its time.
    modes: Vec<(Micros, u32)>,
}

/// Every recording with its facts, those of other failsafes left out.
fn runs() -> Vec<Run> {
    let runs: Vec<Run> = support::files("ardupilot", "json")
        .iter()
        .filter_map(|file| run(file))
        .collect();
    assert!(!runs.is_empty(), "no recordings found");
    runs
}

fn run(file: &std::path::Path) -> Option<Run> {
    let name = file.file_stem()?.to_string_lossy().into_owned();
    let truth: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).ok()?;
    truth["gcs_failsafes"].as_array()?;
    let mav_type = MavType(u8::try_from(truth["mav_type"].as_u64()?).unwrap());
    let banner = truth["firmware"].as_str()?;
    let kind = VehicleKind::from_banner(banner)?;
    assert_eq!(VehicleKind::from_mav_type(mav_type), Some(kind), "{name}");
    let version = FirmwareVersion::find_in(banner).expect("a banner carries the version");
    let rule = GcsRule::select(kind, (version.major, version.minor), &|parameter| {
        Some(Parameter {
            value: truth["parameters"][parameter].as_f64()?,
            provenance: Provenance::Log,
            at: None,
        })
    });
    let mut modes: Vec<(Micros, u32)> = truth["dataflash_events"]
        .as_array()?
        .iter()
        .filter(|event| event["type"] == "MODE")
        .filter_map(|event| {
            let mode = u32::try_from(event["ModeNum"].as_u64()?).ok()?;
            Some((Micros::from_micros(event["TimeUS"].as_i64()?), mode))
        })
        .collect();
    // Stable: of two in one turn of the loop the later one stands.
    modes.sort_by_key(|(since, _)| *since);
    Some(Run {
        name,
        truth,
        kind,
        rule,
        modes,
    })
}

impl Run {
    fn failsafes(&self) -> &[Value] {
        self.truth["gcs_failsafes"].as_array().unwrap()
    }

    fn speed(&self) -> f64 {
        self.truth["sim_over_wall_rate"].as_f64().unwrap()
    }
}

/// When the vehicle logged the announcement, and when, that long before, it had last counted a message.
fn fired_and_heard(failsafe: &Value) -> (Micros, Micros) {
    let fired = Micros::from_micros(failsafe["dataflash_MSG_TimeUS"].as_i64().unwrap());
    let delay = Span::from_secs_f64(failsafe["delay_sim_s"].as_f64().unwrap()).unwrap();
    (fired, fired - delay)
}

#[test]
fn every_recorded_failsafe_lies_inside_the_window_of_its_rule() {
    let mut failures = Vec::new();
    let mut count = 0;
    for run in runs() {
        for failsafe in run.failsafes() {
            count += 1;
            let (fired, heard) = fired_and_heard(failsafe);
            let window = run.rule.window(Bounds::exact(heard), &run.modes, fired);
            let GcsWindow::Fires { at, .. } = window else {
                failures.push(format!("{}: silent at {fired:?}: {window:?}", run.name));
                continue;
            };
            println!(
                "{}: {:.3} s after the last counted message, window {:.3}..{:.3}",
                run.name,
                (fired - heard).as_secs_f64(),
                (at.earliest() - heard).as_secs_f64(),
                (at.latest() - heard).as_secs_f64(),
            );
            if at.distance_to(fired) > TOLERANCE {
                failures.push(format!("{}: {fired:?} outside {at:?}", run.name));
            }
            if at.width() > run.rule.latest_delay + TOLERANCE {
                failures.push(format!("{}: a window of {:?}", run.name, at.width()));
            }
        }
    }
    println!("{count} failsafes");
    assert!(count > 0, "no failsafes in the recordings");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_announcement_is_understood_and_every_action_foretold() {
    let mut actions = 0;
    for run in runs() {
        for failsafe in run.failsafes() {
            let text = failsafe["statustext"].as_str().unwrap();
            let understood = gcs_text(run.kind, text);
            assert!(
                matches!(understood, Some(GcsText::Fired { .. })),
                "{}: {text}",
                run.name
            );
            // These vehicles are armed exactly where the failsafe changed the mode. A mode that was set in
            // the same turn of the loop stands before the failsafe's own.
            let changed_at = failsafe["dataflash_MODE_TimeUS"].as_i64();
            let (fired, _) = fired_and_heard(failsafe);
            let (before, entered) = match changed_at {
                Some(at) => {
                    let after = run
                        .modes
                        .partition_point(|(since, _)| since.as_micros() <= at);
                    (after - 1, Some(run.modes[after - 1].1))
                }
                None => (
                    run.modes.partition_point(|(since, _)| *since <= fired),
                    None,
                ),
            };
            let mode = before.checked_sub(1).map(|i| run.modes[i].1);
            let foretold = run.rule.action_in(mode, Some(entered.is_some())).name;
            let seen = entered.and_then(|mode| modes::mode_name(run.kind, mode));
            if entered.is_some() || run.kind == VehicleKind::Copter {
                assert_eq!(foretold, seen, "{}", run.name);
                actions += 1;
            }
        }
    }
    assert!(actions > 0, "no action in the recordings");
}

#[test]
fn every_recorded_end_lies_where_the_rule_has_it() {
    let mut count = 0;
    for run in runs() {
        for failsafe in run.failsafes() {
            let Some(delay) = failsafe["clear_delay_wall_s"].as_f64() else {
                continue;
            };
            // The delay is the wall's; the check's period is the vehicle's.
            let delay = Span::from_secs_f64(delay * run.speed().max(1.0)).unwrap();
            let first = Micros::from_micros(0);
            let window = run.rule.clears(Bounds::exact(first)).expect("clears");
            assert!(
                window.distance_to(first + delay) <= TOLERANCE,
                "{}: cleared after {delay:?}, window {window:?}",
                run.name
            );
            count += 1;
        }
    }
    println!("{count} ends");
    assert!(count > 0, "no ends in the recordings");
}

#[test]
fn every_recorded_gap_is_silent_or_fires_as_it_did() {
    let (mut silent, mut fired) = (0, 0);
    for run in runs().iter().filter(|run| run.name.contains("gaps")) {
        let ended: Vec<(f64, f64)> = run.truth["timeline"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|entry| {
                let text = entry["what"].as_str()?;
                let seconds = text.strip_prefix("gap of ")?.split_whitespace().next()?;
                Some((entry["boot_s_estimate"].as_f64()?, seconds.parse().ok()?))
            })
            .collect();
        for (end, seconds) in ended {
            let at = |seconds| Micros::from_micros(0) + Span::from_secs_f64(seconds).unwrap();
            let outcome = run.rule.gap(
                Bounds::exact(at(end - seconds)).widened(CLOCK),
                Some(Bounds::exact(at(end)).widened(CLOCK)),
                &run.modes,
                at(end),
            );
            let happened = run.failsafes().iter().any(|failsafe| {
                let (fired, _) = fired_and_heard(failsafe);
                fired > at(end - seconds) && fired <= at(end)
            });
            match (&outcome, happened) {
                (GapOutcome::Silent(_), false) => silent += 1,
                (GapOutcome::Certain(_), true) => fired += 1,
                _ => panic!("{}: {seconds} s: {outcome:?}, fired: {happened}", run.name),
            }
        }
    }
    println!("{silent} silent gaps, {fired} that fired");
    assert!(silent > 0 && fired > 0, "the recordings hold both");
}
