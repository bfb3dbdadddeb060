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
//! - Anything else has a plan: other operations, scans, reductions that keep their last axes, halves.
//!   Watched evaluations have one, too, whose kernels are told of, and those in strict arithmetic,
//!   whose sums have an order of their own.
//! - Views that a loop has taken out of the array and still holds are stored first (`taken.rs`): they
//!   hold the array, and the assignment would have to make a copy of all of it.
//! - Small values that a line asks for often are computed in the same way (`again.rs`).

mod again;
mod compute;
mod place;
mod reduced;
mod taken;
mod values;

pub(crate) use reduced::{reduced, sum_of_products};
pub(crate) use taken::remember;

use super::walk::is_pending_assignment;
use super::{EVALUATOR, Evaluator, Turn, ask, between_evaluations, count, is_inspected};
use crate::backend::cpu::few::{self, Arg as Elements, Strided};
use crate::backend::{Arithmetic, Buffer, Device, trace};
use crate::dtype::{DType, Scalar};
use crate::graph::{Arg, Node, NodeOp, Region, is_alone};
use crate::shape::{self, contiguous_strides};
use again::Asked;
use place::Place;
use smallvec::SmallVec;
use std::sync::Arc;
use taken::Views;
use values::{Few, Memory, Not, Value};

/// The most values that an assignment's own is computed from.
const MOST_VALUES: usize = 32;
/// The most elements of each.
const MOST_ELEMENTS: usize = 1 << 13;
/// The bytes of all of them.
const MOST_BYTES: usize = 1 << 17;
/// The most terms of the sums of a product of matrices, all together. Of a matrix and a vector more are
/// faster by a library and a plan: a row assigned from a product took 8.8 µs with 91², and 6.2 by those.
const MOST_TERMS: usize = 1 << 12;
/// The same for a vector and a matrix that is read where it lies: a library's call would have one thread
/// for it, too.
const MOST_TERMS_OF_VECTORS: usize = 1 << 19;
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

/// The distance in elements along each axis.
type Strides = SmallVec<[isize; 4]>;

/// What evaluations at once need besides the nodes.
pub(super) struct Workspace {
    /// The memory of values.
    memory: Vec<[u128; ALIGN / 16]>,
    /// Lines of the program that were tried in vain, and how often they are left out from now on.
    in_vain: [(usize, u8); LINES],
    asked: Asked,
}

impl Default for Workspace {
    fn default() -> Self {
        Workspace { memory: Vec::new(), in_vain: [(0, 0); LINES], asked: Asked::default() }
    }
}

impl Workspace {
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

