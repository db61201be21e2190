//! What is kept from one window to the next.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;

/// A folder of this test alone, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("heartline-window-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        drop(fs::remove_dir_all(&folder));
        fs::create_dir_all(&folder).expect("a temporary folder");
        Self(folder)
    }

    fn file(&self) -> PathBuf {
        self.0.join("settings.ron")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

/// A window on its start page whose settings are kept in `file`. Everything can be opened and waits.
fn window_with(file: &Path) -> Window {
    let file = SettingsFile::at(file.to_owned());
    let mut window = Harness::builder()
        .with_size(vec2(1_280.0, 800.0))
        .with_step_dt(FRAME)
        .build_eframe(move |creation| {
            let opener = Box::new(|_: &str| {
                let (sender, handle) = source(SourceKind::Live);
                // A source that says nothing and never ends.
                std::mem::forget(sender);
                Ok(Opening::recorded(handle))
            });
            HeartlineApp::new(creation, opener, None, feed_pair().0, Some(file))
        });
    window.run();
    window
}

#[test]
fn the_look_and_what_was_opened_are_found_again() {
    let folder = Folder::new("kept");
    let mut first = window_with(&folder.file());
    press(&mut first, Key::T);
    first.get_by_label("Watch the demonstration").click();
    first.run();
    drop(first);
    let mut second = window_with(&folder.file());
    second.get_by_label("Look: dark");
    assert_shows(&second, "Opened last");
    second.get_by_label("demo:inc-0143").click();
    second.run();
    assert_shows(&second, "nothing has arrived so far");
}

#[test]
fn settings_are_changed_in_their_overlay_and_kept() {
    let folder = Folder::new("overlay");
    let mut first = window_with(&folder.file());
    first.key_press_modifiers(Modifiers::COMMAND, Key::Comma);
    first.run();
    first
        .get_by_role_and_label(Role::SpinButton, "Watchdog timeout")
        .set_value_accesskit(9.0);
    first.run();
    first.get_by_label("Close settings").click();
    first.run();
    assert!(!shows(&first, "Close settings"));
    drop(first);
    let text = fs::read_to_string(folder.file()).expect("it was kept");
    assert!(text.contains("\"watchdog_s\": 9"), "{text}");
}

#[test]
fn broken_settings_are_told_of_and_set_aside() {
    let folder = Folder::new("broken");
    fs::write(folder.file(), "{\"appearance\": \"dark\"").expect("a file");
    let window = window_with(&folder.file());
    assert_shows(&window, "The settings in");
    assert_shows(&window, "was set aside");
    window.get_by_label("Look: system");
}

#[test]
fn what_was_named_at_the_start_is_offered_again() {
    let folder = Folder::new("named");
    let file = SettingsFile::at(folder.file());
    let mut first: Window = Harness::builder()
        .with_size(vec2(1_280.0, 800.0))
        .with_step_dt(FRAME)
        .build_eframe(move |creation| {
            let (sender, handle) = source(SourceKind::Log);
            send(&sender, SourceMessage::Finished);
            let initial = Some(Ok(Opening::recorded(handle)));
            let opener = Box::new(|_: &str| Err(String::new()));
            HeartlineApp::new(creation, opener, initial, feed_pair().0, Some(file))
                .opened_as("/logs/a.tlog + /logs/a.ulg")
        });
    first.run();
    drop(first);
    let second = window_with(&folder.file());
    assert_shows(&second, "/logs/a.tlog + /logs/a.ulg");
}
