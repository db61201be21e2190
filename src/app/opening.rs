use crate::link::LinkHandle;
use crate::source::SourceHandle;

/// What an opener gives: a running source, and for a live link the way to speak to its thread.
#[derive(Debug)]
pub struct Opening {
    /// Tells what is seen.
    pub source: SourceHandle,
    /// Takes commands; only a live link has it.
    pub link: Option<LinkHandle>,
}

impl Opening {
    /// A source that only tells: a recording or a scenario.
    #[must_use]
    pub const fn recorded(source: SourceHandle) -> Self {
        Self { source, link: None }
    }
}
