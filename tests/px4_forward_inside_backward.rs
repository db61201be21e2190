//! The simulated vehicle (forward form) against the windows that the ground computes (backward form).
//!
//! Claim 1: whatever the phases, lateness and other heartbeats, the loss lies in one of the candidate
//! windows. Claim 2: the windows are tight: over many runs both ends are attained within two loop turns.

use heartline::observation::Talker;
use heartline::rules::px4::{
    FlagRule, ForcedCheck, Happening, HeartbeatArrival, HeartbeatEffect, LoopTiming, Px4Version,
    Silence, SimulatedVehicle, StartLine, VehicleLoop, loss_due, start_line_unknown_talkers,
    start_lines,
};
use heartline::time::{Bounds, Micros, Span};
use proptest::prelude::*;

const COMPANION: Talker = Talker::new(1, 191);

#[derive(Clone, Debug)]
struct Flight {
    version: Px4Version,
    com_dl_loss_t_s: i64,
    /// Ground station heartbeats, microseconds after power-on.
    ground: Vec<i64>,
    /// Other accepted heartbeats.
    others: Vec<i64>,
    seed: u64,
}

impl Flight {
    /// Only versions with a flag are flown here.
    fn rule(&self) -> FlagRule {
        FlagRule::new(self.version.heartbeat_timeout().unwrap_or_default())
    }

    fn last_ground(&self) -> Micros {
        Micros::from_micros(self.ground.iter().copied().max().unwrap_or(0))
    }

    fn loss_window(&self, line: &StartLine) -> Bounds {
        let d = Span::from_secs(self.com_dl_loss_t_s);
        Bounds::new(
            loss_due(line.report.earliest(), d),
            loss_due(line.report.latest(), d) + LoopTiming::FAST_LINK.commander,
        )
    }

    /// Runs the simulated vehicle; gives the loss, and when the flag fell.
    fn fly(&self) -> (Option<Micros>, Option<Micros>) {
        let arrival = |effect| {
            move |us: &i64| HeartbeatArrival {
                at: Micros::from_micros(*us),
                instance: 0,
                effect,
            }
        };
        let mut arrivals: Vec<_> = self
            .ground
            .iter()
            .map(arrival(HeartbeatEffect::CountsAsGroundStation))
            .chain(
                self.others
                    .iter()
                    .map(arrival(HeartbeatEffect::ForcesCheck)),
            )
            .collect();
        arrivals.sort_by_key(|a| a.at);
        let vehicle = SimulatedVehicle {
            version: self.version,
            com_dl_loss_t: Span::from_secs(self.com_dl_loss_t_s),
            instances: 1,
            publisher_sleep: Span::from_micros(1_500),
            start: Micros::from_micros(0),
        };
        let mut noise = self.seed | 1;
        let mut lateness = move |which: VehicleLoop| {
            // xorshift: only spread is needed, and the seed makes a failure repeatable.
            noise ^= noise << 13;
            noise ^= noise >> 7;
            noise ^= noise << 17;
            let most = match which {
                VehicleLoop::Publisher => 600,
                VehicleLoop::Receiver | VehicleLoop::Commander => 1_500,
            };
            Span::from_micros(1 + (noise % most) as i64)
        };
        let until = self.last_ground() + Span::from_secs(self.com_dl_loss_t_s + 5);
        let happenings = vehicle.run(&arrivals, until, &mut lateness);
        let lost = happenings
            .iter()
            .find(|(_, h)| *h == Happening::Lost)
            .map(|(at, _)| *at);
        let fell = happenings
            .iter()
            .find(|(at, h)| {
                *at > self.last_ground() && matches!(h, Happening::Checked { present: false, .. })
            })
            .map(|(at, _)| *at);
        (lost, fell)
    }

    /// The candidates from what the ground saw: each heartbeat up to `transport` before the vehicle
    /// received it.
    fn lines(&self, transport: Span) -> Vec<StartLine> {
        let seen = |received_us: i64| {
            let delay = (received_us.unsigned_abs().wrapping_mul(self.seed | 1) >> 7) as i64
                % (transport.as_micros() + 1);
            let seen = Micros::from_micros(received_us - delay);
            Bounds::new(seen, seen + transport)
        };
        let last = self.last_ground();
        let mut forced: Vec<_> = self
            .others
            .iter()
            .filter(|us| Micros::from_micros(**us) >= last)
            .map(|us| ForcedCheck {
                at: seen(*us),
                by: COMPANION,
                presumed: false,
            })
            .collect();
        forced.sort_by_key(|f| f.at.earliest());
        let silence = Silence {
            last_ground_heartbeat: seen(last.as_micros()),
            forced: &forced,
        };
        start_lines(self.rule(), LoopTiming::FAST_LINK, silence)
    }
}

