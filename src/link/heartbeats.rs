use crate::observation::{OwnHeartbeat, Talker, WithheldBy};
use crate::rules::watchdog::{Decision, Watchdog};
use crate::time::{Micros, Span};

use super::TransmitSettings;
use super::slot_timer::SlotTimer;

/// A vehicle counts as there until it has not been heard for this long.
const VEHICLE_HEARD: Span = Span::from_secs(3);

/// What becomes of a heartbeat slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// Send one.
    Send,
    /// Do not, and why.
    Withhold(WithheldBy),
}

/// Decides about our heartbeats: the slot timer, the watchdog, the policy, in that order.
///
/// The watchdog is asked first, so that it can expire (and say so) while the policy keeps silent. Pure:
/// time and the window's last feed are arguments.
#[derive(Clone, Debug, Default)]
pub struct Heartbeats {
    settings: Option<TransmitSettings>,
    timer: SlotTimer,
    watchdog: Watchdog,
}

impl Heartbeats {
    /// Switches transmitting on with `settings`, or off. The settings' timeout was checked when they were
    /// made.
    pub fn set(&mut self, settings: Option<TransmitSettings>, now: Micros) {
        let Some(settings) = settings else {
            self.settings = None;
            self.timer.stop();
            return;
        };
        let timeout = settings.watchdog_timeout();
        let changed = timeout != self.watchdog.timeout();
        if self.watchdog.set_timeout(timeout).is_err() {
            return;
        }
        if self.settings.is_none() {
            self.timer.start(now);
        }
        if changed || self.settings.is_none() {
            // Only a feed made from now on counts; one made before may not have been seen yet.
            self.watchdog.lapse(now);
        }
        self.settings = Some(settings);
    }

    /// The computer slept until `now`: as after any stop of the thread, a fresh feed comes first.
    pub fn slept(&mut self, now: Micros) {
        self.watchdog.lapse(now);
        self.timer.put_off(now);
    }

    /// The ids to send with, while transmitting is on.
    #[must_use]
    pub fn talker(&self) -> Option<Talker> {
        self.settings.map(|s| s.talker)
    }

    /// The watchdog, for display.
    #[must_use]
    pub const fn watchdog(&self) -> &Watchdog {
        &self.watchdog
    }

    /// The thread comes round. `last_feed` is when the window's frame loop last came round, `vehicle_heard`
    /// when a vehicle's heartbeat last arrived; all on the monotonic clock.
    pub fn round(
        &mut self,
        now: Micros,
        last_feed: Option<Micros>,
        vehicle_heard: Option<Micros>,
    ) -> Option<Slot> {
        let tick = self.timer.tick(now);
        if tick.stopped_for.is_some() {
            self.watchdog.lapse(now);
        }
        if let Some(feed) = last_feed {
            self.watchdog.feed(feed);
        }
        let settings = self.settings.filter(|_| tick.due)?;
        if let Decision::Withheld { .. } = self.watchdog.may_send(now) {
            return Some(Slot::Withhold(WithheldBy::Watchdog));
        }
        let heard = vehicle_heard.is_some_and(|heard| now - heard < VEHICLE_HEARD);
        Some(if heard || settings.without_vehicle {
            Slot::Send
        } else {
            Slot::Withhold(WithheldBy::NoVehicle)
        })
    }

    /// How long the thread may wait before the next slot.
    #[must_use]
    pub fn wait(&self, now: Micros) -> Option<Span> {
        self.timer.wait(now)
    }

