//! ArduPilot's GCS failsafe predicted from recorded tlogs alone, against what the vehicles announced.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test; its figures are worth reading"
)]

mod support;

use heartline::observation::Autopilot;
use heartline::rules::{LinkLoss, Verdict};
use heartline::time::{Micros, Span};

/// How late a text may be written into the recording.
const TEXT: Span = Span::from_millis(50);
/// The widest rule (332.5 ms) and what the way to the vehicle adds.
const WIDEST: Span = Span::from_micros(332_500 + 50_000);

#[test]
fn every_announced_failsafe_lies_inside_its_window_and_silent_gaps_stay_silent() {
    let mut failures = Vec::new();
    let mut count = 0;
    for tlog in support::files("ardupilot", "tlog") {
        let name = tlog.file_stem().unwrap().to_string_lossy().into_owned();
        let truth = support::sidecar(&tlog);
        let session = support::session_of(&tlog);
        let vehicle = session
            .vehicles()
            .find(|v| v.autopilot == Autopilot::ARDUPILOT)
            .expect("an ArduPilot vehicle");
        let found: Vec<LinkLoss> = session
            .link_losses(vehicle.talker)
            .into_iter()
            .filter(LinkLoss::happened)
            .collect();
        let announced = truth["gcs_failsafes"].as_array().unwrap();
        if found.len() != announced.len() {
            failures.push(format!(
                "{name}: {} found, {} announced",
                found.len(),
                announced.len()
            ));
        }
        for (found, announced) in found.iter().zip(announced) {
            count += 1;
            let at = Micros::from_micros(announced["statustext_tlog_us"].as_i64().unwrap());
            let window = found.predicted_loss().unwrap();
            let speed = vehicle.clock.rate_at(at).unwrap_or(1.0).max(1.0);
            println!(
                "{name}: announced {:.3} s after the last counted message, window {:.3}..{:.3}, {:?}",
                (at - found.last_heartbeat.earliest()).as_secs_f64(),
                (window.earliest() - found.last_heartbeat.earliest()).as_secs_f64(),
                (window.latest() - found.last_heartbeat.earliest()).as_secs_f64(),
                found.verdict,
            );
            if window.distance_to(at) > TEXT {
                failures.push(format!(
                    "{name}: {at:?} is {:?} outside",
                    window.distance_to(at)
                ));
            }
            if found.verdict != Verdict::Inside {
                failures.push(format!("{name}: verdict {:?}", found.verdict));
            }
            if window.width().as_secs_f64() * speed > WIDEST.as_secs_f64() {
                failures.push(format!("{name}: a window of {:?}", window.width()));
            }
        }
    }
    println!("{count} failsafes");
    assert!(count > 0, "no recordings found");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
