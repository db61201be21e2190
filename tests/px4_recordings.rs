//! PX4 link losses predicted from recorded tlogs alone, against the vehicle's own log.
//!
//! The truth beside each recording was read from the vehicle's ULog. Claims: every loss lies inside one
//! candidate window, none is reported where none happened, and the windows are narrow.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test; its figures are worth reading"
)]

mod support;

use heartline::observation::{Autopilot, Observation, Sighting};
use heartline::rules::LinkLoss;
use heartline::session::{Session, SessionSettings};
use heartline::time::{Micros, Span};
use serde_json::Value;

/// How well the truth is mapped from the vehicle's clock to the recording's.
const CLOCK_MAPPING: Span = Span::from_millis(12);
/// The widest candidate at real time.
const WIDEST: Span = Span::from_millis(60);
/// What half of the candidates stay under.
const MEDIAN: Span = Span::from_millis(40);

struct TrueLoss {
    at: Micros,
    actions: Vec<(String, Micros)>,
}

/// The true losses on the recording's clock. A run in real time has one offset between the clocks; in a
/// simulation at another speed the arrival of the vehicle's own announcement ties them.
fn true_losses(truth: &Value, real_time: bool) -> Vec<TrueLoss> {
    let losses = truth["losses"].as_array().expect("losses");
    let rate = if real_time {
        1.0
    } else {
        truth["clock"]["vehicle_rate_vs_wall"].as_f64().unwrap()
    };
    losses
        .iter()
        .map(|loss| {
            let offset = if real_time {
                loss["tlog_minus_ulog_us"].as_i64().unwrap()
            } else {
                let announced = loss["received"].as_array().unwrap();
                let event = announced
                    .iter()
                    .find(|r| r["event_name"] == "commander_gcs_lost" && r["link"] == 0)
                    .expect("announced");
                event["tlog_us"].as_i64().unwrap()
                    - loss["gcs_connection_lost_vehicle_status_ulog_us"]
                        .as_i64()
                        .unwrap()
            };
            let at = loss["gcs_connection_lost_vehicle_status_ulog_us"]
                .as_i64()
                .unwrap();
            let actions = loss["nav_state_changes_after_loss"].as_array();
            TrueLoss {
                at: Micros::from_micros(at + offset),
                actions: actions
                    .into_iter()
                    .flatten()
                    .map(|change| {
                        let name = match change["nav_state"].as_i64().unwrap() {
                            4 => "Hold",
                            5 => "Return",
                            18 => "Land",
                            _ => "other",
                        };
                        // The vehicle's clock runs as fast as the simulator lets it.
                        let later = change["ulog_us"].as_i64().unwrap() - at;
                        let later = (later as f64 / rate) as i64;
                        (name.to_owned(), Micros::from_micros(at + offset + later))
                    })
                    .collect(),
            }
        })
        .collect()
}

fn losses(session: &Session) -> Vec<LinkLoss> {
    let vehicle = session
        .vehicles()
        .find(|v| v.autopilot == Autopilot::PX4)
        .expect("a PX4 vehicle");
    let mut losses = session.link_losses(vehicle.talker);
    losses.retain(LinkLoss::happened);
    losses
}

