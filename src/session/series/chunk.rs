use crate::time::Micros;

/// Samples of a chunk. A power of two times [`FACTOR`] powers, so that full chunks have full levels and
/// vectors without slack.
pub(super) const CHUNK: usize = 16_384;
/// How many nodes of one level make one of the next. Eight: with fewer the levels cost memory (8 bytes
/// per node), with more the ends of a range cost time.
const FACTOR: usize = 8;
/// Levels of a full chunk: 2048, 256, 32 and 4 nodes. A single top node would save nothing: a range
/// that covers the whole chunk takes four steps.
const LEVELS: usize = 4;

/// A stretch of a series with its min-max pyramid.
///
/// Invariants, proven by the property tests of the series: times ascend; each node names the lowest
/// and the highest finite sample below it, the earliest of equals, or [`Node::EMPTY`].
#[derive(Clone, Debug, Default)]
pub(super) struct Chunk {
    times: Vec<Micros>,
    values: Vec<f32>,
    levels: [Vec<Node>; LEVELS],
}

/// Where the extremes of a stretch are. Indices rather than values: the points drawn need their times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Node {
    lowest: u32,
    highest: u32,
}

impl Node {
    /// Nothing finite below.
    const EMPTY: Self = Self {
        lowest: u32::MAX,
        highest: u32::MAX,
    };
}

impl Chunk {
    pub(super) fn len(&self) -> usize {
        self.times.len()
    }

    pub(super) fn first(&self) -> Option<Micros> {
        self.times.first().copied()
    }

    pub(super) fn last(&self) -> Option<Micros> {
        self.times.last().copied()
    }

    pub(super) fn sample(&self, index: usize) -> Option<(Micros, f32)> {
        Some((*self.times.get(index)?, *self.values.get(index)?))
    }

    /// How many samples lie before `at`.
    pub(super) fn count_before(&self, at: Micros) -> usize {
        self.times.partition_point(|time| *time < at)
    }

    /// How many samples from `from` on lie before `at`. Doubling steps: columns follow each other, and
    /// their ends are near.
    pub(super) fn count_before_from(&self, from: usize, at: Micros) -> usize {
        let rest = self.times.get(from..).unwrap_or_default();
        let mut reach = 1;
        while rest.get(reach - 1).is_some_and(|time| *time < at) {
            reach *= 2;
        }
        let near = rest.get(..reach.min(rest.len())).unwrap_or_default();
        from + near.partition_point(|time| *time < at)
    }

    /// How many samples lie at or before `at`.
    pub(super) fn count_until(&self, at: Micros) -> usize {
        self.times.partition_point(|time| *time <= at)
    }

    /// Appends a sample that is not older than the last.
    pub(super) fn append(&mut self, at: Micros, value: f32) {
        let index = self.times.len();
        self.times.push(at);
        self.values.push(value);
        self.note(index, value);
    }

    /// Sorts a late sample in, behind those of the same time. Costs a rebuild of this chunk's nodes.
    pub(super) fn insert(&mut self, at: Micros, value: f32) {
        let place = self.count_until(at);
        self.times.insert(place, at);
        self.values.insert(place, value);
        self.levels = Default::default();
        for index in 0..self.values.len() {
            let value = self.values.get(index).copied().unwrap_or(f32::NAN);
            self.note(index, value);
        }
    }

    fn note(&mut self, index: usize, value: f32) {
        let mut place = index;
        let values = &self.values;
        let at = |index: u32| values.get(index as usize).copied();
        for level in &mut self.levels {
            place /= FACTOR;
            if level.len() == place {
                level.push(Node::EMPTY);
            }
            let Some(node) = level.get_mut(place) else {
                return;
            };
            if value.is_nan() {
                continue;
            }
            if at(node.lowest).is_none_or(|lowest| value < lowest) {
                node.lowest = index as u32;
            }
            if at(node.highest).is_none_or(|highest| value > highest) {
                node.highest = index as u32;
            }
        }
    }

    /// The indices of the lowest and the highest finite sample within `from..to`, the earliest of equals.
    pub(super) fn extremes(&self, from: usize, to: usize) -> Option<(usize, usize)> {
        let mut found = Found {
            values: &self.values,
            lowest: None,
            highest: None,
        };
        let (mut from, mut to) = (from, to.min(self.values.len()));
        // The ragged ends of each level singly, the even middle one level up.
        let raw_from = from.next_multiple_of(FACTOR).min(to);
        let raw_to = (to / FACTOR * FACTOR).max(raw_from);
        for index in (from..raw_from).chain(raw_to..to) {
            found.take(index, index);
        }
        (from, to) = (raw_from / FACTOR, raw_to / FACTOR);
        for (height, level) in self.levels.iter().enumerate() {
            if raw_from == raw_to || from >= to {
                break;
            }
            let top = height + 1 == LEVELS;
            let (inner_from, inner_to) = if top {
                (to, to)
            } else {
                let inner_from = from.next_multiple_of(FACTOR).min(to);
                (inner_from, (to / FACTOR * FACTOR).max(inner_from))
            };
            for node in level
                .get(from..inner_from)
                .into_iter()
                .chain(level.get(inner_to..to))
                .flatten()
            {
                if *node != Node::EMPTY {
                    found.take(node.lowest as usize, node.highest as usize);
                }
            }
            (from, to) = (inner_from / FACTOR, inner_to / FACTOR);
        }
        found.lowest.zip(found.highest)
    }

    /// Bytes on the heap.
    pub(super) fn memory(&self) -> usize {
        let nodes: usize = self.levels.iter().map(Vec::capacity).sum();
        self.times.capacity() * size_of::<Micros>()
            + self.values.capacity() * size_of::<f32>()
            + nodes * size_of::<Node>()
    }
}

struct Found<'a> {
    values: &'a [f32],
    lowest: Option<usize>,
    highest: Option<usize>,
}

impl Found<'_> {
    /// Candidates come in no order of time; of equal values the earliest index wins.
    fn take(&mut self, low: usize, high: usize) {
        let at = |index: usize| self.values.get(index).copied().filter(|v| !v.is_nan());
        let order = |a: usize, b: usize| Some(at(a)?.total_cmp(&at(b)?));
        if at(low).is_some()
            && self.lowest.is_none_or(|known| {
                order(low, known).is_some_and(|order| order.then(low.cmp(&known)).is_lt())
            })
        {
            self.lowest = Some(low);
        }
        if at(high).is_some()
            && self.highest.is_none_or(|known| {
                order(high, known).is_some_and(|order| order.then(known.cmp(&high)).is_gt())
            })
        {
            self.highest = Some(high);
        }
    }
}
