//! Everything is checked before anything is played: each error names line and field, and what is allowed.

use crate::observation::MavType;
use crate::rules::ardupilot::{self, VehicleKind};
use crate::rules::{px4, watchdog};

use super::ScenarioError;
use super::locate::line_of;
use super::model::{
    Asked, ParameterSetting, Place, Scenario, ScenarioFirmware, ScenarioTalker, ScenarioWay, Sends,
    TimelineAct, VERSION,
};
use super::version_1;

/// The longest scenario.
const LONGEST_S: f64 = 3_600.0;
/// The most that a scenario may last on the vehicle's clock.
const LONGEST_ABOARD_S: f64 = 36_000.0;
/// The most talkers.
const MOST_TALKERS: usize = 32;
/// The most messages of all talkers together.
const MOST_MESSAGES: f64 = 200_000.0;
/// MAVLink instances of a vehicle.
const INSTANCES: usize = 4;
/// The slowest and the fastest simulation.
const SPEEDS: (f64, f64) = (0.05, 50.0);

type Checked = Result<(), ScenarioError>;

/// A file of a version that this program does not know.
pub(super) fn unknown_version(version: u32, text: &str) -> ScenarioError {
    ScenarioError::Value {
        line: line_of(text, "version"),
        field: "version".to_owned(),
        what: format!(
            "is {version}; this program reads version {} and {VERSION}",
            version_1::VERSION
        ),
    }
}

/// The number of the mode with this name, as the vehicle's heartbeats give it.
pub(super) fn mode_number(firmware: ScenarioFirmware, name: &str) -> Option<u32> {
    modes(firmware).find_map(|(number, known)| (known == name).then_some(number))
}

/// The modes that the vehicle has.
fn modes(firmware: ScenarioFirmware) -> Box<dyn Iterator<Item = (u32, &'static str)>> {
    match firmware {
        ScenarioFirmware::Px4(..) => Box::new((0..=u8::MAX).filter_map(|state| {
            let number = px4::custom_mode_of_nav_state(state)?;
            px4::mode_name(number).map(|name| (number, name))
        })),
        ScenarioFirmware::ArduPilot(kind, ..) => Box::new(ardupilot::modes::mode_names(kind)),
    }
}

impl Scenario {
    /// Checks every value; `text` is where it was read from.
    pub(super) fn check(&self, text: &str) -> Checked {
        if !(version_1::VERSION..=VERSION).contains(&self.version) {
            return Err(unknown_version(self.version, text));
        }
        self.check_values().map_err(|error| error.in_text(text))
    }

    fn check_values(&self) -> Checked {
        self.start()?;
        seconds("duration_s", self.duration_s, 1.0, LONGEST_S)?;
        seconds("begin_at_s", self.begin_at_s, 0.0, self.duration_s)?;
        self.check_vehicle()?;
        self.check_talkers()?;
        Self::check_way("link.up", &self.link.up)?;
        Self::check_way("link.down", &self.link.down)?;
        self.check_estimator()?;
        self.check_course()
    }

