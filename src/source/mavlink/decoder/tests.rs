use proptest::prelude::*;

use super::*;
use crate::observation::{Damage, DamageKind, Direction, Message, Sighting};
use crate::source::mavlink::lost::LONGEST_RUN;
use crate::source::mavlink::test_frames::{heartbeat, v1, v2, v2_signed};

/// An event without borrowed bytes.
#[derive(Clone, Debug, PartialEq)]
enum Event {
    Frame(Vec<u8>),
    Unknown(Vec<u8>),
    Other(Decoded<'static>),
}

impl Event {
    fn of(decoded: &Decoded<'_>) -> Self {
        match *decoded {
            Decoded::Frame(frame) => Self::Frame(frame.bytes.to_vec()),
            Decoded::UnknownId(frame) => Self::Unknown(frame.bytes.to_vec()),
            Decoded::BadChecksum { id, length } => Self::Other(Decoded::BadChecksum { id, length }),
            Decoded::BadLength { flags, length } => {
                Self::Other(Decoded::BadLength { flags, length })
            }
            Decoded::Skipped(bytes) => Self::Other(Decoded::Skipped(bytes)),
        }
    }
}

/// Feeds `stream` in pieces of the given lengths, over and over, and checks the books after each.
fn decode(stream: &[u8], pieces: &[usize]) -> Vec<Event> {
    let mut decoder = FrameDecoder::new();
    let mut events = Vec::new();
    let mut covered = 0;
    let mut rest = stream;
    let mut pieces = pieces.iter().cycle();
    while !rest.is_empty() {
        let (piece, after) = rest.split_at((*pieces.next().unwrap()).min(rest.len()));
        decoder.push(piece, &mut |decoded| {
            covered += decoded.length();
            events.push(Event::of(&decoded));
        });
        assert_books(&decoder);
        assert!(decoder.buffered() < LOOKAHEAD);
        rest = after;
    }
    decoder.finish(&mut |decoded| {
        covered += decoded.length();
        events.push(Event::of(&decoded));
    });
    assert_books(&decoder);
    assert_eq!(decoder.buffered(), 0);
    assert_eq!(covered, stream.len(), "events cover the stream");
    events
}

fn assert_books(decoder: &FrameDecoder) {
    let c = decoder.counters();
    assert_eq!(
        c.bytes_in,
        c.good_bytes + c.unknown_bytes + c.bad_bytes + c.skipped + decoder.buffered() as u64
    );
}

fn whole(stream: &[u8]) -> Vec<Event> {
    decode(stream, &[stream.len().max(1)])
}

/// Bytes with many more start bytes, small lengths and zeros than chance would give.
fn noise(longest: usize) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(
        prop_oneof![
            4 => any::<u8>(),
            1 => Just(0xfd),
            1 => Just(0xfe),
            2 => 0u8..12,
        ],
        0..longest,
    )
}

fn any_frame() -> impl Strategy<Value = Vec<u8>> {
    let payload = || prop::collection::vec(any::<u8>(), 0..60);
    prop_oneof![
        any::<u8>().prop_map(heartbeat),
        (any::<u8>(), payload()).prop_map(|(s, p)| v1(s, (1, 1), 30, &p, 39)),
        (any::<u8>(), payload()).prop_map(|(s, p)| v2(s, (1, 1), 410, &p, 160)),
        (any::<u8>(), payload()).prop_map(|(s, p)| v2_signed(s, (255, 190), 0, &p, 50)),
        // Unknown id, and a known one with the seed of another definition.
        (any::<u8>(), payload()).prop_map(|(s, p)| v2(s, (1, 1), 54_321, &p, 7)),
        (any::<u8>(), payload()).prop_map(|(s, p)| v2(s, (1, 1), 30, &p, 40)),
    ]
}

fn stream() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(
        prop_oneof![
            4 => any_frame(),
            1 => noise(80),
            1 => (any_frame(), 0.0..1.0).prop_map(|(frame, cut)| {
                frame[..(frame.len() as f64 * cut) as usize].to_vec()
            }),
        ],
        0..12,
    )
    .prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn every_byte_is_accounted_for_and_pieces_do_not_matter(
        stream in stream(),
        pieces in prop::collection::vec(1usize..700, 1..6),
    ) {
        let expected = whole(&stream);
        prop_assert_eq!(&decode(&stream, &pieces), &expected);
        prop_assert_eq!(&decode(&stream, &[1]), &expected);
    }

    #[test]
    fn a_good_frame_is_found_whatever_stands_before_it(noise in noise(400), cut in 1usize..20) {
        let frame = heartbeat(9);
        let expected = Event::Frame(frame.clone());
        // Right behind noise, and behind the beginning of another frame within that noise.
        let stream = [noise.as_slice(), &frame[..cut], &frame].concat();
        let events = whole(&stream);
        // One in 65536 starts in the noise passes for a frame, and may then cover this one.
        let by_chance = |event: &Event| matches!(event, Event::Frame(_)) && *event != expected;
        prop_assume!(!events.iter().any(by_chance));
        prop_assert!(events.contains(&expected));
    }

    #[test]
    fn undamaged_frames_are_all_there_is(frames in prop::collection::vec(any::<u8>(), 0..40)) {
        let frames: Vec<_> = frames.into_iter().map(heartbeat).collect();
        let expected: Vec<_> = frames.iter().cloned().map(Event::Frame).collect();
        prop_assert_eq!(whole(&frames.concat()), expected);
    }
}

