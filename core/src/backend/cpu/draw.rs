//! Random numbers as tiles: whole blocks of the generator, computed side by side.

use super::affine::{self, Desc, for_runs, run_base};
use super::program::{DrawFn, Mem};
use super::worker::{Space, Worker};
use crate::dtype::DType;
use crate::kernel::Index;
use crate::math::random::{BLOCKS, Drawn, Normal, Seed, Uniform, Word};
use crate::table::Law;
use lazuli_inner_loops::level::{Level, levels};
use lazuli_inner_loops::operations::Arg;

/// Up to so many numbers are made one by one: of a set that is made at once most would be thrown away.
const FEW: usize = 3;

/// Numbers that stand up to so far apart are picked from all between them, of which this many at most
/// are made at once. Sums of 200,000 rows of two normal numbers took 63 ms, and 4.1 with this and `FEW`.
const PICKED: i64 = 4;
const BETWEEN: usize = 512;

/// The numbers that are made at once.
const AT_ONCE: usize = 4 * BLOCKS;

levels! {
    /// The loop that draws numbers.
    draw_loop[D: Drawn](dst: *mut u8, at: i64, n: usize, seed: &Seed) = draw::<D>;
}

/// The loop that draws the numbers of a law, for an instruction set.
pub(super) fn draw_fn(law: Law, dtype: DType, level: Level) -> DrawFn {
    match (law, dtype) {
        (Law::Uniform, DType::U32) => draw_loop::<Uniform<u32>>(level),
        (Law::Uniform, DType::U64) => draw_loop::<Uniform<u64>>(level),
        (Law::Uniform, DType::F32) => draw_loop::<Uniform<f32>>(level),
        (Law::Uniform, _) => draw_loop::<Uniform<f64>>(level),
        (Law::Normal, DType::F32) => draw_loop::<Normal<f32>>(level),
        (Law::Normal, _) => draw_loop::<Normal<f64>>(level),
    }
}

#[inline(always)]
unsafe fn draw<D: Drawn>(dst: *mut u8, at: i64, n: usize, seed: &Seed) {
    let lanes = D::Word::LANES as i64;
    let count = D::Word::LANES * BLOCKS;
    if n <= FEW {
        for (k, at) in (at..).take(n).enumerate() {
            let block = seed.block(at.div_euclid(lanes) as u64);
            let word = D::Word::of(block, at.rem_euclid(lanes) as usize);
            // SAFETY: there is room for `n` numbers.
            unsafe { dst.cast::<D::Number>().add(k).write(D::of(word)) };
        }
        return;
    }
    let (mut block, mut skip) = (at.div_euclid(lanes) as u64, at.rem_euclid(lanes) as usize);
    let mut to = dst.cast::<D::Number>();
    let mut left = n;
    while left > 0 {
        if skip == 0 && left >= count {
            // SAFETY: there is room for all numbers of these blocks.
            unsafe { numbers::<D>(block, seed, to) };
            (to, left) = (to.wrapping_add(count), left - count);
        } else {
            let mut made = std::mem::MaybeUninit::<[D::Number; AT_ONCE]>::uninit();
            let some = left.min(count - skip);
            // SAFETY: `made` has room for the numbers of these blocks, of which some are wanted.
            unsafe {
                numbers::<D>(block, seed, made.as_mut_ptr().cast());
                let from = made.as_ptr().cast::<D::Number>().add(skip);
                std::ptr::copy_nonoverlapping(from, to, some);
            }
            (to, left, skip) = (to.wrapping_add(some), left - some, 0);
        }
        block = block.wrapping_add(BLOCKS as u64);
    }
}

/// The numbers of [`BLOCKS`] blocks.
///
/// # Safety
/// There is room for them.
#[inline(always)]
unsafe fn numbers<D: Drawn>(block: u64, seed: &Seed, to: *mut D::Number) {
    let words = seed.blocks(block).map(u64::to_le);
    let words = words.as_ptr().cast::<D::Word>();
    for k in 0..D::Word::LANES * BLOCKS {
        // SAFETY: the blocks hold so many words, and the caller has room for so many numbers.
        unsafe { to.add(k).write(D::of(words.add(k).read())) };
    }
}

