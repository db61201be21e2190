//! From the heartbeats that the ground saw to the windows in which PX4 declares the loss.

use crate::observation::Talker;
use crate::rules::{Candidate, Explanation};
use crate::time::{Bounds, Micros, Span};

use super::loss_words::{explain, heartbeat_step, loss_step, questions_in_words};
use super::{
    FlagRule, ForcedCheck, HeartbeatEffect, Hypothesis, LoopTiming, Px4Version, Silence, StartLine,
    Topology, loss_window, start_line_unknown_talkers, start_lines,
};

/// The heartbeats of one talker around the silence, on the vehicle's timeline.
#[derive(Clone, Debug, PartialEq)]
pub struct TalkerHeartbeats {
    /// Who.
    pub talker: Talker,
    /// What its heartbeats do.
    pub effect: HeartbeatEffect,
    /// When they were seen, in order.
    pub seen: Vec<Micros>,
    /// How long before it was seen the vehicle may have received one. Not zero for a talker aboard, or on
    /// another link of the vehicle: what it says reaches the ground last.
    pub seen_late: Span,
    /// Those that are expected although they were not seen: the rhythm continued past the end of what
    /// is known, each with what the jitter so far allows.
    pub presumed: Vec<Bounds>,
}

/// What the loss is computed from. All instants on the vehicle's timeline.
#[derive(Clone, Debug)]
pub struct LossInput<'a> {
    /// The versions that the evidence leaves open; more than one when the firmware is not known.
    pub versions: &'a [Px4Version],
    /// Talkers whose heartbeats the vehicle accepts.
    pub talkers: &'a [TalkerHeartbeats],
    /// Where they enter.
    pub topology: &'a Topology,
    /// How much later than its time on our record the vehicle may have received a heartbeat.
    pub transport: Span,
    /// How late the vehicle's loops are.
    pub timing: LoopTiming,
    /// COM_DL_LOSS_T.
    pub com_dl_loss_t: Span,
}

/// Windows that overlap are one window, if it does not get wider than this.
const MERGED_WIDTH: Span = Span::from_millis(40);

/// All windows for the silence that begins with the last ground station heartbeat at or before `from`,
/// earliest first. Empty only when no ground station heartbeat is in the input.
#[must_use]
pub fn loss_candidates(input: &LossInput<'_>, from: Micros) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    let Some((_, anchor)) = last_ground_heartbeat(input, from) else {
        return found;
    };
    let effects: Vec<_> = input.talkers.iter().map(|t| (t.talker, t.effect)).collect();
    let hypotheses = Hypothesis::surviving(input.topology, &effects, anchor);
    let mut timeouts: Vec<(Option<Span>, Px4Version)> = Vec::new();
    for version in input.versions {
        if !timeouts
            .iter()
            .any(|(t, _)| *t == version.heartbeat_timeout())
        {
            timeouts.push((version.heartbeat_timeout(), *version));
        }
    }
    let several_versions = timeouts.len() > 1;
    for (timeout, version) in timeouts {
        let condition = if several_versions {
            format!("the firmware follows the rules of {version}")
        } else {
            String::new()
        };
        match timeout {
            None => found.extend(without_flag(input, from, condition)),
            Some(timeout) => {
                let rule = FlagRule::new(timeout);
                for hypothesis in &hypotheses {
                    found.extend(with_flag(
                        input, from, rule, version, hypothesis, &condition,
                    ));
                }
                if input.topology.unseen_talkers {
                    found.extend(with_unseen_talkers(input, from, rule, &condition));
                }
            }
        }
    }
    found.sort_by_key(|c| (c.loss.earliest(), c.loss.latest()));
    merge(found)
}

fn last_ground_heartbeat(input: &LossInput<'_>, from: Micros) -> Option<(Micros, Talker)> {
    input
        .talkers
        .iter()
        .filter(|t| t.effect == HeartbeatEffect::CountsAsGroundStation)
        .filter_map(|t| Some((last_until(&t.seen, from)?, t.talker)))
        .max()
}

fn last_until(times: &[Micros], at: Micros) -> Option<Micros> {
    let after = times.partition_point(|t| *t <= at);
    times.get(after.checked_sub(1)?).copied()
}

