//! The bottom line: play, speed, and where in the record the moment shown lies.

use egui::{
    Align, Button, ComboBox, Layout, Rect, RichText, Role, Sense, Stroke, Ui, WidgetInfo, pos2,
    vec2,
};

use crate::rules::LinkLoss;
use crate::time::{Micros, Span};

use super::command::Command;
use super::scene::{Scene, ekf_trip_time, incident_time, incident_times};
use super::theme::{self, Palette, size};
use super::time_axis::TimeAxis;
use super::time_format::age;
use super::transport::{SPEEDS, Transport};

/// The height of the line.
pub(super) const HEIGHT: f32 = 38.0;
/// Below this width not everything finds room.
const NARROW: f32 = 760.0;

pub(super) fn show(
    ui: &mut Ui,
    scene: &Scene<'_>,
    transport: &Transport,
    axis: &TimeAxis,
    live: bool,
    commands: &mut Vec<Command>,
) {
    let palette = scene.palette;
    ui.horizontal_centered(|ui| {
        play(ui, palette, transport, live, commands);
        // The keys do the same where there is no room.
        let narrow = ui.available_width() < NARROW;
        if !live {
            if !narrow {
                ui.scope(|ui| stepping(ui, commands));
            }
            speed(ui, transport, commands);
        }
        let mut follow = axis.follows();
        if ui
            .checkbox(&mut follow, RichText::new("Follow").size(size::SMALL))
            .on_hover_text("The time axis moves along with the moment shown (L)")
            .changed()
        {
            commands.push(Command::Follow);
        }
        incidents(ui, scene, commands);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let text = if live {
                format!("{} seen", age(scene.length()))
            } else {
                format!(
                    "{} of {}",
                    age(scene.moment - transport.first()),
                    age(scene.length())
                )
            };
            if !narrow {
                ui.label(
                    RichText::new(text)
                        .font(theme::figures(size::CAPTION))
                        .color(palette.muted),
                );
            }
            ui.label(
                RichText::new(scene.format.full(scene.moment))
                    .font(theme::figures(size::SMALL))
                    .color(palette.text),
            );
            overview(ui, scene, transport, axis, commands);
        });
    });
}

fn play(
    ui: &mut Ui,
    palette: &Palette,
    transport: &Transport,
    live: bool,
    commands: &mut Vec<Command>,
) {
    let (text, colour, hint) = match (live, transport.is_attached(), transport.is_moving()) {
        (true, true, _) => ("\u{25cf} LIVE", palette.bad, "Hold the picture (Space)"),
        (true, false, _) => (
            "\u{25b6} Go live",
            palette.text,
            "Return to the present (Space)",
        ),
        (false, _, true) => ("Pause", palette.text, "Pause (Space)"),
        (false, _, false) => ("\u{25b6} Play", palette.text, "Play (Space)"),
    };
    let label = RichText::new(text)
        .font(theme::strong_font(size::SMALL))
        .color(colour);
    if ui
        .add(Button::new(label).min_size(vec2(78.0, 24.0)))
        .on_hover_text(hint)
        .clicked()
    {
        commands.push(Command::PlayPause);
    }
}

fn stepping(ui: &mut Ui, commands: &mut Vec<Command>) {
    ui.spacing_mut().item_spacing.x = 4.0;
    for (text, hint, step) in [
        ("Step back", "One step back (Left)", -1),
        ("Step on", "One step on (Right)", 1),
    ] {
        if ui
            .add(Button::new(RichText::new(text).size(size::SMALL)))
            .on_hover_text(hint)
            .clicked()
        {
            commands.push(Command::Step(step));
        }
    }
}

fn speed(ui: &mut Ui, transport: &Transport, commands: &mut Vec<Command>) {
    let current = transport.speed();
    let response = ComboBox::from_id_salt("speed")
        .selected_text(RichText::new(format!("{current}x")).font(theme::figures(size::SMALL)))
        .width(58.0)
        .show_ui(ui, |ui| {
            for (index, speed) in SPEEDS.iter().enumerate() {
                let chosen = (*speed - current).abs() < f64::EPSILON;
                if ui.selectable_label(chosen, format!("{speed}x")).clicked() {
                    commands.push(Command::Speed(index));
                }
            }
        })
        .response;
    response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, format!("Speed {current}x")));
    response.on_hover_text("Speed of playback ([ and ])");
}

