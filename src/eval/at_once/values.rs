//! The values of an assignment, computed one after the other.

use super::{ALIGN, MOST_BYTES, MOST_ELEMENTS, MOST_VALUES};
use crate::backend::Buffer;
use crate::backend::cpu::few::Arg as Elements;
use crate::dtype::DType;
use crate::eval::walk::{is_pending_assignment, shares};
use crate::graph::{Arg, Node, NodeOp, View, is_watched};
use smallvec::SmallVec;
use std::sync::Arc;

/// Memory for values.
pub(super) struct Memory {
    next: *mut u8,
    left: usize,
}

impl Memory {
    /// [`MOST_BYTES`] of memory from an address on.
    pub fn new(next: *mut u8) -> Memory {
        Memory { next, left: MOST_BYTES }
    }

    /// Memory for some elements, if there is so much left.
    pub fn take(&mut self, dtype: DType, count: usize) -> Option<*mut u8> {
        let bytes = (count * dtype.size()).next_multiple_of(ALIGN);
        self.left = self.left.checked_sub(bytes)?;
        let from = self.next;
        self.next = from.wrapping_add(bytes);
        Some(from)
    }
}

/// A value of an assignment.
pub(super) struct Value<'a> {
    pub node: &'a Arc<Node>,
    pub elements: Elements,
    /// How many arguments of the assignment's values it is.
    uses: usize,
    /// Whether it comes from the array that is overwritten.
    pub reads: bool,
    /// Whether it comes from a reduction.
    pub reduced: bool,
    /// Whether its elements lie in memory of their own.
    pub is_new: bool,
    /// Of a matrix that is read where it lies, the distance of its rows in elements.
    pub row_step: Option<usize>,
}

/// Why an assignment is not done at once.
pub(super) enum Not {
    /// It needs a plan.
    Fit,
    /// An assignment that it stands on is not evaluated yet.
    Ready(Arc<Node>),
}

/// The values of an assignment, arguments before their users.
pub(super) struct Few<'a> {
    /// By which nodes tell that they were met.
    pub walk: u32,
    /// The array that is overwritten.
    pub base: &'a Arc<Node>,
    pub values: SmallVec<[Value<'a>; MOST_VALUES]>,
    memory: Memory,
    /// How far below the assignment's value the search is.
    deep: usize,
    /// How many elements may still be computed.
    pub left: usize,
    /// Whether values have the bits that a plan would give.
    pub as_planned: bool,
}

