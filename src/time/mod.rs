//! Time as a value.
//!
//! Every instant in Heartline is a [`Micros`]: whole microseconds on one named timeline (the ground
//! clock of a recording, the vehicle's boot clock, the monotonic clock of a live link). Nothing below
//! the edges of the program reads a clock: "now" is an argument, so a ten-minute flight is tested in a
//! millisecond and a replay computes what the live view computed.
//!
//! Integers rather than floating seconds: `4.1 - 3.1 >= 1.0` is false in `f64`, and a failsafe rule
//! that is decided by such a comparison settles one cycle late.

mod bounds;
mod format;
mod micros;
mod span;
mod timeline;

pub use bounds::Bounds;
pub use format::{ClockTime, Seconds};
pub use micros::Micros;
pub use span::Span;
pub use timeline::Timeline;
