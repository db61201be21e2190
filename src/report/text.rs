//! The report for a terminal: the sentence first, then what proves it.

use std::fmt::Write;

use crate::observation::Talker;
use crate::rules::LinkLoss;
use crate::session::{Session, Vehicle};
use crate::time::{Bounds, ClockTime, Micros, Seconds};

use super::Report;

/// The report as text. All times of day are UTC.
#[must_use]
pub fn text(report: &Report, session: &Session) -> String {
    let mut out = String::new();
    // Writing into a String cannot fail, so what `write!` returns is of no interest here.
    let _written = write_all(&mut out, report, session);
    out
}

fn write_all(out: &mut String, report: &Report, session: &Session) -> std::fmt::Result {
    let source = &report.source;
    write!(out, "{} ({}", source.path, source.kind)?;
    if source.bytes > 0 {
        write!(out, ", {} bytes", source.bytes)?;
    }
    writeln!(out, ", {} frames)", source.frames)?;
    if let (Some(first), Some(last)) = (session.first(), session.last()) {
        writeln!(
            out,
            "{} to {} UTC, {} s",
            ClockTime::millis(first),
            ClockTime::millis(last),
            Seconds::with_decimals(last - first, 1)
        )?;
    }
    for alignment in session.recordings().alignments().values() {
        writeln!(out, "{alignment}.")?;
    }
    let damage = source.damage.lines();
    if damage.is_empty() {
        writeln!(out, "No damage found.")?;
    } else {
        writeln!(out, "Could not be used: {}.", damage.join("; "))?;
    }
    if report.vehicles.is_empty() {
        writeln!(out, "\nNo vehicle: no autopilot sent a heartbeat.")?;
    }
    for (vehicle, summary) in session.vehicles().zip(&report.vehicles) {
        let firmware = summary.firmware.as_ref().map_or_else(
            || "firmware version not known".to_owned(),
            |f| format!("{} ({})", f.version, f.source),
        );
        writeln!(
            out,
            "\nVehicle {}: {} {}, {}",
            vehicle.talker, summary.autopilot, summary.vehicle_type, firmware
        )?;
        write_losses(out, session, vehicle)?;
        for episode in &summary.ekf_failsafes {
            writeln!(out, "\n  EKF failsafe: {}", episode.cause)?;
            for line in &episode.explanation {
                writeln!(out, "    {line}")?;
            }
        }
        if !summary.parameters.is_empty() {
            writeln!(out, "\n  Parameters")?;
            for (name, p) in &summary.parameters {
                writeln!(out, "    {name:<17} {:>10} ({})", p.value, p.source)?;
            }
        }
    }
    writeln!(out, "\nTalkers")?;
    writeln!(
        out,
        "    {:<9} {:<20} {:>10} {:>13} {:>12}  counts as ground station",
        "id", "type", "heartbeats", "longest gap s", "lost frames"
    )?;
    for t in &report.talkers {
        let gap = t
            .longest_gap_us
            .map_or_else(String::new, |us| format!("{:.3}", us as f64 / 1e6));
        writeln!(
            out,
            "    {:<9} {:<20} {:>10} {:>13} {:>12}  {}",
            format!("{}/{}", t.sysid, t.compid),
            t.kind,
            t.heartbeats,
            gap,
            t.lost_frames,
            if t.counts_as_gcs { "yes" } else { "no" }
        )?;
    }
    Ok(())
}

fn write_losses(out: &mut String, session: &Session, vehicle: &Vehicle) -> std::fmt::Result {
    let losses = session.link_losses(vehicle.talker);
    if losses.is_empty() {
        writeln!(
            out,
            "  No silence of the ground stations came near the failsafe."
        )?;
    }
    for (number, loss) in losses.iter().enumerate() {
        writeln!(out, "\n  {}. {}", number + 1, headline(loss))?;
        let (origin, since) = if loss.last_heartbeat_from == NOBODY {
            let start = loss.start_line().map_or(Micros::default(), Bounds::latest);
            (start, "the last report that said present")
        } else {
            (loss.last_heartbeat.earliest(), "the last heartbeat")
        };
        for candidate in &loss.candidates {
            let window = relative(candidate.loss, origin);
            if candidate.condition.is_empty() {
                writeln!(out, "     Predicted {window} s after {since}.")?;
            } else {
                writeln!(out, "     Predicted {window} s if {}.", candidate.condition)?;
            }
        }
        writeln!(out, "     Verdict: {}.", loss.verdict)?;
        for step in &loss.explanation.steps {
            writeln!(
                out,
                "     {}  {:>9}  {}",
                ClockTime::millis(step.at.earliest()),
                step.knowledge.word(),
                step.text
            )?;
        }
        writeln!(out, "     This rests on:")?;
        for premise in &loss.explanation.premises {
            writeln!(
                out,
                "       {:>9}  {}",
                premise.knowledge.word(),
                premise.text
            )?;
        }
    }
    Ok(())
}

/// The sentence that a reader takes away.
#[must_use]
pub fn headline(loss: &LinkLoss) -> String {
    let heard = loss.last_heartbeat.earliest();
    if loss.last_heartbeat_from == NOBODY {
        return headline_of_log(loss);
    }
    let from = format!(
        "the last heartbeat of {} at {}",
        loss.last_heartbeat_from,
        ClockTime::millis(heard)
    );
    match (&loss.observed_loss, loss.happened()) {
        (Some(observed), _) => {
            let start = loss
                .candidates
                .iter()
                .min_by_key(|c| c.loss.distance_to(observed.at))
                .map(|c| c.start_line)
                .filter(|start| start.earliest() > loss.last_heartbeat.latest());
            let since_start = start.map_or_else(String::new, |start| {
                let since = Seconds::millis(observed.at - start.earliest());
                format!(" and {since} s after the start of its timer")
            });
            let action = loss
                .observed_action
                .as_ref()
                .map_or_else(String::new, |a| format!(" It switched to {}.", a.name));
            format!(
                "Ground station declared lost {} s after {from}{since_start}.{action}",
                Seconds::millis(observed.at - heard)
            )
        }
        (None, true) => format!(
            "By the rules the ground station was declared lost {} s after {from}.",
            loss.predicted_loss()
                .map_or_else(String::new, |w| relative(w, heard))
        ),
        (None, false) => {
            let silence = loss.regained.map_or_else(String::new, |next| {
                format!(" lasted {} s", Seconds::millis(next - heard))
            });
            format!("A silence after {from}{silence}: no loss.")
        }
    }
}

/// On-board logs do not say whose heartbeats counted, nor when they came.
const NOBODY: Talker = Talker::new(0, 0);

fn headline_of_log(loss: &LinkLoss) -> String {
    let start = loss.start_line().map_or(Micros::default(), Bounds::latest);
    match &loss.observed_loss {
        Some(observed) => format!(
            "Ground station declared lost {} s after the last report that said present, at {}.{}",
            Seconds::millis(observed.at - start),
            ClockTime::millis(start),
            loss.observed_action
                .as_ref()
                .map_or_else(String::new, |a| format!(" It switched to {}.", a.name))
        ),
        None => format!(
            "The reports said absent from {} on: {}.",
            ClockTime::millis(start),
            loss.verdict
        ),
    }
}

fn relative(bounds: Bounds, origin: Micros) -> String {
    format!(
        "{} to {}",
        Seconds::millis(bounds.earliest() - origin),
        Seconds::millis(bounds.latest() - origin)
    )
}
