//! The values of an assignment, computed one after the other.

use super::{ALIGN, MOST_BYTES, MOST_ELEMENTS, MOST_TERMS, MOST_VALUES};
use crate::backend::Buffer;
use crate::backend::cpu::few::{self, Arg as Elements, Folding, OpFn, Strided};
use crate::dtype::DType;
use crate::eval::walk::is_worth_keeping;
use crate::graph::{Arg, Node, NodeOp, View, Wrap, is_watched};
use crate::library::Library;
use crate::library::linalg::Matmul;
use crate::library::sort::Sorting;
use crate::ops::table::Form;
use crate::plan::SHORT_EXTENT;
use crate::shape;
use smallvec::SmallVec;
use std::sync::Arc;

/// The distance in elements along each axis.
pub(super) type Strides = SmallVec<[isize; 4]>;

/// A value of an assignment.
pub(super) struct Value<'a> {
    pub node: &'a Arc<Node>,
    pub elements: Elements,
    /// How many arguments of the assignment's values it is.
    uses: usize,
    /// Whether it comes from the array that is overwritten.
    reads: bool,
    /// Whether its elements lie in memory of their own.
    is_new: bool,
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
    walk: u32,
    /// The array that is overwritten.
    base: &'a Arc<Node>,
    pub values: SmallVec<[Value<'a>; MOST_VALUES]>,
    memory: *mut u8,
    /// The bytes that are left there.
    left: usize,
    /// How far below the assignment's value the search is.
    deep: usize,
}

impl<'a> Few<'a> {
    /// No values yet, in an assignment to an array, and memory of [`MOST_BYTES`] for them.
    pub fn new(walk: u32, base: &'a Arc<Node>, memory: *mut u8) -> Few<'a> {
        Few { walk, base, values: SmallVec::new(), memory, left: MOST_BYTES, deep: 0 }
    }

    /// Whether nobody sees the array, nor will anybody compute from what it was.
    pub fn may_overwrite(&self, data: &Arc<Buffer>) -> bool {
        let is_base = |value: &&Value| Arc::ptr_eq(value.node, self.base);
        let uses = 1 + self.values.iter().find(is_base).map_or(0, |value| value.uses);
        Arc::strong_count(self.base) == uses
            && !is_watched(self.base)
            && Arc::strong_count(data) == 1
            && data.may_be_written()
            && !self
                .values
                .iter()
                .filter(|value| !is_base(value))
                .any(|value| value.reads && value.is_held() && !may_be_kept(value.node))
    }

    /// Memory for some elements.
    fn take(&mut self, dtype: DType, count: usize) -> Result<*mut u8, Not> {
        let bytes = (count * dtype.size()).next_multiple_of(ALIGN);
        self.left = self.left.checked_sub(bytes).ok_or(Not::Fit)?;
        let from = self.memory;
        self.memory = from.wrapping_add(bytes);
        Ok(from)
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
            is_new: false,
        };
        match &state.data {
            Some(data) => {
                value.elements = Elements::near(data.address() as *const u8, node.len() != 1);
            }
            None if is_pending(node) => return Err(Not::Ready(node.clone())),
            None if self.deep == MOST_VALUES => return Err(Not::Fit),
            None => {
                self.deep += 1;
                self.compute(&mut value, &state.args)?;
                self.deep -= 1;
            }
        }
        let number = self.values.len();
        if number == MOST_VALUES {
            return Err(Not::Fit);
        }
        node.meet(self.walk, number as u32);
        self.values.push(value);
        Ok(number)
    }

    /// The elements of an argument.
    fn argument(&mut self, value: &mut Value, arg: &'a Arg) -> Result<Elements, Not> {
        match arg {
            Arg::Scalar(scalar) => Ok(Elements::near(scalar.bytes().as_ptr(), false)),
            Arg::Node(arg) => {
                let number = self.find(arg)?;
                value.reads |= self.values[number].reads;
                Ok(self.values[number].elements)
            }
        }
    }

