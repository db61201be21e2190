use crossbeam_channel::Receiver;

use crate::observation::Observation;
use crate::time::Micros;

/// What a source tells its reader: the window's frame loop or the report's loop.
#[derive(Debug)]
pub enum SourceMessage {
    /// Observations in the order in which they were made.
    Batch(Vec<Observation>),
    /// It begins anew: what was observed before belongs to another round.
    Restarted,
    /// What time it is on the source's timeline, for one that runs in real time.
    Now(Micros),
    /// How far a file has been read.
    Progress {
        /// Bytes read.
        read: u64,
        /// Bytes in all.
        total: u64,
    },
    /// The source has ended in good order: a file was read to its end.
    Finished,
    /// The source has ended with an error: one line for people, with what failed, where, what to do.
    Failed(String),
}

/// The kinds of sources, as far as the window behaves differently for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SourceKind {
    /// A recording: time is what the transport bar says.
    Log,
    /// A live link: time is now.
    Live,
    /// A scenario played in real time.
    Demo,
}

/// A running source. Dropping it asks its thread to stop; the thread never blocks on a full queue for
/// longer than it takes to notice that.
#[derive(Debug)]
pub struct SourceHandle {
    /// For people: the file's name, the address, the scenario's name.
    pub title: String,
    /// How the window treats it.
    pub kind: SourceKind,
    /// Where its messages arrive. Bounded: a source that is faster than its reader waits (a file) or
    /// counts what it had to drop (a link).
    pub messages: Receiver<SourceMessage>,
}
