//! Chains of arithmetic: values that one operation hands to the next stay in vector registers.
//!
//! An operation by itself writes its tile, which the next one reads again. For additions and
//! products those moves take longer than the arithmetic, and while a tile is worked on again and
//! again, nothing is fetched from memory. A chain reads each operand once and writes once, or not at
//! all where it is summed up.
//!
//! The results go past the caches where the output is large, and memory is asked for while the
//! arithmetic runs. A chain of which only a sum is wanted is summed up in registers, in the order
//! in which its tile would be: by pieces of [`PIECE`] rounds of the registers, and a chunk by its
//! tiles, so that the rounding errors of a long sum grow with the length of a piece.

use crate::ahead::ask_for;
use crate::dtype::DType;
use crate::fold::{ACCUMULATOR, PIECE};
use crate::level::Level;
use crate::operations::Arg;
use crate::table::Basic;

/// What a chain does next to the value that it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The operation.
    pub op: Basic,
    /// Whether the value is the second operand.
    pub second: bool,
    /// The other operand; of no meaning where there is none.
    pub arg: u32,
}

/// A link with its operand.
#[derive(Clone, Copy)]
pub struct Linked {
    pub op: Basic,
    pub second: bool,
    pub arg: Arg,
}

/// Runs a chain of `n` elements: `first` through all links to `dst`. With `past_caches` the
/// results are written as a stream; `far` says that an operand is.
///
/// # Safety
/// Each operand points to `n` elements of the type, or to one, and `dst` to room for `n`; `dst`
/// is disjoint from every operand or, unless the results go past the caches, the same.
pub type ChainFn =
    unsafe fn(dst: *mut u8, first: Arg, links: &[Linked], n: usize, past_caches: bool, far: bool);

/// Sums up the results of a chain, as many of `n` as fill the lanes of an accumulator a whole number
/// of times, and gives their number. It adds in the order in which [`Folds::fold`] does.
///
/// # Safety
/// Each operand points to `n` elements of the type, or to one, and the accumulator to its lanes.
///
/// [`Folds::fold`]: super::fold::Folds::fold
pub type SumFn = unsafe fn(acc: *mut u8, first: Arg, links: &[Linked], n: usize) -> usize;

/// The functions of a chain.
#[derive(Clone, Copy)]
pub struct ChainFns {
    /// Writes its results.
    pub run: ChainFn,
    /// Sums them up.
    pub sum: SumFn,
}

/// Elements side by side in one register.
trait Lanes: Copy {
    type Element: Copy;
    /// The number of elements.
    const COUNT: usize;
    /// # Safety
    /// The pointer points to [`COUNT`](Self::COUNT) elements; the processor has the instructions.
    unsafe fn load(from: *const Self::Element) -> Self;
    /// # Safety
    /// The processor has the instructions.
    unsafe fn splat(value: Self::Element) -> Self;
    /// # Safety
    /// As [`load`](Self::load).
    unsafe fn store(self, to: *mut Self::Element);
    /// # Safety
    /// As [`load`](Self::load), and the address is a multiple of the register's size.
    unsafe fn stream(self, to: *mut Self::Element);
    /// # Safety
    /// The processor has the instructions.
    unsafe fn add(self, other: Self) -> Self;
    /// # Safety
    /// The processor has the instructions.
    unsafe fn subtract(self, other: Self) -> Self;
    /// # Safety
    /// The processor has the instructions.
    unsafe fn multiply(self, other: Self) -> Self;
    /// # Safety
    /// The processor has the instructions.
    unsafe fn divide(self, other: Self) -> Self;
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Lanes;
    use std::arch::x86_64::*;

    macro_rules! lanes {
        ($($vector:ident of $count:literal $element:ident: $load:ident $splat:ident $store:ident
            $stream:ident $add:ident $subtract:ident $multiply:ident $divide:ident;)*) => {$(
            impl Lanes for $vector {
                type Element = $element;
                const COUNT: usize = $count;
                #[inline(always)]
                unsafe fn load(from: *const $element) -> Self {
                    // SAFETY: the caller keeps the contract; so do those of the others.
                    unsafe { $load(from) }
                }
                #[inline(always)]
                unsafe fn splat(value: $element) -> Self {
                    // SAFETY: as above.
                    unsafe { $splat(value) }
                }
                #[inline(always)]
                unsafe fn store(self, to: *mut $element) {
                    // SAFETY: as above.
                    unsafe { $store(to, self) }
                }
                #[inline(always)]
                unsafe fn stream(self, to: *mut $element) {
                    // SAFETY: as above.
                    unsafe { $stream(to, self) }
                }
                #[inline(always)]
                unsafe fn add(self, other: Self) -> Self {
                    // SAFETY: as above.
                    unsafe { $add(self, other) }
                }
                #[inline(always)]
                unsafe fn subtract(self, other: Self) -> Self {
                    // SAFETY: as above.
                    unsafe { $subtract(self, other) }
                }
                #[inline(always)]
                unsafe fn multiply(self, other: Self) -> Self {
                    // SAFETY: as above.
                    unsafe { $multiply(self, other) }
                }
                #[inline(always)]
                unsafe fn divide(self, other: Self) -> Self {
                    // SAFETY: as above.
                    unsafe { $divide(self, other) }
                }
            }
        )*};
    }

