//! What happened, in order.

use egui::{Align2, FontId, Label, RichText, ScrollArea, Sense, Ui, pos2, vec2};

use crate::session::{EventEntry, Severity};

use super::super::alarm_bar;
use super::super::command::Command;
use super::super::scene::Scene;
use super::super::theme::{self, size};
use super::super::tone_mark;
use super::super::words::Tone;
use super::{heading, nothing};

const ROW: f32 = 20.0;
const TIME: f32 = 92.0;

pub(super) fn show(ui: &mut Ui, scene: &Scene<'_>, commands: &mut Vec<Command>) {
    let events = scene.session.events();
    damage(ui, scene);
    if scene.alarms.log().len() > 0 {
        heading(ui, scene, "ALARMS");
        alarm_bar::log(ui, scene, commands);
        heading(ui, scene, "ALL THAT HAPPENED");
    }
    if events.is_empty() {
        nothing(ui, scene, "Nothing has happened that is worth a line.");
        return;
    }
    let passed = events.partition_point(|event| event.at <= scene.moment);
    // Only the rows in view are laid out: an hour of texts costs as much as a screenful.
    ScrollArea::vertical()
        .id_salt("events")
        .auto_shrink(false)
        .stick_to_bottom(scene.at_present)
        .show_rows(ui, ROW, events.len(), |ui, rows| {
            for index in rows {
                if let Some(event) = events.get(index) {
                    line(ui, scene, event, index >= passed, commands);
                }
            }
        });
}

fn line(
    ui: &mut Ui,
    scene: &Scene<'_>,
    event: &EventEntry,
    ahead: bool,
    commands: &mut Vec<Command>,
) {
    let palette = scene.palette;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::click());
    let who = event
        .talker
        .map(|talker| format!("{talker} "))
        .unwrap_or_default();
    let text = format!("{who}{}", event.text);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &text));
    let painter = ui.painter_at(rect);
    if response.hovered() || response.has_focus() {
        painter.rect_filled(rect, 3.0, palette.grid);
    }
    let (tone, colour) = match event.severity {
        Severity::Info => (Tone::Calm, palette.muted),
        Severity::Warning => (Tone::Warning, palette.warn),
        Severity::Critical => (Tone::Alarm, palette.bad),
    };
    let y = rect.center().y;
    if event.severity != Severity::Info {
        tone_mark::small(&painter, pos2(rect.left() + 6.0, y), 4.0, tone, colour);
    }
    let ink = if ahead { palette.muted } else { palette.text };
    painter.text(
        pos2(rect.left() + 16.0, y),
        Align2::LEFT_CENTER,
        scene.format.full(event.at),
        theme::figures(size::CAPTION),
        palette.muted,
    );
    let font: FontId = theme::words(size::SMALL);
    let mut job = egui::text::LayoutJob::simple(text.clone(), font, ink, rect.width() - TIME - 8.0);
    job.wrap.max_rows = 1;
    job.wrap.break_anywhere = true;
    let galley = painter.layout_job(job);
    painter.galley(
        pos2(rect.left() + 16.0 + TIME - 8.0, y - galley.size().y / 2.0),
        galley,
        ink,
    );
    if response.clicked() {
        commands.push(Command::Seek(event.at));
    }
    response.on_hover_text(text);
}

/// How much of the input could not be used. Nothing is dropped silently.
fn damage(ui: &mut Ui, scene: &Scene<'_>) {
    let damage = scene.session.damage();
    if damage.iter().next().is_none() {
        return;
    }
    let all = damage.total(|_| true);
    let text = format!(
        "Not used: {} pieces, {} bytes; the first at byte {}.",
        all.count, all.bytes, all.first_offset
    );
    let colour = if damage.is_clean() {
        scene.palette.muted
    } else {
        scene.palette.warn
    };
    ui.add(Label::new(RichText::new(text).size(size::CAPTION).color(colour)).wrap())
        .on_hover_ui(|ui| {
            for (kind, tally) in damage.iter().take(20) {
                ui.label(format!(
                    "{kind}: {} times, {} bytes",
                    tally.count, tally.bytes
                ));
            }
        });
    ui.add_space(4.0);
}
