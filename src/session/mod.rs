//! The engine: folds observations into talkers, vehicles, link losses, estimator episodes and series.
//!
//! Deterministic: the same observations give the same session, live or replayed, in one batch or in
//! thousands.

mod lane;
mod series;
mod track;
mod view;

pub use lane::{Lane, LaneMark};
pub use series::{Extremes, Series, SeriesPoint};
pub use track::Track;
pub use view::{
    CountdownPoint, CountedTalker, Downlink, EventEntry, FlagSegment, FlagState, LinkState,
    LinkView, ReportMark, Severity, Uplink, Without,
};