    lanes! {
        __m128 of 4 f32: _mm_loadu_ps _mm_set1_ps _mm_storeu_ps _mm_stream_ps
            _mm_add_ps _mm_sub_ps _mm_mul_ps _mm_div_ps;
        __m128d of 2 f64: _mm_loadu_pd _mm_set1_pd _mm_storeu_pd _mm_stream_pd
            _mm_add_pd _mm_sub_pd _mm_mul_pd _mm_div_pd;
        __m256 of 8 f32: _mm256_loadu_ps _mm256_set1_ps _mm256_storeu_ps _mm256_stream_ps
            _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_div_ps;
        __m256d of 4 f64: _mm256_loadu_pd _mm256_set1_pd _mm256_storeu_pd _mm256_stream_pd
            _mm256_add_pd _mm256_sub_pd _mm256_mul_pd _mm256_div_pd;
        __m512 of 16 f32: _mm512_loadu_ps _mm512_set1_ps _mm512_storeu_ps _mm512_stream_ps
            _mm512_add_ps _mm512_sub_ps _mm512_mul_ps _mm512_div_ps;
        __m512d of 8 f64: _mm512_loadu_pd _mm512_set1_pd _mm512_storeu_pd _mm512_stream_pd
            _mm512_add_pd _mm512_sub_pd _mm512_mul_pd _mm512_div_pd;
    }
}

/// Elements that the compiler puts side by side, where no instructions are named.
#[cfg(not(target_arch = "x86_64"))]
impl<T> Lanes for [T; 4]
where
    T: Copy
        + std::ops::Add<Output = T>
        + std::ops::Sub<Output = T>
        + std::ops::Mul<Output = T>
        + std::ops::Div<Output = T>,
{
    type Element = T;
    const COUNT: usize = 4;
    #[inline(always)]
    unsafe fn load(from: *const T) -> Self {
        // SAFETY: the caller keeps the contract; so do those of the others.
        unsafe { from.cast::<Self>().read_unaligned() }
    }
    #[inline(always)]
    unsafe fn splat(value: T) -> Self {
        [value; 4]
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut T) {
        // SAFETY: as above.
        unsafe { to.cast::<Self>().write_unaligned(self) }
    }
    #[inline(always)]
    unsafe fn stream(self, to: *mut T) {
        // SAFETY: as above.
        unsafe { self.store(to) }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        std::array::from_fn(|k| self[k] + other[k])
    }
    #[inline(always)]
    unsafe fn subtract(self, other: Self) -> Self {
        std::array::from_fn(|k| self[k] - other[k])
    }
    #[inline(always)]
    unsafe fn multiply(self, other: Self) -> Self {
        std::array::from_fn(|k| self[k] * other[k])
    }
    #[inline(always)]
    unsafe fn divide(self, other: Self) -> Self {
        std::array::from_fn(|k| self[k] / other[k])
    }
}

/// The registers that a chain's value takes at a time: as many as every instruction set can hold
/// beside an operand.
const REGISTERS: usize = 8;

/// `M` registers of an operand from element `at` on.
///
/// # Safety
/// The operand has so many elements there, or is one.
#[inline(always)]
unsafe fn operand<V: Lanes, const M: usize>(arg: Arg, at: usize) -> [V; M] {
    let from = arg.ptr.cast::<V::Element>();
    // SAFETY: the caller says so.
    unsafe {
        match arg.vector {
            true => std::array::from_fn(|m| V::load(from.add(at + m * V::COUNT))),
            false => [V::splat(from.read()); M],
        }
    }
}

