//! The link of a PX4 vehicle at one moment.

use crate::observation::Talker;
use crate::rules::px4::{Arrival, HeartbeatEffect, heartbeat_effect};
use crate::rules::{LinkLoss, LinkModel};
use crate::time::{Micros, Span};

use super::px4_facts::Px4Facts;
use super::silence::link_state;
use super::{CountedTalker, LinkView, Session, Vehicle, WhatIf, Without, px4_link};

/// A ground station that was heard this recently keeps the flag true by itself.
const RECENT: Span = Span::from_millis(2_500);

pub(super) fn link_at(
    session: &Session,
    vehicle: &Vehicle,
    at: Micros,
    what_if: &WhatIf,
) -> LinkView {
    let facts = Px4Facts::new(session, vehicle, what_if, at);
    let beat = facts.last_arrived(at);
    let prediction = beat.and_then(|beat| px4_link::running_silence(&facts, beat));
    let window = prediction.as_ref().and_then(LinkLoss::predicted_loss);
    let remaining = window.map(|w| (w.earliest() - at, w.latest() - at));
    let last_counted = beat.map(|b| (b.talker, b.at));
    LinkView {
        at,
        model: Some(LinkModel::Px4),
        state: link_state(session, at, last_counted, prediction.as_ref()),
        last_counted,
        counted: counted(session, &facts, remaining),
        prediction,
        doubt: None,
        remaining,
        in_failsafe: vehicle.in_failsafe(at),
        downlink: session.downlink(vehicle.talker, at),
        uplink: vehicle.uplink(at),
        decided_by: facts.decided_by(at),
    }
}

fn counted(
    session: &Session,
    facts: &Px4Facts<'_>,
    remaining: Option<(Span, Span)>,
) -> Vec<CountedTalker> {
    let own = facts.vehicle.talker;
    let mut ground: Vec<Talker> = facts
        .ground_beats(facts.until - RECENT, facts.until)
        .into_iter()
        .filter(|beat| beat.arrival != Arrival::Refuted)
        .map(|beat| beat.talker)
        .collect();
    ground.sort_unstable();
    ground.dedup();
    session
        .talkers()
        .iter()
        .filter(|t| t.talker != own)
        .filter_map(|t| {
            let (_, mav_type) = t.kind.at(facts.until)?;
            let effect = heartbeat_effect(own.system, t.talker, *mav_type);
            let reason = match effect {
                HeartbeatEffect::CountsAsGroundStation => {
                    "says it is a ground station: PX4 counts it, whatever its id"
                }
                HeartbeatEffect::ForcesCheck => {
                    "of the vehicle's own system: makes PX4 check, but is no ground station"
                }
                HeartbeatEffect::Ignored => "another system and no ground station: PX4 ignores it",
            };
            let counts = effect == HeartbeatEffect::CountsAsGroundStation;
            Some(CountedTalker {
                talker: t.talker,
                counts,
                reason: reason.to_owned(),
                without: Without::of(t.talker, counts, &ground, remaining),
            })
        })
        .collect()
}
