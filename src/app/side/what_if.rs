//! The same record under other circumstances: other time-outs, a talker unplugged.

use egui::{Button, Checkbox, DragValue, Grid, RichText, ScrollArea, Ui};

use crate::observation::Talker;
use crate::rules::ekf::EkfRule;
use crate::session::{TalkerRole, TalkerTrack, WhatIf};

use super::super::command::Command;
use super::super::phrases;
use super::super::scene::Scene;
use super::super::theme::{self, size};
use super::super::tone_mark;
use super::super::words;
use super::{heading, nothing};

pub(super) fn show(ui: &mut Ui, scene: &Scene<'_>, commands: &mut Vec<Command>) {
    let Some(link) = scene.link else {
        nothing(
            ui,
            scene,
            "Questions can be asked once a vehicle is heard whose rule is known.",
        );
        return;
    };
    let mut what_if = scene.asked.what_if().clone();
    ScrollArea::vertical()
        .id_salt("what if")
        .auto_shrink(false)
        .show(ui, |ui| {
            nothing(
                ui,
                scene,
                "The same record under other circumstances. Nothing is set on the vehicle.",
            );
            heading(ui, scene, "IF THESE PARAMETERS WERE");
            parameters(ui, scene, &mut what_if);
            heading(ui, scene, "IF THESE WERE UNPLUGGED");
            if link.counted.is_empty() {
                nothing(ui, scene, "Nobody but the vehicle is heard.");
            }
            for talker in &link.counted {
                unplug(ui, scene, &mut what_if, talker.talker);
            }
            heading(ui, scene, "THEN");
            if scene.asked.is_asked() {
                answer(ui, scene);
                ui.add_space(8.0);
                if ui.button("Ask nothing").clicked() {
                    what_if = WhatIf::default();
                }
            } else {
                nothing(
                    ui,
                    scene,
                    "Change something above, and the answer stands here.",
                );
            }
        });
    if what_if != *scene.asked.what_if() {
        commands.push(Command::Ask(what_if));
    }
}

/// Each parameter that decides, with its value and the one that is asked about.
fn parameters(ui: &mut Ui, scene: &Scene<'_>, what_if: &mut WhatIf) {
    let palette = scene.palette;
    let mut rows: Vec<(&str, f64, &str)> = scene
        .link
        .into_iter()
        .flat_map(|link| &link.decided_by)
        .map(|(name, known)| (*name, known.value, known.provenance.word()))
        .collect();
    if let Some(vehicle) = scene.vehicle.filter(|_| scene.is_ardupilot()) {
        const NAME: &str = "FS_EKF_THRESH";
        let default = EkfRule::DEFAULT_THRESHOLD;
        let known = vehicle.parameters.at_or(NAME, scene.moment, default);
        rows.push((NAME, known.value, known.provenance.word()));
    }
    Grid::new("what if parameters")
        .num_columns(3)
        .spacing([10.0, 4.0])
        .show(ui, |ui| {
            for (name, known, provenance) in rows {
                let label = ui
                    .label(RichText::new(name).font(theme::figures(size::CAPTION)))
                    .id;
                let mut value = what_if.parameter(name).unwrap_or(known);
                let before = value;
                let changed = what_if.parameter(name).is_some();
                let text = if changed { palette.warn } else { palette.text };
                ui.scope(|ui| {
                    ui.visuals_mut().override_text_color = Some(text);
                    ui.add(
                        DragValue::new(&mut value)
                            .range(0.0..=3_600.0)
                            .speed(0.05)
                            .custom_formatter(|value, _| phrases::value(value)),
                    )
                    .labelled_by(label);
                });
                let is = format!("is {} ({provenance})", phrases::value(known));
                ui.label(RichText::new(is).size(size::CAPTION).color(palette.muted));
                ui.end_row();
                if value.to_bits() != before.to_bits() {
                    set(what_if, name, value, known);
                }
            }
        });
}

/// Asks for `value`, or for nothing where it is the known one.
fn set(what_if: &mut WhatIf, name: &str, value: f64, known: f64) {
    if value.to_bits() == known.to_bits() {
        what_if.parameters.remove(name);
    } else {
        what_if.parameters.insert(name.to_owned(), value);
    }
}

fn unplug(ui: &mut Ui, scene: &Scene<'_>, what_if: &mut WhatIf, talker: Talker) {
    let track = scene.session.talkers().get(talker);
    let role = track.map_or(TalkerRole::Other, TalkerTrack::role);
    let mut gone = what_if.without.contains(&talker);
    let text = RichText::new(format!("{} {talker}", role.word())).size(size::SMALL);
    if ui.add(Checkbox::new(&mut gone, text)).changed() {
        what_if.without.retain(|other| *other != talker);
        if gone {
            what_if.without.push(talker);
        }
    }
}

fn answer(ui: &mut Ui, scene: &Scene<'_>) {
    let palette = scene.palette;
    if let Some(link) = scene.asked.link() {
        let glance = words::glance(link, None, scene.format);
        let colour = scene.tone_colour(glance.tone);
        ui.horizontal_wrapped(|ui| {
            let (rect, _) = ui.allocate_exact_size(egui::vec2(14.0, 16.0), egui::Sense::hover());
            tone_mark::small(ui.painter(), rect.center(), 5.0, glance.tone, colour);
            ui.label(
                RichText::new(&glance.headline)
                    .font(theme::strong_font(size::BODY))
                    .color(palette.text),
            );
        });
        ui.label(RichText::new(&glance.sentence).size(size::SMALL));
    }
    let silence = scene
        .chosen_loss()
        .and_then(|chosen| scene.asked.of_silence(chosen, scene.format));
    let record = scene.asked.in_record(scene.losses, scene.ekf_failsafes);
    for line in silence.into_iter().chain(record) {
        ui.label(RichText::new(line).size(size::SMALL).color(palette.muted));
    }
}

/// The way here from the explanation.
pub(super) fn door(ui: &mut Ui, commands: &mut Vec<Command>) {
    ui.add_space(8.0);
    if ui
        .add(Button::new(
            RichText::new("What if ...").size(size::CAPTION),
        ))
        .on_hover_text("Other time-outs, a talker unplugged (5)")
        .clicked()
    {
        commands.push(Command::Tab(super::super::command::Tab::WhatIf));
    }
}
