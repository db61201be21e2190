//! The link losses of an ArduPilot vehicle: silences, windows, evidence, verdicts.

use crate::observation::SystemStatus;
use crate::rules::ardupilot::{GcsRule, GcsText, GcsWindow, gcs_text, tells_of_another_failsafe};
use crate::rules::modes::mode_name;
use crate::rules::{
    Candidate, Explanation, Knowledge, LinkLoss, LinkModel, Observed, PredictedAction, Step,
    StepKind, Verdict, told_candidate,
};
use crate::time::{Bounds, Micros, Seconds, Span};

use super::ardupilot_facts::{ArdupilotFacts, Counted};
use super::silence::{Evidence, tell_the_end, verdict};
use super::{LocalClock, Session, Vehicle, WhatIf};

/// A text reaches the ground this much after it was written, at most, on a link in good order.
const TEXT_DELAY: Span = Span::from_millis(50);
/// ArduPilot's heartbeats are this far apart.
const HEARTBEAT: Span = Span::from_secs(1);
/// From the failsafe to the mode change: the same turn of the main loop.
const ACTS_WITHIN: Span = Span::from_millis(20);

/// All silences of the counted ground stations that came near the failsafe.
pub(super) fn link_losses(session: &Session, vehicle: &Vehicle, what_if: &WhatIf) -> Vec<LinkLoss> {
    let until = session.last().unwrap_or_default();
    let Some(facts) = ArdupilotFacts::new(session, vehicle, what_if, until) else {
        return Vec::new();
    };
    // The ids that count do not change in flight; the time-outs are read at each silence.
    let counted = facts.counted(&facts.rule(until), Micros::MIN, until);
    let mut losses = Vec::new();
    // The rules change with the parameters only, which is rare; the silences to be judged are many.
    let mut known: Option<RulesInForce> = None;
    for (index, last) in counted.iter().enumerate() {
        let mut next = counted.get(index + 1).map(|c| c.at);
        let mut end = next.unwrap_or(until);
        // Where nothing at all was recorded, the silence is not known to have gone on.
        let gap = session.recordings().ends_between(last.at, end);
        if let Some(stop) = gap {
            (next, end) = (None, stop);
        }
        let revision = vehicle.parameters.revision(last.at);
        if known.as_ref().is_none_or(|k| k.revision != revision) {
            known = Some(RulesInForce::new(&facts, last.at, revision));
        }
        if let Some(known) = &known
            && let Some(near) = known.near
            && vehicle.clock.elapsed(last.at, end) >= near
            && !session.is_away(vehicle.talker, last.at)
        {
            let then = gap.and_then(|stop| ArdupilotFacts::new(session, vehicle, what_if, stop));
            let facts = then.as_ref().unwrap_or(&facts);
            losses.extend(one_silence(facts, &known.rules, *last, next));
        }
    }
    losses
}

/// The rules that hold until the parameters change.
struct RulesInForce {
    /// Of the parameters.
    revision: usize,
    rules: Vec<(String, GcsRule)>,
    /// The shortest silence worth telling; `None` while no rule is switched on.
    near: Option<Span>,
}

impl RulesInForce {
    fn new(facts: &ArdupilotFacts<'_>, at: Micros, revision: usize) -> Self {
        let rules = facts.rules(at);
        let near = rules
            .iter()
            .map(|(_, rule)| rule)
            .filter(|rule| rule.enabled())
            .map(|rule| rule.link_timeout + rule.hold_time - NEAR)
            .min();
        Self {
            revision,
            rules,
            near,
        }
    }
}

/// A silence that ends this close before the failsafe is worth telling.
const NEAR: Span = Span::from_secs(1);

