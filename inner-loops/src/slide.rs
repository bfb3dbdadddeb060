//! Folds that take in an operation on two elements, also over tiles that slide from turn to turn,
//! as those of a window do.

use crate::apply::{Paired, class_types, combine, op};
use crate::dtype::DType;
use crate::fold::{Combine, both, merge};
use crate::level::{Level, levels};
use crate::operations::{LANES, OpFn, op_loop};
use crate::table::{Op, Reduction, for_each_reduction};
use num_complex::Complex;
use std::marker::PhantomData;

/// What is folded turn by turn: an operation over tiles of which each turn has its own.
trait Turns<T: Copy> {
    /// The elements of a turn's tile at `at`, as an `X` of them.
    ///
    /// # Safety
    /// The tile of each turn has them.
    unsafe fn elements<X: Elements<T>>(&self, turn: usize, at: usize) -> X;
}

/// One element of a tile, or as many as there are lanes.
trait Elements<T: Copy>: Copy {
    fn splat(value: T) -> Self;
    fn combine<O: Combine<T>>(self, other: Self) -> Self;
}

impl<T: Copy> Elements<T> for [T; LANES] {
    #[inline(always)]
    fn splat(value: T) -> Self {
        [value; LANES]
    }

    #[inline(always)]
    fn combine<O: Combine<T>>(self, other: Self) -> Self {
        merge::<O, T>(self, other)
    }
}

/// One element.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Single<T>(T);

impl<T: Copy> Elements<T> for Single<T> {
    #[inline(always)]
    fn splat(value: T) -> Self {
        Single(value)
    }

    #[inline(always)]
    fn combine<O: Combine<T>>(self, other: Self) -> Self {
        Single(both::<O, T>(self.0, other.0))
    }
}

/// Tiles of which each lies a step behind the one before.
#[derive(Clone, Copy)]
struct Sliding<T> {
    first: *const T,
    step: isize,
}

impl<T: Copy> Sliding<T> {
    /// # Safety
    /// The tile of this turn has the elements.
    #[inline(always)]
    unsafe fn read<X: Elements<T>>(&self, turn: usize, at: usize) -> X {
        // SAFETY: `X` is elements of `T`, and the caller's tile has them.
        unsafe { self.first.offset(at as isize + self.step * turn as isize).cast::<X>().read() }
    }
}

/// Tiles that slide, after an operation with the turn's number.
struct Numbered<P, T> {
    tiles: Sliding<T>,
    numbers: *const T,
    operation: PhantomData<P>,
}

impl<P: Combine<T>, T: Copy> Turns<T> for Numbered<P, T> {
    #[inline(always)]
    unsafe fn elements<X: Elements<T>>(&self, turn: usize, at: usize) -> X {
        // SAFETY: the caller's; there is a number for each turn.
        unsafe {
            self.tiles.read::<X>(turn, at).combine::<P>(X::splat(self.numbers.add(turn).read()))
        }
    }
}

/// The same, and the operation once more with tiles that slide, too.
struct Windows<P, T> {
    first: Numbered<P, T>,
    second: Sliding<T>,
}

impl<P: Combine<T>, T: Copy> Turns<T> for Windows<P, T> {
    #[inline(always)]
    unsafe fn elements<X: Elements<T>>(&self, turn: usize, at: usize) -> X {
        // SAFETY: the caller's.
        unsafe { self.first.elements::<X>(turn, at).combine::<P>(self.second.read(turn, at)) }
    }
}

/// Folds the tiles of `turns` turns, of `n` elements each, into `acc`. A few groups of lanes stay
/// in registers for all turns.
///
/// # Safety
/// There are `n` accumulators, and the tiles have as many elements.
#[inline(always)]
unsafe fn fold_turns<O: Combine<T>, T: Copy>(
    acc: *mut T,
    of: &impl Turns<T>,
    turns: usize,
    n: usize,
) {
    let mut at = 0;
    // SAFETY: `at` and the elements behind it are below `n`.
    unsafe {
        macro_rules! groups {
            ($X:ty, $len:expr; $($sum:ident $k:literal)+) => {
                while n - at >= $len {
                    let to = acc.add(at).cast::<$X>();
                    $(let mut $sum = to.add($k).read();)+
                    for turn in 0..turns {
                        $($sum = $sum.combine::<O>(of.elements(turn, at + LANES * $k));)+
                    }
                    $(to.add($k).write($sum);)+
                    at += $len;
                }
            };
        }
        groups!([T; LANES], 4 * LANES; a 0 b 1 c 2 d 3);
        groups!([T; LANES], LANES; a 0);
        groups!(Single<T>, 1; a 0);
    }
}

