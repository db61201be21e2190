//! The built-in incident, from the ground's side: the session must find what the scenario's own truth
//! says, with the race that the ground cannot decide.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test")]

use heartline::observation::Talker;
use heartline::rules::{LinkLoss, StepKind, Verdict};
use heartline::session::{LinkState, Session, SessionSettings, Without};
use heartline::source::scenario::{Flight, find};
use heartline::time::{Micros, Span};

const VEHICLE: Talker = Talker::new(1, 1);
const GCS: Talker = Talker::new(255, 190);

fn flown() -> (Flight, Session) {
    let flight = Flight::fly(&find("inc-0143").unwrap()).unwrap();
    let mut session = Session::new(SessionSettings::default());
    for observation in &flight.observations {
        session.observe(observation);
    }
    (flight, session)
}

fn last_heartbeat(flight: &Flight) -> Micros {
    flight.start + Span::from_millis(16_412)
}

#[test]
fn the_incident_is_found_with_both_candidates() {
    let (flight, session) = flown();
    let losses: Vec<LinkLoss> = session
        .link_losses(VEHICLE)
        .into_iter()
        .filter(LinkLoss::happened)
        .collect();
    let [loss] = losses.as_slice() else {
        panic!("one loss, found {losses:#?}");
    };
    let h = last_heartbeat(&flight);
    let after = |at: Micros| (at - h).as_micros();
    assert_eq!(loss.last_heartbeat_from, GCS);
    assert_eq!(loss.verdict, Verdict::Inside);
    assert_eq!(loss.candidates.len(), 2);
    let first = &loss.candidates[0];
    assert!(first.start_line.contains(h + Span::from_millis(1_874)));
    assert!(
        first
            .flag_false
            .unwrap()
            .contains(h + Span::from_millis(2_872))
    );
    assert!(first.loss.contains(h + Span::from_millis(11_881)));
    // Its telemetry is thin, so that the sending loop may be a slow one.
    assert!(first.loss.width() <= Span::from_millis(30));
    let second = &loss.candidates[1];
    assert!((12_870_000..12_890_000).contains(&after(second.loss.earliest())));
    let observed = loss.observed_loss.as_ref().unwrap();
    assert!(
        first
            .loss
            .widened(Span::from_millis(2))
            .contains(observed.at)
    );
    let action = loss.predicted_action.as_ref().unwrap();
    assert_eq!(action.name, "Hold");
    let seen = loss.observed_action.as_ref().unwrap();
    assert_eq!(seen.name, "Hold");
    assert!(action.at.widened(Span::from_millis(2)).contains(seen.at));
    let kinds: Vec<StepKind> = loss.explanation.steps.iter().map(|s| s.kind).collect();
    for kind in [
        StepKind::GroundHeartbeat,
        StepKind::StillPresent,
        StepKind::StartLine,
        StepKind::Absent,
        StepKind::Loss,
        StepKind::Action,
        StepKind::Regained,
    ] {
        assert!(kinds.contains(&kind), "{kind:?} missing in {kinds:?}");
    }
}

#[test]
fn the_view_follows_the_incident() {
    let (flight, session) = flown();
    let h = last_heartbeat(&flight);
    let at = |seconds: f64| {
        let at = h + Span::from_secs_f64(seconds).unwrap();
        session.link_at(VEHICLE, at).unwrap()
    };
    let before = at(0.3);
    assert_eq!(before.state, LinkState::Present);
    let (earliest, latest) = before.remaining.unwrap();
    assert!(
        earliest > Span::from_secs(11) && latest < Span::from_secs(14),
        "{before:#?}"
    );

    let counting = at(8.7);
    assert_eq!(counting.state, LinkState::Counting);
    let (earliest, _) = counting.remaining.unwrap();
    assert!(
        (earliest - Span::from_millis(3_172)).abs() < Span::from_millis(10),
        "{earliest:?}"
    );
    let gcs = counting.counted.iter().find(|c| c.talker == GCS).unwrap();
    assert!(gcs.counts);
    assert!(matches!(gcs.without, Without::LostIn(..)));

    let lost = at(13.5);
    assert!(
        matches!(lost.state, LinkState::Lost { proven: true, .. }),
        "{:?}",
        lost.state
    );
    assert!(lost.in_failsafe);

    let back = at(23.0);
    assert_eq!(back.state, LinkState::Present);
}
