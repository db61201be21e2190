//! Alarms of a live link: what calls the operator, and what became of it.
//!
//! [`AlarmKind`] says what there is to be alarmed about and how long it must stand; [`AlarmDesk`] raises, clears
//! and keeps the log, with time as an argument; [`causes`] reads the causes off the present of a link. How an
//! alarm looks is elsewhere.

mod causes;
mod desk;
mod kind;

pub(super) use causes::{Present, causes};
pub(super) use desk::{AlarmDesk, AlarmEntry};
pub(super) use kind::AlarmKind;
