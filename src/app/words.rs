//! The link's state in words: what the glance strip says. Pure functions, so that every combination of
//! state, autopilot and action is tested without a window.

use crate::rules::LinkLoss;
use crate::session::{LinkState, LinkView, UNHEARD, UplinkState};
use crate::time::{Bounds, Micros, Span};

use super::phrases::{
    at_or_between, autopilot, exactly, exempt, heard_last, if_unheard, in_full, in_short,
    open_windows, then_acted, then_acts, what_comes, would,
};
use super::time_format::{TimeFormat, age};

/// How loud a state is. Each has its own shape and colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    /// Nothing to do: a circle.
    Calm,
    /// Something is missing: a triangle.
    Warning,
    /// Lost, or acting: a square.
    Alarm,
    /// Not known: a hollow circle.
    Unknown,
}

/// What the glance strip says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Glance {
    pub tone: Tone,
    /// The few words that are read from two metres.
    pub headline: String,
    /// The exact interval behind the headline, where it has one.
    pub exact: Option<String>,
    /// What will happen, when, and why.
    pub sentence: String,
}

/// How long a return is worth a headline.
const RECENT: Span = Span::from_secs(10);

/// The glance for `link`; `regained` is the last time a loss or a countdown ended by a sign of life.
pub(super) fn glance(link: &LinkView, regained: Option<Micros>, format: TimeFormat) -> Glance {
    let name = autopilot(link.model);
    let loss = link.prediction.as_ref();
    match link.state {
        LinkState::Unknown => Glance {
            tone: Tone::Unknown,
            headline: "No rule known".to_owned(),
            exact: None,
            sentence:
                "This autopilot is neither PX4 nor ArduPilot: arrivals and losses are shown, \
                       its failsafe cannot be predicted."
                    .to_owned(),
        },
        LinkState::Off => off(loss, name),
        LinkState::NeverSeen => Glance {
            tone: Tone::Unknown,
            headline: "No ground station yet".to_owned(),
            exact: None,
            sentence: format!("No heartbeat that {name} counts has been recorded so far."),
        },
        LinkState::NotRecorded => Glance {
            tone: Tone::Unknown,
            headline: "No heartbeats in this log".to_owned(),
            exact: None,
            sentence: format!(
                "{name} wrote it on board, where heartbeats are not stored. Nothing else in it tells of \
                 a link loss under way."
            ),
        },
        LinkState::Present => present(link, regained, name, format),
        LinkState::Counting => counting(link, loss, name, format),
        LinkState::Due => due(link, loss, name, format),
        LinkState::Lost { since, proven } => lost(link, since, proven, name, format),
    }
}

fn due(link: &LinkView, loss: Option<&LinkLoss>, name: &str, format: TimeFormat) -> Glance {
    let windows = open_windows(link.prediction.as_ref(), link.at);
    let ahead: Vec<Bounds> = windows
        .iter()
        .filter(|window| window.earliest() > link.at)
        .copied()
        .collect();
    let what = what_comes(loss);
    // Between two windows it has happened unseen, or comes with the next.
    let headline = if ahead.len() == windows.len() && !ahead.is_empty() {
        format!("{what} due, or in {}", in_short(&ahead, link.at))
    } else {
        format!("{what} now")
    };
    let acts = match loss.and_then(LinkLoss::acting) {
        Some(action) => format!(" and switches to {action}"),
        None => " and does not act".to_owned(),
    };
    Glance {
        tone: Tone::Alarm,
        headline,
        exact: exactly(&windows, link.at),
        sentence: if windows.is_empty() {
            format!("{name} declares the ground station lost now.")
        } else {
            format!(
                "{name} declares the ground station lost {}{acts}. No evidence yet.",
                at_or_between(&windows, format),
            )
        },
    }
}

fn off(loss: Option<&LinkLoss>, name: &str) -> Glance {
    let why = loss
        .and_then(exempt)
        .map(|why| format!(": {why}"))
        .unwrap_or_default();
    Glance {
        tone: Tone::Unknown,
        headline: "No link failsafe".to_owned(),
        exact: None,
        sentence: format!("{name} would not react to a silence of its ground station{why}."),
    }
}

