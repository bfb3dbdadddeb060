//! Assignments of a few elements on the processor, computed without a plan.
//!
//! A loop over single elements or short rows evaluates one small assignment after the other
//! (`ops/slice.rs`). To walk such a one, find its plan and launch it takes two microseconds, its
//! arithmetic takes some nanoseconds. So its value is computed operation by operation, each by the
//! loop that a program would run (`backend/cpu/few.rs`), and written into the array where it lies.
//!
//! - There are at most [`MOST_VALUES`] values of at most [`MOST_ELEMENTS`] elements each, in
//!   [`MOST_BYTES`]. A line of the program that was tried in vain is not tried again for a while.
//! - The array and its memory are seen by nobody else, as for a plan's assignment in place. Nothing
//!   is written before all values are there.
//! - What a part of the program still holds is stored with it, as `kept.rs` would.
//! - Anything else has a plan: other operations, reductions of some axes, positions from data, halves.
//!   Watched evaluations have one, too, whose kernels are told of, and those in strict arithmetic,
//!   whose sums have an order of their own.

mod values;

use super::{EVALUATOR, Evaluator, Turn, ask, count, is_inspected};
use crate::backend::cpu::few::{self, Arg as Elements, Strided};
use crate::backend::{Arithmetic, Buffer, Device, trace};
use crate::graph::{Arg, Node, NodeOp, Region};
use crate::shape;
use smallvec::SmallVec;
use std::sync::Arc;
use values::{Few, Not, Strides, Value, is_pending, regular};

/// The most values that an assignment's own is computed from.
const MOST_VALUES: usize = 32;
/// The most elements of each.
const MOST_ELEMENTS: usize = 1 << 12;
/// The most products that are added up in one of matrices.
const MOST_TERMS: usize = 1 << 12;
/// The bytes of all of them.
const MOST_BYTES: usize = 1 << 15;
/// Assignments to other arrays that an assignment stands on come first: at most so many, each upon the
/// other.
const MOST_BELOW: usize = 4;
/// The most values that are stored besides.
const MOST_KEPT: usize = 4;
/// Values begin at multiples of it, in bytes.
const ALIGN: usize = 64;

/// After a try in vain so many assignments of the same line have plans before the next try.
const PATIENCE: u8 = 15;
/// So many lines are told apart.
const LINES: usize = 64;

/// What evaluations at once need besides the nodes.
pub(super) struct Desk {
    /// The memory of values.
    memory: Vec<[u128; ALIGN / 16]>,
    /// Lines of the program that were tried in vain, and how often they are left out from now on.
    in_vain: [(usize, u8); LINES],
}

impl Default for Desk {
    fn default() -> Self {
        Desk { memory: Vec::new(), in_vain: [(0, 0); LINES] }
    }
}

impl Desk {
    fn place(&mut self, node: &Node) -> (usize, &mut (usize, u8)) {
        let line = std::ptr::from_ref(node.line) as usize;
        (line, &mut self.in_vain[line / align_of_val(node.line) % LINES])
    }

    /// Whether the line of a node is worth a try.
    fn is_worth_a_try(&mut self, node: &Node) -> bool {
        let (line, place) = self.place(node);
        let waits = place.0 == line && place.1 > 0;
        place.1 -= u8::from(waits);
        !waits
    }

    /// Remembers that the line of a node was tried in vain.
    fn note_failure(&mut self, node: &Node) {
        let (line, place) = self.place(node);
        *place = (line, PATIENCE);
    }

    fn begin(&mut self) -> *mut u8 {
        self.memory.resize(MOST_BYTES / ALIGN, [0; ALIGN / 16]);
        self.memory.as_mut_ptr().cast()
    }
}

/// Whether an evaluation may be done at once, as far as the thread decides it.
fn may_be(node: &Node) -> bool {
    node.device == Device::cpu() && !trace::is_on_here() && !is_inspected()
}

/// Evaluates an assignment of a few elements; says whether that was done.
pub(super) fn evaluate(node: &Arc<Node>) -> bool {
    may_be(node) && Turn::begin().is_ok_and(|_turn| evaluate_with(&mut EVALUATOR.lock(), node))
}

/// The same as part of an evaluation.
pub(super) fn evaluate_with(evaluator: &mut Evaluator, node: &Arc<Node>) -> bool {
    let may_be = may_be(node) && Arithmetic::current() != Arithmetic::Strict;
    if !may_be || !evaluator.desk.is_worth_a_try(node) {
        return false;
    }
    let done = evaluator.at_once(node, 0);
    if !done {
        evaluator.desk.note_failure(node);
    }
    done
}

