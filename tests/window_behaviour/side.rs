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
