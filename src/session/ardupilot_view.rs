//! The link of an ArduPilot vehicle at one moment.

use crate::observation::Talker;
use crate::rules::ardupilot::GcsRule;
use crate::rules::{LinkLoss, LinkModel, Verdict};
use crate::time::{Bounds, Micros, Span};

use super::ardupilot_facts::{ArdupilotFacts, Counted};
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
    Some(LinkView {
        at,
        model: Some(LinkModel::ArduPilot),
        state: state(&facts, &rule, last, prediction.as_ref(), window),
        last_counted: last.map(|c| (c.talker, c.at)),
        counted: counted(&facts, &rule, remaining),
        prediction,
        remaining,
        in_failsafe: vehicle.in_failsafe(at),
        downlink: session.downlink(vehicle.talker, at),
        uplink: vehicle.uplink(at),
    })
}

fn state(
    facts: &ArdupilotFacts<'_>,
    rule: &GcsRule,
    last: Option<Counted>,
    prediction: Option<&LinkLoss>,
    window: Option<Bounds>,
) -> LinkState {
    if !rule.enabled() {
        return LinkState::Off;
    }
    let (Some(last), Some(prediction), Some(window)) = (last, prediction, window) else {
        return LinkState::NeverSeen;
    };
    let at = facts.until;
    if let Some(observed) = &prediction.observed_loss {
        return LinkState::Lost {
            since: Bounds::new(observed.at - observed.resolution, observed.at),
            proven: true,
        };
    }
    let silent = matches!(prediction.verdict, Verdict::Silent(_));
    if silent && at >= window.earliest() {
        return LinkState::Off;
    }
    if at > window.latest() {
        return LinkState::Lost {
            since: window,
            proven: false,
        };
    }
    if at >= window.earliest() {
        return LinkState::Due;
    }
    let period = facts
        .session
        .talkers()
        .get(last.talker)
        .and_then(|t| t.rhythm(at))
        .map_or(Span::from_secs(1), |(period, jitter)| period + jitter);
    if at - last.at <= period + period / 2 {
        LinkState::Present
    } else {
        LinkState::Counting
    }
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
            let others: Vec<Talker> = alive.iter().copied().filter(|a| *a != t.talker).collect();
            let without = match (counts, remaining) {
                (true, _) if !others.is_empty() => Without::Masked(others),
                (true, Some((earliest, latest))) => Without::LostIn(earliest, latest),
                _ => Without::NoChange,
            };
            CountedTalker {
                talker: t.talker,
                counts,
                reason: rule.ids.reason(t.talker),
                without,
            }
        })
        .collect()
}

/// The countdown over a range: from each counted message it falls; one that comes lifts it again.
pub(super) fn strips(session: &Session, vehicle: &Vehicle, from: Micros, to: Micros) -> LinkStrips {
    let what_if = WhatIf::default();
    let until = session.last().unwrap_or_default();
    let Some(facts) = ArdupilotFacts::new(session, vehicle, &what_if, until) else {
        return LinkStrips::default();
    };
    let to = to.min(until);
    let rule = facts.rule(to);
    if !rule.enabled() {
        return LinkStrips::default();
    }
    let due = rule.link_timeout + rule.hold_time;
    let counted = facts.counted(&rule, from - due - Span::from_secs(30), to);
    // Closer together than this they are one line on any screen.
    let apart = (to - from) / 4_000;
    let mut countdown = Vec::new();
    let mut shown: Option<Micros> = None;
    for (index, last) in counted.iter().enumerate() {
        let end = counted.get(index + 1).map_or(to, |next| next.at);
        if shown.is_some_and(|shown| last.at - shown < apart) && end - last.at < due / 2 {
            continue;
        }
        shown = Some(last.at);
        let left = |at: Micros| {
            let age = vehicle.clock.elapsed(last.at, at);
            CountdownPoint {
                at,
                earliest: (due - age).max(Span::ZERO),
                latest: (due + rule.latest_delay - age).clamp(Span::ZERO, due),
            }
        };
        countdown.push(CountdownPoint {
            at: last.at,
            earliest: due,
            latest: due,
        });
        if end - last.at > due {
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
