//! A scenario flown: the vehicle's truth, and the observations that the ground makes of it.

use crate::observation::{
    Autopilot, Heartbeat, Message, Observation, SystemStatus, Talker, TimeSync,
};
use crate::rules::ardupilot::SignOfLife;
use crate::rules::px4::{HeartbeatArrival, heartbeat_effect};
use crate::time::{Micros, Span};

use super::announce::{self, Announcement};
use super::clock::SimulatedClock;
use super::estimator::Estimator;
use super::ground::Ground;
use super::model::{Place, Scenario, ScenarioFirmware, ScenarioTalker, Sends, TalkerKind, span};
use super::noise::Noise;
use super::stream::Stream;
use super::talk::slots;
use super::truth::FlightTruth;
use super::way::Way;
use super::{ScenarioError, ardupilot_flight, px4_flight};

/// A ground station asks for the vehicle's time this long after each of its heartbeats.
const TIME_REQUEST_AFTER: Span = Span::from_millis(450);
/// GPS fixes are this far apart on PX4.
const GPS_INTERVAL: Span = Span::from_millis(200);

/// A scenario flown from beginning to end. The same scenario gives the same flight.
#[derive(Clone, Debug)]
pub struct Flight {
    /// When it begins, on its own time of day.
    pub start: Micros,
    /// Its length.
    pub duration: Span,
    /// What happened on the vehicle: the truth that the ground cannot see.
    pub truth: FlightTruth,
    /// What the ground sees of it, in order of time.
    pub observations: Vec<Observation>,
}

/// A message that somebody sent, on the ground's timeline.
struct Sent<'a> {
    at: Micros,
    by: &'a ScenarioTalker,
    what: Spoken,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Spoken {
    Sign,
    TimeRequest,
}

/// A message that reached the vehicle, on the ground's timeline.
struct Arrived<'a> {
    at: Micros,
    sent: Micros,
    by: &'a ScenarioTalker,
    what: Spoken,
}

impl Flight {
    /// Flies the scenario.
    pub fn fly(scenario: &Scenario) -> Result<Self, ScenarioError> {
        let start = scenario.start()?;
        let duration = span(scenario.duration_s);
        let clock = SimulatedClock::of(scenario, start);
        let boot = start - span(scenario.vehicle.booted_before_start_s);
        let vehicle = Talker::new(scenario.vehicle.system, 1);
        let mut ground = Ground::new(start);
        let sent = talk(scenario, start, duration, &mut ground);
        let arrived = carry_up(scenario, start, &sent);
        let received: Vec<Micros> = arrived
            .iter()
            .filter(|a| a.by.instance == 0)
            .map(|a| clock.vehicle(a.at))
            .collect();
        let (truth, mut outbox, gps_interval) = fly_vehicle(scenario, &arrived, &clock, start);
        let estimator = Estimator::new(
            &scenario.estimator,
            &clock,
            start,
            scenario.seed,
            gps_interval,
        );
        let stream = Stream {
            scenario,
            clock: &clock,
            start,
            boot,
            truth: &truth,
            estimator: &estimator,
            received: &received,
        };
        outbox.extend(stream.messages());
        outbox.extend(arrived.iter().filter_map(|a| answer(a, &clock)));
        let mut down: Vec<(Micros, Talker, u32, Message)> = outbox
            .into_iter()
            .map(|(at, id, message)| (clock.ground(at), vehicle, id, message))
            .collect();
        for spoken in sent.iter().filter(|s| s.by.place() == Place::Aboard) {
            let (id, message) = sign(scenario, spoken.by);
            down.push((spoken.at, talker(spoken.by), id, message));
        }
        down.sort_by_key(|(at, ..)| *at);
        let mut way = Way::new(&scenario.link.down, start, Noise::stream(scenario.seed, 2));
        for (at, from, id, message) in down {
            match way.carry(at) {
                Some(arrives) => ground.frame(arrives, from, id, message),
                None => ground.missed(at, from),
            }
        }
        Ok(Self {
            start,
            duration,
            truth,
            observations: ground.finished(),
        })
    }
}

