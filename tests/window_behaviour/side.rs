//! The side panel and its tabs.

use super::*;

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
fn a_step_of_the_explanation_leads_to_its_moment() {
    let mut window = recording(1_280.0, 800.0);
    window.get_by_label_contains("1. 02.412").click();
    window.run();
    assert_shows(&window, "15:41:02.412");
}

#[test]
fn another_time_out_is_answered_beside_what_was() {
    let mut window = recording(1_280.0, 800.0);
    press(&mut window, Key::Num5);
    assert_shows(&window, "the answer stands here");
    window
        .get_by_role_and_label(Role::SpinButton, "COM_DL_LOSS_T")
        .set_value_accesskit(5.0);
    window.run();
    assert_shows(&window, "This silence: lost at");
    assert_shows(&window, "5.0 s earlier");
    assert_shows(&window, "Link losses in this record: 1, as it was.");
    window
        .get_by_role_and_label(Role::SpinButton, "COM_DL_LOSS_T")
        .set_value_accesskit(60.0);
    window.run();
    assert_shows(&window, "Link losses in this record: 0 instead of 1.");
    window.get_by_label("Ask nothing").click();
    window.run();
    assert_shows(&window, "the answer stands here");
}

#[test]
fn unplugging_the_companion_ends_the_doubt() {
    let (mut window, _sender) = live_at(25.04);
    press(&mut window, Key::Num5);
    assert_shows(&window, " s or 4.");
    window.get_by_label("Companion 1/191").click();
    window.run();
    let answers = window.query_all_by_label_contains("Failsafe in");
    let headlines: Vec<String> = answers
        .filter_map(|node| node.accesskit_node().value())
        .collect();
    assert!(
        headlines.iter().any(|headline| !headline.contains(" or ")),
        "{headlines:?}"
    );
}

#[test]
fn a_parameter_that_the_operator_sets_counts_until_it_is_taken_back() {
    let (mut window, _sender) = live_at(15.0);
    press(&mut window, Key::Num4);
    window
        .get_by_role_and_label(Role::SpinButton, "to")
        .set_value_accesskit(30.0);
    window.run();
    window.get_by_label("Set it").click();
    window.run();
    assert_shows(&window, "COM_DL_LOSS_T 30 (set by operator)");
    window.get_by_label("Take back").click();
    window.run();
    assert!(!shows(&window, "set by operator)"));
}

#[test]
fn the_operators_word_for_the_firmware_and_the_link_is_taken() {
    let (mut window, _sender) = live_at(25.04);
    press(&mut window, Key::Num4);
    window.get_by_label_contains("Firmware:").click();
    window.run();
    window.get_by_label("PX4 1.12").click();
    window.run();
    assert_shows(&window, "Firmware: 1.12.0 (set by operator)");
    assert_shows(&window, "Vehicle 1 PX4 1.12.0");
    press(&mut window, Key::Num2);
    window
        .get_by_label_contains("1/191 reaches the vehicle")
        .click();
    window.run();
    window.get_by_label("on another link").click();
    window.run();
    assert_shows(&window, "1/191 reaches the vehicle on another link");
}

#[test]
fn the_talkers_say_what_unplugging_them_would_do() {
    let (mut window, _sender) = live_at(15.0);
    press(&mut window, Key::Num2);
    assert_shows(&window, "WHO COUNTS FOR VEHICLE 1/1");
    assert_shows(&window, "If you unplug it: a loss is noticed after");
    assert_shows(
        &window,
        "If you unplug it: nothing changes for the failsafe.",
    );
}
