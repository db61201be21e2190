//! The flag and the countdown as drawn, from recorded tlogs alone, against the vehicle's own log; in real
//! time and with a simulator's clock that runs several times as fast.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test; a broken fixture must stop it"
)]

mod support;

use heartline::observation::{Autopilot, Talker};
use heartline::session::{CountdownPoint, FlagSegment, FlagState, LinkStrips, Session};
use heartline::time::{Micros, Span};
use serde_json::Value;

/// How well the truth is mapped from the vehicle's clock to the recording's, with the time that a report
/// takes.
const CLOCK_MAPPING: Span = Span::from_millis(60);

/// A loss on the recording's clock.
struct Truth {
    last_true_report: Micros,
    first_false_report: Micros,
    lost: Micros,
}

fn truths(sidecar: &Value) -> Vec<Truth> {
    let rate = sidecar["clock"]["vehicle_rate_vs_wall"]
        .as_f64()
        .unwrap_or(1.0);
    sidecar["losses"]
        .as_array()
        .expect("losses")
        .iter()
        .filter(|loss| loss["last_gcs_hb_link"] == 0)
        .filter_map(|loss| {
            let us = |name: &str| loss[name].as_i64();
            let (ground, vehicle) = (us("last_gcs_hb_tlog_us")?, us("last_gcs_hb_ulog_us_est")?);
            let at = |name: &str| {
                let since = (us(name)? - vehicle) as f64 / rate;
                Some(Micros::from_micros(ground + since as i64))
            };
            Some(Truth {
                last_true_report: at("last_true_report_ulog_us")?,
                first_false_report: at("first_false_report_ulog_us")?,
                lost: at("gcs_connection_lost_vehicle_status_ulog_us")?,
            })
        })
        .collect()
}

fn vehicle(session: &Session) -> Talker {
    let px4 = |v: &&heartline::session::Vehicle| v.autopilot == Autopilot::PX4;
    session.vehicles().find(px4).expect("a PX4 vehicle").talker
}

fn state(flag: &[FlagSegment], at: Micros) -> FlagState {
    flag.iter()
        .find(|s| s.from <= at && at < s.to)
        .map_or(FlagState::Unknown, |s| s.state)
}

/// The time left at `at`, on the line between the points on either side.
fn left(countdown: &[CountdownPoint], at: Micros) -> (Span, Span) {
    let after = countdown.partition_point(|p| p.at <= at);
    let (a, b) = (countdown[after - 1], countdown[after]);
    let part = (at - a.at).as_micros() as f64 / (b.at - a.at).as_micros().max(1) as f64;
    let between = |from: Span, to: Span| {
        let way = (to - from).as_micros() as f64 * part;
        from + Span::from_micros(way as i64)
    };
    (between(a.earliest, b.earliest), between(a.latest, b.latest))
}

#[test]
fn the_flag_and_the_countdown_follow_the_vehicle() {
    let mut seen = (0, 0);
    for path in support::files("px4", "tlog") {
        let name = path.to_string_lossy().into_owned();
        if name.contains("_link1") {
            continue;
        }
        let session = support::session_of(&path);
        let truths = truths(&support::sidecar(&path));
        let (from, to) = (session.first().unwrap(), session.last().unwrap());
        let strips: LinkStrips = session.link_strips(vehicle(&session), from, to);
        let ends = (
            strips.flag.first().map(|s| s.from),
            strips.flag.last().map(|s| s.to),
        );
        assert_eq!(ends, (Some(from), Some(to)), "{name}");
        for pair in strips.flag.windows(2) {
            assert_eq!(pair[0].to, pair[1].from, "{name}: no gaps");
            assert_ne!(
                pair[0].state, pair[1].state,
                "{name}: one stretch, one segment"
            );
        }
        for pair in strips.countdown.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            let level = a.latest == b.latest && a.latest > Span::ZERO;
            let long = b.at - a.at > Span::from_millis(400);
            assert!(!(level && long), "{name}: time stands still at {a:?}");
        }
        for truth in truths {
            let before = state(&strips.flag, truth.last_true_report - CLOCK_MAPPING);
            assert_ne!(before, FlagState::False, "{name}");
            // The race of one second leaves the instant open; the evidence of the loss settles it later.
            let after = truth.first_false_report + CLOCK_MAPPING;
            assert_ne!(state(&strips.flag, after), FlagState::True, "{name}");
            let before = Span::from_secs(2);
            let (earliest, latest) = left(&strips.countdown, truth.lost - before);
            let off = (earliest - before).abs().min((latest - before).abs());
            seen.0 += 1;
            // Where two candidates are open the other one may be drawn: a second off, and said so.
            assert!(
                off <= CLOCK_MAPPING || (900..=1_100).contains(&(off.as_micros() / 1_000)),
                "{name}: {off:?}"
            );
            seen.1 += usize::from(off <= CLOCK_MAPPING);
        }
    }
    let (losses, told) = seen;
    assert!(losses >= 4, "recordings are there");
    assert!(told * 10 >= losses * 9, "{told} of {losses}");
}