fn talker(talker: &ScenarioTalker) -> Talker {
    Talker::new(talker.system, talker.component)
}

/// What a talker sends as its sign of life.
fn sign(scenario: &Scenario, by: &ScenarioTalker) -> (u32, Message) {
    let target = scenario.vehicle.system;
    match by.sends {
        Sends::Heartbeat => (
            0,
            Message::Heartbeat(Heartbeat {
                mav_type: by.kind.mav_type(),
                autopilot: Autopilot::INVALID,
                base_mode: 0,
                custom_mode: 0,
                system_status: SystemStatus::ACTIVE,
            }),
        ),
        Sends::ManualControl => (69, Message::ManualControl { target }),
        Sends::RcOverride => (70, Message::RcOverride { target }),
    }
}

/// All that is sent to the vehicle, in order of time; the ground sees at once what passes by it.
fn talk<'a>(
    scenario: &'a Scenario,
    start: Micros,
    duration: Span,
    ground: &mut Ground,
) -> Vec<Sent<'a>> {
    let mut sent = Vec::new();
    for (index, by) in scenario.talkers.iter().enumerate() {
        let noise = Noise::stream(scenario.seed, 100 + index as u64);
        for slot in slots(by, start, duration, noise) {
            if let Some(own) = slot.own {
                ground.own(slot.at, own);
            }
            if !slot.sent {
                continue;
            }
            sent.push(Sent {
                at: slot.at,
                by,
                what: Spoken::Sign,
            });
            // Whoever is aboard has the vehicle's time at hand.
            let asks = by.kind == TalkerKind::GroundStation && by.place() != Place::Aboard;
            if asks && by.sends == Sends::Heartbeat {
                sent.push(Sent {
                    at: slot.at + TIME_REQUEST_AFTER,
                    by,
                    what: Spoken::TimeRequest,
                });
            }
        }
    }
    sent.sort_by_key(|s| s.at);
    for spoken in &sent {
        let from = talker(spoken.by);
        let (id, message) = match spoken.what {
            Spoken::TimeRequest => (111, Message::TimeSync(request(spoken.at))),
            Spoken::Sign if spoken.by.place() == Place::Aboard => continue,
            Spoken::Sign => sign(scenario, spoken.by),
        };
        ground.frame(spoken.at, from, id, message);
    }
    sent
}

fn request(at: Micros) -> TimeSync {
    let ts1 = at.as_micros().saturating_mul(1_000);
    TimeSync { tc1: 0, ts1 }
}

