use crate::rules::{Knowledge, Parameter, Premise, Provenance};
use crate::time::Span;

use super::{CountedIds, Release, VehicleKind};

/// The GCS failsafe of one vehicle: its firmware's rule with its parameters.
///
/// Sources: `Rover::gcs_failsafe_check` and `failsafe_trigger`, `Copter::failsafe_gcs_check`,
/// `Plane::check_long_failsafe`, `Sub::failsafe_gcs_check`, `Blimp::failsafe_gcs_check`; 4.0 to 4.7-dev.
/// All times are the vehicle's own.
#[derive(Clone, Debug, PartialEq)]
pub struct GcsRule {
    /// The firmware.
    pub kind: VehicleKind,
    /// Its release.
    pub release: Release,
    /// Who counts.
    pub ids: CountedIds,
    /// The enable parameter's value; 0 is off.
    pub enable: i64,
    /// How old the last counted message may get: FS_GCS_TIMEOUT and its predecessors.
    pub link_timeout: Span,
    /// How long the condition must then last before Rover acts: FS_TIMEOUT. Zero elsewhere.
    pub hold_time: Span,
    /// From one turn of the main loop to the next: an arrived message is parsed within one. From
    /// SCHED_LOOP_RATE.
    pub loop_period: Span,
    /// From one check of the link's age to the next.
    pub check_period: Span,
    /// From one look at whether the condition has lasted to the next: Rover's RC check where it runs,
    /// else `check_period`.
    pub evaluation_period: Span,
    /// How much later than due the failsafe can come: the granularity of all checks and clocks that take
    /// part.
    pub latest_delay: Span,
    /// How the link's age is compared with `link_timeout`.
    pub comparison: Comparison,
    /// Below this age of the link a check ends the failsafe; zero: no check ever does.
    pub clears_below: Span,
    /// The vehicle counts a ground station as seen at the end of its start-up, although none was.
    pub seen_at_boot: bool,
    /// Rover: FS_THR_ENABLE is not 0, so that the RC check calls the shared function first and the text
    /// says "Radio Failsafe".
    pub named_radio_failsafe: bool,
    /// Rover: FS_THR_ENABLE.
    pub throttle_enable: i64,
    /// Rover: HOLD does not exempt (FS_OPTIONS bit 0).
    pub acts_in_hold: bool,
    /// Plane: the age of the link is looked at in AUTO only (FS_GCS_ENABL 3).
    pub only_in_auto: bool,
    /// Plane 4.0 with FS_GCS_ENABL 2: the radio's RSSI is looked at, and no heartbeat.
    pub ignores_heartbeats: bool,
    /// FS_ACTION, FS_GCS_ENABLE or FS_LONG_ACTN: what is done.
    pub action: i64,
    /// FS_OPTIONS; a Plane's Q_OPTIONS.
    pub options: i64,
    /// The parameters that were read, with the defaults of those that nobody told.
    pub parameters: Vec<(&'static str, Parameter)>,
    /// What the rule rests on.
    pub premises: Vec<Premise>,
}

/// How a vehicle compares the link's age, in whole milliseconds, with its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// Too old when at the limit.
    AtLimit,
    /// Too old when above it.
    AboveLimit,
}

/// The vehicle reckons in whole milliseconds of its clock, cut off: an age comes out wrong by less than
/// this, either way.
pub(super) const MILLISECOND: Span = Span::from_millis(1);

/// Reads the parameters that a rule needs and notes where each came from.
struct Reader<'a> {
    parameter: &'a dyn Fn(&str) -> Option<Parameter>,
    parameters: Vec<(&'static str, Parameter)>,
    premises: Vec<Premise>,
}

