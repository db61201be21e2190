use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use thiserror::Error;

use crate::source::tlog::TlogWriter;
use crate::time::Micros;

/// Frames that may wait for the disk: seconds of a fast link. More means the disk has stopped.
const QUEUE: usize = 16_384;
/// Recordings that may begin within one second.
const NAMES: u32 = 100;
/// How long the end waits for the disk to take what is still queued.
const FINISH_WITHIN: Duration = Duration::from_secs(2);

/// Why there is no recording, or none any more.
#[derive(Debug, Error)]
pub(super) enum RecordError {
    /// It could not begin.
    #[error("{}: cannot record there: {reason}", folder.display())]
    Start {
        /// Where to.
        folder: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// The disk is full.
    #[error("{}: the disk is full; recording has stopped, the link goes on. Free space and open the link again", path.display())]
    Full {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// The file takes nothing more for another reason.
    #[error("{}: cannot write ({reason}); recording has stopped, the link goes on", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// More waits for the disk than may.
    #[error("{}: the disk is too slow; recording has stopped, the link goes on", path.display())]
    TooSlow {
        /// The file.
        path: PathBuf,
    },
}

impl RecordError {
    fn write(path: &Path, reason: io::Error) -> Self {
        let path = path.to_owned();
        match reason.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::Full { path, reason }
            }
            _ => Self::Write { path, reason },
        }
    }
}

/// Records a link to a tlog, on a thread of its own: a slow disk must not delay a heartbeat. Dropping it
/// waits, for two seconds at most, until all that was handed over is in the file.
#[derive(Debug)]
pub(super) struct Recorder {
    path: PathBuf,
    /// `None` once it was abandoned or is being dropped.
    frames: Option<Sender<(Micros, Box<[u8]>)>>,
    /// Disconnected when the thread has ended.
    ended: Receiver<()>,
    failed: Arc<OnceLock<io::Error>>,
}

impl Recorder {
    /// Begins a file in `folder`, named by the time of day `at` (Unix).
    pub(super) fn start(folder: &Path, at: Micros) -> Result<Self, RecordError> {
        let begin = || {
            fs::create_dir_all(folder)?;
            let (path, file) = create(folder, &name_of(at))?;
            Self::into_file(path, file)
        };
        begin().map_err(|reason| RecordError::Start {
            folder: folder.to_owned(),
            reason,
        })
    }

    fn into_file(path: PathBuf, file: File) -> io::Result<Self> {
        let (sender, receiver) = bounded(QUEUE);
        let (ends, ended) = bounded(0);
        let failed = Arc::new(OnceLock::new());
        let told = Arc::clone(&failed);
        std::thread::Builder::new()
            .name("recorder".to_owned())
            .spawn(move || {
                if let Err(reason) = write_all(TlogWriter::new(file), &receiver) {
                    // The first is the cause; nothing is written after it.
                    told.set(reason).ok();
                }
                drop(ends);
            })?;
        Ok(Self {
            path,
            frames: Some(sender),
            ended,
            failed,
        })
    }

    /// Hands a frame over. An error says that recording has stopped, and why.
    pub(super) fn record(&self, at: Micros, frame: &[u8]) -> Result<(), RecordError> {
        self.check()?;
        let Some(frames) = &self.frames else {
            return Ok(());
        };
        match frames.try_send((at, frame.into())) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_)) => Err(RecordError::TooSlow {
                path: self.path.clone(),
            }),
            Err(TrySendError::Disconnected(_)) => {
                self.check()?;
                let reason = io::ErrorKind::BrokenPipe.into();
                Err(RecordError::write(&self.path, reason))
            }
        }
    }

    /// Whether the disk still takes what it is given.
    pub(super) fn check(&self) -> Result<(), RecordError> {
        let Some(reason) = self.failed.get() else {
            return Ok(());
        };
        // The system's own error, kind and all; it cannot be cloned.
        let reason = reason.raw_os_error().map_or_else(
            || io::Error::new(reason.kind(), reason.to_string()),
            io::Error::from_raw_os_error,
        );
        Err(RecordError::write(&self.path, reason))
    }

    /// Ends it without waiting for the disk: while the link goes on, its thread must not stand still.
    pub(super) fn abandon(mut self) {
        self.frames = None;
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        if self.frames.take().is_none() {
            return;
        }
        // Nothing is ever sent: it ends by the thread's end, or by the time.
        self.ended.recv_timeout(FINISH_WITHIN).ok();
    }
}

