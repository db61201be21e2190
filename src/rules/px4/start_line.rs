//! The backward form of the receiver and the publisher: from the heartbeats that the ground saw to the
//! last report that said "present", which is the commander's start line.
//!
//! The same rule functions as the forward form ([`FlagRule`], [`timer_report_due`]) are carried through
//! on intervals. Where the order of two events is open, the computation branches, and every branch
//! yields its own narrow result with the question that separates it from the others. A property test
//! runs the forward form against it.

use crate::observation::Talker;
use crate::time::{Bounds, Micros, Span};

use super::{FlagRule, LoopTiming, REPORT_INTERVAL, timer_report_due};

/// An accepted heartbeat after the last ground station heartbeat: it forces a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForcedCheck {
    /// When the vehicle receives it.
    pub at: Bounds,
    /// Whose it is.
    pub by: Talker,
    /// It was not seen, but presumed from the rhythm so far.
    pub presumed: bool,
}

/// The silence of the ground stations on one instance.
#[derive(Clone, Copy, Debug)]
pub struct Silence<'a> {
    /// When the vehicle received the last ground station heartbeat.
    pub last_ground_heartbeat: Bounds,
    /// The accepted heartbeats after it, in order of `at.earliest()`.
    pub forced: &'a [ForcedCheck],
}

/// One check on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckStep {
    /// When.
    pub at: Bounds,
    /// Whose heartbeat forced it; `None` for a self-check.
    pub forced_by: Option<Talker>,
    /// The forcing heartbeat is presumed.
    pub presumed: bool,
    /// What it found.
    pub present: bool,
}

/// Something that the ground cannot decide and that splits the outcome, as answered on one branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// Whether the one-second timer published a last "present" before the check that found the ground
    /// station absent, and the commander read it.
    TimerReportFirst(bool),
    /// Whether a check right at the heartbeat timeout still found it present.
    PresentAtLimit(bool),
    /// Whether the receiver checked by itself just before a heartbeat forced it to.
    SelfCheckFirst(bool),
}

/// One way the last report that said "present" can have come about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartLine {
    /// The checks after the last ground station heartbeat, up to the first that found it absent.
    pub checks: Vec<CheckStep>,
    /// When the flag turned false: from the last of `checks` to the report that says so.
    pub flag_false: Bounds,
    /// When the last report that said present was published: the commander's start line.
    pub report: Bounds,
    /// Whether that report came from the one-second timer rather than from a check.
    pub from_timer: bool,
    /// What must be so for this branch.
    pub questions: Vec<Question>,
}

/// A length of time between two ends, both inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lapse {
    least: Span,
    most: Span,
}

impl Lapse {
    const ZERO: Self = Self {
        least: Span::ZERO,
        most: Span::ZERO,
    };

    fn between(earlier: Bounds, later: Bounds) -> Self {
        Self {
            least: later.earliest() - earlier.latest(),
            most: later.latest() - earlier.earliest(),
        }
    }
}

/// A check that comes next on a branch. Its distances are kept beside its time: a self-check is a fixed
/// time after the check before, however uncertain the time of both is.
#[derive(Clone, Copy)]
struct NextCheck {
    step: CheckStep,
    /// Time since the check before.
    since_check: Lapse,
    /// Age of the last ground station heartbeat.
    age: Lapse,
}

/// A branch under way.
#[derive(Clone)]
struct Branch {
    last_check: Bounds,
    /// Age of the last ground station heartbeat at `last_check`.
    age: Lapse,
    next_forced: usize,
    checks: Vec<CheckStep>,
    questions: Vec<Question>,
}

/// More branches than this are cut off; what a talker at the very rhythm of the self-checks produces
/// stays far below it.
const BRANCH_LIMIT: usize = 64;

/// The least lateness that two self-checks in a row have together.
const LEAST_LATENESS: Span = Span::from_micros(1);

/// All ways in which the silence can have been reported, likeliest first within each question.
///
/// `timing` bounds how late the vehicle's loops are. The result is never empty.
#[must_use]
pub fn start_lines(rule: FlagRule, timing: LoopTiming, silence: Silence<'_>) -> Vec<StartLine> {
    let mut open = vec![Branch {
        // The last heartbeat itself forces a check, which fixes the phase of everything after it.
        last_check: silence.last_ground_heartbeat,
        age: Lapse::ZERO,
        next_forced: 0,
        checks: Vec::new(),
        questions: Vec::new(),
    }];
    let mut done = Vec::new();
    while let Some(branch) = open.pop() {
        if done.len() + open.len() > BRANCH_LIMIT {
            break;
        }
        branch.advance(rule, timing, silence, &mut open, &mut done);
    }
    done.sort_by_key(|line: &StartLine| (line.report.earliest(), line.report.latest()));
    done.dedup_by(|a, b| a.report == b.report && a.questions == b.questions);
    done
}