/// Folds tiles that slide, each element after an operation with the tile's number.
#[inline(always)]
unsafe fn slide<O: Combine<T>, P: Combine<T>, T: Copy>(
    acc: *mut u8,
    from: *const u8,
    numbers: *const u8,
    step: isize,
    turns: usize,
    n: usize,
) {
    let tiles = Sliding { first: from.cast::<T>(), step };
    let of = Numbered::<P, T> { tiles, numbers: numbers.cast(), operation: PhantomData };
    // SAFETY: the caller gives `n` accumulators, the tiles, and a number for each of them.
    unsafe { fold_turns::<O, T>(acc.cast(), &of, turns, n) }
}

/// [`slide`] with the operation once more, on its result and on the elements of tiles that slide by
/// a step of their own.
#[inline(always)]
unsafe fn slide_two<O: Combine<T>, P: Combine<T>, T: Copy>(
    acc: *mut u8,
    [first, second]: [*const u8; 2],
    numbers: *const u8,
    steps: [isize; 2],
    turns: usize,
    n: usize,
) {
    let tiles = Sliding { first: first.cast::<T>(), step: steps[0] };
    let first = Numbered::<P, T> { tiles, numbers: numbers.cast(), operation: PhantomData };
    let of = Windows { first, second: Sliding { first: second.cast::<T>(), step: steps[1] } };
    // SAFETY: the caller gives `n` accumulators, the tiles of both kinds, and a number for each
    // turn.
    unsafe { fold_turns::<O, T>(acc.cast(), &of, turns, n) }
}

levels! {
    /// Folds tiles that slide.
    find_slide[O: Combine<T>, P: Combine<T>, T: Copy](acc: *mut u8, from: *const u8, numbers: *const u8, step: isize, turns: usize, n: usize) = slide::<O, P, T>;
}
levels! {
    /// Folds products of tiles that slide.
    find_slide_two[O: Combine<T>, P: Combine<T>, T: Copy](acc: *mut u8, tiles: [*const u8; 2], numbers: *const u8, steps: [isize; 2], turns: usize, n: usize) = slide_two::<O, P, T>;
}

/// The loops of a reduction that takes in an operation on two elements.
#[derive(Clone, Copy)]
pub struct PairLoops {
    /// Folds a tile: the accumulators, and two operands.
    pub each: OpFn,
    /// Folds tiles that slide: the accumulators, the first tile, a number for each tile, the step
    /// from tile to tile, the number of tiles and their length.
    pub slide: unsafe fn(*mut u8, *const u8, *const u8, isize, usize, usize),
    /// The same with the operation once more, on tiles of two kinds that slide.
    pub slide_two: unsafe fn(*mut u8, [*const u8; 2], *const u8, [isize; 2], usize, usize),
}

/// Finds the loops in the table of reductions.
macro_rules! kinds {
    ($($(#[$meta:meta])* $variant:ident $name:ident $class:ident, combine $op:ident, identity $identity:ident $(, of $of:ident)?;)*) => {
        /// The loops of a reduction that takes in an operation on two elements.
        pub fn pair_loops(
            reduction: Reduction,
            of: Op,
            dtype: DType,
            level: Level,
        ) -> Option<PairLoops> {
            match (reduction, of) {
                $($((Reduction::$variant, Op::$of) => class_types!($class, dtype, T => PairLoops {
                    each: op_loop::<Paired<combine::$variant, op::$of>, T>(level),
                    slide: find_slide::<combine::$variant, op::$of, T>(level),
                    slide_two: find_slide_two::<combine::$variant, op::$of, T>(level),
                }),)?)*
                _ => None,
            }
        }
    };
}
for_each_reduction!(kinds);
