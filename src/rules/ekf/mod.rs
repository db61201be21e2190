//! The EKF failsafe of ArduPilot, and what PX4's ratios mean instead.
//!
//! [`EkfRule`] is the data of a vehicle and version. [`EkfCheck`] runs it forward from exact inputs:
//! the simulator's form. [`CounterTrack`] goes the other way and carries what the ground
//! can know of the count from sparse reports.

mod action;
mod cause;
mod check;
mod counter_engine;
mod engine;
mod episode;
pub mod estimator_status;
mod evidence;
mod excursion;
mod fact;
mod feed;
mod glitch_gates;
mod low_pass;
mod phase;
mod position;
mod ratios;
mod recent;
mod replay;
mod rule;
mod selection;
mod states;
mod text;
mod timer_engine;
mod track;
mod truth;
mod walk;

pub use action::WouldAct;
pub use cause::Cause;
pub use check::{CheckEvent, CheckInput, EkfCheck};
pub use episode::{CounterPoint, EkfCandidate, EkfEpisode};
pub use fact::{EkfFact, EkfSighting};
pub use glitch_gates::explain_glitch_gates;
pub use low_pass::LowPass;
pub use ratios::Ratios;
pub use replay::{LogReplay, ReplayedChange, ReplayedCheck};
pub use rule::{CompassMeasure, Disabled, EkfRule, Filter, Method, Points, PositionPart, RunsWhen};
pub use text::EkfText;
pub use track::{CounterEstimate, CounterTrack};
pub use truth::Truth;

#[cfg(test)]
mod rule_tests;
#[cfg(test)]
mod track_tests;
