use thiserror::Error;

use crate::observation::Talker;
use crate::source::mavlink::{ChecksumSeeds, Reading, is_start, read};
use crate::time::Micros;

use super::ByteOrder;
use super::stamp::{STAMP, instant};

/// How much of a file is surveyed: about a minute and a half of a busy link, read in a few milliseconds.
const EXTENT: usize = 4 << 20;

/// MAVProxy's ids.
const MAVPROXY: Talker = Talker::new(255, 230);

/// How many frames from MAVProxy's ids must carry its mark before the mark is believed. By chance the
/// two lowest bits of as many microsecond times are all set once in 256 files.
const MARKS: u32 = 4;

/// Why a file cannot be read as a tlog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NotATlog {
    /// The frames follow each other without times.
    #[error(
        "MAVLink frames without time stamps (a .tlog.raw or .rlog): no timing can be computed; open the .tlog written beside it"
    )]
    Stampless,
    /// There is no frame whose checksum holds.
    #[error("no MAVLink frame found; choose a .tlog, .ulg or .bin file")]
    NoFrames,
}

/// How the frames of a file follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// With a time before each.
    Stamped,
    /// One directly after the other.
    Stampless,
    /// There is none.
    NoFrames,
}

/// What the beginning of a file says about how to read all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Survey {
    pub(crate) layout: Layout,
    pub(super) order: ByteOrder,
    /// Whether the two lowest bits of a time say who sent the frame.
    pub(super) marked: bool,
    /// The first stamp that is a time.
    pub(super) first: Option<Micros>,
}

impl Survey {
    /// Surveys a file that holds `bytes`.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let seeds = ChecksumSeeds::of_dialect();
        let mut votes = Votes::default();
        // A hole of zeros at the beginning may be longer than the extent. All but seven of the zeros: those
        // may be the high bytes of a time.
        let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
        let begin = zeros.saturating_sub(STAMP - 1);
        let limit = bytes.len().min(begin + EXTENT);
        let mut any_frame = false;
        let mut end = begin;
        let mut at = begin;
        while at < limit {
            // Right after a frame, a stamp is skipped before anything in it is taken for a start.
            let starts = if at == end {
                [at + STAMP, at]
            } else {
                [at, at]
            };
            let found = starts.into_iter().find_map(|start| {
                let rest = bytes.get(start..)?;
                match read(rest, seeds) {
                    Reading::Good(frame) => Some((start, frame)),
                    _ => None,
                }
            });
            if let Some((start, frame)) = found {
                match start - end {
                    STAMP => {
                        let stamp = bytes.get(end..).and_then(|rest| rest.first_chunk());
                        votes.stamped(*stamp.unwrap_or(&[0; STAMP]), frame.from);
                    }
                    0 => votes.adjacent += 1,
                    _ => {}
                }
                any_frame = true;
                end = start + frame.bytes.len();
                at = end;
            } else {
                at += 1;
                at += bytes
                    .get(at..limit)
                    .and_then(|rest| rest.iter().position(|byte| is_start(*byte)))
                    .unwrap_or(limit);
            }
        }
        votes.survey(any_frame)
    }
}

/// What the records speak for.
#[derive(Debug, Default)]
struct Votes {
    stamped: u32,
    adjacent: u32,
    big: u32,
    little: u32,
    first_big: Option<Micros>,
    first_little: Option<Micros>,
    mavproxy_marked: u32,
    mavproxy_unmarked: u32,
    others_unmarked: u32,
}

impl Votes {
    fn stamped(&mut self, stamp: [u8; STAMP], from: Talker) {
        self.stamped += 1;
        let big = instant(ByteOrder::Big.number(stamp));
        let little = instant(ByteOrder::Little.number(stamp));
        self.big += u32::from(big.is_some());
        self.little += u32::from(little.is_some());
        self.first_big = self.first_big.or(big);
        self.first_little = self.first_little.or(little);
        let marked = ByteOrder::Big.number(stamp) & 3 == 3;
        match (from == MAVPROXY, marked) {
            (true, true) => self.mavproxy_marked += 1,
            (true, false) => self.mavproxy_unmarked += 1,
            (false, false) => self.others_unmarked += 1,
            (false, true) => {}
        }
    }

    fn survey(&self, any_frame: bool) -> Survey {
        let order = if self.little > self.big {
            ByteOrder::Little
        } else {
            ByteOrder::Big
        };
        Survey {
            layout: if !any_frame {
                Layout::NoFrames
            } else if self.adjacent > self.stamped {
                Layout::Stampless
            } else {
                Layout::Stamped
            },
            order,
            marked: order == ByteOrder::Big
                && self.mavproxy_marked >= MARKS
                && self.mavproxy_unmarked == 0
                && self.others_unmarked > 0,
            first: match order {
                ByteOrder::Big => self.first_big,
                ByteOrder::Little => self.first_little,
            },
        }
    }
}
