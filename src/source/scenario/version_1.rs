//! The first version of the file format: one PX4 vehicle, a link that loses nothing.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::model::{
    ParameterSetting, Place, Scenario, ScenarioEstimator, ScenarioFirmware, ScenarioLink,
    ScenarioTalker, ScenarioVehicle, ScenarioWay, Sends, TalkerKind,
};

/// Its number.
pub(super) const VERSION: u32 = 1;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename = "Scenario")]
struct Scenario1 {
    version: u32,
    title: String,
    story: String,
    start: String,
    duration_s: f64,
    #[serde(default)]
    begin_at_s: f64,
    seed: u64,
    vehicle: Vehicle1,
    talkers: Vec<Talker1>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vehicle1 {
    system: u8,
    mav_type: u8,
    px4: (u8, u8, u8),
    booted_before_start_s: f64,
    armed: bool,
    mode: Mode1,
    parameters: BTreeMap<String, ParameterSetting>,
}

#[derive(Deserialize)]
enum Mode1 {
    Position,
    Mission,
    Hold,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Talker1 {
    system: u8,
    component: u8,
    kind: TalkerKind,
    first_s: f64,
    period_s: f64,
    #[serde(default)]
    silent_s: Vec<(f64, f64)>,
}

/// Reads a file of this version as what it means today.
pub(super) fn parse(text: &str) -> Result<Scenario, ron::error::SpannedError> {
    let old: Scenario1 = ron::from_str(text)?;
    let (major, minor, patch) = old.vehicle.px4;
    let mode = match old.vehicle.mode {
        Mode1::Position => "Position",
        Mode1::Mission => "Mission",
        Mode1::Hold => "Hold",
    };
    Ok(Scenario {
        version: old.version,
        title: old.title,
        story: old.story,
        start: old.start,
        duration_s: old.duration_s,
        begin_at_s: old.begin_at_s,
        seed: old.seed,
        vehicle: ScenarioVehicle {
            system: old.vehicle.system,
            mav_type: old.vehicle.mav_type,
            firmware: ScenarioFirmware::Px4(major, minor, patch),
            booted_before_start_s: old.vehicle.booted_before_start_s,
            armed: old.vehicle.armed,
            mode: mode.to_owned(),
            parameters: old.vehicle.parameters,
        },
        talkers: old.talkers.into_iter().map(talker).collect(),
        link: ScenarioLink {
            // Its time requests, the only thing that went this way, took as long as the answers.
            up: ScenarioWay::default(),
            down: ScenarioWay::default(),
        },
        estimator: ScenarioEstimator::default(),
        timeline: Vec::new(),
        speed: Vec::new(),
        questions: Vec::new(),
    })
}

/// Whoever talked was heard by vehicle and record at once.
fn talker(old: Talker1) -> ScenarioTalker {
    ScenarioTalker {
        system: old.system,
        component: old.component,
        kind: old.kind,
        place: Some(Place::Between),
        sends: Sends::Heartbeat,
        instance: 0,
        first_s: old.first_s,
        period_s: old.period_s,
        jitter_s: 0.0,
        silent_s: old.silent_s,
        watchdog_s: 0.0,
        frozen_s: Vec::new(),
    }
}
