use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::observation::DamageKind;
use crate::session::{DamageCount, DamageTally, Session};
use crate::time::Micros;

/// What of the input could not be used.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct DamageReport {
    /// Bytes that belong to no frame.
    pub skipped_bytes: u64,
    /// Frames whose checksum was wrong, by message id.
    pub bad_checksums: BTreeMap<u32, u64>,
    /// The one id of `bad_checksums` if no frame of it could be read: another dialect defines that message
    /// differently.
    pub other_definition: Option<u32>,
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
    /// From where on nothing was recorded for a while, although the vehicle may have gone on.
    pub blind_us: Vec<i64>,
    /// Milliseconds that the vehicle's own logger lost because its card was too slow.
    pub lost_millis: u64,
}

impl DamageReport {
    pub(super) fn of(session: &Session) -> Self {
        let lost = session.vehicles().map(|vehicle| vehicle.logged.lost_millis);
        Self {
            blind_us: session
                .blind()
                .iter()
                .copied()
                .map(Micros::as_micros)
                .collect(),
            lost_millis: lost.sum(),
            other_definition: session.damage().other_definition(session.message_counts()),
            ..Self::of_bytes(session.damage())
        }
    }

    fn of_bytes(count: &DamageCount) -> Self {
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
            ..Self::default()
        }
    }

    /// Whether anything was lost. Frames of unknown ids are no damage: a dialect has moved on.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.first_offset.is_none() && self.blind_us.is_empty() && self.lost_millis == 0
    }
}
