//! The live side: the one thread that owns a connection, and everything that it may send.
//!
//! Nobody else reads, writes or configures the link; others post commands and read the status. Nothing
//! is sent before the operator switches transmitting on, and no heartbeat goes out unless the window's
//! frame loop has fed the watchdog.

mod backoff;
mod clock_watch;
mod command;
mod feed;
mod handle;
mod heartbeats;
mod opener;
mod recorder;
mod slot_timer;
mod status;
mod thread;
pub mod transport;

pub use command::{LinkCommand, TransmitSettings};
pub use feed::{FeedGauge, UiFeeder, feed_pair};
pub use handle::{LinkHandle, LinkOptions, open};
pub use heartbeats::{Heartbeats, Slot};
pub use recorder::usual_recording_folder;
pub use slot_timer::SlotTimer;
pub use status::{LinkState, LinkStatus};
