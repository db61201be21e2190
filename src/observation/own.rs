use crate::time::Span;

use super::Talker;

/// What became of one of our own heartbeat slots.
///
/// Three streams are kept apart, so that a reviewer sees who silenced the link: sent, withheld by the
/// watchdog, withheld by policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OwnHeartbeat {
    /// It left on the path.
    Sent {
        /// The ids it carried.
        from: Talker,
    },
    /// It did not leave.
    Withheld {
        /// Who decided that.
        by: WithheldBy,
        /// Age of the watchdog's last feed at the slot; `None` before the first feed.
        feed_age: Option<Span>,
    },
}

/// Who withheld a heartbeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WithheldBy {
    /// The window's frame loop did not feed the watchdog in time.
    Watchdog,
    /// No vehicle was heard within the policy's limit.
    NoVehicle,
    /// The socket or port refused the bytes.
    LinkDown,
}
