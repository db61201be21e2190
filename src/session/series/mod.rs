//! Values over time, kept so that drawing costs pixels and not samples.

mod chunk;

use std::collections::VecDeque;

use crate::time::{Micros, Span};

use self::chunk::{CHUNK, Chunk};

/// A value over time: innovation ratios, loss, signal strength, round trips.
///
/// Samples lie in chunks of 16384 with a pyramid of minima and maxima over each. Appending in order of
/// time is O(1); a late sample is sorted into its chunk. A sample costs 12 bytes, the pyramid 2.3 more.
///
/// A value that is not finite is a gap: the line breaks there. Infinities are taken for gaps as well,
/// since no plot can scale them.
#[derive(Clone, Debug, Default)]
pub struct Series {
    chunks: VecDeque<Chunk>,
    length: usize,
    limit: Option<usize>,
    evicted: u64,
}

/// One sample, or one vertex of a line. A value of NaN is a gap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeriesPoint {
    /// When.
    pub at: Micros,
    /// How much.
    pub value: f32,
}

/// The lowest and the highest value of a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extremes {
    /// The earliest sample of the lowest value.
    pub lowest: SeriesPoint,
    /// The earliest sample of the highest value.
    pub highest: SeriesPoint,
}

/// A place within the chunks. Ordered as time is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    chunk: usize,
    index: usize,
}

impl Series {
    /// A series that keeps all samples.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A series for a live session, which keeps at least the newest `samples` and evicts whole chunks
    /// from the front. It never holds more than `samples` + 16384 samples, hence at most
    /// (`samples` + 16384) x 15 bytes.
    #[must_use]
    pub fn with_limit(samples: usize) -> Self {
        Self {
            limit: Some(samples),
            ..Self::default()
        }
    }

    /// Adds a sample. A value that is not finite breaks the line.
    ///
    /// A sample older than everything that is kept is refused and counted as evicted when the front has
    /// been evicted before: it belongs to what is gone.
    pub fn push(&mut self, at: Micros, value: f32) {
        let value = if value.is_finite() { value } else { f32::NAN };
        if self.last().is_some_and(|last| at < last.at) {
            self.sort_in(at, value);
            return;
        }
        match self.chunks.back_mut() {
            Some(chunk) if chunk.len() < CHUNK => chunk.append(at, value),
            _ => {
                let mut chunk = Chunk::default();
                chunk.append(at, value);
                self.chunks.push_back(chunk);
            }
        }
        self.length += 1;
        self.evict();
    }

    /// Breaks the line at `at`.
    pub fn push_gap(&mut self, at: Micros) {
        self.push(at, f32::NAN);
    }

    fn sort_in(&mut self, at: Micros, value: f32) {
        let before = self
            .chunks
            .partition_point(|chunk| chunk.first().is_some_and(|first| first <= at));
        if before == 0 && self.evicted > 0 {
            self.evicted += 1;
            return;
        }
        if let Some(chunk) = self.chunks.get_mut(before.saturating_sub(1)) {
            chunk.insert(at, value);
            self.length += 1;
        }
        self.evict();
    }

    fn evict(&mut self) {
        let Some(limit) = self.limit else { return };
        while let Some(front) = self.chunks.front()
            && self.chunks.len() > 1
            && self.length - front.len() >= limit
        {
            self.length -= front.len();
            self.evicted += front.len() as u64;
            self.chunks.pop_front();
        }
    }

