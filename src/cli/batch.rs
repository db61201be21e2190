//! Many inputs at a time, their results in order.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crossbeam_channel::{Receiver, Sender, bounded};

/// Results that may wait for one before them, for each worker. This bounds the memory: a worker gets no
/// further input while the one that is due keeps the others waiting.
const AHEAD: usize = 4;

/// Does `work` on every input on `workers` threads, and hands each result to `take` in the order of the
/// inputs. A `work` that panics gives `None`: one input must not cost the others their reports.
///
/// Errs only if not a single thread could be started.
pub(super) fn in_order<I: Sync, O: Send>(
    inputs: &[I],
    workers: NonZeroUsize,
    work: impl Fn(&I) -> O + Sync,
    mut take: impl FnMut(usize, Option<O>),
) -> std::io::Result<()> {
    let workers = workers.get().min(inputs.len().max(1));
    // No more than these are ever handed out and not yet taken, so that neither queue is ever full.
    let window = workers * AHEAD;
    let (hand_out, jobs) = bounded::<usize>(window);
    let (hand_back, results) = bounded::<(usize, Option<O>)>(window);
    std::thread::scope(|scope| {
        let mut refused = None;
        let mut started = false;
        for number in 0..workers {
            let (jobs, hand_back, work) = (jobs.clone(), hand_back.clone(), &work);
            let thread = std::thread::Builder::new()
                .name(format!("report {number}"))
                .spawn_scoped(scope, move || run(inputs, &jobs, &hand_back, work));
            match thread {
                Ok(_) => started = true,
                Err(error) => refused = Some(error),
            }
        }
        drop((jobs, hand_back));
        if !started {
            return Err(refused.unwrap_or_else(|| std::io::ErrorKind::Other.into()));
        }
        let mut due = 0;
        let mut next = 0;
        let mut waiting = BTreeMap::new();
        let mut refill = |due: usize| {
            while next < inputs.len().min(due + window) && hand_out.send(next).is_ok() {
                next += 1;
            }
        };
        refill(due);
        while due < inputs.len() {
            let Ok((index, result)) = results.recv() else {
                break;
            };
            waiting.insert(index, result);
            while let Some(result) = waiting.remove(&due) {
                take(due, result);
                due += 1;
            }
            refill(due);
        }
        drop(hand_out);
        Ok(())
    })
}

fn run<I, O>(
    inputs: &[I],
    jobs: &Receiver<usize>,
    hand_back: &Sender<(usize, Option<O>)>,
    work: &impl Fn(&I) -> O,
) {
    for index in jobs {
        let Some(input) = inputs.get(index) else {
            continue;
        };
        let result = catch_unwind(AssertUnwindSafe(|| work(input))).ok();
        if hand_back.send((index, result)).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn results_come_in_order_and_a_panic_costs_its_own_input_alone() {
        let inputs: Vec<usize> = (0..200).collect();
        let mut taken = Vec::new();
        in_order(
            &inputs,
            NonZeroUsize::MIN.saturating_add(3),
            |input| {
                assert_ne!(*input, 17, "as a reader might");
                input * 2
            },
            |index, result| taken.push((index, result)),
        )
        .ok();
        let expected: Vec<(usize, Option<usize>)> = (0..200)
            .map(|index| (index, (index != 17).then_some(index * 2)))
            .collect();
        assert_eq!(taken, expected);
    }

    #[test]
    fn no_more_results_wait_than_are_allowed() {
        let inputs: Vec<usize> = (0..300).collect();
        let begun = AtomicUsize::new(0);
        let mut done = 0;
        let mut furthest = 0;
        in_order(
            &inputs,
            NonZeroUsize::MIN.saturating_add(1),
            |_| begun.fetch_add(1, Ordering::SeqCst),
            |_, _| {
                furthest = furthest.max(begun.load(Ordering::SeqCst) - done);
                done += 1;
            },
        )
        .ok();
        assert_eq!(done, inputs.len());
        assert!(furthest <= 2 * AHEAD, "{furthest}");
    }
}
