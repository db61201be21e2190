//! A loss flown over all phases: what the distribution of a what-if costs.
//!
//! `cargo bench --bench training`.
#![allow(
    missing_docs,
    clippy::expect_used,
    reason = "a bench whose input is broken must stop"
)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use heartline::source::scenario::find;
use heartline::training::Sweep;

fn sweeps(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("sweep");
    group.sample_size(10);
    for (what, name) in [
        ("10 000 losses of INC-0143", "inc-0143"),
        ("10 000 losses of a rover", "rover"),
    ] {
        let sweep = Sweep::of(&find(name).expect("is built in"), 10_000);
        group.bench_function(what, |bencher| bencher.iter(|| black_box(&sweep).run()));
    }
    group.finish();
}

criterion_group!(benches, sweeps);
criterion_main!(benches);
