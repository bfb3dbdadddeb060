//! Factorisations on the processor: faer.

use super::substitution::{self, Triangle};
use crate::backend::cpu::room;
use crate::backend::{Buffer, LibraryCall, pool};
use crate::dtype::{Complex, DType, Plain, Scalar};
use crate::error::{Error, Result};
use crate::library::factor::{Factor, Task, Vectors};
use lazuli_libraries::linalg::{Answer, Element, MatMut, MatRef, Real, SMALL, Singular};
use rayon::prelude::*;
use std::marker::PhantomData;

/// Makes a factorisation ready.
pub(super) fn factor(call: &Factor) -> Box<dyn LibraryCall> {
    match call.dtype {
        DType::F32 => Box::new(Typed::<f32>(call.clone(), PhantomData)),
        DType::F64 => Box::new(Typed::<f64>(call.clone(), PhantomData)),
        DType::C64 => Box::new(Typed::<Complex<f32>>(call.clone(), PhantomData)),
        DType::C128 => Box::new(Typed::<Complex<f64>>(call.clone(), PhantomData)),
        dtype => unreachable!("{} has no {dtype}", call.name),
    }
}

/// Whether threads may share a call's work: that of all but what is solved here.
pub(super) fn is_divided(call: &Factor) -> bool {
    call.batch > 1 || !is_by_rows(call) && !is_small(call)
}

/// Whether a call is a small system, or the factorisation of one.
fn is_small(call: &Factor) -> bool {
    matches!(call.task, Task::Solve | Task::Lu) && call.n.max(call.k) < SMALL
}

/// Whether a call solves small triangles with one right-hand side.
fn is_by_rows(call: &Factor) -> bool {
    let is_triangle = matches!(call.task, Task::Triangular { .. });
    is_triangle && call.k == 1 && call.n <= substitution::MOST && !call.dtype.is_complex()
}

struct Typed<T>(Factor, PhantomData<T>);

/// Where the matrices of one position of the batch lie.
#[derive(Clone, Copy)]
struct Places {
    inputs: [*const u8; 2],
    outputs: [*mut u8; 3],
}

/// The buffers of a call, which several threads use, each its own matrices.
struct Shared(Places);

// SAFETY: each position of the batch writes its own matrices, and the inputs are only read.
unsafe impl Sync for Shared {}

impl<T: Element + Plain> LibraryCall for Typed<T> {
    fn run(&self, inputs: &[&Buffer], outputs: &[&Buffer], _scalars: &[Scalar]) -> Result<()> {
        let mut places =
            Places { inputs: [std::ptr::null(); 2], outputs: [std::ptr::null_mut(); 3] };
        for (place, buffer) in places.inputs.iter_mut().zip(inputs) {
            *place = buffer.address() as *const u8;
        }
        for (place, buffer) in places.outputs.iter_mut().zip(outputs) {
            *place = buffer.address() as *mut u8;
        }
        let shared = Shared(places);
        room::check(self.0.name, work(&self.0))?;
        let one = |k: usize| self.one(self.at(&shared, k)).map_err(|why| self.failed(k, why));
        match self.0.batch {
            1 => one(0),
            batch => (0..batch).into_par_iter().try_for_each(one),
        }
    }

    fn describe(&self) -> String {
        "faer".to_owned()
    }
}

impl<T: Element + Plain> Typed<T> {
    /// The places of position `k` of the batch.
    fn at(&self, shared: &Shared, k: usize) -> Places {
        let call = &self.0;
        let step = |elements: usize, dtype: DType| elements / call.batch * dtype.size() * k;
        let mut places = shared.0;
        let operands = match call.task {
            Task::Solve | Task::Triangular { .. } => [call.n * call.n, call.n * call.k],
            _ => [call.m * call.n, 0],
        };
        for (place, len) in places.inputs.iter_mut().zip(operands) {
            *place = place.wrapping_add(len * call.dtype.size() * k);
        }
        for (place, (len, dtype)) in places.outputs.iter_mut().zip(call.outputs()) {
            *place = place.wrapping_add(step(len, dtype));
        }
        places
    }

    fn failed(&self, k: usize, why: &str) -> Error {
        let which = match self.0.batch {
            1 => "the matrix".to_owned(),
            _ => format!("matrix {k} of the batch"),
        };
        Error::numeric(format!("{}: {which} {why}", self.0.name))
    }