    /// The record of a slot.
    #[must_use]
    pub fn record(&self, slot: Slot, now: Micros, talker: Talker) -> OwnHeartbeat {
        match slot {
            Slot::Send => OwnHeartbeat::Sent { from: talker },
            Slot::Withhold(by) => OwnHeartbeat::Withheld {
                by,
                feed_age: self.watchdog.last_feed().map(|fed| now - fed),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: i64) -> Micros {
        Micros::from_millis(millis)
    }

    fn on(without_vehicle: bool) -> Heartbeats {
        let settings =
            TransmitSettings::new(Talker::new(255, 190), without_vehicle, Span::from_secs(2))
                .expect("valid");
        let mut heartbeats = Heartbeats::default();
        heartbeats.set(Some(settings), ms(0));
        heartbeats
    }

    /// Rounds every 10 ms; `fed` and `heard` say when the window and the vehicle were alive.
    fn run(
        heartbeats: &mut Heartbeats,
        rounds: std::ops::Range<i64>,
        fed: impl Fn(i64) -> bool,
        heard: impl Fn(i64) -> bool,
    ) -> Vec<(i64, Slot)> {
        let (mut last_feed, mut last_heard) = (None, None);
        let mut slots = Vec::new();
        for now in rounds.step_by(10) {
            if fed(now) {
                last_feed = Some(ms(now));
            }
            if heard(now) {
                last_heard = Some(ms(now));
            }
            if let Some(slot) = heartbeats.round(ms(now), last_feed, last_heard) {
                slots.push((now, slot));
            }
        }
        slots
    }

    #[test]
    fn nothing_is_sent_before_it_is_switched_on() {
        let mut heartbeats = Heartbeats::default();
        assert!(run(&mut heartbeats, 0..5_000, |_| true, |_| true).is_empty());
    }

    #[test]
    fn a_hung_window_silences_the_heartbeats_and_a_living_one_brings_them_back() {
        let mut heartbeats = on(false);
        let fed = |now: i64| !(3_000..8_050).contains(&now);
        let slots = run(&mut heartbeats, 0..12_000, fed, |_| true);
        let sent: Vec<i64> = slots
            .iter()
            .filter(|(_, slot)| *slot == Slot::Send)
            .map(|(at, _)| *at)
            .collect();
        assert_eq!(sent, [1_000, 2_000, 3_000, 4_000, 9_000, 10_000, 11_000]);
        let withheld = slots.len() - sent.len();
        assert_eq!(withheld, 4, "those of the hung window: {slots:?}");
    }

    #[test]
    fn without_a_vehicle_the_policy_withholds() {
        let mut heartbeats = on(false);
        let slots = run(&mut heartbeats, 0..9_000, |_| true, |now| now < 3_000);
        let last = slots
            .iter()
            .filter(|(_, slot)| *slot == Slot::Send)
            .map(|(at, _)| *at)
            .max();
        assert_eq!(
            last,
            Some(5_000),
            "heard until 2.99 s, counted for 3 s more"
        );
        let by_policy = Slot::Withhold(WithheldBy::NoVehicle);
        assert!(slots.contains(&(7_000, by_policy)));
        let mut heartbeats = on(true);
        let slots = run(&mut heartbeats, 10..3_500, |_| true, |_| false);
        let all = [1_000, 2_000, 3_000].map(|at| (at, Slot::Send));
        assert_eq!(slots, all);
    }

    /// A living window feeds twice a second. Switched on between two of its feeds, the first slot must not
    /// be withheld for a feed that cannot have come yet (watchdog law 13 and 43).
    #[test]
    fn the_first_slot_leaves_time_for_the_first_feed() {
        for switched_on in (0..1_000).step_by(10) {
            let settings =
                TransmitSettings::new(Talker::new(255, 190), true, Span::from_secs(2)).unwrap();
            let mut heartbeats = Heartbeats::default();
            run(
                &mut heartbeats,
                0..switched_on,
                |now| now % 500 == 0,
                |_| true,
            );
            heartbeats.set(Some(settings), ms(switched_on));
            let rounds = switched_on..switched_on + 1_500;
            let slots = run(&mut heartbeats, rounds, |now| now % 500 == 0, |_| true);
            assert_eq!(slots, [(switched_on + 1_000, Slot::Send)]);
        }
    }

    /// Law 10 and 54: a changed timeout pauses until a feed made after the change, although an older feed
    /// is on its way.
    #[test]
    fn a_changed_timeout_needs_a_feed_made_after_it() {
        let mut heartbeats = on(true);
        run(&mut heartbeats, 0..2_500, |_| true, |_| true);
        let longer =
            TransmitSettings::new(Talker::new(255, 190), true, Span::from_secs(9)).unwrap();
        heartbeats.set(Some(longer), ms(2_600));
        let withheld = Some(Slot::Withhold(WithheldBy::Watchdog));
        assert_eq!(heartbeats.round(ms(3_000), Some(ms(2_590)), None), withheld);
        let sent = heartbeats.round(ms(4_000), Some(ms(2_610)), None);
        assert_eq!(sent, Some(Slot::Send));
    }

    #[test]
    fn after_a_sleep_a_fresh_feed_comes_first() {
        let mut heartbeats = on(true);
        run(&mut heartbeats, 0..1_500, |_| true, |_| true);
        heartbeats.slept(ms(1_500));
        let slots = run(&mut heartbeats, 1_500..4_000, |now| now > 3_000, |_| true);
        assert_eq!(
            slots,
            [
                (2_500, Slot::Withhold(WithheldBy::Watchdog)),
                (3_500, Slot::Send)
            ]
        );
    }

    #[test]
    fn after_a_stop_of_the_program_a_fresh_feed_comes_first() {
        let mut heartbeats = on(true);
        run(&mut heartbeats, 0..1_500, |_| true, |_| true);
        // Stopped for a minute; the window had fed just before.
        let first = heartbeats.round(ms(61_500), Some(ms(1_490)), None);
        assert_eq!(first, None, "no slot at the jump");
        let slots = run(
            &mut heartbeats,
            61_510..64_600,
            |now| now > 63_000,
            |_| true,
        );
        assert_eq!(
            slots,
            [
                (62_500, Slot::Withhold(WithheldBy::Watchdog)),
                (63_500, Slot::Send),
                (64_500, Slot::Send)
            ]
        );
    }
}
