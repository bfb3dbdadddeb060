//! Rows of many distributions, on every instruction set and with several numbers of threads.

use super::super::radix::By;
use super::super::rows::{self, Spare};
use super::*;
use crate::backend::pool;
use lazuli_inner_loops::level::Level;

/// What the values of a row are like.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Bits,
    Uniform,
    Normal,
    Exponential,
    Sorted,
    Reversed,
    Constant,
    Few,
    /// Few different values, of which neighbours are next to each other.
    Close,
    /// Nearly all in a small range, a few far away.
    OneBucket,
    /// Two small ranges far from each other.
    Clusters,
    /// Half of them zero, as what a rectifier gives.
    HalfZero,
    Special,
    Subnormal,
    /// Long runs of equal topmost bits.
    LowBits,
    /// As long as a cache line, over and over.
    Periodic,
}

const KINDS: [Kind; 16] = [
    Kind::Bits,
    Kind::Uniform,
    Kind::Normal,
    Kind::Exponential,
    Kind::Sorted,
    Kind::Reversed,
    Kind::Constant,
    Kind::Few,
    Kind::Close,
    Kind::OneBucket,
    Kind::Clusters,
    Kind::HalfZero,
    Kind::Special,
    Kind::Subnormal,
    Kind::LowBits,
    Kind::Periodic,
];

/// A number of a type; integers get it in millionths, wrapped.
fn of<T: Compared>(x: f64) -> T {
    match T::TYPE.is_float() {
        true => Scalar::from_f64(T::TYPE, x).get::<T>().unwrap(),
        false => T::of_bits((x * 1e6) as i64 as u64),
    }
}

fn row<T: Compared>(kind: Kind, rng: &mut Rng, len: usize) -> Vec<T> {
    let bits = 8 * size_of::<T>() as u32;
    let unit = |rng: &mut Rng| (rng.next() >> 11) as f64 / (1u64 << 53) as f64;
    let special = [0.0, -0.0, f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.0, -1.0];
    let value = |rng: &mut Rng, k: usize| match kind {
        Kind::Bits => T::of_bits(rng.next()),
        Kind::Uniform => of(unit(rng)),
        Kind::Normal => {
            let radius = (-2.0 * (1.0 - unit(rng)).ln()).sqrt();
            of(radius * (std::f64::consts::TAU * unit(rng)).cos())
        }
        Kind::Exponential => of(-(1.0 - unit(rng)).ln()),
        Kind::Sorted => of(k as f64 / len as f64),
        Kind::Reversed => of(-(k as f64) / len as f64),
        Kind::Constant => of(2.5),
        Kind::Few => of((rng.next() % 10) as f64),
        Kind::Close => T::of_bits(100 + rng.next() % 20),
        Kind::OneBucket if rng.next() % 1000 == 0 => of((unit(rng) - 0.5) * 1e30),
        Kind::OneBucket => of(1.0 + unit(rng) * 1e-3),
        Kind::Clusters => of([1.0, 1e4][k % 2] * (1.0 + unit(rng) * 1e-3)),
        Kind::HalfZero => of((unit(rng) - 0.5).max(0.0)),
        Kind::Special if rng.next() % 3 > 0 => of(special[(rng.next() % 8) as usize]),
        Kind::Special => T::of_bits(rng.next()),
        Kind::Subnormal => T::of_bits((rng.next() & 0x3f) | ((rng.next() & 1) << (bits - 1))),
        Kind::LowBits => T::of_bits(((rng.next() % 3) << (bits - 4)) | (rng.next() % 3000)),
        Kind::Periodic => of((k % 64) as f64 + (k % 8) as f64 * unit(rng)),
    };
    (0..len).map(|k| value(rng, k)).collect()
}

/// Memory of the system.
struct Plain(Vec<Vec<u128>>);

