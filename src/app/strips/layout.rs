use egui::{Rect, pos2};

use crate::session::{LinkState, LinkView};

use super::super::scene::Scene;
use super::heartbeats::Lanes;
use super::{Strip, logged_loss};

/// Which strips are drawn, and where.
pub(super) struct Plan {
    pub shown: Vec<(Strip, Rect)>,
    /// How many found no room.
    pub dropped: usize,
}

const GAP: f32 = 8.0;
/// Below this height the lanes move together.
const LOW: f32 = 300.0;

/// Lays the strips out in `area`: each gets its least height, the rest goes to those that gain from it.
/// What finds no room is left out, and said so, rather than squeezed until nothing is legible.
pub(super) fn plan(scene: &Scene<'_>, lanes: &Lanes<'_>, area: Rect) -> Plan {
    let mut wanted = wanted(scene, lanes.height(area.height() < LOW));
    let total = wanted.len();
    for strip in [
        Strip::Quality,
        Strip::Estimator,
        Strip::Flag,
        Strip::Heartbeats,
    ] {
        // What says least of the link gives way first; the last one stays, whatever its height.
        if needed(&wanted) > area.height() && wanted.len() > 1 {
            wanted.retain(|want| want.strip != strip);
        }
    }
    let spare = (area.height() - needed(&wanted)).max(0.0);
    let weights: f32 = wanted.iter().map(|w| w.weight).sum();
    let mut top = area.top();
    let mut shown = Vec::new();
    for want in &wanted {
        let extra = if weights > 0.0 {
            (spare * want.weight / weights)
                .floor()
                .min(want.most - want.least)
        } else {
            0.0
        };
        let height = want.least + extra;
        let bottom = (top + height).min(area.bottom());
        shown.push((
            want.strip,
            Rect::from_min_max(pos2(area.left(), top), pos2(area.right(), bottom)),
        ));
        top = bottom + GAP;
    }
    Plan {
        dropped: total - shown.len(),
        shown,
    }
}

struct Wanted {
    strip: Strip,
    least: f32,
    most: f32,
    weight: f32,
}

fn wanted(scene: &Scene<'_>, lanes: f32) -> Vec<Wanted> {
    let mut list = Vec::new();
    let mut add = |strip, least, most, weight| {
        list.push(Wanted {
            strip,
            least,
            most,
            weight,
        });
    };
    let on_a_link = !scene.is_own_log();
    if on_a_link {
        add(Strip::Heartbeats, lanes, lanes, 0.0);
    }
    if scene.link.is_some() && scene.is_px4() {
        // The vehicle's own record takes a row more.
        let more = if logged_loss::of(scene).is_some() {
            14.0
        } else {
            0.0
        };
        add(Strip::Flag, 56.0 + more, 76.0 + more, 0.3);
    }
    // A log without heartbeats of which nothing can be counted down leaves its room to the others.
    let nothing =
        scene.is_own_log() && scene.losses.is_empty() && scene.strips.countdown.is_empty();
    let off =
        |link: &LinkView| matches!(link.state, LinkState::Off | LinkState::Unknown) || nothing;
    if scene.link.is_some_and(|link| !off(link)) {
        add(Strip::Countdown, 72.0, 720.0, 3.0);
    }
    if scene.vehicle.is_some_and(|v| !v.estimator.is_empty()) {
        add(Strip::Estimator, 66.0, 420.0, 1.6);
    }
    if scene.vehicle.is_some() && on_a_link {
        add(Strip::Quality, 52.0, 220.0, 0.7);
    }
    list
}

fn needed(wanted: &[Wanted]) -> f32 {
    let heights: f32 = wanted.iter().map(|w| w.least).sum();
    heights + GAP * wanted.len().saturating_sub(1) as f32
}
