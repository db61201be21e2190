//! Time left until the vehicle declares its ground station lost: a band where the ground cannot know.

use std::ops::RangeInclusive;

use egui::{Color32, Stroke, Ui, pos2};
use egui_plot::{FilledArea, Line, PlotPoints};

use crate::rules::LinkLoss;
use crate::session::CountdownPoint;
use crate::time::{Bounds, Micros, Span};

use super::super::scene::Scene;
use super::super::theme::Palette;
use super::canvas::Canvas;
use super::{JUST_NOW, Readout, countdown_doubts, countdown_labels};

/// A silence narrower than this has no room for words beside another one.
const ROOM_FOR_WORDS: f32 = 220.0;

pub(super) fn draw(ui: &mut Ui, canvas: &Canvas<'_>) {
    let scene = canvas.scene;
    canvas.title(
        if scene.is_px4() {
            "Commander countdown"
        } else {
            "GCS failsafe countdown"
        },
        if scene.is_px4() {
            "to gcs_connection_lost"
        } else {
            "to the failsafe"
        },
    );
    let points = scene.strips.countdown.as_slice();
    let scale = scale(scene, points);
    levels(canvas, &scale);
    let incidents = visible_losses(canvas);
    for loss in &incidents {
        draw_start(canvas, loss);
    }
    countdown_doubts::draw(canvas, &scale);
    canvas.plot(ui, "countdown", scale.clone(), |plot| {
        let xs: Vec<f64> = points
            .iter()
            .map(|p| canvas.mapping.seconds(p.at))
            .collect();
        let low: Vec<f64> = points.iter().map(|p| p.earliest.as_secs_f64()).collect();
        let high: Vec<f64> = points.iter().map(|p| p.latest.as_secs_f64()).collect();
        let warn = scene.palette.warn;
        if xs.len() > 1 {
            plot.add(
                FilledArea::new("between earliest and latest", &xs, &low, &high)
                    .fill_color(Palette::shade(warn))
                    .allow_hover(false),
            );
        }
        for (name, values, width) in [
            ("latest", &high, 1.0),
            ("earliest", &low, scene.palette.stroke),
        ] {
            let line: Vec<[f64; 2]> = xs.iter().zip(values).map(|(x, y)| [*x, *y]).collect();
            plot.line(
                Line::new(name, PlotPoints::from(line))
                    .color(warn)
                    .width(width)
                    // The line jumps: a band over its pixel columns would fill the teeth.
                    .allow_band(false)
                    .allow_hover(false),
            );
        }
    });
}

/// What is predicted, and its words: above everything else, the shade over the future included.
pub(super) fn annotate(canvas: &Canvas<'_>) {
    let scale = scale(canvas.scene, &canvas.scene.strips.countdown);
    let losses = visible_losses(canvas);
    countdown_doubts::annotate(canvas, &scale);
    let alone = losses.len() < 2;
    for loss in losses {
        draw_loss(canvas, &scale, loss);
        // Among several, only those that are seen large enough get words.
        let begin = canvas.mapping.x(loss.last_heartbeat.latest());
        let end = loss
            .predicted_loss()
            .map(|window| canvas.mapping.x(window.latest()));
        if alone || end.is_some_and(|end| end - begin > ROOM_FOR_WORDS) {
            countdown_labels::draw(canvas, &scale, loss);
        }
    }
}

/// The silences with something to draw in the visible range: the recorded ones, and the one under way unless
/// the record tells of it already.
fn visible_losses<'a>(canvas: &Canvas<'a>) -> Vec<&'a LinkLoss> {
    let scene = canvas.scene;
    let known = |running: &&LinkLoss| {
        let mut recorded = scene.losses.iter();
        !recorded.any(|loss| loss.is_same_silence(running))
    };
    let running = scene.running_loss().filter(known);
    let (from, to) = (canvas.mapping.from(), canvas.mapping.to());
    scene
        .losses
        .iter()
        .chain(running)
        .filter(|loss| {
            let end = loss.predicted_loss().map_or(loss.last_heartbeat, |window| {
                loss.last_heartbeat.hull(window)
            });
            end.latest() >= from && loss.last_heartbeat.earliest() <= to
        })
        .collect()
}

fn scale(scene: &Scene<'_>, points: &[CountdownPoint]) -> RangeInclusive<f64> {
    let remaining = scene
        .link
        .and_then(|link| link.remaining)
        .map_or(0.0, |(_, latest)| latest.as_secs_f64());
    let top = points
        .iter()
        .map(|p| p.latest.as_secs_f64())
        .fold(remaining, f64::max)
        .clamp(1.0, 3_600.0);
    -top * 0.04..=top * 1.12
}

fn levels(canvas: &Canvas<'_>, scale: &RangeInclusive<f64>) {
    const STEPS: [f64; 9] = [0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0];
    let rows = f64::from(canvas.field.height() / 34.0).max(1.0);
    let step = STEPS
        .into_iter()
        .find(|step| scale.end() / step <= rows)
        .unwrap_or(3_600.0);
    let mut value = 0.0;
    while value <= *scale.end() {
        let text = if step < 1.0 {
            format!("{value:.1} s")
        } else {
            format!("{value:.0} s")
        };
        canvas.level(canvas.y(value, scale), &text);
        value += step;
    }
}

