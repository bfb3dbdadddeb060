//! The operations of which values are made, each a loop over all elements.

use super::values::{Few, Not, Value};
use super::{MOST_ELEMENTS, MOST_TERMS, MOST_TERMS_OF_VECTORS, Strides};
use crate::backend::cpu::few::{self, Arg as Elements, Folding, OpFn, Strided};
use crate::dtype::DType;
use crate::graph::{Arg, Node, NodeOp, View};
use crate::library::Library;
use crate::library::linalg::Matmul;
use crate::library::sort::Sorting;
use crate::plan::SHORT_EXTENT;
use crate::shape::{self, contiguous_strides};
use crate::table::{Form, Op, Reduction};
use std::sync::Arc;

impl<'a> Few<'a> {
    /// Computes a value that is not there.
    pub fn compute(&mut self, value: &mut Value, args: &'a [Arg]) -> Result<(), Not> {
        let (node, count) = (value.node, value.node.len());
        let (Some(first), 1..=MOST_ELEMENTS) = (args.first(), count) else { return Err(Not::Fit) };
        self.left = self.left.checked_sub(count).ok_or(Not::Fit)?;
        match &node.op {
            NodeOp::Map(op) if args.len() <= 3 => {
                let run = few::loop_of(*op, args[op.principal()].dtype()).ok_or(Not::Fit)?;
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
                Library::Matmul(call) if args.len() == 2 && !self.as_planned => {
                    self.product(value, args, call)
                }
                _ => Err(Not::Fit),
            },
            NodeOp::Reduce { op, axes } if are_last(*axes, first.shape()) => {
                let folding = Folding::of(*op, first.dtype()).ok_or(Not::Fit)?;
                let axes = first.shape().iter().filter(|&&len| len > 1).count();
                if self.as_planned && axes > 1 && has_order(*op, first.dtype()) {
                    return Err(Not::Fit);
                }
                match self.passing(first) {
                    Some(terms) => self.fold_terms(value, terms, folding),
                    None => self.fold(value, first, folding),
                }
            }
            NodeOp::Concat { axis } => self.joined(value, args, *axis as usize),
            _ => Err(Not::Fit),
        }
    }

