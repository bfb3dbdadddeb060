//! Views that loops take out of the arrays to which they assign.
//!
//! A view holds its array, and an assignment to an array that something else holds writes to a copy of
//! all of it. `let (x, y) = (s.slice(s![k, 0]), s.slice(s![k, 1]))` in a loop that assigns to `s` would
//! cost a copy of `s` in each statement. So each thread remembers such views, by weak references, and
//! those that are still held when the array is overwritten are stored first.

use crate::graph::{Arg, Node, NodeOp};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::sync::{Arc, Weak};

/// At most so many views are remembered; of more, the newer half.
const MOST: usize = 256;
/// So many are remembered before those that are gone are left out.
const FEW: usize = 16;

/// Views that are held, and were not evaluated yet.
pub(super) type Views = SmallVec<[Arc<Node>; 4]>;

struct Taken {
    views: Vec<Weak<Node>>,
    /// Once there are so many, those that are gone are left out.
    full: usize,
}

thread_local! {
    static TAKEN: RefCell<Taken> = const { RefCell::new(Taken { views: Vec::new(), full: FEW }) };
}

/// Remembers a view of an array that was assigned to.
pub(crate) fn remember(view: &Arc<Node>) {
    // A thread that ends records nothing that outlives it.
    let _ = TAKEN.try_with(|taken| {
        let mut taken = taken.borrow_mut();
        if taken.views.len() >= taken.full {
            taken.leave_out();
        }
        taken.views.push(Arc::downgrade(view));
    });
}

impl Taken {
    /// Leaves out the views that are gone. Each view is looked at twice at most, on average.
    fn leave_out(&mut self) {
        self.views.retain(|view| view.strong_count() > 0);
        let older = self.views.len().saturating_sub(MOST / 2);
        self.views.drain(..older);
        self.full = FEW.max(2 * self.views.len());
    }
}

/// The views of a node that this thread took and that are held and not evaluated. The caller's
/// evaluation is the one that runs.
pub(super) fn views_of(base: &Arc<Node>) -> Views {
    let is_of_base = |view: &Arc<Node>| {
        // SAFETY: no other evaluation runs.
        let state = unsafe { view.state_unlocked() };
        let under = state.args.first();
        let is_here = matches!(under, Some(Arg::Node(under)) if Arc::ptr_eq(under, base));
        is_here && matches!(view.op, NodeOp::View(_)) && state.data.is_none()
    };
    TAKEN.with_borrow(|taken| {
        taken.views.iter().filter_map(Weak::upgrade).filter(is_of_base).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::*;

    #[test]
    fn views_are_remembered_while_they_are_held() {
        let mut a = DeviceArray::<f64>::zeros(4000);
        a.eval().unwrap();
        a.assign(s![0], 1.0);
        for _ in 0..1000 {
            let _ = a.slice(s![1..3]);
        }
        let size = || TAKEN.with_borrow(|taken| taken.views.len());
        assert!(size() <= FEW, "{} views that are gone", size());
        let held: Vec<DeviceArray<f64>> = (0..2 * MOST).map(|k| a.slice(s![k])).collect();
        assert!((MOST / 2..=MOST).contains(&size()), "{} of {}", size(), held.len());
        let views = views_of(a.node());
        assert!(Arc::ptr_eq(views.last().unwrap(), held.last().unwrap().node()));
        assert_eq!(views_of(held[0].node()).len(), 0);
        drop((views, held));
        (0..=MOST).for_each(|_| drop(a.slice(s![1..3])));
        assert!(size() <= MOST / 2, "{} views that are gone", size());
    }
}
