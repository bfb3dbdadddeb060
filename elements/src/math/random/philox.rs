//! Philox4x32-10 (J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as
//! 1, 2, 3", 2011): four random words for a counter of 128 bits under a key of 64.

use crate::dtype::Plain;
use crate::math::Math;
use std::marker::PhantomData;

const MULTIPLIERS: [u64; 2] = [0xD251_1F53, 0xCD9E_8D57];
const STEPS: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
const LOW: u64 = 0xFFFF_FFFF;

/// The rounds of the generator.
pub const ROUNDS: usize = 10;

/// Four random words for a counter under a key.
#[inline(always)]
pub fn philox(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let ([mut c0, mut c1, mut c2, mut c3], [mut k0, mut k1]) = (counter, key);
    for _ in 0..ROUNDS {
        let a = u64::from(c0) * MULTIPLIERS[0];
        let b = u64::from(c2) * MULTIPLIERS[1];
        (c0, c1) = ((b >> 32) as u32 ^ c1 ^ k0, b as u32);
        (c2, c3) = ((a >> 32) as u32 ^ c3 ^ k1, a as u32);
        k0 = k0.wrapping_add(STEPS[0]);
        k1 = k1.wrapping_add(STEPS[1]);
    }
    [c0, c1, c2, c3]
}

/// A stream of numbers: the key, the block of the first number, and the number of the stream.
///
/// Block `b` of a stream is Philox of the counter whose lower half is `first + b` and whose upper
/// half is the stream's number. It holds four numbers of 32 bits or two of 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seed {
    pub key: u64,
    pub first: u64,
    pub stream: u64,
}

/// A word of the generator: `u32` or `u64`.
pub trait Word: Copy + 'static {
    /// The words of a block.
    const LANES: usize;
    /// A word of a block.
    fn of(block: [u32; 4], lane: usize) -> Self;
}

impl Word for u32 {
    const LANES: usize = 4;
    #[inline(always)]
    fn of(block: [u32; 4], lane: usize) -> u32 {
        block[lane]
    }
}

impl Word for u64 {
    const LANES: usize = 2;
    #[inline(always)]
    fn of(block: [u32; 4], lane: usize) -> u64 {
        u64::from(block[2 * lane]) | u64::from(block[2 * lane + 1]) << 32
    }
}

/// The blocks that are computed side by side.
pub const BLOCKS: usize = 16;

impl Seed {
    /// Where a draw of that many blocks begins: here, or at the next multiple of 2³² if it would
    /// cross one. So the numbers of a draw's first 2³² blocks differ in their lower 32 bits alone,
    /// and a kernel that counts in as many computes once what depends on the upper ones.
    pub fn with_room_for(self, blocks: u64) -> Seed {
        let before = self.first & u64::from(u32::MAX);
        match before != 0 && blocks > (1 << 32) - before {
            true => Seed { first: self.first.wrapping_add((1 << 32) - before), ..self },
            false => self,
        }
    }

    /// The key of each round.
    pub fn keys(self) -> [u64; ROUNDS] {
        let (low, high) = (self.key as u32, (self.key >> 32) as u32);
        std::array::from_fn(|round| {
            let round = round as u32;
            let low = low.wrapping_add(STEPS[0].wrapping_mul(round));
            let high = high.wrapping_add(STEPS[1].wrapping_mul(round));
            u64::from(low) | u64::from(high) << 32
        })
    }

    /// Four words: block `b` of the stream.
    #[inline(always)]
    pub fn block(self, b: u64) -> [u32; 4] {
        let counter = self.first.wrapping_add(b);
        let halves = |x: u64| [x as u32, (x >> 32) as u32];
        let ([c0, c1], [c2, c3]) = (halves(counter), halves(self.stream));
        philox([c0, c1, c2, c3], halves(self.key))
    }

    /// Word `at` of the stream.
    #[inline(always)]
    pub fn word<W: Word>(self, at: u64) -> W {
        W::of(self.block(at / W::LANES as u64), (at % W::LANES as u64) as usize)
    }

    /// [`BLOCKS`] blocks from `b` on, as pairs of words, the first word in the lower half.
    ///
    /// Words stand in the lower halves of 64 bits throughout: vector units multiply those, and
    /// what the upper halves hold meanwhile does not reach the lower ones.
    #[inline(always)]
    pub fn blocks(self, b: u64) -> [u64; 2 * BLOCKS] {
        let first = self.first.wrapping_add(b);
        let (mut c0, mut c1) = ([0u64; BLOCKS], [0u64; BLOCKS]);
        for k in 0..BLOCKS {
            c0[k] = first.wrapping_add(k as u64);
            c1[k] = c0[k] >> 32;
        }
        let (mut c2, mut c3) = ([self.stream & LOW; BLOCKS], [self.stream >> 32; BLOCKS]);
        let (mut k0, mut k1) = (self.key as u32, (self.key >> 32) as u32);
        for _ in 0..ROUNDS {
            for k in 0..BLOCKS {
                let a = (c0[k] & LOW).wrapping_mul(MULTIPLIERS[0]);
                let b = (c2[k] & LOW).wrapping_mul(MULTIPLIERS[1]);
                c0[k] = (b >> 32) ^ c1[k] ^ u64::from(k0);
                c1[k] = b;
                c2[k] = (a >> 32) ^ c3[k] ^ u64::from(k1);
                c3[k] = a;
            }
            k0 = k0.wrapping_add(STEPS[0]);
            k1 = k1.wrapping_add(STEPS[1]);
        }
        let mut words = [0u64; 2 * BLOCKS];
        for k in 0..BLOCKS {
            words[2 * k] = (c0[k] & LOW) | c1[k] << 32;
            words[2 * k + 1] = (c2[k] & LOW) | c3[k] << 32;
        }
        words
    }
}

