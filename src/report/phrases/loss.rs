//! What is said about the silences of ground stations.

use crate::observation::Talker;
use crate::report::clock::Clock;
use crate::rules::modes::mode_name;
use crate::rules::{LinkLoss, LinkModel, Observed, Parameters, Verdict};
use crate::session::{Vehicle, Without};
use crate::time::{Bounds, Micros, Seconds, Span};

use super::value;

/// On-board logs do not say whose heartbeats counted, nor when they came.
const NOBODY: Talker = Talker::new(0, 0);

/// Evidence that is coarser than this, or a window that is wider, cannot tell that nothing was late.
const FINE: Span = Span::from_millis(200);
/// A clock that differs from the recording's by no more than this runs at the same rate.
const SAME_RATE: f64 = 0.02;

/// What may have come of a stretch in which the vehicle was not heard although the ground went on.
pub(in crate::report) fn doubt_sentence(doubt: &LinkLoss, clock: &Clock) -> String {
    let (_, since) = origin(doubt, clock);
    let window = doubt.predicted_loss().unwrap_or(doubt.last_heartbeat);
    let reaction = match doubt.acting() {
        Some(action) => format!(" and switched to {action}"),
        None => " and did not act".to_owned(),
    };
    format!(
        "May have been lost unheard: if nothing sent after {since} arrived, the vehicle declared the loss \
         {}{reaction}. Verdict: {}.",
        clock.window(window),
        doubt.verdict
    )
}

/// What a reader takes away of a silence: what came of it, when, and by which time-out.
#[must_use]
pub fn loss_sentence(loss: &LinkLoss, vehicle: &Vehicle, clock: &Clock) -> String {
    let mut sentence = match &loss.observed_loss {
        Some(observed) => declared(loss, observed, clock),
        None if loss.happened() => not_seen(loss, clock),
        None => not_lost(loss, clock),
    };
    let silent = matches!(loss.verdict, Verdict::Silent(_));
    if let Some(time_outs) = time_outs(loss, &vehicle.parameters).filter(|_| !silent) {
        sentence.push_str("; ");
        sentence.push_str(&time_outs);
    }
    sentence.push('.');
    let further = [
        how_it_compares(loss),
        loss.observed_loss
            .as_ref()
            .and_then(|observed| what_it_did(loss, observed, vehicle)),
        other_rate(loss, vehicle),
    ];
    for further in further.into_iter().flatten() {
        sentence.push(' ');
        sentence.push_str(&further);
    }
    sentence
}

fn how_it_compares(loss: &LinkLoss) -> Option<String> {
    match &loss.verdict {
        Verdict::Inside => {
            let coarse = loss
                .observed_loss
                .as_ref()
                .is_none_or(|o| o.resolution > FINE);
            let wide = loss.told().is_none_or(|told| told.loss.width() > FINE);
            Some(if coarse || wide {
                "The evidence agrees with the prediction.".to_owned()
            } else {
                "Nothing was late.".to_owned()
            })
        }
        Verdict::Outside(by) => Some(format!(
            "That is {} s outside of what the rules allow: something is not as assumed.",
            Seconds::millis(*by)
        )),
        Verdict::AnotherFailsafe(which) => Some(format!("Another failsafe acted first: {which}.")),
        _ => None,
    }
}

/// What the vehicle did about a loss that was seen. A mode other than the predicted one may be the
/// operator's doing, so it is told as what it is.
fn what_it_did(loss: &LinkLoss, observed: &Observed, vehicle: &Vehicle) -> Option<String> {
    let predicted = loss.predicted_action.as_ref();
    let acts = predicted.and_then(|action| action.acts());
    let reason = predicted.map_or("", |action| action.reason.as_str());
    let seen = loss
        .observed_action
        .as_ref()
        .map(|action| action.name.as_str());
    match (seen, acts) {
        (Some(seen), Some(acts)) if seen != acts => Some(format!(
            "Its mode became {seen} at that time; by the rules the failsafe switches to {acts}."
        )),
        (Some(seen), Some(_)) => Some(format!("The vehicle switched to {seen}.")),
        (Some(seen), None) => Some(format!(
            "Its mode became {seen} at that time; by the rules the failsafe does not act: {reason}."
        )),
        (None, Some(acts)) if was_in(acts, observed.at, vehicle) => Some(format!(
            "It was in {acts} already, to which the failsafe switches."
        )),
        (None, Some(acts)) => Some(format!(
            "By the rules it switches to {acts}; nothing in the record shows that."
        )),
        (None, None) => predicted.map(|_| format!("By the rules it does not act: {reason}.")),
    }
}

