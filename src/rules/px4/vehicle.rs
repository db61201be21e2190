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
        let rule = FlagRule::new(
            self.version
                .heartbeat_timeout()
                .unwrap_or(Span::from_millis(2_500)),
        );
        let mut instances: Vec<Instance> = (0..self.instances)
            .map(|_| Instance {
                receiver: Receiver::new(rule, self.start),
                publisher: Publisher::new(self.start),
                next_receive: self.start + lateness(VehicleLoop::Receiver),
                next_publish: self.start + lateness(VehicleLoop::Publisher),
                unread: None,
            })
            .collect();
        let mut commander = Commander::new(self.com_dl_loss_t);
        let mut next_cycle = self.start + lateness(VehicleLoop::Commander);
        let mut after_loss = false;
        let mut happenings = Vec::new();
        let mut arrivals = arrivals.iter().peekable();
        loop {
            let next_arrival = arrivals.peek().map_or(Micros::MAX, |a| a.at);
            let next_instance = instances
                .iter()
                .map(|i| i.next_receive.min(i.next_publish))
                .min()
                .unwrap_or(Micros::MAX);
            let now = next_arrival.min(next_instance).min(next_cycle);
            if now > until {
                return happenings;
            }
            if next_arrival == now {
                if let Some(arrival) = arrivals.next()
                    && let Some(instance) = instances.get_mut(arrival.instance)
                {
                    // The poll wakes on data: the heartbeat is handled at once, then the loop turns.
                    if instance.receiver.heartbeat(now, arrival.effect) {
                        instance.publisher.request();
                        happenings.push((now, instance.checked(arrival.instance, true)));
                    }
                    instance.next_receive = now;
                }
                continue;
            }
            for (index, instance) in instances.iter_mut().enumerate() {
                if instance.next_receive == now {
                    if instance.receiver.turn(now) {
                        instance.publisher.request();
                        happenings.push((now, instance.checked(index, false)));
                    }
                    instance.next_receive =
                        now + TEN_MILLISECONDS + lateness(VehicleLoop::Receiver);
                }
                if instance.next_publish == now {
                    if let Some(report) = instance.publisher.turn(now, instance.receiver.flag()) {
                        instance.unread = Some(report);
                        let present = report.ground_station_present;
                        happenings.push((
                            now,
                            Happening::Reported {
                                instance: index,
                                present,
                            },
                        ));
                    }
                    instance.next_publish =
                        now + self.publisher_sleep + lateness(VehicleLoop::Publisher);
                }
            }
            if next_cycle == now {
                if std::mem::take(&mut after_loss) {
                    happenings.push((now, Happening::CycleAfterLoss));
                }
                let newest = instances.iter_mut().filter_map(|i| i.unread.take());
                match commander.cycle(now, newest) {
                    Some(CommanderChange::Lost) => {
                        happenings.push((now, Happening::Lost));
                        after_loss = true;
                    }
                    Some(CommanderChange::Regained) => happenings.push((now, Happening::Regained)),
                    None => {}
                }
                next_cycle = now + TEN_MILLISECONDS + lateness(VehicleLoop::Commander);
            }
        }
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
