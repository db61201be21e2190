use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use super::{Document, Settings};

/// Where the settings are kept. Written on a thread of its own: a disk that takes its time must not hold up
/// the frame loop, and with it the heartbeats.
#[derive(Debug)]
pub struct SettingsFile {
    path: PathBuf,
    document: Document,
    waiting: Arc<Mutex<Waiting>>,
    writer: Option<JoinHandle<()>>,
}

/// What the writer has to do. Only the latest text counts, so that nothing piles up.
#[derive(Debug, Default)]
struct Waiting {
    text: Option<String>,
    busy: bool,
    problem: Option<String>,
}

impl SettingsFile {
    /// The settings file in the desktop's folder for configuration, if there is such a folder.
    #[must_use]
    pub fn usual() -> Option<Self> {
        let folders = directories::ProjectDirs::from("", "", "Heartline")?;
        Some(Self::at(folders.config_dir().join("settings.ron")))
    }

    /// A settings file at `path`, which need not exist.
    #[must_use]
    pub fn at(path: PathBuf) -> Self {
        Self {
            path,
            document: Document::default(),
            waiting: Arc::default(),
            writer: None,
        }
    }

    /// Reads it. A file that cannot be understood is set aside under another name, never overwritten, and the
    /// second value says so.
    pub(in crate::app) fn load(&mut self) -> (Settings, Option<String>) {
        let shown = self.path.display();
        let problem = match fs::read_to_string(&self.path) {
            Ok(text) => match Document::parse(&text) {
                Ok(document) => {
                    self.document = document;
                    None
                }
                Err(error) => Some(match set_aside(&self.path) {
                    Ok(aside) => format!(
                        "The settings in {shown} could not be read ({error}). The file was set aside as \
                         {}; the settings are as by default.",
                        aside.display()
                    ),
                    Err(failed) => format!(
                        "The settings in {shown} could not be read ({error}), and the file could not be set \
                         aside ({failed}). It will be replaced when a setting is changed."
                    ),
                }),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => Some(format!(
                "The settings in {shown} could not be read: {error}."
            )),
        };
        (self.document.settings(), problem)
    }

    /// Keeps `settings`, soon.
    pub(in crate::app) fn save(&mut self, settings: &Settings) {
        self.document.set(settings);
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        match self.document.to_text() {
            Ok(text) => waiting.text = Some(text),
            Err(error) => {
                waiting.problem = Some(error);
                return;
            }
        }
        if waiting.busy {
            return;
        }
        waiting.busy = true;
        drop(waiting);
        let shared = Arc::clone(&self.waiting);
        let path = self.path.clone();
        let started = std::thread::Builder::new()
            .name("settings".to_owned())
            .spawn(move || write_all(&shared, &path));
        match started {
            Ok(writer) => self.writer = Some(writer),
            Err(error) => {
                let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
                waiting.busy = false;
                waiting.problem = Some(error.to_string());
            }
        }
    }

    /// What went wrong with the last writing; told once.
    pub(in crate::app) fn take_problem(&self) -> Option<String> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let why = waiting.problem.take()?;
        Some(format!(
            "The settings could not be kept in {}: {why}.",
            self.path.display()
        ))
    }
}

impl Drop for SettingsFile {
    /// The last change is on the disk when the window is gone.
    fn drop(&mut self) {
        if let Some(writer) = self.writer.take() {
            // A writer that panicked has nothing left to say.
            drop(writer.join());
        }
    }
}

fn write_all(waiting: &Mutex<Waiting>, path: &Path) {
    loop {
        let text = {
            let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(text) = waiting.text.take() else {
                waiting.busy = false;
                return;
            };
            text
        };
        if let Err(error) = write(path, &text) {
            let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.problem = Some(error.to_string());
        }
    }
}

/// Replaces the file as a whole: whoever reads it finds the old text or the new one, and never half of either.
fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let new = path.with_extension("ron.new");
    let mut file = File::create(&new)?;
    file.write_all(text.as_bytes())?;
    file.write_all(b"\n")?;
    file.sync_all()?;
    fs::rename(&new, path)
}

/// Moves the file out of the way, to a name that is free.
fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let free = (1..1_000)
        .map(|number| path.with_extension(format!("ron.broken-{number}")))
        .find(|aside| !aside.exists())
        .ok_or(io::ErrorKind::AlreadyExists)?;
    fs::rename(path, &free)?;
    Ok(free)
}

#[cfg(test)]
mod tests {
    use super::super::super::theme::Appearance;
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("heartline-{name}-{}", std::process::id()));
        drop(fs::remove_dir_all(&folder));
        folder
    }

    #[test]
    fn settings_are_kept_and_found_again() {
        let folder = folder("kept");
        let path = folder.join("deeper/settings.ron");
        let mut file = SettingsFile::at(path.clone());
        let (mut settings, problem) = file.load();
        assert_eq!(problem, None);
        for scale in [1.0, 1.25, 1.5] {
            settings.scale = scale;
            file.save(&settings);
        }
        settings.appearance = Appearance::Light;
        file.save(&settings);
        drop(file);
        assert_eq!(SettingsFile::at(path).load(), (settings, None));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_broken_file_is_set_aside_and_told_of() {
        let folder = folder("broken");
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("settings.ron");
        fs::write(&path, "{\"scale\": ").unwrap();
        let (settings, problem) = SettingsFile::at(path.clone()).load();
        assert_eq!(settings, Settings::default());
        assert!(problem.unwrap().contains("settings.ron.broken-1"));
        let aside = folder.join("settings.ron.broken-1");
        assert_eq!(fs::read_to_string(aside).unwrap(), "{\"scale\": ");
        assert!(!path.exists());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_told_of_once() {
        let folder = folder("blocked");
        fs::create_dir_all(&folder).unwrap();
        let blocked = folder.join("file");
        fs::write(&blocked, "").unwrap();
        let mut file = SettingsFile::at(blocked.join("settings.ron"));
        file.save(&Settings::default());
        if let Some(writer) = file.writer.take() {
            writer.join().unwrap();
        }
        assert!(file.take_problem().unwrap().contains("could not be kept"));
        assert_eq!(file.take_problem(), None);
        drop(file);
        fs::remove_dir_all(folder).unwrap();
    }
}
