//! The explanation: numbered steps in time, what they rest on, and the state of the watchdog.

use egui::{Align2, Color32, FontSelection, RichText, ScrollArea, Sense, Stroke, Ui, pos2, vec2};

use crate::rules::{Explanation, Knowledge, LinkLoss, Step, StepKind, Verdict};
use crate::session::LinkState;
use crate::source::SourceKind;
use crate::time::Seconds;

use super::super::command::Command;
use super::super::scene::{Scene, ekf_trip_time};
use super::super::theme::{self, size};
use super::{heading, nothing, what_if};

pub(super) fn show(ui: &mut Ui, scene: &Scene<'_>, commands: &mut Vec<Command>) {
    ScrollArea::vertical()
        .id_salt("why")
        .auto_shrink(false)
        .show(ui, |ui| {
            // What may be going on unheard concerns the operator more than what would follow a silence.
            if let Some(loss) = scene.chosen_doubt() {
                doubt(ui, scene, loss, commands);
            }
            match (scene.chosen_loss(), scene.link) {
                (Some(loss), _) => incident(ui, scene, loss, commands),
                (None, Some(link)) => match &link.prediction {
                    Some(loss) => {
                        heading(ui, scene, "IF THE GROUND STATION FELL SILENT NOW");
                        story(ui, scene, &loss.explanation, commands);
                    }
                    None if link.state == LinkState::NotRecorded => nothing(
                        ui,
                        scene,
                        "This log holds no heartbeats, so no silence can be seen in it. Add the telemetry log of \
                         the same flight to see both (Ctrl+Shift+O).",
                    ),
                    None => nothing(
                        ui,
                        scene,
                        "No silence so far that could lead to a failsafe.",
                    ),
                },
                (None, None) if scene.vehicle.is_some() => {
                    nothing(
                        ui,
                        scene,
                        "No rule is known for this autopilot, so nothing can be explained.",
                    );
                }
                (None, None) => nothing(
                    ui,
                    scene,
                    "The explanation follows once a vehicle is heard.",
                ),
            }
            ekf_failsafe(ui, scene, commands);
            if scene.link.is_some() {
                what_if::door(ui, commands);
            }
            watchdog(ui, scene, commands);
        });
}

/// A loss that may have happened, or be coming, unheard.
fn doubt(ui: &mut Ui, scene: &Scene<'_>, loss: &LinkLoss, commands: &mut Vec<Command>) {
    let mut recorded = scene.doubts.iter();
    let number = recorded.position(|other| other.is_same_silence(loss));
    let title = match number {
        _ if scene.running_doubt().is_some() => "IF NOTHING SENT SINCE HAS ARRIVED".to_owned(),
        Some(index) => format!(
            "MAY HAVE BEEN LOST, {} OF {}",
            index + 1,
            scene.doubts.len()
        ),
        None => "MAY HAVE BEEN LOST".to_owned(),
    };
    heading(ui, scene, &title);
    let words = match number.and_then(|index| scene.doubts.get(index)) {
        Some(known) if scene.running_doubt().is_none() => known.verdict.sentence(),
        _ => "The vehicle is not heard, while the ground goes on sending. Nothing tells whether that arrives."
            .to_owned(),
    };
    ui.label(
        RichText::new(words)
            .size(size::SMALL)
            .color(scene.palette.muted),
    );
    ui.add_space(4.0);
    story(ui, scene, &loss.explanation, commands);
}

/// The EKF failsafe that was on last at the moment shown.
fn ekf_failsafe(ui: &mut Ui, scene: &Scene<'_>, commands: &mut Vec<Command>) {
    let trips = || {
        let all = scene.ekf_failsafes.iter();
        all.filter_map(|episode| Some((ekf_trip_time(episode)?, episode)))
    };
    let passed = trips().filter(|(at, _)| *at <= scene.moment).count();
    let Some((_, episode)) = passed.checked_sub(1).and_then(|last| trips().nth(last)) else {
        return;
    };
    heading(
        ui,
        scene,
        &format!("EKF FAILSAFE {passed} OF {}", trips().count()),
    );
    story(ui, scene, &episode.explanation, commands);
}

