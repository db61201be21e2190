//! The time series against a naive scan over all samples.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::float_cmp,
    reason = "a broken expectation must stop the test; extremes and ratios are copied, so equal bit for bit"
)]

use heartline::session::{Series, SeriesPoint};
use heartline::time::{Micros, Span};
use proptest::prelude::*;

/// Samples in order of time, with runs of equal times, holes, gaps, plateaus and spikes.
fn samples(longest: usize) -> impl Strategy<Value = Vec<(i64, f32)>> {
    let step = prop_oneof![8 => 0_i64..2_000, 1 => Just(0), 1 => 100_000_i64..5_000_000];
    let value = prop_oneof![
        8 => -10.0_f32..10.0,
        3 => Just(1.0),
        1 => Just(f32::NAN),
        1 => -1e6_f32..1e6
    ];
    proptest::collection::vec((step, value), 1..longest).prop_map(|steps| {
        let mut at = -1_000_000;
        steps
            .into_iter()
            .map(|(step, value)| {
                at += step;
                (at, value)
            })
            .collect()
    })
}

fn series(samples: &[(i64, f32)]) -> Series {
    let mut series = Series::new();
    for &(at, value) in samples {
        series.push(Micros::from_micros(at), value);
    }
    series
}

/// Checks `columns` column by column against all samples that fall into them.
fn check_columns(all: &[(i64, f32)], points: &[SeriesPoint], from: i64, to: i64, width: i64) {
    let column = |at: i64| at.div_euclid(width);
    assert!(points.is_sorted_by_key(|p| p.at));
    let columns: Vec<&[(i64, f32)]> = all.chunk_by(|a, b| column(a.0) == column(b.0)).collect();
    let drawn: std::collections::BTreeMap<i64, &[SeriesPoint]> = points
        .chunk_by(|a, b| column(a.at.as_micros()) == column(b.at.as_micros()))
        .map(|chunk| (column(chunk[0].at.as_micros()), chunk))
        .collect();
    // What must be drawn: the columns of the view, and the nearest with samples on the left.
    let left = columns.iter().rposition(|c| column(c[0].0) < column(from));
    for (i, inside) in columns.iter().enumerate() {
        let visible = column(inside[0].0) >= column(from) && inside[0].0 <= to;
        if !visible && Some(i) != left {
            continue;
        }
        let drawn = drawn
            .get(&column(inside[0].0))
            .expect("the column is drawn");
        assert!((1..=4).contains(&drawn.len()), "{} points", drawn.len());
        let same = |p: &SeriesPoint, (at, value): (i64, f32)| {
            p.at.as_micros() == at && (p.value == value || (p.value.is_nan() && value.is_nan()))
        };
        assert!(same(&drawn[0], inside[0]), "first of the column");
        assert!(
            same(&drawn[drawn.len() - 1], inside[inside.len() - 1]),
            "last of the column"
        );
        let finite = || inside.iter().map(|(_, v)| *v).filter(|v| !v.is_nan());
        let drawn_finite = || drawn.iter().map(|p| p.value).filter(|v| !v.is_nan());
        assert_eq!(finite().reduce(f32::min), drawn_finite().reduce(f32::min));
        assert_eq!(finite().reduce(f32::max), drawn_finite().reduce(f32::max));
        for p in *drawn {
            assert!(inside.iter().any(|s| same(p, *s)), "no point is invented");
        }
    }
    let rightmost = all.iter().find(|(at, _)| *at > to);
    if let Some((at, _)) = rightmost {
        assert!(
            points.iter().any(|p| p.at.as_micros() >= *at),
            "the line does not reach the right edge"
        );
    }
}

proptest! {
    #[test]
    fn columns_equal_a_naive_scan(
        all in samples(600),
        from in -1_500_000_i64..2_000_000,
        span in 0_i64..3_000_000,
        width in prop_oneof![1_i64..100, 100_i64..200_000],
    ) {
        let series = series(&all);
        let points = series.columns(
            Micros::from_micros(from),
            Micros::from_micros(from + span),
            Span::from_micros(width),
        );
        check_columns(&all, &points, from, from + span, width);
    }

    #[test]
    fn extremes_and_values_equal_a_naive_scan(
        all in samples(600),
        from in -1_500_000_i64..2_000_000,
        span in 0_i64..3_000_000,
    ) {
        let series = series(&all);
        let (first, last) = (Micros::from_micros(from), Micros::from_micros(from + span));
        let within = || {
            all.iter()
                .filter(|(at, value)| (from..=from + span).contains(at) && !value.is_nan())
                .map(|(_, value)| *value)
        };
        let found = series.extremes(first, last);
        prop_assert_eq!(found.map(|e| e.lowest.value), within().reduce(f32::min));
        prop_assert_eq!(found.map(|e| e.highest.value), within().reduce(f32::max));
        let held = all.iter().rfind(|(at, _)| *at <= from).filter(|(_, value)| !value.is_nan());
        prop_assert_eq!(
            series.value_at(first).map(|p| (p.at.as_micros(), p.value)),
            held.copied()
        );
    }

    #[test]
    fn late_samples_are_sorted_in(all in samples(300), swaps in proptest::collection::vec(0_usize..300, 0..20)) {
        let mut shuffled = all.clone();
        for swap in swaps {
            if swap + 1 < shuffled.len() {
                shuffled.swap(swap, swap + 1);
            }
        }
        let mut expected = shuffled.clone();
        expected.sort_by_key(|(at, _)| *at);
        let series = series(&shuffled);
        prop_assert_eq!(series.len(), all.len());
        let points = series.columns(Micros::MIN, Micros::MAX, Span::from_micros(1_000));
        check_columns(&expected, &points, i64::MIN, i64::MAX, 1_000);
    }
}

