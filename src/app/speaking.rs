//! The header's word on whether we speak, and the menu behind it that switches it.

use egui::{Button, DragValue, Response, RichText, Ui, WidgetText, vec2};

use crate::link::{LinkState, LinkStatus};
use crate::observation::Talker;
use crate::source::SourceKind;
use crate::time::Seconds;

use super::command::Command;
use super::live::LiveView;
use super::scene::Scene;
use super::theme::{self, size};

/// Whether heartbeats of ours leave on the link; on a live link, the menu that decides it.
pub(super) fn show(ui: &mut Ui, scene: &Scene<'_>, commands: &mut Vec<Command>) {
    let palette = scene.palette;
    let Some(live) = scene.live else {
        if scene.kind != SourceKind::Log {
            super::header::chip(
                ui,
                scene,
                "Listening only",
                theme::words(size::SMALL),
                palette.muted,
            )
            .on_hover_text("There is nobody to speak to here: no byte leaves.");
        }
        return;
    };
    recording(ui, scene, live);
    let (word, colour) = if let Some(stuck) = live.stuck {
        let seconds = Seconds::with_decimals(stuck, 1);
        (format!("Link thread silent {seconds} s"), palette.bad)
    } else if !live.status.transmitting {
        ("Listening only".to_owned(), palette.muted)
    } else if live.status.send_problem.is_some() {
        ("Sending refused".to_owned(), palette.bad)
    } else if withheld(scene) {
        ("Heartbeats withheld".to_owned(), palette.bad)
    } else {
        (format!("Transmitting {}", live.choice.talker), palette.warn)
    };
    let text = RichText::new(word).size(size::SMALL).color(colour);
    ui.menu_button(text, |ui| menu(ui, scene, live, commands))
        .response
        .on_hover_text(sending_problem(live.status).unwrap_or_else(|| {
            if live.status.transmitting && withheld(scene) {
                "No vehicle is heard, the port refuses, or this window stalled. They go on by themselves once that \
                 is over."
                    .to_owned()
            } else {
                "Whether we send heartbeats on this link (Ctrl+Shift+T)".to_owned()
            }
        }));
    ui.allocate_space(vec2(2.0, 0.0));
}

/// What keeps our frames from leaving, and what to do about it.
pub(super) fn sending_problem(status: &LinkStatus) -> Option<String> {
    let problem = status.send_problem.as_ref()?;
    let frames = match status.send_refused {
        1 => "1 frame".to_owned(),
        count => format!("{count} frames"),
    };
    Some(format!(
        "The system refuses to send: {problem}. {frames} did not leave. Check the network, the route to this \
         address and the firewall; it is tried again with every heartbeat."
    ))
}

/// Whether the latest of our slots was withheld.
fn withheld(scene: &Scene<'_>) -> bool {
    let own = scene.session.own();
    let silent = own
        .withheld_by_watchdog
        .last()
        .max(own.withheld_by_policy.last());
    silent.is_some() && silent > own.sent.last()
}

fn recording(ui: &mut Ui, scene: &Scene<'_>, live: LiveView<'_>) {
    let palette = scene.palette;
    let status = live.status;
    let (word, colour, why) = match (&status.recording_failed, &status.recording) {
        (Some(reason), _) => ("NOT RECORDING", palette.bad, reason.clone()),
        (None, Some(path)) => (
            "REC",
            palette.bad,
            format!("Everything is recorded to {path}"),
        ),
        (None, None) => (
            "not recorded",
            palette.muted,
            "Recording is switched off".to_owned(),
        ),
    };
    super::header::chip(ui, scene, word, theme::words(size::SMALL), colour).on_hover_text(why);
}

fn menu(ui: &mut Ui, scene: &Scene<'_>, live: LiveView<'_>, commands: &mut Vec<Command>) {
    ui.set_min_width(300.0);
    let palette = scene.palette;
    let note = |ui: &mut Ui, text: &str| {
        ui.label(RichText::new(text).size(size::CAPTION).color(palette.muted));
    };
    if let LinkState::Down(reason) = &live.status.state {
        ui.label(RichText::new(reason).size(size::CAPTION).color(palette.bad));
        ui.separator();
    }
    if let Some(problem) = sending_problem(live.status) {
        ui.label(
            RichText::new(problem)
                .size(size::CAPTION)
                .color(palette.bad),
        );
        ui.separator();
    }
    if live.status.transmitting {
        note(
            ui,
            "One ground station heartbeat a second leaves on this link, as long as this window is alive. \
             The vehicle counts us: our presence keeps its failsafe from firing.",
        );
        if wide_button(ui, "Stop transmitting").clicked() {
            commands.push(Command::Transmit);
            ui.close();
        }
        return;
    }
    note(
        ui,
        "Not one byte leaves on this link. Heartbeats of ours would count as a ground station's and keep \
         the failsafe from firing that you came to watch.",
    );
    ui.add_space(4.0);
    let mut choice = live.choice;
    ui.horizontal(|ui| {
        let label = ui.label("Our system and component id").id;
        ui.add(DragValue::new(&mut choice.talker.system).range(1..=255))
            .labelled_by(label);
        ui.add(DragValue::new(&mut choice.talker.component).range(1..=255))
            .labelled_by(label);
    });
    ui.horizontal(|ui| {
        let label = ui.label("Watchdog timeout").id;
        ui.add(
            DragValue::new(&mut choice.timeout_s)
                .range(2..=3_600)
                .suffix(" s"),
        )
        .labelled_by(label);
    });
    ui.checkbox(
        &mut choice.without_vehicle,
        "Send although no vehicle is heard",
    );
    if let Some(clash) = clash(scene, choice.talker) {
        ui.label(RichText::new(clash).size(size::CAPTION).color(palette.warn));
    }
    if choice != live.choice {
        commands.push(Command::ChooseTransmit(choice));
    }
    if wide_button(ui, "Start transmitting").clicked() {
        commands.push(Command::Transmit);
        ui.close();
    }
}

fn wide_button(ui: &mut Ui, text: impl Into<WidgetText>) -> Response {
    ui.add_sized([ui.available_width(), 26.0], Button::new(text))
}

/// Somebody else who uses our ids, or our system id, on this link.
fn clash(scene: &Scene<'_>, ours: Talker) -> Option<String> {
    let other = scene
        .session
        .talkers()
        .iter()
        .find(|t| t.talker.system == ours.system)?;
    Some(if other.talker == ours {
        format!(
            "{ours} talks on this link already: two programs with one id confuse router and vehicle."
        )
    } else {
        format!(
            "System id {} is in use on this link by {}.",
            ours.system, other.talker
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_send_says_why_how_often_and_what_to_do() {
        let mut status = LinkStatus {
            send_refused: 3,
            ..LinkStatus::default()
        };
        // Frames leave again: what was refused once is over.
        assert_eq!(sending_problem(&status), None);
        status.send_problem = Some("network is unreachable".to_owned());
        let words = sending_problem(&status).unwrap_or_default();
        for part in [
            "network is unreachable",
            "3 frames did not leave",
            "Check the network",
        ] {
            assert!(words.contains(part), "{words}");
        }
    }
}
