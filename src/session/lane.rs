use crate::time::{Micros, Span};

/// Instants of one kind, in order of time: the heartbeats of one talker, the reports of one instance.
#[derive(Clone, Debug, Default)]
pub struct Lane {
    times: Vec<Micros>,
}

/// One mark of a lane as drawn: the first and last instant that fall into one pixel column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneMark {
    /// First instant of the column.
    pub first: Micros,
    /// Last instant of the column.
    pub last: Micros,
    /// How many there are.
    pub count: usize,
}

impl Lane {
    /// Appends an instant. One that lies before the last is sorted in: a recording of two links has
    /// small steps back.
    pub fn push(&mut self, at: Micros) {
        match self.times.last() {
            Some(&last) if at < last => {
                let place = self.times.partition_point(|t| *t <= at);
                self.times.insert(place, at);
            }
            _ => self.times.push(at),
        }
    }

    /// All instants.
    #[must_use]
    pub fn times(&self) -> &[Micros] {
        &self.times
    }

    /// The instants within `from..=to`.
    #[must_use]
    pub fn between(&self, from: Micros, to: Micros) -> &[Micros] {
        let start = self.times.partition_point(|t| *t < from);
        let end = self.times.partition_point(|t| *t <= to);
        self.times.get(start..end).unwrap_or_default()
    }

    /// The last instant not after `at`.
    #[must_use]
    pub fn last_until(&self, at: Micros) -> Option<Micros> {
        let after = self.times.partition_point(|t| *t <= at);
        self.times.get(after.checked_sub(1)?).copied()
    }

    /// The first instant after `at`.
    #[must_use]
    pub fn first_after(&self, at: Micros) -> Option<Micros> {
        let after = self.times.partition_point(|t| *t <= at);
        self.times.get(after).copied()
    }

    /// The first instant.
    #[must_use]
    pub fn first(&self) -> Option<Micros> {
        self.times.first().copied()
    }

    /// The last instant.
    #[must_use]
    pub fn last(&self) -> Option<Micros> {
        self.times.last().copied()
    }

    /// How many instants there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// The marks to draw for `from..=to` in columns of `column` width: at most one per column, so the
    /// cost depends on pixels. Columns are aligned to absolute time, so that marks do not shimmer while
    /// the view scrolls. Binary search from column to column: a lane of a million instants costs no
    /// more than its columns.
    #[must_use]
    pub fn marks(&self, from: Micros, to: Micros, column: Span) -> Vec<LaneMark> {
        let width = column.as_micros().max(1);
        let mut rest = self.between(from, to);
        let mut marks = Vec::new();
        while let Some(&first) = rest.first() {
            let next_column = (first.as_micros().div_euclid(width) + 1).saturating_mul(width);
            let count = rest.partition_point(|t| t.as_micros() < next_column).max(1);
            let (column, after) = rest.split_at(count);
            marks.push(LaneMark {
                first,
                last: column.last().copied().unwrap_or(first),
                count,
            });
            rest = after;
        }
        marks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_cost_columns_and_lose_nothing() {
        let mut lane = Lane::default();
        for i in 0..10_000 {
            lane.push(Micros::from_millis(i));
        }
        let marks = lane.marks(
            Micros::from_millis(0),
            Micros::from_millis(9_999),
            Span::from_millis(100),
        );
        assert_eq!(marks.len(), 100);
        assert_eq!(marks.iter().map(|m| m.count).sum::<usize>(), 10_000);
    }

    #[test]
    fn late_arrivals_are_sorted_in() {
        let mut lane = Lane::default();
        for ms in [0, 20, 10, 30] {
            lane.push(Micros::from_millis(ms));
        }
        assert!(lane.times().is_sorted());
        assert_eq!(
            lane.last_until(Micros::from_millis(15)),
            Some(Micros::from_millis(10))
        );
        assert_eq!(
            lane.first_after(Micros::from_millis(10)),
            Some(Micros::from_millis(20))
        );
    }
}
