//! The words in the countdown strip: when the loss comes, what follows, and where the timer starts. Each
//! stands where the falling line leaves room.

use std::ops::RangeInclusive;

use egui::{Align2, Color32, Rect, pos2};

use crate::rules::{Candidate, LinkLoss, Verdict};
use crate::time::{Bounds, Micros, Span};

use super::super::scene::Scene;
use super::super::theme::size;
use super::canvas::Canvas;

/// Below this height of the field words share a row.
const LOW: f32 = 90.0;
/// Width of a character of a caption, on average.
const CHARACTER: f32 = 5.6;

pub(super) fn draw(canvas: &Canvas<'_>, scale: &RangeInclusive<f64>, loss: &LinkLoss) {
    let taken = of_the_loss(canvas, scale, loss);
    of_the_start(canvas, scale, loss, taken);
}

/// "lost 14.286-14.297, then Hold", and the other candidate's time. Returns where they stand.
fn of_the_loss(canvas: &Canvas<'_>, scale: &RangeInclusive<f64>, loss: &LinkLoss) -> Option<Rect> {
    let field = canvas.field;
    let told = loss.told()?;
    let x = canvas.mapping.x(told.loss.latest());
    if !field.x_range().contains(x) {
        return None;
    }
    let fits = |text: &str| text.len() as f32 * CHARACTER < field.width();
    let mut words = words(canvas.scene, loss, told, field.height() < LOW);
    if let Some((first, _)) = words.first_mut()
        && !fits(first)
    {
        // When it is lost says more than what follows, and words cut in two say nothing.
        *first = format!("lost {}", interval(canvas.scene, told.loss));
    }
    words.retain(|(text, _)| fits(text));
    let row = size::CAPTION + 4.0;
    let longest = words.iter().map(|(text, _)| text.len()).max()?;
    // Right of the upright, where the future is. At the edge: in the upper right corner, above the line
    // that has nearly reached zero there.
    let (x, top, align) = if x + longest as f32 * CHARACTER + 6.0 < field.right() {
        let upright = (field.height() * 0.42).min(64.0);
        (
            x + 6.0,
            canvas.y(0.0, scale) - upright - row,
            Align2::LEFT_TOP,
        )
    } else {
        (field.right() - 4.0, field.top(), Align2::RIGHT_TOP)
    };
    let mut y = top.max(field.top());
    let mut taken: Option<Rect> = None;
    for (text, colour) in words {
        let rect = canvas.caption(pos2(x, y), align, &text, colour);
        taken = Some(taken.map_or(rect, |all| all.union(rect)));
        y += row;
    }
    taken
}

fn words(
    scene: &Scene<'_>,
    loss: &LinkLoss,
    told: &Candidate,
    low: bool,
) -> Vec<(String, Color32)> {
    let palette = scene.palette;
    let lost = format!("lost {}", interval(scene, told.loss));
    let then = loss
        .acting()
        .map_or_else(|| "no action".to_owned(), |action| format!("then {action}"));
    let mut words = if low {
        vec![(format!("{lost}, {then}"), palette.bad)]
    } else {
        vec![(lost, palette.bad), (then, palette.bad)]
    };
    let other = loss.candidates.iter().find(|c| c.loss != told.loss);
    if loss.verdict == Verdict::Inside {
        words.push(("confirmed by the vehicle".to_owned(), palette.text));
    } else if loss.observed_loss.is_none()
        && let Some(other) = other
    {
        words.push((format!("or {}", interval(scene, other.loss)), palette.muted));
    }
    words
}

fn interval(scene: &Scene<'_>, window: Bounds) -> String {
    let from = scene.format.within_minute(window.earliest());
    let to = scene.format.within_minute(window.latest());
    if from == to {
        from
    } else {
        format!("{from}-{to}")
    }
}

/// Names the two starts: of the silence, below the falling line, and of the timer, above it.
fn of_the_start(
    canvas: &Canvas<'_>,
    scale: &RangeInclusive<f64>,
    loss: &LinkLoss,
    taken: Option<Rect>,
) {
    let palette = canvas.scene.palette;
    let mapping = canvas.mapping;
    let Some(told) = loss.told() else {
        return;
    };
    let (last, start, end) = (
        loss.last_heartbeat.latest(),
        told.start_line.earliest(),
        told.loss.earliest(),
    );
    // Zoomed out, there is no room between the silence and its end.
    if mapping.x(end) - mapping.x(last) < 260.0 {
        return;
    }
    if mapping.shows(last) {
        let at = pos2(mapping.x(last) + 5.0, canvas.y(0.0, scale) - 3.0);
        canvas.caption(
            at,
            Align2::LEFT_BOTTOM,
            "last counted heartbeat",
            palette.info,
        );
    }
    if mapping.shows(start) && start - last > Span::from_millis(100) {
        timer_start(canvas, scale, start, end, taken);
    }
}

fn timer_start(
    canvas: &Canvas<'_>,
    scale: &RangeInclusive<f64>,
    start: Micros,
    end: Micros,
    taken: Option<Rect>,
) {
    let timeout = (end - start).as_secs_f64();
    let text = format!("{timeout:.0} s run from here, not from the heartbeat");
    let at = pos2(canvas.mapping.x(start) + 8.0, canvas.y(timeout, scale));
    let right = at.x + text.len() as f32 * CHARACTER;
    let collides = taken.is_some_and(|taken| {
        taken.left() < right && taken.top() < at.y && at.y - size::CAPTION < taken.bottom()
    });
    if !collides && right < canvas.field.right() {
        canvas.caption(at, Align2::LEFT_BOTTOM, &text, canvas.scene.palette.text);
    }
}
