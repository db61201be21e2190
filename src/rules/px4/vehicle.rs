//! The forward form: a simulated PX4 made of receivers, publishers and a commander, each in its own
//! loop with its own phase and lateness. Deterministic for a given source of lateness.
//!
//! This is what a scenario flies, and what the backward form is tested against.

use crate::time::{Micros, Span};

use super::{
    Commander, CommanderChange, FlagRule, HeartbeatEffect, Publisher, Px4Version, Receiver, Report,
};

/// A heartbeat on its way into the vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeartbeatArrival {
    /// When the vehicle receives it.
    pub at: Micros,
    /// On which MAVLink instance.
    pub instance: usize,
    /// What it does there.
    pub effect: HeartbeatEffect,
}

/// The loops whose lateness the simulation asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VehicleLoop {
    /// A receiver's: 10 ms.
    Receiver,
    /// A sending loop's: the sleep that the data rate gives.
    Publisher,
    /// The commander's: 10 ms.
    Commander,
}

/// Something that happened on the simulated vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happening {
    /// A receiver checked.
    Checked {
        /// Its instance.
        instance: usize,
        /// By a heartbeat, or by itself.
        forced: bool,
        /// The flag after it.
        present: bool,
    },
    /// An instance published.
    Reported {
        /// Its instance.
        instance: usize,
        /// What it said.
        present: bool,
    },
    /// The commander declared the loss.
    Lost,
    /// The commander cleared it.
    Regained,
    /// The first commander cycle after [`Happening::Lost`]: where v1.14 and later react.
    CycleAfterLoss,
}

/// The fixed facts of a simulated vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimulatedVehicle {
    /// The rules; one with a flag (v1.12 and later).
    pub version: Px4Version,
    /// COM_DL_LOSS_T.
    pub com_dl_loss_t: Span,
    /// How many MAVLink instances it has.
    pub instances: usize,
    /// Sleep of the sending loops.
    pub publisher_sleep: Span,
    /// Switched on at.
    pub start: Micros,
}

/// Sleep of the receiver's poll and of the commander.
const TEN_MILLISECONDS: Span = Span::from_millis(10);

struct Instance {
    receiver: Receiver,
    publisher: Publisher,
    next_receive: Micros,
    next_publish: Micros,
    unread: Option<Report>,
}

impl SimulatedVehicle {
    /// Runs until `until` and tells everything that happened, in order.
    ///
    /// `arrivals` must be in order of time. `lateness` is asked once per turn of a loop for the time
    /// that the turn takes beyond its sleep; the phases follow from its first answers.
    #[must_use]
    pub fn run(
        &self,
        arrivals: &[HeartbeatArrival],
        until: Micros,
        lateness: &mut dyn FnMut(VehicleLoop) -> Span,
    ) -> Vec<(Micros, Happening)> {
        let mut run = Run::new(self, arrivals, lateness);
        while run.step(until) {}
        run.happenings
    }

    /// The same, told only when the first loss came, and the report that its timer ran from.
    ///
    /// Once nobody is heard any more and every flag has fallen, the commander alone is stepped: nothing
    /// that the other loops do can move the loss. This is what makes thousands of runs affordable.
    #[must_use]
    pub fn first_loss(
        &self,
        arrivals: &[HeartbeatArrival],
        until: Micros,
        lateness: &mut dyn FnMut(VehicleLoop) -> Span,
    ) -> Option<FirstLoss> {
        let mut run = Run::new(self, arrivals, lateness);
        loop {
            if run.settled() {
                run.cycle(run.next_cycle);
                if run.next_cycle > until {
                    return None;
                }
            } else if !run.step(until) {
                return None;
            }
            let news = std::mem::take(&mut run.happenings);
            if let Some((at, _)) = news.iter().find(|(_, h)| *h == Happening::Lost) {
                return Some(FirstLoss {
                    start_line: run.commander.start_line()?,
                    at: *at,
                });
            }
        }
    }
}

/// When the first loss was declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstLoss {
    /// The report that the commander's timer ran from.
    pub start_line: Micros,
    /// The loss.
    pub at: Micros,
}

/// A run under way.
struct Run<'a> {
    vehicle: &'a SimulatedVehicle,
    instances: Vec<Instance>,
    commander: Commander,
    next_cycle: Micros,
    after_loss: bool,
    arrivals: std::iter::Peekable<std::slice::Iter<'a, HeartbeatArrival>>,
    lateness: &'a mut dyn FnMut(VehicleLoop) -> Span,
    happenings: Vec<(Micros, Happening)>,
}

impl<'a> Run<'a> {
    fn new(
        vehicle: &'a SimulatedVehicle,
        arrivals: &'a [HeartbeatArrival],
        lateness: &'a mut dyn FnMut(VehicleLoop) -> Span,
    ) -> Self {
        let rule = FlagRule::new(
            vehicle
                .version
                .heartbeat_timeout()
                .unwrap_or(Span::from_millis(2_500)),
        );
        let instances = (0..vehicle.instances)
            .map(|_| Instance {
                receiver: Receiver::new(rule, vehicle.start),
                publisher: Publisher::new(vehicle.start),
                next_receive: vehicle.start + lateness(VehicleLoop::Receiver),
                next_publish: vehicle.start + lateness(VehicleLoop::Publisher),
                unread: None,
            })
            .collect();
        let next_cycle = vehicle.start + lateness(VehicleLoop::Commander);
        Self {
            vehicle,
            instances,
            commander: Commander::new(vehicle.com_dl_loss_t),
            next_cycle,
            after_loss: false,
            arrivals: arrivals.iter().peekable(),
            lateness,
            happenings: Vec::new(),
        }
    }

