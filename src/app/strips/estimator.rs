//! Innovation test ratios of the vehicle's estimator, against the level at which they matter.

use std::ops::RangeInclusive;

use egui::{Align2, Color32, Stroke, Ui, pos2};
use egui_plot::{Line, PlotPoint, PlotPoints};

use crate::session::EstimatorSample;
use crate::time::{Micros, Span};

use super::super::phrases;
use super::super::scene::Scene;
use super::super::theme::size;
use super::Readout;
use super::canvas::Canvas;
use super::ekf_failsafe;

/// A ratio: its name, where it stands in a sample, its colour.
struct Ratio {
    name: &'static str,
    of: fn(&EstimatorSample) -> Option<f32>,
    colour: Color32,
}

/// A ratio over time, in pieces: between them nothing is known.
struct Curve {
    ratio: Ratio,
    pieces: Vec<Vec<PlotPoint>>,
}

/// In the order of [`super::super::extremes::ratios`].
fn ratios(scene: &Scene<'_>) -> [Ratio; 5] {
    let palette = scene.palette;
    [
        Ratio {
            name: "compass",
            of: |s| Some(s.compass),
            colour: palette.companion,
        },
        Ratio {
            name: "velocity",
            of: |s| Some(s.velocity),
            colour: palette.info,
        },
        Ratio {
            name: "position",
            of: |s| Some(s.position),
            colour: palette.ok,
        },
        Ratio {
            name: "height",
            of: |s| Some(s.height),
            colour: palette.muted,
        },
        // Most vehicles have no airspeed sensor and report zero for ever.
        Ratio {
            name: "airspeed",
            of: |s| s.airspeed.filter(|v| *v > 0.0),
            colour: palette.text,
        },
    ]
}

/// The level at which a ratio matters: FS_EKF_THRESH on ArduPilot, the rejection gate on PX4.
fn threshold(scene: &Scene<'_>) -> Option<(f64, String)> {
    let vehicle = scene.vehicle?;
    if scene.is_ardupilot() {
        let parameter = vehicle.parameters.at("FS_EKF_THRESH", scene.moment)?;
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
    let Some(vehicle) = scene.vehicle else {
        return;
    };
    let level = threshold(scene);
    canvas.title(
        "Estimator test ratios",
        match (&level, scene.is_ardupilot()) {
            (Some(_), true) => "against FS_EKF_THRESH",
            (None, true) => "FS_EKF_THRESH not known",
            _ => "rejected above the gate",
        },
    );
    let samples = vehicle.estimator.as_slice();
    let range = visible(samples, canvas.mapping.from(), canvas.mapping.to());
    let column = canvas.mapping.column();
    let lines: Vec<Curve> = ratios(scene)
        .into_iter()
        .enumerate()
        .map(|(number, ratio)| {
            let found = scene.extremes.candidates(samples, range, number, column);
            Curve {
                pieces: reduce(canvas, &found, ratio.of),
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

/// The samples of the range and one on either side, so that lines run out of the picture: as indices.
fn visible(samples: &[EstimatorSample], from: Micros, to: Micros) -> (usize, usize) {
    let start = samples.partition_point(|s| s.at < from).saturating_sub(1);
    let end = (samples.partition_point(|s| s.at <= to) + 1).min(samples.len());
    (start, end)
}

/// Samples further apart than this are not joined: nothing is known in between.
const HOLE: Span = Span::from_secs(5);

/// Least and greatest of each pixel column, in order of time: at most four points a pixel, and no peak
/// is lost. Columns are aligned to absolute time, or peaks would flicker while the view scrolls.
fn reduce(
    canvas: &Canvas<'_>,
    samples: &[&EstimatorSample],
    of: fn(&EstimatorSample) -> Option<f32>,
) -> Vec<Vec<PlotPoint>> {
    let width = canvas.mapping.column().as_micros().max(1);
    let mut pieces: Vec<Vec<PlotPoint>> = Vec::new();
    let mut before: Option<Micros> = None;
    let mut rest = samples;
    while let Some(first) = rest.first() {
        let column = first.at.as_micros().div_euclid(width);
        let count = rest
            .iter()
            .take_while(|s| s.at.as_micros().div_euclid(width) == column)
            .count()
            .max(1);
        let (here, after) = rest.split_at(count);
        rest = after;
        let values = || {
            here.iter()
                .filter_map(|s| Some((s.at, f64::from(of(s)?))))
                .filter(|(_, value)| value.is_finite())
        };
        let by_value = |a: &(Micros, f64), b: &(Micros, f64)| a.1.total_cmp(&b.1);
        let (Some(low), Some(high)) = (values().min_by(by_value), values().max_by(by_value)) else {
            continue;
        };
        if before.is_none_or(|last| first.at - last > HOLE) {
            pieces.push(Vec::new());
        }
        before = here.last().map(|s| s.at);
        let (one, two) = if low.0 <= high.0 {
            (low, high)
        } else {
            (high, low)
        };
        let Some(points) = pieces.last_mut() else {
            continue;
        };
        points.push(canvas.point(one.0, one.1));
        if two.0 != one.0 {
            points.push(canvas.point(two.0, two.1));
        }
    }
    pieces
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
    ratios(scene)
        .into_iter()
        .filter_map(|ratio| {
            let value = (ratio.of)(sample)?;
            Some(Readout {
                text: format!("{:<8} {value:5.2}", ratio.name),
                colour: ratio.colour,
            })
        })
        .chain(ekf_failsafe::readout(scene, at))
        .collect()
}