fn present(link: &LinkView, regained: Option<Micros>, name: &str, format: TimeFormat) -> Glance {
    let back = regained
        .map(|at| link.at - at)
        .filter(|ago| (Span::ZERO..RECENT).contains(ago));
    let uplink = link.uplink.state(link.at);
    let proven = uplink == UplinkState::Proven;
    let stopped = uplink == UplinkState::CounterStopped;
    // Our heartbeats may go out on time and reach nobody.
    let unheard = link
        .downlink
        .last_frame
        .map(|last| link.at - last)
        .filter(|silence| *silence >= UNHEARD);
    let unproven = stopped || unheard.is_some();
    let headline = match back {
        _ if unproven => match unheard {
            Some(silence) => format!("Unproven since {}", age(silence)),
            None => "Unproven".to_owned(),
        },
        Some(ago) => format!("Back since {}", age(ago)),
        None if proven => "The vehicle hears us".to_owned(),
        None if link.last_counted.is_none() => "Counted as present".to_owned(),
        None => "Heartbeats on time".to_owned(),
    };
    let who = link
        .last_counted
        .map_or_else(|| "we".to_owned(), |(talker, _)| format!("GCS {talker}"));
    let who = if proven && !unproven { "we" } else { &who };
    let windows = open_windows(link.prediction.as_ref(), link.at);
    let mut sentence = match link.prediction.as_ref() {
        Some(loss) if let Some(why) = exempt(loss) => {
            format!("{name} would not react if {who} fell silent now: {why}.")
        }
        loss if !windows.is_empty() => format!(
            "If {who} fell silent now, {name} would {} in {}.",
            would(loss),
            in_full(&windows, link.at),
        ),
        // A vehicle's own log holds its reports, and no heartbeats that a prediction could begin with.
        _ if link.last_counted.is_none() => {
            format!("The log says that {name} counts a ground station as present.")
        }
        _ => format!("{name} would not notice a silence of {who}."),
    };
    if let Some(doubt) = &link.doubt {
        sentence = if_unheard(link.at, doubt, name, format);
    }
    if stopped {
        sentence.push_str(" The vehicle's receive counter stands still although the ground talks.");
    } else if let Some(silence) = unheard {
        sentence = format!(
            "{sentence} The vehicle itself was heard last {} ago.",
            age(silence)
        );
    }
    Glance {
        tone: if unproven { Tone::Warning } else { Tone::Calm },
        headline,
        exact: link.doubt.as_ref().and_then(|doubt| {
            let ahead = open_windows(Some(doubt), link.at);
            let over = ahead.iter().all(|window| window.latest() < link.at);
            let left = exactly(&ahead, link.at).filter(|_| !over)?;
            Some(format!("or {} in {left}", what_comes(Some(doubt))))
        }),
        sentence,
    }
}

fn counting(link: &LinkView, loss: Option<&LinkLoss>, name: &str, format: TimeFormat) -> Glance {
    if let Some(why) = loss.and_then(exempt) {
        return Glance {
            tone: Tone::Warning,
            headline: "Ground station silent".to_owned(),
            exact: None,
            sentence: format!("{name} will not react to it: {why}."),
        };
    }
    let windows = open_windows(link.prediction.as_ref(), link.at);
    let (headline, exact) = if windows.is_empty() {
        ("Ground station silent".to_owned(), None)
    } else {
        (
            format!("{} in {}", what_comes(loss), in_short(&windows, link.at)),
            exactly(&windows, link.at),
        )
    };
    let mut sentence = if windows.is_empty() {
        format!("{name} has no timer that would notice this silence.")
    } else {
        format!(
            "{name} will declare the ground station lost {}{}.",
            at_or_between(&windows, format),
            then_acts(loss),
        )
    };
    if let Some((talker, last)) = link.last_counted {
        sentence.push_str(&heard_last(talker, link.at - last));
    }
    Glance {
        tone: Tone::Warning,
        headline,
        exact,
        sentence,
    }
}

fn lost(link: &LinkView, since: Bounds, proven: bool, name: &str, format: TimeFormat) -> Glance {
    let loss = link.prediction.as_ref();
    let observed = loss
        .and_then(|l| l.observed_action.as_ref())
        .filter(|action| !action.name.is_empty() && action.at <= link.at);
    let expected = loss.and_then(LinkLoss::acting);
    let headline = match (observed, expected) {
        (Some(action), _) => format!("Failsafe active: {}", action.name),
        (None, Some(action)) if proven => format!("Link lost: {action}"),
        _ => "Link lost".to_owned(),
    };
    let evidence = if proven {
        loss.and_then(|l| l.observed_loss.as_ref()).map_or_else(
            || " The vehicle has confirmed it.".to_owned(),
            |seen| format!(" Evidence: {}.", seen.evidence),
        )
    } else {
        " By the rule; no evidence of it has arrived.".to_owned()
    };
    let mut sentence = format!(
        "{name} declared the ground station lost {}{}.{evidence}",
        at_or_between(&[since], format),
        observed.map_or_else(
            || then_acted(loss),
            |a| format!(" and switched to {}", a.name)
        ),
    );
    if let Some((talker, last)) = link.last_counted {
        sentence.push_str(&heard_last(talker, link.at - last));
    }
    Glance {
        tone: Tone::Alarm,
        headline,
        exact: Some(format!("for {}", age(link.at - since.earliest()))),
        sentence,
    }
}

#[cfg(test)]
mod tests;
