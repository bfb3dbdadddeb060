//! Ordering: every kernel and library call after those whose results it reads, and what overwrites
//! an array after everything that reads it.

use super::work::work;
use super::{Place, Step};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Sorts the steps by what they read; among those that are ready, the order given stays.
pub(super) fn order(steps: Vec<Step>) -> Vec<Step> {
    let mut maker: FxHashMap<u32, usize> = FxHashMap::default();
    for (k, step) in steps.iter().enumerate() {
        maker.extend(step.outputs().iter().map(|&n| (n, k)));
    }
    // Which steps read what others overwrite, each once.
    let mut readers: FxHashMap<Place, Vec<usize>> =
        steps.iter().flat_map(overwritten).map(|leaf| (leaf, Vec::new())).collect();
    for (k, step) in steps.iter().enumerate() {
        for place in step.inputs() {
            work(1);
            if let Some(known) = readers.get_mut(place)
                && known.last() != Some(&k)
            {
                known.push(k);
            }
        }
    }
    // What waits for each step, and for how many others each one waits.
    let mut followers: Vec<Vec<usize>> = vec![Vec::new(); steps.len()];
    let mut missing = vec![0; steps.len()];
    let mut follow = |first: usize, then: usize| {
        followers[first].push(then);
        missing[then] += 1;
        work(1);
    };
    for (k, step) in steps.iter().enumerate() {
        for place in step.inputs() {
            if let Place::Node(n) | Place::Part(n, _) = place
                && let Some(&first) = maker.get(n)
            {
                follow(first, k);
            }
        }
        for leaf in overwritten(step) {
            let readers = readers.get(&leaf).into_iter().flatten().copied();
            readers.filter(|&reader| reader != k).for_each(|reader| follow(reader, k));
        }
    }
    // What overwrites something runs as late as it can: should another step fail before, the data
    // is as it was.
    let class = |k: usize| (overwritten(&steps[k]).next().is_some(), k);
    let mut ready: BTreeSet<(bool, usize)> =
        (0..steps.len()).filter(|&k| missing[k] == 0).map(class).collect();
    let mut order = Vec::with_capacity(steps.len());
    while let Some((_, k)) = ready.pop_first() {
        order.push(k);
        for &then in &followers[k] {
            missing[then] -= 1;
            if missing[then] == 0 {
                ready.insert(class(then));
            }
        }
    }
    assert_eq!(order.len(), steps.len(), "the grouping leaves no cycle");
    let mut steps: Vec<Option<Step>> = steps.into_iter().map(Some).collect();
    order.into_iter().filter_map(|k| steps[k].take()).collect()
}

/// The leaves that a step overwrites.
fn overwritten(step: &Step) -> impl Iterator<Item = Place> {
    let in_place = match step {
        Step::Kernel(step) => &step.in_place[..],
        Step::Library(_) => &[],
    };
    in_place.iter().map(|&(_, leaf)| Place::Leaf(leaf))
}
