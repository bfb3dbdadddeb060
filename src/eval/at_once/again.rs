//! Values of a few elements that a line of the program asks for again and again, computed without a plan.
//!
//! A search or a chain of Markov's asks for one number in each turn. To walk its expression, find the plan
//! and launch it takes two to three microseconds, its arithmetic takes some nanoseconds.
//!
//! - A line has plans until it was asked [`OFTEN`] times in a row of those that share its place, and
//!   after a try in vain again. What plans compute is so the rule for all but loops.
//! - The bits are those of the plan: there are no products of matrices and no sums of rows, which have an
//!   order of their own, and what comes from a reduction is a number.
//! - All values together have at most [`MOST_ASKED`] elements, which takes about as long as a launch.

use super::values::{Few, Not, Value};
use super::{LINES, kept, may_be};
use crate::backend::{Arithmetic, Buffer};
use crate::eval::walk::is_pending_assignment;
use crate::eval::{Evaluator, count};
use crate::graph::Node;
use smallvec::SmallVec;
use std::sync::Arc;

/// So many evaluations of a line have plans before it is tried without.
const OFTEN: u8 = 16;
/// The most elements of all values together.
const MOST_ASKED: usize = 1 << 12;
/// What is computed besides and held is stored where it has so many elements at most, all together: the
/// arrays between operations live until a statement ends. A plan stores none before it is asked for again.
const MOST_HELD: usize = 512;

/// How often lines were asked for values, by their places.
pub(super) struct Asked([(usize, u8); LINES]);

impl Default for Asked {
    fn default() -> Self {
        Asked([(0, 0); LINES])
    }
}

impl Asked {
    fn place(&mut self, node: &Node) -> &mut u8 {
        let line = std::ptr::from_ref(node.line) as usize;
        let place = &mut self.0[line / align_of_val(node.line) % LINES];
        if place.0 != line {
            *place = (line, 0);
        }
        &mut place.1
    }

    /// Counts an evaluation of a node's line; says whether there were many.
    fn is_often(&mut self, node: &Node) -> bool {
        let times = self.place(node);
        *times = times.saturating_add(1);
        *times > OFTEN
    }
}

impl Evaluator {
    /// Computes what was asked for at once, where its line asks often and it has few elements; says
    /// whether that was done.
    pub(in crate::eval) fn again(&mut self, node: &Arc<Node>) -> bool {
        let is_little = (1..=MOST_ASKED).contains(&node.len()) && !is_pending_assignment(node);
        let is_plain = node.dtype.compute() == node.dtype && may_be(node);
        if !is_little || !is_plain || Arithmetic::current() == Arithmetic::Strict {
            return false;
        }
        if !self.workspace.asked.is_often(node) {
            return false;
        }
        let Ok(stored) = self.computed(node) else {
            *self.workspace.asked.place(node) = 0;
            return false;
        };
        count(|c| {
            c.evaluations += 1;
            c.kernels += 1;
            c.launches += 1;
            c.allocated += stored.iter().map(|(_, data)| data.bytes() as u64).sum::<u64>();
        });
        stored.into_iter().for_each(|(node, data)| node.set_data(data));
        true
    }

    /// A node's data, and that of what is computed for it and held besides.
    fn computed(&mut self, node: &Arc<Node>) -> Result<Stored, Not> {
        let memory = self.workspace.begin();
        let mut few = Few::alone(self.walks.begin(), node, memory, MOST_ASKED);
        let number = few.find(node)?;
        let is_stored = |(k, value): &(usize, &Value)| *k == number || value.is_kept();
        let values: SmallVec<[(usize, &Value); 2]> =
            few.values.iter().enumerate().filter(is_stored).collect();
        let held: usize = values.iter().map(|(_, value)| value.node.len()).sum();
        if held > MOST_HELD + node.len() {
            return Err(Not::Fit);
        }
        let stored = values.into_iter().map(|(_, value)| Some((value.node.clone(), kept(value)?)));
        stored.collect::<Option<Stored>>().ok_or(Not::Fit)
    }
}

/// Nodes with their data.
type Stored = SmallVec<[(Arc<Node>, Arc<Buffer>); 2]>;
