use thiserror::Error;

use super::locate::line_of;

/// Why a scenario cannot be played. Nothing was played.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ScenarioError {
    /// The text is not RON, or not of this shape.
    #[error("line {line}, column {column}: {what}")]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What the parser says.
        what: String,
    },
    /// A value is not allowed.
    #[error("{}{field}: {what}", place(*.line))]
    Value {
        /// Line, from 1; `None` where the field is not written out.
        line: Option<usize>,
        /// Path of the field, `talkers[0].period_s`.
        field: String,
        /// What is wrong with it, and what is allowed.
        what: String,
    },
    /// No thread could be started to play it.
    #[error("it cannot be played: no thread could be started: {0}")]
    Thread(String),
    /// No built-in scenario has this name.
    #[error("there is no scenario `{name}`; built in are: {known}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
}

fn place(line: Option<usize>) -> String {
    line.map_or_else(String::new, |line| format!("line {line}, "))
}

impl ScenarioError {
    /// A value that is not allowed.
    pub(super) fn value(field: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Value {
            line: None,
            field: field.into(),
            what: what.into(),
        }
    }

    /// The same with the line on which `text` has the field.
    pub(super) fn in_text(self, text: &str) -> Self {
        match self {
            Self::Value {
                line: None,
                field,
                what,
            } => Self::Value {
                line: line_of(text, &field),
                field,
                what,
            },
            other => other,
        }
    }
}
