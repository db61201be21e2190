//! One loss flown over and over, with every phase that nobody controls drawn anew.

use crate::observation::EkfFlags;
use crate::rules::ardupilot::{
    ArdupilotHappening, CheckTurns, Estimate, GcsRule, GcsWindow, SimulatedArdupilot,
};
use crate::rules::ekf::Ratios;
use crate::rules::px4::{
    FlagRule, HeartbeatArrival, HeartbeatEffect, LoopTiming, Px4Version, Silence, SimulatedVehicle,
    VehicleLoop, heartbeat_effect, loss_window, start_line_unknown_talkers, start_lines,
};
use crate::source::scenario::{Scenario, ScenarioFirmware, Sends, TalkerKind};
use crate::time::{Bounds, Micros, Span};

/// What is swept: the vehicle, and who else talks to it when its ground station falls silent.
#[derive(Clone, Debug, PartialEq)]
pub enum Swept {
    /// PX4: the phases of its three loops and of every companion.
    Px4 {
        /// Its rules; one with a flag (v1.12 and later).
        version: Px4Version,
        /// COM_DL_LOSS_T.
        com_dl_loss_t: Span,
        /// The periods of those whose heartbeats force a check.
        companions: Vec<Span>,
    },
    /// ArduPilot: the phases of its main loop and of its checks.
    ArduPilot {
        /// Its GCS failsafe.
        rule: GcsRule,
        /// The number of its mode.
        mode: u32,
    },
}

/// A loss to be flown many times.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// The vehicle.
    pub swept: Swept,
    /// How often; at most [`Self::MOST_RUNS`].
    pub runs: usize,
    /// The same seed gives the same result.
    pub seed: u64,
}

/// The delays from the last heartbeat to the loss.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SweepResult {
    /// Each run's, in order of length. A run without a loss, for which the rule has a reason, is left out.
    delays: Vec<Span>,
    /// What the rules allow: the earliest and the latest delay; `None` where nothing fires.
    pub theory: Option<(Span, Span)>,
}

/// The last heartbeat of the ground station arrives here in every run.
const LAST: Micros = Micros::from_micros(10_000_000);
/// The loops run this long before it, so that their phases are drawn and nothing else is.
const LEAD: Span = Span::from_millis(50);
/// How late a turn of ArduPilot's main loop may begin.
const LATENESS: Span = Span::from_micros(300);

impl Sweep {
    /// More than this shows nothing new and takes its time.
    pub const MOST_RUNS: usize = 1_000_000;

    /// The loss of the ground station in a scenario, without what else goes on in it.
    #[must_use]
    pub fn of(scenario: &Scenario, runs: usize) -> Self {
        let swept = match (scenario.vehicle.firmware, scenario.ardupilot_rules()) {
            (ScenarioFirmware::Px4(major, minor, _), _) => Swept::Px4 {
                version: Px4Version::of_release(major, minor),
                com_dl_loss_t: seconds(scenario.parameter("COM_DL_LOSS_T", 10.0)),
                companions: companions(scenario),
            },
            (ScenarioFirmware::ArduPilot(kind, major, minor, _), rules) => Swept::ArduPilot {
                rule: rules.map_or_else(
                    || GcsRule::select(kind, (major, minor), &|_| None),
                    |(rule, _)| rule,
                ),
                mode: scenario.mode_number(),
            },
        };
        Self {
            swept,
            runs,
            seed: scenario.seed,
        }
    }

