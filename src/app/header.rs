//! The top line: what is watched, which vehicle, its state, and whether we speak.

use egui::{
    Align, Button, Color32, ComboBox, FontId, Layout, Response, RichText, Role, Sense, Stroke,
    StrokeKind, Ui, WidgetInfo, vec2,
};

use crate::observation::{Autopilot, Talker};
use crate::rules::modes;
use crate::session::Vehicle;
use crate::source::SourceKind;

use super::command::Command;
use super::scene::Scene;
use super::speaking;
use super::theme::{self, Appearance, Palette, size};

/// The height of the line.
pub(super) const HEIGHT: f32 = 40.0;

/// The line while a source is open.
pub(super) fn show(
    ui: &mut Ui,
    scene: &Scene<'_>,
    title: &str,
    appearance: Appearance,
    commands: &mut Vec<Command>,
) {
    let palette = scene.palette;
    ui.horizontal_centered(|ui| {
        brand(ui, palette);
        // The right side first: what finds no room between the two is left out, never covered.
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            buttons(ui, palette, appearance, commands);
            speaking::show(ui, scene, commands);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                source(ui, scene, title, commands);
                if let Some(vehicle) = scene.vehicle {
                    picker(ui, scene, vehicle, commands);
                    arming(ui, scene, vehicle);
                    mode(ui, scene, vehicle);
                }
            });
        });
    });
}

/// The line of the start page.
pub(super) fn show_bare(
    ui: &mut Ui,
    palette: &Palette,
    appearance: Appearance,
    commands: &mut Vec<Command>,
) {
    ui.horizontal_centered(|ui| {
        brand(ui, palette);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            buttons(ui, palette, appearance, commands);
        });
    });
}

fn brand(ui: &mut Ui, palette: &Palette) {
    ui.add_space(4.0);
    ui.label(
        RichText::new("Heartline")
            .font(theme::strong_font(15.0))
            .color(palette.text),
    );
    ui.add_space(8.0);
}

fn buttons(ui: &mut Ui, palette: &Palette, appearance: Appearance, commands: &mut Vec<Command>) {
    let button = |ui: &mut Ui, text: &str| {
        ui.add(Button::new(
            RichText::new(text).size(size::SMALL).color(palette.text),
        ))
    };
    if button(ui, "Keys ?")
        .on_hover_text("Show the keys")
        .clicked()
    {
        commands.push(Command::Help);
    }
    if button(ui, "Settings")
        .on_hover_text("Look, scale, time zone, watchdog (Ctrl+,)")
        .clicked()
    {
        commands.push(Command::Settings);
    }
    if button(ui, &format!("Look: {}", appearance.word()))
        .on_hover_text("Dark, light, high contrast, or as the desktop says (T)")
        .clicked()
    {
        commands.push(Command::Appearance);
    }
    if button(ui, "Open")
        .on_hover_text("Open a recording (Ctrl+O)")
        .clicked()
    {
        commands.push(Command::OpenDialog);
    }
}

/// A boxed word that is no button; left out where there is no room for it.
pub(super) fn chip(
    ui: &mut Ui,
    scene: &Scene<'_>,
    text: &str,
    font: FontId,
    colour: Color32,
) -> Response {
    let palette = scene.palette;
    let galley = ui.painter().layout_no_wrap(text.to_owned(), font, colour);
    let size = vec2(galley.size().x + 18.0, 24.0);
    if size.x > ui.available_width() {
        return ui.allocate_response(vec2(0.0, 24.0), Sense::hover());
    }
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    ui.painter().rect(
        rect,
        6.0,
        palette.background,
        Stroke::new(1.0, palette.line),
        StrokeKind::Inside,
    );
    ui.painter()
        .galley(rect.center() - galley.size() / 2.0, galley, colour);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, text));
    response
}

fn source(ui: &mut Ui, scene: &Scene<'_>, title: &str, commands: &mut Vec<Command>) {
    let kind = match scene.kind {
        SourceKind::Log => "recording",
        SourceKind::Live => "live link",
        SourceKind::Demo => "demonstration",
    };
    // A narrow window needs its room for the vehicle.
    let most = (ui.ctx().content_rect().width() / 32.0) as usize;
    let shown = shorten(title, most.clamp(10, 56));
    chip(
        ui,
        scene,
        &shown,
        theme::figures(size::SMALL),
        scene.palette.text,
    )
    .on_hover_text(format!("{kind}: {title}"));
    if ui.available_width() < 60.0 {
        return;
    }
    if ui
        .add(Button::new(RichText::new("Close").size(size::CAPTION)).frame(false))
        .on_hover_text("Close this source and return to the start page")
        .clicked()
    {
        commands.push(Command::Close);
    }
}

/// At most `most` characters of a source's title. The end of a path says more than its begin; of
/// anything else the begin does.
fn shorten(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        text.to_owned()
    } else if text.contains(['/', '\\']) {
        let tail: String = text.chars().skip(count - (most - 3)).collect();
        format!("...{tail}")
    } else {
        let head: String = text.chars().take(most - 3).collect();
        format!("{}...", head.trim_end_matches([' ', '.']))
    }
}

fn picker(ui: &mut Ui, scene: &Scene<'_>, vehicle: &Vehicle, commands: &mut Vec<Command>) {
    let vehicles: Vec<&Vehicle> = scene.session.vehicles().collect();
    if vehicles.len() < 2 {
        let name = vehicle_name(vehicle);
        chip(
            ui,
            scene,
            &name,
            theme::words(size::SMALL),
            scene.palette.text,
        );
        return;
    }
    let mut chosen: Talker = vehicle.talker;
    ComboBox::from_id_salt("vehicle")
        .selected_text(RichText::new(vehicle_name(vehicle)).size(size::SMALL))
        .width(180.0)
        .show_ui(ui, |ui| {
            for other in vehicles {
                ui.selectable_value(&mut chosen, other.talker, vehicle_name(other));
            }
        })
        .response
        .on_hover_text("The vehicle looked at");
    if chosen != vehicle.talker {
        commands.push(Command::Vehicle(chosen));
    }
}

fn vehicle_name(vehicle: &Vehicle) -> String {
    let autopilot = match vehicle.autopilot {
        Autopilot::PX4 => "PX4",
        Autopilot::ARDUPILOT => "ArduPilot",
        _ => "autopilot",
    };
    let version = vehicle
        .firmware
        .as_ref()
        .map(|firmware| format!(" {}", firmware.version))
        .unwrap_or_default();
    format!(
        "Vehicle {} {autopilot}{version} {}",
        vehicle.talker.system, vehicle.mav_type
    )
}

fn arming(ui: &mut Ui, scene: &Scene<'_>, vehicle: &Vehicle) {
    let palette = scene.palette;
    let Some((since, armed)) = vehicle.armed.at(scene.moment) else {
        return;
    };
    let (word, colour) = if *armed {
        ("ARMED", palette.warn)
    } else {
        ("disarmed", palette.muted)
    };
    chip(ui, scene, word, theme::strong_font(size::SMALL), colour)
        .on_hover_text(format!("since {}", scene.format.full(*since)));
}

fn mode(ui: &mut Ui, scene: &Scene<'_>, vehicle: &Vehicle) {
    let Some((since, mode)) = vehicle.mode.at(scene.moment) else {
        return;
    };
    let name = modes::mode_name(vehicle.autopilot, vehicle.ardupilot_kind(), *mode);
    chip(
        ui,
        scene,
        &name,
        theme::words(size::SMALL),
        scene.palette.text,
    )
    .on_hover_text(format!("flight mode since {}", scene.format.full(*since)));
}
