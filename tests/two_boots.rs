//! Two flights in one recording: the vehicle's clock begins at zero again.
#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use heartline::observation::{Observation, Talker};
use heartline::session::{Session, SessionSettings};
use heartline::time::{Micros, Span};

const VEHICLE: Talker = Talker::new(1, 1);

fn trips(observations: &[Observation]) -> Vec<Micros> {
    let mut session = Session::new(SessionSettings::default());
    for observation in observations {
        session.observe(observation);
    }
    session
        .ekf_episodes(VEHICLE)
        .iter()
        .filter_map(|episode| Some(episode.trip()?.earliest()))
        .collect()
}

#[test]
fn the_ekf_failsafe_of_the_first_flight_stays_in_the_first() {
    let path = support::files("ardupilot", "tlog")
        .into_iter()
        .find(|path| path.to_string_lossy().contains("rover_ekf_03"))
        .unwrap();
    let first = support::observations_of(&path);
    let alone = trips(&first);
    assert!(!alone.is_empty());

    let later = Span::from_secs(600);
    let second = first.iter().cloned().map(|o| Observation {
        at: o.at + later,
        ..o
    });
    let both: Vec<Observation> = first.iter().cloned().chain(second).collect();
    let expected: Vec<Micros> = alone
        .iter()
        .copied()
        .chain(alone.iter().map(|at| *at + later))
        .collect();
    assert_eq!(trips(&both), expected);
}
