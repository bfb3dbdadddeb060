//! Numbers: values without axes that are known while the program records, on the processor.
//!
//! An element that a program takes out of an array whose data is there is read at once, and operations
//! of such numbers are done at once, by the loops that a kernel would run: the bits are the same. A
//! program that goes over single elements, as NumPy's do, then records its assignments and little
//! else. A function that is recorded to run again has none, for its elements may be others next time,
//! nor has who looks at each operation by itself (`check_finite.rs`).

use crate::array::record;
use crate::backend::Device;
use crate::backend::cpu::few::{self, Arg as Elements, OpFn};
use crate::dtype::{DType, Scalar};
use crate::eval::{is_inspected, is_recording, number_in, read_number};
use crate::graph::{Arg, Node, NodeOp};
use crate::shape::{Shape, same};
use crate::table::{Op, Reduction};
use std::sync::Arc;

/// Whether a node may be a number: one value, the same everywhere.
#[inline(always)]
fn may_be(node: &Node) -> bool {
    matches!(node.op, NodeOp::Full) && node.shape.is_empty()
}

/// The number that a node is, if it is one.
#[inline]
pub(crate) fn number_of(node: &Node) -> Option<Scalar> {
    if may_be(node) { given(node) } else { None }
}

#[inline(never)]
fn given(node: &Node) -> Option<Scalar> {
    if node.device != Device::cpu() || is_recording() || is_inspected() {
        return None;
    }
    let state = node.state();
    match (&state.data, state.args.first()) {
        // SAFETY: there is one element, which nothing overwrites while the caller holds the node.
        (Some(data), _) => Some(unsafe { number_in(data, node.dtype, 0) }),
        (None, Some(Arg::Scalar(value))) => Some(*value),
        _ => None,
    }
}

/// The number that an argument is, if it is one.
pub(crate) fn given_as(arg: &Arg) -> Option<Scalar> {
    match arg {
        Arg::Node(node) => number_of(node),
        Arg::Scalar(value) => (!is_recording()).then_some(*value),
    }
}

/// Two arguments; beside an array a number travels with the launch, and needs no node.
#[inline]
pub(super) fn beside_arrays(a: Arg, b: Arg) -> (Arg, Arg) {
    match (&a, &b) {
        (Arg::Node(x), Arg::Node(y)) if x.shape.len() != y.shape.len() => plain(a, b),
        _ => (a, b),
    }
}

#[inline(never)]
fn plain(a: Arg, b: Arg) -> (Arg, Arg) {
    match (&a, &b) {
        (Arg::Node(x), Arg::Node(y)) if !x.device.differs(y.device) => {
            match (number_of(x), number_of(y)) {
                (Some(number), None) => (number.into(), b),
                (None, Some(number)) => (a, number.into()),
                _ => (a, b),
            }
        }
        _ => (a, b),
    }
}

/// The number in an array of the processor at a position in C order, where its data is there or, if
/// that may be, is computed at once.
#[track_caller]
pub(crate) fn element(a: &Arc<Node>, at: usize, may_evaluate: bool) -> Option<Arc<Node>> {
    if a.device != Device::cpu() || a.dtype.compute() != a.dtype || is_recording() {
        return None;
    }
    read_number(a, at, may_evaluate).map(node)
}

/// The number to which a reduction brings all elements of an array in a long run of assignments, where
/// they are few.
#[track_caller]
pub(super) fn reduced(op: Reduction, a: &Arc<Node>) -> Option<Arc<Node>> {
    crate::eval::reduced(op, a).map(node)
}

/// The sum of the products of two short vectors, one of which is in a long run of assignments.
#[track_caller]
pub(crate) fn sum_of_products(a: &Arc<Node>, b: &Arc<Node>) -> Option<Arc<Node>> {
    let are_alike = same(&a.shape, &b.shape) && a.dtype == b.dtype && a.shape.len() == 1;
    if are_alike { crate::eval::sum_of_products(a, b).map(node) } else { None }
}

/// An argument of an operation that may be a number.
pub(super) trait MayBeNumber {
    /// Whether it may be one.
    fn may_be(&self) -> bool;
    /// The number that it is, and whether a node is.
    fn number(&self) -> Option<(Scalar, bool)>;
}

impl MayBeNumber for Arc<Node> {
    #[inline(always)]
    fn may_be(&self) -> bool {
        may_be(self)
    }

    fn number(&self) -> Option<(Scalar, bool)> {
        number_of(self).map(|value| (value, true))
    }
}

impl MayBeNumber for Arg {
    #[inline(always)]
    fn may_be(&self) -> bool {
        match self {
            Arg::Node(node) => may_be(node),
            Arg::Scalar(_) => true,
        }
    }

    fn number(&self) -> Option<(Scalar, bool)> {
        match self {
            Arg::Node(node) => node.number(),
            Arg::Scalar(value) => Some((*value, false)),
        }
    }
}

/// The result of an operation of numbers; none where an argument is no number.
#[inline(always)]
#[track_caller]
pub(super) fn folded<A: MayBeNumber>(op: Op, args: &[&A]) -> Option<Arc<Node>> {
    if args.iter().all(|arg| arg.may_be()) { computed(op, args) } else { None }
}

#[inline(never)]
#[track_caller]
fn computed<A: MayBeNumber>(op: Op, args: &[&A]) -> Option<Arc<Node>> {
    let (mut values, mut is_node) = ([Scalar::NOTHING; 3], false);
    for (value, arg) in values.get_mut(..args.len())?.iter_mut().zip(args) {
        let (number, of_node) = arg.number()?;
        (*value, is_node) = (number, is_node || of_node);
    }
    let dtype = values[op.principal()].dtype();
    let run = few::loop_of(op, dtype).filter(|_| is_node)?;
    Some(node(run_once(run, &values, op.result(dtype))))
}

/// A number as another type.
#[track_caller]
pub(super) fn converted(a: &Node, dtype: DType) -> Option<Arc<Node>> {
    let value = number_of(a)?;
    let run = few::conversion(value.dtype(), dtype)?;
    Some(node(run_once(run, &[value, Scalar::NOTHING, Scalar::NOTHING], dtype)))
}

/// What a loop of an operation gives for one element.
fn run_once(run: OpFn, values: &[Scalar; 3], dtype: DType) -> Scalar {
    let operands = values.each_ref().map(|value| Elements::near(value.bytes().as_ptr(), false));
    let mut result = [0u64; 2];
    // SAFETY: each operand that the operation takes is one element of its type, and the result has
    // room for one of any.
    unsafe { run(result.as_mut_ptr().cast(), &operands, 1) };
    Scalar::from_words(dtype, result)
}

#[track_caller]
fn node(value: Scalar) -> Arc<Node> {
    record::full(value, Shape::new(), Device::cpu())
}
