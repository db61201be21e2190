use std::ops::ControlFlow;
use std::time::Duration;

use crossbeam_channel::{SendTimeoutError, Sender};

use super::SourceMessage;

/// How long a full queue is waited for before it is asked again whether anybody still listens.
const PATIENCE: Duration = Duration::from_millis(200);

/// Hands a message over, waiting while the queue is full as long as somebody is there to empty it.
/// Breaks when nobody is: the window has opened something else.
pub(super) fn hand_over(
    sender: &Sender<SourceMessage>,
    mut message: SourceMessage,
) -> ControlFlow<()> {
    loop {
        match sender.send_timeout(message, PATIENCE) {
            Ok(()) => return ControlFlow::Continue(()),
            Err(SendTimeoutError::Timeout(back)) => message = back,
            Err(SendTimeoutError::Disconnected(_)) => return ControlFlow::Break(()),
        }
    }
}
