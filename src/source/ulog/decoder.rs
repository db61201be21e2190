use std::cell::RefCell;

use px4_ulog::stream_parser::LogParser;
use px4_ulog::stream_parser::model::{
    DataMessage, DropoutMessage, InfoMessage, LoggedStringMessage, ParameterMessage,
    TaggedLoggedStringMessage,
};

use crate::observation::{Damage, DamageKind};
use crate::source::stamp_guard::StampGuard;
use crate::time::{Micros, Span};

use super::format::Formats;
use super::record::{self, FILE_HEADER, Record, RowLength, message_id};
use super::row::{self, NESTED, Row, TOPICS};
use super::{Completeness, UlogSummary};

/// A first row of a topic may be this much older than the newest and more: it is the last value that
/// was published before logging began. A later one may not.
const STALE: Span = Span::from_secs(10);

/// A topic instance that the log announced.
struct Subscription {
    topic: Box<str>,
    instance: u8,
    /// Whether the decoder knows it.
    wanted: bool,
    length: RowLength,
    rows: u64,
}

/// What the callbacks of the decoder saw in one record.
enum Seen {
    Row(Option<u64>, Row),
    /// `ver_sw`.
    Git(Box<str>),
    /// `sys_name`.
    System(Box<str>),
}

/// Decodes all records of a file that began logging at `start`, in the order of the file.
pub(super) fn decode(bytes: &[u8], start: Micros) -> (Vec<(Micros, Row)>, UlogSummary) {
    let seen = RefCell::new(Vec::new());
    let see = |what| seen.borrow_mut().push(what);
    let mut on_data = |message: &DataMessage<'_>| {
        if let Some(row) = row::row(message) {
            see(Seen::Row(row::timestamp(message), row));
        }
    };
    let mut on_parameter = |parameter: &ParameterMessage<'_>| {
        let (name, value) = match parameter {
            ParameterMessage::Float(name, value, _) => (*name, f64::from(*value)),
            ParameterMessage::Int32(name, value, _) => (*name, f64::from(*value)),
        };
        see(Seen::Row(
            None,
            Row::Parameter {
                name: name.into(),
                value,
            },
        ));
    };
    let mut on_text = |text: &LoggedStringMessage<'_>| {
        see(logged_text(
            text.timestamp,
            text.log_level,
            text.logged_message,
        ));
    };
    let mut on_tagged_text = |text: &TaggedLoggedStringMessage<'_>| {
        see(logged_text(
            text.timestamp,
            text.log_level,
            text.logged_message,
        ));
    };
    let mut on_dropout = |dropout: &DropoutMessage| {
        let millis = u32::from(dropout.duration_ms);
        see(Seen::Row(None, Row::Dropout { millis }));
    };
    let mut on_info = |info: &InfoMessage<'_>| match info.key {
        "ver_sw" => see(Seen::Git(String::from_utf8_lossy(info.value).into())),
        "sys_name" => see(Seen::System(String::from_utf8_lossy(info.value).into())),
        "ver_sw_release" => {
            if let Some(raw) = info.value.first_chunk() {
                let release = release(u32::from_le_bytes(*raw));
                see(Seen::Row(None, Row::Release(release)));
            }
        }
        _ => {}
    };
    let mut parser = LogParser::default();
    parser.set_data_message_callback(&mut on_data);
    parser.set_parameter_message_callback(&mut on_parameter);
    parser.set_logged_string_message_callback(&mut on_text);
    parser.set_tagged_logged_string_message_callback(&mut on_tagged_text);
    parser.set_dropout_message_callback(&mut on_dropout);
    parser.set_info_message_callback(&mut on_info);
    let mut decoder = Decoder {
        parser,
        seen: &seen,
        subscriptions: Vec::new(),
        formats: Formats::default(),
        needed: Vec::new(),
        formats_given: false,
        guard: StampGuard::new(Some(start)),
        rows: Vec::new(),
        summary: UlogSummary {
            start,
            ..UlogSummary::default()
        },
    };
    decoder.run(bytes);
    decoder.finish()
}

struct Decoder<'c, 'b> {
    parser: LogParser<'c>,
    seen: &'c RefCell<Vec<Seen>>,
    /// By message id; ids are given from 0 on.
    subscriptions: Vec<Option<Subscription>>,
    formats: Formats<'b>,
    /// The format records of the needed topics, by name, until the first topic is announced.
    needed: Vec<(&'b str, Record<'b>)>,
    formats_given: bool,
    guard: StampGuard<Row>,
    rows: Vec<(Micros, Row)>,
    summary: UlogSummary,
}