#[test]
fn every_chunk_size_gives_the_same_events() {
    let mut stream = Vec::new();
    for sequence in 0..30 {
        stream.extend(heartbeat(sequence));
        stream.extend(v2(sequence, (1, 1), 54_321, &[0xfe; 40], 7));
        stream.extend(&[0xfd, 0x13, 0x00, 0xfe][..usize::from(sequence % 5).min(4)]);
        stream.extend(v2(sequence, (1, 1), 30, &[sequence; 28], 40));
    }
    let expected = whole(&stream);
    for size in 1..=stream.len() {
        assert_eq!(decode(&stream, &[size]), expected, "pieces of {size}");
    }
}

#[test]
fn a_wrong_checksum_is_told_once_with_its_id() {
    let bad = v2(3, (1, 1), 30, &[7; 28], 40);
    let stream = [heartbeat(1), bad.clone(), bad.clone(), heartbeat(2)].concat();
    let lost = Event::Other(Decoded::BadChecksum {
        id: 30,
        length: bad.len(),
    });
    assert_eq!(
        whole(&stream),
        [
            Event::Frame(heartbeat(1)),
            lost.clone(),
            lost,
            Event::Frame(heartbeat(2))
        ]
    );
}

#[test]
fn a_frame_cut_short_costs_only_what_was_cut() {
    let cut = &v2(3, (1, 1), 30, &[7; 28], 39)[..17];
    let stream = [heartbeat(1).as_slice(), cut, &heartbeat(2), &heartbeat(3)].concat();
    assert_eq!(
        whole(&stream),
        [
            Event::Frame(heartbeat(1)),
            Event::Other(Decoded::BadChecksum { id: 30, length: 17 }),
            Event::Frame(heartbeat(2)),
            Event::Frame(heartbeat(3))
        ]
    );
}

#[test]
fn unknown_flags_are_not_believed() {
    let mut odd = heartbeat(2);
    odd[2] = 0x02;
    let stream = [heartbeat(1), odd, heartbeat(3)].concat();
    assert_eq!(
        whole(&stream),
        [
            Event::Frame(heartbeat(1)),
            Event::Other(Decoded::BadLength {
                flags: 2,
                length: 10
            }),
            Event::Other(Decoded::Skipped(11)),
            Event::Frame(heartbeat(3))
        ]
    );
}

#[test]
fn an_unknown_id_is_seen_but_may_not_hide_a_frame() {
    let unknown = v2(1, (1, 1), 54_321, &[3; 20], 7);
    let carrier = v2(1, (1, 1), 54_322, &heartbeat(5), 7);
    let stream = [unknown.clone(), carrier, heartbeat(6)].concat();
    let events = whole(&stream);
    assert_eq!(events.first(), Some(&Event::Unknown(unknown)));
    assert!(events.contains(&Event::Frame(heartbeat(5))));
    assert!(events.contains(&Event::Frame(heartbeat(6))));
}

#[test]
fn a_signature_belongs_to_its_frame() {
    let frame = v2_signed(1, (255, 190), 0, &[0, 0, 0, 0, 6, 8, 0, 4, 3], 50);
    let mut decoder = FrameDecoder::new();
    let mut seen = 0;
    decoder.push(&frame, &mut |decoded| {
        assert!(matches!(decoded, Decoded::Frame(f) if f.signed && f.bytes == frame));
        seen += 1;
    });
    assert_eq!(seen, 1);
}

#[test]
fn noise_without_end_is_reported_while_it_lasts() {
    let mut decoder = FrameDecoder::new();
    let mut skipped = 0;
    decoder.push(&[0x55; 5000], &mut |decoded| skipped += decoded.length());
    assert_eq!(skipped, 4 * LONGEST_RUN);
    assert_eq!(decoder.counters().skipped, 5000);
}

#[test]
fn events_become_sightings_with_their_place() {
    let frame = heartbeat(1);
    let mut decoder = FrameDecoder::new();
    let mut seen = Vec::new();
    let mut offset = 0;
    decoder.push(&[b"noise", frame.as_slice()].concat(), &mut |decoded| {
        seen.push(decoded.to_sighting(Direction::Received, offset));
        offset += decoded.length() as u64;
    });
    let [Sighting::Damage(damage), Sighting::Frame(heartbeat)] = seen.as_slice() else {
        panic!("{seen:?}");
    };
    assert_eq!(
        *damage,
        Damage {
            kind: DamageKind::Skipped,
            bytes: 5,
            offset: 0
        }
    );
    assert_eq!(heartbeat.length as usize, frame.len());
    assert!(matches!(heartbeat.message, Message::Heartbeat(_)));
}
