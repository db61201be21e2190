//! What each fuzz target does with its bytes: one function per target, called by the fuzzer and, for
//! the seeds, by `tests/fuzz_seeds.rs` on the stable toolchain.
//!
//! None may panic, hang or take more memory than a small multiple of its input. What else must hold is
//! asserted.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    reason = "each target uses its part of this, and a broken invariant must stop it"
)]

use std::hint::black_box;
use std::ops::ControlFlow;

use heartline::observation::{Observation, PathId, Sighting};
use heartline::report::{
    Clock, Findings, Report, ReportSource, Sheet, html_article, json, markdown, text,
};
use heartline::session::{Session, SessionSettings};
use heartline::source::address::Address;
use heartline::source::dataflash::read_dataflash;
use heartline::source::detect::{FileKind, detect};
use heartline::source::mavlink::{ChecksumSeeds, Decoded, FrameDecoder};
use heartline::source::scenario::{Flight, Scenario};
use heartline::source::tlog::{TlogItem, TlogReader, read_tlog};
use heartline::source::ulog::read_ulog;
use heartline::time::{Micros, Span};

/// Bytes of a tlog record before its frame.
const STAMP: usize = 8;
/// A scenario that may last an hour is flown only when it is shorter than this.
const LONGEST_FLIGHT_S: f64 = 120.0;

/// The decoder of streams: the first byte says into which pieces the others are cut.
pub fn frames(bytes: &[u8]) {
    let Some((piece, stream)) = bytes.split_first() else {
        return;
    };
    let in_pieces = decoded(stream, usize::from(*piece).max(1));
    assert_eq!(in_pieces, decoded(stream, stream.len().max(1)));
}

/// What the decoder says about a stream that is pushed in pieces, after a look at its book-keeping.
fn decoded(stream: &[u8], piece: usize) -> Vec<String> {
    let mut events = Vec::new();
    let mut decoder = FrameDecoder::new();
    let mut see = |event: Decoded<'_>| events.push(format!("{event:?}"));
    for piece in stream.chunks(piece) {
        decoder.push(piece, &mut see);
    }
    decoder.finish(&mut see);
    let counters = decoder.counters();
    let spent =
        counters.good_bytes + counters.unknown_bytes + counters.bad_bytes + counters.skipped;
    assert_eq!((counters.bytes_in, decoder.buffered()), (spent, 0));
    assert_eq!(spent, stream.len() as u64);
    events
}

/// The reader of telemetry logs: every byte belongs to a record or to a damage.
pub fn tlog(bytes: &[u8]) {
    let Ok(reader) = TlogReader::new(bytes) else {
        return;
    };
    let mut end = 0;
    for item in reader {
        match item {
            TlogItem::Record(record) => {
                // Its time may have been lost with the bytes before it.
                assert!(
                    [end, end + STAMP as u64].contains(&record.offset),
                    "{record:?}"
                );
                end = record.offset + record.frame.bytes.len() as u64;
            }
            TlogItem::Damage { damage, .. } if damage.kind.is_of_a_stamp() => {}
            TlogItem::Damage { damage, .. } => {
                assert_eq!(damage.offset, end);
                end += u64::from(damage.bytes);
            }
        }
    }
    assert_eq!(end, bytes.len() as u64);
}

/// The reader of PX4's logs: in order of time.
pub fn ulog(bytes: &[u8]) {
    let mut times = Vec::new();
    drop(read_ulog(bytes, PathId::default(), &mut |observation| {
        times.push(observation.at);
        ControlFlow::Continue(())
    }));
    assert!(times.is_sorted());
}

/// The reader of ArduPilot's logs, binary and text: what is told lies within the range that it names.
pub fn dataflash(bytes: &[u8]) {
    let mut times = Vec::new();
    let summary = read_dataflash(bytes, PathId::default(), &mut |observation| {
        if matches!(observation.what, Sighting::Logged(_)) {
            times.push(observation.at);
        }
        ControlFlow::Continue(())
    });
    assert!(times.is_empty() || summary.is_err() || summary.is_ok_and(|s| s.range.is_some()));
}

/// The parser of addresses: what it understands it also understands in its own spelling.
pub fn address(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    black_box(Address::is_meant(text));
    if let Ok(address) = text.parse::<Address>() {
        let spelled = address.to_string();
        assert_eq!(spelled.parse::<Address>(), Ok(address), "{spelled}");
    }
}

