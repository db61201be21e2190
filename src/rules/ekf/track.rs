use crate::time::{Bounds, Micros, Span};

use super::cause::RecentCauses;
use super::engine::Outcome;
use super::evidence::{Evidence, EvidenceQueue};
use super::excursion::Excursion;
use super::feed::{TEXT_DELAY, TIME_ERROR, VehicleState};
use super::recent::Recent;
use super::walk::{HOLE, PATIENCE, STEP, Sign, Walk};
use super::{CounterPoint, EkfEpisode, EkfFact, EkfRule, EkfSighting, EkfText, Truth};
use crate::rules::ardupilot::VehicleKind;

/// A clock that falls back by more than this was restarted.
const RESTART: Span = Span::from_secs(1);
/// News of a trip this soon after another tell of the same one.
const SAME_TRIP: Span = Span::from_millis(1_500);

/// The vehicle's EKF counter as the ground can know it, from what the ground saw.
///
/// Fed with sightings in the order in which they were seen, in vehicle time. Steps are final once the
/// reports, heartbeats and texts that bear on them are in, about a second later; [`Self::estimate`]
/// says what is known until now. The same sightings under another rule are a what-if.
#[derive(Clone, Debug)]
pub struct CounterTrack {
    rule: EkfRule,
    walk: Walk,
    evidence: EvidenceQueue,
    causes: RecentCauses,
    excursion: Option<Excursion>,
    recent: Recent,
    newest: Option<Micros>,
    points: Vec<CounterPoint>,
    episodes: Vec<EkfEpisode>,
    restarts: u32,
}

/// The count at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterEstimate {
    /// Lowest possible count.
    pub low: u8,
    /// Highest possible count.
    pub high: u8,
    /// Whether the failsafe is tripped.
    pub tripped: Truth,
}

impl CounterTrack {
    /// A track that has seen nothing.
    #[must_use]
    pub fn new(rule: EkfRule) -> Self {
        Self {
            walk: Walk::new(&rule),
            rule,
            evidence: EvidenceQueue::default(),
            causes: RecentCauses::default(),
            excursion: None,
            recent: Recent::default(),
            newest: None,
            points: Vec::new(),
            episodes: Vec::new(),
            restarts: 0,
        }
    }

    /// A parameter changed: what is seen from now on is judged by `rule`, of the same vehicle.
    pub fn change_rule(&mut self, rule: EkfRule) {
        self.rule = rule;
    }

