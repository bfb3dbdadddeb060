//! Against the standard library's stable sort and plain loops.

use super::*;
use crate::backend::Backend;
use crate::backend::cpu::Cpu;
use crate::dtype::{DType, Plain, Scalar, bf16, f16};
use crate::library::sort::{Check, Combine, Nonzero, Scatter, Sort, Top};
use std::cmp::Ordering;

/// A small generator of random numbers (SplitMix64).
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// The order of elements, as NumPy has it.
trait Compared: Plain {
    fn order(self, other: Self) -> Ordering;
    fn of_bits(bits: u64) -> Self;
    #[allow(clippy::eq_op)]
    fn is_nan(self) -> bool {
        self != self
    }
}

macro_rules! compared {
    ($($t:ty: $of:expr;)*) => {$(
        impl Compared for $t {
            #[allow(clippy::eq_op)]
            fn order(self, other: Self) -> Ordering {
                let nan = (self != self, other != other);
                match nan {
                    (false, false) => self.partial_cmp(&other).unwrap(),
                    _ => nan.0.cmp(&nan.1),
                }
            }
            fn of_bits(bits: u64) -> Self {
                let of: fn(u64) -> Self = $of;
                of(bits)
            }
        }
    )*};
}
compared! {
    bool: |b| b & 1 == 1; i8: |b| b as i8; i16: |b| b as i16; i32: |b| b as i32; i64: |b| b as i64;
    u8: |b| b as u8; u16: |b| b as u16; u32: |b| b as u32; u64: |b| b;
    f16: |b| f16::from_bits(b as u16); bf16: |b| bf16::from_bits(b as u16);
    f32: |b| f32::from_bits(b as u32); f64: f64::from_bits;
}

/// The types that have an order.
fn real() -> impl Iterator<Item = DType> {
    DType::ALL.into_iter().filter(|dtype| !dtype.is_complex())
}

/// `with_dtype` for the types that have an order.
macro_rules! with_real {
    ($dtype:expr, $T:ident => $body:expr) => {
        match $dtype {
            DType::Bool => {
                type $T = bool;
                $body
            }
            DType::I8 => {
                type $T = i8;
                $body
            }
            DType::I16 => {
                type $T = i16;
                $body
            }
            DType::I32 => {
                type $T = i32;
                $body
            }
            DType::I64 => {
                type $T = i64;
                $body
            }
            DType::U8 => {
                type $T = u8;
                $body
            }
            DType::U16 => {
                type $T = u16;
                $body
            }
            DType::U32 => {
                type $T = u32;
                $body
            }
            DType::U64 => {
                type $T = u64;
                $body
            }
            DType::F16 => {
                type $T = f16;
                $body
            }
            DType::BF16 => {
                type $T = bf16;
                $body
            }
            DType::F32 => {
                type $T = f32;
                $body
            }
            DType::F64 => {
                type $T = f64;
                $body
            }
            other => panic!("{other} has no order"),
        }
    };
}

mod kinds;

fn upload<T: Plain>(cpu: &Cpu, values: &[T]) -> Buffer {
    // SAFETY: elements are plain old data.
    let bytes =
        unsafe { std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), size_of_val(values)) };
    cpu.upload(bytes).unwrap()
}

/// Runs a call on one result.
fn run<R: Plain>(cpu: &Cpu, call: Sorting, inputs: &[&Buffer]) -> Result<Vec<R>> {
    let (len, dtype) = call.outputs()[0];
    assert_eq!(dtype, R::TYPE);
    let out = cpu.allocate(len * size_of::<R>())?;
    prepare(&call, &cpu.heap).run(inputs, &[&out], &[])?;
    // SAFETY: the call filled the buffer.
    Ok(unsafe { slice::<R>(&out, len) }.to_vec())
}

/// Numbers of all kinds: few different ones, many, all bits, and what is special to floats.
fn values<T: Compared>(rng: &mut Rng, len: usize) -> Vec<T> {
    let kind = rng.next() % 4;
    let special: Vec<T> = [0.0, -0.0, f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.0]
        .map(|x| Scalar::from_f64(T::TYPE, x).get::<T>().unwrap())
        .into();
    let value = |rng: &mut Rng| match kind {
        0 => T::of_bits(rng.next() % 5),
        1 if rng.next() % 3 == 0 => special[(rng.next() % 7) as usize],
        2 => Scalar::from_f64(T::TYPE, (rng.next() % 100) as f64).get::<T>().unwrap(),
        _ => T::of_bits(rng.next()),
    };
    (0..len).map(|_| value(rng)).collect()
}

