use std::ops::ControlFlow;
use std::path::Path;

use thiserror::Error;

use crate::report::ReportSource;
use crate::session::{Session, SessionSettings};
use crate::source::detect::FileKind;
use crate::source::scenario::{self, Flight, Scenario, ScenarioError};
use crate::source::{LogFile, LogFileError, SourceHandle};

/// The prefix of a built-in scenario.
const DEMO: &str = "demo:";

/// Something that was named on the command line and that can be opened.
#[derive(Debug)]
pub enum Input {
    /// A scenario.
    Scenario(Box<Scenario>),
    /// A recording.
    Log(LogFile),
}

/// Why it cannot be opened: one line for people.
#[derive(Debug, Error)]
pub enum InputError {
    /// No such scenario, or a broken one.
    #[error("{name}: {reason}")]
    Scenario {
        /// What was named.
        name: String,
        /// Why not.
        reason: ScenarioError,
    },
    /// A file that is no recording.
    #[error(transparent)]
    Log(#[from] LogFileError),
}

impl Input {
    /// Opens what `name` names. Nothing is read yet beyond what tells the kind.
    pub fn open(name: &str) -> Result<Self, InputError> {
        let in_scenario = |reason| InputError::Scenario {
            name: name.to_owned(),
            reason,
        };
        if let Some(demo) = name.strip_prefix(DEMO) {
            let scenario = scenario::find(demo).map_err(in_scenario)?;
            return Ok(Self::Scenario(Box::new(scenario)));
        }
        let file = LogFile::open(Path::new(name))?;
        if file.kind() == FileKind::Scenario {
            let scenario = Scenario::parse(&file.text()).map_err(in_scenario)?;
            return Ok(Self::Scenario(Box::new(scenario)));
        }
        Ok(Self::Log(file))
    }

    /// Starts it for the window.
    pub fn start(self, name: &str) -> Result<SourceHandle, InputError> {
        match self {
            Self::Scenario(scenario) => {
                scenario::play(&scenario).map_err(|reason| InputError::Scenario {
                    name: name.to_owned(),
                    reason,
                })
            }
            Self::Log(file) => Ok(file.start()?),
        }
    }

    /// All of it as a session, for a report.
    pub fn session(&self, name: &str) -> Result<(ReportSource, Session), InputError> {
        let mut session = Session::new(SessionSettings::default());
        let source = match self {
            Self::Scenario(scenario) => {
                let flight = Flight::fly(scenario).map_err(|reason| InputError::Scenario {
                    name: name.to_owned(),
                    reason,
                })?;
                for observation in &flight.observations {
                    session.observe(observation);
                }
                ReportSource {
                    path: name.to_owned(),
                    kind: "demo",
                    bytes: 0,
                }
            }
            Self::Log(file) => {
                file.read(&mut |observation| {
                    session.observe(&observation);
                    ControlFlow::Continue(())
                })?;
                ReportSource {
                    path: name.to_owned(),
                    kind: file.kind().name(),
                    bytes: file.bytes(),
                }
            }
        };
        Ok((source, session))
    }
}