impl Branch {
    fn advance(
        mut self,
        rule: FlagRule,
        timing: LoopTiming,
        silence: Silence<'_>,
        open: &mut Vec<Self>,
        done: &mut Vec<StartLine>,
    ) {
        let own = self.self_check(rule, timing);
        let forced = silence
            .forced
            .get(self.next_forced)
            .map(|f| self.forced_check(*f, silence));
        let Some(forced) = forced else {
            self.check(own, rule, timing, open, done);
            return;
        };
        if forced.step.at.latest() < own.step.at.earliest() {
            self.next_forced += 1;
            self.check(forced, rule, timing, open, done);
        } else if own.step.at.latest() < forced.step.at.earliest() {
            self.check(own, rule, timing, open, done);
        } else {
            let mut first = self.clone();
            first.questions.push(Question::SelfCheckFirst(true));
            first.check(
                own.no_later_than(forced.step.at.latest()),
                rule,
                timing,
                open,
                done,
            );

            self.questions.push(Question::SelfCheckFirst(false));
            self.next_forced += 1;
            self.check(
                forced.no_later_than(own.step.at.latest()),
                rule,
                timing,
                open,
                done,
            );
        }
    }

    fn self_check(&self, rule: FlagRule, timing: LoopTiming) -> NextCheck {
        let due = |last| rule.self_check_due(last);
        let at = Bounds::new(
            due(self.last_check.earliest()),
            due(self.last_check.latest()) + timing.receiver,
        );
        let interval = rule.self_check_due(Micros::default()) - Micros::default();
        let since_check = Lapse {
            least: interval,
            most: interval + timing.receiver,
        };
        NextCheck {
            step: CheckStep {
                at,
                forced_by: None,
                presumed: false,
                present: false,
            },
            since_check,
            // Two self-checks in a row come just behind the limit, never on it: for that, both would
            // have to run on the very microsecond at which they are due.
            age: Lapse {
                least: self.age.least + interval + LEAST_LATENESS,
                most: self.age.most + since_check.most,
            },
        }
    }

    fn forced_check(&self, forced: ForcedCheck, silence: Silence<'_>) -> NextCheck {
        NextCheck {
            step: CheckStep {
                at: forced.at,
                forced_by: Some(forced.by),
                presumed: forced.presumed,
                present: false,
            },
            since_check: Lapse::between(self.last_check, forced.at),
            age: Lapse::between(silence.last_ground_heartbeat, forced.at),
        }
    }

    /// Evaluates one check, on both sides of the limit where it may fall on either.
    fn check(
        self,
        next: NextCheck,
        rule: FlagRule,
        timing: LoopTiming,
        open: &mut Vec<Self>,
        done: &mut Vec<StartLine>,
    ) {
        // The limit itself is still present: `FlagRule::present_until` is inclusive.
        let limit = rule.timeout();
        if next.age.most <= limit {
            open.push(self.present(next));
        } else if next.age.least > limit {
            self.absent(next, timing, done);
        } else {
            let mut absent = self.clone();
            absent.questions.push(Question::PresentAtLimit(false));
            absent.absent(next, timing, done);

            let mut present = self;
            present.questions.push(Question::PresentAtLimit(true));
            open.push(present.present(next));
        }
    }

    fn present(mut self, next: NextCheck) -> Self {
        // A self-check leaves the pending forced one pending: its heartbeat still comes.
        self.last_check = next.step.at;
        self.age = next.age;
        self.checks.push(CheckStep {
            present: true,
            ..next.step
        });
        self
    }

    /// The first check that finds the ground station absent: settles which report was the last true one.
    fn absent(mut self, next: NextCheck, timing: LoopTiming, done: &mut Vec<StartLine>) {
        let tau = self.last_check;
        let step = next.step;
        self.checks.push(step);
        let of_check = tau.later_by(Span::ZERO, timing.publisher);
        // The report of the check restarted the timer, so the timer's is a second after it, each within
        // one turn of the sending loop.
        let two_turns = timing.publisher + timing.publisher;
        let of_timer = Bounds::new(
            timer_report_due(tau.earliest()),
            timer_report_due(tau.latest()) + two_turns,
        );
        // The timer's report needs to be out before the check, or the flag in it is already false.
        let timer_possible = next.since_check.most >= REPORT_INTERVAL;
        // And the commander has to read it before the report of the check overwrites it, which takes
        // up to one of its cycles.
        let timer_certain = next.since_check.least > REPORT_INTERVAL + two_turns + timing.commander;
        let mut finish = |report: Bounds, from_timer: bool, question: Option<Question>| {
            let mut questions = self.questions.clone();
            questions.extend(question);
            done.push(StartLine {
                checks: self.checks.clone(),
                flag_false: step.at.later_by(Span::ZERO, timing.publisher),
                report,
                from_timer,
                questions,
            });
        };
        if timer_certain {
            finish(of_timer, true, None);
        } else if timer_possible {
            finish(of_check, false, Some(Question::TimerReportFirst(false)));
            let latest = of_timer
                .latest()
                .min(step.at.latest())
                .max(of_timer.earliest());
            finish(
                Bounds::new(of_timer.earliest(), latest),
                true,
                Some(Question::TimerReportFirst(true)),
            );
        } else {
            finish(of_check, false, None);
        }
    }
}

