//! The engine: folds observations into talkers, vehicles, link losses, estimator episodes and series.
//!
//! Deterministic: the same observations give the same session, live or replayed, in one batch or in
//! thousands.

mod agreement;
mod alignment;
mod ardupilot_facts;
mod ardupilot_link;
mod ardupilot_view;
mod clock;
mod clock_record;
mod damage_count;
mod doubt;
mod early_frames;
mod ekf_facts;
mod ekf_log;
mod engine;
mod estimator;
mod lane;
mod link;
mod logged;
mod own;
mod px4_action;
mod px4_arrivals;
mod px4_evidence;
mod px4_facts;
mod px4_link;
mod px4_log;
mod px4_log_strips;
mod px4_strips;
mod px4_view;
mod rate;
mod recordings;
mod sequence;
mod series;
mod silence;
mod talkers;
mod texts;
mod track;
mod vehicle;
mod view;
mod what_if;

pub use alignment::{Alignment, AlignmentError, align};
pub use clock::{LocalClock, VehicleClock};
pub use clock_record::ClockRecord;
pub use damage_count::{DamageCount, DamageTally};
pub use doubt::UNHEARD;
pub use engine::{Session, SessionSettings};
pub use estimator::EstimatorSample;
pub use lane::{Lane, LaneMark};
pub use logged::LoggedTrack;
pub use own::OwnTrack;
pub use recordings::Recordings;
pub use series::{Extremes, Series, SeriesPoint};
pub use talkers::{TalkerRole, TalkerTrack, Talkers};
pub use texts::JoinedText;
pub use track::Track;
pub use vehicle::{RoundTrip, UplinkProof, Vehicle};
pub use view::{
    CountdownPoint, CountedTalker, Downlink, EventEntry, FlagSegment, FlagState, LinkState,
    LinkStrips, LinkView, ReportMark, ReportOrigin, Severity, Uplink, UplinkState, Without,
};
pub use what_if::WhatIf;
