use crate::observation::{Damage, DamageKind};
use crate::source::stamp_guard::StampGuard;
use crate::time::{Micros, Span};

use super::parser::Seen;
use super::record;
use super::row::Row;
use super::{Completeness, UlogSummary};

/// A first row of a topic may be this much older than the newest and more: it is the last value that
/// was published before logging began. A later one may not.
const STALE: Span = Span::from_secs(10);

/// So many refused records are told one by one. Where the announcement of a topic is lost, all its rows
/// are refused, and they may be millions.
const REFUSALS: u64 = 1_000;

/// What was decoded so far, each row with the time that is believed.
pub(super) struct Collected {
    guard: StampGuard<Row>,
    rows: Vec<(Micros, Row)>,
    dated: bool,
    /// Bytes of the refused records that are not told one by one, and where the first began.
    refused_beyond: (usize, usize),
    pub(super) summary: UlogSummary,
}

impl Collected {
    pub(super) fn new(start: Micros) -> Self {
        Self {
            guard: StampGuard::new(Some(start)),
            rows: Vec::new(),
            dated: false,
            refused_beyond: (0, 0),
            summary: UlogSummary {
                start,
                ..UlogSummary::default()
            },
        }
    }

    /// Takes what the callbacks saw in a record. `first`: it is the first row of its topic.
    pub(super) fn take(&mut self, seen: Vec<Seen>, first: bool) {
        for seen in seen {
            let (stamp, row) = match seen {
                Seen::Row(stamp, row) => (stamp, row),
                Seen::Git(hash) => {
                    self.summary.git = Some(hash);
                    continue;
                }
                Seen::System(name) => {
                    self.summary.system = Some(name);
                    continue;
                }
            };
            match &row {
                Row::Parameter { .. } => self.summary.parameters += 1,
                Row::Text { .. } => self.summary.texts += 1,
                Row::Dropout { millis } => {
                    self.summary.dropouts += 1;
                    self.summary.dropout_millis += u64::from(*millis);
                }
                Row::Release(release) => self.summary.release = Some(release.clone()),
                _ => {}
            }
            let newest = self.newest();
            let stamp = stamp.map(record::micros);
            if matches!(row, Row::SatelliteTime { .. }) {
                // A value from before the log would put its beginning there, and another follows soon.
                if self.dated || stamp.is_none_or(|at| at < self.summary.start) {
                    continue;
                }
                // One beside the newest time is believed at once, so this is settled.
                self.dated = stamp.is_some_and(|at| (at - newest).abs() <= STALE);
            }
            match stamp {
                None => self.rows.push((newest, row)),
                // A text may wait in a queue; a first row may be as old as the boot.
                Some(at) if at + STALE < newest && (first || matches!(row, Row::Text { .. })) => {
                    self.rows.push((at, row));
                }
                Some(at) => {
                    let rows = &mut self.rows;
                    self.guard
                        .offer(at, Some(row), &mut |at, row, _| rows.push((at, row)));
                }
            }
        }
    }

    /// Notes bytes that belong to no record.
    pub(super) fn damage(&mut self, kind: DamageKind, offset: usize, bytes: usize) {
        if kind == DamageKind::CutTail {
            self.summary.cut_tail += bytes as u64;
        } else {
            self.summary.holes += 1;
            self.summary.lost_bytes += bytes as u64;
        }
        let damage = Damage::new(kind, bytes, offset as u64);
        self.rows.push((self.newest(), Row::Damage(damage)));
    }

    /// Whether a satellite receiver has said which day it is.
    pub(super) const fn is_dated(&self) -> bool {
        self.dated
    }

    fn newest(&self) -> Micros {
        self.guard.newest().unwrap_or(self.summary.start)
    }

    /// Notes a record of `bytes` bytes that is framed soundly and says nothing that can be used.
    pub(super) fn refuse(&mut self, offset: usize, bytes: usize) {
        self.summary.refused += 1;
        if self.summary.refused <= REFUSALS {
            let damage = Damage::new(DamageKind::Refused, bytes, offset as u64);
            self.rows.push((self.newest(), Row::Damage(damage)));
            return;
        }
        let (sum, first) = &mut self.refused_beyond;
        if *sum == 0 {
            *first = offset;
        }
        *sum += bytes;
    }

    /// Ends the file. `counts` are the rows per topic and instance.
    pub(super) fn finish(
        mut self,
        counts: impl Iterator<Item = ((Box<str>, u8), u64)>,
    ) -> (Vec<(Micros, Row)>, UlogSummary) {
        if self.refused_beyond.0 > 0 {
            let (offset, bytes) = (self.refused_beyond.1, self.refused_beyond.0);
            let damage = Damage::new(DamageKind::Refused, bytes, offset as u64);
            self.rows.push((self.newest(), Row::Damage(damage)));
        }
        let Self {
            guard,
            mut rows,
            mut summary,
            ..
        } = self;
        summary.quarantined = guard.finish(&mut |at, row, _| rows.push((at, row)));
        let newest = rows
            .iter()
            .map(|(at, _)| *at)
            .max()
            .unwrap_or(summary.start);
        for _ in 0..summary.quarantined {
            let damage = Damage::new(DamageKind::AbsurdStamp, 0, 0);
            rows.push((newest, Row::Damage(damage)));
        }
        for (topic, rows) in counts {
            *summary.rows.entry(topic).or_default() += rows;
        }
        summary.completeness = if summary.holes + summary.quarantined + summary.refused > 0 {
            Completeness::Damaged
        } else if summary.cut_tail > 0 {
            Completeness::CutTail
        } else {
            Completeness::Complete
        };
        (rows, summary)
    }
}
