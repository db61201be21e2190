//! The window as a whole: keys, looks, sizes, absurd input.

use super::*;

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
