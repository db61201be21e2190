use std::collections::BTreeMap;

use crate::observation::{Damage, DamageKind};

/// How much of the input could not be used, by kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DamageCount {
    counts: BTreeMap<DamageKind, DamageTally>,
}

/// One kind of damage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DamageTally {
    /// Occurrences.
    pub count: u64,
    /// Bytes concerned.
    pub bytes: u64,
    /// Offset of the first one.
    pub first_offset: u64,
}

impl DamageCount {
    /// Counts one.
    pub fn note(&mut self, damage: Damage) {
        let tally = self.counts.entry(damage.kind).or_insert(DamageTally {
            first_offset: damage.offset,
            ..DamageTally::default()
        });
        tally.count += 1;
        tally.bytes += u64::from(damage.bytes);
    }

    /// All kinds that occurred.
    pub fn iter(&self) -> impl Iterator<Item = (DamageKind, DamageTally)> + '_ {
        self.counts.iter().map(|(kind, tally)| (*kind, *tally))
    }

    /// The one message id whose checksums fail, if no frame of it is among those `read`: whoever sends it
    /// uses another definition of it. Noise hits all ids, and leaves most frames of each whole.
    #[must_use]
    pub fn other_definition(&self, read: &BTreeMap<u32, u64>) -> Option<u32> {
        /// Fewer may be chance.
        const ENOUGH: u64 = 3;
        let mut failed = self.iter().filter_map(|(kind, tally)| match kind {
            DamageKind::BadChecksum { id } => Some((id, tally.count)),
            _ => None,
        });
        let (id, count) = failed.next()?;
        let alone = failed.next().is_none() && !read.contains_key(&id);
        (alone && count >= ENOUGH).then_some(id)
    }

    /// Whether nothing was wrong. Frames of unknown ids are no damage: a dialect has moved on.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.counts
            .keys()
            .all(|kind| matches!(kind, DamageKind::UnknownId { .. }))
    }

    /// Sums over all kinds for which `of` holds.
    pub fn total(&self, of: impl Fn(DamageKind) -> bool) -> DamageTally {
        self.iter()
            .filter(|(kind, _)| of(*kind))
            .fold(DamageTally::default(), |sum, (_, tally)| DamageTally {
                count: sum.count + tally.count,
                bytes: sum.bytes + tally.bytes,
                first_offset: if sum.count == 0 {
                    tally.first_offset
                } else {
                    sum.first_offset.min(tally.first_offset)
                },
            })
    }
}
