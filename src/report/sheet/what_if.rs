//! The same record under other circumstances.

use crate::report::phrases;
use crate::rules::{LinkLoss, LinkModel};
use crate::session::{Session, Vehicle, WhatIf};

use super::block::{Section, words};

/// Values of a time-out that are in use, in seconds.
const TIME_OUTS: [f64; 5] = [3.0, 5.0, 10.0, 15.0, 30.0];

/// What would have come of a silence with other parameters, or without another talker.
pub(super) fn other_circumstances(
    section: &mut Section,
    session: &Session,
    vehicle: &Vehicle,
    loss: &LinkLoss,
) {
    let mut rows = Vec::new();
    let mut ask = |question: String, what_if: &WhatIf| {
        let losses = session.link_losses_under(vehicle.talker, what_if);
        let answer = losses.iter().find(|other| {
            other.last_heartbeat_from == loss.last_heartbeat_from
                && other.last_heartbeat.overlaps(loss.last_heartbeat)
        });
        rows.push(vec![question, phrases::what_if(answer, loss)]);
    };
    let name = match loss.model {
        LinkModel::Px4 => "COM_DL_LOSS_T",
        LinkModel::ArduPilot => "FS_GCS_TIMEOUT",
    };
    let at = loss.last_heartbeat.latest();
    let in_force = vehicle.parameters.at(name, at).map(|p| p.value);
    for value in TIME_OUTS {
        if in_force != Some(value) {
            let parameters = [(name.to_owned(), value)].into();
            ask(
                format!("{name} = {value} s"),
                &WhatIf {
                    parameters,
                    ..WhatIf::default()
                },
            );
        }
    }
    // Who else was on the link: a companion may decide how long the loss takes.
    for talker in session.talkers().iter() {
        let other = talker.talker;
        let heard_before = talker.heartbeats.last_until(at).is_some();
        if other != vehicle.talker && other != loss.last_heartbeat_from && heard_before {
            ask(
                format!("without {other}"),
                &WhatIf {
                    without: vec![other],
                    ..WhatIf::default()
                },
            );
        }
    }
    section.table("What if", &[words("If"), words("Then")], rows);
}
