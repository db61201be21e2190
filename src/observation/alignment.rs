use std::fmt;

use crate::time::{Seconds, Span};

use super::Talker;

/// How the clock of one recording was brought onto the timeline of another of the same flight.
///
/// Announced once for a path, before anything else of it: what follows on that path has been carried over
/// already.
#[derive(Clone, Debug, PartialEq)]
pub struct ClockAlignment {
    /// The recording, for people.
    pub name: String,
    /// The vehicle whose clock or whose deeds both recordings hold. An on-board log is its own.
    pub vehicle: Talker,
    /// Whether it is the vehicle's own log.
    pub on_board: bool,
    /// What the two were compared by.
    pub method: AlignmentMethod,
    /// What is added to a time of this recording, as of its middle. A clock that runs at another rate
    /// has no constant difference: there it holds at the middle alone.
    pub offset: Span,
    /// Nine tenths of the compared pairs agree within this.
    pub residual: Span,
    /// How many pairs were compared.
    pub pairs: usize,
    /// How many things that happened (arming, modes, texts, events) stand in both at the same time.
    pub agreeing: usize,
    /// What was added by hand on top of what was found.
    pub nudge: Span,
    /// What was taken for granted, in words.
    pub assumed: Vec<String>,
}

/// What two recordings of one flight have in common that gives the difference of their clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlignmentMethod {
    /// The vehicle's time since boot: it stands in its messages, and its log runs on it.
    BootTime,
    /// Things that happened: arming, modes, texts, events.
    Happenings,
}

impl fmt::Display for AlignmentMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BootTime => "the vehicle's time since boot",
            Self::Happenings => "what happened in both (arming, modes, texts)",
        })
    }
}

impl fmt::Display for ClockAlignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: clocks aligned by {}, offset {} s, residual {} s over {} pairs",
            self.name,
            self.method,
            Seconds::millis(self.offset),
            Seconds::millis(self.residual),
            self.pairs,
        )?;
        if self.method == AlignmentMethod::BootTime {
            write!(f, "; {} happenings agree", self.agreeing)?;
        }
        if self.nudge != Span::ZERO {
            write!(f, "; moved by hand by {} s", Seconds::millis(self.nudge))?;
        }
        for assumption in &self.assumed {
            write!(f, "; assumed: {assumption}")?;
        }
        Ok(())
    }
}
