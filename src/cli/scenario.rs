use std::path::Path;
use std::process::ExitCode;

use crate::source::scenario::{Scenario, built_in_names, find};

use super::arguments::ScenarioCommand;
use super::exit::BAD_INPUT;
use super::terminal;

/// Names the built-in scenarios, or says whether a file is in order.
pub(super) fn scenario(what: &ScenarioCommand) -> ExitCode {
    let told = match what {
        ScenarioCommand::List => Ok(list()),
        ScenarioCommand::Check { file } => check(file),
    };
    let written = told.and_then(|text| {
        terminal::result(&text).map_err(|error| format!("standard output: {error}"))
    });
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            terminal::complain(&error);
            ExitCode::from(BAD_INPUT)
        }
    }
}

fn list() -> String {
    let lines: Vec<String> = built_in_names()
        .map(|name| {
            let title = find(name).map_or_else(|e| e.to_string(), |scenario| scenario.title);
            format!("{name:24}{title}\n")
        })
        .collect();
    lines.concat()
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