/// What of it reaches the vehicle, in order of time. A time request goes over the link in any case: it
/// measures the way.
fn carry_up<'a>(scenario: &'a Scenario, start: Micros, sent: &[Sent<'a>]) -> Vec<Arrived<'a>> {
    let mut way = Way::new(&scenario.link.up, start, Noise::stream(scenario.seed, 1));
    let mut arrived: Vec<Arrived<'a>> = sent
        .iter()
        .filter_map(|s| {
            let over_the_link = s.by.place() == Place::Ground || s.what == Spoken::TimeRequest;
            let at = if over_the_link {
                way.carry(s.at)?
            } else {
                s.at
            };
            Some(Arrived {
                at,
                sent: s.at,
                by: s.by,
                what: s.what,
            })
        })
        .collect();
    arrived.sort_by_key(|a| a.at);
    arrived
}

/// The vehicle's answer to a time request, sent at its own instant.
fn answer(arrived: &Arrived<'_>, clock: &SimulatedClock) -> Option<Announcement> {
    (arrived.what == Spoken::TimeRequest).then(|| {
        let at = clock.vehicle(arrived.at);
        let answer = TimeSync {
            tc1: at.as_micros().saturating_mul(1_000),
            ts1: request(arrived.sent).ts1,
        };
        (at, 111, Message::TimeSync(answer))
    })
}

/// Flies the vehicle itself: its truth, what it announces, and how far apart its GPS fixes are.
fn fly_vehicle(
    scenario: &Scenario,
    arrived: &[Arrived<'_>],
    clock: &SimulatedClock,
    start: Micros,
) -> (FlightTruth, Vec<Announcement>, Span) {
    let own = scenario.vehicle.system;
    let boot = start - span(scenario.vehicle.booted_before_start_s);
    let signs = arrived.iter().filter(|a| a.what == Spoken::Sign);
    match scenario.vehicle.firmware {
        ScenarioFirmware::Px4(major, minor, _) => {
            let arrivals: Vec<HeartbeatArrival> = signs
                .map(|a| HeartbeatArrival {
                    at: clock.vehicle(a.at),
                    instance: a.by.instance,
                    effect: heartbeat_effect(own, talker(a.by), a.by.kind.mav_type()),
                })
                .collect();
            let release = (major, minor);
            let truth = px4_flight::fly(scenario, release, &arrivals, clock, start);
            let said = announce::px4(&truth, release, boot);
            (truth, said, GPS_INTERVAL)
        }
        ScenarioFirmware::ArduPilot(kind, major, minor, patch) => {
            let release = (major, minor, patch);
            let (gcs, ekf) = ardupilot_flight::rules(scenario, kind, release);
            let counted: Vec<Micros> = signs
                .filter(|a| {
                    let sign = match a.by.sends {
                        Sends::Heartbeat => SignOfLife::Heartbeat,
                        Sends::ManualControl => SignOfLife::ManualControl { target: own },
                        Sends::RcOverride => SignOfLife::RcOverride,
                    };
                    gcs.ids.counts(own, talker(a.by), sign)
                })
                .map(|a| clock.vehicle(a.at))
                .collect();
            let interval = ekf.gps_interval;
            let estimator =
                Estimator::new(&scenario.estimator, clock, start, scenario.seed, interval);
            let rules = (gcs.clone(), ekf);
            let truth = ardupilot_flight::fly(scenario, rules, &counted, &estimator, clock, start);
            let mut said = announce::ardupilot(&truth, &gcs, boot);
            said.push(announce::banner(start, kind, release));
            (truth, said, interval)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::scenario::{Asked, TruthEntry, TruthEvent, built_in, built_in_names};

    fn flight(name: &str) -> Flight {
        let text = built_in(name).expect("is built in");
        Flight::fly(&Scenario::parse(text).expect("is valid")).expect("flies")
    }

    #[test]
    fn the_truth_of_the_incident_has_its_documented_times() {
        let flight = flight("inc-0143");
        let last_heartbeat = flight.start + Span::from_micros(16_412_000);
        let after = |about| {
            let at = flight.truth.answer(about, last_heartbeat).expect("happens");
            (at - last_heartbeat).as_micros()
        };
        let last_true_report = after(Asked::StartLine);
        assert!(
            (1_872_000..=1_874_200).contains(&last_true_report),
            "{last_true_report}"
        );
        assert_eq!(after(Asked::FlagFalls), 2_872_000);
        let lost = after(Asked::Loss);
        assert!((11_872_000..=11_885_500).contains(&lost), "{lost}");
        let reacted = after(Asked::Action) - lost;
        assert!((10_000..=10_300).contains(&reacted), "{reacted}");
    }

    #[test]
    fn flying_twice_gives_the_same_flight() {
        for name in built_in_names() {
            let (first, second) = (flight(name), flight(name));
            assert_eq!(first.observations, second.observations, "{name}");
            assert_eq!(first.truth, second.truth, "{name}");
            assert!(first.observations.is_sorted_by_key(|o| o.at), "{name}");
            assert!(first.truth.entries.is_sorted_by_key(|e| e.at), "{name}");
        }
    }

    #[test]
    fn a_cut_uplink_leaves_the_record_as_it_is_and_the_vehicle_alone() {
        let text = built_in("gcs-only").expect("is built in");
        let mut scenario = Scenario::parse(text).expect("is valid");
        let heard = |scenario: &Scenario| {
            let flight = Flight::fly(scenario).expect("flies");
            let heard = |e: &&TruthEntry| e.event == TruthEvent::Heard;
            flight.truth.entries.iter().filter(heard).count()
        };
        let all = heard(&scenario);
        scenario.link.up.cuts_s = vec![(0.0, 3_600.0)];
        assert!(all > 10);
        assert_eq!(heard(&scenario), 0);
    }
}
