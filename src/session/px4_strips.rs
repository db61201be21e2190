//! What the strips of a PX4 vehicle show over a range of time: the flag, the reports, the countdown.

use crate::rules::LinkLoss;
use crate::rules::px4::{Arrival, Entry, FlagRule, HeartbeatEffect, timer_report_due};
use crate::time::{Bounds, Micros, Span};

use super::px4_arrivals::GroundBeat;
use super::px4_facts::Px4Facts;
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
    /// The receiver's rule, where all versions that are left open share it.
    rule: Option<FlagRule>,
    /// Whether any of them has a flag at all.
    has_flag: bool,
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
        let to = to.min(facts.until);
        let timeouts: Vec<Option<Span>> = facts
            .versions()
            .iter()
            .map(|version| version.heartbeat_timeout())
            .collect();
        let shared = timeouts.first().copied().flatten();
        let rule = shared
            .filter(|shared| timeouts.iter().all(|t| *t == Some(*shared)))
            .map(FlagRule::new);
        // The flag cannot fall before the shortest of them has passed.
        let shortest = timeouts.iter().flatten().min().copied();
        let has_flag = shortest.is_some();
        let shortest = shortest.unwrap_or(Span::from_secs(1));
        // Of those before the range, only the last one matters.
        let within = facts.ground_beats(from + Span::from_micros(1), to);
        let beats: Vec<GroundBeat> = facts
            .last_arrived(from)
            .into_iter()
            .chain(within.into_iter().filter(|b| b.arrival != Arrival::Refuted))
            .collect();
        let silences = beats
            .iter()
            .enumerate()
            .map(|(i, beat)| {
                let end = beats.get(i + 1).map_or(to, |next| next.at);
                let lasted = facts.vehicle.clock.elapsed(beat.at, end);
                let loss = (lasted > shortest)
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
            has_flag,
            silences,
            known_from: beats.first().map(|b| b.at),
        }
    }

    /// All of them.
    pub fn all(&self) -> LinkStrips {
        let flag = self.flag();
        let reports = self.reports(&flag);
        let countdown = self.countdown(&reports);
        LinkStrips {
            flag,
            reports,
            countdown,
        }
    }

    /// The flag over the range, without gaps. Empty for a version without a flag.
    fn flag(&self) -> Vec<FlagSegment> {
        let mut segments = Vec::new();
        if !self.has_flag || self.to <= self.from {
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
    /// range so long that they could not be told apart, and none where versions that differ are left open.
    fn reports(&self, flag: &[FlagSegment]) -> Vec<ReportMark> {
        let Some(rule) = self.rule else {
            return Vec::new();
        };
        if self.to - self.from > REPORTS_OVER {
            return Vec::new();
        }
        let clock = self.facts.vehicle.clock.near(self.to);
        let timing = self.facts.timing(self.to, clock);
        let transport = self.facts.transport(self.to);
        let vehicle = |at: Micros| clock.and_then(|c| c.vehicle_at(at)).unwrap_or(at);
        let ground = |at: Micros| clock.and_then(|c| c.ground_at(at)).unwrap_or(at);
        let mut marks = Vec::new();
        let mut push = |at: Bounds, origin: ReportOrigin| {
            let at = Bounds::new(ground(at.earliest()), ground(at.latest()));
            if at.latest() >= self.from && at.earliest() <= self.to {
                marks.push(ReportMark {
                    at,
                    says: state_over(flag, at),
                    origin,
                });
            }
        };
        let forced: Vec<Micros> = self.forced_checks().into_iter().map(vehicle).collect();
        let end = vehicle(self.to);
        for (i, check) in forced.iter().enumerate() {
            let next = forced.get(i + 1).copied().unwrap_or(end);
            let check = Bounds::exact(*check).later_by(Span::ZERO, transport);
            push(
                check.later_by(Span::ZERO, timing.publisher),
                ReportOrigin::Forced,
            );
            // Between two forced checks: self-checks, and the timer a second after each report.
            let mut last = check;
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

    /// The commander's countdown: time left until the loss on the ground's clock, as earliest and latest.
    fn countdown(&self, reports: &[ReportMark]) -> Vec<CountdownPoint> {
        let mut points = Vec::new();
        for silence in &self.silences {
            let (_, d) = self.facts.loss_time(silence.from);
            let d = self.facts.vehicle.clock.on_ground(silence.from, d);
            match &silence.loss {
                Some(loss) => {
                    // The candidate that the story is told along; the window draws the others itself.
                    let Some(chosen) = loss.told() else {
                        continue;
                    };
                    let start = chosen.start_line;
                    presence(&mut points, reports, d, silence.from, start.earliest());
                    run_down(&mut points, start.earliest());
                    points.extend(falling(start, chosen.loss, silence.to));
                }
                None => presence(&mut points, reports, d, silence.from, silence.to),
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
        run_down(points, at);
        points.push(point(at, d, d));
    }
}

/// Time runs from the last point to `at`, where something restarts the countdown.
fn run_down(points: &mut Vec<CountdownPoint>, at: Micros) {
    if let Some(last) = points.last().copied() {
        let run = (at - last.at).max(Span::ZERO);
        points.push(CountdownPoint {
            at: last.at + run,
            earliest: last.earliest - run,
            latest: last.latest - run,
        });
    }
}

/// The countdown that nothing restarts any more: from the start line falling to zero at the loss, and zero
/// from there to the end.
pub(super) fn falling(start: Bounds, loss: Bounds, end: Micros) -> Vec<CountdownPoint> {
    let left = |at: Micros| CountdownPoint {
        at,
        earliest: (loss.earliest() - at).max(Span::ZERO),
        latest: (loss.latest() - at).max(Span::ZERO),
    };
    [
        start.earliest(),
        start.latest(),
        loss.earliest(),
        loss.latest(),
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
