use crate::time::Micros;

/// Samples of a chunk. A power of two times [`FACTOR`] powers, so that full chunks have full levels and
/// vectors without slack.
pub(super) const CHUNK: usize = 16_384;
/// How many nodes of one level make one of the next. Eight: with fewer the levels cost memory (16
/// bytes per node), with more the ends of a range cost time.
const FACTOR: usize = 8;
/// Levels of a full chunk: 2048, 256, 32 and 4 nodes. A single top node would save nothing: a range
/// that covers the whole chunk takes four steps.
const LEVELS: usize = 4;

/// A stretch of a series with its min-max pyramid.
///
/// Invariants, proven by the property tests of the series: times ascend; each node holds the lowest and
/// the highest finite sample below it, the first of equals, or is [`Node::EMPTY`].
#[derive(Clone, Debug, Default)]
pub(super) struct Chunk {
    times: Vec<Micros>,
    values: Vec<f32>,
    levels: [Vec<Node>; LEVELS],
}

/// The extremes of a stretch: their values, so that a scan stays within the nodes, and which samples
/// have them, so that none has to be looked for.
#[derive(Clone, Copy, Debug)]
struct Node {
    lowest: f32,
    highest: f32,
    lowest_at: u32,
    highest_at: u32,
}

impl Node {
    /// Nothing finite below.
    const EMPTY: Self = Self {
        lowest: f32::INFINITY,
        highest: f32::NEG_INFINITY,
        lowest_at: 0,
        highest_at: 0,
    };

    /// Takes in a sample that follows those below. The first of equals stays; a gap is neither.
    fn take(&mut self, value: f32, at: u32) {
        if value < self.lowest {
            (self.lowest, self.lowest_at) = (value, at);
        }
        if value > self.highest {
            (self.highest, self.highest_at) = (value, at);
        }
    }

    /// Takes in a node that follows.
    fn merge(&mut self, other: &Self) {
        if other.lowest < self.lowest {
            (self.lowest, self.lowest_at) = (other.lowest, other.lowest_at);
        }
        if other.highest > self.highest {
            (self.highest, self.highest_at) = (other.highest, other.highest_at);
        }
    }
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

    /// How many samples lie before `at`, if `guess` is near. Looks around it in doubling steps: a binary
    /// search over the whole chunk would touch a line of memory per step that is in no cache.
    pub(super) fn count_before_near(&self, guess: usize, at: Micros) -> usize {
        let is_before = |index: usize| self.times.get(index).is_some_and(|time| *time < at);
        let guess = guess.min(self.times.len());
        let mut reach = 1;
        let (from, to) = if is_before(guess) {
            while is_before(guess + reach) {
                reach *= 2;
            }
            (guess + reach / 2, guess + reach)
        } else {
            while reach <= guess && !is_before(guess - reach) {
                reach *= 2;
            }
            (guess.saturating_sub(reach), guess - reach / 2)
        };
        let near = self.times.get(from..to.min(self.times.len()));
        from + near.unwrap_or_default().partition_point(|time| *time < at)
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
        for level in &mut self.levels {
            place /= FACTOR;
            if level.len() == place {
                level.push(Node::EMPTY);
            }
            if let Some(node) = level.get_mut(place) {
                node.take(value, index as u32);
            }
        }
    }

    /// The indices of the lowest and the highest finite sample within `from..to`, the earliest of equals.
    pub(super) fn extremes(&self, from: usize, to: usize) -> Option<(usize, usize)> {
        let mut best = Node::EMPTY;
        let (mut from, mut to) = (from, to.min(self.values.len()));
        // On each height the ragged ends, and the even middle one height up. The right ends wait, so that
        // all is met in order of time and the first of equals stays.
        let mut right_ends = [(0, 0); LEVELS];
        for (height, right_end) in right_ends.iter_mut().enumerate() {
            let middle_from = from.next_multiple_of(FACTOR).min(to);
            let middle_to = (to / FACTOR * FACTOR).max(middle_from);
            self.scan(height, from, middle_from, &mut best);
            *right_end = (middle_to, to);
            (from, to) = (middle_from / FACTOR, middle_to / FACTOR);
            if middle_from == middle_to {
                to = from;
                break;
            }
        }
        self.scan(LEVELS, from, to, &mut best);
        for (height, (from, to)) in right_ends.into_iter().enumerate().rev() {
            self.scan(height, from, to, &mut best);
        }
        // One finite sample is both.
        (best.lowest <= best.highest).then_some((best.lowest_at as usize, best.highest_at as usize))
    }

    /// Takes `from..to` of a height in: the samples themselves on height 0.
    fn scan(&self, height: usize, from: usize, to: usize, best: &mut Node) {
        match height.checked_sub(1) {
            None => {
                let values = self.values.get(from..to).unwrap_or_default();
                for (index, &value) in (from..).zip(values) {
                    best.take(value, index as u32);
                }
            }
            Some(level) => {
                let nodes = self.levels.get(level).and_then(|level| level.get(from..to));
                for node in nodes.unwrap_or_default() {
                    best.merge(node);
                }
            }
        }
    }

    /// Bytes on the heap.
    pub(super) fn memory(&self) -> usize {
        let nodes: usize = self.levels.iter().map(Vec::capacity).sum();
        self.times.capacity() * size_of::<Micros>()
            + self.values.capacity() * size_of::<f32>()
            + nodes * size_of::<Node>()
    }
}
