use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};

use crate::source::tlog::TlogWriter;
use crate::time::Micros;

/// Frames that may wait for the disk: seconds of a fast link. More means the disk has stopped.
const QUEUE: usize = 16_384;

/// Records a link to a tlog, on a thread of its own: a slow disk must not delay a heartbeat.
#[derive(Debug)]
pub(super) struct Recorder {
    path: PathBuf,
    frames: Sender<(Micros, Box<[u8]>)>,
    failed: Arc<AtomicBool>,
}

impl Recorder {
    /// Begins a file in `folder`, named by the time of day `at` (Unix).
    pub(super) fn start(folder: &Path, at: Micros) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let path = folder.join(format!("{}.tlog", name_of(at)));
        // Never into a file that is there: a recording is not overwritten.
        let file = OpenOptions::new()
            .append(true)
            .create_new(true)
            .open(&path)?;
        let (sender, receiver) = bounded(QUEUE);
        let failed = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&failed);
        std::thread::Builder::new()
            .name("recorder".to_owned())
            .spawn(move || {
                if write_all(TlogWriter::new(file), &receiver).is_err() {
                    told.store(true, Ordering::Release);
                }
            })?;
        Ok(Self {
            path,
            frames: sender,
            failed,
        })
    }

    /// Hands a frame over. An error says that recording has stopped, and why.
    pub(super) fn record(&self, at: Micros, frame: &[u8]) -> Result<(), String> {
        if self.failed.load(Ordering::Acquire) {
            return Err(format!(
                "{}: the disk does not take any more",
                self.path.display()
            ));
        }
        match self.frames.try_send((at, frame.into())) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_)) => {
                Err(format!("{}: the disk is too slow", self.path.display()))
            }
            Err(TrySendError::Disconnected(_)) => {
                Err(format!("{}: writing has stopped", self.path.display()))
            }
        }
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// One write per record, so that whatever ends the program leaves whole records.
fn write_all(
    mut writer: TlogWriter<fs::File>,
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
