//! The shapes of the tones: circle, triangle, square, hollow circle. State is never colour alone.

use egui::{Align2, Color32, Pos2, Rect, Shape, Stroke, vec2};

use super::theme;
use super::words::Tone;

/// The large shape: circle, triangle, square or hollow circle.
pub(super) fn large(
    painter: &egui::Painter,
    centre: Pos2,
    radius: f32,
    tone: Tone,
    colour: Color32,
    ground: Color32,
) {
    let thick = Stroke::new(3.0, colour);
    match tone {
        Tone::Calm => {
            painter.circle_filled(centre, radius * 0.86, colour);
            let tick = vec![
                centre + vec2(-8.0, 0.0),
                centre + vec2(-2.5, 6.0),
                centre + vec2(8.5, -6.0),
            ];
            painter.add(Shape::line(tick, Stroke::new(3.2, ground)));
        }
        Tone::Warning => {
            painter.add(Shape::closed_line(triangle(centre, radius), thick));
            exclamation(painter, centre + vec2(0.0, 4.0), colour);
        }
        Tone::Alarm => {
            let rect = Rect::from_center_size(centre, vec2(radius, radius) * 1.75);
            painter.rect_filled(rect, 4.0, colour);
            exclamation(painter, centre, ground);
        }
        Tone::Unknown => {
            painter.circle_stroke(centre, radius * 0.86, thick);
            painter.text(
                centre,
                Align2::CENTER_CENTER,
                "?",
                theme::strong_font(20.0),
                colour,
            );
        }
    }
}

fn exclamation(painter: &egui::Painter, centre: Pos2, colour: Color32) {
    painter.line_segment(
        [centre + vec2(0.0, -9.0), centre + vec2(0.0, 2.0)],
        Stroke::new(3.2, colour),
    );
    painter.circle_filled(centre + vec2(0.0, 7.5), 2.0, colour);
}

fn triangle(centre: Pos2, radius: f32) -> Vec<Pos2> {
    vec![
        centre + vec2(0.0, -radius * 0.9),
        centre + vec2(radius, radius * 0.85),
        centre + vec2(-radius, radius * 0.85),
    ]
}

/// The same shapes, small, beside a word.
pub(super) fn small(
    painter: &egui::Painter,
    centre: Pos2,
    radius: f32,
    tone: Tone,
    colour: Color32,
) {
    match tone {
        Tone::Calm => {
            painter.circle_filled(centre, radius, colour);
        }
        Tone::Warning => {
            painter.add(Shape::convex_polygon(
                triangle(centre, radius),
                colour,
                Stroke::NONE,
            ));
        }
        Tone::Alarm => {
            let rect = Rect::from_center_size(centre, vec2(radius, radius) * 1.9);
            painter.rect_filled(rect, 1.0, colour);
        }
        Tone::Unknown => {
            painter.circle_stroke(centre, radius - 0.5, Stroke::new(1.6, colour));
        }
    }
}
