//! Evaluation: the only place that sees both the planner and the backends.

use crate::error::{Error, Result};
use crate::graph::Node;
use std::sync::Arc;

/// Computes the nodes that have no data yet, together, and stores their data. A failed
/// evaluation leaves every node as it was.
pub(crate) fn evaluate(nodes: &[Arc<Node>]) -> Result<()> {
    match nodes.iter().find(|n| !n.is_evaluated()) {
        None => Ok(()),
        Some(node) => Err(Error::unsupported(format!("cannot evaluate {node:?} yet"))),
    }
}
