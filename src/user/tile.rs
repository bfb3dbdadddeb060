//! Functions applied to tiles on the processor: the twin in loops over small fixed arrays, which
//! vectorise, compiled for each instruction set.

use super::code::{Callee, DeviceFn};
use super::lanes::{Course, LANES, Lanes, Mask};
use super::pack::Pack;
use crate::backend::cpu::level::{Level, levels};
use crate::function::{TileArg, TileFn};
use std::ops::Range;

/// A function over packs.
pub(crate) trait Tile: 'static {
    type Args: Pack;
    type Output: Pack;
    fn fast(args: Self::Args, rare: &mut bool) -> Self::Output;
    fn plain(args: Self::Args) -> Self::Output;
    /// Whether [`Tile::lanes`] is the faster one.
    const LANES: bool = false;
    fn lanes(_: Lanes<Self::Args>, _: &Mask, _: &mut Course) -> Lanes<Self::Output> {
        unreachable!("nobody asks for it")
    }
}

impl<F: DeviceFn<G>, G: 'static> Tile for Callee<F, G>
where
    F::Args: Pack,
    F::Output: Pack,
{
    type Args = F::Args;
    type Output = F::Output;

    #[inline(always)]
    fn fast(args: F::Args, rare: &mut bool) -> F::Output {
        F::fast(args, rare)
    }

    #[inline(always)]
    fn plain(args: F::Args) -> F::Output {
        F::plain(args)
    }

    const LANES: bool = F::LANES;

    #[inline(always)]
    fn lanes(args: Lanes<F::Args>, mask: &Mask, course: &mut Course) -> Lanes<F::Output> {
        F::lanes(args, mask, course)
    }
}

/// The loop of a function for the best instruction set of this processor.
pub(crate) fn tile_fn<F: DeviceFn<G>, G: 'static>() -> TileFn
where
    F::Args: Pack,
    F::Output: Pack,
{
    tile_of::<Callee<F, G>>()
}

/// The same for any function over packs.
pub(crate) fn tile_of<K: Tile>() -> TileFn {
    tile_loop::<K>(Level::best())
}

levels! {
    /// The loop of a function.
    tile_loop[K: Tile](args: &[TileArg], outs: &[*mut u8], n: usize) = run::<K>;
}

/// # Safety
/// As [`TileFn`] says.
#[inline(always)]
unsafe fn run<K: Tile>(args: &[TileArg], outs: &[*mut u8], n: usize) {
    let mut at = 0;
    // The steps that take lanes one after the other, because so few ran together before, and how
    // many these will be the next time.
    let (mut alone, mut next) = (0, 1);
    let far = args.iter().any(|arg| arg.far);
    while at < n {
        let count = (n - at).min(LANES);
        if far {
            K::Args::ask(args, at);
        }
        // SAFETY: the caller keeps the contract, and `count` elements are left.
        unsafe {
            if !K::LANES {
                step::<K>(args, outs, at, count);
            } else if alone > 0 {
                alone -= 1;
                step::<K>(args, outs, at, count);
            } else if masked_step::<K>(args, outs, at, count) {
                (alone, next) = (next, (2 * next).min(MOST_ALONE));
            } else {
                next = 1;
            }
        }
        at += LANES;
    }
}

/// The most steps after a lonely one before lanes run together again.
const MOST_ALONE: usize = 32;

/// One step of the lane form: whether few lanes ran together.
///
/// # Safety
/// As for [`step`].
#[inline(always)]
unsafe fn masked_step<K: Tile>(
    args: &[TileArg],
    outs: &[*mut u8],
    at: usize,
    count: usize,
) -> bool {
    // SAFETY: the caller keeps the contract.
    let packs = unsafe { K::Args::load(args, at, count) };
    let (mut lanes, mut course) = (Lanes::room(), Course::default());
    for k in 0..LANES {
        lanes.put(k, K::Args::get(&packs, k));
    }
    let values = K::lanes(lanes, &Mask::first(count), &mut course);
    let mut results = K::Output::room();
    for k in 0..LANES {
        K::Output::put(&mut results, k, values.get(k));
    }
    // SAFETY: the caller keeps the contract; the first `count` lanes have values.
    unsafe {
        if course.rare {
            careful_step::<K>(args, outs, at, count);
        } else {
            K::Output::store(&results, outs, at, count);
        }
    }
    course.is_lonely()
}

/// One step: the twin's values of all lanes, or the plain function's if a lane is rare. Lanes past
/// the last element repeat the first.
///
/// # Safety
/// As [`TileFn`] says, with `count` elements from `at` on.
#[inline(always)]
unsafe fn step<K: Tile>(args: &[TileArg], outs: &[*mut u8], at: usize, count: usize) {
    // SAFETY: the caller keeps the contract.
    let lanes = unsafe { K::Args::load(args, at, count) };
    let mut results = K::Output::room();
    let mut rare = false;
    for k in 0..LANES {
        let mut this = false;
        let value = K::fast(K::Args::get(&lanes, k), &mut this);
        K::Output::put(&mut results, k, value);
        rare |= this;
    }
    // SAFETY: the caller keeps the contract; every lane has a value.
    unsafe {
        if rare {
            return careful_step::<K>(args, outs, at, count);
        }
        K::Output::store(&results, outs, at, count);
    }
}

