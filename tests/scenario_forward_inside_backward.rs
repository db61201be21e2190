//! Random scenarios, flown (forward) and read by the session (backward): every loss that the simulated
//! vehicle declares lies in a window that the session gives from what the ground saw of it.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test")]

use heartline::observation::Talker;
use heartline::rules::px4::LoopTiming;
use heartline::session::{Session, SessionSettings};
use heartline::source::scenario::{
    Flight, ParameterSetting, Place, Scenario, ScenarioFirmware, ScenarioTalker, find,
};
use heartline::time::{Bounds, Micros, Span};
use proptest::prelude::*;

const VEHICLE: Talker = Talker::new(1, 1);

fn session_of(flight: &Flight) -> Session {
    let mut session = Session::new(SessionSettings::default());
    for observation in &flight.observations {
        session.observe(observation);
    }
    session
}

/// The windows of all losses that the session takes for possible.
fn windows(flight: &Flight) -> Vec<Bounds> {
    session_of(flight)
        .link_losses(VEHICLE)
        .iter()
        .flat_map(|loss| loss.candidates.iter().map(|c| c.loss))
        .collect()
}

/// The vehicle tells its time in whole milliseconds: no window on the ground is sharper.
const MILLISECOND: Span = Span::from_millis(1);

fn contains(windows: &[Bounds], at: Micros) -> bool {
    windows.iter().any(|w| w.widened(MILLISECOND).contains(at))
}

/// A built-in scenario under other circumstances; its ground station falls silent at `silent_s`.
fn changed(name: &str, seed: u64, first_s: f64, silent_s: f64) -> Scenario {
    let mut scenario = find(name).expect("is built in");
    scenario.seed = seed;
    scenario.vehicle.booted_before_start_s = 5.0;
    scenario.duration_s = 40.0;
    scenario.questions.clear();
    let ground = scenario.talkers.first_mut().expect("a ground station");
    ground.first_s = first_s;
    ground.silent_s = vec![(silent_s, 3_600.0)];
    scenario
}

fn companion(scenario: &Scenario, first_s: f64, period_s: f64, jitter_s: f64) -> ScenarioTalker {
    let mut talker = scenario.talkers.first().expect("a talker").clone();
    talker.system = 1;
    talker.component = 191;
    talker.kind = heartline::source::scenario::TalkerKind::Companion;
    talker.place = Some(Place::Between);
    talker.first_s = first_s;
    talker.period_s = period_s;
    talker.jitter_s = jitter_s;
    talker.silent_s.clear();
    talker
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn px4(
        seed in any::<u64>(),
        minor in prop_oneof![Just(12_u8), Just(13), Just(14), Just(16)],
        loss_t in 5_i32..12,
        first in 0.0_f64..1.0,
        silent in 10.0_f64..14.0,
        with in proptest::option::of((0.0_f64..1.0, 0.3_f64..2.0, 0.0_f64..0.02)),
        delay in prop_oneof![Just(0.000_4), 0.0_f64..0.1],
    ) {
        let mut scenario = changed("gcs-only", seed, first, silent);
        scenario.vehicle.firmware = ScenarioFirmware::Px4(1, minor, 0);
        let parameters = &mut scenario.vehicle.parameters;
        parameters.insert("COM_DL_LOSS_T".to_owned(), ParameterSetting::Integer(loss_t));
        if let Some((phase, period, jitter)) = with {
            let companion = companion(&scenario, phase, period, jitter);
            scenario.talkers.push(companion);
        }
        scenario.link.up.delay_s = delay;
        scenario.link.down.delay_s = delay;
        let flight = Flight::fly(&scenario).unwrap();
        let losses: Vec<Micros> = flight.truth.losses().map(|(at, _)| at).collect();
        prop_assert_eq!(losses.len(), 1);
        let windows = windows(&flight);
        for at in losses {
            let after = (at - flight.start).as_micros();
            prop_assert!(contains(&windows, at), "lost {} us after the start, {:?}", after, windows);
        }
    }

    #[test]
    fn ardupilot(
        seed in any::<u64>(),
        name in prop_oneof![Just("rover"), Just("copter")],
        timeout in 20_i32..80,
        hold in 10_i32..40,
        radio in 0_i32..2,
        first in 0.0_f64..1.0,
        silent in 10.0_f64..14.0,
        delay in prop_oneof![Just(0.000_4), 0.0_f64..0.1],
    ) {
        let mut scenario = changed(name, seed, first, silent);
        let parameters = &mut scenario.vehicle.parameters;
        let tenths = |tenths: i32| ParameterSetting::Real(tenths as f32 / 10.0);
        parameters.insert("FS_GCS_TIMEOUT".to_owned(), tenths(timeout));
        parameters.insert("FS_TIMEOUT".to_owned(), tenths(hold));
        parameters.insert("FS_THR_ENABLE".to_owned(), ParameterSetting::Integer(radio));
        scenario.link.up.delay_s = delay;
        scenario.link.down.delay_s = delay;
        let flight = Flight::fly(&scenario).unwrap();
        let losses: Vec<Micros> = flight.truth.losses().map(|(at, _)| at).collect();
        prop_assert_eq!(losses.len(), 1);
        let windows = windows(&flight);
        for at in losses {
            let after = (at - flight.start).as_micros();
            prop_assert!(contains(&windows, at), "lost {} us after the start, {:?}", after, windows);
        }
    }
}

/// Over many phases both ends of the session's window are attained within two turns of the loops.
#[test]
fn the_windows_are_attained() {
    // What these links carry leaves the sleep of PX4's sending loop open, while the one flown is that of a
    // fast link. Two of its turns lie between the last heartbeat and the timer.
    let slower = LoopTiming::for_data_rate(0).publisher - LoopTiming::FAST_LINK.publisher;
    let cases = [
        ("gcs-only", 10, slower * 2),
        ("rover", 20, Span::ZERO),
        ("copter", 3, Span::ZERO),
    ];
    for (name, turn_ms, not_flown) in cases {
        let slack = Span::from_millis(2 * turn_ms) + MILLISECOND;
        let (mut before, mut after) = (Span::MAX, Span::MAX);
        for seed in 0..300 {
            let scenario = changed(name, seed, 0.3 + seed as f64 * 0.002_1, 10.0);
            let flight = Flight::fly(&scenario).unwrap();
            let (at, _) = flight.truth.losses().next().expect("it is lost");
            let window = windows(&flight).into_iter().reduce(Bounds::hull).unwrap();
            before = before.min(at - window.earliest());
            after = after.min(window.latest() - at);
        }
        assert!(
            before <= slack,
            "{name}: never nearer to the earliest than {before:?}"
        );
        assert!(
            after <= slack + not_flown,
            "{name}: never nearer to the latest than {after:?}"
        );
    }
}
