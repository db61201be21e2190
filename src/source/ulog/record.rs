use crate::time::Micros;

use super::UlogError;
use super::format::is_declaration;

/// The first bytes of every ULog; the eighth is the version.
pub(in crate::source) const MAGIC: [u8; 7] = [0x55, 0x4C, 0x6F, 0x67, 0x01, 0x12, 0x35];
/// Mark, version and start time.
pub(super) const FILE_HEADER: usize = 16;
/// Length and type before every record.
const HEADER: usize = 3;
/// A whole synchronisation record, written twice a second for readers that lost their place.
const SYNC: [u8; 11] = [8, 0, b'S', 0x2F, 0x73, 0x13, 0x20, 0x25, 0x0C, 0xBB, 0x12];
/// How many records in a row must be sound before reading goes on without a synchronisation record.
const CHAIN: usize = 5;
/// How many are enough when the data end behind them.
const SHORT_CHAIN: usize = 3;

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

/// What a log says about the rows of a message id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowLength {
    /// Announced, with a format: the payload has this length.
    Exactly(usize),
    /// Possible, but not known.
    Unknown,
    /// No topic of this log can have the id.
    Impossible,
}

impl Record<'_> {
    /// Whether type and length fit together, as far as the record itself and what is known of the rows
    /// can say.
    pub(super) fn is_sound(&self, rows: impl Fn(u16) -> RowLength) -> bool {
        let length = self.payload.len();
        match self.kind {
            // 40 bytes in every version; more only ever by a version that says so.
            b'B' => length == 40,
            b'F' => self.payload.contains(&b':') && is_printable(self.payload),
            b'I' => self.key_and_value(0).is_some(),
            b'M' => {
                // Whether it continues the one before.
                self.payload.first().is_some_and(|flag| *flag <= 1)
                    && self.key_and_value(1).is_some()
            }
            b'P' => self.key_and_value(0) == Some(4),
            b'Q' => self.key_and_value(1) == Some(4),
            b'A' => length > 3 && self.payload.get(3..).is_some_and(is_printable),
            b'R' | b'O' => length == 2,
            b'D' => match message_id(self.payload).map_or(RowLength::Impossible, rows) {
                RowLength::Exactly(exact) => length == exact,
                // Every row has a message id and a time.
                RowLength::Unknown => length >= 10,
                RowLength::Impossible => false,
            },
            b'L' => self.is_text(9),
            b'C' => self.is_text(11),
            b'S' => self.whole == SYNC,
            _ => false,
        }
    }

    /// Whether this is a logged text: a severity from '0' to '7', and characters from `at` on. Rows are
    /// full of zeros, texts have none.
    fn is_text(&self, at: usize) -> bool {
        self.payload
            .first()
            .is_some_and(|level| (b'0'..=b'7').contains(level))
            && self
                .payload
                .get(at..)
                .is_some_and(|text| !text.contains(&0))
    }

    /// Whether the record's length is confirmed by something else in it, so that it may be the first
    /// one after damage. A free length read from the wrong place lands on a true record often enough:
    /// one byte in sixty begins one.
    fn is_anchor(&self, rows: impl Fn(u16) -> RowLength) -> bool {
        match self.kind {
            b'D' => {
                message_id(self.payload).is_some_and(|id| matches!(rows(id), RowLength::Exactly(_)))
            }
            _ => true,
        }
    }

    /// The length of the value behind a declaring key whose length stands at `at`.
    fn key_and_value(&self, at: usize) -> Option<usize> {
        let length = usize::from(*self.payload.get(at)?);
        let key = self.payload.get(at + 1..at + 1 + length)?;
        is_declaration(key).then(|| self.payload.len() - at - 1 - length)
    }
}

/// Names and formats are plain ASCII.
fn is_printable(text: &[u8]) -> bool {
    text.iter().all(|b| b.is_ascii_graphic() || *b == b' ')
}

/// The message id at the start of a data record.
pub(super) fn message_id(payload: &[u8]) -> Option<u16> {
    payload.first_chunk().map(|id| u16::from_le_bytes(*id))
}

/// Whether what follows says that a record ends at `end`.
///
/// Records carry no checksum, so one whose tail was overwritten looks whole, and a report whose tail
/// was zeroed says "no ground station". What follows must therefore be sound, or damaged so little
/// that its beginning is certain: its own length still leads to a sound record, or it is still a row of
/// a known topic.
pub(super) fn is_followed(
    bytes: &[u8],
    end: usize,
    rows: impl Fn(u16) -> RowLength + Copy,
) -> bool {
    let Some(next) = record(bytes, end) else {
        return end == bytes.len() || is_cut(bytes, end);
    };
    let known_row = || {
        next.kind == b'D'
            && message_id(next.payload).is_some_and(|id| matches!(rows(id), RowLength::Exactly(_)))
    };
    next.is_sound(rows)
        || known_row()
        || record(bytes, end + next.whole.len()).is_some_and(|second| second.is_sound(rows))
}

/// The first offset from `from` on where reading can go on after damage: a synchronisation record, or
/// several sound records in a row.
pub(super) fn next_sound(
    bytes: &[u8],
    from: usize,
    rows: impl Fn(u16) -> RowLength + Copy,
) -> usize {
    (from..bytes.len())
        .find(|&at| {
            // The type first: it turns away nineteen of twenty places.
            bytes.get(at + 2).copied().is_some_and(is_kind)
                && (bytes.get(at..at + SYNC.len()) == Some(&SYNC[..]) || chains(bytes, at, rows))
        })
        .unwrap_or(bytes.len())
}

fn chains(bytes: &[u8], begin: usize, rows: impl Fn(u16) -> RowLength + Copy) -> bool {
    let mut at = begin;
    for found in 0..CHAIN {
        match record(bytes, at) {
            Some(record) if record.is_sound(rows) && (found > 0 || record.is_anchor(rows)) => {
                at += record.whole.len();
            }
            // The end of the data ends a chain, but not one that anything could have imitated: within a
            // record that the end cuts, the last five bytes may look like a dropout.
            None => return found >= SHORT_CHAIN && (at == bytes.len() || is_cut(bytes, at)),
            Some(_) => return false,
        }
    }
    true
}
