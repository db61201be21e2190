use std::collections::BTreeMap;

use crate::observation::{Frame, Message, Talker};
use crate::time::Micros;

use super::texts::JoinedText;

/// Frames kept per talker: a ground station reads parameters before the first heartbeat is recorded.
const PER_TALKER: usize = 256;
/// Talkers for which frames are kept: forged ids must not exhaust memory.
const TALKERS: usize = 16;

/// What an autopilot said before its first heartbeat told what it is. How a parameter is to be read
/// depends on that, so the frames wait.
#[derive(Clone, Debug, Default)]
pub(super) struct EarlyFrames {
    waiting: BTreeMap<Talker, Vec<(Micros, Frame)>>,
    texts: Vec<JoinedText>,
}

impl EarlyFrames {
    /// Keeps a frame of what may be an autopilot. The latest ones of a talker give way when it has said
    /// more than is kept: parameters and version stand at the beginning.
    pub(super) fn keep(&mut self, at: Micros, frame: &Frame) {
        if frame.from.component != 1 || frame.message == Message::Other {
            return;
        }
        if self.waiting.len() >= TALKERS && !self.waiting.contains_key(&frame.from) {
            return;
        }
        let frames = self.waiting.entry(frame.from).or_default();
        if frames.len() < PER_TALKER {
            frames.push((at, frame.clone()));
        }
    }

    /// Keeps a text, whole already: a banner may come before the first heartbeat.
    pub(super) fn keep_text(&mut self, text: JoinedText) {
        if text.from.component == 1 && self.texts.len() < PER_TALKER {
            self.texts.push(text);
        }
    }

    /// The texts of a talker that has turned out to be an autopilot, in order.
    pub(super) fn take_texts(&mut self, talker: Talker) -> Vec<JoinedText> {
        let (its, others) = std::mem::take(&mut self.texts)
            .into_iter()
            .partition(|text| text.from == talker);
        self.texts = others;
        its
    }

    /// The frames of a talker that has turned out to be an autopilot, in order.
    pub(super) fn take(&mut self, talker: Talker) -> Vec<(Micros, Frame)> {
        self.waiting.remove(&talker).unwrap_or_default()
    }
}
