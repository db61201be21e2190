//! What the glance strip says when another failsafe than the link's is active: it must never look calm then.

use crate::rules::ekf::{Cause, EkfEpisode};
use crate::session::LinkView;
use crate::time::Micros;

use super::time_format::{TimeFormat, age};
use super::words::{Glance, Tone};

/// The trip of the EKF failsafe that is in force at `at`: the last that began and has not ended.
pub(super) fn ekf_in_force(episodes: &[EkfEpisode], at: Micros) -> Option<&EkfEpisode> {
    episodes.iter().rfind(|episode| {
        let begun = episode.trip().is_some_and(|trip| trip.latest() <= at);
        begun && episode.clear().is_none_or(|clear| at < clear.latest())
    })
}

/// `glance` with what else is in force at the moment.
pub(super) fn add(
    glance: Glance,
    link: &LinkView,
    ekf: Option<&EkfEpisode>,
    format: TimeFormat,
) -> Glance {
    match ekf {
        Some(episode) => add_ekf(glance, link.at, episode, format),
        // Beside a lost link it is the link's own failsafe that the vehicle shows.
        None if link.in_failsafe && glance.tone != Tone::Alarm => Glance {
            tone: Tone::Warning,
            headline: "Vehicle in failsafe".to_owned(),
            exact: None,
            sentence: format!(
                "It shows a failsafe of its own and does not say which. {}",
                glance.sentence
            ),
        },
        None => glance,
    }
}

fn add_ekf(glance: Glance, at: Micros, episode: &EkfEpisode, format: TimeFormat) -> Glance {
    let Some(trip) = episode.trip() else {
        return glance;
    };
    let happened = episode.certain || episode.observed_trip.is_some();
    let acts = match &episode.would_act {
        Some(action) if action.acts => format!(": {}", action.name),
        _ => String::new(),
    };
    let since = format.hundredth(trip.earliest());
    let (word, told) = if happened {
        ("active", format!("The EKF failsafe tripped at {since}"))
    } else {
        (
            "possible",
            format!("The EKF failsafe may have tripped at {since}"),
        )
    };
    let told = match episode.cause {
        Cause::Unexplained => format!("{told}."),
        cause => format!("{told}, because {}.", cause.words()),
    };
    if glance.tone == Tone::Alarm {
        return Glance {
            sentence: format!("{} {told}", glance.sentence),
            ..glance
        };
    }
    Glance {
        tone: if happened { Tone::Alarm } else { Tone::Warning },
        headline: format!("EKF failsafe {word}{acts}"),
        exact: Some(format!("for {}", age(at - trip.earliest()))),
        // What is said of the link stays said: it is another failsafe.
        sentence: format!("{told} {}", glance.sentence),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Explanation, Observed, Verdict};
    use crate::session::{Downlink, LinkState, Uplink};
    use crate::time::{Bounds, Span};

    const NOW: Micros = Micros::from_micros(1_700_000_000_000_000);

    fn link(in_failsafe: bool) -> LinkView {
        LinkView {
            at: NOW,
            model: None,
            state: LinkState::Off,
            last_counted: None,
            prediction: None,
            remaining: None,
            in_failsafe,
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

    fn quiet() -> Glance {
        Glance {
            tone: Tone::Unknown,
            headline: "No link failsafe".to_owned(),
            exact: None,
            sentence: "It is off.".to_owned(),
        }
    }

    fn episode(certain: bool) -> EkfEpisode {
        let at = NOW - Span::from_secs(4);
        EkfEpisode {
            began: at,
            predicted_trip: Some(Bounds::exact(at)),
            certain,
            candidates: Vec::new(),
            observed_trip: None,
            predicted_clear: None,
            clear_certain: false,
            observed_clear: None,
            ongoing: true,
            cause: Cause::CompassAndVelocity,
            vehicle: None,
            would_act: None,
            verdict: Verdict::Pending,
            explanation: Explanation::default(),
        }
    }

    #[test]
    fn an_active_ekf_failsafe_is_the_headline_and_the_link_stays_told() {
        let trips = [episode(true)];
        let found = ekf_in_force(&trips, NOW);
        let glance = add(quiet(), &link(true), found, TimeFormat::Clock);
        assert_eq!(glance.headline, "EKF failsafe active");
        assert_eq!(glance.tone, Tone::Alarm);
        assert!(
            glance
                .sentence
                .contains("because compass and velocity are over")
        );
        assert!(glance.sentence.ends_with("It is off."));
    }

    #[test]
    fn one_that_is_only_possible_is_not_said_to_be_active() {
        let glance = add(
            quiet(),
            &link(false),
            Some(&episode(false)),
            TimeFormat::Clock,
        );
        assert_eq!(glance.headline, "EKF failsafe possible");
        assert_eq!(glance.tone, Tone::Warning);
    }

    #[test]
    fn a_lost_link_stays_the_headline_beside_it() {
        let lost = Glance {
            tone: Tone::Alarm,
            headline: "Link lost".to_owned(),
            ..quiet()
        };
        let glance = add(lost, &link(true), Some(&episode(true)), TimeFormat::Clock);
        assert_eq!(glance.headline, "Link lost");
        assert!(glance.sentence.contains("EKF failsafe tripped"));
    }

    #[test]
    fn what_is_over_or_still_to_come_is_not_in_force() {
        let mut over = episode(true);
        over.observed_clear = Some(Observed {
            at: NOW - Span::from_secs(1),
            resolution: Span::ZERO,
            name: String::new(),
            evidence: String::new(),
        });
        assert!(ekf_in_force(&[over], NOW).is_none());
        assert!(ekf_in_force(&[episode(true)], NOW - Span::from_secs(5)).is_none());
    }

    #[test]
    fn a_failsafe_that_nobody_explains_is_not_hidden() {
        let glance = add(quiet(), &link(true), None, TimeFormat::Clock);
        assert_eq!(glance.headline, "Vehicle in failsafe");
        assert_eq!(add(quiet(), &link(false), None, TimeFormat::Clock), quiet());
    }
}
