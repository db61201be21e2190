use std::collections::BTreeMap;

use serde::Deserialize;
use thiserror::Error;

use crate::time::{Micros, Span};

/// The file format's version that this program reads.
const VERSION: u32 = 1;
/// The longest scenario.
const LONGEST_S: f64 = 3_600.0;

/// A scenario file: a vehicle, who talks to it, and when they fall silent.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Version of the file format.
    pub version: u32,
    /// One line for lists and headings.
    pub title: String,
    /// What happens, for people.
    pub story: String,
    /// Time of day at which it begins, RFC 3339.
    pub start: String,
    /// Length; a player begins again after it.
    pub duration_s: f64,
    /// How much of it is there at once when it is played.
    #[serde(default)]
    pub begin_at_s: f64,
    /// Phases and lateness of the vehicle's loops follow from it.
    pub seed: u64,
    /// The vehicle.
    pub vehicle: ScenarioVehicle,
    /// Who talks to it, on the link that is watched.
    pub talkers: Vec<ScenarioTalker>,
}

/// The simulated PX4 vehicle of a scenario.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct ScenarioVehicle {
    /// MAVLink system id.
    pub system: u8,
    /// MAV_TYPE.
    pub mav_type: u8,
    /// Major, minor and patch release of PX4.
    pub px4: (u8, u8, u8),
    /// How long it has been on when the scenario begins.
    pub booted_before_start_s: f64,
    /// Whether it is armed.
    pub armed: bool,
    /// Its mode until something changes it.
    pub mode: ScenarioMode,
    /// The parameters that it tells.
    pub parameters: BTreeMap<String, ParameterSetting>,
}

/// A parameter's value with its type, since PX4 sends integers and reals differently.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
pub enum ParameterSetting {
    /// A 32 bit integer.
    Integer(i32),
    /// A 32 bit real.
    Real(f32),
}

impl ParameterSetting {
    /// The value as a number.
    #[must_use]
    pub fn number(self) -> f64 {
        match self {
            Self::Integer(value) => f64::from(value),
            Self::Real(value) => f64::from(value),
        }
    }
}

/// The modes in which a scenario can begin.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub enum ScenarioMode {
    /// Position: flown by hand.
    Position,
    /// Mission.
    Mission,
    /// Hold.
    Hold,
}

/// Somebody who sends heartbeats to the vehicle.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct ScenarioTalker {
    /// MAVLink system id.
    pub system: u8,
    /// MAVLink component id.
    pub component: u8,
    /// What its heartbeats say it is.
    pub kind: TalkerKind,
    /// Its first heartbeat.
    pub first_s: f64,
    /// From one heartbeat to the next.
    pub period_s: f64,
    /// From when to when it is silent.
    #[serde(default)]
    pub silent_s: Vec<(f64, f64)>,
}

/// The kinds of talkers that a scenario knows.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub enum TalkerKind {
    /// MAV_TYPE_GCS.
    GroundStation,
    /// MAV_TYPE_ONBOARD_CONTROLLER.
    Companion,
}

/// Why a scenario cannot be played.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ScenarioError {
    /// The text is not RON, or not of this shape.
    #[error("line {line}, column {column}: {what}")]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What the parser says.
        what: String,
    },
    /// A value is out of its range. Nothing was played.
    #[error("{field}: {what}")]
    Value {
        /// Path of the field.
        field: String,
        /// What is wrong with it.
        what: String,
    },
    /// No built-in scenario has this name.
    #[error("there is no scenario `{name}`; built in are: {known}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
}

impl Scenario {
    /// Reads and checks a scenario file.
    pub fn parse(text: &str) -> Result<Self, ScenarioError> {
        let scenario: Self = ron::from_str(text).map_err(|e| ScenarioError::Syntax {
            line: e.span.start.line,
            column: e.span.start.col,
            what: e.code.to_string(),
        })?;
        scenario.check()?;
        Ok(scenario)
    }

