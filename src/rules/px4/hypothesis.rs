//! The ways in which the talkers can be spread over the vehicle's MAVLink instances.

use crate::observation::Talker;

use super::{Entry, HeartbeatEffect, Topology};

/// One assignment of talkers to instances. Instance 0 is the one whose link we see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hypothesis {
    places: Vec<(Talker, Place)>,
    /// What distinguishes it from the other surviving ones, in words; empty when it is the only one.
    pub condition: String,
}

/// Where a talker enters the vehicle under a hypothesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Place {
    Here,
    /// On an instance of its own.
    Elsewhere,
}

/// More undecided talkers than this are not all tried: each doubles the work, and the operator can state
/// where they sit.
const UNDECIDED_LIMIT: usize = 3;

impl Hypothesis {
    /// All assignments that the topology leaves open, for the talkers whose heartbeats the vehicle
    /// accepts. The first ground station heard last (`anchor`) is "here" when nothing is decided about
    /// it: its instance is the one that is spoken of.
    #[must_use]
    pub fn surviving(
        topology: &Topology,
        talkers: &[(Talker, HeartbeatEffect)],
        anchor: Talker,
    ) -> Vec<Self> {
        let accepted: Vec<Talker> = talkers
            .iter()
            .filter(|(_, effect)| *effect != HeartbeatEffect::Ignored)
            .map(|(talker, _)| *talker)
            .collect();
        let entry_of = |talker: Talker| match topology.entry(talker) {
            Entry::Undecided if talker == anchor => Entry::Here,
            entry => entry,
        };
        let undecided: Vec<Talker> = accepted
            .iter()
            .copied()
            .filter(|t| entry_of(*t) == Entry::Undecided)
            .take(UNDECIDED_LIMIT)
            .collect();
        // Counting down puts "all of them here" first: a talker whose frames reach us over this link
        // most likely also speaks over it.
        (0..1_usize << undecided.len())
            .rev()
            .map(|bits| {
                let mut words = Vec::new();
                let places = accepted
                    .iter()
                    .map(|talker| {
                        let place = match entry_of(*talker) {
                            Entry::Here => Place::Here,
                            Entry::Elsewhere => Place::Elsewhere,
                            Entry::Undecided => match undecided.iter().position(|t| t == talker) {
                                Some(bit) if (bits >> bit) & 1 == 0 => {
                                    words.push(format!("{talker} talks to the vehicle elsewhere"));
                                    Place::Elsewhere
                                }
                                _ => {
                                    words.push(format!(
                                        "{talker} talks to the vehicle on this link"
                                    ));
                                    Place::Here
                                }
                            },
                        };
                        (*talker, place)
                    })
                    .collect();
                Self {
                    places,
                    condition: words.join(", "),
                }
            })
            .collect()
    }

    /// Whether both talkers enter the vehicle on the same instance.
    #[must_use]
    pub fn share_instance(&self, a: Talker, b: Talker) -> bool {
        a == b || (self.is_here(a) && self.is_here(b))
    }

    /// Whether the talker enters on the instance whose link we see.
    #[must_use]
    pub fn is_here(&self, talker: Talker) -> bool {
        self.places
            .iter()
            .any(|(t, place)| *t == talker && *place == Place::Here)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GCS: Talker = Talker::new(255, 190);
    const COMPANION: Talker = Talker::new(1, 191);

    fn surviving(topology: &Topology) -> Vec<Hypothesis> {
        let talkers = [
            (GCS, HeartbeatEffect::CountsAsGroundStation),
            (COMPANION, HeartbeatEffect::ForcesCheck),
            (Talker::new(7, 1), HeartbeatEffect::Ignored),
        ];
        Hypothesis::surviving(topology, &talkers, GCS)
    }

    #[test]
    fn each_undecided_talker_doubles_the_hypotheses() {
        let hypotheses = surviving(&Topology::default());
        assert_eq!(hypotheses.len(), 2);
        assert!(hypotheses[0].share_instance(GCS, COMPANION));
        assert!(!hypotheses[1].share_instance(GCS, COMPANION));
        assert!(hypotheses[1].condition.contains("elsewhere"));
    }

    #[test]
    fn a_decided_topology_leaves_one_without_a_condition() {
        let mut topology = Topology::default();
        topology.state(COMPANION, Entry::Elsewhere);
        let hypotheses = surviving(&topology);
        assert_eq!(hypotheses.len(), 1);
        assert!(hypotheses[0].condition.is_empty());
    }
}
