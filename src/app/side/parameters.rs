//! The vehicle's parameters, each with where its value came from.

use egui::{Align, Layout, RichText, ScrollArea, Ui};
use egui_extras::{Column, TableBuilder};

use crate::observation::ParameterName;
use crate::rules::Parameter;

use super::super::command::Command;
use super::super::phrases;
use super::super::scene::Scene;
use super::super::theme::{self, size};
use super::{heading, nothing, stating};

const ROW: f32 = 21.0;
/// Parameters that decide about links and estimators start with one of these.
const OF_INTEREST: [&str; 10] = [
    "COM_DL", "COM_FAIL", "COM_RC", "NAV_DLL", "NAV_RCL", "FS_", "EK2_", "EK3_", "SYSID_", "MAV_",
];

pub(super) fn show(ui: &mut Ui, scene: &Scene<'_>, commands: &mut Vec<Command>) {
    let Some(vehicle) = scene.vehicle else {
        nothing(ui, scene, "No vehicle so far.");
        return;
    };
    let mut all: Vec<(ParameterName, Parameter)> = vehicle
        .parameters
        .latest()
        .map(|(name, latest)| {
            let then = vehicle.parameters.at(name.as_str(), scene.moment);
            (name, then.unwrap_or(latest))
        })
        .collect();
    // Those that decide about links first; the rest in order of name.
    all.sort_by_key(|(name, _)| (!of_interest(*name), *name));
    ScrollArea::vertical()
        .id_salt("parameters")
        .auto_shrink(false)
        .show(ui, |ui| {
            stating::firmware(ui, scene, vehicle, commands);
            stating::parameters(ui, scene, vehicle, commands);
            heading(ui, scene, "KNOWN");
            if all.is_empty() {
                nothing(
                    ui,
                    scene,
                    "No parameter of this vehicle is known. Predictions use the firmware's defaults and \
                     say so.",
                );
            } else {
                table(ui, scene, &all);
            }
        });
}

fn of_interest(name: ParameterName) -> bool {
    OF_INTEREST
        .iter()
        .any(|start| name.as_str().starts_with(start))
}

fn table(ui: &mut Ui, scene: &Scene<'_>, all: &[(ParameterName, Parameter)]) {
    let palette = scene.palette;
    let number = Layout::right_to_left(Align::Center);
    TableBuilder::new(ui)
        .id_salt("parameter table")
        .vscroll(false)
        .cell_layout(Layout::left_to_right(Align::Center))
        .column(Column::exact(126.0).clip(true))
        .column(Column::exact(64.0))
        .column(Column::remainder().clip(true))
        .header(ROW, |mut header| {
            for word in ["name", "value", "from"] {
                header.col(|ui| {
                    let text = RichText::new(word).size(size::CAPTION).color(palette.muted);
                    if word == "value" {
                        ui.with_layout(number, |ui| ui.label(text));
                    } else {
                        ui.label(text);
                    }
                });
            }
        })
        .body(|body| {
            body.rows(ROW, all.len(), |mut row| {
                let Some((name, parameter)) = all.get(row.index()) else {
                    return;
                };
                let ink = if of_interest(*name) {
                    palette.text
                } else {
                    palette.muted
                };
                row.col(|ui| {
                    ui.label(
                        RichText::new(name.as_str())
                            .font(theme::figures(size::CAPTION))
                            .color(ink),
                    );
                });
                row.col(|ui| {
                    ui.with_layout(number, |ui| {
                        ui.label(
                            RichText::new(phrases::value(parameter.value))
                                .font(theme::figures(size::CAPTION)),
                        )
                    });
                });
                row.col(|ui| {
                    let learnt = parameter
                        .at
                        .map(|at| format!(", {}", scene.format.seconds(at)))
                        .unwrap_or_default();
                    ui.label(
                        RichText::new(format!("  {}{learnt}", parameter.provenance.word()))
                            .size(size::CAPTION)
                            .color(palette.muted),
                    );
                });
            });
        });
}