impl Worker<'_> {
    /// Draws a tile.
    pub(super) fn draw(
        &self,
        f: DrawFn,
        size: usize,
        index: &Index,
        seed: [u32; 3],
        mem: Mem,
        space: &Space,
    ) -> Arg {
        // SAFETY: the parts of a seed are one `u64` each.
        let [key, first, stream] =
            seed.map(|v| unsafe { self.slots[v as usize].ptr.cast::<u64>().read() });
        let seed = &Seed { key, first, stream };
        let (shape, dst) = (&space.shape, self.mem(mem));
        let temporary: *mut i64 = self.temporary().cast();
        let desc = self.index(index, space, temporary);
        let lane = |k: usize| dst.wrapping_add(k * size);
        // SAFETY: the register has room for the tile, the temporary memory for its indices, and
        // `between` for as many numbers of at most eight bytes as are made in it.
        unsafe {
            match &desc {
                Desc::Affine(a) if a.flat(shape) == Some(0) => {
                    f(dst, a.base, 1, seed);
                    return Arg::near(dst, false);
                }
                Desc::Affine(a) if a.flat(shape) == Some(1) => {
                    f(dst, a.base, shape.len, seed);
                }
                Desc::Affine(a) if shape.rank > 1 && a.strides[shape.rank - 1] == 1 => {
                    for_runs(shape, |k, coordinates| {
                        let count = shape.extent[shape.rank - 1];
                        f(lane(k), run_base(a, coordinates), count, seed);
                    });
                }
                Desc::Affine(a) if (2..=PICKED).contains(&a.flat(shape).unwrap_or(0)) => {
                    let apart = a.flat(shape).expect("one stride") as usize;
                    let mut between = [0u64; BETWEEN];
                    let between: *mut u8 = between.as_mut_ptr().cast();
                    let most = BETWEEN / apart;
                    for k in (0..shape.len).step_by(most) {
                        let count = most.min(shape.len - k);
                        let first = a.base + (k * apart) as i64;
                        f(between, first, (count - 1) * apart + 1, seed);
                        for j in 0..count {
                            let from = between.add(j * apart * size);
                            std::ptr::copy_nonoverlapping(from, lane(k + j), size);
                        }
                    }
                }
                _ => {
                    affine::write(&desc, shape, temporary);
                    for k in 0..shape.len {
                        f(lane(k), *temporary.add(k), 1, seed);
                    }
                }
            }
        }
        Arg::near(dst, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::reference::draw as one;

    /// Numbers of every law and type from odd places on, also from before the first, beside those
    /// drawn one by one.
    #[test]
    fn numbers_from_anywhere_are_the_numbers_one_by_one() {
        let seed = Seed { key: 77, first: 5, stream: 9 };
        let types = [DType::U32, DType::U64, DType::F32, DType::F64];
        let laws = types.map(|t| (Law::Uniform, t)).into_iter();
        for (law, dtype) in laws.chain([(Law::Normal, DType::F32), (Law::Normal, DType::F64)]) {
            for (level, at, n) in Level::available().flat_map(|level| {
                [(0, 1), (0, 64), (3, 61), (1, 300), (64, 129), (7, 4), (-1, 9), (-70, 200)]
                    .map(|(a, n)| (level, a, n))
            }) {
                let mut out = vec![0xAAu8; (n + 1) * dtype.size()];
                // SAFETY: there is room for more than n numbers.
                unsafe { draw_fn(law, dtype, level)(out.as_mut_ptr(), at, n, &seed) };
                for k in (0..n).filter(|&k| at + k as i64 >= 0) {
                    let want = one(law, dtype, seed, (at + k as i64) as u64);
                    let found = &out[k * dtype.size()..][..dtype.size()];
                    assert_eq!(found, want.bytes(), "{law:?} {dtype} {level:?} {at} + {k}");
                }
                assert!(out[n * dtype.size()..].iter().all(|&b| b == 0xAA), "wrote too much");
            }
        }
    }
}
