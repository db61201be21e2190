//! The link losses of a PX4 vehicle: silences, windows, evidence, verdicts.

use crate::rules::px4::{Arrival, LossInput, loss_candidates};
use crate::rules::{
    Candidate, Explanation, Knowledge, LinkLoss, LinkModel, PredictedAction, told_candidate,
};
use crate::time::{Bounds, Micros, Seconds, Span};

use super::px4_action;
use super::px4_arrivals::{GroundBeat, uncertain_before};
use super::px4_evidence;
use super::px4_facts::{Px4Facts, SilenceFacts};
use super::silence::{Evidence, tell_the_end, verdict};
use super::{LocalClock, Session, Vehicle, WhatIf};

/// How far the ground's idea of a vehicle instant may be off: the boot time comes in whole milliseconds,
/// and the least delay seen may not be the least there is.
const CLOCK_TOLERANCE: Span = Span::from_millis(6);

/// All silences of the ground stations that were long enough to come near a loss.
pub(super) fn link_losses(session: &Session, vehicle: &Vehicle, what_if: &WhatIf) -> Vec<LinkLoss> {
    let until = session.last().unwrap_or_default();
    let facts = Px4Facts::new(session, vehicle, what_if, until);
    let beats = facts.ground_beats(Micros::MIN, until);
    let mut losses = Vec::new();
    let mut arrived = beats
        .iter()
        .enumerate()
        .filter(|(_, beat)| beat.arrival != Arrival::Refuted)
        .peekable();
    while let Some((index, beat)) = arrived.next() {
        let mut next = arrived.peek().map(|(_, beat)| beat.at);
        let mut end = next.unwrap_or(until);
        // Where nothing at all was recorded, the silence is not known to have gone on.
        let gap = session.recordings().ends_between(beat.at, end);
        if let Some(stop) = gap {
            (next, end) = (None, stop);
        }
        let (_, d) = facts.loss_time(beat.at);
        if vehicle.clock.elapsed(beat.at, end) <= d || session.is_away(vehicle.talker, beat.at) {
            continue;
        }
        let before = uncertain_before(&beats, index);
        losses.extend(match gap {
            Some(stop) => {
                let facts = Px4Facts::new(session, vehicle, what_if, stop);
                one_silence(&facts, *beat, &before, next)
            }
            None => one_silence(&facts, *beat, &before, next),
        });
    }
    losses
}

/// The silence that runs at the moment `facts` was taken, as if it went on.
pub(super) fn running_silence(facts: &Px4Facts<'_>, beat: GroundBeat) -> Option<LinkLoss> {
    one_silence(facts, beat, &facts.uncertain_before(beat), None)
}

/// One silence: from the last heartbeat that arrived (or, when that is in doubt, from it or one of those
/// `before` it) to the next one, or to the end of what is known.
fn one_silence(
    facts: &Px4Facts<'_>,
    beat: GroundBeat,
    before: &[GroundBeat],
    next: Option<Micros>,
) -> Option<LinkLoss> {
    let clock = facts.vehicle.clock.near(beat.at);
    let since = before.last().map_or(beat.at, |earliest| earliest.at);
    let silence = facts.silence(beat.at, since, clock);
    let mut candidates = windows(&silence, beat.at, clock);
    if !before.is_empty() {
        under(
            &mut candidates,
            "the last heartbeat sent still reached the vehicle",
        );
        for (lost, earlier) in (1..).zip(before) {
            let mut earlier = windows(&silence, earlier.at, clock);
            let what = match lost {
                1 => "the last heartbeat sent did not reach the vehicle".to_owned(),
                lost => format!("the last {lost} heartbeats sent did not reach the vehicle"),
            };
            under(&mut earlier, &what);
            candidates.extend(earlier);
        }
        candidates.sort_by_key(|c| (c.loss.earliest(), c.loss.latest()));
        if candidates.len() > MOST_CANDIDATES {
            candidates = one_wide(candidates, before.len());
        }
    }
    let hull = candidates.iter().map(|c| c.loss).reduce(Bounds::hull)?;
    let commander = silence.timing.commander;
    let expected =
        px4_action::predicted(facts, hull, commander).map_or_else(String::new, |a| a.name);
    let end = next.unwrap_or(facts.until);
    let evidence = px4_evidence::evidence(facts, beat.at, end, hull, &expected);
    let verdict = verdict(&candidates, &evidence, CLOCK_TOLERANCE, next, facts.until);
    let chosen = told_candidate(&candidates, evidence.loss.as_ref());
    let loss = match chosen {
        Some(candidate) if evidence.loss.is_some() => candidate.loss,
        _ => hull,
    };
    let action = px4_action::predicted(facts, loss, commander);
    let explanation = story(
        facts,
        &silence,
        beat,
        chosen,
        action.as_ref(),
        &evidence,
        next,
        &candidates,
    );
    let last_heartbeat = candidates
        .iter()
        .map(|c| c.last_heartbeat)
        .reduce(Bounds::hull)
        .unwrap_or(Bounds::exact(beat.at));
    Some(LinkLoss {
        model: LinkModel::Px4,
        last_heartbeat_from: beat.talker,
        last_heartbeat,
        candidates,
        predicted_action: action,
        observed_loss: evidence.loss,
        observed_action: evidence.action,
        regained: next,
        verdict,
        explanation,
    })
}

