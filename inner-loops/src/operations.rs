//! Loops over a tile: one function for each operation, type and instruction set.
//!
//! Bodies work on arrays of [`LANES`] elements, which the compiler turns into vector code; loops
//! over slices through pointers that may overlap would defeat it. An operand that is the same
//! for the whole tile is an array filled once and read again and again.

use crate::ahead::ask_for;
use crate::apply::{Apply, InHalf, MulAddOfHalves, class_types, op};
use crate::dtype::DType;
use crate::level::{Level, levels};
use crate::math::lane::Lane;
use crate::table::{Op, for_each_op};
use half::{bf16, f16};
use num_complex::Complex;
use std::mem::MaybeUninit;

/// The elements of one step of a loop.
pub const LANES: usize = 16;

/// An operand: one element for each lane, or one for all.
#[derive(Clone, Copy, Debug)]
pub struct Arg {
    /// The first element.
    pub ptr: *const u8,
    /// Whether there is one element for each lane.
    pub vector: bool,
    /// Whether the elements lie in an array, so that those behind them are likely to be next.
    pub far: bool,
}

impl Arg {
    /// Elements that the caches hold, or one.
    pub const fn near(ptr: *const u8, vector: bool) -> Arg {
        Arg { ptr, vector, far: false }
    }

    /// What lies so many bytes further on; the one element, where there is one.
    pub fn after(self, bytes: usize) -> Arg {
        match self.vector {
            true => Arg { ptr: self.ptr.wrapping_add(bytes), ..self },
            false => self,
        }
    }
}

/// A loop: writes `n` results to `dst`, which may be one of the operands.
///
/// # Safety
/// Each operand points to `n` elements of its type, or to one, and `dst` to room for `n`; `dst`
/// is disjoint from every operand or the same.
pub type OpFn = unsafe fn(dst: *mut u8, args: &[Arg; 3], n: usize);

/// Reads an operand [`LANES`] elements at a time.
struct Stream<T> {
    next: *const T,
    step: usize,
    far: bool,
}

impl<T: Copy> Stream<T> {
    /// # Safety
    /// As [`OpFn`] says, for one operand; `filled` outlives the stream.
    #[inline(always)]
    unsafe fn new(arg: Arg, filled: &mut MaybeUninit<[T; LANES]>) -> Self {
        if size_of::<T>() == 0 {
            return Stream { next: std::ptr::NonNull::dangling().as_ptr(), step: 0, far: false };
        }
        if arg.vector {
            return Stream { next: arg.ptr.cast(), step: LANES, far: arg.far };
        }
        // SAFETY: the operand is one element, as it is no vector.
        let element = unsafe { arg.ptr.cast::<T>().read() };
        Stream { next: filled.write([element; LANES]).as_ptr(), step: 0, far: false }
    }

    /// Before the last, incomplete step: lets the stream read the `count` elements that are left
    /// from a copy with room for all lanes, where the first of them fills the room.
    ///
    /// # Safety
    /// The operand has `count` elements left, at least one; `filled` outlives the stream.
    #[inline(always)]
    unsafe fn pad(&mut self, count: usize, filled: &mut MaybeUninit<[T; LANES]>) {
        if self.step == 0 {
            return;
        }
        // SAFETY: the elements exist, and fewer than LANES are copied.
        unsafe {
            let lanes = filled.write([self.next.read(); LANES]);
            std::ptr::copy_nonoverlapping(self.next, lanes.as_mut_ptr(), count);
        }
        self.next = filled.as_ptr().cast();
    }

    /// Asks for what comes behind the next step.
    #[inline(always)]
    fn ask(&self) {
        if self.far {
            ask_for::<[T; LANES]>(self.next.cast());
        }
    }

    /// Where the elements of the next step are: [`LANES`] of them, if there were so many or the
    /// stream was padded.
    #[inline(always)]
    fn take(&mut self) -> *const [T; LANES] {
        let at = self.next;
        self.next = at.wrapping_add(self.step);
        at.cast()
    }
}

