use crate::rules::{Knowledge, Parameter, Parameters, Premise, Provenance};
use crate::time::{Micros, Span};

use super::Truth;
use super::low_pass::LowPass;
use super::rule::{
    CompassMeasure, Disabled, EkfRule, Filter, Method, Points, PositionPart, RunsWhen,
};
use crate::rules::ardupilot::VehicleKind;
use crate::rules::firmware::FirmwareVersion;

/// A release as (major, minor), which is all that the rules depend on.
type Release = (u8, u8);

/// The parameters as they stand at one instant, noting every value that had to be assumed.
struct Reader<'a> {
    parameters: &'a Parameters,
    at: Micros,
    premises: Vec<Premise>,
}

impl Reader<'_> {
    fn value(&self, name: &str) -> Option<f64> {
        self.parameters.at(name, self.at).map(|p| p.value)
    }

    fn value_or(&mut self, name: &str, default: f64) -> f64 {
        let Parameter {
            value, provenance, ..
        } = self.parameters.at_or(name, self.at, default);
        let (knowledge, text) = match provenance {
            Provenance::Default => (
                Knowledge::Assumed,
                format!("{name} is its default {value} (not read)"),
            ),
            _ => (
                Knowledge::Reported,
                format!("{name} is {value:.3} ({})", provenance.word()),
            ),
        };
        self.premise(knowledge, text);
        value
    }

    fn premise(&mut self, knowledge: Knowledge, text: impl Into<String>) {
        self.premises.push(Premise {
            knowledge,
            text: text.into(),
        });
    }

    /// Whether the firmware is `release` or later; `hint` is what the parameters let conclude.
    fn since(version: Option<FirmwareVersion>, release: Release, hint: Truth) -> Truth {
        version.map_or(hint, |v| Truth::from((v.major, v.minor) >= release))
    }

    /// Yes if the parameter exists, else unknown: a parameter that was never heard of may only not have
    /// been read.
    fn exists(&self, name: &str) -> Truth {
        if self.parameters.knows(name) {
            Truth::Yes
        } else {
            Truth::Unknown
        }
    }

    /// Whether a sensor switched by these parameters may be in use: zero or unset means no.
    fn sensor(&mut self, names: &[&str], what: &str) -> Truth {
        let values: Vec<f64> = names.iter().filter_map(|n| self.value(n)).collect();
        if values.iter().any(|v| *v != 0.0) {
            return Truth::Unknown;
        }
        if values.is_empty() {
            self.premise(Knowledge::Assumed, format!("no {what} is fitted"));
        }
        Truth::No
    }
}

impl EkfRule {
    /// The rule of `kind` in `version` with the parameters in force at `at`.
    ///
    /// Without a version the parameters' presence decides where it can; what stays open becomes
    /// [`Truth::Unknown`] in the rule, and the interval covers both.
    #[must_use]
    pub fn select(
        kind: VehicleKind,
        version: Option<FirmwareVersion>,
        parameters: &Parameters,
        at: Micros,
    ) -> Self {
        let mut reader = Reader {
            parameters,
            at,
            premises: Vec::new(),
        };
        if version.is_none() {
            reader.premise(
                Knowledge::Uncertain,
                "the firmware version is not known: the interval covers the rules of all versions",
            );
        }
        let threshold = reader.value_or("FS_EKF_THRESH", Self::DEFAULT_THRESHOLD) as f32;
        let gps_interval = gps_interval(&reader);
        let mut rule = Self {
            kind,
            threshold,
            enabled: Ok(()),
            method: Method::Counter,
            points: Points::Copter,
            velocity_twice: Truth::No,
            compass: CompassMeasure::Largest,
            filter: Filter::None,
            runs: RunsWhen::Armed,
            position: PositionPart::Ignored,
            optical_flow: Truth::No,
            action: 1,
            gps_interval,
            premises: Vec::new(),
        };
        match kind {
            VehicleKind::Rover => rule.for_rover(version, &mut reader),
            VehicleKind::Copter => rule.for_copter(version, &mut reader),
            VehicleKind::Plane => rule.for_plane(version, &mut reader),
            VehicleKind::Sub => rule.for_sub(&mut reader),
            VehicleKind::Blimp => {
                rule.position = PositionPart::Absolute {
                    relative_allowed: Truth::No,
                };
                rule.action = reader.value_or("FS_EKF_ACTION", 1.0) as i32;
            }
        }
        if rule.method == Method::Counter && rule.enabled.is_ok() && threshold <= 0.0 {
            rule.enabled = Err(Disabled::Threshold);
        }
        rule.premises = reader.premises;
        rule
    }