    /// How many samples are held, gaps included.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.length
    }

    /// Whether none is held.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// How many samples were given up to stay within the limit.
    #[must_use]
    pub const fn evicted(&self) -> u64 {
        self.evicted
    }

    /// Bytes held on the heap.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.chunks.capacity() * size_of::<Chunk>()
            + self.chunks.iter().map(Chunk::memory).sum::<usize>()
    }

    /// The first sample held.
    #[must_use]
    pub fn first(&self) -> Option<SeriesPoint> {
        self.point(Place { chunk: 0, index: 0 })
    }

    /// The last sample.
    #[must_use]
    pub fn last(&self) -> Option<SeriesPoint> {
        let chunk = self.chunks.back()?;
        let (at, value) = chunk.sample(chunk.len().checked_sub(1)?)?;
        Some(SeriesPoint { at, value })
    }

    /// The value in force at `at`: the last sample not after it. `None` before the first and in a gap.
    #[must_use]
    pub fn value_at(&self, at: Micros) -> Option<SeriesPoint> {
        let chunk = self
            .chunks
            .partition_point(|chunk| chunk.first().is_some_and(|first| first <= at));
        let chunk = self.chunks.get(chunk.checked_sub(1)?)?;
        let (at, value) = chunk.sample(chunk.count_until(at).checked_sub(1)?)?;
        (!value.is_nan()).then_some(SeriesPoint { at, value })
    }

    /// The extremes within `from..=to`; `None` when nothing finite lies there.
    #[must_use]
    pub fn extremes(&self, from: Micros, to: Micros) -> Option<Extremes> {
        self.extremes_between(self.place_of(from), self.place_after(to))
    }

    /// The vertices of a line for `from..=to` in columns of `column` width.
    ///
    /// Per column at most four: its first, lowest, highest and last sample in order of time, so that
    /// every extreme is drawn and neighbouring columns join where the samples do. Columns are aligned to
    /// absolute time: while the view scrolls they keep their samples, and nothing shimmers. One more
    /// column on each side, the nearest that holds samples, lets the line reach the edges.
    ///
    /// A gap that begins or ends a column is kept as a vertex of NaN. One between two samples of the
    /// same column is narrower than a pixel and is not.
    ///
    /// Costs a bounded number of steps per column and one per chunk of 16384 samples.
    #[must_use]
    pub fn columns(&self, from: Micros, to: Micros, column: Span) -> Vec<SeriesPoint> {
        let width = column.as_micros().max(1);
        let number = |at: Micros| at.as_micros().div_euclid(width);
        let begin_of = |number: i64| Micros::from_micros(number.saturating_mul(width));
        let end_of = |at: Micros| begin_of(number(at).saturating_add(1));
        if to < from {
            return Vec::new();
        }
        // The sample before the view, and with it its column.
        let mut place = self.place_of(begin_of(number(from)));
        if let Some(before) = self.point_before(place) {
            place = self.place_of(begin_of(number(before.at)));
        }
        let mut points = Vec::new();
        // Columns of an even rate are alike, so the length of one tells where the next ends.
        let mut length = 0;
        while let Some(first) = self.point(place) {
            let next;
            (next, length) = self.place_from(place, end_of(first.at), length);
            self.column(place, next, first, &mut points);
            if first.at > to {
                break;
            }
            place = next;
        }
        points
    }

    /// Adds the vertices of the samples in `from..to`, of which `first` is the first.
    fn column(&self, from: Place, to: Place, first: SeriesPoint, points: &mut Vec<SeriesPoint>) {
        // Of samples of one instant the first goes before and the last behind all, which is right for
        // them.
        let (early, late) = match self.extremes_between(from, to) {
            Some(Extremes { lowest, highest }) if lowest.at <= highest.at => {
                (Some(lowest), Some(highest))
            }
            Some(Extremes { lowest, highest }) => (Some(highest), Some(lowest)),
            None => (None, None),
        };
        let vertices = [Some(first), early, late, self.point_before(to)];
        let begin = points.len();
        for vertex in vertices.into_iter().flatten() {
            let same = points
                .get(begin..)
                .and_then(<[_]>::last)
                .is_some_and(|last| {
                    last.at == vertex.at && last.value.to_bits() == vertex.value.to_bits()
                });
            if !same {
                points.push(vertex);
            }
        }
    }

    fn extremes_between(&self, from: Place, to: Place) -> Option<Extremes> {
        let mut found: Option<Extremes> = None;
        for number in from.chunk..=to.chunk {
            let Some(chunk) = self.chunks.get(number) else {
                break;
            };
            let begin = if number == from.chunk { from.index } else { 0 };
            let end = if number == to.chunk {
                to.index
            } else {
                chunk.len()
            };
            let Some((low, high)) = chunk.extremes(begin, end) else {
                continue;
            };
            let point = |index| {
                chunk
                    .sample(index)
                    .map(|(at, value)| SeriesPoint { at, value })
            };
            let (Some(lowest), Some(highest)) = (point(low), point(high)) else {
                continue;
            };
            match &mut found {
                None => found = Some(Extremes { lowest, highest }),
                Some(found) => {
                    if lowest.value < found.lowest.value {
                        found.lowest = lowest;
                    }
                    if highest.value > found.highest.value {
                        found.highest = highest;
                    }
                }
            }
        }
        found
    }

    /// The place of the first sample not before `at`.
    fn place_of(&self, at: Micros) -> Place {
        let chunk = self
            .chunks
            .partition_point(|chunk| chunk.last().is_some_and(|last| last < at));
        Place {
            chunk,
            index: self.chunks.get(chunk).map_or(0, |c| c.count_before(at)),
        }
    }

    /// The place of the first sample after `at`.
    fn place_after(&self, at: Micros) -> Place {
        let chunk = self
            .chunks
            .partition_point(|chunk| chunk.last().is_some_and(|last| last <= at));
        Place {
            chunk,
            index: self.chunks.get(chunk).map_or(0, |c| c.count_until(at)),
        }
    }

    /// From `place` on, the place of the first sample not before `at`, and how far that is. `guess` is
    /// how far it might be.
    fn place_from(&self, place: Place, at: Micros, guess: usize) -> (Place, usize) {
        // At least one, or the last representable instant, whose column has no end, would never be left.
        let mut number = place.chunk;
        let mut index = place.index + 1;
        let mut passed = 1;
        while let Some(chunk) = self.chunks.get(number) {
            if chunk.last().is_some_and(|last| last >= at) {
                let near = index + guess.saturating_sub(passed);
                let found = chunk.count_before_near(near, at).max(index);
                passed += found - index;
                index = found;
                break;
            }
            passed += chunk.len().saturating_sub(index);
            number += 1;
            index = 0;
        }
        let found = Place {
            chunk: number,
            index,
        };
        (found, passed)
    }

    fn point(&self, place: Place) -> Option<SeriesPoint> {
        let chunk = self.chunks.get(place.chunk)?;
        let (at, value) = match chunk.sample(place.index) {
            Some(sample) => sample,
            // One past the end of a chunk is the start of the next.
            None => self.chunks.get(place.chunk + 1)?.sample(0)?,
        };
        Some(SeriesPoint { at, value })
    }

    fn point_before(&self, place: Place) -> Option<SeriesPoint> {
        let (chunk, index) = if let Some(index) = place.index.checked_sub(1) {
            (self.chunks.get(place.chunk)?, index)
        } else {
            let chunk = self.chunks.get(place.chunk.checked_sub(1)?)?;
            (chunk, chunk.len().checked_sub(1)?)
        };
        let (at, value) = chunk.sample(index)?;
        Some(SeriesPoint { at, value })
    }
}
