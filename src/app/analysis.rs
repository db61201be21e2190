use crate::observation::Talker;
use crate::rules::LinkLoss;
use crate::rules::ekf::EkfEpisode;
use crate::session::{LinkStrips, LinkView, Session, WhatIf};
use crate::time::{Bounds, Micros, Span};

use super::ratio_series::RatioSeries;
use super::what_if::Asked;

/// What the session answers for the moment shown, asked again only when the answer can have changed: a
/// paused picture costs nothing but its painting.
#[derive(Debug, Default)]
pub(super) struct Analysis {
    link: Option<LinkView>,
    link_key: Option<(Talker, Micros, Known)>,
    losses: Vec<LinkLoss>,
    doubts: Vec<LinkLoss>,
    ekf_failsafes: Vec<EkfEpisode>,
    losses_key: Option<(Talker, Known)>,
    losses_at: Option<Micros>,
    asked: Asked,
    strips: LinkStrips,
    ratios: RatioSeries,
    strips_key: Option<(Talker, Micros, Micros, Known)>,
}

/// What is looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// The moment shown.
    pub moment: Micros,
    /// The end of the record; for a live source, now.
    pub end: Micros,
    /// The visible range.
    pub visible: (Micros, Micros),
    /// Whether more observations are coming in all the time.
    pub growing: bool,
    /// How often the operator has stated something.
    pub stated: u64,
}

/// What an answer rests on: so many observations, and so many words of the operator.
pub(super) type Known = (u64, u64);

/// How often the incidents of a record that still grows are looked for again.
const LOSSES_EVERY: Span = Span::from_secs(1);

impl Analysis {
    /// Brings the answers up to date.
    pub(super) fn update(
        &mut self,
        session: &Session,
        vehicle: Option<Talker>,
        Wanted {
            moment,
            end,
            visible,
            growing,
            stated,
        }: Wanted,
    ) {
        let known = (session.observations(), stated);
        let Some(vehicle) = vehicle else {
            *self = Self::default();
            return;
        };
        if self.link_key.is_some_and(|(before, ..)| before != vehicle) {
            self.ratios = RatioSeries::default();
        }
        if let Some(vehicle) = session.vehicle(vehicle) {
            self.ratios.feed(&vehicle.estimator);
        }
        let link_key = (vehicle, moment, known);
        if self.link_key != Some(link_key) {
            self.link = session.link_at(vehicle, moment);
            self.link_key = Some(link_key);
        }
        let (from, to) = (visible.0, visible.1.min(end));
        let strips_key = (vehicle, from, to, known);
        if self.strips_key != Some(strips_key) {
            self.strips = if from < to {
                session.link_strips(vehicle, from, to)
            } else {
                LinkStrips::default()
            };
            self.strips_key = Some(strips_key);
        }
        let losses_key = (vehicle, known);
        let same_vehicle = self.losses_key.is_some_and(|(before, _)| before == vehicle);
        let stated_before = self.losses_key.map(|(_, (_, stated))| stated);
        let recent = stated_before == Some(stated)
            && self
                .losses_at
                .is_some_and(|at| (end - at).abs() < LOSSES_EVERY);
        if self.losses_key != Some(losses_key) && !(growing && same_vehicle && recent) {
            self.losses = session.link_losses(vehicle);
            self.doubts = session.link_doubts(vehicle);
            self.doubts.retain(|doubt| !is_told(doubt, &self.losses));
            self.ekf_failsafes = session.ekf_episodes(vehicle);
            if self.ekf_failsafes.is_empty() {
                self.ekf_failsafes = session.ekf_episodes_logged(vehicle);
            }
            self.losses_key = Some(losses_key);
            self.losses_at = Some(end);
        }
        self.asked
            .update(session, vehicle, self.link_key, self.losses_key);
    }

    /// Asks for the same under other circumstances.
    pub(super) fn ask(&mut self, what_if: WhatIf) {
        self.asked.ask(what_if);
    }

    /// What was asked, and the answer.
    pub(super) const fn asked(&self) -> &Asked {
        &self.asked
    }

    /// The link at the moment shown.
    pub(super) const fn link(&self) -> Option<&LinkView> {
        self.link.as_ref()
    }

    /// The flag, the reports and the countdown of the visible range.
    pub(super) const fn strips(&self) -> &LinkStrips {
        &self.strips
    }

    /// The vehicle's estimator ratios.
    pub(super) const fn ratios(&self) -> &RatioSeries {
        &self.ratios
    }

    /// The trips of the vehicle's EKF failsafe.
    pub(super) fn ekf_failsafes(&self) -> &[EkfEpisode] {
        &self.ekf_failsafes
    }

    /// Losses that may have happened unheard: the vehicle was silent while the ground went on.
    pub(super) fn doubts(&self) -> &[LinkLoss] {
        &self.doubts
    }

    /// The link losses of the record.
    pub(super) fn losses(&self) -> &[LinkLoss] {
        &self.losses
    }
}

/// Whether a silence that was recorded lies in the same stretch: its own story tells of the loss, and of the
/// assumption that the last heartbeat before it arrived.
fn is_told(doubt: &LinkLoss, losses: &[LinkLoss]) -> bool {
    let from = doubt.last_heartbeat.earliest();
    let to = doubt.predicted_loss().map_or(from, Bounds::latest);
    losses.iter().any(|loss| {
        let begin = loss.last_heartbeat.latest();
        from <= begin && begin <= to
    })
}
