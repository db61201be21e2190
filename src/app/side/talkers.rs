//! Who talks, who counts in the eyes of the vehicle, and what would change without each.

use egui::{Align, Layout, RichText, ScrollArea, Ui};
use egui_extras::{Column, TableBuilder};

use crate::session::{CountedTalker, TalkerTrack, Without};
use crate::time::{Seconds, Span};

use super::super::command::Command;
use super::super::scene::Scene;
use super::super::theme::{self, size};
use super::super::time_format::age;
use super::{heading, nothing, stating};

const ROW: f32 = 22.0;

pub(super) fn show(ui: &mut Ui, scene: &Scene<'_>, commands: &mut Vec<Command>) {
    let tracks: Vec<&TalkerTrack> = scene.session.talkers().iter().collect();
    if tracks.is_empty() {
        nothing(ui, scene, "Nobody has sent a heartbeat so far.");
        return;
    }
    ScrollArea::vertical()
        .id_salt("talkers")
        .auto_shrink(false)
        .show(ui, |ui| {
            heading(ui, scene, "HEARTBEATS");
            table(ui, scene, &tracks);
            let whom = scene.vehicle.map_or_else(String::new, |vehicle| {
                format!(" FOR VEHICLE {}", vehicle.talker)
            });
            heading(ui, scene, &format!("WHO COUNTS{whom}"));
            match scene.link {
                None if scene.vehicle.is_none() => nothing(ui, scene, "No vehicle is heard."),
                None => nothing(ui, scene, "No rule is known for this vehicle."),
                Some(link) if link.counted.is_empty() => {
                    nothing(
                        ui,
                        scene,
                        "Nobody but the vehicle has sent a heartbeat so far.",
                    );
                }
                Some(link) => {
                    for talker in &link.counted {
                        standing(ui, scene, talker, commands);
                    }
                }
            }
            let refused = scene.session.talkers().refused();
            if refused > 0 {
                nothing(
                    ui,
                    scene,
                    &format!("{refused} frames of further ids were not told apart: too many."),
                );
            }
        });
}

fn table(ui: &mut Ui, scene: &Scene<'_>, tracks: &[&TalkerTrack]) {
    let palette = scene.palette;
    let number = Layout::right_to_left(Align::Center);
    ui.spacing_mut().item_spacing.x = 4.0;
    TableBuilder::new(ui)
        .id_salt("talkers table")
        .vscroll(false)
        .cell_layout(Layout::left_to_right(Align::Center))
        .column(Column::exact(54.0))
        .column(Column::remainder().clip(true))
        .columns(Column::exact(40.0), 2)
        .column(Column::exact(48.0))
        .column(Column::exact(40.0))
        .header(ROW, |mut header| {
            for (index, word) in ["id", "what", "every", "jitter", "age", "lost"]
                .into_iter()
                .enumerate()
            {
                header.col(|ui| {
                    let text = RichText::new(word).size(size::CAPTION).color(palette.muted);
                    if index < 2 {
                        ui.label(text);
                    } else {
                        ui.with_layout(number, |ui| ui.label(text));
                    }
                });
            }
        })
        .body(|body| {
            body.rows(ROW, tracks.len(), |mut row| {
                let Some(track) = tracks.get(row.index()) else {
                    return;
                };
                row.col(|ui| {
                    let text =
                        RichText::new(track.talker.to_string()).font(theme::figures(size::CAPTION));
                    ui.label(text.color(scene.role_colour(track.role())));
                });
                row.col(|ui| {
                    let what = RichText::new(track.role().word()).size(size::CAPTION);
                    ui.add(egui::Label::new(what).truncate())
                        .on_hover_text(details(track));
                });
                for text in figures(scene, track) {
                    row.col(|ui| {
                        ui.with_layout(number, |ui| {
                            ui.label(RichText::new(text).font(theme::figures(size::CAPTION)))
                        });
                    });
                }
            });
        });
}

/// What does not fit the table.
fn details(track: &TalkerTrack) -> String {
    let kind = track.kind.latest().map(ToString::to_string);
    format!(
        "says it is: {}\n{} heartbeats, {} frames, {} lost{}",
        kind.as_deref().unwrap_or("nothing"),
        track.heartbeats.len(),
        track.frame_count,
        track.lost_frames(),
        if track.signed > 0 { ", signed" } else { "" },
    )
}

/// Interval, jitter, age and loss of a talker at the moment shown.
fn figures(scene: &Scene<'_>, track: &TalkerTrack) -> [String; 4] {
    let dash = || "-".to_owned();
    let rhythm = track.rhythm(scene.moment);
    let seconds = |span: Span, decimals| Seconds::with_decimals(span, decimals).to_string();
    let last = track.heartbeats.last_until(scene.moment);
    let lost = track.lost_frames();
    let all = track.frame_count + lost;
    [
        rhythm.map_or_else(dash, |(every, _)| seconds(every, 2)),
        rhythm.map_or_else(dash, |(_, jitter)| seconds(jitter, 3)),
        last.map_or_else(dash, |last| age(scene.moment - last)),
        if all == 0 {
            dash()
        } else {
            format!("{:.1}%", lost as f64 / all as f64 * 100.0)
        },
    ]
}

fn standing(ui: &mut Ui, scene: &Scene<'_>, talker: &CountedTalker, commands: &mut Vec<Command>) {
    let palette = scene.palette;
    let (word, colour) = if talker.counts {
        ("counts", palette.ok)
    } else {
        ("does not count", palette.muted)
    };
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 8.0;
        ui.label(RichText::new(talker.talker.to_string()).font(theme::figures(size::SMALL)));
        ui.label(
            RichText::new(word)
                .font(theme::strong_font(size::SMALL))
                .color(colour),
        );
        if let Some(vehicle) = scene.vehicle.filter(|_| scene.is_px4()) {
            stating::entry(ui, scene, vehicle, talker.talker, commands);
        }
    });
    ui.label(
        RichText::new(&talker.reason)
            .size(size::CAPTION)
            .color(palette.muted),
    );
    ui.label(
        RichText::new(without(&talker.without))
            .size(size::CAPTION)
            .color(palette.text),
    );
    ui.add_space(6.0);
}

fn without(without: &Without) -> String {
    match without {
        Without::NoChange => "If you unplug it: nothing changes for the failsafe.".to_owned(),
        Without::Masked(others) => {
            let names: Vec<String> = others.iter().map(ToString::to_string).collect();
            format!(
                "If you unplug it: its loss is never noticed, {} keeps the failsafe from firing.",
                names.join(" and ")
            )
        }
        Without::LostIn(_, to) if *to <= Span::ZERO => {
            "If you unplug it: nothing changes, a loss is noticed already.".to_owned()
        }
        Without::LostIn(from, to) => format!(
            "If you unplug it: a loss is noticed after {} to {} s.",
            Seconds::with_decimals((*from).max(Span::ZERO), 2),
            Seconds::with_decimals(*to, 2)
        ),
    }
}
