use schemars::JsonSchema;
use serde::Serialize;

use crate::session::TalkerTrack;

/// One talker.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TalkerReport {
    /// MAVLink system id.
    pub sysid: u8,
    /// MAVLink component id.
    pub compid: u8,
    /// What it says it is.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its heartbeats.
    pub heartbeats: u64,
    /// First frame.
    pub first_us: i64,
    /// Last frame.
    pub last_us: i64,
    /// Longest silence between two heartbeats.
    pub longest_gap_us: Option<i64>,
    /// Frames missing by sequence numbers.
    pub lost_frames: u64,
    /// Whether any vehicle counts it as a ground station.
    pub counts_as_gcs: bool,
}

impl TalkerReport {
    pub(super) fn of(track: &TalkerTrack, counts_as_gcs: bool) -> Self {
        Self {
            sysid: track.talker.system,
            compid: track.talker.component,
            kind: track
                .last_heartbeat
                .map_or_else(String::new, |h| h.mav_type.to_string()),
            heartbeats: track.heartbeats.len() as u64,
            first_us: track.first.as_micros(),
            last_us: track.last.as_micros(),
            longest_gap_us: track.longest_gap.map(|(_, gap)| gap.as_micros()),
            lost_frames: track.lost_frames(),
            counts_as_gcs,
        }
    }
}