/// v1.11: the commander compares the receive time of the heartbeat itself.
fn without_flag(input: &LossInput<'_>, from: Micros, condition: String) -> Option<Candidate> {
    let (at, talker) = last_ground_heartbeat(input, from)?;
    let heard = Bounds::exact(at).later_by(Span::ZERO, input.transport);
    let loss = loss_window(heard, input.com_dl_loss_t, input.timing.commander);
    let mut explanation = Explanation::default();
    explanation.steps.push(heartbeat_step(heard, talker));
    explanation.steps.push(loss_step(loss, input.com_dl_loss_t));
    Some(Candidate {
        last_heartbeat: heard,
        flag_false: None,
        start_line: heard,
        loss,
        condition,
        explanation,
    })
}

/// Somebody whom the ground does not hear talks to the vehicle on this link. Its frames may be heartbeats
/// that force checks, at whatever instants.
fn with_unseen_talkers(
    input: &LossInput<'_>,
    from: Micros,
    rule: FlagRule,
    condition: &str,
) -> Option<Candidate> {
    let (at, talker) = last_ground_heartbeat(input, from)?;
    let heard = Bounds::exact(at).later_by(Span::ZERO, input.transport);
    let start_line = start_line_unknown_talkers(rule, input.timing, heard);
    let loss = loss_window(start_line, input.com_dl_loss_t, input.timing.commander);
    let mut explanation = Explanation::default();
    explanation.steps.push(heartbeat_step(heard, talker));
    explanation.steps.push(loss_step(loss, input.com_dl_loss_t));
    let unseen = "somebody whom we do not hear sends the vehicle heartbeats on this link";
    Some(Candidate {
        last_heartbeat: heard,
        flag_false: None,
        start_line,
        loss,
        condition: if condition.is_empty() {
            unseen.to_owned()
        } else {
            format!("{condition}; {unseen}")
        },
        explanation,
    })
}

/// One instance that a ground station spoke to before the silence.
pub(super) struct InstanceLines {
    /// When the vehicle received the last heartbeat on it.
    pub heard: Bounds,
    /// Whose that was.
    pub talker: Talker,
    lines: Vec<StartLine>,
}

fn with_flag(
    input: &LossInput<'_>,
    from: Micros,
    rule: FlagRule,
    version: Px4Version,
    hypothesis: &Hypothesis,
    condition: &str,
) -> Vec<Candidate> {
    let instances = instances(input, from, rule, hypothesis);
    // The commander takes the latest report of any instance. One whose latest start line lies before
    // another's earliest cannot be it.
    let floor = instances
        .iter()
        .filter_map(|i| i.lines.iter().map(|l| l.report.earliest()).min())
        .max();
    let mut found = Vec::new();
    for instance in &instances {
        for line in &instance.lines {
            if floor.is_some_and(|floor| line.report.latest() < floor) {
                continue;
            }
            let report = match floor {
                Some(floor) => Bounds::new(line.report.earliest().max(floor), line.report.latest()),
                None => line.report,
            };
            let loss = loss_window(report, input.com_dl_loss_t, input.timing.commander);
            let conditions = [condition, &hypothesis.condition, &questions_in_words(line)]
                .into_iter()
                .filter(|c| !c.is_empty())
                .collect::<Vec<_>>()
                .join("; ");
            found.push(Candidate {
                last_heartbeat: instance.heard,
                flag_false: Some(line.flag_false),
                start_line: report,
                loss,
                condition: conditions,
                explanation: explain(input, rule, version, instance, line, loss),
            });
        }
    }
    found
}