/// One step of the plain function. It reads its arguments again: the address of the values would
/// keep them in memory for the usual case too.
///
/// # Safety
/// As for [`step`].
#[cold]
#[inline(never)]
unsafe fn careful_step<K: Tile>(args: &[TileArg], outs: &[*mut u8], at: usize, count: usize) {
    // SAFETY: the caller keeps the contract.
    let lanes = unsafe { K::Args::load(args, at, count) };
    let mut results = K::Output::room();
    for k in 0..count {
        K::Output::put(&mut results, k, K::plain(K::Args::get(&lanes, k)));
    }
    // SAFETY: the caller keeps the contract; `count` lanes have values.
    unsafe { K::Output::store(&results, outs, at, count) };
}

/// A function of two states that gives one.
pub(crate) trait Combining: 'static {
    type State: Pack;
    fn fast(a: Self::State, b: Self::State, rare: &mut bool) -> Self::State;
    fn plain(a: Self::State, b: Self::State) -> Self::State;
}

impl<F, G, S> Combining for Callee<F, G>
where
    F: DeviceFn<G, Args = (S, S), Output = S>,
    G: 'static,
    S: Pack,
{
    type State = S;

    #[inline(always)]
    fn fast(a: S, b: S, rare: &mut bool) -> S {
        F::fast((a, b), rare)
    }

    #[inline(always)]
    fn plain(a: S, b: S) -> S {
        F::plain((a, b))
    }
}

/// The loop over neighbours of a function of two states: from `2·n` states, `n` combinations, in
/// order. The states are the only arguments.
pub(crate) fn neighbours_fn<F, G, S>() -> TileFn
where
    F: DeviceFn<G, Args = (S, S), Output = S>,
    G: 'static,
    S: Pack,
{
    pairs_loop::<Callee<F, G>>(Level::best())
}

levels! {
    /// The loop over pairs of neighbours.
    pairs_loop[K: Combining](args: &[TileArg], outs: &[*mut u8], n: usize) = run_pairs::<K>;
}

/// The pairs that are combined before anybody asks whether one of them was rare.
const TOGETHER: usize = 64;
/// The most streams whose addresses stay in registers.
const FEW: usize = 12;

/// # Safety
/// As [`TileFn`] says, with twice as many elements of the arguments.
#[inline(always)]
unsafe fn run_pairs<K: Combining>(args: &[TileArg], outs: &[*mut u8], n: usize) {
    let far = args.iter().any(|arg| arg.far);
    let in_memory = K::State::COUNT <= FEW && args.iter().all(|arg| arg.vector);
    // Here nobody else can write to the addresses, so that they stay in registers.
    let mut inputs = [TileArg::near(std::ptr::null(), true); FEW];
    let mut outputs = [std::ptr::null_mut(); FEW];
    inputs.iter_mut().zip(args).for_each(|(to, from)| *to = *from);
    outputs.iter_mut().zip(outs).for_each(|(to, from)| *to = *from);
    for from in (0..n).step_by(TOGETHER) {
        let pairs = from..(from + TOGETHER).min(n);
        if far {
            let elements = 2 * pairs.start..2 * pairs.end;
            elements.step_by(LANES).for_each(|at| K::State::ask(args, at));
        }
        // SAFETY: the caller keeps the contract, and so many pairs are left.
        unsafe {
            let rare = match in_memory {
                true => fast_pairs::<K, true>(&inputs, &outputs, pairs.clone()),
                false => fast_pairs::<K, false>(args, outs, pairs.clone()),
            };
            if rare {
                careful_pairs::<K>(args, outs, pairs);
            }
        }
    }
}

/// Some pairs by the twin; whether a value was rare, so that they have to be computed again. Of a
/// plain loop over neighbours that lie in memory the compiler makes whole vectors; of lanes that
/// change places in registers it makes vectors of two.
///
/// # Safety
/// As for [`run_pairs`]; with `WHOLE`, each stream has all elements.
#[inline(always)]
unsafe fn fast_pairs<K: Combining, const WHOLE: bool>(
    args: &[TileArg],
    outs: &[*mut u8],
    pairs: Range<usize>,
) -> bool {
    let mut rare = false;
    for k in pairs {
        let mut this = false;
        // SAFETY: the caller says that both elements are there, and that there is room.
        unsafe {
            let [a, b] = [2 * k, 2 * k + 1].map(|at| K::State::read::<WHOLE>(args, at));
            K::fast(a, b, &mut this).write(outs, k);
        }
        rare |= this;
    }
    rare
}

/// [`fast_pairs`] by the plain function.
///
/// # Safety
/// As for [`run_pairs`].
#[cold]
#[inline(never)]
unsafe fn careful_pairs<K: Combining>(args: &[TileArg], outs: &[*mut u8], pairs: Range<usize>) {
    for k in pairs {
        // SAFETY: the caller says that both elements are there, and that there is room.
        unsafe {
            let [a, b] = [2 * k, 2 * k + 1].map(|at| K::State::read::<false>(args, at));
            K::plain(a, b).write(outs, k);
        }
    }
}
