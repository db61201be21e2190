use std::io;

use crossbeam_channel::{Receiver, TryRecvError, bounded};

use super::transport::{Transport, TransportError};

/// What an attempt ends with.
pub(super) type Attempt = Result<Box<dyn Transport>, TransportError>;

/// An attempt to open a transport, on a thread of its own: a name server or a peer that does not answer must
/// delay neither the window nor the link's thread. There is one at a time; the thread ends with its attempt.
#[derive(Debug)]
pub(super) struct Opener {
    address: String,
    result: Receiver<Attempt>,
}

impl Opener {
    /// Begins an attempt at `address`.
    pub(super) fn start(
        address: String,
        open: impl FnOnce() -> Attempt + Send + 'static,
    ) -> io::Result<Self> {
        let (sender, result) = bounded(1);
        std::thread::Builder::new()
            .name("link opener".to_owned())
            .spawn(move || {
                // Whoever asked may have gone.
                sender.try_send(open()).ok();
            })?;
        Ok(Self { address, result })
    }

    /// The result, once there is one; never waits.
    pub(super) fn poll(&self) -> Option<Attempt> {
        match self.result.try_recv() {
            Ok(attempt) => Some(attempt),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err(TransportError::Io {
                address: self.address.clone(),
                reason: io::Error::other("opening it ended without a result"),
            })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_that_hangs_is_not_waited_for() {
        let (go, wait) = bounded::<()>(0);
        let opener = Opener::start("x".to_owned(), move || {
            wait.recv().ok();
            Err(TransportError::NoSuchHost {
                address: "x".to_owned(),
            })
        })
        .unwrap();
        assert!(opener.poll().is_none(), "still under way");
        go.send(()).unwrap();
        let result = loop {
            if let Some(result) = opener.poll() {
                break result;
            }
            std::thread::yield_now();
        };
        assert!(matches!(result, Err(TransportError::NoSuchHost { .. })));
    }
}
