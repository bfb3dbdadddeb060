//! Where recording evaluates by itself: expressions do not become deep or large without end, and do not
//! keep much memory alive that the program has let go of.

use crate::backend::Device;
use crate::eval::{between_evaluations, evaluate, is_recording};
use crate::graph::{Node, Walks, cut_set, is_as_deep, pinned_bytes, refresh_depth, size_below};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

/// The depth of an expression at which recording evaluates. A chain that a loop carries is cut
/// each time after the same number of steps, so that every cut finds its kernel in the cache.
pub(crate) const DEPTH_LIMIT: u32 = 256;

/// The operations of an expression with which recording evaluates at less depth: plans take time for
/// each of them. A loop that adds to a sum what each turn computes is shallow, and grows by all of a
/// turn.
const SIZE_LIMIT: u32 = 1 << 10;

/// From this depth on the operations of an expression are counted, each time that it has doubled.
const LEAST_DEPTH: u32 = 32;

thread_local! {
    /// How many operations this thread may count: one for each that it has recorded and not counted yet,
    /// up to [`SIZE_LIMIT`].
    static TO_COUNT: Cell<u32> = const { Cell::new(0) };
}

/// The pinned bytes at which recording begins to ask whether the device can bear them.
const PINNED_FEW: u64 = 256 << 20;

/// A node that was just recorded. Where its expression is at a limit, it or what it stands on is evaluated.
#[inline(always)]
#[track_caller]
pub(super) fn checked(node: Arc<Node>) -> Arc<Node> {
    let (device, depth) = (node.device, node.depth());
    let to_count = SIZE_LIMIT.min(TO_COUNT.get() + 1);
    TO_COUNT.set(to_count);
    if depth.is_multiple_of(DEPTH_LIMIT) {
        cut(&node, DEPTH_LIMIT);
    } else if depth >= LEAST_DEPTH && depth.is_power_of_two() && to_count == SIZE_LIMIT {
        cut_large(&node);
    } else if pinned_bytes() > PINNED_FEW && crowded(device) {
        cut(&node, 0);
    }
    node
}

/// Evaluates what a node stands on, if it is at least so deep. Should it fail, the node stays
/// recorded, and whoever asks for its data gets the error.
#[cold]
fn cut(node: &Arc<Node>, least: u32) {
    cut_where(node, |_| node.depth() >= least);
}

/// The same if it is large.
#[cold]
fn cut_large(node: &Arc<Node>) {
    cut_where(node, |walks| {
        let size = size_below(node, SIZE_LIMIT, walks);
        TO_COUNT.set(SIZE_LIMIT - size);
        size == SIZE_LIMIT
    });
}

fn cut_where(node: &Arc<Node>, is_to_be: impl FnOnce(&mut Walks) -> bool) {
    // A compiled function is recorded as a whole.
    if is_recording() {
        return;
    }
    let set = between_evaluations(|walks| {
        if !is_as_deep(node, walks) {
            refresh_depth(node, walks);
        }
        is_to_be(walks).then(|| cut_set(node, walks))
    });
    if let Some(Some(set)) = set {
        let _ = evaluate(&set);
        between_evaluations(|walks| refresh_depth(node, walks));
    }
}

/// Whether the pinned data has grown by a quarter of the device's memory since this was last so.
#[cold]
fn crowded(device: Device) -> bool {
    static QUARTER: OnceLock<u64> = OnceLock::new();
    static LAST: AtomicU64 = AtomicU64::new(0);
    let quarter = *QUARTER.get_or_init(|| match device.info().memory {
        0 => 1 << 30,
        memory => memory / 4,
    });
    grown(&LAST, pinned_bytes(), quarter)
}

fn grown(last: &AtomicU64, now: u64, limit: u64) -> bool {
    let before = last.fetch_min(now, Relaxed).min(now);
    let grown = now - before > limit;
    if grown {
        last.store(now, Relaxed);
    }
    grown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pinned_data_is_counted_while_only_expressions_hold_it() {
        let device = Device::current().unwrap();
        let data = crate::array::DeviceArray::from_slice(&vec![1u8; 16 << 20]).unwrap();
        let before = pinned_bytes();
        let any = data.any(..);
        drop(data);
        // Tests beside this one may pin data too, but little.
        assert!(pinned_bytes() >= before + (12 << 20));
        assert!(any.item().unwrap());
        assert!(pinned_bytes() <= before + (4 << 20));
        assert!(!crowded(device));
    }

    #[test]
    fn only_growth_makes_recording_evaluate() {
        let last = AtomicU64::new(0);
        let asked = [50, 101, 150, 210, 20, 90, 130].map(|now| grown(&last, now, 100));
        assert_eq!(asked, [false, true, false, true, false, false, true]);
    }
}