fn incidents(ui: &mut Ui, scene: &Scene<'_>, commands: &mut Vec<Command>) {
    let times = incident_times(scene.losses, scene.doubts, scene.ekf_failsafes);
    let text = match (times.len() - scene.doubts.len(), scene.doubts.len()) {
        (0, 0) => return,
        (0, doubts) => format!("{doubts} in doubt"),
        (1, 0) => "1 incident".to_owned(),
        (count, 0) => format!("{count} incidents"),
        (1, doubts) => format!("1 incident, {doubts} in doubt"),
        (count, doubts) => format!("{count} incidents, {doubts} in doubt"),
    };
    if ui
        .add(Button::new(RichText::new(text).size(size::SMALL)))
        .on_hover_text("Go to the next incident (N; P for the previous one)")
        .clicked()
    {
        // From the last one on to the first again.
        match (times.first(), times.last()) {
            (Some(first), Some(last)) if *last <= scene.moment => {
                commands.push(Command::Seek(*first));
            }
            _ => commands.push(Command::Incident(true)),
        }
    }
}

/// The whole record as a bar: what is visible, the incidents, the moment shown.
fn overview(
    ui: &mut Ui,
    scene: &Scene<'_>,
    transport: &Transport,
    axis: &TimeAxis,
    commands: &mut Vec<Command>,
) {
    let palette = scene.palette;
    let width = (ui.available_width() - 12.0).max(60.0);
    let (rect, response) = ui.allocate_exact_size(vec2(width, 26.0), Sense::click_and_drag());
    let (first, last) = (transport.first(), transport.last());
    let length = (last - first).max(Span::from_millis(1));
    let bar = Rect::from_min_max(
        pos2(rect.left(), rect.center().y - 1.0),
        pos2(rect.right(), rect.center().y + 5.0),
    );
    let x = |at: Micros| {
        let share = (at - first).as_secs_f64() / length.as_secs_f64();
        bar.left() + share.clamp(0.0, 1.0) as f32 * bar.width()
    };
    let painter = ui.painter_at(rect.expand(6.0));
    painter.rect_filled(bar, 2.0, palette.line);
    let seen = Rect::from_x_y_ranges(
        x(axis.from())..=x(axis.to()).max(x(axis.from()) + 2.0),
        bar.y_range(),
    );
    painter.rect_filled(seen, 2.0, palette.muted);
    for loss in scene.losses {
        let at = incident_time(loss);
        let colour = match (loss.observed_loss.is_some(), loss.happened()) {
            (true, _) => palette.bad,
            (false, true) => palette.warn,
            (false, false) => palette.muted,
        };
        let tip = pos2(x(at), bar.top() - 1.0);
        painter.add(egui::Shape::convex_polygon(
            vec![tip, tip + vec2(-4.5, -8.0), tip + vec2(4.5, -8.0)],
            colour,
            Stroke::NONE,
        ));
    }
    for doubt in scene.doubts {
        // Hollow: it may not have happened.
        let tip = pos2(x(incident_time(doubt)), bar.top() - 1.0);
        painter.add(egui::Shape::closed_line(
            vec![tip, tip + vec2(-4.0, -7.5), tip + vec2(4.0, -7.5)],
            Stroke::new(1.2, palette.muted),
        ));
    }
    for at in scene.ekf_failsafes.iter().filter_map(ekf_trip_time) {
        // A square below the bar: told from a link loss without its colour.
        let place = pos2(x(at), bar.bottom() + 4.0);
        painter.rect_filled(
            Rect::from_center_size(place, vec2(5.0, 5.0)),
            0.0,
            palette.companion,
        );
    }
    let here = x(scene.moment);
    painter.vline(
        here,
        bar.top() - 4.0..=bar.bottom() + 4.0,
        Stroke::new(2.0, palette.text),
    );

    response.widget_info(|| {
        let share = (scene.moment - first).as_secs_f64() / length.as_secs_f64();
        WidgetInfo::slider(true, share, "Position in the record")
    });
    if let Some(pointer) = response.interact_pointer_pos() {
        let share = f64::from((pointer.x - bar.left()) / bar.width()).clamp(0.0, 1.0);
        let at = first + Span::from_secs_f64(length.as_secs_f64() * share).unwrap_or_default();
        commands.push(Command::Seek(at));
    }
    if let Some(pointer) = response.hover_pos() {
        let share = f64::from((pointer.x - bar.left()) / bar.width()).clamp(0.0, 1.0);
        let at = first + Span::from_secs_f64(length.as_secs_f64() * share).unwrap_or_default();
        let is_near = |loss: &&LinkLoss| (x(incident_time(loss)) - pointer.x).abs() < 6.0;
        let near = scene.losses.iter().find(is_near);
        let in_doubt = scene.doubts.iter().find(is_near);
        response.on_hover_text_at_pointer(match near {
            Some(loss) if loss.happened() => {
                format!("Link loss at {}", scene.format.full(incident_time(loss)))
            }
            Some(loss) => format!("Silence, {}", loss.verdict),
            None if let Some(doubt) = in_doubt => format!(
                "May have been lost at {}: {}",
                scene.format.full(incident_time(doubt)),
                doubt.verdict.sentence()
            ),
            None => scene.format.full(at),
        });
    }
}