/// Takes `M` registers through one link; `other` gives those of its operand.
///
/// # Safety
/// The processor has the instructions.
#[inline(always)]
unsafe fn follow<V: Lanes, const M: usize>(
    held: [V; M],
    link: &Linked,
    other: impl FnOnce() -> [V; M],
) -> [V; M] {
    let with = |f: unsafe fn(V, V) -> V| {
        let other = other();
        // SAFETY: the caller says so.
        std::array::from_fn(|m| unsafe { f(held[m], other[m]) })
    };
    match (link.op, link.second) {
        (Basic::Add, _) => with(V::add),
        (Basic::Multiply, _) => with(V::multiply),
        (Basic::Subtract, false) => with(V::subtract),
        // SAFETY: the caller says so; so too below.
        (Basic::Subtract, true) => with(|a, b| unsafe { b.subtract(a) }),
        (Basic::Divide, false) => with(V::divide),
        // SAFETY: as above.
        (Basic::Divide, true) => with(|a, b| unsafe { b.divide(a) }),
        // SAFETY: as above.
        (Basic::Square, _) => held.map(|a| unsafe { a.multiply(a) }),
    }
}

/// `M` registers of the results from element `at` on.
///
/// # Safety
/// The operands have so many elements there, or are one.
#[inline(always)]
unsafe fn results<V: Lanes, const M: usize>(first: Arg, links: &[Linked], at: usize) -> [V; M] {
    // SAFETY: the caller says so.
    unsafe {
        let mut held = operand::<V, M>(first, at);
        for link in links {
            held = follow(held, link, || operand(link.arg, at));
        }
        held
    }
}

/// Asks for what comes behind the operands of the next registers.
#[inline(always)]
fn ask<V: Lanes, const M: usize>(first: Arg, links: &[Linked], at: usize) {
    for arg in links.iter().map(|link| link.arg).chain([first]).filter(|arg| arg.far) {
        ask_for::<[V; M]>(arg.ptr.cast::<V::Element>().wrapping_add(at).cast());
    }
}

/// The first `count` elements of an operand from element `at` on, the last of them repeated.
///
/// # Safety
/// The operand has so many elements there, at least one, or is one.
#[inline(always)]
unsafe fn part<V: Lanes>(arg: Arg, at: usize, count: usize) -> [V; 1] {
    let from = arg.ptr.cast::<V::Element>();
    // SAFETY: the caller says so; no instruction set has more elements in a register.
    unsafe {
        if !arg.vector {
            return [V::splat(from.read())];
        }
        let last = from.add(at + count - 1).read();
        let mut room = [last; 16];
        std::ptr::copy_nonoverlapping(from.add(at), room.as_mut_ptr(), count);
        [V::load(room.as_ptr())]
    }
}

/// The chain as [`ChainFn`] says.
///
/// # Safety
/// As [`ChainFn`] says, and the processor has the instructions.
#[inline(always)]
unsafe fn run<V: Lanes, const FAR: bool>(
    dst: *mut u8,
    first: Arg,
    links: &[Linked],
    n: usize,
    past_caches: bool,
) {
    let to = dst.cast::<V::Element>();
    let mut at = 0;
    // SAFETY: the caller keeps the contract; `at` and what is read and written there stay below
    // `n`. What is written twice is so only past the caches, where no operand is overwritten.
    unsafe {
        if past_caches && n >= V::COUNT {
            // Such stores take whole, aligned registers.
            let head = dst.align_offset(size_of::<V>()) / size_of::<V::Element>();
            if head > 0 {
                results::<V, 1>(first, links, 0)[0].store(to);
            }
            at = head;
        }
        while at + REGISTERS * V::COUNT <= n {
            if FAR {
                ask::<V, REGISTERS>(first, links, at);
            }
            let held = results::<V, REGISTERS>(first, links, at);
            for (m, value) in held.into_iter().enumerate() {
                let to = to.add(at + m * V::COUNT);
                if past_caches { value.stream(to) } else { value.store(to) }
            }
            at += REGISTERS * V::COUNT;
        }
        while at + V::COUNT <= n {
            results::<V, 1>(first, links, at)[0].store(to.add(at));
            at += V::COUNT;
        }
        if at < n {
            let mut held = part::<V>(first, at, n - at);
            for link in links {
                held = follow(held, link, || part(link.arg, at, n - at));
            }
            let mut room = [std::mem::MaybeUninit::<V::Element>::uninit(); 16];
            held[0].store(room.as_mut_ptr().cast());
            std::ptr::copy_nonoverlapping(room.as_ptr().cast(), to.add(at), n - at);
        }
    }
}

