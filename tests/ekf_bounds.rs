//! What the ground concludes about the EKF check always holds what a vehicle did, for random vehicles,
//! upsets, tick phases, report rates, clock errors and lost texts.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failing test should say so"
)]

use heartline::observation::{EkfFlags, EkfStatusReport, SystemStatus};
use heartline::rules::ardupilot::VehicleKind;
use heartline::rules::ekf::{
    CheckEvent, CheckInput, CompassMeasure, CounterTrack, EkfCheck, EkfFact, EkfRule, EkfSighting,
    EkfText, Method, Ratios, Truth,
};
use heartline::rules::firmware::FirmwareVersion;
use heartline::rules::{Parameters, Provenance};
use heartline::time::{Micros, Span};
use proptest::prelude::*;

/// Length of a flight; upsets begin after the counter had time to settle.
const FLIGHT_MS: i64 = 24_000;
/// Velocity and position change with GPS fixes, the compass a little faster.
const GPS_MS: i64 = 200;
const COMPASS_MS: i64 = 160;
const GOOD: u16 = 0x033f;

/// How one ratio behaves during one stretch.
#[derive(Clone, Copy, Debug)]
enum Behaviour {
    Calm,
    Over,
    FarOver,
    Jumping,
}

#[derive(Clone, Copy, Debug)]
struct Stretch {
    millis: i64,
    velocity: Behaviour,
    position: Behaviour,
    compass: Behaviour,
    position_lost: bool,
}

#[derive(Clone, Debug)]
struct Flight {
    vehicle: usize,
    threshold: f32,
    tick_phase_us: i64,
    /// The vehicle's scheduler is slow or fast by so much in each check.
    tick_drift_us: i64,
    gps_phase_ms: i64,
    stretches: Vec<Stretch>,
    noise: Vec<f32>,
    /// Vector length over largest axis, 1 to the root of three.
    compass_shape: f32,
    report_ms: i64,
    time_errors: Vec<i64>,
    disarms_at: Option<i64>,
    texts_arrive: bool,
    text_delay_ms: i64,
}

fn behaviour() -> impl Strategy<Value = Behaviour> {
    prop_oneof![
        3 => Just(Behaviour::Calm),
        2 => Just(Behaviour::Over),
        1 => Just(Behaviour::FarOver),
        2 => Just(Behaviour::Jumping),
    ]
}

fn stretch() -> impl Strategy<Value = Stretch> {
    (
        200..4_000_i64,
        behaviour(),
        behaviour(),
        behaviour(),
        prop::bool::weighted(0.15),
    )
        .prop_map(
            |(millis, velocity, position, compass, position_lost)| Stretch {
                millis,
                velocity,
                position,
                compass,
                position_lost,
            },
        )
}

fn flight() -> impl Strategy<Value = Flight> {
    (
        (
            0..RULES,
            0.4..1.2_f32,
            0..100_000_i64,
            -100..100_i64,
            0..GPS_MS,
        ),
        prop::collection::vec(stretch(), 1..8),
        prop::collection::vec(0.0..2.0_f32, 64),
        1.0..1.732_f32,
        prop_oneof![3 => 100..125_i64, 1 => 125..1_000_i64],
        prop::collection::vec(-10_000..10_000_i64, 32),
        prop::option::weighted(0.2, 6_000..20_000_i64),
        (any::<bool>(), 0..80_i64),
    )
        .prop_map(
            |(
                (vehicle, threshold, tick_phase_us, tick_drift_us, gps_phase_ms),
                stretches,
                noise,
                compass_shape,
                report_ms,
                time_errors,
                disarms_at,
                (texts_arrive, text_delay_ms),
            )| Flight {
                vehicle,
                threshold,
                tick_phase_us,
                tick_drift_us,
                gps_phase_ms,
                stretches,
                noise,
                compass_shape,
                report_ms,
                time_errors,
                disarms_at,
                texts_arrive,
                text_delay_ms,
            },
        )
}

const RULES: usize = 6;

