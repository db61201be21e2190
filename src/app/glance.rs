//! The glance strip: the state in words, shape and colour, and both directions apart. Read from two
//! metres.

use egui::{
    Align2, Color32, Margin, Pos2, Rect, Role, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2,
};

use crate::source::SourceKind;

use super::direction_words::{self, DirectionWords};
use super::scene::Scene;
use super::theme::{self, size, space};
use super::words::{self, Glance, Tone};

/// The height of the strip.
pub(super) const HEIGHT: f32 = 104.0;
/// The coloured bar on its left.
const BAR: f32 = 6.0;
/// What each direction takes, and the least that is left for the sentence.
const DIRECTION: f32 = 204.0;

pub(super) fn show(ui: &mut Ui, scene: &Scene<'_>) {
    let (glance, notes) = contents(scene);
    let colour = scene.tone_colour(glance.tone);
    let rect = Rect::from_min_size(
        ui.available_rect_before_wrap().min,
        vec2(ui.available_width(), HEIGHT),
    );
    let palette = scene.palette;
    let painter = ui.painter_at(rect);
    let corner = f32::from(space::CARD_RADIUS);
    painter.rect(
        rect,
        corner,
        palette.panel,
        Stroke::new(1.0, palette.line),
        egui::StrokeKind::Inside,
    );
    let bar = Rect::from_min_size(rect.min, vec2(BAR, HEIGHT));
    painter.rect_filled(
        bar,
        egui::CornerRadius {
            nw: 3,
            sw: 3,
            ne: 0,
            se: 0,
        },
        colour,
    );
    shape(
        &painter,
        pos2(rect.left() + 54.0, rect.center().y),
        22.0,
        glance.tone,
        colour,
        palette.panel,
    );

    let directions = if scene.link.is_some() {
        DIRECTION * 2.0
    } else {
        0.0
    };
    let text = Rect::from_min_max(
        pos2(rect.left() + 94.0, rect.top()),
        pos2(rect.right() - directions - 16.0, rect.bottom()),
    );
    words_column(ui, scene, &glance, &notes, text);
    if let Some(link) = scene.link {
        let x = rect.right() - directions;
        painter.vline(
            x,
            rect.shrink(12.0).y_range(),
            Stroke::new(1.0, palette.line),
        );
        let last = link.last_counted.map(|(_, at)| at);
        for (index, (title, words)) in [
            (
                "WE HEAR THE VEHICLE",
                direction_words::downlink(&link.downlink, link.at),
            ),
            (
                "THE VEHICLE HEARS US",
                direction_words::uplink(&link.uplink, last, link.at),
            ),
        ]
        .into_iter()
        .enumerate()
        {
            let left = x + 14.0 + DIRECTION * index as f32;
            let column =
                Rect::from_min_size(pos2(left, rect.top()), vec2(DIRECTION - 14.0, HEIGHT));
            direction(ui, scene, title, &words, column);
        }
    }
    ui.advance_cursor_after_rect(rect);
}

/// The headline alone, for the window's title.
pub(super) fn headline(scene: &Scene<'_>) -> String {
    contents(scene).0.headline
}

/// What the strip says, and the small print below.
fn contents(scene: &Scene<'_>) -> (Glance, String) {
    let quiet = |headline: &str, sentence: &str| Glance {
        tone: Tone::Unknown,
        headline: headline.to_owned(),
        exact: None,
        sentence: sentence.to_owned(),
    };
    match (scene.link, scene.vehicle) {
        (Some(link), _) => (words::glance(link, scene.regained(), scene.format), small_print(scene)),
        (None, Some(_)) => (
            quiet("No rule known", "The failsafe of this vehicle cannot be predicted."),
            String::new(),
        ),
        (None, None) if scene.session.frames() > 0 => (
            quiet(
                "No vehicle yet",
                "Frames arrive, but none of them is the heartbeat of an autopilot.",
            ),
            "A vehicle is listed from its first heartbeat. Check that the autopilot sends HEARTBEAT on this link.".to_owned(),
        ),
        (None, None) if !scene.session.damage().is_clean() => (
            quiet(
                "No vehicle yet",
                "Bytes arrive, but no autopilot heartbeat: nothing in them is a whole MAVLink frame.",
            ),
            "Check the baud rate, and that this port carries MAVLink.".to_owned(),
        ),
        (None, None) => match scene.kind {
            SourceKind::Log => (quiet("Nothing in it", "This recording holds no MAVLink frame."), String::new()),
            _ => (
                quiet("Waiting", "Connected; nothing has arrived so far."),
                "Check that the vehicle sends to this address.".to_owned(),
            ),
        },
    }
}

