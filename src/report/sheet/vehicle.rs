use crate::observation::Autopilot;
use crate::report::clock::Clock;
use crate::report::document::VehicleReport;
use crate::report::findings::{Findings, VehicleFindings};
use crate::report::phrases;
use crate::time::Micros;

use super::block::{Section, figures, words};

/// Which vehicle it is.
pub(super) fn introduction(
    findings: &Findings<'_>,
    found: &VehicleFindings<'_>,
    summary: &VehicleReport,
    clock: &Clock,
) -> Section {
    let vehicle = found.vehicle();
    let name = match vehicle.autopilot {
        Autopilot::PX4 => "PX4",
        Autopilot::ARDUPILOT => "ArduPilot",
        _ => "another autopilot",
    };
    let mut section = Section::new(
        1,
        format!(
            "Vehicle {}: {name}, {}",
            vehicle.talker, summary.vehicle_type
        ),
    );
    section.paragraph(match &summary.firmware {
        Some(firmware) => format!("Firmware {} ({}).", firmware.version, firmware.source),
        None => "The firmware version is not known.".to_owned(),
    });
    if found.losses().is_empty() {
        section.paragraph(phrases::no_silence(findings, found));
    }
    section.list(
        found
            .doubts()
            .iter()
            .map(|doubt| phrases::doubt_sentence(doubt, clock))
            .collect(),
    );
    section
}

/// What ArduPilot wrote into its own log as ERR.
pub(super) fn logged_errors(summary: &VehicleReport, clock: &Clock) -> Option<Section> {
    let mut section = Section::new(2, "Errors in the vehicle's own log");
    section.table(
        "",
        &[words("Time"), words("Record")],
        summary
            .logged_errors
            .iter()
            .map(|error| {
                let at = Micros::from_micros(error.at_us);
                vec![clock.time(at), error.text.clone()]
            })
            .collect(),
    );
    (!section.blocks.is_empty()).then_some(section)
}

/// Beginnings of the names of parameters that bear on what is reported here.
const BEARING: [&str; 17] = [
    "COM_DL",
    "COM_FAIL_ACT",
    "NAV_DLL_ACT",
    "NAV_RCL_ACT",
    "COM_RC_LOSS_T",
    "COM_RCL_EXCEPT",
    "MAV_SYS_ID",
    "MAV_GCS_SYSID",
    "SYSID_",
    "FS_",
    "RC_OVERRIDE_TIME",
    "SCHED_LOOP_RATE",
    "LOG_DISARMED",
    "EK3_POS_I_GATE",
    "EK3_VEL_I_GATE",
    "EK3_GLITCH_RAD",
    "EK3_MAG_I_GATE",
];

/// The parameters that bear on the findings, with where each value came from.
pub(super) fn parameters(found: &VehicleFindings<'_>) -> Section {
    let mut section = Section::new(2, "Parameters");
    let all: Vec<_> = found.vehicle().parameters.latest().collect();
    let bears = |name: &str| BEARING.iter().any(|start| name.starts_with(start));
    let rows: Vec<Vec<String>> = all
        .iter()
        .filter(|(name, _)| bears(name.as_str()))
        .map(|(name, parameter)| {
            vec![
                name.to_string(),
                phrases::value(parameter.value),
                parameter.provenance.word().to_owned(),
            ]
        })
        .collect();
    section.paragraph(phrases::parameters(all.len(), rows.len()));
    section.table(
        "",
        &[words("Name"), figures("Value"), words("Where from")],
        rows,
    );
    section
}