/// Never into a file that is there: a recording is not overwritten, and two links opened within one second
/// get a file each.
fn create(folder: &Path, name: &str) -> io::Result<(PathBuf, File)> {
    let mut taken = io::Error::from(io::ErrorKind::AlreadyExists);
    for number in 1..=NAMES {
        let path = if number == 1 {
            folder.join(format!("{name}.tlog"))
        } else {
            folder.join(format!("{name} ({number}).tlog"))
        };
        let file = OpenOptions::new().append(true).create_new(true).open(&path);
        match file {
            Ok(file) => return Ok((path, file)),
            Err(reason) if reason.kind() == io::ErrorKind::AlreadyExists => taken = reason,
            Err(reason) => return Err(reason),
        }
    }
    Err(taken)
}

/// One write per record, so that whatever ends the program leaves whole records.
fn write_all(
    mut writer: TlogWriter<File>,
    frames: &Receiver<(Micros, Box<[u8]>)>,
) -> io::Result<()> {
    for (at, frame) in frames {
        writer.write(at, &frame)?;
    }
    Ok(())
}

/// Where recordings go unless the operator chooses another folder: `Heartline` in the documents.
#[must_use]
pub fn usual_recording_folder() -> Option<PathBuf> {
    let directories = directories::UserDirs::new()?;
    let documents = directories.document_dir().map_or_else(
        || directories.home_dir().join("Documents"),
        Path::to_path_buf,
    );
    Some(documents.join("Heartline"))
}

/// `2026-03-14 15-41-02`, UTC: sorts by time, and no character that a file system minds.
fn name_of(at: Micros) -> String {
    jiff::Timestamp::from_microsecond(at.as_micros()).map_or_else(
        |_| at.as_micros().to_string(),
        |t| t.strftime("%Y-%m-%d %H-%M-%S").to_string(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("heartline-{name}-{}", std::process::id()))
    }

    #[test]
    fn all_that_was_handed_over_is_in_the_file_once_it_is_dropped() {
        let folder = folder("tail");
        let recorder = Recorder::start(&folder, Micros::from_millis(1_000)).unwrap();
        let path = recorder.path().to_owned();
        for _ in 0..10_000 {
            recorder
                .record(Micros::from_millis(1_000), &[0; 21])
                .unwrap();
        }
        drop(recorder);
        assert_eq!(fs::metadata(path).unwrap().len(), 10_000 * (8 + 21));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_name_that_is_taken_is_not_overwritten_and_the_next_is_tried() {
        let folder = folder("names");
        let at = Micros::from_millis(1_000);
        let recorders: Vec<_> = (0..3)
            .map(|_| Recorder::start(&folder, at).unwrap())
            .collect();
        let names: Vec<_> = recorders
            .iter()
            .map(|r| r.path().file_name().unwrap().to_string_lossy().into_owned())
            .collect();
        assert_eq!(
            names,
            [
                "1970-01-01 00-00-01.tlog",
                "1970-01-01 00-00-01 (2).tlog",
                "1970-01-01 00-00-01 (3).tlog"
            ]
        );
        drop(recorders);
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_told_as_what_it_is() {
        let path = PathBuf::from("/dev/full");
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        let recorder = Recorder::into_file(path, file).unwrap();
        recorder.record(Micros::from_millis(1), &[0; 21]).unwrap();
        recorder
            .ended
            .recv_timeout(Duration::from_secs(10))
            .unwrap_err();
        let error = recorder
            .record(Micros::from_millis(2), &[0; 21])
            .unwrap_err();
        let RecordError::Full { reason, .. } = &error else {
            panic!("{error:?}");
        };
        assert_eq!(reason.kind(), io::ErrorKind::StorageFull);
        assert!(error.to_string().contains("the disk is full"), "{error}");
    }
}