    /// The whole of `sightings` under `rule`, finished: what a what-if and a replay need.
    #[must_use]
    pub fn run<'a>(rule: EkfRule, sightings: impl IntoIterator<Item = &'a EkfSighting>) -> Self {
        let mut track = Self::new(rule);
        for sighting in sightings {
            track.observe(sighting);
        }
        track.finish();
        track
    }

    /// The rule it follows.
    #[must_use]
    pub const fn rule(&self) -> &EkfRule {
        &self.rule
    }

    /// The count over time, a point for every change, in order of time.
    #[must_use]
    pub fn points(&self) -> &[CounterPoint] {
        &self.points
    }

    /// The closed episodes, in order of time; see also [`Self::ongoing`].
    #[must_use]
    pub fn episodes(&self) -> &[EkfEpisode] {
        &self.episodes
    }

    /// The episode that is going on, as far as it is known now.
    #[must_use]
    pub fn ongoing(&self) -> Option<EkfEpisode> {
        let excursion = self.excursion.clone()?;
        let open = excursion.is_open();
        let episode = excursion.into_episode(&self.rule, true)?;
        Some(if open {
            self.with_candidates(episode)
        } else {
            episode
        })
    }

    /// Where in each tenth of a second of vehicle time the vehicle's check falls, once a proven trip
    /// or clear has told; microseconds from the full tenth.
    #[must_use]
    pub fn tick_phase(&self) -> Option<Bounds> {
        self.walk.engine.phase()
    }

    /// How often vehicle time fell back, that is, the vehicle restarted.
    #[must_use]
    pub const fn restarts(&self) -> u32 {
        self.restarts
    }

    /// Takes in one sighting.
    pub fn observe(&mut self, sighting: &EkfSighting) {
        let at = sighting.at;
        if self.newest.is_some_and(|newest| newest - at > RESTART) {
            self.restart();
        }
        // Small steps back are the mapping's; time only goes on.
        let at = self.newest.map_or(at, |newest| newest.max(at));
        self.newest = Some(at);
        self.walk.next.get_or_insert(Walk::step_of(at));
        let began = self.excursion.as_ref().map(Excursion::began);
        self.recent.note(EkfSighting { at, ..*sighting }, began);
        match sighting.fact {
            EkfFact::Report(report) => self.walk.feed.report(at, &report),
            EkfFact::Vehicle {
                armed,
                mode,
                status,
            } => self.vehicle(VehicleState {
                at,
                armed,
                mode,
                status,
            }),
            EkfFact::Text(text) => self.text(at, text),
        }
        self.advance(self.horizon(at));
    }

    /// The record ends: takes the steps that still waited for something.
    pub fn finish(&mut self) {
        self.flush();
        self.close(true);
    }

    fn flush(&mut self) {
        let Some(newest) = self.newest else { return };
        self.advance(newest);
        // Evidence whose window reaches past the end still counts.
        while let Some(evidence) = self.evidence.pop_passed(Micros::MAX) {
            self.conclude(&evidence);
        }
    }

    /// The count at `now`, without waiting for what may still come in.
    #[must_use]
    pub fn estimate(&self, now: Micros) -> Option<CounterEstimate> {
        let mut walk = self.walk.clone();
        let outcome = walk.on_to(&self.rule, now, |_| false)?;
        let (low, high) = outcome.rests_at;
        Some(CounterEstimate {
            low,
            high,
            tripped: outcome.tripped,
        })
    }

    /// When the failsafe trips if everything stays as last reported: a countdown. `None` if it does
    /// not, or if it is already tripped for certain.
    #[must_use]
    pub fn trips_if_nothing_changes(&self, now: Micros) -> Option<Bounds> {
        self.walk.clone().trips_if_nothing_changes(&self.rule, now)
    }

    fn vehicle(&mut self, new: VehicleState) {
        if let Some(old) = self.walk.feed.last_vehicle() {
            let told = self.tells_status() && new.at - old.at <= PATIENCE;
            if told && old.is_well() && new.is_critical() {
                self.evidence.push(Evidence::status(true, old.at, new.at));
            } else if told && old.is_critical() && new.is_well() {
                self.evidence.push(Evidence::status(false, old.at, new.at));
            }
        }
        self.walk.feed.vehicle(new);
    }

    /// Whether system_status tells of this failsafe: Plane's does not.
    fn tells_status(&self) -> bool {
        self.rule.enabled.is_ok() && self.rule.kind != VehicleKind::Plane
    }

    fn text(&mut self, at: Micros, text: EkfText) {
        let evidence = match text {
            EkfText::Variance => Evidence::text(true, at, "EKF variance"),
            EkfText::Failsafe => Evidence::text(true, at, "EKF failsafe"),
            EkfText::SubBad => Evidence::text(true, at, "EKF bad"),
            EkfText::Cleared => Evidence::text(false, at, "EKF failsafe cleared"),
            EkfText::DcmActive => return self.walk.feed.fallback(at, true),
            EkfText::EkfActive => return self.walk.feed.fallback(at, false),
            EkfText::LaneSwitch => {
                if let Some(excursion) = &mut self.excursion {
                    excursion.note(
                        at,
                        "The estimator switched lanes: the ratios are another lane's from here on.",
                    );
                }
                return;
            }
        };
        self.evidence.push(evidence);
    }

    /// Up to when everything that can bear on a step is in.
    fn horizon(&self, now: Micros) -> Micros {
        let known = |at: Option<Micros>| {
            at.map_or(now - PATIENCE, |at| (at - TIME_ERROR).max(now - PATIENCE))
        };
        let feed = &self.walk.feed;
        known(feed.last_report().map(|r| r.at))
            .min(known(feed.last_vehicle().map(|v| v.at)))
            .min(now - TEXT_DELAY - TIME_ERROR - TIME_ERROR)
    }

    fn advance(&mut self, horizon: Micros) {
        let Some(mut next) = self.walk.next else {
            return;
        };
        let end = Walk::step_of(horizon);
        if end.saturating_sub(next) > HOLE.as_micros() / STEP.as_micros() {
            self.note_hole(Walk::start_of(next));
            next = end - PATIENCE.as_micros() / STEP.as_micros();
        }
        while next < end {
            self.take(Walk::start_of(next));
            next += 1;
        }
        self.walk.next = Some(next);
    }

    fn note_hole(&mut self, from: Micros) {
        self.walk.engine.forget();
        self.close(false);
        self.push_point(CounterPoint {
            at: from,
            low: 0,
            high: self.rule.limit(),
            tripped: Truth::Unknown,
        });
    }

    fn take(&mut self, from: Micros) {
        while let Some(evidence) = self.evidence.pop_passed(from) {
            self.conclude(&evidence);
        }
        let well = self.says_well(from);
        let agrees = well && self.walk.engine.not_tripped();
        let sign = self.walk.look(&self.rule, from);
        if let Some(sign) = sign {
            self.causes.note(sign.at, sign.cause);
            let cleared = self.excursion.as_ref().and_then(Excursion::cleared_at);
            if cleared.is_some() {
                // The next upset, however soon.
                self.close(false);
            }
            if self.excursion.is_none() {
                self.walk.engine.open();
                let mut excursion = Excursion::new(sign.at);
                // It may have tripped again already, since the evidence that it had cleared.
                if let Some(cleared) = cleared.filter(|_| self.walk.engine.resume()) {
                    excursion.may_have_tripped(Bounds::new(cleared - TIME_ERROR, from));
                }
                self.excursion = Some(excursion);
            }
        }
        let watch = self.evidence.watch(from, from + STEP);
        let outcome = self.walk.step(&self.rule, from, watch);
        if agrees {
            self.walk.engine.not_tripped_before_end();
        }
        let refuted = agrees && !self.walk.engine.may_be_held();
        self.push_point(CounterPoint {
            at: from,
            low: outcome.low,
            high: outcome.high,
            tripped: outcome.tripped,
        });
        self.follow(from, &outcome, sign, refuted);
    }

    fn follow(&mut self, from: Micros, outcome: &Outcome, sign: Option<Sign>, refuted: bool) {
        let Some(excursion) = &mut self.excursion else {
            return;
        };
        if let Some(sign) = sign {
            excursion.sign(from, sign.open);
        }
        excursion.step(from, outcome);
        if refuted {
            excursion.refute();
        }
        if outcome.may_trip.is_some() && !excursion.has_vehicle() {
            let vehicle = self.walk.feed.vehicle_at(from);
            excursion.state_before_trip(
                vehicle.map(|v| (v.armed, v.mode)),
                self.causes.before(from + STEP),
            );
        }
        let awaits_evidence =
            excursion.cleared_at().is_none() && self.evidence.begins_before(from + STEP);
        if !awaits_evidence && excursion.is_over(from, outcome) {
            self.close(false);
        }
    }

    /// Whether a heartbeat in the step from `from` on says that the vehicle is in no failsafe, and so not
    /// in this one.
    fn says_well(&self, from: Micros) -> bool {
        self.tells_status()
            && self
                .walk
                .feed
                .vehicle_between(from + TIME_ERROR, from + STEP - TIME_ERROR)
                .any(|v| v.is_well())
    }

    fn conclude(&mut self, evidence: &Evidence) {
        if evidence.trip {
            self.conclude_trip(evidence);
        } else {
            self.conclude_clear(evidence);
        }
    }

    fn conclude_trip(&mut self, evidence: &Evidence) {
        let known = self.excursion.as_ref().and_then(|e| {
            e.observed_trip
                .as_ref()
                .map(|o| (o.at, e.observed_clear.is_some()))
        });
        if let Some((at, cleared)) = known {
            if evidence.at - at <= SAME_TRIP || (!evidence.names_ekf && !cleared) {
                self.walk.engine.disregard(evidence.trip);
                if let Some(excursion) = &mut self.excursion {
                    excursion.add_words(evidence);
                }
                return;
            }
            // It tripped again; that it cleared in between went unseen.
            self.close(false);
        }
        if self.excursion.is_none() {
            if !evidence.names_ekf && self.causes.before(evidence.at).is_none() {
                // Another failsafe: no report shows trouble of the estimator.
                self.walk.engine.disregard(evidence.trip);
                return;
            }
            self.walk.engine.open();
            self.excursion = Some(Excursion::new(evidence.window.earliest()));
        }
        let explained = self.walk.engine.conclude(true, evidence.names_ekf);
        let Some(excursion) = &mut self.excursion else {
            return;
        };
        if !explained && !evidence.names_ekf {
            return;
        }
        if !excursion.has_vehicle() {
            let vehicle = self.walk.feed.vehicle_at(evidence.window.earliest());
            excursion.state_before_trip(vehicle.map(|v| (v.armed, v.mode)), None);
        }
        excursion.trip_seen(evidence, self.causes.before(evidence.at));
    }

    fn conclude_clear(&mut self, evidence: &Evidence) {
        let Some(excursion) = self.excursion.as_mut().filter(|e| e.trip_possible()) else {
            self.walk.engine.conclude(false, evidence.names_ekf);
            // Late news of an episode that ended by the rule.
            if let Some(episode) = self.episodes.last_mut()
                && episode.observed_clear.is_none()
                && episode.clear().is_some_and(|c| c.overlaps(evidence.window))
            {
                episode.observed_clear = Some(evidence.observed());
            }
            return;
        };
        if excursion.observed_clear.is_some() {
            self.walk.engine.disregard(evidence.trip);
            excursion.add_words(evidence);
            return;
        }
        let explained = self.walk.engine.conclude(false, evidence.names_ekf);
        if explained || evidence.names_ekf {
            excursion.clear_seen(evidence);
        }
    }

    fn close(&mut self, ongoing: bool) {
        self.walk.engine.close();
        let Some(excursion) = self.excursion.take() else {
            return;
        };
        let ongoing = ongoing && excursion.cleared_at().is_none();
        let open = excursion.is_open();
        let Some(episode) = excursion.into_episode(&self.rule, ongoing) else {
            return;
        };
        let episode = if open {
            self.with_candidates(episode)
        } else {
            episode
        };
        self.episodes.push(episode);
    }

    fn with_candidates(&self, mut episode: EkfEpisode) -> EkfEpisode {
        if let Some(around) = episode.trip() {
            episode.candidates = self.recent.candidates(&self.rule, around);
        }
        episode
    }

    fn restart(&mut self) {
        self.flush();
        self.close(false);
        self.walk = Walk::new(&self.rule);
        self.evidence.clear();
        self.recent = Recent::default();
        self.newest = None;
        self.restarts += 1;
    }

    fn push_point(&mut self, point: CounterPoint) {
        let same = self.points.last().is_some_and(|last| {
            (last.low, last.high, last.tripped) == (point.low, point.high, point.tripped)
        });
        if !same {
            self.points.push(point);
        }
    }
}
