//! The regular messages of a simulated vehicle.

use crate::observation::{
    Autopilot, AutopilotVersion, EkfStatusReport, EstimatorStatus, Heartbeat, LinkNodeStatus,
    MavType, Message, ParamType, ParamValue, SystemStatus,
};
use crate::rules::ardupilot::VehicleKind;
use crate::rules::ekf::{CheckEvent, Ratios};
use crate::time::{Micros, Span};

use super::announce::Announcement;
use super::check::mode_number;
use super::clock::SimulatedClock;
use super::estimator::Estimator;
use super::model::{ParameterSetting, Scenario, ScenarioFirmware, span};
use super::noise::Wandering;
use super::truth::{ChangeCause, FlightTruth, TruthEvent};

/// A vehicle's fastest messages come this far apart.
const TICK: Span = Span::from_millis(100);

/// All that the vehicle says of itself in regular messages, on its own timeline.
pub(super) struct Stream<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) clock: &'a SimulatedClock,
    pub(super) start: Micros,
    pub(super) boot: Micros,
    pub(super) truth: &'a FlightTruth,
    pub(super) estimator: &'a Estimator<'a>,
    /// When messages arrived at its first MAVLink instance, on its own timeline, in order.
    pub(super) received: &'a [Micros],
}

impl Stream<'_> {
    /// The messages, in no particular order.
    pub(super) fn messages(&self) -> Vec<Announcement> {
        let mut sent = Vec::new();
        let states = self.states();
        let px4 = matches!(self.scenario.vehicle.firmware, ScenarioFirmware::Px4(..));
        let until = self
            .clock
            .vehicle(self.start + span(self.scenario.duration_s));
        let mut wandering = Wandering::new(self.scenario.seed);
        let mut tick = 0_i64;
        loop {
            let at = self.start + TICK * tick;
            if at >= until {
                break;
            }
            let boot_ms = self.boot_ms(at);
            sent.push((at, 30, Message::BootClock { boot_ms }));
            if px4 && tick % 2 == 0 {
                let healthy = wandering.next();
                let status = self.estimator_status(at, healthy);
                sent.push((at, 230, Message::EstimatorStatus(status)));
            }
            match tick % 10 {
                1 => sent.push((at, 0, self.heartbeat(state_at(&states, at)))),
                3 => sent.push((at, 1, Message::Other)),
                6 if px4 => sent.push((at, 8, self.link_node_status(at))),
                _ => {}
            }
            if tick == 12 {
                self.introduce(at, &mut sent);
            }
            tick += 1;
        }
        if !px4 {
            self.ekf_reports(until, &mut sent);
            // ArduPilot shows a change of mode at once.
            for pair in states.windows(2) {
                if let [(_, before), (at, state)] = pair
                    && before.mode != state.mode
                {
                    sent.push((*at, 0, self.heartbeat(*state)));
                }
            }
        }
        sent
    }

    fn boot_ms(&self, at: Micros) -> u32 {
        ((at - self.boot).as_micros() / 1_000) as u32
    }

    fn ekf_reports(&self, until: Micros, sent: &mut Vec<Announcement>) {
        let apart = span(1.0 / self.scenario.estimator.report_hz).max(Span::from_millis(20));
        let mut at = self.start + Span::from_millis(17);
        while at < until {
            let estimate = self.estimator.at(at);
            let report = EkfStatusReport {
                velocity: estimate.ratios.velocity,
                position_horizontal: estimate.ratios.position,
                position_vertical: 0.08,
                compass: estimate.ratios.compass,
                terrain: 0.0,
                airspeed: Some(0.0),
                flags: estimate.flags,
            };
            sent.push((at, 193, Message::EkfStatusReport(report)));
            at += apart;
        }
    }

    fn estimator_status(&self, at: Micros, healthy: Ratios) -> EstimatorStatus {
        let ratios = if self.scenario.estimator.ratios.is_empty() {
            healthy
        } else {
            self.estimator.at(at).ratios
        };
        EstimatorStatus {
            time_us: u64::from(self.boot_ms(at)) * 1_000,
            velocity: ratios.velocity,
            position_horizontal: ratios.position,
            position_vertical: 0.08,
            compass: ratios.compass,
            height_above_ground: 0.0,
            airspeed: 0.0,
            flags: 831,
        }
    }

    fn link_node_status(&self, at: Micros) -> Message {
        let received = self.received.partition_point(|t| *t <= at) as u32;
        Message::LinkNodeStatus(LinkNodeStatus {
            time_us: u64::from(self.boot_ms(at)) * 1_000,
            messages_received: 4_000_u32.wrapping_add(received),
            messages_lost: 0,
            rx_rate: 60,
            tx_rate: 2_400,
        })
    }

    /// Version and parameters, as if the ground had asked.
    fn introduce(&self, at: Micros, sent: &mut Vec<Announcement>) {
        let vehicle = &self.scenario.vehicle;
        let (major, minor, patch) = vehicle.firmware.release();
        let version = AutopilotVersion {
            flight: [major, minor, patch, 255],
            revision: [0; 8],
            capabilities: 0,
            uid: 0,
        };
        sent.push((at, 148, Message::AutopilotVersion(version)));
        let px4 = matches!(vehicle.firmware, ScenarioFirmware::Px4(..));
        for (name, value) in &vehicle.parameters {
            let (raw, kind) = match value {
                ParameterSetting::Integer(i) if px4 => (i.to_le_bytes(), ParamType(6)),
                // ArduPilot sends every value as a real.
                ParameterSetting::Integer(i) => ((*i as f32).to_le_bytes(), ParamType(6)),
                ParameterSetting::Real(r) => (r.to_le_bytes(), ParamType(9)),
            };
            let name = name.as_str().into();
            sent.push((at, 22, Message::ParamValue(ParamValue { name, raw, kind })));
        }
    }

    fn heartbeat(&self, state: State) -> Message {
        let vehicle = &self.scenario.vehicle;
        let (autopilot, flags) = match vehicle.firmware {
            ScenarioFirmware::Px4(..) => (Autopilot::PX4, 0x1d),
            ScenarioFirmware::ArduPilot(..) => (Autopilot::ARDUPILOT, 0x01),
        };
        let armed = if state.armed { 128 } else { 0 };
        let px4 = autopilot == Autopilot::PX4;
        Message::Heartbeat(Heartbeat {
            mav_type: MavType(vehicle.mav_type),
            autopilot,
            base_mode: armed | flags,
            custom_mode: state.mode,
            system_status: if state.link || state.estimator {
                SystemStatus::CRITICAL
            } else if state.armed || px4 {
                SystemStatus::ACTIVE
            } else {
                SystemStatus::STANDBY
            },
        })
    }

    /// What its heartbeats say, from when on.
    fn states(&self) -> Vec<(Micros, State)> {
        let vehicle = &self.scenario.vehicle;
        let px4 = matches!(vehicle.firmware, ScenarioFirmware::Px4(..));
        // Plane alone does not show its EKF failsafe.
        let shows_estimator = !matches!(
            vehicle.firmware,
            ScenarioFirmware::ArduPilot(VehicleKind::Plane, ..)
        );
        let mut state = State {
            mode: mode_number(vehicle.firmware, &vehicle.mode).unwrap_or_default(),
            armed: vehicle.armed,
            link: false,
            estimator: false,
        };
        let mut states = vec![(Micros::MIN, state)];
        for entry in &self.truth.entries {
            match entry.event {
                TruthEvent::Mode { number, by } => {
                    state.mode = number;
                    // PX4 shows a failsafe while its reaction lasts, ArduPilot while the loss does.
                    if px4 {
                        state.link = by == ChangeCause::LinkLoss;
                    }
                }
                TruthEvent::Armed { armed, .. } => state.armed = armed,
                TruthEvent::Lost { .. } if !px4 => state.link = true,
                TruthEvent::Regained if !px4 => state.link = false,
                TruthEvent::Ekf(event) => {
                    state.estimator = shows_estimator && event == CheckEvent::Tripped;
                }
                _ => {}
            }
            states.push((entry.vehicle, state));
        }
        states.dedup_by_key(|(_, state)| *state);
        states
    }
}

/// What a heartbeat says of the vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    mode: u32,
    armed: bool,
    /// In a failsafe because of the link.
    link: bool,
    /// In a failsafe because of the estimator.
    estimator: bool,
}

fn state_at(states: &[(Micros, State)], at: Micros) -> State {
    let until = states.partition_point(|(since, _)| *since <= at);
    let found = until.checked_sub(1).and_then(|index| states.get(index));
    found.map_or(
        State {
            mode: 0,
            armed: false,
            link: false,
            estimator: false,
        },
        |(_, state)| *state,
    )
}
