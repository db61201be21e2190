//! What the ground received that shows what a PX4 vehicle did.

use crate::observation::{SystemStatus, VehicleEvent};
use crate::rules::Observed;
use crate::rules::px4::Px4Mode;
use crate::time::{Bounds, Micros, Seconds, Span};

use super::px4_facts::Px4Facts;
use super::silence::Evidence;

/// `commander_gcs_lost`: "Connection to ground control station lost". Component 1 in the top byte.
const GCS_LOST: u32 = 27_571_288;
/// `failsafe_enter`.
const FAILSAFE_ENTER: u32 = 26_528_394;
/// `failsafe_enter_hold`: a Hold before the action.
const FAILSAFE_ENTER_HOLD: u32 = 30_481_910;
/// The cause of a failsafe that the link is to blame for (failsafe/framework.h `Cause`, v1.14 to main).
const CAUSE_GCS_CONNECTION_LOSS: u8 = 2;
/// Evidence coarser than this dates nothing.
const COARSEST: Span = Span::from_millis(1_500);

/// Looks for evidence between the last heartbeat `from` and the end of the silence. `expected` names the
/// reaction that the rules give: PX4 announces a Hold before it, and that is not the one asked about.
pub(super) fn evidence(
    facts: &Px4Facts<'_>,
    from: Micros,
    end: Micros,
    hull: Bounds,
    expected: &str,
) -> Evidence {
    // A Return or Land comes after a Hold of up to COM_FAIL_ACT_T.
    let delay = facts.action_input(hull.earliest()).com_fail_act_t;
    let latest = end.max(hull.latest()) + delay + Span::from_secs(3);
    // A loss after the next heartbeat belongs to the next silence; the reaction and a heartbeat that
    // shows it may come a little later.
    let lost_until = end + Span::from_millis(50);
    let sends_events = !facts.vehicle.vehicle_events.is_empty();
    let blind = longest_silence(facts, hull);
    let other = other_failsafe(facts, from, hull.latest() + COARSEST);
    let announced =
        lost_event(facts, from, lost_until).or_else(|| reaction_event(facts, from, lost_until));
    let loss = announced.or_else(|| {
        let critical = || critical_heartbeat(facts, hull);
        other.is_none().then(critical).flatten()
    });
    let action = loss
        .is_some()
        .then(|| action_seen(facts, hull, latest, expected))
        .flatten();
    Evidence {
        loss,
        action,
        would_have_been_told: sends_events && blind < COARSEST,
        why_unseen: why_nothing_was_seen(blind, sends_events),
        other,
    }
}

/// Why there is no evidence, in words.
fn why_nothing_was_seen(blind: Span, sends_events: bool) -> String {
    if blind > COARSEST {
        format!(
            "the vehicle was not heard for {} s around the predicted instant",
            Seconds::with_decimals(blind, 1)
        )
    } else if sends_events {
        "the vehicle was heard, but announced no loss: heartbeats may have reached it on another way"
            .to_owned()
    } else {
        "this vehicle sends no events, and nothing else shows the loss".to_owned()
    }
}

/// EVENT carries the vehicle's time of the commander cycle: the best evidence there is.
fn lost_event(facts: &Px4Facts<'_>, from: Micros, latest: Micros) -> Option<Observed> {
    events(facts, from, latest)
        .find(|(_, event)| event.id == GCS_LOST)
        .map(|(at, event)| Observed {
            at,
            resolution: Span::from_millis(1),
            name: String::new(),
            evidence: format!(
                "EVENT commander_gcs_lost, vehicle time {} s",
                Seconds::millis(Span::from_millis(i64::from(event.boot_ms)))
            ),
        })
}

/// Where the event of the loss itself went missing, that of the reaction tells as well: v1.14 and later
/// react one commander cycle after the flag (10 to 12 ms).
fn reaction_event(facts: &Px4Facts<'_>, from: Micros, latest: Micros) -> Option<Observed> {
    const CYCLE: Span = Span::from_millis(20);
    events(facts, from, latest)
        .find(|(_, event)| {
            entered(event).is_some_and(|(_, cause)| cause == CAUSE_GCS_CONNECTION_LOSS)
        })
        .map(|(at, event)| Observed {
            at,
            resolution: CYCLE,
            name: String::new(),
            evidence: format!(
                "EVENT failsafe_enter because of GCS connection loss, vehicle time {} s",
                Seconds::millis(Span::from_millis(i64::from(event.boot_ms)))
            ),
        })
}

/// The events that happened within `from..=to`, at the ground's time at which they happened.
fn events<'a>(
    facts: &'a Px4Facts<'_>,
    from: Micros,
    to: Micros,
) -> impl Iterator<Item = (Micros, &'a VehicleEvent)> {
    facts
        .vehicle
        .vehicle_events
        .iter()
        .filter(|(arrived, _)| *arrived <= facts.until)
        .map(|(arrived, event)| {
            let vehicle = Micros::from_millis(i64::from(event.boot_ms));
            let mapped = facts
                .vehicle
                .clock
                .near(*arrived)
                .and_then(|c| c.ground_at(vehicle));
            // News cannot arrive before it happened.
            (mapped.unwrap_or(*arrived).min(*arrived), event)
        })
        .filter(move |(at, _)| *at > from && *at <= to)
}

