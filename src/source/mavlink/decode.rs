use crate::observation::{
    Autopilot, AutopilotVersion, CommandAck, CurrentMode, EkfFlags, EkfStatusReport,
    EstimatorStatus, Heartbeat, LinkNodeStatus, MavType, Message, ParamType, ParamValue,
    ParameterName, RadioStatus, StatusText, SystemStatus, Talker, TimeSync, VehicleEvent,
};

use super::payload::Payload;

/// MAV_CMD_SET_MESSAGE_INTERVAL.
const SET_MESSAGE_INTERVAL: u16 = 511;

/// Reads the payload of message `id`.
///
/// Never fails: fields are numbers, not a dialect's enums, and what a sender left away is zero. The
/// offsets are those of the wire, where fields are sorted by size; a test compares each with the
/// generated code of the `mavlink` crate.
#[must_use]
pub fn decode_message(id: u32, payload: &[u8]) -> Message {
    let p = Payload(payload);
    match id {
        0 => Message::Heartbeat(Heartbeat {
            mav_type: MavType(p.u8(4)),
            autopilot: Autopilot(p.u8(5)),
            base_mode: p.u8(6),
            custom_mode: p.u32(0),
            system_status: SystemStatus(p.u8(7)),
        }),
        2 => Message::SystemTime {
            unix_us: p.u64(0),
            boot_ms: p.u32(8),
        },
        4 => Message::Ping {
            sequence: p.u32(8),
            target: Talker::new(p.u8(12), p.u8(13)),
        },
        8 => Message::LinkNodeStatus(LinkNodeStatus {
            time_us: p.u64(0),
            messages_received: p.u32(20),
            messages_lost: p.u32(24),
            rx_rate: p.u32(12),
            tx_rate: p.u32(8),
        }),
        22 => Message::ParamValue(parameter(p, 8, 24)),
        23 => Message::ParamSet(parameter(p, 6, 22)),
        66 => Message::RateRequest {
            what: u32::from(p.u8(4)),
            hertz: Some(if p.u8(5) == 0 {
                0.0
            } else {
                f32::from(p.u16(0))
            }),
        },
        69 => Message::ManualControl { target: p.u8(10) },
        70 => Message::RcOverride { target: p.u8(16) },
        // COMMAND_INT and COMMAND_LONG have the first parameters and the command at the same offsets.
        75 | 76 if p.u16(28) == SET_MESSAGE_INTERVAL => Message::RateRequest {
            what: p.f32(0) as u32,
            hertz: rate_of_interval(p.f32(4)),
        },
        77 => Message::CommandAck(CommandAck {
            command: p.u16(0),
            result: p.u8(2),
            target: Talker::new(p.u8(8), p.u8(9)),
        }),
        109 | 166 => Message::RadioStatus(RadioStatus {
            rssi: p.u8(4),
            remote_rssi: p.u8(5),
            noise: p.u8(7),
            remote_noise: p.u8(8),
            rx_errors: p.u16(0),
            tx_buffer: p.u8(6),
        }),
        111 => Message::TimeSync(TimeSync {
            tc1: p.i64(0),
            ts1: p.i64(8),
        }),
        148 => Message::AutopilotVersion(AutopilotVersion {
            flight: p.u32(16).to_be_bytes(),
            revision: p.bytes(36),
            capabilities: p.u64(0),
            uid: p.u64(8),
        }),
        193 => Message::EkfStatusReport(EkfStatusReport {
            velocity: p.f32(0),
            position_horizontal: p.f32(4),
            position_vertical: p.f32(8),
            compass: p.f32(12),
            terrain: p.f32(16),
            airspeed: p.reaches(22).then(|| p.f32(22)),
            flags: EkfFlags(p.u16(20)),
        }),
        230 => Message::EstimatorStatus(EstimatorStatus {
            time_us: p.u64(0),
            velocity: p.f32(8),
            position_horizontal: p.f32(12),
            position_vertical: p.f32(16),
            compass: p.f32(20),
            height_above_ground: p.f32(24),
            airspeed: p.f32(28),
            flags: p.u16(40),
        }),
        245 => Message::ExtendedSysState {
            landed_state: p.u8(1),
        },
        253 => Message::StatusText(StatusText {
            severity: p.u8(0),
            text: text(&p.bytes::<50>(1)),
            chunk_id: p.u16(51),
            chunk: p.u8(53),
        }),
        410 => Message::Event(VehicleEvent {
            id: p.u32(0),
            boot_ms: p.u32(4),
            sequence: p.u16(8),
            log_levels: p.u8(12),
            arguments: p.bytes(13),
        }),
        436 => Message::CurrentMode(CurrentMode {
            custom_mode: p.u32(0),
            intended_custom_mode: p.u32(4),
        }),
        _ if begins_with_boot_clock(id) => Message::BootClock { boot_ms: p.u32(0) },
        _ => Message::Other,
    }
}

/// Messages whose first field on the wire is the autopilot's time since boot.
///
/// Not listed although they begin alike: set points (82, 84, 86), in which ground stations and companions
/// put what they like; named and debug values (251, 252, 254), likewise from scripts; DISTANCE_SENSOR and
/// the camera and gimbal messages, which other devices send through the autopilot.
const fn begins_with_boot_clock(id: u32) -> bool {
    matches!(
        id,
        26 // SCALED_IMU
        | 29 // SCALED_PRESSURE
        | 30 // ATTITUDE
        | 31 // ATTITUDE_QUATERNION
        | 32 // LOCAL_POSITION_NED
        | 33 // GLOBAL_POSITION_INT
        | 34 // RC_CHANNELS_SCALED
        | 35 // RC_CHANNELS_RAW
        | 65 // RC_CHANNELS
        | 83 // ATTITUDE_TARGET
        | 85 // POSITION_TARGET_LOCAL_NED
        | 87 // POSITION_TARGET_GLOBAL_INT
        | 89 // LOCAL_POSITION_NED_SYSTEM_GLOBAL_OFFSET
        | 116 // SCALED_IMU2
        | 129 // SCALED_IMU3
        | 137 // SCALED_PRESSURE2
        | 143 // SCALED_PRESSURE3
    )
}

fn parameter(p: Payload<'_>, name: usize, kind: usize) -> ParamValue {
    ParamValue {
        name: ParameterName::from_bytes(&p.bytes::<16>(name)),
        raw: p.bytes(0),
        kind: ParamType(p.u8(kind)),
    }
}

/// The rate for an interval in microseconds: negative stops the message, zero is the sender's default,
/// which only the sender knows.
fn rate_of_interval(micros: f32) -> Option<f32> {
    if micros < 0.0 {
        Some(0.0)
    } else if micros > 0.0 {
        Some(1e6 / micros)
    } else {
        None
    }
}

/// Text up to the first NUL. Bytes that are not UTF-8 are replaced: half a warning is better than none.
fn text(bytes: &[u8]) -> Box<str> {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).into()
}
