//! On which of the vehicle's MAVLink instances does a talker enter?
//!
//! The receiver's state is per instance, so a companion's heartbeat forces checks on *our* instance only
//! if it enters the vehicle there; one that the vehicle merely forwards to us forces nothing. A recording
//! shows both alike. The vehicle's own receive counter (LINK_NODE_STATUS.messages_received, of the
//! instance that sends it) tells them apart: between two of them it rises by the number of frames that
//! entered here. Each assignment of talkers is a hypothesis that is tested against every rise.

use crate::observation::Talker;
use crate::time::{Micros, Span};

/// One LINK_NODE_STATUS as it arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterSample {
    /// Arrival on the ground.
    pub at: Micros,
    /// `messages_received`.
    pub received: u32,
}

/// The frames of one talker that is not the vehicle's autopilot.
#[derive(Clone, Copy, Debug)]
pub struct TalkerFrames<'a> {
    /// Who.
    pub talker: Talker,
    /// When its frames were seen, in order.
    pub frames: &'a [Micros],
}

/// Where a talker enters the vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entry {
    /// On the instance whose LINK_NODE_STATUS we receive.
    Here,
    /// On another one.
    Elsewhere,
    /// The counter does not decide.
    Undecided,
}

/// What the receive counter says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    entries: Vec<(Talker, Entry)>,
    /// How many rises of the counter told the hypotheses apart.
    pub informative: usize,
    /// The counter keeps rising by more than everything that was seen: somebody talks to the vehicle on
    /// this instance whom we do not hear.
    pub unseen_talkers: bool,
}

/// With more talkers than this the busiest ones are tested; the others stay undecided.
const TALKER_LIMIT: usize = 6;
/// Fewer telling rises than this decide nothing.
const LEAST_INFORMATIVE: usize = 3;
/// A hypothesis must explain this share of the telling rises, in percent, to be believed at all: frames
/// are lost on a radio, so that even the right one does not explain every rise.
const LEAST_SCORE_PERCENT: usize = 60;
/// Hypotheses within this many percent of the best one survive beside it.
const MARGIN_PERCENT: usize = 20;

/// Rises over so many readings are tested. Over one reading, a frame near either end may belong to this
/// rise or to its neighbour, which hides a talker whose frames always fall there; over several, only the
/// outer ends are open. Longer ones would hardly ever be free of a lost frame.
const LENGTHS: [usize; 3] = [1, 3, 6];

/// Tests all hypotheses. `slack` is how far a frame's time on our record may be from the moment at
/// which the vehicle counted it, against the moment at which the counter was read.
#[must_use]
pub fn infer_topology(
    counters: &[CounterSample],
    talkers: &[TalkerFrames<'_>],
    slack: Span,
) -> Topology {
    let mut tested: Vec<TalkerFrames<'_>> = talkers.to_vec();
    tested.sort_by_key(|t| std::cmp::Reverse(t.frames.len()));
    tested.truncate(TALKER_LIMIT);
    let hypotheses = 1_usize << tested.len();
    let mut explained = vec![0_usize; hypotheses];
    let mut informative = 0;
    let mut excess = 0;
    let mut rises = 0;
    for rise in LENGTHS.iter().flat_map(|n| Rise::over(counters, *n)) {
        let counts: Vec<FrameCount> = tested.iter().map(|t| rise.count(t.frames, slack)).collect();
        let fits: Vec<bool> = (0..hypotheses)
            .map(|hypothesis| rise.explained_by(&counts, hypothesis))
            .collect();
        rises += 1;
        let most: u64 = counts.iter().map(|c| c.certain + c.possible).sum();
        excess += usize::from(u64::from(rise.by) > most);
        let fitting = fits.iter().filter(|fit| **fit).count();
        if fitting == 0 || fitting == hypotheses {
            continue;
        }
        informative += 1;
        for (score, fit) in explained.iter_mut().zip(&fits) {
            *score += usize::from(*fit);
        }
    }
    let best = explained.iter().copied().max().unwrap_or(0);
    let decided =
        informative >= LEAST_INFORMATIVE && best * 100 >= informative * LEAST_SCORE_PERCENT;
    let surviving: Vec<usize> = explained
        .iter()
        .enumerate()
        .filter(|(_, score)| !decided || (best - **score) * 100 < informative * MARGIN_PERCENT)
        .map(|(hypothesis, _)| hypothesis)
        .collect();
    let entries = talkers
        .iter()
        .map(|t| {
            let bit = tested.iter().position(|x| x.talker == t.talker);
            (t.talker, entry_of(bit, &surviving))
        })
        .collect();
    Topology {
        entries,
        informative,
        // One rise more than was seen is a frame near the edge; most rises are a talker.
        unseen_talkers: rises >= LEAST_INFORMATIVE && excess * 2 > rises,
    }
}

fn entry_of(bit: Option<usize>, surviving: &[usize]) -> Entry {
    let Some(bit) = bit else {
        return Entry::Undecided;
    };
    let here = surviving.iter().filter(|h| (**h >> bit) & 1 == 1).count();
    if surviving.is_empty() {
        Entry::Undecided
    } else if here == surviving.len() {
        Entry::Here
    } else if here == 0 {
        Entry::Elsewhere
    } else {
        Entry::Undecided
    }
}

impl Topology {
    /// Where `talker` enters.
    #[must_use]
    pub fn entry(&self, talker: Talker) -> Entry {
        self.entries
            .iter()
            .find(|(t, _)| *t == talker)
            .map_or(Entry::Undecided, |(_, entry)| *entry)
    }

    /// Whether both place every talker alike.
    #[must_use]
    pub fn same_entries(&self, other: &Self) -> bool {
        self.entries.len() == other.entries.len()
            && self
                .entries
                .iter()
                .all(|(t, entry)| other.entry(*t) == *entry)
    }

    /// Keeps what an `earlier` inference decided: a talker that entered here once is taken to enter here
    /// still. Wiring changes rarely, while an uplink that dies makes a ground station look as if it
    /// talked elsewhere.
    pub fn keep(&mut self, earlier: &Self) {
        for (talker, entry) in &earlier.entries {
            if *entry == Entry::Here {
                self.state(*talker, Entry::Here);
            }
        }
    }

    /// Takes the operator's word for where `talker` enters: it beats the counter.
    pub fn state(&mut self, talker: Talker, entry: Entry) {
        self.entries.retain(|(t, _)| *t != talker);
        self.entries.push((talker, entry));
    }
}

/// Whether the vehicle received what a talker sent between two readings of the counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arrival {
    /// All of it.
    Proven,
    /// Nothing of it.
    Refuted,
    /// The counter does not tell.
    Open,
}

