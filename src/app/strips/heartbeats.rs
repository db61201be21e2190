//! Heartbeat arrivals: one lane per talker, silences shaded with their length, our own slots apart.

use egui::{Align2, Color32, Rect, Stroke, pos2};

use crate::session::{Lane, TalkerRole, TalkerTrack};
use crate::time::{Micros, Span};

use super::super::scene::Scene;
use super::super::theme::{self, Palette, size};
use super::super::time_format::age;
use super::Readout;
use super::canvas::Canvas;

const LANE: f32 = 24.0;
const LOW_LANE: f32 = 18.0;
const TICK: f32 = 15.0;
/// More talkers than this are in the table, not on the strip.
const MOST: usize = 5;
/// MAVLink asks for one heartbeat a second.
const USUAL: Span = Span::from_secs(1);

/// The talkers that get a lane, chosen once a frame.
pub(super) struct Lanes<'a> {
    shown: Vec<&'a TalkerTrack>,
    /// How many found no room.
    hidden: usize,
}

impl<'a> Lanes<'a> {
    /// Those the vehicle may count first.
    pub(super) fn of(scene: &Scene<'a>) -> Self {
        let vehicle = scene.vehicle.map(|vehicle| vehicle.talker);
        let mut all: Vec<&TalkerTrack> = scene.session.talkers().iter().collect();
        let rank = |track: &TalkerTrack| match track.role() {
            TalkerRole::GroundStation => 0,
            TalkerRole::Companion => 1,
            TalkerRole::Autopilot if Some(track.talker) == vehicle => 2,
            TalkerRole::Autopilot => 3,
            TalkerRole::Other => 4,
        };
        all.sort_by_key(|track| (rank(track), track.talker));
        let hidden = all.len().saturating_sub(MOST);
        if hidden > 0 {
            let own = all.iter().position(|track| Some(track.talker) == vehicle);
            // The vehicle itself never gives way to the fifth ground station.
            if let Some(place) = own.filter(|place| *place >= MOST) {
                let track = all.remove(place);
                all.insert(MOST - 1, track);
            }
            all.truncate(MOST);
        }
        Self { shown: all, hidden }
    }

    /// The height that the strip needs; `low` when there is little.
    pub(super) fn height(&self, low: bool) -> f32 {
        self.rows() * if low { LOW_LANE } else { LANE } + 16.0
    }

    /// The talker whose lane lies at `share` of the field's height.
    pub(super) fn at(&self, share: f32) -> Option<&'a TalkerTrack> {
        let row = (share >= 0.0).then(|| (share * self.rows()) as usize)?;
        self.shown.get(row).copied()
    }

    /// The lanes, our own one, and a line for those that found no room.
    fn rows(&self) -> f32 {
        (self.shown.len() + 1 + usize::from(self.hidden > 0)) as f32
    }
}

pub(super) fn draw(canvas: &Canvas<'_>, lanes: &Lanes<'_>) {
    let scene = canvas.scene;
    let palette = scene.palette;
    canvas.title("Heartbeats", "");
    let hidden = lanes.hidden;
    let step = canvas.field.height() / lanes.rows();
    let mut y = canvas.field.top() + step / 2.0;
    for track in &lanes.shown {
        let role = track.role();
        canvas.row_label(
            y,
            &lane_name(track),
            theme::words(size::CAPTION),
            palette.text,
        );
        silences(canvas, track, y);
        ticks(canvas, &track.heartbeats, y, scene.role_colour(role));
        y += step;
        canvas.inside().hline(
            canvas.field.x_range(),
            y - step / 2.0,
            Stroke::new(1.0, palette.grid),
        );
    }
    own(canvas, y);
    if hidden > 0 {
        y += step;
        canvas.row_label(
            y,
            &format!("{hidden} more: see Talkers"),
            theme::words(size::CAPTION),
            palette.muted,
        );
    }
}

fn own(canvas: &Canvas<'_>, y: f32) {
    let palette = canvas.scene.palette;
    let own = canvas.scene.session.own();
    let idle = own.sent.is_empty()
        && own.withheld_by_watchdog.is_empty()
        && own.withheld_by_policy.is_empty();
    let (label, colour) = if idle {
        ("You (off)", palette.muted)
    } else {
        ("You", palette.text)
    };
    canvas.row_label(y, label, theme::words(size::CAPTION), colour);
    ticks(canvas, &own.sent, y, palette.info);
    for (lane, colour) in [
        (&own.withheld_by_watchdog, palette.bad),
        (&own.withheld_by_policy, palette.muted),
    ] {
        // Withheld is hollow: told from sent without its colour.
        for mark in lane.marks(
            canvas.mapping.from(),
            canvas.mapping.to(),
            canvas.mapping.column() * 4,
        ) {
            let x = canvas.mapping.x(mark.first);
            let rect = Rect::from_center_size(pos2(x, y), egui::vec2(5.0, TICK));
            canvas.inside().rect_stroke(
                rect,
                1.0,
                Stroke::new(1.2, colour),
                egui::StrokeKind::Inside,
            );
        }
    }
}

