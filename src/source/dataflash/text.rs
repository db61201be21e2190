use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::ControlFlow;

use crate::observation::{DamageKind, Observation};
use crate::time::Micros;

use super::collector::Collector;
use super::facts::{Fields, Wanted};

/// How much of a file tells text from bytes.
const SAMPLE: usize = 4_096;

/// What editors on Windows put before the first line of a text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A message type as a `FMT` line describes it.
struct TextFormat {
    columns: Vec<Box<str>>,
    wanted: Option<Wanted>,
    count: u64,
}

struct TextRecord<'a> {
    columns: &'a [Box<str>],
    /// Everything behind the message's name.
    values: &'a str,
}

impl<'a> TextRecord<'a> {
    fn value(&self, name: &str) -> Option<&'a str> {
        let place = self.columns.iter().position(|column| &**column == name)?;
        // The last column takes the rest of the line: texts contain commas.
        let value = self.values.splitn(self.columns.len(), ',').nth(place)?;
        Some(value.trim())
    }

    fn time(&self) -> Option<Micros> {
        if let Some(value) = self.value("TimeUS") {
            return value.parse().ok().map(Micros::from_micros);
        }
        self.value("TimeMS")?.parse().ok().map(Micros::from_millis)
    }
}

impl Fields for TextRecord<'_> {
    fn number(&self, name: &str) -> Option<f64> {
        // The programs that write this form have already applied the scale of the column.
        self.value(name)?.parse().ok()
    }

    fn text(&self, name: &str) -> Option<Cow<'_, str>> {
        self.value(name).map(Cow::Borrowed)
    }
}

/// The beginning of a file without its byte order mark, if all of it is text. A tlog never is: its first byte is a zero.
pub(in crate::source) fn text_beginning(bytes: &[u8]) -> Option<&str> {
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let sample = bytes.get(..SAMPLE).unwrap_or(bytes);
    let text = match std::str::from_utf8(sample) {
        Ok(text) => text,
        // The sample may end within a character.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(sample.get(..error.valid_up_to())?).ok()?
        }
        Err(_) => return None,
    };
    let is_text = |c: char| !c.is_control() || matches!(c, '\t' | '\n' | '\r');
    text.chars().all(is_text).then_some(text)
}

/// Whether a text is the text form of a log: a message type is described in one of its first lines.
pub(in crate::source) fn text_is_dataflash(text: &str) -> bool {
    let mut lines = text.lines().take(20);
    lines.any(|line| line.starts_with("FMT,") && line.matches(',').count() >= 4)
}

/// Reads all lines. Returns how many message types the log describes.
pub(super) fn read<S: FnMut(Observation) -> ControlFlow<()>>(
    bytes: &[u8],
    passed: &mut impl FnMut(usize) -> ControlFlow<()>,
    collector: &mut Collector<'_, S>,
) -> usize {
    let mut formats: HashMap<Box<str>, TextFormat> = HashMap::new();
    let mut described = 0;
    let mut fmt_lines = 0;
    let mut offset = 0;
    for line in bytes.split_inclusive(|b| *b == b'\n') {
        if collector.stopped() || passed(offset).is_break() {
            break;
        }
        let at = offset;
        offset += line.len();
        let text = String::from_utf8_lossy(line);
        let mut text = text.trim();
        if at == 0 {
            text = text.trim_start_matches('\u{feff}');
        }
        if text.is_empty() {
            continue;
        }
        let (name, values) = text.split_once(',').unwrap_or((text, ""));
        if name == "FMT" {
            fmt_lines += 1;
            described += usize::from(describe(values, &mut formats));
            continue;
        }
        let Some(format) = formats.get_mut(name.trim()) else {
            collector.damage(DamageKind::Skipped, at, line.len());
            continue;
        };
        let record = TextRecord {
            columns: &format.columns,
            values,
        };
        if values.split(',').count() < format.columns.len() {
            // A last line without its end is where the file was cut.
            let cut = offset == bytes.len() && !line.ends_with(b"\n");
            let kind = if cut {
                DamageKind::CutTail
            } else {
                DamageKind::Skipped
            };
            collector.damage(kind, at, line.len());
            continue;
        }
        format.count += 1;
        let time = record.time();
        match format.wanted {
            Some(wanted) => collector.record(wanted, time, &record),
            None => {
                if let Some(at) = time {
                    collector.clock(at);
                }
            }
        }
    }
    collector.count("FMT", fmt_lines);
    for (name, format) in &formats {
        collector.count(name, format.count);
    }
    described
}

/// Takes the values of a `FMT` line: type, length, name, format, columns.
fn describe(values: &str, formats: &mut HashMap<Box<str>, TextFormat>) -> bool {
    let mut parts = values.splitn(5, ',').map(str::trim);
    let (Some(_), Some(_), Some(name), Some(_), Some(columns)) = (
        parts.next(),
        parts.next(),
        parts.next(),
        parts.next(),
        parts.next(),
    ) else {
        return false;
    };
    if name != "FMT" {
        formats.entry(name.into()).or_insert_with(|| TextFormat {
            columns: columns.split(',').map(|c| c.trim().into()).collect(),
            wanted: Wanted::named(name),
            count: 0,
        });
    }
    true
}
