//! What the ground sees of a flown scenario: the stream of a link, frame by frame.

use std::collections::BTreeMap;

use crate::observation::{
    Direction, Frame, Message, Observation, OwnHeartbeat, PathId, Sighting, Talker,
};
use crate::time::Micros;

/// Collects what the ground sees.
pub(super) struct Ground {
    seen: Vec<Observation>,
}

impl Ground {
    pub(super) fn new(start: Micros) -> Self {
        let up = Observation {
            at: start,
            path: PathId::default(),
            what: Sighting::PathUp("The scenario's link".into()),
        };
        Self { seen: vec![up] }
    }

    /// A slot of the ground station whose window is simulated.
    pub(super) fn own(&mut self, at: Micros, slot: OwnHeartbeat) {
        self.seen.push(Observation {
            at,
            path: PathId::default(),
            what: Sighting::Own(slot),
        });
    }

    /// A frame as it passes.
    pub(super) fn frame(&mut self, at: Micros, from: Talker, id: u32, message: Message) {
        let frame = Frame {
            from,
            sequence: 0,
            id,
            length: 21,
            checksum: 0,
            direction: Direction::Unknown,
            signed: false,
            message,
        };
        self.seen.push(Observation {
            at,
            path: PathId::default(),
            what: Sighting::Frame(frame),
        });
    }

    /// A frame that was lost on the way down: its number is missing.
    pub(super) fn missed(&mut self, at: Micros, from: Talker) {
        self.frame(at, from, u32::MAX, Message::Other);
    }

    /// Everything in order of time, each talker's frames numbered in the order in which they come.
    pub(super) fn finished(mut self) -> Vec<Observation> {
        self.seen.sort_by_key(|o| o.at);
        let mut next: BTreeMap<Talker, u8> = BTreeMap::new();
        self.seen.retain_mut(|observation| {
            let Sighting::Frame(frame) = &mut observation.what else {
                return true;
            };
            let number = next.entry(frame.from).or_default();
            frame.sequence = *number;
            *number = number.wrapping_add(1);
            frame.id != u32::MAX
        });
        self.seen
    }
}
