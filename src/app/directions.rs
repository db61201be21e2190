//! Both directions of the link, apart, on the right of the glance strip.

use egui::{Align2, Rect, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use super::direction_words::{self, DirectionWords};
use super::glance::wrapped;
use super::scene::Scene;
use super::theme::{self, size};
use super::tone_mark;

/// What one direction takes.
const COLUMN: f32 = 204.0;
/// In a strip narrower than this the directions stand below each other.
const NARROW: f32 = 880.0;

/// The room that the directions take of a strip that is `strip` wide.
pub(super) fn width(scene: &Scene<'_>, strip: f32) -> f32 {
    match (scene.link, strip < NARROW) {
        (None, _) => 0.0,
        // A vehicle's own log has no ground in it.
        _ if scene.is_own_log() => 0.0,
        (Some(_), true) => COLUMN * 0.85,
        (Some(_), false) => COLUMN * 2.0,
    }
}

/// Draws them into `rect`, which is as wide as [`width`] says.
pub(super) fn show(ui: &Ui, scene: &Scene<'_>, rect: Rect) {
    let Some(link) = scene.link.filter(|_| !scene.is_own_log()) else {
        return;
    };
    ui.painter().vline(
        rect.left(),
        rect.shrink(12.0).y_range(),
        Stroke::new(1.0, scene.palette.line),
    );
    let last = link.last_counted.map(|(_, at)| at);
    let down = direction_words::downlink(&link.downlink, link.at);
    let up = direction_words::uplink(&link.uplink, last, link.at);
    let small = rect.width() < COLUMN * 2.0;
    let (size, step) = if small {
        let half = vec2(rect.width() - 20.0, rect.height() / 2.0 - 2.0);
        (half, vec2(0.0, half.y))
    } else {
        (vec2(COLUMN - 14.0, rect.height()), vec2(COLUMN, 0.0))
    };
    let first = Rect::from_min_size(rect.min + vec2(14.0, 0.0), size);
    direction(ui, scene, "WE HEAR THE VEHICLE", &down, first, small);
    let second = first.translate(step);
    direction(ui, scene, "THE VEHICLE HEARS US", &up, second, small);
}

fn direction(
    ui: &Ui,
    scene: &Scene<'_>,
    title: &str,
    words: &DirectionWords,
    rect: Rect,
    small: bool,
) {
    let palette = scene.palette;
    let painter = ui.painter_at(rect);
    let colour = scene.tone_colour(words.tone);
    // Where the title, the state and the evidence stand, from the top.
    let (title_at, state_at, points) = if small {
        (6.0, 30.0, size::BODY)
    } else {
        (16.0, 45.0, size::TITLE)
    };
    painter.text(
        pos2(rect.left(), rect.top() + title_at),
        Align2::LEFT_TOP,
        title,
        theme::strong_font(10.5),
        palette.muted,
    );
    let y = rect.top() + state_at;
    tone_mark::small(
        &painter,
        pos2(rect.left() + 6.0, y),
        5.5,
        words.tone,
        colour,
    );
    let state = wrapped(
        ui,
        &words.state,
        theme::strong_font(points),
        palette.text,
        rect.width() - 19.0,
        1,
    );
    let place = pos2(rect.left() + 19.0, y - state.size().y / 2.0);
    painter.galley(place, state, palette.text);
    if !small {
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
    }
    ui.interact(rect, ui.scope_id().with(title), Sense::hover())
        .widget_info(|| {
            WidgetInfo::labeled(
                Role::Status,
                true,
                format!("{title}: {}, {}", words.state, words.evidence),
            )
        });
}
