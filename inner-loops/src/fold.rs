//! Reductions of tiles: along the lanes to one element, and searches of the extreme.

use crate::ahead::ask_for;
use crate::apply::{Apply, class_types, combine};
use crate::dtype::DType;
use crate::level::{Level, levels};
use crate::math::lane::Lane;
use crate::operations::{Arg, LANES};
use crate::table::{Reduction, for_each_reduction};
use num_complex::Complex;

/// The bytes of an accumulator that folds along the lanes: four wide registers.
pub const ACCUMULATOR: usize = 256;

/// An operation that combines two elements of a type.
pub trait Combine<T>: Apply<T, A = T, B = T, C = (), R = T> {}
impl<T, O: Apply<T, A = T, B = T, C = (), R = T>> Combine<T> for O {}

#[inline(always)]
pub(crate) fn both<O: Combine<T>, T>(a: T, b: T) -> T {
    O::apply(a, b, ()).value()
}

/// Combines two groups of lanes.
#[inline(always)]
pub(crate) fn merge<O: Combine<T>, T: Copy>(mut x: [T; LANES], y: [T; LANES]) -> [T; LANES] {
    for k in 0..LANES {
        x[k] = both::<O, T>(x[k], y[k]);
    }
    x
}

/// So many rounds of an accumulator are a piece of a tile, which is folded by itself, as tiles are:
/// rounding errors grow with the number of rounds in a piece, of pieces in a tile and of tiles in a
/// chunk, not with their product. An odd number, as a piece begins with one round and goes on by two.
pub(crate) const PIECE: usize = 33;

/// Folds `n` elements into the lanes of an accumulator.
#[inline(always)]
unsafe fn fold<O: Combine<T>, T: Copy>(acc: *mut u8, src: *const u8, n: usize, far: bool) {
    let (acc, src) = (acc.cast::<T>(), src.cast::<T>());
    let at;
    // SAFETY: the caller gives a whole accumulator and `n` elements.
    unsafe {
        // Each group of lanes has a name: an array of groups would be vectorised across them,
        // by gathering and scattering.
        macro_rules! whole {
            ($count:literal; $($lanes:ident $total:ident $k:literal)+) => {{
                let (groups, new) = (acc.cast::<[T; LANES]>(), src.cast::<[T; LANES]>());
                let steps = n / (LANES * $count);
                let mut step = 0;
                $(let mut $total = groups.add($k).read();)+
                while step < steps {
                    let (first, end) = (step == 0, steps.min(step + PIECE));
                    if far {
                        ask_for::<[[T; LANES]; $count]>(new.add(step * $count).cast());
                    }
                    $(let mut $lanes = new.add(step * $count + $k).read();)+
                    step += 1;
                    while step < end {
                        let new = new.add(step * $count);
                        if far {
                            ask_for::<[[T; LANES]; $count]>(new.cast());
                        }
                        $($lanes = merge::<O, T>($lanes, new.add($k).read());)+
                        step += 1;
                    }
                    $($total = if first { $lanes } else { merge::<O, T>($total, $lanes) };)+
                }
                if steps > 0 {
                    $(groups.add($k).write(merge::<O, T>(groups.add($k).read(), $total));)+
                }
                at = steps * LANES * $count;
            }};
        }
        match ACCUMULATOR / size_of::<T>() / LANES {
            1 => whole!(1; a t 0),
            2 => whole!(2; a t 0 b u 1),
            _ => whole!(4; a t 0 b u 1 c v 2 d w 3),
        }
        rest::<O, T>(acc, src.add(at), n - at);
    }
}

/// Folds what is left of a tile, less than an accumulator has lanes, into the first of them.
///
/// # Safety
/// There are `n` elements, and as many lanes.
#[inline(always)]
unsafe fn rest<O: Combine<T>, T: Copy>(acc: *mut T, src: *const T, n: usize) {
    let mut at = 0;
    // SAFETY: as the caller says.
    unsafe {
        while at + LANES <= n {
            let to = acc.add(at).cast::<[T; LANES]>();
            to.write(merge::<O, T>(to.read(), src.add(at).cast::<[T; LANES]>().read()));
            at += LANES;
        }
        while at < n {
            acc.add(at).write(both::<O, T>(acc.add(at).read(), src.add(at).read()));
            at += 1;
        }
    }
}

/// Combines the lanes of an accumulator pairwise into one element.
#[inline(always)]
unsafe fn finish<O: Combine<T>, T: Copy>(acc: *mut u8, out: *mut u8) {
    let acc = acc.cast::<T>();
    let mut width = ACCUMULATOR / size_of::<T>();
    // SAFETY: the caller gives a whole accumulator, whose lanes are a power of two, and room for
    // one element.
    unsafe {
        while width > LANES {
            width /= 2;
            for g in (0..width).step_by(LANES) {
                let low = acc.add(g).cast::<[T; LANES]>();
                let high = acc.add(g + width).cast::<[T; LANES]>();
                low.write(merge::<O, T>(low.read(), high.read()));
            }
        }
        let mut x = acc.cast::<[T; LANES]>().read();
        for half in [8, 4, 2, 1] {
            for k in 0..half {
                x[k] = both::<O, T>(x[k], x[k + half]);
            }
        }
        out.cast::<T>().write(x[0]);
    }
}

