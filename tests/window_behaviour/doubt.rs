//! A link that dies both ways while the ground goes on, and a vehicle's own record beside the ground's.

use super::*;

const VEHICLE: Talker = Talker::new(1, 1);
const GCS: Talker = Talker::new(255, 190);

/// A PX4 that is not heard from second 30 to second 70 of a hundred, while the ground goes on.
fn dead_both_ways(until: i64) -> Vec<Observation> {
    let start = Micros::from_millis(1_700_000_000_000);
    let mut all = Vec::new();
    for second in 0..until {
        let at = start + Span::from_secs(second);
        all.push(heartbeat(at, GCS, MavType::GCS, Autopilot::INVALID));
        if !(30..70).contains(&second) {
            let at = at + Span::from_millis(300);
            all.push(heartbeat(at, VEHICLE, MavType(2), Autopilot::PX4));
        }
    }
    all
}

#[test]
fn a_loss_that_may_be_coming_unheard_is_told_in_the_strip_and_explained() {
    let (sender, handle) = source(SourceKind::Live);
    send(&sender, SourceMessage::Batch(dead_both_ways(39)));
    let window = window(Some(Ok(handle)));
    assert_shows(&window, "IF NOTHING SENT SINCE HAS ARRIVED");
    assert_shows(&window, "Nothing tells whether that arrives.");
    let strip = window
        .get_by_label_contains("Countdown strip")
        .accesskit_node()
        .label()
        .unwrap_or_default();
    assert!(strip.contains("unheard"), "{strip}");
}

#[test]
fn a_loss_that_may_have_happened_unheard_is_among_the_incidents() {
    let (sender, handle) = source(SourceKind::Log);
    send(&sender, SourceMessage::Batch(dead_both_ways(100)));
    send(&sender, SourceMessage::Finished);
    let mut window = window(Some(Ok(handle)));
    assert_shows(&window, "1 in doubt");
    assert!(!shows(&window, "MAY HAVE BEEN LOST"), "not yet");
    let before = position(&window);
    press(&mut window, Key::N);
    assert!(position(&window) > before);
    press(&mut window, Key::End);
    assert_shows(&window, "MAY HAVE BEEN LOST, 1 OF 1");
    assert_shows(&window, "shows no failsafe since");
}

#[test]
fn the_vehicles_own_record_stands_beside_what_the_ground_reconstructs() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/px4");
    let open = |extension: &str| {
        let name = format!("s06_mission_comp0872_T10_hold_inc0143.{extension}");
        LogFile::open(&folder.join(name)).expect("it is a recording")
    };
    let mut all = Vec::new();
    MergedLogs::new(vec![open("tlog"), open("ulg")], Span::ZERO)
        .and_then(|files| {
            files.read(&mut || ControlFlow::Continue(()), &mut |observation| {
                all.push(observation);
                ControlFlow::Continue(())
            })
        })
        .expect("they are of one flight");
    let (sender, handle) = source(SourceKind::Log);
    send(&sender, SourceMessage::Batch(all));
    send(&sender, SourceMessage::Finished);
    let mut window = window(Some(Ok(handle)));
    assert_shows(&window, "log: lost");
    // Ten steps back, the countdown still runs.
    press(&mut window, Key::PageUp);
    assert_shows(&window, "log: not lost");
}
