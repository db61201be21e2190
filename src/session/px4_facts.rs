//! What the session knows of a PX4 vehicle, put into the form that its rules ask for.

use crate::observation::{Direction, LinkNodeStatus};
use crate::rules::px4::{
    ActionInput, Arrival, CounterSample, Entry, HeartbeatEffect, LoopTiming, Px4Mode, Px4Version,
    TalkerFrames, TalkerHeartbeats, Topology, arrival, heartbeat_effect, infer_topology,
};
use crate::rules::{Explanation, Knowledge, Parameter, Provenance};
use crate::time::{Bounds, Micros, Seconds, Span};

use super::px4_arrivals::{GroundBeat, presume_the_newest_lost, uncertain_before};
use super::{Lane, LocalClock, Session, TalkerTrack, Vehicle, WhatIf};

/// Heartbeats this long before a silence may still matter: another instance's last report.
const BEFORE: Span = Span::from_secs(6);
/// How far back heartbeats may be uncertain.
const LONGEST_DOUBT: Span = Span::from_secs(60);
/// Checks this long after the last heartbeat settle the flag: a heartbeat timeout and one self-check.
const AFTER: Span = Span::from_secs(5);
/// Taken for the delay to the vehicle when no round trip was measured.
const UNMEASURED_TRANSPORT: Span = Span::from_millis(10);
/// So many of the last readings of the receive counter are looked at.
const COUNTERS: usize = 120;

/// The facts of one vehicle as known at one moment.
pub(super) struct Px4Facts<'a> {
    session: &'a Session,
    pub vehicle: &'a Vehicle,
    what_if: &'a WhatIf,
    /// Nothing after this moment is known.
    pub until: Micros,
    frames: Vec<TalkerFrames<'a>>,
}

/// What [`Px4Facts`] gives for one silence, on the vehicle's timeline.
pub(super) struct SilenceFacts {
    pub talkers: Vec<TalkerHeartbeats>,
    pub topology: Topology,
    pub transport: Span,
    pub timing: LoopTiming,
    pub com_dl_loss_t: (Parameter, Span),
    pub versions: Vec<Px4Version>,
}

impl<'a> Px4Facts<'a> {
    pub fn new(
        session: &'a Session,
        vehicle: &'a Vehicle,
        what_if: &'a WhatIf,
        until: Micros,
    ) -> Self {
        let frames = session
            .talkers()
            .iter_all()
            .filter(|t| t.talker != vehicle.talker && !t.frames.is_empty())
            .map(|t| TalkerFrames {
                talker: t.talker,
                frames: t.frames.times(),
            })
            .collect();
        Self {
            session,
            vehicle,
            what_if,
            until,
            frames,
        }
    }

    /// The heartbeats of all ground stations within `from..=to`, those left out excepted, with what the
    /// vehicle's receive counter says of their arrival.
    pub fn ground_beats(&self, from: Micros, to: Micros) -> Vec<GroundBeat> {
        let to = to.min(self.until);
        let counters = self.counters_between(from - AFTER, to + AFTER);
        let slack = self.counter_slack(to);
        // A frame near a reading takes the two after it to be told.
        let third_newest = counters.len().checked_sub(3).and_then(|i| counters.get(i));
        let told_until = third_newest.map_or(Micros::MIN, |reading| reading.at - slack);
        let judge = (counters.len() >= 2).then(|| {
            let topology = self.topology(to);
            move |talker, sent| arrival(&counters, &self.frames, &topology, slack, talker, sent)
        });
        let mut beats: Vec<GroundBeat> = self
            .session
            .ground_heartbeats_between(from, to)
            .iter()
            .filter(|(_, talker)| !self.what_if.without.contains(talker))
            .map(|(at, talker)| GroundBeat {
                at: *at,
                talker: *talker,
                arrival: judge
                    .as_ref()
                    .map_or(Arrival::Open, |judge| judge(*talker, *at)),
            })
            .collect();
        if to >= self.until {
            presume_the_newest_lost(&mut beats, told_until);
        }
        beats
    }

