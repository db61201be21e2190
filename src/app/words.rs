//! The link's state in words: what the glance strip says. Pure functions, so that every combination of
//! state, autopilot and action is tested without a window.

use crate::rules::LinkLoss;
use crate::session::{LinkState, LinkView, UNHEARD, UplinkState};
use crate::time::{Bounds, Micros, Seconds, Span};

use super::phrases::{
    NARROW, at_or_between, autopilot, exempt, heard_last, if_unheard, plain_range, range,
    then_acted, then_acts, what_comes, would,
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
        LinkState::Due => Glance {
            tone: Tone::Alarm,
            headline: format!("{} now", what_comes(loss)),
            exact: link.remaining.map(range),
            sentence: match loss.and_then(LinkLoss::predicted_loss) {
                Some(window) => format!(
                    "{name} declares the ground station lost {}{}. No evidence yet.",
                    at_or_between(window, format),
                    match loss.and_then(LinkLoss::acting) {
                        Some(action) => format!(" and switches to {action}"),
                        None => " and does not act".to_owned(),
                    },
                ),
                None => format!("{name} declares the ground station lost now."),
            },
        },
        LinkState::Lost { since, proven } => lost(link, since, proven, name, format),
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
        None => "Heartbeats on time".to_owned(),
    };
    let who = link
        .last_counted
        .map_or_else(|| "we".to_owned(), |(talker, _)| format!("GCS {talker}"));
    let who = if proven && !unproven { "we" } else { &who };
    let mut sentence = match (link.remaining, link.prediction.as_ref()) {
        (_, Some(loss)) if let Some(why) = exempt(loss) => {
            format!("{name} would not react if {who} fell silent now: {why}.")
        }
        (Some(remaining), loss) => format!(
            "If {who} fell silent now, {name} would {} in {} s.",
            would(loss),
            plain_range(remaining),
        ),
        (None, _) => format!("{name} would not notice a silence of {who}."),
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
            let window = doubt.predicted_loss()?;
            let left = (window.earliest() - link.at, window.latest() - link.at);
            (left.1 >= Span::ZERO)
                .then(|| format!("or {} in {}", what_comes(Some(doubt)), range(left)))
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
    let (headline, exact) = match link.remaining {
        Some((earliest, latest)) if latest - earliest <= NARROW => (
            format!(
                "{} in {} s",
                what_comes(loss),
                Seconds::with_decimals(earliest.max(Span::ZERO), 1)
            ),
            Some(range((earliest, latest))),
        ),
        Some((earliest, latest)) => (
            format!(
                "{} in {}-{} s",
                what_comes(loss),
                Seconds::with_decimals(earliest.max(Span::ZERO), 1),
                Seconds::with_decimals(latest.max(Span::ZERO), 1)
            ),
            None,
        ),
        None => ("Ground station silent".to_owned(), None),
    };
    let mut sentence = match loss.and_then(LinkLoss::predicted_loss) {
        Some(window) => format!(
            "{name} will declare the ground station lost {}{}.",
            at_or_between(window, format),
            then_acts(loss),
        ),
        None => format!("{name} has no timer that would notice this silence."),
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
        at_or_between(since, format),
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
mod tests {
    use super::*;
    use crate::observation::Talker;
    use crate::rules::{Candidate, Explanation, Observed, PredictedAction};
    use crate::rules::{LinkModel, Verdict};
    use crate::session::{Downlink, Uplink};

    const NOW: Micros = Micros::from_micros(1_700_000_000_000_000);
    const GCS: Talker = Talker::new(255, 190);

    fn loss(action: Option<&str>, from: i64, to: i64) -> LinkLoss {
        let window = Bounds::new(NOW + Span::from_millis(from), NOW + Span::from_millis(to));
        let last = Bounds::exact(NOW - Span::from_millis(8_700));
        LinkLoss {
            model: LinkModel::Px4,
            last_heartbeat_from: GCS,
            last_heartbeat: last,
            candidates: vec![Candidate {
                last_heartbeat: last,
                flag_false: None,
                start_line: last,
                loss: window,
                condition: String::new(),
                explanation: Explanation::default(),
            }],
            predicted_action: action.map(|name| PredictedAction {
                name: name.to_owned(),
                at: window,
                reason: String::new(),
                then: None,
            }),
            observed_loss: None,
            observed_action: None,
            regained: None,
            verdict: Verdict::Pending,
            explanation: Explanation::default(),
        }
    }

    fn link(state: LinkState, action: Option<&str>, from: i64, to: i64) -> LinkView {
        LinkView {
            at: NOW,
            model: Some(LinkModel::Px4),
            state,
            last_counted: Some((GCS, NOW - Span::from_millis(8_700))),
            prediction: Some(loss(action, from, to)),
            remaining: Some((Span::from_millis(from), Span::from_millis(to))),
            in_failsafe: false,
            downlink: Downlink {
                last_frame: None,
                rate: 0.0,
                loss: None,
            },
            uplink: Uplink {
                last_proof: None,
                counter_stopped: false,
            },
            counted: Vec::new(),
            doubt: None,
        }
    }

    fn say(link: &LinkView) -> Glance {
        glance(link, None, TimeFormat::Clock)
    }

    #[test]
    fn calm_says_what_silence_would_bring() {
        let mut view = link(LinkState::Present, Some("Hold"), 12_250, 12_280);
        view.uplink.last_proof = Some((NOW, "receive counter rose by 3".to_owned()));
        let glance = say(&view);
        assert_eq!(glance.headline, "The vehicle hears us");
        assert_eq!(glance.tone, Tone::Calm);
        assert_eq!(
            glance.sentence,
            "If we fell silent now, PX4 would switch to Hold in 12.25-12.28 s."
        );
    }

    #[test]
    fn without_proof_nobody_is_said_to_hear_anything() {
        let glance = say(&link(LinkState::Present, Some("Hold"), 12_250, 12_280));
        assert_eq!(glance.headline, "Heartbeats on time");
        assert!(
            glance
                .sentence
                .starts_with("If GCS 255/190 fell silent now")
        );
    }

    #[test]
    fn counting_names_the_seconds_the_instant_and_the_last_voice() {
        let glance = say(&link(LinkState::Counting, Some("Hold"), 3_180, 3_191));
        assert_eq!(glance.headline, "Failsafe in 3.2 s");
        assert_eq!(glance.exact.as_deref(), Some("3.18 .. 3.19"));
        assert_eq!(
            glance.sentence,
            "PX4 will declare the ground station lost at 22:13:23.18 and switch to Hold. \
             It heard GCS 255/190 last 8.7 s ago."
        );
    }

    #[test]
    fn a_wide_window_is_never_told_as_one_number() {
        let glance = say(&link(LinkState::Counting, Some("Hold"), 3_180, 4_190));
        assert_eq!(glance.headline, "Failsafe in 3.2-4.2 s");
        assert!(
            glance
                .sentence
                .contains("between 22:13:23.18 and 22:13:24.19")
        );
    }

    #[test]
    fn a_vehicle_that_only_warns_has_no_failsafe_coming() {
        for action in [None, Some("")] {
            let glance = say(&link(LinkState::Counting, action, 3_180, 3_191));
            assert_eq!(glance.headline, "Link loss in 3.2 s");
            assert!(glance.sentence.contains("and not act"));
        }
    }

    #[test]
    fn a_mode_that_exempts_is_named_instead_of_a_countdown() {
        let mut view = link(LinkState::Counting, Some("Hold"), 3_180, 3_191);
        if let Some(loss) = &mut view.prediction {
            loss.verdict = Verdict::Silent("FS_OPTIONS exempts Auto".to_owned());
        }
        assert_eq!(say(&view).headline, "Ground station silent");
        assert!(
            say(&view)
                .sentence
                .contains("will not react to it: FS_OPTIONS exempts Auto.")
        );
        view.state = LinkState::Present;
        assert!(
            say(&view)
                .sentence
                .contains("would not react if GCS 255/190 fell silent")
        );
    }

    #[test]
    fn lost_says_whether_it_is_proven() {
        let since = Bounds::exact(NOW - Span::from_secs(2));
        let mut view = link(
            LinkState::Lost {
                since,
                proven: false,
            },
            Some("Hold"),
            -2_000,
            -1_990,
        );
        let glance = say(&view);
        assert_eq!(glance.headline, "Link lost");
        assert!(glance.sentence.contains("no evidence"));

        view.state = LinkState::Lost {
            since,
            proven: true,
        };
        if let Some(loss) = &mut view.prediction {
            loss.observed_action = Some(Observed {
                at: NOW - Span::from_secs(1),
                resolution: Span::ZERO,
                name: "Hold".to_owned(),
                evidence: "HEARTBEAT mode".to_owned(),
            });
        }
        assert_eq!(say(&view).headline, "Failsafe active: Hold");
        assert_eq!(say(&view).tone, Tone::Alarm);
    }

    #[test]
    fn every_state_has_words_even_without_a_prediction() {
        for state in [
            LinkState::Unknown,
            LinkState::NeverSeen,
            LinkState::NotRecorded,
            LinkState::Off,
            LinkState::Present,
            LinkState::Counting,
            LinkState::Due,
            LinkState::Lost {
                since: Bounds::exact(NOW),
                proven: false,
            },
        ] {
            let mut view = link(state, None, 0, 0);
            view.prediction = None;
            view.remaining = None;
            view.last_counted = None;
            let glance = say(&view);
            assert!(
                !glance.headline.is_empty() && glance.sentence.ends_with('.'),
                "{glance:?}"
            );
        }
    }

    #[test]
    fn a_return_is_news_for_ten_seconds() {
        let view = link(LinkState::Present, Some("Hold"), 12_000, 12_010);
        let recent = glance(&view, Some(NOW - Span::from_secs(3)), TimeFormat::Clock);
        assert_eq!(recent.headline, "Back since 3.0 s");
        let old = glance(&view, Some(NOW - Span::from_secs(30)), TimeFormat::Clock);
        assert_eq!(old.headline, "Heartbeats on time");
    }
}
