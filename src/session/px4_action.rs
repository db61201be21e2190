//! What a PX4 vehicle does about a link loss, from whatever source the loss is known.

use crate::rules::PredictedAction;
use crate::rules::px4::{ReactionPlan, plan_reaction};
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
                at: first.window(loss),
                reason: format!("NAV_DLL_ACT is {}", input.nav_dll_act),
                then: reactions
                    .get(1)
                    .map(|r| (r.name.to_owned(), r.window(loss))),
            })
        }
    }
}
