use std::path::Path;
use std::process::ExitCode;

use crate::report::{Report, json, text};

use super::arguments::{Arguments, Command, Format};
use super::input::{Input, InputError};
use super::{terminal, window};

/// A source could not be opened, or an argument is wrong.
const BAD_INPUT: u8 = 2;
/// What opens when nothing is named.
const DEMO: &str = "demo:inc-0143";

/// Does what the command line asks for.
#[must_use]
pub fn run(arguments: Arguments) -> ExitCode {
    match arguments.command {
        Some(Command::Report {
            files,
            merge,
            nudge,
            format,
            output,
        }) => {
            let mut files: Vec<Vec<String>> = files.into_iter().map(|file| vec![file]).collect();
            if merge {
                files = vec![files.concat()];
            }
            report(&files, nudge, format, output.as_deref())
        }
        None if arguments.sources.is_empty() => show(&[DEMO.to_owned()]),
        None => show(&arguments.sources),
    }
}

/// Opens the window on a source, or on several recordings of one flight; without a display, reports on it instead.
fn show(sources: &[String]) -> ExitCode {
    if !has_display() {
        terminal::complain(
            "no display (neither WAYLAND_DISPLAY nor DISPLAY is set): log in to a desktop, or use \
             `ssh -X`; here is the report instead",
        );
        return report(&[sources.to_vec()], 0.0, Format::Text, None);
    }
    // Told before the window opens: a wrong name belongs to the terminal it was typed in.
    if let Err(error) = Input::open_all(sources, 0.0).and_then(|input| input.try_out()) {
        terminal::complain(&error.to_string());
        return ExitCode::from(BAD_INPUT);
    }
    match window::open(sources) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            terminal::complain(&error.to_string());
            report(&[sources.to_vec()], 0.0, Format::Text, None)
        }
    }
}

/// Whether a window can be opened. Only Linux desktops say so beforehand.
fn has_display() -> bool {
    if cfg!(not(target_os = "linux")) {
        return true;
    }
    ["WAYLAND_DISPLAY", "WAYLAND_SOCKET", "DISPLAY"]
        .iter()
        .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}

/// Reports on every file, or group of files of one flight; one that cannot be read is told and does not stop the others.
fn report(files: &[Vec<String>], nudge: f64, format: Format, output: Option<&Path>) -> ExitCode {
    let mut written = String::new();
    let mut failed = false;
    for file in files {
        match report_on(file, nudge, format, files.len() > 1) {
            Ok(report) => written.push_str(&report),
            Err(error) => {
                terminal::complain(&error.to_string());
                failed = true;
            }
        }
    }
    let outcome = match output {
        Some(path) => std::fs::write(path, written.as_bytes())
            .map_err(|e| format!("{}: cannot be written: {e}", path.display())),
        None => terminal::result(&written).map_err(|e| format!("standard output: {e}")),
    };
    if let Err(error) = outcome {
        terminal::complain(&error);
        failed = true;
    }
    if failed {
        ExitCode::from(BAD_INPUT)
    } else {
        ExitCode::SUCCESS
    }
}

fn report_on(
    files: &[String],
    nudge: f64,
    format: Format,
    several: bool,
) -> Result<String, InputError> {
    let (source, session) = Input::open_all(files, nudge)?.session(&files.join(" + "))?;
    let report = Report::of(&source, &session);
    Ok(match format {
        Format::Text => {
            let mut text = text(&report, &session);
            if several {
                text.push('\n');
            }
            text
        }
        Format::Json => {
            let mut line = json(&report, several);
            line.push('\n');
            line
        }
    })
}
