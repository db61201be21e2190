//! The same record under other circumstances: what was asked, and how the answer reads beside what was.

use std::cmp::Ordering;

use crate::observation::Talker;
use crate::rules::LinkLoss;
use crate::rules::ekf::EkfEpisode;
use crate::session::{LinkView, Session, WhatIf};
use crate::time::{Micros, Span};

use super::analysis::Known;
use super::phrases;
use super::scene::ekf_trip_time;
use super::time_format::{TimeFormat, age};

/// A question and its answer, which is brought up to date whenever what it rests on has changed.
#[derive(Debug, Default)]
pub(super) struct Asked {
    what_if: WhatIf,
    link: Option<LinkView>,
    link_key: Option<(Talker, Micros, Known)>,
    losses: Vec<LinkLoss>,
    trips: usize,
    losses_key: Option<(Talker, Known)>,
}

impl Asked {
    /// Asks something else.
    pub(super) fn ask(&mut self, what_if: WhatIf) {
        *self = Self {
            what_if,
            ..Self::default()
        };
    }

    /// Answers anew what has changed. The keys are those of the answers about what was.
    pub(super) fn update(
        &mut self,
        session: &Session,
        vehicle: Talker,
        link_key: Option<(Talker, Micros, Known)>,
        losses_key: Option<(Talker, Known)>,
    ) {
        if !self.is_asked() {
            return;
        }
        if self.link_key != link_key {
            self.link_key = link_key;
            self.link =
                link_key.and_then(|(_, at, _)| session.link_at_under(vehicle, at, &self.what_if));
        }
        if self.losses_key != losses_key {
            self.losses_key = losses_key;
            self.losses = session.link_losses_under(vehicle, &self.what_if);
            let episodes = session.ekf_episodes_under(vehicle, &self.what_if);
            self.trips = trips(&episodes);
        }
    }

    /// Whether anything is asked.
    pub(super) fn is_asked(&self) -> bool {
        self.what_if != WhatIf::default()
    }

    /// What is asked.
    pub(super) const fn what_if(&self) -> &WhatIf {
        &self.what_if
    }

    /// The link at the moment shown.
    pub(super) const fn link(&self) -> Option<&LinkView> {
        self.link.as_ref()
    }

    /// What becomes of the silence `chosen`, beside what was.
    pub(super) fn of_silence(&self, chosen: &LinkLoss, format: TimeFormat) -> Option<String> {
        let other = self
            .losses
            .iter()
            .chain(self.link.iter().filter_map(|link| link.prediction.as_ref()))
            .find(|other| other.is_same_silence(chosen));
        let Some(other) = other else {
            return Some("This silence: none, or too short to come near a loss.".to_owned());
        };
        let (was, is) = (chosen.predicted_loss()?, other.predicted_loss()?);
        if !other.happened() && chosen.happened() {
            return Some(format!("This silence: {}.", other.verdict));
        }
        let later = is.earliest() - was.earliest();
        let beside = match later.cmp(&Span::ZERO) {
            Ordering::Equal => "as it was".to_owned(),
            Ordering::Greater => format!("{} later", age(later)),
            Ordering::Less => format!("{} earlier", age(later.abs())),
        };
        let windows = phrases::open_windows(Some(other), is.earliest());
        let when = phrases::at_or_between(&windows, format);
        Some(format!("This silence: lost {when}, {beside}."))
    }

    /// How many losses and trips there are in the record, beside how many there were.
    pub(super) fn in_record(&self, losses: &[LinkLoss], episodes: &[EkfEpisode]) -> Vec<String> {
        let happened = |losses: &[LinkLoss]| losses.iter().filter(|l| l.happened()).count();
        let mut lines = vec![beside(
            "Link losses in this record",
            happened(&self.losses),
            happened(losses),
        )];
        if self.trips > 0 || !episodes.is_empty() {
            lines.push(beside("EKF failsafes", self.trips, trips(episodes)));
        }
        lines
    }
}

fn trips(episodes: &[EkfEpisode]) -> usize {
    episodes.iter().filter_map(ekf_trip_time).count()
}

fn beside(what: &str, is: usize, was: usize) -> String {
    if is == was {
        format!("{what}: {is}, as it was.")
    } else {
        format!("{what}: {is} instead of {was}.")
    }
}