impl Evaluator {
    fn at_once(&mut self, node: &Arc<Node>, below: usize) -> bool {
        loop {
            let memory = self.desk.begin();
            let first = match assigned(node, self.walks.begin(), memory) {
                Ok(stored) => {
                    let more = stored[1..].iter().map(|(_, data)| data.bytes() as u64);
                    let allocated: u64 = more.sum();
                    count(|c| {
                        c.evaluations += 1;
                        c.kernels += 1;
                        c.launches += 1;
                        c.allocated += allocated;
                    });
                    stored.into_iter().for_each(|(node, data)| node.set_data(data));
                    return true;
                }
                Err(Not::Fit) => return false,
                Err(Not::Ready(first)) => first,
            };
            if below == MOST_BELOW || !self.at_once(&first, below + 1) {
                return false;
            }
        }
    }
}

/// Nodes with their data, the assignment first.
type Stored = SmallVec<[(Arc<Node>, Arc<Buffer>); 2]>;

/// Computes and writes the value of an assignment, and gives what is to be stored.
fn assigned(node: &Arc<Node>, walk: u32, memory: *mut u8) -> Result<Stored, Not> {
    let NodeOp::Assign(region) = &node.op else { return Err(Not::Fit) };
    // SAFETY: this is the evaluation that runs.
    let [Arg::Node(base), value] = &unsafe { node.state_unlocked() }.args[..] else {
        return Err(Not::Fit);
    };
    let count = shape::len(&region.lens);
    if count > MOST_ELEMENTS || node.dtype.compute() != node.dtype {
        return Err(Not::Fit);
    }
    if is_pending(base) {
        return Err(Not::Ready(base.clone()));
    }
    let mut few = Few::new(walk, base, memory);
    let elements = match value {
        Arg::Scalar(scalar) => Elements::near(scalar.bytes().as_ptr(), false),
        Arg::Node(value) if value.len() == count || value.len() == 1 => {
            let number = few.find(value)?;
            few.apart(number)?
        }
        Arg::Node(_) => return Err(Not::Fit),
    };
    // SAFETY: this is the evaluation that runs.
    let data = unsafe { base.state_unlocked() }.data.as_ref().ok_or(Not::Fit)?;
    if !few.may_overwrite(data) {
        return Err(Not::Fit);
    }
    let mut stored = Stored::new();
    stored.push((node.clone(), data.clone()));
    for value in few.values.iter().filter(|value| value.is_kept()) {
        stored.push((value.node.clone(), kept(value).ok_or(Not::Fit)?));
    }
    if stored.len() > MOST_KEPT {
        return Err(Not::Fit);
    }
    write(data, node, region, elements);
    Ok(stored)
}

/// A value in memory of its own.
fn kept(value: &Value) -> Option<Arc<Buffer>> {
    let node = value.node;
    let data = node.device.backend().allocate(node.len() * node.dtype.size()).ok()?;
    let to = Strided { first: data.address() as *mut u8, strides: &[1] };
    // SAFETY: the memory is new, and the value has so many elements, or one that stands for all.
    unsafe { few::store(node.dtype, to, value.elements, &[node.len()]) };
    Some(Arc::new(data))
}

/// Writes a value into the region of an assignment.
fn write(data: &Buffer, node: &Node, region: &Region, value: Elements) {
    let mut strides: Strides = SmallVec::from_elem(0, node.shape.len());
    let (mut start, mut stride) = (0, 1);
    for k in (0..node.shape.len()).rev() {
        start += region.starts[k] * stride;
        strides[k] = (region.steps[k] * stride) as isize;
        stride *= node.shape[k];
    }
    let first = (data.address() as *mut u8).wrapping_add(start * node.dtype.size());
    // SAFETY: the region lies inside of the array, whose memory nobody else sees, and the value is
    // no part of it.
    unsafe { few::store(node.dtype, Strided { first, strides: &strides }, value, &region.lens) };
}

/// Reads the element of an array of one on the processor that is there, or is a view of what is
/// there; says whether that was done.
pub(crate) fn read_element(node: &Arc<Node>, into: &mut [u8]) -> bool {
    if !may_be(node) || node.len() != 1 || node.dtype.size() != into.len() {
        return false;
    }
    let Ok(_turn) = Turn::begin() else { return false };
    let _evaluator = EVALUATOR.lock();
    let Some(from) = element(node) else { return false };
    ask(std::slice::from_ref(node));
    // SAFETY: the element has so many bytes, and no evaluation runs that might overwrite it.
    unsafe { std::ptr::copy_nonoverlapping(from, into.as_mut_ptr(), into.len()) };
    true
}

/// Where the element of an array of one lies.
fn element(node: &Node) -> Option<*const u8> {
    // SAFETY: no evaluation runs, and the caller may begin one.
    let state = unsafe { node.state_unlocked() };
    if let Some(data) = &state.data {
        return Some(data.address() as *const u8);
    }
    let (NodeOp::View(view), Some(Arg::Node(under))) = (&node.op, state.args.first()) else {
        return None;
    };
    // SAFETY: as above.
    let data = unsafe { under.state_unlocked() }.data.as_ref()?;
    let (start, _) = regular(view, &under.shape, &node.shape)?;
    Some((data.address() as *const u8).wrapping_add(start * node.dtype.size()))
}
