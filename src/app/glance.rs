//! The glance strip: the state in words, shape and colour, and both directions apart. Read from two
//! metres.

use egui::{Align2, Color32, Margin, Rect, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use crate::link::LinkState;
use crate::source::SourceKind;

use super::directions;
use super::other_failsafe;
use super::phrases;
use super::scene::{Phase, Scene};
use super::theme::{self, size, space};
use super::tone_mark;
use super::words::{self, Glance, Tone};

/// The height of the strip.
pub(super) const HEIGHT: f32 = 104.0;
/// The coloured bar on its left.
const BAR: f32 = 6.0;

/// Draws it and returns the headline, which the window's title carries as well.
pub(super) fn show(ui: &mut Ui, scene: &Scene<'_>) -> String {
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
    tone_mark::large(
        &painter,
        pos2(rect.left() + 54.0, rect.center().y),
        22.0,
        glance.tone,
        colour,
        palette.panel,
    );

    let room = directions::width(scene, rect.width());
    let text = Rect::from_min_max(
        pos2(rect.left() + 94.0, rect.top()),
        pos2(rect.right() - room - 16.0, rect.bottom()),
    );
    words_column(ui, scene, &glance, &notes, text);
    let right = Rect::from_min_max(pos2(rect.right() - room, rect.top()), rect.max);
    directions::show(ui, scene, right);
    ui.advance_cursor_after_rect(rect);
    glance.headline
}

/// The headline alone, for the title of a window that is not drawn.
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
        (Some(link), _) => {
            let of_the_link = words::glance(link, scene.regained(), scene.format);
            let ekf = other_failsafe::ekf_in_force(scene.ekf_failsafes, scene.moment);
            let all = other_failsafe::add(of_the_link, link, ekf, scene.format);
            (all, small_print(scene))
        }
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
        (None, None) => match (scene.kind, scene.phase) {
            (_, Phase::Failed) => (
                quiet("Ended", "The source has ended before anything arrived."),
                String::new(),
            ),
            (SourceKind::Log, Phase::Running) => (
                quiet("Reading", "The recording is being read."),
                String::new(),
            ),
            (SourceKind::Log, Phase::Finished) => (quiet("Nothing in it", "This recording holds no MAVLink frame."), String::new()),
            _ => match scene.live.map(|live| &live.status.state) {
                Some(LinkState::Connecting) => (
                    quiet("Connecting", "The link is being opened."),
                    String::new(),
                ),
                Some(LinkState::Down(why)) => (
                    quiet("Not connected", why),
                    "It is tried again and again.".to_owned(),
                ),
                _ => (
                    quiet("Waiting", "Connected; nothing has arrived so far."),
                    "Check that the vehicle sends to this address.".to_owned(),
                ),
            },
        },
    }
}

/// The parameters and the open ends behind the sentence.
fn small_print(scene: &Scene<'_>) -> String {
    let Some(link) = scene.link else {
        return String::new();
    };
    let mut parts: Vec<String> = Vec::new();
    for (name, parameter) in &link.decided_by {
        parts.push(format!(
            "{name} {} ({})",
            phrases::value(parameter.value),
            parameter.provenance.word()
        ));
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
    let layout = |points| {
        painter.layout_no_wrap(
            glance.headline.clone(),
            theme::strong_font(points),
            palette.text,
        )
    };
    let mut headline = layout(size::HEADLINE);
    if headline.size().x > rect.width() {
        headline = layout(size::HEADLINE * (rect.width() / headline.size().x).max(0.5));
    }
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
    if let Some(exact) = &glance.exact
        && headline.size().x + 18.0 + exact.len() as f32 * 10.0 < rect.width()
    {
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
pub(super) fn wrapped(
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

/// The margin around the strip.
pub(super) const fn margin() -> Margin {
    Margin {
        left: 12,
        right: 12,
        top: 8,
        bottom: 0,
    }
}
