//! Before anything is shown: the start page, and sources that wait, fail or hold nothing.

use super::*;

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
            HeartlineApp::new(creation, opener, None, feed_pair().0, None)
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
                None,
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
fn closing_returns_to_the_start_page() {
    let mut window = recording(1_280.0, 800.0);
    window.get_by_label("Close").click();
    window.run();
    assert_shows(&window, "Watch the demonstration");
}

#[test]
fn a_second_file_dropped_on_a_recording_joins_it_or_says_why_not() {
    let asked = Rc::new(RefCell::new(Vec::new()));
    let log = Rc::clone(&asked);
    let mut window: Window = Harness::builder()
        .with_size(vec2(1_280.0, 800.0))
        .with_step_dt(FRAME)
        .build_eframe(move |creation| {
            let open = || {
                let (sender, handle) = source(SourceKind::Log);
                send(&sender, SourceMessage::Finished);
                Opening::recorded(handle)
            };
            let opener = Box::new(move |wanted: &str| {
                log.borrow_mut().push(wanted.to_owned());
                if wanted.contains(" + other.tlog") {
                    Err("other.tlog: is of another flight.".to_owned())
                } else {
                    Ok(open())
                }
            });
            HeartlineApp::new(creation, opener, Some(Ok(open())), feed_pair().0, None)
                .opened_as("a.tlog")
        });
    window.run();
    drop_file(&mut window, "a.ulg");
    assert_eq!(asked.borrow().as_slice(), ["a.tlog + a.ulg"]);
    assert!(!shows(&window, "opened alone"));

    drop_file(&mut window, "other.tlog");
    assert_eq!(
        asked.borrow().get(1..).unwrap_or_default(),
        ["a.tlog + a.ulg + other.tlog", "other.tlog"]
    );
    assert_shows(
        &window,
        "It is opened alone. other.tlog: is of another flight.",
    );
}

fn drop_file(window: &mut Window, path: &str) {
    let file = std::sync::Arc::new(OnDisk(path.into()));
    window.input_mut().dropped_files.push(file);
    window.run();
}

/// A file as the desktop drops it: the window asks for its path alone.
#[derive(Debug)]
struct OnDisk(std::path::PathBuf);

impl egui::DroppedFile for OnDisk {
    fn path(&self) -> &std::path::Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|error| error.to_string())
    }
}

#[test]
fn a_file_that_turns_out_not_to_belong_leaves_what_was_open() {
    let mut window: Window = Harness::builder()
        .with_size(vec2(1_280.0, 800.0))
        .with_step_dt(FRAME)
        .build_eframe(move |creation| {
            let opener = Box::new(|wanted: &str| {
                let (sender, handle) = source(SourceKind::Log);
                let apart = "The recordings share no clock.".to_owned();
                send(
                    &sender,
                    if wanted.contains(" + ") {
                        SourceMessage::Failed(apart)
                    } else {
                        SourceMessage::Batch(incident().observations)
                    },
                );
                send(&sender, SourceMessage::Finished);
                Ok(Opening::recorded(handle))
            });
            HeartlineApp::new(creation, opener, None, feed_pair().0, None)
        });
    window.run();
    drop_file(&mut window, "a.tlog");
    assert_shows(&window, "Vehicle 1 PX4 1.16.0 rover");
    drop_file(&mut window, "b.ulg");
    window.run();
    assert_shows(&window, "Not added. The recordings share no clock.");
    assert_shows(&window, "Vehicle 1 PX4 1.16.0 rover");
}