fn incident(ui: &mut Ui, scene: &Scene<'_>, loss: &LinkLoss, commands: &mut Vec<Command>) {
    let palette = scene.palette;
    let number = scene
        .losses
        .iter()
        .position(|other| other.is_same_silence(loss))
        .map(|index| format!("INCIDENT {} OF {}   ", index + 1, scene.losses.len()))
        .unwrap_or_default();
    let minute = scene.format.full(loss.last_heartbeat.earliest());
    let minute = minute
        .get(..5)
        .filter(|_| minute.contains(':'))
        .unwrap_or_default();
    heading(ui, scene, format!("{number}{minute}").trim_end());
    if let Some((word, colour)) = verdict(scene, loss) {
        ui.label(RichText::new(word).size(size::SMALL).color(colour));
        ui.add_space(4.0);
    }
    story(ui, scene, &loss.explanation, commands);
    if loss.candidates.len() > 1 {
        heading(ui, scene, "WHAT THE GROUND CANNOT TELL APART");
        for candidate in &loss.candidates {
            let window = candidate.loss;
            premise(
                ui,
                scene,
                scene.format.within_minute(window.earliest()).as_str(),
                palette.text,
                if candidate.condition.is_empty() {
                    "otherwise"
                } else {
                    &candidate.condition
                },
            );
        }
    }
}

/// How prediction and evidence compare, in words; nothing while it is not over.
fn verdict(scene: &Scene<'_>, loss: &LinkLoss) -> Option<(String, Color32)> {
    let palette = scene.palette;
    let colour = match &loss.verdict {
        Verdict::Pending => return None,
        Verdict::Inside | Verdict::Averted(_) => palette.ok,
        Verdict::Outside(_) => palette.bad,
        Verdict::AnotherFailsafe(_) => palette.warn,
        Verdict::Silent(_) | Verdict::CannotTell(_) => palette.muted,
    };
    Some((loss.verdict.sentence(), colour))
}

fn story(ui: &mut Ui, scene: &Scene<'_>, explanation: &Explanation, commands: &mut Vec<Command>) {
    let first = explanation.steps.first().map(|step| step.at.earliest());
    let time = |step: &Step| {
        let at = step.at.earliest();
        if first.is_none_or(|first| scene.format.same_minute(first, at)) {
            scene.format.within_minute(at)
        } else {
            let full = scene.format.full(at);
            full.get(3..).unwrap_or_default().to_owned()
        }
    };
    let longest = explanation.steps.iter().map(|step| time(step).len()).max();
    // Figures are all of one width.
    let column = TIME.max(longest.unwrap_or_default() as f32 * FIGURE + 8.0);
    for (index, step) in explanation.steps.iter().enumerate() {
        one_step(ui, scene, index + 1, step, (time(step), column), commands);
    }
    if !explanation.premises.is_empty() {
        heading(ui, scene, "WHAT THIS RESTS ON");
        for fact in &explanation.premises {
            let colour = match fact.knowledge {
                Knowledge::Assumed | Knowledge::Uncertain => scene.palette.warn,
                _ => scene.palette.text,
            };
            premise(ui, scene, fact.knowledge.word(), colour, &fact.text);
        }
    }
}

const NUMBER: f32 = 30.0;
/// The column of times, unless one is longer: of another minute, or late in a long record.
const TIME: f32 = 56.0;
/// The width of a figure of a caption.
const FIGURE: f32 = 6.7;

fn one_step(
    ui: &mut Ui,
    scene: &Scene<'_>,
    number: usize,
    step: &Step,
    (time, column): (String, f32),
    commands: &mut Vec<Command>,
) {
    let palette = scene.palette;
    let at = step.at.earliest();
    let width = ui.available_width();
    let time_galley =
        ui.painter()
            .layout_no_wrap(time.clone(), theme::figures(size::CAPTION), palette.muted);
    let text_left = NUMBER + column;
    let text = layout(
        ui,
        &step.text,
        size::SMALL,
        palette.text,
        width - text_left - 8.0,
    );
    let height = text.size().y.max(24.0) + 8.0;
    let (rect, response) = ui.allocate_exact_size(vec2(width, height), Sense::click());
    response.widget_info(|| {
        egui::WidgetInfo::labeled(
            egui::Role::Button,
            true,
            format!("{number}. {time} {}", step.text),
        )
    });
    let painter = ui.painter();
    if response.hovered() || response.has_focus() {
        painter.rect_filled(rect, 4.0, palette.grid);
    }
    let colour = step_colour(scene, step.kind);
    let row = rect.top() + 13.0;
    let centre = pos2(rect.left() + 12.0, row);
    // What lies ahead is dashed in the strips and hollow here; what has happened is filled.
    let ahead = at > scene.moment;
    if ahead {
        painter.circle_stroke(centre, 9.5, Stroke::new(1.5, colour));
    } else {
        painter.circle(
            centre,
            9.5,
            theme::Palette::shade(colour),
            Stroke::new(1.5, colour),
        );
    }
    painter.text(
        centre,
        Align2::CENTER_CENTER,
        number,
        theme::strong_font(size::CAPTION),
        colour,
    );
    painter.galley(
        pos2(rect.left() + NUMBER, row - time_galley.size().y / 2.0),
        time_galley,
        palette.muted,
    );
    painter.galley(
        pos2(rect.left() + text_left, rect.top() + 5.0),
        text,
        palette.text,
    );
    if response.clicked() {
        commands.push(Command::Seek(at));
    }
    let source = step
        .source
        .map(|s| format!("\nRule: {s}"))
        .unwrap_or_default();
    let window = if step.at.width().as_micros() > 0 {
        format!(
            "{} to {}",
            scene.format.full(at),
            scene.format.full(step.at.latest())
        )
    } else {
        scene.format.full(at)
    };
    response.on_hover_text(format!("{window}, {}{source}", step.knowledge.word()));
}

