//! Telemetry logs (`.tlog`): what a ground station received and sent, each frame with the time at which
//! the ground's clock saw it.
//!
//! A record is eight bytes of time, microseconds since the Unix epoch, most significant byte first,
//! followed by one MAVLink frame. There is no header, no index and no length: the frame says where the
//! next record begins. MAVProxy writes the number of the link into the two lowest bits of the time (3: it
//! sent the frame itself); some ground stations on little-endian computers wrote the time the other way
//! round; `.tlog.raw` and `.rlog` files hold the frames without any time.

mod reader;
mod source;
mod stamp;
mod survey;
mod writer;

pub use reader::{TlogItem, TlogReader, TlogRecord};
pub use source::{DamageTally, TlogSummary, read_tlog};
pub use stamp::ByteOrder;
pub use survey::NotATlog;
pub use writer::TlogWriter;

pub(crate) use source::read_records;
pub(crate) use survey::{Layout, Survey};