    /// When it begins, on the timeline of its time of day.
    pub fn start(&self) -> Result<Micros, ScenarioError> {
        self.start
            .parse::<jiff::Timestamp>()
            .map(|t| Micros::from_micros(t.as_microsecond()))
            .map_err(|e| value("start", e.to_string()))
    }

    /// Everything is checked before anything is played.
    fn check(&self) -> Result<(), ScenarioError> {
        if self.version != VERSION {
            let what = format!("is {}, this program reads version {VERSION}", self.version);
            return Err(value("version", what));
        }
        self.start()?;
        seconds("duration_s", self.duration_s, 1.0, LONGEST_S)?;
        seconds("begin_at_s", self.begin_at_s, 0.0, self.duration_s)?;
        let booted = self.vehicle.booted_before_start_s;
        seconds("vehicle.booted_before_start_s", booted, 0.0, 86_400.0)?;
        for (i, talker) in self.talkers.iter().enumerate() {
            let field = |name: &str| format!("talkers[{i}].{name}");
            seconds(&field("first_s"), talker.first_s, 0.0, self.duration_s)?;
            seconds(&field("period_s"), talker.period_s, 0.02, 600.0)?;
            for (j, (from, to)) in talker.silent_s.iter().enumerate() {
                seconds(&field(&format!("silent_s[{j}].0")), *from, 0.0, LONGEST_S)?;
                seconds(&field(&format!("silent_s[{j}].1")), *to, *from, LONGEST_S)?;
            }
        }
        Ok(())
    }
}

impl ScenarioTalker {
    /// The offsets from the scenario's start at which it sends a heartbeat.
    pub fn heartbeats(&self, duration: Span) -> impl Iterator<Item = Span> + '_ {
        let first = span(self.first_s);
        let period = span(self.period_s).max(Span::from_millis(1));
        (0_i64..)
            .map(move |beat| first + period * beat)
            .take_while(move |at| *at < duration)
            .filter(|at| {
                !self
                    .silent_s
                    .iter()
                    .any(|(from, to)| span(*from) <= *at && *at < span(*to))
            })
    }
}

/// Checked seconds as a span.
pub(super) fn span(seconds: f64) -> Span {
    Span::from_secs_f64(seconds).unwrap_or_default()
}

fn value(field: &str, what: impl Into<String>) -> ScenarioError {
    ScenarioError::Value {
        field: field.to_owned(),
        what: what.into(),
    }
}

fn seconds(field: &str, seconds: f64, least: f64, most: f64) -> Result<(), ScenarioError> {
    if (least..=most).contains(&seconds) {
        Ok(())
    } else {
        Err(value(
            field,
            format!("is {seconds} s, must be between {least} and {most} s"),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::scenario::built_in;

    #[test]
    fn an_error_names_the_line_or_the_field() {
        let text = built_in("inc-0143").expect("is built in");
        let syntax = Scenario::parse(&text.replacen("seed: 143", "sede: 143", 1));
        assert!(matches!(syntax, Err(ScenarioError::Syntax { line, .. }) if line > 10));
        let range = Scenario::parse(&text.replacen("period_s: 1.0", "period_s: -1.0", 1));
        let error = range.expect_err("negative period").to_string();
        assert!(error.starts_with("talkers[0].period_s: is -1 s"), "{error}");
        let nan = Scenario::parse(&text.replacen("duration_s: 52.0", "duration_s: NaN", 1));
        assert!(nan.is_err());
        let newer = Scenario::parse(&text.replacen("version: 1", "version: 2", 1));
        assert!(newer.is_err());
    }

    #[test]
    fn a_talker_is_silent_when_it_should_be() {
        let talker = ScenarioTalker {
            system: 255,
            component: 190,
            kind: TalkerKind::GroundStation,
            first_s: 0.5,
            period_s: 1.0,
            silent_s: vec![(2.0, 4.5)],
        };
        let beats: Vec<_> = talker
            .heartbeats(Span::from_secs(6))
            .map(|s| s.as_micros() / 1_000)
            .collect();
        assert_eq!(beats, [500, 1_500, 4_500, 5_500]);
    }
}
