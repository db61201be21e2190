//! What is said about the EKF failsafe.

use crate::report::clock::Clock;
use crate::report::document::{
    BoundsReport, EkfCandidateReport, EkfFailsafeReport, ObservedReport,
};
use crate::report::findings::Count;
use crate::rules::ekf::EkfEpisode;
use crate::time::{Bounds, Micros, Seconds, Span};

/// The evidence of a trip in ArduPilot's own log.
pub(in crate::report) const LOGGED_TRIP: &str = "ERR subsystem 16 (EKFCHECK), code 2";
/// Why a check that was run again tripped.
pub(in crate::report) const REPLAYED_CAUSE: &str =
    "the logged ratios and flags, checked every 0.1 s as on board";
/// A log that is written while disarmed would hold the arming.
pub(in crate::report) const ASSUMED_DISARMED: &str =
    "the vehicle is disarmed: LOG_DISARMED is set and the log holds no arming before the trip";
/// What the log of a disarmed vehicle would contradict.
pub(in crate::report) const ASSUMED_ARMED: &str = "the vehicle is armed: the log does not say so before the trip, and ArduPilot logs while armed \
     unless LOG_DISARMED is set";
/// Why nothing is said about the reaction to a trip.
pub(in crate::report) const UNKNOWN_MODE: &str =
    "whether the vehicle acts is not known: the log does not say its mode before the trip";

/// What a reader takes away of a trip of the EKF failsafe.
pub(in crate::report) fn ekf_sentence(report: &EkfFailsafeReport, clock: &Clock) -> String {
    let time = |us| clock.time(Micros::from_micros(us));
    let trip = match (&report.observed, &report.predicted) {
        (Some(seen), _) => format!("EKF failsafe tripped at {}", time(seen.at_us)),
        (None, Some(window)) => {
            let window = bounds(Some(window), clock);
            if report.certain {
                format!("By the rules the EKF failsafe tripped within {window}")
            } else {
                format!(
                    "The EKF failsafe may have tripped within {window}; the reports leave it open"
                )
            }
        }
        (None, None) => "The EKF failsafe may have tripped; the reports leave it open".to_owned(),
    };
    let happened = report.certain || report.observed.is_some();
    let cleared = match report.cleared.as_ref().and_then(|c| c.latest_us) {
        Some(cleared) if happened => format!(", and cleared by {}", time(cleared)),
        Some(cleared) => format!("; if it did, it cleared by {}", time(cleared)),
        None => String::new(),
    };
    let acts = if happened {
        ("acts", "does not act")
    } else {
        ("would act", "would not act")
    };
    let act = match (report.would_act, &report.reaction, &report.action) {
        (Some(true), Some(name), Some(why)) => {
            format!(" The vehicle {}: {name}, as {why}.", acts.0)
        }
        (Some(_), _, Some(why)) => format!(" The vehicle {}: {why}.", acts.1),
        _ => " Whether it acts is not known.".to_owned(),
    };
    format!("{trip}{cleared}.{act}")
}

/// The beginning of an upset in a log.
pub(in crate::report) fn first_failed_check(at: Micros, clock: &Clock) -> String {
    format!(
        "{} The count leaves zero: the first failed check.",
        clock.time(at)
    )
}

/// The trip of a check that was run again.
pub(in crate::report) fn replayed_trip(at: Micros, limit: u8, clock: &Clock) -> String {
    let at = clock.time(at);
    format!("{at} The count reaches {limit}: the check run again from the log trips.")
}

/// The log's own word of a trip.
pub(in crate::report) fn logged_trip(at: Micros, clock: &Clock) -> String {
    format!(
        "{} The vehicle's own record: {LOGGED_TRIP}.",
        clock.time(at)
    )
}

/// The end of a trip of a check that was run again.
pub(in crate::report) fn replayed_clear(at: Micros, clock: &Clock) -> String {
    format!("{} The check run again clears.", clock.time(at))
}

/// Bounds of which an end may not be known.
pub(in crate::report) fn bounds(bounds: Option<&BoundsReport>, clock: &Clock) -> String {
    let time = |us| clock.time(Micros::from_micros(us));
    match bounds.map(|b| (b.earliest_us, b.latest_us)) {
        Some((Some(earliest), Some(latest))) => clock.window(Bounds::new(
            Micros::from_micros(earliest),
            Micros::from_micros(latest),
        )),
        Some((Some(earliest), None)) => format!("after {}", time(earliest)),
        Some((None, Some(latest))) => format!("before {}", time(latest)),
        _ => "not known".to_owned(),
    }
}

/// Evidence with its time and how much earlier it may have been.
pub(in crate::report) fn observed(seen: &ObservedReport, clock: &Clock) -> String {
    let at = clock.time(Micros::from_micros(seen.at_us));
    if seen.resolution_us == 0 {
        return format!("{at}: {}", seen.evidence);
    }
    let earlier = Seconds::millis(Span::from_micros(seen.resolution_us));
    format!("{at} or up to {earlier} s earlier: {}", seen.evidence)
}

/// Whether the vehicle acts on a trip, and why.
pub(in crate::report) fn would_act(episode: &EkfFailsafeReport) -> String {
    match (episode.would_act, &episode.reaction, &episode.action) {
        (Some(true), Some(name), Some(why)) => format!("yes, {name}: {why}"),
        (Some(_), _, Some(why)) => format!("no: {why}"),
        _ => "not known".to_owned(),
    }
}

/// What one hypothesis makes of an episode.
pub(in crate::report) fn ekf_candidate(candidate: &EkfCandidateReport, clock: &Clock) -> String {
    match &candidate.trip {
        Some(trip) if candidate.certain => format!("tripped within {}", bounds(Some(trip), clock)),
        Some(trip) => format!("may have tripped within {}", bounds(Some(trip), clock)),
        None => "not tripped".to_owned(),
    }
}

/// What another threshold makes of the record.
pub(in crate::report) fn trips_under(threshold: f64, episodes: &[EkfEpisode]) -> String {
    if threshold <= 0.0 {
        return "the check is off".to_owned();
    }
    let certain = episodes.iter().filter(|e| e.certain).count();
    let possible = episodes
        .iter()
        .filter(|e| !e.certain && e.predicted_trip.is_some())
        .count();
    match (certain, possible) {
        (0, 0) => "no trip".to_owned(),
        (certain, 0) => format!("trips for certain: {certain}"),
        (0, possible) => format!("trips that the reports leave open: {possible}"),
        (certain, possible) => {
            format!("trips for certain: {certain}; that the reports leave open: {possible}")
        }
    }
}

/// A count, or the interval that it lies in.
pub(in crate::report) fn count(count: Count) -> String {
    if count.low == count.high {
        count.low.to_string()
    } else {
        format!("{} to {}", count.low, count.high)
    }
}