impl Spare for Plain {
    fn bytes(&mut self, bytes: usize) -> Result<*mut u8> {
        self.0.push(vec![u128::MAX; bytes.div_ceil(16)]);
        Ok(self.0.last_mut().unwrap().as_mut_ptr().cast())
    }
}

fn sorted<T: Compared, R: crate::dtype::Plain>(x: &[T], call: &Sort, by: By) -> Vec<R> {
    let zero = Scalar::from_f64(R::TYPE, 0.0).get::<R>().unwrap();
    let mut out = vec![zero; x.len()];
    // SAFETY: both hold as many elements of their types as the call says.
    unsafe {
        rows::sort(call, x.as_ptr().cast(), out.as_mut_ptr().cast(), &mut Plain(Vec::new()), by)
            .unwrap();
    }
    out
}

fn check<T: Compared>(x: &[T], rows: usize, descending: bool, by: By, what: &str) {
    let len = x.len() / rows;
    let call = Sort { dtype: T::TYPE, rows, len, descending, positions: true };
    let found = sorted::<T, i64>(x, &call, by);
    let values = sorted::<T, T>(x, &Sort { positions: false, ..call }, by);
    let what = format!("{what} of {}, {rows}x{len}, {by:?}, descending: {descending}", T::TYPE);
    let minus_zero: Option<T> = T::TYPE.is_float().then(|| of(-0.0));
    // SAFETY: elements are plain old data, and both are one.
    let bytes = |x: &T| unsafe {
        std::slice::from_raw_parts(std::ptr::from_ref(x).cast::<u8>(), size_of::<T>()).to_vec()
    };
    let is_minus_zero =
        |x: &T| minus_zero.is_some_and(|zero| *x == zero && bytes(x) == bytes(&zero));
    for r in 0..rows {
        let range = r * len..(r + 1) * len;
        let (x, found, values) = (&x[range.clone()], &found[range.clone()], &values[range]);
        let order = expected(x, descending);
        assert!(found == order, "positions: {what}");
        let same = |(got, &want): (&T, &i64)| got.order(x[want as usize]) == Ordering::Equal;
        assert!(values.iter().zip(&order).all(same), "values: {what}");
        // Zeros keep their signs, and the negative ones come before the others.
        let Some(zero) = minus_zero else { continue };
        let zeros: Vec<bool> = values.iter().filter(|v| **v == zero).map(is_minus_zero).collect();
        let count = x.iter().filter(|v| is_minus_zero(v)).count();
        assert_eq!(zeros.iter().filter(|z| **z).count(), count, "zeros: {what}");
        let in_order =
            zeros.windows(2).all(|z| if descending { z[0] <= z[1] } else { z[0] >= z[1] });
        assert!(in_order, "zeros: {what}");
    }
}

/// Takes turns, so that all numbers of threads meet all instruction sets.
struct Turns([usize; 4], usize);

impl Turns {
    fn new() -> Turns {
        Turns([1, 2, 3, 8], 0)
    }

    fn run<R: Send>(&mut self, f: impl FnOnce(By) -> R + Send) -> R {
        let levels: Vec<Level> = Level::available().collect();
        let threads = self.0[self.1 % self.0.len()];
        let by = By { threads, level: levels[self.1 / self.0.len() % levels.len()] };
        self.1 += 1;
        pool::with_threads(threads, || f(by))
    }
}

#[test]
fn short_rows_of_every_kind() {
    let (mut turns, mut rng) = (Turns::new(), Rng(11));
    for dtype in real() {
        for kind in KINDS {
            for len in [1, 2, 3, 20, 127, 128, 129, 255, 256, 511, 512, 513, 1500] {
                let descending = rng.next() % 2 == 1;
                with_real!(dtype, T => {
                    let x = row::<T>(kind, &mut rng, 3 * len);
                    turns.run(|by| check(&x, 3, descending, by, &format!("{kind:?}")));
                });
            }
        }
    }
}

