//! The link before an event, and who was on it.

use crate::report::phrases;
use crate::rules::LinkLoss;
use crate::session::{Session, Vehicle};
use crate::time::{Seconds, Span};

use super::block::{Section, words};

/// How long before the last heartbeat the link is looked at.
const LOOK_BACK: Span = Span::from_secs(60);

/// How well the link went in the minute before the silence.
pub(super) fn statistics(
    section: &mut Section,
    session: &Session,
    vehicle: &Vehicle,
    loss: &LinkLoss,
) {
    let end = loss.last_heartbeat.earliest();
    let mut rows = Vec::new();
    let mut row = |what: &str, value: String| rows.push(vec![what.to_owned(), value]);
    let intervals = session
        .talkers()
        .get(loss.last_heartbeat_from)
        .map(|talker| talker.heartbeats.between(end - LOOK_BACK, end))
        .map(|times| {
            let mut intervals: Vec<Span> = times
                .iter()
                .zip(times.iter().skip(1))
                .map(|(a, b)| *b - *a)
                .collect();
            intervals.sort_unstable();
            intervals
        })
        .unwrap_or_default();
    if let (Some(shortest), Some(middle), Some(longest)) = (
        intervals.first(),
        intervals.get(intervals.len() / 2),
        intervals.last(),
    ) {
        row(
            "Heartbeats of the ground station",
            format!(
                "{} in the last {} s",
                intervals.len() + 1,
                LOOK_BACK.as_micros() / 1_000_000
            ),
        );
        row(
            "Intervals between them",
            format!(
                "median {} s, {} to {} s",
                Seconds::millis(*middle),
                Seconds::millis(*shortest),
                Seconds::millis(*longest)
            ),
        );
    }
    if let Some((rate, lost)) = session.link_quality(vehicle.talker, end) {
        row("From the vehicle, last 5 s", phrases::rate(rate, lost));
    }
    if let Some(transport) = vehicle.transport(end) {
        row(
            "Round trip, last 20 measured",
            format!("at most {} ms for 19 of 20", transport.as_micros() / 1_000),
        );
    }
    if let Some((at, proof)) = vehicle.uplink_proofs.iter().rfind(|(at, _)| *at <= end) {
        row(
            "Last proof that the vehicle heard the ground",
            format!(
                "{}, {} s before the last heartbeat",
                proof.words(),
                Seconds::millis(end - *at)
            ),
        );
    }
    section.table(
        "The link before the silence",
        &[words("What"), words("Value")],
        rows,
    );
}

/// Who kept the failsafe from firing until then, and what would have masked a loss.
pub(super) fn who_counted(
    section: &mut Section,
    session: &Session,
    vehicle: &Vehicle,
    loss: &LinkLoss,
) {
    let at = loss.last_heartbeat.latest();
    let Some(view) = session.link_at(vehicle.talker, at) else {
        return;
    };
    let rows = view
        .counted
        .iter()
        .map(|counted| {
            vec![
                counted.talker.to_string(),
                if counted.counts { "yes" } else { "no" }.to_owned(),
                counted.reason.clone(),
                phrases::without(&counted.without),
            ]
        })
        .collect();
    section.table(
        "Who counted as a ground station at the last heartbeat",
        &[
            words("Talker"),
            words("Counts"),
            words("Why"),
            words("If it had fallen silent then"),
        ],
        rows,
    );
}
