//! The EKF failsafe of an ArduPilot vehicle: what the session saw of it, carried to the vehicle's clock,
//! and the rule's findings carried back.

use crate::observation::Talker;
use crate::rules::ekf::{
    CounterPoint, CounterTrack, EkfEpisode, EkfRule, EkfSighting, LogReplay, ReplayedCheck,
};
use crate::time::{Micros, Span};

use super::{Session, Vehicle, WhatIf};

/// So much before a range is walked for its counter: any count has run out by then, unless the upset
/// lasts, and then the interval says so.
const LEAD: Span = Span::from_secs(60);

impl Session {
    /// The trips of the vehicle's EKF failsafe, proven, certain by the rule or possible, in order of time,
    /// on the ground's timeline. Empty for autopilots without that failsafe.
    #[must_use]
    pub fn ekf_episodes(&self, vehicle: Talker) -> Vec<EkfEpisode> {
        self.ekf_episodes_under(vehicle, &WhatIf::default())
    }

    /// The same under other circumstances, such as another FS_EKF_THRESH.
    #[must_use]
    pub fn ekf_episodes_under(&self, vehicle: Talker, what_if: &WhatIf) -> Vec<EkfEpisode> {
        let Some((vehicle, rules)) = self.ekf_rules(vehicle, what_if) else {
            return Vec::new();
        };
        boots(vehicle, Micros::MIN, Micros::MAX)
            .into_iter()
            .flat_map(|boot| {
                let track = boot.run(&rules);
                let episodes = track.episodes().to_vec();
                episodes
                    .into_iter()
                    .map(move |episode| episode.on_timeline(|at| boot.to_ground(vehicle, at)))
            })
            .collect()
    }

    /// The vehicle's own EKF check run again from its log, with what it would do on a trip now and then;
    /// `None` without such a log.
    #[must_use]
    pub fn ekf_replay(&self, vehicle: Talker) -> Option<(EkfRule, ReplayedCheck)> {
        let (vehicle, rules) = self.ekf_rules(vehicle, &WhatIf::default())?;
        let facts = &vehicle.logged.check_facts;
        if facts.is_empty() {
            return None;
        }
        let mut replay = LogReplay::new(rules.first.clone());
        for (at, rule) in &rules.later {
            replay.change_rule(*at, rule.clone());
        }
        for (at, fact) in facts {
            replay.observe(*at, fact);
        }
        Some((rules.latest().clone(), replay.finish()))
    }

    /// The vehicle's EKF counter as an interval within `from..=to`, on the ground's timeline, with the
    /// count at which it trips.
    #[must_use]
    pub fn ekf_counter(
        &self,
        vehicle: Talker,
        from: Micros,
        to: Micros,
    ) -> (Vec<CounterPoint>, u8) {
        let Some((vehicle, rules)) = self.ekf_rules(vehicle, &WhatIf::default()) else {
            return (Vec::new(), 0);
        };
        let limit = rules.first.limit();
        let points = boots(vehicle, from - LEAD, to)
            .into_iter()
            .flat_map(|boot| {
                let track = boot.run(&rules);
                let points = track.points().to_vec();
                points.into_iter().map(move |point| CounterPoint {
                    at: boot.to_ground(vehicle, point.at),
                    ..point
                })
            })
            .filter(|point| point.at >= from - LEAD && point.at <= to)
            .collect();
        (points, limit)
    }

    /// The EKF check of an ArduPilot vehicle with the parameters as they changed over the record.
    fn ekf_rules(&self, vehicle: Talker, what_if: &WhatIf) -> Option<(&Vehicle, Rules)> {
        let vehicle = self.vehicle(vehicle)?;
        let kind = vehicle.ardupilot_kind()?;
        let version = vehicle.firmware.map(|f| f.version);
        let rule = |at| {
            let rule = EkfRule::select(kind, version, &vehicle.parameters, at);
            match what_if.parameter("FS_EKF_THRESH") {
                Some(threshold) => rule.with_threshold(threshold as f32),
                None => rule,
            }
        };
        let mut rules = Rules {
            first: rule(self.first().unwrap_or_default()),
            later: Vec::new(),
        };
        for at in vehicle.parameters.changes() {
            let rule = rule(at);
            if *rules.latest() != rule {
                rules.later.push((at, rule));
            }
        }
        Some((vehicle, rules))
    }
}

/// The rules of one vehicle: the first one, and those that took its place, each from its instant on the
/// ground's timeline.
struct Rules {
    first: EkfRule,
    later: Vec<(Micros, EkfRule)>,
}

impl Rules {
    fn latest(&self) -> &EkfRule {
        self.later.last().map_or(&self.first, |(_, rule)| rule)
    }

    /// How many of the later ones are in force at `at`.
    fn in_force(&self, at: Micros) -> usize {
        self.later.partition_point(|(since, _)| *since <= at)
    }
}

/// What was seen of one boot of the vehicle, in its time. Each boot has a counter of its own, and a clock
/// that begins at zero again.
struct Boot {
    /// An instant of it, on the ground's timeline.
    around: Micros,
    /// Each with when it was seen, on the ground's timeline.
    sightings: Vec<(Micros, EkfSighting)>,
}

impl Boot {
    fn run(&self, rules: &Rules) -> CounterTrack {
        let at = |known: usize| {
            let later = known.checked_sub(1).and_then(|i| rules.later.get(i));
            later.map_or(&rules.first, |(_, rule)| rule).clone()
        };
        let mut known = rules.in_force(self.around);
        let mut track = CounterTrack::new(at(known));
        for (seen, sighting) in &self.sightings {
            let now = rules.in_force(*seen);
            if now != known {
                known = now;
                track.change_rule(at(known));
            }
            track.observe(sighting);
        }
        track.finish();
        track
    }

    fn to_ground(&self, vehicle: &Vehicle, at: Micros) -> Micros {
        vehicle.clock.ground_at(at, self.around).unwrap_or(at)
    }
}

/// What was seen within `from..=to` of the ground, boot by boot.
fn boots(vehicle: &Vehicle, from: Micros, to: Micros) -> Vec<Boot> {
    let seen = &vehicle.ekf_sightings;
    let end = seen.partition_point(|s| s.at <= to);
    let mut boots = Vec::new();
    let mut start = seen.partition_point(|s| s.at < from);
    let ends = vehicle
        .clock
        .reboot_times()
        .map(|reboot| seen.partition_point(|s| s.at < reboot));
    for end in ends.map(|reboot| reboot.min(end)).chain([end]) {
        let Some(sightings) = seen.get(start..end) else {
            continue;
        };
        start = end;
        let Some(first) = sightings.first() else {
            continue;
        };
        boots.push(Boot {
            around: first.at,
            sightings: sightings
                .iter()
                .map(|sighting| {
                    let at = vehicle.clock.vehicle_at(sighting.at).unwrap_or(sighting.at);
                    let fact = sighting.fact;
                    (sighting.at, EkfSighting { at, fact })
                })
                .collect(),
        });
    }
    boots
}
