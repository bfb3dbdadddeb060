//! Copies of arrays that an assignment overwrites while somebody else holds them.
//!
//! `let mut b = a.clone(); b.assign(s![i..j], …)` gives one kernel that computes all of `b`, and its
//! plan depends on where the region lies. That is best where the places come again. A search that
//! tries one place after another would have a plan for each. So where plans of one kind were made for
//! many places (`Plans::is_variant`), the array is copied first. The assignment then writes into the
//! copy, which nobody else sees: by a plan that does not know the place (`windows.rs`), or by none
//! (`at_once/`).

use super::walk::needs_a_copy;
use crate::error::Result;
use crate::graph::{Arg, Node, is_watched};
use crate::shape::copy_of;
use std::sync::Arc;

/// Has an assignment to an array that somebody else holds write to a copy.
pub(super) fn give_a_copy(node: &Arc<Node>) -> Result<()> {
    if !needs_a_copy(node) {
        return Ok(());
    }
    let base = match node.state().args.first() {
        Some(Arg::Node(base)) if !is_watched(base) => base.clone(),
        _ => return Ok(()),
    };
    let Some(data) = base.data() else { return Ok(()) };
    let bytes = base.len() * base.dtype.size();
    let copy = base.device.backend().receive(&data, base.device, 0, bytes)?;
    super::count(|c| c.allocated += bytes as u64);
    let copy = Node::source(copy, copy_of(&base.shape), base.dtype, base.device);
    node.state().args[0] = Arg::Node(copy);
    Ok(())
}
