use crossbeam_channel::Sender;

use crate::observation::Talker;
use crate::rules::watchdog::{BadTimeout, LONGEST, SHORTEST};
use crate::time::Span;

/// How we take part, once the operator has switched transmitting on for a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransmitSettings {
    /// Our ids.
    pub talker: Talker,
    /// Send heartbeats although no vehicle is heard.
    pub without_vehicle: bool,
    watchdog_timeout: Span,
}

impl TransmitSettings {
    /// The ids that ground stations usually have.
    pub const USUAL_TALKER: Talker = Talker::new(255, 190);
    /// The watchdog's timeout on a real link unless the operator chooses another.
    pub const USUAL_TIMEOUT: Span = Span::from_secs(5);

    /// Settings with a watchdog. On a live link it cannot be off: a window has no excuse to send from the
    /// grave.
    pub fn new(
        talker: Talker,
        without_vehicle: bool,
        watchdog_timeout: Span,
    ) -> Result<Self, BadTimeout> {
        if (SHORTEST..=LONGEST).contains(&watchdog_timeout) {
            Ok(Self {
                talker,
                without_vehicle,
                watchdog_timeout,
            })
        } else {
            Err(BadTimeout(watchdog_timeout.as_secs_f64()))
        }
    }

    /// The watchdog's timeout.
    #[must_use]
    pub const fn watchdog_timeout(&self) -> Span {
        self.watchdog_timeout
    }
}

/// What the thread of a live link can be asked to do. There is no variant that controls a vehicle, and
/// there must not be one.
#[derive(Clone, Debug)]
pub enum LinkCommand {
    /// Take part with these settings, or only listen.
    Transmit(Option<TransmitSettings>),
}

/// A command on its way to the thread, with the way back for its answer.
#[derive(Debug)]
pub(super) struct Posted {
    pub command: LinkCommand,
    pub reply: Sender<Result<(), String>>,
}
