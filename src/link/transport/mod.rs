//! Sockets and ports: bytes in, bytes out, who is at the other end. No framing, no policy.

mod peers;
mod serial;
mod tcp;
mod udp;

use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::time::Duration;

use thiserror::Error;

use crate::source::address::{Address, HostPort};

/// Why a transport cannot be opened, or broke. One line: what, where, what to do.
#[derive(Debug, Error)]
pub enum TransportError {
    /// Another program holds the port.
    #[error(
        "{address}: the port is in use, most likely by another ground station program; close it, listen on another port (14551), or let it forward to us"
    )]
    InUse {
        /// The address.
        address: String,
    },
    /// The host's name cannot be resolved.
    #[error("{address}: no such host; check the name or give its number")]
    NoSuchHost {
        /// The address.
        address: String,
    },
    /// Nobody answers there.
    #[error(
        "{address}: cannot connect ({reason}); is the vehicle or router running and reachable?"
    )]
    Connect {
        /// The address.
        address: String,
        /// What the system says.
        reason: io::Error,
    },
    /// There is no such serial port.
    #[error("{address}: no such serial port; {found}")]
    NoSuchPort {
        /// The address.
        address: String,
        /// The ports that there are, in words.
        found: String,
    },
    /// The user may not open the port.
    #[error("{address}: permission denied; add your user to the group `dialout` and log in again")]
    Permission {
        /// The address.
        address: String,
    },
    /// The device was unplugged, or the other side closed the connection.
    #[error("{address}: {what}")]
    Gone {
        /// The address.
        address: String,
        /// What happened.
        what: &'static str,
    },
    /// Anything else that the system says.
    #[error("{address}: {reason}")]
    Io {
        /// The address.
        address: String,
        /// What the system says.
        reason: io::Error,
    },
}

/// What came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// Bytes.
    Bytes {
        /// From whom: an index that stays the same for a peer while it is there.
        peer: u16,
        /// How many bytes of the buffer they fill.
        length: usize,
    },
    /// A peer has gone; its index may be another's from now on. The transport itself goes on.
    Left {
        /// Which.
        peer: u16,
    },
}

/// What became of a frame that was to be sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// Bytes that left, over all peers; zero when nobody is there.
    pub bytes: usize,
    /// Peers that it did not leave to.
    pub refused: u64,
    /// What the system said of the last of them.
    pub problem: Option<String>,
}

impl Sent {
    const fn whole(frame: &[u8]) -> Self {
        Self {
            bytes: frame.len(),
            refused: 0,
            problem: None,
        }
    }

    fn refuse(&mut self, problem: String) {
        self.refused += 1;
        self.problem = Some(problem);
    }
}

/// An open connection.
pub trait Transport: Send {
    /// Waits up to `wait` for bytes. `None` when none came.
    fn receive(
        &mut self,
        buffer: &mut [u8],
        wait: Duration,
    ) -> Result<Option<Received>, TransportError>;

    /// Sends one frame to everybody at the other end, once each. An error says that the transport is
    /// broken; that a frame did not leave to somebody is no such error.
    fn send(&mut self, frame: &[u8]) -> Result<Sent, TransportError>;

    /// A whole frame came from this peer: it is none of the strangers that send to an open port.
    fn confirm(&mut self, _peer: u16) {}

    /// Who is at the other end, for people.
    fn peers(&self) -> Vec<String>;

    /// Whether what arrives at once belongs together: a frame never crosses two datagrams.
    fn datagrams(&self) -> bool;
}

/// Opens a transport.
pub fn open(address: &Address) -> Result<Box<dyn Transport>, TransportError> {
    let name = address.to_string();
    Ok(match address {
        Address::UdpIn(at) => Box::new(udp::Udp::listen(name, at)?),
        Address::UdpOut(to) => Box::new(udp::Udp::to(name, to, false)?),
        Address::UdpBroadcast(to) => Box::new(udp::Udp::to(name, to, true)?),
        Address::TcpIn(at) => Box::new(tcp::TcpServer::listen(name, at)?),
        Address::TcpOut(to) => Box::new(tcp::TcpClient::connect(name, to)?),
        Address::Serial { path, baud } => Box::new(serial::Serial::open(name, path, *baud)?),
    })
}

/// Whether opening may take long, because somebody else has to answer: the other end, or a name server.
#[must_use]
pub fn opens_slowly(address: &Address) -> bool {
    let is_number = |at: &HostPort| at.host == "localhost" || at.host.parse::<IpAddr>().is_ok();
    match address {
        Address::TcpOut(_) => true,
        Address::UdpIn(at)
        | Address::UdpOut(at)
        | Address::UdpBroadcast(at)
        | Address::TcpIn(at) => !is_number(at),
        Address::Serial { .. } => false,
    }
}

/// The numbers of a host, at least one.
fn resolve(name: &str, at: &HostPort) -> Result<Vec<SocketAddr>, TransportError> {
    let found: Vec<SocketAddr> = (at.host.as_str(), at.port)
        .to_socket_addrs()
        .map(Iterator::collect)
        .unwrap_or_default();
    if found.is_empty() {
        return Err(TransportError::NoSuchHost {
            address: name.to_owned(),
        });
    }
    Ok(found)
}

/// Tries the numbers of a host in turn. When none of them does, the last one's error.
fn first_that<T>(
    found: &[SocketAddr],
    mut open: impl FnMut(SocketAddr) -> io::Result<T>,
) -> io::Result<T> {
    let mut failed = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for address in found {
        match open(*address) {
            Ok(opened) => return Ok(opened),
            Err(reason) => failed = reason,
        }
    }
    Err(failed)
}

/// An error of binding a socket.
fn bind_error(name: &str, reason: io::Error) -> TransportError {
    let address = name.to_owned();
    match reason.kind() {
        io::ErrorKind::AddrInUse => TransportError::InUse { address },
        _ => TransportError::Io { address, reason },
    }
}

/// Whether an error only says that nothing came in time.
fn is_nothing(reason: &io::Error) -> bool {
    matches!(
        reason.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_connections_are_not_opened_in_the_frame_loop() {
        let slow = |address: &str| opens_slowly(&address.parse().unwrap());
        for address in [
            "tcpout:127.0.0.1:5760",
            "udpin:groundstation.example:14550",
            "udpout:drone.example:14550",
            "tcpin:groundstation.example:5760",
        ] {
            assert!(slow(address), "{address}");
        }
        for address in [
            "udpin:0.0.0.0:14550",
            "udpout:[::1]:14550",
            "tcpin:localhost:5760",
        ] {
            assert!(!slow(address), "{address}");
        }
    }

    #[test]
    fn all_numbers_of_a_host_are_tried() {
        let found: Vec<SocketAddr> = (1..=3).map(|port| ([127, 0, 0, 1], port).into()).collect();
        let mut tried = Vec::new();
        let opened = first_that(&found, |address| {
            tried.push(address.port());
            (address.port() == 3)
                .then_some("open")
                .ok_or(io::ErrorKind::ConnectionRefused.into())
        });
        assert_eq!(opened.unwrap(), "open");
        assert_eq!(tried, [1, 2, 3]);
    }
}
