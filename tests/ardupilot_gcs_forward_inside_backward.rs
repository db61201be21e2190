//! ArduPilot's GCS failsafe stepped as on board (forward form) against the windows that the ground computes
//! (backward form).
//!
//! Claim 1: whatever the phases, the lateness of the loop, the time-outs, the modes and the gap, what the
//! vehicle does is what the ground says of it. Claim 2: the windows are tight: over many phases both ends
//! are attained within two turns of the main loop and the lateness of its turns.

use heartline::rules::ardupilot::{
    GapOutcome, GcsChange, GcsFailsafe, GcsRule, GcsWindow, Release, VehicleKind,
};
use heartline::rules::{Parameter, Provenance};
use heartline::time::{Bounds, Micros, Span};
use proptest::prelude::*;

const ROVER_HOLD: u32 = 4;
const ROVER_MANUAL: u32 = 0;
/// No mode of any vehicle that exempts: AUTO of Rover and Plane, and not exempt elsewhere.
const AUTO: u32 = 10;

/// What the phases of one flight are; microseconds.
#[derive(Clone, Copy, Debug)]
struct Phases {
    /// Of the main loop against the message.
    turn: i64,
    /// Of the link check, in turns.
    link: i64,
    /// Of the RC check, in turns.
    radio: i64,
    /// How late a turn may begin.
    lateness: i64,
    seed: u64,
}

/// Flies a vehicle whose last counted message arrives at `heard`, and the next after `gap`, if any; gives
/// when the failsafe fired and when it cleared, with the next message's time as the limit for the first.
fn fly(
    rule: &GcsRule,
    phases: Phases,
    heard: i64,
    gap: Option<i64>,
    until: i64,
    mode: impl Fn(i64) -> u32,
) -> (Option<i64>, Option<i64>) {
    let turn = rule.loop_period.as_micros();
    let per = |period: Span| (period.as_micros() / turn).max(1);
    let (link, radio) = (per(rule.check_period), per(rule.evaluation_period));
    // It has just started, so that a Plane, which takes its start for a message, has nothing else to lose.
    let mut failsafe = GcsFailsafe::new(rule.clone(), Micros::from_micros(heard - turn));
    let mut arrivals = vec![heard];
    arrivals.extend(gap.map(|gap| heard + gap));
    let mut arrivals = arrivals.into_iter().peekable();
    let (mut fired, mut cleared) = (None, None);
    let mut noise = phases.seed | 1;
    // From just before the message: what was before does not matter.
    let first = (heard - phases.turn).div_euclid(turn);
    for count in first.. {
        // xorshift: only spread is needed, and the seed makes a failure repeatable.
        noise ^= noise << 13;
        noise ^= noise >> 7;
        noise ^= noise << 17;
        let late = (noise % (phases.lateness as u64 + 1)) as i64;
        let now = count * turn + phases.turn + late;
        if now > until {
            break;
        }
        let at = Micros::from_micros(now);
        while arrivals.next_if(|arrival| *arrival <= now).is_some() {
            failsafe.counted(at);
        }
        let mut changes = Vec::new();
        if rule.named_radio_failsafe && (count + phases.radio) % radio == 0 {
            changes.extend(failsafe.check_radio(at, mode(now), false));
        }
        if (count + phases.link) % link == 0 {
            changes.extend(failsafe.check_link(at, mode(now)));
        }
        for change in changes {
            match change {
                GcsChange::Fired { .. } => fired = fired.or(Some(now)),
                GcsChange::Cleared => cleared = cleared.or(Some(now)),
            }
        }
    }
    (fired, cleared)
}

fn rule(
    kind: VehicleKind,
    release: Release,
    timeout: f64,
    hold: f64,
    throttle: f64,
    rate: f64,
) -> GcsRule {
    GcsRule::select(kind, release, &|name| {
        let value = match name {
            "FS_GCS_ENABLE" | "FS_GCS_ENABL" => 1.0,
            "FS_GCS_TIMEOUT" | "FS_LONG_TIMEOUT" => timeout,
            "FS_TIMEOUT" => hold,
            "FS_THR_ENABLE" => throttle,
            "SCHED_LOOP_RATE" => rate,
            _ => return None,
        };
        Some(Parameter {
            value,
            provenance: Provenance::Read,
            at: None,
        })
    })
}

fn any_rule() -> impl Strategy<Value = GcsRule> {
    use VehicleKind::{Blimp, Copter, Plane, Rover, Sub};
    (
        prop_oneof![
            Just(Rover),
            Just(Copter),
            Just(Plane),
            Just(Sub),
            Just(Blimp)
        ],
        prop_oneof![Just((4, 0)), Just((4, 3)), Just((4, 6)), Just((4, 7))],
        20_i32..80,
        10_i32..40,
        any::<bool>(),
        // Rates whose turn is a whole number of microseconds, so that the test's clock is the vehicle's.
        prop_oneof![Just(50.0), Just(100.0), Just(200.0), Just(400.0)],
    )
        .prop_map(|(kind, release, timeout, hold, radio, rate)| {
            rule(
                kind,
                release,
                f64::from(timeout) / 10.0,
                f64::from(hold) / 10.0,
                f64::from(u8::from(radio)),
                rate,
            )
        })
}

fn any_phases() -> impl Strategy<Value = Phases> {
    (
        0_i64..40_000,
        0_i64..200,
        0_i64..200,
        0_i64..1_500,
        any::<u64>(),
    )
        .prop_map(|(turn, link, radio, lateness, seed)| Phases {
            turn,
            link,
            radio,
            lateness,
            seed,
        })
}

const HEARD: i64 = 10_000_000;

fn micros(at: i64) -> Micros {
    Micros::from_micros(at)
}

