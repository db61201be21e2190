//! The glance strip: what is read from two metres.

use super::*;

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
    assert_shows(&window, "Failsafe in 3.2 s or 4.2 s");
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
fn an_active_ekf_failsafe_is_never_hidden_behind_a_link_without_one() {
    let window = recorded("ardupilot/rover_ekf_03_mag_glitch_10hz.tlog");
    assert_shows(&window, "EKF failsafe active");
    assert_shows(&window, "The EKF failsafe tripped at");
    assert_shows(&window, "FS_GCS_ENABLE");
}

#[test]
fn a_vehicles_own_log_tells_its_loss_by_its_own_reports() {
    let window = recorded("px4/s06_mission_comp0872_T10_hold_inc0143.ulg");
    assert_shows(&window, "gcs_connection_lost set");
    for (strip, content) in [
        ("heartbeat_type_gcs strip", "false"),
        ("Countdown strip", "s left"),
    ] {
        let node = window
            .get_by_label_contains(strip)
            .accesskit_node()
            .label()
            .unwrap_or_default();
        assert!(node.contains(content), "{node:?} lacks {content:?}");
    }
}

#[test]
fn before_its_loss_a_log_says_that_the_vehicle_counts_its_ground_station() {
    let mut window = recorded("px4/s06_mission_comp0872_T10_hold_inc0143.ulg");
    for _ in 0..3 {
        press(&mut window, Key::PageUp);
    }
    assert_shows(&window, "counts a ground station as present");
}

#[test]
fn an_ardupilot_log_shows_ratios_and_the_trips_that_it_holds() {
    let window = recorded("ardupilot/rover_ekf_01_verr_1hz.BIN");
    assert_shows(&window, "EKF failsafe");
    assert_shows(&window, "Estimator test ratios strip");
}
