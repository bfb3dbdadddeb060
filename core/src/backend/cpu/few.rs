//! The loops of programs for a few elements that lie in memory already, without a program.
//!
//! `eval/at_once/` computes small values by them, one operation after the other. They are the loops
//! that a tile of a program would go through, so that the bits are the same.

pub use lazuli_inner_loops::operations::{Arg, OpFn};

use super::copy::{fill, moves};
use super::library::gemv::{self, Real, Rows};
use crate::dtype::{DType, Scalar};
use crate::table::{Form, Op, Reduction};
use lazuli_inner_loops::casts::cast_fn;
use lazuli_inner_loops::fold::{ACCUMULATOR, Folds, folds};
use lazuli_inner_loops::level::Level;
use lazuli_inner_loops::operations::{LANES, op_fn};
use num_complex::Complex;
use num_traits::Num;

/// The loop of an operation on elements of a type; none for halves, which programs compute in `f32`,
/// and for random numbers.
pub fn loop_of(op: Op, dtype: DType) -> Option<OpFn> {
    let is_plain = matches!(op.form(), Form::unary | Form::binary | Form::ternary | Form::select);
    match is_plain && dtype.compute() == dtype {
        true => op_fn(op, dtype, Level::best()),
        false => None,
    }
}

/// The loop that converts elements; none from and to halves.
pub fn conversion(from: DType, to: DType) -> Option<OpFn> {
    let is_plain = from.compute() == from && to.compute() == to;
    is_plain.then(|| cast_fn(from, to, Level::best()))
}

/// A reduction of all elements of an array to one.
#[derive(Clone, Copy)]
pub struct Folding {
    folds: Folds,
    identity: Scalar,
}

impl Folding {
    /// The reduction of elements of a type; none for halves, and where it gives a position.
    pub fn of(op: Reduction, dtype: DType) -> Option<Folding> {
        if op.is_arg() || op.accumulator(dtype) != dtype {
            return None;
        }
        let folds = folds(op, dtype, Level::best())?;
        Some(Folding { folds, identity: op.identity_value(dtype) })
    }

    /// Reduces `n` elements one after the other, fewer than [`LANES`], as a loop of a thread does.
    ///
    /// # Safety
    /// There are so many at `from`, and room for one at `to`.
    pub unsafe fn run_in_order(&self, to: *mut u8, from: *const u8, n: usize) {
        let identity = self.identity.bytes();
        let (size, mut row) = (identity.len(), [[0u64; 2]; LANES]);
        let first: *mut u8 = row.as_mut_ptr().cast();
        assert!(n + 1 < LANES, "a row is short, with its identity, too");
        // SAFETY: the row has room for so many elements, the identity before them.
        unsafe {
            std::ptr::copy_nonoverlapping(identity.as_ptr(), first, size);
            std::ptr::copy_nonoverlapping(from, first.add(size), n * size);
            // A row of fewer elements than there are lanes is folded from its beginning.
            (self.folds.rows)(to, first, n + 1, 1);
        }
    }

    /// Reduces `n` elements, as many side by side as an accumulator has lanes.
    ///
    /// # Safety
    /// There are so many at `from`, and room for one at `to`.
    pub unsafe fn run(&self, to: *mut u8, from: *const u8, n: usize) {
        #[repr(align(64))]
        struct Accumulator([u8; ACCUMULATOR]);
        let mut accumulator = Accumulator([0; ACCUMULATOR]);
        let lanes = accumulator.0.as_mut_ptr();
        let identity = self.identity.bytes();
        fill(lanes, identity, ACCUMULATOR / identity.len());
        // SAFETY: the accumulator is whole, and the caller vouches for the rest.
        unsafe {
            (self.folds.fold)(lanes, from, n, false);
            (self.folds.finish)(lanes, to);
        }
    }
}

/// The product of an `m × k` and a `k × n` matrix, in C order; false for types that libraries do not
/// multiply, and halves. The terms of each sum are added in their order.
///
/// # Safety
/// The matrices have as many elements, and there is room for the product, which is disjoint from both.
pub unsafe fn matmul(
    dtype: DType,
    to: *mut u8,
    (a, b): (*const u8, *const u8),
    [m, n, k]: [usize; 3],
) -> bool {
    // SAFETY: as the caller says.
    unsafe {
        match dtype {
            DType::F32 => product::<f32>(to, (a, b), [m, n, k]),
            DType::F64 => product::<f64>(to, (a, b), [m, n, k]),
            DType::C64 => product::<Complex<f32>>(to, (a, b), [m, n, k]),
            DType::C128 => product::<Complex<f64>>(to, (a, b), [m, n, k]),
            _ => return false,
        }
    }
    true
}