/// More windows than this are no answer any more.
const MOST_CANDIDATES: usize = 4;

/// States what must be so for all of `candidates`, beside what must be so for each.
fn under(candidates: &mut [Candidate], condition: &str) {
    for candidate in candidates {
        candidate.condition = if candidate.condition.is_empty() {
            condition.to_owned()
        } else {
            format!("{condition}; {}", candidate.condition)
        };
    }
}

/// One window around them all, told along the earliest: where the last of many heartbeats may have been
/// the one that arrived.
fn one_wide(candidates: Vec<Candidate>, uncertain: usize) -> Vec<Candidate> {
    let wide = candidates.into_iter().reduce(|mut wide, other| {
        wide.last_heartbeat = wide.last_heartbeat.hull(other.last_heartbeat);
        wide.flag_false = match (wide.flag_false, other.flag_false) {
            (Some(a), Some(b)) => Some(a.hull(b)),
            (a, b) => a.or(b),
        };
        wide.start_line = wide.start_line.hull(other.start_line);
        wide.loss = wide.loss.hull(other.loss);
        wide
    });
    wide.into_iter()
        .map(|mut wide| {
            wide.condition = format!(
                "any of the last {} heartbeats sent was the last to arrive",
                uncertain + 1
            );
            wide
        })
        .collect()
}

/// The candidates for a silence from the ground's `from`, on the ground's timeline.
fn windows(silence: &SilenceFacts, from: Micros, clock: Option<LocalClock<'_>>) -> Vec<Candidate> {
    let input = LossInput {
        versions: &silence.versions,
        talkers: &silence.talkers,
        topology: &silence.topology,
        transport: silence.transport,
        timing: silence.timing,
        com_dl_loss_t: silence.com_dl_loss_t.1,
    };
    let start = clock.and_then(|c| c.vehicle_at(from)).unwrap_or(from);
    let ground = |at: Micros| clock.and_then(|c| c.ground_at(at)).unwrap_or(at);
    let map = |b: Bounds| Bounds::new(ground(b.earliest()), ground(b.latest()));
    loss_candidates(&input, start)
        .into_iter()
        .map(|mut candidate| {
            candidate.last_heartbeat = map(candidate.last_heartbeat);
            candidate.flag_false = candidate.flag_false.map(map);
            candidate.start_line = map(candidate.start_line);
            candidate.loss = map(candidate.loss);
            for step in &mut candidate.explanation.steps {
                step.at = map(step.at);
            }
            candidate
        })
        .collect()
}

#[allow(
    clippy::too_many_arguments,
    reason = "one story, told from everything that is known of it"
)]
fn story(
    facts: &Px4Facts<'_>,
    silence: &SilenceFacts,
    beat: GroundBeat,
    chosen: Option<&Candidate>,
    action: Option<&PredictedAction>,
    evidence: &Evidence,
    next: Option<Micros>,
    candidates: &[Candidate],
) -> Explanation {
    let mut explanation = chosen.map(|c| c.explanation.clone()).unwrap_or_default();
    let now = facts.until;
    px4_action::tell(&mut explanation, action);
    tell_the_end(&mut explanation, evidence, beat.at, next, now);
    facts.premises(beat.at, silence, &mut explanation);
    if beat.arrival == Arrival::Open {
        explanation.rests_on(
            Knowledge::Assumed,
            "the last heartbeat sent reached the vehicle (no reading of its receive counter proves it)",
        );
    }
    if let [_, _, ..] = candidates {
        for candidate in candidates {
            explanation.rests_on(
                Knowledge::Uncertain,
                format!(
                    "lost {} s after the last heartbeat if {}",
                    Seconds::millis(candidate.loss.earliest() - beat.at),
                    candidate.condition
                ),
            );
        }
    }
    explanation
}