    /// One matrix.
    fn one(&self, at: Places) -> Answer {
        let Factor { task, m, n, k, .. } = self.0;
        // SAFETY: the evaluation gives the buffers that the call describes.
        let a = unsafe { MatRef::<T>::from_raw_parts(at.inputs[0].cast(), m, n, 1, m as isize) };
        let [first, second, third] = at.outputs;
        match task {
            Task::Solve => T::solve(a.transpose(), right_hand(at, n, k)),
            Task::Triangular { upper, unit } if is_by_rows(&self.0) => {
                substituted::<T>(at, n, upper, unit)
            }
            Task::Triangular { upper, unit } => {
                let b = right_hand::<T>(at, k, n).transpose_mut();
                T::solve_triangle(a.transpose(), b, upper, unit)
            }
            Task::Lu => {
                let swaps = T::lu(a, matrix(first, n, n)).into_iter();
                match self.0.batch {
                    1 => write(second, swaps.map(|i| i as i64 + 1)),
                    _ => write(second, swaps.map(|i| i as i32 + 1)),
                }
                Ok(())
            }
            Task::Cholesky => T::cholesky(a.transpose(), matrix(first, n, n).transpose_mut()),
            Task::Qr { .. } => {
                let r = matrix(second, m, n).subrows_mut(0, m.min(n));
                T::qr(a, matrix(first, m, self.0.basis()), r);
                Ok(())
            }
            Task::Svd(Vectors::None) => T::svd(a, numbers(first, n), None),
            Task::Svd(_) => {
                let adjoint = !Factor::is_small_batch([self.0.batch, m, n]);
                let (u, v) = (matrix(first, m, self.0.basis()), matrix(third, n, n));
                T::svd(a, numbers(second, n), Some(Singular { u, v, adjoint }))
            }
            Task::Eigh { vectors } => {
                let vectors = vectors.then(|| matrix(second, n, n));
                T::eigh(a, numbers::<Real<T>>(first, n), vectors)
            }
            Task::Eig { vectors } => {
                let vectors = vectors.then(|| matrix(second, n, n));
                T::eig(a, numbers::<Complex<Real<T>>>(first, n), vectors)
            }
        }
    }
}

/// The bytes that faer allocates for a call, at most.
fn work(call: &Factor) -> usize {
    let Factor { task, m, n, k, .. } = *call;
    let product = |a: usize, b: usize| a.saturating_mul(b) as f64;
    let (all, square, basis) = (product(m, n), product(n, n), product(m, call.basis()));
    let elements = match task {
        Task::Triangular { .. } => 0.0,
        Task::Solve => 3.0 * square + product(n, k),
        Task::Lu => 3.0 * square,
        Task::Cholesky => 2.0 * square,
        Task::Qr { .. } => 2.0 * all + 2.0 * basis + square,
        Task::Svd(Vectors::None) => 4.0 * all,
        Task::Svd(_) => 4.0 * all + 2.0 * basis + 6.0 * square,
        Task::Eigh { .. } => 6.0 * square,
        Task::Eig { .. } => 10.0 * square,
    };
    // Blocks of columns beside.
    let one = (elements + 256.0 * (m + n) as f64) * call.dtype.size() as f64;
    let threads = pool::threads();
    let (matrices, packing) = match m.max(n) {
        ..32 => (call.batch.min(threads), 0),
        32.. if call.batch > 1 => (call.batch.min(threads), call.batch.min(threads)),
        // Smaller ones are one thread's.
        32..256 => (1, 1),
        256.. => (1, threads),
    };
    // Floats of more than all memory become the largest number.
    ((one * matrices as f64) as usize).saturating_add(room::packing_of(packing, m.max(n) >= 256))
}

/// Solves a triangular system of real numbers with one right-hand side row by row.
fn substituted<T: Element + Plain>(at: Places, n: usize, upper: bool, unit: bool) -> Answer {
    // What the call sees as an upper triangle lies in memory as the rows of a lower one.
    fn solve<R: substitution::Real + 'static>(at: Places, n: usize, lower: bool, unit: bool) {
        let triangle = Triangle { at: at.inputs[0].cast::<R>(), n, lower, unit };
        // SAFETY: both hold n elements, and the output is this call's alone.
        unsafe {
            std::ptr::copy_nonoverlapping(at.inputs[1].cast::<R>(), at.outputs[0].cast::<R>(), n);
            substitution::solve(&triangle, at.outputs[0].cast::<R>());
        }
    }
    let by_rows: fn(Places, usize, bool, bool) = match T::TYPE {
        DType::F32 => solve::<f32>,
        _ => solve::<f64>,
    };
    // SAFETY: the matrix has n rows of n elements.
    let diagonal = |i: usize| unsafe { *at.inputs[0].cast::<T>().add(i * n + i) };
    if !unit && (0..n).any(|i| diagonal(i) == T::default()) {
        return Err("is singular");
    }
    by_rows(at, n, upper, unit);
    Ok(())
}

/// The right-hand sides, `rows × cols`, copied to where the solution goes.
fn right_hand<'a, T: Plain>(at: Places, rows: usize, cols: usize) -> MatMut<'a, T> {
    let to = at.outputs[0].cast::<T>();
    // SAFETY: both hold so many elements.
    unsafe { std::ptr::copy_nonoverlapping(at.inputs[1].cast::<T>(), to, rows * cols) };
    matrix(at.outputs[0], rows, cols)
}

/// An output as a matrix in columns.
fn matrix<'a, T>(at: *mut u8, rows: usize, cols: usize) -> MatMut<'a, T> {
    // SAFETY: the callers name outputs by the sizes that the call gives them.
    unsafe { MatMut::from_raw_parts_mut(at.cast(), rows, cols, 1, rows as isize) }
}

/// An output as numbers one after another.
fn numbers<'a, T>(at: *mut u8, len: usize) -> &'a mut [T] {
    // SAFETY: as `matrix`.
    unsafe { std::slice::from_raw_parts_mut(at.cast(), len) }
}

/// Writes numbers one after another.
fn write<T>(at: *mut u8, values: impl Iterator<Item = T>) {
    for (k, value) in values.enumerate() {
        // SAFETY: the callers write as many numbers as the output holds.
        unsafe { at.cast::<T>().add(k).write(value) };
    }
}
