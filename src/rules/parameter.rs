//! Parameters of a vehicle: their values, where each came from, and how to read the wire form.

use std::collections::BTreeMap;

use crate::observation::{Autopilot, ParamType, ParamValue, ParameterName};
use crate::time::Micros;

/// Where a value came from. Every number on the screen can answer that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Provenance {
    /// A default of the firmware, taken because nothing better is known.
    Default,
    /// Overheard: the vehicle told somebody else.
    Overheard,
    /// Found in the log that was opened.
    Log,
    /// Read from the vehicle at our request.
    Read,
    /// Set by the operator in Heartline.
    Operator,
}

impl Provenance {
    /// The word shown to the user.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Default => "assumed default",
            Self::Overheard => "overheard",
            Self::Log => "log",
            Self::Read => "read",
            Self::Operator => "set by operator",
        }
    }
}

/// A parameter's value with its origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// The value in the parameter's own unit.
    pub value: f64,
    /// Where it came from.
    pub provenance: Provenance,
    /// When it was learnt, on the ground's timeline; `None` for defaults and operator's settings.
    pub at: Option<Micros>,
}

/// The parameters of one vehicle, as they changed over time.
///
/// An operator's value beats every other; otherwise the value that was last learnt counts.
#[derive(Clone, Debug, Default)]
pub struct Parameters {
    history: BTreeMap<ParameterName, Vec<Parameter>>,
    operator: BTreeMap<ParameterName, f64>,
    /// When something was learnt that was not known before, in order of time.
    learnt: Vec<Micros>,
}

impl Parameters {
    /// Notes that the vehicle (or its log) gave `value` at `at`.
    pub fn learn(&mut self, name: ParameterName, value: f64, provenance: Provenance, at: Micros) {
        let entries = self.history.entry(name).or_default();
        let same = entries
            .last()
            .is_some_and(|p| p.value.to_bits() == value.to_bits() && p.provenance >= provenance);
        if !same {
            entries.push(Parameter {
                value,
                provenance,
                at: Some(at),
            });
            let place = self.learnt.partition_point(|learnt| *learnt <= at);
            self.learnt.insert(place, at);
        }
    }

    /// Which state of knowledge [`Self::at`] answers from: while this is the same for two instants, so is
    /// every answer. Lets a caller derive something once for the hours between two changes.
    #[must_use]
    pub fn revision(&self, at: Micros) -> usize {
        self.learnt.partition_point(|learnt| *learnt <= at)
    }

    /// When a parameter that was known already took another value, in order of time.
    #[must_use]
    pub fn changes(&self) -> Vec<Micros> {
        let later = self.history.values().flat_map(|h| h.iter().skip(1));
        let mut changes: Vec<Micros> = later.filter_map(|p| p.at).collect();
        changes.sort_unstable();
        changes.dedup();
        changes
    }

    /// Sets (or with `None` clears) the operator's own value.
    pub fn set_by_operator(&mut self, name: ParameterName, value: Option<f64>) {
        match value {
            Some(value) => self.operator.insert(name, value),
            None => self.operator.remove(&name),
        };
    }

