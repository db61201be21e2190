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
        None if loss.is_some() => " and does not act".to_owned(),
        None => String::new(),
    }
}

pub(super) fn heard_last(talker: Talker, silence: Span) -> String {
    format!(" It heard GCS {talker} last {} ago.", age(silence))
}

/// What follows at `at` if nothing sent since the vehicle was last heard has reached it.
pub(super) fn if_unheard(at: Micros, doubt: &LinkLoss, name: &str, format: TimeFormat) -> String {
    let windows = open_windows(Some(doubt), at);
    let Some(last) = windows.last() else {
        return String::new();
    };
    let when = at_or_between(&windows, format);
    if at > last.latest() {
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

/// The windows that are still open at the moment, apart: one for each way in which the vehicle may have
/// counted, those joined that lie next to each other.
pub(super) fn open_windows(loss: Option<&LinkLoss>, now: Micros) -> Vec<Bounds> {
    let candidates = loss.into_iter().flat_map(|loss| &loss.candidates);
    let mut windows: Vec<Bounds> = candidates.map(|candidate| candidate.loss).collect();
    windows.sort_by_key(|window| window.earliest());
    let last = windows.iter().map(|window| window.latest()).max();
    // What is over and was not seen to happen has not happened; of the last one that is not certain.
    windows.retain(|window| window.latest() >= now || Some(window.latest()) == last);
    let mut apart: Vec<Bounds> = Vec::new();
    for window in windows {
        match apart.last_mut() {
            Some(before) if window.earliest() - before.latest() <= NARROW => {
                *before = before.hull(window);
            }
            _ => apart.push(window),
        }
    }
    // More than these are no help to anybody; their hull is.
    if apart.len() > 3 {
        apart = apart.into_iter().reduce(Bounds::hull).into_iter().collect();
    }
    apart
}

/// `3.2 s`, `3.2-4.2 s`, `6.1 s or 7.1-7.4 s`: how long until each of `windows`, read from two metres.
pub(super) fn in_short(windows: &[Bounds], now: Micros) -> String {
    let tenth = |at: Micros| Seconds::with_decimals((at - now).max(Span::ZERO), 1);
    let each = windows.iter().map(|window| {
        if window.width() <= NARROW {
            format!("{} s", tenth(window.earliest()))
        } else {
            format!("{}-{} s", tenth(window.earliest()), tenth(window.latest()))
        }
    });
    either(each)
}

/// The same to the hundredth, for sentences: `12.25-12.28 s`.
pub(super) fn in_full(windows: &[Bounds], now: Micros) -> String {
    either(windows.iter().map(|window| {
        let (low, high) = (
            Seconds::with_decimals((window.earliest() - now).max(Span::ZERO), 2).to_string(),
            Seconds::with_decimals(window.latest() - now, 2).to_string(),
        );
        if low == high {
            format!("{low} s")
        } else {
            format!("{low}-{high} s")
        }
    }))
}

/// The same as bare numbers beside a headline that is rounded; `None` where the headline says it all.
pub(super) fn exactly(windows: &[Bounds], now: Micros) -> Option<String> {
    let narrow = windows.iter().all(|window| window.width() <= NARROW);
    (narrow && !windows.is_empty()).then(|| {
        either(windows.iter().map(|window| {
            let left = |at: Micros| Seconds::with_decimals((at - now).max(Span::ZERO), 2);
            format!("{} .. {}", left(window.earliest()), left(window.latest()))
        }))
    })
}

/// When in words: `at 22:13:23.18`, `between 22:13:23.18 and 22:13:24.19`, or one of several.
pub(super) fn at_or_between(windows: &[Bounds], format: TimeFormat) -> String {
    either(windows.iter().map(|window| {
        if window.width() <= NARROW {
            format!("at {}", format.hundredth(window.earliest()))
        } else {
            format!(
                "between {} and {}",
                format.hundredth(window.earliest()),
                format.hundredth(window.latest())
            )
        }
    }))
}

fn either(all: impl Iterator<Item = String>) -> String {
    all.collect::<Vec<_>>().join(" or ")
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