#[test]
fn long_rows_of_every_kind() {
    // Around where rows are divided, and where one more thread is worth it.
    const LENGTHS: [usize; 8] = [16_383, 16_384, 32_767, 32_768, 32_769, 49_152, 65_536, 100_003];
    let (mut turns, mut rng) = (Turns::new(), Rng(12));
    for dtype in real() {
        for kind in KINDS {
            for _ in 0..2 {
                let len = LENGTHS[(rng.next() % 8) as usize];
                let descending = rng.next() % 2 == 1;
                with_real!(dtype, T => {
                    let x = row::<T>(kind, &mut rng, len);
                    turns.run(|by| check(&x, 1, descending, by, &format!("{kind:?}")));
                });
            }
        }
    }
}

#[test]
fn several_long_rows() {
    let (mut turns, mut rng) = (Turns::new(), Rng(13));
    for rows in [2, 9, 33] {
        let x = row::<f32>(Kind::Normal, &mut rng, rows * 33_000);
        turns.run(|by| check(&x, rows, false, by, "normal"));
        let x = row::<i64>(Kind::Bits, &mut rng, rows * 33_000);
        turns.run(|by| check(&x, rows, true, by, "bits"));
    }
}

#[test]
fn buckets_that_are_too_large_are_divided_again() {
    let (mut turns, mut rng) = (Turns::new(), Rng(14));
    let far = |rng: &mut Rng| f64::from_bits((1 << 62) | (rng.next() % 300_000));
    let near = |rng: &mut Rng| f64::from_bits(rng.next() % 1_000);
    let mut x: Vec<f64> = (0..500_000)
        .map(|k| match k % 5 {
            0 => near(&mut rng),
            1 => 0.5,
            _ => far(&mut rng),
        })
        .collect();
    for _ in 0..3 {
        turns.run(|by| check(&x, 1, false, by, "clusters"));
    }
    // Each level finds the same: most in one place, the rest far from each other.
    for (k, x) in x.iter_mut().enumerate() {
        *x = f64::from_bits(1 << (rng.next() % 63).min(if k % 7 == 0 { 62 } else { 20 }));
        *x = f64::from_bits(x.to_bits() | (rng.next() % 2));
    }
    turns.run(|by| check(&x, 1, true, by, "powers"));
    let ones = row::<i32>(Kind::Constant, &mut rng, 400_000);
    turns.run(|by| check(&ones, 1, false, by, "constant"));
    // All but one are the same, which no sample shows.
    let mut ones = ones;
    ones[200_001] = 7;
    turns.run(|by| check(&ones, 1, false, by, "all but one"));
}

#[test]
fn close_integers_keep_their_order() {
    let (mut turns, mut rng) = (Turns::new(), Rng(15));
    // At most 32 bits from the least to the largest, and one more.
    for most in [1_000, u64::from(u32::MAX), u64::from(u32::MAX) + 1] {
        for low in [0, i64::MIN, -5, i64::MAX - most as i64] {
            let mut x: Vec<i64> =
                (0..40_000).map(|_| low.wrapping_add((rng.next() % most) as i64)).collect();
            x[17] = low;
            x[30_000] = low.wrapping_add(most as i64);
            x[9] = x[30_000];
            turns.run(|by| check(&x, 1, rng.next() % 2 == 1, by, "close integers"));
            turns.run(|by| check(&x, 40, rng.next() % 2 == 1, by, "close integers"));
        }
    }
}

#[test]
fn words_with_all_bits_set_and_none() {
    let mut turns = Turns::new();
    for descending in [false, true] {
        for x in [u64::MAX, 0, 1 << 63] {
            let mut x = vec![x; 70_000];
            turns.run(|by| check(&x, 1, descending, by, "one word"));
            x[5] = u64::MAX;
            x[60_000] = 0;
            turns.run(|by| check(&x, 1, descending, by, "one word and the ends"));
        }
        let x = vec![f64::NAN; 70_000];
        turns.run(|by| check(&x, 1, descending, by, "NaN"));
    }
}