impl<'b> Decoder<'_, 'b> {
    fn run(&mut self, bytes: &'b [u8]) {
        self.give(bytes.get(..FILE_HEADER).unwrap_or_default());
        let flags = record::record(bytes, FILE_HEADER)
            .filter(|r| r.kind == b'B' && r.is_sound(|_| RowLength::Impossible));
        let mut begin = FILE_HEADER;
        let mut ends = Vec::new();
        if let Some(flags) = flags {
            begin += flags.whole.len();
            ends = appended(flags.payload, begin, bytes.len());
            self.summary.unknown_features = unknown_features(flags.payload);
        }
        // The decoder refuses topics before it has seen flags. Files from before 2017 have none, damaged
        // files lost theirs, and where data was appended is handled here; so it always gets empty ones.
        let mut no_flags = vec![40, 0, b'B'];
        no_flags.resize(43, 0);
        self.give(&no_flags);
        ends.push(bytes.len());
        for end in ends {
            self.section(bytes.get(..end).unwrap_or_default(), begin);
            begin = end;
        }
    }

    /// Reads the records of `bytes` from `begin` on.
    fn section(&mut self, bytes: &'b [u8], begin: usize) {
        let mut at = begin;
        while at < bytes.len() {
            let rows = |id| self.row_length(id);
            if let Some(record) = record::record(bytes, at)
                && record.is_sound(rows)
                && (record::is_followed(bytes, at + record.whole.len(), rows)
                    || self.announces_known_topic(record))
            {
                self.take(record);
                at += record.whole.len();
                continue;
            }
            let cut = record::is_cut(bytes, at);
            let next = record::next_sound(bytes, at + 1, rows);
            let kind = if cut && next == bytes.len() {
                DamageKind::CutTail
            } else {
                DamageKind::Skipped
            };
            self.damage(kind, at, next - at);
            at = next;
        }
    }

    /// Whether a record announces a topic whose format is known. Such a record proves itself: a name
    /// that was hit is no topic's. Dropping it for its neighbour's damage would cost all rows.
    fn announces_known_topic(&self, record: Record<'_>) -> bool {
        record.kind == b'A'
            && record
                .payload
                .get(3..)
                .and_then(|name| std::str::from_utf8(name).ok())
                .is_some_and(|name| self.formats.length(name).is_some())
    }

    fn take(&mut self, record: Record<'b>) {
        match record.kind {
            b'F' => self.format(record),
            b'A' => self.announce(record),
            b'D' => self.data(record),
            b'P' | b'I' => self.feed(record),
            b'L' | b'C' | b'O' => {
                self.give_formats();
                self.feed(record);
            }
            // Defaults, removals, marks and long texts about the build bear on nothing here.
            _ => {}
        }
    }

    fn format(&mut self, record: Record<'b>) {
        let Some(name) = self.formats.add(record.payload) else {
            self.summary.refused += 1;
            return;
        };
        let needed = name == NESTED || TOPICS.contains(&name);
        if needed && !self.needed.iter().any(|(known, _)| *known == name) {
            self.needed.push((name, record));
        }
    }

    /// Gives the decoder the formats it needs. It resolves them all at the first announcement and gives
    /// up on all when one cannot be resolved, so only those go in that can.
    fn give_formats(&mut self) {
        if std::mem::replace(&mut self.formats_given, true) {
            return;
        }
        for (name, format) in std::mem::take(&mut self.needed) {
            if self.formats.length(name).is_some() {
                self.give(format.whole);
            } else {
                self.summary.refused += 1;
            }
        }
    }

    fn announce(&mut self, record: Record<'b>) {
        let [instance, low, high, name @ ..] = record.payload else {
            return;
        };
        let id = usize::from(u16::from_le_bytes([*low, *high]));
        let Ok(topic) = std::str::from_utf8(name) else {
            self.summary.refused += 1;
            return;
        };
        if self.subscriptions.len() <= id {
            self.subscriptions.resize_with(id + 1, || None);
        }
        let Some(slot) = self.subscriptions.get_mut(id) else {
            return;
        };
        // The decoder forgets a topic whose id is announced twice.
        if slot.is_some() {
            self.summary.refused += 1;
            return;
        }
        *slot = Some(Subscription {
            topic: topic.into(),
            instance: *instance,
            wanted: false,
            length: self
                .formats
                .length(topic)
                .map_or(RowLength::Unknown, |length| RowLength::Exactly(2 + length)),
            rows: 0,
        });
        if TOPICS.contains(&topic) {
            self.give_formats();
            let accepted = self.give(record.whole);
            if let Some(Some(subscription)) = self.subscriptions.get_mut(id) {
                subscription.wanted = accepted;
            }
        }
    }

    fn data(&mut self, record: Record<'b>) {
        let Some(Some(subscription)) =
            message_id(record.payload).and_then(|id| self.subscriptions.get_mut(usize::from(id)))
        else {
            self.summary.refused += 1;
            return;
        };
        subscription.rows += 1;
        let first = subscription.rows == 1;
        if subscription.wanted && self.give(record.whole) {
            self.collect(first);
        }
    }

    fn feed(&mut self, record: Record<'b>) {
        if self.give(record.whole) {
            self.collect(false);
        }
    }

    /// Gives the decoder bytes that make up one whole record. Returns whether it liked them.
    fn give(&mut self, whole: &[u8]) -> bool {
        let accepted = self.parser.consume_bytes(whole).is_ok();
        if !accepted {
            // Nothing is ever half given, so nothing but this record is lost.
            self.summary.refused += 1;
        }
        accepted
    }

    /// Takes over what the callbacks saw. `first`: it is the first row of its topic.
    fn collect(&mut self, first: bool) {
        for seen in self.seen.take() {
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
            match stamp.map(record::micros) {
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

    fn damage(&mut self, kind: DamageKind, offset: usize, bytes: usize) {
        if kind == DamageKind::CutTail {
            self.summary.cut_tail += bytes as u64;
        } else {
            self.summary.holes += 1;
            self.summary.lost_bytes += bytes as u64;
        }
        let damage = Damage {
            kind,
            bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
            offset: offset as u64,
        };
        self.rows.push((self.newest(), Row::Damage(damage)));
    }

    fn newest(&self) -> Micros {
        self.guard.newest().unwrap_or(self.summary.start)
    }

    /// Ids are given one after the other, so one somewhat above the highest belongs to a topic whose
    /// announcement is still to come, or was damaged. In the latter case its rows are lost, but where
    /// they end is known.
    fn row_length(&self, id: u16) -> RowLength {
        const MARGIN: usize = 64;
        match self.subscriptions.get(usize::from(id)) {
            Some(Some(subscription)) => subscription.length,
            Some(None) => RowLength::Unknown,
            None if usize::from(id) < self.subscriptions.len() + MARGIN => RowLength::Unknown,
            None => RowLength::Impossible,
        }
    }

    fn finish(self) -> (Vec<(Micros, Row)>, UlogSummary) {
        let Self {
            guard,
            mut rows,
            mut summary,
            subscriptions,
            ..
        } = self;
        summary.quarantined = guard.finish(&mut |at, row, _| rows.push((at, row)));
        let newest = rows
            .iter()
            .map(|(at, _)| *at)
            .max()
            .unwrap_or(summary.start);
        for _ in 0..summary.quarantined {
            let damage = Damage {
                kind: DamageKind::AbsurdStamp,
                bytes: 0,
                offset: 0,
            };
            rows.push((newest, Row::Damage(damage)));
        }
        for subscription in subscriptions.into_iter().flatten() {
            *summary
                .rows
                .entry((subscription.topic, subscription.instance))
                .or_default() += subscription.rows;
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

/// Where the sections end that lie before appended data. After a crash the vehicle appends what its
/// memory still held, and notes where. Only ascending offsets within the file are believed.
fn appended(flags: &[u8], begin: usize, length: usize) -> Vec<usize> {
    const DATA_APPENDED: u8 = 1;
    let mut ends = Vec::new();
    if flags.get(8).is_none_or(|bits| bits & DATA_APPENDED == 0) {
        return ends;
    }
    let mut last = begin;
    for raw in flags.get(16..40).unwrap_or_default().chunks_exact(8) {
        let offset = raw
            .first_chunk()
            .and_then(|raw| usize::try_from(u64::from_le_bytes(*raw)).ok());
        match offset {
            Some(offset) if offset > last && offset < length => {
                ends.push(offset);
                last = offset;
            }
            _ => break,
        }
    }
    ends
}

/// Whether a flag is set that says "do not read without knowing me", apart from "data appended". The
/// log is read nevertheless, since a flipped bit must not cost the flight; what does not fit is damage.
fn unknown_features(flags: &[u8]) -> bool {
    flags.get(8..16).is_some_and(|bits| {
        bits.iter()
            .enumerate()
            .any(|(i, b)| *b & !u8::from(i == 0) != 0)
    })
}

/// Severity characters are `'0'` to `'7'`.
fn logged_text(timestamp: u64, level: u8, text: &str) -> Seen {
    Seen::Row(
        Some(timestamp),
        Row::Text {
            severity: level.saturating_sub(b'0').min(7),
            text: text.trim_end().into(),
        },
    )
}

/// `ver_sw_release` as text: one byte each of major, minor, patch and kind of release.
fn release(raw: u32) -> Box<str> {
    let [kind, patch, minor, major] = raw.to_le_bytes();
    // FIRMWARE_VERSION_TYPE: rising from development to official.
    let suffix = match kind {
        255 => "",
        192.. => "-rc",
        128.. => "-beta",
        64.. => "-alpha",
        _ => "-dev",
    };
    format!("v{major}.{minor}.{patch}{suffix}").into()
}