impl Reader<'_> {
    fn value(&mut self, name: &'static str, default: f64) -> f64 {
        let parameter = (self.parameter)(name).unwrap_or(Parameter {
            value: default,
            provenance: Provenance::Default,
            at: None,
        });
        self.parameters.push((name, parameter));
        let Parameter {
            value, provenance, ..
        } = parameter;
        let knowledge = match provenance {
            Provenance::Default => Knowledge::Assumed,
            Provenance::Operator => Knowledge::Known,
            _ => Knowledge::Reported,
        };
        self.premise(knowledge, format!("{name} {value} ({})", provenance.word()));
        value
    }

    fn optional(&mut self, name: &'static str) -> Option<f64> {
        (self.parameter)(name).map(|_| self.value(name, 0.0))
    }

    fn seconds(&mut self, name: &'static str, default: f64) -> Span {
        Span::from_secs_f64(self.value(name, default)).unwrap_or_default()
    }

    fn premise(&mut self, knowledge: Knowledge, text: String) {
        self.premises.push(Premise { knowledge, text });
    }
}

impl GcsRule {
    /// The releases at which a rule changed, newest first: a later one than known follows the newest.
    pub const RELEASES: [Release; 5] = [(4, 7), (4, 6), (4, 4), (4, 1), (4, 0)];

    /// The releases of [`Self::RELEASES`] that the parameters heard of leave open, newest first; all of
    /// them where they contradict one another.
    ///
    /// That a parameter exists is proof; that it was never heard of is none, since it may only not have
    /// been read. What the operator sets is no proof either.
    #[must_use]
    pub fn plausible_releases(
        kind: VehicleKind,
        parameter: &dyn Fn(&str) -> Option<Parameter>,
    ) -> Vec<Release> {
        let exists = |name| {
            parameter(name).is_some_and(|parameter| {
                !matches!(
                    parameter.provenance,
                    Provenance::Default | Provenance::Operator
                )
            })
        };
        // Where the time-out stopped being a constant.
        let timeout_since = match kind {
            VehicleKind::Rover => (4, 4),
            VehicleKind::Copter => (4, 1),
            VehicleKind::Sub => (4, 6),
            VehicleKind::Plane | VehicleKind::Blimp => (0, 0),
        };
        let renamed = (4, 7);
        let possible = |release: &Release| {
            (*release >= timeout_since || !exists("FS_GCS_TIMEOUT"))
                && (*release >= renamed || !exists("MAV_GCS_SYSID"))
                && (*release < renamed || !exists("SYSID_MYGCS"))
        };
        let left: Vec<Release> = Self::RELEASES.into_iter().filter(possible).collect();
        if left.is_empty() {
            Self::RELEASES.to_vec()
        } else {
            left
        }
    }

    /// The rule of a vehicle with these parameters.
    ///
    /// Where the enable parameter is not known, the failsafe is taken to be enabled and the assumption
    /// noted: a countdown that may be off is better than none.
    #[must_use]
    pub fn select(
        kind: VehicleKind,
        release: Release,
        parameter: &dyn Fn(&str) -> Option<Parameter>,
    ) -> Self {
        let mut reader = Reader {
            parameter,
            parameters: Vec::new(),
            premises: Vec::new(),
        };
        let own = if reader.optional("MAV_GCS_SYSID").is_some() {
            reader.value("MAV_GCS_SYSID", 255.0)
        } else {
            reader.value("SYSID_MYGCS", 255.0)
        };
        let high = reader.optional("MAV_GCS_SYSID_HI").map(|v| v as u8);
        let ids = CountedIds::new(own as u8, high, kind, release);
        let mut rule = Self {
            kind,
            release,
            ids,
            enable: 0,
            link_timeout: Span::ZERO,
            hold_time: Span::ZERO,
            loop_period: Span::ZERO,
            check_period: Span::ZERO,
            evaluation_period: Span::ZERO,
            latest_delay: Span::ZERO,
            comparison: Comparison::AboveLimit,
            clears_below: Span::ZERO,
            seen_at_boot: false,
            named_radio_failsafe: false,
            throttle_enable: 0,
            acts_in_hold: false,
            only_in_auto: false,
            ignores_heartbeats: false,
            action: 0,
            options: 0,
            parameters: Vec::new(),
            premises: Vec::new(),
        };
        match kind {
            VehicleKind::Rover => rule.read_rover(&mut reader),
            VehicleKind::Copter => rule.read_copter(&mut reader),
            VehicleKind::Plane => rule.read_plane(&mut reader),
            VehicleKind::Sub => rule.read_sub(&mut reader),
            VehicleKind::Blimp => rule.read_blimp(&mut reader),
        }
        rule.premises = reader.premises;
        rule.parameters = reader.parameters;
        rule.latest_delay = rule.delay_of_checks();
        rule
    }

