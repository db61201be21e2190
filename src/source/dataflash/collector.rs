use std::ops::ControlFlow;

use crate::observation::{Damage, DamageKind, LoggedFact, Observation, PathId, Sighting};
use crate::source::stamp_guard::{StampGuard, Step};
use crate::source::time_order::TimeOrder;
use crate::time::Micros;

use super::DataflashSummary;
use super::facts::{FactReader, Fields, Wanted};

/// Brings what both forms of the log yield into order of time and hands it on.
pub(super) struct Collector<'s, S: FnMut(Observation) -> ControlFlow<()>> {
    guard: StampGuard<Sighting>,
    output: Output<'s, S>,
    facts: FactReader,
    summary: DataflashSummary,
}

struct Output<'s, S: FnMut(Observation) -> ControlFlow<()>> {
    order: TimeOrder<Sighting>,
    path: PathId,
    sink: &'s mut S,
    first: Option<Micros>,
    last: Option<Micros>,
    restarts: u64,
    /// The reader has had enough: nothing more is handed on.
    stopped: bool,
}

impl<'s, S: FnMut(Observation) -> ControlFlow<()>> Collector<'s, S> {
    pub(super) fn new(path: PathId, sink: &'s mut S) -> Self {
        Self {
            guard: StampGuard::new(None),
            output: Output {
                order: TimeOrder::new(),
                path,
                sink,
                first: None,
                last: None,
                restarts: 0,
                stopped: false,
            },
            facts: FactReader::default(),
            summary: DataflashSummary::default(),
        }
    }

    /// Notes the time of a record of which nothing else is needed.
    pub(super) fn clock(&mut self, at: Micros) {
        self.guard.offer(at, None, &mut |at, item, step| {
            self.output.admit(at, item, step);
        });
    }

    /// Takes a record whose content is needed. Records of old firmware without a time get the newest.
    pub(super) fn record(&mut self, wanted: Wanted, at: Option<Micros>, fields: &impl Fields) {
        let at = at.or(self.guard.newest()).unwrap_or_default();
        let mut produced = 0_u32;
        let (guard, output) = (&mut self.guard, &mut self.output);
        self.facts.read(
            wanted,
            at,
            fields,
            &mut self.summary,
            &mut |fact: LoggedFact| {
                produced += 1;
                guard.offer(at, Some(Sighting::Logged(fact)), &mut |at, item, step| {
                    output.admit(at, item, step);
                });
            },
        );
        if produced == 0 {
            self.clock(at);
        }
    }

    /// Whether the sink asked for no more.
    pub(super) const fn stopped(&self) -> bool {
        self.output.stopped
    }

    /// Reports bytes that could not be used.
    pub(super) fn damage(&mut self, kind: DamageKind, offset: usize, bytes: usize) {
        if kind == DamageKind::CutTail {
            self.summary.cut_tail = bytes as u64;
        } else {
            self.summary.holes += 1;
            self.summary.lost_bytes += bytes as u64;
        }
        let damage = Damage {
            kind,
            bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
            offset: offset as u64,
        };
        let at = self.guard.newest().unwrap_or_default();
        self.output.push(at, Sighting::Damage(damage));
    }

    pub(super) fn count(&mut self, name: &str, records: u64) {
        if records == 0 {
            return;
        }
        match self.summary.records.get_mut(name) {
            Some(count) => *count += records,
            None => {
                self.summary.records.insert(name.into(), records);
            }
        }
    }

    pub(super) fn finish(mut self) -> DataflashSummary {
        let Self { guard, output, .. } = &mut self;
        let guard = std::mem::replace(guard, StampGuard::new(None));
        let quarantined = guard.finish(&mut |at, item, step| output.admit(at, item, step));
        if quarantined > 0 {
            // Where they lay is not known any more; that each is told is what matters.
            let at = output.last.unwrap_or_default();
            for _ in 0..quarantined {
                output.push(
                    at,
                    Sighting::Damage(Damage {
                        kind: DamageKind::AbsurdStamp,
                        bytes: 0,
                        offset: 0,
                    }),
                );
            }
        }
        output.flush();
        self.summary.quarantined = quarantined;
        self.summary.restarts = self.output.restarts;
        self.summary.range = self.output.first.zip(self.output.last);
        self.summary
    }
}

impl<S: FnMut(Observation) -> ControlFlow<()>> Output<'_, S> {
    fn admit(&mut self, at: Micros, item: Sighting, step: Step) {
        if step == Step::Back {
            self.flush();
            self.restarts += 1;
            self.push(
                at,
                Sighting::Blind(
                    "the vehicle's clock starts again: another boot in the same log".into(),
                ),
            );
        }
        self.first.get_or_insert(at);
        self.last = Some(at);
        self.push(at, item);
    }

    fn push(&mut self, at: Micros, item: Sighting) {
        let (path, sink, stopped) = (self.path, &mut *self.sink, &mut self.stopped);
        self.order.push(at, item, &mut |at, what| {
            *stopped = *stopped || sink(Observation { at, path, what }).is_break();
        });
    }

    fn flush(&mut self) {
        let (path, sink, stopped) = (self.path, &mut *self.sink, &mut self.stopped);
        self.order.flush(&mut |at, what| {
            *stopped = *stopped || sink(Observation { at, path, what }).is_break();
        });
    }
}