impl NextCheck {
    /// The same check, known to come no later than `latest` because another one would come before it.
    /// Only its time is cut: its distances are kept as they are, since the events they are measured from
    /// may lie at the early end of their own bounds.
    fn no_later_than(mut self, latest: Micros) -> Self {
        let at = self.step.at;
        self.step.at = Bounds::new(at.earliest(), at.latest().min(latest).max(at.earliest()));
        self
    }
}

/// The start line when nothing is known of the other heartbeats on the instance: after the last check
/// that may still find the ground station present, and before the latest report that may carry it.
#[must_use]
pub fn start_line_unknown_talkers(
    rule: FlagRule,
    timing: LoopTiming,
    last_ground_heartbeat: Bounds,
) -> Bounds {
    // The last check that finds it present is followed by one that does not, at most half a timeout
    // (plus lateness) later; and if more than a second passes between the two, the timer's report
    // follows the check's (unless the commander misses it). So the earliest start line is the report of
    // a check that lies the shorter of the two before the limit.
    let two_turns = timing.publisher + timing.publisher;
    let half = rule.self_check_due(Micros::default()) - Micros::default();
    let longest = (half + timing.receiver).min(REPORT_INTERVAL + two_turns + timing.commander);
    let closest = rule.timeout() - longest;
    Bounds::new(
        last_ground_heartbeat.earliest() + closest,
        rule.present_until(last_ground_heartbeat.latest())
            + latest_timer_extension(rule)
            + two_turns,
    )
}

/// How much later than a check at the limit the timer can still report "present": a whole interval if
/// the next self-check leaves room for it, else nothing.
fn latest_timer_extension(rule: FlagRule) -> Span {
    if rule.timeout() / 2 > Span::from_secs(1) {
        Span::from_secs(1)
    } else {
        Span::ZERO
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: FlagRule = FlagRule::new(Span::from_millis(2_500));
    const TIMING: LoopTiming = LoopTiming::FAST_LINK;
    const H: Micros = Micros::from_millis(100_000);

    fn after(origin: Micros, bounds: Bounds) -> (Span, Span) {
        (bounds.earliest() - origin, bounds.latest() - origin)
    }

    fn forced(offsets_ms: &[i64]) -> Vec<ForcedCheck> {
        offsets_ms
            .iter()
            .map(|ms| ForcedCheck {
                at: Bounds::exact(H + Span::from_millis(*ms)),
                by: Talker::new(1, 191),
                presumed: false,
            })
            .collect()
    }

    fn reports(offsets_ms: &[i64]) -> Vec<(i64, i64, bool)> {
        let forced = forced(offsets_ms);
        let silence = Silence {
            last_ground_heartbeat: Bounds::exact(H),
            forced: &forced,
        };
        start_lines(RULE, TIMING, silence)
            .into_iter()
            .map(|line| {
                let (a, b) = after(H, line.report);
                (
                    a.as_micros() / 1_000,
                    b.as_micros() / 1_000,
                    line.from_timer,
                )
            })
            .collect()
    }

    #[test]
    fn a_ground_station_alone_ends_two_and_a_quarter_seconds_after_its_last_heartbeat() {
        assert_eq!(reports(&[]), [(2_250, 2_265, true)]);
    }

    #[test]
    fn a_companion_just_over_a_second_apart_gives_the_timer_its_second() {
        assert_eq!(reports(&[441, 1_461, 2_481, 3_501]), [(3_481, 3_485, true)]);
    }

    #[test]
    fn a_companion_just_under_a_second_apart_leaves_the_timer_no_room() {
        assert_eq!(reports(&[600, 1_590, 2_580]), [(1_590, 1_592, false)]);
    }

    #[test]
    fn at_one_second_sharp_both_outcomes_stay_open() {
        assert_eq!(
            reports(&[872, 1_872, 2_872]),
            [(1_872, 1_874, false), (2_872, 2_872, true)]
        );
    }

    #[test]
    fn a_companion_that_dies_leaves_the_self_check() {
        // Last companion heartbeat 2.453 s after the ground station's; the self-check at 3.703 s finds
        // it absent, and the timer's report at 3.453 s was the last that said present.
        assert_eq!(reports(&[453, 1_453, 2_453]), [(3_453, 3_457, true)]);
    }

    #[test]
    fn in_v1_12_the_last_check_is_the_start_line() {
        let rule = FlagRule::new(Span::from_millis(1_500));
        let lines = start_lines(
            rule,
            TIMING,
            Silence {
                last_ground_heartbeat: Bounds::exact(H),
                forced: &[],
            },
        );
        assert_eq!(lines.len(), 1);
        let (a, b) = after(H, lines[0].report);
        assert_eq!(
            (a, b),
            (Span::from_micros(750_000), Span::from_micros(763_600))
        );
    }
}
