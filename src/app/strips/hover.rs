//! What the mark under the pointer is: its time, its value, where it comes from, and the rule behind it.

use crate::rules::LinkLoss;
use crate::session::{FlagState, ReportMark, ReportOrigin, TalkerTrack};
use crate::time::{Bounds, Micros, Seconds, Span};

use super::super::scene::Scene;
use super::super::time_axis::Mapping;
use super::super::time_format::age;
use super::heartbeats::Lanes;
use super::{Strip, ekf_failsafe, heartbeats};

/// A mark answers when the pointer is within this many pixels.
const REACH: f32 = 6.0;

/// The words for `strip` at the instant `at`, at `share` of the height of its field.
pub(super) fn words(
    strip: Strip,
    scene: &Scene<'_>,
    lanes: &Lanes<'_>,
    mapping: Mapping,
    at: Micros,
    share: f32,
) -> Option<String> {
    let reach = mapping.shift(REACH);
    match strip {
        Strip::Heartbeats => lane(scene, lanes.at(share)?, at, reach),
        Strip::Flag => report(scene, at, reach).or_else(|| flag(scene, at)),
        Strip::Countdown => loss(scene, at, reach),
        Strip::Estimator => ekf_failsafe::words(scene, at),
        Strip::Quality => None,
    }
}

fn lane(scene: &Scene<'_>, track: &TalkerTrack, at: Micros, reach: Span) -> Option<String> {
    let lane = &track.heartbeats;
    let name = format!("{} {}", track.role().word(), track.talker);
    let before = lane.last_until(at);
    let after = lane.first_after(at);
    let near = [before, after]
        .into_iter()
        .flatten()
        .min_by_key(|mark| (*mark - at).abs())
        .filter(|mark| (*mark - at).abs() <= reach);
    if let Some(mark) = near {
        let since = lane
            .last_until(mark - Span::from_micros(1))
            .map(|earlier| {
                format!(
                    "\n{} s after the one before",
                    Seconds::millis(mark - earlier)
                )
            })
            .unwrap_or_default();
        return Some(format!(
            "{name}: heartbeat at {}{since}\nknown: seen on this link",
            scene.format.full(mark)
        ));
    }
    let from = before?;
    let to = after.unwrap_or(scene.end);
    (to - from >= heartbeats::least_silence(scene, track) && at <= to).then(|| {
        format!(
            "{name}: silent for {} from {} on",
            age(to - from),
            scene.format.full(from)
        )
    })
}

fn report(scene: &Scene<'_>, at: Micros, reach: Span) -> Option<String> {
    let distance = |report: &ReportMark| report.at.distance_to(at);
    let report = scene
        .strips
        .reports
        .iter()
        .min_by_key(|report| distance(report))
        .filter(|report| distance(report) <= reach)?;
    let says = match report.says {
        FlagState::True => "says true",
        FlagState::False => "says false",
        FlagState::Unknown => "says true or false: the ground cannot know",
    };
    let why = match report.origin {
        ReportOrigin::Forced => {
            "A heartbeat forced the check behind it.\ninferred from the heartbeats and PX4's rule"
        }
        ReportOrigin::Timed => {
            "Published without a heartbeat: a self-check or the 1 Hz timer.\n\
             inferred from the heartbeats and PX4's rule"
        }
        ReportOrigin::Logged => "known: a row of telemetry_status in the vehicle's log",
    };
    Some(format!(
        "Report {}: {says}\n{why}",
        interval(scene, report.at)
    ))
}

fn flag(scene: &Scene<'_>, at: Micros) -> Option<String> {
    let segment = scene
        .strips
        .flag
        .iter()
        .rfind(|segment| segment.from <= at)
        .filter(|segment| at <= segment.to)?;
    let state = match segment.state {
        FlagState::True => "true",
        FlagState::False => "false",
        FlagState::Unknown => "true or false: the ground cannot know",
    };
    Some(format!(
        "heartbeat_type_gcs is {state}\nfrom {} to {}",
        scene.format.full(segment.from),
        scene.format.full(segment.to)
    ))
}

fn loss(scene: &Scene<'_>, at: Micros, reach: Span) -> Option<String> {
    let all = scene.losses.iter().chain(scene.running_loss());
    let (loss, candidate) = all
        .flat_map(|loss| loss.candidates.iter().map(move |c| (loss, c)))
        .min_by_key(|(_, candidate)| candidate.loss.distance_to(at))
        .filter(|(_, candidate)| candidate.loss.distance_to(at) <= reach)?;
    let mut lines = vec![format!("Link loss {}", interval(scene, candidate.loss))];
    if !candidate.condition.is_empty() {
        lines.push(format!("if {}", candidate.condition));
    }
    if let Some(action) = &loss.predicted_action {
        let sentence = action.sentence();
        lines.push(match action.acts() {
            Some(_) => format!("then {sentence}"),
            None => sentence,
        });
    }
    lines.push(evidence(scene, loss));
    Some(lines.join("\n"))
}

fn evidence(scene: &Scene<'_>, loss: &LinkLoss) -> String {
    loss.observed_loss.as_ref().map_or_else(
        || "predicted by the rule".to_owned(),
        |seen| format!("seen at {}: {}", scene.format.full(seen.at), seen.evidence),
    )
}

fn interval(scene: &Scene<'_>, window: Bounds) -> String {
    if window.width() < Span::from_millis(1) {
        format!("at {}", scene.format.full(window.earliest()))
    } else {
        format!(
            "between {} and {}",
            scene.format.full(window.earliest()),
            scene.format.full(window.latest())
        )
    }
}
