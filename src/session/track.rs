use crate::time::Micros;

/// A value that holds until it changes: mode, arming, landed state.
///
/// Only changes are kept, so a day of heartbeats costs as much as the operator's mode changes.
#[derive(Clone, Debug)]
pub struct Track<T> {
    changes: Vec<(Micros, T)>,
    last_confirmed: Option<Micros>,
}

impl<T> Default for Track<T> {
    fn default() -> Self {
        Self {
            changes: Vec::new(),
            last_confirmed: None,
        }
    }
}

impl<T: PartialEq> Track<T> {
    /// Notes the value seen at `at`. Returns `true` when it differs from the one before.
    ///
    /// Values are taken in the order in which they come: one stamped before its predecessor (a stepped
    /// clock, a second path) holds from the predecessor on, so that the changes stay sorted.
    pub fn note(&mut self, at: Micros, value: T) -> bool {
        let at = self.changes.last().map_or(at, |(since, _)| at.max(*since));
        self.last_confirmed = Some(at);
        let changed = self.changes.last().is_none_or(|(_, last)| *last != value);
        if changed {
            self.changes.push((at, value));
        }
        changed
    }

    /// The value in force at `at` and since when; `None` before the first.
    #[must_use]
    pub fn at(&self, at: Micros) -> Option<&(Micros, T)> {
        let after = self.changes.partition_point(|(since, _)| *since <= at);
        self.changes.get(after.checked_sub(1)?)
    }

    /// The latest value.
    #[must_use]
    pub fn latest(&self) -> Option<&T> {
        self.changes.last().map(|(_, value)| value)
    }

    /// When the value was last seen, changed or not.
    #[must_use]
    pub const fn last_confirmed(&self) -> Option<Micros> {
        self.last_confirmed
    }

    /// All changes in order.
    #[must_use]
    pub fn changes(&self) -> &[(Micros, T)] {
        &self.changes
    }

    /// The changes within `from..=to`.
    pub fn changes_between(&self, from: Micros, to: Micros) -> impl Iterator<Item = &(Micros, T)> {
        let start = self.changes.partition_point(|(at, _)| *at < from);
        self.changes
            .get(start..)
            .unwrap_or_default()
            .iter()
            .take_while(move |(at, _)| *at <= to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changes_are_kept() {
        let mut track = Track::default();
        let at = Micros::from_millis;
        assert!(track.note(at(0), 4));
        assert!(!track.note(at(1_000), 4));
        assert!(track.note(at(2_000), 5));
        assert_eq!(track.changes().len(), 2);
        assert_eq!(track.at(at(1_999)).map(|(_, v)| *v), Some(4));
        assert_eq!(track.at(at(2_000)).map(|(_, v)| *v), Some(5));
        assert_eq!(track.at(at(-1)), None);
        assert_eq!(track.last_confirmed(), Some(at(2_000)));
    }

    #[test]
    fn a_value_stamped_before_its_predecessor_holds_from_it_on() {
        let mut track = Track::default();
        let at = Micros::from_millis;
        track.note(at(5_000), 4);
        track.note(at(4_000), 5);
        track.note(at(6_000), 6);
        assert_eq!(track.at(at(4_500)), None);
        assert_eq!(track.at(at(5_000)).map(|(_, v)| *v), Some(5));
        assert_eq!(track.at(at(7_000)).map(|(_, v)| *v), Some(6));
    }
}
