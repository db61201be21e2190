//! Innovation test ratios of the vehicle's estimator, against the level at which they matter.

use std::ops::RangeInclusive;

use egui::{Align2, Color32, Stroke, Ui, pos2};
use egui_plot::{Line, PlotPoint, PlotPoints};

use crate::rules::ekf::EkfRule;
use crate::session::SeriesPoint;
use crate::time::{Micros, Span};

use super::super::phrases;
use super::super::ratio_series::{HOLE, RATIOS, ratios};
use super::super::scene::Scene;
use super::super::theme::size;
use super::Readout;
use super::canvas::Canvas;
use super::ekf_failsafe;

/// A ratio: its name and its colour.
struct Ratio {
    name: &'static str,
    colour: Color32,
}

/// A ratio over time, in pieces: between them nothing is known.
struct Curve {
    ratio: Ratio,
    pieces: Vec<Vec<PlotPoint>>,
}

/// In the order of [`super::super::ratio_series::ratios`].
fn legend(scene: &Scene<'_>) -> [Ratio; RATIOS] {
    let palette = scene.palette;
    [
        ("compass", palette.companion),
        ("velocity", palette.info),
        ("position", palette.ok),
        ("height", palette.muted),
        ("airspeed", palette.text),
    ]
    .map(|(name, colour)| Ratio { name, colour })
}

/// The level at which a ratio matters: FS_EKF_THRESH on ArduPilot, the rejection gate on PX4.
fn threshold(scene: &Scene<'_>) -> Option<(f64, String)> {
    let vehicle = scene.vehicle?;
    if scene.is_ardupilot() {
        let default = EkfRule::DEFAULT_THRESHOLD;
        let parameter = vehicle
            .parameters
            .at_or("FS_EKF_THRESH", scene.moment, default);
        // A damaged record may hold any number; nobody sets a threshold of a thousand.
        return (parameter.value > 0.0 && parameter.value < 1e3).then(|| {
            let text = format!(
                "FS_EKF_THRESH {} ({})",
                phrases::value(parameter.value),
                parameter.provenance.word()
            );
            (parameter.value, text)
        });
    }
    Some((1.0, "gate 1.0".to_owned()))
}

pub(super) fn draw(ui: &mut Ui, canvas: &Canvas<'_>) {
    let scene = canvas.scene;
    let level = threshold(scene);
    canvas.title(
        "Estimator test ratios",
        match (&level, scene.is_ardupilot()) {
            (Some(_), true) => "against FS_EKF_THRESH",
            (None, true) => "FS_EKF_THRESH is no threshold",
            _ => "rejected above the gate",
        },
    );
    let range = (canvas.mapping.from(), canvas.mapping.to());
    let column = canvas.mapping.column();
    let lines: Vec<Curve> = legend(scene)
        .into_iter()
        .enumerate()
        .map(|(number, ratio)| {
            let pieces = scene.ratios.lines(number, range, column);
            let place = |point: &SeriesPoint| canvas.point(point.at, f64::from(point.value));
            Curve {
                pieces: pieces
                    .iter()
                    .map(|piece| piece.iter().map(place).collect())
                    .collect(),
                ratio,
            }
        })
        .collect();
    let scale = scale(&lines, level.as_ref().map_or(1.0, |(value, _)| *value));
    levels(canvas, &scale);
    ekf_failsafe::draw(canvas);
    if let Some((value, text)) = &level {
        let y = canvas.y(*value, &scale);
        canvas.dashed(
            pos2(canvas.field.left(), y),
            pos2(canvas.field.right(), y),
            Stroke::new(1.2, scene.palette.bad),
            6.0,
            4.0,
        );
        canvas.caption(
            pos2(canvas.field.right() - 4.0, y - 1.0),
            Align2::RIGHT_BOTTOM,
            text,
            scene.palette.bad,
        );
    }
    canvas.plot(ui, "estimator", scale.clone(), |plot| {
        for curve in &lines {
            for piece in &curve.pieces {
                plot.line(
                    Line::new(curve.ratio.name, PlotPoints::Borrowed(piece))
                        .color(curve.ratio.colour)
                        .width(scene.palette.stroke * 0.8)
                        .allow_hover(false),
                );
            }
        }
    });
    end_labels(canvas, &scale, &lines);
}

