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
        decided_by: Vec::new(),
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

/// A second way in which the vehicle may have counted.
fn or(mut view: LinkView, from: i64, to: i64) -> LinkView {
    let other = loss(None, from, to);
    if let Some(loss) = &mut view.prediction {
        loss.candidates.extend(other.candidates);
    }
    view
}

#[test]
fn each_way_in_which_it_may_have_counted_has_its_own_seconds() {
    let view = link(LinkState::Counting, Some("Hold"), 6_120, 6_230);
    let glance = say(&or(view, 7_120, 7_230));
    assert_eq!(glance.headline, "Failsafe in 6.1-6.2 s or 7.1-7.2 s");
    assert_eq!(glance.exact, None);
    let view = link(LinkState::Counting, Some("Hold"), 3_180, 3_191);
    let glance = say(&or(view, 4_180, 4_191));
    assert_eq!(glance.headline, "Failsafe in 3.2 s or 4.2 s");
    assert_eq!(
        glance.exact.as_deref(),
        Some("3.18 .. 3.19 or 4.18 .. 4.19")
    );
    assert!(
        glance
            .sentence
            .contains("lost at 22:13:23.18 or at 22:13:24.18 and switch to Hold")
    );
}

#[test]
fn between_two_windows_neither_is_now() {
    let view = link(LinkState::Due, Some("Hold"), -400, -390);
    let glance = say(&or(view, 600, 610));
    assert_eq!(glance.headline, "Failsafe due, or in 0.6 s");
    let view = link(LinkState::Due, Some("Hold"), -5, 5);
    assert_eq!(say(&or(view, 1_000, 1_010)).headline, "Failsafe now");
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
