use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use thiserror::Error;

/// A file whose bytes are read where the operating system keeps them: a log larger than the memory opens
/// at once and is never copied.
#[derive(Debug)]
pub struct MappedFile {
    map: Mmap,
}

/// Why a file could not be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// There is none of that name.
    #[error("no such file: {}; check the spelling and the folder", path.display())]
    Missing {
        /// As asked for.
        path: PathBuf,
    },
    /// It is a folder.
    #[error("{} is a folder; name a log file inside it", path.display())]
    Directory {
        /// As asked for.
        path: PathBuf,
    },
    /// It is a pipe, a device or the like.
    #[error("{} is not a regular file; copy its data into one first", path.display())]
    NotRegular {
        /// As asked for.
        path: PathBuf,
    },
    /// It has no bytes.
    #[error("{} is empty: nothing was recorded into it", path.display())]
    Empty {
        /// As asked for.
        path: PathBuf,
    },
    /// The operating system refuses.
    #[error("not allowed to read {}; check its permissions", path.display())]
    Permission {
        /// As asked for.
        path: PathBuf,
    },
    /// Anything else that the operating system says.
    #[error("cannot read {}: {source}; copy it to a local disk and try again", path.display())]
    Io {
        /// As asked for.
        path: PathBuf,
        /// What it says.
        source: io::Error,
    },
}

impl MappedFile {
    /// Maps the file at `path`.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let fail = |source: io::Error| {
            let path = path.to_path_buf();
            match source.kind() {
                io::ErrorKind::NotFound => OpenError::Missing { path },
                io::ErrorKind::PermissionDenied => OpenError::Permission { path },
                _ => OpenError::Io { path, source },
            }
        };
        // Asked before opening: opening a pipe would wait for a writer, and some systems refuse to open a
        // folder with an error that names permissions.
        let metadata = std::fs::metadata(path).map_err(fail)?;
        if metadata.is_dir() {
            return Err(OpenError::Directory {
                path: path.to_path_buf(),
            });
        }
        if !metadata.is_file() {
            return Err(OpenError::NotRegular {
                path: path.to_path_buf(),
            });
        }
        if metadata.len() == 0 {
            return Err(OpenError::Empty {
                path: path.to_path_buf(),
            });
        }
        let file = File::open(path).map_err(fail)?;
        let map = map(&file).map_err(fail)?;
        Ok(Self { map })
    }
}

/// The only unsafe block of the program.
///
/// The contract that cannot be checked: nobody shortens or rewrites the file while it is mapped. A
/// rewritten log may be read half old, half new, which every parser here survives, since it takes the
/// bytes as untrusted anyway and never reads a value twice to rely on both being equal for memory safety.
/// A shortened one ends the process on access beyond the new end. Loggers only append, and appended bytes
/// lie outside the mapping. The alternative, reading into memory, costs twice a log's size for every log.
#[allow(unsafe_code, reason = "mapping a file has no safe form; see above")]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the map is read-only and private to this process; see the contract above.
    unsafe { Mmap::map(file) }
}

impl Deref for MappedFile {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.map
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of its own for each test, removed at its end.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Self {
            let folder =
                std::env::temp_dir().join(format!("heartline-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&folder).unwrap();
            Self(folder)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            std::fs::remove_dir_all(&self.0).ok();
        }
    }

    #[test]
    fn a_file_reads_as_its_bytes() {
        let scratch = Scratch::new("mapped");
        let path = scratch.0.join("some.tlog");
        std::fs::write(&path, b"heartbeat").unwrap();
        assert_eq!(&*MappedFile::open(&path).unwrap(), b"heartbeat");
    }

    #[test]
    fn each_failure_says_what_and_where_in_one_line() {
        let scratch = Scratch::new("refused");
        let empty = scratch.0.join("empty.tlog");
        std::fs::write(&empty, b"").unwrap();
        let missing = scratch.0.join("missing.tlog");
        let cases = [
            (&missing, "no such file"),
            (&scratch.0, "is a folder"),
            (&empty, "is empty"),
        ];
        for (path, expected) in cases {
            let text = MappedFile::open(path).unwrap_err().to_string();
            assert!(text.contains(expected), "{text}");
            assert!(text.contains(&path.display().to_string()), "{text}");
            assert!(!text.contains('\n'), "{text}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_is_no_log() {
        let error = MappedFile::open(Path::new("/dev/null")).unwrap_err();
        assert!(matches!(error, OpenError::NotRegular { .. }));
    }
}