/// The last step reads and writes through buffers: one copy of a fixed length in each step is a
/// few vector moves, one of a variable length a call.
#[inline(always)]
unsafe fn run<O: Apply<T>, T>(dst: *mut u8, args: &[Arg; 3], n: usize) {
    let mut fills = (MaybeUninit::uninit(), MaybeUninit::uninit(), MaybeUninit::uninit());
    let mut last = MaybeUninit::<[O::R; LANES]>::uninit();
    // SAFETY: the caller keeps the contract of OpFn; a step takes all lanes of what is left, and
    // the last, if it is incomplete, is padded and written to a buffer of all lanes.
    unsafe {
        let mut a = Stream::<O::A>::new(args[0], &mut fills.0);
        let mut b = Stream::<O::B>::new(args[1], &mut fills.1);
        let mut c = Stream::<O::C>::new(args[2], &mut fills.2);
        let mut to = dst.cast::<O::R>();
        let mut left = n;
        let far = a.far | b.far | c.far;
        while left > 0 {
            if far {
                a.ask();
                b.ask();
                c.ask();
            }
            let partial = left < LANES;
            if partial {
                a.pad(left, &mut fills.0);
                b.pad(left, &mut fills.1);
                c.pad(left, &mut fills.2);
            }
            let out = if partial { last.as_mut_ptr().cast() } else { to };
            step::<O, T>(a.take(), b.take(), c.take(), out);
            if partial {
                std::ptr::copy_nonoverlapping(out, to, left);
                return;
            }
            to = to.wrapping_add(LANES);
            left -= LANES;
        }
    }
}

/// One step: the fast values of all lanes, or the right ones if a lane is rare. Whether one is, is
/// found out first, while the operands are whole even if the results go to their place.
///
/// # Safety
/// The operands point to [`LANES`] elements, `out` to room for as many; `out` is disjoint from every
/// operand or the same.
#[inline(always)]
unsafe fn step<O: Apply<T>, T>(
    a: *const [O::A; LANES],
    b: *const [O::B; LANES],
    c: *const [O::C; LANES],
    out: *mut O::R,
) {
    // SAFETY: the caller keeps the contract; `k` is below LANES.
    unsafe {
        let (x, y, z) = (a.read(), b.read(), c.read());
        let mut rare = false;
        for k in 0..LANES {
            rare |= O::apply(x[k], y[k], z[k]).is_rare();
        }
        if rare {
            return careful_step::<O, T>(a, b, c, out);
        }
        for k in 0..LANES {
            out.add(k).write(O::apply(x[k], y[k], z[k]).fast());
        }
    }
}

/// One step of right values. It takes pointers and not the values, whose addresses would keep them
/// in memory for the usual case too.
///
/// # Safety
/// As for [`step`].
#[cold]
#[inline(never)]
unsafe fn careful_step<O: Apply<T>, T>(
    a: *const [O::A; LANES],
    b: *const [O::B; LANES],
    c: *const [O::C; LANES],
    out: *mut O::R,
) {
    for k in 0..LANES {
        // SAFETY: the caller keeps the contract; `k` is below LANES.
        unsafe {
            let (x, y, z) = ((*a)[k], (*b)[k], (*c)[k]);
            out.add(k).write(O::apply(x, y, z).value());
        }
    }
}

levels! {
    /// The loop of an operation.
    op_loop[O: Apply<T>, T](dst: *mut u8, args: &[Arg; 3], n: usize) = run::<O, T>;
}

macro_rules! find {
    ($($(#[$meta:meta])* $variant:ident $name:ident $kind:ident $class:ident => $gives:ident,
        cuda $cuda:literal, rust |$($arg:ident),*| $rust:expr, test $low:literal .. $high:literal;)*) => {
        /// The loop of an operation on a compute type, for an instruction set.
        pub fn op_fn(op: Op, dtype: DType, level: Level) -> Option<OpFn> {
            match op {
                $(Op::$variant => class_types!($class, dtype, T => op_loop::<op::$variant, T>(level)),)*
            }
        }
    };
}
for_each_op!(find);

macro_rules! half_of {
    (binary Floating Same $variant:ident, $dtype:ident, $level:ident) => {
        match $dtype {
            DType::F16 => Some(op_loop::<InHalf<op::$variant, f16>, f32>($level)),
            _ => Some(op_loop::<InHalf<op::$variant, bf16>, f32>($level)),
        }
    };
    (ternary Number Same MulAdd, $dtype:ident, $level:ident) => {
        Some(op_loop::<MulAddOfHalves, f32>($level))
    };
    ($kind:ident $class:ident $gives:ident $variant:ident, $dtype:ident, $level:ident) => {
        None
    };
}

macro_rules! find_half {
    ($($(#[$meta:meta])* $variant:ident $name:ident $kind:ident $class:ident => $gives:ident,
        cuda $cuda:literal, rust |$($arg:ident),*| $rust:expr, test $low:literal .. $high:literal;)*) => {
        /// The loop of an operation on a half type that must be computed in the type itself; it
        /// takes and gives tiles of `f32`.
        pub fn half_fn(op: Op, dtype: DType, level: Level) -> Option<OpFn> {
            if dtype.compute() == dtype || !op.is_of_representation() {
                return None;
            }
            match op {
                $(Op::$variant => half_of!($kind $class $gives $variant, dtype, level),)*
            }
        }
    };
}
for_each_op!(find_half);
