//! The vehicle's own record of the loss, below what the ground reconstructs: `gcs_connection_lost` as its log
//! holds it.

use std::ops::RangeInclusive;

use egui::{Rect, Stroke};

use crate::session::Track;
use crate::time::Micros;

use super::super::scene::Scene;
use super::super::theme::{self, size};
use super::Readout;
use super::canvas::Canvas;

/// The record, if there is one.
pub(super) fn of<'a>(scene: &Scene<'a>) -> Option<&'a Track<bool>> {
    let lost = &scene.vehicle?.logged.connection_lost;
    lost.latest().is_some().then_some(lost)
}

/// A thin line at `y`, thick where the vehicle counted its ground station as lost.
pub(super) fn draw(canvas: &Canvas<'_>, y: f32) {
    let scene = canvas.scene;
    let palette = scene.palette;
    let Some(track) = of(scene) else {
        return;
    };
    canvas.row_label(y, "logged loss", theme::words(size::CAPTION), palette.muted);
    let changes = track.changes();
    let end = track.last_confirmed();
    for (index, (from, lost)) in changes.iter().enumerate() {
        let next = changes.get(index + 1).map(|(at, _)| *at);
        let Some(to) = next.or(end) else { continue };
        if to < canvas.mapping.from() || *from > canvas.mapping.to() {
            continue;
        }
        let x: RangeInclusive<f32> = canvas.mapping.x_inside(*from)..=canvas.mapping.x_inside(to);
        if *lost {
            canvas.inside().rect_filled(
                Rect::from_x_y_ranges(x, y - 3.0..=y + 3.0),
                1.0,
                palette.bad,
            );
        } else {
            canvas.inside().hline(x, y, Stroke::new(1.0, palette.ok));
        }
    }
}

/// What the log says of `at`.
pub(super) fn readout(scene: &Scene<'_>, at: Micros) -> Option<Readout> {
    let track = of(scene)?;
    let (_, lost) = track.at(at)?;
    (at <= track.last_confirmed()?).then(|| Readout {
        text: if *lost { "log: lost" } else { "log: not lost" }.to_owned(),
        colour: if *lost {
            scene.palette.bad
        } else {
            scene.palette.ok
        },
    })
}
