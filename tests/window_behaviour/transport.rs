//! Playing, stepping, holding the picture.

use super::*;

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
