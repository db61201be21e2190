use crate::time::{Micros, Span};

/// Anchors are kept per this much ground time: fine enough for a simulator whose speed changes, coarse
/// enough that a day costs little.
const BIN: Span = Span::from_millis(250);
/// A clock that has run within this share of the ground's is a real vehicle's: crystals agree within a
/// tenth of it, a simulator in lockstep misses it by ten times as much.
const REAL_TIME_PARTS_PER_THOUSAND: i64 = 2;
/// How far around an instant the vehicle's rate is judged.
const RATE_WINDOW: Span = Span::from_secs(30);
/// How far around an instant the smallest delay is looked for. Longer would let a step of either clock
/// in, shorter the jitter of single messages.
const OFFSET_WINDOW: Span = Span::from_secs(5);
/// A step back of more than this is a reboot; less is messages out of order.
const REBOOT: Span = Span::from_secs(1);

/// Maps between the ground's timeline and one autopilot's time since boot.
///
/// Fed with every message that carries a boot time. The mapping is "the boot time of a message that
/// arrives at that moment with the least delay seen": the constant part of the downlink delay stays
/// inside and cancels out wherever only a difference of two instants is used.
///
/// A clock that runs at the ground's rate is mapped by a sliding offset, so that the jitter of single
/// messages does not enter. One that does not (a simulator in lockstep or at ten times real time) is
/// interpolated between anchors.
#[derive(Clone, Debug, Default)]
pub struct VehicleClock {
    /// In order of the ground's time, which need not be the order in which they came.
    epochs: Vec<Epoch>,
    /// The one that goes on now.
    current: usize,
}

/// One boot of the vehicle: pairs of both clocks, least delayed message of each bin.
#[derive(Clone, Debug, Default)]
pub struct Epoch {
    anchors: Vec<Anchor>,
}

#[derive(Clone, Copy, Debug)]
struct Anchor {
    ground: Micros,
    vehicle: Micros,
}

impl Anchor {
    fn offset(self) -> Span {
        self.ground - self.vehicle
    }
}

impl VehicleClock {
    /// Notes that a message with boot time `vehicle` was seen at `ground`. Returns `true` when the
    /// vehicle must have rebooted in between.
    pub fn note(&mut self, ground: Micros, vehicle: Micros) -> bool {
        let last = self
            .epochs
            .get(self.current)
            .and_then(|epoch| epoch.anchors.last());
        let rebooted = last.is_some_and(|last| vehicle + REBOOT < last.vehicle);
        // The ground's clock was set back: what follows is mapped by itself, like another boot.
        let set_back = last.is_some_and(|last| ground + REBOOT < last.ground);
        if self.epochs.is_empty() || rebooted || set_back {
            let earlier = |e: &Epoch| e.anchors.first().is_some_and(|a| a.ground <= ground);
            self.current = self.epochs.partition_point(earlier);
            self.epochs.insert(self.current, Epoch::default());
        }
        if let Some(epoch) = self.epochs.get_mut(self.current) {
            epoch.note(Anchor { ground, vehicle });
        }
        rebooted
    }

    /// Whether anything is known of the vehicle's clock.
    #[must_use]
    pub fn is_known(&self) -> bool {
        !self.epochs.is_empty()
    }

    /// How often the vehicle rebooted within the record.
    #[must_use]
    pub fn reboots(&self) -> usize {
        self.epochs.len().saturating_sub(1)
    }

