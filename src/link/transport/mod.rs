//! Sockets and ports: bytes in, bytes out, who is at the other end. No framing, no policy.

mod serial;
mod tcp;
mod udp;

use std::io;
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

/// Bytes that arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// From whom: an index that stays the same for a peer while the transport is open.
    pub peer: u16,
    /// How many bytes of the buffer they fill.
    pub length: usize,
}

/// An open connection.
pub trait Transport: Send {
    /// Waits up to `wait` for bytes. `None` when none came.
    fn receive(
        &mut self,
        buffer: &mut [u8],
        wait: Duration,
    ) -> Result<Option<Received>, TransportError>;

    /// Sends one frame to everybody at the other end. Gives the bytes that left; zero when nobody is there.
    fn send(&mut self, frame: &[u8]) -> Result<usize, TransportError>;

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

/// Whether opening may take long, because somebody else has to answer.
#[must_use]
pub const fn opens_slowly(address: &Address) -> bool {
    matches!(address, Address::TcpOut(_))
}

/// The numbers of a host.
fn resolve(name: &str, at: &HostPort) -> Result<std::net::SocketAddr, TransportError> {
    use std::net::ToSocketAddrs as _;
    (at.host.as_str(), at.port)
        .to_socket_addrs()
        .ok()
        .and_then(|mut found| found.next())
        .ok_or_else(|| TransportError::NoSuchHost {
            address: name.to_owned(),
        })
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
