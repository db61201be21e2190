//! ArduPilot: who counts as a ground station, when the GCS failsafe fires, what the vehicle does then.

mod gcs_action;
mod gcs_failsafe;
mod gcs_gap;
mod gcs_rule;
mod gcs_text;
mod gcs_window;
pub mod modes;
mod sign_of_life;
#[cfg(test)]
mod test_rules;
mod vehicle;
mod vehicle_kind;

pub use gcs_action::GcsAction;
pub use gcs_failsafe::{GcsChange, GcsFailsafe};
pub use gcs_gap::GapOutcome;
pub use gcs_rule::{Comparison, GcsRule};
pub use gcs_text::{GcsText, gcs_text, tells_of_another_failsafe};
pub use gcs_window::GcsWindow;
pub use sign_of_life::{CountedIds, SignOfLife};
pub use vehicle::{
    ArdupilotCommand, ArdupilotHappening, ChangedBy, CheckTurns, Estimate, SimulatedArdupilot,
};
pub use vehicle_kind::VehicleKind;

/// A release as (major, minor): all that the rules of ArduPilot depend on.
pub type Release = (u8, u8);
