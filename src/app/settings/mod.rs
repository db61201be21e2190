//! What the operator set for good: the look, the scale, the time zone, how to transmit, what was opened last.
//!
//! [`Settings`] are values; [`Document`] is their file's content with everything in it that this version does
//! not know; [`SettingsFile`] is where they are kept.

mod document;
mod file;

use crate::observation::Talker;

use super::live::TransmitChoice;
use super::theme::Appearance;

pub(super) use document::Document;
pub use file::SettingsFile;

/// So many of the sources opened last are offered again.
const RECENT: usize = 8;

/// The settings.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Settings {
    pub appearance: Appearance,
    /// Of everything, 1 being as designed; 0.5 to 3.
    pub scale: f32,
    /// `UTC`, `local`, or a name such as `Europe/Berlin`.
    pub time_zone: String,
    /// Our ids and the watchdog's timeout, offered before transmitting is switched on. That it is on is never
    /// kept.
    pub talker: Talker,
    /// In seconds, 2 to 3600.
    pub watchdog_s: u16,
    /// The sources opened last, newest first.
    pub recent: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        let usual = TransmitChoice::default();
        Self {
            appearance: Appearance::default(),
            scale: 1.0,
            time_zone: "UTC".to_owned(),
            talker: usual.talker,
            watchdog_s: usual.timeout_s,
            recent: Vec::new(),
        }
    }
}

impl Settings {
    /// Notes that `source` was opened.
    pub(super) fn opened(&mut self, source: &str) {
        self.recent.retain(|other| other != source);
        self.recent.insert(0, source.to_owned());
        self.recent.truncate(RECENT);
    }

    /// What is offered before transmitting.
    pub(super) const fn transmit(&self) -> TransmitChoice {
        TransmitChoice {
            talker: self.talker,
            without_vehicle: false,
            timeout_s: self.watchdog_s,
        }
    }
}
