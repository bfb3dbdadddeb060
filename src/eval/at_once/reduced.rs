//! Reductions of a few elements to a number, done while the program records.
//!
//! A loop that assigns rows or elements takes a product of two rows, a sum or a maximum in each turn.
//! Where the elements are there, or are regular parts of what is there, the loops that the assignment at
//! once would run give the number itself, which needs no nodes, no walk and no plan
//! (`array/numbers.rs`).
//!
//! - One of the arrays is in a long run of assignments, whose statements are evaluated one by one anyway:
//!   the bits are those that the statement would have, in the arithmetic of the moment. Elsewhere a
//!   reduction is recorded, for who evaluates it may ask for strict arithmetic, and a loop as one node
//!   has the bits of its turns.
//! - There are at most [`MOST_ELEMENTS`](super::MOST_ELEMENTS) elements.
//! - Nobody waits for a thread that evaluates: meanwhile a reduction is recorded.
//! - It is a part of the statement that needs it, and counts as little as operations of numbers do.

use super::compute::fold_row;
use super::place::{MOST_VIEWS, Place};
use super::values::Memory;
use super::{MOST_ELEMENTS, evaluate_with, may_be};
use crate::backend::Arithmetic;
use crate::backend::cpu::few::{self, Arg as Elements, Folding};
use crate::dtype::Scalar;
use crate::eval::{EVALUATOR, Evaluator, Turn, ask, is_recording};
use crate::graph::{Arg, Node, NodeOp};
use crate::table::{Op, Reduction};
use std::sync::Arc;

/// The number to which all elements of an array are reduced, where they are there.
pub(crate) fn reduced(op: Reduction, a: &Arc<Node>) -> Option<Scalar> {
    let folding = Folding::of(op, a.dtype).filter(|_| op.result(a.dtype) == a.dtype)?;
    at_once(&[a], |memory, [from]| {
        let from = from.in_a_row(memory, a)?;
        // SAFETY: there are so many elements of the type.
        Some(unsafe { fold(folding, from, a) })
    })
}

/// The sum of the products of two vectors of one length and type, where they are there.
pub(crate) fn sum_of_products(a: &Arc<Node>, b: &Arc<Node>) -> Option<Scalar> {
    let folding = Folding::of(Reduction::Sum, a.dtype)?;
    let multiply = few::loop_of(Op::Multiply, a.dtype)?;
    at_once(&[a, b], |memory, [x, y]| {
        let sides = [x.in_a_row(memory, a)?, y.in_a_row(memory, b)?];
        let products = memory.take(a.dtype, a.len())?;
        let [x, y] = sides.map(|first| Elements::near(first, true));
        let unused = Elements::near(std::ptr::null(), false);
        // SAFETY: both vectors have so many elements, and the memory is new.
        unsafe {
            multiply(products, &[x, y, unused], a.len());
            Some(fold(folding, products, a))
        }
    })
}

/// Whether the elements of an array may be there, and are few.
fn may_be_there(node: &Node) -> bool {
    let is_near = match node.op {
        NodeOp::View(_) => true,
        NodeOp::Assign(_) => node.is_evaluated() || node.is_in_long_run(),
        _ => node.is_evaluated(),
    };
    is_near && (1..=MOST_ELEMENTS).contains(&node.len()) && may_be(node)
}

/// Whether an array, or what it is a view of, is in a long run of assignments.
fn is_in_long_run(node: &Arc<Node>) -> bool {
    let mut node = node;
    for _ in 0..MOST_VIEWS {
        // SAFETY: this is the evaluation that runs.
        let state = unsafe { node.state_unlocked() };
        match (&node.op, state.args.first()) {
            (NodeOp::View(_), Some(Arg::Node(under))) => node = under,
            _ => break,
        }
    }
    node.is_in_long_run()
}

/// Does something with the places of arrays that are there; nothing where one is not.
fn at_once<const N: usize>(
    nodes: &[&Arc<Node>; N],
    compute: impl FnOnce(&mut Memory, [Place; N]) -> Option<Scalar>,
) -> Option<Scalar> {
    let may_be = nodes.iter().all(|node| may_be_there(node)) && !is_recording();
    if !may_be || Arithmetic::current() == Arithmetic::Strict {
        return None;
    }
    let _turn = Turn::begin().ok()?;
    let mut evaluator = EVALUATOR.try_lock()?;
    if !nodes.iter().any(|node| is_in_long_run(node)) {
        return None;
    }
    // An assignment may store views and overwrite what they showed: all are done before anything is
    // looked for.
    nodes.iter().for_each(|node| evaluate_below(&mut evaluator, node));
    let mut places = nodes.each_ref().map(|_| None);
    for (place, node) in places.iter_mut().zip(nodes) {
        *place = Some(Place::of(node)?);
    }
    nodes.iter().for_each(|node| ask(std::slice::from_ref(node)));
    let places = places.map(|place| place.expect("each was found"));
    compute(&mut evaluator.workspace.begin(), places)
}

/// Does what a long run of assignments to an array, or to what it is a view of, left to do.
fn evaluate_below(evaluator: &mut Evaluator, node: &Arc<Node>) {
    let mut node = node;
    for _ in 0..=MOST_VIEWS {
        // SAFETY: this is the evaluation that runs.
        let state = unsafe { node.state_unlocked() };
        match (&state.data, &node.op, state.args.first()) {
            (None, NodeOp::View(_), Some(Arg::Node(under))) => node = under,
            (None, NodeOp::Assign(_), _) if node.is_in_long_run() => {
                // The view whose argument this is may be stored, and lose it.
                evaluate_with(evaluator, &node.clone());
                return;
            }
            _ => return,
        }
    }
}

/// The number to which as many elements are reduced as an array has.
///
/// # Safety
/// They are there, and of its type.
unsafe fn fold(folding: Folding, from: *const u8, a: &Node) -> Scalar {
    let mut result = [0u64; 2];
    // SAFETY: as the caller says, and the result has room for one element of any type.
    unsafe { fold_row(folding, result.as_mut_ptr().cast(), from, a.len()) };
    Scalar::from_words(a.dtype, result)
}
