//! How autopilots decide: pure functions and small state machines over [`crate::time`].
//!
//! Nothing here reads a clock, a file or a socket. A rule exists once: the live view, the replay, the
//! report, the what-if and the training simulator call the same code.

pub mod ardupilot;
pub mod ekf;
mod explanation;
pub mod firmware;
mod link_loss;
pub mod modes;
pub mod parameter;
pub mod px4;
pub mod watchdog;

pub use explanation::{Explanation, Knowledge, Premise, Step, StepKind};
pub use link_loss::{
    Candidate, LinkLoss, LinkModel, Observed, PredictedAction, Verdict, told_candidate,
};
pub use parameter::{Parameter, Parameters, Provenance};
