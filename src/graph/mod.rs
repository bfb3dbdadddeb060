//! The expression graph: nodes that say what an array is, and hold its data once it is computed.
//!
//! Nothing here plans or runs anything, and nothing knows a device beyond its name.
//!
//! A node is an operation, its arguments, a shape, an element type and a device. Once it is
//! evaluated it holds data and lets go of its arguments. Data is always in C order, and a view is
//! an operation like any other, so no operation copies by itself: a kernel does, or a library call
//! that cannot read the view where it lies.
//!
//! - Scalars are arguments in place (`Arg::Scalar`), not nodes. They travel with the launch and are
//!   part of no key, so that a new number never compiles. One question is asked of their values
//!   before planning (`activation.rs`), and its answer is part of the key.
//! - Broadcasting is implicit: the arguments of an elementwise node need only broadcast to its
//!   shape.
//! - Operations check when they record, so the graph has no stage of its own that verifies it;
//!   `kernel/verify.rs` checks every planned kernel.
//! - A node has a hash of itself alone. The key of a plan comes from the walk that an evaluation
//!   makes anyway, since only then is it known which arguments have data and which are the same
//!   node.
//! - Dropping and walking are iterative, however deep an expression is.

mod activation;
mod cut;
mod node;
pub(crate) mod sharding;
mod view;

pub(crate) use activation::{GELU, activation};
pub(crate) use cut::{Walks, cut_set, is_as_deep, refresh_depth, size_below};
pub(crate) use node::{
    Arg, Args, IntoArgs, LONG_RUN, Node, NodeOp, Region, is_alone, is_watched, pinned_bytes,
};
pub(crate) use view::{AxisMap, View, Wrap};