    /// Whether nothing can say "present" any more.
    fn settled(&mut self) -> bool {
        let unread = |i: &Instance| i.unread.is_some_and(|r| r.ground_station_present);
        self.arrivals.peek().is_none()
            && self
                .instances
                .iter()
                .all(|i| !i.receiver.flag() && !unread(i))
    }

    /// Everything that happens at the next instant at which anything does; `false` when that is after
    /// `until`.
    fn step(&mut self, until: Micros) -> bool {
        let next_arrival = self.arrivals.peek().map_or(Micros::MAX, |a| a.at);
        let next_instance = self
            .instances
            .iter()
            .map(|i| i.next_receive.min(i.next_publish))
            .min()
            .unwrap_or(Micros::MAX);
        let now = next_arrival.min(next_instance).min(self.next_cycle);
        if now > until {
            return false;
        }
        if next_arrival == now {
            if let Some(arrival) = self.arrivals.next()
                && let Some(instance) = self.instances.get_mut(arrival.instance)
            {
                // The poll wakes on data: the heartbeat is handled at once, then the loop turns.
                if instance.receiver.heartbeat(now, arrival.effect) {
                    instance.publisher.request();
                    let checked = instance.checked(arrival.instance, true);
                    self.happenings.push((now, checked));
                }
                instance.next_receive = now;
            }
            return true;
        }
        for (index, instance) in self.instances.iter_mut().enumerate() {
            if instance.next_receive == now {
                if instance.receiver.turn(now) {
                    instance.publisher.request();
                    self.happenings.push((now, instance.checked(index, false)));
                }
                instance.next_receive =
                    now + TEN_MILLISECONDS + (self.lateness)(VehicleLoop::Receiver);
            }
            if instance.next_publish == now {
                if let Some(report) = instance.publisher.turn(now, instance.receiver.flag()) {
                    instance.unread = Some(report);
                    let reported = Happening::Reported {
                        instance: index,
                        present: report.ground_station_present,
                    };
                    self.happenings.push((now, reported));
                }
                instance.next_publish =
                    now + self.vehicle.publisher_sleep + (self.lateness)(VehicleLoop::Publisher);
            }
        }
        if self.next_cycle == now {
            self.cycle(now);
        }
        true
    }

    /// The commander's cycle at `now`.
    fn cycle(&mut self, now: Micros) {
        if std::mem::take(&mut self.after_loss) {
            self.happenings.push((now, Happening::CycleAfterLoss));
        }
        let newest = self.instances.iter_mut().filter_map(|i| i.unread.take());
        match self.commander.cycle(now, newest) {
            Some(CommanderChange::Lost) => {
                self.happenings.push((now, Happening::Lost));
                self.after_loss = true;
            }
            Some(CommanderChange::Regained) => self.happenings.push((now, Happening::Regained)),
            None => {}
        }
        self.next_cycle = now + TEN_MILLISECONDS + (self.lateness)(VehicleLoop::Commander);
    }
}

impl Instance {
    fn checked(&self, instance: usize, forced: bool) -> Happening {
        Happening::Checked {
            instance,
            forced,
            present: self.receiver.flag(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loss_alone_is_the_loss_of_the_whole_run() {
        // Every loop is equally late in each turn, so that leaving loops out leaves the others as they are.
        let mut lateness = |which| match which {
            VehicleLoop::Publisher => Span::from_micros(233),
            VehicleLoop::Receiver => Span::from_micros(77),
            VehicleLoop::Commander => Span::from_micros(121),
        };
        let vehicle = SimulatedVehicle {
            version: Px4Version::V1_16,
            com_dl_loss_t: Span::from_secs(5),
            instances: 1,
            publisher_sleep: Span::from_micros(1_500),
            start: Micros::from_micros(0),
        };
        for companion in [0, 700, 1_234] {
            let ground = [3_000_i64, 4_000, 5_000].map(|ms| (ms, true));
            let other = (1..6).map(|n| (3_500 + n * companion, false));
            let mut arrivals: Vec<HeartbeatArrival> = ground
                .into_iter()
                .chain(other.filter(|_| companion > 0))
                .map(|(ms, ground)| HeartbeatArrival {
                    at: Micros::from_millis(ms),
                    instance: 0,
                    effect: if ground {
                        HeartbeatEffect::CountsAsGroundStation
                    } else {
                        HeartbeatEffect::ForcesCheck
                    },
                })
                .collect();
            arrivals.sort_by_key(|a| a.at);
            let until = Micros::from_millis(30_000);
            let told = vehicle.run(&arrivals, until, &mut lateness);
            let lost = told.iter().find(|(_, h)| *h == Happening::Lost);
            let alone = vehicle.first_loss(&arrivals, until, &mut lateness);
            assert_eq!(alone.map(|loss| loss.at), lost.map(|(at, _)| *at));
            let before = told.iter().filter(|(at, h)| {
                lost.is_some_and(|(lost, _)| at < lost)
                    && matches!(h, Happening::Reported { present: true, .. })
            });
            assert_eq!(
                alone.map(|loss| loss.start_line),
                before.map(|(at, _)| *at).next_back()
            );
        }
    }
}