fn ticks(canvas: &Canvas<'_>, lane: &Lane, y: f32, colour: Color32) {
    let painter = canvas.inside();
    let mapping = canvas.mapping;
    for mark in lane.marks(mapping.from(), mapping.to(), mapping.column()) {
        painter.vline(
            mapping.x(mark.first),
            y - TICK / 2.0..=y + TICK / 2.0,
            Stroke::new(2.0, colour),
        );
    }
}

/// From this length on a pause of `track` is a silence: one and a half of its intervals.
pub(super) fn least_silence(scene: &Scene<'_>, track: &TalkerTrack) -> Span {
    let usual = track
        .rhythm(scene.end)
        .map_or(USUAL, |(interval, _)| interval);
    (usual * 3 / 2).max(Span::from_millis(200))
}

/// Shades every silence.
fn silences(canvas: &Canvas<'_>, track: &TalkerTrack, y: f32) {
    let scene = canvas.scene;
    let mapping = canvas.mapping;
    let least = least_silence(scene, track);
    let lane = &track.heartbeats;
    let mut before = lane.last_until(mapping.from());
    let shade = |from: Option<Micros>, to: Micros| {
        if let Some(from) = from.filter(|from| to - *from >= least) {
            silence(canvas, track.role(), from, to, y);
        }
    };
    for mark in lane.marks(mapping.from(), mapping.to(), mapping.column()) {
        shade(before, mark.first);
        before = Some(mark.last);
    }
    match lane.first_after(mapping.to()) {
        Some(next) => shade(before, next),
        None => shade(before, scene.end),
    }
}

fn silence(canvas: &Canvas<'_>, role: TalkerRole, from: Micros, to: Micros, y: f32) {
    let palette = canvas.scene.palette;
    let colour = match role {
        TalkerRole::GroundStation | TalkerRole::Autopilot => palette.bad,
        TalkerRole::Companion => palette.companion,
        TalkerRole::Other => palette.muted,
    };
    let mapping = canvas.mapping;
    let rect = Rect::from_x_y_ranges(
        mapping.x_inside(from) + 1.0..=mapping.x_inside(to),
        y - TICK / 2.0..=y + TICK / 2.0,
    );
    if rect.width() < 1.0 {
        return;
    }
    let painter = canvas.inside();
    painter.rect_filled(rect, 0.0, Palette::shade(colour));
    let galley = painter.layout_no_wrap(
        format!("silent {}", age(to - from)),
        theme::strong_font(size::CAPTION),
        colour,
    );
    if galley.size().x + 8.0 < rect.width() {
        let place = Align2::CENTER_CENTER.anchor_size(rect.center(), galley.size());
        painter.galley(place.min, galley, colour);
    }
}

/// How old each talker's last heartbeat is.
pub(super) fn readouts(scene: &Scene<'_>, lanes: &Lanes<'_>, at: Micros) -> Vec<Readout> {
    lanes
        .shown
        .iter()
        .filter_map(|track| {
            let last = track.heartbeats.last_until(at)?;
            Some(Readout {
                text: format!("{} {} old", track.talker, age(at - last)),
                colour: scene.role_colour(track.role()),
            })
        })
        .collect()
}

/// The same beside the names of the lanes, where there is room.
pub(super) fn ages(canvas: &Canvas<'_>, lanes: &Lanes<'_>, at: Micros) {
    for (row, track) in lanes.shown.iter().enumerate() {
        let Some(last) = track.heartbeats.last_until(at) else {
            continue;
        };
        let step = canvas.field.height() / lanes.rows();
        let y = canvas.field.top() + step * (row as f32 + 0.5);
        let label = lane_name(track);
        // The first row has the strip's title on its left.
        let taken = if row == 0 { 84.0 } else { 10.0 };
        canvas.before_row_label(
            y,
            &label,
            &age(at - last),
            taken,
            canvas.scene.role_colour(track.role()),
        );
    }
}

fn lane_name(track: &TalkerTrack) -> String {
    format!("{} {}", track.role().word(), track.talker)
}
