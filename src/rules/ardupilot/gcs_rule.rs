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
    /// From one check to the next.
    pub check_period: Span,
    /// How much later than due the failsafe can come: the granularity of all checks that take part.
    pub latest_delay: Span,
    /// The vehicle counts a ground station as seen at the end of its start-up, although none was.
    pub seen_at_boot: bool,
    /// Rover: FS_THR_ENABLE is not 0, so that the RC check calls the shared function first and the text
    /// says "Radio Failsafe".
    pub named_radio_failsafe: bool,
    /// Rover: HOLD does not exempt (FS_OPTIONS bit 0).
    pub acts_in_hold: bool,
    /// FS_ACTION, FS_GCS_ENABLE or FS_LONG_ACTN: what is done.
    pub action: i64,
    /// FS_OPTIONS.
    pub options: i64,
    /// What the rule rests on.
    pub premises: Vec<Premise>,
}

/// Reads the parameters that a rule needs and notes where each came from.
struct Reader<'a> {
    parameter: &'a dyn Fn(&str) -> Option<Parameter>,
    premises: Vec<Premise>,
}

impl Reader<'_> {
    fn value(&mut self, name: &str, default: f64) -> f64 {
        let (value, provenance) = (self.parameter)(name)
            .map_or((default, Provenance::Default), |p| (p.value, p.provenance));
        let knowledge = match provenance {
            Provenance::Default => Knowledge::Assumed,
            Provenance::Operator => Knowledge::Known,
            _ => Knowledge::Reported,
        };
        self.premise(knowledge, format!("{name} {value} ({})", provenance.word()));
        value
    }

    fn optional(&mut self, name: &str) -> Option<f64> {
        (self.parameter)(name).map(|_| self.value(name, 0.0))
    }

    fn seconds(&mut self, name: &str, default: f64) -> Span {
        Span::from_secs_f64(self.value(name, default)).unwrap_or_default()
    }

    fn premise(&mut self, knowledge: Knowledge, text: String) {
        self.premises.push(Premise { knowledge, text });
    }
}

impl GcsRule {
    /// The releases at which a rule changed, newest first: a later one than known follows the newest.
    pub const RELEASES: [Release; 5] = [(4, 7), (4, 6), (4, 4), (4, 1), (4, 0)];

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
            check_period: Span::from_micros(332_500),
            latest_delay: Span::from_micros(332_500),
            seen_at_boot: false,
            named_radio_failsafe: false,
            acts_in_hold: false,
            action: 0,
            options: 0,
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
        rule
    }

    /// Whether the failsafe can fire at all.
    #[must_use]
    pub const fn enabled(&self) -> bool {
        self.enable != 0
    }

    fn enable_by(&mut self, reader: &mut Reader<'_>, name: &str) {
        self.enable = reader.value(name, 1.0) as i64;
    }

    fn read_rover(&mut self, reader: &mut Reader<'_>) {
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
            reader.seconds("FS_GCS_TIMEOUT", 5.0)
        };
        self.hold_time = reader.seconds("FS_TIMEOUT", 1.5);
        self.check_period = Span::from_millis(100);
        self.named_radio_failsafe = reader.value("FS_THR_ENABLE", 1.0) != 0.0;
        // The link's age is looked at every 100 ms; whether the condition has lasted, every 20 ms by the
        // RC check, or every 100 ms where that is switched off.
        self.latest_delay = if self.named_radio_failsafe {
            Span::from_millis(120)
        } else {
            Span::from_millis(200)
        };
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
        self.options = reader.value("FS_OPTIONS", 16.0) as i64;
    }

    fn read_plane(&mut self, reader: &mut Reader<'_>) {
        self.enable_by(reader, "FS_GCS_ENABL");
        self.link_timeout = reader.seconds("FS_LONG_TIMEOUT", 5.0);
        self.action = reader.value("FS_LONG_ACTN", 0.0) as i64;
        let quadplane = reader.value("Q_ENABLE", 0.0) != 0.0;
        self.check_period = Span::from_millis(if quadplane { 333 } else { 320 });
        self.latest_delay = self.check_period;
        self.seen_at_boot = true;
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
    }

    fn read_blimp(&mut self, reader: &mut Reader<'_>) {
        self.enable_by(reader, "FS_GCS_ENABLE");
        self.action = self.enable;
        self.link_timeout = reader.seconds("FS_GCS_TIMEOUT", 5.0);
    }
}
