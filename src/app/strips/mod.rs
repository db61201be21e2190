//! The strips: everything that happened, on one time axis.
//!
//! All of them share one mapping from time to pixels. The lanes are painted with it; the numeric ones are
//! plots whose bounds are set from it, with their own navigation switched off.

mod canvas;
mod countdown;
mod countdown_doubts;
mod countdown_labels;
mod ekf_failsafe;
mod estimator;
mod flag;
mod heartbeats;
mod hover;
mod layout;
mod logged_loss;
mod overlay;
mod quality;

use egui::{Rect, Response, RichText, Role, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};

use crate::time::{Micros, Span};

use super::command::Command;
use super::scene::Scene;
use super::theme::{Palette, space};
use super::time_axis::{Mapping, TimeAxis};
use canvas::Canvas;
use heartbeats::Lanes;

/// One strip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strip {
    Heartbeats,
    Flag,
    Countdown,
    Estimator,
    Quality,
}

/// What a strip says of one instant: shown beside it while the pointer rests there.
struct Readout {
    text: String,
    colour: egui::Color32,
}

/// What is known ends with the last observation; until the next one it holds for this long.
const JUST_NOW: Span = Span::from_millis(1_500);
/// Room left of the data for names and numbers.
const GUTTER: f32 = 200.0;
/// Room above the strips for the label of the present line.
const HEAD: f32 = 18.0;
/// Room below for the axis.
const FOOT: f32 = 22.0;

/// Draws all strips into the rest of `ui` and takes zoom, pan and clicks.
pub(super) fn show(
    ui: &mut Ui,
    scene: &Scene<'_>,
    axis: &mut TimeAxis,
    commands: &mut Vec<Command>,
) {
    let area = ui.available_rect_before_wrap();
    let left = area.left() + GUTTER;
    let right = area.right() - space::LARGE;
    let mapping = axis.mapping(left, right);

    let strips = Rect::from_min_max(
        pos2(area.left(), area.top() + HEAD),
        pos2(area.right(), area.bottom() - FOOT),
    );
    let lanes = Lanes::of(scene);
    let plan = layout::plan(scene, &lanes, strips);
    for (strip, card) in &plan.shown {
        let canvas = Canvas::new(ui, scene, mapping, *card);
        canvas.ground();
        draw(*strip, ui, &canvas, &lanes);
    }

    let bottom = plan
        .shown
        .last()
        .map_or(strips.bottom(), |(_, card)| card.bottom());
    let field = Rect::from_min_max(pos2(left, strips.top()), pos2(right, bottom));
    overlay::shade_future(ui, scene, mapping, field);
    for (strip, card) in &plan.shown {
        if *strip == Strip::Countdown {
            countdown::annotate(&Canvas::new(ui, scene, mapping, *card));
        }
    }
    let (hovered, response) = navigate(ui, scene, field, mapping, axis, commands);
    overlay::draw(ui, scene, mapping, area, field, hovered);
    if let Some(at) = hovered {
        let below = response.hover_pos().and_then(|pointer| {
            let (strip, card) = plan.shown.iter().find(|(_, card)| card.contains(pointer))?;
            let field = Canvas::new(ui, scene, mapping, *card).field;
            let share = (pointer.y - field.top()) / field.height();
            hover::words(*strip, scene, &lanes, mapping, at, share)
        });
        if let Some(words) = below {
            response.on_hover_text_at_pointer(words);
        }
        for (strip, card) in &plan.shown {
            let canvas = Canvas::new(ui, scene, mapping, *card);
            match strip {
                Strip::Heartbeats => heartbeats::ages(&canvas, &lanes, at),
                _ => canvas.readouts(&readouts(*strip, scene, &lanes, at)),
            }
        }
    }
    overlay::axis(ui, scene, mapping, area, bottom, plan.dropped);
    ui.advance_cursor_after_rect(area);

    for (strip, card) in plan.shown {
        // Put into words only when somebody listens: the estimator's count is run again for it.
        ui.interact(card, ui.scope_id().with(name(strip)), Sense::hover())
            .widget_info(|| {
                WidgetInfo::labeled(Role::Figure, true, describe(strip, scene, &lanes))
            });
    }
}