    /// Computes a value that is not there.
    fn compute(&mut self, value: &mut Value, args: &'a [Arg]) -> Result<(), Not> {
        let (node, count) = (value.node, value.node.len());
        let (Some(first), 1..=MOST_ELEMENTS) = (args.first(), count) else { return Err(Not::Fit) };
        let fits = |arg: &Arg| matches!(shape::len(arg.shape()), len if len == 1 || len == count);
        match &node.op {
            NodeOp::Map(op) if args.len() <= 3 && args.iter().all(fits) => {
                let principal = usize::from(op.form() == Form::select);
                let run = few::loop_of(*op, args[principal].dtype()).ok_or(Not::Fit)?;
                self.run(value, args, run)
            }
            NodeOp::Cast => {
                let run = few::conversion(first.dtype(), node.dtype).ok_or(Not::Fit)?;
                self.run(value, args, run)
            }
            NodeOp::Reshape => {
                value.elements = self.argument(value, first)?;
                Ok(())
            }
            NodeOp::Full if node.dtype.compute() == node.dtype => {
                value.elements = self.argument(value, first)?;
                Ok(())
            }
            NodeOp::View(view) => self.view(value, view, first),
            NodeOp::Take { axis: 0, from_start } => {
                let at = args.get(1).ok_or(Not::Fit)?;
                self.taken(value, first, (at, *from_start))
            }
            NodeOp::Library(call) => match &**call {
                Library::Sort(Sorting::Check(check)) => self.checked(value, first, check.len),
                Library::Matmul(call) if args.len() == 2 => self.product(value, args, call),
                _ => Err(Not::Fit),
            },
            NodeOp::Reduce { op, .. } if count == 1 => {
                let folding = Folding::of(*op, first.dtype()).ok_or(Not::Fit)?;
                self.fold(value, first, folding)
            }
            _ => Err(Not::Fit),
        }
    }

    /// A loop over the elements.
    fn run(&mut self, value: &mut Value, args: &'a [Arg], run: OpFn) -> Result<(), Not> {
        let mut operands = [Elements::near(std::ptr::null(), false); 3];
        for (operand, arg) in operands.iter_mut().zip(args) {
            *operand = self.argument(value, arg)?;
        }
        let vector = operands.iter().any(|operand| operand.vector);
        let count = if vector { value.node.len() } else { 1 };
        let to = self.take(value.node.dtype, count)?;
        // SAFETY: each operand that the operation takes has one element or as many as there are
        // results, and the memory is new.
        unsafe { run(to, &operands, count) };
        (value.elements, value.is_new) = (Elements::near(to, vector), true);
        Ok(())
    }

    /// Elements of an argument at regular positions: where they lie, or gathered.
    fn view(&mut self, value: &mut Value, view: &View, arg: &'a Arg) -> Result<(), Not> {
        let (node, from) = (value.node, self.argument(value, arg)?);
        if !from.vector {
            value.elements = from;
            return Ok(());
        }
        let (start, strides) = regular(view, arg.shape(), &node.shape).ok_or(Not::Fit)?;
        let first = from.ptr.wrapping_add(start * node.dtype.size());
        let moves = |(&len, &stride): (&usize, &isize)| len > 1 && stride != 0;
        let vector = node.shape.iter().zip(&strides).any(moves);
        value.elements = Elements::near(first, vector);
        if vector && !are_contiguous(&node.shape, &strides) {
            if node.dtype.compute() != node.dtype {
                return Err(Not::Fit);
            }
            let to = self.take(node.dtype, node.len())?;
            let from = Strided { first: first.cast_mut(), strides: &strides };
            // SAFETY: the positions lie inside of what is read, as `regular` saw, and the memory is
            // new.
            unsafe { few::load(node.dtype, to, from, &node.shape) };
            (value.elements, value.is_new) = (Elements::near(to, true), true);
        }
        Ok(())
    }

    /// All elements of an argument reduced to one, in the order in which a kernel of its own would
    /// reduce them.
    fn fold(&mut self, value: &mut Value, arg: &'a Arg, folding: Folding) -> Result<(), Not> {
        let (node, count) = (value.node, shape::len(arg.shape()));
        if !(1..=MOST_ELEMENTS).contains(&count) {
            return Err(Not::Fit);
        }
        let mut from = self.argument(value, arg)?;
        if !from.vector && count > 1 {
            let to = self.take(node.dtype, count)?;
            let one = Strided { first: from.ptr.cast_mut(), strides: &[0] };
            // SAFETY: there is one element, and room for all.
            unsafe { few::load(node.dtype, to, one, &[count]) };
            from = Elements::near(to, true);
        }
        let to = self.take(node.dtype, 1)?;
        // SAFETY: there are so many elements, of the type of the result.
        unsafe {
            match count <= SHORT_EXTENT {
                true => folding.run_in_order(to, from.ptr, count),
                false => folding.run(to, from.ptr, count),
            }
        }
        (value.elements, value.is_new) = (Elements::near(to, false), true);
        Ok(())
    }
}

