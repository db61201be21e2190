//! The one place that writes to the terminal.

use std::io::{self, Write};

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
    writeln!(io::stderr().lock(), "heartline: {line}").ok();
}
