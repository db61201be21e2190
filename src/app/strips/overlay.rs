//! What lies over all strips: the moment shown, the pointer, the axis.

use egui::{Align2, Color32, Rect, Stroke, Ui, pos2, vec2};

use crate::time::Micros;

use super::super::scene::Scene;
use super::super::theme::{self, size};
use super::super::time_axis::Mapping;

/// Mutes the part of a record that lies after the moment shown: the record knows it, but whoever stands
/// at this moment does not.
pub(super) fn shade_future(ui: &Ui, scene: &Scene<'_>, mapping: Mapping, field: Rect) {
    if scene.moment < scene.end && mapping.to() > scene.moment {
        let left = mapping.x_inside(scene.moment);
        let after = Rect::from_min_max(pos2(left, field.top() + 1.0), field.max);
        ui.painter_at(field)
            .rect_filled(after, 0.0, scene.palette.panel.gamma_multiply(0.45));
    }
}

/// The lines of the moment shown and of the pointer.
pub(super) fn draw(
    ui: &Ui,
    scene: &Scene<'_>,
    mapping: Mapping,
    area: Rect,
    field: Rect,
    hovered: Option<Micros>,
) {
    let palette = scene.palette;
    let painter = ui.painter_at(area);
    let mut taken = None;
    if mapping.shows(scene.moment) {
        let x = mapping.x(scene.moment);
        painter.vline(x, field.y_range(), Stroke::new(1.0, palette.text));
        let text = scene.format.tenth(scene.moment);
        taken = Some(tag(
            ui,
            area,
            field,
            x,
            None,
            &text,
            palette.text,
            palette.background,
        ));
    }
    if let Some(at) = hovered {
        let x = mapping.x(at);
        painter.vline(x, field.y_range(), Stroke::new(1.0, palette.muted));
        tag(
            ui,
            area,
            field,
            x,
            taken,
            &scene.format.full(at),
            palette.line,
            palette.text,
        );
    }
}

/// A small label above the strips, beside `taken` if it would cover that.
#[expect(
    clippy::too_many_arguments,
    reason = "two colours, two rectangles, a place and a text: no type joins them"
)]
fn tag(
    ui: &Ui,
    area: Rect,
    field: Rect,
    x: f32,
    taken: Option<Rect>,
    text: &str,
    fill: Color32,
    ink: Color32,
) -> Rect {
    let painter = ui.painter_at(area);
    let galley = painter.layout_no_wrap(text.to_owned(), theme::figures(size::CAPTION), ink);
    let plate = galley.size() + vec2(12.0, 2.0);
    let x = x.clamp(area.left() + plate.x / 2.0, area.right() - plate.x / 2.0);
    let mut rect = Align2::CENTER_BOTTOM.anchor_size(pos2(x, field.top() - 1.0), plate);
    if let Some(taken) = taken.filter(|taken| taken.intersects(rect.expand(4.0))) {
        let left = rect.center().x < taken.center().x && taken.left() - plate.x > area.left();
        rect = if left {
            rect.translate(vec2(taken.left() - 4.0 - rect.right(), 0.0))
        } else {
            rect.translate(vec2(taken.right() + 4.0 - rect.left(), 0.0))
        };
    }
    painter.rect_filled(rect, 4.0, fill);
    painter.galley(rect.center() - galley.size() / 2.0, galley, ink);
    rect
}

/// The labels of the time axis, once, below the last strip.
pub(super) fn axis(
    ui: &Ui,
    scene: &Scene<'_>,
    mapping: Mapping,
    area: Rect,
    bottom: f32,
    dropped: usize,
) {
    let palette = scene.palette;
    let painter = ui.painter_at(area);
    let y = bottom + 5.0;
    let (ticks, step) = mapping.ticks(72.0, scene.format.origin());
    for tick in ticks {
        let x = mapping.x(tick);
        // A label whose half would be cut off at the window's edge is not drawn.
        if x + 30.0 > area.right() {
            continue;
        }
        painter.text(
            pos2(x, y),
            Align2::CENTER_TOP,
            scene.format.tick(tick, step),
            theme::figures(size::CAPTION),
            palette.muted,
        );
    }
    let note = match dropped {
        0 => scene.format.unit(),
        n => format!("{} ({n} hidden)", scene.format.unit()),
    };
    let room = Rect::from_min_max(area.min, pos2(mapping.left() - 34.0, area.bottom()));
    ui.painter_at(room).text(
        pos2(area.left() + 10.0, y),
        Align2::LEFT_TOP,
        note,
        theme::words(size::CAPTION),
        palette.muted,
    );
}
