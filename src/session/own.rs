use crate::observation::{OwnHeartbeat, WithheldBy};
use crate::time::Micros;

use super::Lane;

/// Our own heartbeat slots, three streams kept apart.
#[derive(Clone, Debug, Default)]
pub struct OwnTrack {
    /// Sent.
    pub sent: Lane,
    /// Withheld by the watchdog: the window did not feed it.
    pub withheld_by_watchdog: Lane,
    /// Withheld by policy: no vehicle, a drill, or the port refused.
    pub withheld_by_policy: Lane,
}

impl OwnTrack {
    pub(super) fn note(&mut self, at: Micros, slot: OwnHeartbeat) {
        match slot {
            OwnHeartbeat::Sent { .. } => self.sent.push(at),
            OwnHeartbeat::Withheld {
                by: WithheldBy::Watchdog,
                ..
            } => self.withheld_by_watchdog.push(at),
            OwnHeartbeat::Withheld { .. } => self.withheld_by_policy.push(at),
        }
    }
}