/// The positions that sort a row, stable.
fn expected<T: Compared>(row: &[T], descending: bool) -> Vec<i64> {
    let mut order: Vec<i64> = (0..row.len() as i64).collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (row[a as usize], row[b as usize]);
        match descending && !a.is_nan() && !b.is_nan() {
            true => b.order(a),
            false => a.order(b),
        }
    });
    order
}

fn check_rows<T: Compared>(cpu: &Cpu, rng: &mut Rng, rows: usize, len: usize, descending: bool) {
    let x = values::<T>(rng, rows * len);
    let input = upload(cpu, &x);
    let sort = Sort { dtype: T::TYPE, rows, len, descending, positions: true };
    let order: Vec<Vec<i64>> =
        (0..rows).map(|r| expected(&x[r * len..(r + 1) * len], descending)).collect();
    let found = run::<i64>(cpu, Sorting::Sort(sort.clone()), &[&input]).unwrap();
    assert!(found == order.concat(), "positions of {} {rows}x{len}", T::TYPE);
    let keys = Sort { positions: false, ..sort.clone() };
    let sorted = run::<T>(cpu, Sorting::Sort(keys), &[&input]).unwrap();
    for (k, got) in sorted.into_iter().enumerate() {
        let want = x[k / len * len + order[k / len][k % len] as usize];
        assert_eq!(got.order(want), Ordering::Equal, "{} {rows}x{len}: {got:?} {want:?}", T::TYPE);
    }
    for count in [1, len.min(7), len / 2, len] {
        let top = Top { sort: sort.clone(), count };
        let found = run::<i64>(cpu, Sorting::Top(top), &[&input]).unwrap();
        let want: Vec<i64> = order.iter().flat_map(|o| o[..count].to_vec()).collect();
        assert!(found == want, "the first {count} of {} {rows}x{len}", T::TYPE);
    }
}

#[test]
fn rows_of_every_type_and_length() {
    let (cpu, mut rng) = (Cpu::new(), Rng(1));
    for dtype in real() {
        for (rows, len) in [(1, 1), (3, 2), (200, 5), (7, 100), (2, 600), (9, 1025), (1, 20_000)] {
            let descending = rng.next() % 2 == 1;
            with_real!(dtype, T => check_rows::<T>(&cpu, &mut rng, rows, len, descending));
        }
    }
}

#[test]
fn long_rows_over_several_threads_and_by_whole_lines() {
    let (cpu, mut rng) = (Cpu::new(), Rng(2));
    for dtype in [DType::U8, DType::F16, DType::F32, DType::I64] {
        with_real!(dtype, T => check_rows::<T>(&cpu, &mut rng, 1, 300_001, false));
        with_real!(dtype, T => check_rows::<T>(&cpu, &mut rng, 2, 150_003, true));
    }
}

#[test]
fn keys_go_there_and_back() {
    for dtype in real() {
        for descending in [false, true] {
            let e = crate::library::sort::Encoding::of(dtype, descending, false);
            for bits in 0..=u16::MAX {
                let code = word::Code::<u16>::new(&e);
                let there = word::Word::encode(bits, &code);
                if dtype.size() == 2
                    && !(dtype == DType::F16 && f16::from_bits(bits).is_nan())
                    && !(dtype == DType::BF16 && bf16::from_bits(bits).is_nan())
                {
                    assert_eq!(word::Word::decode(there, &code), bits);
                }
            }
        }
    }
    let e = crate::library::sort::Encoding::of(DType::F32, true, false);
    let code = word::Code::<u32>::new(&e);
    let key = word::Word::encode(f32::NAN.to_bits(), &code);
    assert!(f32::from_bits(word::Word::decode(key, &code)).is_nan());
}

#[test]
fn where_a_mask_is_true() {
    let (cpu, mut rng) = (Cpu::new(), Rng(3));
    for len in [1, 63, 65_536, 200_000] {
        for some in [1, 2, 50] {
            let mask: Vec<bool> = (0..len).map(|_| rng.next() % some == 0).collect();
            let want: Vec<i64> = (0..len as i64).filter(|&k| mask[k as usize]).collect();
            let call = Nonzero { len, count: want.len() };
            let found = run::<i64>(&cpu, Sorting::Nonzero(call), &[&upload(&cpu, &mask)]).unwrap();
            assert_eq!(found, want);
        }
    }
}

