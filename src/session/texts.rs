use std::collections::BTreeMap;

use crate::observation::{StatusText, Talker};
use crate::time::{Micros, Span};

/// A chunk that has waited this long for its siblings is let go with what there is.
const PATIENCE: Span = Span::from_secs(3);
/// Chunks of texts under way, per program: a hostile sender must not grow this.
const LIMIT: usize = 64;

/// Joins the chunks of long STATUSTEXTs.
#[derive(Clone, Debug, Default)]
pub(super) struct TextJoiner {
    open: BTreeMap<(Talker, u16), OpenText>,
}

#[derive(Clone, Debug)]
struct OpenText {
    first: Micros,
    severity: u8,
    chunks: BTreeMap<u8, Box<str>>,
}

/// A complete text, or what arrived of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinedText {
    /// Arrival of the first chunk.
    pub at: Micros,
    /// Who sent it.
    pub from: Talker,
    /// MAV_SEVERITY.
    pub severity: u8,
    /// The text, `...` where a chunk is missing.
    pub text: String,
}

impl TextJoiner {
    /// Takes a chunk; returns the texts that are finished with it or have waited too long.
    pub(super) fn take(&mut self, at: Micros, from: Talker, chunk: &StatusText) -> Vec<JoinedText> {
        let mut finished = self.overdue(at);
        if chunk.chunk_id == 0 {
            finished.push(JoinedText {
                at,
                from,
                severity: chunk.severity,
                text: clean(&chunk.text),
            });
            return finished;
        }
        let open = self
            .open
            .entry((from, chunk.chunk_id))
            .or_insert_with(|| OpenText {
                first: at,
                severity: chunk.severity,
                chunks: BTreeMap::new(),
            });
        open.chunks.insert(chunk.chunk, chunk.text.clone());
        // The last chunk is the one that does not fill its 50 characters.
        let last = open
            .chunks
            .iter()
            .find(|(_, text)| text.chars().count() < 50)
            .map(|(n, _)| *n);
        let complete = last.is_some_and(|n| open.chunks.len() > usize::from(n));
        let done = if complete {
            Some((from, chunk.chunk_id))
        } else {
            self.too_many()
        };
        if let Some(key) = done
            && let Some(open) = self.open.remove(&key)
        {
            finished.push(open.joined(key.0));
        }
        finished
    }

    /// The text that must make room: the one that has waited longest, whose chunks are the least likely to
    /// come still.
    fn too_many(&self) -> Option<(Talker, u16)> {
        let oldest = self.open.iter().min_by_key(|(_, open)| open.first);
        oldest
            .filter(|_| self.open.len() > LIMIT)
            .map(|(key, _)| *key)
    }

    /// The texts whose missing chunks are not coming any more.
    fn overdue(&mut self, at: Micros) -> Vec<JoinedText> {
        let due: Vec<_> = self
            .open
            .iter()
            .filter(|(_, open)| at - open.first > PATIENCE)
            .map(|(key, _)| *key)
            .collect();
        due.into_iter()
            .filter_map(|key| Some(self.open.remove(&key)?.joined(key.0)))
            .collect()
    }
}

impl OpenText {
    fn joined(&self, from: Talker) -> JoinedText {
        let mut text = String::new();
        let mut next = 0;
        for (number, chunk) in &self.chunks {
            if *number != next {
                text.push_str("...");
            }
            text.push_str(chunk);
            next = number.saturating_add(1);
        }
        JoinedText {
            at: self.first,
            from,
            severity: self.severity,
            text: clean(&text),
        }
    }
}

/// PX4 ends texts that also exist as an event with a tab; nobody needs to see it.
fn clean(text: &str) -> String {
    text.trim_end_matches(['\t', '\0', '\n']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(id: u16, n: u8, text: &str) -> StatusText {
        StatusText {
            severity: 4,
            text: text.into(),
            chunk_id: id,
            chunk: n,
        }
    }

    #[test]
    fn chunks_join_in_any_order_and_a_lost_one_leaves_a_mark() {
        let from = Talker::new(1, 1);
        let full = "x".repeat(50);
        let mut joiner = TextJoiner::default();
        assert!(
            joiner
                .take(Micros::default(), from, &chunk(7, 1, "end"))
                .is_empty()
        );
        let done = joiner.take(Micros::from_millis(5), from, &chunk(7, 0, &full));
        assert_eq!(done.len(), 1);
        assert_eq!(done[0].text, format!("{full}end"));

        assert!(
            joiner
                .take(Micros::from_millis(10), from, &chunk(8, 1, "tail"))
                .is_empty()
        );
        let done = joiner.take(Micros::from_millis(9_000), from, &chunk(0, 0, "next\t"));
        assert_eq!(done[0].text, "...tail");
        assert_eq!(done[1].text, "next");
    }

    #[test]
    fn a_flood_of_unfinished_texts_pushes_out_the_oldest() {
        let from = Talker::new(1, 1);
        let mut joiner = TextJoiner::default();
        let mut pushed = Vec::new();
        for id in 1..=(LIMIT as u16 + 2) {
            let at = Micros::from_millis(i64::from(id));
            pushed.extend(joiner.take(at, from, &chunk(id, 1, &format!("tail {id}"))));
        }
        let texts: Vec<_> = pushed.iter().map(|t| t.text.as_str()).collect();
        assert_eq!(texts, ["...tail 1", "...tail 2"]);
    }
}
