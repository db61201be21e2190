use std::path::Path;
use std::process::ExitCode;

use crate::report::{Report, json, text};
use crate::source::scenario::{Scenario, built_in_names, find};

use super::arguments::{Arguments, Command, Format, ScenarioCommand};
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
            format,
            output,
        }) => report(&files, format, output.as_deref()),
        Some(Command::Scenario { what }) => scenario(&what),
        None => show(arguments.source.as_deref().unwrap_or(DEMO)),
    }
}

/// Names the built-in scenarios, or says whether a file is in order.
fn scenario(what: &ScenarioCommand) -> ExitCode {
    let told = match what {
        ScenarioCommand::List => Ok(built_in_names()
            .map(|name| {
                let title = find(name).map_or_else(|e| e.to_string(), |scenario| scenario.title);
                format!("{name:24}{title}\n")
            })
            .collect()),
        ScenarioCommand::Check { file } => check(file),
    };
    match told.and_then(|text: String| terminal::result(&text).map_err(|e| e.to_string())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            terminal::complain(&error);
            ExitCode::from(BAD_INPUT)
        }
    }
}

fn check(file: &Path) -> Result<String, String> {
    let name = file.display();
    let text = std::fs::read_to_string(file).map_err(|e| format!("{name}: {e}"))?;
    let scenario = Scenario::parse(&text).map_err(|e| format!("{name}: {e}"))?;
    Ok(format!(
        "{name}: in order: \"{}\", {} s, {} talkers, {} questions\n",
        scenario.title,
        scenario.duration_s,
        scenario.talkers.len(),
        scenario.questions.len()
    ))
}

/// Opens the window on a source; without a display, reports on it instead.
fn show(source: &str) -> ExitCode {
    if !has_display() {
        terminal::complain(
            "no display (neither WAYLAND_DISPLAY nor DISPLAY is set): log in to a desktop, or use \
             `ssh -X`; here is the report instead",
        );
        return report(&[source.to_owned()], Format::Text, None);
    }
    // Told before the window opens: a wrong name belongs to the terminal it was typed in.
    if let Err(error) = Input::open(source).and_then(|input| input.try_out()) {
        terminal::complain(&error.to_string());
        return ExitCode::from(BAD_INPUT);
    }
    match window::open(source) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            terminal::complain(&error.to_string());
            report(&[source.to_owned()], Format::Text, None)
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

/// Reports on every file; one that cannot be read is told and does not stop the others.
fn report(files: &[String], format: Format, output: Option<&Path>) -> ExitCode {
    let mut written = String::new();
    let mut failed = false;
    for file in files {
        match report_on(file, format, files.len() > 1) {
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

fn report_on(file: &str, format: Format, several: bool) -> Result<String, InputError> {
    let (source, session) = Input::open(file)?.session(file)?;
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
