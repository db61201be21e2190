use crate::time::Micros;

use super::UlogError;

/// The first bytes of every ULog; the eighth is the version.
const MAGIC: [u8; 7] = [0x55, 0x4C, 0x6F, 0x67, 0x01, 0x12, 0x35];
/// Mark, version and start time.
pub(super) const FILE_HEADER: usize = 16;
/// Length and type before every record.
const HEADER: usize = 3;
/// A whole synchronisation record, written twice a second for readers that lost their place.
const SYNC: [u8; 11] = [8, 0, b'S', 0x2F, 0x73, 0x13, 0x20, 0x25, 0x0C, 0xBB, 0x12];
/// How many records in a row must be sound before reading goes on without a synchronisation record.
const CHAIN: usize = 5;

/// A record: its type, its content, and both with the header as the decoder takes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    pub(super) kind: u8,
    pub(super) payload: &'a [u8],
    pub(super) whole: &'a [u8],
}

/// Checks the mark of a file and reads when logging started.
pub(super) fn file_header(bytes: &[u8]) -> Result<Micros, UlogError> {
    if bytes.is_empty() {
        return Err(UlogError::Empty);
    }
    let sound = bytes.len().min(MAGIC.len());
    if bytes.get(..sound) != MAGIC.get(..sound) {
        return Err(UlogError::NotUlog);
    }
    let start = bytes
        .get(8..FILE_HEADER)
        .and_then(<[u8]>::first_chunk::<8>)
        .ok_or(UlogError::CutHeader {
            length: bytes.len() as u64,
        })?;
    Ok(micros(u64::from_le_bytes(*start)))
}

/// A raw time. One beyond i64 is absurd in any case and stays so saturated.
pub(super) fn micros(raw: u64) -> Micros {
    Micros::from_micros(i64::try_from(raw).unwrap_or(i64::MAX))
}

/// The record at `at`, if its header and all of its content lie within `bytes`.
pub(super) fn record(bytes: &[u8], at: usize) -> Option<Record<'_>> {
    let rest = bytes.get(at..)?;
    let [low, high, kind] = *rest.first_chunk::<HEADER>()?;
    let end = HEADER + usize::from(u16::from_le_bytes([low, high]));
    let whole = rest.get(..end)?;
    Some(Record {
        kind,
        payload: whole.get(HEADER..)?,
        whole,
    })
}

/// Whether what begins at `at` could be a record of which the end of the data cuts something.
pub(super) fn is_cut(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at..) {
        None | Some([]) => false,
        Some([_, _, kind, ..]) => is_kind(*kind) && record(bytes, at).is_none(),
        Some(_) => true,
    }
}

/// The record types of the format's versions 1 and 2.
pub(super) const fn is_kind(kind: u8) -> bool {
    matches!(
        kind,
        b'B' | b'F' | b'I' | b'M' | b'P' | b'Q' | b'A' | b'R' | b'D' | b'L' | b'C' | b'S' | b'O'
    )
}

impl Record<'_> {
    /// Whether type and length fit together, as far as the record itself can say. `plausible` tells
    /// whether a message id can be one of this log's.
    pub(super) fn is_sound(&self, plausible: impl Fn(u16) -> bool) -> bool {
        let length = self.payload.len();
        let key_fits = |at: usize, value: std::ops::RangeInclusive<usize>| {
            self.payload
                .get(at)
                .and_then(|key| length.checked_sub(at + 1 + usize::from(*key)))
                .is_some_and(|rest| value.contains(&rest))
        };
        match self.kind {
            b'B' => length >= 40,
            b'F' => self.payload.contains(&b':'),
            b'I' => key_fits(0, 0..=usize::MAX),
            b'M' => key_fits(1, 0..=usize::MAX),
            b'P' => key_fits(0, 4..=4),
            b'Q' => key_fits(1, 4..=4),
            b'A' => length > 3,
            b'R' | b'O' => length == 2,
            // Every row has a message id and a time.
            b'D' => length >= 10 && message_id(self.payload).is_some_and(plausible),
            b'L' => length >= 9,
            b'C' => length >= 11,
            b'S' => self.whole == SYNC,
            _ => false,
        }
    }
}

/// The message id at the start of a data record.
pub(super) fn message_id(payload: &[u8]) -> Option<u16> {
    payload.first_chunk().map(|id| u16::from_le_bytes(*id))
}

/// The first offset from `from` on where reading can go on after damage: a synchronisation record, or
/// several sound records in a row that reach the end or each other.
pub(super) fn next_sound(
    bytes: &[u8],
    from: usize,
    plausible: impl Fn(u16) -> bool + Copy,
) -> usize {
    (from..bytes.len())
        .find(|&at| {
            // The type first: it turns away nineteen of twenty places.
            bytes.get(at + 2).copied().is_some_and(is_kind)
                && (bytes.get(at..at + SYNC.len()) == Some(&SYNC[..])
                    || chains(bytes, at, plausible))
        })
        .unwrap_or(bytes.len())
}

fn chains(bytes: &[u8], at: usize, plausible: impl Fn(u16) -> bool + Copy) -> bool {
    let mut at = at;
    for _ in 0..CHAIN {
        if at == bytes.len() {
            return true;
        }
        match record(bytes, at) {
            Some(record) if record.is_sound(plausible) => at += record.whole.len(),
            _ => return false,
        }
    }
    true
}
