use crate::observation::Talker;
use crate::session::WhatIf;
use crate::time::Micros;

use super::live::TransmitChoice;
use super::settings::Settings;
use super::statements::Statement;

/// What the operator asks for, by key, button or pointer. Panels draw and return these; the frame loop
/// carries them out in one place.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Command {
    /// Play or pause; for a live source, hold the picture or return to the present.
    PlayPause,
    /// Move the moment by whole steps of a fiftieth of the visible range.
    Step(i32),
    /// Go to an instant.
    Seek(Micros),
    /// Go to the next (`true`) or the previous incident.
    Incident(bool),
    /// Go to the start of the record.
    Home,
    /// Go to its end; for a live source, to the present.
    End,
    /// Show less (`true`) or more time.
    Zoom(bool),
    /// Show the whole record.
    Fit,
    /// Let the axis follow the moment, or hold it.
    Follow,
    /// Play faster (`true`) or slower.
    ChangeSpeed(bool),
    /// Play at the speed of this index.
    Speed(usize),
    /// The next appearance.
    Appearance,
    /// Ask for a file.
    OpenDialog,
    /// Ask for another recording of the same flight.
    AddDialog,
    /// Open this source.
    Open(String),
    /// Close the source and return to the start page.
    Close,
    /// Show or hide the keys.
    Help,
    /// Show or hide the settings.
    Settings,
    /// Change the settings.
    Configure(Settings),
    /// Look at this vehicle.
    Vehicle(Talker),
    /// Look at this tab.
    Tab(Tab),
    /// Switch transmitting on the live link on or off.
    Transmit,
    /// With which ids and which watchdog it will be switched on.
    ChooseTransmit(TransmitChoice),
    /// Freeze this window for a while, to show what the watchdog does.
    Freeze,
    /// Take the operator's word for something about the vehicle looked at.
    State(Statement),
    /// Ask what would be under other circumstances; the default asks nothing.
    Ask(WhatIf),
    /// Note that all alarms were seen.
    Acknowledge,
    /// Put the error away.
    DismissError,
}

/// The tabs of the side panel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Tab {
    /// The explanation.
    #[default]
    Why,
    /// Who talks, and who counts.
    Talkers,
    /// What happened.
    Events,
    /// Parameters with their origin.
    Parameters,
    /// The same under other circumstances.
    WhatIf,
}

impl Tab {
    /// All, in the order shown.
    pub(super) const ALL: [Self; 5] = [
        Self::Why,
        Self::Talkers,
        Self::Events,
        Self::Parameters,
        Self::WhatIf,
    ];

    /// The word on the tab.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Why => "Why",
            Self::Talkers => "Talkers",
            Self::Events => "Events",
            Self::Parameters => "Parameters",
            Self::WhatIf => "What if",
        }
    }
}
