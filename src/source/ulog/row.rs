use px4_ulog::stream_parser::model::{DataMessage, ParseableFieldType};

use crate::observation::{Damage, VehicleEvent};

/// MAV_TYPE_GCS.
const GCS: u8 = 6;
/// `telemetry_status` up to v1.11 holds this many heartbeats.
const HEARTBEATS: u8 = 4;

/// What one record says, before changes are told from repetitions.
#[derive(Clone, Debug)]
pub(super) enum Row {
    TelemetryStatus {
        instance: u8,
        gcs: bool,
        last_gcs_heartbeat_us: Option<i64>,
    },
    VehicleStatus(VehicleStatus),
    /// `failsafe_flags.gcs_connection_lost`.
    FailsafeFlags {
        gcs_connection_lost: bool,
    },
    Event(VehicleEvent),
    /// Microseconds since the Unix epoch, by a satellite receiver with a fix.
    SatelliteTime {
        utc_us: i64,
    },
    Parameter {
        name: Box<str>,
        value: f64,
    },
    Release(Box<str>),
    Text {
        severity: u8,
        text: Box<str>,
    },
    Dropout {
        millis: u32,
    },
    Damage(Damage),
}

/// The fields of `vehicle_status` that are used.
#[derive(Clone, Copy, Debug)]
pub(super) struct VehicleStatus {
    pub(super) nav_state: u8,
    pub(super) armed: bool,
    pub(super) failsafe: bool,
    /// `gcs_connection_lost` (v1.14 on) or `data_link_lost` (before).
    pub(super) gcs_connection_lost: Option<bool>,
    /// MAV_TYPE.
    pub(super) system_type: Option<u8>,
}

/// The topics whose rows are decoded, and the one format that is nested in them.
pub(super) const TOPICS: [&str; 6] = [
    "telemetry_status",
    "vehicle_status",
    "failsafe_flags",
    "event",
    "sensor_gps",
    "vehicle_gps_position",
];
pub(super) const NESTED: &str = "telemetry_heartbeat";

/// Decodes a row of one of [`TOPICS`]; `None` when a field that makes the topic useful is missing.
pub(super) fn row(message: &DataMessage<'_>) -> Option<Row> {
    match message.flattened_format.message_name() {
        "telemetry_status" => telemetry_status(message),
        "vehicle_status" => vehicle_status(message),
        "failsafe_flags" => Some(Row::FailsafeFlags {
            gcs_connection_lost: flag(message, "gcs_connection_lost")?,
        }),
        "event" => event(message),
        "sensor_gps" | "vehicle_gps_position" => satellite_time(message),
        _ => None,
    }
}

/// The row's own time.
pub(super) fn timestamp(message: &DataMessage<'_>) -> Option<u64> {
    value(message, "timestamp")
}

fn telemetry_status(message: &DataMessage<'_>) -> Option<Row> {
    let (gcs, heard) = if let Some(gcs) = flag(message, "heartbeat_type_gcs") {
        // v1.12 on: booleans; when the heartbeat came is not kept.
        (gcs, None)
    } else if let Some(time) = value::<u64>(message, "heartbeat_time") {
        // Up to v1.10: one remote system.
        let is_gcs = value::<u8>(message, "remote_type").is_none_or(|kind| kind == GCS);
        let heard = (is_gcs && time != 0).then_some(time);
        (heard.is_some(), heard)
    } else {
        // v1.11: the last heartbeats of up to four remote components.
        value::<u8>(message, "heartbeats[0].type")?;
        let heard = (0..HEARTBEATS)
            .filter_map(|i| {
                let kind: u8 = value(message, &format!("heartbeats[{i}].type"))?;
                let time: u64 = value(message, &format!("heartbeats[{i}].timestamp"))?;
                (kind == GCS && time != 0).then_some(time)
            })
            .max();
        (heard.is_some(), heard)
    };
    Some(Row::TelemetryStatus {
        instance: message.multi_id.value(),
        gcs,
        last_gcs_heartbeat_us: heard.and_then(|time| i64::try_from(time).ok()),
    })
}

fn vehicle_status(message: &DataMessage<'_>) -> Option<Row> {
    /// ARMING_STATE_ARMED, the same number in every version.
    const ARMED: u8 = 2;
    Some(Row::VehicleStatus(VehicleStatus {
        nav_state: value(message, "nav_state")?,
        armed: value::<u8>(message, "arming_state")? == ARMED,
        failsafe: flag(message, "failsafe")?,
        gcs_connection_lost: flag(message, "gcs_connection_lost")
            .or_else(|| flag(message, "data_link_lost")),
        system_type: value(message, "system_type"),
    }))
}

/// Whether the rows of `topic` are only asked for the date, of which one is enough.
pub(super) fn only_dates(topic: &str) -> bool {
    matches!(topic, "sensor_gps" | "vehicle_gps_position")
}

fn satellite_time(message: &DataMessage<'_>) -> Option<Row> {
    /// `fix_type` of a fix in three dimensions (SensorGps.msg, v1.11 to v1.16). Receivers without one report
    /// dates of their own invention.
    const FIX_3D: u8 = 3;
    let utc: u64 = value(message, "time_utc_usec")?;
    let fix: u8 = value(message, "fix_type")?;
    let utc_us = i64::try_from(utc).ok()?;
    (utc_us > 0 && fix >= FIX_3D).then_some(Row::SatelliteTime { utc_us })
}

fn event(message: &DataMessage<'_>) -> Option<Row> {
    let mut arguments = [0; 40];
    for (i, argument) in arguments.iter_mut().enumerate() {
        // 25 of them in v1.13 to v1.16; the MAVLink message has room for 40.
        match value(message, &format!("arguments[{i}]")) {
            Some(byte) => *argument = byte,
            None => break,
        }
    }
    Some(Row::Event(VehicleEvent {
        id: value(message, "id")?,
        boot_ms: (timestamp(message)? / 1_000) as u32,
        sequence: value(message, "event_sequence")?,
        log_levels: value(message, "log_levels")?,
        arguments,
    }))
}

/// A field that is `bool`, or `uint8_t` as in old versions.
fn flag(message: &DataMessage<'_>, name: &str) -> Option<bool> {
    value::<bool>(message, name).or_else(|| value::<u8>(message, name).map(|value| value != 0))
}

fn value<T: ParseableFieldType>(message: &DataMessage<'_>, name: &str) -> Option<T> {
    let field = message.flattened_format.get_field_parser::<T>(name).ok()?;
    // The crate reads behind the offset without a check of its own. It has compared the record's length
    // with the format's before, so the field lies within.
    Some(field.parse(message.data))
}