/// What stands in their place before anything has been seen.
pub(super) fn show_empty(ui: &mut Ui, palette: &Palette) {
    ui.centered_and_justified(|ui| {
        ui.label(RichText::new("The strips appear with the first frame.").color(palette.muted));
    });
}

fn draw(strip: Strip, ui: &mut Ui, canvas: &Canvas<'_>, lanes: &Lanes<'_>) {
    match strip {
        Strip::Heartbeats => heartbeats::draw(canvas, lanes),
        Strip::Flag => flag::draw(canvas),
        Strip::Countdown => countdown::draw(ui, canvas),
        Strip::Estimator => estimator::draw(ui, canvas),
        Strip::Quality => quality::draw(ui, canvas),
    }
}

fn readouts(strip: Strip, scene: &Scene<'_>, lanes: &Lanes<'_>, at: Micros) -> Vec<Readout> {
    match strip {
        Strip::Heartbeats => heartbeats::readouts(scene, lanes, at),
        Strip::Flag => flag::readouts(scene, at),
        Strip::Countdown => countdown::readouts(scene, at),
        Strip::Estimator => estimator::readouts(scene, at),
        Strip::Quality => quality::readouts(scene, at),
    }
}

const fn name(strip: Strip) -> &'static str {
    match strip {
        Strip::Heartbeats => "Heartbeats",
        Strip::Flag => "heartbeat_type_gcs",
        Strip::Countdown => "Countdown",
        Strip::Estimator => "Estimator test ratios",
        Strip::Quality => "Link quality",
    }
}

/// The strip in words, for those who cannot see it: its name and what it says of the moment shown.
fn describe(strip: Strip, scene: &Scene<'_>, lanes: &Lanes<'_>) -> String {
    let mut text = format!("{} strip", name(strip));
    for readout in readouts(strip, scene, lanes, scene.moment) {
        text.push_str(", ");
        text.push_str(&readout.text);
    }
    text
}

/// Wheel zooms at the pointer, dragging pans, a click goes there, a double click shows everything.
/// Returns the instant under the pointer, and the field's response.
fn navigate(
    ui: &mut Ui,
    scene: &Scene<'_>,
    field: Rect,
    mapping: Mapping,
    axis: &mut TimeAxis,
    commands: &mut Vec<Command>,
) -> (Option<Micros>, Response) {
    let response = ui.interact(
        field,
        ui.scope_id().with("time field"),
        Sense::click_and_drag(),
    );
    response.widget_info(|| {
        WidgetInfo::labeled(
            Role::Canvas,
            true,
            "Time axis: wheel zooms, drag moves, click goes there",
        )
    });
    if response.double_clicked() {
        commands.push(Command::Fit);
    } else if response.clicked()
        && let Some(pointer) = response.interact_pointer_pos()
    {
        commands.push(Command::Seek(mapping.time(pointer.x)));
    }
    if response.dragged() {
        let moved = response.drag_delta().x;
        if moved != 0.0 {
            axis.pan(-mapping.shift(moved));
        }
    }
    let Some(pointer) = response.hover_pos() else {
        return (None, response);
    };
    let at = mapping.time(pointer.x);
    let (scroll, pinch) = ui.input(|input| (input.smooth_scroll_delta(), input.zoom_delta()));
    if scroll.y != 0.0 || (pinch - 1.0).abs() > f32::EPSILON {
        // A following axis zooms about the moment it follows, or that would drift away.
        let fixed = if axis.follows() { scene.moment } else { at };
        let factor = (-f64::from(scroll.y) / 300.0).exp() / f64::from(pinch);
        axis.zoom(factor, fixed);
    }
    if scroll.x != 0.0 {
        axis.pan(-mapping.shift(scroll.x));
    }
    ((!response.dragged()).then_some(at), response)
}

/// A child `ui` that fills `rect`.
fn inside<R>(ui: &mut Ui, rect: Rect, add: impl FnOnce(&mut Ui) -> R) -> R {
    let builder = UiBuilder::new().max_rect(rect);
    ui.scope_builder(builder, |ui| {
        ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
        add(ui)
    })
    .inner
}
