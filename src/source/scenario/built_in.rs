//! The scenarios that come with the program.

/// The text of a scenario in `assets/scenarios`, under its name.
macro_rules! scenarios {
    ($($name:literal),* $(,)?) => {
        [$((
            $name,
            include_str!(concat!("../../../assets/scenarios/", $name, ".ron")),
        )),*]
    };
}

/// Name and text, in the order in which a class goes through them.
const BUILT_IN: [(&str, &str); 29] = scenarios![
    "inc-0143",
    "gcs-only",
    "companion-phase-under",
    "companion-phase-over",
    "loss-t-5",
    "two-gcs",
    "companion-as-gcs",
    "one-way-up",
    "one-way-down",
    "blackout",
    "lossy-radio",
    "ui-hang-watchdog",
    "ui-hang-off",
    "rover",
    "copter",
    "id-mismatch",
    "joystick",
    "companion-with-gcs-id",
    "sitl-speedup",
    "ekf-0-9s",
    "ekf-1-1s",
    "ekf-velocity-rover",
    "ekf-velocity-copter",
    "ekf-threshold-0-6",
    "ekf-threshold-0-8",
    "ekf-threshold-1-0",
    "ekf-disarmed",
    "ekf-position-lost",
    "ekf-glitch-reset",
];

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::scenario::Scenario;

    #[test]
    fn every_one_is_valid_and_asks_something() {
        for name in built_in_names() {
            let text = built_in(name).expect("is there");
            let scenario = Scenario::parse(text).unwrap_or_else(|e| panic!("{name}: {e}"));
            // The first one is kept in the first version of the format, which has no questions.
            assert!(
                scenario.version == 1 || !scenario.questions.is_empty(),
                "{name}"
            );
        }
    }
}