    fn check_vehicle(&self) -> Checked {
        let vehicle = &self.vehicle;
        id("vehicle.system", vehicle.system)?;
        let booted = vehicle.booted_before_start_s;
        seconds("vehicle.booted_before_start_s", booted, 0.0, 86_400.0)?;
        match vehicle.firmware {
            ScenarioFirmware::Px4(major, minor, _) if (major, minor) < (1, 12) => {
                let what = format!("is PX4 {major}.{minor}; 1.12 and later can be flown");
                return Err(ScenarioError::value("vehicle.firmware", what));
            }
            ScenarioFirmware::ArduPilot(_, major, minor, _) if (major, minor) < (4, 0) => {
                let what = format!("is ArduPilot {major}.{minor}; 4.0 and later can be flown");
                return Err(ScenarioError::value("vehicle.firmware", what));
            }
            ScenarioFirmware::ArduPilot(kind, ..)
                if VehicleKind::from_mav_type(MavType(vehicle.mav_type)) != Some(kind) =>
            {
                let allowed: Vec<String> = (0..=u8::MAX)
                    .filter(|n| VehicleKind::from_mav_type(MavType(*n)) == Some(kind))
                    .map(|n| n.to_string())
                    .collect();
                let what = format!(
                    "is {}; {} says one of {}",
                    vehicle.mav_type,
                    kind.firmware_name(),
                    allowed.join(", ")
                );
                return Err(ScenarioError::value("vehicle.mav_type", what));
            }
            _ => {}
        }
        self.check_mode("vehicle.mode", &vehicle.mode)?;
        for (name, setting) in &vehicle.parameters {
            let field = format!("vehicle.parameters.{name}");
            if name.is_empty() || name.len() > 16 || !name.chars().all(|c| c.is_ascii_graphic()) {
                let what = "has a name of 1 to 16 letters, digits and underscores";
                return Err(ScenarioError::value(field, what));
            }
            let finite = match setting {
                ParameterSetting::Integer(_) => true,
                ParameterSetting::Real(value) => value.is_finite(),
            };
            if !finite {
                return Err(ScenarioError::value(field, "must be a finite number"));
            }
        }
        Ok(())
    }

    fn check_mode(&self, field: &str, name: &str) -> Checked {
        let firmware = self.vehicle.firmware;
        if mode_number(firmware, name).is_some() {
            return Ok(());
        }
        let mut known: Vec<&str> = Vec::new();
        for (_, mode) in modes(firmware) {
            if !known.contains(&mode) {
                known.push(mode);
            }
        }
        let what = format!("is \"{name}\"; this vehicle has {}", known.join(", "));
        Err(ScenarioError::value(field, what))
    }

    fn check_talkers(&self) -> Checked {
        if self.talkers.len() > MOST_TALKERS {
            let what = format!("are {}; at most {MOST_TALKERS}", self.talkers.len());
            return Err(ScenarioError::value("talkers", what));
        }
        let mut messages = 0.0;
        for (index, talker) in self.talkers.iter().enumerate() {
            self.check_talker(&format!("talkers[{index}]"), talker)?;
            messages += self.duration_s / talker.period_s;
        }
        if messages > MOST_MESSAGES {
            let what = format!(
                "send {messages:.0} messages in {} s; at most {MOST_MESSAGES:.0}: lengthen a period",
                self.duration_s
            );
            return Err(ScenarioError::value("talkers", what));
        }
        Ok(())
    }

    fn check_talker(&self, at: &str, talker: &ScenarioTalker) -> Checked {
        let field = |name: &str| format!("{at}.{name}");
        id(&field("system"), talker.system)?;
        if (talker.system, talker.component) == (self.vehicle.system, 1) {
            let what = "is 1 with the vehicle's system id: that is the vehicle itself";
            return Err(ScenarioError::value(field("component"), what));
        }
        seconds(&field("first_s"), talker.first_s, 0.0, self.duration_s)?;
        seconds(&field("period_s"), talker.period_s, 0.02, 600.0)?;
        seconds(&field("jitter_s"), talker.jitter_s, 0.0, talker.period_s)?;
        Self::check_stretches(&field("silent_s"), &talker.silent_s)?;
        Self::check_stretches(&field("frozen_s"), &talker.frozen_s)?;
        let px4 = matches!(self.vehicle.firmware, ScenarioFirmware::Px4(..));
        let instances = if px4 { INSTANCES } else { 1 };
        if talker.instance >= instances {
            let what = format!("is {}; 0 to {}", talker.instance, instances - 1);
            return Err(ScenarioError::value(field("instance"), what));
        }
        if px4 && talker.sends != Sends::Heartbeat {
            let what = "is no Heartbeat; PX4 counts nothing else";
            return Err(ScenarioError::value(field("sends"), what));
        }
        watchdog::timeout_of_seconds(talker.watchdog_s)
            .map_err(|e| ScenarioError::value(field("watchdog_s"), e.to_string()))?;
        if talker.place() != Place::Ground && !talker.frozen_s.is_empty() {
            let what = "a window hangs on the ground only: place: Some(Ground)";
            return Err(ScenarioError::value(field("frozen_s"), what));
        }
        Ok(())
    }

