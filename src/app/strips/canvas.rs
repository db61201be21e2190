use std::ops::RangeInclusive;

use egui::{Align2, Color32, FontId, Painter, Rect, Shape, Stroke, Ui, pos2, vec2};
use egui_plot::{Plot, PlotBounds, PlotPoint, PlotUi};

use crate::time::{Micros, Span};

use super::super::scene::Scene;
use super::super::theme::{self, size, space};
use super::super::time_axis::Mapping;
use super::{Readout, inside};

/// Where one strip is drawn: a card with a gutter for names and a field for data.
pub(super) struct Canvas<'a> {
    pub scene: &'a Scene<'a>,
    pub mapping: Mapping,
    card: Rect,
    /// The data field.
    pub field: Rect,
    painter: Painter,
}

/// Space kept free above and below the data.
const INSET: f32 = 8.0;

impl<'a> Canvas<'a> {
    pub(super) fn new(ui: &Ui, scene: &'a Scene<'a>, mapping: Mapping, card: Rect) -> Self {
        let field = Rect::from_min_max(
            pos2(mapping.left(), card.top() + INSET),
            pos2(mapping.right(), card.bottom() - INSET),
        );
        Self {
            scene,
            mapping,
            card,
            field,
            painter: ui.painter_at(card),
        }
    }

    /// The card and its vertical grid.
    pub(super) fn ground(&self) {
        let palette = self.scene.palette;
        self.painter.rect(
            self.card,
            f32::from(theme::space::CARD_RADIUS),
            palette.panel,
            Stroke::new(1.0, palette.line),
            egui::StrokeKind::Inside,
        );
        let (ticks, _) = self.mapping.ticks(72.0, self.scene.format.origin());
        for tick in ticks {
            self.painter.vline(
                self.mapping.x(tick),
                self.field.y_range(),
                Stroke::new(1.0, palette.grid),
            );
        }
    }

    /// The strip's name and what it is.
    pub(super) fn title(&self, title: &str, subtitle: &str) {
        let palette = self.scene.palette;
        let left = self.card.left() + 10.0;
        let title = self.painter.text(
            pos2(left, self.card.top() + 7.0),
            Align2::LEFT_TOP,
            title,
            theme::strong_font(size::SMALL),
            palette.text,
        );
        self.painter.text(
            pos2(left, title.bottom() + 2.0),
            Align2::LEFT_TOP,
            subtitle,
            theme::words(size::CAPTION),
            palette.muted,
        );
    }

    /// A right-aligned name in the gutter, level with `y`.
    pub(super) fn row_label(&self, y: f32, text: &str, font: FontId, colour: Color32) {
        self.painter.text(
            pos2(self.field.left() - space::MEDIUM, y),
            Align2::RIGHT_CENTER,
            text,
            font,
            colour,
        );
    }

    /// A number left of the row's name, unless it would run into what stands left of `taken`.
    pub(super) fn before_row_label(
        &self,
        y: f32,
        label: &str,
        text: &str,
        taken: f32,
        colour: Color32,
    ) {
        let layout = |text: &str, font| self.painter.layout_no_wrap(text.to_owned(), font, colour);
        let label = layout(label, theme::words(size::CAPTION));
        let text = layout(text, theme::figures(size::CAPTION));
        let right = self.field.left() - space::MEDIUM * 2.0 - label.size().x;
        let place = Align2::RIGHT_CENTER.anchor_size(pos2(right, y), text.size());
        if place.left() > self.card.left() + taken {
            self.painter.galley(place.min, text, colour);
        }
    }

    /// A number of the vertical axis, level with `y`, with its grid line.
    pub(super) fn level(&self, y: f32, text: &str) {
        self.row_label(
            y,
            text,
            theme::figures(size::CAPTION),
            self.scene.palette.muted,
        );
        self.inside().hline(
            self.field.x_range(),
            y,
            Stroke::new(1.0, self.scene.palette.grid),
        );
    }

    /// What the strip says of the instant under the pointer, at the foot of the gutter.
    pub(super) fn readouts(&self, readouts: &[Readout]) {
        let mut y = self.card.bottom() - 7.0;
        let lowest_title = self.card.top() + 40.0;
        for readout in readouts.iter().rev() {
            if y - size::CAPTION - 3.0 < lowest_title {
                break;
            }
            let drawn = self.painter.text(
                pos2(self.card.left() + 10.0, y),
                Align2::LEFT_BOTTOM,
                &readout.text,
                theme::figures(size::CAPTION),
                readout.colour,
            );
            y = drawn.top() - 1.0;
        }
    }

