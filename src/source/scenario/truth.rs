use crate::rules::ekf::CheckEvent;
use crate::time::Micros;

use super::model::Asked;

/// What happened on a simulated vehicle: all that the ground cannot see, in order of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlightTruth {
    /// The entries.
    pub entries: Vec<TruthEntry>,
}

/// One thing that happened on the vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TruthEntry {
    /// When, on the ground's timeline.
    pub at: Micros,
    /// When, on the vehicle's: the same until its clock is sped up.
    pub vehicle: Micros,
    /// What.
    pub event: TruthEvent,
}

/// What can happen on a simulated vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TruthEvent {
    /// A message that counts as a sign of the ground station was taken in.
    Heard,
    /// A PX4 receiver's flag changed.
    Flag {
        /// Its MAVLink instance.
        instance: usize,
        /// What it says now.
        present: bool,
    },
    /// A PX4 instance reported its flag.
    Reported {
        /// The MAVLink instance.
        instance: usize,
        /// What it said.
        present: bool,
    },
    /// ArduPilot found the link too old.
    LinkTooOld,
    /// ArduPilot found the link young enough again.
    LinkInTime,
    /// The loss of the ground station was declared.
    Lost {
        /// The instant that its timer ran from, on the ground's timeline: PX4's last report that said
        /// present, the check that started Rover's FS_TIMEOUT, else the last message that counted.
        start_line: Micros,
        /// Rover announced it as a radio failsafe.
        named_radio: bool,
    },
    /// The loss was over.
    Regained,
    /// The EKF check's count became this.
    EkfCount(u8),
    /// The EKF failsafe tripped, cleared, or stopped while tripped.
    Ekf(CheckEvent),
    /// The mode became the one with this number of a HEARTBEAT.
    Mode {
        /// custom_mode.
        number: u32,
        /// Who changed it.
        by: ChangeCause,
    },
    /// Armed or disarmed.
    Armed {
        /// The state now.
        armed: bool,
        /// Who changed it.
        by: ChangeCause,
    },
}

/// Who changed mode or arming.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeCause {
    /// Somebody's command.
    Command,
    /// The loss of the ground station.
    LinkLoss,
    /// The estimator's failsafe.
    Estimator,
}

impl TruthEvent {
    /// Whether it is what the vehicle does about the loss of its ground station.
    const fn is_action(self) -> bool {
        matches!(
            self,
            Self::Mode {
                by: ChangeCause::LinkLoss,
                ..
            } | Self::Armed {
                by: ChangeCause::LinkLoss,
                ..
            }
        )
    }
}

impl FlightTruth {
    /// When what is asked about happens for the first time from `from` on; `None` if it does not.
    #[must_use]
    pub fn answer(&self, about: Asked, from: Micros) -> Option<Micros> {
        if about == Asked::FlagFalls {
            return self.all_flags_fall(from);
        }
        self.entries
            .iter()
            .filter(|entry| entry.at >= from)
            .find_map(|entry| {
                let happened = match (about, entry.event) {
                    (Asked::StartLine, TruthEvent::Lost { start_line, .. }) => {
                        return Some(start_line);
                    }
                    (Asked::Loss, event) => matches!(event, TruthEvent::Lost { .. }),
                    (Asked::Action, event) => event.is_action(),
                    (Asked::Regained, event) => event == TruthEvent::Regained,
                    (Asked::EkfTrip, event) => event == TruthEvent::Ekf(CheckEvent::Tripped),
                    (Asked::EkfClear, event) => {
                        matches!(
                            event,
                            TruthEvent::Ekf(CheckEvent::Cleared | CheckEvent::Reset)
                        )
                    }
                    _ => false,
                };
                happened.then_some(entry.at)
            })
    }

    /// All losses, with the instants that their timers ran from.
    pub fn losses(&self) -> impl Iterator<Item = (Micros, Micros)> + '_ {
        self.entries.iter().filter_map(|entry| match entry.event {
            TruthEvent::Lost { start_line, .. } => Some((entry.at, start_line)),
            _ => None,
        })
    }

    /// When every instance's flag is down that was up before.
    fn all_flags_fall(&self, from: Micros) -> Option<Micros> {
        let mut up = Vec::new();
        for entry in &self.entries {
            let TruthEvent::Flag { instance, present } = entry.event else {
                continue;
            };
            up.retain(|i| *i != instance);
            if present {
                up.push(instance);
            } else if up.is_empty() && entry.at >= from {
                return Some(entry.at);
            }
        }
        None
    }
}
