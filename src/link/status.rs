use crate::time::{Micros, Span};

/// Where a link stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LinkState {
    /// It is being opened.
    #[default]
    Connecting,
    /// It is open and nothing was heard yet.
    Waiting,
    /// Something was heard within the last seconds.
    Live,
    /// Nothing was heard for longer.
    Silent,
    /// It is down and will be tried again; why.
    Down(String),
}

/// A copy of what the link's thread knows of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkStatus {
    /// Where it stands.
    pub state: LinkState,
    /// Bytes received.
    pub bytes_in: u64,
    /// Bytes sent. Zero until transmitting was switched on.
    pub bytes_out: u64,
    /// Frames that did not leave to a peer because the system refused them.
    pub send_refused: u64,
    /// What it said of the last, until one leaves again.
    pub send_problem: Option<String>,
    /// Frames received.
    pub frames_in: u64,
    /// Our heartbeats that went out.
    pub heartbeats_sent: u64,
    /// Our heartbeats that the watchdog withheld.
    pub withheld_by_watchdog: u64,
    /// Our heartbeats that policy or a dead port withheld.
    pub withheld_by_policy: u64,
    /// Whether transmitting is on.
    pub transmitting: bool,
    /// The watchdog's timeout.
    pub watchdog_timeout: Span,
    /// The last feed that the thread knows of, monotonic.
    pub last_feed: Option<Micros>,
    /// When a frame last arrived, monotonic.
    pub last_frame: Option<Micros>,
    /// Who is at the other end.
    pub peers: Vec<String>,
    /// Batches that did not fit into the window's queue.
    pub overruns: u64,
    /// The file that everything is recorded to.
    pub recording: Option<String>,
    /// Why recording stopped, if it did.
    pub recording_failed: Option<String>,
}
