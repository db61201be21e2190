//! Logs: bytes per second from a mapped file to observations, and for telemetry logs to the session that
//! the window and the report ask.
//!
//! The bundled recordings of on-board logs are small, so they are repeated behind their own definitions to
//! the size of a real log; a telemetry log is generated. `cargo bench --bench logs`, or only a part:
//! `cargo bench --bench logs -- tlog`.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a bench whose input is broken must stop"
)]

#[path = "support/tlog.rs"]
mod tlog;

use std::hint::black_box;
use std::ops::ControlFlow;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use heartline::observation::PathId;
use heartline::session::{Session, SessionSettings};
use heartline::source::dataflash::read_dataflash;
use heartline::source::tlog::{TlogReader, read_tlog};
use heartline::source::ulog::read_ulog;
use mavlink::MavlinkReader;
use mavlink::dialects::ardupilotmega::MavMessage;

const ULOG: &[u8] = include_bytes!("../tests/data/px4/s06_mission_comp0872_T10_hold_inc0143.ulg");
const DATAFLASH: &[u8] = include_bytes!("../tests/data/ardupilot/rover_ekf_01_verr_1hz.BIN");

/// The recording, its rows repeated up to `size`.
fn long_ulog(size: usize) -> Vec<u8> {
    let mut bytes = ULOG.to_vec();
    let mut rows = Vec::new();
    let mut at = 16;
    while at + 3 <= ULOG.len() {
        let next = at + 3 + usize::from(u16::from_le_bytes([ULOG[at], ULOG[at + 1]]));
        if ULOG[at + 2] == b'D' {
            rows.extend_from_slice(&ULOG[at..next]);
        }
        at = next;
    }
    while bytes.len() < size {
        bytes.extend_from_slice(&rows);
    }
    bytes
}

/// The recording without its cut tail, repeated up to `size`. Time starts again with each repetition,
/// as in a file of several boots.
fn long_dataflash(size: usize) -> Vec<u8> {
    let summary = read_dataflash(DATAFLASH, PathId(0), &mut |_| ControlFlow::Continue(()));
    let cut = summary.expect("the recording is readable").cut_tail as usize;
    let whole = &DATAFLASH[..DATAFLASH.len() - cut];
    whole.repeat(size.div_ceil(whole.len()))
}

fn logs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("logs");
    group.sample_size(20);
    let ulog = long_ulog(4 << 20);
    group.throughput(Throughput::Bytes(ulog.len() as u64));
    group.bench_function("ulog of 4 MB", |bencher| {
        bencher.iter(|| {
            read_ulog(black_box(&ulog), PathId(0), &mut |observation| {
                black_box(&observation);
                ControlFlow::Continue(())
            })
        });
    });
    let dataflash = long_dataflash(64 << 20);
    group.throughput(Throughput::Bytes(dataflash.len() as u64));
    group.bench_function("dataflash of 64 MB", |bencher| {
        bencher.iter(|| {
            read_dataflash(black_box(&dataflash), PathId(0), &mut |observation| {
                black_box(&observation);
                ControlFlow::Continue(())
            })
        });
    });
    let holes = vec![0; 64 << 20];
    group.throughput(Throughput::Bytes(holes.len() as u64));
    group.bench_function("dataflash, one hole of 64 MB", |bencher| {
        bencher.iter(|| {
            read_dataflash(black_box(&holes), PathId(0), &mut |_| {
                ControlFlow::Continue(())
            })
        });
    });
    group.finish();
}

/// One thread from bytes to a complete session, its steps one by one, and the `mavlink` crate's reader on
/// the same frames: it finds them and checks their sums, and decodes nothing.
fn telemetry(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tlog of 64 MB");
    group.sample_size(20);
    let (log, frames) = tlog::long_tlog(64 << 20);
    group.throughput(Throughput::Bytes(log.len() as u64));
    group.bench_function("to a session", |bencher| {
        bencher.iter(|| {
            let mut session = Session::new(SessionSettings::default());
            let summary = read_tlog(black_box(&log), PathId(0), &mut |observation| {
                session.observe(&observation);
                ControlFlow::Continue(())
            });
            assert!(summary.is_ok_and(|summary| summary.damage.is_empty()));
            session
        });
    });
    group.bench_function("to observations", |bencher| {
        bencher.iter(|| {
            read_tlog(black_box(&log), PathId(0), &mut |observation| {
                black_box(&observation);
                ControlFlow::Continue(())
            })
        });
    });
    group.bench_function("to records", |bencher| {
        bencher.iter(|| TlogReader::new(black_box(&log)).map(Iterator::count));
    });
    // Per second as many bytes of the log, so that the rates can be compared.
    group.bench_function("raw frames by the mavlink crate", |bencher| {
        bencher.iter(|| {
            let mut reader = MavlinkReader::with_capacity(1 << 16, black_box(&frames[..]));
            let mut count = 0;
            while let Ok(frame) = reader.read_any_raw_message::<MavMessage>() {
                black_box(&frame);
                count += 1;
            }
            count
        });
    });
    group.finish();
}

criterion_group!(benches, logs, telemetry);
criterion_main!(benches);
