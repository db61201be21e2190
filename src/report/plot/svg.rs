use std::fmt::Write;

use maud::{Markup, html};

use crate::report::findings::{Count, Counter};
use crate::session::{CountdownPoint, FlagSegment, FlagState, LaneMark, SeriesPoint};
use crate::time::{Micros, Span};

use super::{Plot, Strip};

/// The drawing's own units; on paper it is scaled to the width of the page.
const WIDTH: f64 = 960.0;
/// Room at the left for the names of the lanes.
const GUTTER: f64 = 170.0;
const RIGHT: f64 = WIDTH - 12.0;
/// Room above the strips for the words of the marks, in as many rows as there may be marks.
const HEAD: f64 = 48.0;
const MARK_ROW: f64 = 14.0;
const LANE: f64 = 22.0;
const FLAG: f64 = 30.0;
const GRAPH: f64 = 96.0;
const BETWEEN: f64 = 14.0;
/// Room below for the axis.
const FOOT: f64 = 30.0;
/// Ratios are drawn up to so many times the threshold, and cut off there.
const MOST_THRESHOLDS: f64 = 3.0;
/// So many ticks at most.
const TICKS: i64 = 8;

/// The drawing as inline SVG: light, legible in grey, without script.
pub(in crate::report) fn svg(plot: &Plot) -> Markup {
    let heights: Vec<f64> = plot.strips.iter().map(height).collect();
    let tops: Vec<f64> = heights
        .iter()
        .scan(HEAD, |top, height| {
            let own = *top;
            *top += height + BETWEEN;
            Some(own)
        })
        .collect();
    let bottom = HEAD + heights.iter().map(|height| height + BETWEEN).sum::<f64>() - BETWEEN;
    let total = bottom + FOOT;
    let axis = Axis::of(plot);
    let places: Vec<(f64, f64)> = tops.iter().copied().zip(heights.iter().copied()).collect();
    html! {
        figure {
            svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {WIDTH} {total}")) role="img" aria-label=(plot.caption) {
                @for (top, height) in &places {
                    rect class="ground" x=(n(GUTTER)) y=(n(*top)) width=(n(RIGHT - GUTTER)) height=(n(*height)) {}
                }
                @for (at, label) in axis.ticks(plot) {
                    line class="grid" x1=(axis.x(at)) x2=(axis.x(at)) y1=(n(HEAD)) y2=(n(bottom)) {}
                    text class="tick" x=(axis.x(at)) y=(n(bottom + 18.0)) text-anchor="middle" { (label) }
                }
                @for (strip, (top, height)) in plot.strips.iter().zip(&places) {
                    (draw(strip, &axis, *top, *height))
                }
                @for (index, (at, word)) in plot.marks.iter().enumerate() {
                    line class="mark" x1=(axis.x(*at)) x2=(axis.x(*at)) y1=(n(row_of(index) + 3.0)) y2=(n(bottom)) {}
                    text class="word" x=(n(axis.place(*at))) y=(n(row_of(index))) text-anchor=(axis.anchor(*at)) {
                        (word) " " (plot.clock.time(*at))
                    }
                }
            }
            figcaption { (plot.caption) ". Time: " (plot.clock.unit()) "." }
        }
    }
}

/// Marks stand close together at times: each has its own row.
fn row_of(index: usize) -> f64 {
    MARK_ROW * (1.0 + (index % 3) as f64) - 2.0
}

fn height(strip: &Strip) -> f64 {
    match strip {
        Strip::Heartbeats(lanes) => LANE * lanes.len() as f64,
        Strip::Flag(_) => FLAG,
        Strip::Countdown(_) | Strip::Ratios { .. } | Strip::Count(_) => GRAPH,
    }
}

fn draw(strip: &Strip, axis: &Axis, top: f64, height: f64) -> Markup {
    match strip {
        Strip::Heartbeats(lanes) => heartbeats(lanes, axis, top),
        Strip::Flag(segments) => flag(segments, axis, top, height),
        Strip::Countdown(points) => countdown(points, axis, top, height),
        Strip::Ratios { lines, threshold } => ratios(lines, *threshold, axis, top, height),
        Strip::Count(counter) => count(counter, axis, top, height),
    }
}

fn heartbeats(lanes: &[(String, Vec<LaneMark>)], axis: &Axis, top: f64) -> Markup {
    html! {
        @for (index, (name, marks)) in lanes.iter().enumerate() {
            @let middle = top + LANE * (index as f64 + 0.5);
            (label(name, middle))
            @let strokes = marks.iter().fold(String::new(), |mut path, mark| {
                push(&mut path, format_args!("M{} {}v14", axis.x(mark.first), n(middle - 7.0)));
                path
            });
            path class="beat" d=(strokes) {}
        }
    }
}

