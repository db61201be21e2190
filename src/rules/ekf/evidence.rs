use std::collections::VecDeque;

use crate::rules::Observed;
use crate::time::{Bounds, Micros, Span};

use super::engine::Watch;
use super::feed::{TEXT_DELAY, TIME_ERROR};

/// News of one trip or one clear that are this close together are news of the same one.
const SAME_EVENT: Span = Span::from_millis(500);

/// Something seen that shows a trip or a clear, with the window in which that must have happened.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Evidence {
    /// A trip, else a clear.
    pub(super) trip: bool,
    /// A text names the EKF; a system_status alone may mean any failsafe.
    pub(super) names_ekf: bool,
    /// When it was seen.
    pub(super) at: Micros,
    pub(super) window: Bounds,
    words: Vec<String>,
}

impl Evidence {
    pub(super) fn text(trip: bool, at: Micros, text: &str) -> Self {
        Self {
            trip,
            names_ekf: true,
            at,
            window: Bounds::new(at - TEXT_DELAY - TIME_ERROR, at + TIME_ERROR),
            words: vec![format!("STATUSTEXT {text}")],
        }
    }

    pub(super) fn status(trip: bool, since: Micros, at: Micros) -> Self {
        let word = if trip { "became" } else { "was no longer" };
        Self {
            trip,
            names_ekf: false,
            at,
            window: Bounds::new(since - TIME_ERROR, at + TIME_ERROR),
            words: vec![format!("HEARTBEAT system_status {word} CRITICAL")],
        }
    }

    pub(super) fn words(&self) -> String {
        self.words.join("; ")
    }

    /// As an observation: the window's end is when it was seen, its length the resolution.
    pub(super) fn observed(&self) -> Observed {
        Observed {
            at: self.at,
            resolution: self.at - self.window.earliest() - TIME_ERROR,
            name: String::new(),
            evidence: self.words(),
        }
    }

    fn same_event(&self, other: &Self) -> bool {
        self.trip == other.trip
            && if self.names_ekf == other.names_ekf {
                (self.at - other.at).abs() <= SAME_EVENT
            } else {
                self.window.overlaps(other.window)
            }
    }
}

/// Evidence whose windows have not passed yet, in the order of arrival.
#[derive(Clone, Debug, Default)]
pub(super) struct EvidenceQueue(VecDeque<Evidence>);

impl EvidenceQueue {
    /// Adds evidence, joining it to what tells of the same event: the narrower window wins.
    pub(super) fn push(&mut self, new: Evidence) {
        let Some(old) = self.0.iter_mut().find(|e| e.same_event(&new)) else {
            self.0.push_back(new);
            return;
        };
        if new.names_ekf && !old.names_ekf {
            let words = std::mem::take(&mut old.words);
            *old = new;
            old.words.extend(words);
        } else {
            old.words.extend(new.words);
        }
    }

    /// The evidence to look for between `from` and `to`.
    pub(super) fn watch(&self, from: Micros, to: Micros) -> Watch {
        let step = Bounds::new(from, to);
        let first = |trip: bool| {
            self.0
                .iter()
                .find(|e| e.trip == trip && e.window.overlaps(step))
                .map(|e| e.window)
        };
        Watch {
            trip: first(true),
            clear: first(false),
        }
    }

    /// The next evidence whose window is over at `at`.
    pub(super) fn pop_passed(&mut self, at: Micros) -> Option<Evidence> {
        let n = self.0.iter().position(|e| e.window.latest() <= at)?;
        self.0.remove(n)
    }

    /// Whether evidence is waiting that bears on steps before `at`.
    pub(super) fn begins_before(&self, at: Micros) -> bool {
        self.0.iter().any(|e| e.window.earliest() < at)
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
