use std::process::ExitCode;

use crate::app::JOINED;
use crate::report::json_schema;

use super::arguments::{Arguments, Command, ReportArguments};
use super::exit::BAD_INPUT;
use super::input::Input;
use super::report::report;
use super::scenario::scenario;
use super::{terminal, window};

/// What opens when nothing is named.
const DEMO: &str = "demo:inc-0143";

/// Does what the command line asks for.
#[must_use]
pub fn run(arguments: Arguments) -> ExitCode {
    match arguments.command {
        Some(Command::Report(arguments)) => report(&arguments),
        Some(Command::Schema) => schema(),
        Some(Command::Scenario { what }) => scenario(&what),
        None if arguments.sources.is_empty() => show(&[DEMO.to_owned()]),
        None => show(&arguments.sources),
    }
}

fn schema() -> ExitCode {
    match terminal::result(&(json_schema() + "\n")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            terminal::complain(&format!("standard output: {error}"));
            ExitCode::from(BAD_INPUT)
        }
    }
}

/// Opens the window on a source, or on several recordings of one flight; without a display, reports on it
/// instead.
fn show(sources: &[String]) -> ExitCode {
    // Told before the window opens: a wrong name belongs to the terminal it was typed in.
    let input = match Input::open_all(sources, 0.0) {
        Ok(input) => input,
        Err(error) => return refuse(&error.to_string()),
    };
    let can_be_reported = !input.is_link();
    if !has_display() {
        let why = "no display (neither WAYLAND_DISPLAY nor DISPLAY is set): log in to a desktop, or use \
                   `ssh -X`";
        return without_window(sources, why, can_be_reported);
    }
    if let Err(error) = input.try_out() {
        return refuse(&error.to_string());
    }
    match window::open(&sources.join(JOINED), input) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => without_window(sources, &error.to_string(), can_be_reported),
    }
}

fn refuse(why: &str) -> ExitCode {
    terminal::complain(why);
    ExitCode::from(BAD_INPUT)
}

fn without_window(sources: &[String], why: &str, can_be_reported: bool) -> ExitCode {
    if !can_be_reported {
        return refuse(&format!(
            "{why}; a live link has no end, so there is no report instead"
        ));
    }
    terminal::complain(&format!("{why}; here is the report instead"));
    report(&ReportArguments::on(sources))
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