fn was_in(mode: &str, at: Micros, vehicle: &Vehicle) -> bool {
    vehicle.mode.at(at).is_some_and(|(_, number)| {
        mode_name(vehicle.autopilot, vehicle.ardupilot_kind(), *number) == mode
    })
}

/// A simulation at another speed: its time-outs look shorter or longer from outside.
fn other_rate(loss: &LinkLoss, vehicle: &Vehicle) -> Option<String> {
    let rate = vehicle.clock.rate_at(loss.last_heartbeat.earliest())?;
    ((rate - 1.0).abs() > SAME_RATE).then(|| {
        format!(
            "The vehicle's clock runs at {rate:.2} times the recording's (a simulation), and its time-outs \
             are in its own seconds."
        )
    })
}

/// `the last heartbeat of 255/190 at 22:09:29.000`, or what a log has in its place.
pub(in crate::report) fn origin(loss: &LinkLoss, clock: &Clock) -> (Micros, String) {
    if loss.last_heartbeat_from == NOBODY {
        let reported = loss
            .told()
            .map(|c| c.start_line)
            .or(loss.start_line())
            .map_or(loss.last_heartbeat.latest(), Bounds::latest);
        let at = clock.time(reported);
        return (
            reported,
            format!("the last report that still carried the heartbeat, at {at}"),
        );
    }
    let heard = loss.last_heartbeat.earliest();
    let (from, at) = (loss.last_heartbeat_from, clock.time(heard));
    let what = match loss.model {
        LinkModel::Px4 => format!("the last heartbeat of {from} at {at}"),
        LinkModel::ArduPilot => format!("the last message of {from} that counted, at {at}"),
    };
    (heard, what)
}

fn declared(loss: &LinkLoss, observed: &Observed, clock: &Clock) -> String {
    let (heard, since) = origin(loss, clock);
    let at = observed.at;
    let after = Seconds::millis(at - heard);
    let timer = loss
        .told()
        .map(|candidate| candidate.start_line)
        .filter(|start| {
            loss.last_heartbeat_from != NOBODY && start.earliest() > loss.last_heartbeat.latest()
        })
        .map(|start| {
            let what = match loss.model {
                LinkModel::Px4 => "after the last report that still carried it",
                LinkModel::ArduPilot => "after the second timer started",
            };
            format!(" and {} s {what}", since_to(start, at))
        })
        .unwrap_or_default();
    let lost = match loss.model {
        LinkModel::Px4 => "GCS connection declared lost",
        LinkModel::ArduPilot => "GCS failsafe announced",
    };
    format!("{lost} {after} s after {since}{timer}")
}

/// From an instant that is known to lie within bounds to one that is known.
fn since_to(start: Bounds, at: Micros) -> String {
    let (most, least) = (
        Seconds::millis(at - start.earliest()).to_string(),
        Seconds::millis(at - start.latest()).to_string(),
    );
    if least == most {
        most
    } else {
        format!("{least} to {most}")
    }
}

/// A loss without evidence: what the rules say, and no more than that.
fn not_seen(loss: &LinkLoss, clock: &Clock) -> String {
    let (heard, since) = origin(loss, clock);
    let Some(window) = loss.predicted_loss() else {
        return format!("A silence after {since}: {}", loss.verdict);
    };
    let windows: Vec<String> = loss
        .candidates
        .iter()
        .map(|c| after(c.loss, heard))
        .collect();
    let between = windows.join(" or ");
    match loss.regained {
        Some(back) if back <= window.latest() => format!(
            "The GCS connection may have been declared lost: the window opened {} s after {since}, and the next \
             heartbeat came {} s after it, before the window closed",
            Seconds::millis(window.earliest() - heard),
            Seconds::millis(back - heard),
        ),
        _ => format!(
            "By the rules the GCS connection was declared lost {between} s after {since}; nothing in the \
             record shows it"
        ),
    }
}

