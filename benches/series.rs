//! Time series: what appending costs per sample, and what a picture costs per length of the series.
//! `cargo bench --bench series`.
#![allow(missing_docs, reason = "a bench has no readers of its documentation")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use heartline::session::Series;
use heartline::time::{Micros, Span};

const COLUMNS: i64 = 1_200;

/// A noisy value at 100 Hz, with a gap now and then.
fn series(samples: i64) -> Series {
    let mut series = Series::new();
    let mut noise = 1_u32;
    for i in 0..samples {
        noise ^= noise << 13;
        noise ^= noise >> 17;
        noise ^= noise << 5;
        let value = if i % 9_973 == 0 {
            f32::NAN
        } else {
            noise as f32 / 1e9
        };
        series.push(Micros::from_millis(i * 10), value);
    }
    series
}

fn append(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("series append");
    group.sample_size(10);
    let samples = 1_000_000;
    group.throughput(Throughput::Elements(samples as u64));
    group.bench_function("a million", |bencher| {
        bencher.iter(|| series(black_box(samples)));
    });
    group.finish();
}

fn picture(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("series columns");
    group.sample_size(30);
    for samples in [10_000, 100_000, 1_000_000, 10_000_000] {
        let series = series(samples);
        let end = Micros::from_millis(samples * 10);
        let width = Span::from_millis(samples * 10) / COLUMNS;
        group.bench_with_input(
            BenchmarkId::new("whole", samples),
            &series,
            |bencher, series| {
                bencher.iter(|| series.columns(black_box(Micros::default()), end, width));
            },
        );
        // A hundredth, in the middle.
        let (from, part) = (
            Micros::from_millis(samples * 5),
            Span::from_millis(samples / 10),
        );
        group.bench_with_input(
            BenchmarkId::new("hundredth", samples),
            &series,
            |bencher, series| {
                bencher.iter(|| series.columns(black_box(from), from + part, part / COLUMNS));
            },
        );
    }
    group.finish();
}

criterion_group!(benches, append, picture);
criterion_main!(benches);