    fn for_rover(&mut self, version: Option<FirmwareVersion>, reader: &mut Reader<'_>) {
        self.points = Points::Rover;
        self.compass = CompassMeasure::Length;
        self.position = PositionPart::AbsoluteOrRelative;
        // FS_GCS_TIMEOUT came to Rover with the release that counts velocity twice.
        self.velocity_twice = Reader::since(version, (4, 4), reader.exists("FS_GCS_TIMEOUT"));
        self.action = reader.value_or("FS_EKF_ACTION", 1.0) as i32;
    }

    fn for_copter(&mut self, version: Option<FirmwareVersion>, reader: &mut Reader<'_>) {
        let filtered = Reader::since(version, (4, 5), reader.exists("FS_EKF_FILT"));
        if filtered.possible() {
            let low_pass = LowPass::new(reader.value_or("FS_EKF_FILT", 5.0));
            self.filter = if filtered.certain() {
                Filter::LowPass(low_pass)
            } else {
                Filter::Either(low_pass)
            };
        }
        // 4.0 counted only while armed. Nobody flies it with a version unknown and a check that
        // matters disarmed, so an unknown version takes the later rule.
        self.runs = if Reader::since(version, (4, 1), Truth::Yes).certain() {
            RunsWhen::Always
        } else {
            RunsWhen::Armed
        };
        self.optical_flow = reader.sensor(&["FLOW_TYPE"], "optical flow sensor");
        let odometry = reader.sensor(&["VISO_TYPE"], "visual odometry");
        // Dead reckoning, 4.3 and later, allows a relative position for a while; nothing reports it.
        let dead_reckoning =
            Reader::since(version, (4, 3), Truth::Unknown).and(match reader.value("DR_ENABLE") {
                Some(0.0) => Truth::No,
                _ => Truth::Unknown,
            });
        self.position = PositionPart::Absolute {
            relative_allowed: self.optical_flow.or(odometry).or(dead_reckoning),
        };
        self.action = reader.value_or("FS_EKF_ACTION", 1.0) as i32;
    }

    fn for_plane(&mut self, version: Option<FirmwareVersion>, reader: &mut Reader<'_>) {
        self.runs = RunsWhen::ArmedVtol;
        let quadplane = reader.value_or("Q_ENABLE", 0.0) > 0.0;
        if !quadplane || !Reader::since(version, (4, 1), Truth::Yes).certain() {
            self.enabled = Err(Disabled::NoSuchCheck);
        }
    }

    fn for_sub(&mut self, reader: &mut Reader<'_>) {
        self.method = Method::Timer;
        self.points = Points::Sub;
        self.compass = CompassMeasure::Length;
        self.runs = RunsWhen::Always;
        self.action = reader.value_or("FS_EKF_ACTION", 0.0) as i32;
        if self.action == 0 {
            self.enabled = Err(Disabled::Action);
        }
    }
}

/// GPS_RATE_MS of the first receiver, 200 ms by default; out-of-range values are clipped as the GPS
/// driver does (50 to 200 ms).
fn gps_interval(reader: &Reader<'_>) -> Span {
    let millis = ["GPS1_RATE_MS", "GPS_RATE_MS"]
        .iter()
        .find_map(|name| reader.value(name))
        .filter(|v| v.is_finite())
        .unwrap_or(200.0);
    Span::from_millis(millis.clamp(50.0, 200.0) as i64)
}
