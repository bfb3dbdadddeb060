//! Loops over a tile: one function for each operation, type and instruction set.
//!
//! Bodies work on arrays of [`LANES`] elements, which the compiler turns into vector code; loops
//! over slices through pointers that may overlap would defeat it. An operand that is the same
//! for the whole tile is an array filled once and read again and again.

use super::apply::{Apply, class_types, op};
use super::level::{Level, levels};
use crate::dtype::DType;
use crate::math::lane::Lane;
use crate::ops::table::{Op, for_each_op};
use num_complex::Complex;
use std::mem::MaybeUninit;

/// The elements of one step of a loop.
pub(crate) const LANES: usize = 16;

/// An operand: one element for each lane, or one for all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arg {
    /// The first element.
    pub ptr: *const u8,
    /// Whether there is one element for each lane.
    pub vector: bool,
}

/// A loop: writes `n` results to `dst`, which may be one of the operands.
///
/// # Safety
/// Each operand points to `n` elements of its type, or to one, and `dst` to room for `n`; `dst`
/// is disjoint from every operand or the same.
pub(crate) type OpFn = unsafe fn(dst: *mut u8, args: &[Arg; 3], n: usize);

/// Reads an operand [`LANES`] elements at a time.
struct Stream<T> {
    next: *const T,
    step: usize,
}

impl<T: Copy> Stream<T> {
    /// # Safety
    /// As [`OpFn`] says, for one operand; `filled` outlives the stream.
    #[inline(always)]
    unsafe fn new(arg: Arg, filled: &mut MaybeUninit<[T; LANES]>) -> Self {
        if size_of::<T>() == 0 {
            return Stream { next: std::ptr::NonNull::dangling().as_ptr(), step: 0 };
        }
        if arg.vector {
            return Stream { next: arg.ptr.cast(), step: LANES };
        }
        // SAFETY: the operand is one element.
        Stream {
            next: filled.write([unsafe { arg.ptr.cast::<T>().read() }; LANES]).as_ptr(),
            step: 0,
        }
    }

    /// The next elements; the last of them repeat where fewer than [`LANES`] are left.
    ///
    /// # Safety
    /// The operand has at least `count` elements left.
    #[inline(always)]
    unsafe fn take(&mut self, count: usize) -> [T; LANES] {
        let at = self.next;
        self.next = self.next.wrapping_add(self.step);
        // SAFETY: all lanes exist, or only the first `count` are read.
        unsafe {
            if count == LANES || self.step == 0 {
                return at.cast::<[T; LANES]>().read();
            }
            let mut lanes = [at.read(); LANES];
            std::ptr::copy_nonoverlapping(at, lanes.as_mut_ptr(), count);
            lanes
        }
    }
}

#[inline(always)]
unsafe fn run<O: Apply<T>, T>(dst: *mut u8, args: &[Arg; 3], n: usize) {
    let mut fills = (MaybeUninit::uninit(), MaybeUninit::uninit(), MaybeUninit::uninit());
    // SAFETY: the caller keeps the contract of OpFn; each step takes as many elements as are left.
    unsafe {
        let mut a = Stream::<O::A>::new(args[0], &mut fills.0);
        let mut b = Stream::<O::B>::new(args[1], &mut fills.1);
        let mut c = Stream::<O::C>::new(args[2], &mut fills.2);
        let mut to = dst.cast::<O::R>();
        let mut left = n;
        while left > 0 {
            let count = left.min(LANES);
            let (x, y, z) = (a.take(count), b.take(count), c.take(count));
            let result = lanes::<O, T>(&x, &y, &z);
            if count == LANES {
                to.cast::<[O::R; LANES]>().write(result);
            } else {
                std::ptr::copy_nonoverlapping(result.as_ptr(), to, count);
            }
            to = to.wrapping_add(count);
            left -= count;
        }
    }
}

/// One step: the fast values, and the right ones where a lane is rare.
#[inline(always)]
fn lanes<O: Apply<T>, T>(x: &[O::A; LANES], y: &[O::B; LANES], z: &[O::C; LANES]) -> [O::R; LANES] {
    let mut result = MaybeUninit::<[O::R; LANES]>::uninit();
    let out = result.as_mut_ptr().cast::<O::R>();
    let mut rare = false;
    for k in 0..LANES {
        let value = O::apply(x[k], y[k], z[k]);
        rare |= value.is_rare();
        // SAFETY: `k` is inside the array.
        unsafe { out.add(k).write(value.fast()) };
    }
    if rare {
        for k in 0..LANES {
            let value = O::apply(x[k], y[k], z[k]);
            if value.is_rare() {
                // SAFETY: `k` is inside the array.
                unsafe { out.add(k).write(value.value()) };
            }
        }
    }
    // SAFETY: every element was written.
    unsafe { result.assume_init() }
}

levels! {
    /// The loop of an operation.
    op_loop[O: Apply<T>, T](dst: *mut u8, args: &[Arg; 3], n: usize) = run::<O, T>;
}

macro_rules! find {
    ($($(#[$meta:meta])* $variant:ident $name:ident $kind:ident $class:ident => $gives:ident,
        cuda $cuda:literal, rust |$($arg:ident),*| $rust:expr, test $low:literal .. $high:literal;)*) => {
        /// The loop of an operation on a compute type, for an instruction set.
        pub(crate) fn op_fn(op: Op, dtype: DType, level: Level) -> Option<OpFn> {
            match op {
                $(Op::$variant => class_types!($class, dtype, T => op_loop::<op::$variant, T>(level)),)*
            }
        }
    };
}
for_each_op!(find);
