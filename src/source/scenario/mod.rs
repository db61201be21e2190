//! Scenarios: simulated vehicles made of the same rules that predict real ones, flown from a file.
//!
//! A file ([`Scenario`], described in `docs/scenarios.md`) is checked completely before anything of it is
//! flown. [`Flight::fly`] runs the forward form of the rules and gives the truth beside what the ground
//! receives of it; [`play`] hands that over in real time.

mod announce;
mod ardupilot_flight;
mod built_in;
mod check;
mod clock;
mod error;
mod estimator;
mod flight;
mod ground;
mod locate;
mod model;
mod noise;
mod player;
mod px4_flight;
mod stream;
mod talk;
mod truth;
mod version_1;
mod way;

pub use built_in::{built_in, built_in_names};
pub use error::ScenarioError;
pub use flight::Flight;
pub use model::{
    Asked, Burst, ParameterSetting, Place, RatioPoint, Scenario, ScenarioEstimator,
    ScenarioFirmware, ScenarioLink, ScenarioQuestion, ScenarioTalker, ScenarioVehicle, ScenarioWay,
    Sends, TalkerKind, TimelineAct, TimelineEntry,
};
pub use player::{find, play};
pub use truth::{ChangeCause, FlightTruth, TruthEntry, TruthEvent};

use model::span;