    /// Flies all runs.
    #[must_use]
    pub fn run(&self) -> SweepResult {
        let mut draw = Draw(self.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let runs = self.runs.min(Self::MOST_RUNS);
        let mut delays: Vec<Span> = match &self.swept {
            Swept::Px4 {
                version,
                com_dl_loss_t,
                companions,
            } => (0..runs)
                .filter_map(|_| fly_px4(*version, *com_dl_loss_t, companions, &mut draw))
                .collect(),
            Swept::ArduPilot { rule, mode } => (0..runs)
                .filter_map(|_| fly_ardupilot(rule, *mode, &mut draw))
                .collect(),
        };
        delays.sort_unstable();
        SweepResult {
            delays,
            theory: self.theory(),
        }
    }

    /// What the rules allow, whatever the phases.
    fn theory(&self) -> Option<(Span, Span)> {
        let last = Bounds::exact(LAST);
        let loss = match &self.swept {
            Swept::Px4 {
                version,
                com_dl_loss_t,
                companions,
            } => {
                let rule = FlagRule::new(version.heartbeat_timeout()?);
                let timing = LoopTiming::FAST_LINK;
                let line = if companions.is_empty() {
                    let silence = Silence {
                        last_ground_heartbeat: last,
                        forced: &[],
                    };
                    start_lines(rule, timing, silence)
                        .into_iter()
                        .map(|line| line.report)
                        .reduce(Bounds::hull)?
                } else {
                    start_line_unknown_talkers(rule, timing, last)
                };
                loss_window(line, *com_dl_loss_t, timing.commander)
            }
            Swept::ArduPilot { rule, mode } => {
                match rule.window(last, &[(Micros::MIN, *mode)], Micros::MAX) {
                    // A turn begins up to its lateness late, and so does the check in it.
                    GcsWindow::Fires { at, .. } => at.later_by(-LATENESS, LATENESS * 2),
                    GcsWindow::Silent(_) => return None,
                }
            }
        };
        Some((loss.earliest() - LAST, loss.latest() - LAST))
    }
}

/// Those aboard whose heartbeats force a check without counting as a ground station.
fn companions(scenario: &Scenario) -> Vec<Span> {
    let own = scenario.vehicle.system;
    scenario
        .talkers
        .iter()
        .filter(|t| t.sends == Sends::Heartbeat && t.kind != TalkerKind::GroundStation)
        .filter(|t| {
            let from = crate::observation::Talker::new(t.system, t.component);
            heartbeat_effect(own, from, t.kind.mav_type()) == HeartbeatEffect::ForcesCheck
        })
        .map(|t| seconds(t.period_s))
        .collect()
}

fn seconds(seconds: f64) -> Span {
    Span::from_secs_f64(seconds).unwrap_or_default()
}

fn fly_px4(
    version: Px4Version,
    com_dl_loss_t: Span,
    companions: &[Span],
    draw: &mut Draw,
) -> Option<Span> {
    /// No start line is later: the flag's 2.5 s, a check and a report.
    const SETTLED: Span = Span::from_secs(5);
    let at = |at, effect| HeartbeatArrival {
        at,
        instance: 0,
        effect,
    };
    let mut arrivals = vec![at(LAST, HeartbeatEffect::CountsAsGroundStation)];
    for period in companions {
        let period = (*period).max(Span::from_millis(20));
        let mut beat = LAST + draw.up_to(period);
        while beat < LAST + SETTLED {
            arrivals.push(at(beat, HeartbeatEffect::ForcesCheck));
            beat += period;
        }
    }
    arrivals.sort_by_key(|a| a.at);
    let vehicle = SimulatedVehicle {
        version,
        com_dl_loss_t,
        instances: 1,
        publisher_sleep: Span::from_micros(1_500),
        start: LAST - LEAD,
    };
    // The first answer of each loop is its phase.
    let mut phased = [false; 3];
    let mut lateness = |which| {
        let (index, period, most) = match which {
            VehicleLoop::Receiver => (0, 10_000, 200),
            VehicleLoop::Publisher => (1, 2_000, 500),
            VehicleLoop::Commander => (2, 10_000, 200),
        };
        let first = phased
            .get_mut(index)
            .is_some_and(|phased| !std::mem::replace(phased, true));
        draw.up_to(Span::from_micros(if first { period } else { most }))
    };
    let until = LAST + SETTLED + com_dl_loss_t + SETTLED;
    let loss = vehicle.first_loss(&arrivals, until, &mut lateness)?;
    Some(loss.at - LAST)
}

fn fly_ardupilot(rule: &GcsRule, mode: u32, draw: &mut Draw) -> Option<Span> {
    let vehicle = SimulatedArdupilot {
        gcs: rule.clone(),
        ekf: None,
        start: LAST - draw.up_to(rule.loop_period),
        turns: CheckTurns {
            link: draw.next() as u32,
            radio: draw.next() as u32,
            ekf: 0,
        },
        mode,
        armed: true,
    };
    let estimate = |_| Estimate {
        ratios: Ratios::default(),
        flags: EkfFlags(0),
    };
    let until = LAST + rule.link_timeout + rule.hold_time + Span::from_secs(2);
    let mut fired = None;
    vehicle.run(
        &[LAST],
        &[],
        &estimate,
        until,
        &mut || draw.up_to(LATENESS),
        &mut |at, what| {
            if matches!(what, ArdupilotHappening::Fired { .. }) {
                fired = Some(at - LAST);
            }
            fired.is_none()
        },
    );
    fired
}

/// A xorshift generator: its spread over phases is all that is asked of it.
struct Draw(u64);

impl Draw {
    const fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        // The low bits of neighbouring draws are not independent.
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32
    }

