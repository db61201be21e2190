//! The window as its user meets it: every state and panel found by its accessible name, every key by
//! what it does. Runs without a display and without a GPU. That every widget has a name is checked by
//! the harness itself in each run.

#![expect(
    clippy::expect_used,
    reason = "what the tests share stands outside of test functions"
)]

mod alarms;
mod doubt;
mod glance;
mod opening;
mod settings;
mod side;
mod strips;
mod transport;
mod window;

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::rc::Rc;

use crossbeam_channel::{Sender, bounded};
use egui::accesskit::Role;
use egui::{Key, Modifiers, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use heartline::app::{HeartlineApp, Opening, SettingsFile};
use heartline::link::feed_pair;
use heartline::observation::{
    Autopilot, Damage, DamageKind, Direction, Frame, Heartbeat, MavType, Message, Observation,
    PathId, Sighting, SystemStatus, Talker,
};
use heartline::source::scenario::{Flight, find};
use heartline::source::{LogFile, MergedLogs, SourceHandle, SourceKind, SourceMessage};
use heartline::time::{Micros, Span};

/// Seconds that a frame of the harness takes.
const FRAME: f32 = 0.02;

type Window = Harness<'static, HeartlineApp>;

fn source(kind: SourceKind) -> (Sender<SourceMessage>, SourceHandle) {
    let (sender, messages) = bounded(10_000);
    let handle = SourceHandle {
        title: "test source".to_owned(),
        kind,
        messages,
    };
    (sender, handle)
}

fn window_sized(width: f32, height: f32, initial: Option<Result<SourceHandle, String>>) -> Window {
    let mut window = Harness::builder()
        .with_size(vec2(width, height))
        .with_step_dt(FRAME)
        .build_eframe(move |creation| {
            let opener = Box::new(|_: &str| Err("nothing can be opened here".to_owned()));
            HeartlineApp::new(
                creation,
                opener,
                initial.map(|source| source.map(Opening::recorded)),
                feed_pair().0,
                None,
            )
        });
    window.run();
    window
}

fn window(initial: Option<Result<SourceHandle, String>>) -> Window {
    window_sized(1_280.0, 800.0, initial)
}

/// The built-in incident.
fn incident() -> Flight {
    let scenario = find("inc-0143").expect("it is built in");
    Flight::fly(&scenario).expect("it can be flown")
}

/// A live window on the incident, `seconds` after the scenario's start.
fn live_at(seconds: f64) -> (Window, Sender<SourceMessage>) {
    let flight = incident();
    let now = flight.start + Span::from_secs_f64(seconds).expect("finite");
    let (sender, handle) = source(SourceKind::Live);
    let seen = flight.observations.into_iter().filter(|o| o.at <= now);
    send(&sender, SourceMessage::Batch(seen.collect()));
    send(&sender, SourceMessage::Now(now));
    (window(Some(Ok(handle))), sender)
}

/// The incident as a recording that has been read.
fn recording(width: f32, height: f32) -> Window {
    let (sender, handle) = source(SourceKind::Log);
    send(&sender, SourceMessage::Batch(incident().observations));
    send(&sender, SourceMessage::Finished);
    window_sized(width, height, Some(Ok(handle)))
}

/// A recording of `tests/data`, read to its end.
fn recorded(name: &str) -> Window {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name);
    let (sender, handle) = source(SourceKind::Log);
    let mut all = Vec::new();
    LogFile::open(&path)
        .and_then(|file| {
            file.read(&mut |observation| {
                all.push(observation);
                ControlFlow::Continue(())
            })
        })
        .expect("it is readable");
    send(&sender, SourceMessage::Batch(all));
    send(&sender, SourceMessage::Finished);
    let mut window = window(Some(Ok(handle)));
    window.run();
    window
}

fn send(sender: &Sender<SourceMessage>, message: SourceMessage) {
    sender
        .send(message)
        .expect("the window holds the other end");
}

fn frame(at: Micros, from: Talker, message: Message) -> Observation {
    Observation {
        at,
        path: PathId(0),
        what: Sighting::Frame(Frame {
            from,
            sequence: 0,
            id: 0,
            length: 21,
            checksum: 0,
            direction: Direction::Unknown,
            signed: false,
            message,
        }),
    }
}

fn heartbeat(at: Micros, from: Talker, mav_type: MavType, autopilot: Autopilot) -> Observation {
    let heartbeat = Heartbeat {
        mav_type,
        autopilot,
        base_mode: 128,
        custom_mode: 0,
        system_status: SystemStatus::ACTIVE,
    };
    frame(at, from, Message::Heartbeat(heartbeat))
}

/// Where in the record the moment shown lies, 0 to 1.
fn position(window: &Window) -> f64 {
    window
        .get_by_label("Position in the record")
        .accesskit_node()
        .numeric_value()
        .expect("a slider has a value")
}

fn press(window: &mut Window, key: Key) {
    window.key_press(key);
    window.run();
}

fn shows(window: &Window, text: &str) -> bool {
    window.query_all_by_label_contains(text).next().is_some()
}

#[track_caller]
fn assert_shows(window: &Window, text: &str) {
    assert!(shows(window, text), "{text:?} is not shown");
}
