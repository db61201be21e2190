//! The one place that writes to the terminal.

use std::io::{self, IsTerminal as _, Write};

/// Writes a result to standard output. A reader that has closed the pipe (`| head`) is no error.
pub fn result(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Writes one line about what went wrong, or what is going on, to standard error.
///
/// There is nobody left to tell if that fails.
pub fn complain(line: &str) {
    let mut err = io::stderr().lock();
    // A complaint takes the place of the progress that may stand on the line.
    let begin = if err.is_terminal() { "\r\x1b[K" } else { "" };
    writeln!(err, "{begin}heartline: {line}").ok();
}

/// Shows how far a long run is, on standard error. Only people want that: a log file of a nightly run gets
/// what went wrong and no more.
pub fn progress(done: usize, total: usize) {
    let mut err = io::stderr().lock();
    if !err.is_terminal() {
        return;
    }
    let end = if done == total { "\n" } else { "" };
    write!(err, "\r{done} of {total}{end}")
        .and_then(|()| err.flush())
        .ok();
}