    fn up_to(&mut self, most: Span) -> Span {
        let count = most.as_micros().unsigned_abs().saturating_add(1);
        Span::from_micros((self.next() % count) as i64)
    }
}

impl SweepResult {
    /// Each run's delay, in order of length.
    #[must_use]
    pub fn delays(&self) -> &[Span] {
        &self.delays
    }

    /// The delay that `part` (0 to 1) of all runs do not exceed; `None` without runs.
    #[must_use]
    pub fn quantile(&self, part: f64) -> Option<Span> {
        let last = self.delays.len().checked_sub(1)?;
        // Nearest rank: a delay that was flown, never one in between.
        let rank = (part.clamp(0.0, 1.0) * self.delays.len() as f64).ceil() as usize;
        self.delays.get(rank.saturating_sub(1).min(last)).copied()
    }

    /// Which part (0 to 1) of all runs took no longer than `delay`: where one run stands among them.
    #[must_use]
    pub fn rank(&self, delay: Span) -> f64 {
        let until = self.delays.partition_point(|d| *d <= delay);
        until as f64 / self.delays.len().max(1) as f64
    }

    /// How many runs fall into each of `bins` equal parts of `from..=to`; what lies outside is in none.
    #[must_use]
    pub fn histogram(&self, from: Span, to: Span, bins: usize) -> Vec<usize> {
        let mut counts = vec![0; bins];
        let width = (to - from).as_micros().max(1);
        for delay in self.delays.iter().filter(|d| from <= **d && **d <= to) {
            let bin = i128::from((*delay - from).as_micros()) * bins as i128 / i128::from(width);
            let bin = (bin as usize).min(bins.saturating_sub(1));
            if let Some(count) = counts.get_mut(bin) {
                *count += 1;
            }
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::scenario::find;

    fn sweep(name: &str, runs: usize) -> SweepResult {
        Sweep::of(&find(name).expect("is built in"), runs).run()
    }

    #[test]
    fn every_delay_lies_within_the_theory_and_both_ends_are_attained() {
        for name in [
            "gcs-only",
            "loss-t-5",
            "companion-phase-under",
            "rover",
            "copter",
        ] {
            let result = sweep(name, 3_000);
            let (least, most) = result.theory.expect("it fires");
            let (first, last) = (result.delays()[0], result.delays()[2_999]);
            let told = format!("{name}: {first:?} to {last:?} of {least:?} to {most:?}");
            assert!(least <= first && last <= most, "{told}");
            // Two turns of the slowest loop that takes part, which is 20 ms everywhere.
            let slack = Span::from_millis(40);
            assert!(first - least <= slack, "{told}");
            // With a companion on the link, the latest end needs a talker of another period as well.
            assert!(
                name.starts_with("companion") || most - last <= slack,
                "{told}"
            );
        }
    }

    #[test]
    fn the_distribution_is_told_by_quantiles_ranks_and_bins() {
        let result = SweepResult {
            delays: [1, 2, 3, 4].map(Span::from_secs).to_vec(),
            theory: None,
        };
        assert_eq!(result.quantile(0.0), Some(Span::from_secs(1)));
        assert_eq!(result.quantile(0.5), Some(Span::from_secs(2)));
        assert_eq!(result.quantile(0.51), Some(Span::from_secs(3)));
        assert_eq!(result.quantile(1.0), Some(Span::from_secs(4)));
        assert_eq!(result.rank(Span::from_secs(2)).to_string(), "0.5");
        let bins = result.histogram(Span::from_secs(1), Span::from_secs(4), 3);
        assert_eq!(bins, [1, 1, 2]);
        assert!(result.histogram(Span::ZERO, Span::ZERO, 0).is_empty());
    }

    #[test]
    fn a_failsafe_that_is_off_has_no_delay() {
        let mut scenario = find("rover").expect("is built in");
        let off = crate::source::scenario::ParameterSetting::Integer(0);
        scenario
            .vehicle
            .parameters
            .insert("FS_GCS_ENABLE".to_owned(), off);
        let result = Sweep::of(&scenario, 50).run();
        assert_eq!(result.theory, None);
        assert_eq!(result.quantile(0.5), None);
    }

    #[test]
    fn the_same_seed_gives_the_same_distribution() {
        assert_eq!(sweep("gcs-only", 100), sweep("gcs-only", 100));
    }
}
