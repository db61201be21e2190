use std::collections::BTreeMap;

use crate::observation::{ParameterName, Talker};
use crate::rules::firmware::FirmwareVersion;
use crate::rules::px4::Entry;
use crate::session::{Session, Vehicle};

/// One thing that the operator states of a vehicle, because they know it and the record does not tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Statement {
    /// A parameter's value; `None` takes it back.
    Parameter(ParameterName, Option<f64>),
    /// The firmware's release; `None` takes it back.
    Firmware(Option<FirmwareVersion>),
    /// Where a talker enters the vehicle; undecided takes it back.
    Entry(Talker, Entry),
}

/// What the operator has stated, for each vehicle of the source that is open. It outlives a new round of
/// observations.
#[derive(Clone, Debug, Default)]
pub(super) struct Statements {
    by_vehicle: BTreeMap<Talker, Stated>,
    /// How often something was stated: every answer depends on it.
    revision: u64,
    /// Vehicles that have not been told yet: they have to appear first.
    untold: Vec<Talker>,
}

#[derive(Clone, Debug, Default)]
struct Stated {
    parameters: BTreeMap<ParameterName, f64>,
    firmware: Option<FirmwareVersion>,
    entries: BTreeMap<Talker, Entry>,
}

impl Statements {
    /// Takes in `statement` about `vehicle`.
    pub(super) fn state(&mut self, session: &mut Session, vehicle: Talker, statement: Statement) {
        let stated = self.by_vehicle.entry(vehicle).or_default();
        match statement {
            Statement::Parameter(name, Some(value)) => {
                stated.parameters.insert(name, value);
            }
            Statement::Parameter(name, None) => {
                stated.parameters.remove(&name);
            }
            Statement::Firmware(version) => stated.firmware = version,
            Statement::Entry(talker, entry) => {
                stated.entries.insert(talker, entry);
            }
        }
        self.revision += 1;
        if let Some(vehicle) = session.vehicle_mut(vehicle) {
            tell(vehicle, statement);
        }
    }

    /// All observations begin anew: what was stated has to be told again.
    pub(super) fn restart(&mut self) {
        self.untold = self.by_vehicle.keys().copied().collect();
    }

    /// Tells those vehicles that have appeared by now.
    pub(super) fn tell_anew(&mut self, session: &mut Session) {
        let by_vehicle = &self.by_vehicle;
        self.untold.retain(|talker| {
            let (Some(vehicle), Some(stated)) =
                (session.vehicle_mut(*talker), by_vehicle.get(talker))
            else {
                return true;
            };
            for (name, value) in &stated.parameters {
                tell(vehicle, Statement::Parameter(*name, Some(*value)));
            }
            if stated.firmware.is_some() {
                tell(vehicle, Statement::Firmware(stated.firmware));
            }
            for (talker, entry) in &stated.entries {
                tell(vehicle, Statement::Entry(*talker, *entry));
            }
            false
        });
    }

    /// How often something was stated.
    pub(super) const fn revision(&self) -> u64 {
        self.revision
    }

    /// Where the operator says that `talker` enters `vehicle`.
    pub(super) fn entry(&self, vehicle: Talker, talker: Talker) -> Entry {
        let stated = self.by_vehicle.get(&vehicle);
        stated
            .and_then(|stated| stated.entries.get(&talker).copied())
            .unwrap_or(Entry::Undecided)
    }
}

fn tell(vehicle: &mut Vehicle, statement: Statement) {
    match statement {
        Statement::Parameter(name, value) => vehicle.parameters.set_by_operator(name, value),
        Statement::Firmware(version) => vehicle.state_firmware(version),
        Statement::Entry(talker, entry) => vehicle.state_entry(talker, entry),
    }
}
