use crate::observation::Talker;
use crate::rules::LinkLoss;
use crate::rules::ardupilot::{GcsText, gcs_text};
use crate::rules::ekf::{EkfEpisode, EkfRule, ReplayedCheck};
use crate::session::{LinkView, Session, Vehicle};
use crate::time::{Bounds, Micros, Span};

use super::document::ReportSource;
use super::phrases;

/// What a session answers about its vehicles, asked once: every format of a report tells the same, and a
/// long record is not judged twice.
#[derive(Debug)]
pub struct Findings<'a> {
    source: &'a ReportSource,
    session: &'a Session,
    vehicles: Vec<VehicleFindings<'a>>,
}

/// What is found of one vehicle.
#[derive(Debug)]
pub struct VehicleFindings<'a> {
    vehicle: &'a Vehicle,
    losses: Vec<LinkLoss>,
    doubts: Vec<LinkLoss>,
    episodes: Vec<EkfEpisode>,
    replay: Option<(EkfRule, ReplayedCheck)>,
    at_end: Option<LinkView>,
    logged_gcs_failsafes: Vec<(Micros, String)>,
}

impl<'a> Findings<'a> {
    /// Asks the session about everything that a report tells.
    #[must_use]
    pub fn of(source: &'a ReportSource, session: &'a Session) -> Self {
        let vehicles = session
            .vehicles()
            .map(|vehicle| VehicleFindings::of(session, vehicle))
            .collect();
        Self {
            source,
            session,
            vehicles,
        }
    }

    /// What the record is.
    #[must_use]
    pub const fn source(&self) -> &'a ReportSource {
        self.source
    }

    /// All that was observed.
    #[must_use]
    pub const fn session(&self) -> &'a Session {
        self.session
    }

    /// The vehicles in order of id.
    #[must_use]
    pub fn vehicles(&self) -> &[VehicleFindings<'a>] {
        &self.vehicles
    }

    /// Whether any vehicle counts `talker` as a ground station, at the end of the record.
    #[must_use]
    pub fn counts(&self, talker: Talker) -> bool {
        self.vehicles
            .iter()
            .filter_map(|vehicle| vehicle.at_end.as_ref())
            .flat_map(|view| &view.counted)
            .any(|counted| counted.talker == talker && counted.counts)
    }
}

impl<'a> VehicleFindings<'a> {
    fn of(session: &'a Session, vehicle: &'a Vehicle) -> Self {
        let talker = vehicle.talker;
        let replay = (!vehicle.logged.is_empty())
            .then(|| session.ekf_replay(talker))
            .flatten();
        Self {
            vehicle,
            losses: session.link_losses(talker),
            doubts: session.link_doubts(talker),
            episodes: match replay {
                Some(_) => Vec::new(),
                None => session.ekf_episodes(talker),
            },
            replay,
            at_end: session.link_at(talker, session.last().unwrap_or_default()),
            logged_gcs_failsafes: logged_gcs_failsafes(session, vehicle),
        }
    }

    /// The vehicle.
    #[must_use]
    pub const fn vehicle(&self) -> &'a Vehicle {
        self.vehicle
    }

    /// The silences of its ground stations that came near a loss or led to one, in order of time.
    #[must_use]
    pub fn losses(&self) -> &[LinkLoss] {
        &self.losses
    }

    /// The stretches in which it was not heard and may have declared the link lost, although its ground
    /// stations went on, in order of time.
    #[must_use]
    pub fn doubts(&self) -> &[LinkLoss] {
        &self.doubts
    }

    /// Its EKF failsafes as the ground saw them; empty when its own log was read.
    #[must_use]
    pub fn episodes(&self) -> &[EkfEpisode] {
        &self.episodes
    }

    /// The GCS failsafes that its own log tells of, each with the record that does.
    #[must_use]
    pub fn logged_gcs_failsafes(&self) -> &[(Micros, String)] {
        &self.logged_gcs_failsafes
    }

    /// Its EKF check run again from its own log, where there is one.
    #[must_use]
    pub const fn replay(&self) -> Option<&(EkfRule, ReplayedCheck)> {
        self.replay.as_ref()
    }

    /// The count of its EKF check within `span`.
    #[must_use]
    pub fn ekf_counter(&self, session: &Session, span: Bounds) -> Counter {
        let (all, limit): (Vec<Count>, u8) = if let Some((rule, replay)) = &self.replay {
            let exact = replay.counts.iter().map(|&(at, count, _)| Count {
                at,
                low: count,
                high: count,
            });
            (exact.collect(), rule.limit())
        } else {
            let (from, to) = (span.earliest(), span.latest());
            let (points, limit) = session.ekf_counter(self.vehicle.talker, from, to);
            let intervals = points.iter().map(|point| Count {
                at: point.at,
                low: point.low,
                high: point.high,
            });
            (intervals.collect(), limit)
        };
        let mut changes: Vec<Count> = Vec::new();
        for count in all.into_iter().filter(|count| span.contains(count.at)) {
            let same = |before: &Count| (before.low, before.high) == (count.low, count.high);
            if !changes.last().is_some_and(same) {
                changes.push(count);
            }
        }
        Counter { changes, limit }
    }
}

/// The count of an EKF check over a stretch of time.
#[derive(Clone, Debug)]
pub struct Counter {
    /// Where it changed.
    pub changes: Vec<Count>,
    /// The count that trips.
    pub limit: u8,
}

/// A count that holds until the next: an interval where the ground cannot know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// From when.
    pub at: Micros,
    /// The lowest that it can be.
    pub low: u8,
    /// The highest that it can be.
    pub high: u8,
}

/// AP_Logger's LogErrorSubsystem::FAILSAFE_GCS.
const FAILSAFE_GCS: u8 = 8;
/// An ERR and a text so close to each other tell of the same failsafe.
const SAME_FAILSAFE: Span = Span::from_millis(500);

/// Copter writes an ERR, Rover only a text, which it names after its radio.
fn logged_gcs_failsafes(session: &Session, vehicle: &Vehicle) -> Vec<(Micros, String)> {
    let Some(kind) = vehicle
        .ardupilot_kind()
        .filter(|_| !vehicle.logged.is_empty())
    else {
        return Vec::new();
    };
    let errors = vehicle.logged.errors.iter();
    let mut found: Vec<(Micros, String)> = errors
        .filter(|(_, subsystem, code)| *subsystem == FAILSAFE_GCS && *code != 0)
        .map(|&(at, subsystem, code)| (at, phrases::logged_error(subsystem, code)))
        .collect();
    for event in session.events() {
        let fired = matches!(gcs_text(kind, &event.text), Some(GcsText::Fired { .. }));
        let told = found
            .iter()
            .any(|(at, _)| (*at - event.at).abs() <= SAME_FAILSAFE);
        if fired && !told && event.talker == Some(vehicle.talker) {
            found.push((event.at, format!("MSG \"{}\"", event.text)));
        }
    }
    found.sort();
    found
}
