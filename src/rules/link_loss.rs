use std::fmt;

use crate::observation::Talker;
use crate::time::{Bounds, Micros, Seconds, Span};

use super::Explanation;

/// Which autopilot's rule a prediction follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkModel {
    /// PX4's commander: `gcs_connection_lost`.
    Px4,
    /// ArduPilot's GCS failsafe.
    ArduPilot,
}

/// One way in which the vehicle may have counted, with its own narrow window.
///
/// Where something the ground cannot know splits the outcome, every surviving hypothesis gives one of
/// these, rather than all of them one wide band.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The last counted sign of life as the vehicle received it.
    pub last_heartbeat: Bounds,
    /// When the vehicle's flag turned false; `None` for rules without such a flag.
    pub flag_false: Option<Bounds>,
    /// The instant from which the failsafe timer runs.
    pub start_line: Bounds,
    /// When the loss is declared, if nothing counted arrives before.
    pub loss: Bounds,
    /// What must be true for this candidate, in words; empty when nothing is open.
    pub condition: String,
    /// The steps that lead here.
    pub explanation: Explanation,
}

/// What the vehicle is expected to do.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictedAction {
    /// In the operator's words: `Hold`, `Return`; empty when nothing is done.
    pub name: String,
    /// When, if at all.
    pub at: Bounds,
    /// Why this action, or why none: parameter, mode, arming.
    pub reason: String,
    /// What follows after it: PX4 holds for COM_FAIL_ACT_T before it returns or lands.
    pub then: Option<(String, Bounds)>,
}

impl PredictedAction {
    /// What is done, if anything is.
    #[must_use]
    pub fn acts(&self) -> Option<&str> {
        (!self.name.is_empty()).then_some(self.name.as_str())
    }

    /// What is done and why, or why nothing is.
    #[must_use]
    pub fn sentence(&self) -> String {
        format!("{}: {}.", self.acts().unwrap_or("No action"), self.reason)
    }
}

/// Evidence that something happened on the vehicle.
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    /// When it happened, on the ground's timeline. Not when the news arrived, where the two differ.
    pub at: Micros,
    /// How much earlier it may have happened: the resolution of the evidence (a heartbeat shows a mode
    /// change up to one second late).
    pub resolution: Span,
    /// What happened, e.g. `Hold`; empty for the loss itself.
    pub name: String,
    /// The evidence in words: `EVENT commander_gcs_lost (vehicle time 2273.288 s)`.
    pub evidence: String,
}

impl Observed {
    /// Within which it happened.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        Bounds::new(self.at - self.resolution, self.at)
    }
}

/// How prediction and evidence compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The evidence lies inside a predicted window.
    Inside,
    /// The evidence lies outside every window by this much.
    Outside(Span),
    /// A heartbeat came back before the loss; this much was left.
    Averted(Span),
    /// It is not over yet.
    Pending,
    /// The rule keeps silent, and why: the mode exempts, for instance.
    Silent(String),
    /// Another failsafe acted first.
    AnotherFailsafe(String),
    /// The record cannot decide, and why.
    CannotTell(String),
}

impl Verdict {
    /// As a sentence of its own: `Inside the predicted window.`
    #[must_use]
    pub fn sentence(&self) -> String {
        let words = self.to_string();
        let mut letters = words.chars();
        let first: String = letters
            .next()
            .into_iter()
            .flat_map(char::to_uppercase)
            .collect();
        format!("{first}{}.", letters.as_str())
    }
}

/// The words for a verdict, in the window and in reports alike.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Inside => f.write_str("inside the predicted window"),
            Self::Outside(by) => write!(f, "outside by {} s", Seconds::millis(*by)),
            Self::Averted(Span::ZERO) => {
                f.write_str("averted: the heartbeat returned at the last moment")
            }
            Self::Averted(left) => {
                write!(
                    f,
                    "averted: the heartbeat returned {} s before",
                    Seconds::millis(*left)
                )
            }
            Self::Pending => {
                f.write_str("not over yet: the record ends before the predicted window does")
            }
            Self::Silent(why) => write!(f, "nothing follows: {why}"),
            Self::AnotherFailsafe(which) => write!(f, "another failsafe acted first: {which}"),
            Self::CannotTell(why) => write!(f, "cannot tell: {why}"),
        }
    }
}

/// One silence of the counted ground stations that was long enough to matter, and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkLoss {
    /// The rule.
    pub model: LinkModel,
    /// Who was heard last.
    pub last_heartbeat_from: Talker,
    /// When that last sign of life was sent or seen on the ground.
    pub last_heartbeat: Bounds,
    /// All surviving hypotheses, by the time of their losses; never empty.
    pub candidates: Vec<Candidate>,
    /// What follows if the loss is declared.
    pub predicted_action: Option<PredictedAction>,
    /// Evidence for the loss.
    pub observed_loss: Option<Observed>,
    /// Evidence for the action.
    pub observed_action: Option<Observed>,
    /// The next counted sign of life.
    pub regained: Option<Micros>,
    /// How it all compares.
    pub verdict: Verdict,
    /// The story, told along [`Self::told`].
    pub explanation: Explanation,
}

impl LinkLoss {
    /// Whether the loss was declared, as far as the record and the rules tell: not averted, and not
    /// still ahead.
    #[must_use]
    pub fn happened(&self) -> bool {
        !matches!(
            self.verdict,
            Verdict::Averted(_) | Verdict::Pending | Verdict::Silent(_)
        )
    }

    /// Whether both are of one silence. A moment's prediction and the record's later word on it may differ in
    /// what they know of the last sign of life, but not so far that it could be another.
    #[must_use]
    pub fn is_same_silence(&self, other: &Self) -> bool {
        self.last_heartbeat.overlaps(other.last_heartbeat)
    }

    /// The candidate that the story is told along: the one that the evidence fits, else the earliest.
    #[must_use]
    pub fn told(&self) -> Option<&Candidate> {
        told_candidate(&self.candidates, self.observed_loss.as_ref())
    }

    /// What the vehicle does about the loss, if anything.
    #[must_use]
    pub fn acting(&self) -> Option<&str> {
        self.predicted_action.as_ref()?.acts()
    }

    /// The window that encloses every candidate's loss, or `None` without candidates.
    #[must_use]
    pub fn predicted_loss(&self) -> Option<Bounds> {
        self.hull_of(|c| Some(c.loss))
    }

    /// The window that encloses every candidate's start line.
    #[must_use]
    pub fn start_line(&self) -> Option<Bounds> {
        self.hull_of(|c| Some(c.start_line))
    }

    /// The window that encloses every candidate's fall of the flag.
    #[must_use]
    pub fn flag_false(&self) -> Option<Bounds> {
        self.hull_of(|c| c.flag_false)
    }

    fn hull_of(&self, of: impl Fn(&Candidate) -> Option<Bounds>) -> Option<Bounds> {
        self.candidates.iter().filter_map(of).reduce(Bounds::hull)
    }
}

/// Of `candidates`, the one that the evidence fits, or without evidence the earliest.
#[must_use]
pub fn told_candidate<'a>(
    candidates: &'a [Candidate],
    observed: Option<&Observed>,
) -> Option<&'a Candidate> {
    match observed {
        Some(observed) => candidates
            .iter()
            .min_by_key(|c| c.loss.distance_to(observed.at)),
        None => candidates.first(),
    }
}
