//! Which heartbeats of the ground stations arrived, where the vehicle's receive counter tells only some.

use std::collections::BTreeMap;

use crate::observation::Talker;
use crate::rules::px4::Arrival;
use crate::time::Micros;

/// One heartbeat of a ground station, as sent, and what is known of its arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GroundBeat {
    pub at: Micros,
    pub talker: Talker,
    pub arrival: Arrival,
}

/// The heartbeats before that at `index`, latest first, that may have been the last to arrive: where the
/// receive counter refutes the next one, but tells of neither this one nor those just before it.
pub(super) fn uncertain_before(beats: &[GroundBeat], index: usize) -> Vec<GroundBeat> {
    // A minute without a reading; whoever hears a vehicle that badly is told of many uncertain ones anyway.
    const MOST: usize = 60;
    let arrival_of = |index: usize| beats.get(index).map(|b| b.arrival);
    let doubtful =
        arrival_of(index) == Some(Arrival::Open) && arrival_of(index + 1) == Some(Arrival::Refuted);
    let mut earlier = Vec::new();
    let before = beats.get(..index).filter(|_| doubtful).unwrap_or_default();
    for beat in before.iter().rev() {
        if beat.arrival == Arrival::Refuted {
            continue;
        }
        earlier.push(*beat);
        if beat.arrival == Arrival::Proven || earlier.len() == MOST {
            break;
        }
    }
    earlier
}

/// Of the newest heartbeats the counter has not told yet. Where those of the same talker before are known
/// to be lost, so are they for now: otherwise each one that is sent into a dead link would look like its
/// return until the next reading.
///
/// Those up to `told_until` have had their readings. Where these leave one open, on a link that loses frames,
/// it stays so: presuming it lost would make a silence of it that has no end.
pub(super) fn presume_the_newest_lost(beats: &mut [GroundBeat], told_until: Micros) {
    let mut fates: BTreeMap<Talker, Arrival> = BTreeMap::new();
    for beat in beats.iter().filter(|b| b.arrival != Arrival::Open) {
        fates.insert(beat.talker, beat.arrival);
    }
    fates.retain(|_, fate| *fate == Arrival::Refuted);
    for beat in beats.iter_mut().rev() {
        if beat.arrival != Arrival::Open {
            fates.remove(&beat.talker);
        } else if beat.at > told_until && fates.contains_key(&beat.talker) {
            beat.arrival = Arrival::Refuted;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fates(told_until_s: i64, arrivals: &[Arrival]) -> Vec<Arrival> {
        let mut beats: Vec<GroundBeat> = (1..)
            .zip(arrivals)
            .map(|(second, arrival)| GroundBeat {
                at: Micros::from_millis(second * 1_000),
                talker: Talker::new(255, 190),
                arrival: *arrival,
            })
            .collect();
        presume_the_newest_lost(&mut beats, Micros::from_millis(told_until_s * 1_000));
        beats.iter().map(|b| b.arrival).collect()
    }

    #[test]
    fn only_what_no_reading_could_tell_yet_is_presumed_lost() {
        use Arrival::{Open, Proven, Refuted};
        let sent = [Proven, Refuted, Open, Open, Open];
        assert_eq!(
            fates(2, &sent),
            [Proven, Refuted, Refuted, Refuted, Refuted]
        );
        assert_eq!(fates(4, &sent), [Proven, Refuted, Open, Open, Refuted]);
        assert_eq!(fates(2, &[Refuted, Proven, Open]), [Refuted, Proven, Open]);
    }
}