/// What a word becomes.
pub trait Drawn: 'static {
    /// The word that it takes.
    type Word: Word;
    /// The number.
    type Number: Plain;
    /// The number that a word becomes.
    fn of(word: Self::Word) -> Self::Number;
}

/// Words themselves, and numbers of `[0, 1)` in steps of 2⁻²⁴ or 2⁻⁵³.
pub struct Uniform<T>(PhantomData<T>);

/// Numbers of the standard normal distribution: a word's lowest bit is the sign, and the others
/// are the probability of a larger magnitude.
pub struct Normal<T>(PhantomData<T>);

macro_rules! words {
    ($($word:ty),*) => {$(
        impl Drawn for Uniform<$word> {
            type Word = $word;
            type Number = $word;
            #[inline(always)]
            fn of(word: $word) -> $word {
                word
            }
        }
    )*};
}
words!(u32, u64);

impl Drawn for Uniform<f32> {
    type Word = u32;
    type Number = f32;
    #[inline(always)]
    fn of(word: u32) -> f32 {
        (word >> 8) as i32 as f32 * (1.0 / (1u32 << 24) as f32)
    }
}

impl Drawn for Uniform<f64> {
    type Word = u64;
    type Number = f64;
    #[inline(always)]
    fn of(word: u64) -> f64 {
        to_f64(word >> 11) * (1.0 / (1u64 << 53) as f64)
    }
}

impl Drawn for Normal<f32> {
    type Word = u32;
    type Number = f32;
    #[inline(always)]
    fn of(word: u32) -> f32 {
        let tail = ((word >> 1) as i32 as f32 + 0.5) * (1.0 / (1u32 << 31) as f32);
        let size = std::f32::consts::SQRT_2 * Math::erfcinv(tail);
        f32::from_bits(size.to_bits() ^ word << 31)
    }
}

impl Drawn for Normal<f64> {
    type Word = u64;
    type Number = f64;
    #[inline(always)]
    fn of(word: u64) -> f64 {
        let tail = (to_f64(word >> 1) + 0.5) * (1.0 / (1u64 << 63) as f64);
        let size = std::f64::consts::SQRT_2 * Math::erfcinv(tail);
        f64::from_bits(size.to_bits() ^ word << 63)
    }
}

/// The nearest `f64`, rounded once: there is no vector instruction for it before AVX-512.
#[inline(always)]
fn to_f64(x: u64) -> f64 {
    const BITS: u64 = 0x4330_0000_0000_0000; // 2⁵², whose lower bits count ones.
    const LARGE: f64 = (1u64 << 52) as f64;
    let high = f64::from_bits(BITS | x >> 32) - LARGE;
    let low = f64::from_bits(BITS | x & LOW) - LARGE;
    high * (1u64 << 32) as f64 + low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn philox_gives_the_published_words() {
        // The known answers that come with the authors' own implementation, Random123.
        let cases = [
            ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
            ([!0; 4], [!0; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
            (
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
                [0xa409_3822, 0x299f_31d0],
                [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
            ),
        ];
        for (counter, key, words) in cases {
            assert_eq!(philox(counter, key), words);
        }
    }

    #[test]
    fn blocks_side_by_side_are_the_blocks() {
        let seed = Seed { key: 0x0123_4567_89ab_cdef, first: (1 << 32) - 5, stream: 3 << 40 | 7 };
        for b in [0, 1, 100, u64::MAX - 3] {
            let words = seed.blocks(b);
            for k in 0..2 * BLOCKS as u64 {
                let block = seed.block(b.wrapping_add(k / 2));
                assert_eq!(words[k as usize], u64::of(block, (k % 2) as usize));
            }
        }
    }

    #[test]
    fn words_become_floats_exactly() {
        assert_eq!(Uniform::<f32>::of(0), 0.0);
        assert_eq!(Uniform::<f32>::of(u32::MAX), 1.0 - f32::EPSILON / 2.0);
        assert_eq!(Uniform::<f64>::of(u64::MAX), 1.0 - f64::EPSILON / 2.0);
        for x in [0, 1, LOW, LOW + 1, u64::MAX, u64::MAX - 1024, (1 << 53) + 1, (1 << 54) + 3] {
            assert_eq!(to_f64(x), x as f64);
        }
        assert!(Normal::<f32>::of(0) > 6.0 && Normal::<f32>::of(1) < -6.0);
        assert!(Normal::<f64>::of(0) > 9.0 && Normal::<f64>::of(1) < -9.0);
        assert!(Normal::<f32>::of(u32::MAX) <= 0.0 && Normal::<f64>::of(u64::MAX - 1) >= 0.0);
    }
}
