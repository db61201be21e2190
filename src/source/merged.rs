//! Several recordings of one flight as one stream of observations.
//!
//! Two passes. The first reads what each file tells about clocks and keeps little of it; the second reads
//! all files at once, each on a thread of its own behind a short queue, carries them onto the first one's
//! timeline and hands them on in order of time. So memory does not depend on the size of the files, and a
//! listener that leaves stops all of them.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::thread;

use crossbeam_channel::{Receiver, Sender, bounded};
use thiserror::Error;

use crate::observation::{ClockAlignment, Observation, PathId, Sighting};
use crate::session::{Alignment, AlignmentError, ClockRecord, align};
use crate::time::Span;

use super::hand_over::hand_over;
use super::{LogFile, LogFileError, SourceHandle, SourceKind, SourceMessage};

/// Observations in a batch between the threads.
const BATCH: usize = 1_024;
/// Batches that may wait, for each file and for the window.
const QUEUE: usize = 8;
/// More files than this are no recordings of one flight.
const MOST_FILES: usize = 16;

/// Why several files cannot be read as one.
#[derive(Debug, Error)]
pub enum MergeError {
    /// One of them cannot be read.
    #[error(transparent)]
    File(#[from] LogFileError),
    /// There is none that was recorded on the ground.
    #[error(
        "none of these files was recorded on the ground: name the .tlog whose flight they are of as well"
    )]
    NoGround,
    /// There are too many.
    #[error("more than {MOST_FILES} files: merge those of one flight")]
    TooMany,
    /// One of them cannot be brought together with the first.
    #[error("{path}: cannot be brought onto the time of {reference}: {reason}")]
    Apart {
        /// The file.
        path: PathBuf,
        /// The recording of the ground that gives the timeline.
        reference: PathBuf,
        /// Why.
        reason: AlignmentError,
    },
    /// No thread could be started.
    #[error("no thread could be started to read the files: {0}")]
    Thread(std::io::Error),
}

/// Several recordings of one flight, opened and recognised but not yet read.
#[derive(Debug)]
pub struct MergedLogs {
    /// The first one recorded on the ground stands first and gives the timeline.
    files: Vec<LogFile>,
    nudge: Span,
}

/// A further file with how its times are carried over.
struct Carried {
    alignment: Alignment,
    announced: ClockAlignment,
}

impl MergedLogs {
    /// Takes files together. `nudge` is added to the times of all but the one that gives the timeline, on
    /// top of what is found.
    ///
    /// # Errors
    /// Without a recording of the ground among them, or with too many files.
    pub fn new(mut files: Vec<LogFile>, nudge: Span) -> Result<Self, MergeError> {
        if files.len() > MOST_FILES {
            return Err(MergeError::TooMany);
        }
        let ground = files
            .iter()
            .position(|file| !file.kind().is_on_board())
            .ok_or(MergeError::NoGround)?;
        let reference = files.remove(ground);
        files.insert(0, reference);
        Ok(Self { files, nudge })
    }

    /// The files, the one that gives the timeline first. Their order is that of the paths.
    #[must_use]
    pub fn files(&self) -> &[LogFile] {
        &self.files
    }