    /// Whether the loss of heartbeats can fire the failsafe at all.
    #[must_use]
    pub const fn enabled(&self) -> bool {
        self.enable != 0 && !self.ignores_heartbeats
    }

    /// The parameters that decide whether it fires and after how long, as they were read.
    pub fn decided_by(&self) -> impl Iterator<Item = (&'static str, Parameter)> + '_ {
        let decide = self.deciding_parameters();
        let read = self.parameters.iter().copied();
        read.filter(|(name, _)| decide.contains(name))
    }

    /// The names of those, in this firmware and release.
    fn deciding_parameters(&self) -> &'static [&'static str] {
        match self.kind {
            VehicleKind::Rover if self.release < (4, 4) => &["FS_GCS_ENABLE", "FS_TIMEOUT"],
            VehicleKind::Rover => &["FS_GCS_ENABLE", "FS_GCS_TIMEOUT", "FS_TIMEOUT"],
            VehicleKind::Copter if self.release <= (4, 0) => &["FS_GCS_ENABLE"],
            VehicleKind::Sub if self.release < (4, 6) => &["FS_GCS_ENABLE"],
            VehicleKind::Copter | VehicleKind::Sub | VehicleKind::Blimp => {
                &["FS_GCS_ENABLE", "FS_GCS_TIMEOUT"]
            }
            VehicleKind::Plane => &["FS_GCS_ENABL", "FS_LONG_TIMEOUT"],
        }
    }

    /// How much later than due a check finds the link too old: a period, and a millisecond where the age
    /// must be above the limit.
    pub(super) fn found_within(&self) -> Span {
        match self.comparison {
            Comparison::AtLimit => self.check_period,
            Comparison::AboveLimit => self.check_period + MILLISECOND,
        }
    }

    fn delay_of_checks(&self) -> Span {
        if self.kind == VehicleKind::Rover {
            // Whether it has lasted is always asked with "above".
            self.found_within() + MILLISECOND + self.evaluation_period
        } else {
            self.found_within()
        }
    }

    /// The periods that follow from the main loop's rate, which is returned: the scheduler runs a task
    /// every so many whole turns, rounded down (AP_Scheduler.cpp).
    fn read_loop(&mut self, reader: &mut Reader<'_>, default_rate: f64, check_rate: i64) -> i64 {
        let rate = reader.value("SCHED_LOOP_RATE", default_rate);
        // The scheduler's own limits; a NaN becomes the lower one.
        let rate = (rate as i64).clamp(25, 2_000);
        self.loop_period = turns(1, rate);
        self.check_period = turns(rate / check_rate, rate);
        self.evaluation_period = self.check_period;
        rate
    }

    fn enable_by(&mut self, reader: &mut Reader<'_>, name: &'static str) {
        self.enable = reader.value(name, 1.0) as i64;
    }

    fn read_rover(&mut self, reader: &mut Reader<'_>) {
        const RADIO_CHECK_RATE: i64 = 50;
        self.enable_by(reader, "FS_GCS_ENABLE");
        // Up to 4.3 the limit is a constant and the parameter does not exist.
        let fixed = self.release < (4, 4);
        self.link_timeout = if fixed {
            reader.premise(
                Knowledge::Inferred,
                "up to Rover 4.3 the link may be 2 s old (a constant), then FS_TIMEOUT runs"
                    .to_owned(),
            );
            Span::from_secs(2)
        } else {
            self.comparison = Comparison::AtLimit;
            reader.seconds("FS_GCS_TIMEOUT", 5.0)
        };
        self.clears_below = self.link_timeout;
        self.hold_time = reader.seconds("FS_TIMEOUT", 1.5);
        let loop_rate = self.read_loop(reader, 50.0, 10);
        self.throttle_enable = reader.value("FS_THR_ENABLE", 1.0) as i64;
        self.named_radio_failsafe = self.throttle_enable != 0;
        if self.named_radio_failsafe {
            self.evaluation_period = turns(loop_rate / RADIO_CHECK_RATE, loop_rate);
            reader.premise(
                Knowledge::Assumed,
                "the RC link holds: one timer serves both, and if RC went first the failsafe comes up to \
                 FS_TIMEOUT earlier"
                    .to_owned(),
            );
        }
        self.action = reader.value("FS_ACTION", 2.0) as i64;
        self.options = reader.value("FS_OPTIONS", 0.0) as i64;
        self.acts_in_hold = self.options & 1 != 0;
    }

