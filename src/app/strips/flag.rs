//! The vehicle's `heartbeat_type_gcs` flag as the ground can reconstruct it: true, false, or not known.

use egui::{Align2, Color32, Rect, Stroke, pos2};

use crate::session::{FlagSegment, FlagState, ReportMark};
use crate::time::Micros;

use super::super::scene::Scene;
use super::super::theme::{self, size};
use super::canvas::Canvas;
use super::{JUST_NOW, Readout, logged_loss};

pub(super) fn draw(canvas: &Canvas<'_>) {
    let scene = canvas.scene;
    let palette = scene.palette;
    canvas.title("heartbeat_type_gcs", "as the vehicle sees it");
    let rows = Rows::of(canvas);
    canvas.row_label(rows.yes, "true", theme::words(size::CAPTION), palette.muted);
    canvas.row_label(rows.no, "false", theme::words(size::CAPTION), palette.muted);
    let segments = &scene.strips.flag;
    for segment in segments {
        draw_segment(canvas, &rows, segment);
    }
    joints(canvas, &rows, segments);
    // Crowded marks get smaller rather than run together.
    let room = canvas.field.width() / scene.strips.reports.len().max(1) as f32;
    let radius = (room * 0.35).clamp(1.6, 3.2);
    for report in &scene.strips.reports {
        draw_report(canvas, &rows, report, radius);
    }
    captions(canvas, &rows, segments);
    if let Some(y) = rows.logged {
        logged_loss::draw(canvas, y);
    }
}

/// The heights of the two states.
struct Rows {
    yes: f32,
    no: f32,
    /// Of the vehicle's own record, if there is one.
    logged: Option<f32>,
}

impl Rows {
    fn of(canvas: &Canvas<'_>) -> Self {
        let at = |share: f32| canvas.field.top() + canvas.field.height() * share;
        if logged_loss::of(canvas.scene).is_some() {
            Self {
                yes: at(0.14),
                no: at(0.52),
                logged: Some(at(0.9)),
            }
        } else {
            Self {
                yes: at(0.25),
                no: at(0.78),
                logged: None,
            }
        }
    }

    const fn of_state(&self, state: FlagState) -> f32 {
        match state {
            FlagState::False => self.no,
            FlagState::True | FlagState::Unknown => self.yes,
        }
    }
}

fn colour(scene: &Scene<'_>, state: FlagState) -> Color32 {
    match state {
        FlagState::True => scene.palette.ok,
        FlagState::False => scene.palette.bad,
        FlagState::Unknown => scene.palette.muted,
    }
}

fn draw_segment(canvas: &Canvas<'_>, rows: &Rows, segment: &FlagSegment) {
    let mapping = canvas.mapping;
    let x = mapping.x_inside(segment.from)..=mapping.x_inside(segment.to);
    let colour = colour(canvas.scene, segment.state);
    if segment.state == FlagState::Unknown {
        let rect = Rect::from_x_y_ranges(x, rows.yes..=rows.no);
        canvas.hatch(rect, colour);
    } else {
        let stroke = Stroke::new(canvas.scene.palette.stroke + 1.4, colour);
        canvas
            .inside()
            .hline(x, rows.of_state(segment.state), stroke);
    }
}

/// The steps between two known states.
fn joints(canvas: &Canvas<'_>, rows: &Rows, segments: &[FlagSegment]) {
    for pair in segments.windows(2) {
        let [before, after] = pair else { continue };
        let known = before.state != FlagState::Unknown && after.state != FlagState::Unknown;
        if known && before.state != after.state {
            let stroke = Stroke::new(
                canvas.scene.palette.stroke,
                colour(canvas.scene, after.state),
            );
            canvas
                .inside()
                .vline(canvas.mapping.x(after.from), rows.yes..=rows.no, stroke);
        }
    }
}

fn draw_report(canvas: &Canvas<'_>, rows: &Rows, report: &ReportMark, radius: f32) {
    let palette = canvas.scene.palette;
    let colour = colour(canvas.scene, report.says);
    let y = match report.says {
        FlagState::Unknown => f32::midpoint(rows.yes, rows.no),
        state => rows.of_state(state),
    };
    let painter = canvas.inside();
    let from = canvas.mapping.x(report.at.earliest());
    if report.says == FlagState::Unknown {
        // It said either: between the two, tied to both.
        let stroke = Stroke::new(1.2, colour);
        canvas.dashed(pos2(from, rows.yes), pos2(from, rows.no), stroke, 2.0, 2.5);
    }
    let to = canvas.mapping.x(report.at.latest());
    if canvas.resolves(report.at.width() / 4) {
        // Published somewhere in here: a bar as wide as what is not known.
        let rect = Rect::from_x_y_ranges(from..=to, y - 2.5..=y + 2.5);
        painter.rect_stroke(
            rect,
            2.0,
            Stroke::new(1.0, colour),
            egui::StrokeKind::Middle,
        );
    } else {
        painter.circle(
            pos2(from, y),
            radius,
            palette.panel,
            Stroke::new(1.6, colour),
        );
    }
}

/// Words where the line has just left room for them: beside a step, never on the data.
fn captions(canvas: &Canvas<'_>, rows: &Rows, segments: &[FlagSegment]) {
    const ROOM: f32 = 170.0;
    let scene = canvas.scene;
    for (index, segment) in segments.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|i| segments.get(i));
        if segment.state != FlagState::False || before.is_none() {
            continue;
        }
        let x = canvas.mapping.x(segment.from);
        let free = canvas.mapping.x_inside(segment.to) - x;
        if free > ROOM {
            canvas.caption(
                pos2(x + 10.0, rows.yes),
                Align2::LEFT_CENTER,
                &format!("cleared at {}", scene.format.full(segment.from)),
                scene.palette.bad,
            );
        }
    }
}

/// The segment that `at` lies in, or just behind: the latest that began, so that none outlives an edge.
fn segment_at(segments: &[FlagSegment], at: Micros) -> Option<&FlagSegment> {
    segments
        .iter()
        .rfind(|segment| segment.from <= at)
        .filter(|segment| at <= segment.to + JUST_NOW)
}

pub(super) fn readouts(scene: &Scene<'_>, at: Micros) -> Vec<Readout> {
    let seen = segment_at(&scene.strips.flag, at).map(|segment| Readout {
        text: match segment.state {
            FlagState::True => "true",
            FlagState::False => "false",
            FlagState::Unknown => "cannot know",
        }
        .to_owned(),
        colour: colour(scene, segment.state),
    });
    seen.into_iter()
        .chain(logged_loss::readout(scene, at))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_segment_outlives_the_edge_at_its_end() {
        let at = Micros::from_millis;
        let segment = |from, to, state| FlagSegment {
            from: at(from),
            to: at(to),
            state,
        };
        let segments = [
            segment(1_000, 2_000, FlagState::True),
            segment(2_000, 2_010, FlagState::Unknown),
            segment(2_010, 5_000, FlagState::False),
        ];
        let state = |time| segment_at(&segments, at(time)).map(|segment| segment.state);
        assert_eq!(state(999), None);
        assert_eq!(state(1_999), Some(FlagState::True));
        assert_eq!(state(2_005), Some(FlagState::Unknown));
        // Well within the time for which the last segment of all would be held.
        assert_eq!(state(2_700), Some(FlagState::False));
        assert_eq!(state(6_500), Some(FlagState::False));
        assert_eq!(state(6_501), None);
    }
}
