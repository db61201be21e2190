//! What is said about a record as a whole.

use crate::observation::{Autopilot, Talker};
use crate::report::clock::Clock;
use crate::report::document::{DamageReport, SatelliteTimeReport};
use crate::report::findings::{Findings, VehicleFindings};
use crate::time::{Micros, Seconds, Span};

/// No autopilot was heard.
pub(in crate::report) const NO_VEHICLE: &str = "No vehicle: no autopilot sent a heartbeat.";
/// All of the input could be used.
pub(in crate::report) const NO_DAMAGE: &str = "No damage found.";
/// An on-board log knows of nobody else.
pub(in crate::report) const NO_TALKERS: &str = "None: this record holds no heartbeats of anybody.";
/// What no record can show.
pub(in crate::report) const LIMIT_OF_RULES: &str = "The windows follow from the rules of the firmware as published. A vehicle with changed firmware may act \
     differently, and this record cannot show that it was not changed.";

/// A sentence, with the vehicle that it is about.
pub(in crate::report) fn of_vehicle(vehicle: Talker, sentence: &str) -> String {
    format!("Vehicle {vehicle}: {sentence}")
}

/// Nothing happened, as far as this record can tell.
pub(in crate::report) fn no_incident(
    findings: &Findings<'_>,
    found: &VehicleFindings<'_>,
) -> &'static str {
    if holds_no_heartbeats(findings, found) {
        "its log tells of no failsafe."
    } else {
        "no silence of the ground stations came near the failsafe, and no EKF failsafe tripped."
    }
}

/// No silence is listed, and what that means.
pub(in crate::report) fn no_silence(
    findings: &Findings<'_>,
    found: &VehicleFindings<'_>,
) -> &'static str {
    match found.vehicle().autopilot {
        Autopilot::PX4 if holds_no_heartbeats(findings, found) => {
            "No silence of its status reports was long enough to come near a loss."
        }
        _ if holds_no_heartbeats(findings, found) => {
            "This log holds no heartbeats of ground stations, so that nothing can be said about their \
             silences beyond what the vehicle wrote about its failsafes."
        }
        Autopilot::ARDUPILOT | Autopilot::PX4 => {
            "No silence of the ground stations came near the failsafe."
        }
        _ => "No rule is known for this autopilot: nothing is predicted for its link.",
    }
}

fn holds_no_heartbeats(findings: &Findings<'_>, found: &VehicleFindings<'_>) -> bool {
    let session = findings.session();
    !found.vehicle().logged.is_empty()
        && session
            .ground_heartbeats_between(Micros::MIN, Micros::MAX)
            .is_empty()
}

/// How many parameters are known, and how many of them are listed.
pub(in crate::report) fn parameters(known: usize, listed: usize) -> String {
    match (known, listed) {
        (0, _) => "None is known: what is predicted rests on defaults.".to_owned(),
        (_, 0) => format!("{known} are known, none of which bears on what is reported here."),
        (known, listed) if known == listed => "All that are known:".to_owned(),
        _ => format!(
            "{listed} of the {known} that are known bear on what is reported here; the JSON report has all."
        ),
    }
}

/// ArduPilot's own word of a GCS failsafe.
pub(in crate::report) fn logged_gcs_failsafe(at: Micros, evidence: &str, clock: &Clock) -> String {
    format!(
        "GCS failsafe at {}, by the vehicle's own log ({evidence}).",
        clock.time(at)
    )
}

/// An ERR record of ArduPilot (AP_Logger LogErrorSubsystem, 4.6), the failsafes by name.
pub(in crate::report) fn logged_error(subsystem: u8, code: u8) -> String {
    let name = match subsystem {
        5 => "FAILSAFE_RADIO",
        6 => "FAILSAFE_BATT",
        8 => "FAILSAFE_GCS",
        9 => "FAILSAFE_FENCE",
        10 => "FLIGHT_MODE",
        11 => "GPS",
        12 => "CRASH_CHECK",
        16 => "EKFCHECK",
        17 => "FAILSAFE_EKFINAV",
        18 => "BARO",
        24 => "EKF_PRIMARY",
        _ => return format!("ERR subsystem {subsystem}, code {code}"),
    };
    format!("ERR {name} (subsystem {subsystem}), code {code}")
}

/// The day of a record that counts from boot: `2026-03-14 from 15:41:02 UTC on, by GPS`. `None` for a record
/// whose times are times of day anyway.
pub(in crate::report) fn flown_on(
    said: SatelliteTimeReport,
    first: Micros,
    clock: &Clock,
) -> Option<String> {
    let since = first - Micros::from_micros(said.at_us);
    let (day, time) = clock.calendar(Micros::from_micros(said.utc_us) + since)?;
    Some(format!("{day} from {time} on, by GPS"))
}

/// Why one message alone fails: no noise does that.
#[must_use]
pub fn other_definition(id: u32) -> String {
    format!("another dialect defines message {id} differently")
}