/// What flies, and what the ground believes to fly.
fn rules(flight: &Flight) -> (EkfRule, EkfRule) {
    let version = |major, minor| {
        Some(FirmwareVersion {
            major,
            minor,
            patch: 0,
        })
    };
    let (kind, truth, believed) = match flight.vehicle {
        0 => (VehicleKind::Rover, version(4, 6), version(4, 6)),
        1 => (VehicleKind::Rover, version(4, 3), version(4, 3)),
        2 => (VehicleKind::Rover, version(4, 6), None),
        3 => (VehicleKind::Copter, version(4, 6), version(4, 6)),
        4 => (VehicleKind::Copter, version(4, 4), None),
        _ => (VehicleKind::Sub, version(4, 6), version(4, 6)),
    };
    let mut parameters = Parameters::default();
    for (name, value) in [
        ("FS_EKF_THRESH", f64::from(flight.threshold)),
        ("FS_EKF_ACTION", 1.0),
        ("FLOW_TYPE", 0.0),
        ("VISO_TYPE", 0.0),
        ("DR_ENABLE", 0.0),
    ] {
        parameters.learn(name.into(), value, Provenance::Read, Micros::default());
    }
    let select = |version| EkfRule::select(kind, version, &parameters, Micros::MAX);
    (select(truth), select(believed))
}

impl Flight {
    fn stretch_at(&self, millis: i64) -> Option<&Stretch> {
        let mut from = 4_000;
        self.stretches.iter().find(|s| {
            let inside = from <= millis && millis < from + s.millis;
            from += s.millis;
            inside
        })
    }

    /// The value of a ratio that was last measured at `millis`.
    fn ratio(&self, millis: i64, salt: i64, of: fn(&Stretch) -> Behaviour) -> f32 {
        let noise = self.noise[(millis / 20 + salt).rem_euclid(64) as usize];
        match self.stretch_at(millis).map_or(Behaviour::Calm, of) {
            Behaviour::Calm => 0.1 * noise * self.threshold,
            Behaviour::Over => (1.0 + 0.4 * noise) * self.threshold,
            Behaviour::FarOver => (2.1 + noise) * self.threshold,
            Behaviour::Jumping => noise * 1.2 * self.threshold,
        }
    }

    /// What the estimator says at `at`: the compass as its largest axis.
    fn ratios(&self, at: Micros) -> Ratios {
        let millis = at.as_micros().div_euclid(1_000);
        let held = |period: i64| {
            (millis - self.gps_phase_ms).div_euclid(period) * period + self.gps_phase_ms
        };
        let fix = held(GPS_MS);
        Ratios {
            velocity: self.ratio(fix, 0, |s| s.velocity),
            position: self.ratio(fix, 17, |s| s.position),
            compass: self.ratio(held(COMPASS_MS), 31, |s| s.compass),
        }
    }

    fn flags(&self, at: Micros) -> EkfFlags {
        let lost = self
            .stretch_at(at.as_micros().div_euclid(1_000))
            .is_some_and(|s| s.position_lost);
        EkfFlags(if lost { 0x00a7 } else { GOOD })
    }

    fn armed(&self, at: Micros) -> bool {
        self.disarms_at
            .is_none_or(|disarms| at < Micros::from_millis(disarms))
    }

    fn time_error(&self, n: usize) -> Span {
        Span::from_micros(self.time_errors[n % self.time_errors.len()])
    }
}

/// The vehicle's own history: instant of each check with count and tripped state after it.
struct History {
    checks: Vec<(Micros, u8, bool)>,
    events: Vec<(Micros, CheckEvent)>,
}

fn fly(flight: &Flight, rule: &EkfRule) -> History {
    let mut check = EkfCheck::new(rule.clone());
    let mut history = History {
        checks: Vec::new(),
        events: Vec::new(),
    };
    let shape = match rule.compass {
        CompassMeasure::Largest => 1.0,
        _ => flight.compass_shape,
    };
    let drift = match rule.method {
        Method::Counter => Span::from_micros(flight.tick_drift_us),
        Method::Timer => Span::ZERO,
    };
    let mut at = Micros::from_micros(flight.tick_phase_us);
    while at < Micros::from_millis(FLIGHT_MS) {
        let ratios = flight.ratios(at);
        let event = check.tick(
            at,
            &CheckInput {
                ratios: Ratios {
                    compass: ratios.compass * shape,
                    ..ratios
                },
                flags: flight.flags(at),
                in_use: true,
                armed: flight.armed(at),
                mode: 15,
                flow_healthy: false,
            },
        );
        history.checks.push((at, check.count(), check.tripped()));
        history.events.extend(event.map(|e| (at, e)));
        at += rule.period() + drift;
    }
    history
}

fn tripped_at(history: &History, at: Micros) -> bool {
    let n = history.checks.partition_point(|c| c.0 <= at);
    n > 0 && history.checks[n - 1].2
}