fn flag(segments: &[FlagSegment], axis: &Axis, top: f64, height: f64) -> Markup {
    html! {
        (label("heartbeat_type_gcs", top + height / 2.0))
        @for segment in segments {
            @let (class, word) = match segment.state {
                FlagState::True => ("yes", "true"),
                FlagState::False => ("no", "false"),
                FlagState::Unknown => ("open", "?"),
            };
            @let (from, to) = (axis.place(segment.from), axis.place(segment.to));
            rect class=(class) x=(n(from)) y=(n(top + 4.0)) width=(n((to - from).max(0.5))) height=(n(height - 8.0)) {}
            @if to - from > 40.0 {
                text class="state" x=(n(f64::midpoint(from, to))) y=(n(top + height / 2.0 + 4.0)) text-anchor="middle" { (word) }
            }
        }
    }
}

fn countdown(points: &[CountdownPoint], axis: &Axis, top: f64, height: f64) -> Markup {
    let most = points
        .iter()
        .map(|point| point.latest.as_secs_f64())
        .fold(1.0, f64::max);
    let scale = Scale::new(most, top, height);
    let corner = |point: &CountdownPoint, left: Span| {
        (axis.place(point.at), scale.y(left.as_secs_f64().max(0.0)))
    };
    let earliest: Vec<(f64, f64)> = points.iter().map(|p| corner(p, p.earliest)).collect();
    let latest: Vec<(f64, f64)> = points.iter().map(|p| corner(p, p.latest)).collect();
    let band = earliest.iter().chain(latest.iter().rev()).copied();
    html! {
        (label("time left, s", top + height / 2.0))
        (scale.ends())
        path class="band" d=(path(band)) {}
        path class="line" d=(path(earliest.iter().copied())) {}
        path class="line" d=(path(latest.iter().copied())) {}
    }
}

