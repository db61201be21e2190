//! Losses that may have come unheard: the vehicle was silent while the ground went on, and if nothing it
//! sent arrived, the vehicle counted all the same. Hatched, because nobody can tell.

use std::ops::RangeInclusive;

use egui::{Align2, Rect, Stroke, pos2};

use crate::rules::LinkLoss;
use crate::time::{Bounds, Micros, Span};

use super::super::scene::Scene;
use super::Readout;
use super::canvas::Canvas;

/// How high the band stands above zero.
const HEIGHT: f32 = 14.0;
/// A band narrower than this has no room for its words.
const ROOM_FOR_WORDS: f32 = 150.0;

/// From the last heartbeat that certainly counted to the loss: what the band covers.
fn extent(doubt: &LinkLoss) -> Option<(Micros, Bounds)> {
    Some((doubt.last_heartbeat.latest(), doubt.predicted_loss()?))
}

/// All of the record, and the one under way unless the record tells of it already.
fn all<'a>(scene: &'a Scene<'_>) -> impl Iterator<Item = &'a LinkLoss> {
    let known = |running: &&LinkLoss| {
        let mut recorded = scene.doubts.iter();
        !recorded.any(|doubt| doubt.is_same_silence(running))
    };
    scene
        .doubts
        .iter()
        .chain(scene.running_doubt().filter(known))
}

/// Those that reach into the visible range.
fn visible<'a>(canvas: &'a Canvas<'_>) -> impl Iterator<Item = (&'a LinkLoss, Micros, Bounds)> {
    let (from, to) = (canvas.mapping.from(), canvas.mapping.to());
    all(canvas.scene)
        .filter_map(|doubt| extent(doubt).map(|(begin, loss)| (doubt, begin, loss)))
        .filter(move |(_, begin, loss)| loss.latest() >= from && *begin <= to)
}

/// The band of each, and the fall of its timers.
pub(super) fn draw(canvas: &Canvas<'_>, scale: &RangeInclusive<f64>) {
    let colour = canvas.scene.palette.muted;
    let zero = canvas.y(0.0, scale);
    for (doubt, begin, loss) in visible(canvas) {
        let x = canvas.mapping.x_inside(begin)..=canvas.mapping.x_inside(loss.latest());
        canvas.hatch(
            Rect::from_x_y_ranges(x, zero - HEIGHT..=zero),
            colour.gamma_multiply(0.7),
        );
        for candidate in &doubt.candidates {
            let start = candidate.start_line.earliest();
            let left = (candidate.loss.earliest() - start).as_secs_f64();
            canvas.dashed(
                pos2(canvas.mapping.x(start), canvas.y(left, scale)),
                pos2(canvas.mapping.x(candidate.loss.earliest()), zero),
                Stroke::new(1.0, colour),
                1.5,
                4.0,
            );
        }
        for at in [loss.earliest(), loss.latest()] {
            canvas.inside().vline(
                canvas.mapping.x(at),
                zero - HEIGHT..=zero,
                Stroke::new(1.6, colour),
            );
        }
    }
}

/// The words of each that is seen large enough.
pub(super) fn annotate(canvas: &Canvas<'_>, scale: &RangeInclusive<f64>) {
    let scene = canvas.scene;
    let zero = canvas.y(0.0, scale);
    for (doubt, begin, loss) in visible(canvas) {
        let (left, right) = (
            canvas.mapping.x_inside(begin),
            canvas.mapping.x_inside(loss.latest()),
        );
        if right - left < ROOM_FOR_WORDS {
            continue;
        }
        let words = words(scene, doubt, loss);
        let at = pos2(right - 4.0, zero - HEIGHT - 2.0);
        canvas.caption(at, Align2::RIGHT_BOTTOM, &words, scene.palette.muted);
    }
}

fn words(scene: &Scene<'_>, doubt: &LinkLoss, loss: Bounds) -> String {
    let (from, to) = (
        scene.format.within_minute(loss.earliest()),
        scene.format.within_minute(loss.latest()),
    );
    let then = doubt
        .acting()
        .map_or_else(|| "no action".to_owned(), |action| format!("then {action}"));
    if from == to {
        format!("if nothing arrives: lost {from}, {then}")
    } else {
        format!("if nothing arrives: lost {from}-{to}, {then}")
    }
}

/// What may be left at `at` if nothing arrived.
pub(super) fn readout(scene: &Scene<'_>, at: Micros) -> Option<Readout> {
    let (_, loss) = all(scene)
        .filter_map(extent)
        .find(|(begin, loss)| *begin <= at && at <= loss.latest())?;
    let left = |instant: Micros| (instant - at).max(Span::ZERO).as_secs_f64();
    let (low, high) = (left(loss.earliest()), left(loss.latest()));
    Some(Readout {
        text: if high - low < 0.005 {
            format!("or {low:.2} s unheard")
        } else {
            format!("or {low:.2} .. {high:.2} unheard")
        },
        colour: scene.palette.muted,
    })
}