fn instances(
    input: &LossInput<'_>,
    from: Micros,
    rule: FlagRule,
    hypothesis: &Hypothesis,
) -> Vec<InstanceLines> {
    let mut found: Vec<InstanceLines> = Vec::new();
    let ground = input
        .talkers
        .iter()
        .filter(|t| t.effect == HeartbeatEffect::CountsAsGroundStation);
    for talker in ground {
        let mates = || {
            input
                .talkers
                .iter()
                .filter(|t| hypothesis.share_instance(t.talker, talker.talker))
        };
        // The instance is spoken for by the ground station that it heard last.
        let last = mates()
            .filter(|t| t.effect == HeartbeatEffect::CountsAsGroundStation)
            .filter_map(|t| Some((last_until(&t.seen, from)?, t.talker)))
            .max();
        let Some((heard, speaker)) = last else {
            continue;
        };
        if speaker != talker.talker {
            continue;
        }
        let heard_at = Bounds::new(heard - talker.seen_late, heard + input.transport);
        let mut forced: Vec<ForcedCheck> = mates()
            .flat_map(|t| {
                let seen = t
                    .seen
                    .iter()
                    .filter(|at| **at > heard)
                    .filter(|_| t.effect == HeartbeatEffect::ForcesCheck)
                    .map(|at| (Bounds::exact(*at), false));
                let presumed = t
                    .presumed
                    .iter()
                    .filter(|at| at.earliest() > heard)
                    .filter(|_| t.effect == HeartbeatEffect::ForcesCheck)
                    .map(|at| (*at, true));
                seen.chain(presumed).map(|(at, presumed)| {
                    let earliest = (at.earliest() - t.seen_late).max(heard_at.earliest());
                    ForcedCheck {
                        at: Bounds::new(earliest, at.latest() + input.transport),
                        by: t.talker,
                        presumed,
                    }
                })
            })
            .collect();
        forced.sort_by_key(|f| f.at.earliest());
        let silence = Silence {
            last_ground_heartbeat: heard_at,
            forced: &forced,
        };
        found.push(InstanceLines {
            heard: heard_at,
            talker: speaker,
            lines: start_lines(rule, input.timing, silence),
        });
    }
    found
}

/// Joins windows that overlap, so that hypotheses that lead to the same instant do not look like a
/// choice. Conditions of joined windows are joined by "or"; one without a condition needs none.
fn merge(sorted: Vec<Candidate>) -> Vec<Candidate> {
    let mut merged: Vec<Candidate> = Vec::new();
    for next in sorted {
        match merged.last_mut() {
            Some(last)
                if last.loss.overlaps(next.loss)
                    && last.loss.hull(next.loss).width() <= MERGED_WIDTH =>
            {
                last.last_heartbeat = last.last_heartbeat.hull(next.last_heartbeat);
                last.flag_false = match (last.flag_false, next.flag_false) {
                    (Some(a), Some(b)) => Some(a.hull(b)),
                    (a, b) => a.or(b),
                };
                last.start_line = last.start_line.hull(next.start_line);
                last.loss = last.loss.hull(next.loss);
                if last.condition != next.condition {
                    last.condition = either(&last.condition, &next.condition);
                }
            }
            _ => merged.push(next),
        }
    }
    // A single window needs no condition: whatever is open leads to it.
    if let [only] = merged.as_mut_slice() {
        only.condition.clear();
    }
    merged
}