/// A silence of which no loss came, or none before the record ended.
fn not_lost(loss: &LinkLoss, clock: &Clock) -> String {
    let (heard, since) = origin(loss, clock);
    let lasted = loss.regained.map_or_else(String::new, |next| {
        format!(" lasted {} s and", Seconds::millis(next - heard))
    });
    match &loss.verdict {
        Verdict::Pending => {
            let due = loss.predicted_loss().map_or_else(String::new, |window| {
                format!(", which opens {} s after it", after(window, heard))
            });
            format!(
                "A silence after {since} was not over when the record ended, nor was the window of the \
                 loss{due}: whether the loss came is not known"
            )
        }
        Verdict::Averted(left) if *left > Span::ZERO => format!(
            "No loss: the silence after {since}{lasted} ended {} s before the loss could have been \
             declared",
            Seconds::millis(*left)
        ),
        Verdict::Averted(_) => format!(
            "No loss: the silence after {since}{lasted} ended within the window of the loss, and the \
             vehicle announced none"
        ),
        Verdict::Silent(why) => {
            format!("A silence after {since}{lasted} led to no failsafe: {why}")
        }
        other => format!("A silence after {since}: {other}"),
    }
}

/// `11.872 to 11.887`, in seconds.
pub(in crate::report) fn after(window: Bounds, origin: Micros) -> String {
    format!(
        "{} to {}",
        Seconds::millis(window.earliest() - origin),
        Seconds::millis(window.latest() - origin)
    )
}

/// The time-outs behind a loss that somebody said: a default is told as the assumption that it is.
fn time_outs(loss: &LinkLoss, parameters: &Parameters) -> Option<String> {
    let names: &[&str] = match loss.model {
        LinkModel::Px4 => &["COM_DL_LOSS_T"],
        LinkModel::ArduPilot => &[
            "FS_GCS_TIMEOUT",
            "FS_TIMEOUT",
            "FS_SHORT_TIMEOUT",
            "FS_LONG_TIMEOUT",
        ],
    };
    let known: Vec<String> = names
        .iter()
        .filter_map(|name| {
            let parameter = parameters.at(name, loss.last_heartbeat.latest())?;
            Some(format!("{name} = {} s", value(parameter.value)))
        })
        .collect();
    (!known.is_empty()).then(|| known.join(", "))
}

/// The heading of one silence.
pub(in crate::report) fn incident_heading(loss: &LinkLoss, number: usize) -> String {
    let what = match &loss.verdict {
        Verdict::Averted(_) => "averted",
        Verdict::Pending => "not over at the end of the record",
        Verdict::Silent(_) => "without a failsafe",
        _ if loss.observed_loss.is_some() => "link loss",
        _ => "link loss by the rules, not seen",
    };
    format!("Silence {number}: {what}")
}

/// What comes of the loss of one talker, in the eyes of the vehicle.
pub(in crate::report) fn without(without: &Without) -> String {
    match without {
        Without::NoChange => "no change: it does not count".to_owned(),
        Without::Masked(others) => {
            let others: Vec<String> = others.iter().map(Talker::to_string).collect();
            format!("never noticed: {} would mask it", others.join(", "))
        }
        Without::LostIn(earliest, latest) => format!(
            "lost {} to {} s later",
            Seconds::millis((*earliest).max(Span::ZERO)),
            Seconds::millis((*latest).max(Span::ZERO))
        ),
    }
}

/// What would have come of a silence under other circumstances; `None` when it would have been none.
pub(in crate::report) fn what_if(answer: Option<&LinkLoss>, actual: &LinkLoss) -> String {
    let Some(answer) = answer else {
        return "no silence long enough to come near a loss".to_owned();
    };
    let origin = actual.last_heartbeat.earliest();
    let due = answer
        .predicted_loss()
        .map_or_else(String::new, |window| after(window, origin));
    match &answer.verdict {
        Verdict::Averted(left) => format!(
            "no loss: the silence ended {} s before, due {due} s after the last heartbeat",
            Seconds::millis(*left)
        ),
        Verdict::Silent(why) => format!("no failsafe: {why}"),
        Verdict::Pending => format!("due {due} s after the last heartbeat, beyond this record"),
        _ => match answer.regained {
            Some(back) if answer.predicted_loss().is_some_and(|w| back <= w.latest()) => format!(
                "due {due} s after the last heartbeat, which came back {} s after it: open",
                Seconds::millis(back - origin)
            ),
            _ => format!("lost {due} s after the last heartbeat"),
        },
    }
}

/// Frames per second and the share that was lost.
pub(in crate::report) fn rate(rate: f64, lost: Option<f64>) -> String {
    match lost {
        Some(lost) => format!(
            "{rate:.1} frames a second, {:.1} % lost on the way",
            lost * 100.0
        ),
        None => format!("{rate:.1} frames a second"),
    }
}
