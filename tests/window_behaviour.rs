//! The window as its user meets it: every state and panel found by its accessible name, every key by
//! what it does. Runs without a display and without a GPU. That every widget has a name is checked by
//! the harness itself in each run.

#![allow(clippy::expect_used)] // what the tests share stands outside of test functions

use std::cell::RefCell;
use std::rc::Rc;

use crossbeam_channel::{Sender, bounded};
use egui::accesskit::Role;
use egui::{Key, Modifiers, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use heartline::app::{HeartlineApp, Opening};
use heartline::link::feed_pair;
use heartline::observation::{
    Autopilot, Damage, DamageKind, Direction, Frame, Heartbeat, MavType, Message, Observation,
    PathId, Sighting, SystemStatus, Talker,
};
use heartline::source::scenario::{Flight, find};
use heartline::source::{SourceHandle, SourceKind, SourceMessage};
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

#[test]
fn the_start_page_offers_a_file_a_link_and_a_demonstration() {
    let asked = Rc::new(RefCell::new(Vec::new()));
    let log = Rc::clone(&asked);
    let mut window = Harness::builder()
        .with_size(vec2(1_024.0, 640.0))
        .with_step_dt(FRAME)
        .build_eframe(move |creation| {
            let opener = Box::new(move |wanted: &str| {
                log.borrow_mut().push(wanted.to_owned());
                Err(format!(
                    "Cannot open {wanted}: it does not exist. Check the address."
                ))
            });
            HeartlineApp::new(creation, opener, None, feed_pair().0)
        });
    window.run();
    for button in ["Open a recording", "Connect", "Watch the demonstration"] {
        window.get_by_role_and_label(Role::Button, button);
    }
    window.get_by_label("Watch the demonstration").click();
    window.run();
    assert_eq!(asked.borrow().as_slice(), ["demo:inc-0143"]);
    assert_shows(&window, "it does not exist. Check the address.");

    window.get_by_label("Dismiss").click();
    window.run();
    assert!(!shows(&window, "it does not exist"));

    window.get_by_label("Address").focus();
    window.run();
    window
        .get_by_label("Address")
        .type_text("tcpout:10.0.0.2:5760");
    window.run();
    window.get_by_label("Connect").click();
    window.run();
    assert_eq!(
        asked.borrow().last().map(String::as_str),
        Some("tcpout:10.0.0.2:5760")
    );
}

#[test]
fn a_source_that_could_not_be_opened_says_why_on_the_start_page() {
    let window = window(Some(
        Err("a.tlog: no such file. Check the path.".to_owned()),
    ));
    assert_shows(&window, "a.tlog: no such file. Check the path.");
    assert_shows(&window, "Watch the demonstration");
}

#[test]
fn a_silent_link_says_that_it_waits() {
    let (_sender, handle) = source(SourceKind::Live);
    let window = window(Some(Ok(handle)));
    assert_shows(&window, "Waiting");
    assert_shows(&window, "nothing has arrived so far");
}

#[test]
fn an_empty_recording_says_so() {
    let (sender, handle) = source(SourceKind::Log);
    send(&sender, SourceMessage::Finished);
    let window = window(Some(Ok(handle)));
    assert_shows(&window, "This recording holds no MAVLink frame.");
}

#[test]
fn noise_is_told_from_frames_without_a_vehicle() {
    let (sender, handle) = source(SourceKind::Live);
    let damage = Damage {
        kind: DamageKind::Skipped,
        bytes: 4_000,
        offset: 0,
    };
    let noise = Observation {
        at: Micros::from_millis(1_000),
        path: PathId(0),
        what: Sighting::Damage(damage),
    };
    send(&sender, SourceMessage::Batch(vec![noise]));
    let mut window = window(Some(Ok(handle)));
    assert_shows(&window, "Check the baud rate");

    let gcs = heartbeat(
        Micros::from_millis(2_000),
        Talker::new(255, 190),
        MavType::GCS,
        Autopilot::INVALID,
    );
    send(&sender, SourceMessage::Batch(vec![gcs]));
    window.run();
    assert_shows(&window, "none of them is the heartbeat of an autopilot");
}

#[test]
fn a_failed_source_keeps_what_it_told_and_says_why_it_ended() {
    let (mut window, sender) = live_at(10.0);
    send(
        &sender,
        SourceMessage::Failed(
            "/dev/ttyUSB0 was unplugged. Plug it in and open it again.".to_owned(),
        ),
    );
    window.run();
    assert_shows(
        &window,
        "/dev/ttyUSB0 was unplugged. Plug it in and open it again.",
    );
    assert_shows(&window, "Vehicle 1 PX4 1.16.0 rover");
}

#[test]
fn a_recording_under_way_shows_how_far_it_is() {
    let (sender, handle) = source(SourceKind::Log);
    send(
        &sender,
        SourceMessage::Progress {
            read: 42,
            total: 100,
        },
    );
    let mut window = Harness::builder()
        .with_size(vec2(1_280.0, 800.0))
        .with_step_dt(FRAME)
        .build_eframe(move |creation| {
            let initial = Some(Ok(Opening::recorded(handle)));
            HeartlineApp::new(
                creation,
                Box::new(|_| Err(String::new())),
                initial,
                feed_pair().0,
            )
        });
    window.run_steps(3);
    assert_shows(&window, "Reading");
    let bar = window.get_by_role(Role::ProgressIndicator);
    let share = bar
        .accesskit_node()
        .numeric_value()
        .expect("a bar has a value");
    assert!((41.0..=42.0).contains(&share), "{share} %");
    drop(sender);
}

#[test]
fn before_the_cut_the_strip_is_calm() {
    let (window, _sender) = live_at(15.0);
    assert_shows(
        &window,
        "If we fell silent now, PX4 would switch to Hold in",
    );
    assert_shows(&window, "WE HEAR THE VEHICLE");
    assert_shows(&window, "THE VEHICLE HEARS US");
}

#[test]
fn during_the_silence_it_counts_and_explains() {
    // 15:41:11.1: 8.7 s after the last heartbeat.
    let (window, _sender) = live_at(25.04);
    assert_shows(&window, "Failsafe in 3.2-4.2 s");
    assert_shows(&window, "switch to Hold");
    assert_shows(&window, "It heard GCS 255/190 last 8.7 s ago.");
    assert_shows(&window, "1. 02.412");
    assert_shows(&window, "COM_DL_LOSS_T");
    assert_shows(&window, "ARMED");
    assert_shows(&window, "Listening only");
}

#[test]
fn after_the_loss_it_names_what_is_active_and_the_evidence() {
    let (window, _sender) = live_at(30.0);
    assert_shows(&window, "Failsafe active: Hold");
    assert_shows(&window, "commander_gcs_lost");
}

#[test]
fn every_strip_says_in_words_what_it_shows() {
    let (window, _sender) = live_at(25.04);
    for (strip, content) in [
        ("Heartbeats strip", "255/190 8.7 s old"),
        ("heartbeat_type_gcs strip", "false"),
        ("Countdown strip", "s left"),
        ("Estimator test ratios strip", "velocity"),
        ("Link quality strip", "% lost"),
    ] {
        let node = window.get_by_role_and_label_contains(strip);
        assert!(node.contains(content), "{node:?} lacks {content:?}");
    }
}

/// Finds the one label that contains `text`.
trait ByText {
    fn get_by_role_and_label_contains(&self, text: &str) -> String;
}

impl ByText for Window {
    fn get_by_role_and_label_contains(&self, text: &str) -> String {
        self.get_by_label_contains(text)
            .accesskit_node()
            .label()
            .unwrap_or_default()
    }
}

#[test]
fn every_tab_has_its_content() {
    let (mut window, _sender) = live_at(25.04);
    for (key, texts) in [
        (Key::Num2, ["WHO COUNTS", "does not count"]),
        (Key::Num3, ["Autopilot 1/1 appears", "GCS 255/190 appears"]),
        (Key::Num4, ["NAV_DLL_ACT", "value"]),
        (Key::Num1, ["WHAT THIS RESTS ON", "WATCHDOG"]),
    ] {
        press(&mut window, key);
        for text in texts {
            assert_shows(&window, text);
        }
    }
    window.get_by_role_and_label(Role::Tab, "Talkers").click();
    window.run();
    assert_shows(&window, "WHO COUNTS");
}

#[test]
fn a_recording_opens_at_its_first_loss() {
    let window = recording(1_280.0, 800.0);
    assert_shows(&window, "INCIDENT 1 OF 1");
    let at = position(&window);
    assert!((at - 28.3 / 52.0).abs() < 0.02, "{at}");
}

#[test]
fn playing_moves_the_moment_at_the_chosen_speed_and_pausing_stops_it() {
    let mut window = recording(1_280.0, 800.0);
    press(&mut window, Key::Home);
    assert!(position(&window) < 1e-6);
    window.get_by_label_contains("Play").click();
    window.run_steps(2);
    let before = position(&window);
    window.run_steps(100);
    let moved = (position(&window) - before) * 52.0;
    assert!((moved - 2.0).abs() < 0.2, "2 s at 1x moved {moved} s");

    window.key_press(Key::CloseBracket);
    window.run_steps(2);
    let before = position(&window);
    window.run_steps(50);
    let moved = (position(&window) - before) * 52.0;
    assert!((moved - 2.0).abs() < 0.2, "1 s at 2x moved {moved} s");

    window.key_press(Key::Space);
    window.run_steps(2);
    let held = position(&window);
    window.run_steps(50);
    assert!((position(&window) - held).abs() < 1e-9);
}

#[test]
fn keys_step_jump_and_go_to_incidents() {
    let mut window = recording(1_280.0, 800.0);
    let incident = position(&window);
    press(&mut window, Key::End);
    assert!((position(&window) - 1.0).abs() < 1e-6);
    press(&mut window, Key::P);
    assert!(
        (position(&window) - incident).abs() < 1e-6,
        "back to the incident"
    );
    press(&mut window, Key::ArrowRight);
    let stepped = position(&window);
    assert!(stepped > incident);
    press(&mut window, Key::ArrowLeft);
    assert!((position(&window) - incident).abs() < 1e-6);
    press(&mut window, Key::PageDown);
    assert!(position(&window) - incident > (stepped - incident) * 5.0);
    press(&mut window, Key::Home);
    press(&mut window, Key::N);
    assert!(
        (position(&window) - incident).abs() < 1e-6,
        "on to the incident"
    );
}

#[test]
fn a_step_of_the_explanation_leads_to_its_moment() {
    let mut window = recording(1_280.0, 800.0);
    window.get_by_label_contains("1. 02.412").click();
    window.run();
    assert_shows(&window, "15:41:02.412");
}

#[test]
fn a_click_on_the_strips_goes_there() {
    let mut window = recording(1_280.0, 800.0);
    let before = position(&window);
    let field = window.get_by_label_contains("Time axis").rect();
    window.hover_at(field.left_center() + vec2(20.0, 0.0));
    window.run();
    window.drag_at(field.left_center() + vec2(20.0, 0.0));
    window.drop_at(field.left_center() + vec2(20.0, 0.0));
    window.run();
    assert!(position(&window) < before);
}

#[test]
fn the_live_picture_can_be_held_and_returns_to_the_present() {
    let (mut window, _sender) = live_at(20.0);
    window.get_by_label_contains("LIVE");
    press(&mut window, Key::Space);
    window.get_by_label_contains("Go live");
    window.run_steps(50);
    let held = position(&window);
    assert!(held < 0.999, "the present went on to {held}");
    press(&mut window, Key::End);
    window.get_by_label_contains("LIVE");
}

#[test]
fn a_new_round_begins_anew_unless_the_picture_is_held() {
    let (mut window, sender) = live_at(30.0);
    assert_shows(&window, "Failsafe active");
    press(&mut window, Key::Space);
    send(&sender, SourceMessage::Restarted);
    window.run();
    assert_shows(&window, "Failsafe active");
    press(&mut window, Key::Space);
    window.run_steps(3);
    assert!(!shows(&window, "Failsafe active"));
}

#[test]
fn the_keys_are_shown_on_request() {
    let mut window = recording(1_024.0, 640.0);
    press(&mut window, Key::Questionmark);
    assert_shows(&window, "Play or pause");
    assert_shows(&window, "Next appearance");
    window.get_by_label("Close keys").click();
    window.run();
    assert!(!shows(&window, "Play or pause; live"));
}

#[test]
fn the_look_changes_with_its_key() {
    let mut window = recording(1_280.0, 800.0);
    for word in ["dark", "light", "high contrast", "system"] {
        press(&mut window, Key::T);
        window.get_by_label(&format!("Look: {word}"));
    }
}

#[test]
fn closing_returns_to_the_start_page() {
    let mut window = recording(1_280.0, 800.0);
    window.get_by_label("Close").click();
    window.run();
    assert_shows(&window, "Watch the demonstration");
}

#[test]
fn zoom_and_fit_by_key() {
    let mut window = recording(1_280.0, 800.0);
    for key in [Key::F, Key::Plus, Key::Minus, Key::L, Key::L] {
        press(&mut window, key);
    }
    window.key_press_modifiers(Modifiers::SHIFT, Key::Plus);
    window.run();
    assert_shows(&window, "Countdown strip");
}

/// Everything that has a name lies within the window: nothing is cut off at its edge.
#[test]
fn nothing_leaves_the_window_at_any_size() {
    // The first is 1280x800 at twice the scale.
    for (width, height) in [
        (640.0, 400.0),
        (1_024.0, 640.0),
        (1_280.0, 800.0),
        (1_920.0, 1_080.0),
        (2_560.0, 1_440.0),
    ] {
        let window = recording(width, height);
        let root = window.root();
        for node in root.children_recursive() {
            let kit = node.accesskit_node();
            let Some(bounds) = kit.raw_bounds() else {
                continue;
            };
            let inside_scroll = kit.role() == Role::Label || kit.role() == Role::Button;
            assert!(
                bounds.x0 >= -0.5 && bounds.x1 <= f64::from(width) + 0.5,
                "{:?} {:?} at {bounds:?} in {width}x{height}",
                kit.role(),
                kit.label()
            );
            // The explanation scrolls: its lower rows may lie below the edge.
            if !inside_scroll {
                assert!(
                    bounds.y1 <= f64::from(height) + 0.5,
                    "{:?} {:?}",
                    kit.role(),
                    kit.label()
                );
            }
        }
    }
}

#[test]
fn absurd_times_and_strangers_do_not_stop_the_window() {
    for times in [
        [i64::MIN, 0, i64::MAX],
        [0, 0, 0],
        [i64::MAX, i64::MAX, i64::MIN],
        [1_700_000_000_000_000, -5, 1_700_000_001_000_000],
    ] {
        for kind in [SourceKind::Log, SourceKind::Live, SourceKind::Demo] {
            let (sender, handle) = source(kind);
            let mut batch = Vec::new();
            for (index, micros) in times.into_iter().enumerate() {
                let at = Micros::from_micros(micros);
                let system = index as u8 + 1;
                batch.push(heartbeat(
                    at,
                    Talker::new(system, 1),
                    MavType(250),
                    Autopilot::PX4,
                ));
                batch.push(heartbeat(
                    at,
                    Talker::new(255, 190),
                    MavType::GCS,
                    Autopilot::INVALID,
                ));
                batch.push(heartbeat(at, Talker::new(9, 1), MavType(2), Autopilot(99)));
            }
            send(&sender, SourceMessage::Batch(batch));
            send(&sender, SourceMessage::Finished);
            let mut window = window(Some(Ok(handle)));
            for key in [
                Key::F,
                Key::Space,
                Key::Plus,
                Key::End,
                Key::Home,
                Key::ArrowLeft,
                Key::Num2,
                Key::Num3,
            ] {
                window.key_press(key);
                window.run_steps(2);
            }
        }
    }
}
