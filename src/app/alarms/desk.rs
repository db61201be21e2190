use std::collections::{BTreeMap, VecDeque};

use crate::time::Micros;

use super::AlarmKind;

/// Entries of the log that are kept; older ones make room.
const LOG: usize = 500;

/// An alarm that was raised and has not been put away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::app) struct Alarm {
    /// When it was raised.
    pub raised: Micros,
    /// What it is about, as last told.
    pub detail: String,
    /// Whether the operator has seen it.
    pub acknowledged: bool,
    /// Since when its cause is gone for good; it stays until it is acknowledged.
    pub cleared: Option<Micros>,
}

/// What happened to an alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::app) enum AlarmStep {
    /// It was raised.
    Raised,
    /// Its cause is gone.
    Cleared,
    /// The operator has seen it.
    Acknowledged,
}

impl AlarmStep {
    /// The word in the log.
    pub(in crate::app) const fn word(self) -> &'static str {
        match self {
            Self::Raised => "raised",
            Self::Cleared => "cleared",
            Self::Acknowledged => "acknowledged",
        }
    }
}

/// A line of the alarm log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::app) struct AlarmEntry {
    /// When.
    pub at: Micros,
    /// Which.
    pub kind: AlarmKind,
    /// What happened to it.
    pub step: AlarmStep,
    /// What it is about.
    pub detail: String,
}

/// Raises and clears alarms with hysteresis, and keeps the log.
///
/// An alarm is raised when its cause has stood without a break, and cleared when the cause has been gone
/// without a break. One that cleared by itself stays in sight until it is acknowledged: whoever looked away
/// must learn of it.
#[derive(Clone, Debug, Default)]
pub(in crate::app) struct AlarmDesk {
    alarms: BTreeMap<AlarmKind, Alarm>,
    /// Since when a cause stands of which no alarm was raised yet.
    standing: BTreeMap<AlarmKind, Micros>,
    /// Since when the cause of an alarm is gone.
    gone: BTreeMap<AlarmKind, Micros>,
    log: VecDeque<AlarmEntry>,
    last: Option<Micros>,
}

impl AlarmDesk {
    /// Takes in what stands at `now`. Returns whether an alarm was raised. A clock that went back (a source
    /// that began again) starts all waiting anew.
    pub(in crate::app) fn look(&mut self, now: Micros, causes: &[(AlarmKind, String)]) -> bool {
        if self.last.is_some_and(|last| now < last) {
            self.standing.clear();
            self.gone.clear();
        }
        self.last = Some(now);
        let mut any = false;
        for kind in AlarmKind::ALL {
            let cause = causes.iter().find(|(other, _)| *other == kind);
            match cause {
                Some((_, detail)) => any |= self.stands(kind, now, detail),
                None => self.is_gone(kind, now),
            }
        }
        any
    }

    fn stands(&mut self, kind: AlarmKind, now: Micros, detail: &str) -> bool {
        self.gone.remove(&kind);
        if let Some(alarm) = self.alarms.get_mut(&kind)
            && alarm.cleared.is_none()
        {
            detail.clone_into(&mut alarm.detail);
            return false;
        }
        let since = *self.standing.entry(kind).or_insert(now);
        if now - since < kind.raise_after() {
            return false;
        }
        self.standing.remove(&kind);
        let alarm = Alarm {
            raised: now,
            detail: detail.to_owned(),
            acknowledged: false,
            cleared: None,
        };
        self.alarms.insert(kind, alarm);
        self.note(now, kind, AlarmStep::Raised, detail.to_owned());
        true
    }

    fn is_gone(&mut self, kind: AlarmKind, now: Micros) {
        self.standing.remove(&kind);
        let Some(alarm) = self.alarms.get_mut(&kind) else {
            return;
        };
        if alarm.cleared.is_some() {
            return;
        }
        let since = *self.gone.entry(kind).or_insert(now);
        if now - since < kind.clear_after() {
            return;
        }
        self.gone.remove(&kind);
        alarm.cleared = Some(now);
        let (detail, seen) = (alarm.detail.clone(), alarm.acknowledged);
        if seen {
            self.alarms.remove(&kind);
        }
        self.note(now, kind, AlarmStep::Cleared, detail);
    }

    /// The operator has seen all there are.
    pub(in crate::app) fn acknowledge(&mut self, now: Micros) {
        let fresh: Vec<(AlarmKind, String)> = self
            .alarms
            .iter()
            .filter(|(_, alarm)| !alarm.acknowledged)
            .map(|(kind, alarm)| (*kind, alarm.detail.clone()))
            .collect();
        for (kind, detail) in fresh {
            self.note(now, kind, AlarmStep::Acknowledged, detail);
        }
        for alarm in self.alarms.values_mut() {
            alarm.acknowledged = true;
        }
        self.alarms.retain(|_, alarm| alarm.cleared.is_none());
    }