/// The parameters and the open ends behind the sentence.
fn small_print(scene: &Scene<'_>) -> String {
    let Some(link) = scene.link else {
        return String::new();
    };
    let mut parts: Vec<String> = Vec::new();
    let names: &[&str] = if scene.is_px4() {
        &["COM_DL_LOSS_T", "NAV_DLL_ACT"]
    } else {
        &["FS_GCS_ENABLE", "FS_GCS_TIMEOUT"]
    };
    for name in names {
        if let Some(parameter) = scene.vehicle.and_then(|v| v.parameters.at(name, link.at)) {
            parts.push(format!(
                "{name} {} ({})",
                words::value(parameter.value),
                parameter.provenance.word()
            ));
        }
    }
    let counted: Vec<String> = link
        .counted
        .iter()
        .filter(|c| c.counts)
        .map(|c| c.talker.to_string())
        .collect();
    if !counted.is_empty() {
        parts.push(format!("counted: {}", counted.join(", ")));
    }
    if let Some(loss) = &link.prediction
        && let Some(open) = loss.explanation.assumptions().next()
    {
        parts.push(format!("{}: {}", open.knowledge.word(), open.text));
    }
    parts.join("   ")
}

fn words_column(ui: &Ui, scene: &Scene<'_>, glance: &Glance, notes: &str, rect: Rect) {
    let palette = scene.palette;
    let painter = ui.painter_at(rect);
    let headline = painter.layout_no_wrap(
        glance.headline.clone(),
        theme::strong_font(size::HEADLINE),
        palette.text,
    );
    let sentence = wrapped(
        ui,
        &glance.sentence,
        theme::words(14.0),
        palette.text,
        rect.width(),
        2,
    );
    let small = wrapped(
        ui,
        notes,
        theme::words(size::CAPTION),
        palette.muted,
        rect.width(),
        1,
    );
    let elided = sentence.elided || small.elided;
    let notes_height = if notes.is_empty() {
        0.0
    } else {
        small.size().y + 2.0
    };
    let all = headline.size().y + 1.0 + sentence.size().y + notes_height;
    let top = rect.center().y - all / 2.0 - 1.0;
    painter.galley(pos2(rect.left(), top), headline.clone(), palette.text);
    if let Some(exact) = &glance.exact {
        painter.text(
            pos2(
                rect.left() + headline.size().x + 18.0,
                top + headline.size().y * 0.78,
            ),
            Align2::LEFT_BOTTOM,
            exact,
            theme::figures(size::TITLE),
            palette.muted,
        );
    }
    let y = top + headline.size().y + 1.0;
    painter.galley(pos2(rect.left(), y), sentence.clone(), palette.text);
    if !notes.is_empty() {
        painter.galley(
            pos2(rect.left(), y + sentence.size().y + 2.0),
            small,
            palette.muted,
        );
    }
    let response = ui.interact(rect, ui.scope_id().with("glance"), Sense::hover());
    let exact = glance.exact.as_deref().unwrap_or_default();
    response.widget_info(|| {
        WidgetInfo::labeled(
            Role::Status,
            true,
            format!("{} {exact} {} {notes}", glance.headline, glance.sentence),
        )
    });
    if elided {
        response.on_hover_text(format!(
            "{}\n{}",
            glance.sentence,
            notes.replace("   ", "\n")
        ));
    }
}

/// Text in at most `rows` rows; what does not fit ends in an ellipsis.
fn wrapped(
    ui: &Ui,
    text: &str,
    font: egui::FontId,
    colour: Color32,
    width: f32,
    rows: usize,
) -> std::sync::Arc<egui::Galley> {
    let mut job = egui::text::LayoutJob::simple(text.to_owned(), font, colour, width);
    job.wrap.max_rows = rows;
    ui.painter().layout_job(job)
}

fn direction(ui: &Ui, scene: &Scene<'_>, title: &str, words: &DirectionWords, rect: Rect) {
    let palette = scene.palette;
    let painter = ui.painter_at(rect);
    let colour = scene.tone_colour(words.tone);
    painter.text(
        pos2(rect.left(), rect.top() + 16.0),
        Align2::LEFT_TOP,
        title,
        theme::strong_font(10.5),
        palette.muted,
    );
    let y = rect.top() + 45.0;
    mark(
        &painter,
        pos2(rect.left() + 6.0, y),
        5.5,
        words.tone,
        colour,
    );
    let state = wrapped(
        ui,
        &words.state,
        theme::strong_font(size::TITLE),
        palette.text,
        rect.width() - 19.0,
        1,
    );
    let place = pos2(rect.left() + 19.0, y - state.size().y / 2.0);
    painter.galley(place, state, palette.text);
    let evidence = wrapped(
        ui,
        &words.evidence,
        theme::figures(size::CAPTION),
        palette.muted,
        rect.width(),
        1,
    );
    painter.galley(
        pos2(rect.left(), rect.top() + 60.0),
        evidence,
        palette.muted,
    );
    ui.interact(rect, ui.scope_id().with(title), Sense::hover())
        .widget_info(|| {
            WidgetInfo::labeled(
                Role::Status,
                true,
                format!("{title}: {}, {}", words.state, words.evidence),
            )
        });
}

/// The large shape: circle, triangle, square or hollow circle.
fn shape(
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
pub(super) fn mark(
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

/// The margin around the strip.
pub(super) const fn margin() -> Margin {
    Margin {
        left: 12,
        right: 12,
        top: 8,
        bottom: 0,
    }
}
