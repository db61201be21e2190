use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crossbeam_channel::{Sender, bounded};
use thiserror::Error;

use crate::observation::{Observation, PathId, Sighting};

use super::dataflash::{DataflashError, read_dataflash_watched};
use super::detect::{FileKind, detect_with_survey};
use super::hand_over::hand_over;
use super::tlog::{NotATlog, Survey, TlogReader, read_records};
use super::ulog::{UlogError, read_ulog_watched};
use super::{MappedFile, OpenError, SourceHandle, SourceKind, SourceMessage};

/// Observations are handed over in batches of this many: large enough that the channel costs nothing,
/// small enough that the first picture comes at once.
const BATCH: usize = 4_096;
/// Batches that may wait. The reader of a file waits for the window, so this bounds the memory.
const QUEUE: usize = 8;
/// Bytes from one report of progress to the next: milliseconds of work, and little of a large file.
const MILESTONE: usize = 1 << 20;

/// Why a file cannot be read as a recording.
#[derive(Debug, Error)]
pub enum LogFileError {
    /// It cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// It holds something else.
    #[error("{path}: {advice}")]
    Kind {
        /// The file.
        path: PathBuf,
        /// What it is and what to do.
        advice: String,
    },
    /// It looked like a tlog and is none.
    #[error("{path}: {reason}")]
    Tlog {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: NotATlog,
    },
    /// It looked like a ULog and gives nothing.
    #[error("{path}: {reason}")]
    Ulog {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: UlogError,
    },
    /// It looked like a DataFlash log and gives nothing.
    #[error("{path}: {reason}")]
    Dataflash {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: DataflashError,
    },
    /// No thread could be started to read it.
    #[error("{path}: no thread could be started to read it: {reason}")]
    Thread {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: std::io::Error,
    },
}

/// A recording that was opened and recognised, but not yet read.
#[derive(Debug)]
pub struct LogFile {
    path: PathBuf,
    file: MappedFile,
    kind: FileKind,
    survey: Option<Survey>,
}

impl LogFile {
    /// Opens a file and recognises what it holds, by its content.
    pub fn open(path: &Path) -> Result<Self, LogFileError> {
        let file = MappedFile::open(path)?;
        let (kind, survey) = detect_with_survey(&file);
        match kind.advice() {
            Some(advice) => Err(LogFileError::Kind {
                path: path.to_owned(),
                advice: advice.to_owned(),
            }),
            None => Ok(Self {
                path: path.to_owned(),
                file,
                kind,
                survey,
            }),
        }
    }

    /// What it holds.
    #[must_use]
    pub const fn kind(&self) -> FileKind {
        self.kind
    }

    /// It as text, for a scenario. Damaged characters are replaced; the parser will name their place.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.file).into_owned()
    }

    /// Its size.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.file.len() as u64
    }

    /// Where it lies.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// Its name without its folder, for people.
    #[must_use]
    pub fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        name.to_string_lossy().into_owned()
    }

    /// Reads all of it here and now, for a report.
    pub fn read(
        &self,
        sink: &mut impl FnMut(Observation) -> ControlFlow<()>,
    ) -> Result<(), LogFileError> {
        self.read_on(PathId::default(), sink)
    }

    /// The same as one of several recordings: its observations are `on` that path.
    pub(super) fn read_on(
        &self,
        on: PathId,
        sink: &mut impl FnMut(Observation) -> ControlFlow<()>,
    ) -> Result<(), LogFileError> {
        self.read_watched(on, &mut |_| ControlFlow::Continue(()), sink)
    }

    /// [`Self::read_on`], which tells `passed` how many bytes have been read. Ends where that or `sink`
    /// breaks.
    fn read_watched(
        &self,
        on: PathId,
        passed: &mut impl FnMut(usize) -> ControlFlow<()>,
        sink: &mut impl FnMut(Observation) -> ControlFlow<()>,
    ) -> Result<(), LogFileError> {
        let path = || self.path.clone();
        match self.kind {
            FileKind::ULog => read_ulog_watched(&self.file, on, passed, sink)
                .map(drop)
                .map_err(|reason| LogFileError::Ulog {
                    path: path(),
                    reason,
                }),
            FileKind::DataFlash | FileKind::DataFlashText => {
                read_dataflash_watched(&self.file, on, passed, sink)
                    .map(drop)
                    .map_err(|reason| LogFileError::Dataflash {
                        path: path(),
                        reason,
                    })
            }
            _ => {
                let survey = self.survey.unwrap_or_else(|| Survey::of(&self.file));
                TlogReader::surveyed(&self.file, survey)
                    .map(|reader| drop(read_records(reader, on, passed, sink)))
                    .map_err(|reason| LogFileError::Tlog {
                        path: path(),
                        reason,
                    })
            }
        }
    }

    /// Reads it on a thread of its own, for the window.
    pub fn start(self) -> Result<SourceHandle, LogFileError> {
        let (sender, messages) = bounded(QUEUE);
        let title = self.name();
        let path = self.path.clone();
        std::thread::Builder::new()
            .name("log file".to_owned())
            .spawn(move || self.deliver(&sender))
            .map_err(|reason| LogFileError::Thread { path, reason })?;
        Ok(SourceHandle {
            title,
            kind: SourceKind::Log,
            messages,
        })
    }

    /// Breaks when nobody listens any more.
    fn deliver(&self, sender: &Sender<SourceMessage>) -> ControlFlow<()> {
        let total = self.bytes();
        let mut milestone = 0;
        let mut batch = Vec::with_capacity(BATCH);
        let result = self.read_watched(
            PathId::default(),
            &mut |read| {
                if read < milestone {
                    return ControlFlow::Continue(());
                }
                milestone = read + MILESTONE;
                let read = read as u64;
                hand_over(sender, SourceMessage::Progress { read, total })
            },
            &mut |observation| {
                batch.push(observation);
                if batch.len() < BATCH {
                    return ControlFlow::Continue(());
                }
                let full = std::mem::replace(&mut batch, Vec::with_capacity(BATCH));
                hand_over(sender, SourceMessage::Batch(full))
            },
        );
        let end = match result {
            Ok(()) => SourceMessage::Finished,
            Err(error) => SourceMessage::Failed(error.to_string()),
        };
        hand_over(sender, SourceMessage::Batch(batch))?;
        hand_over(sender, SourceMessage::Progress { read: total, total })?;
        hand_over(sender, end)
    }
}

/// Bytes of the file behind an observation: the record of a frame, or what was damaged.
pub(super) fn length_of(observation: &Observation) -> u64 {
    const STAMP: u64 = 8;
    match &observation.what {
        Sighting::Frame(frame) => u64::from(frame.length) + STAMP,
        Sighting::Damage(damage) => u64::from(damage.bytes),
        _ => 0,
    }
}