    /// The mapping that holds around the ground's `at`. All instants of one incident are mapped by the
    /// same one, so that a step of a clock within the record does not tear it apart. `None` without any
    /// clock.
    #[must_use]
    pub fn near(&self, at: Micros) -> Option<LocalClock<'_>> {
        let epoch = self.epoch_at(at)?;
        let real_time = Epoch::runs_in_real_time(epoch.within(at, RATE_WINDOW));
        Some(if real_time {
            LocalClock::RealTime {
                // A long silence of the vehicle leaves the short window empty.
                offset: Epoch::usual_offset(epoch.within(at, OFFSET_WINDOW))
                    .or_else(|| Epoch::usual_offset(epoch.within(at, RATE_WINDOW)))
                    .or_else(|| Epoch::usual_offset(&epoch.anchors))?,
            }
        } else {
            LocalClock::Simulated(epoch)
        })
    }

    /// Vehicle time at the ground's `at`; extrapolated outside the record. `None` without any clock.
    #[must_use]
    pub fn vehicle_at(&self, at: Micros) -> Option<Micros> {
        self.near(at)?.vehicle_at(at)
    }

    /// The ground's time at which the vehicle's clock showed `vehicle`, in the boot that ran at the ground's
    /// `around`: every boot begins at zero again.
    #[must_use]
    pub fn ground_at(&self, vehicle: Micros, around: Micros) -> Option<Micros> {
        let epoch = self.epoch_at(around)?;
        let after = epoch.anchors.partition_point(|a| a.vehicle <= vehicle);
        let near = epoch
            .anchors
            .get(after.min(epoch.anchors.len().checked_sub(1)?))?;
        self.near(near.ground)?.ground_at(vehicle)
    }

    /// Vehicle time that passes between two instants of the ground; the ground's own where the vehicle
    /// has no clock, or rebooted in between.
    #[must_use]
    pub fn elapsed(&self, from: Micros, to: Micros) -> Span {
        let mapped = || {
            let clock = self.near(from)?;
            Some(clock.vehicle_at(to)? - clock.vehicle_at(from)?)
        };
        if self.same_epoch(from, to) {
            mapped().unwrap_or(to - from)
        } else {
            to - from
        }
    }

    /// How long a span of the vehicle's clock that begins at the ground's `from` takes on the ground's.
    #[must_use]
    pub fn on_ground(&self, from: Micros, span: Span) -> Span {
        self.near(from)
            .and_then(|clock| clock.ground_at(clock.vehicle_at(from)? + span))
            .map_or(span, |to| to - from)
    }

    /// The measured speed of the vehicle's clock around `at`, vehicle seconds per ground second.
    #[must_use]
    pub fn rate_at(&self, at: Micros) -> Option<f64> {
        let near = self.epoch_at(at)?.within(at, OFFSET_WINDOW);
        let (first, last) = (near.first()?, near.last()?);
        let ground = (last.ground - first.ground).as_micros();
        (ground >= Span::from_secs(2).as_micros())
            .then(|| (last.vehicle - first.vehicle).as_micros() as f64 / ground as f64)
    }

    /// When the vehicle rebooted, on the ground's timeline: the first message of each later boot.
    pub fn reboot_times(&self) -> impl Iterator<Item = Micros> + '_ {
        self.epochs
            .iter()
            .skip(1)
            .filter_map(|e| Some(e.anchors.first()?.ground))
    }

    /// When each boot was first seen, on the ground's timeline, in the order of the record.
    pub fn boot_starts(&self) -> impl Iterator<Item = Micros> + '_ {
        self.epochs
            .iter()
            .filter_map(|e| Some(e.anchors.first()?.ground))
    }

    /// The pairs of ground and vehicle time that the mapping around the ground's `at` rests on.
    pub fn pairs_around(&self, at: Micros) -> impl Iterator<Item = (Micros, Micros)> + '_ {
        self.epoch_at(at)
            .into_iter()
            .flat_map(|e| e.anchors.iter().map(|a| (a.ground, a.vehicle)))
    }

    fn epoch_at(&self, at: Micros) -> Option<&Epoch> {
        let after = self
            .epochs
            .partition_point(|e| e.anchors.first().is_some_and(|a| a.ground <= at));
        self.epochs.get(after.saturating_sub(1))
    }

    fn same_epoch(&self, a: Micros, b: Micros) -> bool {
        match (self.epoch_at(a), self.epoch_at(b)) {
            (Some(x), Some(y)) => std::ptr::eq(x, y),
            _ => false,
        }
    }
}

