//! What can be asked about the link between a vehicle and its ground stations.

use crate::observation::{Autopilot, SystemStatus, Talker};
use crate::rules::{LinkLoss, LinkModel};
use crate::time::{Bounds, Micros, Span};

use super::px4_facts::Px4Facts;
use super::px4_strips::Px4Strips;
use super::{
    Downlink, LinkState, LinkStrips, LinkView, Session, Uplink, Vehicle, WhatIf, ardupilot_link,
    ardupilot_view, px4_link, px4_log, px4_log_strips, px4_view,
};

impl Vehicle {
    /// The rule that decides whether this vehicle counts a ground station as present.
    #[must_use]
    pub const fn link_model(&self) -> Option<LinkModel> {
        match self.autopilot {
            Autopilot::PX4 => Some(LinkModel::Px4),
            Autopilot::ARDUPILOT => Some(LinkModel::ArduPilot),
            _ => None,
        }
    }

    /// Whether its own heartbeats, or its own log, show an active failsafe at `at`.
    pub(super) fn in_failsafe(&self, at: Micros) -> bool {
        let logged = self.logged.failsafe.at(at).is_some_and(|(_, on)| *on);
        logged
            || self.system_status.at(at).is_some_and(|(_, status)| {
                matches!(
                    *status,
                    SystemStatus::CRITICAL | SystemStatus::FLIGHT_TERMINATION
                )
            })
    }

    /// The last instant up to `at` at which its heartbeats showed an active failsafe.
    pub(super) fn last_in_failsafe(&self, at: Micros) -> Option<Micros> {
        let mut ended = at;
        for (since, status) in self.system_status.changes().iter().rev() {
            if *since > at {
                continue;
            }
            if *status == SystemStatus::CRITICAL {
                return Some(ended);
            }
            ended = *since;
        }
        None
    }

    /// What proves at `at` that it hears the ground.
    pub(super) fn uplink(&self, at: Micros) -> Uplink {
        let proofs = &self.uplink_proofs;
        let end = proofs.partition_point(|(t, _)| *t <= at);
        let last_proof = proofs
            .get(..end)
            .and_then(<[_]>::last)
            .map(|(t, proof)| (*t, proof.words()));
        // A counter that was read twice without proving anything has stopped, as far as the ground goes.
        // Once may be a frame that fell on the other side of the reading.
        let counters = &self.receive_counters;
        let end = counters.partition_point(|(t, _)| *t <= at);
        let read = end
            .checked_sub(2)
            .and_then(|i| counters.get(i))
            .map(|(t, _)| *t);
        let counter_stopped = read.is_some_and(|read| {
            at - read < Span::from_secs(5)
                && last_proof.as_ref().is_none_or(|(proof, _)| *proof < read)
        });
        Uplink {
            last_proof,
            counter_stopped,
        }
    }
}

impl Session {
    /// Whether a vehicle is known by its own log alone: nothing of the link itself was recorded.
    fn is_log_alone(&self, vehicle: &Vehicle) -> bool {
        let nobody_heard = || {
            self.ground_heartbeats_between(Micros::MIN, Micros::MAX)
                .is_empty()
        };
        !vehicle.logged.is_empty() && nobody_heard()
    }

    /// All silences of the record that came near a loss of the link or led to one, in order of time.
    #[must_use]
    pub fn link_losses(&self, vehicle: Talker) -> Vec<LinkLoss> {
        self.link_losses_under(vehicle, &WhatIf::default())
    }

    /// The same under other circumstances.
    #[must_use]
    pub fn link_losses_under(&self, vehicle: Talker, what_if: &WhatIf) -> Vec<LinkLoss> {
        let Some(vehicle) = self.vehicle(vehicle) else {
            return Vec::new();
        };
        match vehicle.link_model() {
            Some(LinkModel::Px4) if self.is_log_alone(vehicle) => {
                px4_log::link_losses(self, vehicle, what_if)
            }
            Some(LinkModel::Px4) => px4_link::link_losses(self, vehicle, what_if),
            Some(LinkModel::ArduPilot) => ardupilot_link::link_losses(self, vehicle, what_if),
            None => Vec::new(),
        }
    }

