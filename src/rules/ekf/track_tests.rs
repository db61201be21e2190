use super::*;
use crate::observation::{EkfFlags, EkfStatusReport, SystemStatus};
use crate::rules::Parameters;
use crate::rules::ardupilot::VehicleKind;
use crate::rules::firmware::FirmwareVersion;
use crate::time::{Bounds, Micros, Span};

fn rover() -> EkfRule {
    let version = FirmwareVersion {
        major: 4,
        minor: 6,
        patch: 2,
    };
    EkfRule::select(
        VehicleKind::Rover,
        Some(version),
        &Parameters::default(),
        Micros::MAX,
    )
}

fn report(millis: i64, velocity: f32) -> EkfSighting {
    EkfSighting {
        at: Micros::from_millis(millis),
        fact: EkfFact::Report(EkfStatusReport {
            velocity,
            position_horizontal: 0.1,
            position_vertical: 0.1,
            compass: 0.1,
            terrain: 0.0,
            airspeed: None,
            flags: EkfFlags(0x033f),
        }),
    }
}

fn beat(millis: i64, mode: u32, status: SystemStatus) -> EkfSighting {
    EkfSighting {
        at: Micros::from_millis(millis),
        fact: EkfFact::Vehicle {
            armed: true,
            mode,
            status,
        },
    }
}

/// Reports at 10 Hz and heartbeats at 1 Hz up to `end`; velocity over from `from` to `to`.
fn upset(end: i64, from: i64, to: i64) -> Vec<EkfSighting> {
    let mut seen = Vec::new();
    for millis in (0..end).step_by(100) {
        if millis % 1_000 == 0 {
            seen.push(beat(millis, 15, SystemStatus::ACTIVE));
        }
        let over = from <= millis && millis < to;
        seen.push(report(millis + 50, if over { 2.0 } else { 0.1 }));
    }
    seen
}

#[test]
fn the_countdown_ends_where_the_trip_is_then_predicted() {
    let seen = upset(5_600, 5_000, 9_000);
    let mut track = CounterTrack::new(rover());
    for sighting in &seen {
        track.observe(sighting);
    }
    let now = Micros::from_millis(5_560);
    let trip = track.trips_if_nothing_changes(now).unwrap();
    assert!(trip.width() <= Span::from_millis(260), "{trip:?}");
    // Over from some time after 4.95 to 5.05 s on: nine tenths to a whole second later.
    assert!(trip.contains(Micros::from_millis(5_950)), "{trip:?}");
    let estimate = track.estimate(now).unwrap();
    assert!(estimate.low >= 3 && estimate.high <= 7, "{estimate:?}");
    assert_eq!(estimate.tripped, Truth::No);
    let calm = upset(5_600, 9_000, 9_000);
    let mut track = CounterTrack::new(rover());
    for sighting in &calm {
        track.observe(sighting);
    }
    assert_eq!(track.trips_if_nothing_changes(now), None);
}

#[test]
fn a_trip_is_certain_by_the_rule_alone_and_a_short_upset_is_none() {
    let track = CounterTrack::run(rover(), &upset(5_900, 3_000, 5_000));
    let [episode] = track.episodes() else {
        panic!("{:?}", track.episodes());
    };
    assert!(episode.certain);
    assert_eq!(episode.cause, Cause::VelocityTwice);
    let hour = Span::from_secs(3_600);
    let later = episode.clone().on_timeline(|at| at + hour);
    assert_eq!(
        later.predicted_trip,
        episode.predicted_trip.map(|b| b + hour)
    );
    assert_eq!(
        later.explanation.steps[0].at.earliest(),
        episode.began + hour
    );
    let short = CounterTrack::run(rover(), &upset(9_000, 4_000, 4_700));
    assert_eq!(short.episodes(), []);
}

#[test]
fn a_text_without_a_visible_reason_is_kept_and_called_unexplained() {
    let mut seen = upset(12_000, 20_000, 20_000);
    seen.push(EkfSighting {
        at: Micros::from_millis(6_000),
        fact: EkfFact::Text(EkfText::Variance),
    });
    seen.sort_by_key(|s| s.at);
    let track = CounterTrack::run(rover(), &seen);
    let [episode] = track.episodes() else {
        panic!("{:?}", track.episodes());
    };
    assert_eq!(episode.cause, Cause::Unexplained);
    assert_eq!(episode.predicted_trip, None);
    assert_eq!(
        episode.trip(),
        Some(Bounds::new(
            Micros::from_millis(5_900),
            Micros::from_millis(6_000)
        ))
    );
}

#[test]
fn a_restart_begins_anew_and_is_counted() {
    let mut seen = upset(8_000, 9_000, 9_000);
    seen.extend(upset(8_000, 9_000, 9_000));
    let track = CounterTrack::run(rover(), &seen);
    assert_eq!(track.restarts(), 1);
    assert_eq!(track.episodes(), []);
}

#[test]
fn a_hole_of_an_hour_costs_nothing_and_leaves_the_count_open() {
    let mut seen = upset(5_000, 9_000, 9_000);
    seen.extend(upset(5_000, 9_000, 9_000).into_iter().map(|s| EkfSighting {
        at: s.at + Span::from_secs(3_600),
        ..s
    }));
    let track = CounterTrack::run(rover(), &seen);
    let open = track
        .points()
        .iter()
        .any(|p| (p.low, p.high) == (0, 10) && p.at > Micros::from_millis(3_000));
    assert!(open);
    let last = track.points().last().unwrap();
    assert_eq!((last.low, last.high), (0, 0));
    assert!(track.points().len() < 100);
}