impl<'a> Few<'a> {
    /// No values yet, in an assignment to an array, and memory for them.
    pub fn new(walk: u32, base: &'a Arc<Node>, memory: Memory) -> Few<'a> {
        let left = MOST_VALUES * MOST_ELEMENTS;
        Few { walk, base, values: SmallVec::new(), memory, deep: 0, left, as_planned: false }
    }

    /// The same for a node that is no assignment, with so many elements at most, in the bits that a plan
    /// would give.
    pub fn alone(walk: u32, node: &'a Arc<Node>, memory: Memory, left: usize) -> Few<'a> {
        Few { left, as_planned: true, ..Few::new(walk, node, memory) }
    }

    /// Whether nobody sees the array but who finds a value of its own in place of a part of it.
    pub fn may_overwrite(&self, data: &Arc<Buffer>) -> bool {
        let base = self.values.iter().find(|value| Arc::ptr_eq(value.node, self.base));
        let uses = 1 + base.map_or(0, |value| value.uses);
        let is_seen = |value: &Value| value.reads && value.is_held() && shares(value.node);
        Arc::strong_count(self.base) == uses
            && !is_watched(self.base)
            && Arc::strong_count(data) == 1
            && data.may_be_written()
            && !self.values.iter().any(is_seen)
    }

    /// Memory for some elements.
    pub fn take(&mut self, dtype: DType, count: usize) -> Result<*mut u8, Not> {
        self.memory.take(dtype, count).ok_or(Not::Fit)
    }

    /// The elements of a value, where they are no part of the array.
    pub fn apart(&mut self, number: usize) -> Result<Elements, Not> {
        let Value { node, elements, is_new, reads, .. } = self.values[number];
        if is_new || !reads {
            return Ok(elements);
        }
        let count = if elements.vector { node.len() } else { 1 };
        let to = self.take(node.dtype, count)?;
        // SAFETY: the value has so many elements, and the memory is new.
        unsafe { std::ptr::copy_nonoverlapping(elements.ptr, to, count * node.dtype.size()) };
        Ok(Elements::near(to, elements.vector))
    }

    /// Computes a node, its arguments first, and gives its number.
    pub fn find(&mut self, node: &'a Arc<Node>) -> Result<usize, Not> {
        if let Some(number) = node.met(self.walk) {
            self.values[number as usize].uses += 1;
            return Ok(number as usize);
        }
        // SAFETY: this is the evaluation that runs.
        let state = unsafe { node.state_unlocked() };
        let mut value = Value {
            node,
            elements: Elements::near(std::ptr::null(), false),
            uses: 1,
            reads: Arc::ptr_eq(node, self.base),
            reduced: false,
            is_new: false,
            row_step: None,
        };
        match &state.data {
            Some(data) => {
                value.elements = Elements::near(data.address() as *const u8, node.len() != 1);
            }
            None if is_pending_assignment(node) => return Err(Not::Ready(node.clone())),
            None if self.deep == MOST_VALUES => return Err(Not::Fit),
            None => {
                self.deep += 1;
                self.compute(&mut value, &state.args)?;
                self.deep -= 1;
                value.reduced |= matches!(node.op, NodeOp::Reduce { .. });
                // A plan has a kernel of rows for it, whose sums have another order.
                if self.as_planned && value.reduced && node.len() > 1 {
                    return Err(Not::Fit);
                }
            }
        }
        self.found(value)
    }

    /// Takes a value in, and gives its number.
    fn found(&mut self, value: Value<'a>) -> Result<usize, Not> {
        let number = self.values.len();
        if number == MOST_VALUES {
            return Err(Not::Fit);
        }
        value.node.meet(self.walk, number as u32);
        self.values.push(value);
        Ok(number)
    }

    /// A matrix of rows of so many elements that is read where it lies, however large: the first
    /// element, and the distance of the rows.
    pub fn matrix(
        &mut self,
        value: &mut Value,
        arg: &'a Arg,
        columns: usize,
    ) -> Result<(*const u8, usize), Not> {
        let Arg::Node(node) = arg else { return Err(Not::Fit) };
        let number = match node.met(self.walk) {
            Some(_) => self.find(node)?,
            // SAFETY: this is the evaluation that runs.
            None => match (&node.op, &unsafe { node.state_unlocked() }.args[..]) {
                (NodeOp::View(view), [Arg::Node(under)]) if under.is_evaluated() => {
                    self.laid_out(node, view, under)?
                }
                _ => self.find(node)?,
            },
        };
        let Value { elements, row_step, reads, .. } = self.values[number];
        value.reads |= reads;
        let is_whole = elements.vector || node.len() == 1;
        if is_whole { Ok((elements.ptr, row_step.unwrap_or(columns))) } else { Err(Not::Fit) }
    }

    /// A view of data as a matrix whose rows are contiguous.
    fn laid_out(
        &mut self,
        node: &'a Arc<Node>,
        view: &View,
        under: &'a Arc<Node>,
    ) -> Result<usize, Not> {
        let (start, strides) = view.layout(&under.shape, &node.shape).ok_or(Not::Fit)?;
        let [.., rows, columns] = node.shape[..] else { return Err(Not::Fit) };
        let [.., row_step, 1] = strides[..] else { return Err(Not::Fit) };
        if rows * columns != node.len() || row_step < 0 {
            return Err(Not::Fit);
        }
        let number = self.find(under)?;
        let Value { elements, reads, .. } = self.values[number];
        let first = elements.ptr.wrapping_add(start * node.dtype.size());
        self.found(Value {
            node,
            elements: Elements::near(first, true),
            uses: 1,
            reads,
            reduced: false,
            is_new: false,
            row_step: Some(row_step as usize),
        })
    }

    /// The elements of an argument.
    pub fn argument(&mut self, value: &mut Value, arg: &'a Arg) -> Result<Elements, Not> {
        match arg {
            Arg::Scalar(scalar) => Ok(Elements::near(scalar.bytes().as_ptr(), false)),
            Arg::Node(arg) => {
                let number = self.find(arg)?;
                value.reads |= self.values[number].reads;
                value.reduced |= self.values[number].reduced;
                match self.values[number].row_step {
                    // Other operations want elements one behind the other.
                    Some(_) => Err(Not::Fit),
                    None => Ok(self.values[number].elements),
                }
            }
        }
    }
}

impl Value<'_> {
    /// Whether something besides the assignment holds the node.
    fn is_held(&self) -> bool {
        Arc::strong_count(self.node) > self.uses && !self.node.is_evaluated()
    }

    /// Whether it is stored, for who else holds it.
    pub fn is_kept(&self) -> bool {
        self.is_held() && (self.reads || is_of_call(self.node) || self.node.op.computes())
    }
}

/// Whether a node is a call of a library, or its result under another shape, as that of a vector and a
/// matrix is.
fn is_of_call(node: &Node) -> bool {
    // SAFETY: this is the evaluation that runs.
    match (&node.op, unsafe { node.state_unlocked() }.args.first()) {
        (NodeOp::Library(_), _) => true,
        (NodeOp::Reshape, Some(Arg::Node(under))) => is_of_call(under),
        _ => false,
    }
}
