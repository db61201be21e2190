use std::ops::ControlFlow;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};

use crate::observation::Observation;
use crate::source::hand_over::hand_over;
use crate::source::{SourceHandle, SourceKind, SourceMessage, wall_clock};
use crate::time::{Micros, Span};

use super::{Flight, Scenario, ScenarioError, built_in_names, span};

/// Batches wait here for the window; one that is behind by more than this holds the player up.
const QUEUE: usize = 64;
/// How often what is due is handed over.
const STEP: Duration = Duration::from_millis(20);

/// Plays a scenario in real time, again and again, on a thread of its own.
///
/// The first part (see [`Scenario::begin_at_s`]) is handed over at once. Each round begins with
/// [`SourceMessage::Restarted`], so that the reader starts a new session.
pub fn play(scenario: &Scenario) -> Result<SourceHandle, ScenarioError> {
    let flight = Flight::fly(scenario)?;
    let begin = span(scenario.begin_at_s);
    let (sender, receiver) = bounded(QUEUE);
    let title = scenario.title.clone();
    std::thread::Builder::new()
        .name("scenario".to_owned())
        .spawn(move || {
            // The receiver is gone: the window has opened something else.
            while round(&flight, begin, &sender).is_continue() {}
        })
        .map_err(|e| ScenarioError::Thread(e.to_string()))?;
    Ok(handle(title, receiver))
}

fn handle(title: String, messages: Receiver<SourceMessage>) -> SourceHandle {
    SourceHandle {
        title,
        kind: SourceKind::Demo,
        messages,
    }
}

/// The text of a built-in scenario by its name.
pub fn find(name: &str) -> Result<Scenario, ScenarioError> {
    let Some(text) = super::built_in(name) else {
        return Err(ScenarioError::Unknown {
            name: name.to_owned(),
            known: built_in_names().collect::<Vec<_>>().join(", "),
        });
    };
    Scenario::parse(text)
}

/// One time through. Breaks when nobody listens any more.
fn round(flight: &Flight, begin: Span, sender: &Sender<SourceMessage>) -> ControlFlow<()> {
    hand_over(sender, SourceMessage::Restarted)?;
    let started = wall_clock::monotonic();
    let mut rest = flight.observations.as_slice();
    loop {
        let now = flight.start + begin + (wall_clock::monotonic() - started);
        let (due, later) = rest.split_at(due_until(rest, now));
        if !due.is_empty() {
            hand_over(sender, SourceMessage::Batch(due.to_vec()))?;
        }
        hand_over(sender, SourceMessage::Now(now))?;
        rest = later;
        if now > flight.start + flight.duration {
            return ControlFlow::Continue(());
        }
        std::thread::sleep(STEP);
    }
}

fn due_until(observations: &[Observation], now: Micros) -> usize {
    observations.partition_point(|o| o.at <= now)
}
