//! Exit codes, as the help and the README give them.

/// A report gives cause for something that `--fail-on` names.
pub(super) const CONCERN: u8 = 1;
/// A source could not be opened or read, an argument is wrong, or the output could not be written.
pub(super) const BAD_INPUT: u8 = 2;
