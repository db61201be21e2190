use std::path::Path;
use std::process::ExitCode;

use crate::source::scenario::{Scenario, built_in_names, find};

use super::arguments::ScenarioCommand;
use super::exit::BAD_INPUT;
use super::score::{named, score};
use super::terminal;

/// Names the built-in scenarios, says whether a file is in order, or scores what a class predicted.
pub(super) fn scenario(what: &ScenarioCommand) -> ExitCode {
    let told = match what {
        ScenarioCommand::List => Ok(list()),
        ScenarioCommand::Check { file } => check(file),
        ScenarioCommand::Questions { name } => questions(name),
        ScenarioCommand::Score { file } => return scored(file),
    };
    finish(told)
}

fn finish(told: Result<String, String>) -> ExitCode {
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

/// What could be scored is written, whatever else is in the file.
fn scored(file: &Path) -> ExitCode {
    match score(file) {
        Ok(scored) => {
            let written = finish(Ok(scored.sheet));
            for complaint in &scored.complaints {
                terminal::complain(complaint);
            }
            if scored.complaints.is_empty() {
                written
            } else {
                ExitCode::from(BAD_INPUT)
            }
        }
        Err(error) => finish(Err(error)),
    }
}

/// The questions of a scenario as they are put to a class: without their answers.
fn questions(name: &str) -> Result<String, String> {
    let scenario = named(name)?;
    let lines: Vec<String> = (1..)
        .zip(&scenario.questions)
        .map(|(number, q)| format!("{number}  asked at {} s: {}\n", q.ask_at_s, q.text))
        .collect();
    Ok(format!(
        "{}\n{}\n{}",
        scenario.title,
        scenario.story,
        lines.concat()
    ))
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
        "{name}: in order: \"{}\", {} s; talkers: {}, questions: {}\n",
        scenario.title,
        scenario.duration_s,
        scenario.talkers.len(),
        scenario.questions.len()
    ))
}