    fn check_stretches(field: &str, stretches: &[(f64, f64)]) -> Checked {
        for (index, (from, to)) in stretches.iter().enumerate() {
            seconds(&format!("{field}[{index}].0"), *from, 0.0, LONGEST_S)?;
            seconds(&format!("{field}[{index}].1"), *to, *from, LONGEST_S)?;
        }
        Ok(())
    }

    fn check_way(at: &str, way: &ScenarioWay) -> Checked {
        let field = |name: &str| format!("{at}.{name}");
        seconds(&field("delay_s"), way.delay_s, 0.0, 30.0)?;
        seconds(&field("jitter_s"), way.jitter_s, 0.0, 30.0)?;
        number(&field("loss"), way.loss, 0.0, 1.0, "")?;
        Self::check_stretches(&field("cuts_s"), &way.cuts_s)?;
        for (index, burst) in way.bursts.iter().enumerate() {
            let field = |name: &str| format!("{at}.bursts[{index}].{name}");
            seconds(&field("from_s"), burst.from_s, 0.0, LONGEST_S)?;
            seconds(&field("to_s"), burst.to_s, burst.from_s, LONGEST_S)?;
            number(&field("loss"), burst.loss, 0.0, 1.0, "")?;
        }
        Ok(())
    }

    fn check_estimator(&self) -> Checked {
        let estimator = &self.estimator;
        number("estimator.report_hz", estimator.report_hz, 0.1, 50.0, " Hz")?;
        let mut last = 0.0;
        for (index, point) in estimator.ratios.iter().enumerate() {
            let field = |name: &str| format!("estimator.ratios[{index}].{name}");
            seconds(&field("at_s"), point.at_s, last, self.duration_s)?;
            last = point.at_s;
            for (name, ratio) in [
                ("velocity", point.velocity),
                ("position", point.position),
                ("compass", point.compass),
            ] {
                number(&field(name), f64::from(ratio), 0.0, 1_000.0, "")?;
            }
        }
        Self::check_stretches("estimator.position_lost_s", &estimator.position_lost_s)
    }

    fn check_course(&self) -> Checked {
        let mut last = 0.0;
        for (index, entry) in self.timeline.iter().enumerate() {
            let field = |name: &str| format!("timeline[{index}].{name}");
            seconds(&field("at_s"), entry.at_s, last, self.duration_s)?;
            last = entry.at_s;
            if let TimelineAct::Mode(name) = &entry.what {
                self.check_mode(&field("what"), name)?;
            }
        }
        let mut last = 0.0;
        let mut fastest = 1.0_f64;
        for (index, (at, speed)) in self.speed.iter().enumerate() {
            seconds(&format!("speed[{index}].0"), *at, last, self.duration_s)?;
            last = *at;
            let field = format!("speed[{index}].1");
            number(&field, *speed, SPEEDS.0, SPEEDS.1, " times real time")?;
            fastest = fastest.max(*speed);
        }
        if self.duration_s * fastest > LONGEST_ABOARD_S {
            let what = format!(
                "makes up to {:.0} s of the vehicle's time; at most {LONGEST_ABOARD_S:.0}",
                self.duration_s * fastest
            );
            return Err(ScenarioError::value("duration_s", what));
        }
        let mut last = 0.0;
        for (index, question) in self.questions.iter().enumerate() {
            let field = |name: &str| format!("questions[{index}].{name}");
            seconds(&field("ask_at_s"), question.ask_at_s, last, self.duration_s)?;
            last = question.ask_at_s;
            let px4 = matches!(self.vehicle.firmware, ScenarioFirmware::Px4(..));
            let answered = match question.about {
                Asked::FlagFalls => px4,
                Asked::EkfTrip | Asked::EkfClear => !px4,
                Asked::StartLine | Asked::Loss | Asked::Action | Asked::Regained => true,
            };
            if !answered {
                let what = format!(
                    "is {:?}, which this vehicle does not have; StartLine, Loss, Action, Regained, {}",
                    question.about,
                    if px4 {
                        "FlagFalls"
                    } else {
                        "EkfTrip, EkfClear"
                    }
                );
                return Err(ScenarioError::value(field("about"), what));
            }
        }
        Ok(())
    }
}

