//! The window: shows what the session says and decides nothing about failsafes.
//!
//! [`HeartlineApp`] is the frame loop. Its `logic` takes in what the source tells; its `ui` lays out the
//! panels. Panels read a scene and return commands, and the frame loop carries those out in one place.

mod alarm_bar;
mod alarms;
mod analysis;
mod command;
mod direction_words;
mod directions;
mod file_dialog;
mod glance;
mod header;
mod heartline_app;
mod help;
mod live;
mod opened;
mod opening;
mod other_failsafe;
mod phrases;
mod ratio_series;
mod scene;
mod settings;
mod settings_panel;
mod shortcuts;
mod side;
mod speaking;
mod start_page;
mod statements;
mod strips;
mod theme;
mod time_axis;
mod time_format;
mod tone_mark;
mod transport;
mod transport_bar;
mod what_if;
mod words;

pub use heartline_app::{HeartlineApp, JOINED, Opener};
pub use opening::Opening;
pub use settings::SettingsFile;
pub use theme::Appearance;
