//! Heartline: does the vehicle still count us as present, when exactly will it give up on us, and why?
//!
//! The modules in the order in which they depend on each other, which is also the order to read them:
//!
//! 1. [`time`]: instants, spans and intervals of one timeline.
//! 2. [`observation`]: what was seen, when, from whom.
//! 3. [`rules`]: how autopilots decide; pure, no clock, no I/O.
//! 4. [`session`]: folds observations into talkers, vehicles, incidents and series.
//! 5. [`source`]: where observations come from: bytes on a wire, recordings, logs, scenarios.
//! 6. [`link`]: the one thread that owns a live connection, and our honest heartbeats.
//! 7. [`training`]: predictions, their scores, and a loss flown over all phases.
//! 8. [`report`]: an analysed session as text and JSON.
//! 9. [`app`]: the window; it shows what the session says.
//! 10. [`cli`]: the command line.

pub mod app;
pub mod cli;
pub mod link;
pub mod observation;
pub mod report;
pub mod rules;
pub mod session;
pub mod source;
pub mod time;
pub mod training;
