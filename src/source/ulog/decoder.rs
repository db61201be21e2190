use std::cell::RefCell;
use std::ops::ControlFlow;

use px4_ulog::stream_parser::LogParser;

use crate::observation::DamageKind;
use crate::time::Micros;

use super::UlogSummary;
use super::collected::Collected;
use super::flags::{appended, unknown_features};
use super::format::Formats;
use super::parser::{Seen, with_parser};
use super::record::{self, FILE_HEADER, Record, RowLength, message_id};
use super::row::{NESTED, Row, TOPICS, only_dates};

/// A topic instance that the log announced.
struct Subscription {
    topic: Box<str>,
    instance: u8,
    /// Whether the decoder knows it.
    wanted: bool,
    /// Whether nothing but the date is asked of it.
    only_dates: bool,
    length: RowLength,
    rows: u64,
}

/// Decodes all records of a file that began logging at `start`, in the order of the file. `passed` hears
/// how far reading has come and breaks to end it early.
pub(super) fn decode(
    bytes: &[u8],
    start: Micros,
    passed: &mut impl FnMut(usize) -> ControlFlow<()>,
) -> (Vec<(Micros, Row)>, UlogSummary) {
    let seen = RefCell::new(Vec::new());
    with_parser(&seen, |parser| {
        let mut decoder = Decoder {
            parser,
            seen: &seen,
            subscriptions: Vec::new(),
            formats: Formats::default(),
            needed: Vec::new(),
            formats_given: false,
            offset: 0,
            collected: Collected::new(start),
        };
        // Cut short or not, what was read counts.
        let _ended = decoder.run(bytes, passed);
        let Decoder {
            collected,
            subscriptions,
            ..
        } = decoder;
        let rows = subscriptions.into_iter().flatten().map(|subscription| {
            (
                (subscription.topic, subscription.instance),
                subscription.rows,
            )
        });
        collected.finish(rows)
    })
}

struct Decoder<'p, 'c, 'b> {
    parser: LogParser<'p>,
    seen: &'c RefCell<Vec<Seen>>,
    /// By message id; ids are given from 0 on.
    subscriptions: Vec<Option<Subscription>>,
    formats: Formats<'b>,
    /// The format records of the needed topics, by name, until the first topic is announced.
    needed: Vec<(&'b str, Record<'b>)>,
    formats_given: bool,
    /// Where the record begins that is being read.
    offset: usize,
    collected: Collected,
}

impl<'b> Decoder<'_, '_, 'b> {
    fn run(
        &mut self,
        bytes: &'b [u8],
        passed: &mut impl FnMut(usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.give(bytes.get(..FILE_HEADER).unwrap_or_default());
        let flags = record::record(bytes, FILE_HEADER)
            .filter(|r| r.kind == b'B' && r.is_sound(|_| RowLength::Impossible));
        let mut begin = FILE_HEADER;
        let mut ends = Vec::new();
        if let Some(flags) = flags {
            begin += flags.whole.len();
            ends = appended(flags.payload, begin, bytes.len());
            self.collected.summary.unknown_features = unknown_features(flags.payload);
        }
        // The decoder refuses topics before it has seen flags. Files from before 2017 have none, damaged
        // files lost theirs, and where data was appended is handled here; so it always gets empty ones.
        let mut no_flags = vec![40, 0, b'B'];
        no_flags.resize(43, 0);
        self.give(&no_flags);
        ends.push(bytes.len());
        for end in ends {
            self.section(bytes.get(..end).unwrap_or_default(), begin, passed)?;
            begin = end;
        }
        ControlFlow::Continue(())
    }

    /// Reads the records of `bytes` from `begin` on.
    fn section(
        &mut self,
        bytes: &'b [u8],
        begin: usize,
        passed: &mut impl FnMut(usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut at = begin;
        while at < bytes.len() {
            passed(at)?;
            self.offset = at;
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
            self.collected.damage(kind, at, next - at);
            at = next;
        }
        ControlFlow::Continue(())
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
            self.refuse(record.whole);
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
                self.refuse(format.whole);
            }
        }
    }

    fn announce(&mut self, record: Record<'b>) {
        let [instance, low, high, name @ ..] = record.payload else {
            return;
        };
        let id = usize::from(u16::from_le_bytes([*low, *high]));
        let Ok(topic) = std::str::from_utf8(name) else {
            self.refuse(record.whole);
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
            self.refuse(record.whole);
            return;
        }
        *slot = Some(Subscription {
            topic: topic.into(),
            instance: *instance,
            wanted: false,
            only_dates: only_dates(topic),
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
            self.refuse(record.whole);
            return;
        };
        subscription.rows += 1;
        let first = subscription.rows == 1;
        let told = subscription.only_dates && self.collected.is_dated();
        if subscription.wanted && !told && self.give(record.whole) {
            self.collected.take(self.seen.take(), first);
        }
    }

    fn feed(&mut self, record: Record<'b>) {
        if self.give(record.whole) {
            self.collected.take(self.seen.take(), false);
        }
    }

    /// Gives the decoder bytes that make up one whole record. Returns whether it liked them.
    fn give(&mut self, whole: &[u8]) -> bool {
        let accepted = self.parser.consume_bytes(whole).is_ok();
        if !accepted {
            // Nothing is ever half given, so nothing but this record is lost.
            self.refuse(whole);
        }
        accepted
    }

    /// Notes that a soundly framed record says nothing that can be used.
    fn refuse(&mut self, whole: &[u8]) {
        self.collected.refuse(self.offset, whole.len());
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
}
