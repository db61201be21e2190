//! The one vocabulary that every source speaks: what was seen, when, from whom, in which direction, on
//! which path.
//!
//! A live radio, a `.tlog`, a ULog, a DataFlash log and a built-in scenario all become a stream of
//! [`Observation`]s, and everything above this layer works on that stream alone. That is what makes a
//! replay compute what the live view computed.

mod alignment;
mod damage;
mod frame;
mod heartbeat;
mod logged;
mod message;
mod own;
mod talker;

pub use alignment::{AlignmentMethod, ClockAlignment};
pub use damage::{Damage, DamageKind};
pub use frame::{Direction, Frame};
pub use heartbeat::{Autopilot, Heartbeat, MavType, SystemStatus};
pub use logged::{LoggedFact, SensorSelection};
pub use message::{
    AutopilotVersion, CommandAck, CurrentMode, EkfFlags, EkfStatusReport, EstimatorStatus,
    LinkNodeStatus, Message, ParamType, ParamValue, ParameterName, RadioStatus, StatusText,
    TimeSync, VehicleEvent,
};
pub use own::{OwnHeartbeat, WithheldBy};
pub use talker::{PathId, Talker};

use crate::time::Micros;

/// Something that was seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// When, on the ground's timeline: the stamp of the recording, or the arrival on a live link. For
    /// an on-board log without a ground clock, the vehicle's own time since boot.
    pub at: Micros,
    /// On which path (link, port, file).
    pub path: PathId,
    /// What it was.
    pub what: Sighting,
}

/// The kinds of things that can be seen.
#[derive(Clone, Debug, PartialEq)]
pub enum Sighting {
    /// A MAVLink message whose checksum held.
    Frame(Frame),
    /// Bytes or records that could not be used. Counted, shown, never silently dropped.
    Damage(Damage),
    /// A heartbeat slot of our own: sent, or withheld and by whom.
    Own(OwnHeartbeat),
    /// A fact from the vehicle's own log.
    Logged(LoggedFact),
    /// The path came up, with a text for people: the peer, the port, the file.
    PathUp(Box<str>),
    /// The path went down, with the reason.
    PathDown(Box<str>),
    /// Nothing was recorded between this instant and the next observation, although the vehicle may
    /// have talked: the recording or the receiving thread was not running.
    Blind(Box<str>),
    /// This path is a further recording of the same flight, and what follows on it was carried onto the
    /// timeline of the first one.
    Aligned(Box<ClockAlignment>),
}
