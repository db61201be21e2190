use egui::Color32;

use crate::observation::Autopilot;
use crate::rules::LinkLoss;
use crate::rules::ekf::EkfEpisode;
use crate::session::{LinkState, LinkStrips, LinkView, Session, TalkerRole, Vehicle};
use crate::source::SourceKind;
use crate::time::{Micros, Span};

use super::alarms::AlarmDesk;
use super::live::LiveView;
use super::ratio_series::RatioSeries;
use super::statements::Statements;
use super::theme::Palette;
use super::time_format::TimeFormat;
use super::what_if::Asked;
use super::words::Tone;

/// Where a source is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// It tells, or will tell.
    Running,
    /// It has told all it had.
    Finished,
    /// It ended with an error.
    Failed,
}

/// Everything the panels read in one frame. They change nothing in it: what the operator asks for goes
/// back as commands.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    pub palette: &'static Palette,
    pub session: &'a Session,
    pub kind: SourceKind,
    /// Whether the source still has something to tell.
    pub phase: Phase,
    /// The live link, if this is one.
    pub live: Option<LiveView<'a>>,
    /// The vehicle looked at.
    pub vehicle: Option<&'a Vehicle>,
    /// Its link at the moment shown.
    pub link: Option<&'a LinkView>,
    /// All its link losses in the record.
    pub losses: &'a [LinkLoss],
    /// Those that may have happened unheard.
    pub doubts: &'a [LinkLoss],
    /// The trips of its EKF failsafe in the record.
    pub ekf_failsafes: &'a [EkfEpisode],
    /// Its flag, reports and countdown over the visible range.
    pub strips: &'a LinkStrips,
    /// Its estimator ratios.
    pub ratios: &'a RatioSeries,
    /// What would be under other circumstances.
    pub asked: &'a Asked,
    /// What the operator has stated.
    pub statements: &'a Statements,
    /// The alarms of the link, if it is live.
    pub alarms: &'a AlarmDesk,
    /// The moment shown.
    pub moment: Micros,
    /// The end of the record; for a live source, now.
    pub end: Micros,
    /// Whether the moment shown is the present of a live source.
    pub at_present: bool,
    pub format: TimeFormat,
}

impl Scene<'_> {
    /// The colour of a talker with this role.
    pub(super) const fn role_colour(&self, role: TalkerRole) -> Color32 {
        match role {
            TalkerRole::GroundStation => self.palette.info,
            TalkerRole::Companion => self.palette.companion,
            TalkerRole::Autopilot => self.palette.ok,
            TalkerRole::Other => self.palette.muted,
        }
    }

    /// The colour of a tone. Never used without its shape or word.
    pub(super) const fn tone_colour(&self, tone: Tone) -> Color32 {
        match tone {
            Tone::Calm => self.palette.ok,
            Tone::Warning => self.palette.warn,
            Tone::Alarm => self.palette.bad,
            Tone::Unknown => self.palette.muted,
        }
    }

    /// Whether the vehicle is a PX4.
    pub(super) fn is_px4(&self) -> bool {
        self.vehicle
            .is_some_and(|vehicle| vehicle.autopilot == Autopilot::PX4)
    }

    /// Whether the vehicle is an ArduPilot.
    pub(super) fn is_ardupilot(&self) -> bool {
        self.vehicle
            .is_some_and(|vehicle| vehicle.autopilot == Autopilot::ARDUPILOT)
    }

    /// Whether a vehicle's own log is all there is: no frame of the link was recorded.
    pub(super) const fn is_own_log(&self) -> bool {
        self.vehicle.is_some() && self.session.frames() == 0
    }

    /// The silence under way at the moment shown, when there is one.
    pub(super) fn running_loss(&self) -> Option<&LinkLoss> {
        let link = self.link?;
        matches!(
            link.state,
            LinkState::Counting | LinkState::Due | LinkState::Lost { .. }
        )
        .then_some(link.prediction.as_ref())
        .flatten()
    }

    /// The incident that the moment shown belongs to: the silence under way, else the last one before.
    pub(super) fn chosen_loss(&self) -> Option<&LinkLoss> {
        // One that has only just begun is not under way yet, and what comes of it must not be told.
        self.running_loss().or_else(|| {
            self.losses
                .iter()
                .rev()
                .find(|loss| loss.regained.is_some_and(|back| back <= self.moment))
        })
    }

    /// What may be going on unheard at the moment shown, else the last such stretch before it, unless a
    /// silence came after that.
    pub(super) fn chosen_doubt(&self) -> Option<&LinkLoss> {
        self.running_doubt().or_else(|| {
            let silence = self.chosen_loss().map(|loss| loss.last_heartbeat.latest());
            let passed = |doubt: &&LinkLoss| incident_time(doubt) <= self.moment;
            let last = self.doubts.iter().rev().find(passed)?;
            (silence <= Some(last.last_heartbeat.latest())).then_some(last)
        })
    }

    /// What may be going on unheard at the moment shown. While the ground is silent as well, the plain
    /// countdown tells.
    pub(super) fn running_doubt(&self) -> Option<&LinkLoss> {
        let doubt = self.link?.doubt.as_ref();
        doubt.filter(|_| self.running_loss().is_none())
    }

    /// When a silence last ended before the moment shown.
    pub(super) fn regained(&self) -> Option<Micros> {
        self.losses
            .iter()
            .filter_map(|loss| loss.regained)
            .filter(|at| *at <= self.moment)
            .max()
    }

    /// How long the record is.
    pub(super) fn length(&self) -> Span {
        self.session
            .first()
            .map_or(Span::ZERO, |first| self.end - first)
    }
}

/// The instants of all incidents in order: link losses, certain and doubtful, and trips of the EKF failsafe.
pub(super) fn incident_times(
    losses: &[LinkLoss],
    doubts: &[LinkLoss],
    episodes: &[EkfEpisode],
) -> Vec<Micros> {
    let trips = episodes.iter().filter_map(ekf_trip_time);
    let links = losses.iter().chain(doubts).map(incident_time);
    let mut times: Vec<Micros> = links.chain(trips).collect();
    times.sort_unstable();
    times
}

/// The instant that stands for a trip of the EKF failsafe on a time line; `None` for an upset that did
/// not trip.
pub(super) fn ekf_trip_time(episode: &EkfEpisode) -> Option<Micros> {
    episode.trip().map(crate::time::Bounds::latest)
}

/// The instant that stands for a link loss on a time line: when it was seen to happen, else when it is
/// predicted.
pub(super) fn incident_time(loss: &LinkLoss) -> Micros {
    loss.observed_loss
        .as_ref()
        .map(|seen| seen.at)
        .or_else(|| loss.predicted_loss().map(crate::time::Bounds::earliest))
        .unwrap_or_else(|| loss.last_heartbeat.latest())
}
