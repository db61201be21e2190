//! Several recordings of one flight on one timeline.
//!
//! The ground's recording and the vehicle's own log share one clock: the vehicle's time since boot. It
//! stands in many of its messages beside the ground's stamp, and its log runs on it. So the log is carried
//! over by the same mapping ([`VehicleClock`]) that carries the rules' instants, and whatever is constant in
//! it (the least delay of the downlink) is in both the reconstruction and the truth, and cancels out. Two
//! recordings of the ground share that clock as well, seen from two sides: each boot time that both have
//! gives one difference of their stamps.
//!
//! A boot time alone proves nothing, since every boot counts from zero: a log of yesterday fits any flight
//! that is long enough. What happened (arming, modes, texts, events with their own time) must agree, and it
//! also tells which of several boots the log is of. Where nothing happened that could agree, the pair is
//! taken together only if nothing else fits, and the assumption is told. Where much happened and nothing
//! agrees, the two are of different flights, and that is an error rather than a guess.
//!
//! A recording without boot times (only heartbeats and texts were kept) is aligned by what happened alone:
//! the one difference at which most of it agrees, if no other comes near.

use thiserror::Error;

use crate::observation::{AlignmentMethod, ClockAlignment, Talker};
use crate::time::{Micros, Seconds, Span};

use super::VehicleClock;
use super::agreement::{Agreement, LATE};
use super::clock_record::{ClockRecord, Happenings, LoggedSigns, Signs};

/// So many things must agree where nothing else gives the difference.
const ENOUGH: usize = 3;
/// So many things that do not agree, with none that does, are two flights.
const TOO_MANY: usize = 3;
/// Computers whose clocks agree within this were set by the same time.
const SAME_TIME: Span = Span::from_secs(60);
/// Pairs that are compared at most.
const PAIRS: usize = 2_000;

/// Why two recordings are not brought together.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AlignmentError {
    /// The recording to align with is no recording of the ground.
    #[error("a vehicle's own log is read beside a .tlog of the same flight; name the .tlog too")]
    NoGround,
    /// No vehicle is in both.
    #[error("no vehicle is in both recordings ({0}); are they of the same flight?")]
    NoVehicle(String),
    /// Their times of the vehicle do not meet.
    #[error(
        "the vehicle's time since boot runs over different ranges in the two recordings; are they of the \
         same flight?"
    )]
    Apart,
    /// Nothing that happened agrees.
    #[error(
        "{of} things happened (arming, modes, texts) while both recordings ran, and none of them at the \
         same time; are they of the same flight?"
    )]
    Disagree {
        /// How many there were.
        of: usize,
    },
    /// Nothing gives the difference of the clocks.
    #[error(
        "nothing gives the difference of their clocks: no message with a time since boot, and only {found} \
         things that happened agree (at least {ENOUGH} must, at one difference alone)"
    )]
    Undecided {
        /// How many agree at best.
        found: usize,
    },
}

/// How one recording is carried onto the timeline of another, and how good that is.
#[derive(Clone, Debug)]
pub struct Alignment {
    /// The vehicle that both hold.
    pub vehicle: Talker,
    /// What the two were compared by.
    pub method: AlignmentMethod,
    /// What is added to a time of the recording, at its middle.
    pub offset: Span,
    /// Nine tenths of the compared pairs agree within this.
    pub residual: Span,
    /// How many pairs were compared.
    pub pairs: usize,
    /// How many things that happened agree.
    pub agreeing: usize,
    /// What was taken for granted, in words.
    pub assumed: Vec<String>,
    nudge: Span,
    carry: Carry,
}

#[derive(Clone, Debug)]
enum Carry {
    Constant(Span),
    /// By the vehicle's clock, in the boot that ran at the ground's `around`.
    Boot {
        clock: VehicleClock,
        around: Micros,
    },
}

impl Alignment {
    /// Moves everything by hand on top of what was found. Positive is later.
    #[must_use]
    pub fn nudged(mut self, nudge: Span) -> Self {
        self.nudge = nudge;
        self
    }

    /// What was added by hand.
    #[must_use]
    pub const fn nudge(&self) -> Span {
        self.nudge
    }

