use std::fmt::Write as _;

use thiserror::Error;

use crate::time::{Micros, Seconds};

use super::{Outcome, PosedQuestion, Prediction};

/// What a class predicted, and how well: kept in order, written as CSV or as rows of an HTML table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionSheet {
    rows: Vec<SheetRow>,
}

/// One prediction.
#[derive(Clone, Debug, PartialEq)]
pub struct SheetRow {
    /// The scenario's name.
    pub scenario: String,
    /// Who predicted.
    pub trainee: String,
    /// The question, with its answer.
    pub question: PosedQuestion,
    /// What was predicted.
    pub prediction: Prediction,
    /// How it compares.
    pub outcome: Outcome,
}

/// Why a sheet could not be written.
#[derive(Debug, Error)]
#[error("the session sheet could not be written as CSV: {0}")]
pub struct SheetError(#[from] csv::Error);

/// The columns, in both forms.
const COLUMNS: [&str; 8] = [
    "scenario",
    "trainee",
    "question",
    "predicted (s)",
    "happened (s)",
    "error (s)",
    "outcome",
    "points",
];

impl SessionSheet {
    /// Notes a prediction, and says how it compares.
    pub fn note(
        &mut self,
        scenario: &str,
        trainee: &str,
        question: PosedQuestion,
        prediction: Prediction,
    ) -> Outcome {
        let outcome = question.judge(prediction);
        self.rows.push(SheetRow {
            scenario: scenario.to_owned(),
            trainee: trainee.to_owned(),
            question,
            prediction,
            outcome,
        });
        outcome
    }

    /// All predictions, in the order in which they were made.
    #[must_use]
    pub fn rows(&self) -> &[SheetRow] {
        &self.rows
    }

    /// The points of a trainee, and the most that the same questions give.
    #[must_use]
    pub fn points(&self, trainee: &str) -> (u32, u32) {
        self.rows
            .iter()
            .filter(|row| row.trainee == trainee)
            .fold((0, 0), |(points, most), row| {
                let all = u32::from(Outcome::MOST_POINTS);
                (points + u32::from(row.outcome.points()), most + all)
            })
    }

    /// The sheet as CSV (RFC 4180), with a line of headings. Times are seconds after the question.
    pub fn csv(&self) -> Result<String, SheetError> {
        let mut writer = csv::WriterBuilder::new()
            .terminator(csv::Terminator::CRLF)
            .from_writer(Vec::new());
        writer.write_record(COLUMNS)?;
        for row in &self.rows {
            writer.write_record(row.cells().map(|cell| no_formula(&cell)))?;
        }
        let bytes = writer
            .into_inner()
            .map_err(|e| csv::Error::from(e.into_error()))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The rows of an HTML table, headings first; every text is escaped.
    #[must_use]
    pub fn html_rows(&self) -> String {
        let mut html = String::new();
        let headings = COLUMNS.map(|c| format!("<th scope=\"col\">{}</th>", escaped(c)));
        line(&mut html, &headings.concat());
        for row in &self.rows {
            let cells = row.cells().map(|c| format!("<td>{}</td>", escaped(&c)));
            line(&mut html, &cells.concat());
        }
        html
    }
}

fn line(html: &mut String, cells: &str) {
    // Writing to a string cannot fail.
    writeln!(html, "<tr>{cells}</tr>").ok();
}

impl SheetRow {
    fn cells(&self) -> [String; 8] {
        let after = |at: Micros| Seconds::millis(at - self.question.asked_at).to_string();
        let never = || "never".to_owned();
        [
            self.scenario.clone(),
            self.trainee.clone(),
            self.question.text.clone(),
            match self.prediction {
                Prediction::At(at) => after(at),
                Prediction::Never => never(),
            },
            self.question.answer.map_or_else(never, after),
            match self.outcome {
                Outcome::Off(error) => Seconds::millis(error).to_string(),
                _ => String::new(),
            },
            self.outcome.to_string(),
            self.outcome.points().to_string(),
        ]
    }
}

/// A cell that a spreadsheet does not take for a formula, whatever a trainee calls himself.
fn no_formula(cell: &str) -> String {
    let formula =
        cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err();
    if formula {
        format!("'{cell}")
    } else {
        cell.to_owned()
    }
}

fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::scenario::Asked;
    use crate::time::Span;

    fn sheet() -> SessionSheet {
        let asked_at = Micros::from_millis(5_000);
        let question = |answer: Option<i64>| PosedQuestion {
            asked_at,
            about: Asked::Loss,
            text: "When, \"exactly\"?".to_owned(),
            answer: answer.map(|ms| asked_at + Span::from_millis(ms)),
            explanation: String::new(),
        };
        let mut sheet = SessionSheet::default();
        let at = Prediction::At(asked_at + Span::from_millis(10_000));
        sheet.note("gcs-only", "=Ann<b>", question(Some(11_662)), at);
        sheet.note("one-way-down", "Ben", question(None), Prediction::Never);
        sheet
    }

    #[test]
    fn csv_quotes_what_needs_it_and_holds_no_formula() {
        let csv = sheet().csv().expect("is written");
        let lines: Vec<&str> = csv.split("\r\n").collect();
        assert_eq!(lines.len(), 4);
        assert_eq!(
            lines[1],
            "gcs-only,'=Ann<b>,\"When, \"\"exactly\"\"?\",10.000,11.662,-1.662,1.662 s too early,47"
        );
        assert!(lines[2].contains(",never,never,,right: it did not happen,100"));
    }

    #[test]
    fn html_escapes_names() {
        let html = sheet().html_rows();
        assert_eq!(html.lines().count(), 3);
        assert!(html.contains("<td>=Ann&lt;b&gt;</td>"), "{html}");
    }

    #[test]
    fn points_add_up_per_trainee() {
        assert_eq!(sheet().points("Ben"), (100, 100));
        assert_eq!(sheet().points("=Ann<b>"), (47, 100));
        assert_eq!(sheet().points("nobody"), (0, 0));
    }
}
