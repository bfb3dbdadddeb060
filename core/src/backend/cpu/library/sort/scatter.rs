//! Values put to the places that indices name.

use super::shared::Shared;
use crate::backend::cpu::room::room;
use crate::backend::pool;
use crate::caught::raise;
use crate::dtype::{Complex, Plain, bf16, f16, with_dtype};
use crate::error::Result;
use crate::library::sort::{Check, Combine, Scatter};
use rayon::prelude::*;

/// Fewer values are moved by one thread.
const ALONE: usize = 1 << 14;

/// Copies indices that lie within the axis, counted from its beginning.
///
/// # Errors
/// Where one does not.
pub(super) fn check(call: &Check, indices: &[i64], out: &mut [i64]) -> Result<()> {
    inside(indices, call.len).map_err(|at| call.out_of_range(indices[at], at))?;
    let len = call.len as i64;
    let write = |(out, indices): (&mut [i64], &[i64])| {
        out.iter_mut().zip(indices).for_each(|(out, &k)| *out = if k < 0 { k + len } else { k });
    };
    if indices.len() <= ALONE {
        write((out, indices));
    } else {
        pool::inside(|| out.par_chunks_mut(ALONE).zip(indices.par_chunks(ALONE)).for_each(write));
    }
    Ok(())
}

/// Whether all indices lie within an axis; else where the first stands that does not.
fn inside(indices: &[i64], len: usize) -> Result<(), usize> {
    let len = len as i64;
    let outside = |&k: &i64| k < -len || k >= len;
    // Whole chunks, of which the compiler makes vectors.
    let any = |chunk: &[i64]| chunk.iter().fold(false, |any, k| any | outside(k));
    let any_is = match indices.len() <= ALONE {
        true => any(indices),
        false => pool::inside(|| indices.par_chunks(ALONE).any(any)),
    };
    match any_is {
        true => indices.iter().position(outside).map_or(Ok(()), Err),
        false => Ok(()),
    }
}

/// Combines the values with the base, which `out` holds already.
///
/// # Errors
/// Where an index is out of range; nothing has been written then.
///
/// # Safety
/// `values` and `out` hold as many elements as the call says.
pub(super) unsafe fn scatter(
    call: &Scatter,
    indices: &[i64],
    values: *const u8,
    out: *mut u8,
) -> Result<()> {
    inside(indices, call.len).map_err(|at| call.out_of_range(indices[at], at))?;
    with_dtype!(call.dtype, T => {
        let (values, out) = (Shared(values.cast_mut().cast::<T>()), Shared(out.cast::<T>()));
        // SAFETY: the caller's promise.
        unsafe { T::scatter(call, indices, values, out) }
    });
    Ok(())
}

/// Each thread looks at all indices and moves those values whose places are in its part, so that
/// the values of a place are combined in their order, whatever the threads.
///
/// # Safety
/// As [`scatter`], and all indices lie within the axis.
unsafe fn apply<T: Copy, A: Copy>(
    call: &Scatter,
    indices: &[i64],
    values: Shared<T>,
    out: Shared<A>,
    f: impl Fn(A, T) -> A + Sync,
) where
    Shared<T>: Sync,
    Shared<A>: Sync,
{
    let block = call.len * call.inner;
    let total = call.outer * block;
    let threads = if call.values() < ALONE { 1 } else { pool::threads() };
    let size = total.div_ceil(threads).max(1);
    pool::each(threads, |thread| {
        let part = (thread * size).min(total)..((thread + 1) * size).min(total);
        if part.is_empty() {
            return;
        }
        for o in part.start / block..part.end.div_ceil(block) {
            for j in 0..call.count {
                for i in 0..call.inner {
                    let from = (o * call.count + j) * call.inner + i;
                    let index = indices[if call.shared { j } else { from }];
                    let index = if index < 0 { index + call.len as i64 } else { index } as usize;
                    let to = (o * call.len + index) * call.inner + i;
                    if part.contains(&to) {
                        // SAFETY: the place is in this thread's part, and the value is there.
                        unsafe {
                            let place = out.at(to);
                            place.write(f(place.read(), values.at(from).read()));
                        }
                    }
                }
            }
        }
    });
}