    /// It as what the recording's path announces: `name` is the file's.
    #[must_use]
    pub fn announcement(&self, name: String, on_board: bool) -> ClockAlignment {
        ClockAlignment {
            name,
            vehicle: self.vehicle,
            on_board,
            method: self.method,
            offset: self.offset + self.nudge,
            residual: self.residual,
            pairs: self.pairs,
            agreeing: self.agreeing,
            nudge: self.nudge,
            assumed: self.assumed.clone(),
        }
    }

    /// A time of the recording on the other's timeline.
    #[must_use]
    pub fn carry(&self, at: Micros) -> Micros {
        let carried = match &self.carry {
            Carry::Constant(offset) => at + *offset,
            Carry::Boot { clock, around } => {
                clock.ground_at(at, *around).unwrap_or(at + self.offset)
            }
        };
        carried + self.nudge
    }
}

/// Brings the recording `other` onto the timeline of `ground`.
///
/// # Errors
/// Where the two have nothing in common that gives the difference of their clocks, or contradict each other.
pub fn align(ground: &ClockRecord, other: &ClockRecord) -> Result<Alignment, AlignmentError> {
    if ground.is_on_board() {
        return Err(AlignmentError::NoGround);
    }
    match &other.logged {
        Some(log) => align_log(ground, log),
        None => align_ground(ground, other),
    }
}

fn align_log(ground: &ClockRecord, log: &LoggedSigns) -> Result<Alignment, AlignmentError> {
    let vehicles: Vec<(&Talker, &Signs)> = ground
        .vehicles
        .iter()
        .filter(|(_, signs)| signs.is_vehicle)
        .collect();
    let mine: Vec<(&Talker, &Signs)> = vehicles
        .iter()
        .filter(|(talker, _)| log.system.is_none_or(|system| system == talker.system))
        .copied()
        .collect();
    let mut assumed = Vec::new();
    if log.system.is_none() {
        assumed.push(match mine.as_slice() {
            [(only, _)] => format!("the log is of vehicle {only}: it does not tell its id"),
            _ => "the log is of the vehicle whose deeds agree best: it does not tell its id"
                .to_owned(),
        });
    }
    let mut best: Option<Alignment> = None;
    let mut error = AlignmentError::NoVehicle(ids(log.system, &vehicles));
    for (talker, signs) in mine {
        let found = if signs.clock.is_known() {
            by_boot(*talker, signs, log)
        } else {
            by_happenings(*talker, &signs.happenings, &log.happenings)
        };
        match found {
            Ok(found) if best.as_ref().is_none_or(|b| found.agreeing > b.agreeing) => {
                best = Some(found);
            }
            Ok(_) => {}
            Err(reason) => error = reason,
        }
    }
    let mut best = best.ok_or(error)?;
    best.assumed.extend(assumed);
    Ok(best)
}

fn ids(system: Option<u8>, vehicles: &[(&Talker, &Signs)]) -> String {
    let heard: Vec<String> = vehicles
        .iter()
        .map(|(talker, _)| talker.to_string())
        .collect();
    let heard = if heard.is_empty() {
        "none".to_owned()
    } else {
        heard.join(", ")
    };
    match system {
        Some(system) => format!("the log is of system {system}, the ground heard {heard}"),
        None => format!("the ground heard {heard}"),
    }
}

fn middle(log: &LoggedSigns) -> Micros {
    log.first + (log.last - log.first) / 2
}

