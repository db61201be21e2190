//! Alarms that nobody has acknowledged, in a card below the glance strip, and the log of all of them.

use egui::{Align, Button, Label, Layout, RichText, Sense, Stroke, Ui, vec2};

use super::alarms::{AlarmDesk, AlarmEntry};
use super::command::Command;
use super::scene::Scene;
use super::theme::{self, Palette, size};
use super::time_format::TimeFormat;
use super::tone_mark;
use super::words::Tone;

/// More alarms at once are counted rather than listed.
const LISTED: usize = 3;
/// In a window lower than this only the most urgent alarm is.
const LOW: f32 = 500.0;
/// So many lines of the log are shown: the latest.
const LOGGED: usize = 20;

/// The card. Draws nothing when all is acknowledged.
pub(super) fn show(
    ui: &mut Ui,
    palette: &Palette,
    desk: &AlarmDesk,
    format: TimeFormat,
    commands: &mut Vec<Command>,
) {
    let loudest = desk.fresh().map(|(kind, _)| kind.tone());
    let alarm = loudest.into_iter().any(|tone| tone == Tone::Alarm);
    let edge = if alarm { palette.bad } else { palette.warn };
    theme::card(palette)
        .stroke(Stroke::new(1.0, edge))
        .show(ui, |ui| {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let button = Button::new(RichText::new("Acknowledge").size(size::SMALL));
                if ui
                    .add(button)
                    .on_hover_text(
                        "I have seen it (A). The alarm comes again only if its cause does.",
                    )
                    .clicked()
                {
                    commands.push(Command::Acknowledge);
                }
                ui.with_layout(Layout::top_down(Align::Min), |ui| {
                    lines(ui, palette, desk, format);
                });
            });
        });
}

fn lines(ui: &mut Ui, palette: &Palette, desk: &AlarmDesk, format: TimeFormat) {
    ui.spacing_mut().item_spacing.y = 2.0;
    // A low window needs its room for the strips.
    let low = ui.ctx().content_rect().height() < LOW;
    let listed = if low { 1 } else { LISTED };
    let more = desk.fresh().count().saturating_sub(listed);
    for (kind, alarm) in desk.fresh().take(listed) {
        let colour = match kind.tone() {
            Tone::Alarm => palette.bad,
            _ => palette.warn,
        };
        ui.horizontal(|ui| {
            let (rect, _) = ui.allocate_exact_size(vec2(14.0, 16.0), Sense::hover());
            tone_mark::small(ui.painter(), rect.center(), 5.0, kind.tone(), colour);
            let name = if low && more > 0 {
                format!("{} (and {more} more)", kind.name())
            } else {
                kind.name().to_owned()
            };
            ui.label(
                RichText::new(name)
                    .font(theme::strong_font(size::SMALL))
                    .color(palette.text),
            );
            let since = match alarm.cleared {
                Some(over) => format!("{} to {}", format.full(alarm.raised), format.full(over)),
                None => format!("since {}", format.full(alarm.raised)),
            };
            ui.label(
                RichText::new(since)
                    .font(theme::figures(size::CAPTION))
                    .color(palette.muted),
            );
            let detail = RichText::new(&alarm.detail)
                .size(size::SMALL)
                .color(palette.text);
            ui.add(Label::new(detail).truncate())
                .on_hover_text(&alarm.detail);
        });
    }
    if more > 0 && !low {
        ui.label(
            RichText::new(format!("and {more} more"))
                .size(size::CAPTION)
                .color(palette.muted),
        );
    }
}

/// The log, the latest first.
pub(super) fn log(ui: &mut Ui, scene: &Scene<'_>, commands: &mut Vec<Command>) {
    let palette = scene.palette;
    let entries: Vec<&AlarmEntry> = scene.alarms.log().collect();
    for entry in entries.into_iter().rev().take(LOGGED) {
        let text = format!(
            "{} {}: {}",
            scene.format.full(entry.at),
            entry.kind.name(),
            entry.step.word()
        );
        let line = RichText::new(text).size(size::CAPTION).color(palette.text);
        let response = ui.add(Label::new(line).truncate().sense(Sense::click()));
        if response.clicked() {
            commands.push(Command::Seek(entry.at));
        }
        response.on_hover_text(&entry.detail);
    }
}
