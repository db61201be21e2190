//! The strips and their time axis.

use super::*;

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
fn zoom_and_fit_by_key() {
    let mut window = recording(1_280.0, 800.0);
    for key in [Key::F, Key::Plus, Key::Minus, Key::L, Key::L] {
        press(&mut window, key);
    }
    window.key_press_modifiers(Modifiers::SHIFT, Key::Plus);
    window.run();
    assert_shows(&window, "Countdown strip");
}