/// The first heartbeat that shows a failsafe near the windows. It shows it up to one heartbeat late.
/// One that comes later shows some other failsafe.
fn critical_heartbeat(facts: &Px4Facts<'_>, hull: Bounds) -> Option<Observed> {
    let latest = hull.latest() + COARSEST;
    let status = facts
        .vehicle
        .system_status
        .changes_between(hull.earliest() - COARSEST, latest.min(facts.until))
        .find(|(_, status)| *status == SystemStatus::CRITICAL)?;
    let resolution = since_heartbeat_before(facts, status.0)?;
    (resolution <= COARSEST).then(|| Observed {
        at: status.0,
        resolution,
        name: String::new(),
        evidence: format!(
            "HEARTBEAT shows a failsafe (system_status CRITICAL), up to {} s late",
            Seconds::with_decimals(resolution, 1)
        ),
    })
}

/// The reaction: the first of the expected name, else the first of any.
fn action_seen(
    facts: &Px4Facts<'_>,
    hull: Bounds,
    latest: Micros,
    expected: &str,
) -> Option<Observed> {
    let announced = events(facts, hull.earliest() - Span::from_millis(50), latest)
        .filter_map(|(at, event)| announced_action(at, event));
    let shown = facts
        .vehicle
        .mode
        .changes_between(hull.earliest(), latest.min(facts.until))
        .filter_map(|(at, mode)| {
            let resolution = since_heartbeat_before(facts, *at)?;
            let name = Px4Mode::from_custom_mode(*mode).name();
            (resolution <= COARSEST).then(|| Observed {
                at: *at,
                resolution,
                name: name.to_owned(),
                evidence: format!(
                    "HEARTBEAT shows {name}, up to {} s late",
                    Seconds::with_decimals(resolution, 1)
                ),
            })
        });
    let all: Vec<Observed> = announced.chain(shown).collect();
    all.iter()
        .find(|observed| observed.name == expected)
        .or(all.first())
        .cloned()
}

/// A failsafe within `from..=to` that another cause than the link set off, in words.
fn other_failsafe(facts: &Px4Facts<'_>, from: Micros, to: Micros) -> Option<String> {
    events(facts, from, to).find_map(|(_, event)| {
        let (action, cause) = entered(event)?;
        (cause != CAUSE_GCS_CONNECTION_LOSS).then(|| {
            format!(
                "EVENT failsafe_enter ({}, because of {}), vehicle time {} s",
                action_name(action).unwrap_or("an unknown action"),
                cause_name(cause),
                Seconds::millis(Span::from_millis(i64::from(event.boot_ms)))
            )
        })
    })
}

/// The action and the cause that an event gives, if it says that a failsafe was entered. The arguments
/// stand behind each other without padding: user mode (u32), action (u8), with a Hold before it the delay
/// (u16), cause (u8).
fn entered(event: &VehicleEvent) -> Option<(u8, u8)> {
    let cause = match event.id {
        FAILSAFE_ENTER_HOLD => 7,
        FAILSAFE_ENTER => 5,
        _ => return None,
    };
    Some((*event.arguments.get(4)?, *event.arguments.get(cause)?))
}

/// failsafe/framework.h `Cause`.
const fn cause_name(cause: u8) -> &'static str {
    match cause {
        0 => "an unspecific cause",
        1 => "manual control loss",
        CAUSE_GCS_CONNECTION_LOSS => "GCS connection loss",
        3 => "low battery",
        4 => "critically low battery",
        5 => "battery emergency",
        6 => "low remaining flight time",
        _ => "a cause that is not known here",
    }
}

/// What an event announces, if it is a failsafe's that the link set off.
fn announced_action(at: Micros, event: &VehicleEvent) -> Option<Observed> {
    let (action, cause) = entered(event)?;
    if cause != CAUSE_GCS_CONNECTION_LOSS {
        return None;
    }
    let name = if event.id == FAILSAFE_ENTER_HOLD {
        "Hold"
    } else {
        action_name(action)?
    };
    Some(Observed {
        at,
        resolution: Span::from_millis(1),
        name: name.to_owned(),
        evidence: format!(
            "EVENT failsafe_enter ({name}), vehicle time {} s",
            Seconds::millis(Span::from_millis(i64::from(event.boot_ms)))
        ),
    })
}

/// The action argument of the failsafe events (failsafe/framework.h `Action`).
fn action_name(action: u8) -> Option<&'static str> {
    Some(match action {
        5 => "Hold",
        6 => "Return",
        7 => "Land",
        8 => "Descend",
        9 => "Disarm",
        10 => "Terminate",
        _ => return None,
    })
}

fn since_heartbeat_before(facts: &Px4Facts<'_>, at: Micros) -> Option<Span> {
    let heartbeats = facts.autopilot_heartbeats()?;
    let before = heartbeats.last_until(at - Span::from_micros(1))?;
    Some(at - before)
}

/// The longest time without a heartbeat of the vehicle that touches the windows.
fn longest_silence(facts: &Px4Facts<'_>, hull: Bounds) -> Span {
    let Some(heartbeats) = facts.autopilot_heartbeats() else {
        return Span::MAX;
    };
    let first = heartbeats
        .last_until(hull.earliest())
        .unwrap_or(hull.earliest());
    let mut last = first;
    let mut longest = Span::ZERO;
    for at in heartbeats
        .between(first, hull.latest())
        .iter()
        .copied()
        .chain(heartbeats.first_after(hull.latest()))
    {
        longest = longest.max(at - last);
        last = at;
    }
    longest.max(hull.latest().min(facts.until) - last)
}
