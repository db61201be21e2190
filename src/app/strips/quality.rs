//! How well the ground hears the vehicle: frames per second, and the share that was lost on the way.

use egui::{Align2, Ui, pos2};
use egui_plot::{Line, PlotPoints};

use crate::observation::Talker;
use crate::time::{Micros, Span};

use super::super::scene::Scene;
use super::Readout;
use super::canvas::Canvas;

/// Rates are kept per second of record.
const FINEST: Span = Span::from_secs(1);

struct Sample {
    at: Micros,
    rate: f64,
    loss: Option<f64>,
}

pub(super) fn draw(ui: &mut Ui, canvas: &Canvas<'_>) {
    let scene = canvas.scene;
    let palette = scene.palette;
    canvas.title("Link quality", "vehicle to ground");
    let Some(vehicle) = scene.vehicle else {
        return;
    };
    let samples = samples(canvas, vehicle.talker);
    let top = samples.iter().map(|s| s.rate).fold(1.0, f64::max) * 1.15;
    let scale = 0.0..=top;
    let step = round_down(top / 2.0);
    for level in [0.0, step, step * 2.0] {
        if level <= top {
            canvas.level(canvas.y(level, &scale), &format!("{level:.0}/s"));
        }
    }
    // Losses hang from the top, so that a bad second is seen beside the rate it belongs to.
    let painter = canvas.inside();
    let width = (canvas.mapping.shift_pixels(FINEST) - 1.0).max(1.5);
    for sample in &samples {
        let Some(loss) = sample.loss.filter(|loss| *loss > 0.0) else {
            continue;
        };
        let x = canvas.mapping.x(sample.at);
        let depth = (loss.min(1.0) as f32 * canvas.field.height()).max(2.0);
        let rect = egui::Rect::from_min_size(
            pos2(x - width, canvas.field.top()),
            egui::vec2(width, depth),
        );
        painter.rect_filled(rect, 0.0, palette.bad);
    }
    let line: Vec<[f64; 2]> = samples
        .iter()
        .map(|s| [canvas.mapping.seconds(s.at), s.rate])
        .collect();
    canvas.plot(ui, "quality", scale.clone(), |plot| {
        plot.line(
            Line::new("frames per second", PlotPoints::from(line))
                .color(palette.info)
                .width(palette.stroke)
                .allow_hover(false),
        );
    });
    label_end(canvas, &scale, &samples);
}

fn samples(canvas: &Canvas<'_>, talker: Talker) -> Vec<Sample> {
    let scene = canvas.scene;
    let step = FINEST.max(canvas.mapping.column() * 2).as_micros();
    let first = scene
        .session
        .first()
        .unwrap_or_default()
        .max(canvas.mapping.from());
    let end = scene.end.min(canvas.mapping.to());
    let mut at = Micros::from_micros(first.as_micros().div_euclid(step).saturating_mul(step));
    let mut samples = Vec::new();
    // Two pixels a sample; the count is a belt for times at the end of what an integer holds.
    let most = (canvas.field.width() / 2.0) as usize + 2;
    for _ in 0..most {
        if at > end {
            break;
        }
        if let Some((rate, loss)) = scene.session.link_quality(talker, at) {
            samples.push(Sample { at, rate, loss });
        }
        at += Span::from_micros(step);
    }
    // The last piece is shorter than a step: up to the end of what is known.
    let known = scene.session.last().unwrap_or_default().min(end);
    if let Some((rate, loss)) = scene.session.link_quality(talker, known)
        && samples.last().is_some_and(|last| last.at < known)
    {
        samples.push(Sample {
            at: known,
            rate,
            loss,
        });
    }
    samples
}

fn label_end(canvas: &Canvas<'_>, scale: &std::ops::RangeInclusive<f64>, samples: &[Sample]) {
    let palette = canvas.scene.palette;
    let Some(last) = samples.last() else {
        return;
    };
    let x = canvas.mapping.x(canvas.scene.end.min(canvas.mapping.to())) + 7.0;
    if x + 90.0 > canvas.field.right() {
        return;
    }
    let y = canvas.y(last.rate, scale);
    canvas.caption(pos2(x, y), Align2::LEFT_CENTER, "frames/s", palette.info);
    if samples
        .iter()
        .all(|sample| sample.loss.is_none_or(|loss| loss == 0.0))
    {
        return;
    }
    let far = if y < canvas.field.center().y {
        canvas.field.bottom() - 8.0
    } else {
        canvas.field.top() + 8.0
    };
    canvas.caption(
        pos2(x, far),
        Align2::LEFT_CENTER,
        "share lost, from above",
        palette.bad,
    );
}

/// The greatest of 1, 2, 5, 10, ... that is not above `value`; at least one.
fn round_down(value: f64) -> f64 {
    let mut best = 1.0;
    let mut decade = 1.0;
    while decade < 1e9 {
        for factor in [1.0, 2.0, 5.0] {
            if decade * factor <= value {
                best = decade * factor;
            }
        }
        decade *= 10.0;
    }
    best
}

pub(super) fn readouts(scene: &Scene<'_>, at: Micros) -> Vec<Readout> {
    let quality = scene
        .vehicle
        .and_then(|vehicle| scene.session.link_quality(vehicle.talker, at));
    let Some((rate, loss)) = quality.filter(|_| at <= scene.end) else {
        return Vec::new();
    };
    vec![Readout {
        text: match loss {
            Some(loss) => format!("{rate:.0}/s, {:.1} % lost", loss * 100.0),
            None => "nothing heard".to_owned(),
        },
        colour: scene.palette.info,
    }]
}
