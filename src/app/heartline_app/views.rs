//! What the window lays out: the panels around a source that is open, or the start page.

use egui::{CentralPanel, Frame, Margin, Panel, ProgressBar, RichText, Stroke, Ui};

use super::super::command::Command;
use super::super::theme::{self, Palette, size, space};
use super::super::{alarm_bar, glance, header, side, start_page, strips, transport_bar};
use super::HeartlineApp;

impl HeartlineApp {
    /// Lays out the panels. Returns the headline, once there is a link to speak of.
    pub(super) fn source_view(
        &mut self,
        ui: &mut Ui,
        commands: &mut Vec<Command>,
    ) -> Option<String> {
        let palette = self.palette(ui.ctx());
        let opened = self.opened.as_ref()?;
        let scene = opened.scene(palette, &self.settings.time_zone);
        let live = opened.is_live();
        let line = Stroke::new(1.0, palette.line);
        let bar = Frame::new()
            .fill(palette.panel)
            .inner_margin(Margin::symmetric(12, 0));
        Panel::top("header")
            .exact_size(header::HEIGHT)
            .frame(bar)
            .show(ui, |ui| {
                header::show(
                    ui,
                    &scene,
                    opened.title(),
                    self.settings.appearance,
                    commands,
                );
            });
        Panel::bottom("transport")
            .exact_size(transport_bar::HEIGHT)
            .frame(bar)
            .show(ui, |ui| {
                transport_bar::show(
                    ui,
                    &scene,
                    opened.transport(),
                    &opened.axis(),
                    live,
                    commands,
                );
            });
        let headline = Panel::top("glance")
            .exact_size(glance::HEIGHT + 8.0)
            .show_separator_line(false)
            .frame(Frame::new().inner_margin(glance::margin()))
            .show(ui, |ui| glance::show(ui, &scene))
            .inner;
        let headline = scene.link.is_some().then_some(headline);
        self.notices(ui, palette, commands);
        let width = (ui.available_width() * 0.285).clamp(300.0, 460.0);
        Panel::right("side")
            .exact_size(width)
            .show_separator_line(false)
            .frame(Frame::new().inner_margin(Margin {
                left: 4,
                right: 12,
                top: 12,
                bottom: 12,
            }))
            .show(ui, |ui| {
                theme::card(palette)
                    .stroke(line)
                    .inner_margin(Margin {
                        left: 12,
                        right: 12,
                        top: 4,
                        bottom: 10,
                    })
                    .show(ui, |ui| {
                        ui.set_min_size(ui.available_size());
                        side::show(ui, &scene, self.tab, commands);
                    });
            });
        let mut axis = opened.axis();
        CentralPanel::default()
            .frame(Frame::new().inner_margin(Margin {
                left: 12,
                right: 8,
                top: 0,
                bottom: 2,
            }))
            .show(ui, |ui| {
                if opened.is_empty() {
                    strips::show_empty(ui, palette);
                } else {
                    strips::show(ui, &scene, &mut axis, commands);
                }
            });
        if let Some(opened) = &mut self.opened {
            opened.set_axis(axis);
        }
        headline
    }

    /// What went wrong, and what is still under way, in a line below the glance strip.
    fn notices(&self, ui: &mut Ui, palette: &'static Palette, commands: &mut Vec<Command>) {
        let Some(opened) = &self.opened else {
            return;
        };
        let frame = Frame::new().inner_margin(Margin {
            left: 12,
            right: 12,
            top: 8,
            bottom: 0,
        });
        let problem = self.error.as_deref().or_else(|| opened.failure());
        if let Some(problem) = problem {
            Panel::top("problem")
                .show_separator_line(false)
                .frame(frame)
                .show(ui, |ui| {
                    start_page::error_card(ui, palette, problem, commands);
                });
        }
        let scene = opened.scene(palette, &self.settings.time_zone);
        if scene.alarms.fresh().next().is_some() {
            Panel::top("alarms")
                .show_separator_line(false)
                .frame(frame)
                .show(ui, |ui| {
                    alarm_bar::show(ui, palette, scene.alarms, scene.format, commands);
                });
        }
        if let Some(share) = opened.loading() {
            Panel::top("loading")
                .show_separator_line(false)
                .frame(frame)
                .show(ui, |ui| {
                    ui.horizontal(|ui| {
                        ui.label(
                            RichText::new("Reading")
                                .size(size::SMALL)
                                .color(palette.muted),
                        );
                        let bar = ProgressBar::new(share)
                            .desired_height(6.0)
                            .fill(palette.info);
                        ui.add(bar)
                            .on_hover_text(format!("{:.0} % read", share * 100.0));
                    });
                });
        }
    }

    pub(super) fn start_view(&mut self, ui: &mut Ui, commands: &mut Vec<Command>) {
        let palette = self.palette(ui.ctx());
        let bar = Frame::new()
            .fill(palette.panel)
            .inner_margin(Margin::symmetric(12, 0));
        Panel::top("header")
            .exact_size(header::HEIGHT)
            .frame(bar)
            .show(ui, |ui| {
                header::show_bare(ui, palette, self.settings.appearance, commands);
            });
        CentralPanel::default()
            .frame(Frame::new().inner_margin(space::LARGE))
            .show(ui, |ui| {
                start_page::show(
                    ui,
                    palette,
                    &mut self.address,
                    self.error.as_deref(),
                    &self.settings.recent,
                    commands,
                );
            });
    }
}