/// Scenario files, flown when they are short.
pub fn scenario(bytes: &[u8]) {
    let Ok(scenario) = Scenario::parse(&String::from_utf8_lossy(bytes)) else {
        return;
    };
    if scenario.duration_s <= LONGEST_FLIGHT_S {
        let flight = Flight::fly(&scenario).unwrap();
        assert!(flight.observations.is_sorted_by_key(|o| o.at));
    }
}

/// A log of any kind folded into a session, and everything asked that the window and the report ask.
///
/// The checksums of a tlog are made right first. A mutation breaks them, and hardly anything would get
/// past the reader.
pub fn session(bytes: &[u8]) {
    let mut session = Session::new(SessionSettings::default());
    let mut observe = |observation: Observation| {
        session.observe(&observation);
        ControlFlow::Continue(())
    };
    let path = PathId::default();
    let kind = detect(bytes);
    match kind {
        FileKind::ULog => drop(read_ulog(bytes, path, &mut observe)),
        FileKind::DataFlash | FileKind::DataFlashText => {
            drop(read_dataflash(bytes, path, &mut observe));
        }
        _ => drop(read_tlog(&mended(bytes), path, &mut observe)),
    }
    ask(&session);
}

/// Asks for all views at some moments, and for the report.
fn ask(session: &Session) {
    let (Some(first), Some(last)) = (session.first(), session.last()) else {
        return;
    };
    let middle = first + Span::from_micros((last - first).as_micros() / 2);
    let moments = [
        Micros::MIN,
        first,
        middle,
        last,
        last + Span::from_secs(60),
        Micros::MAX,
    ];
    let vehicles: Vec<_> = session.vehicles().map(|vehicle| vehicle.talker).collect();
    for vehicle in vehicles {
        for loss in session.link_losses(vehicle) {
            assert!(!loss.candidates.is_empty());
        }
        for at in moments {
            drop(session.link_at(vehicle, at));
        }
        drop(session.link_doubts(vehicle));
        drop(session.link_strips(vehicle, first, last));
        drop(session.ekf_episodes(vehicle));
        drop(session.ekf_replay(vehicle));
    }
    let source = ReportSource {
        path: "fuzz".to_owned(),
        kind: "tlog",
        bytes: 0,
    };
    let clock = Clock::of(session.first(), jiff::tz::TimeZone::UTC);
    let findings = Findings::of(&source, session);
    let report = Report::of(&findings, &clock);
    let sheet = Sheet::of(&findings, &report, &clock);
    assert!(!text(&sheet).is_empty());
    assert!(!markdown(&sheet).is_empty());
    assert!(!html_article(&sheet).is_empty());
    assert!(!json(&report, true).contains("\"error\":"));
}

/// The records of a tlog with right checksums, as far as they follow each other.
fn mended(bytes: &[u8]) -> Vec<u8> {
    let mut mended = bytes.to_vec();
    let mut rest = mended.as_mut_slice();
    while let Some(frame) = rest.get_mut(STAMP..) {
        let Some(length) = mend(frame) else {
            break;
        };
        rest = frame.get_mut(length..).unwrap_or_default();
    }
    mended
}

/// Makes the checksum of the frame right that `bytes` begin with. Gives the frame's length.
fn mend(bytes: &mut [u8]) -> Option<usize> {
    let payload = usize::from(*bytes.get(1)?);
    let (covered, id, signature) = match *bytes.first()? {
        0xfe => (6 + payload, u32::from(*bytes.get(5)?), 0),
        0xfd => {
            let id = u32::from_le_bytes([*bytes.get(7)?, *bytes.get(8)?, *bytes.get(9)?, 0]);
            let is_signed = *bytes.get(2)? & 1 != 0;
            (10 + payload, id, if is_signed { 13 } else { 0 })
        }
        _ => return None,
    };
    let seed = ChecksumSeeds::of_dialect().seed(id).unwrap_or_default();
    let sum = mavlink::calculate_crc(bytes.get(1..covered)?, seed);
    bytes
        .get_mut(covered..covered + 2)?
        .copy_from_slice(&sum.to_le_bytes());
    Some(covered + 2 + signature)
}