fn due(rule: &GcsRule) -> i64 {
    (rule.link_timeout + rule.hold_time).as_micros()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_the_vehicle_does_is_what_the_ground_says(
        rule in any_rule(),
        phases in any_phases(),
        gap in proptest::option::of(-600_000_i64..600_000),
        unsure in 0_i64..20_000,
    ) {
        // Around the instant at which it falls due, where the answer is hard.
        let gap = gap.map(|beside| due(&rule) + beside);
        // Long enough for every check, too short for a second silence.
        let until = HEARD + gap.map_or(due(&rule), |gap| gap) + 1_000_000;
        let (fired, cleared) = fly(&rule, phases, HEARD, gap, until, |_| AUTO);

        // The ground saw the messages up to `unsure` before they arrived; a turn begins up to its lateness
        // late, and so does the check within it.
        let seen = |arrived: i64| Bounds::new(micros(arrived - unsure), micros(arrived + phases.lateness));
        let modes = [(Micros::MIN, AUTO)];
        let outcome = rule.gap(seen(HEARD), gap.map(|gap| seen(HEARD + gap)), &modes, micros(until));
        let late = Span::from_micros(phases.lateness);
        let inside = |window: Bounds, at: i64| {
            window.later_by(-late, late * 2).contains(micros(at))
        };
        match (&outcome, fired) {
            (GapOutcome::Silent(_), fired) => prop_assert_eq!(fired, None),
            (GapOutcome::Possible(_), None) => {}
            (GapOutcome::Possible(window) | GapOutcome::Certain(window), Some(at)) => {
                prop_assert!(inside(*window, at), "{} not in {:?}", at, window);
            }
            // A turn's lateness can carry the last check beyond the end of the silence.
            (GapOutcome::Certain(window), None) => prop_assert!(
                gap.is_some_and(|gap| micros(HEARD + gap) - window.latest() <= late * 2),
                "nothing fired, but it is certain within {:?}", window
            ),
        }
        if let (Some(gap), Some(_), Some(cleared)) = (gap, fired, cleared) {
            let window = rule.clears(seen(HEARD + gap)).expect("clears");
            prop_assert!(inside(window, cleared), "cleared at {} not in {:?}", cleared, window);
        }
    }

    #[test]
    fn leaving_hold_fires_where_the_ground_says(
        radio in any::<bool>(),
        phases in any_phases(),
        left in 5_000_000_i64..15_000_000,
        news in 0_i64..100_000,
    ) {
        let rule = rule(VehicleKind::Rover, (4, 6), 5.0, 1.5, f64::from(u8::from(radio)), 50.0);
        let left = HEARD + left;
        let until = HEARD + 17_000_000;
        let mode = |now| if now < left { ROVER_HOLD } else { ROVER_MANUAL };
        let (fired, _) = fly(&rule, phases, HEARD, None, until, mode);
        let at = fired.expect("the link stays lost");
        let modes = [(Micros::MIN, ROVER_HOLD), (micros(left + news), ROVER_MANUAL)];
        let GcsWindow::Fires { at: window, .. } =
            rule.window(Bounds::exact(micros(HEARD)), &modes, micros(until))
        else {
            return Err(TestCaseError::fail("silent"));
        };
        let late = Span::from_micros(phases.lateness);
        prop_assert!(window.later_by(-late, late * 2).contains(micros(at)), "{} not in {:?}", at, window);
    }
}

/// How late a turn may begin in the flights that look for the ends; microseconds.
const LATENESS: i64 = 1_500;

#[test]
fn both_ends_of_every_window_are_attained() {
    use VehicleKind::{Blimp, Copter, Plane, Rover, Sub};
    let rules = [
        rule(Rover, (4, 6), 5.0, 1.5, 1.0, 50.0),
        rule(Rover, (4, 6), 5.0, 1.5, 0.0, 50.0),
        rule(Rover, (4, 3), 5.0, 1.5, 1.0, 50.0),
        rule(Copter, (4, 6), 5.0, 1.5, 1.0, 400.0),
        rule(Plane, (4, 6), 5.0, 1.5, 1.0, 50.0),
        rule(Sub, (4, 6), 5.0, 1.5, 1.0, 400.0),
        rule(Blimp, (4, 6), 5.0, 1.5, 1.0, 400.0),
    ];
    for rule in rules {
        let heard = Bounds::exact(micros(HEARD));
        let GcsWindow::Fires { at: window, .. } =
            rule.window(heard, &[(Micros::MIN, AUTO)], Micros::MAX)
        else {
            panic!("{rule:?} is silent");
        };
        let turn = rule.loop_period.as_micros();
        let turns = rule.check_period.as_micros() / turn;
        let mut hull: Option<Bounds> = None;
        for link in 0..turns {
            for step in 0..100 {
                // Without any lateness, a time-out of whole periods would always be found a period late.
                let phases = Phases {
                    turn: turn * step / 100 + 137,
                    link,
                    radio: 0,
                    lateness: LATENESS,
                    seed: ((step * turns + link) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15),
                };
                let until = HEARD + due(&rule) + 1_000_000;
                let (fired, _) = fly(&rule, phases, HEARD, None, until, |_| AUTO);
                let at = Bounds::exact(micros(fired.expect("the link stays lost")));
                hull = Some(hull.map_or(at, |hull| hull.hull(at)));
            }
        }
        let hull = hull.expect("flights were flown");
        let name = format!("{:?} {:?}: {hull:?} of {window:?}", rule.kind, rule.release);
        let late = Span::from_micros(LATENESS);
        let slack = rule.loop_period * 2 + late;
        assert!(hull.earliest() - window.earliest() <= slack, "{name}");
        assert!(window.latest() - hull.latest() <= slack, "{name}");
    }
}
