//! What the link's thread tells the window: what has arrived, what time it is, how it is doing.

use std::sync::PoisonError;

use crossbeam_channel::TrySendError;

use crate::link::LinkState;
use crate::link::recorder::Recorder;
use crate::observation::{Damage, DamageKind, Sighting};
use crate::source::SourceMessage;
use crate::time::{Micros, Span};

use super::{LinkThread, TELL_TIME};

/// What has arrived is handed over at least this often.
const HAND_OVER: Span = Span::from_millis(20);
/// Or when this much has gathered.
const BATCH: usize = 512;
/// After this long without a frame the link is silent.
const SILENT: Span = Span::from_secs(3);

impl LinkThread {
    /// Hands over what has gathered when it is time. `None` when nobody listens any more.
    pub(super) fn hand_over(&mut self, now: Micros) -> Option<()> {
        // A queue that took nothing is not asked again for each datagram.
        let full = self.gathered.len() >= BATCH && !self.refused;
        if !full && now - self.handed_over < HAND_OVER {
            return Some(());
        }
        self.handed_over = now;
        self.publish(now);
        if self.lost > 0 {
            let damage = Damage {
                kind: DamageKind::Overrun,
                bytes: u32::try_from(self.lost).unwrap_or(u32::MAX),
                offset: self.status.bytes_in,
            };
            self.status.overruns += 1;
            self.lost = 0;
            self.observe(now, Sighting::Damage(damage));
        }
        let mut told = false;
        self.refused = false;
        if !self.gathered.is_empty() {
            let batch = SourceMessage::Batch(std::mem::take(&mut self.gathered));
            match self.batches.try_send(batch) {
                Ok(()) => told = true,
                Err(TrySendError::Full(SourceMessage::Batch(back))) => {
                    self.gathered = back;
                    self.refused = true;
                }
                Err(TrySendError::Full(_)) => {}
                Err(TrySendError::Disconnected(_)) => return None,
            }
        }
        if now - self.told_time >= TELL_TIME {
            self.told_time = now;
            // The time alone is not worth waking the window for, nor worth waiting for a place.
            match self.batches.try_send(SourceMessage::Now(self.at(now))) {
                Ok(()) | Err(TrySendError::Full(_)) => {}
                Err(TrySendError::Disconnected(_)) => return None,
            }
        }
        if told {
            (self.wake)();
        }
        Some(())
    }

    fn publish(&mut self, now: Micros) {
        // A full disk shows although nothing arrives that would have to be written.
        if let Some(Err(error)) = self.recorder.as_ref().map(Recorder::check) {
            self.stop_recording(&error);
        }
        if self.transport.is_some() {
            self.status.state = match self.status.last_frame {
                None => LinkState::Waiting,
                Some(last) if now - last > SILENT => LinkState::Silent,
                Some(_) => LinkState::Live,
            };
        }
        self.status.last_feed = self.gauge.last_feed();
        self.status.peers = self
            .transport
            .as_ref()
            .map(|t| t.peers())
            .unwrap_or_default();
        let mut shared = self
            .shared
            .status
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        shared.clone_from(&self.status);
    }
}