impl Epoch {
    /// Keeps the least delayed message of each bin. Within a bin the vehicle's rate is taken from the
    /// anchors before; at the very first bins as the ground's.
    fn note(&mut self, new: Anchor) {
        let (numerator, denominator) = self.recent_rate();
        let Some(last) = self.anchors.last_mut() else {
            self.anchors.push(new);
            return;
        };
        if bin_of(new.ground) > bin_of(last.ground) {
            self.anchors.push(new);
            return;
        }
        let expected = last.vehicle + (new.ground - last.ground).scaled(numerator, denominator);
        if new.vehicle > expected && new.ground >= last.ground {
            *last = new;
        }
    }

    fn recent_rate(&self) -> (i64, i64) {
        let Some(last) = self.anchors.last() else {
            return (1, 1);
        };
        // Over two seconds, so that one late message does not bend the rate.
        let back = self.anchors.len().saturating_sub(9);
        match self.anchors.get(back) {
            Some(first) if last.ground - first.ground >= BIN => (
                (last.vehicle - first.vehicle).as_micros(),
                (last.ground - first.ground).as_micros(),
            ),
            _ => (1, 1),
        }
    }

    /// The anchors within `window` around `at`, or the nearest ones when `at` lies outside the record.
    fn within(&self, at: Micros, window: Span) -> &[Anchor] {
        let (first, last) = match (self.anchors.first(), self.anchors.last()) {
            (Some(first), Some(last)) => (first.ground, last.ground),
            _ => return &[],
        };
        let centre = at.clamp(first, last);
        let start = self.anchors.partition_point(|a| a.ground < centre - window);
        let end = self
            .anchors
            .partition_point(|a| a.ground <= centre + window);
        self.anchors.get(start..end).unwrap_or_default()
    }

    fn runs_in_real_time(near: &[Anchor]) -> bool {
        let (Some(first), Some(last)) = (near.first(), near.last()) else {
            return true;
        };
        let ground = (last.ground - first.ground).as_micros();
        let drift = ((last.vehicle - first.vehicle) - (last.ground - first.ground)).abs();
        // Below two seconds the jitter of two messages is more than the drift that is asked about.
        ground < 2_000_000
            || drift.as_micros() <= (ground / 1_000 * REAL_TIME_PARTS_PER_THOUSAND).max(100_000)
    }

    /// The difference of the clocks at a small delay: the lower quartile of the anchors' differences.
    /// Not their minimum: PX4 now and then stamps a message up to 140 ms ahead of its own clock, and one
    /// such message would move everything.
    fn usual_offset(near: &[Anchor]) -> Option<Span> {
        let mut offsets: Vec<Span> = near.iter().map(|a| a.offset()).collect();
        let quarter = offsets.len() / 4;
        (!offsets.is_empty()).then(|| *offsets.select_nth_unstable(quarter).1)
    }

    fn interpolated_vehicle(&self, at: Micros) -> Option<Micros> {
        let after = self.anchors.partition_point(|a| a.ground <= at);
        let (a, b) = self.neighbours(after)?;
        Some(
            a.vehicle
                + (at - a.ground).scaled(
                    (b.vehicle - a.vehicle).as_micros(),
                    (b.ground - a.ground).as_micros(),
                ),
        )
    }

    fn interpolated_ground(&self, vehicle: Micros) -> Option<Micros> {
        let after = self.anchors.partition_point(|a| a.vehicle <= vehicle);
        let (a, b) = self.neighbours(after)?;
        Some(
            a.ground
                + (vehicle - a.vehicle).scaled(
                    (b.ground - a.ground).as_micros(),
                    (b.vehicle - a.vehicle).as_micros(),
                ),
        )
    }

    /// The two anchors to interpolate between for an insertion point; beyond the ends, two that are far
    /// enough apart to extrapolate from.
    fn neighbours(&self, after: usize) -> Option<(Anchor, Anchor)> {
        let count = self.anchors.len();
        let (low, high) = if after == 0 {
            (0, 8.min(count.checked_sub(1)?))
        } else if after >= count {
            (count.saturating_sub(9), count.checked_sub(1)?)
        } else {
            (after - 1, after)
        };
        Some((*self.anchors.get(low)?, *self.anchors.get(high)?))
    }
}