/// An element that values come to.
trait Place: Plain {
    /// How two values make one.
    fn rule(combine: Combine) -> fn(Self, Self) -> Self;

    /// Combines the values with what is there.
    ///
    /// # Safety
    /// As [`apply`].
    unsafe fn scatter(call: &Scatter, indices: &[i64], values: Shared<Self>, out: Shared<Self>) {
        let rule = Self::rule(call.combine);
        // SAFETY: the caller's promise.
        unsafe { apply(call, indices, values, out, rule) }
    }
}

macro_rules! places {
    ($($t:ty: $add:expr, $multiply:expr, $least:expr, $most:expr;)*) => {$(
        impl Place for $t {
            fn rule(combine: Combine) -> fn(Self, Self) -> Self {
                match combine {
                    Combine::Put => |_, b| b,
                    Combine::Add => $add,
                    Combine::Multiply => $multiply,
                    Combine::Min => $least,
                    Combine::Max => $most,
                }
            }
        }
    )*};
    (integers: $($t:ident)*) => {
        places! { $($t: $t::wrapping_add, $t::wrapping_mul, Ord::min, Ord::max;)* }
    };
}
places! { integers: i8 i16 i32 i64 u8 u16 u32 u64 }
places! {
    bool: |a, b| a | b, |a, b| a & b, |a, b| a & b, |a, b| a | b;
    f32: |a, b| a + b, |a, b| a * b, least, most;
    f64: |a, b| a + b, |a, b| a * b, least, most;
    // The smallest and the largest complex number: by the real part, then by the imaginary one.
    Complex<f32>: |a, b| a + b, |a, b| a * b,
        |a, b| if before(b, a) { b } else { a }, |a, b| if before(a, b) { b } else { a };
    Complex<f64>: |a, b| a + b, |a, b| a * b,
        |a, b| if before(b, a) { b } else { a }, |a, b| if before(a, b) { b } else { a };
}

/// The smaller of two; NaN wins.
fn least<T: PartialOrd>(a: T, b: T) -> T {
    #[allow(clippy::eq_op)] // Only NaN differs from itself.
    if b < a || b != b { b } else { a }
}

/// The larger of two; NaN wins.
fn most<T: PartialOrd>(a: T, b: T) -> T {
    #[allow(clippy::eq_op)] // Only NaN differs from itself.
    if b > a || b != b { b } else { a }
}

fn before<T: PartialOrd>(a: Complex<T>, b: Complex<T>) -> bool {
    (a.re, a.im) < (b.re, b.im)
}

/// Halves are combined in `f32` and rounded once.
macro_rules! halves {
    ($($t:ty)*) => {$(
        impl Place for $t {
            fn rule(combine: Combine) -> fn(Self, Self) -> Self {
                match combine {
                    Combine::Put => |_, b| b,
                    Combine::Add => |a, b| a + b,
                    Combine::Multiply => |a, b| a * b,
                    Combine::Min => least,
                    Combine::Max => most,
                }
            }

            unsafe fn scatter(
                call: &Scatter,
                indices: &[i64],
                values: Shared<Self>,
                out: Shared<Self>,
            ) {
                if !matches!(call.combine, Combine::Add | Combine::Multiply) {
                    // SAFETY: the caller's promise.
                    return unsafe { apply(call, indices, values, out, Self::rule(call.combine)) };
                }
                let total = call.outer * call.len * call.inner;
                let mut wide: Vec<f32> = room(call.name, total).unwrap_or_else(|full| raise(full));
                // SAFETY: `out` holds the base.
                wide.extend((0..total).map(|k| unsafe { out.at(k).read() }.to_f32()));
                let rule = f32::rule(call.combine);
                let to = Shared(wide.as_mut_ptr());
                // SAFETY: the caller's promise; `wide` is as long as `out`.
                unsafe { apply(call, indices, values, to, |a, b: Self| rule(a, b.to_f32())) };
                for (k, &x) in wide.iter().enumerate() {
                    // SAFETY: as above.
                    unsafe { out.at(k).write(<$t>::from_f32(x)) };
                }
            }
        }
    )*};
}
halves! { f16 bf16 }
