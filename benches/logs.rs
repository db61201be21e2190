//! On-board logs: bytes per second from a mapped file to observations.
//!
//! The bundled recordings are small, so they are repeated behind their own definitions to the size of
//! a real log. `cargo bench --bench logs`.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a bench whose input is broken must stop"
)]

use std::hint::black_box;
use std::ops::ControlFlow;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use heartline::observation::PathId;
use heartline::source::dataflash::read_dataflash;
use heartline::source::ulog::read_ulog;

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

criterion_group!(benches, logs);
criterion_main!(benches);
