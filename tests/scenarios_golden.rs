//! Every built-in scenario has its golden result: the truth of the simulated vehicle and what the session
//! concludes from what the ground saw, to the millisecond, in `tests/data/scenarios.csv`.
//!
//! A difference is a change of a rule, of the simulation or of a scenario. Where it is meant,
//! `HEARTLINE_GOLDEN=write cargo test --test scenarios_golden` writes the table anew, to be reviewed as a
//! change of the file.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test"
)]

use std::path::Path;

use heartline::observation::Talker;
use heartline::rules::Verdict;
use heartline::rules::ekf::CheckEvent;
use heartline::session::{Session, SessionSettings};
use heartline::source::scenario::{
    ChangeCause, Flight, Scenario, TruthEvent, built_in_names, find,
};
use heartline::time::{Bounds, Micros, Span};
use heartline::training::PosedQuestion;

const VEHICLE: Talker = Talker::new(1, 1);

struct Flown {
    name: &'static str,
    scenario: Scenario,
    flight: Flight,
    session: Session,
}

fn all() -> impl Iterator<Item = Flown> {
    built_in_names().map(|name| {
        let scenario = find(name).unwrap();
        let flight = Flight::fly(&scenario).unwrap();
        let mut session = Session::new(SessionSettings::default());
        for observation in &flight.observations {
            session.observe(observation);
        }
        Flown {
            name,
            scenario,
            flight,
            session,
        }
    })
}

impl Flown {
    /// Seconds after the beginning, to the millisecond.
    fn at(&self, at: Micros) -> String {
        let micros = (at - self.flight.start).as_micros();
        format!("{:.3}", (micros as f64 / 1e3).round() / 1e3)
    }

    fn window(&self, window: Bounds) -> String {
        format!(
            "{},{}",
            self.at(window.earliest()),
            self.at(window.latest())
        )
    }

    /// The lines of the table: scenario, who says so, what, from, to.
    fn table(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut add = |who: &str, what: &str, when: String| {
            lines.push(format!("{},{who},{what},{when}", self.name));
        };
        for entry in &self.flight.truth.entries {
            let at = format!("{},", self.at(entry.at));
            match entry.event {
                TruthEvent::Lost { start_line, .. } => {
                    add(
                        "vehicle",
                        "timer starts",
                        format!("{},", self.at(start_line)),
                    );
                    add("vehicle", "loss", at);
                }
                TruthEvent::Regained => add("vehicle", "regained", at),
                TruthEvent::Mode { number, by } if by != ChangeCause::Command => {
                    add("vehicle", &format!("mode {number:#x}"), at);
                }
                TruthEvent::Ekf(CheckEvent::Tripped) => add("vehicle", "EKF trips", at),
                TruthEvent::Ekf(_) => add("vehicle", "EKF clears", at),
                _ => {}
            }
        }
        for question in PosedQuestion::all(&self.scenario, &self.flight) {
            let answer = question.answer.map_or("never".to_owned(), |at| self.at(at));
            add(
                "question",
                &format!("{:?}", question.about),
                format!("{answer},"),
            );
        }
        for loss in self.session.link_losses(VEHICLE) {
            let verdict = match &loss.verdict {
                Verdict::Silent(_) => "silent".to_owned(),
                Verdict::Inside => "inside".to_owned(),
                other => format!("{other:?}"),
            };
            let heard = self.window(loss.last_heartbeat);
            let what = format!("silence: {}", verdict.replace(',', ";"));
            add("session", &what, heard);
            for candidate in &loss.candidates {
                add("session", "timer starts", self.window(candidate.start_line));
                add("session", "loss", self.window(candidate.loss));
            }
        }
        for episode in self.session.ekf_episodes(VEHICLE) {
            if let Some(trip) = episode.predicted_trip {
                add("session", "EKF trips", self.window(trip));
            }
            if let Some(clear) = episode.predicted_clear {
                add("session", "EKF clears", self.window(clear));
            }
        }
        lines
    }
}

#[test]
fn every_built_in_scenario_has_its_golden_result() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/scenarios.csv");
    let mut table = vec!["scenario,who,what,from (s),to (s)".to_owned()];
    table.extend(all().flat_map(|flown| flown.table()));
    if std::env::var("HEARTLINE_GOLDEN").as_deref() == Ok("write") {
        std::fs::write(&path, table.join("\n") + "\n").unwrap();
    }
    let golden = std::fs::read_to_string(&path).expect("the table is there");
    let golden: Vec<&str> = golden.lines().collect();
    for (line, expected) in table.iter().zip(&golden) {
        assert_eq!(line, expected);
    }
    assert_eq!(table.len(), golden.len());
}

/// Whether the way down is cut at `at`. From the ground it then looks the same whether the vehicle hears
/// it or not (`one-way-down`, `blackout`), and a window would be a guess.
fn unheard(flown: &Flown, at: Micros) -> bool {
    let offset = (at - flown.flight.start).as_micros() as f64 / 1e6;
    let cuts = &flown.scenario.link.down.cuts_s;
    cuts.iter().any(|(from, to)| (*from..*to).contains(&offset))
}

#[test]
fn a_blackout_is_told_apart_from_a_dead_downlink_by_nothing_that_is_seen_in_it() {
    let seen_until = |name: &str, seconds: f64| {
        let scenario = Scenario {
            seed: 1,
            ..find(name).unwrap()
        };
        let flight = Flight::fly(&scenario).unwrap();
        let until = flight.start + Span::from_secs_f64(seconds).unwrap();
        let mut seen = flight.observations;
        seen.retain(|o| o.at < until);
        seen
    };
    assert_eq!(
        seen_until("blackout", 42.0),
        seen_until("one-way-down", 42.0)
    );
}

#[test]
fn every_loss_lies_in_a_window_that_the_session_gives() {
    for flown in all() {
        let losses = flown.session.link_losses(VEHICLE);
        for (at, _) in flown.flight.truth.losses() {
            if unheard(&flown, at) {
                continue;
            }
            // The vehicle's clock is known to the millisecond of its messages.
            let inside = losses
                .iter()
                .flat_map(|loss| &loss.candidates)
                .any(|c| c.loss.widened(Span::from_millis(1)).contains(at));
            assert!(
                inside,
                "{}: lost at {}, {:?}",
                flown.name,
                flown.at(at),
                flown.table()
            );
        }
    }
}

#[test]
fn every_trip_of_the_estimator_lies_in_a_window_that_the_session_gives() {
    for flown in all() {
        let episodes = flown.session.ekf_episodes(VEHICLE);
        for entry in &flown.flight.truth.entries {
            if entry.event != TruthEvent::Ekf(CheckEvent::Tripped) {
                continue;
            }
            let inside = episodes.iter().any(|e| {
                e.trip()
                    .is_some_and(|trip| trip.widened(Span::from_millis(1)).contains(entry.at))
            });
            assert!(inside, "{}: {:?}", flown.name, flown.table());
        }
    }
}
