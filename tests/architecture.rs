//! The order of the layers, the purity of the inner ones, and a few rules of the house, read from the
//! sources themselves. `docs/ARCHITECTURE.md` says why they are as they are.
//!
//! Comments and strings do not count: a doc link to a later layer is help for the reader, not a dependence.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "what the tests share stands outside of test functions"
)]

use std::fs;
use std::path::{Path, PathBuf};

/// Each may use those before it, and none after it.
const LAYERS: [&str; 11] = [
    "time",
    "observation",
    "rules",
    "session",
    "source",
    "link",
    "training",
    "report",
    "app",
    "cli",
    "main.rs",
];

/// Layers that get everything as arguments. What they compute depends on nothing else.
const PURE: [&str; 6] = [
    "time",
    "observation",
    "rules",
    "session",
    "training",
    "report",
];

/// What would make a pure layer depend on the moment, the machine or another thread.
const IMPURE: [&str; 18] = [
    "std::time",
    "std::thread",
    "std::sync",
    "std::net",
    "std::fs",
    "std::io",
    "std::env",
    "std::process",
    "crossbeam_channel",
    "serialport",
    "memmap2",
    "mavlink",
    "px4_ulog",
    "directories",
    "rfd",
    "clap",
    "jiff::ZonedDateTime::now",
    "jiff::Timestamp::now",
];

/// What draws. Only the window and what opens it may know of it.
const DRAWING: [&str; 5] = ["egui", "eframe", "egui_plot", "egui_extras", "winit"];

/// The one place in which memory is handled by hand.
const UNSAFE: [&str; 1] = ["source/mapped_file.rs"];

/// A file that is longer holds more than one thing.
const MOST_LINES: usize = 500;

#[test]
fn every_source_file_belongs_to_a_layer() {
    let strangers: Vec<String> = sources()
        .iter()
        .filter(|source| source.layer().is_none() && source.name != "lib.rs")
        .map(|source| source.name.clone())
        .collect();
    assert_eq!(strangers, Vec::<String>::new());
}

