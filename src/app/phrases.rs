//! The parts that sentences about the link are made of.

use crate::observation::Talker;
use crate::rules::{LinkLoss, LinkModel, Verdict};
use crate::time::{Bounds, Micros, Seconds, Span};

use super::time_format::{TimeFormat, age};

/// A window wider than this is named by both its ends, not by one number.
pub(super) const NARROW: Span = Span::from_millis(100);

/// A parameter's value as its owner wrote it: autopilots keep single precision, in which 0.8 is
/// 0.800000011920929.
pub(super) fn value(value: f64) -> String {
    (value as f32).to_string()
}

/// The autopilot's name in sentences.
pub(super) const fn autopilot(model: Option<LinkModel>) -> &'static str {
    match model {
        Some(LinkModel::Px4) => "PX4",
        Some(LinkModel::ArduPilot) => "ArduPilot",
        None => "the autopilot",
    }
}

/// Why the rule keeps silent, if it does.
pub(super) fn exempt(loss: &LinkLoss) -> Option<&str> {
    match &loss.verdict {
        Verdict::Silent(why) => Some(why),
        _ => None,
    }
}

pub(super) fn what_comes(loss: Option<&LinkLoss>) -> &'static str {
    if loss.and_then(LinkLoss::acting).is_some() {
        "Failsafe"
    } else {
        "Link loss"
    }
}

pub(super) fn would(loss: Option<&LinkLoss>) -> String {
    match loss.and_then(LinkLoss::acting) {
        Some(action) => format!("switch to {action}"),
        None => "declare the link lost and not act".to_owned(),
    }
}

pub(super) fn then_acts(loss: Option<&LinkLoss>) -> String {
    match loss.and_then(LinkLoss::acting) {
        Some(action) => format!(" and switch to {action}"),
        None => " and not act".to_owned(),
    }
}

pub(super) fn then_acted(loss: Option<&LinkLoss>) -> String {
    match loss.and_then(LinkLoss::acting) {
        Some(action) => format!(" and must have switched to {action}"),
        None => " and does not act".to_owned(),
    }
}

pub(super) fn heard_last(talker: Talker, silence: Span) -> String {
    format!(" It heard GCS {talker} last {} ago.", age(silence))
}

/// What follows at `at` if nothing sent since the vehicle was last heard has reached it.
pub(super) fn if_unheard(at: Micros, doubt: &LinkLoss, name: &str, format: TimeFormat) -> String {
    let Some(window) = doubt.predicted_loss() else {
        return String::new();
    };
    let when = at_or_between(window, format);
    if at > window.latest() {
        format!(
            "If nothing sent since has reached the vehicle, {name} declared the ground station lost {when}{}.",
            then_acted(Some(doubt))
        )
    } else {
        format!(
            "If nothing sent since has reached the vehicle, {name} declares the ground station lost {when}{}.",
            match doubt.acting() {
                Some(action) => format!(" and switches to {action}"),
                None => " and does not act".to_owned(),
            }
        )
    }
}

pub(super) fn at_or_between(window: Bounds, format: TimeFormat) -> String {
    if window.width() <= NARROW {
        format!("at {}", format.hundredth(window.earliest()))
    } else {
        format!(
            "between {} and {}",
            format.hundredth(window.earliest()),
            format.hundredth(window.latest())
        )
    }
}

pub(super) fn plain_range((earliest, latest): (Span, Span)) -> String {
    let (low, high) = (
        Seconds::with_decimals(earliest.max(Span::ZERO), 2).to_string(),
        Seconds::with_decimals(latest, 2).to_string(),
    );
    if low == high {
        low
    } else {
        format!("{low}-{high}")
    }
}

pub(super) fn range((earliest, latest): (Span, Span)) -> String {
    format!(
        "{} .. {}",
        Seconds::with_decimals(earliest.max(Span::ZERO), 2),
        Seconds::with_decimals(latest.max(Span::ZERO), 2)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_as_they_were_set() {
        assert_eq!(value(10.0), "10");
        assert_eq!(value(f64::from(0.8_f32)), "0.8");
        assert_eq!(value(-0.25), "-0.25");
    }
}
