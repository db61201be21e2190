//! What a file is, by its content: tlogs are named `.log`, `.mavlink` or `.tlog`, and three different
//! programs write `.log` files.

use super::dataflash::{MAGIC as DATAFLASH, text_beginning, text_is_dataflash};
use super::tlog::{Layout, Survey};
use super::ulog::MAGIC as ULOG;

/// How many DataFlash message starts in the sample tell a log that lost its first bytes. In random bytes
/// one in 65536 places looks like a start.
const DATAFLASH_MESSAGES: usize = 8;
/// How much of a file is searched for them.
const SAMPLE: usize = 4096;

/// The kinds of files that can be told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A telemetry log with a time before each MAVLink frame.
    Tlog,
    /// MAVLink frames without times: `.tlog.raw`, `.rlog`.
    StamplessMavlink,
    /// A PX4 on-board log.
    ULog,
    /// An ArduPilot on-board log.
    DataFlash,
    /// An ArduPilot on-board log converted to text.
    DataFlashText,
    /// A scenario for the simulator, in RON.
    Scenario,
    /// Nothing.
    Empty,
    /// Text of some other kind.
    Text,
    /// Nothing that is known.
    Unknown,
}

impl FileKind {
    /// The name of the kind, as reports give it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tlog => "tlog",
            Self::StamplessMavlink => "stampless",
            Self::ULog => "ulog",
            Self::DataFlash => "dataflash",
            Self::DataFlashText => "dataflash-text",
            Self::Scenario => "scenario",
            Self::Empty => "empty",
            Self::Text => "text",
            Self::Unknown => "unknown",
        }
    }

    /// Whether the vehicle wrote it, on the time since its own boot.
    #[must_use]
    pub const fn is_on_board(self) -> bool {
        matches!(self, Self::ULog | Self::DataFlash | Self::DataFlashText)
    }

    /// What to tell the user when the file cannot be opened as a log; `None` for kinds that can.
    #[must_use]
    pub const fn advice(self) -> Option<&'static str> {
        Some(match self {
            Self::Tlog | Self::ULog | Self::DataFlash | Self::DataFlashText | Self::Scenario => {
                return None;
            }
            Self::StamplessMavlink => {
                "MAVLink frames without time stamps (a .tlog.raw or .rlog): no timing can be computed; open the .tlog written beside it"
            }
            Self::Empty => "the file is empty: nothing was recorded into it",
            Self::Text => "a text file, not a log; open a .tlog, .ulg or .bin file",
            Self::Unknown => {
                "neither a tlog, a ULog nor a DataFlash log: no MAVLink frame and no log header found; if it was downloaded, download it again"
            }
        })
    }
}

/// What the file that holds `bytes` is.
#[must_use]
pub fn detect(bytes: &[u8]) -> FileKind {
    detect_with_survey(bytes).0
}

/// What the file is, and what a look at its beginning told if that decided it: who goes on to read it
/// need not look again.
pub(super) fn detect_with_survey(bytes: &[u8]) -> (FileKind, Option<Survey>) {
    if bytes.is_empty() {
        return (FileKind::Empty, None);
    }
    if bytes.starts_with(&ULOG) {
        return (FileKind::ULog, None);
    }
    if bytes.starts_with(&DATAFLASH) {
        return (FileKind::DataFlash, None);
    }
    if let Some(text) = text_beginning(bytes) {
        return (kind_of_text(text), None);
    }
    let survey = Survey::of(bytes);
    let kind = match survey.layout {
        Layout::Stamped => FileKind::Tlog,
        Layout::Stampless => FileKind::StamplessMavlink,
        Layout::NoFrames if looks_like_dataflash(bytes) => FileKind::DataFlash,
        Layout::NoFrames => FileKind::Unknown,
    };
    (kind, Some(survey))
}

fn kind_of_text(text: &str) -> FileKind {
    if text_is_dataflash(text) {
        return FileKind::DataFlashText;
    }
    let first = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with("//") && !line.starts_with("#!["));
    match first {
        Some(line) if line.starts_with('(') || line.starts_with("Scenario(") => FileKind::Scenario,
        _ => FileKind::Text,
    }
}

/// Whether DataFlash messages stand in the beginning, for logs whose first block was lost.
fn looks_like_dataflash(bytes: &[u8]) -> bool {
    let sample = bytes.get(..SAMPLE).unwrap_or(bytes);
    sample
        .windows(DATAFLASH.len())
        .filter(|window| *window == DATAFLASH)
        .count()
        >= DATAFLASH_MESSAGES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::mavlink::test_frames::heartbeat;

    #[test]
    fn kinds_are_told_by_content() {
        let stamp = 1_700_000_000_000_000_u64.to_be_bytes();
        let tlog: Vec<u8> = (0..4)
            .flat_map(|i| [&stamp[..], &heartbeat(i)].concat())
            .collect();
        let raw: Vec<u8> = (0..4).flat_map(heartbeat).collect();
        let cut_dataflash = [&[7; 30][..], &[0xa3, 0x95, 0x80, 1].repeat(20)].concat();
        let cases: [(&[u8], FileKind); 13] = [
            (b"", FileKind::Empty),
            (&tlog, FileKind::Tlog),
            (&tlog[1..], FileKind::Tlog),
            (&raw, FileKind::StamplessMavlink),
            (b"\x55\x4c\x6f\x67\x01\x12\x35\x01rest", FileKind::ULog),
            (b"\xa3\x95\x80\x80\x59FMT", FileKind::DataFlash),
            (&cut_dataflash, FileKind::DataFlash),
            (
                b"FMT, 128, 89, FMT, BBnNZ, Type,Length\n",
                FileKind::DataFlashText,
            ),
            (
                "\u{feff}FMT, 128, 89, FMT, BBnNZ, Type,Length\n".as_bytes(),
                FileKind::DataFlashText,
            ),
            (
                b"// The demo.\n(\n  name: \"demo\",\n)\n",
                FileKind::Scenario,
            ),
            (b"{\"a\": 1}", FileKind::Text),
            ("Höhe über Grund\n".as_bytes(), FileKind::Text),
            (&[0x11; 600], FileKind::Unknown),
        ];
        for (bytes, kind) in cases {
            assert_eq!(detect(bytes), kind);
            let opens = matches!(
                kind,
                FileKind::Tlog
                    | FileKind::ULog
                    | FileKind::DataFlash
                    | FileKind::DataFlashText
                    | FileKind::Scenario
            );
            assert_eq!(kind.advice().is_none(), opens);
        }
    }
}
