//! An ArduPilot vehicle flown: its main loop with the GCS failsafe and the EKF check.

use crate::rules::ardupilot::{
    ArdupilotCommand, ArdupilotHappening, ChangedBy, CheckTurns, GcsRule, SimulatedArdupilot,
    VehicleKind,
};
use crate::rules::ekf::EkfRule;
use crate::rules::firmware::FirmwareVersion;
use crate::rules::{Parameter, Parameters, Provenance};
use crate::time::{Micros, Span};

use super::check::mode_number;
use super::clock::SimulatedClock;
use super::estimator::Estimator;
use super::model::{Scenario, ScenarioFirmware, TimelineAct, span};
use super::noise::Noise;
use super::truth::{ChangeCause, FlightTruth, TruthEntry, TruthEvent};

/// So long before the beginning the main loop may run; what was before leaves no trace in it.
const LEAD: Span = Span::from_secs(60);
/// How late a turn of the main loop may begin.
const LATENESS: Span = Span::from_micros(300);

/// The two rules of the scenario's vehicle with its parameters.
pub(super) fn rules(
    scenario: &Scenario,
    kind: VehicleKind,
    release: (u8, u8, u8),
) -> (GcsRule, EkfRule) {
    let read = |name: &str| {
        let setting = scenario.vehicle.parameters.get(name)?;
        Some(Parameter {
            value: setting.number(),
            provenance: Provenance::Read,
            at: None,
        })
    };
    let (major, minor, patch) = release;
    let gcs = GcsRule::select(kind, (major, minor), &read);
    let mut parameters = Parameters::default();
    for (name, setting) in &scenario.vehicle.parameters {
        let name = name.as_str().into();
        parameters.learn(name, setting.number(), Provenance::Read, Micros::MIN);
    }
    let version = FirmwareVersion::new(major, minor, patch);
    let ekf = EkfRule::select(kind, Some(version), &parameters, Micros::MAX);
    (gcs, ekf)
}

impl Scenario {
    /// The GCS failsafe and the EKF check of its vehicle; `None` where that is no ArduPilot.
    #[must_use]
    pub fn ardupilot_rules(&self) -> Option<(GcsRule, EkfRule)> {
        match self.vehicle.firmware {
            ScenarioFirmware::ArduPilot(kind, major, minor, patch) => {
                Some(rules(self, kind, (major, minor, patch)))
            }
            ScenarioFirmware::Px4(..) => None,
        }
    }
}

/// Flies the scenario's vehicle through these counted messages on its own timeline. Everything told is at
/// or after `start`.
pub(super) fn fly(
    scenario: &Scenario,
    (gcs, ekf): (GcsRule, EkfRule),
    counted: &[Micros],
    estimator: &Estimator<'_>,
    clock: &SimulatedClock,
    start: Micros,
) -> FlightTruth {
    let firmware = scenario.vehicle.firmware;
    let commands: Vec<(Micros, ArdupilotCommand)> = scenario
        .timeline
        .iter()
        .filter_map(|entry| {
            let command = match &entry.what {
                TimelineAct::Arm => ArdupilotCommand::Armed(true),
                TimelineAct::Disarm => ArdupilotCommand::Armed(false),
                TimelineAct::Mode(name) => ArdupilotCommand::Mode(mode_number(firmware, name)?),
            };
            Some((clock.vehicle(start + span(entry.at_s)), command))
        })
        .collect();
    let mut phases = Noise::stream(scenario.seed, 21);
    let booted = span(scenario.vehicle.booted_before_start_s).min(LEAD);
    let late = Span::from_micros(LATENESS.as_micros().min(gcs.loop_period.as_micros() / 4));
    let vehicle = SimulatedArdupilot {
        start: start - booted - phases.up_to(gcs.loop_period),
        turns: CheckTurns {
            link: phases.next() as u32,
            radio: phases.next() as u32,
            ekf: phases.next() as u32,
        },
        mode: mode_number(firmware, &scenario.vehicle.mode).unwrap_or_default(),
        armed: scenario.vehicle.armed,
        gcs,
        ekf: Some(ekf),
    };
    let mut lateness = Noise::stream(scenario.seed, 22);
    let mut truth = FlightTruth::default();
    let (mut last_counted, mut too_old) = (start, None);
    let waits = vehicle.gcs.hold_time > Span::ZERO;
    vehicle.run(
        counted,
        &commands,
        &|at| estimator.at(at),
        clock.vehicle(start + span(scenario.duration_s)),
        &mut || lateness.up_to(late),
        &mut |at, happening| {
            match happening {
                ArdupilotHappening::Counted => last_counted = at,
                ArdupilotHappening::LinkTooOld => too_old = Some(at),
                ArdupilotHappening::LinkInTime => too_old = None,
                _ => {}
            }
            let timer = too_old.filter(|_| waits).unwrap_or(last_counted);
            let on_ground = clock.ground(at);
            if on_ground >= start {
                truth.entries.push(TruthEntry {
                    at: on_ground,
                    vehicle: at,
                    event: event(happening, clock.ground(timer)),
                });
            }
            true
        },
    );
    truth
}

fn event(happening: ArdupilotHappening, start_line: Micros) -> TruthEvent {
    match happening {
        ArdupilotHappening::Counted => TruthEvent::Heard,
        ArdupilotHappening::LinkTooOld => TruthEvent::LinkTooOld,
        ArdupilotHappening::LinkInTime => TruthEvent::LinkInTime,
        ArdupilotHappening::Fired { named_radio } => TruthEvent::Lost {
            start_line,
            named_radio,
        },
        ArdupilotHappening::Cleared => TruthEvent::Regained,
        ArdupilotHappening::EkfCount(count) => TruthEvent::EkfCount(count),
        ArdupilotHappening::Ekf(event) => TruthEvent::Ekf(event),
        ArdupilotHappening::Mode { number, by } => TruthEvent::Mode {
            number,
            by: cause(by),
        },
        ArdupilotHappening::Armed { armed, by } => TruthEvent::Armed {
            armed,
            by: cause(by),
        },
    }
}

const fn cause(by: ChangedBy) -> ChangeCause {
    match by {
        ChangedBy::Command => ChangeCause::Command,
        ChangedBy::GcsFailsafe => ChangeCause::LinkLoss,
        ChangedBy::EkfFailsafe => ChangeCause::Estimator,
    }
}
