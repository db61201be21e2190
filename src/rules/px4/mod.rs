//! PX4: how "GCS connection lost" is decided.
//!
//! Three loops in a row decide. The *receiver* of each MAVLink instance checks how old the last ground
//! station heartbeat is and sets a flag; the *publisher* of the instance reports the flag to the rest of
//! the vehicle; the *commander* restarts its timer at every report that still says "present", and
//! declares the loss when the timer exceeds COM_DL_LOSS_T.

mod action;
mod commander;
mod hypothesis;
mod logged_reports;
mod loss;
mod loss_words;
mod modes;
mod publisher;
mod receiver;
mod start_line;
mod timing;
mod topology;
mod vehicle;
mod version;

pub use action::{ActionInput, Px4Mode, Reaction, ReactionPlan, plan_reaction};
pub use commander::{Commander, CommanderChange, loss_due, loss_window};
pub use hypothesis::Hypothesis;
pub use logged_reports::{LoggedStartLine, ReportRow, logged_start_lines, rows_left_out};
pub use loss::{LossInput, TalkerHeartbeats, loss_candidates};
pub use loss_words::loss_step;
pub use modes::{custom_mode_of_nav_state, mode_name};
pub use publisher::{Publisher, REPORT_INTERVAL, Report, timer_report_due};
pub use receiver::{FlagRule, HeartbeatEffect, Receiver, heartbeat_effect};
pub use start_line::{
    CheckStep, ForcedCheck, Question, Silence, StartLine, start_line_unknown_talkers, start_lines,
};
pub use timing::LoopTiming;
pub use topology::{
    Arrival, CounterSample, Entry, TalkerFrames, Topology, arrival, counted_between, infer_topology,
};
pub use vehicle::{FirstLoss, Happening, HeartbeatArrival, SimulatedVehicle, VehicleLoop};
pub use version::Px4Version;
