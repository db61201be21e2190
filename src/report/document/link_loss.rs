use schemars::JsonSchema;
use serde::Serialize;

use crate::report::clock::Clock;
use crate::report::phrases;
use crate::rules::{LinkLoss, LinkModel, PredictedAction, Verdict};
use crate::session::Vehicle;
use crate::time::Micros;

use super::bounds::{BoundsReport, ObservedReport};
use super::words::{assumptions, premises, sentences};

/// The last counted sign of life.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LastHeartbeatReport {
    /// Earliest.
    pub earliest_us: Option<i64>,
    /// Latest.
    pub latest_us: Option<i64>,
    /// Whose, `system/component`.
    pub from: String,
}

/// The predicted loss.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PredictedLossReport {
    /// Earliest of all candidates.
    pub earliest_us: Option<i64>,
    /// Latest of all candidates.
    pub latest_us: Option<i64>,
    /// One narrow window per surviving hypothesis.
    pub candidates: Vec<CandidateReport>,
}

/// One surviving hypothesis.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CandidateReport {
    /// Earliest.
    pub earliest_us: i64,
    /// Latest.
    pub latest_us: i64,
    /// What must be so, in words; empty when nothing is open.
    pub condition: String,
}

/// The predicted reaction.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PredictedActionReport {
    /// The reaction, e.g. `Hold`.
    pub name: String,
    /// Earliest.
    pub earliest_us: i64,
    /// Latest.
    pub latest_us: i64,
    /// Why this one.
    pub reason: String,
    /// What follows after it.
    pub then: Option<Box<PredictedActionReport>>,
}

/// One silence and what came of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LinkLossReport {
    /// `px4` or `ardupilot`.
    pub model: &'static str,
    /// What a reader takes away, in one sentence or a few.
    pub sentence: String,
    /// The last counted sign of life.
    pub last_heartbeat: LastHeartbeatReport,
    /// When the vehicle's flag turned false; null for rules without one.
    pub flag_false: Option<BoundsReport>,
    /// From where the failsafe timer runs.
    pub start_line: BoundsReport,
    /// When the loss is declared.
    pub predicted_loss: PredictedLossReport,
    /// Evidence for the loss.
    pub observed_loss: Option<ObservedReport>,
    /// The reaction, or null when none follows.
    pub predicted_action: Option<PredictedActionReport>,
    /// Why no reaction follows, when none does.
    pub no_action_because: Option<String>,
    /// Evidence for the reaction.
    pub observed_action: Option<ObservedReport>,
    /// The next counted sign of life.
    pub regained_us: Option<i64>,
    /// How prediction and evidence compare.
    pub verdict: String,
    /// Whether there is evidence that the rules do not explain.
    pub unexplained: bool,
    /// What is not certain.
    pub assumptions: Vec<String>,
    /// What the conclusion rests on, certain or not.
    pub premises: Vec<String>,
    /// The story, a sentence per step.
    pub explanation: Vec<String>,
}

impl PredictedActionReport {
    fn of(action: &PredictedAction) -> Self {
        Self {
            name: action.name.clone(),
            earliest_us: action.at.earliest().as_micros(),
            latest_us: action.at.latest().as_micros(),
            reason: action.reason.clone(),
            then: action.then.as_ref().map(|(name, at)| {
                Box::new(Self {
                    name: name.clone(),
                    earliest_us: at.earliest().as_micros(),
                    latest_us: at.latest().as_micros(),
                    reason: action.reason.clone(),
                    then: None,
                })
            }),
        }
    }
}

impl LinkLossReport {
    pub(super) fn of(loss: &LinkLoss, vehicle: &Vehicle, clock: &Clock) -> Self {
        let window = loss
            .predicted_loss()
            .map_or(BoundsReport::UNKNOWN, BoundsReport::from);
        let heard = BoundsReport::from(loss.last_heartbeat);
        let acts = loss
            .predicted_action
            .as_ref()
            .filter(|a| a.acts().is_some());
        Self {
            model: match loss.model {
                LinkModel::Px4 => "px4",
                LinkModel::ArduPilot => "ardupilot",
            },
            sentence: phrases::loss_sentence(loss, vehicle, clock),
            last_heartbeat: LastHeartbeatReport {
                earliest_us: heard.earliest_us,
                latest_us: heard.latest_us,
                from: loss.last_heartbeat_from.to_string(),
            },
            flag_false: loss.flag_false().map(BoundsReport::from),
            start_line: loss
                .start_line()
                .map_or(BoundsReport::UNKNOWN, BoundsReport::from),
            predicted_loss: PredictedLossReport {
                earliest_us: window.earliest_us,
                latest_us: window.latest_us,
                candidates: loss
                    .candidates
                    .iter()
                    .map(|c| CandidateReport {
                        earliest_us: c.loss.earliest().as_micros(),
                        latest_us: c.loss.latest().as_micros(),
                        condition: c.condition.clone(),
                    })
                    .collect(),
            },
            observed_loss: loss.observed_loss.as_ref().map(ObservedReport::of),
            predicted_action: acts.map(PredictedActionReport::of),
            no_action_because: loss
                .predicted_action
                .as_ref()
                .filter(|a| a.acts().is_none())
                .map(|a| a.reason.clone()),
            observed_action: loss.observed_action.as_ref().map(ObservedReport::of),
            regained_us: loss.regained.map(Micros::as_micros),
            verdict: loss.verdict.to_string(),
            unexplained: matches!(loss.verdict, Verdict::Outside(_)),
            assumptions: assumptions(&loss.explanation),
            premises: premises(&loss.explanation),
            explanation: sentences(&loss.explanation, clock),
        }
    }
}
