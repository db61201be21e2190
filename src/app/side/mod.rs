//! The side panel: why, who, what happened, and what it all rests on.

mod events;
mod parameters;
mod stating;
mod talkers;
mod what_if;
mod why;

use std::sync::Arc;

use egui::{Color32, Galley, RichText, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use super::command::{Command, Tab};
use super::scene::Scene;
use super::theme::{self, size};

pub(super) fn show(ui: &mut Ui, scene: &Scene<'_>, tab: Tab, commands: &mut Vec<Command>) {
    tabs(ui, scene, tab, commands);
    match tab {
        Tab::Why => why::show(ui, scene, commands),
        Tab::Talkers => talkers::show(ui, scene, commands),
        Tab::Events => events::show(ui, scene, commands),
        Tab::Parameters => parameters::show(ui, scene, commands),
        Tab::WhatIf => what_if::show(ui, scene, commands),
    }
}

fn tabs(ui: &mut Ui, scene: &Scene<'_>, chosen: Tab, commands: &mut Vec<Command>) {
    let palette = scene.palette;
    let width = ui.available_width();
    let names: f32 = Tab::ALL
        .into_iter()
        .map(|tab| name(ui, tab, true, palette.text).size().x)
        .sum();
    // As airy as a narrow panel allows.
    let air = ((width - names) / Tab::ALL.len() as f32).clamp(6.0, 22.0);
    let top = ui.cursor().min;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        for tab in Tab::ALL {
            let here = tab == chosen;
            let colour = if here { palette.text } else { palette.muted };
            let galley = name(ui, tab, here, colour);
            let (rect, response) =
                ui.allocate_exact_size(galley.size() + vec2(air, 16.0), Sense::click());
            response.widget_info(|| WidgetInfo::selected(Role::Tab, true, here, tab.word()));
            let ink = if response.hovered() || response.has_focus() {
                palette.text
            } else {
                colour
            };
            ui.painter().galley_with_override_text_color(
                rect.center() - galley.size() / 2.0,
                galley,
                ink,
            );
            if here {
                let under = rect.bottom() - 1.0;
                ui.painter().hline(
                    rect.shrink2(vec2(air / 2.0, 0.0)).x_range(),
                    under,
                    Stroke::new(2.0, palette.info),
                );
            }
            if response.clicked() {
                commands.push(Command::Tab(tab));
            }
        }
    });
    let y = ui.cursor().min.y - 3.0;
    ui.painter().line_segment(
        [pos2(top.x - 12.0, y), pos2(top.x + width + 12.0, y)],
        Stroke::new(1.0, palette.line),
    );
    ui.add_space(6.0);
}

fn name(ui: &Ui, tab: Tab, chosen: bool, colour: Color32) -> Arc<Galley> {
    let font = if chosen {
        theme::strong_font(size::BODY)
    } else {
        theme::words(size::BODY)
    };
    ui.painter()
        .layout_no_wrap(tab.word().to_owned(), font, colour)
}

/// A heading within a tab.
fn heading(ui: &mut Ui, scene: &Scene<'_>, text: &str) {
    ui.add_space(8.0);
    ui.label(
        RichText::new(text)
            .font(theme::strong_font(10.5))
            .color(scene.palette.muted),
    );
    ui.add_space(2.0);
}

/// What a tab says when it has nothing to show.
fn nothing(ui: &mut Ui, scene: &Scene<'_>, text: &str) {
    ui.add_space(8.0);
    ui.label(
        RichText::new(text)
            .size(size::SMALL)
            .color(scene.palette.muted),
    );
}
