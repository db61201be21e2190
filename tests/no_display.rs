//! Started where no window can be opened, the program says so and reports instead; it never waits.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test of the program as it is called"
)]

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A report takes a second; what takes this long waits for something.
const DEADLINE: Duration = Duration::from_mins(1);
const POLL: Duration = Duration::from_millis(20);

/// What came of a run.
struct Outcome {
    code: Option<i32>,
    out: String,
    complaint: String,
}

/// Runs the program without a display, with DISPLAY as given if it is.
fn run(source: &str, display: Option<&str>) -> Outcome {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heartline"));
    command
        .arg(source)
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("WAYLAND_SOCKET")
        .env_remove("DISPLAY")
        .envs(display.map(|name| ("DISPLAY", name)))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // Read while it runs: a report may be longer than a pipe holds.
    let out = reader(child.stdout.take().unwrap());
    let complaint = reader(child.stderr.take().unwrap());
    let code = code_of(&mut child, source);
    Outcome {
        code,
        out: out.join().unwrap(),
        complaint: complaint.join().unwrap(),
    }
}

fn reader(mut pipe: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::Builder::new()
        .name("pipe".to_owned())
        .spawn(move || {
            let mut text = String::new();
            pipe.read_to_string(&mut text).unwrap();
            text
        })
        .unwrap()
}

fn code_of(child: &mut Child, source: &str) -> Option<i32> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        if begun.elapsed() > DEADLINE {
            child.kill().ok();
            child.wait().ok();
            panic!("`heartline {source}` has not ended after {DEADLINE:?}");
        }
        std::thread::sleep(POLL);
    }
}

fn recording() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/px4/s06_mission_comp0872_T10_hold_inc0143.tlog")
        .display()
        .to_string()
}

/// What `heartline report` writes of the recording.
fn report() -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_heartline"))
        .args(["report", &recording()])
        .output()
        .unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn without_a_display_a_recording_is_reported_on() {
    // Set but empty is not set.
    for display in [None, Some("")] {
        let outcome = run(&recording(), display);
        assert_eq!(outcome.code, Some(0), "{}", outcome.complaint);
        assert_eq!(
            outcome.complaint.lines().count(),
            1,
            "{}",
            outcome.complaint
        );
        for word in ["no display", "DISPLAY", "ssh -X", "report"] {
            assert!(outcome.complaint.contains(word), "{}", outcome.complaint);
        }
        assert!(!outcome.out.is_empty());
        assert_eq!(outcome.out, report());
    }
}

#[test]
fn a_display_that_does_not_answer_is_told_and_reported_on_as_well() {
    let outcome = run(&recording(), Some(":not-there"));
    assert_eq!(outcome.code, Some(0), "{}", outcome.complaint);
    for word in [":not-there", "check the display", "here is the report"] {
        assert!(outcome.complaint.contains(word), "{}", outcome.complaint);
    }
    // Not where in a library it failed.
    for word in [".rs", "cargo", "registry"] {
        assert!(!outcome.complaint.contains(word), "{}", outcome.complaint);
    }
    assert_eq!(outcome.out, report());
}

#[test]
fn a_live_link_without_a_display_ends_at_once() {
    let outcome = run("udpin:127.0.0.1:14599", None);
    assert_eq!(outcome.code, Some(2), "{}", outcome.complaint);
    assert!(outcome.out.is_empty(), "{}", outcome.out);
    assert!(
        outcome.complaint.contains("a live link has no end"),
        "{}",
        outcome.complaint
    );
    assert!(
        !outcome.complaint.contains("here is the report"),
        "{}",
        outcome.complaint
    );
}
