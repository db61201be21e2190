use std::net::SocketAddr;

use crate::time::{Micros, Span};

/// A peer that was not heard for this long is not spoken to any more.
const ALIVE: Span = Span::from_secs(10);
/// More peers than this are not told apart: anybody can send to an open port.
const MOST: u16 = 64;
/// The index of whoever has no place of its own.
pub(super) const STRANGER: u16 = MOST;

/// Who sends to a port of ours, a bounded number of them.
///
/// Anybody can. Only who has sent a whole frame is spoken to, and a flood of others takes no place from one
/// that has: they share the places left, the one silent longest giving way.
#[derive(Debug, Default)]
pub(super) struct Peers {
    all: Vec<Peer>,
}

#[derive(Debug)]
struct Peer {
    address: SocketAddr,
    heard: Micros,
    /// It has sent a whole frame.
    speaks: bool,
}

impl Peers {
    /// Notes that `address` was heard and gives its place; `None` when all are taken by peers that speak.
    pub(super) fn heard(&mut self, address: SocketAddr, now: Micros) -> Option<u16> {
        let fresh = Peer {
            address,
            heard: now,
            speaks: false,
        };
        if let Some(index) = self.all.iter().position(|p| p.address == address) {
            let peer = self.all.get_mut(index)?;
            peer.heard = now;
            return u16::try_from(index).ok();
        }
        if self.all.len() < usize::from(MOST) {
            self.all.push(fresh);
            return u16::try_from(self.all.len() - 1).ok();
        }
        let (index, place) = self
            .all
            .iter_mut()
            .enumerate()
            .filter(|(_, p)| !p.speaks || now - p.heard >= ALIVE)
            .min_by_key(|(_, p)| (p.speaks, p.heard))?;
        *place = fresh;
        u16::try_from(index).ok()
    }

    /// The peer at this place has sent a whole frame.
    pub(super) fn confirm(&mut self, index: u16) {
        if let Some(peer) = self.all.get_mut(usize::from(index)) {
            peer.speaks = true;
        }
    }

    /// Those that speak and were heard lately, each once.
    pub(super) fn alive(&self, now: Micros) -> impl Iterator<Item = SocketAddr> + '_ {
        self.all
            .iter()
            .filter(move |p| p.speaks && now - p.heard < ALIVE)
            .map(|p| p.address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(port: u16) -> SocketAddr {
        ([127, 0, 0, 1], port).into()
    }

    #[test]
    fn a_flood_of_strangers_takes_no_place_from_a_peer_that_speaks() {
        let mut peers = Peers::default();
        let vehicle = peers.heard(at(1), Micros::from_millis(0)).unwrap();
        peers.confirm(vehicle);
        for port in 1_000..11_000 {
            peers.heard(at(port), Micros::from_millis(i64::from(port) - 999));
        }
        assert_eq!(peers.all.len(), usize::from(MOST));
        let alive: Vec<_> = peers.alive(Micros::from_millis(9_999)).collect();
        assert_eq!(alive, [at(1)]);
        assert_eq!(
            peers.heard(at(1), Micros::from_millis(10_001)),
            Some(vehicle)
        );
    }

    #[test]
    fn when_all_speak_a_new_one_waits_until_one_has_fallen_silent() {
        let mut peers = Peers::default();
        for port in 0..MOST {
            let index = peers.heard(at(port), Micros::from_millis(i64::from(port)));
            peers.confirm(index.unwrap());
        }
        assert_eq!(peers.heard(at(900), Micros::from_millis(9_999)), None);
        assert_eq!(peers.alive(Micros::from_millis(9_999)).count(), 64);
        assert_eq!(peers.heard(at(900), Micros::from_millis(10_000)), Some(0));
        assert_eq!(peers.alive(Micros::from_millis(10_000)).count(), 63);
    }
}