    fn begin(&mut self) -> Memory {
        self.memory.resize(MOST_BYTES / ALIGN, [0; ALIGN / 16]);
        Memory::new(self.memory.as_mut_ptr().cast())
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
    if !may_be || !evaluator.workspace.is_worth_a_try(node) {
        return false;
    }
    let done = evaluator.at_once(node, 0);
    if !done {
        evaluator.workspace.note_failure(node);
    }
    done
}

impl Evaluator {
    fn at_once(&mut self, node: &Arc<Node>, below: usize) -> bool {
        loop {
            let memory = self.workspace.begin();
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
fn assigned(node: &Arc<Node>, walk: u32, memory: Memory) -> Result<Stored, Not> {
    let NodeOp::Assign(region) = &node.op else { return Err(Not::Fit) };
    // SAFETY: this is the evaluation that runs.
    let [Arg::Node(base), value] = &unsafe { node.state_unlocked() }.args[..] else {
        return Err(Not::Fit);
    };
    let count = shape::len(&region.lens);
    if count > MOST_ELEMENTS || node.dtype.compute() != node.dtype {
        return Err(Not::Fit);
    }
    if is_pending_assignment(base) {
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
    let is_alone = few.may_overwrite(data) || store_views(&few, data) && few.may_overwrite(data);
    if !is_alone {
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

/// Stores the views of the array that is overwritten which somebody holds and the statement does not
/// need; says whether there were any. All together have at most half of the array's elements, or a copy
/// of the array costs no more.
fn store_views(few: &Few, data: &Buffer) -> bool {
    let mut views = taken::views_of(few.base);
    views.retain(|view| view.met(few.walk).is_none());
    if !are_small(&views, few.base) {
        return false;
    }
    views.iter().all(|view| {
        let NodeOp::View(map) = &view.op else { return false };
        let Some((start, strides)) = map.layout(&few.base.shape, &view.shape) else { return false };
        let first = (data.address() as *mut u8).wrapping_add(start * view.dtype.size());
        let from = Strided { first, strides: &strides };
        let Ok(copy) = view.device.backend().allocate(view.len() * view.dtype.size()) else {
            return false;
        };
        // SAFETY: a view's elements lie in its array, and the memory is new.
        unsafe { few::load(view.dtype, copy.address() as *mut u8, from, &view.shape) };
        count(|c| c.allocated += copy.bytes() as u64);
        view.set_data(Arc::new(copy));
        true
    })
}

/// Whether some views of an array have at most half of its elements, and some at all.
fn are_small(views: &[Arc<Node>], base: &Node) -> bool {
    let elements: usize = views.iter().map(|view| view.len()).sum();
    elements > 0 && 2 * elements <= base.len()
}

/// The views of an array that an assignment is about to overwrite, which are to be stored with it: where
/// the array is large, and they are few and small.
pub(super) fn views_to_store(node: &Arc<Node>) -> Views {
    /// A copy of a smaller array costs about as much as a launch.
    const LARGE: usize = 1 << 17;
    between_evaluations(|_| {
        // SAFETY: no evaluation runs.
        let Some(Arg::Node(base)) = unsafe { node.state_unlocked() }.args.first() else {
            return Views::new();
        };
        let mut views = taken::views_of(base);
        // Others are arguments of the assignment's value alone.
        views.retain(|view| view.has_handles() || Arc::strong_count(view) > 2);
        let fit = matches!(node.op, NodeOp::Assign(_))
            && base.len() * base.dtype.size() >= LARGE
            && views.len() <= MOST_KEPT
            && are_small(&views, base);
        if fit { views } else { Views::new() }
    })
    .unwrap_or_default()
}

/// A value in memory of its own.
fn kept(value: &Value) -> Option<Arc<Buffer>> {
    let node = value.node;
    if value.row_step.is_some() {
        return None;
    }
    let data = node.device.backend().allocate(node.len() * node.dtype.size()).ok()?;
    let to = Strided { first: data.address() as *mut u8, strides: &[1] };
    // SAFETY: the memory is new, and the value has so many elements, or one that stands for all.
    unsafe { few::store(node.dtype, to, value.elements, &[node.len()]) };
    Some(Arc::new(data))
}

/// Writes a value into the region of an assignment.
fn write(data: &Buffer, node: &Node, region: &Region, value: Elements) {
    let natural = contiguous_strides(&node.shape);
    let start: usize = region.starts.iter().zip(&natural).map(|(&at, &s)| at * s as usize).sum();
    let strides = region.steps.iter().zip(&natural).map(|(&step, &s)| step as isize * s as isize);
    let strides: Strides = strides.collect();
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
    let Some(place) = Place::of(node) else { return false };
    ask(std::slice::from_ref(node));
    // SAFETY: the element has so many bytes, and the lock keeps evaluations that might overwrite it from
    // beginning.
    unsafe { std::ptr::copy_nonoverlapping(place.first, into.as_mut_ptr(), into.len()) };
    true
}

/// The element of an array of the processor at a position in C order, if the data is there or, where
/// that may be, an assignment of few elements gives it at once.
pub(crate) fn read_number(a: &Arc<Node>, at: usize, may_evaluate: bool) -> Option<Scalar> {
    let is_there = !is_inspected() && (a.is_evaluated() || may_evaluate && evaluate(a));
    if !is_there {
        return None;
    }
    ask(std::slice::from_ref(a));
    let data = a.data()?;
    // SAFETY: the element lies in the data, which nothing overwrites while the caller holds the array.
    Some(unsafe { number_in(&data, a.dtype, at) })
}

/// The element of data of the processor at a position.
///
/// # Safety
/// The data has an element of that type there, and nobody writes meanwhile.
pub(crate) unsafe fn number_in(data: &Buffer, dtype: DType, at: usize) -> Scalar {
    let (mut words, size) = ([0; 2], dtype.size());
    let from = (data.address() as *const u8).wrapping_add(at * size);
    // SAFETY: as the caller says.
    unsafe { std::ptr::copy_nonoverlapping(from, words.as_mut_ptr().cast::<u8>(), size) };
    if dtype == DType::Bool {
        // Other programs' memory may hold any byte.
        words[0] = u64::from(words[0] != 0);
    }
    Scalar::from_words(dtype, words)
}

/// Writes a number over the element of an evaluated array at a position in C order, where nobody but
/// the caller holds the array; says whether that was done.
pub(crate) fn write_number(a: &Arc<Node>, at: usize, value: Scalar) -> bool {
    if !may_be(a) || !is_alone(a) || value.dtype() != a.dtype {
        return false;
    }
    let state = a.state();
    let Some(data) = &state.data else { return false };
    if Arc::strong_count(data) > 1 || !data.may_be_written() {
        return false;
    }
    let (from, size) = (value.bytes(), a.dtype.size());
    let to = (data.address() as *mut u8).wrapping_add(at * size);
    // SAFETY: the element lies in the data, and nobody else sees it: an evaluation, too, would hold the
    // array.
    unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), to, size) };
    count(|c| {
        c.evaluations += 1;
        c.kernels += 1;
        c.launches += 1;
    });
    true
}
