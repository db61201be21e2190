//! What the session knows of an ArduPilot vehicle, put into the form that its GCS failsafe asks for.

use crate::observation::Talker;
use crate::rules::ardupilot::{GcsRule, Release, SignOfLife, VehicleKind};
use crate::rules::{Knowledge, Parameter, Premise, Provenance};
use crate::time::{Micros, Span};

use super::{Session, TalkerTrack, Vehicle, WhatIf};

/// The newest release whose rules are known.
const NEWEST: Release = (4, 7);

/// A message that counted, as sent or seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Counted {
    pub at: Micros,
    pub talker: Talker,
}

/// The facts of one vehicle as known at one moment.
pub(super) struct ArdupilotFacts<'a> {
    pub session: &'a Session,
    pub vehicle: &'a Vehicle,
    pub kind: VehicleKind,
    what_if: &'a WhatIf,
    /// Nothing after this moment is known.
    pub until: Micros,
}

impl<'a> ArdupilotFacts<'a> {
    /// `None` for a vehicle whose kind is not known.
    pub fn new(
        session: &'a Session,
        vehicle: &'a Vehicle,
        what_if: &'a WhatIf,
        until: Micros,
    ) -> Option<Self> {
        Some(Self {
            session,
            vehicle,
            kind: vehicle.ardupilot_kind()?,
            what_if,
            until,
        })
    }

    /// The rule with the parameters in force at `at`; of the latest release where that is not known.
    pub fn rule(&self, at: Micros) -> GcsRule {
        self.rule_of(self.release().unwrap_or(NEWEST), at)
    }

    /// The rules that the evidence leaves open, each with its condition in words: one where the release is
    /// known, else one for each release after which something changed.
    pub fn rules(&self, at: Micros) -> Vec<(String, GcsRule)> {
        if let Some(release) = self.release() {
            return vec![(String::new(), self.rule_of(release, at))];
        }
        // What decides whether and when it fires.
        let decides = |rule: &GcsRule| {
            let times = (rule.link_timeout, rule.hold_time);
            (rule.enabled(), times, rule.comparison, rule.ids)
        };
        let plausible = GcsRule::plausible_releases(self.kind, &|name| self.parameter(name, at));
        let mut rules: Vec<(String, GcsRule)> = Vec::new();
        for release in plausible {
            let rule = self.rule_of(release, at);
            if rules
                .iter()
                .all(|(_, other)| decides(other) != decides(&rule))
            {
                let (major, minor) = release;
                let name = self.kind.firmware_name();
                rules.push((
                    format!("the firmware follows the rules of {name} {major}.{minor}"),
                    rule,
                ));
            }
        }
        rules
    }

    fn release(&self) -> Option<Release> {
        self.vehicle
            .firmware
            .map(|f| (f.version.major, f.version.minor))
    }

    fn parameter(&self, name: &str, at: Micros) -> Option<Parameter> {
        match self.what_if.parameter(name) {
            Some(value) => Some(Parameter {
                value,
                provenance: Provenance::Operator,
                at: None,
            }),
            None => self.vehicle.parameters.at(name, at),
        }
    }

    fn rule_of(&self, release: Release, at: Micros) -> GcsRule {
        let mut rule = GcsRule::select(self.kind, release, &|name| self.parameter(name, at));
        let (major, minor) = release;
        let name = self.kind.firmware_name();
        rule.premises.insert(
            0,
            if self.release().is_some() {
                Premise {
                    knowledge: Knowledge::Reported,
                    text: format!("the rules of {name} {major}.{minor}"),
                }
            } else {
                Premise {
                    knowledge: Knowledge::Uncertain,
                    text: format!(
                        "the release of {name} is not known: every rule that it may follow has its window"
                    ),
                }
            },
        );
        rule
    }

    /// Everything that counted within `from..=to`, in order of time.
    pub fn counted(&self, rule: &GcsRule, from: Micros, to: Micros) -> Vec<Counted> {
        let to = to.min(self.until);
        let mut counted: Vec<Counted> = self
            .talkers()
            .flat_map(|track| {
                self.lanes(track, rule)
                    .flat_map(move |lane| lane.between(from, to))
                    .map(|at| Counted {
                        at: *at,
                        talker: track.talker,
                    })
            })
            .collect();
        counted.sort_unstable();
        counted
    }

    /// The last message that counted up to the moment of these facts.
    pub fn last_counted(&self, rule: &GcsRule) -> Option<Counted> {
        self.talkers()
            .filter_map(|track| {
                let at = self
                    .lanes(track, rule)
                    .filter_map(|lane| lane.last_until(self.until))
                    .max()?;
                Some(Counted {
                    at,
                    talker: track.talker,
                })
            })
            .max()
    }

    /// Whether anything that this talker sends counts.
    pub fn counts(&self, track: &TalkerTrack, rule: &GcsRule) -> bool {
        self.lanes(track, rule).next().is_some()
    }

    /// The talkers that may count: not the vehicle itself, and not those left out.
    pub fn talkers(&self) -> impl Iterator<Item = &'a TalkerTrack> {
        let vehicle = self.vehicle.talker;
        let without = &self.what_if.without;
        self.session
            .talkers()
            .iter_all()
            .filter(move |t| t.talker != vehicle && !without.contains(&t.talker))
    }

    /// The lanes of a talker that count for this vehicle.
    fn lanes<'t>(
        &self,
        track: &'t TalkerTrack,
        rule: &GcsRule,
    ) -> impl Iterator<Item = &'t super::Lane> {
        let own = self.vehicle.talker.system;
        let ids = rule.ids;
        let talker = track.talker;
        let controls = track
            .manual_controls
            .iter()
            .map(|(target, lane)| (SignOfLife::ManualControl { target: *target }, lane));
        [
            (SignOfLife::Heartbeat, &track.heartbeats),
            (SignOfLife::RcOverride, &track.overrides),
        ]
        .into_iter()
        .chain(controls)
        .filter(move |(sign, lane)| !lane.is_empty() && ids.counts(own, talker, *sign))
        .map(|(_, lane)| lane)
    }

    /// How much later than its time on our record the vehicle may have received a message.
    pub fn transport(&self, at: Micros) -> Span {
        const UNMEASURED: Span = Span::from_millis(10);
        self.vehicle
            .transport(at.min(self.until))
            .unwrap_or(UNMEASURED)
    }
}