/// Folds each of `rows` rows of `len` elements into one element.
#[inline(always)]
unsafe fn fold_rows<O: Combine<T>, T: Copy>(out: *mut u8, src: *const u8, len: usize, rows: usize) {
    let (out, src) = (out.cast::<T>(), src.cast::<T>());
    // SAFETY: the caller gives the rows, and room for an element for each.
    unsafe {
        for row in 0..rows {
            let from = src.add(row * len);
            if len < LANES {
                let mut sum = from.read();
                for k in 1..len {
                    sum = both::<O, T>(sum, from.add(k).read());
                }
                out.add(row).write(sum);
                continue;
            }
            let mut lanes = from.cast::<[T; LANES]>().read();
            let mut at = LANES;
            while at + LANES <= len {
                lanes = merge::<O, T>(lanes, from.add(at).cast::<[T; LANES]>().read());
                at += LANES;
            }
            for k in at..len {
                lanes[k - at] = both::<O, T>(lanes[k - at], from.add(k).read());
            }
            for half in [8, 4, 2, 1] {
                for k in 0..half {
                    lanes[k] = both::<O, T>(lanes[k], lanes[k + half]);
                }
            }
            out.add(row).write(lanes[0]);
        }
    }
}

/// The positions of the lanes: an affine sequence, or one number for each.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// The first position.
    pub base: i64,
    /// The step from lane to lane.
    pub stride: i64,
    /// The positions, or null where they are affine.
    pub ptr: *const i64,
}

#[inline(always)]
fn same<T: PartialEq + Copy>(a: T, b: T) -> bool {
    #[allow(clippy::eq_op)] // Only a NaN differs from itself.
    let nan = (a != a) & (b != b);
    (a == b) | nan
}

/// Folds `n` elements, at least one, into the best element and its position.
#[inline(always)]
unsafe fn search<O: Combine<T>, T: Copy + PartialEq>(
    best: *mut u8,
    place: *mut i64,
    src: *const u8,
    n: usize,
    places: Places,
) {
    let src = src.cast::<T>();
    // SAFETY: the caller gives `n` elements and as many positions, and the state.
    unsafe {
        let mut lanes = [src.read(); 64];
        let acc = lanes.as_mut_ptr();
        let mut at = 0;
        while at + 64 <= n {
            let new = src.add(at).cast::<[T; 64]>().read();
            for k in 0..64 {
                lanes[k] = both::<O, T>(lanes[k], new[k]);
            }
            at += 64;
        }
        rest::<O, T>(acc, src.add(at), n - at);
        for half in [32, 16, 8, 4, 2, 1] {
            for k in 0..half {
                lanes[k] = both::<O, T>(lanes[k], lanes[k + half]);
            }
        }
        let (top, old) = (lanes[0], best.cast::<T>().read());
        let winner = both::<O, T>(old, top);
        let wins = !same(winner, old);
        if !wins && !same(top, old) {
            return;
        }
        let here = first_place(src, n, top, places);
        if wins || here < *place {
            best.cast::<T>().write(top);
            *place = here;
        }
    }
}

/// The lowest position of an element that is the same as `top`.
///
/// # Safety
/// As [`search`].
#[inline(always)]
unsafe fn first_place<T: Copy + PartialEq>(src: *const T, n: usize, top: T, places: Places) -> i64 {
    // SAFETY: the caller gives `n` elements and positions.
    unsafe {
        if !places.ptr.is_null() || places.stride < 0 {
            let place = |k: usize| match places.ptr.is_null() {
                true => places.base + places.stride * k as i64,
                false => *places.ptr.add(k),
            };
            return (0..n)
                .filter(|&k| same(src.add(k).read(), top))
                .map(place)
                .min()
                .unwrap_or(i64::MAX);
        }
        let mut at = 0;
        while at + LANES <= n {
            let lanes = src.add(at).cast::<[T; LANES]>().read();
            let mut any = false;
            for lane in lanes {
                any |= same(lane, top);
            }
            if any {
                break;
            }
            at += LANES;
        }
        let found = (at..n).find(|&k| same(src.add(k).read(), top));
        found.map_or(i64::MAX, |k| places.base + places.stride * k as i64)
    }
}

