//! What a vehicle says of its failsafes, the moment they happen: PX4's events, ArduPilot's texts.

use crate::observation::{Message, StatusText, VehicleEvent};
use crate::rules::ardupilot::modes::mode_name;
use crate::rules::ardupilot::{GcsRule, VehicleKind};
use crate::rules::ekf::CheckEvent;
use crate::rules::px4::Px4Mode;
use crate::time::{Micros, Span};

use super::truth::{ChangeCause, FlightTruth, TruthEvent};

/// A message that the vehicle sends, at an instant of its own.
pub(super) type Announcement = (Micros, u32, Message);

/// MAV_SEVERITY.
const CRITICAL: u8 = 2;
const WARNING: u8 = 4;
const INFO: u8 = 6;

fn text(at: Micros, severity: u8, text: impl Into<Box<str>>) -> Announcement {
    let text = StatusText {
        severity,
        text: text.into(),
        chunk_id: 0,
        chunk: 0,
    };
    (at, 253, Message::StatusText(text))
}

/// PX4's: events from v1.13 on, the failsafe's own from v1.14 on.
pub(super) fn px4(truth: &FlightTruth, release: (u8, u8), boot: Micros) -> Vec<Announcement> {
    const GCS_LOST: u32 = 27_571_288;
    const FAILSAFE_ENTER: u32 = 26_528_394;
    /// failsafe/framework.h `Cause::GCSConnectionLoss`.
    const LINK_LOSS: u8 = 2;
    let event = |at: Micros, id, arguments| {
        let event = VehicleEvent {
            id,
            boot_ms: ((at - boot).as_micros() / 1_000) as u32,
            sequence: 0,
            log_levels: 0x64,
            arguments,
        };
        (at, 410, Message::Event(event))
    };
    let mut said = Vec::new();
    for entry in &truth.entries {
        let at = entry.vehicle;
        match entry.event {
            TruthEvent::Lost { .. } if release >= (1, 13) => {
                said.push(event(at, GCS_LOST, [0; 40]));
            }
            TruthEvent::Lost { .. } => {
                said.push(text(at, INFO, "Connection to ground station lost"));
            }
            TruthEvent::Mode {
                number,
                by: ChangeCause::LinkLoss,
            } if release >= (1, 14) => {
                // failsafe/framework.h `Action`.
                let action = match Px4Mode::from_custom_mode(number) {
                    Px4Mode::Hold => 5,
                    Px4Mode::Return => 6,
                    Px4Mode::Land => 7,
                    _ => 10,
                };
                // The user's mode (4 bytes), the action, the cause.
                let mut arguments = [0; 40];
                let [_, _, _, _, of_action, of_cause, ..] = &mut arguments;
                (*of_action, *of_cause) = (action, LINK_LOSS);
                said.push(event(at, FAILSAFE_ENTER, arguments));
            }
            TruthEvent::Regained => said.push(text(at, INFO, "GCS connection regained")),
            _ => {}
        }
    }
    said
}

/// The text with which ArduPilot introduces itself.
pub(super) fn banner(at: Micros, kind: VehicleKind, release: (u8, u8, u8)) -> Announcement {
    let (major, minor, patch) = release;
    let name = kind.firmware_name();
    text(at, INFO, format!("{name} V{major}.{minor}.{patch}"))
}

/// ArduPilot's, as each vehicle and release words them.
pub(super) fn ardupilot(truth: &FlightTruth, rule: &GcsRule, boot: Micros) -> Vec<Announcement> {
    let mut said = Vec::new();
    let mut last_variance = boot;
    let mut acted = false;
    for (index, entry) in truth.entries.iter().enumerate() {
        let at = entry.vehicle;
        // What the same check went on to do.
        let mode = truth
            .entries
            .iter()
            .skip(index + 1)
            .take_while(|next| next.vehicle == at)
            .find_map(|next| match next.event {
                TruthEvent::Mode { number, by } if by != ChangeCause::Command => {
                    mode_name(rule.kind, number)
                }
                _ => None,
            });
        match entry.event {
            TruthEvent::Lost { named_radio, .. } => {
                said.extend(fired(rule, named_radio, mode).map(|words| text(at, WARNING, words)));
            }
            TruthEvent::Regained => {
                said.extend(cleared(rule).map(|words| text(at, INFO, words)));
            }
            TruthEvent::Ekf(CheckEvent::Tripped) => {
                acted = mode.is_some();
                let (patience, words) = if rule.kind == VehicleKind::Sub {
                    (Span::from_secs(20), "EKF bad")
                } else {
                    (Span::from_secs(30), "EKF variance")
                };
                if at - last_variance > patience {
                    last_variance = at;
                    said.push(text(at, CRITICAL, words));
                }
                match (rule.kind, mode) {
                    (VehicleKind::Rover, Some(_)) => said.push(text(at, CRITICAL, "EKF failsafe")),
                    (VehicleKind::Copter, Some(mode)) => {
                        let words =
                            format!("EKF Failsafe: changed to {} Mode", mode.to_uppercase());
                        said.push(text(at, CRITICAL, words));
                    }
                    _ => {}
                }
            }
            TruthEvent::Ekf(CheckEvent::Cleared | CheckEvent::Reset) => match rule.kind {
                VehicleKind::Rover => said.push(text(at, CRITICAL, "EKF failsafe cleared")),
                VehicleKind::Copter if acted => {
                    said.push(text(at, CRITICAL, "EKF Failsafe Cleared"));
                }
                _ => {}
            },
            _ => {}
        }
    }
    said
}

fn fired(rule: &GcsRule, named_radio: bool, mode: Option<&str>) -> Option<String> {
    Some(match rule.kind {
        VehicleKind::Rover if rule.release <= (4, 0) => "Failsafe trigger 0x2".to_owned(),
        VehicleKind::Rover if named_radio => "Radio Failsafe".to_owned(),
        VehicleKind::Rover | VehicleKind::Copter => "GCS Failsafe".to_owned(),
        VehicleKind::Plane => format!("GCS Failsafe On: {}", mode.unwrap_or("no change")),
        VehicleKind::Sub if rule.release >= (4, 7) => "MYGCS: heartbeat lost".to_owned(),
        VehicleKind::Sub => format!("MYGCS: {}, heartbeat lost", rule.ids.low),
        VehicleKind::Blimp => return None,
    })
}

fn cleared(rule: &GcsRule) -> Option<&'static str> {
    match rule.kind {
        VehicleKind::Rover if rule.release <= (4, 0) => Some("Failsafe ended"),
        VehicleKind::Plane if rule.release < (4, 7) => Some("GCS Failsafe Off"),
        VehicleKind::Sub if rule.release < (4, 7) => None,
        VehicleKind::Blimp => None,
        _ => Some("GCS Failsafe Cleared"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::ardupilot::{GcsText, gcs_text};

    #[test]
    fn every_text_is_understood_by_the_rule_that_reads_texts() {
        use VehicleKind::{Copter, Plane, Rover, Sub};
        for kind in [Rover, Copter, Plane, Sub] {
            for release in GcsRule::RELEASES {
                let rule = GcsRule::select(kind, release, &|_| None);
                for named_radio in [false, kind == Rover && release > (4, 0)] {
                    let words = fired(&rule, named_radio, Some("RTL")).expect("it speaks");
                    let read = gcs_text(kind, &words);
                    assert_eq!(read, Some(GcsText::Fired { named_radio }), "{words}");
                }
                if let Some(words) = cleared(&rule) {
                    assert_eq!(gcs_text(kind, words), Some(GcsText::Cleared), "{words}");
                }
            }
        }
    }
}