fn scattered<T: Compared>(cpu: &Cpu, rng: &mut Rng, combine: Combine, count: usize, shared: bool) {
    let (outer, len, inner) = (3, 50, 4);
    let call = Scatter {
        name: "put",
        axis: 1,
        dtype: T::TYPE,
        outer,
        len,
        inner,
        count,
        shared,
        combine,
        ordered: true,
    };
    let small =
        |rng: &mut Rng| Scalar::from_f64(T::TYPE, (rng.next() % 3) as f64).get::<T>().unwrap();
    let base: Vec<T> = (0..outer * len * inner).map(|_| small(rng)).collect();
    let given: Vec<T> = (0..outer * count * inner).map(|_| small(rng)).collect();
    let indices: Vec<i64> = (0..if shared { count } else { given.len() })
        .map(|_| (rng.next() % 2 * len as u64) as i64 - (rng.next() % len as u64) as i64)
        .map(|k| k.min(len as i64 - 1))
        .collect();
    let inputs = [upload(cpu, &base), upload(cpu, &indices), upload(cpu, &given)];
    let found = run::<T>(cpu, Sorting::Scatter(call), &inputs.each_ref()).unwrap();
    let mut want: Vec<f64> = base.iter().map(|&x| number(x)).collect();
    for (k, &value) in given.iter().enumerate() {
        let (o, j, i) = (k / (count * inner), k / inner % count, k % inner);
        let index = indices[if shared { j } else { k }];
        let index = if index < 0 { index + len as i64 } else { index } as usize;
        let to = &mut want[(o * len + index) * inner + i];
        let value = number(value);
        *to = match (combine, T::TYPE) {
            (Combine::Put, _) => value,
            (Combine::Add, DType::Bool) | (Combine::Max, _) => to.max(value),
            (Combine::Add, _) => *to + value,
            (Combine::Multiply, _) => *to * value,
            (Combine::Min, _) => to.min(value),
        };
    }
    let want: Vec<T> = want.iter().map(|&x| Scalar::from_f64(T::TYPE, x).get().unwrap()).collect();
    assert_eq!(found, want, "{combine:?} of {}", T::TYPE);
}

/// A small number of any type.
fn number<T: Compared>(x: T) -> f64 {
    (0..1000)
        .map(f64::from)
        .find(|&n| Scalar::from_f64(T::TYPE, n).get::<T>().unwrap() == x)
        .unwrap_or(f64::INFINITY)
}

#[test]
fn values_come_to_their_places_in_order() {
    let (cpu, mut rng) = (Cpu::new(), Rng(4));
    for dtype in [DType::Bool, DType::I32, DType::U64, DType::F16, DType::F32, DType::F64] {
        for combine in [Combine::Put, Combine::Add, Combine::Min, Combine::Max] {
            for (count, shared) in [(1, true), (20, true), (30, false), (3000, true)] {
                with_real!(dtype, T => scattered::<T>(&cpu, &mut rng, combine, count, shared));
            }
        }
    }
}

#[test]
fn an_index_out_of_range_is_named_and_nothing_is_written() {
    let cpu = Cpu::new();
    let call = Scatter {
        name: "put",
        axis: 2,
        dtype: DType::I32,
        outer: 1,
        len: 3,
        inner: 1,
        count: 4,
        shared: true,
        combine: Combine::Put,
        ordered: true,
    };
    let inputs =
        [upload(&cpu, &[1, 2, 3]), upload(&cpu, &[0i64, 2, 3, -4]), upload(&cpu, &[7, 8, 9, 10])];
    let error = run::<i32>(&cpu, Sorting::Scatter(call), &inputs.each_ref()).unwrap_err();
    let text = "put: index 3, number 2 of the indices, is out of bounds for axis 2 of length 3";
    assert_eq!(error.to_string(), text);
    let check = Check { name: "take", axis: 0, len: 3, count: 3 };
    let found = run::<i64>(&cpu, Sorting::Check(check.clone()), &[&upload(&cpu, &[0i64, -3, -1])]);
    assert_eq!(found.unwrap(), [0, 0, 2]);
    let found = run::<i64>(&cpu, Sorting::Check(check), &[&upload(&cpu, &[0i64, 1, -4])]);
    assert!(found.unwrap_err().to_string().starts_with("take: index -4, number 2"));
}