fn step_colour(scene: &Scene<'_>, kind: StepKind) -> Color32 {
    let palette = scene.palette;
    match kind {
        StepKind::GroundHeartbeat => palette.info,
        StepKind::StillPresent | StepKind::StartLine | StepKind::Regained => palette.ok,
        StepKind::Absent => palette.bad,
        StepKind::Loss | StepKind::Action => palette.warn,
        StepKind::Note => palette.muted,
    }
}

/// A word of knowledge and a sentence.
fn premise(ui: &mut Ui, scene: &Scene<'_>, word: &str, colour: Color32, text: &str) {
    const WORD: f32 = 70.0;
    let palette = scene.palette;
    let width = ui.available_width();
    let ink = if colour == palette.warn {
        palette.warn
    } else {
        palette.text
    };
    let text_galley = layout(ui, text, size::CAPTION, ink, width - WORD - 8.0);
    let (rect, response) =
        ui.allocate_exact_size(vec2(width, text_galley.size().y + 3.0), Sense::hover());
    response.widget_info(|| {
        egui::WidgetInfo::labeled(egui::Role::Label, true, format!("{word}: {text}"))
    });
    let painter = ui.painter();
    painter.text(
        rect.left_top(),
        Align2::LEFT_TOP,
        word,
        theme::strong_font(size::CAPTION),
        if colour == palette.warn {
            palette.warn
        } else {
            palette.muted
        },
    );
    painter.galley(pos2(rect.left() + WORD, rect.top()), text_galley, ink);
}

fn layout(
    ui: &Ui,
    text: &str,
    points: f32,
    colour: Color32,
    width: f32,
) -> std::sync::Arc<egui::Galley> {
    ui.painter().layout(
        text.to_owned(),
        FontSelection::from(theme::words(points)).resolve(ui.style()),
        colour,
        width.max(40.0),
    )
}

/// What the watchdog did with our heartbeats.
fn watchdog(ui: &mut Ui, scene: &Scene<'_>, commands: &mut Vec<Command>) {
    if scene.kind == SourceKind::Log {
        return;
    }
    let palette = scene.palette;
    let own = scene.session.own();
    ui.add_space(6.0);
    ui.separator();
    heading(ui, scene, "WATCHDOG");
    let transmitting = scene.live.is_some_and(|live| live.status.transmitting);
    let text = if transmitting || !own.sent.is_empty() {
        format!(
            "{} heartbeats sent, {} withheld because this window stalled, {} withheld otherwise.",
            own.sent.len(),
            own.withheld_by_watchdog.len(),
            own.withheld_by_policy.len()
        )
    } else {
        "Not sending. Heartbeats start only when you turn them on, and stop when this window hangs."
            .to_owned()
    };
    ui.label(RichText::new(text).size(size::CAPTION).color(palette.muted));
    let Some(live) = scene.live.filter(|live| live.status.transmitting) else {
        return;
    };
    ui.label(
        RichText::new(format!(
            "Armed: a window that hangs for {} s silences them. It proves that this program lives, not that \
             anybody looks at it.",
            Seconds::with_decimals(live.status.watchdog_timeout, 0)
        ))
        .size(size::CAPTION)
        .color(palette.muted),
    );
    if ui
        .button(RichText::new("Freeze this window for 8 s").size(size::CAPTION))
        .on_hover_text("For training: the heartbeats stop with the window, and come back with it (Ctrl+Shift+F)")
        .clicked()
    {
        commands.push(Command::Freeze);
    }
}