#[test]
fn no_layer_uses_a_later_one() {
    let mut found = Vec::new();
    for source in sources() {
        let Some(own) = source.layer() else { continue };
        for path in paths(&source.code) {
            let Some(used) = source.layer_of(&path) else {
                continue;
            };
            if used > own {
                found.push(source.at(&path));
            }
        }
    }
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn pure_layers_touch_nothing_outside() {
    let is_pure = |source: &Source| PURE.iter().any(|layer| source.is_in(layer));
    assert_eq!(uses(&IMPURE, is_pure), Vec::<String>::new());
}

#[test]
fn only_the_window_draws() {
    let before_the_window =
        |source: &Source| !["app", "cli"].iter().any(|layer| source.is_in(layer));
    assert_eq!(uses(&DRAWING, before_the_window), Vec::<String>::new());
}

#[test]
fn memory_is_handled_by_hand_in_one_file() {
    let found: Vec<String> = sources()
        .into_iter()
        .filter(|source| paths(&source.code).iter().any(|path| path.is("unsafe")))
        .map(|source| source.name)
        .collect();
    assert_eq!(found, UNSAFE);
}

/// A watchdog that is fed from elsewhere as well would go on when the window hangs.
#[test]
fn the_watchdog_is_fed_in_one_place() {
    let feeds: Vec<String> = sources()
        .iter()
        .filter(|source| source.name != "link/feed.rs")
        .flat_map(|source| {
            let places = source.code.matches("feeder.feed()").count();
            std::iter::repeat_n(source.name.clone(), places)
        })
        .collect();
    assert_eq!(
        feeds,
        ["app/heartline_app.rs"],
        "one feed, in the frame loop"
    );
}

#[test]
fn files_stay_readable() {
    let long: Vec<String> = sources()
        .iter()
        .filter(|source| source.lines > MOST_LINES)
        .map(|source| format!("{}: {} lines", source.name, source.lines))
        .collect();
    assert_eq!(long, Vec::<String>::new());
}

#[test]
fn nothing_names_a_folder_of_somebodys_machine() {
    let mut found = Vec::new();
    for file in files(root()) {
        let bytes = fs::read(&file).unwrap();
        for folder in ["work", "farm", "home", "root", "Users"] {
            if names_absolute(&bytes, format!("/{folder}/").as_bytes()) {
                found.push(format!("{}: /{folder}/", file.display()));
            }
        }
    }
    assert_eq!(found, Vec::<String>::new());
}

/// The checks above are worth what their reading of the sources is worth.
#[test]
fn sources_are_read_as_the_compiler_reads_them() {
    let text = r##"
        // use crate::app;
        /* crate::cli /* nested */ std::fs */
        use crate::{
            rules::{px4, LinkLoss as Loss},
            time::*,
        };
        fn f<'a>(quote: char) -> &'a str {
            let text = ("std::net \" unsafe", r#"std::env " "#, '"', '\'');
            super::super::session::Session::new::<std::fs::File>()
        }
    "##;
    let source = Source::new("rules/modes.rs".to_owned(), text);
    let found: Vec<String> = paths(&source.code).iter().map(Reference::text).collect();
    for expected in [
        "crate::rules::px4",
        "crate::rules::LinkLoss",
        "crate::time",
        "super::super::session::Session::new",
        "std::fs::File",
    ] {
        assert!(found.iter().any(|path| path == expected), "{found:?}");
    }
    for absent in ["crate::app", "crate::cli", "std::net", "std::env", "unsafe"] {
        assert!(!found.iter().any(|path| path == absent), "{found:?}");
    }
    let later: Vec<usize> = paths(&source.code)
        .iter()
        .filter(|path| source.layer_of(path) > source.layer())
        .map(|path| path.line)
        .collect();
    assert_eq!(later, [10]);

    assert!(names_absolute(b"see /place/x", b"/place/"));
    assert!(!names_absolute(b"see some/place/x", b"/place/"));
}

/// A file of `src`, without its comments and strings.
struct Source {
    /// Below `src`, with `/` on every platform.
    name: String,
    code: String,
    lines: usize,
}

impl Source {
    fn new(name: String, text: &str) -> Self {
        Self {
            name,
            code: code(text),
            lines: text.lines().count(),
        }
    }

    fn is_in(&self, layer: &str) -> bool {
        self.name.split('/').next() == Some(layer)
    }

    /// The place of this file's layer in the order.
    fn layer(&self) -> Option<usize> {
        LAYERS.iter().position(|layer| self.is_in(layer))
    }

    /// The place of the layer that `path` leads to, where it leaves its own.
    fn layer_of(&self, path: &Reference) -> Option<usize> {
        let ups = path.segments.iter().take_while(|s| *s == "super").count();
        let depth = self.name.trim_end_matches("/mod.rs").split('/').count();
        let name = if path.segments.first()? == "crate" {
            path.segments.get(1)?
        } else if ups >= depth {
            path.segments.get(ups)?
        } else {
            return None;
        };
        LAYERS.iter().position(|layer| layer == name)
    }

    fn at(&self, path: &Reference) -> String {
        format!("src/{}:{}: {}", self.name, path.line, path.text())
    }
}

/// A path as written in the code: `crate::rules::px4`.
struct Reference {
    segments: Vec<String>,
    line: usize,
}

impl Reference {
    fn text(&self) -> String {
        self.segments.join("::")
    }

    /// Whether this is `path` or something in it; `core` is the same as `std`.
    fn is(&self, path: &str) -> bool {
        let mut own = self.segments.iter();
        path.split("::").all(|wanted| {
            own.next()
                .is_some_and(|own| own == wanted || (wanted == "std" && own == "core"))
        })
    }
}

/// Where the files that `of` picks use one of `forbidden`.
fn uses(forbidden: &[&str], of: impl Fn(&Source) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for source in sources().into_iter().filter(of) {
        for path in paths(&source.code) {
            if forbidden.iter().any(|forbidden| path.is(forbidden)) {
                found.push(source.at(&path));
            }
        }
    }
    found
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sources() -> Vec<Source> {
    let folder = root().join("src");
    let sources: Vec<Source> = files(&folder)
        .into_iter()
        .map(|file| {
            let below = file.strip_prefix(&folder).unwrap();
            let name: Vec<_> = below.iter().map(|part| part.to_str().unwrap()).collect();
            Source::new(name.join("/"), &fs::read_to_string(&file).unwrap())
        })
        .collect();
    assert!(!sources.is_empty());
    sources
}

/// All files below `folder`, in order of their names, apart from what is built and what tools keep for
/// themselves.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name();
        let name = name.to_str().unwrap();
        if name == "target" || (name.starts_with('.') && ![".ci", ".github"].contains(&name)) {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.push(entry.path());
        }
    }
    found.sort();
    found
}

/// Whether `bytes` hold a path that begins with `folder`, not one that merely passes through it.
fn names_absolute(bytes: &[u8], folder: &[u8]) -> bool {
    bytes.windows(folder.len()).enumerate().any(|(at, window)| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        window == folder
            && !before.is_some_and(|b| b.is_ascii_alphanumeric() || b"._-~*)}".contains(b))
    })
}