#[test]
fn every_recorded_loss_lies_inside_a_narrow_window() {
    let mut widths = Vec::new();
    let mut failures = Vec::new();
    let mut count = 0;
    for tlog in support::files("px4", "tlog") {
        let name = tlog.file_stem().unwrap().to_string_lossy().into_owned();
        if name.ends_with("_link1") {
            continue; // the second port of a run whose truth stands beside the first
        }
        let truth = support::sidecar(&tlog);
        let build = truth["firmware"]["build"].as_str().unwrap_or_default();
        let real_time = !build.contains("lockstep") || build.contains("lockstep disabled");
        let session = support::session_of(&tlog);
        let found = losses(&session);
        let expected = true_losses(&truth, real_time);
        if found.len() != expected.len() {
            failures.push(format!(
                "{name}: {} losses, {} true",
                found.len(),
                expected.len()
            ));
        }
        for (found, expected) in found.iter().zip(&expected) {
            count += 1;
            let offset = |at: Micros| (at - found.last_heartbeat.earliest()).as_secs_f64();
            let distance = found
                .candidates
                .iter()
                .map(|c| c.loss.distance_to(expected.at))
                .min()
                .unwrap();
            let windows: Vec<_> = found
                .candidates
                .iter()
                .map(|c| {
                    format!(
                        "{:.3}..{:.3}",
                        offset(c.loss.earliest()),
                        offset(c.loss.latest())
                    )
                })
                .collect();
            println!(
                "{name}: true {:.3}, windows {}, {:?}",
                offset(expected.at),
                windows.join(" "),
                found.verdict
            );
            if distance > CLOCK_MAPPING {
                failures.push(format!(
                    "{name}: true {:.3}, off by {distance:?}, windows {windows:?}",
                    offset(expected.at)
                ));
            }
            if found.candidates.len() > 4 {
                failures.push(format!("{name}: {} candidates", found.candidates.len()));
            }
            for candidate in &found.candidates {
                widths.push(candidate.loss.width());
                if real_time && candidate.loss.width() > WIDEST {
                    failures.push(format!("{name}: width {:?}", candidate.loss.width()));
                }
            }
            if let Some((true_name, at)) = expected.actions.first() {
                let predicted = found.predicted_action.as_ref();
                let fits = predicted.is_some_and(|p| {
                    p.name == *true_name && p.at.distance_to(*at) <= CLOCK_MAPPING
                });
                if !fits {
                    failures.push(format!(
                        "{name}: {true_name} at {at:?}, predicted {predicted:?}"
                    ));
                }
            }
            if let Some((true_name, at)) = expected.actions.get(1) {
                let then = found.predicted_action.as_ref().and_then(|p| p.then.clone());
                let fits = then.as_ref().is_some_and(|(name, window)| {
                    name == true_name && window.distance_to(*at) <= CLOCK_MAPPING
                });
                if !fits {
                    failures.push(format!(
                        "{name}: then {true_name} at {at:?}, predicted {then:?}"
                    ));
                }
            }
        }
    }
    widths.sort();
    let median = widths[widths.len() / 2];
    println!(
        "{count} losses, median width {median:?}, widest {:?}",
        widths.last()
    );
    assert!(count > 0, "no recordings found");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(median <= MEDIAN, "median width {median:?}");
}

/// An uplink that dies while the ground station goes on sending: the recording then holds heartbeats that
/// never arrived, and only the vehicle's receive counter tells.
#[test]
fn heartbeats_that_were_sent_but_did_not_arrive_are_told_apart() {
    let names = [
        "s02_mission_gcsonly_T10_hold",
        "s04_mission_comp020_T10_hold",
    ];
    let recordings: Vec<_> = support::files("px4", "tlog")
        .into_iter()
        .filter(|path| names.iter().any(|n| path.file_stem().unwrap() == *n))
        .collect();
    assert!(!recordings.is_empty(), "no recordings found");
    for tlog in recordings {
        let truth = support::sidecar(&tlog);
        let loss = &truth["losses"][0];
        let cut = Micros::from_micros(loss["last_gcs_hb_tlog_us"].as_i64().unwrap());
        let regained = Micros::from_micros(loss["regain_first_hb_tlog_us"].as_i64().unwrap());
        let mut observations = support::observations_of(&tlog);
        let sample = observations
            .iter()
            .find(|o| o.at == cut && matches!(o.what, Sighting::Frame(_)))
            .expect("the last heartbeat is in the recording")
            .clone();
        for second in 1..60 {
            let at = cut + Span::from_secs(second);
            if at + Span::from_millis(500) < regained {
                observations.push(Observation {
                    at,
                    ..sample.clone()
                });
            }
        }
        observations.sort_by_key(|o| o.at);
        let mut session = Session::new(SessionSettings::default());
        for observation in &observations {
            session.observe(observation);
        }
        let found = losses(&session);
        let expected = true_losses(&truth, true);
        assert_eq!(found.len(), 1, "{}: {found:#?}", tlog.display());
        let inside = found[0]
            .candidates
            .iter()
            .any(|c| c.loss.distance_to(expected[0].at) <= CLOCK_MAPPING);
        assert!(inside, "{}: {:#?}", tlog.display(), found[0].candidates);
        assert!(found[0].candidates.len() <= 4);
    }
}