    /// Their size together.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(LogFile::bytes).sum()
    }

    /// Reads all of them here and now. `alive` is asked now and then during the first pass, which hands
    /// nothing over, whether to go on.
    ///
    /// # Errors
    /// When a file cannot be read or cannot be aligned. Nothing was handed over then, unless a file could
    /// be read in the first pass and not in the second.
    pub fn read(
        &self,
        alive: &mut impl FnMut() -> ControlFlow<()>,
        sink: &mut impl FnMut(Observation) -> ControlFlow<()>,
    ) -> Result<(), MergeError> {
        let Some(carried) = self.align(alive)? else {
            return Ok(());
        };
        let mut announcements = Vec::new();
        for (index, carried) in carried.iter().enumerate() {
            announcements.push((path_of(index + 1), carried.announced.clone()));
        }
        thread::scope(|scope| {
            let mut streams = Vec::new();
            let mut readers = Vec::new();
            for (index, file) in self.files.iter().enumerate() {
                let (sender, batches) = bounded(QUEUE);
                let alignment = index
                    .checked_sub(1)
                    .and_then(|i| carried.get(i))
                    .map(|c| &c.alignment);
                let reader = thread::Builder::new()
                    .name(format!("log file {index}"))
                    .spawn_scoped(scope, move || {
                        read_into(file, path_of(index), alignment, &sender)
                    })
                    .map_err(MergeError::Thread)?;
                readers.push(reader);
                streams.push(Stream::new(batches));
            }
            merge(streams, announcements, sink);
            for reader in readers {
                // A reader that panicked has nothing to tell; the file's rest is missing then.
                if let Ok(result) = reader.join() {
                    result?;
                }
            }
            Ok(())
        })
    }

    /// Reads them on a thread of its own, for the window.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn start(self) -> Result<SourceHandle, MergeError> {
        let (sender, messages) = bounded(QUEUE);
        let names: Vec<String> = self.files.iter().map(LogFile::name).collect();
        thread::Builder::new()
            .name("log files".to_owned())
            .spawn(move || self.deliver(&sender))
            .map_err(MergeError::Thread)?;
        Ok(SourceHandle {
            title: names.join(" + "),
            kind: SourceKind::Log,
            messages,
        })
    }

    /// Breaks when nobody listens any more.
    fn deliver(&self, sender: &Sender<SourceMessage>) -> ControlFlow<()> {
        let total = self.bytes();
        let mut read = 0_u64;
        let mut batch = Vec::with_capacity(BATCH);
        let result = self.read(
            &mut || hand_over(sender, SourceMessage::Progress { read: 0, total }),
            &mut |observation| {
                read += super::log_file::length_of(&observation);
                batch.push(observation);
                if batch.len() < BATCH {
                    return ControlFlow::Continue(());
                }
                let full = std::mem::replace(&mut batch, Vec::with_capacity(BATCH));
                hand_over(sender, SourceMessage::Batch(full))?;
                hand_over(sender, SourceMessage::Progress { read, total })
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

    /// The first pass: how each file but the first is carried over; `None` if nobody wants to know.
    fn align(
        &self,
        alive: &mut impl FnMut() -> ControlFlow<()>,
    ) -> Result<Option<Vec<Carried>>, MergeError> {
        const ASK_EVERY: usize = 65_536;
        let mut records = Vec::new();
        for (index, file) in self.files.iter().enumerate() {
            let mut record = ClockRecord::default();
            let mut count = 0_usize;
            let mut left = false;
            file.read_on(path_of(index), &mut |observation| {
                record.note(&observation);
                count += 1;
                if count.is_multiple_of(ASK_EVERY) && alive().is_break() {
                    left = true;
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            })?;
            if left {
                return Ok(None);
            }
            records.push(record);
        }
        let Some((ground, others)) = records.split_first() else {
            return Ok(Some(Vec::new()));
        };
        let reference = self.files.first().map(LogFile::path).unwrap_or_default();
        let mut carried = Vec::new();
        for (file, record) in self.files.iter().skip(1).zip(others) {
            let alignment = align(ground, record)
                .map_err(|reason| MergeError::Apart {
                    path: file.path(),
                    reference: reference.clone(),
                    reason,
                })?
                .nudged(self.nudge);
            carried.push(Carried {
                announced: alignment.announcement(file.name(), record.is_on_board()),
                alignment,
            });
        }
        Ok(Some(carried))
    }
}

/// Paths are numbered as the files are; there are few.
fn path_of(index: usize) -> PathId {
    PathId(u16::try_from(index).unwrap_or(u16::MAX))
}

/// Reads a file into a queue, its times carried over. Ends early when nobody takes from it any more.
fn read_into(
    file: &LogFile,
    path: PathId,
    alignment: Option<&Alignment>,
    sender: &Sender<Vec<Observation>>,
) -> Result<(), LogFileError> {
    let mut batch = Vec::with_capacity(BATCH);
    file.read_on(path, &mut |mut observation| {
        if let Some(alignment) = alignment {
            observation.at = alignment.carry(observation.at);
        }
        batch.push(observation);
        if batch.len() < BATCH {
            return ControlFlow::Continue(());
        }
        let full = std::mem::replace(&mut batch, Vec::with_capacity(BATCH));
        match sender.send(full) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    })?;
    // Nobody takes it: the listener has left.
    sender.send(batch).ok();
    Ok(())
}

/// One file's observations, as they come out of its queue.
struct Stream {
    batches: Receiver<Vec<Observation>>,
    batch: std::vec::IntoIter<Observation>,
    next: Option<Observation>,
}

impl Stream {
    fn new(batches: Receiver<Vec<Observation>>) -> Self {
        let mut stream = Self {
            batches,
            batch: Vec::new().into_iter(),
            next: None,
        };
        stream.advance();
        stream
    }

    /// Hands out the next observation and fetches the one after it.
    fn advance(&mut self) -> Option<Observation> {
        let next = loop {
            if let Some(observation) = self.batch.next() {
                break Some(observation);
            }
            match self.batches.recv() {
                Ok(batch) => self.batch = batch.into_iter(),
                Err(_) => break None,
            }
        };
        std::mem::replace(&mut self.next, next)
    }
}

/// Hands on the earliest of all streams, again and again. Each stream keeps its own order, even where its
/// stamps step back. At equal times the ground's comes first.
fn merge(
    mut streams: Vec<Stream>,
    announcements: Vec<(PathId, ClockAlignment)>,
    sink: &mut impl FnMut(Observation) -> ControlFlow<()>,
) {
    let first = streams
        .iter()
        .filter_map(|stream| stream.next.as_ref().map(|o| o.at))
        .min()
        .unwrap_or_default();
    for (path, alignment) in announcements {
        let what = Sighting::Aligned(Box::new(alignment));
        if sink(Observation {
            at: first,
            path,
            what,
        })
        .is_break()
        {
            return;
        }
    }
    loop {
        let earliest = streams
            .iter_mut()
            .filter(|stream| stream.next.is_some())
            .min_by_key(|stream| stream.next.as_ref().map(|o| o.at));
        let Some(observation) = earliest.and_then(Stream::advance) else {
            return;
        };
        if sink(observation).is_break() {
            return;
        }
    }
}
