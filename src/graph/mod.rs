//! The expression graph: nodes that say what an array is, and hold its data once it is computed.
//!
//! Nothing here plans or runs anything, and nothing knows a device beyond its name.

mod activation;
mod cut;
mod node;
mod view;

pub(crate) use activation::{GELU, activation};
pub(crate) use cut::{Walks, cut_set, is_as_deep, refresh_depth};
pub(crate) use node::{Arg, Args, IntoArgs, Node, NodeOp, Region, is_watched, pinned_bytes};
pub(crate) use view::{AxisMap, View, Wrap};
