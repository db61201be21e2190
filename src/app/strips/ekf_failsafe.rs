//! The trips of ArduPilot's EKF failsafe, behind the ratios that caused them.

use egui::{Align2, Rect, Stroke, pos2};

use crate::rules::ekf::EkfEpisode;
use crate::time::{Bounds, Micros, Span};

use super::super::scene::Scene;
use super::super::theme::Palette;
use super::Readout;
use super::canvas::Canvas;

/// When it tripped and when it cleared, by evidence and rule together. `None` for an
/// upset that cannot have tripped.
fn extent(episode: &EkfEpisode, end: Micros) -> Option<(Bounds, Bounds)> {
    let clear = episode.clear().unwrap_or(Bounds::exact(end));
    Some((episode.trip()?, clear))
}

/// Shades each from its trip to its clear; hatched where a trip is only possible.
pub(super) fn draw(canvas: &Canvas<'_>) {
    let scene = canvas.scene;
    let bad = scene.palette.bad;
    let mapping = canvas.mapping;
    for episode in scene.ekf_failsafes {
        let Some((trip, clear)) = extent(episode, scene.end) else {
            continue;
        };
        if clear.latest() < mapping.from() || trip.earliest() > mapping.to() {
            continue;
        }
        let x = mapping.x_inside(trip.earliest())..=mapping.x_inside(clear.latest());
        let rect = Rect::from_x_y_ranges(x, canvas.field.y_range());
        let happened = episode.certain || episode.observed_trip.is_some();
        if happened {
            canvas.inside().rect_filled(rect, 0.0, Palette::shade(bad));
        } else {
            canvas.hatch(rect, bad.gamma_multiply(0.5));
        }
        for at in [
            trip.earliest(),
            trip.latest(),
            clear.earliest(),
            clear.latest(),
        ] {
            let stroke = Stroke::new(1.0, bad);
            canvas
                .inside()
                .vline(mapping.x(at), canvas.field.y_range(), stroke);
        }
        let words = if happened {
            "EKF failsafe"
        } else {
            "EKF failsafe?"
        };
        if rect.width() > 84.0 {
            let place = pos2(rect.left() + 4.0, canvas.field.top());
            canvas.caption(place, Align2::LEFT_TOP, words, bad);
        }
    }
}

/// The on-board count at `at`: an interval, as the reports allow.
pub(super) fn readout(scene: &Scene<'_>, at: Micros) -> Option<Readout> {
    let vehicle = scene.vehicle.filter(|_| scene.is_ardupilot())?;
    let (points, limit) = scene
        .session
        .ekf_counter(vehicle.talker, at - Span::from_secs(2), at);
    let point = points.last()?;
    let (low, high) = (point.low, point.high);
    Some(Readout {
        text: if low == high {
            format!("count {low} of {limit}")
        } else {
            format!("count {low}..{high} of {limit}")
        },
        colour: scene.palette.warn,
    })
}

/// The story of the failsafe that is on at `at`.
pub(super) fn words(scene: &Scene<'_>, at: Micros) -> Option<String> {
    let episode = scene.ekf_failsafes.iter().find(|episode| {
        extent(episode, scene.end)
            .is_some_and(|(trip, clear)| trip.earliest() <= at && at <= clear.latest())
    })?;
    let lines: Vec<String> = episode
        .explanation
        .steps
        .iter()
        .map(|step| format!("{}  {}", scene.format.full(step.at.earliest()), step.text))
        .collect();
    Some(lines.join("\n"))
}