    /// What the operator set, in order of name.
    pub fn set(&self) -> impl Iterator<Item = (ParameterName, f64)> + '_ {
        self.operator.iter().map(|(name, value)| (*name, *value))
    }

    /// The value in force at `at`: the operator's, else the last one learnt up to then, else the first
    /// one learnt later (a parameter read after an incident most likely held during it).
    #[must_use]
    pub fn at(&self, name: &str, at: Micros) -> Option<Parameter> {
        let name = ParameterName::from(name);
        if let Some(value) = self.operator.get(&name) {
            return Some(Parameter {
                value: *value,
                provenance: Provenance::Operator,
                at: None,
            });
        }
        let entries = self.history.get(&name)?;
        entries
            .iter()
            .rev()
            .find(|p| p.at.is_none_or(|learnt| learnt <= at))
            .or_else(|| entries.first())
            .copied()
    }

    /// The value in force at `at`, else `default` with [`Provenance::Default`].
    #[must_use]
    pub fn at_or(&self, name: &str, at: Micros, default: f64) -> Parameter {
        self.at(name, at).unwrap_or(Parameter {
            value: default,
            provenance: Provenance::Default,
            at: None,
        })
    }

    /// Whether any value of `name` is known.
    #[must_use]
    pub fn knows(&self, name: &str) -> bool {
        let name = ParameterName::from(name);
        self.history.contains_key(&name) || self.operator.contains_key(&name)
    }

    /// All names with their latest values, in order of name.
    pub fn latest(&self) -> impl Iterator<Item = (ParameterName, Parameter)> + '_ {
        let mut names: Vec<ParameterName> = self
            .history
            .keys()
            .chain(self.operator.keys())
            .copied()
            .collect();
        names.sort_unstable();
        names.dedup();
        names
            .into_iter()
            .filter_map(|name| Some((name, self.at(name.as_str(), Micros::MAX)?)))
    }
}

/// Reads the four bytes of a PARAM_VALUE as `autopilot` meant them.
///
/// PX4 copies the bits of an integer into the float field, so that COM_DL_LOSS_T = 10 read as a float
/// is 1.4e-44; ArduPilot converts the integer to a float. Decided by autopilot type rather than by
/// capability bits, which arrive late or never in a log.
///
/// `None` for a type that no autopilot sends in four bytes.
#[must_use]
pub fn decode_parameter(parameter: &ParamValue, autopilot: Autopilot) -> Option<f64> {
    let raw = parameter.raw;
    let float = f64::from(f32::from_le_bytes(raw));
    if autopilot != Autopilot::PX4 {
        return Some(float);
    }
    let [b0, b1, _, _] = raw;
    match parameter.kind {
        ParamType(1) => Some(f64::from(b0)),
        ParamType(2) => Some(f64::from(b0.cast_signed())),
        ParamType(3) => Some(f64::from(u16::from_le_bytes([b0, b1]))),
        ParamType(4) => Some(f64::from(i16::from_le_bytes([b0, b1]))),
        ParamType(5) => Some(f64::from(u32::from_le_bytes(raw))),
        ParamType(6) => Some(f64::from(i32::from_le_bytes(raw))),
        ParamType(9) => Some(float),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(raw: [u8; 4], kind: u8) -> ParamValue {
        ParamValue {
            name: "COM_DL_LOSS_T".into(),
            raw,
            kind: ParamType(kind),
        }
    }

    #[test]
    fn px4_integers_are_bit_cast_and_ardupilots_are_converted() {
        let ten = value(10_i32.to_le_bytes(), 6);
        assert_eq!(decode_parameter(&ten, Autopilot::PX4), Some(10.0));
        let ten = value(10_f32.to_le_bytes(), 6);
        assert_eq!(decode_parameter(&ten, Autopilot::ARDUPILOT), Some(10.0));
        let five = value(5.5_f32.to_le_bytes(), 9);
        assert_eq!(decode_parameter(&five, Autopilot::PX4), Some(5.5));
    }

    #[test]
    fn the_value_in_force_is_the_last_one_learnt_before() {
        let mut p = Parameters::default();
        let name = ParameterName::from("COM_DL_LOSS_T");
        p.learn(name, 10.0, Provenance::Log, Micros::from_millis(5_000));
        p.learn(name, 5.0, Provenance::Log, Micros::from_millis(9_000));
        let at = |ms| {
            p.at("COM_DL_LOSS_T", Micros::from_millis(ms))
                .map(|p| p.value)
        };
        assert_eq!(at(7_000), Some(10.0));
        assert_eq!(at(9_000), Some(5.0));
        assert_eq!(
            at(1_000),
            Some(10.0),
            "learnt later is better than a default"
        );
        p.set_by_operator(name, Some(30.0));
        assert_eq!(
            p.at("COM_DL_LOSS_T", Micros::from_millis(7_000))
                .map(|p| p.provenance),
            Some(Provenance::Operator)
        );
    }
}