/// From zero to a little above the threshold, or as far as the data goes; a ratio of hundreds must not
/// flatten the rest.
fn scale(lines: &[Curve], threshold: f64) -> RangeInclusive<f64> {
    let greatest = lines
        .iter()
        .flat_map(|curve| curve.pieces.iter().flatten())
        .map(|p| p.y)
        .filter(|y| y.is_finite())
        .fold(threshold, f64::max);
    -0.04..=(greatest * 1.15).clamp(threshold * 1.25, threshold * 5.0)
}

fn levels(canvas: &Canvas<'_>, scale: &RangeInclusive<f64>) {
    const STEPS: [f64; 6] = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0];
    let rows = f64::from(canvas.field.height() / 26.0).max(1.0);
    let step = STEPS
        .into_iter()
        .find(|step| scale.end() / step <= rows)
        .unwrap_or(10.0);
    let mut value = 0.0;
    while value <= *scale.end() {
        canvas.level(canvas.y(value, scale), &format!("{value:.1}"));
        value += step;
    }
}

/// Each line is named at its end, and the names make way for each other.
fn end_labels(canvas: &Canvas<'_>, scale: &RangeInclusive<f64>, lines: &[Curve]) {
    let mut ends: Vec<(f32, f32, &Ratio)> = lines
        .iter()
        .filter_map(|Curve { ratio, pieces }| {
            // A line that ends before the picture begins has no end to be named at.
            let last = pieces.last()?.last().filter(|p| p.x >= 0.0)?;
            let at = canvas.mapping.from() + Span::from_secs_f64(last.x)?;
            Some((canvas.mapping.x(at), canvas.y(last.y, scale), ratio))
        })
        .collect();
    let now = canvas.mapping.x(canvas.scene.end);
    let edge = ends.iter().map(|(x, _, _)| *x).fold(now, f32::max);
    // Only where the lines end inside the picture: elsewhere a name would stand on them.
    if ends.is_empty() || edge + 70.0 > canvas.field.right() {
        return;
    }
    ends.sort_by(|a, b| a.1.total_cmp(&b.1));
    let step = size::CAPTION + 3.0;
    let lowest = canvas.field.bottom() - step * (ends.len() as f32 - 0.5);
    let mut y = canvas.field.top() + step / 2.0;
    for (index, (_, wanted, ratio)) in ends.iter().enumerate() {
        y = wanted.clamp(y, (lowest + step * index as f32).max(y));
        canvas.caption(
            pos2(edge + 7.0, y),
            Align2::LEFT_CENTER,
            ratio.name,
            ratio.colour,
        );
        y += step;
    }
}

pub(super) fn readouts(scene: &Scene<'_>, at: Micros) -> Vec<Readout> {
    let Some(vehicle) = scene.vehicle else {
        return Vec::new();
    };
    let after = vehicle.estimator.partition_point(|s| s.at <= at);
    // As the line does, the reading ends with what is known.
    let Some(sample) = after
        .checked_sub(1)
        .and_then(|i| vehicle.estimator.get(i))
        .filter(|sample| at - sample.at <= HOLE)
    else {
        return Vec::new();
    };
    legend(scene)
        .into_iter()
        .zip(ratios(sample))
        .filter_map(|(ratio, value)| {
            Some(Readout {
                text: format!("{:<8} {:5.2}", ratio.name, value?),
                colour: ratio.colour,
            })
        })
        .chain(ekf_failsafe::readout(scene, at))
        .collect()
}
