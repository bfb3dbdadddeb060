//! XORWOW (G. Marsaglia, "Xorshift RNGs", 2003) as cuRAND seeds it and lays it out: the sequence
//! is cut into 4096 parts that begin 2⁶⁷ words after one another, and word `n` of the stream is
//! word `n / 4096` of part `n % 4096`.

use std::sync::LazyLock;

/// The parts of a stream.
pub const PARTS: usize = 4096;

/// The step of the counter that is added to each word.
const STEP: u32 = 362_437;

/// A state: five words of shift register, and the counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Xorwow {
    register: [u32; 5],
    counter: u32,
}

impl Xorwow {
    /// The state that cuRAND makes of a seed.
    pub fn new(seed: u64) -> Self {
        let low = (seed as u32 ^ 0xaad2_6b49).wrapping_mul(0x4182_bed5);
        let high = ((seed >> 32) as u32 ^ 0xf7dc_efdd).wrapping_mul(0x9a7c_ab1b);
        Xorwow {
            register: [
                123_456_789u32.wrapping_add(low),
                362_436_069 ^ low,
                521_288_629u32.wrapping_add(high),
                88_675_123 ^ high,
                5_783_321u32.wrapping_add(low),
            ],
            counter: 6_615_241u32.wrapping_add(high).wrapping_add(low),
        }
    }

    /// The next word.
    #[inline(always)]
    pub fn next(&mut self) -> u32 {
        self.shift();
        self.counter = self.counter.wrapping_add(STEP);
        self.register[4].wrapping_add(self.counter)
    }

    #[inline(always)]
    fn shift(&mut self) {
        let [a, b, c, d, e] = self.register;
        let t = a ^ a >> 2;
        self.register = [b, c, d, e, e ^ e << 4 ^ t ^ t << 1];
    }

    /// The states at which the parts of a seed's stream begin, `words` words on in each.
    pub fn parts(seed: u64, words: u64) -> Vec<Xorwow> {
        let mut state = Xorwow::new(seed);
        state.skip(words);
        let far = &POWERS[67];
        let mut parts = Vec::with_capacity(PARTS);
        for _ in 0..PARTS {
            parts.push(state);
            // The counter comes back to itself after 2³² words.
            state.register = far.times(state.register);
        }
        parts
    }

    /// Moves on by so many words.
    pub fn skip(&mut self, words: u64) {
        for bit in (0..64).filter(|bit| words >> bit & 1 == 1) {
            self.register = POWERS[bit].times(self.register);
        }
        self.counter = self.counter.wrapping_add(STEP.wrapping_mul(words as u32));
    }
}

/// What some steps do to the register, which is linear: where each of its 160 bits goes.
struct Matrix(Box<[[u32; 5]; 160]>);

/// 1, 2, 4, … 2⁶⁷ steps.
static POWERS: LazyLock<Vec<Matrix>> = LazyLock::new(|| {
    let mut powers = vec![Matrix::step()];
    for k in 0..67 {
        powers.push(powers[k].squared());
    }
    powers
});

impl Matrix {
    fn step() -> Matrix {
        let mut columns = Box::new([[0; 5]; 160]);
        for (bit, column) in columns.iter_mut().enumerate() {
            let mut state = Xorwow { register: [0; 5], counter: 0 };
            state.register[bit / 32] = 1 << (bit % 32);
            state.shift();
            *column = state.register;
        }
        Matrix(columns)
    }

    fn times(&self, register: [u32; 5]) -> [u32; 5] {
        let mut sum = [0; 5];
        for (bit, column) in self.0.iter().enumerate() {
            let mask = 0u32.wrapping_sub(register[bit / 32] >> (bit % 32) & 1);
            for k in 0..5 {
                sum[k] ^= column[k] & mask;
            }
        }
        sum
    }

    fn squared(&self) -> Matrix {
        let mut columns = Box::new([[0; 5]; 160]);
        for (to, from) in columns.iter_mut().zip(self.0.iter()) {
            *to = self.times(*from);
        }
        Matrix(columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipping_is_stepping() {
        for words in [0, 1, 2, 63, 1000] {
            let (mut skipped, mut stepped) = (Xorwow::new(42), Xorwow::new(42));
            skipped.skip(words);
            (0..words).for_each(|_| _ = stepped.next());
            assert_eq!(skipped, stepped, "{words}");
        }
    }

    #[test]
    fn words_are_curands() {
        // What cuRAND 10.4 gave on an H200 in its legacy order: words 0, 1, 2, 4095, 4096 and 9999.
        let known: [(u64, [u32; 6]); 2] = [
            (0, [0xbd7f_03b6, 0xebc6_3fb7, 0x09fd_3f29, 0xd772_4d31, 0x703e_556d, 0x3927_050c]),
            (
                0x0123_4567_89ab_cdef,
                [0x1a44_4210, 0x6d3c_9475, 0x1371_96ea, 0x02e8_ecdd, 0x3fcc_a938, 0xe259_487c],
            ),
        ];
        for (seed, words) in known {
            let parts = Xorwow::parts(seed, 0);
            for (place, word) in [0, 1, 2, 4095, 4096, 9999].into_iter().zip(words) {
                let mut part = parts[place % PARTS];
                part.skip((place / PARTS) as u64);
                assert_eq!(part.next(), word, "word {place} of seed {seed}");
            }
        }
    }

    #[test]
    fn parts_are_far_apart() {
        let parts = Xorwow::parts(7, 0);
        // 2⁶⁷ words are 8 times 2⁶⁴.
        let mut state = Xorwow::new(7);
        for _ in 0..8 {
            state.skip(1 << 63);
            state.skip(1 << 63);
        }
        assert_eq!(parts[1], state);
        assert_eq!(parts.len(), PARTS);
    }
}
