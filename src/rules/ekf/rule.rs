use crate::rules::Premise;
use crate::time::Span;

use super::Truth;
use super::low_pass::LowPass;
use super::ratios::{RatioRange, Ratios};
use crate::rules::ardupilot::VehicleKind;

/// How one vehicle's firmware judges its estimator: the data of a vehicle and version, from which the
/// forward check, the interval on the ground and the replay of a log all work.
///
/// ArduPilot `ekf_check.cpp` of each vehicle and `ArduSub/failsafe.cpp`, versions 4.0 to 4.7-dev.
#[derive(Clone, Debug, PartialEq)]
pub struct EkfRule {
    /// The vehicle.
    pub kind: VehicleKind,
    /// FS_EKF_THRESH, compared as the vehicle does, in single precision.
    pub threshold: f32,
    /// Whether the check runs at all, and if not, why.
    pub enabled: Result<(), Disabled>,
    /// Counter or timer.
    pub method: Method,
    /// Which ratios make a check fail.
    pub points: Points,
    /// Whether velocity counts twice, so that velocity alone is enough: Rover 4.4 and later.
    pub velocity_twice: Truth,
    /// What is compared for the compass.
    pub compass: CompassMeasure,
    /// The low-pass before the comparison.
    pub filter: Filter,
    /// When the check runs.
    pub runs: RunsWhen,
    /// Which position flags make a check fail.
    pub position: PositionPart,
    /// Whether a healthy optical flow sensor may soften the velocity rule (Copter).
    pub optical_flow: Truth,
    /// FS_EKF_ACTION, or the vehicle's fixed action where there is no such parameter.
    pub action: i32,
    /// GPS fixes are this far apart: so long a velocity or position ratio keeps its value.
    pub gps_interval: Span,
    /// What the choice of this rule rests on.
    pub premises: Vec<Premise>,
}

/// Why a check does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disabled {
    /// FS_EKF_THRESH is zero or less.
    Threshold,
    /// Sub: FS_EKF_ACTION is 0.
    Action,
    /// A plain plane has no such check; only QuadPlanes do, since 4.1.
    NoSuchCheck,
}

/// How failed checks add up to a failsafe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Up one for a failed check, down one for a passed one; 10 trips, 0 clears. Ten checks a second.
    Counter,
    /// Sub: two seconds without a single passed check; one passed check clears. Fifty checks a second.
    Timer,
}

/// Which ratios at or above the threshold make a check fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Points {
    /// Rover: two of compass, velocity, position, velocity twice where the version says so.
    Rover,
    /// Copter, Plane, Blimp: compass one, velocity one (two from twice the threshold on); fails with
    /// two, or with one and position.
    Copter,
    /// Sub: compass or velocity.
    Sub,
}

/// What is compared for the compass; the report and the log carry the largest axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompassMeasure {
    /// The largest of the three axes: what is reported.
    Largest,
    /// The length of the vector: from the reported value to the square root of three times as much.
    Length,
    /// The length of a vector of three equal components, which simple yaw fusion yields: the usual case
    /// on the ground, and what a log's largest axis is replayed with.
    LengthOfEqualAxes,
}

impl CompassMeasure {
    /// The least the vehicle can have compared when the largest axis was `largest`.
    #[must_use]
    pub fn at_least(self, largest: f32) -> f32 {
        match self {
            Self::Largest | Self::Length => largest,
            Self::LengthOfEqualAxes => largest * 3.0_f32.sqrt(),
        }
    }

    /// The most the vehicle can have compared when the largest axis was `largest`.
    #[must_use]
    pub fn at_most(self, largest: f32) -> f32 {
        match self {
            Self::Largest => largest,
            Self::Length | Self::LengthOfEqualAxes => largest * 3.0_f32.sqrt(),
        }
    }
}

/// The low-pass before the comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Filter {
    /// The raw ratios are compared.
    None,
    /// Copter 4.5 and later.
    LowPass(LowPass),
    /// Copter of unknown version: either of the two.
    Either(LowPass),
}

/// When the check runs; otherwise the count is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunsWhen {
    /// Always (Copter 4.1 and later, Sub).
    Always,
    /// While armed.
    Armed,
    /// While armed in a VTOL mode that needs position (QuadPlane).
    ArmedVtol,
}

/// Which position flags make a check fail, whatever the ratios say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PositionPart {
    /// None do.
    Ignored,
    /// Absolute or relative position needed.
    AbsoluteOrRelative,
    /// Absolute position needed; a relative one will do if, as the truth says, the vehicle allows it
    /// (optical flow, visual odometry, dead reckoning).
    Absolute {
        /// Whether a relative position is allowed.
        relative_allowed: Truth,
    },
}

impl EkfRule {
    /// FS_EKF_THRESH where nobody has set it.
    pub const DEFAULT_THRESHOLD: f64 = 0.8;

    /// Failed checks that trip the counter (`EKF_CHECK_ITERATIONS_MAX`).
    pub const LIMIT: u8 = 10;

    /// Sub: two seconds without a passed check.
    pub const SUB_PATIENCE: Span = Span::from_secs(2);

    /// Time between two checks.
    #[must_use]
    pub const fn period(&self) -> Span {
        match self.method {
            Method::Counter => Span::from_millis(100),
            Method::Timer => Span::from_millis(20),
        }
    }

