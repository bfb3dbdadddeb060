//! Ordering: every kernel and library call after those whose results it reads.

use super::{Place, Step};

/// Sorts the steps by what they read; among those that are ready, the order given stays.
pub(super) fn order(steps: Vec<Step>) -> Vec<Step> {
    let mut waiting: Vec<Option<Step>> = steps.into_iter().map(Some).collect();
    let mut ordered: Vec<Step> = Vec::new();
    while ordered.len() < waiting.len() {
        let missing: Vec<u32> =
            waiting.iter().flatten().flat_map(|s| s.outputs().iter().copied()).collect();
        let ready = |step: &Step| {
            let here =
                |p: &Place| matches!(p, Place::Node(n) | Place::Part(n, _) if missing.contains(n));
            !step.inputs().iter().any(here)
        };
        let next = waiting.iter_mut().find(|s| s.as_ref().is_some_and(ready));
        let step = next.and_then(Option::take).expect("the grouping leaves no cycle");
        ordered.push(step);
    }
    ordered
}