    /// The last ground station heartbeat up to `at` that is not known to have been lost on the way.
    /// However long the way up has been dead, nothing sent into it is taken for arrived.
    pub fn last_arrived(&self, at: Micros) -> Option<GroundBeat> {
        const PIECE: Span = Span::from_secs(60);
        let mut to = at.min(self.until);
        loop {
            let earlier = self.session.ground_heartbeats_between(Micros::MIN, to);
            let (latest, _) = earlier.last()?;
            let from = *latest - PIECE;
            let beats = self.ground_beats(from, to);
            let arrived = beats.iter().rev().find(|b| b.arrival != Arrival::Refuted);
            if let Some(beat) = arrived {
                return Some(*beat);
            }
            to = from - Span::from_micros(1);
        }
    }

    /// The heartbeats before `beat` that may have been the last to arrive, latest first.
    pub fn uncertain_before(&self, beat: GroundBeat) -> Vec<GroundBeat> {
        if beat.arrival != Arrival::Open {
            return Vec::new();
        }
        let near = self.ground_beats(beat.at - LONGEST_DOUBT, beat.at + AFTER);
        let index = near
            .iter()
            .position(|b| b.at == beat.at && b.talker == beat.talker);
        index.map_or_else(Vec::new, |index| uncertain_before(&near, index))
    }

    /// The talkers whose heartbeats the vehicle accepts, with what they do there.
    pub fn accepted(&self, at: Micros) -> impl Iterator<Item = (&'a TalkerTrack, HeartbeatEffect)> {
        let own_system = self.vehicle.talker.system;
        let vehicle = self.vehicle.talker;
        let without = &self.what_if.without;
        self.session
            .talkers()
            .iter()
            .filter(move |t| t.talker != vehicle && !without.contains(&t.talker))
            .filter_map(move |t| {
                let (_, mav_type) = t.kind.at(at).or_else(|| t.kind.changes().first())?;
                match heartbeat_effect(own_system, t.talker, *mav_type) {
                    HeartbeatEffect::Ignored => None,
                    effect => Some((t, effect)),
                }
            })
    }

