use crate::session::EstimatorSample;
use crate::time::{Micros, Span};

/// How many nodes of one level make one of the next.
const FACTOR: usize = 16;
/// The ratios of a sample.
const RATIOS: usize = 5;

/// Finds the least and greatest ratios of any stretch of estimator samples without walking through all
/// of them: an hour at 50 Hz costs a frame no more than a second does.
///
/// A tree over the samples, each node with the indices of its extremes, built as samples are appended.
#[derive(Clone, Debug, Default)]
pub(super) struct Extremes {
    levels: Vec<Vec<Node>>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    first: Micros,
    last: Micros,
    low: [u32; RATIOS],
    high: [u32; RATIOS],
}

/// The ratios in the order of the strip: compass, velocity, position, height, airspeed.
pub(super) fn ratios(sample: &EstimatorSample) -> [f32; RATIOS] {
    [
        sample.compass,
        sample.velocity,
        sample.position,
        sample.height,
        sample.airspeed.unwrap_or(0.0),
    ]
}

impl Extremes {
    /// Takes in what was appended to `samples` since the last time.
    pub(super) fn feed(&mut self, samples: &[EstimatorSample]) {
        let done = self.levels.first().map_or(0, Vec::len) * FACTOR;
        let Some(rest) = samples.get(done..) else {
            // Fewer samples than before: another vehicle, or a new round.
            self.levels.clear();
            self.feed(samples);
            return;
        };
        for (number, chunk) in rest.chunks_exact(FACTOR).enumerate() {
            let start = done + number * FACTOR;
            if let Some(node) = leaf(start, chunk) {
                self.append(0, node, samples);
            }
        }
    }

    fn append(&mut self, level: usize, node: Node, samples: &[EstimatorSample]) {
        if self.levels.len() == level {
            self.levels.push(Vec::new());
        }
        let Some(nodes) = self.levels.get_mut(level) else {
            return;
        };
        nodes.push(node);
        if nodes.len() % FACTOR != 0 {
            return;
        }
        let children = nodes.get(nodes.len() - FACTOR..).unwrap_or_default();
        let joined = children.iter().copied().reduce(|a, b| join(a, b, samples));
        if let Some(joined) = joined {
            self.append(level + 1, joined, samples);
        }
    }

    /// The samples of `from..to` (indices) that matter for ratio `ratio` in columns of `column`: at
    /// least the extremes of every column, in order of time.
    pub(super) fn candidates<'s>(
        &self,
        samples: &'s [EstimatorSample],
        (from, to): (usize, usize),
        ratio: usize,
        column: Span,
    ) -> Vec<&'s EstimatorSample> {
        let mut found = Vec::new();
        let mut at = from;
        while at < to {
            let (step, node) = self.widest(at, to, column);
            match node {
                Some(node) => {
                    let pair = [node.low.get(ratio), node.high.get(ratio)];
                    let mut pair = pair.map(|i| i.map_or(at, |i| *i as usize));
                    pair.sort_unstable();
                    let ends = [at, at + step - 1];
                    // Both ends as well, so that a hole in the record begins and ends where it does.
                    let [first, last] = ends;
                    let [low, high] = pair;
                    let mut before = None;
                    for index in [first, low, high, last] {
                        if before != Some(index) {
                            found.extend(samples.get(index));
                        }
                        before = Some(index);
                    }
                }
                None => found.extend(samples.get(at)),
            }
            at += step;
        }
        found
    }

    /// The largest node that begins at sample `at`, ends before `to`, and is no longer than `column`.
    fn widest(&self, at: usize, to: usize, column: Span) -> (usize, Option<&Node>) {
        let mut best = (1, None);
        let mut size = FACTOR;
        for level in &self.levels {
            if !at.is_multiple_of(size) || at + size > to {
                break;
            }
            let Some(node) = level.get(at / size).filter(|n| n.last - n.first <= column) else {
                break;
            };
            best = (size, Some(node));
            size *= FACTOR;
        }
        best
    }
}

