//! A way up that is dead while the way down and the ground station go on: the vehicle's receive counter
//! stands still. Built, because no recording lasts as long.
#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "support/flight.rs"]
mod flight;

use flight::{Flight, GCS, VEHICLE, seconds};
use heartline::observation::{Autopilot, CommandAck, MavType, Message, SystemStatus, Talker};
use heartline::session::{LinkState, UplinkProof, UplinkState};

/// The last heartbeat that arrived, in seconds.
const LAST: u32 = 60;

/// `until` seconds, of which the ground's heartbeats arrive up to the one at [`LAST`].
fn flight(until: u32) -> Flight {
    let mut flight = Flight::new(Autopilot::PX4, MavType(2), 0x0404_0000);
    flight.ground(0, until);
    flight.vehicle(0, until, SystemStatus::ACTIVE);
    for second in 0..until {
        flight.counter(f64::from(second) + 0.5, second.min(LAST) + 1);
    }
    flight
}

#[test]
fn a_heartbeat_sent_into_a_dead_uplink_is_never_taken_for_arrived() {
    // Past every length for which heartbeats could be looked at in one piece.
    let session = flight(400).session();
    // Just after a heartbeat of which no reading tells yet, and just before the next one.
    let moments = [5, 30, 70, 130, 300].map(|after| [(after, 0.1), (after, 0.9)]);
    for (after, part) in moments.into_iter().flatten() {
        let at = seconds(f64::from(LAST + after) + part);
        let view = session.link_at(VEHICLE, at).unwrap();
        assert_eq!(
            view.last_counted.map(|(_, at)| at),
            Some(seconds(f64::from(LAST))),
            "{after} s after the last that arrived"
        );
        assert_eq!(view.uplink.state(at), UplinkState::CounterStopped);
        if after > 13 {
            assert!(
                matches!(view.state, LinkState::Lost { .. }),
                "{:?}",
                view.state
            );
        }
    }
}

#[test]
fn a_rise_across_a_hole_is_no_proof_that_the_ground_is_heard() {
    let proofs = |flight: &mut Flight| {
        let session = flight.session();
        session.vehicle(VEHICLE).unwrap().uplink_proofs.clone()
    };
    let mut flight = flight(LAST);
    let before = proofs(&mut flight);
    assert!(before.len() > 10, "every second proves it");
    // Ten seconds of nothing, in which somebody else's frames may have been counted.
    flight.counter(f64::from(LAST + 10), LAST + 10);
    assert_eq!(proofs(&mut flight), before);
    flight.ground(LAST + 11, LAST + 12);
    flight.counter(f64::from(LAST + 11) + 0.5, LAST + 11);
    let last = proofs(&mut flight).last().copied();
    assert!(
        matches!(last, Some((_, UplinkProof::ReceiveCounter(1)))),
        "{last:?}"
    );
}

#[test]
fn only_an_answer_to_a_ground_station_that_was_seen_proves_the_way_up() {
    let proof_of = |message: Message, id: u32| {
        let mut flight = Flight::new(Autopilot::PX4, MavType(2), 0x0404_0000);
        flight.ground(0, 5);
        flight.vehicle(0, 5, SystemStatus::ACTIVE);
        flight.frame(5.5, VEHICLE, id, message);
        let session = flight.session();
        let vehicle = session.vehicle(VEHICLE).unwrap();
        vehicle.uplink_proofs.last().map(|(_, proof)| *proof)
    };
    let acknowledged = |target| {
        let ack = CommandAck {
            command: 400,
            result: 0,
            target,
        };
        proof_of(Message::CommandAck(ack), 77)
    };
    let pinged = |target| {
        let ping = Message::Ping {
            sequence: 1,
            target,
        };
        proof_of(ping, 4)
    };
    assert_eq!(acknowledged(GCS), Some(UplinkProof::CommandAck));
    assert_eq!(pinged(GCS), Some(UplinkProof::RoundTrip));
    // Nobody in particular, a stranger, a companion that never said to be a ground station.
    for target in [
        Talker::new(0, 0),
        Talker::new(250, 190),
        Talker::new(1, 191),
    ] {
        assert_eq!(acknowledged(target), None, "{target}");
        assert_eq!(pinged(target), None, "{target}");
    }
}

#[test]
fn where_readings_are_missing_any_of_the_last_heartbeats_may_have_been_the_last_to_arrive() {
    let mut flight = Flight::new(Autopilot::PX4, MavType(2), 0x0404_0000);
    let until = LAST + 40;
    flight.ground(0, until);
    flight.vehicle(0, until, SystemStatus::ACTIVE);
    // The readings around the moment at which the way up dies are lost on the way down.
    for second in (0..LAST - 2).chain(LAST + 4..until) {
        flight.counter(f64::from(second) + 0.5, second.min(LAST) + 1);
    }
    let session = flight.session();
    let losses = session.link_losses(VEHICLE);
    assert_eq!(losses.len(), 1, "{losses:#?}");
    let window = losses[0].predicted_loss().unwrap();
    // The loss that follows from the heartbeat that did arrive is not left out, whatever the release: the
    // counter came with v1.12.
    for after in [10.76, 12.26] {
        assert!(
            window.contains(seconds(f64::from(LAST) + after)),
            "{after} in {window:?}"
        );
    }
    assert!(losses[0].candidates.len() <= 4);
    let conditions = losses[0].candidates.iter().map(|c| c.condition.as_str());
    assert!(
        conditions.into_iter().all(|c| c.contains("heartbeat")),
        "{:?}",
        losses[0].candidates
    );
    // Live it is the same question.
    let view = session
        .link_at(VEHICLE, seconds(f64::from(LAST) + 9.0))
        .unwrap();
    assert_eq!(view.prediction.unwrap().predicted_loss(), Some(window));
}
