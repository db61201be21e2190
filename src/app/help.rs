//! The keys, as an overlay. Rendered from the table that decides what they do.

use egui::{Align2, Area, Frame, Grid, Id, Order, RichText, Ui};

use super::command::Command;
use super::shortcuts::SHORTCUTS;
use super::theme::{self, Palette, size};

pub(super) fn show(ui: &Ui, palette: &Palette, commands: &mut Vec<Command>) {
    Area::new(Id::unique("help"))
        .order(Order::Foreground)
        .anchor(Align2::CENTER_CENTER, egui::Vec2::ZERO)
        .show(ui.ctx(), |ui| {
            Frame::window(ui.style()).inner_margin(20).show(ui, |ui| {
                ui.label(RichText::new("Keys").font(theme::strong_font(size::TITLE)));
                ui.add_space(6.0);
                Grid::new("keys").num_columns(4).spacing([14.0, 5.0]).show(ui, |ui| {
                    // Two columns, so that the table fits a small window.
                    let half = SHORTCUTS.len().div_ceil(2);
                    for row in 0..half {
                        for shortcut in [SHORTCUTS.get(row), SHORTCUTS.get(row + half)]
                            .into_iter()
                            .flatten()
                        {
                            ui.label(
                                RichText::new(shortcut.shown)
                                    .font(theme::figures(size::SMALL))
                                    .color(palette.info),
                            );
                            ui.label(RichText::new(shortcut.text).size(size::SMALL));
                        }
                        ui.end_row();
                    }
                });
                ui.add_space(8.0);
                ui.label(
                    RichText::new("Wheel zooms at the pointer, dragging moves the axis, a click goes there, a double click shows everything.")
                        .size(size::CAPTION)
                        .color(palette.muted),
                );
                ui.add_space(8.0);
                if ui.button("Close keys").clicked() {
                    commands.push(Command::Help);
                }
            });
        });
}