    /// A loop over the elements.
    fn run(&mut self, value: &mut Value, args: &'a [Arg], run: OpFn) -> Result<(), Not> {
        let mut operands = [Elements::near(std::ptr::null(), false); 3];
        for (operand, arg) in operands.iter_mut().zip(args) {
            *operand = self.argument(value, arg)?;
            if operand.vector && shape::len(arg.shape()) != value.node.len() {
                *operand = self.spread(*operand, arg, &value.node.shape)?;
            }
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

    /// The elements of an argument, as often as it takes to fill a shape to which it broadcasts.
    fn spread(&mut self, from: Elements, arg: &Arg, shape: &[usize]) -> Result<Elements, Not> {
        let (own, mut strides) = (arg.shape(), Strides::from_elem(0, shape.len()));
        for (k, stride) in contiguous_strides(own).into_iter().enumerate() {
            let at = k + shape.len() - own.len();
            strides[at] = if own[k] == shape[at] { stride as isize } else { 0 };
        }
        self.load(arg.dtype(), from.ptr, &strides, shape)
    }

    /// Elements that lie apart, one behind the other.
    fn load(
        &mut self,
        dtype: DType,
        first: *const u8,
        strides: &[isize],
        shape: &[usize],
    ) -> Result<Elements, Not> {
        if dtype.compute() != dtype {
            return Err(Not::Fit);
        }
        let to = self.take(dtype, shape::len(shape))?;
        let from = Strided { first: first.cast_mut(), strides };
        // SAFETY: callers name elements that exist, and the memory is new.
        unsafe { few::load(dtype, to, from, shape) };
        Ok(Elements::near(to, true))
    }

    /// Elements of an argument at regular positions: where they lie, or gathered.
    fn view(&mut self, value: &mut Value, view: &View, arg: &'a Arg) -> Result<(), Not> {
        let (node, from) = (value.node, self.argument(value, arg)?);
        if !from.vector {
            value.elements = from;
            return Ok(());
        }
        let (start, strides) = view.layout(arg.shape(), &node.shape).ok_or(Not::Fit)?;
        let first = from.ptr.wrapping_add(start * node.dtype.size());
        let moves = |(&len, &stride): (&usize, &isize)| len > 1 && stride != 0;
        let vector = node.shape.iter().zip(&strides).any(moves);
        value.elements = Elements::near(first, vector);
        if vector && !are_contiguous(&node.shape, &strides) {
            value.elements = self.load(node.dtype, first, &strides, &node.shape)?;
            value.is_new = true;
        }
        Ok(())
    }

    /// The elements of an argument reduced along its last axes, each row in the order in which a kernel
    /// of its own would reduce it.
    fn fold(&mut self, value: &mut Value, arg: &'a Arg, folding: Folding) -> Result<(), Not> {
        let (node, count) = (value.node, shape::len(arg.shape()));
        if !(1..=MOST_ELEMENTS).contains(&count) {
            return Err(Not::Fit);
        }
        let mut from = self.argument(value, arg)?;
        if !from.vector && count > 1 {
            from = self.load(node.dtype, from.ptr, &[0], &[count])?;
        }
        let (rows, size) = (node.len(), node.dtype.size());
        let (to, len) = (self.take(node.dtype, rows)?, count / rows);
        for row in 0..rows {
            // SAFETY: there are so many rows of so many elements, of the type of the results.
            unsafe {
                fold_row(folding, to.add(row * size), from.ptr.add(row * len * size), len);
            }
        }
        (value.elements, value.is_new) = (Elements::near(to, rows > 1), true);
        Ok(())
    }

    /// An operation of two arrays that nobody but one reduction wants, which makes rows of it.
    fn passing(&self, arg: &'a Arg) -> Option<&'a Arc<Node>> {
        let Arg::Node(terms) = arg else { return None };
        let is_plain = matches!(terms.op, NodeOp::Map(op) if op.form() == Form::binary);
        let is_new = Arc::strong_count(terms) == 1 && terms.met(self.walk).is_none();
        (is_plain && is_new && !terms.is_evaluated()).then_some(terms)
    }

    /// The same as [`fold`](Self::fold) where the elements are an operation of two arrays that
    /// broadcast: as those of a product of a matrix and a vector, each row is reduced as soon as it is
    /// there.
    fn fold_terms(
        &mut self,
        value: &mut Value,
        terms: &'a Arc<Node>,
        folding: Folding,
    ) -> Result<(), Not> {
        // SAFETY: this is the evaluation that runs.
        let state = unsafe { terms.state_unlocked() };
        let (NodeOp::Map(op), [a, b]) = (&terms.op, &state.args[..]) else { return Err(Not::Fit) };
        let run = few::loop_of(*op, a.dtype()).ok_or(Not::Fit)?;
        let (rows, count) = (value.node.len(), terms.len());
        if !(1..=MOST_ELEMENTS).contains(&count) {
            return Err(Not::Fit);
        }
        self.left = self.left.checked_sub(count).ok_or(Not::Fit)?;
        let len = count / rows;
        let sides = [self.side(value, (a, terms), rows)?, self.side(value, (b, terms), rows)?];
        let (row, to) = (self.take(terms.dtype, len)?, self.take(value.node.dtype, rows)?);
        let unused = Elements::near(std::ptr::null(), false);
        for k in 0..rows {
            let [a, b] = sides.each_ref().map(|side| side.row(k));
            // SAFETY: each side has so many rows, or one that stands for all, and the memory is new.
            unsafe {
                run(row, &[a, b, unused], len);
                fold_row(folding, to.add(k * value.node.dtype.size()), row, len);
            }
        }
        (value.elements, value.is_new) = (Elements::near(to, rows > 1), true);
        Ok(())
    }

    /// The rows of an argument of an operation, of which a reduction leaves `rows`.
    fn side(
        &mut self,
        value: &mut Value,
        (arg, terms): (&'a Arg, &Node),
        rows: usize,
    ) -> Result<Side, Not> {
        let (own, all) = (shape::len(arg.shape()), terms.len());
        let elements = self.argument(value, arg)?;
        if !elements.vector {
            return Ok(Side { elements, step: 0 });
        }
        let len = all / rows;
        // One row for all: the axes in front of it have one position each.
        let is_one_row = own == len && terms.shape.ends_with(last_axes(arg.shape()));
        let elements = match own == all || is_one_row {
            true => elements,
            false => self.spread(elements, arg, &terms.shape)?,
        };
        let step = if is_one_row && rows > 1 { 0 } else { len * arg.dtype().size() };
        Ok(Side { elements, step })
    }

    /// The arguments one after another along an axis.
    fn joined(&mut self, value: &mut Value, args: &'a [Arg], axis: usize) -> Result<(), Not> {
        let node = value.node;
        if node.dtype.compute() != node.dtype {
            return Err(Not::Fit);
        }
        let strides: Strides =
            contiguous_strides(&node.shape).iter().map(|&s| s as isize).collect();
        let to = self.take(node.dtype, node.len())?;
        let mut at = 0;
        for arg in args {
            let elements = self.argument(value, arg)?;
            let first = to.wrapping_add(at * strides[axis] as usize * node.dtype.size());
            let part = Strided { first, strides: &strides };
            // SAFETY: the memory is new, and has the part's place along the axis.
            unsafe { few::store(node.dtype, part, elements, arg.shape()) };
            at += arg.shape()[axis];
        }
        (value.elements, value.is_new) = (Elements::near(to, node.len() > 1), true);
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
        // A batch.
        if value.node.len() != m * n || !lens.eq([m * k, k * n]) {
            return Err(Not::Fit);
        }
        if m * n * k > MOST_TERMS {
            return self.product_with_vector(value, args, call);
        }
        if n == 1 {
            return self.product_of_rows(value, args, call);
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

    /// A product of a matrix and a vector: the products with each row, summed up.
    fn product_of_rows(
        &mut self,
        value: &mut Value,
        args: &'a [Arg],
        call: &Matmul,
    ) -> Result<(), Not> {
        let Matmul { m, k, dtype, .. } = *call;
        let sum = Folding::of(Reduction::Sum, dtype).ok_or(Not::Fit)?;
        let multiply = few::loop_of(Op::Multiply, dtype).ok_or(Not::Fit)?;
        let (first, step) = self.matrix(value, &args[0], k)?;
        let by = self.argument(value, &args[1])?;
        let (row, to) = (self.take(dtype, k)?, self.take(dtype, m)?);
        let unused = Elements::near(std::ptr::null(), false);
        for at in 0..m {
            let from = Elements::near(first.wrapping_add(at * step * dtype.size()), k > 1);
            // SAFETY: there are so many rows of so many elements, the vector has as many, or one that
            // stands for all, and the memory is new.
            unsafe {
                multiply(row, &[from, by, unused], k);
                fold_row(sum, to.add(at * dtype.size()), row, k);
            }
        }
        (value.elements, value.is_new) = (Elements::near(to, m > 1), true);
        Ok(())
    }

    /// A product of a vector and a matrix, of more terms.
    fn product_with_vector(
        &mut self,
        value: &mut Value,
        args: &'a [Arg],
        call: &Matmul,
    ) -> Result<(), Not> {
        let Matmul { m, n, k, dtype, .. } = *call;
        if m > 1 || n * k > MOST_TERMS_OF_VECTORS {
            return Err(Not::Fit);
        }
        let by = self.argument(value, &args[0])?;
        let (first, step) = self.matrix(value, &args[1], n)?;
        if !by.vector {
            return Err(Not::Fit);
        }
        let to = self.take(dtype, n)?;
        // SAFETY: the vector has an element for each row, and the memory is new.
        let done = unsafe { few::sum_of_rows(dtype, (to, n), (first, step), (by.ptr, k)) };
        (value.elements, value.is_new) = (Elements::near(to, n > 1), true);
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

/// An argument of an operation, row by row.
struct Side {
    elements: Elements,
    /// The bytes from row to row.
    step: usize,
}

impl Side {
    fn row(&self, k: usize) -> Elements {
        self.elements.after(k * self.step)
    }
}

/// Reduces a row in the order in which a kernel of its own would.
///
/// # Safety
/// There are so many elements at `from`, and room for one at `to`.
pub(super) unsafe fn fold_row(folding: Folding, to: *mut u8, from: *const u8, len: usize) {
    // SAFETY: as the caller says.
    unsafe {
        match len <= SHORT_EXTENT {
            true => folding.run_in_order(to, from, len),
            false => folding.run(to, from, len),
        }
    }
}

/// The axes of a shape from the first one on that has several positions.
fn last_axes(shape: &[usize]) -> &[usize] {
    &shape[shape.iter().take_while(|&&len| len == 1).count()..]
}

/// Whether a reduction gives other bits in another order.
fn has_order(op: Reduction, dtype: DType) -> bool {
    let is_inexact = dtype.is_float() || dtype.is_complex();
    is_inexact && matches!(op.combine(), Op::Add | Op::Multiply)
}

/// Whether the axes of a set are behind all others, of those that have several positions.
fn are_last(axes: u32, shape: &[usize]) -> bool {
    let is_reduced = |&k: &usize| axes >> k & 1 == 1;
    let several = (0..shape.len()).filter(|&k| shape[k] > 1);
    several.skip_while(|k| !is_reduced(k)).all(|k| is_reduced(&k))
}

/// Whether elements lie one behind the other.
pub(super) fn are_contiguous(shape: &[usize], strides: &[isize]) -> bool {
    let mut next = 1;
    shape.iter().zip(strides).rev().all(|(&len, &stride)| {
        let fits = len == 1 || stride == next;
        next *= len as isize;
        fits
    })
}