/// What of the input could not be used, one line per kind; empty when all of it could.
#[must_use]
pub fn damage_lines(damage: &DamageReport, clock: &Clock) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = |count: u64, one: &str, many: &str| match count {
        0 => {}
        1 => lines.push(format!("1 {one}")),
        count => lines.push(format!("{count} {many}")),
    };
    line(
        damage.skipped_bytes,
        "byte that belongs to no frame",
        "bytes that belong to no frame",
    );
    line(
        damage.bad_lengths,
        "frame start that no frame can have",
        "frame starts that no frame can have",
    );
    line(
        damage.backward_stamps,
        "time stamp that goes backwards",
        "time stamps that go backwards",
    );
    line(
        damage.absurd_stamps,
        "time stamp that cannot be",
        "time stamps that cannot be",
    );
    line(
        damage.overruns,
        "time messages came faster than they could be read, and some were dropped",
        "times messages came faster than they could be read, and some were dropped",
    );
    line(
        damage.refused,
        "record whose content contradicts what the log said before",
        "records whose content contradicts what the log said before",
    );
    line(
        damage.dropouts,
        "time the vehicle's logger lost data",
        "times the vehicle's logger lost data",
    );
    line(
        u64::from(damage.cut_tail),
        "record cut off at the end",
        "records cut off at the end",
    );
    for (id, count) in &damage.bad_checksums {
        let why = if damage.other_definition == Some(*id) {
            format!(" ({})", other_definition(*id))
        } else {
            String::new()
        };
        lines.push(format!(
            "frames of message {id} with a wrong checksum: {count}{why}"
        ));
    }
    for (id, count) in &damage.unknown_ids {
        lines.push(format!(
            "frames of message {id}, which this dialect does not know: {count}"
        ));
    }
    if damage.lost_millis > 0 {
        let lost = Seconds::millis(Span::from_millis(
            i64::try_from(damage.lost_millis).unwrap_or(i64::MAX),
        ));
        lines.push(format!(
            "{lost} s that the vehicle's logger lost (dropouts)"
        ));
    }
    if let [first, ..] = damage.blind_us.as_slice() {
        let first = clock.time(Micros::from_micros(*first));
        let count = damage.blind_us.len();
        lines.push(match count {
            1 => format!("nothing was recorded for a while from {first} on"),
            _ => format!("nothing was recorded for a while {count} times, first from {first} on"),
        });
    }
    lines
}

/// What the damage means for what is concluded.
pub(in crate::report) fn damage_consequences(damage: &DamageReport, kind: &str) -> Vec<String> {
    let mut consequences = Vec::new();
    let mut say = |when: bool, text: &str| {
        if when {
            consequences.push(text.to_owned());
        }
    };
    let lost_frames = damage.skipped_bytes > 0 || !damage.bad_checksums.is_empty();
    say(
        lost_frames && kind == "tlog",
        "Heartbeats may have been in what could not be read: a silence that spans damage may be shorter than \
         it looks.",
    );
    say(
        lost_frames && kind != "tlog",
        "Records may have been in what could not be read: what is not found is not proven absent.",
    );
    say(
        damage.backward_stamps + damage.absurd_stamps > 0,
        "The clock that stamped this record was set while it ran, or stamps are damaged: spans across such a \
         place are not reliable.",
    );
    say(
        damage.cut_tail,
        "The record ends within an entry: nothing is known of what came after.",
    );
    say(
        damage.overruns > 0,
        "Frames were received and not read: a silence around that time may be the program's own.",
    );
    say(
        damage.lost_millis > 0,
        "The vehicle's logger was too slow for its card: reports and states within the dropouts are missing, \
         and a silence that spans one may be shorter than it looks.",
    );
    say(
        !damage.blind_us.is_empty(),
        "Nothing is known of the stretches in which nothing was recorded; a silence across one proves \
         nothing.",
    );
    consequences
}

/// What a record of this kind cannot show, and why.
pub(in crate::report) fn limits_of_kind(kind: &str) -> Vec<String> {
    let limits: &[&str] = match kind {
        "tlog" => &[
            "This log cannot show which frames reached the vehicle, because it was written on the ground: sent \
             is not received.",
            "Instants on the vehicle are known only where it said them with its own time; the rest are times \
             of arrival.",
        ],
        "ulog" => &[
            "This log cannot show when heartbeats arrived, nor from whom, because PX4 does not store them. Its \
             status reports bound the last one.",
        ],
        "merged" => &[
            "Records of several clocks were brought onto one axis: how far apart two of them may be is stated \
             with each alignment.",
        ],
        "dataflash" | "dataflash-text" => &[
            "This log cannot show when the ground was last heard, because ArduPilot does not store heartbeats. \
             Read the telemetry log of the same flight for that.",
        ],
        _ => &[],
    };
    limits.iter().map(|&text| text.to_owned()).collect()
}

/// What is missing to judge this vehicle better, and why.
pub(in crate::report) fn limits_of_vehicle(found: &VehicleFindings<'_>) -> Vec<String> {
    let vehicle = found.vehicle();
    let mut limits = Vec::new();
    let mut say = |when: bool, text: &str| {
        if when {
            limits.push(format!("Vehicle {}: {text}", vehicle.talker));
        }
    };
    say(
        vehicle.firmware.is_none(),
        "which rules it follows cannot be shown, because nothing gives its firmware version.",
    );
    say(
        vehicle.parameters.latest().next().is_none(),
        "which time-outs were in force cannot be shown, because no parameter was recorded.",
    );
    let ground_record = vehicle.logged.is_empty();
    say(
        ground_record && vehicle.round_trips.is_empty(),
        "the delay to it cannot be shown, because no time request was answered.",
    );
    say(
        ground_record
            && vehicle.autopilot == Autopilot::PX4
            && vehicle.vehicle_events.is_empty()
            && !found.losses().is_empty(),
        "when it declared a loss cannot be shown to the millisecond, because no EVENT was received.",
    );
    say(
        ground_record && vehicle.autopilot == Autopilot::ARDUPILOT && !found.losses().is_empty(),
        "whether the ground was heard cannot be shown, because ArduPilot reports no receive counter.",
    );
    limits
}
