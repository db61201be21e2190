use std::borrow::Cow;

use crate::time::Micros;

use super::facts::{Fields, Wanted};

/// The type byte of `FMT` itself.
pub(super) const FMT: u8 = 128;
/// The two bytes before the type byte of every record.
pub(in crate::source) const MAGIC: [u8; 2] = [0xA3, 0x95];
/// Those two and the type byte.
pub(super) const HEADER: usize = 3;
/// Length of an `FMT` record, header included.
const FMT_LENGTH: usize = 89;

/// One message type as its `FMT` record describes it.
#[derive(Clone, Debug)]
pub(super) struct Format {
    pub(super) name: Box<str>,
    /// Bytes of a record, header included.
    pub(super) length: usize,
    pub(super) wanted: Option<Wanted>,
    time: Option<(usize, TimeUnit)>,
    columns: Vec<Column>,
    /// Whether columns and length agree; otherwise records are stepped over and not decoded.
    consistent: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Column {
    name: Box<str>,
    kind: u8,
    offset: usize,
}

#[derive(Clone, Copy, Debug)]
enum TimeUnit {
    Micros,
    Millis,
}

impl Format {
    /// The description of `FMT` records, which nothing else in the log can describe.
    pub(super) fn of_fmt() -> Self {
        Self::new(
            "FMT",
            FMT_LENGTH,
            b"BBnNZ",
            "Type,Length,Name,Format,Columns",
        )
    }

    fn new(name: &str, length: usize, kinds: &[u8], labels: &str) -> Self {
        let mut columns = Vec::new();
        let mut offset = HEADER;
        let mut known = true;
        let mut labels = labels.split(',').map(str::trim);
        for &kind in kinds {
            let Some(width) = width(kind) else {
                known = false;
                break;
            };
            columns.push(Column {
                name: labels.next().unwrap_or_default().into(),
                kind,
                offset,
            });
            offset += width;
        }
        let consistent = known && offset == length;
        let time = columns
            .iter()
            .find_map(|column| match (&*column.name, column.kind) {
                ("TimeUS", b'Q') => Some((column.offset, TimeUnit::Micros)),
                ("TimeMS", b'I') => Some((column.offset, TimeUnit::Millis)),
                _ => None,
            });
        Self {
            name: name.into(),
            length,
            wanted: if consistent {
                Wanted::named(name)
            } else {
                None
            },
            time: if consistent { time } else { None },
            columns,
            consistent,
        }
    }

    /// The type that an `FMT` record describes. `None` when no record can have the length it says.
    pub(super) fn described_by(record: &[u8]) -> Option<(u8, Self)> {
        let kind = *record.get(3)?;
        let length = usize::from(*record.get(4)?);
        if length < HEADER {
            return None;
        }
        let name = printable(record.get(5..9)?);
        let labels = printable(record.get(25..FMT_LENGTH)?);
        let kinds = record.get(9..25)?;
        let end = kinds.iter().position(|b| *b == 0).unwrap_or(kinds.len());
        Some((kind, Self::new(&name, length, kinds.get(..end)?, &labels)))
    }

    /// Whether `self` may take the place of what was known of its type before. In a damaged log a
    /// broken description must not displace a good one.
    pub(super) const fn displaces(&self, known: Option<&Self>) -> bool {
        match known {
            Some(known) => self.consistent || !known.consistent,
            None => true,
        }
    }

    /// The time of a record of this type.
    pub(super) fn time(&self, record: &[u8]) -> Option<Micros> {
        let (offset, unit) = self.time?;
        match unit {
            TimeUnit::Micros => {
                let raw = u64::from_le_bytes(take(record, offset)?);
                // A value beyond i64 is absurd in any case; the guard quarantines the saturated one.
                Some(Micros::from_micros(i64::try_from(raw).unwrap_or(i64::MAX)))
            }
            TimeUnit::Millis => Some(Micros::from_millis(i64::from(u32::from_le_bytes(take(
                record, offset,
            )?)))),
        }
    }
}

/// A record in its binary form.
pub(super) struct BinaryRecord<'a> {
    pub(super) format: &'a Format,
    /// Header included.
    pub(super) bytes: &'a [u8],
}

impl BinaryRecord<'_> {
    fn column(&self, name: &str) -> Option<&Column> {
        self.format
            .columns
            .iter()
            .find(|column| &*column.name == name)
    }
}

impl Fields for BinaryRecord<'_> {
    fn number(&self, name: &str) -> Option<f64> {
        let column = self.column(name)?;
        let (bytes, at) = (self.bytes, column.offset);
        Some(match column.kind {
            b'b' => f64::from(i8::from_le_bytes(take(bytes, at)?)),
            b'B' | b'M' => f64::from(u8::from_le_bytes(take(bytes, at)?)),
            b'h' => f64::from(i16::from_le_bytes(take(bytes, at)?)),
            b'H' => f64::from(u16::from_le_bytes(take(bytes, at)?)),
            b'c' => f64::from(i16::from_le_bytes(take(bytes, at)?)) / 100.0,
            b'C' => f64::from(u16::from_le_bytes(take(bytes, at)?)) / 100.0,
            b'i' => f64::from(i32::from_le_bytes(take(bytes, at)?)),
            b'I' => f64::from(u32::from_le_bytes(take(bytes, at)?)),
            b'e' => f64::from(i32::from_le_bytes(take(bytes, at)?)) / 100.0,
            b'E' => f64::from(u32::from_le_bytes(take(bytes, at)?)) / 100.0,
            b'L' => f64::from(i32::from_le_bytes(take(bytes, at)?)) / 1e7,
            b'f' => f64::from(f32::from_le_bytes(take(bytes, at)?)),
            b'd' => f64::from_le_bytes(take(bytes, at)?),
            b'q' => i64::from_le_bytes(take(bytes, at)?) as f64,
            b'Q' => u64::from_le_bytes(take(bytes, at)?) as f64,
            _ => return None,
        })
    }

    fn text(&self, name: &str) -> Option<Cow<'_, str>> {
        let column = self.column(name)?;
        if !matches!(column.kind, b'n' | b'N' | b'Z') {
            return None;
        }
        let end = column.offset + width(column.kind)?;
        Some(printable(self.bytes.get(column.offset..end)?))
    }
}

/// Bytes of a column by its format character (AP_Logger/LogStructure.h, 4.6); `None` for a character
/// that firmware up to 4.7 does not have.
const fn width(kind: u8) -> Option<usize> {
    Some(match kind {
        b'b' | b'B' | b'M' => 1,
        b'h' | b'H' | b'c' | b'C' | b'g' => 2,
        b'i' | b'I' | b'e' | b'E' | b'L' | b'f' | b'n' => 4,
        b'd' | b'q' | b'Q' => 8,
        b'N' => 16,
        b'a' | b'Z' => 64,
        _ => return None,
    })
}

/// Text up to the first NUL. Damaged bytes are replaced, never refused.
fn printable(bytes: &[u8]) -> Cow<'_, str> {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(bytes.get(..end).unwrap_or_default())
}

fn take<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}
