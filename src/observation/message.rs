use std::fmt;

use super::{Heartbeat, MavType, Talker};

/// What a frame said, for the few messages that bear on links, failsafes and estimators.
///
/// Everything else is [`Message::Other`]: it still counts for sequence numbers, rates and the
/// vehicle's receive counter, and its id stands in [`super::Frame::id`].
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// HEARTBEAT (0).
    Heartbeat(Heartbeat),
    /// SYSTEM_TIME (2).
    SystemTime {
        /// Unix time in microseconds; 0 when the sender has none.
        unix_us: u64,
        /// Milliseconds since the sender's boot.
        boot_ms: u32,
    },
    /// Any other message that begins with the sender's milliseconds since boot (ATTITUDE,
    /// GLOBAL_POSITION_INT, LOCAL_POSITION_NED and their like): only the clock is kept.
    BootClock {
        /// Milliseconds since the sender's boot.
        boot_ms: u32,
    },
    /// LINK_NODE_STATUS (8): the vehicle's own receive counters for this link.
    LinkNodeStatus(LinkNodeStatus),
    /// PARAM_VALUE (22).
    ParamValue(ParamValue),
    /// PARAM_SET (23): somebody asks for a change; the value counts only once PARAM_VALUE confirms it.
    ParamSet(ParamValue),
    /// RC_CHANNELS_OVERRIDE (70): counts as a sign of life of the ground station on ArduPilot.
    RcOverride {
        /// Target system.
        target: u8,
    },
    /// MANUAL_CONTROL (69): likewise.
    ManualControl {
        /// Target system.
        target: u8,
    },
    /// COMMAND_ACK (77): proof that a command reached the sender of the acknowledgement.
    CommandAck(CommandAck),
    /// RADIO_STATUS (109) or RADIO (166).
    RadioStatus(RadioStatus),
    /// TIMESYNC (111).
    TimeSync(TimeSync),
    /// PING (4).
    Ping {
        /// Sequence number of the exchange.
        sequence: u32,
        /// Addressed system; 0 for a request to all.
        target: Talker,
    },
    /// AUTOPILOT_VERSION (148).
    AutopilotVersion(AutopilotVersion),
    /// EKF_STATUS_REPORT (193), ArduPilot only.
    EkfStatusReport(EkfStatusReport),
    /// ESTIMATOR_STATUS (230), PX4's ratios.
    EstimatorStatus(EstimatorStatus),
    /// EXTENDED_SYS_STATE (245).
    ExtendedSysState {
        /// MAV_LANDED_STATE: 1 on ground, 2 in air, 3 taking off, 4 landing, 0 unknown.
        landed_state: u8,
    },
    /// STATUSTEXT (253), one chunk.
    StatusText(StatusText),
    /// EVENT (410).
    Event(VehicleEvent),
    /// CURRENT_MODE (436).
    CurrentMode(CurrentMode),
    /// REQUEST_DATA_STREAM (66), or COMMAND_LONG or COMMAND_INT with SET_MESSAGE_INTERVAL: somebody sets
    /// rates.
    RateRequest {
        /// Stream id, or message id.
        what: u32,
        /// Hertz asked for; 0 stops it; `None` asks for the sender's default.
        hertz: Option<f32>,
    },
    /// Any other message, or one whose payload was too short to read.
    Other,
}

/// LINK_NODE_STATUS, the fields that are used. Counters run since boot and wrap at 2^32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkNodeStatus {
    /// Microseconds since boot, or since the Unix epoch.
    pub time_us: u64,
    /// Messages that the vehicle received on this link.
    pub messages_received: u32,
    /// Messages that the vehicle found missing by their sequence numbers.
    pub messages_lost: u32,
    /// Bytes per second received.
    pub rx_rate: u32,
    /// Bytes per second sent.
    pub tx_rate: u32,
}

/// The name of a parameter: at most 16 characters, without allocation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ParameterName([u8; 16]);

impl ParameterName {
    /// From the bytes of a MAVLink field, up to the first NUL. Bytes that are not printable ASCII become
    /// `?`: a damaged name is shown, never an error.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let mut name = [0; 16];
        for (to, &from) in name.iter_mut().zip(bytes.iter().take_while(|b| **b != 0)) {
            *to = if from.is_ascii_graphic() { from } else { b'?' };
        }
        Self(name)
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let end = self.0.iter().position(|b| *b == 0).unwrap_or(16);
        // The constructor lets only ASCII in; the fallback keeps the signature honest without a panic.
        self.0
            .get(..end)
            .and_then(|b| std::str::from_utf8(b).ok())
            .unwrap_or("?")
    }
}

impl From<&str> for ParameterName {
    fn from(name: &str) -> Self {
        Self::from_bytes(name.as_bytes())
    }
}

impl fmt::Display for ParameterName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for ParameterName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

/// PARAM_VALUE, as sent. How the four bytes are to be read depends on the autopilot (see
/// [`crate::rules::parameter`]): PX4 copies integers bit by bit, ArduPilot converts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamValue {
    /// Its name.
    pub name: ParameterName,
    /// The raw four bytes of the value field.
    pub raw: [u8; 4],
    /// MAV_PARAM_TYPE.
    pub kind: ParamType,
}