/// Folds elements with their positions into tiles of the best elements and positions.
#[inline(always)]
unsafe fn search_lanes<O: Combine<T>, T: Copy + PartialEq>(
    best: *mut u8,
    place: *mut i64,
    src: Arg,
    at: Arg,
    n: usize,
) {
    let (best, from, positions) = (best.cast::<T>(), src.ptr.cast::<T>(), at.ptr.cast::<i64>());
    let mut k = 0;
    // SAFETY: the caller gives tiles of `n` elements, and operands of one or `n`.
    unsafe {
        // Whole groups in registers, of which the compiler makes vectors.
        while k + 16 <= n {
            let new = match src.vector {
                true => from.add(k).cast::<[T; 16]>().read(),
                false => [from.read(); 16],
            };
            let here = match at.vector {
                true => positions.add(k).cast::<[i64; 16]>().read(),
                false => [*positions; 16],
            };
            let (tops, places) = (best.add(k).cast::<[T; 16]>(), place.add(k).cast::<[i64; 16]>());
            let (mut top, mut was) = (tops.read(), places.read());
            for e in 0..16 {
                (top[e], was[e]) = better::<O, T>((top[e], was[e]), (new[e], here[e]));
            }
            tops.write(top);
            places.write(was);
            k += 16;
        }
        for k in k..n {
            let new = from.add(k * usize::from(src.vector)).read();
            let here = *positions.add(k * usize::from(at.vector));
            let (top, at) = better::<O, T>((best.add(k).read(), *place.add(k)), (new, here));
            best.add(k).write(top);
            *place.add(k) = at;
        }
    }
}

/// The better of two elements with their positions.
#[inline(always)]
fn better<O: Combine<T>, T: Copy + PartialEq>(old: (T, i64), new: (T, i64)) -> (T, i64) {
    let wins = !same(both::<O, T>(old.0, new.0), old.0);
    let takes = wins | (same(new.0, old.0) & (new.1 < old.1));
    (if takes { new.0 } else { old.0 }, if takes { new.1 } else { old.1 })
}

levels! {
    /// Folds elements into the lanes of an accumulator; whether they are [`far`](Arg::far).
    find_fold[O: Combine<T>, T: Copy](acc: *mut u8, src: *const u8, n: usize, far: bool) = fold::<O, T>;
}
levels! {
    /// Folds each row of a tile of short rows.
    find_fold_rows[O: Combine<T>, T: Copy](out: *mut u8, src: *const u8, len: usize, rows: usize) = fold_rows::<O, T>;
}
levels! {
    /// Combines the lanes of an accumulator.
    find_finish[O: Combine<T>, T: Copy](acc: *mut u8, out: *mut u8) = finish::<O, T>;
}
levels! {
    /// Folds elements into the best one and its position.
    find_search[O: Combine<T>, T: Same](best: *mut u8, place: *mut i64, src: *const u8, n: usize, places: Places) = search::<O, T>;
}
levels! {
    /// Folds elements into tiles of the best ones and their positions.
    find_search_lanes[O: Combine<T>, T: Same](best: *mut u8, place: *mut i64, src: Arg, at: Arg, n: usize) = search_lanes::<O, T>;
}

/// What searches compare.
pub trait Same: Copy + PartialEq {}
impl<T: Copy + PartialEq> Same for T {}

/// The functions of a reduction that gives an element.
#[derive(Clone, Copy)]
pub struct Folds {
    /// Folds elements into the lanes of an accumulator; whether they are [`far`](Arg::far).
    pub fold: unsafe fn(*mut u8, *const u8, usize, bool),
    /// Combines the lanes.
    pub finish: unsafe fn(*mut u8, *mut u8),
    /// Folds each row of a tile: results, elements, the length and the number of rows.
    pub rows: unsafe fn(*mut u8, *const u8, usize, usize),
}

/// The functions of a reduction that gives a position.
#[derive(Clone, Copy)]
pub struct Searches {
    /// Folds elements along the lanes.
    pub search: unsafe fn(*mut u8, *mut i64, *const u8, usize, Places),
    /// Folds elements lane by lane.
    pub lanes: unsafe fn(*mut u8, *mut i64, Arg, Arg, usize),
}

/// Calls the second macro-like expression for reductions that give positions.
macro_rules! kinds {
    ($($(#[$meta:meta])* $variant:ident $name:ident $class:ident, combine $op:ident, identity $identity:ident $(, of $of:ident)?;)*) => {
        /// The functions of a reduction on an accumulator's type.
        pub fn folds(op: Reduction, dtype: DType, level: Level) -> Option<Folds> {
            match op {
                $(Reduction::$variant => class_types!($class, dtype, T => Folds {
                    fold: find_fold::<combine::$variant, T>(level),
                    finish: find_finish::<combine::$variant, T>(level),
                    rows: find_fold_rows::<combine::$variant, T>(level),
                }),)*
            }
        }
    };
}
for_each_reduction!(kinds);

/// The functions of a search on an element's type.
pub fn searches(op: Reduction, dtype: DType, level: Level) -> Option<Searches> {
    macro_rules! of {
        ($combine:ty) => {
            class_types!(Ordered, dtype, T => Searches {
                search: find_search::<$combine, T>(level),
                lanes: find_search_lanes::<$combine, T>(level),
            })
        };
    }
    match op {
        Reduction::ArgMin => of!(combine::ArgMin),
        Reduction::ArgMax => of!(combine::ArgMax),
        _ => None,
    }
}
