//! Parameters that change in flight: each moment is judged by what was in force then.
#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "support/flight.rs"]
mod flight;

use flight::{Flight, VEHICLE, seconds};
use heartline::observation::{Autopilot, MavType, SystemStatus};
use heartline::time::Span;

fn rover() -> Flight {
    Flight::new(Autopilot::ARDUPILOT, MavType(10), 10)
}

#[test]
fn an_ekf_threshold_counts_from_its_change_on() {
    let mut flight = rover();
    flight.vehicle(0, 100, SystemStatus::ACTIVE);
    // The same upset twice, once above the threshold and once below the new one.
    flight
        .ratios(0, 30, 0.1)
        .ratios(30, 34, 0.7)
        .ratios(34, 60, 0.1);
    flight.ratios(60, 64, 0.7).ratios(64, 100, 0.1);
    flight.parameter(1.0, "FS_EKF_THRESH", 0.6);
    let trips = |flight: &mut Flight| -> Vec<f64> {
        let episodes = flight.session().ekf_episodes(VEHICLE);
        episodes
            .iter()
            .filter_map(|e| Some((e.trip()?.earliest() - seconds(0.0)).as_micros() as f64 / 1e6))
            .collect()
    };
    let both = trips(&mut flight);
    assert_eq!(both.len(), 2, "{both:?}");
    flight.parameter(50.0, "FS_EKF_THRESH", 0.8);
    let first = trips(&mut flight);
    assert_eq!(first, both[..1], "raised before the second upset");
}

#[test]
fn the_countdown_of_each_silence_is_that_of_the_time_out_in_force() {
    let mut flight = rover();
    flight.parameter(0.5, "FS_GCS_ENABLE", 1.0);
    flight.parameter(0.5, "FS_THR_ENABLE", 0.0);
    flight.parameter(0.5, "FS_TIMEOUT", 1.0);
    flight.parameter(0.5, "FS_GCS_TIMEOUT", 5.0);
    flight.parameter(60.5, "FS_GCS_TIMEOUT", 20.0);
    flight.ground(0, 100);
    flight.vehicle(0, 100, SystemStatus::ACTIVE);
    let session = flight.session();
    let strips = session.link_strips(VEHICLE, seconds(0.0), seconds(99.0));
    let full_at = |at: f64| {
        let points = strips.countdown.iter().filter(|p| p.at <= seconds(at));
        points.map(|p| (p.at, p.earliest)).max().unwrap().1
    };
    assert_eq!(full_at(30.0), Span::from_secs(6));
    assert_eq!(full_at(80.0), Span::from_secs(21));
}
