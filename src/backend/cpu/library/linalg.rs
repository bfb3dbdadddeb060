//! Linear algebra on the processor: faer.

use crate::backend::{Buffer, LibraryCall};
use crate::dtype::{Complex, DType, Element, Scalar, bf16, f16};
use crate::error::Result;
use crate::library::linalg::{Matmul, Matrix};
use faer::linalg::matmul::matmul as multiply;
use faer::traits::ComplexField;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;
use std::marker::PhantomData;

/// A product in fewer multiplications than this is done by one thread.
const ONE_THREAD: usize = 48 * 48 * 48;

/// Makes a product ready.
pub(super) fn matmul(call: &Matmul) -> Box<dyn LibraryCall> {
    match call.dtype {
        DType::F16 => Box::new(Halves::<f16>::new(call)),
        DType::BF16 => Box::new(Halves::<bf16>::new(call)),
        DType::F32 => Box::new(Product::<f32>::new(call)),
        DType::F64 => Box::new(Product::<f64>::new(call)),
        DType::C64 => Box::new(Product::<Complex<f32>>::new(call)),
        DType::C128 => Box::new(Product::<Complex<f64>>::new(call)),
        dtype => unreachable!("products of {dtype} are kernels"),
    }
}

/// A product in a type that faer has.
struct Product<T> {
    call: Matmul,
    element: PhantomData<T>,
}

/// A product of halves, computed in `f32` and rounded once.
struct Halves<T>(Product<f32>, PhantomData<T>);

/// Pointers that several threads may use, each at its own matrices.
#[derive(Clone, Copy)]
struct Shared<T>(*mut T);

// SAFETY: the threads of one call read the operands and write each its own part of the result.
unsafe impl<T> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Shared<T> {}

impl<T> Product<T> {
    fn new(call: &Matmul) -> Self {
        Product { call: call.clone(), element: PhantomData }
    }

    /// The places at which the matrices of position `k` of the batch begin.
    fn starts(&self, mut k: usize) -> [usize; 3] {
        let call = &self.call;
        let mut starts = [call.a.offset, call.b.offset, k * call.m * call.n];
        for (axis, &extent) in call.batch.iter().enumerate().rev() {
            starts[0] += k % extent * call.a.batch[axis];
            starts[1] += k % extent * call.b.batch[axis];
            k /= extent;
        }
        starts
    }
}

impl<T: ComplexField + Element> Product<T> {
    /// Runs over the batch: several matrices at once where there are many, else several threads
    /// on each matrix.
    fn all(&self, one: impl Fn([usize; 3], Par) + Sync) {
        let Matmul { m, n, k, .. } = self.call;
        let count: usize = self.call.batch.iter().product();
        let work = m.saturating_mul(n).saturating_mul(k);
        if work.saturating_mul(count) < ONE_THREAD {
            (0..count).for_each(|k| one(self.starts(k), Par::Seq));
        } else if count >= rayon::current_num_threads() && count > 1 {
            (0..count).into_par_iter().for_each(|k| one(self.starts(k), Par::Seq));
        } else {
            let par = if work < ONE_THREAD { Par::Seq } else { Par::rayon(0) };
            (0..count).for_each(|k| one(self.starts(k), par));
        }
    }

    /// Multiplies two matrices.
    ///
    /// # Safety
    /// The operands lie where the call says from their pointers, the product has room.
    unsafe fn one(&self, a: *const T, b: *const T, out: *mut T, par: Par) {
        let Matmul { m, n, k, .. } = self.call;
        // SAFETY: the caller vouches for the places.
        let (a, b, out) = unsafe {
            (
                operand(a, m, k, &self.call.a),
                operand(b, k, n, &self.call.b),
                MatMut::from_raw_parts_mut(out, m, n, n as isize, 1),
            )
        };
        multiply(out, Accum::Replace, a, b, T::one_impl(), par);
    }
}

/// A matrix where it lies.
///
/// # Safety
/// The matrix lies there for as long as the result is used.
unsafe fn operand<'a, T>(at: *const T, rows: usize, cols: usize, matrix: &Matrix) -> MatRef<'a, T> {
    // SAFETY: the caller vouches for the place.
    unsafe { MatRef::from_raw_parts(at, rows, cols, matrix.row as isize, matrix.col as isize) }
}

impl<T: ComplexField + Element> LibraryCall for Product<T> {
    fn run(&self, inputs: &[&Buffer], outputs: &[&Buffer], _scalars: &[Scalar]) -> Result<()> {
        let [a, b] = [inputs[0], inputs[1]].map(|b| Shared(b.address() as *mut T));
        let out = Shared(outputs[0].address() as *mut T);
        self.all(move |starts, par| {
            let (a, b, out) = ({ a }, { b }, { out });
            // SAFETY: the evaluation gives the buffers that the call describes, and each position
            // of the batch writes a matrix of its own.
            unsafe { self.one(a.0.add(starts[0]), b.0.add(starts[1]), out.0.add(starts[2]), par) }
        });
        Ok(())
    }

    fn describe(&self) -> String {
        "faer".to_owned()
    }
}

impl<T: Element + Into<f32>> Halves<T> {
    fn new(call: &Matmul) -> Self {
        Halves(Product::new(call), PhantomData)
    }
}

/// Halves as singles, and back.
trait Half: Element + Into<f32> {
    fn round(value: f32) -> Self;
}

impl Half for f16 {
    fn round(value: f32) -> Self {
        f16::from_f32(value)
    }
}

impl Half for bf16 {
    fn round(value: f32) -> Self {
        bf16::from_f32(value)
    }
}

impl<T: Half> LibraryCall for Halves<T> {
    fn run(&self, inputs: &[&Buffer], outputs: &[&Buffer], _scalars: &[Scalar]) -> Result<()> {
        // SAFETY: buffers hold whole elements of their type.
        let wide = |b: &Buffer| unsafe {
            let all = std::slice::from_raw_parts(b.address() as *const T, b.bytes() / 2);
            all.iter().map(|&x| x.into()).collect::<Vec<f32>>()
        };
        let (a, b) = (wide(inputs[0]), wide(inputs[1]));
        let mut out = vec![0.0f32; self.0.call.len()];
        let place = Shared(out.as_mut_ptr());
        self.0.all(|starts, par| {
            let place = { &place };
            // SAFETY: the copies are as long as the arrays, and each position of the batch writes
            // a matrix of its own.
            unsafe {
                let (a, b) = (a.as_ptr().add(starts[0]), b.as_ptr().add(starts[1]));
                self.0.one(a, b, place.0.add(starts[2]), par);
            }
        });
        // SAFETY: the output has room for the product.
        let to =
            unsafe { std::slice::from_raw_parts_mut(outputs[0].address() as *mut T, out.len()) };
        to.iter_mut().zip(out).for_each(|(to, x)| *to = T::round(x));
        Ok(())
    }

    fn describe(&self) -> String {
        "faer, in float32".to_owned()
    }
}
