//! A link that is dead both ways while the ground station goes on: nothing tells whether what it sends
//! arrives, and the vehicle may be counting all the same.
//!
//! Heartbeats sent into such a link look like heartbeats sent on a good one, so the plain reading of the
//! record sees no silence. The operator of a vehicle out of range needs the other reading: what follows if
//! the way up died with the way down. Both are told; neither is taken for the truth. Rejected: to call
//! every unproven heartbeat lost. A telemetry radio that fails on the way down alone is common, and a
//! failsafe that is announced wrongly teaches people to ignore the one that is not.

use crate::observation::{SystemStatus, Talker};
use crate::rules::{LinkLoss, LinkModel, Verdict};
use crate::time::{Micros, Seconds, Span};

use super::ardupilot_facts::ArdupilotFacts;
use super::px4_facts::Px4Facts;
use super::{Lane, Session, Vehicle, WhatIf, ardupilot_link, px4_link};

impl Session {
    /// Stretches of the record in which a vehicle was not heard for so long that it may have declared the
    /// link lost although its ground stations went on: one for each, in order of time. Each tells what
    /// follows if nothing arrived since the vehicle was last heard.
    #[must_use]
    pub fn link_doubts(&self, vehicle: Talker) -> Vec<LinkLoss> {
        let what_if = WhatIf::default();
        let Some(vehicle) = self.vehicle(vehicle) else {
            return Vec::new();
        };
        let Some(track) = self.talkers().get(vehicle.talker) else {
            return Vec::new();
        };
        let ends = self.last().filter(|last| *last > track.last);
        let holes = track.rate.holes(UNHEARD).into_iter();
        holes
            .map(|(from, to)| (from, Some(to)))
            .chain(ends.map(|_| (track.last, None)))
            .filter_map(|(from, to)| {
                let end = to.or(ends)?;
                let mut doubt = vehicle.doubt(self, from, end, &what_if)?;
                let due = doubt.predicted_loss()?.earliest();
                // Where nothing was sent either, it is a silence like any other.
                let sent = vehicle.was_sent_to(self, doubt.last_heartbeat.latest(), due);
                doubt.verdict =
                    (end > due && sent).then(|| vehicle.came_back(&track.heartbeats, from, to))?;
                Some(doubt)
            })
            .collect()
    }
}

/// A vehicle that was silent for this long is not heard: its heartbeats come once a second, and radios
/// lose single ones all the time.
pub const UNHEARD: Span = Span::from_secs(4);

impl Vehicle {
    /// What follows at `at` if nothing has arrived since the vehicle was last `heard`. `None` when it was
    /// heard just now, or when nothing was sent since: then there is nothing to doubt.
    pub(super) fn doubt(
        &self,
        session: &Session,
        heard: Micros,
        at: Micros,
        what_if: &WhatIf,
    ) -> Option<LinkLoss> {
        if at - heard < UNHEARD {
            return None;
        }
        let (last, prediction) = match self.link_model()? {
            LinkModel::Px4 => {
                let last = Px4Facts::new(session, self, what_if, at).last_arrived(at)?;
                // As it was known then: a companion that went on then is presumed to have gone on.
                let then = Px4Facts::new(session, self, what_if, heard);
                let beat = then.last_arrived(heard)?;
                (last.at, px4_link::running_silence(&then, beat)?)
            }
            LinkModel::ArduPilot => {
                let now = ArdupilotFacts::new(session, self, what_if, at)?;
                let rule = now.rule(at);
                let last = now.last_counted(&rule)?;
                let then = ArdupilotFacts::new(session, self, what_if, heard)?;
                let counted = then.last_counted(&rule).filter(|_| rule.enabled())?;
                let rules = then.rules(heard);
                let silence = ardupilot_link::one_silence(&then, &rules, counted, None)?;
                (last.at, silence)
            }
        };
        let silent = matches!(prediction.verdict, Verdict::Silent(_));
        (last > prediction.last_heartbeat.latest() && !silent).then_some(prediction)
    }

    /// Whether anything that it counts was sent after `from` and up to `to`.
    fn was_sent_to(&self, session: &Session, from: Micros, to: Micros) -> bool {
        let after = from + Span::from_micros(1);
        match self.link_model() {
            Some(LinkModel::Px4) => !session.ground_heartbeats_between(after, to).is_empty(),
            Some(LinkModel::ArduPilot) => {
                let what_if = WhatIf::default();
                let facts = ArdupilotFacts::new(session, self, &what_if, to);
                facts.is_some_and(|facts| !facts.counted(&facts.rule(to), after, to).is_empty())
            }
            None => false,
        }
    }

    /// What the vehicle showed when it was heard again at `back`, after it was last heard at `from`.
    fn came_back(&self, heartbeats: &Lane, from: Micros, back: Option<Micros>) -> Verdict {
        let status = |at| self.system_status.at(at).map(|(_, status)| *status);
        // Its state comes with its first heartbeat.
        let shown = back.and_then(|back| heartbeats.first_after(back - Span::from_micros(1)));
        let why = match shown {
            None => "the state of the vehicle was not heard again".to_owned(),
            Some(back) => {
                let silence = Seconds::with_decimals(back - from, 1);
                let failed = status(back) == Some(SystemStatus::CRITICAL);
                let before = status(from) == Some(SystemStatus::CRITICAL);
                match (before, failed) {
                    (false, true) => format!(
                        "the vehicle was not heard for {silence} s and shows a failsafe since, as it would \
                         after this loss"
                    ),
                    (true, true) => format!(
                        "the vehicle was not heard for {silence} s, and showed a failsafe before it already"
                    ),
                    _ => format!(
                        "the vehicle was not heard for {silence} s and shows no failsafe since: heartbeats \
                         may have arrived, or the failsafe ended by itself"
                    ),
                }
            }
        };
        Verdict::CannotTell(why)
    }
}
