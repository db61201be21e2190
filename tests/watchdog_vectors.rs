//! Our watchdog against heartbeats that a real MAVSDK sent, second by second.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test"
)]

mod support;

use heartline::rules::watchdog::{Decision, Watchdog, timeout_of_seconds};
use heartline::time::{Micros, Span};
use serde_json::Value;

fn at(seconds: &Value) -> Micros {
    Micros::default() + Span::from_secs_f64(seconds.as_f64().unwrap()).unwrap()
}

/// Runs one pattern; gives the number of opportunities compared.
fn run(pattern: &Value) -> usize {
    let id = pattern["id"].as_str().unwrap();
    let setup = &pattern["setup"];
    let always_send = setup["always_send_heartbeats"].as_bool().unwrap();
    let mut always = always_send;
    let mut watchdog = Watchdog::new();
    let startup = Span::from_secs_f64(setup["startup_timeout_s"].as_f64().unwrap()).unwrap();
    watchdog
        .set_timeout(startup)
        .expect("a real MAVSDK took it");
    let mut events = pattern["events"].as_array().unwrap().iter().peekable();
    let mut compared = 0;
    for opportunity in pattern["opportunities"].as_array().unwrap() {
        let now = at(&opportunity["t_s"]);
        while let Some(event) = events.next_if(|e| at(&e["t_s"]) <= now) {
            let when = at(&event["t_s"]);
            match event["kind"].as_str().unwrap() {
                "feed" => watchdog.feed(when),
                "set_timeout" => {
                    // Values that are no number of seconds are written as text in the file.
                    let seconds = event["value"].as_f64().unwrap_or(f64::NAN);
                    let timeout = timeout_of_seconds(seconds);
                    let taken = timeout.is_ok_and(|t| watchdog.set_timeout(t).is_ok());
                    assert_eq!(Some(taken), event["accepted"].as_bool(), "{id}: {event}");
                }
                "set_always_send" => always = event["value"].as_bool().unwrap(),
                _ => {}
            }
        }
        if opportunity["process_stopped"].as_bool() == Some(true) {
            continue;
        }
        // The watchdog is asked first, so that it can expire while policy keeps silent.
        let allowed = watchdog.may_send(now) == Decision::Allowed;
        let connected = opportunity["connected"].as_bool().unwrap();
        let sent = allowed && (always || connected);
        assert_eq!(
            Some(sent),
            opportunity["sent"].as_bool(),
            "{id}: at {} s",
            opportunity["t_s"]
        );
        compared += 1;
    }
    compared
}

#[test]
fn every_pattern_of_a_real_mavsdk_is_reproduced() {
    let mut patterns = 0;
    let mut compared = 0;
    for file in support::files("watchdog", "json") {
        let text = std::fs::read_to_string(&file).unwrap();
        let vectors: Value = serde_json::from_str(&text).unwrap();
        for pattern in vectors["patterns"].as_array().expect("patterns") {
            patterns += 1;
            compared += run(pattern);
        }
    }
    assert!(patterns >= 14, "only {patterns} patterns found");
    assert!(compared > 200, "only {compared} opportunities compared");
}
