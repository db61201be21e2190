//! What the strips of a PX4 vehicle show over a range of time: the flag, the reports, the countdown.

use crate::rules::LinkLoss;
use crate::rules::px4::{Arrival, Entry, FlagRule, HeartbeatEffect, LoopTiming, timer_report_due};
use crate::time::{Bounds, Micros, Span};

use super::px4_facts::{GroundBeat, Px4Facts};
use super::{
    CountdownPoint, FlagSegment, FlagState, LinkStrips, ReportMark, ReportOrigin, px4_link,
};

/// Single reports are told apart over at most this much time; beyond, they are closer than pixels.
pub(super) const REPORTS_OVER: Span = Span::from_secs(180);

/// The strips of one vehicle over one range, computed once per frame.
pub(super) struct Px4Strips<'a> {
    facts: &'a Px4Facts<'a>,
    from: Micros,
    to: Micros,
    rule: Option<FlagRule>,
    silences: Vec<Silence>,
    /// The first heartbeat in sight; nothing is known before it.
    known_from: Option<Micros>,
}

/// The time from one arrived heartbeat to the next, or to the end of what is known.
struct Silence {
    from: Micros,
    to: Micros,
    /// Evaluated when it was long enough for the flag to fall.
    loss: Option<LinkLoss>,
}

impl<'a> Px4Strips<'a> {
    pub fn new(facts: &'a Px4Facts<'a>, from: Micros, to: Micros) -> Self {
        let rule = facts
            .versions()
            .last()
            .and_then(|v| v.heartbeat_timeout())
            .map(FlagRule::new);
        // Of those before the range, only the last one matters.
        let within = facts.ground_beats(from + Span::from_micros(1), to);
        let beats: Vec<GroundBeat> = facts
            .last_arrived(from)
            .into_iter()
            .chain(within.into_iter().filter(|b| b.arrival != Arrival::Refuted))
            .collect();
        let shortest = rule.map_or(Span::from_secs(1), FlagRule::timeout);
        let silences = beats
            .iter()
            .enumerate()
            .map(|(i, beat)| {
                let end = beats.get(i + 1).map_or(to, |next| next.at);
                let loss = (end - beat.at > shortest)
                    .then(|| px4_link::running_silence(facts, *beat))
                    .flatten();
                Silence {
                    from: beat.at,
                    to: end,
                    loss,
                }
            })
            .collect();
        Self {
            facts,
            from,
            to,
            rule,
            silences,
            known_from: beats.first().map(|b| b.at),
        }
    }

    /// All of them.
    pub fn all(&self) -> LinkStrips {
        LinkStrips {
            flag: self.flag(),
            reports: self.reports(),
            countdown: self.countdown(),
        }
    }

    /// The flag over the range, without gaps. Empty for a version without a flag.
    fn flag(&self) -> Vec<FlagSegment> {
        let mut segments = Vec::new();
        if self.rule.is_none() || self.to <= self.from {
            return segments;
        }
        let mut push = |from: Micros, to: Micros, state: FlagState| {
            let (from, to) = (from.max(self.from), to.min(self.to));
            if to <= from {
                return;
            }
            match segments.last_mut() {
                Some(FlagSegment {
                    to: end,
                    state: last,
                    ..
                }) if *last == state => *end = to,
                _ => segments.push(FlagSegment { from, to, state }),
            }
        };
        push(
            self.from,
            self.known_from.unwrap_or(self.to),
            FlagState::Unknown,
        );
        for silence in &self.silences {
            match silence.loss.as_ref().and_then(LinkLoss::flag_false) {
                None => push(silence.from, silence.to, FlagState::True),
                Some(falls) => {
                    let falls = Bounds::new(
                        falls.earliest().min(silence.to),
                        falls.latest().min(silence.to),
                    );
                    push(silence.from, falls.earliest(), FlagState::True);
                    push(falls.earliest(), falls.latest(), FlagState::Unknown);
                    push(falls.latest(), silence.to, FlagState::False);
                }
            }
        }
        segments
    }

