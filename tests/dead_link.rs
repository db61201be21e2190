//! A link that dies both ways while the ground station goes on: its heartbeats look as if all were well.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

#[path = "support/flight.rs"]
mod flight;

use flight::{Flight, VEHICLE, seconds};
use heartline::observation::{Autopilot, MavType, SystemStatus};
use heartline::report::{Clock, Findings, Report, ReportSource, Sheet, text};
use heartline::rules::Verdict;
use heartline::session::LinkState;
use heartline::time::{Micros, Span};

/// The last heartbeat that was sent while the vehicle was still heard, in seconds.
const LAST: u32 = 60;

fn px4() -> Flight {
    Flight::new(Autopilot::PX4, MavType(2), 0x0404_0000)
}

fn copter() -> Flight {
    let mut flight = Flight::new(Autopilot::ARDUPILOT, MavType(2), 4);
    flight
        .parameter(0.4, "FS_GCS_ENABLE", 1.0)
        .parameter(0.4, "FS_GCS_TIMEOUT", 5.0)
        .parameter(0.4, "SYSID_MYGCS", 255.0);
    flight
}

/// The vehicle falls silent after [`LAST`], and is heard again after `hole` seconds; the ground station
/// goes on throughout.
fn dead_for(mut flight: Flight, hole: u32, afterwards: SystemStatus) -> Flight {
    flight.ground(0, LAST + hole + 20);
    flight.vehicle(0, LAST + 1, SystemStatus::ACTIVE);
    // Other frames are back before the first heartbeat.
    flight.text(f64::from(LAST + hole) - 0.4, "Hello again");
    flight.vehicle(LAST + hole, LAST + hole + 20, afterwards);
    flight
}

fn after_last(at: Micros) -> Span {
    at - seconds(f64::from(LAST))
}

#[test]
fn the_other_reading_is_told_while_the_vehicle_is_not_heard() {
    // PX4 alone with its ground station: 2.25 s and COM_DL_LOSS_T; Copter: FS_GCS_TIMEOUT.
    for (flight, earliest, latest) in [(px4(), 10_000, 12_330), (copter(), 5_000, 5_400)] {
        let session = dead_for(flight, 40, SystemStatus::ACTIVE).session();
        let at = |after: f64| {
            let view = session.link_at(VEHICLE, seconds(f64::from(LAST) + after));
            view.unwrap()
        };
        assert_eq!(at(3.5).doubt, None, "a beat or two may be lost");
        let view = at(8.5);
        assert_eq!(view.state, LinkState::Present, "as far as the record goes");
        let window = view.doubt.unwrap().predicted_loss().unwrap();
        assert!(after_last(window.earliest()) >= Span::from_millis(earliest));
        assert!(
            after_last(window.latest()) <= Span::from_millis(latest),
            "{window:?}"
        );
        assert_eq!(at(45.0).doubt, None, "it is heard again");
    }
}

#[test]
fn a_record_tells_what_may_have_happened_unheard_and_claims_nothing() {
    for flight in [px4, copter] {
        for (afterwards, word) in [
            (SystemStatus::CRITICAL, "shows a failsafe since"),
            (SystemStatus::ACTIVE, "shows no failsafe since"),
        ] {
            let session = dead_for(flight(), 40, afterwards).session();
            let doubts = session.link_doubts(VEHICLE);
            assert_eq!(doubts.len(), 1, "{doubts:#?}");
            let Verdict::CannotTell(why) = &doubts[0].verdict else {
                panic!("{:?}", doubts[0].verdict);
            };
            assert!(why.contains(word), "{why}");
            assert_eq!(session.link_losses(VEHICLE), [], "no silence was recorded");
        }
    }
}

#[test]
fn there_is_nothing_to_doubt_in_a_short_hole_or_a_real_silence() {
    let short = dead_for(px4(), 9, SystemStatus::ACTIVE).session();
    assert_eq!(short.link_doubts(VEHICLE), []);
    let mut silent = px4();
    silent.ground(0, LAST + 1).ground(LAST + 40, LAST + 60);
    silent.vehicle(0, LAST + 1, SystemStatus::ACTIVE);
    silent.vehicle(LAST + 40, LAST + 60, SystemStatus::CRITICAL);
    let silent = silent.session();
    assert_eq!(silent.link_doubts(VEHICLE), []);
    assert_eq!(silent.link_losses(VEHICLE).len(), 1);
    let view = silent.link_at(VEHICLE, seconds(f64::from(LAST) + 8.0));
    assert_eq!(view.unwrap().doubt, None, "the plain countdown says it all");
}

#[test]
fn a_report_tells_the_doubt_beside_the_losses_and_not_among_them() {
    let session = dead_for(px4(), 40, SystemStatus::CRITICAL).session();
    let source = ReportSource {
        path: "flight".to_owned(),
        kind: "tlog",
        bytes: 0,
    };
    let clock = Clock::of(session.first(), jiff::tz::TimeZone::UTC);
    let findings = Findings::of(&source, &session);
    let report = Report::of(&findings, &clock);
    let vehicle = &report.vehicles[0];
    assert_eq!(
        (vehicle.link_losses.len(), vehicle.link_doubts.len()),
        (0, 1)
    );
    let sheet = text(&Sheet::of(&findings, &report, &clock));
    assert!(sheet.contains("May have been lost unheard"), "{sheet}");
    assert!(sheet.contains("shows a failsafe since"), "{sheet}");
}