/// The boot of the ground's record in which most agrees.
fn by_boot(vehicle: Talker, signs: &Signs, log: &LoggedSigns) -> Result<Alignment, AlignmentError> {
    let mut best: Option<(Agreement, Alignment)> = None;
    let mut overlapping = 0;
    let mut ties = 0;
    for around in signs.clock.boot_starts() {
        let pairs: Vec<(Micros, Micros)> = signs.clock.pairs_around(around).collect();
        let (Some(first), Some(last)) = (pairs.first(), pairs.last()) else {
            continue;
        };
        if last.1 < log.first || first.1 > log.last {
            continue;
        }
        overlapping += 1;
        let clock = &signs.clock;
        let carry = |at| clock.ground_at(at, around);
        let agreement = Agreement::of(&signs.happenings, &log.happenings, first.0, last.0, carry);
        if let Some((known, _)) = &best {
            if known.agreeing > agreement.agreeing {
                continue;
            }
            ties = if known.agreeing == agreement.agreeing {
                ties + 1
            } else {
                0
            };
        }
        let off = pairs
            .iter()
            .step_by(pairs.len() / PAIRS + 1)
            .filter_map(|(ground, vehicle)| {
                Some((clock.ground_at(*vehicle, around)? - *ground).abs())
            })
            .collect();
        let (residual, compared) = within(off);
        let at = middle(log);
        let offset = clock.ground_at(at, around).unwrap_or(at) - at;
        let alignment = Alignment {
            vehicle,
            method: AlignmentMethod::BootTime,
            offset,
            residual,
            pairs: compared,
            agreeing: agreement.agreeing,
            assumed: Vec::new(),
            nudge: Span::ZERO,
            carry: Carry::Boot {
                clock: clock.clone(),
                around,
            },
        };
        best = Some((agreement, alignment));
    }
    let (agreement, mut best) = best.ok_or(AlignmentError::Apart)?;
    if agreement.agreeing == 0 && agreement.of >= TOO_MANY {
        return Err(AlignmentError::Disagree { of: agreement.of });
    }
    if agreement.agreeing == 0 && overlapping > 1 || ties > 0 {
        return Err(AlignmentError::Undecided {
            found: agreement.agreeing,
        });
    }
    if agreement.agreeing == 0 {
        best.assumed.push(
            "both recordings are of the same boot: nothing happened that stands in both".to_owned(),
        );
    }
    Ok(best)
}

/// Two recordings of the ground: the boot time of a vehicle that both heard, seen from two sides.
fn align_ground(ground: &ClockRecord, other: &ClockRecord) -> Result<Alignment, AlignmentError> {
    let mut best: Option<Alignment> = None;
    let mut error = AlignmentError::NoVehicle("two recordings of the ground".to_owned());
    for (talker, theirs) in &other.vehicles {
        let Some(ours) = ground.vehicles.get(talker) else {
            continue;
        };
        if !ours.is_vehicle && !theirs.is_vehicle {
            continue;
        }
        let found = if ours.clock.is_known() && theirs.clock.is_known() {
            by_two_clocks(*talker, ours, theirs)
        } else {
            by_happenings(*talker, &ours.happenings, &theirs.happenings)
        };
        match found {
            Ok(found) if best.as_ref().is_none_or(|b| found.pairs > b.pairs) => best = Some(found),
            Ok(_) => {}
            Err(reason) => error = reason,
        }
    }
    best.ok_or(error)
}

fn by_two_clocks(
    vehicle: Talker,
    ours: &Signs,
    theirs: &Signs,
) -> Result<Alignment, AlignmentError> {
    let mut best: Option<(Agreement, Alignment)> = None;
    for other_boot in theirs.clock.boot_starts() {
        for boot in ours.clock.boot_starts() {
            let Some(found) = two_boots(vehicle, (ours, boot), (theirs, other_boot)) else {
                continue;
            };
            let rank = |(agreement, found): &(Agreement, Alignment)| {
                (
                    agreement.agreeing,
                    found.offset.abs() <= SAME_TIME,
                    found.pairs,
                )
            };
            if best.as_ref().is_none_or(|b| rank(&found) > rank(b)) {
                best = Some(found);
            }
        }
    }
    let (agreement, mut best) = best.ok_or(AlignmentError::Apart)?;
    if agreement.agreeing == 0 {
        if best.offset.abs() > SAME_TIME {
            return Err(AlignmentError::Disagree { of: agreement.of });
        }
        best.assumed.push(format!(
            "both recordings are of the same boot: nothing happened that stands in both, but the clocks of \
             their computers agree within {} s",
            Seconds::millis(best.offset.abs())
        ));
    }
    Ok(best)
}