/// The sum as [`SumFn`] says: an accumulator has `R` registers, of which `M` hold some rounds.
///
/// # Safety
/// As [`SumFn`] says, and the processor has the instructions.
#[inline(always)]
unsafe fn sum<V: Lanes, const R: usize, const M: usize>(
    acc: *mut u8,
    first: Arg,
    links: &[Linked],
    n: usize,
) -> usize {
    const { assert!(R * size_of::<V>() == ACCUMULATOR && M % R == 0) };
    let (round, acc) = (R * V::COUNT, acc.cast::<V::Element>());
    if n < round {
        return 0;
    }
    // SAFETY: the caller keeps the contract; `at` and what is read there stay below `n`.
    unsafe {
        // The tile is summed up by itself, and so are its pieces.
        let far = first.far || links.iter().any(|link| link.arg.far);
        let mut at = 0;
        let mut sums: Option<[V; R]> = None;
        while at + round <= n {
            let end = n.min(at + PIECE * round);
            if far {
                ask::<V, R>(first, links, at);
            }
            let mut piece = results::<V, R>(first, links, at);
            at += round;
            while at + M * V::COUNT <= end {
                if far {
                    ask::<V, M>(first, links, at);
                }
                let held = results::<V, M>(first, links, at);
                for (m, value) in held.into_iter().enumerate() {
                    piece[m % R] = piece[m % R].add(value);
                }
                at += M * V::COUNT;
            }
            while at + round <= end {
                let held = results::<V, R>(first, links, at);
                piece = std::array::from_fn(|m| piece[m].add(held[m]));
                at += round;
            }
            sums = Some(match sums {
                None => piece,
                Some(sums) => std::array::from_fn(|m| sums[m].add(piece[m])),
            });
        }
        let sums = sums.expect("a round is no longer than the tile");
        for (m, value) in sums.into_iter().enumerate() {
            let to = acc.add(m * V::COUNT);
            V::load(to).add(value).store(to);
        }
        at
    }
}

macro_rules! compiled {
    ($($name:ident $sum:ident $vector:ty, $registers:literal $held:literal $($features:literal)?;)*) => {$(
        $(#[target_feature(enable = $features)])?
        unsafe fn $name(
            dst: *mut u8,
            first: Arg,
            links: &[Linked],
            n: usize,
            past_caches: bool,
            far: bool,
        ) {
            // SAFETY: the caller keeps the contract, and the features are there.
            unsafe {
                match far {
                    true => run::<$vector, true>(dst, first, links, n, past_caches),
                    false => run::<$vector, false>(dst, first, links, n, past_caches),
                }
            }
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn $sum(acc: *mut u8, first: Arg, links: &[Linked], n: usize) -> usize {
            // SAFETY: as above.
            unsafe { sum::<$vector, $registers, $held>(acc, first, links, n) }
        }
    )*};
}

#[cfg(target_arch = "x86_64")]
compiled! {
    sse_f32 sse_sum_f32 std::arch::x86_64::__m128, 16 16;
    sse_f64 sse_sum_f64 std::arch::x86_64::__m128d, 16 16;
    avx2_f32 avx2_sum_f32 std::arch::x86_64::__m256, 8 8 "avx2";
    avx2_f64 avx2_sum_f64 std::arch::x86_64::__m256d, 8 8 "avx2";
    avx512_f32 avx512_sum_f32 std::arch::x86_64::__m512, 4 8 "avx512f";
    avx512_f64 avx512_sum_f64 std::arch::x86_64::__m512d, 4 8 "avx512f";
}
#[cfg(not(target_arch = "x86_64"))]
compiled! {
    lanes_f32 lanes_sum_f32 [f32; 4], 16 16;
    lanes_f64 lanes_sum_f64 [f64; 4], 8 8;
}

/// The chains of a type for an instruction set.
pub fn chain_fns(dtype: DType, level: Level) -> Option<ChainFns> {
    let fns = |run: ChainFn, sum: SumFn| ChainFns { run, sum };
    let (single, double) = match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => (fns(avx512_f32, avx512_sum_f32), fns(avx512_f64, avx512_sum_f64)),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => (fns(avx2_f32, avx2_sum_f32), fns(avx2_f64, avx2_sum_f64)),
        #[cfg(target_arch = "x86_64")]
        Level::Baseline => (fns(sse_f32, sse_sum_f32), fns(sse_f64, sse_sum_f64)),
        #[cfg(not(target_arch = "x86_64"))]
        _ => (fns(lanes_f32, lanes_sum_f32), fns(lanes_f64, lanes_sum_f64)),
    };
    match dtype {
        DType::F32 => Some(single),
        DType::F64 => Some(double),
        _ => None,
    }
}
