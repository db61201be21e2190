use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::observation::{
    Damage, DamageKind, LoggedFact, MavType, Observation, PathId, SensorSelection, Sighting,
};
use crate::source::stamp_guard::{StampGuard, Step};
use crate::source::time_order::TimeOrder;
use crate::time::Micros;

use super::facts::{FactReader, Fields, Wanted};
use super::{DataflashSummary, UtcReference};

/// Brings what both forms of the log yield into order of time and hands it on.
pub(super) struct Collector<'s, S: FnMut(Observation) -> ControlFlow<()>> {
    guard: StampGuard<LoggedFact>,
    output: Output<'s, S>,
    facts: FactReader,
    /// The facts of one record, which are believed or refused together.
    of_record: Vec<LoggedFact>,
    summary: DataflashSummary,
}

struct Output<'s, S: FnMut(Observation) -> ControlFlow<()>> {
    order: TimeOrder<Sighting>,
    path: PathId,
    sink: &'s mut S,
    first: Option<Micros>,
    last: Option<Micros>,
    restarts: u64,
    told: Told,
    /// The reader has had enough: nothing more is handed on.
    stopped: bool,
}

/// The highest number of a lane: one per inertial sensor, of which boards have up to three and the firmware
/// allows a few more.
const LAST_LANE: u8 = 7;

/// What was told last, for facts that more than one record tells. Asked only about what is believed: a
/// record whose time is refused must not silence the next one that says the same.
#[derive(Default)]
struct Told {
    armed: Option<bool>,
    firmware: Option<Box<str>>,
    vehicle: Option<MavType>,
    /// The lane that leads.
    primary: Option<u8>,
    sensors: BTreeMap<u8, SensorSelection>,
    satellite_time: Option<UtcReference>,
}

impl Told {
    /// Another boot begins with its own lanes and sensors.
    fn forget_estimator(&mut self) {
        self.primary = None;
        self.sensors.clear();
    }

    /// The change of the leading lane that a record of ratios shows.
    fn lane_switch(&mut self, fact: &LoggedFact) -> Option<LoggedFact> {
        let LoggedFact::InnovationRatios { primary, .. } = *fact else {
            return None;
        };
        // While no lane has been chosen there is none to leave, and a damaged record may name any.
        if primary > LAST_LANE {
            return None;
        }
        let from = self.primary.replace(primary)?;
        (from != primary).then_some(LoggedFact::LaneSwitch { from, to: primary })
    }

    fn is_new(&mut self, at: Micros, fact: &LoggedFact) -> bool {
        match fact {
            LoggedFact::SensorSelection(selection) => {
                self.sensors.insert(selection.core, *selection) != Some(*selection)
            }
            LoggedFact::SatelliteTime { utc } => {
                let new = self.satellite_time.is_none();
                self.satellite_time.get_or_insert(UtcReference {
                    boot: at,
                    utc: *utc,
                });
                new
            }
            LoggedFact::Armed(armed) => self.armed.replace(*armed) != Some(*armed),
            LoggedFact::Vehicle(kind) => self.vehicle.replace(*kind) != Some(*kind),
            LoggedFact::Firmware(name) => {
                let new = self.firmware.as_ref() != Some(name);
                if new {
                    self.firmware = Some(name.clone());
                }
                new
            }
            _ => true,
        }
    }
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
                told: Told::default(),
                stopped: false,
            },
            facts: FactReader::default(),
            of_record: Vec::new(),
            summary: DataflashSummary::default(),
        }
    }

    /// Whether nothing that is needed can come of another record of this kind: one satellite fix dates a
    /// log, and thousands follow it.
    const fn is_told(&self, wanted: Wanted) -> bool {
        matches!(wanted, Wanted::Gps) && self.output.told.satellite_time.is_some()
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
        if self.is_told(wanted) {
            return self.clock(at);
        }
        let facts = &mut self.of_record;
        self.facts
            .read(wanted, fields, &mut self.summary, &mut |fact| {
                facts.push(fact);
            });
        self.guard
            .offer(at, facts.drain(..), &mut |at, fact, step| {
                self.output.admit(at, fact, step);
            });
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
        let damage = Damage::new(kind, bytes, offset as u64);
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
                let damage = Damage::new(DamageKind::AbsurdStamp, 0, 0);
                output.push(at, Sighting::Damage(damage));
            }
        }
        output.flush();
        self.summary.quarantined = quarantined;
        self.summary.utc = self.output.told.satellite_time;
        self.summary.restarts = self.output.restarts;
        self.summary.range = self.output.first.zip(self.output.last);
        self.summary
    }
}

impl<S: FnMut(Observation) -> ControlFlow<()>> Output<'_, S> {
    fn admit(&mut self, at: Micros, fact: LoggedFact, step: Step) {
        if step == Step::Back {
            self.flush();
            self.restarts += 1;
            self.told.forget_estimator();
            self.push(
                at,
                Sighting::Blind(
                    "the vehicle's clock starts again: another boot in the same log".into(),
                ),
            );
        }
        self.first.get_or_insert(at);
        self.last = Some(at);
        if let Some(switch) = self.told.lane_switch(&fact) {
            self.push(at, Sighting::Logged(switch));
        }
        if self.told.is_new(at, &fact) {
            self.push(at, Sighting::Logged(fact));
        }
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