/// Where the silence begins and where the timer starts.
fn draw_start(canvas: &Canvas<'_>, loss: &LinkLoss) {
    let palette = canvas.scene.palette;
    let mapping = canvas.mapping;
    let last = loss.last_heartbeat.latest();
    if mapping.shows(last) {
        let x = mapping.x(last);
        canvas.dashed(
            pos2(x, canvas.field.top()),
            pos2(x, canvas.field.bottom()),
            Stroke::new(1.2, palette.info),
            3.0,
            3.0,
        );
    }
}

fn draw_loss(canvas: &Canvas<'_>, scale: &RangeInclusive<f64>, loss: &LinkLoss) {
    let scene = canvas.scene;
    let palette = scene.palette;
    let zero = canvas.y(0.0, scale);
    let told = loss.told();
    // The one that the story follows comes last, above the others.
    let (followed, others): (Vec<_>, Vec<_>) =
        loss.candidates.iter().partition(|c| told == Some(*c));
    for candidate in others.into_iter().chain(followed) {
        let told = told == Some(candidate);
        let colour = if told { palette.warn } else { palette.muted };
        // It is drawn by the countdown up to the moment shown and continued from there. The others have
        // no line of their own: from where their timers start.
        let begin = if told {
            candidate
                .start_line
                .earliest()
                .max(scene.moment.min(scene.end))
        } else {
            candidate.start_line.earliest()
        };
        if begin < candidate.loss.latest() && loss.regained.is_none_or(|at| at > begin) {
            let left = (candidate.loss.earliest() - begin).as_secs_f64();
            let (dash, gap) = if told { (6.0, 4.0) } else { (1.5, 4.0) };
            canvas.dashed(
                pos2(canvas.mapping.x(begin), canvas.y(left, scale)),
                pos2(canvas.mapping.x(candidate.loss.earliest()), zero),
                Stroke::new(1.2, colour),
                dash,
                gap,
            );
        }
        window(
            canvas,
            candidate.loss,
            zero,
            if told { palette.bad } else { palette.muted },
            told,
        );
    }
    if let Some(seen) = &loss.observed_loss {
        let x = canvas.mapping.x(seen.at);
        let painter = canvas.inside();
        painter.rect_filled(
            egui::Rect::from_center_size(pos2(x, zero), egui::vec2(8.0, 8.0)),
            1.0,
            palette.bad,
        );
    }
}

/// The window of a predicted loss: an upright as wide as what is not known.
fn window(canvas: &Canvas<'_>, window: Bounds, zero: f32, colour: Color32, tall: bool) {
    let mapping = canvas.mapping;
    let top = if tall {
        zero - (canvas.field.height() * 0.42).min(64.0)
    } else {
        zero - 12.0
    };
    let (left, right) = (mapping.x(window.earliest()), mapping.x(window.latest()));
    let painter = canvas.inside();
    if right - left > 2.0 {
        let rect = egui::Rect::from_x_y_ranges(left..=right, top..=zero);
        painter.rect_filled(rect, 0.0, Palette::shade(colour));
    }
    painter.vline(left, top..=zero, Stroke::new(1.6, colour));
    if right - left > 2.0 {
        painter.vline(right, top..=zero, Stroke::new(1.6, colour));
    }
}

pub(super) fn readouts(scene: &Scene<'_>, at: Micros) -> Vec<Readout> {
    let colour = scene.palette.warn;
    let counted = between(&scene.strips.countdown, at).map(|point| Readout {
        text: left(&point),
        colour,
    });
    counted
        .into_iter()
        .chain(countdown_doubts::readout(scene, at))
        .collect()
}

/// The countdown at `at`, on the straight line between its corner points.
fn between(points: &[CountdownPoint], at: Micros) -> Option<CountdownPoint> {
    let after = points.partition_point(|point| point.at <= at);
    let a = points.get(after.checked_sub(1)?)?;
    let Some(b) = points.get(after) else {
        // What is known ends with the last observation; time goes on.
        let ago = at - a.at;
        return (ago < JUST_NOW).then(|| CountdownPoint {
            at,
            earliest: (a.earliest - ago).max(Span::ZERO),
            latest: (a.latest - ago).max(Span::ZERO),
        });
    };
    let mix = |from: Span, to: Span| {
        from + (to - from).scaled((at - a.at).as_micros(), (b.at - a.at).as_micros())
    };
    Some(CountdownPoint {
        at,
        earliest: mix(a.earliest, b.earliest),
        latest: mix(a.latest, b.latest),
    })
}

fn left(point: &CountdownPoint) -> String {
    let (low, high) = (point.earliest.as_secs_f64(), point.latest.as_secs_f64());
    if (high - low).abs() < 0.005 {
        format!("{low:.2} s left")
    } else {
        format!("{low:.2} .. {high:.2} s left")
    }
}