    /// Where the rule stands in the autopilot's source.
    #[must_use]
    pub const fn source(&self) -> &'static str {
        match self.kind {
            VehicleKind::Rover => "Rover/ekf_check.cpp Rover::ekf_check, 4.0 to 4.6",
            VehicleKind::Copter => "ArduCopter/ekf_check.cpp Copter::ekf_check, 4.0 to 4.6",
            VehicleKind::Plane => "ArduPlane/ekf_check.cpp Plane::ekf_check, 4.1 to 4.6",
            VehicleKind::Sub => "ArduSub/failsafe.cpp Sub::failsafe_ekf_check, 4.0 to 4.6",
            VehicleKind::Blimp => "Blimp/ekf_check.cpp Blimp::ekf_check, 4.1 to 4.6",
        }
    }

    /// What a full count is: 10 checks, or for Sub's timer 20 tenths of a second.
    #[must_use]
    pub const fn limit(&self) -> u8 {
        match self.method {
            Method::Counter => Self::LIMIT,
            Method::Timer => 20,
        }
    }

    /// The same rule under another threshold, for a what-if. Zero disables the check, except on Sub,
    /// where every ratio then counts as over.
    #[must_use]
    pub fn with_threshold(mut self, threshold: f32) -> Self {
        self.threshold = threshold;
        if self.method == Method::Counter {
            if threshold <= 0.0 {
                self.enabled = self.enabled.and(Err(Disabled::Threshold));
            } else if self.enabled == Err(Disabled::Threshold) {
                self.enabled = Ok(());
            }
        }
        self
    }

    /// The rules that remain when each thing left open by this one is settled either way, with the
    /// condition in words: one narrow window per hypothesis instead of one wide one. Empty when nothing
    /// is open.
    #[must_use]
    pub fn hypotheses(&self) -> Vec<(String, Self)> {
        let versions: &[(Truth, &str)] = match (self.points, self.velocity_twice) {
            (Points::Rover, Truth::Unknown) => &[
                (Truth::Yes, "Rover 4.4 or later"),
                (Truth::No, "Rover 4.3 or earlier"),
            ],
            (_, known) => &[(known, "")],
        };
        let yaw_fusion = self.compass == CompassMeasure::Length;
        if versions.len() == 1 && !yaw_fusion {
            return Vec::new();
        }
        versions
            .iter()
            .map(|&(velocity_twice, version)| {
                let mut rule = self.clone();
                rule.velocity_twice = velocity_twice;
                let mut conditions = Vec::from_iter((!version.is_empty()).then_some(version));
                if yaw_fusion {
                    rule.compass = CompassMeasure::LengthOfEqualAxes;
                    conditions
                        .push("simple yaw fusion (usual on the ground): all compass axes equal");
                }
                (conditions.join("; "), rule)
            })
            .collect()
    }

    /// Whether these ratios, the compass as the vehicle measures it, are over the threshold.
    ///
    /// Monotone: larger ratios never turn `true` into `false`, and neither does `velocity_twice` set or
    /// `flow_healthy` cleared. The judgement of ranges rests on that.
    #[must_use]
    pub fn over(&self, ratios: Ratios, velocity_twice: bool, flow_healthy: bool) -> bool {
        let over = |ratio: f32| ratio >= self.threshold;
        let point = |ratio: f32| u8::from(over(ratio));
        let Ratios {
            velocity,
            position,
            compass,
        } = ratios;
        match self.points {
            Points::Rover => {
                let again = if velocity_twice { point(velocity) } else { 0 };
                point(compass) + point(velocity) + point(position) + again >= 2
            }
            Points::Copter => {
                let far_over = !flow_healthy && velocity >= 2.0 * self.threshold;
                let points = point(compass) + if far_over { 2 } else { point(velocity) };
                points >= 2 || (points >= 1 && over(position))
            }
            Points::Sub => over(compass) || over(velocity),
        }
    }

    /// Whether ratios somewhere in `range` (compass: largest axis, already filtered) are over.
    pub(super) fn over_range(&self, range: RatioRange) -> Truth {
        let low = Ratios {
            compass: self.compass.at_least(range.low.compass),
            ..range.low
        };
        let high = Ratios {
            compass: self.compass.at_most(range.high.compass),
            ..range.high
        };
        Truth::between(
            self.over(
                low,
                self.velocity_twice.certain(),
                self.optical_flow.possible(),
            ),
            self.over(
                high,
                self.velocity_twice.possible(),
                self.optical_flow.certain(),
            ),
        )
    }

    /// Whether the ratios of one report are over, as the vehicle would judge them unfiltered.
    #[must_use]
    pub fn over_report(&self, reported: Ratios) -> Truth {
        self.over_range(RatioRange::exact(reported))
    }

    /// Whether the check runs with this arming and mode number.
    #[must_use]
    pub fn runs(&self, armed: Truth, mode: Option<u32>) -> Truth {
        if self.enabled.is_err() {
            return Truth::No;
        }
        match self.runs {
            RunsWhen::Always => Truth::Yes,
            RunsWhen::Armed => armed,
            RunsWhen::ArmedVtol => armed.and(needs_vtol_position(mode)),
        }
    }
}

/// `QuadPlane::in_vtol_posvel_mode`: QLOITER, QLAND, QRTL, QAUTOTUNE always; AUTO, GUIDED, RTL and
/// their like only while hovering, which no message says.
fn needs_vtol_position(mode: Option<u32>) -> Truth {
    match mode {
        Some(19..=22) => Truth::Yes,
        Some(0..=9 | 13 | 14 | 16 | 17 | 18 | 23 | 24) => Truth::No,
        _ => Truth::Unknown,
    }
}