fn flights() -> impl Strategy<Value = Flight> {
    let version = prop_oneof![
        Just(Px4Version::V1_12),
        Just(Px4Version::V1_13),
        Just(Px4Version::V1_16),
    ];
    // Companions: none, regular ones of 0.2 to 2 s with jitter, and ones that die on the way.
    let companion = (
        any::<bool>(),
        200_000_i64..2_000_000,
        0_i64..20_000,
        0_i64..6_000_000,
    );
    (
        version,
        5_i64..8,
        4_000_000_i64..6_000_000,
        companion,
        prop::bool::weighted(0.3),
        0_i64..1_000_000,
        any::<u64>(),
    )
        .prop_map(
            |(version, com_dl_loss_t_s, first, (some, period, jitter, dies), near, phase, seed)| {
                let ground: Vec<i64> = (0..4).map(|i| first + i * 1_000_000).collect();
                let last = first + 3_000_000;
                // Periods near one second are where the race between timer and check is decided.
                let period = if near {
                    1_000_000 + (period % 20_000) - 8_000
                } else {
                    period
                };
                let others = if some {
                    (0..60)
                        .map(|i| {
                            let wobble = (i * 7_919 + (seed % 1_000) as i64) % (jitter + 1);
                            first - 1_000_000 + phase + i * period + wobble
                        })
                        .take_while(|us| *us < last + dies)
                        .collect()
                } else {
                    Vec::new()
                };
                Flight {
                    version,
                    com_dl_loss_t_s,
                    ground,
                    others,
                    seed,
                }
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_simulated_loss_lies_in_a_candidate_window(flight in flights()) {
        let (lost, fell) = flight.fly();
        let lost = lost.expect("the ground station fell silent for longer than the timeout");
        let lines = flight.lines(Span::ZERO);
        prop_assert!(
            lines.iter().any(|line| flight.loss_window(line).contains(lost)),
            "lost {:?} after the last heartbeat, candidates {:#?}",
            lost - flight.last_ground(),
            lines,
        );
        let fell = fell.expect("a loss needs a fall of the flag");
        prop_assert!(lines.iter().any(|line| line.flag_false.contains(fell)));
        for line in &lines {
            let width = flight.loss_window(line).width();
            prop_assert!(width <= Span::from_millis(40), "a window of {width:?}");
        }
        let (d, timing) = (Span::from_secs(flight.com_dl_loss_t_s), LoopTiming::FAST_LINK);
        let blind = start_line_unknown_talkers(flight.rule(), timing, Bounds::exact(flight.last_ground()));
        let blind = (blind + d).later_by(Span::ZERO, timing.commander);
        prop_assert!(blind.contains(lost), "outside even what holds without any knowledge");
    }

    #[test]
    fn a_delay_on_the_way_to_the_vehicle_is_covered(flight in flights(), transport_ms in 0_i64..300) {
        let (lost, _) = flight.fly();
        let lost = lost.expect("lost");
        let lines = flight.lines(Span::from_millis(transport_ms));
        prop_assert!(
            lines.iter().any(|line| flight.loss_window(line).contains(lost)),
            "lost {:?} after the last heartbeat, candidates {:#?}",
            lost - flight.last_ground(),
            lines,
        );
    }
}

#[test]
fn the_windows_are_attained_within_two_loop_turns() {
    let flight = |seed: u64| Flight {
        version: Px4Version::V1_16,
        com_dl_loss_t_s: 5,
        ground: vec![
            4_000_000 + (seed % 9_973) as i64,
            5_000_000 + (seed % 9_973) as i64,
        ],
        others: Vec::new(),
        seed: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15),
    };
    let mut least = Span::MAX;
    let mut most = Span::ZERO;
    for seed in 1..2_000 {
        let flight = flight(seed);
        let (lost, _) = flight.fly();
        let offset = lost.expect("lost") - flight.last_ground();
        least = least.min(offset);
        most = if offset > most { offset } else { most };
    }
    let flight = flight(1);
    let lines = flight.lines(Span::ZERO);
    assert_eq!(lines.len(), 1);
    let window = flight.loss_window(&lines[0]);
    let (earliest, latest) = (
        window.earliest() - flight.last_ground(),
        window.latest() - flight.last_ground(),
    );
    let two_turns = Span::from_millis(20);
    assert!(
        least - earliest <= two_turns,
        "{least:?} against {earliest:?}"
    );
    assert!(latest - most <= two_turns, "{most:?} against {latest:?}");
}
