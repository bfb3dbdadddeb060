//! Counting into bins on the processor: each piece of the elements into bins of its own, which are
//! added up in the order of the pieces, so that sums are the same on every run.

use crate::backend::cpu::room::filled_or_raise;
use crate::backend::{Buffer, LibraryCall, pool};
use crate::dtype::{DType, Plain, Scalar};
use crate::error::Result;
use crate::library::count::Count;
use rayon::prelude::*;
use std::ops::AddAssign;

/// The elements of a piece, at least.
const PIECE: usize = 1 << 16;
/// The most pieces.
const PIECES: usize = 64;
/// The most bins of all pieces together.
const BINS: usize = 1 << 22;

/// Makes a count ready.
pub(super) fn count(call: &Count) -> Box<dyn LibraryCall> {
    Box::new(Counter(call.clone()))
}

struct Counter(Count);

impl LibraryCall for Counter {
    fn run(&self, inputs: &[&Buffer], outputs: &[&Buffer], _scalars: &[Scalar]) -> Result<()> {
        match self.0.index {
            DType::I32 => self.run_with(inputs, outputs, |at: i32| at as usize),
            _ => self.run_with(inputs, outputs, |at: i64| at as usize),
        }
        Ok(())
    }

    fn describe(&self) -> String {
        format!("{} elements into {} bins", self.0.len, self.0.bins)
    }
}

impl Counter {
    fn run_with<I: Plain>(
        &self,
        inputs: &[&Buffer],
        outputs: &[&Buffer],
        bin: impl Fn(I) -> usize + Sync,
    ) {
        // SAFETY: the plan gives buffers of as many elements as the call says, of its types.
        let at: &[I] = unsafe { slice(inputs[0], self.0.len) };
        if self.0.weighted {
            // SAFETY: as above.
            let weights: &[f64] = unsafe { slice(inputs[1], self.0.len) };
            // SAFETY: as above; nobody else uses the output.
            let sums = unsafe { slice_mut::<f64>(outputs[0], self.0.bins) };
            return self.add(at, sums, &bin, &|k| weights[k]);
        }
        // SAFETY: as above; nobody else uses the output.
        self.add(at, unsafe { slice_mut::<i64>(outputs[0], self.0.bins) }, &bin, &|_| 1);
    }

    /// Adds up what stands beside each element in the element's bin.
    fn add<I: Plain, S: Plain + AddAssign>(
        &self,
        at: &[I],
        sums: &mut [S],
        bin: &(impl Fn(I) -> usize + Sync),
        beside: &(impl Fn(usize) -> S + Sync),
    ) {
        let most = (BINS / self.0.bins).clamp(1, PIECES);
        let piece = at.len().div_ceil(most).max(PIECE);
        let one = |(k, at): (usize, &[I])| {
            let mut own = filled_or_raise("count", sums.len(), S::default());
            for (j, &i) in at.iter().enumerate() {
                // A negative number is a large one here.
                if let Some(sum) = own.get_mut(bin(i)) {
                    *sum += beside(k * piece + j);
                }
            }
            own
        };
        let pieces: Vec<Vec<S>> = match at.len() <= piece {
            true => vec![one((0, at))],
            false => pool::inside(|| at.par_chunks(piece).enumerate().map(one).collect()),
        };
        sums.fill(S::default());
        for own in pieces {
            sums.iter_mut().zip(own).for_each(|(sum, part)| *sum += part);
        }
    }
}

/// # Safety
/// The buffer holds `len` elements of the type, and nobody writes to it meanwhile.
unsafe fn slice<T: Plain>(buffer: &Buffer, len: usize) -> &[T] {
    assert!(buffer.bytes() >= len * size_of::<T>(), "a count stays inside its buffers");
    // SAFETY: the caller keeps the contract.
    unsafe { std::slice::from_raw_parts(buffer.address() as *const T, len) }
}

/// # Safety
/// As [`slice`], and nobody else uses the buffer meanwhile.
#[allow(clippy::mut_from_ref)] // Buffers are handles to memory that calls write to.
unsafe fn slice_mut<T: Plain>(buffer: &Buffer, len: usize) -> &mut [T] {
    assert!(buffer.bytes() >= len * size_of::<T>(), "a count stays inside its buffers");
    // SAFETY: the caller keeps the contract.
    unsafe { std::slice::from_raw_parts_mut(buffer.address() as *mut T, len) }
}
