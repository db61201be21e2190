//! What a drawing of an incident shows: the same answers of the session that the window's strips are drawn
//! from.

mod svg;

use crate::observation::Autopilot;
use crate::rules::LinkLoss;
use crate::session::{
    CountdownPoint, FlagSegment, LaneMark, Series, SeriesPoint, Session, Vehicle,
};
use crate::time::{Bounds, Micros, Span};

use super::clock::Clock;
use super::document::EkfFailsafeReport;
use super::findings::{Counter, VehicleFindings};

pub(super) use svg::svg;

/// A column of the drawing is this part of what is shown; nothing finer is kept.
const COLUMNS: i64 = 1_200;
/// So many talkers have a lane at most.
const MOST_LANES: usize = 8;

/// Strips above each other on one time axis.
#[derive(Clone, Debug)]
pub struct Plot {
    /// What it shows, for those who read it and for those who cannot see it.
    caption: String,
    span: Bounds,
    strips: Vec<Strip>,
    /// Upright lines with a word each.
    marks: Vec<(Micros, String)>,
    clock: Clock,
}

#[derive(Clone, Debug)]
enum Strip {
    /// One lane of heartbeats for each talker.
    Heartbeats(Vec<(String, Vec<LaneMark>)>),
    /// PX4's flag.
    Flag(Vec<FlagSegment>),
    /// What is left of the failsafe's timer.
    Countdown(Vec<CountdownPoint>),
    /// Test ratios against the threshold.
    Ratios {
        lines: Vec<(&'static str, Vec<SeriesPoint>)>,
        threshold: Option<f64>,
    },
    /// The EKF check's count, lowest and highest, and the count that trips.
    Count(Counter),
}

impl Plot {
    /// A silence: who was heard, what the vehicle thought of it, and what was left. `None` when nothing of
    /// that is known.
    pub(super) fn of_silence(
        session: &Session,
        vehicle: &Vehicle,
        loss: &LinkLoss,
        clock: &Clock,
    ) -> Option<Self> {
        let lost = loss.predicted_loss()?;
        let seen = loss.observed_loss.as_ref().map(|seen| seen.at);
        let end = loss
            .regained
            .or(seen)
            .unwrap_or(lost.latest())
            .max(lost.latest());
        let start = loss.last_heartbeat.earliest();
        let lead = ((end - start) / 5).max(Span::from_secs(2));
        let from = (start - lead).max(session.first()?);
        let to = (end + lead / 2).min(session.last()?.max(lost.latest()));
        let mut strips = heartbeats(session, from, to);
        let shown = session.link_strips(vehicle.talker, from, to);
        if vehicle.autopilot == Autopilot::PX4 && !shown.flag.is_empty() {
            strips.push(Strip::Flag(shown.flag));
        }
        if !shown.countdown.is_empty() {
            strips.push(Strip::Countdown(shown.countdown));
        }
        let mut marks = vec![(loss.last_heartbeat.earliest(), "last heard".to_owned())];
        marks.push(match seen {
            Some(at) => (at, "lost, by evidence".to_owned()),
            None => (lost.earliest(), "loss due".to_owned()),
        });
        marks.extend(loss.regained.map(|back| (back, "heard again".to_owned())));
        (!strips.is_empty()).then(|| Self {
            caption: "Heartbeats, and what the vehicle makes of them".to_owned(),
            span: Bounds::new(from, to),
            strips,
            marks,
            clock: clock.clone(),
        })
    }

    /// An upset of the estimator. `None` when neither ratios nor counts are known.
    pub(super) fn of_episode(
        session: &Session,
        found: &VehicleFindings<'_>,
        episode: &EkfFailsafeReport,
        clock: &Clock,
    ) -> Option<Self> {
        let span = episode.span().widened(Span::from_secs(2));
        let mut strips = ratios(found.vehicle(), span);
        let counter = found.ekf_counter(session, span);
        if !counter.changes.is_empty() {
            strips.push(Strip::Count(counter));
        }
        let at = Micros::from_micros;
        let mut marks = Vec::new();
        match (&episode.observed, episode.predicted) {
            (Some(seen), _) => marks.push((at(seen.at_us), "tripped".to_owned())),
            (None, Some(trip)) => marks.extend(
                trip.earliest_us
                    .map(|us| (at(us), "trip, by the rules".to_owned())),
            ),
            (None, None) => {}
        }
        if let Some(us) = episode.cleared.and_then(|cleared| cleared.latest_us) {
            marks.push((at(us), "cleared".to_owned()));
        }
        (!strips.is_empty()).then(|| Self {
            caption: "The estimator's test ratios, and the check's count".to_owned(),
            span,
            strips,
            marks,
            clock: clock.clone(),
        })
    }
}

fn column(from: Micros, to: Micros) -> Span {
    ((to - from) / COLUMNS).max(Span::from_micros(1))
}

fn heartbeats(session: &Session, from: Micros, to: Micros) -> Vec<Strip> {
    let lanes: Vec<(String, Vec<LaneMark>)> = session
        .talkers()
        .iter()
        .filter(|talker| !talker.heartbeats.is_empty())
        .take(MOST_LANES)
        .map(|talker| {
            let name = format!("{} {}", talker.role().word(), talker.talker);
            (name, talker.heartbeats.marks(from, to, column(from, to)))
        })
        .collect();
    if lanes.is_empty() {
        Vec::new()
    } else {
        vec![Strip::Heartbeats(lanes)]
    }
}

fn ratios(vehicle: &Vehicle, span: Bounds) -> Vec<Strip> {
    let (mut velocity, mut position, mut compass) = (Series::new(), Series::new(), Series::new());
    for sample in &vehicle.estimator {
        velocity.push(sample.at, sample.velocity);
        position.push(sample.at, sample.position);
        compass.push(sample.at, sample.compass);
    }
    let (from, to) = (span.earliest(), span.latest());
    let lines: Vec<(&'static str, Vec<SeriesPoint>)> = [
        ("velocity", velocity),
        ("position", position),
        ("compass", compass),
    ]
    .into_iter()
    .map(|(name, series)| (name, series.columns(from, to, column(from, to))))
    .filter(|(_, points)| !points.is_empty())
    .collect();
    if lines.is_empty() {
        return Vec::new();
    }
    let threshold = vehicle.parameters.at("FS_EKF_THRESH", to);
    vec![Strip::Ratios {
        lines,
        threshold: threshold.map(|p| p.value),
    }]
}