    /// The reports of the instance that we talk to, as the checks and the timer give them. None for a
    /// range so long that they could not be told apart.
    fn reports(&self) -> Vec<ReportMark> {
        let Some(rule) = self.rule else {
            return Vec::new();
        };
        if self.to - self.from > REPORTS_OVER {
            return Vec::new();
        }
        let timing = LoopTiming::FAST_LINK;
        let flag = self.flag();
        let mut marks = Vec::new();
        let mut push = |at: Bounds, origin: ReportOrigin| {
            if at.latest() >= self.from && at.earliest() <= self.to {
                marks.push(ReportMark {
                    at,
                    says: state_over(&flag, at),
                    origin,
                });
            }
        };
        let forced = self.forced_checks();
        for (i, check) in forced.iter().enumerate() {
            let next = forced.get(i + 1).copied().unwrap_or(self.to);
            push(
                Bounds::exact(*check).later_by(Span::ZERO, timing.publisher),
                ReportOrigin::Forced,
            );
            // Between two forced checks: self-checks, and the timer a second after each report.
            let mut last = Bounds::exact(*check);
            while last.earliest() < next {
                let timer = Bounds::new(
                    timer_report_due(last.earliest()),
                    timer_report_due(last.latest()) + timing.publisher + timing.publisher,
                );
                let own = Bounds::new(
                    rule.self_check_due(last.earliest()),
                    rule.self_check_due(last.latest()) + timing.receiver,
                );
                if timer.latest() < own.earliest() && timer.latest() < next {
                    push(timer, ReportOrigin::Timed);
                }
                if own.latest() >= next || own.width() > Span::from_secs(1) {
                    break;
                }
                push(
                    own.later_by(Span::ZERO, timing.publisher),
                    ReportOrigin::Timed,
                );
                last = own;
            }
        }
        marks
    }

    /// The heartbeats that force a check on the instance we talk to, around the range.
    fn forced_checks(&self) -> Vec<Micros> {
        let margin = Span::from_secs(4);
        let topology = self.facts.topology(self.to);
        let mut checks: Vec<Micros> = self
            .facts
            .accepted(self.to)
            .filter(|(track, effect)| {
                *effect == HeartbeatEffect::CountsAsGroundStation
                    || topology.entry(track.talker) != Entry::Elsewhere
            })
            .flat_map(|(track, _)| track.heartbeats.between(self.from - margin, self.to))
            .copied()
            .collect();
        checks.sort_unstable();
        checks
    }

    /// The commander's countdown: time left until the loss, as earliest and latest.
    fn countdown(&self) -> Vec<CountdownPoint> {
        let reports = self.reports();
        let mut points = Vec::new();
        for silence in &self.silences {
            let (_, d) = self.facts.loss_time(silence.from);
            match &silence.loss {
                Some(loss) => {
                    // The candidate that the story is told along; the window draws the others itself.
                    let Some(chosen) = loss.told() else {
                        continue;
                    };
                    let start = chosen.start_line;
                    presence(&mut points, &reports, d, silence.from, start.earliest());
                    points.extend(falling(start, d, silence.to));
                }
                None => presence(&mut points, &reports, d, silence.from, silence.to),
            }
        }
        points
    }
}

/// While the ground station is present: a saw tooth from report to report, or, over a range too
/// long for single ones, the band that it fills.
pub(super) fn presence(
    points: &mut Vec<CountdownPoint>,
    reports: &[ReportMark],
    d: Span,
    from: Micros,
    to: Micros,
) {
    let point = |at, earliest, latest| CountdownPoint {
        at,
        earliest,
        latest,
    };
    if reports.is_empty() {
        points.push(point(from, d - Span::from_secs(1), d));
        points.push(point(to, d - Span::from_secs(1), d));
        return;
    }
    let within = reports
        .iter()
        .filter(|r| r.says == FlagState::True && r.at.earliest() >= from && r.at.earliest() <= to);
    for report in within {
        let at = report.at.earliest();
        if let Some(last) = points.last().copied() {
            let run = at - last.at;
            points.push(point(at, last.earliest - run, last.latest - run));
        }
        points.push(point(at, d, d));
    }
}

/// The countdown that nothing restarts any more: falling to zero, and zero from there to the end.
pub(super) fn falling(start: Bounds, d: Span, end: Micros) -> Vec<CountdownPoint> {
    let left = |at: Micros| CountdownPoint {
        at,
        earliest: (start.earliest() + d - at).clamp(Span::ZERO, d),
        latest: (start.latest() + d - at).clamp(Span::ZERO, d),
    };
    [
        start.earliest(),
        start.latest(),
        start.earliest() + d,
        start.latest() + d,
        end,
    ]
    .into_iter()
    .map(|at| at.min(end))
    .map(left)
    .collect()
}

fn state_over(flag: &[FlagSegment], at: Bounds) -> FlagState {
    let mut states = flag
        .iter()
        .filter(|s| s.from <= at.latest() && at.earliest() < s.to)
        .map(|s| s.state);
    match (states.next(), states.next()) {
        (Some(only), None) => only,
        _ => FlagState::Unknown,
    }
}
