use mavlink::{
    MavlinkVersion, Message as _,
    dialects::ardupilotmega::{
        COMMAND_LONG_DATA, HEARTBEAT_DATA, MavAutopilot, MavCmd, MavMessage, MavModeFlag, MavState,
        MavType, PARAM_REQUEST_READ_DATA, TIMESYNC_DATA,
    },
};

use crate::observation::{ParameterName, Talker};
use crate::time::Span;

use super::{Checksum, MAX_FRAME};

/// How often a message is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageInterval {
    /// At the sender's default rate.
    Default,
    /// Not at all.
    Never,
    /// Once per this span; spans below a microsecond ask for one microsecond.
    Every(Span),
}

/// Builds the MAVLink 2 frames that Heartline sends, with a sequence of its own per talker and link.
///
/// Each method gives the bytes of one frame in a buffer that the next call reuses.
#[derive(Debug)]
pub struct FrameEncoder {
    from: Talker,
    sequence: u8,
    frame: Vec<u8>,
}

impl FrameEncoder {
    /// An encoder for frames from `from`, the first with sequence number 0.
    #[must_use]
    pub fn new(from: Talker) -> Self {
        Self {
            from,
            sequence: 0,
            frame: Vec::with_capacity(MAX_FRAME),
        }
    }

    /// Who the frames come from.
    #[must_use]
    pub const fn talker(&self) -> Talker {
        self.from
    }

    /// HEARTBEAT of a ground station.
    pub fn heartbeat(&mut self) -> &[u8] {
        self.message(&MavMessage::HEARTBEAT(HEARTBEAT_DATA {
            custom_mode: 0,
            mavtype: MavType::MAV_TYPE_GCS,
            autopilot: MavAutopilot::MAV_AUTOPILOT_INVALID,
            base_mode: MavModeFlag::empty(),
            system_status: MavState::MAV_STATE_ACTIVE,
            mavlink_version: 3,
        }))
    }

    /// PARAM_REQUEST_READ by name: indices differ from one boot to the next.
    pub fn parameter_request(&mut self, target: Talker, name: &ParameterName) -> &[u8] {
        self.message(&MavMessage::PARAM_REQUEST_READ(PARAM_REQUEST_READ_DATA {
            param_index: -1,
            target_system: target.system,
            target_component: target.component,
            param_id: name.as_str().into(),
        }))
    }

    /// TIMESYNC request; `now_ns` comes back as `ts1` of the answer.
    pub fn timesync_request(&mut self, now_ns: i64) -> &[u8] {
        self.message(&MavMessage::TIMESYNC(TIMESYNC_DATA {
            tc1: 0,
            ts1: now_ns,
        }))
    }

    /// PING request to all; `now_us` and `exchange` come back in the answers.
    #[allow(
        deprecated,
        reason = "the definitions call it superseded by TIMESYNC, but it is what a peer without TIMESYNC answers"
    )]
    pub fn ping(&mut self, now_us: u64, exchange: u32) -> &[u8] {
        self.message(&MavMessage::PING(
            mavlink::dialects::ardupilotmega::PING_DATA {
                time_usec: now_us,
                seq: exchange,
                target_system: 0,
                target_component: 0,
            },
        ))
    }

    /// COMMAND_LONG with SET_MESSAGE_INTERVAL for message `id`.
    pub fn message_interval(
        &mut self,
        target: Talker,
        id: u32,
        interval: MessageInterval,
    ) -> &[u8] {
        let micros = match interval {
            MessageInterval::Default => 0.0,
            MessageInterval::Never => -1.0,
            MessageInterval::Every(span) => span.as_micros().max(1) as f32,
        };
        self.message(&MavMessage::COMMAND_LONG(COMMAND_LONG_DATA {
            param1: id as f32,
            param2: micros,
            param3: 0.0,
            param4: 0.0,
            param5: 0.0,
            param6: 0.0,
            param7: 0.0,
            command: MavCmd::MAV_CMD_SET_MESSAGE_INTERVAL,
            target_system: target.system,
            target_component: target.component,
            confirmation: 0,
        }))
    }

    /// Any message of the dialect.
    pub fn message(&mut self, message: &MavMessage) -> &[u8] {
        // As long as a payload can be, which the crate requires of the caller.
        let mut payload = [0; 255];
        let len = message.ser(MavlinkVersion::V2, &mut payload);
        let payload = payload.get(..len).unwrap_or_default();
        let id = message.message_id();
        let [id0, id1, id2, _] = id.to_le_bytes();
        let header = [
            0xfd,
            payload.len() as u8,
            0,
            0,
            self.sequence,
            self.from.system,
            self.from.component,
            id0,
            id1,
            id2,
        ];
        self.frame.clear();
        self.frame.extend_from_slice(&header);
        self.frame.extend_from_slice(payload);
        let covered = self.frame.get(1..).unwrap_or_default();
        let sum = Checksum::new()
            .with(covered)
            .finish(MavMessage::extra_crc(id));
        self.frame.extend_from_slice(&sum.to_le_bytes());
        self.sequence = self.sequence.wrapping_add(1);
        &self.frame
    }
}
