use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::time::Duration;

use crate::source::address::HostPort;
use crate::source::wall_clock;

use super::peers::{Peers, STRANGER};
use super::{
    Received, Sent, Transport, TransportError, bind_error, first_that, is_nothing, resolve,
};

/// UDP, listening or sending first.
pub(super) struct Udp {
    name: String,
    socket: UdpSocket,
    /// Whom the operator named. Only there is sent: whoever answers, from whatever address, has got it
    /// there already.
    to: Option<SocketAddr>,
    peers: Peers,
}

impl Udp {
    pub(super) fn listen(name: String, at: &HostPort) -> Result<Self, TransportError> {
        let found = resolve(&name, at)?;
        let socket = first_that(&found, UdpSocket::bind).map_err(|e| bind_error(&name, e))?;
        Ok(Self {
            name,
            socket,
            to: None,
            peers: Peers::default(),
        })
    }

    pub(super) fn to(name: String, to: &HostPort, broadcast: bool) -> Result<Self, TransportError> {
        let found = resolve(&name, to)?;
        let socket = |to: SocketAddr| {
            let any: SocketAddr = if to.is_ipv4() {
                (Ipv4Addr::UNSPECIFIED, 0).into()
            } else {
                (Ipv6Addr::UNSPECIFIED, 0).into()
            };
            let socket = UdpSocket::bind(any)?;
            if broadcast {
                socket.set_broadcast(true)?;
            } else if found.len() > 1 {
                // Of several numbers of a host, one to which there is a way; asked of the system with a
                // socket of its own, for one that is connected would not hear the others.
                UdpSocket::bind(any)?.connect(to)?;
            }
            Ok((socket, to))
        };
        let (socket, to) = first_that(&found, socket).map_err(|e| bind_error(&name, e))?;
        Ok(Self {
            name,
            socket,
            to: Some(to),
            peers: Peers::default(),
        })
    }

    fn io(&self, reason: io::Error) -> TransportError {
        TransportError::Io {
            address: self.name.clone(),
            reason,
        }
    }

    /// Whom a frame goes to, each once.
    fn addressees(&self) -> Vec<SocketAddr> {
        match self.to {
            Some(to) => vec![to],
            None => self.peers.alive(wall_clock::monotonic()).collect(),
        }
    }
}

/// What the network says of others. No reason to close our socket: they may come back.
fn is_about_others(reason: &io::Error) -> bool {
    matches!(
        reason.kind(),
        io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::HostUnreachable
            | io::ErrorKind::NetworkUnreachable
            | io::ErrorKind::NetworkDown
    )
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
                let peer = self.peers.heard(from, wall_clock::monotonic());
                Ok(Some(Received::Bytes {
                    peer: peer.unwrap_or(STRANGER),
                    length,
                }))
            }
            Err(reason) if is_nothing(&reason) || is_about_others(&reason) => Ok(None),
            Err(reason) => Err(self.io(reason)),
        }
    }

    fn send(&mut self, frame: &[u8]) -> Result<Sent, TransportError> {
        let mut sent = Sent::default();
        for to in self.addressees() {
            match self.socket.send_to(frame, to) {
                Ok(bytes) => sent.bytes += bytes,
                Err(reason) => sent.refuse(format!("{to}: {reason}")),
            }
        }
        Ok(sent)
    }

    fn confirm(&mut self, peer: u16) {
        self.peers.confirm(peer);
    }

    fn peers(&self) -> Vec<String> {
        self.addressees().iter().map(ToString::to_string).collect()
    }

    fn datagrams(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(host: &str, port: u16) -> HostPort {
        HostPort {
            host: host.to_owned(),
            port,
        }
    }

    fn datagrams(socket: &UdpSocket) -> usize {
        socket.set_nonblocking(true).unwrap();
        let mut buffer = [0; 64];
        let mut count = 0;
        while socket.recv(&mut buffer).is_ok() {
            count += 1;
        }
        count
    }

    /// The vehicle answers from an address of its own. It has to get each frame once, not once more at the
    /// address that its answer came from.
    #[test]
    fn what_is_sent_leaves_once_although_the_answer_comes_from_elsewhere() {
        for (host, broadcast) in [("127.255.255.255", true), ("127.0.0.2", false)] {
            let vehicle = UdpSocket::bind("0.0.0.0:0").unwrap();
            let port = vehicle.local_addr().unwrap().port();
            let mut udp = Udp::to("x".to_owned(), &at(host, port), broadcast).unwrap();
            let ours = udp.socket.local_addr().unwrap().port();
            // From 127.0.0.1, which is not where it is spoken to.
            vehicle.send_to(b"hello", ("127.0.0.1", ours)).unwrap();
            let got = udp.receive(&mut [0; 64], Duration::from_secs(5)).unwrap();
            let Some(Received::Bytes { peer, .. }) = got else {
                panic!("{host}: {got:?}");
            };
            udp.confirm(peer);
            assert_eq!(udp.send(b"beat").unwrap().bytes, 4);
            assert_eq!(datagrams(&vehicle), 1, "{host}");
        }
    }

    #[test]
    fn every_peer_that_speaks_is_answered_once_and_a_stranger_not_at_all() {
        let mut udp = Udp::listen("x".to_owned(), &at("127.0.0.1", 0)).unwrap();
        let ours = udp.socket.local_addr().unwrap();
        let peers: Vec<_> = (0..3)
            .map(|_| UdpSocket::bind("127.0.0.1:0").unwrap())
            .collect();
        for peer in &peers {
            for _ in 0..2 {
                peer.send_to(b"hello", ours).unwrap();
            }
        }
        for turn in 0..6 {
            let got = udp.receive(&mut [0; 64], Duration::from_secs(5)).unwrap();
            let Some(Received::Bytes { peer, .. }) = got else {
                panic!("{got:?}");
            };
            // The last one never said anything of sense.
            if turn < 4 {
                udp.confirm(peer);
            }
        }
        assert_eq!(udp.send(b"beat").unwrap().bytes, 8);
        let got: Vec<usize> = peers.iter().map(datagrams).collect();
        assert_eq!(got, [1, 1, 0]);
    }

    /// Port 9 of a network without a way to it, or a port nobody listens on: the socket stays.
    #[test]
    fn a_frame_that_cannot_leave_is_told_and_the_socket_stays() {
        // A broadcast that was not asked for is refused by the system.
        let mut udp = Udp::to("x".to_owned(), &at("255.255.255.255", 9), false).unwrap();
        for refused in 1..=3 {
            let sent = udp.send(b"beat").unwrap();
            assert_eq!((sent.bytes, sent.refused), (0, 1), "try {refused}");
            assert!(sent.problem.unwrap().contains("255.255.255.255:9"));
        }
        let closed = UdpSocket::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap();
        let mut udp = Udp::to("x".to_owned(), &at("127.0.0.1", closed.port()), false).unwrap();
        for _ in 0..3 {
            udp.send(b"beat").unwrap();
            let got = udp.receive(&mut [0; 64], Duration::from_millis(1)).unwrap();
            assert_eq!(got, None);
        }
    }
}
