use crate::time::{Micros, Span};

use super::model::{ScenarioWay, span, within};
use super::noise::Noise;

/// One direction of the link, asked for one message after the other.
#[derive(Clone, Debug)]
pub(super) struct Way<'a> {
    rules: &'a ScenarioWay,
    start: Micros,
    noise: Noise,
    /// When the last message arrived: none overtakes another.
    last: Micros,
}

impl<'a> Way<'a> {
    pub(super) const fn new(rules: &'a ScenarioWay, start: Micros, noise: Noise) -> Self {
        Self {
            rules,
            start,
            noise,
            last: Micros::MIN,
        }
    }

    /// When what is sent at `sent` arrives, if it does. Asked in order of time.
    pub(super) fn carry(&mut self, sent: Micros) -> Option<Micros> {
        let offset = sent - self.start;
        if within(&self.rules.cuts_s, offset) {
            return None;
        }
        let burst = self
            .rules
            .bursts
            .iter()
            .find(|b| span(b.from_s) <= offset && offset < span(b.to_s));
        let loss = burst.map_or(self.rules.loss, |b| b.loss);
        if loss > 0.0 && self.noise.part() < loss {
            return None;
        }
        let mut under_way = span(self.rules.delay_s);
        let jitter = span(self.rules.jitter_s);
        if jitter > Span::ZERO {
            under_way += self.noise.up_to(jitter);
        }
        self.last = self.last.max(sent + under_way);
        Some(self.last)
    }
}
