//! Where observations come from: bytes on a wire, recordings, logs.

pub mod mavlink;