    /// A painter that cannot leave the data field sideways.
    pub(super) fn inside(&self) -> Painter {
        self.painter.with_clip_rect(Rect::from_x_y_ranges(
            self.field.x_range(),
            self.card.shrink(1.0).y_range(),
        ))
    }

    /// A caption in the field, moved sideways so that it is not clipped. Returns its rectangle.
    pub(super) fn caption(
        &self,
        at: egui::Pos2,
        align: Align2,
        text: &str,
        colour: Color32,
    ) -> Rect {
        let galley =
            self.painter
                .layout_no_wrap(text.to_owned(), theme::words(size::CAPTION), colour);
        let mut rect = align.anchor_size(at, galley.size());
        let shift = (self.field.left() + 2.0 - rect.left()).max(0.0)
            - (rect.right() - self.field.right() + 2.0).max(0.0);
        rect = rect.translate(vec2(shift, 0.0));
        // A plate, so that a line which must pass here does not strike the words through.
        self.painter.rect_filled(
            rect.expand2(vec2(2.0, 0.0)),
            2.0,
            self.scene.palette.panel.gamma_multiply(0.85),
        );
        self.painter.galley(rect.min, galley, colour);
        rect
    }

    /// Hatching for what is not known.
    pub(super) fn hatch(&self, rect: Rect, colour: Color32) {
        let painter = self.painter.with_clip_rect(rect.intersect(self.field));
        let mut x = rect.left() - rect.height();
        let stroke = Stroke::new(1.0, colour);
        while x < rect.right() {
            painter.line_segment(
                [pos2(x, rect.bottom()), pos2(x + rect.height(), rect.top())],
                stroke,
            );
            x += 6.0;
        }
    }

    /// A dashed line.
    pub(super) fn dashed(
        &self,
        from: egui::Pos2,
        to: egui::Pos2,
        stroke: Stroke,
        dash: f32,
        gap: f32,
    ) {
        self.inside()
            .extend(Shape::dashed_line(&[from, to], stroke, dash, gap));
    }

    /// The vertical position of `value` on a scale over the whole field.
    pub(super) fn y(&self, value: f64, scale: &RangeInclusive<f64>) -> f32 {
        let span = scale.end() - scale.start();
        let share = if span > 0.0 {
            (value - scale.start()) / span
        } else {
            0.0
        };
        self.field.bottom() - (share.clamp(-10.0, 10.0) * f64::from(self.field.height())) as f32
    }

    /// A plot over the whole field whose x is seconds from its left edge.
    pub(super) fn plot<'p>(
        &self,
        ui: &mut Ui,
        id: &str,
        scale: RangeInclusive<f64>,
        draw: impl FnOnce(&mut PlotUi<'p>) + 'p,
    ) {
        let right = self.mapping.seconds(self.mapping.to());
        let bounds = PlotBounds::from_min_max([0.0, *scale.start()], [right, *scale.end()]);
        inside(ui, self.field, |ui| {
            Plot::new(id)
                .width(self.field.width())
                .height(self.field.height())
                .sense(egui::Sense::hover())
                .allow_drag(false)
                .allow_zoom(false)
                .allow_scroll(false)
                .allow_boxed_zoom(false)
                .allow_double_click_reset(false)
                .allow_axis_zoom_drag(false)
                .auto_bounds(false)
                .set_margin_fraction(vec2(0.0, 0.0))
                .show_axes(false)
                .show_grid(false)
                .show_background(false)
                .show_x(false)
                .show_y(false)
                .show(ui, move |plot| {
                    plot.set_plot_bounds(bounds);
                    draw(plot);
                });
        });
    }

    /// A point of a plot drawn by [`Self::plot`].
    pub(super) fn point(&self, at: Micros, value: f64) -> PlotPoint {
        PlotPoint::new(self.mapping.seconds(at), value)
    }

    /// Whether two instants are at least a pixel apart.
    pub(super) fn resolves(&self, span: Span) -> bool {
        span >= self.mapping.column()
    }
}