/// [`matmul`] for a type.
///
/// # Safety
/// As there.
unsafe fn product<T: Num + Copy>(
    to: *mut u8,
    (a, b): (*const u8, *const u8),
    [m, n, k]: [usize; 3],
) {
    // SAFETY: as the caller says.
    let (to, a, b) = unsafe {
        to.cast::<T>().write_bytes(0, m * n);
        let to = std::slice::from_raw_parts_mut(to.cast::<T>(), m * n);
        let a = std::slice::from_raw_parts(a.cast::<T>(), m * k);
        (to, a, std::slice::from_raw_parts(b.cast::<T>(), k * n))
    };
    for (row, out) in a.chunks_exact(k).zip(to.chunks_exact_mut(n)) {
        for (&factor, terms) in row.iter().zip(b.chunks_exact(n)) {
            out.iter_mut().zip(terms).for_each(|(sum, &term)| *sum = *sum + factor * term);
        }
    }
}

/// The sum of `count` rows of `n` elements, each times its factor, as a library's product of a vector and
/// a matrix sums them up; false for types that it has no such sums of.
///
/// # Safety
/// There are as many rows, from the first one on at a distance of `step` elements, and factors, and there
/// is room for the sum, which is disjoint from both.
pub unsafe fn sum_of_rows(
    dtype: DType,
    (to, n): (*mut u8, usize),
    (first, step): (*const u8, usize),
    (by, count): (*const u8, usize),
) -> bool {
    // SAFETY: as the caller says.
    unsafe {
        match dtype {
            DType::F32 => rows_of::<f32>((to, n), (first, step), (by, count)),
            DType::F64 => rows_of::<f64>((to, n), (first, step), (by, count)),
            _ => return false,
        }
    }
    true
}

/// [`sum_of_rows`] for a type.
///
/// # Safety
/// As there.
unsafe fn rows_of<T: Real + 'static>(
    (to, n): (*mut u8, usize),
    (first, step): (*const u8, usize),
    (by, count): (*const u8, usize),
) {
    let rows = Rows { at: first.cast::<T>(), step, by: by.cast::<T>(), by_step: 1, count };
    // SAFETY: as the caller says.
    unsafe { gemv::sum_of_rows(&rows, to.cast(), n) };
}

/// Elements of an array in memory: the first one, and the distance in elements along each axis.
#[derive(Clone, Copy)]
pub struct Strided<'a> {
    /// The first element.
    pub first: *mut u8,
    /// The distances.
    pub strides: &'a [isize],
}

/// Copies elements from where they lie apart to a row, in C order.
///
/// # Safety
/// The elements of that shape exist, in a type that is no half, and the row has room for them.
pub unsafe fn load(dtype: DType, to: *mut u8, from: Strided, shape: &[usize]) {
    let moves = moves(dtype, Level::best());
    each_row(shape, from.strides, |at, row, stride, n| {
        // SAFETY: as the caller says.
        unsafe {
            let from = from.first.offset(at * moves.mem as isize);
            (moves.load)(to.add(row * moves.mem), from, stride, n);
        }
    });
}

/// Copies `n` elements at positions to a row.
///
/// # Safety
/// The positions lie inside of what is read, in a type that is no half, and the row has room.
pub unsafe fn gather(dtype: DType, to: *mut u8, from: *const u8, at: *const i64, n: usize) {
    // SAFETY: as the caller says.
    unsafe { (moves(dtype, Level::best()).gather)(to, from, at, n) }
}

/// Copies elements of a row, or one that stands for all, to where they lie apart.
///
/// # Safety
/// As of [`load`], in the other direction; the row is no part of what is written.
pub unsafe fn store(dtype: DType, to: Strided, from: Arg, shape: &[usize]) {
    let moves = moves(dtype, Level::best());
    each_row(shape, to.strides, |at, row, stride, n| {
        // SAFETY: as the caller says.
        unsafe {
            let to = to.first.offset(at * moves.mem as isize);
            (moves.store)(to, stride, from.after(row * moves.mem), n);
        }
    });
}

/// Tells of each row along the last axis that has several positions: how far its first element is from
/// the array's, its number in C order, and the distance and number of its elements.
fn each_row(shape: &[usize], strides: &[isize], mut tell: impl FnMut(isize, usize, isize, usize)) {
    let last = (0..shape.len()).rev().find(|&k| shape[k] > 1).unwrap_or(0);
    let (outer, n) = (&shape[..last.min(shape.len())], shape.get(last).copied().unwrap_or(1));
    let stride = strides.get(last).copied().unwrap_or(1);
    let rows: usize = outer.iter().product();
    for row in 0..rows {
        let (mut rest, mut at) = (row, 0);
        for k in (0..outer.len()).rev() {
            at += (rest % outer[k]) as isize * strides[k];
            rest /= outer[k];
        }
        tell(at, row * n, stride, n);
    }
}