    /// Those that nobody has acknowledged, the most urgent first.
    pub(in crate::app) fn fresh(&self) -> impl Iterator<Item = (AlarmKind, &Alarm)> {
        let all = self.alarms.iter().map(|(kind, alarm)| (*kind, alarm));
        all.filter(|(_, alarm)| !alarm.acknowledged)
    }

    /// What happened, the oldest first.
    pub(in crate::app) fn log(&self) -> impl ExactSizeIterator<Item = &AlarmEntry> {
        self.log.iter()
    }

    fn note(&mut self, at: Micros, kind: AlarmKind, step: AlarmStep, detail: String) {
        if self.log.len() == LOG {
            self.log.pop_front();
        }
        self.log.push_back(AlarmEntry {
            at,
            kind,
            step,
            detail,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Span;

    const START: Micros = Micros::from_micros(1_700_000_000_000_000);

    fn at(millis: i64) -> Micros {
        START + Span::from_millis(millis)
    }

    fn cause(kind: AlarmKind) -> Vec<(AlarmKind, String)> {
        vec![(kind, "why".to_owned())]
    }

    fn steps(desk: &AlarmDesk) -> Vec<AlarmStep> {
        desk.log().map(|entry| entry.step).collect()
    }

    #[test]
    fn a_cause_must_stand_without_a_break() {
        let mut desk = AlarmDesk::default();
        let one_way = cause(AlarmKind::OneWay);
        assert!(!desk.look(at(0), &one_way));
        assert!(!desk.look(at(1_900), &one_way));
        assert!(!desk.look(at(1_950), &[]), "a frame came through");
        assert!(!desk.look(at(2_100), &one_way));
        assert!(!desk.look(at(4_099), &one_way));
        assert!(desk.look(at(4_100), &one_way));
        assert!(!desk.look(at(9_000), &one_way), "it is raised once");
        assert_eq!(steps(&desk), [AlarmStep::Raised]);
    }

    #[test]
    fn an_alarm_on_the_edge_does_not_flap() {
        let mut desk = AlarmDesk::default();
        assert!(desk.look(at(0), &cause(AlarmKind::Lost)));
        for second in 1..20 {
            let causes = if second % 2 == 0 {
                cause(AlarmKind::Lost)
            } else {
                Vec::new()
            };
            assert!(!desk.look(at(second * 1_000), &causes));
        }
        assert_eq!(steps(&desk), [AlarmStep::Raised]);
        desk.look(at(21_000), &[]);
        assert_eq!(steps(&desk), [AlarmStep::Raised, AlarmStep::Cleared]);
    }

    #[test]
    fn what_cleared_by_itself_stays_in_sight_until_acknowledged() {
        let mut desk = AlarmDesk::default();
        desk.look(at(0), &cause(AlarmKind::Lost));
        desk.look(at(100), &[]);
        desk.look(at(2_100), &[]);
        let seen: Vec<_> = desk.fresh().map(|(kind, a)| (kind, a.cleared)).collect();
        assert_eq!(seen, [(AlarmKind::Lost, Some(at(2_100)))]);
        desk.acknowledge(at(3_000));
        assert_eq!(desk.fresh().count(), 0);
        assert!(desk.look(at(4_000), &cause(AlarmKind::Lost)), "a new one");
    }

    #[test]
    fn an_acknowledged_alarm_is_quiet_until_it_comes_anew() {
        let mut desk = AlarmDesk::default();
        desk.look(at(0), &cause(AlarmKind::NotRecording));
        desk.acknowledge(at(500));
        assert!(!desk.look(at(60_000), &cause(AlarmKind::NotRecording)));
        assert_eq!(desk.fresh().count(), 0);
        desk.look(at(61_000), &[]);
        desk.look(at(66_000), &[]);
        assert!(desk.look(at(67_000), &cause(AlarmKind::NotRecording)));
        assert_eq!(desk.fresh().count(), 1);
    }

    #[test]
    fn a_clock_that_went_back_starts_the_waiting_anew() {
        let mut desk = AlarmDesk::default();
        let one_way = cause(AlarmKind::OneWay);
        desk.look(at(10_000), &one_way);
        assert!(!desk.look(at(0), &one_way));
        assert!(!desk.look(at(1_000), &one_way));
        assert!(desk.look(at(2_000), &one_way));
    }

    #[test]
    fn the_log_is_bounded() {
        let mut desk = AlarmDesk::default();
        for round in 0..1_000 {
            desk.look(at(round * 10_000), &cause(AlarmKind::Lost));
            desk.acknowledge(at(round * 10_000 + 1));
            desk.look(at(round * 10_000 + 2_000), &[]);
            desk.look(at(round * 10_000 + 5_000), &[]);
        }
        assert_eq!(desk.log().len(), LOG);
    }
}
