use crate::observation::{EkfFlags, LoggedFact};
use crate::time::{Micros, Span};

use super::check::{CheckEvent, CheckInput, EkfCheck};
use super::{CompassMeasure, EkfRule, EkfText, Ratios};

/// ERR subsystem EKFCHECK.
const EKF_CHECK: u8 = 16;
/// Its code for a trip; 0 is a clear.
const TRIPPED: u8 = 2;
/// How far a replayed change and the log's own record of it may lie apart to be the same.
const SAME_CHANGE: Span = Span::from_millis(500);
/// The log cuts ratios off to hundredths; the middle of what was cut off is the best guess, and it moves
/// no ratio across a threshold given in hundredths.
const CUT_OFF: f32 = 0.005;
/// Records this soon after a check belong to the same main loop, which updates the estimator first.
const SAME_LOOP: Span = Span::from_millis(2);

/// The vehicle's own check, run again from its DataFlash log.
///
/// XKF4 (NKF4) holds the ratios of the primary lane at up to the main loop's rate, so that the count is
/// exact but for the log's truncation to hundredths. The instants of the checks follow from any ERR of
/// subsystem 16, which is written by the check itself.
#[derive(Clone, Debug)]
pub struct LogReplay {
    rule: EkfRule,
    /// The rules that took its place, each from its instant on.
    later_rules: Vec<(Micros, EkfRule)>,
    records: Vec<Record>,
    switches: Vec<(Micros, Switch)>,
    errors: Vec<(Micros, u8)>,
    logs_disarmed: bool,
}

#[derive(Clone, Copy, Debug)]
struct Record {
    at: Micros,
    ratios: Ratios,
    flags: EkfFlags,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Switch {
    Armed(bool),
    Mode(u32),
    InUse(bool),
}

/// A change of the check's state in the replay, and the log's own record of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayedChange {
    /// When the replay makes it.
    pub at: Micros,
    /// What changed.
    pub event: CheckEvent,
    /// When the log's ERR says it happened; `None` if it has none.
    pub logged: Option<Micros>,
}

/// What a replay came to.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayedCheck {
    /// When in each tenth of a second the check runs; `None` when no ERR told, and zero was taken.
    pub phase: Option<Span>,
    /// The count after each check that changed it: instant, count, tripped.
    pub counts: Vec<(Micros, u8, bool)>,
    /// The trips and clears.
    pub changes: Vec<ReplayedChange>,
    /// Trips (`true`) and clears of the log that the replay does not reproduce.
    pub unexplained: Vec<(Micros, bool)>,
}

impl LogReplay {
    /// A replay under `rule`, which need not be the one that was in force.
    #[must_use]
    pub fn new(rule: EkfRule) -> Self {
        let rule = of_largest_axis(rule);
        Self {
            rule,
            later_rules: Vec::new(),
            records: Vec::new(),
            switches: Vec::new(),
            errors: Vec::new(),
            logs_disarmed: false,
        }
    }

    /// A parameter changed: checks from `at` on follow `rule`, of the same vehicle. In order of time.
    pub fn change_rule(&mut self, at: Micros, rule: EkfRule) {
        self.later_rules.push((at, of_largest_axis(rule)));
    }

    /// Takes in one fact of the log, in the order of the log; facts without bearing are ignored.
    pub fn observe(&mut self, at: Micros, fact: &LoggedFact) {
        match fact {
            LoggedFact::InnovationRatios {
                core,
                velocity,
                position,
                compass,
                status,
                primary,
                ..
            } if core == primary => self.records.push(Record {
                at,
                ratios: Ratios {
                    velocity: *velocity + CUT_OFF,
                    position: *position + CUT_OFF,
                    compass: self.rule.compass.at_most(*compass + CUT_OFF),
                },
                // The low ten bits of the filter status are the report's flags.
                flags: EkfFlags((*status & 0x3ff) as u16),
            }),
            LoggedFact::Armed(armed) => self.switches.push((at, Switch::Armed(*armed))),
            LoggedFact::Mode { mode, .. } => {
                self.switches.push((at, Switch::Mode(u32::from(*mode))));
            }
            LoggedFact::Text { text, .. } => match EkfText::recognise(text) {
                Some(EkfText::DcmActive) => self.switches.push((at, Switch::InUse(false))),
                Some(EkfText::EkfActive) => self.switches.push((at, Switch::InUse(true))),
                _ => {}
            },
            LoggedFact::Error { subsystem, code } if *subsystem == EKF_CHECK => {
                self.errors.push((at, *code));
            }
            LoggedFact::Parameter { name, value } if &**name == "LOG_DISARMED" => {
                self.logs_disarmed = *value != 0.0;
            }
            _ => {}
        }
    }

