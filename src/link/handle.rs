use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};

use crate::source::address::Address;
use crate::source::{SourceHandle, SourceKind, wall_clock};

use super::command::Posted;
use super::recorder::Recorder;
use super::thread::LinkThread;
use super::transport::{self, TransportError};
use super::{FeedGauge, LinkCommand, LinkStatus};

/// Batches that may wait for the window: at 20 ms each, five seconds. A window that hangs for longer loses
/// what does not fit from the picture (counted, shown), not from the recording.
const QUEUE: usize = 256;
/// Commands that may wait; the thread takes one per round.
const COMMANDS: usize = 16;

/// How long closing a link may take.
const END_WITHIN: Duration = Duration::from_secs(2);

/// What a link is opened with.
pub struct LinkOptions {
    /// Reads the window's feeds.
    pub gauge: FeedGauge,
    /// Called when something has arrived for the window.
    pub wake: Box<dyn Fn() + Send>,
    /// Folder to record into; `None` records nothing.
    pub record_to: Option<PathBuf>,
}

/// What the thread and its owner share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    pub status: Mutex<LinkStatus>,
    pub stop: AtomicBool,
}

impl Shared {
    /// A copy of the status. A panic while it was held leaves a copy that is whole all the same.
    pub(super) fn status(&self) -> LinkStatus {
        self.status
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// A running link. Dropping it stops the thread, which takes a round, and waits until its port is closed
/// and its recording is on disk; for two seconds at most, for the window has to close.
#[derive(Debug)]
pub struct LinkHandle {
    address: Address,
    shared: Arc<Shared>,
    commands: Sender<Posted>,
    /// Disconnected when the thread has ended.
    ended: Receiver<()>,
}

/// Opens a link and starts its thread. What is found out at once (a port in use, no such serial port) is an
/// error; what needs an answer from elsewhere is tried by the thread, again and again.
pub fn open(
    address: &Address,
    options: LinkOptions,
) -> Result<(SourceHandle, LinkHandle), TransportError> {
    let transport = if transport::opens_slowly(address) {
        None
    } else {
        Some(transport::open(address)?)
    };
    let shared = Arc::new(Shared::default());
    let (batches, messages) = bounded(QUEUE);
    let (commands, posted) = bounded(COMMANDS);
    let (ends, ended) = bounded(0);
    let record_to = options.record_to.as_deref();
    let recorder = record_to.map(|folder| Recorder::start(folder, wall_clock::unix()));
    let thread = LinkThread::new(
        address.clone(),
        transport,
        Arc::clone(&shared),
        posted,
        batches,
        options.gauge,
        options.wake,
        recorder,
    );
    std::thread::Builder::new()
        .name("link".to_owned())
        .spawn(move || {
            thread.run();
            drop(ends);
        })
        .map_err(|reason| TransportError::Io {
            address: address.to_string(),
            reason,
        })?;
    let source = SourceHandle {
        title: address.to_string(),
        kind: SourceKind::Live,
        messages,
    };
    let handle = LinkHandle {
        address: address.clone(),
        shared,
        commands,
        ended,
    };
    Ok((source, handle))
}

impl LinkHandle {
    /// Where it leads.
    #[must_use]
    pub const fn address(&self) -> &Address {
        &self.address
    }

    /// A copy of what the thread knows of itself.
    #[must_use]
    pub fn status(&self) -> LinkStatus {
        self.shared.status()
    }

    /// Posts a command; its answer arrives at the receiver once the thread has run it. Never waits.
    pub fn post(&self, command: LinkCommand) -> Result<Receiver<Result<(), String>>, String> {
        let (reply, answer) = bounded(1);
        match self.commands.try_send(Posted { command, reply }) {
            Ok(()) => Ok(answer),
            Err(TrySendError::Full(_)) => {
                Err("the link is busy with earlier requests; this one did not run".to_owned())
            }
            Err(TrySendError::Disconnected(_)) => {
                Err("the link has ended; this request did not run".to_owned())
            }
        }
    }
}

impl Drop for LinkHandle {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
        // Nothing is ever sent: it ends by the thread's end, or by the time.
        self.ended.recv_timeout(END_WITHIN).ok();
    }
}