    fn read_copter(&mut self, reader: &mut Reader<'_>) {
        self.enable_by(reader, "FS_GCS_ENABLE");
        self.action = self.enable;
        self.link_timeout = if self.release <= (4, 0) {
            Span::from_secs(5)
        } else {
            reader.seconds("FS_GCS_TIMEOUT", 5.0)
        };
        self.clears_below = self.link_timeout;
        self.read_loop(reader, 400.0, 3);
        self.options = reader.value("FS_OPTIONS", 16.0) as i64;
        reader.premise(
            Knowledge::Assumed,
            "it flies: a Copter that has landed disarms instead".to_owned(),
        );
    }

    fn read_plane(&mut self, reader: &mut Reader<'_>) {
        self.enable_by(reader, "FS_GCS_ENABL");
        self.only_in_auto = self.enable == 3;
        self.ignores_heartbeats = self.enable == 2 && self.release <= (4, 0);
        self.link_timeout = reader.seconds("FS_LONG_TIMEOUT", 5.0);
        self.clears_below = self.plane_clears_below(reader);
        self.action = reader.value("FS_LONG_ACTN", 0.0) as i64;
        let quadplane = reader.value("Q_ENABLE", 0.0) != 0.0;
        self.read_loop(reader, if quadplane { 300.0 } else { 50.0 }, 3);
        if quadplane {
            self.options = reader.value("Q_OPTIONS", 0.0) as i64;
        }
        self.seen_at_boot = true;
        reader.premise(
            Knowledge::Assumed,
            "no landing is under way: Plane does not look at the link during one".to_owned(),
        );
    }

    /// Up to 4.6 the short failsafe's time-out ends the long one, in whole seconds, unless the short one
    /// is switched off.
    fn plane_clears_below(&self, reader: &mut Reader<'_>) -> Span {
        const SHORT_DISABLED: i64 = 3;
        if self.release >= (4, 7) || reader.value("FS_SHORT_ACTN", 0.0) as i64 == SHORT_DISABLED {
            return self.link_timeout;
        }
        Span::from_secs(reader.value("FS_SHORT_TIMEOUT", 1.5) as i64)
    }

    fn read_sub(&mut self, reader: &mut Reader<'_>) {
        self.enable = reader.value("FS_GCS_ENABLE", 2.0) as i64;
        self.action = self.enable;
        let fixed = self.release < (4, 6);
        self.link_timeout = if fixed {
            Span::from_millis(2_500)
        } else {
            reader.seconds("FS_GCS_TIMEOUT", 5.0)
        };
        self.clears_below = self.link_timeout;
        self.comparison = Comparison::AtLimit;
        self.read_loop(reader, 400.0, 3);
    }

    fn read_blimp(&mut self, reader: &mut Reader<'_>) {
        self.enable_by(reader, "FS_GCS_ENABLE");
        self.action = self.enable;
        self.link_timeout = reader.seconds("FS_GCS_TIMEOUT", 5.0);
        self.clears_below = self.link_timeout;
        self.read_loop(reader, 400.0, 3);
    }
}

/// So many turns of a loop with this rate, at least one; a fraction of a microsecond counts as a whole
/// one, so that no window ends early.
fn turns(count: i64, rate: i64) -> Span {
    let micros = Span::from_secs(count.max(1)).as_micros();
    Span::from_micros((micros + rate - 1) / rate)
}

#[cfg(test)]
mod tests;
