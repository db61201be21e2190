use std::ops::ControlFlow;
use std::path::Path;

use thiserror::Error;

use crate::app::Opening;
use crate::link::transport::{self, TransportError};
use crate::link::{self, LinkOptions};
use crate::report::ReportSource;
use crate::session::{Session, SessionSettings};
use crate::source::address::{Address, AddressError};
use crate::source::detect::FileKind;
use crate::source::scenario::{self, Flight, Scenario, ScenarioError};
use crate::source::{LogFile, LogFileError, MergeError, MergedLogs};
use crate::time::Span;

/// The prefix of a built-in scenario.
const DEMO: &str = "demo:";

/// Something that was named on the command line and that can be opened.
#[derive(Debug)]
pub enum Input {
    /// A scenario.
    Scenario(Box<Scenario>),
    /// A recording.
    Log(LogFile),
    /// Several recordings of one flight.
    Merged(MergedLogs),
    /// A live link.
    Link(Address),
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
    /// Recordings that cannot be read as one.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// Something other than a recording among several.
    #[error(
        "{0}: is no recording; several are opened together only if all are recordings of one flight"
    )]
    NoRecording(String),
    /// No address of a link.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// A link that cannot be opened.
    #[error(transparent)]
    Link(#[from] TransportError),
    /// A report was asked for on something that has no end.
    #[error("{0}: a live link has no end to report on; record it, then report on the recording")]
    Endless(Address),
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
        let path = Path::new(name);
        // A file that is there is meant as a file, whatever its name looks like.
        if !path.exists() && Address::is_meant(name) {
            return Ok(Self::Link(name.parse()?));
        }
        let file = LogFile::open(path)?;
        if file.kind() == FileKind::Scenario {
            let scenario = Scenario::parse(&file.text()).map_err(in_scenario)?;
            return Ok(Self::Scenario(Box::new(scenario)));
        }
        Ok(Self::Log(file))
    }

    /// Opens one input, or several recordings of one flight together; `nudge` seconds are then added to the
    /// times of all but the first recording of the ground.
    ///
    /// # Errors
    /// When one of them cannot be opened, or they cannot be taken together.
    pub fn open_all(names: &[String], nudge: f64) -> Result<Self, InputError> {
        if let [name] = names {
            return Self::open(name);
        }
        let mut files = Vec::new();
        for name in names {
            match Self::open(name)? {
                Self::Log(file) => files.push(file),
                _ => return Err(InputError::NoRecording(name.clone())),
            }
        }
        let nudge = Span::from_secs_f64(nudge).unwrap_or_default();
        Ok(Self::Merged(MergedLogs::new(files, nudge)?))
    }

    /// Whether it is a live link, which has no end to report on.
    pub(super) const fn is_link(&self) -> bool {
        matches!(self, Self::Link(_))
    }

    /// Finds out whether it can be started, as far as that shows at once: a port in use, no such serial
    /// port.
    pub fn try_out(&self) -> Result<(), InputError> {
        match self {
            Self::Link(address) if !transport::opens_slowly(address) => {
                transport::open(address).map(drop)?;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Starts it for the window. `options` are for a live link.
    pub fn start(self, name: &str, options: LinkOptions) -> Result<Opening, InputError> {
        match self {
            Self::Scenario(scenario) => {
                scenario::play(&scenario)
                    .map(Opening::recorded)
                    .map_err(|reason| InputError::Scenario {
                        name: name.to_owned(),
                        reason,
                    })
            }
            Self::Log(file) => Ok(Opening::recorded(file.start()?)),
            Self::Merged(files) => Ok(Opening::recorded(files.start()?)),
            Self::Link(address) => {
                let (source, link) = link::open(&address, options)?;
                Ok(Opening {
                    source,
                    link: Some(link),
                })
            }
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
            Self::Link(address) => return Err(InputError::Endless(address.clone())),
            Self::Merged(files) => {
                files.read(&mut || ControlFlow::Continue(()), &mut |observation| {
                    session.observe(&observation);
                    ControlFlow::Continue(())
                })?;
                ReportSource {
                    path: name.to_owned(),
                    kind: "merged",
                    bytes: files.bytes(),
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
