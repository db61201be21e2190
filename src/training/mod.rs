//! Training: what a class predicts, how well it did, and what would have been under other phases.
//!
//! A scenario's questions become [`PosedQuestion`]s with answers drawn from the flown truth; a
//! [`Prediction`] is scored against them and noted on a [`SessionSheet`]. A [`Sweep`] flies one loss
//! thousands of times over all phases that nobody controls.

mod prediction;
mod question;
mod sheet;
mod sweep;

pub use prediction::{Outcome, Prediction};
pub use question::PosedQuestion;
pub use sheet::{SessionSheet, SheetError, SheetRow};
pub use sweep::{Sweep, SweepResult, Swept};
