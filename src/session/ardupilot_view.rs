//! The link of an ArduPilot vehicle at one moment.

use crate::observation::Talker;
use crate::rules::ardupilot::GcsRule;
use crate::rules::{LinkLoss, LinkModel};
use crate::time::{Micros, Span};

use super::ardupilot_facts::ArdupilotFacts;
use super::silence::link_state;
use super::{
    CountdownPoint, CountedTalker, LinkState, LinkStrips, LinkView, Session, Vehicle, WhatIf,
    Without, ardupilot_link,
};

pub(super) fn link_at(
    session: &Session,
    vehicle: &Vehicle,
    at: Micros,
    what_if: &WhatIf,
) -> Option<LinkView> {
    let facts = ArdupilotFacts::new(session, vehicle, what_if, at)?;
    let rule = facts.rule(at);
    let last = facts.last_counted(&rule);
    let prediction = last
        .filter(|_| rule.enabled())
        .and_then(|last| ardupilot_link::one_silence(&facts, &facts.rules(at), last, None));
    let window = prediction.as_ref().and_then(LinkLoss::predicted_loss);
    let remaining = window.map(|w| (w.earliest() - at, w.latest() - at));
    let last_counted = last.map(|c| (c.talker, c.at));
    Some(LinkView {
        at,
        model: Some(LinkModel::ArduPilot),
        state: if rule.enabled() {
            link_state(session, at, last_counted, prediction.as_ref())
        } else {
            LinkState::Off
        },
        last_counted,
        counted: counted(&facts, &rule, remaining),
        prediction,
        doubt: None,
        remaining,
        in_failsafe: vehicle.in_failsafe(at),
        downlink: session.downlink(vehicle.talker, at),
        uplink: vehicle.uplink(at),
        decided_by: rule.decided_by().collect(),
    })
}

fn counted(
    facts: &ArdupilotFacts<'_>,
    rule: &GcsRule,
    remaining: Option<(Span, Span)>,
) -> Vec<CountedTalker> {
    let alive: Vec<Talker> = facts
        .talkers()
        .filter(|t| facts.counts(t, rule))
        .filter(|t| {
            let heard = t
                .heartbeats
                .last_until(facts.until)
                .max(t.overrides.last_until(facts.until));
            heard.is_some_and(|heard| {
                facts.vehicle.clock.elapsed(heard, facts.until) < rule.link_timeout
            })
        })
        .map(|t| t.talker)
        .collect();
    facts
        .talkers()
        .filter(|t| !t.heartbeats.is_empty() || facts.counts(t, rule))
        .map(|t| {
            let counts = facts.counts(t, rule);
            CountedTalker {
                talker: t.talker,
                counts,
                reason: rule.ids.reason(t.talker),
                without: Without::of(t.talker, counts, &alive, remaining),
            }
        })
        .collect()
}

/// The countdown over a range: from each counted message it falls; one that comes lifts it again.
pub(super) fn strips(session: &Session, vehicle: &Vehicle, from: Micros, to: Micros) -> LinkStrips {
    let what_if = WhatIf::default();
    let until = session.last().unwrap_or_default().max(to);
    let Some(facts) = ArdupilotFacts::new(session, vehicle, &what_if, until) else {
        return LinkStrips::default();
    };
    let clock = &vehicle.clock;
    // The ids that count do not change in flight; the time-outs may.
    let mut revision = vehicle.parameters.revision(to);
    let mut rule = facts.rule(to);
    let before = rule.link_timeout + rule.hold_time + Span::from_secs(30);
    let counted = facts.counted(&rule, from - before, to);
    // Closer together than this they are one line on any screen.
    let apart = (to - from) / 4_000;
    let mut countdown = Vec::new();
    let mut shown: Option<Micros> = None;
    for (index, last) in counted.iter().enumerate() {
        let end = counted.get(index + 1).map_or(to, |next| next.at);
        if vehicle.parameters.revision(last.at) != revision {
            revision = vehicle.parameters.revision(last.at);
            rule = facts.rule(last.at);
        }
        if !rule.enabled() {
            continue;
        }
        let due = rule.link_timeout + rule.hold_time;
        let lasted = clock.elapsed(last.at, end);
        if shown.is_some_and(|shown| last.at - shown < apart) && lasted < due / 2 {
            continue;
        }
        shown = Some(last.at);
        // Time left as it passes on the ground, however fast the vehicle's clock runs.
        let (due_at, latest_at) = (
            last.at + clock.on_ground(last.at, due),
            last.at + clock.on_ground(last.at, due + rule.latest_delay),
        );
        let full = due_at - last.at;
        let left = |at: Micros| CountdownPoint {
            at,
            earliest: (due_at - at).max(Span::ZERO),
            latest: (latest_at - at).clamp(Span::ZERO, full),
        };
        countdown.push(CountdownPoint {
            at: last.at,
            earliest: full,
            latest: full,
        });
        if lasted > due {
            let loss = ardupilot_link::one_silence(&facts, &facts.rules(last.at), *last, None);
            if let Some(window) = loss.and_then(|l| l.predicted_loss()) {
                countdown.extend([window.earliest(), window.latest()].map(|at| left(at.min(end))));
            }
        }
        countdown.push(left(end));
    }
    LinkStrips {
        countdown,
        ..LinkStrips::default()
    }
}