    /// The vehicle's own heartbeats.
    pub fn autopilot_heartbeats(&self) -> Option<&'a Lane> {
        let track = self.session.talkers().get(self.vehicle.talker)?;
        Some(&track.heartbeats)
    }

    /// Everything that the rules ask for about the silence from the ground's `from` on.
    /// `since` is the earliest heartbeat that may have been the last to arrive.
    pub fn silence(
        &self,
        from: Micros,
        since: Micros,
        clock: Option<LocalClock<'_>>,
    ) -> SilenceFacts {
        let to_vehicle = |at: Micros| clock.and_then(|c| c.vehicle_at(at)).unwrap_or(at);
        let topology = self.topology(from + AFTER);
        let talkers = self
            .accepted(from)
            .map(|(track, effect)| {
                let until = self.until.min(from + AFTER);
                let seen = track.heartbeats.between(since - BEFORE, until);
                TalkerHeartbeats {
                    talker: track.talker,
                    effect,
                    seen: seen.iter().map(|at| to_vehicle(*at)).collect(),
                    seen_late: self.seen_late(track, effect, &topology, from),
                    presumed: self
                        .presumed(track, from + AFTER)
                        .into_iter()
                        .map(|b| Bounds::new(to_vehicle(b.earliest()), to_vehicle(b.latest())))
                        .collect(),
                }
            })
            .collect();
        SilenceFacts {
            talkers,
            topology,
            transport: self.transport(from),
            timing: self.timing(from, clock),
            com_dl_loss_t: self.loss_time(from),
            versions: self.versions(),
        }
    }

    /// How long before it was seen the vehicle may have received a heartbeat of this talker. One that a
    /// ground station on this link sends is seen first and received later; what is aboard, or speaks over
    /// another link, is received first, and seen when the vehicle or its radio has passed it on.
    fn seen_late(
        &self,
        track: &TalkerTrack,
        effect: HeartbeatEffect,
        topology: &Topology,
        from: Micros,
    ) -> Span {
        let sent_by_us = track.direction == Direction::Sent;
        let aboard = effect == HeartbeatEffect::ForcesCheck;
        let elsewhere = topology.entry(track.talker) == Entry::Elsewhere;
        if !sent_by_us && (aboard || elsewhere) {
            self.transport(from)
        } else {
            Span::ZERO
        }
    }

    /// COM_DL_LOSS_T in force at `at`, with the span that it stands for.
    pub fn loss_time(&self, at: Micros) -> (Parameter, Span) {
        let parameter = self.parameter("COM_DL_LOSS_T", at, 10.0);
        // What is no number of seconds cannot be in force: then the default is.
        let span = Span::from_secs_f64(parameter.value).unwrap_or(Span::from_secs(10));
        (parameter, span)
    }

    /// The parameters that decide about a loss at `at` and the reaction to it.
    pub fn decided_by(&self, at: Micros) -> Vec<(&'static str, Parameter)> {
        let reaction = self.parameter("NAV_DLL_ACT", at, 0.0);
        vec![
            ("COM_DL_LOSS_T", self.loss_time(at).0),
            ("NAV_DLL_ACT", reaction),
        ]
    }

    /// A parameter in force at `at`, the what-if first.
    pub fn parameter(&self, name: &str, at: Micros, default: f64) -> Parameter {
        match self.what_if.parameter(name) {
            Some(value) => Parameter {
                value,
                provenance: Provenance::Operator,
                at: None,
            },
            None => self.vehicle.parameters.at_or(name, at, default),
        }
    }

    /// The rhythm of a talker continued from the end of what is known up to `to`. A talker that is
    /// overdue is not presumed: it has fallen silent.
    fn presumed(&self, track: &TalkerTrack, to: Micros) -> Vec<Bounds> {
        // Two minutes of a heartbeat a second need a tenth of this. Without a bound, a damaged record whose
        // heartbeats lie microseconds apart, or at the end of what an integer holds, fills the memory.
        const MOST: i64 = 2_000;
        let mut presumed = Vec::new();
        let Some(last) = track.heartbeats.last_until(self.until) else {
            return presumed;
        };
        let Some((period, jitter)) = track.rhythm(self.until) else {
            return presumed;
        };
        if period <= Span::ZERO || self.until > last + period + period / 2 {
            return presumed;
        }
        for beat in 1..=MOST {
            if last + period * beat > to {
                break;
            }
            let spread = jitter * beat;
            let at = Bounds::exact(last + period * beat).widened(spread);
            presumed.push(Bounds::new(
                at.earliest().max(self.until),
                at.latest().max(self.until),
            ));
        }
        presumed
    }

    fn counters(&self, to: Micros) -> Vec<CounterSample> {
        let all = &self.vehicle.receive_counters;
        let end = all.partition_point(|(at, _)| *at <= to.min(self.until));
        samples(all.get(end.saturating_sub(COUNTERS)..end))
    }

    fn counters_between(&self, from: Micros, to: Micros) -> Vec<CounterSample> {
        let all = &self.vehicle.receive_counters;
        let start = all.partition_point(|(at, _)| *at < from);
        let end = all.partition_point(|(at, _)| *at <= to.min(self.until));
        samples(all.get(start..end))
    }

    /// Where the talkers enter, by the receive counter up to `to` and the operator's word.
    pub fn topology(&self, to: Micros) -> Topology {
        let mut topology = infer_topology(&self.counters(to), &self.frames, self.counter_slack(to));
        let inferred = &self.vehicle.inferred_topology;
        let before = inferred.partition_point(|(at, _)| *at <= to.min(self.until));
        for (_, earlier) in inferred.get(..before).unwrap_or_default() {
            topology.keep(earlier);
        }
        let stated = &self.vehicle.stated_topology;
        for (talker, entry) in stated.iter().chain(&self.what_if.topology) {
            topology.state(*talker, *entry);
        }
        topology
    }

    /// How far a frame's time on our record may be from the vehicle's counting it: both ways of the
    /// link, and the turns of its loops.
    fn counter_slack(&self, at: Micros) -> Span {
        Span::from_millis(8) + self.transport(at) * 2
    }

    fn measured_transport(&self, at: Micros) -> Option<Span> {
        self.vehicle.transport(at.min(self.until))
    }

    /// How much later than its time on our record the vehicle may have received a message.
    pub fn transport(&self, at: Micros) -> Span {
        self.measured_transport(at).unwrap_or(UNMEASURED_TRANSPORT)
    }

    /// The most bytes per second that the vehicle has sent us over some seconds: its data rate is at least
    /// that.
    fn data_rate(&self, at: Micros) -> u32 {
        let track = self.session.talkers().get(self.vehicle.talker);
        track.map_or(0, |t| t.rate.sustained(at.min(self.until)))
    }

    /// How late the vehicle's loops are. A clock that does not run at the ground's rate is a simulator's.
    pub fn timing(&self, at: Micros, clock: Option<LocalClock<'_>>) -> LoopTiming {
        // The slower the link is configured, the longer its sending loop sleeps. The configuration is not
        // sent; what the link carried bounds it.
        let timing = LoopTiming::for_data_rate(self.data_rate(at));
        match clock {
            Some(LocalClock::Simulated(_)) => {
                let rate = self.vehicle.clock.rate_at(at).unwrap_or(1.0);
                timing.in_lockstep((rate * 1_000.0) as i64)
            }
            _ => timing,
        }
    }

    /// The versions that the evidence leaves open.
    pub fn versions(&self) -> Vec<Px4Version> {
        if let Some(version) = self.what_if.px4_version {
            return vec![version];
        }
        if let Some(firmware) = self.vehicle.firmware {
            let version = firmware.version;
            return vec![Px4Version::of_release(version.major, version.minor)];
        }
        Px4Version::ALL
            .into_iter()
            .filter(|v| *v >= self.vehicle.oldest_px4)
            .collect()
    }

    /// The facts that decide about the reaction to a loss at `at`.
    pub fn action_input(&self, at: Micros) -> ActionInput {
        // A loss that is still to come is answered by what the vehicle does now.
        let at = at.min(self.until);
        let number = |name, default| self.parameter(name, at, default).value;
        let vehicle = self.vehicle;
        let com_fail_act_t = Span::from_secs_f64(number("COM_FAIL_ACT_T", 5.0)).unwrap_or_default();
        let since_failsafe = vehicle
            .last_in_failsafe(at)
            .map(|ended| vehicle.clock.elapsed(ended, at));
        ActionInput {
            version: self.versions().last().copied().unwrap_or(Px4Version::Main),
            nav_dll_act: number("NAV_DLL_ACT", 0.0) as i64,
            com_fail_act_t,
            least_delay: since_failsafe.map_or(com_fail_act_t, |since| since / 4),
            com_dll_except: number("COM_DLL_EXCEPT", 0.0) as i64,
            mode: vehicle
                .mode
                .at(at)
                .map(|(_, mode)| Px4Mode::from_custom_mode(*mode)),
            armed: vehicle.armed.at(at).map(|(_, armed)| *armed),
            landed: vehicle.landed.at(at).map(|(_, state)| *state == 1),
        }
    }

    /// What the conclusions about a silence rest on, in words.
    pub fn premises(&self, from: Micros, facts: &SilenceFacts, explanation: &mut Explanation) {
        rests_on_loss_time(facts.com_dl_loss_t.0, explanation);
        let reaction = self.parameter("NAV_DLL_ACT", from, 0.0);
        explanation.rests_on(
            knowledge_of(reaction.provenance),
            format!(
                "NAV_DLL_ACT {} ({})",
                reaction.value,
                reaction.provenance.word()
            ),
        );
        match (self.vehicle.firmware, facts.versions.as_slice()) {
            (Some(firmware), _) => explanation.rests_on(
                Knowledge::Reported,
                format!("PX4 {} ({})", firmware.version, firmware.source.word()),
            ),
            (None, [only]) => {
                explanation.rests_on(Knowledge::Inferred, format!("firmware: {only}"));
            }
            _ => explanation.rests_on(
                Knowledge::Uncertain,
                "the firmware version is not known: every rule that it may follow has its window",
            ),
        }
        if let Some(LocalClock::Simulated(_)) = self.vehicle.clock.near(from) {
            let rate = self.vehicle.clock.rate_at(from).unwrap_or(1.0);
            explanation.rests_on(
                Knowledge::Known,
                format!(
                    "the vehicle's clock runs at {rate:.2} times ours (a simulation): its time-outs are in \
                     its own seconds"
                ),
            );
        }
        explanation.rests_on(
            Knowledge::Inferred,
            format!(
                "a report waits at most {} ms to be published ({} B/s seen on this link)",
                Seconds::with_decimals(facts.timing.publisher * 1_000, 1),
                self.data_rate(from)
            ),
        );
        match self.measured_transport(from) {
            Some(transport) => explanation.rests_on(
                Knowledge::Known,
                format!(
                    "messages reach the vehicle within {} ms (round trips measured)",
                    Seconds::with_decimals(transport * 1_000, 1)
                ),
            ),
            None => explanation.rests_on(
                Knowledge::Assumed,
                "messages reach the vehicle within 10 ms (no round trip was measured)",
            ),
        }
        for talker in &facts.talkers {
            let what = match facts.topology.entry(talker.talker) {
                Entry::Here => (
                    Knowledge::Known,
                    "talks to the vehicle on this link (receive counter)",
                ),
                Entry::Elsewhere => (
                    Knowledge::Known,
                    "talks to the vehicle on another link (receive counter)",
                ),
                Entry::Undecided => (
                    Knowledge::Uncertain,
                    "may talk to the vehicle on this link or on another",
                ),
            };
            explanation.rests_on(what.0, format!("{} {}", talker.talker, what.1));
        }
        if facts.topology.unseen_talkers {
            explanation.rests_on(
                Knowledge::Uncertain,
                "somebody talks to the vehicle on this link whom we do not hear",
            );
        } else if facts.topology.informative == 0 {
            explanation.rests_on(
                Knowledge::Assumed,
                "nobody else talks to the vehicle on this link (no receive counter to check it)",
            );
        }
    }
}

fn samples(readings: Option<&[(Micros, LinkNodeStatus)]>) -> Vec<CounterSample> {
    readings
        .unwrap_or_default()
        .iter()
        .map(|(at, status)| CounterSample {
            at: *at,
            received: status.messages_received,
        })
        .collect()
}

/// States the time-out that a conclusion rests on, and how it is known.
pub(super) fn rests_on_loss_time(parameter: Parameter, explanation: &mut Explanation) {
    explanation.rests_on(
        knowledge_of(parameter.provenance),
        format!(
            "COM_DL_LOSS_T {} s ({})",
            parameter.value,
            parameter.provenance.word()
        ),
    );
}

fn knowledge_of(provenance: Provenance) -> Knowledge {
    match provenance {
        Provenance::Default => Knowledge::Assumed,
        Provenance::Operator => Knowledge::Known,
        Provenance::Log | Provenance::Overheard | Provenance::Read => Knowledge::Reported,
    }
}