    /// The link between a vehicle and its ground stations at `at`, by what was known then.
    #[must_use]
    pub fn link_at(&self, vehicle: Talker, at: Micros) -> Option<LinkView> {
        self.link_at_under(vehicle, at, &WhatIf::default())
    }

    /// The same under other circumstances.
    #[must_use]
    pub fn link_at_under(&self, vehicle: Talker, at: Micros, what_if: &WhatIf) -> Option<LinkView> {
        let vehicle = self.vehicle(vehicle)?;
        let log_alone = self.is_log_alone(vehicle);
        let mut view = match vehicle.link_model()? {
            LinkModel::Px4 if log_alone => px4_log::link_at(self, vehicle, at, what_if),
            LinkModel::Px4 => px4_view::link_at(self, vehicle, at, what_if),
            LinkModel::ArduPilot => ardupilot_view::link_at(self, vehicle, at, what_if)?,
        };
        if log_alone && view.state == LinkState::NeverSeen {
            view.state = match vehicle.logged.gcs_failsafe_since(at) {
                Some(since) => LinkState::Lost {
                    since: Bounds::exact(since),
                    proven: true,
                },
                None => LinkState::NotRecorded,
            };
        }
        let heard = view.downlink.last_frame;
        view.doubt = heard.and_then(|heard| vehicle.doubt(self, heard, at, what_if));
        Some(view)
    }

    /// What the strips of a vehicle show within `from..=to`. Of a live record `to` may lie behind the last
    /// observation, up to the present: that nothing came since is known as well.
    #[must_use]
    pub fn link_strips(&self, vehicle: Talker, from: Micros, to: Micros) -> LinkStrips {
        let Some(vehicle) = self.vehicle(vehicle) else {
            return LinkStrips::default();
        };
        match vehicle.link_model() {
            Some(LinkModel::Px4) if self.is_log_alone(vehicle) => {
                px4_log_strips::strips(self, vehicle, from, to)
            }
            Some(LinkModel::Px4) => {
                let what_if = WhatIf::default();
                let until = self.last().unwrap_or_default().max(to);
                let facts = Px4Facts::new(self, vehicle, &what_if, until);
                Px4Strips::new(&facts, from, to).all()
            }
            Some(LinkModel::ArduPilot) => ardupilot_view::strips(self, vehicle, from, to),
            None => LinkStrips::default(),
        }
    }

    /// Frames per second and share of frames lost from `talker`, over the five seconds before `at`, or
    /// over those of them that were recorded. `None` before the first whole second.
    #[must_use]
    pub fn link_quality(&self, talker: Talker, at: Micros) -> Option<(f64, Option<f64>)> {
        const SPAN: Span = Span::from_secs(5);
        let (frames, lost, seconds) = self.talkers().get(talker)?.rate.before(at, SPAN);
        let loss = (frames > 0).then(|| lost as f64 / (frames + lost) as f64);
        (seconds > 0).then(|| (frames as f64 / seconds as f64, loss))
    }

    /// Whether a vehicle is not heard for so long around `at` that it is not taken for the one that a ground
    /// station speaks to: it flew yesterday, or will fly tomorrow.
    pub(super) fn is_away(&self, vehicle: Talker, at: Micros) -> bool {
        const AWAY: Span = Span::from_secs(600);
        self.talkers().get(vehicle).is_some_and(|track| {
            let before = track.heartbeats.last_until(at);
            let after = track.heartbeats.first_after(at);
            before.is_none_or(|before| at - before >= AWAY)
                && after.is_none_or(|after| after - at >= AWAY)
        })
    }

    /// How well we hear the vehicle at `at`.
    pub(super) fn downlink(&self, vehicle: Talker, at: Micros) -> Downlink {
        let track = self.talkers().get(vehicle);
        let last_frame = track.and_then(|t| {
            if t.last <= at {
                Some(t.last)
            } else {
                t.heartbeats.last_until(at).max(t.rate.last_until(at))
            }
        });
        let (rate, loss) = self.link_quality(vehicle, at).unwrap_or((0.0, None));
        Downlink {
            last_frame,
            rate,
            loss,
        }
    }
}
