use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::terminal;

/// What logs are called. A file that was named itself is told by its content, whatever its name; of a folder
/// only these are taken, or every photograph in it would be a complaint.
const EXTENSIONS: [&str; 8] = [
    "tlog", "rlog", "mavlink", "ulg", "ulog", "bin", "log", "raw",
];

/// The inputs to report on, folders replaced by the logs in them, in order of name. Returns them with the
/// number of folders that could not be read; those are told at once.
pub(super) fn collect(named: &[String]) -> (Vec<String>, usize) {
    let mut inputs = Vec::new();
    let mut unread = 0;
    for name in named {
        let path = Path::new(name);
        if path.is_dir() {
            unread += search(path, &mut inputs);
        } else {
            inputs.push(name.clone());
        }
    }
    (inputs, unread)
}

/// Folders still to be read are kept in a list, not on the stack: they may lie as deep as they like. Links
/// to folders are not followed, or a circle of them would never end.
fn search(root: &Path, inputs: &mut Vec<String>) -> usize {
    let mut found: Vec<PathBuf> = Vec::new();
    let mut folders = vec![root.to_owned()];
    let mut unread = 0;
    while let Some(folder) = folders.pop() {
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                terminal::complain(&format!("{}: cannot be read: {error}", folder.display()));
                unread += 1;
                continue;
            }
        };
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    terminal::complain(&format!("{}: cannot be read: {error}", folder.display()));
                    unread += 1;
                    break;
                }
            };
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
            } else if path.is_file() && path.extension().is_some_and(is_log) {
                found.push(path);
            }
        }
    }
    if found.is_empty() && unread == 0 {
        terminal::complain(&format!(
            "{}: a folder without logs (.tlog, .ulg, .bin, .log)",
            root.display()
        ));
        unread += 1;
    }
    found.sort();
    inputs.extend(found.iter().map(|path| path.display().to_string()));
    unread
}

fn is_log(extension: &OsStr) -> bool {
    EXTENSIONS
        .iter()
        .any(|known| extension.eq_ignore_ascii_case(known))
}