/// One silence: from the last message that counted to the next one, or to the end of what is known.
/// `rules` are those that the evidence leaves open; `None` without any.
pub(super) fn one_silence(
    facts: &ArdupilotFacts<'_>,
    rules: &[(String, GcsRule)],
    last: Counted,
    next: Option<Micros>,
) -> Option<LinkLoss> {
    let clock = facts.vehicle.clock.near(last.at);
    let end = next.unwrap_or(facts.until);
    let heard = Bounds::new(last.at, last.at + facts.transport(last.at));
    let (_, rule) = rules.first()?;
    let (mut candidates, mut silent): (Vec<Candidate>, Vec<(Candidate, String)>) =
        Default::default();
    for (condition, rule) in rules {
        let (mut candidate, why) = window(facts, rule, heard, clock, end);
        candidate.condition.clone_from(condition);
        match why {
            Some(why) => silent.push((candidate, why)),
            None => candidates.push(candidate),
        }
    }
    // Silent only if every rule is; a rule that is so beside others that fire is told as a possibility.
    let silence = candidates
        .is_empty()
        .then(|| silent.first().map(|(_, why)| why.clone()))
        .flatten();
    if silence.is_some() {
        candidates = silent.drain(..).map(|(candidate, _)| candidate).collect();
    }
    candidates.sort_by_key(|c| c.loss.earliest());
    if let [only] = candidates.as_mut_slice()
        && silent.is_empty()
    {
        only.condition.clear();
    }
    let hull = candidates.iter().map(|c| c.loss).reduce(Bounds::hull)?;
    // What is announced after this belongs to the next silence.
    let outlasts = rules
        .iter()
        .map(|(_, rule)| rule.silence_outlasts())
        .max()?;
    let evidence = evidence(facts, last.at, end + outlasts, hull);
    let verdict = match silence {
        Some(reason) if evidence.loss.is_none() => Verdict::Silent(reason),
        _ => verdict(
            &candidates,
            &evidence,
            TEXT_DELAY,
            next.map(|next| next + outlasts),
            facts.until,
        ),
    };
    let action = predicted_action(facts, rule, hull);
    let mut explanation = told_candidate(&candidates, evidence.loss.as_ref())
        .map(|c| c.explanation.clone())
        .unwrap_or_default();
    explanation.steps.push(Step {
        at: action.at,
        kind: StepKind::Action,
        knowledge: Knowledge::Inferred,
        text: action.sentence(),
        source: None,
    });
    if let Some(next) = next.filter(|_| evidence.loss.is_some()) {
        let first = Bounds::new(next, next + facts.transport(next));
        explanation.steps.push(ending(rule, first, clock));
    }
    tell_the_end(&mut explanation, &evidence, last.at, next, facts.until);
    for (candidate, why) in &silent {
        explanation.rests_on(
            Knowledge::Uncertain,
            format!("nothing fires if {}: {why}", candidate.condition),
        );
    }
    for premise in &rule.premises {
        explanation.rests_on(premise.knowledge, premise.text.clone());
    }
    explanation.rests_on(
        Knowledge::Assumed,
        "what was sent to the vehicle arrived (ArduPilot has no receive counter)",
    );
    Some(LinkLoss {
        model: LinkModel::ArduPilot,
        last_heartbeat_from: last.talker,
        last_heartbeat: heard,
        candidates,
        predicted_action: Some(action),
        observed_loss: evidence.loss,
        observed_action: evidence.action,
        regained: next,
        verdict,
        explanation,
    })
}

/// The window on the ground's timeline; with the reason when the rule keeps silent.
fn window(
    facts: &ArdupilotFacts<'_>,
    rule: &GcsRule,
    heard: Bounds,
    clock: Option<LocalClock<'_>>,
    end: Micros,
) -> (Candidate, Option<String>) {
    let to_vehicle = |at: Micros| clock.and_then(|c| c.vehicle_at(at)).unwrap_or(at);
    let ground = |bounds| on_ground(bounds, clock);
    let last = on_vehicle(heard, clock);
    let modes: Vec<(Micros, u32)> = facts
        .vehicle
        .mode
        .changes()
        .iter()
        .filter(|(at, _)| *at <= facts.until)
        .map(|(at, mode)| (to_vehicle(*at), *mode))
        .collect();
    let until = to_vehicle(end);
    let decided = rule.window(last, &modes, until);
    let (link_too_old, at, silent) = match decided {
        GcsWindow::Fires { link_too_old, at } => (link_too_old, at, None),
        GcsWindow::Silent(reason) => {
            // What would be due in another mode, so that the countdown has an end to show.
            let due = rule.link_timeout + rule.hold_time;
            (last + rule.link_timeout, last + due, Some(reason))
        }
    };
    let loss = ground(at);
    let start_line = if rule.hold_time == Span::ZERO {
        heard
    } else {
        ground(link_too_old)
    };
    let explanation = explain(rule, heard, ground(link_too_old), loss, silent.as_deref());
    let candidate = Candidate {
        last_heartbeat: heard,
        flag_false: None,
        start_line,
        loss,
        condition: String::new(),
        explanation,
    };
    (candidate, silent)
}

