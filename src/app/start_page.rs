//! What the window shows while nothing is open: what can be opened, or why it could not be.

use egui::{Align, Button, Layout, RichText, ScrollArea, TextEdit, Ui};

use super::command::Command;
use super::theme::{self, Palette, size, space};

/// The demonstration offered first.
const DEMO: &str = "demo:inc-0143";

/// The page. `address` is the text of its address field.
pub(super) fn show(
    ui: &mut Ui,
    palette: &Palette,
    address: &mut String,
    error: Option<&str>,
    recent: &[String],
    commands: &mut Vec<Command>,
) {
    let height = ui.available_height();
    let above = if error.is_some() { 0.08 } else { 0.14 };
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.add_space((height * above).min(120.0));
        page(ui, palette, address, error, recent, commands);
    });
}

fn page(
    ui: &mut Ui,
    palette: &Palette,
    address: &mut String,
    error: Option<&str>,
    recent: &[String],
    commands: &mut Vec<Command>,
) {
    ui.vertical_centered(|ui| {
        ui.set_max_width(560.0);
        ui.label(
            RichText::new("Does the vehicle still count us as present?")
                .font(theme::strong_font(24.0))
                .color(palette.text),
        );
        ui.add_space(space::SMALL);
        ui.label(
            RichText::new(
                "Open a recording or a live link, and see when it will give up on us, and why.",
            )
            .size(14.0)
            .color(palette.muted),
        );
        ui.add_space(22.0);
        if let Some(error) = error {
            error_card(ui, palette, error, commands);
            ui.add_space(space::LARGE);
        }
        card(ui, palette, |ui| recording(ui, palette, commands));
        ui.add_space(space::LARGE);
        card(ui, palette, |ui| link(ui, palette, address, commands));
        ui.add_space(space::LARGE);
        card(ui, palette, |ui| demo(ui, palette, commands));
        if !recent.is_empty() {
            ui.add_space(space::LARGE);
            card(ui, palette, |ui| last_opened(ui, palette, recent, commands));
        }
    });
}

fn last_opened(ui: &mut Ui, palette: &Palette, recent: &[String], commands: &mut Vec<Command>) {
    title(ui, palette, "Opened last", "The newest first.");
    for source in recent {
        let text = RichText::new(source).font(theme::figures(size::SMALL));
        let button = Button::new(text).frame(false).truncate();
        if ui.add(button).on_hover_text("Open it again").clicked() {
            commands.push(Command::Open(source.clone()));
        }
    }
}

fn card(ui: &mut Ui, palette: &Palette, add: impl FnOnce(&mut Ui)) {
    theme::card(palette).inner_margin(16).show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.with_layout(Layout::top_down(Align::Min), add);
    });
}

fn title(ui: &mut Ui, palette: &Palette, title: &str, text: &str) {
    ui.label(
        RichText::new(title)
            .font(theme::strong_font(14.0))
            .color(palette.text),
    );
    ui.label(RichText::new(text).size(size::SMALL).color(palette.muted));
    ui.add_space(space::SMALL);
}

fn recording(ui: &mut Ui, palette: &Palette, commands: &mut Vec<Command>) {
    title(
        ui,
        palette,
        "A recording",
        "Drop a file here: .tlog of a ground station, .ulg of PX4, .bin of ArduPilot. Damaged ones too.",
    );
    if primary(ui, palette, "Open a recording").clicked() {
        commands.push(Command::OpenDialog);
    }
}

fn link(ui: &mut Ui, palette: &Palette, address: &mut String, commands: &mut Vec<Command>) {
    title(
        ui,
        palette,
        "A live link",
        "Heartline only listens. Nothing is sent unless you turn it on.",
    );
    ui.horizontal(|ui| {
        let label = ui.label(
            RichText::new("Address")
                .size(size::SMALL)
                .color(palette.muted),
        );
        let field = TextEdit::singleline(address)
            .hint_text("udpin:0.0.0.0:14550")
            .font(theme::figures(size::BODY))
            .desired_width(300.0)
            .margin(egui::Margin::symmetric(8, 5));
        let response = ui.add(field).labelled_by(label.id);
        let entered =
            response.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
        if ui.button("Connect").clicked() || entered {
            let typed = address.trim();
            let wanted = if typed.is_empty() {
                "udpin:0.0.0.0:14550"
            } else {
                typed
            };
            commands.push(Command::Open(wanted.to_owned()));
        }
    });
    ui.label(
        RichText::new("udpin:0.0.0.0:14550   tcpout:10.0.0.2:5760   serial:/dev/ttyUSB0:57600")
            .font(theme::figures(size::CAPTION))
            .color(palette.muted),
    );
}

fn demo(ui: &mut Ui, palette: &Palette, commands: &mut Vec<Command>) {
    title(
        ui,
        palette,
        "A demonstration",
        "INC-0143: the ground station falls silent, a companion talks on, and the failsafe fires late.",
    );
    if ui.button("Watch the demonstration").clicked() {
        commands.push(Command::Open(DEMO.to_owned()));
    }
}

fn primary(ui: &mut Ui, palette: &Palette, text: &str) -> egui::Response {
    let label = RichText::new(text)
        .font(theme::strong_font(size::BODY))
        .color(palette.panel);
    ui.add(
        Button::new(label)
            .fill(palette.info)
            .stroke(egui::Stroke::NONE),
    )
}

/// What failed, where, and what to do.
pub(super) fn error_card(ui: &mut Ui, palette: &Palette, error: &str, commands: &mut Vec<Command>) {
    theme::card(palette)
        .stroke(egui::Stroke::new(1.0, palette.bad))
        .show(ui, |ui| {
            ui.horizontal(|ui| {
                ui.label(RichText::new("\u{25a0}").color(palette.bad));
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    if ui.small_button("Dismiss").clicked() {
                        commands.push(Command::DismissError);
                    }
                    ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                        ui.add(egui::Label::new(RichText::new(error).color(palette.text)).wrap());
                    });
                });
            });
        });
}
