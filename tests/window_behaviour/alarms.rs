//! Alarms of a live link.

use super::*;

#[test]
fn a_loss_raises_an_alarm_that_stays_until_it_is_acknowledged() {
    let (mut window, sender) = live_at(25.04);
    assert!(!shows(&window, "Acknowledge"));
    let start = incident().start;
    let now = start + Span::from_secs(30);
    let seen = incident().observations.into_iter();
    let rest = seen.filter(|o| o.at > start + Span::from_millis(25_040) && o.at <= now);
    send(&sender, SourceMessage::Batch(rest.collect()));
    send(&sender, SourceMessage::Now(now));
    window.run();
    assert_shows(&window, "Link lost");
    assert_shows(
        &window,
        "declared its ground station lost. Its action is Hold.",
    );

    window.get_by_label("Acknowledge").click();
    window.run();
    assert!(window.query_by_label("Acknowledge").is_none());
    press(&mut window, Key::Num3);
    assert_shows(&window, "Link lost: raised");
    assert_shows(&window, "Link lost: acknowledged");
}

#[test]
fn an_alarm_is_raised_although_the_past_is_looked_at() {
    let (mut window, sender) = live_at(25.04);
    press(&mut window, Key::Home);
    let start = incident().start;
    let now = start + Span::from_secs(30);
    let seen = incident().observations.into_iter();
    let rest = seen.filter(|o| o.at > start + Span::from_millis(25_040) && o.at <= now);
    send(&sender, SourceMessage::Batch(rest.collect()));
    send(&sender, SourceMessage::Now(now));
    window.run();
    assert_shows(&window, "Link lost");
    press(&mut window, Key::A);
    assert!(window.query_by_label("Acknowledge").is_none());
}

#[test]
fn a_recording_raises_no_alarm() {
    let mut window = recording(1_280.0, 800.0);
    press(&mut window, Key::End);
    assert!(window.query_by_label("Acknowledge").is_none());
}
