//! Scenarios: simulated vehicles made of the same rules that predict real ones, flown from a file.

mod flight;
mod ground;
mod model;
mod noise;
mod player;

pub use flight::Flight;
pub use model::{
    ParameterSetting, Scenario, ScenarioError, ScenarioMode, ScenarioTalker, ScenarioVehicle,
    TalkerKind,
};
pub use player::{find, play};

use model::span;

/// The built-in scenarios: name and text.
const BUILT_IN: [(&str, &str); 1] = [(
    "inc-0143",
    include_str!("../../../assets/scenarios/inc-0143.ron"),
)];

/// The text of a built-in scenario.
#[must_use]
pub fn built_in(name: &str) -> Option<&'static str> {
    BUILT_IN
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, text)| *text)
}

/// The names of the built-in scenarios.
pub fn built_in_names() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|(name, _)| *name)
}
