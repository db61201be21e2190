use crate::time::Span;

use super::super::words::Tone;

/// What there is to be alarmed about. The order is that of urgency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::app) enum AlarmKind {
    /// The vehicle has declared its ground station lost, or does so now.
    Lost,
    /// The link is dead one way: the vehicle is not heard, or its receive counter stands still.
    OneWay,
    /// Checks of the estimator fail: the EKF failsafe may trip.
    EkfRising,
    /// Our heartbeats were withheld because this window stalled.
    WatchdogExpired,
    /// Another ground station keeps the failsafe from firing if we fall silent.
    Masked,
    /// Somebody else talks with our ids.
    IdClash,
    /// What passes is not being recorded any more.
    NotRecording,
}

impl AlarmKind {
    /// All, the most urgent first.
    pub(in crate::app) const ALL: [Self; 7] = [
        Self::Lost,
        Self::OneWay,
        Self::EkfRising,
        Self::WatchdogExpired,
        Self::Masked,
        Self::IdClash,
        Self::NotRecording,
    ];

    /// Its name.
    pub(in crate::app) const fn name(self) -> &'static str {
        match self {
            Self::Lost => "Link lost",
            Self::OneWay => "Link dead one way",
            Self::EkfRising => "EKF failsafe ahead",
            Self::WatchdogExpired => "Heartbeats withheld",
            Self::Masked => "Masked by another",
            Self::IdClash => "Ids used twice",
            Self::NotRecording => "Not recording",
        }
    }

    /// How loud it is.
    pub(in crate::app) const fn tone(self) -> Tone {
        match self {
            Self::Lost | Self::OneWay | Self::EkfRising | Self::WatchdogExpired => Tone::Alarm,
            Self::Masked | Self::IdClash | Self::NotRecording => Tone::Warning,
        }
    }

    /// For how long its cause must stand before it is raised. What rests on single frames waits for more of
    /// them; what a rule or the system says outright does not.
    pub(in crate::app) const fn raise_after(self) -> Span {
        match self {
            Self::Lost | Self::WatchdogExpired | Self::NotRecording => Span::ZERO,
            Self::EkfRising => Span::from_millis(300),
            Self::OneWay | Self::IdClash => Span::from_secs(2),
            Self::Masked => Span::from_secs(5),
        }
    }

    /// For how long its cause must be gone before it is cleared: a link on the edge must not ring with every
    /// frame.
    pub(in crate::app) const fn clear_after(self) -> Span {
        match self {
            Self::Lost | Self::EkfRising => Span::from_secs(2),
            Self::OneWay | Self::WatchdogExpired | Self::NotRecording => Span::from_secs(5),
            Self::Masked | Self::IdClash => Span::from_secs(10),
        }
    }
}