/// The difference of the stamps, if the recordings' boots `ours` and `theirs` are the same one.
fn two_boots(
    vehicle: Talker,
    (ours, boot): (&Signs, Micros),
    (theirs, other_boot): (&Signs, Micros),
) -> Option<(Agreement, Alignment)> {
    let pairs: Vec<(Micros, Micros)> = ours.clock.pairs_around(boot).collect();
    let (first, last) = (pairs.first()?, pairs.last()?);
    let common: Vec<(Micros, Micros)> = theirs
        .clock
        .pairs_around(other_boot)
        .filter(|(_, vehicle)| *vehicle >= first.1 && *vehicle <= last.1)
        .collect();
    let mut differences: Vec<Span> = common
        .iter()
        .step_by(common.len() / PAIRS + 1)
        .filter_map(|(stamp, vehicle)| Some(ours.clock.ground_at(*vehicle, boot)? - *stamp))
        .collect();
    let middle = differences.len() / 2;
    if differences.is_empty() {
        return None;
    }
    let offset = *differences.select_nth_unstable(middle).1;
    let (residual, pairs) = within(differences.iter().map(|d| (*d - offset).abs()).collect());
    let agreement = Agreement::of(
        &ours.happenings,
        &theirs.happenings,
        first.0,
        last.0,
        |at| Some(at + offset),
    );
    let alignment = Alignment {
        vehicle,
        method: AlignmentMethod::BootTime,
        offset,
        residual,
        pairs,
        agreeing: agreement.agreeing,
        assumed: Vec::new(),
        nudge: Span::ZERO,
        carry: Carry::Constant(offset),
    };
    Some((agreement, alignment))
}

/// The one difference of the clocks at which most of what happened agrees.
fn by_happenings(
    vehicle: Talker,
    ground: &Happenings,
    other: &Happenings,
) -> Result<Alignment, AlignmentError> {
    /// Beyond, every pair would be a million of them.
    const MOST: usize = 1_000;
    let mut differences: Vec<(Span, usize)> = Vec::new();
    for (index, (theirs, what)) in other.all.iter().take(MOST).enumerate() {
        let same = ground.all.iter().take(MOST).filter(|(_, w)| w == what);
        differences.extend(same.map(|(ours, _)| (*ours - *theirs, index)));
    }
    differences.sort_unstable();
    let count = |from: Span| {
        let mut seen: Vec<usize> = differences
            .iter()
            .skip(differences.partition_point(|(d, _)| *d < from))
            .take_while(|(d, _)| *d <= from + LATE)
            .map(|(_, index)| *index)
            .collect();
        seen.sort_unstable();
        seen.dedup();
        seen.len()
    };
    let counts: Vec<(usize, Span)> = differences.iter().map(|(d, _)| (count(*d), *d)).collect();
    let (found, offset) = counts
        .iter()
        .copied()
        .reduce(|a, b| if b.0 > a.0 { b } else { a })
        .unwrap_or_default();
    let rival = counts
        .iter()
        .filter(|(_, d)| (*d - offset).abs() > LATE + LATE)
        .map(|(count, _)| *count)
        .max()
        .unwrap_or_default();
    if found < ENOUGH || rival * 2 > found {
        return Err(AlignmentError::Undecided { found });
    }
    let off = differences
        .iter()
        .filter(|(d, _)| *d >= offset && *d <= offset + LATE)
        .map(|(d, _)| *d - offset)
        .collect();
    let (residual, pairs) = within(off);
    Ok(Alignment {
        vehicle,
        method: AlignmentMethod::Happenings,
        offset,
        residual,
        pairs,
        agreeing: found,
        assumed: vec![
            "what happened reached the ground at once: the difference may be late by the residual"
                .to_owned(),
        ],
        nudge: Span::ZERO,
        carry: Carry::Constant(offset),
    })
}

/// What nine tenths of them stay within, and how many they are.
fn within(mut off: Vec<Span>) -> (Span, usize) {
    let count = off.len();
    off.sort_unstable();
    let ninth = off.get((count * 9 / 10).min(count.saturating_sub(1)));
    (ninth.copied().unwrap_or_default(), count)
}