/// `text` without comments, strings and characters; lines stay where they are.
fn code(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest)
        } else if let Some(hashes) = raw_string(rest).filter(|_| !code.ends_with(is_word)) {
            let end = format!("\"{}", "#".repeat(hashes));
            let begin = 2 + hashes;
            rest[begin..].find(&end).unwrap() + begin + end.len()
        } else if first == '"' {
            quoted(rest, '"')
        } else if rest.starts_with("'\\") || (first == '\'' && rest.chars().nth(2) == Some('\'')) {
            quoted(rest, '\'')
        } else {
            code.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        };
        code.push(' ');
        code.extend(rest[..skipped].chars().filter(|c| *c == '\n'));
        rest = &rest[skipped..];
    }
    code
}

fn block_comment(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, pair) in text.as_bytes().windows(2).enumerate() {
        match pair {
            b"/*" => depth += 1,
            b"*/" => depth -= 1,
            _ => continue,
        }
        if depth == 0 {
            return at + 2;
        }
    }
    text.len()
}

/// The number of hashes if `text` begins with a raw string.
fn raw_string(text: &str) -> Option<usize> {
    let after = text.strip_prefix('r')?;
    let inner = after.trim_start_matches('#');
    inner.starts_with('"').then_some(after.len() - inner.len())
}

fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if !escaped && c == quote {
            return at + 1;
        }
        escaped = !escaped && c == '\\';
    }
    text.len()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Every path and single word in `code`; groups in braces are written out.
fn paths(code: &str) -> Vec<Reference> {
    let tokens = tokens(code);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        at = path(&tokens, at, &[], &mut found);
    }
    found
}

/// Reads one path at `at`, continuing `prefix`; returns where it ends.
fn path(
    tokens: &[(&str, usize)],
    mut at: usize,
    prefix: &[String],
    found: &mut Vec<Reference>,
) -> usize {
    let (first, line) = tokens[at];
    at += 1;
    let mut segments = prefix.to_vec();
    if first.starts_with(is_word) {
        segments.push(first.to_owned());
        while tokens.get(at).is_some_and(|(token, _)| *token == "::") {
            match tokens.get(at + 1) {
                Some(("{", _)) => {
                    at += 2;
                    while tokens.get(at).is_some_and(|(token, _)| *token != "}") {
                        at = path(tokens, at, &segments, found);
                    }
                    return at + 1;
                }
                Some((next, _)) if next.starts_with(is_word) => {
                    segments.push((*next).to_owned());
                    at += 2;
                }
                _ => break,
            }
        }
    } else if prefix.is_empty() || first != "*" {
        return at;
    }
    found.push(Reference { segments, line });
    at
}

/// Words, `::`, and single marks, each with its line.
fn tokens(code: &str) -> Vec<(&str, usize)> {
    let mut found = Vec::new();
    let mut rest = code;
    let mut line = 1;
    while let Some(first) = rest.chars().next() {
        let length = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        if first == '\n' {
            line += 1;
        }
        if !first.is_whitespace() {
            found.push((&rest[..length], line));
        }
        rest = &rest[length..];
    }
    found
}