impl<'a> Few<'a> {
    /// Elements of a vector at positions from data, held within it; negative ones count from the end,
    /// unless all count from the start.
    fn taken(
        &mut self,
        value: &mut Value,
        from: &'a Arg,
        (at, from_start): (&'a Arg, bool),
    ) -> Result<(), Not> {
        let (&[len], node) = (from.shape(), value.node) else { return Err(Not::Fit) };
        if len == 0 || node.dtype.compute() != node.dtype {
            return Err(Not::Fit);
        }
        let (from, at) = (self.argument(value, from)?, self.argument(value, at)?);
        let (count, last) = (if at.vector { node.len() } else { 1 }, len as i64 - 1);
        let places: *mut i64 = self.take(DType::I64, count)?.cast();
        let to = self.take(node.dtype, count)?;
        // SAFETY: there are so many positions, all of which lie within the vector once they are
        // written, and the memory is new.
        unsafe {
            for k in 0..count {
                let place = at.ptr.cast::<i64>().add(k).read();
                let from_end = place < 0 && !from_start;
                let place = if from_end { place + len as i64 } else { place };
                places.add(k).write(if from.vector { place.clamp(0, last) } else { 0 });
            }
            few::gather(node.dtype, to, from.ptr, places, count);
        }
        (value.elements, value.is_new) = (Elements::near(to, at.vector), true);
        Ok(())
    }

    /// A product of small matrices.
    fn product(&mut self, value: &mut Value, args: &'a [Arg], call: &Matmul) -> Result<(), Not> {
        let sizes @ [m, n, k] = [call.m, call.n, call.k];
        let lens = args.iter().map(|arg| shape::len(arg.shape()));
        // A batch, or too much.
        if value.node.len() != m * n || m * n * k > MOST_TERMS || !lens.eq([m * k, k * n]) {
            return Err(Not::Fit);
        }
        let (a, b) = (self.argument(value, &args[0])?, self.argument(value, &args[1])?);
        let is_whole = |side: Elements, len: usize| side.vector || len == 1;
        if !is_whole(a, m * k) || !is_whole(b, k * n) {
            return Err(Not::Fit);
        }
        let to = self.take(call.dtype, m * n)?;
        // SAFETY: the matrices have so many elements, and the memory is new.
        let done = unsafe { few::matmul(call.dtype, to, (a.ptr, b.ptr), sizes) };
        (value.elements, value.is_new) = (Elements::near(to, m * n > 1), true);
        if done { Ok(()) } else { Err(Not::Fit) }
    }

    /// Positions along an axis, counted from its start. Where one lies outside, the plan's call says
    /// so.
    fn checked(&mut self, value: &mut Value, at: &'a Arg, len: usize) -> Result<(), Not> {
        let (node, len) = (value.node, len as i64);
        let at = self.argument(value, at)?;
        let count = if at.vector { node.len() } else { 1 };
        let places: *mut i64 = self.take(DType::I64, count)?.cast();
        for k in 0..count {
            // SAFETY: there are so many positions, and the memory is new.
            unsafe {
                let place = at.ptr.cast::<i64>().add(k).read();
                if place < -len || place >= len {
                    return Err(Not::Fit);
                }
                places.add(k).write(if place < 0 { place + len } else { place });
            }
        }
        (value.elements, value.is_new) = (Elements::near(places.cast(), at.vector), true);
        Ok(())
    }
}

impl Value<'_> {
    /// Whether something besides the assignment holds the node.
    fn is_held(&self) -> bool {
        Arc::strong_count(self.node) > self.uses
    }

    /// Whether it is stored, for who else holds it.
    pub fn is_kept(&self) -> bool {
        self.is_held() && !self.node.is_evaluated() && may_be_kept(self.node)
    }
}

/// Whether a value is stored where somebody else holds it: what libraries have computed is.
fn may_be_kept(node: &Node) -> bool {
    is_worth_keeping(node) || matches!(node.op, NodeOp::Library(_))
}

/// Whether a node is an assignment that was not evaluated.
pub(super) fn is_pending(node: &Node) -> bool {
    matches!(node.op, NodeOp::Assign(_)) && !node.is_evaluated()
}

/// The first position and the distances of a view whose positions grow by steps and lie inside of
/// what it reads.
pub(super) fn regular(view: &View, under: &[usize], shape: &[usize]) -> Option<(usize, Strides)> {
    let mut strides: Strides = SmallVec::from_elem(0, shape.len());
    let (mut start, mut stride) = (0, 1);
    for (map, &len) in view.0.iter().zip(under).rev() {
        let (mut low, mut high) = (map.offset, map.offset);
        for &(axis, step) in &map.terms {
            let last = step * (shape[axis as usize] as i64 - 1);
            (low, high) = (low + last.min(0), high + last.max(0));
            strides[axis as usize] += (step * stride) as isize;
        }
        if map.wrap != Wrap::None || low < 0 || high >= len as i64 {
            return None;
        }
        start += map.offset * stride;
        stride *= len as i64;
    }
    Some((start as usize, strides))
}

/// Whether elements lie one behind the other.
fn are_contiguous(shape: &[usize], strides: &[isize]) -> bool {
    let mut next = 1;
    shape.iter().zip(strides).rev().all(|(&len, &stride)| {
        let fits = len == 1 || stride == next;
        next *= len as isize;
        fits
    })
}
