//! Failsafes that have nothing to do with the link, beside a silence of the ground station: they are not
//! claimed for it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

#[path = "support/flight.rs"]
mod flight;

use flight::{Flight, VEHICLE};
use heartline::observation::{Autopilot, MavType, SystemStatus};
use heartline::rules::{LinkLoss, Verdict};

/// The last heartbeat of the ground, in seconds.
const LAST: u32 = 60;
/// PX4's `failsafe_enter`, and its arguments: user mode, action, cause.
const FAILSAFE_ENTER: u32 = 26_528_394;
const RETURN: u8 = 6;
const GCS_CONNECTION_LOSS: u8 = 2;
const BATTERY_CRITICAL: u8 = 4;

/// The vehicle is heard throughout, and shows a failsafe from `since` on.
fn silence(mut flight: Flight, since: u32) -> Flight {
    flight.ground(0, LAST + 1);
    flight.vehicle(0, since, SystemStatus::ACTIVE);
    flight.vehicle(since, LAST + 40, SystemStatus::CRITICAL);
    flight
}

fn only_loss(flight: &mut Flight) -> LinkLoss {
    let losses = flight.session().link_losses(VEHICLE);
    assert_eq!(losses.len(), 1, "{losses:#?}");
    losses.into_iter().next().unwrap()
}

#[test]
fn a_battery_failsafe_of_px4_is_not_taken_for_a_link_loss() {
    let with_cause = |cause| {
        let flight = Flight::new(Autopilot::PX4, MavType(2), 0x0404_0000);
        let mut flight = silence(flight, LAST + 12);
        flight.event(
            f64::from(LAST) + 12.26,
            FAILSAFE_ENTER,
            &[0, 0, 4, 4, RETURN, cause],
        );
        only_loss(&mut flight)
    };
    let battery = with_cause(BATTERY_CRITICAL);
    assert_eq!(battery.observed_loss, None);
    assert_eq!(battery.observed_action, None);
    let Verdict::AnotherFailsafe(which) = &battery.verdict else {
        panic!("{:?}", battery.verdict);
    };
    assert!(which.contains("critically low battery"), "{which}");
    assert!(which.contains("Return"), "{which}");
    // The same with the link to blame, as the control.
    let link = with_cause(GCS_CONNECTION_LOSS);
    assert_eq!(link.verdict, Verdict::Inside);
    assert_eq!(link.observed_action.unwrap().name, "Return");
}

#[test]
fn a_rover_that_lost_its_rc_first_announces_no_second_failsafe() {
    let announced_after = |seconds: f64, text: &str| {
        let mut flight = Flight::new(Autopilot::ARDUPILOT, MavType(10), 0);
        flight
            .parameter(0.4, "FS_GCS_ENABLE", 1.0)
            .parameter(0.4, "FS_GCS_TIMEOUT", 5.0);
        let mut flight = silence(flight, LAST + seconds as u32 + 1);
        flight.text(f64::from(LAST) + seconds, text);
        only_loss(&mut flight)
    };
    let rc = announced_after(2.3, "Radio Failsafe");
    assert_eq!(rc.observed_loss, None);
    assert!(
        matches!(&rc.verdict, Verdict::AnotherFailsafe(which) if which.contains("Radio Failsafe")),
        "{:?}",
        rc.verdict
    );
    let battery = announced_after(6.55, "Battery 1 is low 10.40V used 2000 mAh");
    assert!(
        matches!(battery.verdict, Verdict::AnotherFailsafe(_)),
        "{:?}",
        battery.verdict
    );
    // The same words when the link is due: Rover's name for it.
    let link = announced_after(6.55, "Radio Failsafe");
    assert_eq!(link.verdict, Verdict::Inside);
}