    /// Runs the checks.
    #[must_use]
    pub fn finish(&self) -> ReplayedCheck {
        let phase = self.phase();
        let mut check = EkfCheck::new(self.rule.clone());
        let mut replayed = ReplayedCheck {
            phase,
            counts: Vec::new(),
            changes: Vec::new(),
            unexplained: Vec::new(),
        };
        let (Some(first), Some(last)) = (self.records.first(), self.records.last()) else {
            replayed.unexplained = self.logged().collect();
            return replayed;
        };
        let period = self.rule.period();
        let mut at = first_check(first.at, period, phase.unwrap_or(Span::ZERO));
        let mut state = self.state_at_start();
        let mut switches = self.switches.iter().peekable();
        let mut rules = self.later_rules.iter().peekable();
        let mut next = 0;
        while at <= last.at + period {
            while let Some(&&(_, switch)) =
                switches.peek().filter(|(when, _)| *when <= at + SAME_LOOP)
            {
                state.apply(switch);
                switches.next();
            }
            while let Some((_, rule)) = rules.next_if(|(when, _)| *when <= at) {
                check.change_rule(rule.clone());
            }
            next = self.record_for(at, next);
            if let Some(record) = self.records.get(next) {
                let before = (check.count(), check.tripped());
                let event = check.tick(
                    at,
                    &CheckInput {
                        ratios: record.ratios,
                        flags: record.flags,
                        in_use: state.in_use,
                        armed: state.armed,
                        mode: state.mode,
                        flow_healthy: false,
                    },
                );
                if (check.count(), check.tripped()) != before {
                    replayed.counts.push((at, check.count(), check.tripped()));
                }
                if let Some(event) = event {
                    replayed.changes.push(ReplayedChange {
                        at,
                        event,
                        logged: None,
                    });
                }
            }
            at += period;
        }
        self.match_errors(&mut replayed);
        replayed
    }

    /// The last record that the check at `at` can have seen, not before record `from`.
    fn record_for(&self, at: Micros, from: usize) -> usize {
        let mut n = from;
        while self
            .records
            .get(n + 1)
            .is_some_and(|next| next.at <= at + SAME_LOOP)
        {
            n += 1;
        }
        n
    }

    /// The check's place in its period, from the middle one of the log's own records.
    fn phase(&self) -> Option<Span> {
        let period = self.rule.period().as_micros();
        // Relative to the first, so that phases around zero are not torn apart.
        let origin = self.errors.first()?.0.as_micros();
        let mut offsets: Vec<i64> = self
            .errors
            .iter()
            .map(|(at, _)| (at.as_micros() - origin + period / 2).rem_euclid(period) - period / 2)
            .collect();
        offsets.sort_unstable();
        let middle = offsets.get(offsets.len() / 2)?;
        Some(Span::from_micros((origin + middle).rem_euclid(period)))
    }

    /// What held when the log began. A log that first says "disarmed" was begun by arming; so was one
    /// that never says, unless LOG_DISARMED is set.
    fn state_at_start(&self) -> State {
        let first = |of: fn(&Switch) -> Option<bool>| {
            self.switches.iter().find_map(|(_, switch)| of(switch))
        };
        let armed = first(|s| match s {
            Switch::Armed(armed) => Some(*armed),
            _ => None,
        });
        let in_use = first(|s| match s {
            Switch::InUse(in_use) => Some(*in_use),
            _ => None,
        });
        State {
            armed: armed.map_or(!self.logs_disarmed, |armed| !armed || !self.logs_disarmed),
            mode: 0,
            in_use: in_use.is_none_or(|in_use| !in_use),
        }
    }

    fn logged(&self) -> impl Iterator<Item = (Micros, bool)> + '_ {
        self.errors.iter().map(|&(at, code)| (at, code == TRIPPED))
    }

    fn match_errors(&self, replayed: &mut ReplayedCheck) {
        for (at, trip) in self.logged() {
            let kind = if trip {
                CheckEvent::Tripped
            } else {
                CheckEvent::Cleared
            };
            let nearest = replayed
                .changes
                .iter_mut()
                .filter(|c| c.event == kind && c.logged.is_none())
                .min_by_key(|c| (c.at - at).abs())
                .filter(|c| (c.at - at).abs() <= SAME_CHANGE);
            match nearest {
                Some(change) => change.logged = Some(at),
                None => replayed.unexplained.push((at, trip)),
            }
        }
    }
}

/// The log holds the largest axis, as reports do. With simple yaw fusion the three are equal.
fn of_largest_axis(mut rule: EkfRule) -> EkfRule {
    if rule.compass == CompassMeasure::Length {
        rule.compass = CompassMeasure::LengthOfEqualAxes;
    }
    rule
}

/// The first instant from `from` on that lies `phase` after a full period.
fn first_check(from: Micros, period: Span, phase: Span) -> Micros {
    let behind = (from - phase).as_micros().rem_euclid(period.as_micros());
    if behind == 0 {
        from
    } else {
        from + period - Span::from_micros(behind)
    }
}

#[derive(Clone, Copy, Debug)]
struct State {
    armed: bool,
    mode: u32,
    in_use: bool,
}

impl State {
    const fn apply(&mut self, switch: Switch) {
        match switch {
            Switch::Armed(armed) => self.armed = armed,
            Switch::Mode(mode) => self.mode = mode,
            Switch::InUse(in_use) => self.in_use = in_use,
        }
    }
}
