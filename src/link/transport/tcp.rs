use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use crate::source::address::HostPort;

use super::{Received, Transport, TransportError, bind_error, is_nothing, resolve};

/// Connecting must not keep the window from closing.
const CONNECT_WITHIN: Duration = Duration::from_millis(1_500);
/// A peer that does not take a heartbeat for this long is as good as gone.
const SEND_WITHIN: Duration = Duration::from_millis(200);
/// How often several connections are looked at for bytes.
const LOOK_EVERY: Duration = Duration::from_millis(2);
/// More connections than this are refused.
const CLIENTS: usize = 16;

const CLOSED: &str = "the other side closed the connection";

/// A connection that we opened.
pub(super) struct TcpClient {
    name: String,
    stream: TcpStream,
    peer: SocketAddr,
}

impl TcpClient {
    pub(super) fn connect(name: String, to: &HostPort) -> Result<Self, TransportError> {
        let peer = resolve(&name, to)?;
        let connect = || {
            let stream = TcpStream::connect_timeout(&peer, CONNECT_WITHIN)?;
            stream.set_nodelay(true)?;
            stream.set_write_timeout(Some(SEND_WITHIN))?;
            Ok(stream)
        };
        match connect() {
            Ok(stream) => Ok(Self { name, stream, peer }),
            Err(reason) => Err(TransportError::Connect {
                address: name,
                reason,
            }),
        }
    }

    fn gone(&self, what: &'static str) -> TransportError {
        TransportError::Gone {
            address: self.name.clone(),
            what,
        }
    }

    fn io(&self, reason: io::Error) -> TransportError {
        TransportError::Io {
            address: self.name.clone(),
            reason,
        }
    }
}

impl Transport for TcpClient {
    fn receive(
        &mut self,
        buffer: &mut [u8],
        wait: Duration,
    ) -> Result<Option<Received>, TransportError> {
        let wait = wait.max(Duration::from_millis(1));
        self.stream
            .set_read_timeout(Some(wait))
            .map_err(|e| self.io(e))?;
        match self.stream.read(buffer) {
            Ok(0) => Err(self.gone(CLOSED)),
            Ok(length) => Ok(Some(Received { peer: 0, length })),
            Err(reason) if is_nothing(&reason) => Ok(None),
            Err(reason) => Err(self.io(reason)),
        }
    }

    fn send(&mut self, frame: &[u8]) -> Result<usize, TransportError> {
        self.stream.write_all(frame).map_err(|e| self.io(e))?;
        Ok(frame.len())
    }

    fn peers(&self) -> Vec<String> {
        vec![self.peer.to_string()]
    }

    fn datagrams(&self) -> bool {
        false
    }
}

/// Connections that others open to us.
pub(super) struct TcpServer {
    name: String,
    listener: TcpListener,
    clients: Vec<Client>,
    accepted: u16,
}

struct Client {
    stream: TcpStream,
    address: SocketAddr,
    index: u16,
}

impl TcpServer {
    pub(super) fn listen(name: String, at: &HostPort) -> Result<Self, TransportError> {
        let address = resolve(&name, at)?;
        let listener = TcpListener::bind(address).map_err(|e| bind_error(&name, e))?;
        // Accepting must not block: nobody may ever come.
        listener
            .set_nonblocking(true)
            .map_err(|e| bind_error(&name, e))?;
        Ok(Self {
            name,
            listener,
            clients: Vec::new(),
            accepted: 0,
        })
    }

    fn accept(&mut self) -> Result<(), TransportError> {
        loop {
            match self.listener.accept() {
                Ok((stream, address)) => {
                    if self.clients.len() >= CLIENTS || stream.set_nonblocking(true).is_err() {
                        continue; // dropped: the peer sees its connection closed
                    }
                    self.clients.push(Client {
                        stream,
                        address,
                        index: self.accepted,
                    });
                    self.accepted = self.accepted.wrapping_add(1);
                }
                Err(reason) if is_nothing(&reason) => return Ok(()),
                Err(reason) if reason.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(reason) => {
                    return Err(TransportError::Io {
                        address: self.name.clone(),
                        reason,
                    });
                }
            }
        }
    }

    /// What one of the clients has sent. One that is gone is let go; the others stay.
    fn read_any(&mut self, buffer: &mut [u8]) -> Option<Received> {
        let mut received = None;
        self.clients.retain_mut(|client| {
            if received.is_some() {
                return true;
            }
            match client.stream.read(buffer) {
                Ok(0) => false,
                Ok(length) => {
                    received = Some(Received {
                        peer: client.index,
                        length,
                    });
                    true
                }
                Err(reason) => is_nothing(&reason),
            }
        });
        // Whoever was read goes to the back, so that a talkative client does not starve the others.
        if let Some(received) = received
            && let Some(place) = self.clients.iter().position(|c| c.index == received.peer)
        {
            let client = self.clients.remove(place);
            self.clients.push(client);
        }
        received
    }
}

impl Transport for TcpServer {
    fn receive(
        &mut self,
        buffer: &mut [u8],
        wait: Duration,
    ) -> Result<Option<Received>, TransportError> {
        let mut left = wait;
        loop {
            self.accept()?;
            if let Some(received) = self.read_any(buffer) {
                return Ok(Some(received));
            }
            if left.is_zero() {
                return Ok(None);
            }
            let pause = left.min(LOOK_EVERY);
            std::thread::sleep(pause);
            left -= pause;
        }
    }

    fn send(&mut self, frame: &[u8]) -> Result<usize, TransportError> {
        let mut sent = 0;
        // A client that cannot take a whole frame at once would get half of it: it is let go.
        self.clients
            .retain_mut(|client| match client.stream.write_all(frame) {
                Ok(()) => {
                    sent += frame.len();
                    true
                }
                Err(_) => false,
            });
        Ok(sent)
    }

    fn peers(&self) -> Vec<String> {
        self.clients.iter().map(|c| c.address.to_string()).collect()
    }

    fn datagrams(&self) -> bool {
        false
    }
}
