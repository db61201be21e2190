//! What stands at the present of a link that is worth an alarm.

use crate::observation::Talker;
use crate::rules::LinkLoss;
use crate::session::{LinkState, LinkView, Session, UNHEARD, UplinkState};
use crate::time::{Micros, Seconds, Span};

use super::super::live::LiveView;
use super::AlarmKind;

/// Somebody who was heard within this is there.
const HEARD: Span = Span::from_secs(5);
/// For so long a stall of this window is told after it is over: while it lasts, nothing can be shown.
const STALLED: Span = Span::from_secs(10);
/// A heartbeat of ours and its appearance on the link are no further apart than this.
const AT_ONCE: Span = Span::from_millis(100);
/// So many failed checks in hand are a cause: a single one may be noise.
const FAILED_CHECKS: u8 = 2;

/// The present of a link: its end, whatever moment is looked at.
#[derive(Clone, Copy)]
pub(in crate::app) struct Present<'a> {
    pub session: &'a Session,
    pub link: &'a LinkView,
    pub vehicle: Talker,
    pub live: Option<LiveView<'a>>,
}

/// All that stands.
pub(in crate::app) fn causes(present: &Present<'_>) -> Vec<(AlarmKind, String)> {
    [
        (AlarmKind::Lost, lost(present)),
        (AlarmKind::OneWay, one_way(present)),
        (AlarmKind::EkfRising, ekf_rising(present)),
        (AlarmKind::WatchdogExpired, watchdog(present)),
        (AlarmKind::Masked, masked(present)),
        (AlarmKind::IdClash, clash(present)),
        (AlarmKind::NotRecording, not_recording(present)),
    ]
    .into_iter()
    .filter_map(|(kind, detail)| Some((kind, detail?)))
    .collect()
}

fn lost(present: &Present<'_>) -> Option<String> {
    let acting = present.link.prediction.as_ref().and_then(LinkLoss::acting);
    let then = acting.map_or_else(
        || "It takes no action.".to_owned(),
        |action| format!("Its action is {action}."),
    );
    match present.link.state {
        LinkState::Due => Some(format!(
            "The vehicle declares its ground station lost now. {then}"
        )),
        LinkState::Lost { proven: true, .. } => Some(format!(
            "The vehicle has declared its ground station lost. {then}"
        )),
        LinkState::Lost { proven: false, .. } => Some(format!(
            "By its rule the vehicle has declared its ground station lost. {then}"
        )),
        _ => None,
    }
}

fn one_way(present: &Present<'_>) -> Option<String> {
    let link = present.link;
    let silence = link.at - link.downlink.last_frame?;
    if silence >= UNHEARD {
        return Some("The vehicle is not heard; whether it hears us nobody knows.".to_owned());
    }
    (link.uplink.state(link.at) == UplinkState::CounterStopped).then(|| {
        "We hear the vehicle, but its receive counter stands still: what we send does not arrive."
            .to_owned()
    })
}

fn ekf_rising(present: &Present<'_>) -> Option<String> {
    let at = present.link.at;
    let (points, limit) = present
        .session
        .ekf_counter(present.vehicle, at - Span::from_secs(2), at);
    let low = points.last()?.low;
    (low >= FAILED_CHECKS)
        .then(|| format!("At least {low} of {limit} failed checks of the estimator are in hand."))
}

fn watchdog(present: &Present<'_>) -> Option<String> {
    let last = present.session.own().withheld_by_watchdog.last()?;
    let recent = present.link.at - last < STALLED;
    let timeout = present.live?.status.watchdog_timeout;
    recent.then(|| {
        format!(
            "This window stalled for longer than {} s, so its heartbeats stopped.",
            Seconds::with_decimals(timeout, 0)
        )
    })
}

/// Our own ids, while we speak with them.
fn ours(present: &Present<'_>) -> Option<Talker> {
    let live = present.live.filter(|live| live.status.transmitting)?;
    Some(live.choice.talker)
}

fn is_heard(present: &Present<'_>, talker: Talker) -> bool {
    let track = present.session.talkers().get(talker);
    let last = track.and_then(|track| track.heartbeats.last());
    last.is_some_and(|last: Micros| present.link.at - last < HEARD)
}

fn masked(present: &Present<'_>) -> Option<String> {
    let ours = ours(present)?;
    let mut others = present.link.counted.iter();
    let other = others
        .find(|other| other.counts && other.talker != ours && is_heard(present, other.talker))?;
    Some(format!(
        "{} counts as a ground station too: if we fell silent, the vehicle would not notice.",
        other.talker
    ))
}

fn clash(present: &Present<'_>) -> Option<String> {
    let ours = ours(present)?;
    // What we send is on the link as well, and seen there with the same ids.
    let (from, to) = (present.link.at - HEARD, present.link.at);
    let track = present.session.talkers().get(ours)?;
    let sent = &present.session.own().sent;
    let foreign = foreign(
        track.heartbeats.between(from, to),
        sent.between(from - AT_ONCE, to + AT_ONCE),
    );
    (foreign >= 2).then(|| {
        format!(
            "Somebody else on this link talks as {ours}. Choose other ids, or stop one of the two."
        )
    })
}

/// How many of `seen` are none of those that we sent.
fn foreign(seen: &[Micros], sent: &[Micros]) -> usize {
    let ours = |at: &&Micros| sent.iter().any(|own| (**at - *own).abs() <= AT_ONCE);
    seen.iter().filter(|at| !ours(at)).count()
}

fn not_recording(present: &Present<'_>) -> Option<String> {
    let why = present.live?.status.recording_failed.as_ref()?;
    Some(format!("What passes is not being recorded any more: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_heartbeats_are_not_somebody_elses() {
        let at = |millis: &[i64]| -> Vec<Micros> {
            millis.iter().copied().map(Micros::from_millis).collect()
        };
        let sent = at(&[1_000, 2_000, 3_000]);
        assert_eq!(foreign(&at(&[1_001, 2_000, 3_040]), &sent), 0);
        // One slot may leave several times: once per vehicle.
        assert_eq!(foreign(&at(&[1_001, 1_002, 2_000]), &sent), 0);
        assert_eq!(foreign(&at(&[1_001, 1_400, 2_000, 2_400]), &sent), 2);
        assert_eq!(foreign(&at(&[1_400]), &[]), 1);
    }
}
