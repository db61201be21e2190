use std::ops::ControlFlow;

use crate::observation::{DamageKind, Observation};

use super::collector::Collector;
use super::format::{BinaryRecord, FMT, Format, HEADER, MAGIC};

/// The message types known so far, by type byte.
struct Formats {
    known: Vec<Option<Format>>,
    counts: Vec<u64>,
    described: usize,
}

/// What begins at an offset.
enum Start {
    /// A record of a known type, up to this offset.
    Record { kind: u8, end: usize },
    /// A record of a known type that the end of the data cuts.
    Cut,
    /// A header whose type no `FMT` describes.
    Unknown(u8),
    /// No header.
    None,
}

/// Reads all records. Returns how many message types the log describes.
pub(super) fn read<S: FnMut(Observation) -> ControlFlow<()>>(
    bytes: &[u8],
    passed: &mut impl FnMut(usize) -> ControlFlow<()>,
    collector: &mut Collector<'_, S>,
) -> usize {
    let mut formats = Formats::new();
    let mut at = 0;
    while at < bytes.len() && !collector.stopped() && passed(at).is_continue() {
        match formats.start(bytes, at) {
            Start::Record { kind, end } if believable(bytes, at, end) => {
                formats.take(kind, bytes.get(at..end).unwrap_or_default(), collector);
                at = end;
            }
            start => {
                let next = formats.next_record(bytes, at + 1);
                let kind = match start {
                    Start::Cut if next == bytes.len() => DamageKind::CutTail,
                    Start::Unknown(kind) => DamageKind::UnknownId {
                        id: u32::from(kind),
                    },
                    _ => DamageKind::Skipped,
                };
                collector.damage(kind, at, next - at);
                at = next;
            }
        }
    }
    formats.report_counts(collector);
    formats.described
}

/// Whether the record in `at..end` ends where something says it does.
///
/// Records carry no checksum, so a record whose tail was overwritten looks whole. What follows it
/// tells: a header or the end of the data. One wrong byte in the next header is the next record's
/// damage. Zeros may be the unwritten rest of the file, so they only count against a record that
/// itself ends with a zero: an `ERR` 8/1 whose tail was zeroed would read 8/0, "resolved".
fn believable(bytes: &[u8], at: usize, end: usize) -> bool {
    let Some(&first) = bytes.get(end) else {
        return true;
    };
    let second = bytes.get(end + 1).copied();
    let [a, b] = MAGIC;
    first == a
        || second == Some(b)
        || (first == 0
            && second.is_none_or(|second| second == 0)
            && bytes.get(at..end).and_then(<[u8]>::last) != Some(&0))
}

impl Formats {
    fn new() -> Self {
        let mut known: Vec<Option<Format>> = vec![None; 256];
        if let Some(slot) = known.get_mut(usize::from(FMT)) {
            *slot = Some(Format::of_fmt());
        }
        Self {
            known,
            counts: vec![0; 256],
            described: 0,
        }
    }

    fn get(&self, kind: u8) -> Option<&Format> {
        self.known.get(usize::from(kind))?.as_ref()
    }

    fn start(&self, bytes: &[u8], at: usize) -> Start {
        let Some(&[a, b, kind]) = bytes.get(at..).and_then(<[u8]>::first_chunk::<HEADER>) else {
            // Less than a header is left: the cut tail of a record if it begins like one.
            return match bytes.get(at..) {
                Some([a, ..]) if *a == MAGIC[0] => Start::Cut,
                _ => Start::None,
            };
        };
        if [a, b] != MAGIC {
            return Start::None;
        }
        let Some(format) = self.get(kind) else {
            return Start::Unknown(kind);
        };
        let end = at + format.length;
        if end > bytes.len() {
            Start::Cut
        } else {
            Start::Record { kind, end }
        }
    }

    /// The first offset from `from` on where reading can go on: a record of a known type with a header
    /// or the end of the data behind it, which random bytes imitate once in 2^40 places.
    fn next_record(&self, bytes: &[u8], from: usize) -> usize {
        let mut from = from;
        while let Some(step) = bytes
            .get(from..)
            .and_then(|rest| rest.iter().position(|b| *b == MAGIC[0]))
        {
            let at = from + step;
            if let Start::Record { end, .. } = self.start(bytes, at)
                && (end == bytes.len() || bytes.get(end..end + 2) == Some(&MAGIC[..]))
            {
                return at;
            }
            from = at + 1;
        }
        bytes.len()
    }

    fn take<S: FnMut(Observation) -> ControlFlow<()>>(
        &mut self,
        kind: u8,
        record: &[u8],
        collector: &mut Collector<'_, S>,
    ) {
        if let Some(count) = self.counts.get_mut(usize::from(kind)) {
            *count += 1;
        }
        if kind == FMT {
            self.describe(record, collector);
            return;
        }
        let Some(format) = self.get(kind) else {
            return;
        };
        let time = format.time(record);
        match format.wanted {
            Some(wanted) => collector.record(
                wanted,
                time,
                &BinaryRecord {
                    format,
                    bytes: record,
                },
            ),
            None => {
                if let Some(at) = time {
                    collector.clock(at);
                }
            }
        }
    }

    fn describe<S: FnMut(Observation) -> ControlFlow<()>>(
        &mut self,
        record: &[u8],
        collector: &mut Collector<'_, S>,
    ) {
        let Some((kind, format)) = Format::described_by(record) else {
            return;
        };
        self.described += 1;
        // The log describes FMT too. What it says there is ignored: every log since 2011 has the same
        // layout, and a damaged description would end the reading of all others.
        if kind == FMT || !format.displaces(self.get(kind)) {
            return;
        }
        let renamed = self
            .get(kind)
            .is_some_and(|known| known.name != format.name);
        if renamed {
            self.report_count(kind, collector);
        }
        if let Some(slot) = self.known.get_mut(usize::from(kind)) {
            *slot = Some(format);
        }
    }

    fn report_count<S: FnMut(Observation) -> ControlFlow<()>>(
        &mut self,
        kind: u8,
        collector: &mut Collector<'_, S>,
    ) {
        if let (Some(Some(format)), Some(count)) = (
            self.known.get(usize::from(kind)),
            self.counts.get_mut(usize::from(kind)),
        ) {
            collector.count(&format.name, std::mem::take(count));
        }
    }

    fn report_counts<S: FnMut(Observation) -> ControlFlow<()>>(
        &mut self,
        collector: &mut Collector<'_, S>,
    ) {
        for kind in 0..=u8::MAX {
            self.report_count(kind, collector);
        }
    }
}