fn leaf(start: usize, chunk: &[EstimatorSample]) -> Option<Node> {
    let (first, last) = (chunk.first()?, chunk.last()?);
    let begin = u32::try_from(start).ok()?;
    let mut node = Node {
        first: first.at,
        last: last.at,
        low: [begin; RATIOS],
        high: [begin; RATIOS],
    };
    let mut lowest = ratios(first);
    let mut highest = lowest;
    for (index, sample) in (begin..).zip(chunk) {
        for (ratio, value) in ratios(sample).into_iter().enumerate() {
            if let (Some(best), Some(place)) = (lowest.get_mut(ratio), node.low.get_mut(ratio))
                && less(value, *best)
            {
                *best = value;
                *place = index;
            }
            if let (Some(best), Some(place)) = (highest.get_mut(ratio), node.high.get_mut(ratio))
                && less(*best, value)
            {
                *best = value;
                *place = index;
            }
        }
    }
    Some(node)
}

fn join(a: Node, b: Node, samples: &[EstimatorSample]) -> Node {
    let value = |index: u32, ratio: usize| {
        samples
            .get(index as usize)
            .and_then(|s| ratios(s).get(ratio).copied())
            .unwrap_or(f32::NAN)
    };
    let mut joined = Node { last: b.last, ..a };
    for ratio in 0..RATIOS {
        if let (Some(mine), Some(other)) = (joined.low.get_mut(ratio), b.low.get(ratio))
            && less(value(*other, ratio), value(*mine, ratio))
        {
            *mine = *other;
        }
        if let (Some(mine), Some(other)) = (joined.high.get_mut(ratio), b.high.get(ratio))
            && less(value(*mine, ratio), value(*other, ratio))
        {
            *mine = *other;
        }
    }
    joined
}

/// Whether `a` is below `b`; what is no number gives way to anything that is one.
fn less(a: f32, b: f32) -> bool {
    a < b || (b.is_nan() && !a.is_nan())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(index: i64, compass: f32) -> EstimatorSample {
        EstimatorSample {
            at: Micros::from_millis(index * 100),
            velocity: 0.1,
            position: 0.2,
            height: 0.3,
            compass,
            airspeed: None,
            flags: None,
        }
    }

    fn noise(count: i64) -> Vec<EstimatorSample> {
        (0..count)
            .map(|i| sample(i, ((i * 7_919) % 1_009) as f32 / 1_009.0))
            .collect()
    }

    #[test]
    fn a_million_samples_cost_their_columns_and_no_extreme_is_lost() {
        let mut samples = noise(1_000_000);
        samples[654_321].compass = 9.0;
        samples[123_456].compass = -1.0;
        let mut extremes = Extremes::default();
        extremes.feed(&samples);
        // 1 000 columns over the whole record.
        let column = Span::from_secs(100);
        let found = extremes.candidates(&samples, (0, samples.len()), 0, column);
        assert!(found.len() < 1_000 * 2 * FACTOR, "{} samples", found.len());
        assert!(found.is_sorted_by_key(|s| s.at));
        let compass = || found.iter().map(|s| s.compass);
        assert!(compass().any(|ratio| ratio > 8.9));
        assert!(compass().any(|ratio| ratio < -0.9));
    }

    #[test]
    fn feeding_in_pieces_gives_the_same_as_feeding_at_once() {
        let samples = noise(5_003);
        let mut at_once = Extremes::default();
        at_once.feed(&samples);
        let mut in_pieces = Extremes::default();
        for end in (0..samples.len()).step_by(37).chain([samples.len()]) {
            in_pieces.feed(&samples[..end]);
        }
        let of = |extremes: &Extremes| -> Vec<Micros> {
            let range = (11, samples.len());
            let found = extremes.candidates(&samples, range, 0, Span::from_secs(20));
            found.iter().map(|s| s.at).collect()
        };
        assert_eq!(of(&at_once), of(&in_pieces));
    }

    #[test]
    fn another_vehicle_starts_afresh() {
        let mut extremes = Extremes::default();
        extremes.feed(&noise(1_000));
        let other = noise(40);
        extremes.feed(&other);
        let found = extremes.candidates(&other, (0, 40), 0, Span::MAX);
        assert!(found.iter().all(|s| s.at < Micros::from_millis(4_000)));
    }

    #[test]
    fn a_hole_is_not_bridged() {
        let mut samples = noise(32);
        for (late, sample) in samples.iter_mut().enumerate().skip(8) {
            sample.at = Micros::from_millis(3_600_000 + late as i64 * 100);
        }
        let mut extremes = Extremes::default();
        extremes.feed(&samples);
        let found = extremes.candidates(&samples, (0, 32), 0, Span::from_secs(10));
        let gap = found.windows(2).map(|w| w[1].at - w[0].at).max();
        assert!(gap > Some(Span::from_secs(3_500)), "{gap:?}");
    }
}
