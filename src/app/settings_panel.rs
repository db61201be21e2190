//! The settings, as an overlay.

use egui::{
    Align2, Area, ComboBox, DragValue, Frame, Grid, Id, Order, RichText, Slider, TextEdit, Ui,
};

use super::command::Command;
use super::settings::Settings;
use super::theme::{self, Appearance, Palette, size};

pub(super) fn show(ui: &Ui, palette: &Palette, settings: &Settings, commands: &mut Vec<Command>) {
    let mut changed = settings.clone();
    Area::new(Id::unique("settings"))
        .order(Order::Foreground)
        .anchor(Align2::CENTER_CENTER, egui::Vec2::ZERO)
        .show(ui.ctx(), |ui| {
            Frame::window(ui.style()).inner_margin(20).show(ui, |ui| {
                ui.label(RichText::new("Settings").font(theme::strong_font(size::TITLE)));
                ui.add_space(8.0);
                Grid::new("settings")
                    .num_columns(2)
                    .spacing([18.0, 8.0])
                    .show(ui, |ui| rows(ui, &mut changed));
                ui.add_space(8.0);
                ui.label(
                    RichText::new(
                        "Ids and watchdog are offered when you switch transmitting on. That it is on is never \
                         kept.",
                    )
                    .size(size::CAPTION)
                    .color(palette.muted),
                );
                ui.add_space(8.0);
                if ui.button("Close settings").clicked() {
                    commands.push(Command::Settings);
                }
            });
        });
    if changed != *settings {
        commands.push(Command::Configure(changed));
    }
}

fn rows(ui: &mut Ui, settings: &mut Settings) {
    let name = |ui: &mut Ui, text: &str| ui.label(RichText::new(text).size(size::SMALL)).id;

    let label = name(ui, "Look");
    ComboBox::from_id_salt("look")
        .selected_text(settings.appearance.word())
        .show_ui(ui, |ui| {
            for look in Appearance::ALL {
                ui.selectable_value(&mut settings.appearance, look, look.word());
            }
        })
        .response
        .labelled_by(label);
    ui.end_row();

    let label = name(ui, "Scale");
    ui.add(Slider::new(&mut settings.scale, 0.5..=3.0).step_by(0.05))
        .labelled_by(label);
    ui.end_row();

    let label = name(ui, "Time zone");
    ui.add(
        TextEdit::singleline(&mut settings.time_zone)
            .hint_text("UTC, local, Europe/Berlin")
            .desired_width(160.0),
    )
    .labelled_by(label)
    .on_hover_text("UTC, local, or a name such as Europe/Berlin; an unknown one counts as UTC");
    ui.end_row();

    let label = name(ui, "System id when transmitting");
    ui.add(DragValue::new(&mut settings.talker.system).range(1..=255))
        .labelled_by(label);
    ui.end_row();
    let label = name(ui, "Component id when transmitting");
    ui.add(DragValue::new(&mut settings.talker.component).range(1..=255))
        .labelled_by(label);
    ui.end_row();

    let label = name(ui, "Watchdog timeout");
    ui.add(
        DragValue::new(&mut settings.watchdog_s)
            .range(2..=3_600)
            .suffix(" s"),
    )
    .labelled_by(label);
    ui.end_row();
}