/// Whether the frame that `talker` sent at `sent` arrived, by the receive counter and a topology in
/// which that talker enters here.
#[must_use]
pub fn arrival(
    counters: &[CounterSample],
    talkers: &[TalkerFrames<'_>],
    topology: &Topology,
    slack: Span,
    talker: Talker,
    sent: Micros,
) -> Arrival {
    if topology.entry(talker) != Entry::Here {
        return Arrival::Open;
    }
    let after = counters.partition_point(|c| c.at < sent);
    let near = counters
        .get(after.saturating_sub(3)..(after + 3).min(counters.len()))
        .unwrap_or_default();
    // A frame near a reading may belong to the rise on either side of it; over several readings there is
    // one that has it clear of both ends. The shortest that decides is taken: over a longer one, frames
    // of different fate are more likely to be mixed.
    (1..=3)
        .flat_map(|length| Rise::over(near, length))
        .filter(|rise| rise.from + slack < sent && sent + slack <= rise.to)
        .map(|rise| rise.arrival(talkers, topology, slack, talker))
        .find(|arrival| *arrival != Arrival::Open)
        .unwrap_or(Arrival::Open)
}

/// How many frames the vehicle counted between two readings that follow each other; `None` where that
/// proves nothing: across a reboot, or across a hole in which readings were lost.
#[must_use]
pub fn counted_between(before: &CounterSample, after: &CounterSample) -> Option<u32> {
    let apart = after.at - before.at;
    let by = after.received.wrapping_sub(before.received);
    (by < 1_000_000 && apart > Span::from_millis(200) && apart < Span::from_secs(5)).then_some(by)
}

/// A rise of the counter between two readings.
#[derive(Clone, Copy, Debug)]
struct Rise {
    from: Micros,
    to: Micros,
    by: u32,
}

/// Frames seen within a rise: certainly within, and possibly (near one of its ends).
#[derive(Clone, Copy, Debug, Default)]
struct FrameCount {
    certain: u64,
    possible: u64,
}

impl FrameCount {
    fn add(&mut self, other: Self) {
        self.certain += other.certain;
        self.possible += other.possible;
    }
}

impl Rise {
    /// The usable rises over `length` consecutive readings: not across a reboot, and not across a hole
    /// in which readings were lost and everything may have happened.
    fn over(counters: &[CounterSample], length: usize) -> impl Iterator<Item = Self> {
        counters.windows(length + 1).filter_map(|readings| {
            let (first, last) = (readings.first()?, readings.last()?);
            let by = readings.windows(2).try_fold(0, |sum: u32, pair| {
                let [a, b] = pair else { return None };
                Some(sum.wrapping_add(counted_between(a, b)?))
            })?;
            Some(Self {
                from: first.at,
                to: last.at,
                by,
            })
        })
    }

    /// What became of everything that `talker` sent within the rise.
    fn arrival(
        self,
        talkers: &[TalkerFrames<'_>],
        topology: &Topology,
        slack: Span,
        talker: Talker,
    ) -> Arrival {
        let mut others = FrameCount::default();
        let mut own = FrameCount::default();
        for t in talkers {
            let count = self.count(t.frames, slack);
            if t.talker == talker {
                own = count;
            } else {
                match topology.entry(t.talker) {
                    Entry::Here => others.add(count),
                    Entry::Elsewhere => {}
                    Entry::Undecided => others.possible += count.certain + count.possible,
                }
            }
        }
        let by = u64::from(self.by);
        if by <= others.certain && own.certain > 0 {
            Arrival::Refuted
        } else if by >= others.certain + others.possible + own.certain + own.possible {
            Arrival::Proven
        } else {
            Arrival::Open
        }
    }

    fn count(self, frames: &[Micros], slack: Span) -> FrameCount {
        let between = |from: Micros, to: Micros| {
            let start = frames.partition_point(|t| *t <= from);
            let end = frames.partition_point(|t| *t <= to);
            end.saturating_sub(start) as u64
        };
        let certain = between(self.from + slack, self.to - slack);
        let wide = between(self.from - slack, self.to + slack);
        FrameCount {
            certain,
            possible: wide - certain.min(wide),
        }
    }

    fn explained_by(self, counts: &[FrameCount], hypothesis: usize) -> bool {
        let mut sum = FrameCount::default();
        for (bit, count) in counts.iter().enumerate() {
            if (hypothesis >> bit) & 1 == 1 {
                sum.add(*count);
            }
        }
        (sum.certain..=sum.certain + sum.possible).contains(&u64::from(self.by))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GCS: Talker = Talker::new(255, 190);
    const COMPANION: Talker = Talker::new(1, 191);
    const SLACK: Span = Span::from_millis(30);

    fn every_second(offset_ms: i64, seconds: std::ops::Range<i64>) -> Vec<Micros> {
        seconds
            .map(|s| Micros::from_millis(s * 1_000 + offset_ms))
            .collect()
    }

    fn counters(rises: &[u32]) -> Vec<CounterSample> {
        let mut received = 1_000;
        let first = CounterSample {
            at: Micros::from_millis(0),
            received,
        };
        std::iter::once(first)
            .chain(rises.iter().enumerate().map(|(i, by)| {
                received += by;
                CounterSample {
                    at: Micros::from_millis((i as i64 + 1) * 1_000),
                    received,
                }
            }))
            .collect()
    }

    fn inferred(rises: &[u32], gcs: &[Micros], companion: &[Micros]) -> Topology {
        let talkers = [
            TalkerFrames {
                talker: GCS,
                frames: gcs,
            },
            TalkerFrames {
                talker: COMPANION,
                frames: companion,
            },
        ];
        infer_topology(&counters(rises), &talkers, SLACK)
    }

    #[test]
    fn a_companion_on_our_instance_is_counted_there() {
        let gcs = every_second(300, 0..10);
        let companion = every_second(700, 0..10);
        let topology = inferred(&[2; 10], &gcs, &companion);
        assert_eq!(topology.entry(GCS), Entry::Here);
        assert_eq!(topology.entry(COMPANION), Entry::Here);
        let topology = inferred(&[1; 10], &gcs, &every_second(700, 4..10));
        assert_eq!(topology.entry(COMPANION), Entry::Elsewhere);
        assert_eq!(topology.entry(GCS), Entry::Here);
    }

    #[test]
    fn too_little_evidence_decides_nothing() {
        let topology = inferred(&[2, 2], &every_second(300, 0..2), &every_second(700, 0..2));
        assert_eq!(topology.entry(COMPANION), Entry::Undecided);
    }

    #[test]
    fn frames_that_always_fall_on_the_reading_itself_are_still_told_apart() {
        let mut twice = every_second(300, 0..10);
        twice.extend(every_second(600, 0..10));
        twice.sort();
        let topology = inferred(&[3; 10], &twice, &every_second(995, 0..10));
        assert_eq!(topology.entry(COMPANION), Entry::Here);
        let topology = inferred(&[2; 10], &twice, &every_second(995, 0..10));
        assert_eq!(topology.entry(COMPANION), Entry::Elsewhere);
    }

    #[test]
    fn a_hidden_talker_shows_as_excess() {
        let topology = inferred(
            &[3; 10],
            &every_second(300, 0..10),
            &every_second(700, 0..10),
        );
        assert!(topology.unseen_talkers);
    }

    #[test]
    fn the_counter_tells_which_heartbeats_arrived() {
        let gcs = every_second(300, 0..10);
        let companion = every_second(700, 0..10);
        // The uplink dies at 6 s: the companion goes on, ours do not arrive.
        let rises = [2, 2, 2, 2, 2, 2, 1, 1, 1, 1];
        let counters = counters(&rises);
        let talkers = [
            TalkerFrames {
                talker: GCS,
                frames: &gcs,
            },
            TalkerFrames {
                talker: COMPANION,
                frames: &companion,
            },
        ];
        let topology = infer_topology(&counters, &talkers, SLACK);
        let of = |ms| {
            let sent = Micros::from_millis(ms);
            arrival(&counters, &talkers, &topology, SLACK, GCS, sent)
        };
        assert_eq!(of(5_300), Arrival::Proven);
        assert_eq!(of(6_300), Arrival::Refuted);
        assert_eq!(of(9_300), Arrival::Refuted);
    }
}
