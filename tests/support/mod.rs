//! What several tests share: where recordings lie, and how one becomes a session.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    unreachable_pub,
    reason = "each test binary uses its part of this; a broken fixture must stop the test"
)]

pub mod on_board;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use heartline::observation::{Observation, PathId};
use heartline::session::{Session, SessionSettings};
use heartline::source::tlog::read_tlog;

/// The folders that hold recordings of `kind` (`px4`, `ardupilot`, `watchdog`): our own, and those of
/// every root named in HEARTLINE_ACCEPTANCE.
pub fn folders(kind: &str) -> Vec<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let further = std::env::var_os("HEARTLINE_ACCEPTANCE").unwrap_or_default();
    std::iter::once(own)
        .chain(std::env::split_paths(&further))
        .map(|root| root.join(kind))
        .filter(|folder| folder.is_dir())
        .collect()
}

/// The files of `kind` with this extension, in order of name.
pub fn files(kind: &str, extension: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = folders(kind)
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).expect("folder is readable"))
        .map(|entry| entry.expect("entry is readable").path())
        .filter(|path| path.extension().is_some_and(|e| e == extension))
        .collect();
    files.sort();
    files
}

/// The sidecar of a recording: the truth.
pub fn sidecar(recording: &Path) -> serde_json::Value {
    let text = std::fs::read_to_string(recording.with_extension("json")).expect("has a sidecar");
    serde_json::from_str(&text).expect("is JSON")
}

/// All observations of a tlog.
pub fn observations_of(tlog: &Path) -> Vec<Observation> {
    let bytes = std::fs::read(tlog).expect("tlog is readable");
    let mut observations = Vec::new();
    read_tlog(&bytes, PathId::default(), &mut |observation| {
        observations.push(observation);
        ControlFlow::Continue(())
    })
    .unwrap_or_else(|e| panic!("{}: {e}", tlog.display()));
    observations
}

/// A tlog folded into a session.
pub fn session_of(tlog: &Path) -> Session {
    let mut session = Session::new(SessionSettings::default());
    for observation in observations_of(tlog) {
        session.observe(&observation);
    }
    session
}