fn id(field: &str, id: u8) -> Checked {
    if id == 0 {
        return Err(ScenarioError::value(field, "is 0; 1 to 255"));
    }
    Ok(())
}

fn seconds(field: &str, seconds: f64, least: f64, most: f64) -> Checked {
    number(field, seconds, least, most, " s")
}

fn number(field: &str, number: f64, least: f64, most: f64, unit: &str) -> Checked {
    if (least..=most).contains(&number) {
        return Ok(());
    }
    let what = format!("is {number}{unit}; {least} to {most}{unit}");
    Err(ScenarioError::value(field, what))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::scenario::built_in;

    /// The error of a built-in scenario in which `from` was changed to `to`, after the line that it has to
    /// name.
    fn error(name: &str, from: &str, to: &str) -> String {
        let text = built_in(name).expect("is built in");
        let (before, _) = text.split_once(from).expect("has it");
        let line = before.lines().count();
        let error = Scenario::parse(&text.replacen(from, to, 1))
            .expect_err("is wrong")
            .to_string();
        error
            .strip_prefix(&format!("line {line}, "))
            .unwrap_or_else(|| panic!("not on line {line}: {error}"))
            .to_owned()
    }

    #[test]
    fn an_error_names_line_and_field_and_what_is_allowed() {
        let cases = [
            (
                "inc-0143",
                "period_s: 1.0",
                "period_s: -1.0",
                "talkers[0].period_s: is -1 s; 0.02 to 600 s",
            ),
            (
                "inc-0143",
                "duration_s: 52.0",
                "duration_s: NaN",
                "duration_s: is NaN s; 1 to 3600 s",
            ),
            (
                "inc-0143",
                "version: 1",
                "version: 3",
                "version: is 3; this program reads version 1 and 2",
            ),
            (
                "rover",
                "mode: \"Manual\"",
                "mode: \"Mission\"",
                "vehicle.mode: is \"Mission\"; this vehicle has Manual, Acro, Steering",
            ),
            (
                "rover",
                "mav_type: 10",
                "mav_type: 2",
                "vehicle.mav_type: is 2; ArduRover says one of 10, 11",
            ),
            (
                "rover",
                "firmware: ArduPilot(Rover, 4,",
                "firmware: ArduPilot(Rover, 3,",
                "vehicle.firmware: is ArduPilot 3.6; 4.0 and later can be flown",
            ),
            (
                "gcs-only",
                "firmware: Px4(1, 16, 0)",
                "firmware: Px4(1, 11, 0)",
                "vehicle.firmware: is PX4 1.11; 1.12 and later can be flown",
            ),
            (
                "gcs-only",
                "about: Loss",
                "about: EkfTrip",
                "questions[0].about: is EkfTrip, which this vehicle does not have",
            ),
            (
                "ui-hang-watchdog",
                "watchdog_s: 2.0",
                "watchdog_s: 1.0",
                "talkers[0].watchdog_s: a watchdog timeout is 0 (off) or between 2 s and 3600 s, not 1 s",
            ),
        ];
        for (name, from, to, expected) in cases {
            let error = error(name, from, to);
            assert!(error.contains(expected), "{error}\ninstead of\n{expected}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_named_by_its_line() {
        let error = error("inc-0143", "seed: 143", "sede: 143");
        assert!(
            error.contains("column 5") && error.contains("sede"),
            "{error}"
        );
    }
}