fn on_vehicle(bounds: Bounds, clock: Option<LocalClock<'_>>) -> Bounds {
    let vehicle = |at: Micros| clock.and_then(|c| c.vehicle_at(at)).unwrap_or(at);
    Bounds::new(vehicle(bounds.earliest()), vehicle(bounds.latest()))
}

fn on_ground(bounds: Bounds, clock: Option<LocalClock<'_>>) -> Bounds {
    let ground = |at: Micros| clock.and_then(|c| c.ground_at(at)).unwrap_or(at);
    Bounds::new(ground(bounds.earliest()), ground(bounds.latest()))
}

/// What becomes of a failsafe that fired, once the first message arrives that counts.
fn ending(rule: &GcsRule, first: Bounds, clock: Option<LocalClock<'_>>) -> Step {
    let (at, text) = match rule.clears(on_vehicle(first, clock)) {
        Some(at) => (
            on_ground(at, clock),
            "The next check of the link's age ends the failsafe, if nothing else holds it.",
        ),
        None => (
            first,
            "No check ends the failsafe: FS_SHORT_TIMEOUT is below one second.",
        ),
    };
    Step {
        at,
        kind: StepKind::Note,
        knowledge: Knowledge::Inferred,
        text: text.to_owned(),
        source: Some("failsafe_gcs_check / gcs_failsafe_check"),
    }
}

fn explain(
    rule: &GcsRule,
    heard: Bounds,
    link_too_old: Bounds,
    loss: Bounds,
    silent: Option<&str>,
) -> Explanation {
    let mut explanation = Explanation::default();
    let seconds = |span| Seconds::with_decimals(span, 1);
    let mut step = |at, kind, knowledge, text: String, source| {
        explanation.steps.push(Step {
            at,
            kind,
            knowledge,
            text,
            source: Some(source),
        });
    };
    step(
        heard,
        StepKind::GroundHeartbeat,
        Knowledge::Known,
        "Last message that ArduPilot counts as a sign of its ground station.".to_owned(),
        "GCS_Common.cpp sysid_mygcs_seen",
    );
    if rule.hold_time > Span::ZERO {
        step(
            link_too_old,
            StepKind::StartLine,
            Knowledge::Inferred,
            format!(
                "The link is {} s old: Rover's second timer starts, FS_TIMEOUT {} s.",
                seconds(rule.link_timeout),
                seconds(rule.hold_time)
            ),
            "Rover/failsafe.cpp failsafe_trigger",
        );
    }
    let text = match silent {
        Some(reason) => format!("The failsafe is due, but {reason}."),
        None if rule.named_radio_failsafe => {
            "The GCS failsafe fires; Rover announces it as \"Radio Failsafe\", because its RC check \
             runs the shared evaluation first."
                .to_owned()
        }
        None => "The GCS failsafe fires.".to_owned(),
    };
    step(
        loss,
        StepKind::Loss,
        Knowledge::Inferred,
        text,
        "failsafe_gcs_check / gcs_failsafe_check",
    );
    explanation
}

fn predicted_action(facts: &ArdupilotFacts<'_>, rule: &GcsRule, loss: Bounds) -> PredictedAction {
    let vehicle = facts.vehicle;
    // The mode just before: at the very instant of the loss it may already be the failsafe's.
    let before = loss.earliest() - Span::from_millis(1);
    let mode = vehicle.mode.at(before).map(|(_, mode)| *mode);
    let armed = vehicle.armed.at(before).map(|(_, armed)| *armed);
    let action = rule.action_in(mode, armed);
    PredictedAction {
        name: action.name.unwrap_or_default().to_owned(),
        at: loss.later_by(Span::ZERO, ACTS_WITHIN),
        reason: action.reason,
        then: None,
    }
}

