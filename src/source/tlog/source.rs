use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::observation::{Damage, DamageKind, Observation, PathId, Sighting};
use crate::time::Micros;

use super::{ByteOrder, NotATlog, TlogItem, TlogReader};

/// How often one kind of damage occurred.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DamageTally {
    /// Times.
    pub count: u64,
    /// Bytes concerned in all.
    pub bytes: u64,
}

/// What a tlog held, as far as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlogSummary {
    /// Bytes read.
    pub bytes: u64,
    /// Frames whose checksum held.
    pub frames: u64,
    /// The earliest time of a frame.
    pub first: Option<Micros>,
    /// The latest time of a frame. Not necessarily the last frame's: clocks are set.
    pub last: Option<Micros>,
    /// In which order the bytes of the times stand.
    pub byte_order: ByteOrder,
    /// Whether the file says which frames were sent and which received.
    pub tells_direction: bool,
    /// What could not be used, by kind.
    pub damage: BTreeMap<DamageKind, DamageTally>,
}

impl TlogSummary {
    fn count_frame(&mut self, at: Micros) {
        self.frames += 1;
        self.first = Some(self.first.map_or(at, |first| first.min(at)));
        self.last = Some(self.last.map_or(at, |last| last.max(at)));
    }

    fn count_damage(&mut self, damage: Damage) {
        let tally = self.damage.entry(damage.kind).or_default();
        tally.count += 1;
        tally.bytes += u64::from(damage.bytes);
    }
}

/// Reads the tlog that holds `bytes` as observations on `path`, until its end or until `sink` breaks.
pub fn read_tlog(
    bytes: &[u8],
    path: PathId,
    sink: &mut impl FnMut(Observation) -> ControlFlow<()>,
) -> Result<TlogSummary, NotATlog> {
    let reader = TlogReader::new(bytes)?;
    Ok(read_records(
        reader,
        path,
        &mut |_| ControlFlow::Continue(()),
        sink,
    ))
}

/// What `reader` reads as observations on `path`. `passed` is told how far it has come after each record;
/// reading ends where it or `sink` breaks.
pub(crate) fn read_records(
    mut reader: TlogReader<'_>,
    path: PathId,
    passed: &mut impl FnMut(usize) -> ControlFlow<()>,
    sink: &mut impl FnMut(Observation) -> ControlFlow<()>,
) -> TlogSummary {
    let mut summary = TlogSummary {
        byte_order: reader.byte_order(),
        tells_direction: reader.tells_direction(),
        ..TlogSummary::default()
    };
    while let Some(item) = reader.next() {
        let (at, what) = match item {
            TlogItem::Record(record) => {
                summary.count_frame(record.at);
                let frame = record.frame.to_frame(record.direction);
                (record.at, Sighting::Frame(frame))
            }
            TlogItem::Damage { at, damage } => {
                summary.count_damage(damage);
                (at, Sighting::Damage(damage))
            }
        };
        if sink(Observation { at, path, what }).is_break() || passed(reader.position()).is_break() {
            break;
        }
    }
    summary.bytes = reader.position() as u64;
    summary
}
