//! What a PX4 vehicle does about a link loss, from whatever source the loss is known.

use crate::rules::px4::{Reaction, ReactionPlan, plan_reaction};
use crate::rules::{Explanation, Knowledge, PredictedAction, Step, StepKind};
use crate::time::{Bounds, Span};

use super::px4_facts::Px4Facts;

/// The reaction to a loss within `loss`, by the mode and the parameters before it; `commander` is the
/// period of the commander's cycle. `None` if no reaction is planned at all.
pub(super) fn predicted(
    facts: &Px4Facts<'_>,
    loss: Bounds,
    commander: Span,
) -> Option<PredictedAction> {
    let input = facts.action_input(loss.earliest());
    // Delays are the vehicle's seconds.
    let clock = &facts.vehicle.clock;
    let window = |reaction: &Reaction| {
        loss.later_by(
            clock.on_ground(loss.earliest(), reaction.earliest),
            clock.on_ground(loss.latest(), reaction.latest),
        )
    };
    match plan_reaction(&input, commander) {
        ReactionPlan::Nothing(reason) => Some(PredictedAction {
            name: String::new(),
            at: loss,
            reason,
            then: None,
        }),
        ReactionPlan::Acts(reactions) => {
            let first = reactions.first()?;
            Some(PredictedAction {
                name: first.name.to_owned(),
                at: window(first),
                reason: format!("NAV_DLL_ACT is {}", input.nav_dll_act),
                then: reactions.get(1).map(|r| (r.name.to_owned(), window(r))),
            })
        }
    }
}

/// Adds the reaction to a story, and what follows it.
pub(super) fn tell(explanation: &mut Explanation, action: Option<&PredictedAction>) {
    let Some(action) = action else {
        return;
    };
    let mut step = |at, text, source| {
        explanation.steps.push(Step {
            at,
            kind: StepKind::Action,
            knowledge: Knowledge::Inferred,
            text,
            source: Some(source),
        });
    };
    step(
        action.at,
        action.sentence(),
        "failsafe/failsafe.cpp checkStateAndMode",
    );
    if let Some((name, at)) = &action.then {
        step(
            *at,
            format!("{name}, after the delay of COM_FAIL_ACT_T."),
            "failsafe/framework.cpp",
        );
    }
}
