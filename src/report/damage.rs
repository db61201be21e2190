use std::collections::BTreeMap;

use serde::Serialize;

use crate::observation::DamageKind;
use crate::session::{DamageCount, DamageTally};

/// What of the input could not be used.
#[derive(Clone, Debug, Default, Serialize)]
pub struct DamageReport {
    /// Bytes that belong to no frame.
    pub skipped_bytes: u64,
    /// Frames whose checksum was wrong, by message id.
    pub bad_checksums: BTreeMap<u32, u64>,
    /// Frames of ids that the dialect does not know, by id. No damage, but not read either.
    pub unknown_ids: BTreeMap<u32, u64>,
    /// Frame starts that no frame can have.
    pub bad_lengths: u64,
    /// Time stamps that went backwards.
    pub backward_stamps: u64,
    /// Time stamps that cannot be.
    pub absurd_stamps: u64,
    /// The input ends within a record.
    pub cut_tail: bool,
    /// Times at which messages arrived faster than they could be taken, and some were dropped.
    pub overruns: u64,
    /// Records whose content contradicts what the log said before.
    pub refused: u64,
    /// Times at which the vehicle's logger lost data.
    pub dropouts: u64,
    /// Offset of the first damage.
    pub first_offset: Option<u64>,
}

impl DamageReport {
    pub(super) fn of(count: &DamageCount) -> Self {
        let tally = |of: fn(DamageKind) -> bool| -> DamageTally { count.total(of) };
        let by_id = |id_of: fn(DamageKind) -> Option<u32>| {
            count
                .iter()
                .filter_map(|(kind, tally)| Some((id_of(kind)?, tally.count)))
                .collect()
        };
        let real = count.total(|kind| !matches!(kind, DamageKind::UnknownId { .. }));
        Self {
            skipped_bytes: tally(|k| k == DamageKind::Skipped).bytes,
            bad_checksums: by_id(|k| match k {
                DamageKind::BadChecksum { id } => Some(id),
                _ => None,
            }),
            unknown_ids: by_id(|k| match k {
                DamageKind::UnknownId { id } => Some(id),
                _ => None,
            }),
            bad_lengths: tally(|k| k == DamageKind::BadLength).count,
            backward_stamps: tally(|k| k == DamageKind::BackwardStamp).count,
            absurd_stamps: tally(|k| k == DamageKind::AbsurdStamp).count,
            cut_tail: tally(|k| k == DamageKind::CutTail).count > 0,
            overruns: tally(|k| k == DamageKind::Overrun).count,
            refused: tally(|k| k == DamageKind::Refused).count,
            dropouts: tally(|k| k == DamageKind::Dropout).count,
            first_offset: (real.count > 0).then_some(real.first_offset),
        }
    }

    /// The damage in words, one line per kind; empty when there is none.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut line = |count: u64, what: &str| {
            if count > 0 {
                lines.push(format!("{count} {what}"));
            }
        };
        line(self.skipped_bytes, "bytes that belong to no frame");
        line(self.bad_lengths, "frame starts that no frame can have");
        line(self.backward_stamps, "time stamps that go backwards");
        line(self.absurd_stamps, "time stamps that cannot be");
        line(
            self.overruns,
            "times messages came faster than they could be read, and some were dropped",
        );
        line(
            self.refused,
            "records whose content contradicts what the log said before",
        );
        line(self.dropouts, "times the vehicle's logger lost data");
        line(u64::from(self.cut_tail), "record cut off at the end");
        for (id, count) in &self.bad_checksums {
            lines.push(format!(
                "{count} frames of message {id} with a wrong checksum"
            ));
        }
        for (id, count) in &self.unknown_ids {
            lines.push(format!(
                "{count} frames of message {id}, which this dialect does not know"
            ));
        }
        lines
    }
}