proptest! {
    // Several chunks each: fewer cases, the same properties.
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn chunks_do_not_show(
        all in samples(200),
        from in 0_i64..40_000_000,
        span in 0_i64..60_000_000,
        width in prop_oneof![1_000_i64..50_000, 1_000_000_i64..20_000_000],
    ) {
        let shift = all[all.len() - 1].0 - all[0].0 + 500;
        let repeats = 40_000 / all.len() as i64;
        let all: Vec<(i64, f32)> = (0..repeats)
            .flat_map(|i| all.iter().map(move |(at, value)| (at + i * shift.min(300_000), *value)))
            .collect();
        let mut sorted = all;
        sorted.sort_by_key(|(at, _)| *at);
        let series = series(&sorted);
        let points = series.columns(
            Micros::from_micros(from),
            Micros::from_micros(from + span),
            Span::from_micros(width),
        );
        check_columns(&sorted, &points, from, from + span, width);
        let inside = || sorted.iter().filter(|(at, v)| (from..=from + span).contains(at) && !v.is_nan()).map(|(_, v)| *v);
        let found = series.extremes(Micros::from_micros(from), Micros::from_micros(from + span));
        prop_assert_eq!(found.map(|e| e.lowest.value), inside().reduce(f32::min));
        prop_assert_eq!(found.map(|e| e.highest.value), inside().reduce(f32::max));
    }
}

#[test]
fn ten_million_samples_cost_columns_and_lose_no_extreme() {
    let mut series = Series::new();
    for i in 0..10_000_000_i64 {
        let spike = if i == 7_654_321 { 1_000.0 } else { 0.0 };
        series.push(Micros::from_micros(i * 100), (i % 17) as f32 + spike);
    }
    let whole = Span::from_micros(1_000_000_000);
    let points = series.columns(Micros::default(), Micros::default() + whole, whole / 1_200);
    assert!(points.len() <= 4 * 1_202);
    assert!(points.iter().any(|p| p.value > 1_000.0));
    assert!(
        series.memory() <= 10_000_000 * 15 + (1 << 20),
        "{}",
        series.memory()
    );
}

#[test]
fn scrolling_does_not_change_what_a_column_shows() {
    let all: Vec<(i64, f32)> = (0..50_000)
        .map(|i| (i * 137, (i * 7_919 % 1_009) as f32))
        .collect();
    let series = series(&all);
    let width = 10_000;
    let view = |from: i64| {
        series.columns(
            Micros::from_micros(from),
            Micros::from_micros(from + 1_000_000),
            Span::from_micros(width),
        )
    };
    let middle = |points: &[SeriesPoint]| -> Vec<SeriesPoint> {
        points
            .iter()
            .filter(|p| (1_200_000..1_900_000).contains(&p.at.as_micros()))
            .copied()
            .collect()
    };
    let still = middle(&view(1_000_000));
    for shift in [1, 777, 3_333, 9_999, 40_001] {
        assert_eq!(middle(&view(1_000_000 + shift)), still);
    }
}

#[test]
fn a_live_series_keeps_its_bound() {
    let limit = 100_000;
    let mut series = Series::with_limit(limit);
    for i in 0..500_000_i64 {
        series.push(Micros::from_millis(i), i as f32);
        assert!(series.len() <= limit + 16_384);
    }
    assert!(series.len() >= limit);
    assert_eq!(series.evicted() + series.len() as u64, 500_000);
    assert!(series.memory() <= (limit + 16_384) * 15);
    let evicted = series.evicted();
    series.push(Micros::from_millis(5), 1.0);
    assert_eq!(
        series.evicted(),
        evicted + 1,
        "what belongs to the evicted part is counted"
    );
}

#[test]
fn a_gap_breaks_the_line_at_every_zoom() {
    let mut series = Series::new();
    for i in 0..1_000 {
        series.push(Micros::from_millis(i), 1.0);
    }
    series.push_gap(Micros::from_millis(1_000));
    for i in 9_000..10_000 {
        series.push(Micros::from_millis(i), f32::INFINITY.min(2.0));
    }
    for millis in [1, 10, 100, 900] {
        let points = series.columns(
            Micros::default(),
            Micros::from_millis(10_000),
            Span::from_millis(millis),
        );
        let low = points.iter().rposition(|p| p.value == 1.0).unwrap();
        let high = points.iter().position(|p| p.value == 2.0).unwrap();
        assert!(
            points[low..high].iter().any(|p| p.value.is_nan()),
            "at {millis} ms"
        );
    }
    assert_eq!(series.value_at(Micros::from_millis(5_000)), None);
}

#[test]
fn the_ends_of_the_timeline_are_drawn_too() {
    let mut series = Series::new();
    for at in [Micros::MIN, Micros::default(), Micros::MAX, Micros::MAX] {
        series.push(at, 1.0);
    }
    let points = series.columns(Micros::MIN, Micros::MAX, Span::from_micros(1));
    assert_eq!(points.len(), 4);
    assert_eq!(points[3].at, Micros::MAX);
}