/// The mapping around one instant.
#[derive(Clone, Copy, Debug)]
pub enum LocalClock<'a> {
    /// The vehicle's clock runs at the ground's rate: a constant difference.
    RealTime {
        /// Ground minus vehicle, at the least delay seen.
        offset: Span,
    },
    /// It runs at another or a changing rate: interpolation between anchors.
    Simulated(&'a Epoch),
}

impl LocalClock<'_> {
    /// Vehicle time at the ground's `at`.
    #[must_use]
    pub fn vehicle_at(self, at: Micros) -> Option<Micros> {
        match self {
            Self::RealTime { offset } => Some(at - offset),
            Self::Simulated(epoch) => epoch.interpolated_vehicle(at),
        }
    }

    /// The ground's time at which the vehicle's clock shows `vehicle`.
    #[must_use]
    pub fn ground_at(self, vehicle: Micros) -> Option<Micros> {
        match self {
            Self::RealTime { offset } => Some(vehicle + offset),
            Self::Simulated(epoch) => epoch.interpolated_ground(vehicle),
        }
    }
}

/// Bins are aligned to absolute time: measured from the last anchor, an anchor that is replaced by a
/// better one would move the end of its bin away for ever.
fn bin_of(at: Micros) -> i64 {
    at.as_micros().div_euclid(BIN.as_micros())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: i64) -> Micros {
        Micros::from_millis(millis)
    }

    #[test]
    fn jitter_of_a_real_vehicle_does_not_enter() {
        let mut clock = VehicleClock::default();
        for i in 0..400 {
            // 20 Hz, boot 1 000 s before, delay 5 ms plus up to 40 ms.
            let delay = 5 + (i * 17) % 41;
            clock.note(ms(i * 50 + delay), ms(1_000_000 + i * 50));
        }
        let vehicle = clock.vehicle_at(ms(10_000)).expect("clock is known");
        let behind = ms(1_010_000) - vehicle;
        assert!(
            behind >= Span::from_millis(5) && behind <= Span::from_millis(12),
            "the least delay is 5 ms, this is {behind:?}"
        );
        assert_eq!(clock.elapsed(ms(100), ms(9_100)), Span::from_secs(9));
    }

    #[test]
    fn one_stamp_ahead_of_its_time_moves_nothing() {
        let mut clock = VehicleClock::default();
        for i in 0..400 {
            let ahead = if i == 200 { 140 } else { 0 };
            clock.note(ms(i * 50 + 3), ms(1_000_000 + i * 50 + ahead));
        }
        assert_eq!(clock.vehicle_at(ms(10_000)), Some(ms(1_009_997)));
    }

    #[test]
    fn a_simulator_at_ten_times_real_time_is_followed_through_a_change_of_speed() {
        let mut clock = VehicleClock::default();
        let boot = |wall: i64| {
            if wall < 10_000 {
                wall
            } else {
                10_000 + (wall - 10_000) * 10
            }
        };
        for i in 0..400 {
            clock.note(ms(i * 50), ms(boot(i * 50)));
        }
        let vehicle = clock.vehicle_at(ms(15_025)).expect("clock is known");
        assert!(
            (vehicle - ms(60_250)).abs() < Span::from_millis(20),
            "{vehicle:?}"
        );
        let ground = clock
            .near(ms(15_000))
            .and_then(|c| c.ground_at(ms(60_250)))
            .expect("clock is known");
        assert!((ground - ms(15_025)).abs() < Span::from_millis(2));
        let rate = clock.rate_at(ms(19_900)).expect("long enough");
        assert!(rate > 1.5, "{rate}");
    }

    #[test]
    fn a_step_back_is_a_reboot_with_its_own_mapping() {
        let mut clock = VehicleClock::default();
        for i in 0..100 {
            assert!(!clock.note(ms(i * 100), ms(500_000 + i * 100)));
        }
        assert!(clock.note(ms(20_000), ms(1_000)));
        for i in 1..100 {
            clock.note(ms(20_000 + i * 100), ms(1_000 + i * 100));
        }
        assert_eq!(clock.reboots(), 1);
        assert_eq!(clock.vehicle_at(ms(5_000)), Some(ms(505_000)));
        assert_eq!(clock.vehicle_at(ms(25_000)), Some(ms(6_000)));
    }
}
