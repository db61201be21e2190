use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::terminal;

/// Where reports go.
pub(super) enum Output {
    Terminal,
    File {
        path: PathBuf,
        file: BufWriter<File>,
    },
}

/// Why a report could not be written.
#[derive(Debug, Error)]
pub(super) enum OutputError {
    #[error("{path}: cannot be written: {reason}")]
    File { path: PathBuf, reason: io::Error },
    #[error("standard output: {0}")]
    Terminal(io::Error),
    /// Writing the report would destroy the log.
    #[error("{0}: is one of the logs to report on; name another file for the report")]
    IsAnInput(PathBuf),
}

impl Output {
    /// The file at `path`, else the terminal. Refuses a file that is among `inputs`.
    pub(super) fn open(path: Option<&Path>, inputs: &[String]) -> Result<Self, OutputError> {
        let Some(path) = path else {
            return Ok(Self::Terminal);
        };
        if let Ok(real) = path.canonicalize() {
            let is_real = |input: &String| Path::new(input).canonicalize().is_ok_and(|i| i == real);
            if inputs.iter().any(is_real) {
                return Err(OutputError::IsAnInput(path.to_owned()));
            }
        }
        match File::create(path) {
            Ok(file) => Ok(Self::File {
                path: path.to_owned(),
                file: BufWriter::new(file),
            }),
            Err(reason) => Err(OutputError::File {
                path: path.to_owned(),
                reason,
            }),
        }
    }

    pub(super) fn write(&mut self, text: &str) -> Result<(), OutputError> {
        match self {
            Self::Terminal => terminal::result(text).map_err(OutputError::Terminal),
            Self::File { path, file } => {
                file.write_all(text.as_bytes())
                    .map_err(|reason| OutputError::File {
                        path: path.clone(),
                        reason,
                    })
            }
        }
    }

    /// Hands everything over to the system: a full disk may show only now.
    pub(super) fn close(self) -> Result<(), OutputError> {
        match self {
            Self::Terminal => Ok(()),
            Self::File { path, mut file } => file
                .flush()
                .map_err(|reason| OutputError::File { path, reason }),
        }
    }
}
