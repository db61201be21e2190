//! A way up that is dead while the way down and the ground station go on: the vehicle's receive counter
//! stands still. Built, because no recording lasts as long.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use heartline::observation::{
    Autopilot, Direction, Frame, Heartbeat, LinkNodeStatus, MavType, Message, Observation, PathId,
    Sighting, SystemStatus, Talker,
};
use heartline::session::{LinkState, Session, SessionSettings, UplinkProof, UplinkState};
use heartline::time::{Micros, Span};

const VEHICLE: Talker = Talker::new(1, 1);
const GCS: Talker = Talker::new(255, 190);
/// The last heartbeat that arrived, in seconds.
const LAST: i64 = 60;

fn seconds(seconds: f64) -> Micros {
    Micros::from_micros(1_700_000_000_000_000) + Span::from_secs_f64(seconds).unwrap()
}

fn frame(at: f64, from: Talker, id: u32, message: Message) -> Observation {
    Observation {
        at: seconds(at),
        path: PathId(0),
        what: Sighting::Frame(Frame {
            from,
            sequence: 0,
            id,
            length: 21,
            direction: Direction::Unknown,
            signed: false,
            message,
        }),
    }
}

fn heartbeat(at: f64, from: Talker, mav_type: MavType, autopilot: Autopilot) -> Observation {
    let heartbeat = Heartbeat {
        mav_type,
        autopilot,
        base_mode: 128,
        custom_mode: 0x0404_0000,
        system_status: SystemStatus::ACTIVE,
    };
    frame(at, from, 0, Message::Heartbeat(heartbeat))
}

fn counter(at: f64, received: u32) -> Observation {
    let status = LinkNodeStatus {
        time_us: 0,
        messages_received: received,
        messages_lost: 0,
        rx_rate: 0,
        tx_rate: 0,
    };
    frame(at, VEHICLE, 8, Message::LinkNodeStatus(status))
}

/// `until` seconds, of which the ground's heartbeats arrive up to the one at [`LAST`].
fn session(until: i64) -> Session {
    let mut session = Session::new(SessionSettings::default());
    for second in 0..until {
        let at = second as f64;
        let counted = u32::try_from(second.min(LAST) + 1).unwrap();
        for observation in [
            heartbeat(at, GCS, MavType::GCS, Autopilot::INVALID),
            heartbeat(at + 0.3, VEHICLE, MavType(2), Autopilot::PX4),
            counter(at + 0.5, counted),
        ] {
            session.observe(&observation);
        }
    }
    session
}

#[test]
fn a_heartbeat_sent_into_a_dead_uplink_is_never_taken_for_arrived() {
    // Past every length for which heartbeats could be looked at in one piece.
    let session = session(400);
    for after in [5, 30, 70, 130, 300] {
        let at = seconds((LAST + after) as f64 + 0.9);
        let view = session.link_at(VEHICLE, at).unwrap();
        assert_eq!(
            view.last_counted.map(|(_, at)| at),
            Some(seconds(LAST as f64)),
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
    let mut session = session(LAST);
    let proofs = session.vehicle(VEHICLE).unwrap().uplink_proofs.len();
    assert!(proofs > 10, "every second proves it");
    // Ten seconds of nothing, in which somebody else's frames may have been counted.
    session.observe(&counter(
        (LAST + 10) as f64,
        u32::try_from(LAST).unwrap() + 10,
    ));
    let vehicle = session.vehicle(VEHICLE).unwrap();
    assert_eq!(vehicle.uplink_proofs.len(), proofs);
    session.observe(&heartbeat(
        (LAST + 10) as f64 + 0.2,
        GCS,
        MavType::GCS,
        Autopilot::INVALID,
    ));
    session.observe(&counter(
        (LAST + 11) as f64,
        u32::try_from(LAST).unwrap() + 11,
    ));
    let last = session
        .vehicle(VEHICLE)
        .unwrap()
        .uplink_proofs
        .last()
        .copied();
    assert!(
        matches!(last, Some((_, UplinkProof::ReceiveCounter(1)))),
        "{last:?}"
    );
}
