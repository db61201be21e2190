//! Recordings that hold more than one flight: losses stay in theirs, and none is made of a gap.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test"
)]

mod support;

use std::ops::ControlFlow;

use heartline::observation::{DamageKind, PathId, Talker};
use heartline::rules::Verdict;
use heartline::session::{Session, SessionSettings};
use heartline::source::tlog::read_tlog;
use heartline::time::{Micros, Span};

const DAY: i64 = 86_400_000_000;

/// The records of a tlog: stamp and frame.
fn records(part: &str) -> Vec<(u64, Vec<u8>)> {
    let path = support::files("px4", "tlog")
        .into_iter()
        .find(|p| p.to_string_lossy().contains(part))
        .unwrap();
    let bytes = std::fs::read(path).unwrap();
    let mut rest = bytes.as_slice();
    let mut records = Vec::new();
    while rest.len() > 20 {
        let stamp = u64::from_be_bytes(rest[..8].try_into().unwrap());
        let frame = &rest[8..];
        let length = match frame[0] {
            0xFD => 12 + usize::from(frame[1]) + if frame[2] & 1 == 1 { 13 } else { 0 },
            0xFE => 8 + usize::from(frame[1]),
            other => panic!("no frame begins with {other}"),
        };
        records.push((stamp, frame[..length].to_vec()));
        rest = &frame[length..];
    }
    records
}

fn shifted(records: &[(u64, Vec<u8>)], by: i64) -> Vec<(u64, Vec<u8>)> {
    let shift = |(stamp, frame): &(u64, Vec<u8>)| (stamp.wrapping_add_signed(by), frame.clone());
    records.iter().map(shift).collect()
}

fn session(records: &[(u64, Vec<u8>)]) -> Session {
    let mut bytes = Vec::new();
    for (stamp, frame) in records {
        bytes.extend(stamp.to_be_bytes());
        bytes.extend(frame);
    }
    let mut session = Session::new(SessionSettings::default());
    read_tlog(&bytes, PathId::default(), &mut |observation| {
        session.observe(&observation);
        ControlFlow::Continue(())
    })
    .unwrap();
    session
}

/// When each proven loss was seen, all of them inside their windows; nothing else may claim a loss.
fn losses(session: &Session, vehicle: Talker) -> Vec<Micros> {
    session
        .link_losses(vehicle)
        .iter()
        .filter(|loss| !matches!(loss.verdict, Verdict::Averted(_) | Verdict::Pending))
        .map(|loss| {
            assert_eq!(loss.verdict, Verdict::Inside, "{:?}", loss.last_heartbeat);
            loss.observed_loss.as_ref().unwrap().at
        })
        .collect()
}

fn later(of: &[Micros], by: i64) -> Vec<Micros> {
    of.iter().map(|at| *at + Span::from_micros(by)).collect()
}

const ONE: Talker = Talker::new(1, 1);
const TWO: Talker = Talker::new(2, 1);

#[test]
fn two_flights_with_a_day_between() {
    let flight = records("s02_");
    let alone = losses(&session(&flight), TWO);
    assert_eq!(alone.len(), 1);
    let both = session(&[flight.clone(), shifted(&flight, DAY)].concat());
    assert_eq!(
        losses(&both, TWO),
        [alone.clone(), later(&alone, DAY)].concat()
    );
    let gaps = both.recordings().gaps();
    let [(from, to)] = gaps.as_slice() else {
        panic!("{gaps:?}");
    };
    assert!(*to - *from > Span::from_secs(86_000));
    assert!(both.damage().is_clean());
}

#[test]
fn three_boots_an_hour_apart() {
    const HOUR: i64 = 3_600_000_000;
    let flight = records("s02_");
    let alone = losses(&session(&flight), TWO);
    let boots: Vec<_> = (0..3).flat_map(|i| shifted(&flight, i * HOUR)).collect();
    let all = session(&boots);
    let expected: Vec<Micros> = (0..3).flat_map(|i| later(&alone, i * HOUR)).collect();
    assert_eq!(losses(&all, TWO), expected);
    assert_eq!(all.vehicle(TWO).unwrap().clock.reboots(), 2);
    assert_eq!(all.recordings().gaps().len(), 2);
}

#[test]
fn two_vehicles_one_after_the_other() {
    let (first, second) = (records("s02_"), records("s03_"));
    let alone = (
        losses(&session(&first), TWO),
        losses(&session(&second), ONE),
    );
    let day_later = shifted(&second, DAY);
    let both = session(&[first, day_later].concat());
    assert_eq!(both.vehicles().count(), 2);
    assert_eq!(losses(&both, TWO), alone.0);
    assert_eq!(losses(&both, ONE), later(&alone.1, DAY));
}

#[test]
fn a_clock_that_was_set_back_an_hour_before_the_second_flight() {
    let flight = records("s02_");
    let alone = losses(&session(&flight), TWO);
    let both = session(&[flight.clone(), shifted(&flight, -3_600_000_000)].concat());
    // Which of the two is told first is a matter of their stamps.
    let mut found = losses(&both, TWO);
    found.sort_unstable();
    assert_eq!(found, [later(&alone, -3_600_000_000), alone].concat());
}

#[test]
fn single_absurd_stamps_are_counted_and_move_nothing() {
    let flight = records("s02_");
    let whole = session(&flight);
    let mut damaged = flight.clone();
    let absurd = [0, 1, u64::MAX, 1 << 62, 86_400_000_000];
    for (i, stamp) in absurd.into_iter().enumerate() {
        damaged[200 + i * 97].0 = stamp;
    }
    let found = session(&damaged);
    assert_eq!(losses(&found, TWO), losses(&whole, TWO));
    assert_eq!((found.first(), found.last()), (whole.first(), whole.last()));
    let stamps = found
        .damage()
        .total(|kind| matches!(kind, DamageKind::AbsurdStamp));
    assert_eq!(stamps.count, absurd.len() as u64);
}
