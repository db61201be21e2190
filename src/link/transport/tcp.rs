use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use crate::source::address::HostPort;

use super::{
    Received, Sent, Transport, TransportError, bind_error, first_that, is_nothing, resolve,
};

/// Each number of the host gets this long to answer.
const CONNECT_WITHIN: Duration = Duration::from_millis(1_500);
/// A peer that does not take a heartbeat for this long is as good as gone.
const SEND_WITHIN: Duration = Duration::from_millis(200);
/// More connections than this are refused.
const CLIENTS: u16 = 16;
/// How often connections are looked at where they cannot be waited for together.
#[cfg(not(unix))]
const LOOK_EVERY: Duration = Duration::from_millis(10);

const CLOSED: &str = "the other side closed the connection";

/// A connection that we opened.
pub(super) struct TcpClient {
    name: String,
    stream: TcpStream,
    peer: SocketAddr,
}

impl TcpClient {
    pub(super) fn connect(name: String, to: &HostPort) -> Result<Self, TransportError> {
        let found = resolve(&name, to)?;
        let connect = |peer: SocketAddr| {
            let stream = TcpStream::connect_timeout(&peer, CONNECT_WITHIN)?;
            stream.set_nodelay(true)?;
            stream.set_write_timeout(Some(SEND_WITHIN))?;
            Ok((stream, peer))
        };
        match first_that(&found, connect) {
            Ok((stream, peer)) => Ok(Self { name, stream, peer }),
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
            Ok(length) => Ok(Some(Received::Bytes { peer: 0, length })),
            Err(reason) if is_nothing(&reason) => Ok(None),
            Err(reason) => Err(self.io(reason)),
        }
    }

    fn send(&mut self, frame: &[u8]) -> Result<Sent, TransportError> {
        self.stream.write_all(frame).map_err(|e| self.io(e))?;
        Ok(Sent::whole(frame))
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
    /// Places of those who went while something was sent to them, still to be told.
    left: Vec<u16>,
}

struct Client {
    stream: TcpStream,
    address: SocketAddr,
    index: u16,
}

impl TcpServer {
    pub(super) fn listen(name: String, at: &HostPort) -> Result<Self, TransportError> {
        let found = resolve(&name, at)?;
        let listener = first_that(&found, TcpListener::bind).map_err(|e| bind_error(&name, e))?;
        // Accepting must not block: nobody may ever come.
        listener
            .set_nonblocking(true)
            .map_err(|e| bind_error(&name, e))?;
        Ok(Self {
            name,
            listener,
            clients: Vec::new(),
            left: Vec::new(),
        })
    }

    /// The lowest index that nobody has; `None` when there are too many.
    fn free_index(&self) -> Option<u16> {
        (0..CLIENTS).find(|index| {
            !self.left.contains(index) && self.clients.iter().all(|c| c.index != *index)
        })
    }

    fn accept(&mut self) -> Result<(), TransportError> {
        loop {
            match self.listener.accept() {
                Ok((stream, address)) => {
                    let Some(index) = self.free_index() else {
                        continue; // dropped: the peer sees its connection closed
                    };
                    if stream.set_nonblocking(true).is_ok() && stream.set_nodelay(true).is_ok() {
                        self.clients.push(Client {
                            stream,
                            address,
                            index,
                        });
                    }
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

    /// What one of the clients has sent, or that one has gone; the others stay.
    fn read_any(&mut self, buffer: &mut [u8]) -> Option<Received> {
        if let Some(peer) = self.left.pop() {
            return Some(Received::Left { peer });
        }
        let (place, read) = self
            .clients
            .iter_mut()
            .enumerate()
            .find_map(|(place, client)| match client.stream.read(buffer) {
                Err(reason) if is_nothing(&reason) => None,
                Ok(length) => Some((place, length)),
                Err(_) => Some((place, 0)),
            })?;
        let client = self.clients.remove(place);
        let peer = client.index;
        if read == 0 {
            return Some(Received::Left { peer });
        }
        // Whoever was read goes to the back, so that a talkative client does not starve the others.
        self.clients.push(client);
        Some(Received::Bytes { peer, length: read })
    }

    /// Waits until somebody comes, speaks or goes.
    #[cfg(unix)]
    fn wait(&self, wait: Duration) {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let mut all = vec![PollFd::new(&self.listener, PollFlags::IN)];
        all.extend(
            self.clients
                .iter()
                .map(|client| PollFd::new(&client.stream, PollFlags::IN)),
        );
        let wait = Timespec::try_from(wait).ok();
        // An interrupted wait is a short one.
        poll(&mut all, wait.as_ref()).ok();
    }

    #[cfg(not(unix))]
    fn wait(&self, wait: Duration) {
        std::thread::sleep(wait.min(LOOK_EVERY));
    }
}

impl Transport for TcpServer {
    fn receive(
        &mut self,
        buffer: &mut [u8],
        wait: Duration,
    ) -> Result<Option<Received>, TransportError> {
        self.accept()?;
        if let Some(received) = self.read_any(buffer) {
            return Ok(Some(received));
        }
        self.wait(wait);
        self.accept()?;
        Ok(self.read_any(buffer))
    }

    fn send(&mut self, frame: &[u8]) -> Result<Sent, TransportError> {
        let mut sent = Sent::default();
        let left = &mut self.left;
        // A client that cannot take a whole frame at once would get half of it: it is let go.
        self.clients
            .retain_mut(|client| match client.stream.write_all(frame) {
                Ok(()) => {
                    sent.bytes += frame.len();
                    true
                }
                Err(reason) => {
                    left.push(client.index);
                    sent.refuse(format!("{}: {reason}", client.address));
                    false
                }
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

#[cfg(test)]
mod tests {
    use super::*;

    const WAIT: Duration = Duration::from_secs(5);

    fn server() -> (TcpServer, SocketAddr) {
        let at = HostPort {
            host: "127.0.0.1".to_owned(),
            port: 0,
        };
        let server = TcpServer::listen("x".to_owned(), &at).unwrap();
        let address = server.listener.local_addr().unwrap();
        (server, address)
    }

    #[test]
    fn who_has_gone_is_told_and_leaves_its_place() {
        let (mut server, address) = server();
        for _ in 0..40 {
            let mut client = TcpStream::connect(address).unwrap();
            client.write_all(b"half").unwrap();
            drop(client);
            let mut buffer = [0; 16];
            let mut told = Vec::new();
            while told.last() != Some(&Received::Left { peer: 0 }) {
                told.extend(server.receive(&mut buffer, WAIT).unwrap());
            }
            assert_eq!(told.first(), Some(&Received::Bytes { peer: 0, length: 4 }));
        }
    }

    #[test]
    fn a_frame_leaves_once_to_every_client() {
        let (mut server, address) = server();
        let mut clients: Vec<_> = (0..3)
            .map(|_| TcpStream::connect(address).unwrap())
            .collect();
        for client in &mut clients {
            client.write_all(b"x").unwrap();
        }
        let mut heard = 0;
        while heard < 3 {
            heard += usize::from(server.receive(&mut [0; 16], WAIT).unwrap().is_some());
        }
        assert_eq!(server.send(b"beat").unwrap().bytes, 12);
        drop(server);
        for client in &mut clients {
            let mut all = Vec::new();
            client.read_to_end(&mut all).unwrap();
            assert_eq!(all, b"beat");
        }
    }
}