fn ratios(
    lines: &[(&'static str, Vec<SeriesPoint>)],
    threshold: Option<f64>,
    axis: &Axis,
    top: f64,
    height: f64,
) -> Markup {
    let values = lines.iter().flat_map(|(_, points)| points);
    let most = values
        .map(|point| f64::from(point.value))
        .filter(|value| value.is_finite())
        .fold(threshold.unwrap_or(1.0) * 1.25, f64::max);
    // A glitch of twenty times the threshold would press all that matters onto the axis.
    let cut_off = threshold.map_or(most, |threshold| threshold * MOST_THRESHOLDS);
    let scale = Scale::new(most.min(cut_off), top, height);
    html! {
        (scale.ends())
        @if let Some(threshold) = threshold {
            line class="limit" x1=(n(GUTTER)) x2=(n(RIGHT)) y1=(n(scale.y(threshold))) y2=(n(scale.y(threshold))) {}
        }
        @for (index, (name, points)) in lines.iter().enumerate() {
            @let row = top + 14.0 + 16.0 * index as f64;
            text class="name" x=(n(GUTTER - 44.0)) y=(n(row + 4.0)) text-anchor="end" { (name) }
            path class=(format!("line dash{index}")) d=(path([(GUTTER - 38.0, row), (GUTTER - 8.0, row)])) {}
            path class=(format!("line dash{index}")) d=(broken(points, axis, &scale)) {}
        }
        @if threshold.is_some() {
            text class="name" x=(n(GUTTER - 8.0)) y=(n(top + height - 6.0)) text-anchor="end" { "FS_EKF_THRESH: - - -" }
        }
    }
}

fn count(counter: &Counter, axis: &Axis, top: f64, height: f64) -> Markup {
    let limit = counter.limit;
    let scale = Scale::new(f64::from(limit.max(1)) * 1.1, top, height);
    let steps = |of: fn(&Count) -> u8| {
        let mut corners: Vec<(f64, f64)> = Vec::new();
        for count in &counter.changes {
            let (x, y) = (axis.place(count.at), scale.y(f64::from(of(count))));
            if let Some((_, before)) = corners.last().copied() {
                corners.push((x, before));
            }
            corners.push((x, y));
        }
        if let Some((_, last)) = corners.last().copied() {
            corners.push((RIGHT, last));
        }
        corners
    };
    let (low, high) = (steps(|count| count.low), steps(|count| count.high));
    html! {
        (label("count of failed checks", top + height / 2.0))
        line class="limit" x1=(n(GUTTER)) x2=(n(RIGHT)) y1=(n(scale.y(f64::from(limit)))) y2=(n(scale.y(f64::from(limit)))) {}
        text class="tick" x=(n(GUTTER - 6.0)) y=(n(scale.y(f64::from(limit)) + 4.0)) text-anchor="end" { (limit) }
        path class="band" d=(path(low.iter().chain(high.iter().rev()).copied())) {}
        path class="line" d=(path(low.iter().copied())) {}
        path class="line" d=(path(high.iter().copied())) {}
    }
}

fn label(name: &str, middle: f64) -> Markup {
    html! { text class="name" x=(n(GUTTER - 24.0)) y=(n(middle + 4.0)) text-anchor="end" { (name) } }
}

/// A line through corners.
fn path(corners: impl IntoIterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (x, y) in corners {
        let command = if path.is_empty() { 'M' } else { 'L' };
        push(&mut path, format_args!("{command}{} {}", n(x), n(y)));
    }
    path
}

/// A line that breaks at its gaps.
fn broken(points: &[SeriesPoint], axis: &Axis, scale: &Scale) -> String {
    let mut path = String::new();
    let mut command = 'M';
    for point in points {
        if point.value.is_finite() {
            let y = scale.y(f64::from(point.value));
            push(
                &mut path,
                format_args!("{command}{} {}", axis.x(point.at), n(y)),
            );
            command = 'L';
        } else {
            command = 'M';
        }
    }
    path
}

fn push(path: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing into a String cannot fail.
    path.write_fmt(text).ok();
}

/// A number of the drawing: a tenth of a unit is finer than any printer.
fn n(value: f64) -> String {
    format!("{value:.1}")
}

/// From time to the drawing's units.
struct Axis {
    from: Micros,
    length: f64,
}

impl Axis {
    fn of(plot: &Plot) -> Self {
        Self {
            from: plot.span.earliest(),
            length: plot.span.width().as_secs_f64().max(1e-6),
        }
    }

    /// What lies outside is held at the edge.
    fn place(&self, at: Micros) -> f64 {
        let share = (at.seconds_since(self.from) / self.length).clamp(0.0, 1.0);
        GUTTER + share * (RIGHT - GUTTER)
    }

    fn x(&self, at: Micros) -> String {
        n(self.place(at))
    }

    /// On which side of its place a word has room.
    fn anchor(&self, at: Micros) -> &'static str {
        if self.place(at) > RIGHT - 190.0 {
            "end"
        } else {
            "start"
        }
    }

    /// Ticks at whole steps of a handy length.
    fn ticks(&self, plot: &Plot) -> Vec<(Micros, String)> {
        const STEPS: [i64; 12] = [
            100_000,
            200_000,
            500_000,
            1_000_000,
            2_000_000,
            5_000_000,
            10_000_000,
            20_000_000,
            60_000_000,
            300_000_000,
            1_800_000_000,
            7_200_000_000,
        ];
        let (from, to) = (self.from.as_micros(), plot.span.latest().as_micros());
        let fits = |step: &&i64| to.saturating_sub(from) / **step <= TICKS;
        let Some(step) = STEPS.iter().find(fits) else {
            return Vec::new();
        };
        let first = from
            .div_euclid(*step)
            .saturating_add(1)
            .saturating_mul(*step);
        (0..=TICKS)
            .map(|index| first.saturating_add(index.saturating_mul(*step)))
            .take_while(|at| *at <= to)
            .map(|at| {
                let at = Micros::from_micros(at);
                (at, plot.clock.tick(at))
            })
            .collect()
    }
}

/// From a value to the drawing's units, zero at the bottom.
struct Scale {
    most: f64,
    top: f64,
    height: f64,
}

impl Scale {
    fn new(most: f64, top: f64, height: f64) -> Self {
        Self {
            most: most.max(f64::MIN_POSITIVE),
            top,
            height,
        }
    }

    fn y(&self, value: f64) -> f64 {
        self.top + self.height * (1.0 - (value / self.most).clamp(0.0, 1.0))
    }

    /// The figures at both ends.
    fn ends(&self) -> Markup {
        html! {
            text class="tick" x=(n(GUTTER - 6.0)) y=(n(self.top + 8.0)) text-anchor="end" { (format!("{:.1}", self.most)) }
            text class="tick" x=(n(GUTTER - 6.0)) y=(n(self.top + self.height)) text-anchor="end" { "0" }
        }
    }
}
