//! When a talker sends: its period, its jitter, its silences, and the watchdog that its window feeds.

use crate::observation::{OwnHeartbeat, Talker, WithheldBy};
use crate::rules::watchdog::{Decision, Watchdog, timeout_of_seconds};
use crate::time::{Micros, Span};

use super::model::{ScenarioTalker, span, within};
use super::noise::Noise;

/// A window draws so often.
const FRAME: Span = Span::from_millis(16);

/// A slot in which a talker may have sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) at: Micros,
    /// Whether it sent, and if not, who withheld it; only of talkers whose window is simulated.
    pub(super) own: Option<OwnHeartbeat>,
    pub(super) sent: bool,
}

/// All slots of a talker, in order of time.
pub(super) fn slots(
    talker: &ScenarioTalker,
    start: Micros,
    duration: Span,
    mut noise: Noise,
) -> Vec<Slot> {
    let from = Talker::new(talker.system, talker.component);
    let period = span(talker.period_s).max(Span::from_millis(1));
    let jitter = span(talker.jitter_s);
    let has_window = talker.watchdog_s > 0.0 || !talker.frozen_s.is_empty();
    let mut watchdog = Watchdog::new();
    // Checked before: what it refuses is off.
    let timeout = timeout_of_seconds(talker.watchdog_s).unwrap_or_default();
    if watchdog.set_timeout(timeout).is_err() {
        watchdog = Watchdog::new();
    }
    let mut slots: Vec<Slot> = Vec::new();
    for beat in 0.. {
        let mut offset = span(talker.first_s) + period * beat;
        if offset >= duration {
            break;
        }
        if jitter > Span::ZERO {
            offset += noise.up_to(jitter);
        }
        if within(&talker.silent_s, offset) || offset >= duration {
            continue;
        }
        let at = start + offset;
        if !has_window {
            slots.push(Slot {
                at,
                own: None,
                sent: true,
            });
            continue;
        }
        watchdog.feed(start + last_frame(talker, offset));
        let feed_age = watchdog.last_feed().map(|fed| at - fed);
        let sent = watchdog.may_send(at) == Decision::Allowed;
        let own = if sent {
            OwnHeartbeat::Sent { from }
        } else {
            OwnHeartbeat::Withheld {
                by: WithheldBy::Watchdog,
                feed_age,
            }
        };
        slots.push(Slot {
            at,
            own: Some(own),
            sent,
        });
    }
    slots.sort_by_key(|slot| slot.at);
    slots
}

/// The last frame that the talker's window drew up to `offset`.
fn last_frame(talker: &ScenarioTalker, offset: Span) -> Span {
    let mut at = offset;
    // A hang that begins where another ends has no frame in between.
    for _ in 0..=talker.frozen_s.len() {
        let hang = talker
            .frozen_s
            .iter()
            .find(|(from, to)| span(*from) <= at && at < span(*to));
        match hang {
            Some((from, _)) => at = span(*from) - Span::from_micros(1),
            None => break,
        }
    }
    FRAME * at.as_micros().div_euclid(FRAME.as_micros())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::scenario::model::{Sends, TalkerKind};

    fn talker() -> ScenarioTalker {
        ScenarioTalker {
            system: 255,
            component: 190,
            kind: TalkerKind::GroundStation,
            place: None,
            sends: Sends::Heartbeat,
            instance: 0,
            first_s: 0.5,
            period_s: 1.0,
            jitter_s: 0.0,
            silent_s: Vec::new(),
            watchdog_s: 0.0,
            frozen_s: Vec::new(),
        }
    }

    fn sent(talker: &ScenarioTalker) -> Vec<i64> {
        slots(talker, Micros::default(), Span::from_secs(12), Noise(1))
            .iter()
            .filter(|slot| slot.sent)
            .map(|slot| slot.at.as_micros() / 1_000)
            .collect()
    }

    #[test]
    fn it_is_silent_when_it_should_be() {
        let mut talker = talker();
        talker.silent_s = vec![(2.0, 10.5)];
        assert_eq!(sent(&talker), [500, 1_500, 10_500, 11_500]);
    }

    #[test]
    fn a_window_that_hangs_silences_it_only_with_a_watchdog() {
        let mut talker = talker();
        talker.frozen_s = vec![(3.0, 8.0)];
        assert_eq!(sent(&talker).len(), 12);
        talker.watchdog_s = 2.0;
        assert_eq!(
            sent(&talker),
            [
                500, 1_500, 2_500, 3_500, 4_500, 8_500, 9_500, 10_500, 11_500
            ]
        );
    }

    #[test]
    fn jitter_makes_it_later_and_never_earlier() {
        let mut talker = talker();
        talker.jitter_s = 0.3;
        let sent = sent(&talker);
        assert_eq!(sent.len(), 12);
        for (beat, at) in sent.iter().enumerate() {
            let due = 500 + 1_000 * beat as i64;
            assert!((due..=due + 300).contains(at), "{at}");
        }
    }
}