fn either(a: &str, b: &str) -> String {
    if a.is_empty() || b.is_empty() {
        String::new()
    } else if a.contains(b) {
        a.to_owned()
    } else {
        format!("{a}, or {b}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::StepKind;

    const GCS: Talker = Talker::new(255, 190);
    const OTHER_GCS: Talker = Talker::new(250, 190);
    const COMPANION: Talker = Talker::new(1, 191);

    fn heartbeats(talker: Talker, effect: HeartbeatEffect, ms: &[i64]) -> TalkerHeartbeats {
        TalkerHeartbeats {
            talker,
            effect,
            seen_late: Span::ZERO,
            seen: ms.iter().map(|ms| Micros::from_millis(*ms)).collect(),
            presumed: Vec::new(),
        }
    }

    fn candidates(
        talkers: &[TalkerHeartbeats],
        topology: &Topology,
        versions: &[Px4Version],
    ) -> Vec<Candidate> {
        let input = LossInput {
            versions,
            talkers,
            topology,
            transport: Span::from_millis(1),
            timing: LoopTiming::FAST_LINK,
            com_dl_loss_t: Span::from_secs(10),
        };
        loss_candidates(&input, Micros::from_millis(60_000))
    }

    use super::super::Entry;
    use HeartbeatEffect::{CountsAsGroundStation, ForcesCheck};

    #[test]
    fn the_published_incident_has_the_documented_times_and_its_race() {
        // Offsets from 15:41:00; the companion's beats are a second apart.
        let talkers = [
            heartbeats(GCS, CountsAsGroundStation, &[1_412, 2_412]),
            heartbeats(COMPANION, ForcesCheck, &[2_284, 3_284, 4_284, 5_284, 6_284]),
        ];
        let mut topology = Topology::default();
        topology.state(COMPANION, Entry::Here);
        let found = candidates(&talkers, &topology, &[Px4Version::V1_16]);
        assert_eq!(found.len(), 2, "{found:#?}");
        let h = Micros::from_millis(2_412);
        let first = &found[0];
        assert!(first.start_line.contains(h + Span::from_millis(1_874)));
        assert!(
            first
                .flag_false
                .is_some_and(|f| f.contains(h + Span::from_millis(2_872)))
        );
        assert!(first.loss.contains(h + Span::from_millis(11_881)));
        assert!(found[1].loss.contains(h + Span::from_millis(12_882)));
        assert!(found[1].condition.contains("just before"));
        let kinds: Vec<_> = first.explanation.steps.iter().map(|s| s.kind).collect();
        assert_eq!(
            kinds,
            [
                StepKind::GroundHeartbeat,
                StepKind::StillPresent,
                StepKind::StartLine,
                StepKind::Absent,
                StepKind::Loss
            ]
        );
    }

    #[test]
    fn the_instance_that_was_heard_last_decides() {
        let talkers = [
            heartbeats(GCS, CountsAsGroundStation, &[1_000, 2_000]),
            heartbeats(OTHER_GCS, CountsAsGroundStation, &[8_500, 9_500]),
        ];
        let mut topology = Topology::default();
        topology.state(GCS, Entry::Here);
        topology.state(OTHER_GCS, Entry::Elsewhere);
        let found = candidates(&talkers, &topology, &[Px4Version::V1_16]);
        assert_eq!(found.len(), 1);
        let offset = found[0].loss.earliest() - Micros::from_millis(9_500);
        assert_eq!(offset, Span::from_millis(12_250));
    }

    #[test]
    fn an_unknown_firmware_keeps_every_rule_that_differs() {
        let talkers = [heartbeats(GCS, CountsAsGroundStation, &[1_000, 2_000])];
        let found = candidates(&talkers, &Topology::default(), &Px4Version::ALL);
        assert_eq!(found.len(), 3, "no flag, 1.5 s, 2.5 s");
        assert!(found.iter().all(|c| c.condition.contains("firmware")));
    }

    #[test]
    fn an_unheard_talker_on_the_link_widens_what_can_be_said() {
        let talkers = [heartbeats(GCS, CountsAsGroundStation, &[1_000, 2_000])];
        let mut topology = Topology::default();
        topology.unseen_talkers = true;
        let found = candidates(&talkers, &topology, &[Px4Version::V1_16]);
        let last = Micros::from_millis(2_000);
        let wide = found
            .iter()
            .find(|c| c.condition.contains("do not hear"))
            .expect("a window for it");
        for offset in [11_510, 12_000, 13_500] {
            assert!(
                wide.loss.contains(last + Span::from_millis(offset)),
                "{wide:?}"
            );
        }
        assert!(found.len() > 1, "the narrow window stays beside it");
    }

    #[test]
    fn an_open_topology_gives_one_narrow_window_each() {
        let talkers = [
            heartbeats(GCS, CountsAsGroundStation, &[1_412, 2_412]),
            heartbeats(COMPANION, ForcesCheck, &[2_012, 3_012, 4_002, 4_992, 5_982]),
        ];
        let found = candidates(&talkers, &Topology::default(), &[Px4Version::V1_16]);
        assert_eq!(found.len(), 2);
        assert!(
            found
                .iter()
                .all(|c| c.loss.width() <= Span::from_millis(40))
        );
        assert!(found[0].condition.contains("on this link"));
        assert!(found[1].condition.contains("elsewhere"));
    }
}