/// ERR of the GCS failsafe in the vehicle's own log beside the ground's record.
fn logged_loss(facts: &ArdupilotFacts<'_>, from: Micros, latest: Micros) -> Option<Observed> {
    /// LogErrorSubsystem::FAILSAFE_GCS (AP_Logger.h); code 1 is "occurred".
    const FAILSAFE_GCS: u8 = 8;
    let errors = facts.vehicle.logged.errors.iter();
    errors
        .filter(|(at, ..)| *at > from && *at <= latest)
        .find(|(_, subsystem, code)| *subsystem == FAILSAFE_GCS && *code != 0)
        .map(|(at, ..)| Observed {
            at: *at,
            resolution: Span::ZERO,
            name: String::new(),
            evidence: "the vehicle's log: ERR FAILSAFE_GCS".to_owned(),
        })
}

fn evidence(facts: &ArdupilotFacts<'_>, from: Micros, end: Micros, hull: Bounds) -> Evidence {
    let latest = (end + TEXT_DELAY).min(facts.until);
    let vehicle = facts.vehicle;
    let said = || {
        let texts = vehicle.texts.iter();
        texts.filter(|t| t.at > from && t.at <= latest)
    };
    // What Rover calls a Radio Failsafe before the link can be to blame is one.
    let ours = |at: Micros, text: &str| match gcs_text(facts.kind, text) {
        Some(GcsText::Fired { named_radio }) => !named_radio || at + TEXT_DELAY >= hull.earliest(),
        _ => false,
    };
    let other = said()
        .filter(|t| t.at <= hull.latest() + HEARTBEAT)
        .find(|t| !ours(t.at, &t.text) && tells_of_another_failsafe(&t.text))
        .map(|t| format!("STATUSTEXT \"{}\"", t.text));
    let loss = logged_loss(facts, from, latest)
        .or_else(|| {
            said().find(|t| ours(t.at, &t.text)).map(|t| Observed {
                at: t.at,
                resolution: TEXT_DELAY,
                name: String::new(),
                evidence: format!("STATUSTEXT \"{}\"", t.text),
            })
        })
        .or_else(|| {
            let critical = || critical(facts, hull, latest);
            other.is_none().then(critical).flatten()
        });
    let action = loss.as_ref().and_then(|loss| {
        let (at, mode) = vehicle
            .mode
            .changes_between(
                loss.at - Span::from_millis(300),
                loss.at + Span::from_millis(300),
            )
            .next()?;
        let name = mode_name(vehicle.autopilot, Some(facts.kind), *mode).into_owned();
        Some(Observed {
            at: *at,
            resolution: TEXT_DELAY,
            evidence: format!("HEARTBEAT shows {name}"),
            name,
        })
    });
    let heartbeats = facts.session.talkers().get(vehicle.talker);
    let heard = heartbeats.is_some_and(|t| {
        !t.heartbeats
            .between(hull.latest(), hull.latest() + Span::from_millis(2_500))
            .is_empty()
    });
    Evidence {
        loss,
        action,
        would_have_been_told: heard,
        why_unseen: if heard {
            "the vehicle was heard, but announced nothing: something that it counts may have reached it \
             on another way"
                .to_owned()
        } else {
            "the vehicle was not heard around the predicted instant".to_owned()
        },
        other,
    }
}

/// A heartbeat that shows a failsafe. ArduPilot sends one at once when a failsafe changes the mode, but not
/// when it does not.
fn critical(facts: &ArdupilotFacts<'_>, hull: Bounds, latest: Micros) -> Option<Observed> {
    facts
        .vehicle
        .system_status
        .changes_between(hull.earliest(), latest)
        .find(|(at, s)| *s == SystemStatus::CRITICAL && *at <= hull.latest() + HEARTBEAT)
        .map(|(at, _)| Observed {
            at: *at,
            resolution: HEARTBEAT,
            name: String::new(),
            evidence: "HEARTBEAT shows a failsafe (system_status CRITICAL), up to 1 s late"
                .to_owned(),
        })
}
