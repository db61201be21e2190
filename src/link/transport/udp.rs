use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::time::Duration;

use crate::source::address::HostPort;
use crate::source::wall_clock;
use crate::time::{Micros, Span};

use super::{Received, Transport, TransportError, bind_error, is_nothing, resolve};

/// A peer that was not heard for this long is not spoken to any more.
const PEER_ALIVE: Span = Span::from_secs(10);
/// More peers than this are not told apart: anybody can send to an open port.
const PEERS: usize = 64;

/// UDP, listening or sending first. Replies go to every peer that is alive.
pub(super) struct Udp {
    name: String,
    socket: UdpSocket,
    /// Whom to send to before anybody was heard.
    first: Option<SocketAddr>,
    peers: Vec<Peer>,
}

struct Peer {
    address: SocketAddr,
    heard: Micros,
}

impl Udp {
    pub(super) fn listen(name: String, at: &HostPort) -> Result<Self, TransportError> {
        let address = resolve(&name, at)?;
        let socket = UdpSocket::bind(address).map_err(|e| bind_error(&name, e))?;
        Ok(Self {
            name,
            socket,
            first: None,
            peers: Vec::new(),
        })
    }

    pub(super) fn to(name: String, to: &HostPort, broadcast: bool) -> Result<Self, TransportError> {
        let address = resolve(&name, to)?;
        let any: SocketAddr = if address.is_ipv4() {
            (Ipv4Addr::UNSPECIFIED, 0).into()
        } else {
            (Ipv6Addr::UNSPECIFIED, 0).into()
        };
        let socket = UdpSocket::bind(any).map_err(|e| bind_error(&name, e))?;
        if broadcast {
            socket
                .set_broadcast(true)
                .map_err(|e| bind_error(&name, e))?;
        }
        Ok(Self {
            name,
            socket,
            first: Some(address),
            peers: Vec::new(),
        })
    }

    fn io(&self, reason: io::Error) -> TransportError {
        TransportError::Io {
            address: self.name.clone(),
            reason,
        }
    }

    fn index_of(&mut self, address: SocketAddr, now: Micros) -> usize {
        if let Some(index) = self.peers.iter().position(|p| p.address == address) {
            if let Some(peer) = self.peers.get_mut(index) {
                peer.heard = now;
            }
            return index;
        }
        let peer = Peer {
            address,
            heard: now,
        };
        if self.peers.len() < PEERS {
            self.peers.push(peer);
            return self.peers.len() - 1;
        }
        // The one that was silent longest gives way.
        let oldest = self
            .peers
            .iter()
            .enumerate()
            .min_by_key(|(_, p)| p.heard)
            .map_or(0, |(index, _)| index);
        if let Some(place) = self.peers.get_mut(oldest) {
            *place = peer;
        }
        oldest
    }

    fn alive(&self) -> impl Iterator<Item = SocketAddr> + '_ {
        let now = wall_clock::monotonic();
        let heard = self
            .peers
            .iter()
            .filter(move |p| now - p.heard < PEER_ALIVE)
            .map(|p| p.address);
        let first = self
            .first
            .filter(|first| self.peers.iter().all(|p| p.address != *first));
        heard.chain(first)
    }
}

impl Transport for Udp {
    fn receive(
        &mut self,
        buffer: &mut [u8],
        wait: Duration,
    ) -> Result<Option<Received>, TransportError> {
        // A timeout of zero would mean "for ever".
        let wait = wait.max(Duration::from_millis(1));
        self.socket
            .set_read_timeout(Some(wait))
            .map_err(|e| self.io(e))?;
        match self.socket.recv_from(buffer) {
            Ok((length, from)) => {
                let peer = self.index_of(from, wall_clock::monotonic()) as u16;
                Ok(Some(Received { peer, length }))
            }
            // Nobody listens at a port that we sent to: told by the system, and no reason to close ours.
            Err(reason)
                if is_nothing(&reason)
                    || matches!(
                        reason.kind(),
                        io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionRefused
                    ) =>
            {
                Ok(None)
            }
            Err(reason) => Err(self.io(reason)),
        }
    }

    fn send(&mut self, frame: &[u8]) -> Result<usize, TransportError> {
        let mut sent = 0;
        let mut failed = None;
        for peer in self.alive() {
            match self.socket.send_to(frame, peer) {
                Ok(bytes) => sent += bytes,
                Err(reason) => failed = Some(reason),
            }
        }
        match failed {
            // One peer that cannot be reached must not keep the others from being spoken to.
            Some(reason) if sent == 0 => Err(self.io(reason)),
            _ => Ok(sent),
        }
    }

    fn peers(&self) -> Vec<String> {
        self.alive().map(|p| p.to_string()).collect()
    }

    fn datagrams(&self) -> bool {
        true
    }
}
