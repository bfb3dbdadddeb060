//! Loops: a body that runs again and again on its own results.
//!
//! To the graph and the planner a loop is a call like any other. What runs in a turn was recorded
//! by `eval/body.rs`, which alone knows what the body is; here it has a key.
//!
//! The arguments are the state, then whatever else the body reads, then, for a `while` loop, the
//! condition of the state at the beginning; among the scalars the number of turns comes first.

use super::Outputs;
use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A loop.
#[derive(Clone)]
pub struct Turns {
    /// The name of the function that the user called.
    pub name: &'static str,
    /// The state in the end, then what the turns stack.
    pub outputs: Outputs,
    /// What the body computes, in short.
    pub key: u128,
    /// The body, which only evaluations understand.
    pub body: Arc<dyn Any + Send + Sync>,
}

impl PartialEq for Turns {
    fn eq(&self, other: &Self) -> bool {
        (self.name, self.key, &self.outputs) == (other.name, other.key, &other.outputs)
    }
}

impl Eq for Turns {}

impl Hash for Turns {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.name, self.key).hash(state);
        self.outputs.hash(state);
    }
}

impl fmt::Debug for Turns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({:032x} {:?})", self.name, self.key, self.outputs)
    }
}
