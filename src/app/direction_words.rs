//! The two directions of the link in words, apart: that we hear the vehicle says nothing about whether it
//! hears us.

use crate::session::{Downlink, UNHEARD, Uplink, UplinkState};
use crate::time::{Micros, Span};

use super::time_format::age;
use super::words::Tone;

/// One of the two directions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DirectionWords {
    pub tone: Tone,
    /// The state: `0.2 s ago`.
    pub state: String,
    /// The evidence: `loss 0.4 %  46 msg/s`.
    pub evidence: String,
}

/// Vehicle to ground.
pub(super) fn downlink(downlink: &Downlink, at: Micros) -> DirectionWords {
    let Some(last) = downlink.last_frame else {
        return DirectionWords {
            tone: Tone::Unknown,
            state: "nothing heard".to_owned(),
            evidence: "no frame so far".to_owned(),
        };
    };
    let silence = at - last;
    let tone = if silence < Span::from_millis(1_500) {
        Tone::Calm
    } else if silence < UNHEARD {
        Tone::Warning
    } else {
        Tone::Alarm
    };
    let loss = downlink.loss.map_or_else(
        || "loss -".to_owned(),
        |l| format!("loss {:.1} %", l * 100.0),
    );
    DirectionWords {
        tone,
        state: format!("{} ago", age(silence.max(Span::ZERO))),
        evidence: format!("{loss}  {:.0} msg/s", downlink.rate),
    }
}

/// Ground to vehicle.
pub(super) fn uplink(uplink: &Uplink, last_counted: Option<Micros>, at: Micros) -> DirectionWords {
    let proof = uplink.last_proof.as_ref();
    let since = |when: Micros| age((at - when).max(Span::ZERO));
    let ago = proof.map(|(when, _)| since(*when)).unwrap_or_default();
    let evidence = proof.map(|(_, words)| words.clone()).unwrap_or_default();
    match uplink.state(at) {
        UplinkState::CounterStopped => DirectionWords {
            tone: Tone::Alarm,
            state: match proof.map(|(when, _)| *when).or(last_counted) {
                Some(when) => format!("no proof since {}", since(when)),
                None => "no proof".to_owned(),
            },
            evidence: "receive counter stopped".to_owned(),
        },
        UplinkState::NeverProven => DirectionWords {
            tone: Tone::Unknown,
            state: "not proven".to_owned(),
            evidence: "no answer seen so far".to_owned(),
        },
        UplinkState::Proven => DirectionWords {
            tone: Tone::Calm,
            state: format!("{ago} ago"),
            evidence,
        },
        UplinkState::OldProof => DirectionWords {
            tone: Tone::Warning,
            state: format!("unproven {ago}"),
            evidence,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Micros = Micros::from_micros(1_700_000_000_000_000);

    #[test]
    fn directions_are_told_apart() {
        let down = Downlink {
            last_frame: Some(NOW - Span::from_millis(200)),
            rate: 46.2,
            loss: Some(0.004),
        };
        let words = downlink(&down, NOW);
        assert_eq!(
            (words.tone, words.state.as_str()),
            (Tone::Calm, "0.2 s ago")
        );
        assert_eq!(words.evidence, "loss 0.4 %  46 msg/s");
        let up = Uplink {
            last_proof: Some((NOW - Span::from_millis(8_700), "receive counter".to_owned())),
            counter_stopped: true,
        };
        let words = uplink(&up, None, NOW);
        assert_eq!(words.state, "no proof since 8.7 s");
        assert_eq!(words.tone, Tone::Alarm);
    }

    #[test]
    fn silence_of_the_vehicle_gets_louder_with_its_length() {
        let heard = |millis| Downlink {
            last_frame: Some(NOW - Span::from_millis(millis)),
            rate: 0.0,
            loss: None,
        };
        assert_eq!(downlink(&heard(300), NOW).tone, Tone::Calm);
        assert_eq!(downlink(&heard(2_000), NOW).tone, Tone::Warning);
        assert_eq!(downlink(&heard(9_000), NOW).tone, Tone::Alarm);
    }

    #[test]
    fn an_old_proof_is_no_proof() {
        let up = |millis| Uplink {
            last_proof: Some((
                NOW - Span::from_millis(millis),
                "acknowledged a command".to_owned(),
            )),
            counter_stopped: false,
        };
        assert_eq!(uplink(&up(800), None, NOW).state, "0.8 s ago");
        let old = uplink(&up(42_000), None, NOW);
        assert_eq!(
            (old.tone, old.state.as_str()),
            (Tone::Warning, "unproven 42.0 s")
        );
    }
}