/// MAV_PARAM_TYPE as a number: 1 u8, 2 i8, 3 u16, 4 i16, 5 u32, 6 i32, 9 f32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamType(pub u8);

/// COMMAND_ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandAck {
    /// MAV_CMD that is acknowledged.
    pub command: u16,
    /// MAV_RESULT.
    pub result: u8,
    /// Whose command it was; zeros from senders that do not say.
    pub target: Talker,
}

/// RADIO_STATUS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RadioStatus {
    /// Local signal strength, device units; 255 unknown.
    pub rssi: u8,
    /// Remote signal strength, device units; 255 unknown.
    pub remote_rssi: u8,
    /// Local noise.
    pub noise: u8,
    /// Remote noise.
    pub remote_noise: u8,
    /// Receive errors since start.
    pub rx_errors: u16,
    /// Free transmit buffer, percent.
    pub tx_buffer: u8,
}

/// TIMESYNC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeSync {
    /// Nanoseconds on the answering side's clock; 0 in a request.
    pub tc1: i64,
    /// Nanoseconds on the asking side's clock.
    pub ts1: i64,
}

/// AUTOPILOT_VERSION, the fields that are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AutopilotVersion {
    /// Major, minor, patch, and FIRMWARE_VERSION_TYPE (255 = release).
    pub flight: [u8; 4],
    /// First eight bytes of the source revision.
    pub revision: [u8; 8],
    /// MAV_PROTOCOL_CAPABILITY bits.
    pub capabilities: u64,
    /// Unique id of the board, 0 when not given.
    pub uid: u64,
}

/// EKF_STATUS_REPORT. Ratios are square roots of innovation test ratios: 1.0 is the rejection gate, and
/// they may exceed it freely.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EkfStatusReport {
    /// Velocity.
    pub velocity: f32,
    /// Horizontal position.
    pub position_horizontal: f32,
    /// Height.
    pub position_vertical: f32,
    /// Compass: the largest of the three axes.
    pub compass: f32,
    /// Terrain altitude.
    pub terrain: f32,
    /// Airspeed; `None` when the sender is too old to send it.
    pub airspeed: Option<f32>,
    /// Status bits.
    pub flags: EkfFlags,
}

/// The status bits of EKF_STATUS_REPORT.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EkfFlags(pub u16);

impl EkfFlags {
    /// Horizontal position, relative.
    pub const POS_HORIZ_REL: Self = Self(8);
    /// Horizontal position, absolute.
    pub const POS_HORIZ_ABS: Self = Self(16);
    /// The filter holds a constant position: it has none.
    pub const CONST_POS_MODE: Self = Self(128);
    /// Absolute horizontal position will be good once armed.
    pub const PRED_POS_HORIZ_ABS: Self = Self(512);
    /// Never healthy since start.
    pub const UNINITIALIZED: Self = Self(1024);
    /// GPS glitch detected.
    pub const GPS_GLITCHING: Self = Self(32768);

    /// Whether all bits of `other` are set.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// ESTIMATOR_STATUS: PX4's innovation test ratios (not square roots; 1.0 is the gate).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EstimatorStatus {
    /// Microseconds since boot, or since the Unix epoch.
    pub time_us: u64,
    /// Velocity.
    pub velocity: f32,
    /// Horizontal position.
    pub position_horizontal: f32,
    /// Height.
    pub position_vertical: f32,
    /// Magnetometer.
    pub compass: f32,
    /// Height above ground.
    pub height_above_ground: f32,
    /// True airspeed.
    pub airspeed: f32,
    /// ESTIMATOR_STATUS_FLAGS.
    pub flags: u16,
}

/// One chunk of a STATUSTEXT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusText {
    /// MAV_SEVERITY, 0 emergency to 7 debug.
    pub severity: u8,
    /// Up to 50 characters; damaged bytes are replaced, never refused.
    pub text: Box<str>,
    /// 0 for a complete text, else the id that joins its chunks.
    pub chunk_id: u16,
    /// Position of this chunk.
    pub chunk: u8,
}

/// EVENT: PX4's structured events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VehicleEvent {
    /// Event id: component in the top 8 bits, hash of the name below.
    pub id: u32,
    /// Vehicle time of the event, milliseconds since boot.
    pub boot_ms: u32,
    /// Sequence number.
    pub sequence: u16,
    /// Internal (low nibble) and external (high nibble) log level.
    pub log_levels: u8,
    /// The arguments, packed by type.
    pub arguments: [u8; 40],
}

/// CURRENT_MODE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CurrentMode {
    /// The mode in force.
    pub custom_mode: u32,
    /// The mode the user chose; 0 when not given.
    pub intended_custom_mode: u32,
}

impl Message {
    /// The heartbeat's MAV_TYPE, when this is a heartbeat.
    #[must_use]
    pub const fn heartbeat_type(&self) -> Option<MavType> {
        match self {
            Self::Heartbeat(h) => Some(h.mav_type),
            _ => None,
        }
    }
}
