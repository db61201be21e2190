//! What a class predicted, scored against what happened.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::source::scenario::{Flight, Scenario, built_in_names, find};
use crate::time::Span;
use crate::training::{PosedQuestion, Prediction, SessionSheet};

/// A line of the file of predictions.
#[derive(Debug, Deserialize)]
struct Line {
    /// A built-in scenario's name, or a scenario's file.
    scenario: String,
    trainee: String,
    /// Its number in the scenario, from 1.
    question: usize,
    /// Seconds after the question was asked, or `never`.
    predicted: String,
}

/// The sheet of the predictions that could be scored, as CSV, and a complaint about each of the others.
pub(super) struct Scored {
    pub sheet: String,
    pub complaints: Vec<String>,
}

/// Scores the predictions in a CSV file with the columns `scenario`, `trainee`, `question`, `predicted`.
pub(super) fn score(file: &Path) -> Result<Scored, String> {
    let name = file.display();
    let text = std::fs::read_to_string(file).map_err(|e| format!("{name}: {e}"))?;
    // A record's line number is one too few after a carriage return.
    let text = text.replace("\r\n", "\n");
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        // Spreadsheets put a mark before the first column's name.
        .from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    let columns = reader
        .headers()
        .map_err(|e| format!("{name}: {e}"))?
        .clone();
    let mut asked: BTreeMap<String, Vec<PosedQuestion>> = BTreeMap::new();
    let mut sheet = SessionSheet::default();
    let mut complaints = Vec::new();
    for record in reader.records() {
        let noted = record.map_err(|e| e.to_string()).and_then(|record| {
            let at = record.position().map_or(0, csv::Position::line);
            note(&record, &columns, &mut asked, &mut sheet)
                .map_err(|what| format!("line {at}: {what}"))
        });
        if let Err(what) = noted {
            complaints.push(format!("{name}: {what}"));
        }
    }
    let sheet = sheet.csv().map_err(|e| e.to_string())?;
    Ok(Scored { sheet, complaints })
}

fn note(
    record: &csv::StringRecord,
    columns: &csv::StringRecord,
    asked: &mut BTreeMap<String, Vec<PosedQuestion>>,
    sheet: &mut SessionSheet,
) -> Result<(), String> {
    let line: Line = record
        .deserialize(Some(columns))
        .map_err(|e| e.to_string())?;
    if !asked.contains_key(&line.scenario) {
        asked.insert(line.scenario.clone(), questions(&line.scenario)?);
    }
    let questions = asked.get(&line.scenario).map_or(&[][..], Vec::as_slice);
    let question = line
        .question
        .checked_sub(1)
        .and_then(|index| questions.get(index))
        .ok_or_else(|| {
            format!(
                "{} has questions 1 to {}, not {}",
                line.scenario,
                questions.len(),
                line.question
            )
        })?;
    let prediction = prediction(&line.predicted, question)?;
    sheet.note(&line.scenario, &line.trainee, question.clone(), prediction);
    Ok(())
}

fn prediction(text: &str, question: &PosedQuestion) -> Result<Prediction, String> {
    if text.eq_ignore_ascii_case("never") {
        return Ok(Prediction::Never);
    }
    let seconds = text.parse().ok().filter(|s: &f64| s.is_finite());
    seconds
        .and_then(Span::from_secs_f64)
        .map(|after| Prediction::At(question.asked_at + after))
        .ok_or_else(|| {
            format!("\"{text}\" is neither a number of seconds after the question nor \"never\"")
        })
}

/// The questions of a scenario, with their answers.
fn questions(name: &str) -> Result<Vec<PosedQuestion>, String> {
    let scenario = named(name)?;
    let flight = Flight::fly(&scenario).map_err(|e| format!("{name}: {e}"))?;
    Ok(PosedQuestion::all(&scenario, &flight))
}

/// A built-in scenario by its name, or one from a file.
pub(super) fn named(name: &str) -> Result<Scenario, String> {
    if built_in_names().any(|known| known == name) {
        return find(name).map_err(|e| e.to_string());
    }
    if Path::new(name).extension().is_none_or(|e| e != "ron") {
        return Err(format!(
            "\"{name}\" is neither the name of a built-in scenario (see `heartline scenario list`) nor a \
             file that ends in .ron"
        ));
    }
    let text = std::fs::read_to_string(name).map_err(|e| format!("{name}: {e}"))?;
    Scenario::parse(&text).map_err(|e| format!("{name}: {e}"))
}
