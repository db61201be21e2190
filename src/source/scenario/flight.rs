//! A scenario flown: the vehicle's truth, and the observations that the ground makes of it.

use crate::observation::{MavType, Observation, Talker};
use crate::rules::px4::{
    ActionInput, Happening, HeartbeatArrival, Px4Mode, Px4Version, ReactionPlan, SimulatedVehicle,
    VehicleLoop, heartbeat_effect, plan_reaction,
};
use crate::time::{Micros, Span};

use super::ground::Ground;
use super::model::{Scenario, ScenarioError, ScenarioMode, TalkerKind, span};
use super::noise::Noise;

/// Ways of a message between ground and vehicle, as short as a cable.
pub(super) const TRANSPORT: Span = Span::from_micros(400);
/// A ground station asks for the vehicle's time this long after each of its heartbeats.
const TIME_REQUEST_AFTER: Span = Span::from_millis(450);
/// The commander's cycle is this long in a scenario: 10 ms and a little.
const CYCLE: Span = Span::from_micros(10_100);

/// A scenario flown from beginning to end. The same scenario gives the same flight.
#[derive(Clone, Debug)]
pub struct Flight {
    /// When it begins, on its own time of day.
    pub start: Micros,
    /// Its length.
    pub duration: Span,
    /// What happened on the vehicle: the truth that the ground cannot see. Times on the same timeline.
    pub truth: Vec<(Micros, Happening)>,
    /// What the ground sees of it, in order of time.
    pub observations: Vec<Observation>,
}

impl Flight {
    /// Flies the scenario.
    pub fn fly(scenario: &Scenario) -> Result<Self, ScenarioError> {
        let start = scenario.start()?;
        let duration = span(scenario.duration_s);
        let ids = Talker::new(scenario.vehicle.system, 1);
        let version = Px4Version::of_release(scenario.vehicle.px4.0, scenario.vehicle.px4.1);
        let mut arrivals = Vec::new();
        let mut requests = Vec::new();
        let mut ground = Ground::new(start, ids);
        for talker in &scenario.talkers {
            let from = Talker::new(talker.system, talker.component);
            let mav_type = match talker.kind {
                TalkerKind::GroundStation => MavType::GCS,
                TalkerKind::Companion => MavType::ONBOARD_CONTROLLER,
            };
            let effect = heartbeat_effect(ids.system, from, mav_type);
            for offset in talker.heartbeats(duration) {
                let at = start + offset;
                arrivals.push(HeartbeatArrival {
                    at,
                    instance: 0,
                    effect,
                });
                ground.heartbeat(at, from, mav_type);
                if talker.kind == TalkerKind::GroundStation {
                    requests.push(at + TIME_REQUEST_AFTER);
                }
            }
        }
        arrivals.sort_by_key(|a| a.at);
        let number = |name: &str, default: f64| {
            scenario
                .vehicle
                .parameters
                .get(name)
                .map_or(default, |p| p.number())
        };
        let vehicle = SimulatedVehicle {
            version,
            com_dl_loss_t: span(number("COM_DL_LOSS_T", 10.0)),
            instances: 1,
            publisher_sleep: Span::from_micros(1_500),
            start: start - span(scenario.vehicle.booted_before_start_s),
        };
        let truth = vehicle.run(
            &arrivals,
            start + duration,
            &mut loop_lateness(scenario.seed),
        );
        let plan = |mode| {
            plan_reaction(
                &ActionInput {
                    version,
                    nav_dll_act: number("NAV_DLL_ACT", 0.0) as i64,
                    com_fail_act_t: span(number("COM_FAIL_ACT_T", 5.0)),
                    // The first failsafe of a flight has all of it.
                    least_delay: span(number("COM_FAIL_ACT_T", 5.0)),
                    com_dll_except: number("COM_DLL_EXCEPT", 0.0) as i64,
                    mode: Some(mode),
                    armed: Some(scenario.vehicle.armed),
                    landed: Some(false),
                },
                CYCLE,
            )
        };
        let modes = ModeHistory::of(scenario.vehicle.mode, &truth, plan);
        let received: Vec<Micros> = arrivals
            .iter()
            .map(|a| a.at)
            .chain(requests.iter().copied())
            .collect();
        ground.vehicle_stream(scenario, start, duration, &modes, &received);
        ground.time_requests(scenario, &requests);
        ground.announcements(&truth, &modes, vehicle.start);
        Ok(Self {
            start,
            duration,
            truth,
            observations: ground.finished(),
        })
    }
}

