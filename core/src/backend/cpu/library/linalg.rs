//! Linear algebra on the processor: faer.
//!
//! Products go to faer in blocks of one thread each ([`BLOCKS_A_THREAD`]), those of real matrices and
//! vectors to loops of our own (`matvec.rs`).

use super::matvec::OfVector;
use super::row_products::Multiplied;
use crate::backend::cpu::room::{check_packing, filled, room};
use crate::backend::{Buffer, LibraryCall, pool};
use crate::caught::raise;
use crate::dtype::{Complex, DType, Plain, Scalar, bf16, f16};
use crate::error::Result;
use crate::library::linalg::{Matmul, Matrix};
use lazuli_libraries::linalg::{Element, MatMut, MatRef};
use std::marker::PhantomData;
use std::ops::Range;

/// A product in fewer multiplications than this is done by one thread.
const ONE_THREAD: usize = 48 * 48 * 48;
/// The same of a matrix and a vector: waking another thread takes as long as reading so much (600 by
/// 500 `f64` 0.05 ms by one thread).
const ONE_THREAD_VECTOR: usize = 1 << 19;
/// Products of fewer multiplications than this pack nothing.
const UNPACKED: usize = 16 * 16 * 16;
/// The least multiplications of a block.
const BLOCK: usize = 2 * 64 * 64 * 64;
/// The same where a matrix is multiplied by a vector, which takes as long as reading it.
const VECTOR_BLOCK: usize = 1 << 15;
/// The blocks for each thread. faer's own threads share what one of them has packed and wait for
/// each other; blocks of one thread each take 3 to 7% less time for 1600 by 1600 on two threads,
/// and half of it for 512 by 512 on 16.
const BLOCKS_A_THREAD: usize = 4;
/// The same where a matrix is multiplied by a vector: blocks are columns of rows that are read one
/// after another, and the wider they are the better memory gives them.
const VECTOR_BLOCKS_A_THREAD: usize = 2;
/// The least rows of a block of a product of a matrix with its own transpose.
const TRIANGLE_BLOCK: usize = 64;
/// The least blocks along a side of such a product: of so many 21 of 36 are computed.
const TRIANGLE_SIDE: usize = 6;

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
        Product { call: call.folded(), element: PhantomData }
    }

    /// Ends the launch where this thread has no memory to pack operands into.
    fn check_packing(&self) {
        let Matmul { m, n, k, .. } = self.call;
        if m.saturating_mul(n).saturating_mul(k) > UNPACKED {
            check_packing("matmul", small_product).unwrap_or_else(|full| raise(full));
        }
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

impl<T: Element + Plain> Product<T> {
    /// Whether the second operand, which begins at the same place as the first, is its transpose, and
    /// the product large enough to compute one half of it alone.
    fn is_symmetric(&self) -> bool {
        let Matmul { m, n, k, ref a, ref b, .. } = self.call;
        let transposed = (a.row, a.col, a.offset) == (b.col, b.row, b.offset) && a.batch == b.batch;
        m == n && transposed && m >= 2 * TRIANGLE_BLOCK && m.saturating_mul(n * k) >= ONE_THREAD
    }

    /// Runs `one` for each block of each matrix of the batch, with where the matrices begin. Of a
    /// product that is `symmetric` the blocks above the diagonal are left out.
    fn all(&self, symmetric: bool, one: impl Fn([usize; 3], Block) + Sync) {
        let Matmul { m, n, k, .. } = self.call;
        let count: usize = self.call.batch.iter().product();
        if symmetric {
            let blocks = Block::triangle(m, BLOCKS_A_THREAD * pool::threads());
            return pool::each(count * blocks.len(), |at| {
                one(self.starts(at / blocks.len()), blocks[at % blocks.len()].clone());
            });
        }
        let work = m.saturating_mul(n).saturating_mul(k);
        let whole = Block { rows: 0..m, cols: 0..n };
        let is_vector = m == 1 || n == 1;
        let alone = if is_vector { ONE_THREAD_VECTOR } else { ONE_THREAD };
        if work.saturating_mul(count) < alone {
            return (0..count).for_each(|k| one(self.starts(k), whole.clone()));
        }
        let each = if is_vector { VECTOR_BLOCKS_A_THREAD } else { BLOCKS_A_THREAD };
        let wanted = (each * pool::threads()).div_ceil(count);
        // A number that can be cut both ways.
        let block = if is_vector { VECTOR_BLOCK } else { BLOCK };
        let most = 1 << (work / block).max(1).ilog2();
        let blocks = Block::grid(m, n, wanted.next_power_of_two().min(most));
        if blocks.len() == 1 {
            return pool::each(count, |k| one(self.starts(k), whole.clone()));
        }
        pool::each(count * blocks.len(), |at| {
            one(self.starts(at / blocks.len()), blocks[at % blocks.len()].clone());
        });
    }

    /// Computes a block of the product of two matrices.
    ///
    /// # Safety
    /// The operands lie where the call says from their pointers, the product has room.
    unsafe fn one(&self, a: *const T, b: *const T, out: *mut T, block: Block) {
        let Matmul { n, k, .. } = self.call;
        // SAFETY: the caller vouches for the places, and these are the elements' types.
        let is_done = unsafe {
            match T::TYPE {
                DType::F32 => self.of_vector::<f32>(a.cast(), b.cast(), out.cast(), &block),
                DType::F64 => self.of_vector::<f64>(a.cast(), b.cast(), out.cast(), &block),
                _ => false,
            }
        };
        if is_done {
            return;
        }
        let Block { rows, cols } = block;
        // SAFETY: the caller vouches for the places, and the block lies within the matrices.
        let (a, b, out) = unsafe {
            let first = a.add(rows.start * self.call.a.row);
            let second = b.add(cols.start * self.call.b.col);
            let to = out.add(rows.start * n + cols.start);
            (
                operand(first, rows.len(), k, &self.call.a),
                operand(second, k, cols.len(), &self.call.b),
                MatMut::from_raw_parts_mut(to, rows.len(), cols.len(), n as isize, 1),
            )
        };
        T::multiply(out, a, b);
    }

    /// Computes a block of a product with a vector, unless faer is to.
    ///
    /// # Safety
    /// As [`one`](Self::one), with elements of type `R`.
    unsafe fn of_vector<R: Multiplied>(
        &self,
        a: *const R,
        b: *const R,
        out: *mut R,
        block: &Block,
    ) -> bool {
        let Some(product) = OfVector::<R>::new(&self.call, a, b, out) else { return false };
        let results = if self.call.m == 1 { &block.cols } else { &block.rows };
        // SAFETY: the caller vouches for the places.
        unsafe { product.compute(results.clone()) };
        true
    }

    /// Computes a product with a vector by parts of its terms, unless it is better computed by blocks.
    ///
    /// # Safety
    /// As [`one`](Self::one) with elements of type `R`, for a batch of one.
    unsafe fn by_parts<R: Multiplied>(
        &self,
        a: *const R,
        b: *const R,
        out: *mut R,
    ) -> Result<bool> {
        let Matmul { m, n, k, ref batch, .. } = self.call;
        let work = m.saturating_mul(n).saturating_mul(k);
        let is_vector = m == 1 || n == 1;
        if !is_vector || work < ONE_THREAD_VECTOR || batch.iter().any(|&extent| extent != 1) {
            return Ok(false);
        }
        let [first, second, _] = self.starts(0);
        // SAFETY: the caller vouches for the places.
        let (a, b) = unsafe { (a.add(first), b.add(second)) };
        let Some(product) = OfVector::new(&self.call, a, b, out) else { return Ok(false) };
        let most = (VECTOR_BLOCKS_A_THREAD * pool::threads()).min(work / VECTOR_BLOCK);
        // SAFETY: the caller vouches for the places.
        unsafe { product.by_parts(most) }
    }

    /// Copies a block below the diagonal of a symmetric product to its place above.
    ///
    /// # Safety
    /// The product has room and the block was computed; no other thread works on either.
    unsafe fn mirror(&self, out: *mut T, Block { rows, cols }: Block) {
        let n = self.call.n;
        for i in rows {
            for j in cols.clone() {
                // SAFETY: the caller vouches for both places.
                unsafe { out.add(j * n + i).write(*out.add(i * n + j)) };
            }
        }
    }
}

/// A part of a product.
#[derive(Clone, Debug, PartialEq)]
struct Block {
    rows: Range<usize>,
    cols: Range<usize>,
}

impl Block {
    /// Cuts the half of a symmetric product on and below its diagonal into square blocks, about as
    /// many or more.
    fn triangle(n: usize, parts: usize) -> Vec<Block> {
        let enough = (1..).find(|side| side * (side + 1) / 2 >= parts).expect("numbers go on");
        let most = n.div_ceil(TRIANGLE_BLOCK);
        let step = n.div_ceil(enough.max(TRIANGLE_SIDE).min(most)).next_multiple_of(16);
        let range = |at: usize| at..(at + step).min(n);
        let row =
            |i: usize| (0..=i).step_by(step).map(move |j| Block { rows: range(i), cols: range(j) });
        (0..n).step_by(step).flat_map(row).collect()
    }

    /// Cuts a product into about as many blocks, as square as they can be.
    fn grid(m: usize, n: usize, parts: usize) -> Vec<Block> {
        // Kernels compute tiles of so many elements.
        let cut = |extent: usize, by: usize| extent.div_ceil(by).next_multiple_of(16);
        let ways = (1..=parts).filter(|by| parts.is_multiple_of(*by));
        let sizes = ways.map(|by| (cut(m, by), cut(n, parts / by)));
        let (height, width) = sizes.min_by_key(|(h, w)| h + w).expect("one part is a way");
        let ranges = |extent: usize, step: usize| {
            (0..extent).step_by(step).map(move |at| at..(at + step).min(extent))
        };
        let row = |rows: Range<usize>| {
            ranges(n, width).map(move |cols| Block { rows: rows.clone(), cols })
        };
        ranges(m, height).flat_map(row).collect()
    }
}

/// A product that is just large enough to pack its operands.
fn small_product() {
    let (a, mut out) = ([1.0; 32 * 32], [0.0; 32 * 32]);
    let a = MatRef::from_row_major_slice(&a, 32, 32);
    f64::multiply(MatMut::from_row_major_slice_mut(&mut out, 32, 32), a, a);
}

/// A matrix where it lies.
///
/// # Safety
/// The matrix lies there for as long as the result is used.
unsafe fn operand<'a, T>(at: *const T, rows: usize, cols: usize, matrix: &Matrix) -> MatRef<'a, T> {
    // SAFETY: the caller vouches for the place.
    unsafe { MatRef::from_raw_parts(at, rows, cols, matrix.row as isize, matrix.col as isize) }
}

impl<T: Element + Plain> LibraryCall for Product<T> {
    fn run(&self, inputs: &[&Buffer], outputs: &[&Buffer], _scalars: &[Scalar]) -> Result<()> {
        let [a, b] = [inputs[0], inputs[1]].map(|b| Shared(b.address() as *mut T));
        let out = Shared(outputs[0].address() as *mut T);
        let symmetric = a.0 == b.0 && self.is_symmetric();
        // SAFETY: the evaluation gives the buffers that the call describes, and these are their types.
        let is_done = unsafe {
            match T::TYPE {
                DType::F32 => self.by_parts::<f32>(a.0.cast(), b.0.cast(), out.0.cast())?,
                DType::F64 => self.by_parts::<f64>(a.0.cast(), b.0.cast(), out.0.cast())?,
                _ => false,
            }
        };
        if is_done {
            return Ok(());
        }
        self.all(symmetric, move |starts, block| {
            let (a, b, out) = ({ a }, { b }, { out });
            self.check_packing();
            let below = symmetric && block.rows.start != block.cols.start;
            // SAFETY: the evaluation gives the buffers that the call describes, and each position
            // of the batch, and each block with what mirrors it, writes elements of its own.
            unsafe {
                let out = out.0.add(starts[2]);
                self.one(a.0.add(starts[0]), b.0.add(starts[1]), out, block.clone());
                if below {
                    self.mirror(out, block);
                }
            }
        });
        Ok(())
    }

    fn describe(&self) -> String {
        "faer".to_owned()
    }
}

impl<T: Half> Halves<T> {
    fn new(call: &Matmul) -> Self {
        Halves(Product::new(call), PhantomData)
    }

    /// Copies the part of an array that a product reads, which may be one matrix of many.
    fn widened(array: &Buffer, places: Range<usize>) -> Result<Vec<f32>> {
        // SAFETY: buffers hold whole elements of their type.
        let all = unsafe {
            std::slice::from_raw_parts(array.address() as *const T, array.bytes() / size_of::<T>())
        };
        let mut wide = room::<f32>("matmul", places.len())?;
        wide.extend(all[places].iter().map(|&x| x.into()));
        Ok(wide)
    }
}

/// Halves as singles, and back.
trait Half: Plain + Into<f32> {
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
        let Matmul { m, n, k, ref batch, ref a, ref b, .. } = self.0.call;
        let places = [a.reach(m, k, batch), b.reach(k, n, batch)];
        let begin = [places[0].start, places[1].start];
        let [a, b] = [0, 1].map(|at| Self::widened(inputs[at], places[at].clone()));
        let (a, b) = (a?, b?);
        let mut out = filled("matmul", self.0.call.len(), 0.0f32)?;
        let place = Shared(out.as_mut_ptr());
        self.0.all(false, |starts, block| {
            let place = { &place };
            self.0.check_packing();
            // SAFETY: the copies hold what the product reads of the arrays, and each block of each
            // position of the batch writes elements of its own.
            unsafe {
                let a = a.as_ptr().add(starts[0] - begin[0]);
                let b = b.as_ptr().add(starts[1] - begin[1]);
                self.0.one(a, b, place.0.add(starts[2]), block);
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

#[cfg(test)]
mod tests {
    use super::Block;

    #[test]
    fn blocks_cover_a_product_once() {
        let extents = [1, 15, 16, 17, 100, 333, 1600];
        for (m, n) in extents.into_iter().flat_map(|m| extents.map(|n| (m, n))) {
            for parts in [1, 2, 3, 8, 64, 96] {
                let blocks = Block::grid(m, n, parts);
                assert!(blocks.len() <= parts, "{m} by {n} in {parts}: {blocks:?}");
                let mut seen = vec![0; m * n];
                for Block { rows, cols } in blocks {
                    assert!(!rows.is_empty() && !cols.is_empty());
                    rows.for_each(|i| cols.clone().for_each(|j| seen[i * n + j] += 1));
                }
                assert!(seen.iter().all(|&times| times == 1), "{m} by {n} in {parts}");
            }
        }
    }

    #[test]
    fn triangles_and_their_mirrors_cover_a_product_once() {
        for n in [128, 129, 200, 333, 600, 1600] {
            for parts in [1, 2, 8, 64] {
                let mut seen = vec![0; n * n];
                for Block { rows, cols } in Block::triangle(n, parts) {
                    let mirrored = rows != cols;
                    for (i, j) in rows.flat_map(|i| cols.clone().map(move |j| (i, j))) {
                        seen[i * n + j] += 1;
                        seen[j * n + i] += usize::from(mirrored);
                    }
                }
                assert!(seen.iter().all(|&times| times == 1), "{n} in {parts}");
            }
        }
    }

    #[test]
    fn blocks_are_as_square_as_they_can_be() {
        let size = |m, n, parts| {
            let first = Block::grid(m, n, parts).swap_remove(0);
            (first.rows.len(), first.cols.len())
        };
        assert_eq!(size(1600, 1600, 8), (800, 400));
        assert_eq!(size(4000, 200, 8), (512, 200));
        assert_eq!(size(200, 4000, 8), (200, 512));
        assert_eq!(size(1, 4000, 8), (1, 512));
    }
}