/// What the ground sees of it.
fn sightings(flight: &Flight, rule: &EkfRule, history: &History) -> Vec<EkfSighting> {
    let mut seen = Vec::new();
    let mut at = Micros::from_millis(13);
    let mut n = 0;
    while at < Micros::from_millis(FLIGHT_MS) {
        let ratios = flight.ratios(at);
        seen.push(EkfSighting {
            at: at + flight.time_error(n),
            fact: EkfFact::Report(EkfStatusReport {
                velocity: ratios.velocity,
                position_horizontal: ratios.position,
                position_vertical: 0.0,
                compass: ratios.compass,
                terrain: 0.0,
                airspeed: None,
                flags: flight.flags(at),
            }),
        });
        n += 1;
        at += Span::from_millis(flight.report_ms);
    }
    let mut at = Micros::from_millis(37);
    while at < Micros::from_millis(FLIGHT_MS) {
        let critical = tripped_at(history, at);
        n += 1;
        seen.push(EkfSighting {
            at: at + flight.time_error(n),
            fact: EkfFact::Vehicle {
                armed: flight.armed(at),
                mode: 15,
                status: if critical {
                    SystemStatus::CRITICAL
                } else {
                    SystemStatus::ACTIVE
                },
            },
        });
        at += Span::from_secs(1);
    }
    if flight.texts_arrive && rule.method == Method::Counter {
        let mut last_text: Option<Micros> = None;
        for &(at, event) in &history.events {
            let text = match event {
                CheckEvent::Tripped if last_text.is_none_or(|l| at - l > Span::from_secs(30)) => {
                    last_text = Some(at);
                    EkfText::Variance
                }
                CheckEvent::Tripped => continue,
                _ if rule.kind == VehicleKind::Rover => EkfText::Cleared,
                _ => continue,
            };
            seen.push(EkfSighting {
                at: at + Span::from_millis(flight.text_delay_ms),
                fact: EkfFact::Text(text),
            });
        }
    }
    seen.sort_by_key(|s| s.at);
    seen
}

/// The episodes in one line each.
fn brief(track: &CounterTrack) -> String {
    let lines = track.episodes().iter().map(|e| {
        format!(
            "\n began {:?} trip {:?} certain {} seen {:?} clear {:?} certain {} seen {:?}",
            e.began,
            e.predicted_trip,
            e.certain,
            e.observed_trip.as_ref().map(|o| o.at),
            e.predicted_clear,
            e.clear_certain,
            e.observed_clear.as_ref().map(|o| o.at)
        )
    });
    lines.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(
        std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(600)
    ))]

    #[test]
    fn the_ground_never_excludes_what_the_vehicle_did(flight in flight()) {
        let (truth, believed) = rules(&flight);
        let history = fly(&flight, &truth);
        let seen = sightings(&flight, &truth, &history);
        let track = CounterTrack::run(believed, &seen);
        let last = seen.last().unwrap().at - Span::from_millis(300);
        // The count and the state, after every check.
        for &(at, count, tripped) in &history.checks {
            let n = track.points().partition_point(|p| p.at <= at);
            if n == 0 || at > last {
                continue;
            }
            let point = track.points()[n - 1];
            if truth.method == Method::Counter {
                prop_assert!(
                    point.low <= count && count <= point.high,
                    "count {count} at {at:?}, ground says {point:?}, events {:?} {}", history.events, brief(&track)
                );
            }
            // Within a step the state may change; the point tells the end of the step.
            let settled = at + Span::from_millis(100);
            let still = tripped_at(&history, settled) == tripped;
            if still {
                let excluded = if tripped { Truth::No } else { Truth::Yes };
                prop_assert_ne!(point.tripped, excluded, "tripped {} at {:?}", tripped, at);
            }
        }
        // What is called certain happened, where it is said to have happened.
        let trips: Vec<Micros> = history
            .events
            .iter()
            .filter(|(_, e)| *e == CheckEvent::Tripped)
            .map(|(at, _)| *at)
            .collect();
        for episode in track.episodes().iter().filter(|e| e.certain) {
            let window = episode.predicted_trip.unwrap();
            prop_assert!(
                trips.iter().any(|t| window.contains(*t)),
                "no trip in {window:?}, trips {trips:?}"
            );
        }
        // At full rate no trip goes without an episode that allows for it.
        if flight.report_ms <= 125 {
            for trip in trips.iter().filter(|t| **t < last - Span::from_secs(1)) {
                let found = track.episodes().iter().any(|e| {
                    e.predicted_trip.is_some_and(|w| w.contains(*trip))
                        // Cleared and tripped again between two heartbeats, without a word: the
                        // episode in which the count was all the time covers both.
                        || (e.began <= *trip && e.clear().is_none_or(|c| *trip <= c.latest()))
                });
                prop_assert!(found, "trip at {trip:?} of {trips:?}: {}", brief(&track));
            }
        }
    }
}