/// Deterministic lateness of the vehicle's loops: small and different each turn.
fn loop_lateness(seed: u64) -> impl FnMut(VehicleLoop) -> Span {
    let mut noise = Noise(seed | 1);
    move |which| {
        let most = match which {
            VehicleLoop::Publisher => 500,
            VehicleLoop::Receiver | VehicleLoop::Commander => 200,
        };
        Span::from_micros(1 + (noise.next() % most) as i64)
    }
}

/// The vehicle's mode over the flight, and whether a failsafe set it.
pub(super) struct ModeHistory(Vec<(Micros, Px4Mode, bool)>);

impl ModeHistory {
    fn of(
        first: ScenarioMode,
        truth: &[(Micros, Happening)],
        plan: impl Fn(Px4Mode) -> ReactionPlan,
    ) -> Self {
        let first = match first {
            ScenarioMode::Position => Px4Mode::Manual,
            ScenarioMode::Mission => Px4Mode::Mission,
            ScenarioMode::Hold => Px4Mode::Hold,
        };
        let mut modes = vec![(Micros::MIN, first, false)];
        for (at, _) in truth
            .iter()
            .filter(|(_, h)| *h == Happening::CycleAfterLoss)
        {
            let mode = modes.last().map_or(first, |(_, mode, _)| *mode);
            if let ReactionPlan::Acts(reactions) = plan(mode) {
                for reaction in reactions {
                    // The reaction of the plan is measured from the loss, one cycle before this one.
                    let mode = match reaction.name {
                        "Return" => Px4Mode::Return,
                        "Land" => Px4Mode::Land,
                        _ => Px4Mode::Hold,
                    };
                    modes.push((
                        *at + reaction.earliest - CYCLE.min(reaction.earliest),
                        mode,
                        true,
                    ));
                }
            }
        }
        Self(modes)
    }

    pub(super) fn at(&self, at: Micros) -> (Px4Mode, bool) {
        self.0
            .iter()
            .rev()
            .find(|(since, _, _)| *since <= at)
            .map_or((Px4Mode::Manual, false), |(_, mode, failsafe)| {
                (*mode, *failsafe)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::scenario::built_in;

    fn flight() -> Flight {
        let text = built_in("inc-0143").expect("is built in");
        Flight::fly(&Scenario::parse(text).expect("is valid")).expect("flies")
    }

    #[test]
    fn the_truth_of_the_incident_has_its_documented_times() {
        let flight = flight();
        let last_heartbeat = flight.start + Span::from_micros(16_412_000);
        let after = |wanted: fn(&Happening) -> bool| {
            flight
                .truth
                .iter()
                .find(|(at, h)| *at > last_heartbeat && wanted(h))
                .map(|(at, _)| (*at - last_heartbeat).as_micros())
                .expect("happened")
        };
        let last_true_report = flight
            .truth
            .iter()
            .filter(|(at, h)| {
                *at < last_heartbeat + Span::from_secs(20)
                    && matches!(h, Happening::Reported { present: true, .. })
            })
            .map(|(at, _)| (*at - last_heartbeat).as_micros())
            .max()
            .expect("reported");
        assert!(
            (1_872_000..=1_874_200).contains(&last_true_report),
            "{last_true_report}"
        );
        let fell = after(|h| matches!(h, Happening::Checked { present: false, .. }));
        assert_eq!(fell, 2_872_000);
        let lost = after(|h| *h == Happening::Lost);
        assert!((11_872_000..=11_885_500).contains(&lost), "{lost}");
        let reacted = after(|h| *h == Happening::CycleAfterLoss);
        assert!(
            (10_000..=10_300).contains(&(reacted - lost)),
            "{}",
            reacted - lost
        );
    }

    #[test]
    fn flying_twice_gives_the_same_flight() {
        assert_eq!(flight().observations, flight().observations);
        assert!(flight().observations.is_sorted_by_key(|o| o.at));
    }
}
