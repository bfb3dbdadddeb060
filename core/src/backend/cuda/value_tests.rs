//! Values of the prelude that are no operation: conversions and random words. The code runs in
//! the emulator, and on a GPU where there is one.

use super::emulator;
use super::gpu_tests::{gpu, run_on};
use super::prelude::with_prelude;
use crate::dtype::{DType, Scalar, with_dtype};
use crate::function::cpp::type_name;
use half::{bf16, f16};
use lazuli_elements::testing::halves;
use num_complex::Complex;

/// A number of any real type, in the widest type of its kind.
enum Wide {
    Signed(i64),
    Unsigned(u64),
    Single(f32),
    Double(f64),
}

/// Rust's `as` from the number to a type.
macro_rules! as_type {
    ($number:expr, $to:ty) => {
        match $number {
            Wide::Signed(x) => Scalar::new(x as $to),
            Wide::Unsigned(x) => Scalar::new(x as $to),
            Wide::Single(x) => Scalar::new(x as $to),
            Wide::Double(x) => Scalar::new(x as $to),
        }
    };
}

fn wide(value: Scalar) -> Wide {
    macro_rules! wide_as {
        ($t:ty, $kind:ident) => {
            Wide::$kind(value.get::<$t>().expect("its type").into())
        };
    }
    match value.dtype() {
        DType::Bool => wide_as!(bool, Unsigned),
        DType::I8 => wide_as!(i8, Signed),
        DType::I16 => wide_as!(i16, Signed),
        DType::I32 => wide_as!(i32, Signed),
        DType::I64 => wide_as!(i64, Signed),
        DType::U8 => wide_as!(u8, Unsigned),
        DType::U16 => wide_as!(u16, Unsigned),
        DType::U32 => wide_as!(u32, Unsigned),
        DType::U64 => wide_as!(u64, Unsigned),
        DType::F16 => wide_as!(f16, Single),
        DType::BF16 => wide_as!(bf16, Single),
        DType::F32 => wide_as!(f32, Single),
        DType::F64 => wide_as!(f64, Double),
        DType::C64 => Wide::Single(value.get::<Complex<f32>>().expect("its type").re),
        DType::C128 => Wide::Double(value.get::<Complex<f64>>().expect("its type").re),
        _ => unreachable!("every type has its arm"),
    }
}

fn imaginary(value: Scalar) -> f64 {
    let single = value.get::<Complex<f32>>().map(|z| f64::from(z.im));
    single.or(value.get::<Complex<f64>>().map(|z| z.im)).unwrap_or(0.0)
}

/// The f32 towards zero, odd where digits were lost: another rounding of it is then right, where
/// rounding to nearest twice (as `from_f64` does on processors with an instruction for halves)
/// is not.
fn to_odd(x: f64) -> f32 {
    let y = x as f32;
    let y = if f64::from(y).abs() > x.abs() { f32::from_bits(y.to_bits() - 1) } else { y };
    if f64::from(y) == x || x.is_nan() { y } else { f32::from_bits(y.to_bits() | 1) }
}

fn expected(value: Scalar, to: DType) -> Scalar {
    let number = wide(value);
    let double = match number {
        Wide::Signed(x) => x as f64,
        Wide::Unsigned(x) => x as f64,
        Wide::Single(x) => f64::from(x),
        Wide::Double(x) => x,
    };
    match to {
        DType::Bool => Scalar::new(double != 0.0 || imaginary(value) != 0.0),
        DType::I8 => as_type!(number, i8),
        DType::I16 => as_type!(number, i16),
        DType::I32 => as_type!(number, i32),
        DType::I64 => as_type!(number, i64),
        DType::U8 => as_type!(number, u8),
        DType::U16 => as_type!(number, u16),
        DType::U32 => as_type!(number, u32),
        DType::U64 => as_type!(number, u64),
        DType::F16 => Scalar::new(f16::from_f32(to_odd(double))),
        DType::BF16 => Scalar::new(bf16::from_f32(to_odd(double))),
        DType::F32 => as_type!(number, f32),
        DType::F64 => as_type!(number, f64),
        DType::C64 => {
            let re = as_type!(number, f32).get::<f32>().expect("its type");
            Scalar::new(Complex::new(re, imaginary(value) as f32))
        }
        DType::C128 => Scalar::new(Complex::new(double, imaginary(value))),
        _ => unreachable!("every type has its arm"),
    }
}

/// Values of a type at and about the limits of all types, and between two halves.
fn values(dtype: DType) -> Vec<Scalar> {
    let integers =
        [0i64, 1, -1, 127, 128, -128, -129, 255, 256, 32767, 32768, 65535, 65536, 65519, 65520]
            .into_iter()
            .chain([
                i64::from(i32::MAX),
                1 << 31,
                -(1 << 31) - 1,
                u32::MAX.into(),
                1 << 32,
                i64::MAX,
                i64::MIN,
            ])
            .chain([(1 << 24) + 1, (1 << 53) + 1, 0x0080_8000, 0x0081_8000, 0x1234_5678_9abc_def0]);
    let floats = [0.5, -0.5, 0.999, -0.999, 1.5, 127.9, 128.0, -128.9, -129.0, 255.5, 1e-30, -0.0]
        .into_iter()
        .chain([f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300, 3.5e38, 9.3e18, 1.9e19])
        // Halfway between halves, and a little beside it, where rounding twice would show.
        .chain([2049.0, 2051.0, 2049.0 + 1e-9, 2051.0 - 1e-9, 257.0, 259.0, 257.0 + 1e-9])
        .chain([
            6e-8,
            2.98e-8,
            2.980232238769531e-8,
            2.980_232_238_769_532e-8,
            65519.999,
            65520.0,
            1e-40,
        ]);
    let cast = |x: f64| match dtype {
        DType::F16 => Scalar::new(f16::from_f64(x)),
        DType::BF16 => Scalar::new(bf16::from_f64(x)),
        DType::C64 => Scalar::new(Complex::new(x as f32, 0.25)),
        DType::C128 => Scalar::new(Complex::new(x, 1e-300)),
        _ => Scalar::from_f64(dtype, x),
    };
    let mut all: Vec<Scalar> = integers.clone().map(|x| cast(x as f64)).collect();
    match dtype {
        DType::I64 => all = integers.map(Scalar::new).collect(),
        DType::U64 => all = integers.map(|x| Scalar::new(x as u64)).collect(),
        _ if dtype.is_float() || dtype.is_complex() => all.extend(floats.map(cast)),
        _ => {}
    }
    all
}

/// Runs `body` once for each element of the input bytes; `which` picks the case.
type Runner<'a> = &'a dyn Fn(&str, u64, &mut [u128], &mut [u128], usize) -> Result<(), String>;

fn kernel(cases: &str) -> String {
    with_prelude(&format!(
        "struct Args {{ const void* in; void* out; lz_i64 count, which; }};\n\
         extern \"C\" __global__ void values(Args p) {{\n    \
         lz_i64 i = blockIdx.x * lz_i64(blockDim.x) + threadIdx.x;\n    \
         if (i >= p.count) return;\n    switch (p.which) {{\n{cases}    }}\n}}\n"
    ))
}

fn emulate(
    source: &str,
    which: u64,
    input: &mut [u128],
    output: &mut [u128],
    count: usize,
) -> Result<(), String> {
    let words = [input.as_mut_ptr() as u64, output.as_mut_ptr() as u64, count as u64, which];
    let mut args: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    emulator::run(source, "values", [count.div_ceil(64) as u32, 1, 1], [64, 1, 1], 0, &mut args)
}

fn on_gpu(
    source: &str,
    which: u64,
    input: &mut [u128],
    output: &mut [u128],
    count: usize,
) -> Result<(), String> {
    let device = gpu().ok_or("no GPU")?;
    let mut run = || {
        let from = device.allocate(size_of_val(input))?;
        let to = device.allocate(size_of_val(output))?;
        device.copy_to_device(bytes_of(input), &from, 0)?;
        let words = [from.address(), to.address(), count as u64, which];
        let args: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let blocks = count.div_ceil(64) as u32;
        run_on(device, source, "values", [blocks, 1, 1], [64, 1, 1], 0, &args)?;
        device.copy_to_host(&to, 0, bytes_of(output))
    };
    run().map_err(|error: crate::error::Error| error.to_string())
}

fn bytes_of(words: &mut [u128]) -> &mut [u8] {
    // SAFETY: every bit pattern is a valid byte.
    unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), size_of_val(words)) }
}

fn scalar(dtype: DType, bytes: &[u8]) -> Scalar {
    // SAFETY: the kernel wrote an element of the type, and a bool is 0 or 1.
    with_dtype!(dtype, T => Scalar::new(unsafe { bytes.as_ptr().cast::<T>().read_unaligned() }))
}

/// Equal bits, or NaN both.
fn same(a: Scalar, b: Scalar) -> bool {
    let nan = |x: Scalar| match wide(x) {
        Wide::Single(x) => x.is_nan(),
        Wide::Double(x) => x.is_nan(),
        _ => false,
    };
    a.bytes() == b.bytes() || (nan(a) && nan(b))
}

fn check_conversions(run: Runner<'_>) {
    let mut cases = String::new();
    for (which, (from, to)) in type_pairs().enumerate() {
        let (from, to) = (type_name(from), type_name(to));
        cases += &format!(
            "    case {which}: (({to}*)p.out)[i] = lz_cast<{to}>(((const {from}*)p.in)[i]); break;\n"
        );
    }
    let source = kernel(&cases);
    let mut failures = Vec::new();
    for (which, (from, to)) in type_pairs().enumerate() {
        let values = values(from);
        let (mut input, mut output) = (vec![0u128; values.len()], vec![0u128; values.len()]);
        let each = bytes_of(&mut input).chunks_exact_mut(from.size()).zip(&values);
        each.for_each(|(bytes, value)| bytes.copy_from_slice(value.bytes()));
        run(&source, which as u64, &mut input, &mut output, values.len()).unwrap();
        for (value, found) in values.iter().zip(bytes_of(&mut output).chunks_exact(to.size())) {
            let (found, wanted) = (scalar(to, found), expected(*value, to));
            if !same(found, wanted) {
                failures.push(format!("{value:?} from {from} to {to}: {found:?}, not {wanted:?}"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn type_pairs() -> impl Iterator<Item = (DType, DType)> {
    DType::ALL.into_iter().flat_map(|from| DType::ALL.into_iter().map(move |to| (from, to)))
}

#[test]
fn conversions_mean_what_rust_says_in_the_emulator() {
    if emulator::available() {
        check_conversions(&emulate);
    }
}

#[test]
fn conversions_mean_what_rust_says_on_a_gpu() {
    if gpu().is_some() {
        check_conversions(&on_gpu);
    }
}

/// All f16 to f32 and back, and floats between them to both halves.
fn check_halves(run: Runner<'_>) {
    let source = kernel(
        "    case 0: ((float*)p.out)[i] = lz_to_f32(((const lz_f16*)p.in)[i]); break;\n    \
         case 1: ((lz_f16*)p.out)[i] = lz_round_f16(((const float*)p.in)[i]); break;\n    \
         case 2: ((lz_bf16*)p.out)[i] = lz_round_bf16(((const float*)p.in)[i]); break;\n",
    );
    let mut halves = vec![0u128; 65536 / 8];
    let each = bytes_of(&mut halves).chunks_exact_mut(2).enumerate();
    each.for_each(|(bits, bytes)| bytes.copy_from_slice(&(bits as u16).to_le_bytes()));
    let mut output = vec![0u128; 65536 / 4];
    run(&source, 0, &mut halves, &mut output, 65536).unwrap();
    for (bits, bytes) in bytes_of(&mut output).chunks_exact(4).enumerate() {
        let found = scalar(DType::F32, bytes);
        assert!(same(found, Scalar::new(f16::from_bits(bits as u16).to_f32())), "{bits:#x}");
    }
    // Every 65521st float: all exponents, and mantissas near and at the halfway points.
    let floats: Vec<u32> =
        (0..65536u32).map(|i| i.wrapping_mul(65521) & !(i >> 3 & 0x1fff)).collect();
    let mut input = vec![0u128; 65536 / 4];
    let each = bytes_of(&mut input).chunks_exact_mut(4).zip(&floats);
    each.for_each(|(bytes, bits)| bytes.copy_from_slice(&bits.to_le_bytes()));
    for (which, dtype) in [(1, DType::F16), (2, DType::BF16)] {
        run(&source, which, &mut input, &mut output, 65536).unwrap();
        for (bits, bytes) in floats.iter().zip(bytes_of(&mut output).chunks_exact(2)) {
            let x = f32::from_bits(*bits);
            let wanted = match dtype {
                DType::F16 => Scalar::new(f16::from_f32(x)),
                _ => Scalar::new(bf16::from_f32(x)),
            };
            assert!(same(scalar(dtype, bytes), wanted), "{x:e} to {dtype}");
        }
    }
}

#[test]
fn halves_round_to_nearest_even_in_the_emulator() {
    if emulator::available() {
        check_halves(&emulate);
    }
}

#[test]
fn halves_round_to_nearest_even_on_a_gpu() {
    if gpu().is_some() {
        check_halves(&on_gpu);
    }
}

/// Sums, differences, products and quotients of halves: what a float gives, rounded. Each number
/// with 64 others, extremes and numbers of every size among them.
fn check_half_arithmetic(run: Runner<'_>) {
    const OTHERS: usize = 64;
    let functions = ["lz_add", "lz_subtract", "lz_multiply", "lz_divide"];
    let types = [DType::F16, DType::BF16];
    let cases = types.iter().flat_map(|&dtype| functions.map(|f| (type_name(dtype), f)));
    let case = |(which, (t, f)): (usize, (&str, &str))| {
        format!(
            "    case {which}: {{ const {t} a{{lz_u16(i >> 6)}}, b = ((const {t}*)p.in)[i & 63]; \
             (({t}*)p.out)[i] = {f}(a, b); break; }}\n"
        )
    };
    let source = kernel(&cases.enumerate().map(case).collect::<String>());
    let mut output = vec![0u128; 65536 * OTHERS / 8];
    for (which, dtype) in
        types.into_iter().enumerate().flat_map(|(k, t)| [0, 1, 2, 3].map(|f| (4 * k + f, t)))
    {
        let infinity = if dtype == DType::F16 { 0x7c00u16 } else { 0x7f80 };
        let extremes = [0, 1, 2, infinity - 1, infinity, infinity + 1, 0x3c00, 0x3f80];
        let others: Vec<u16> = (0..OTHERS as u16)
            .map(|k| match extremes.get(k as usize / 2) {
                Some(bits) => bits | ((k % 2) << 15),
                None => k.wrapping_mul(1361).wrapping_add(k << 11),
            })
            .collect();
        let mut input = vec![0u128; OTHERS / 8];
        let each = bytes_of(&mut input).chunks_exact_mut(2).zip(&others);
        each.for_each(|(bytes, bits)| bytes.copy_from_slice(&bits.to_le_bytes()));
        run(&source, which as u64, &mut input, &mut output, 65536 * OTHERS).unwrap();
        let float = |bits: u16| match dtype {
            DType::F16 => f16::from_bits(bits).to_f32(),
            _ => bf16::from_bits(bits).to_f32(),
        };
        for (i, bytes) in bytes_of(&mut output).chunks_exact(2).enumerate() {
            let (x, y) = (float((i / OTHERS) as u16), float(others[i % OTHERS]));
            let wanted = [x + y, x - y, x * y, x / y][which % 4];
            let found = float(u16::from_le_bytes([bytes[0], bytes[1]]));
            let wanted = match dtype {
                DType::F16 => f16::from_f32(wanted).to_f32(),
                _ => bf16::from_f32(wanted).to_f32(),
            };
            let same = found.to_bits() == wanted.to_bits() || found.is_nan() && wanted.is_nan();
            assert!(
                same,
                "{} of {x:e} and {y:e} in {dtype}: {found:e}, not {wanted:e}",
                functions[which % 4]
            );
        }
    }
}

#[test]
fn arithmetic_of_halves_is_that_of_floats_rounded_in_the_emulator() {
    if emulator::available() {
        check_half_arithmetic(&emulate);
    }
}

#[test]
fn arithmetic_of_halves_is_that_of_floats_rounded_on_a_gpu() {
    if gpu().is_some() {
        check_half_arithmetic(&on_gpu);
    }
}

/// Products and sums of halves with one rounding.
fn check_half_mul_add(run: Runner<'_>) {
    let case = |(which, t): (usize, &str)| {
        format!(
            "    case {which}: {{ const {t}* x = (const {t}*)p.in + 3 * i; \
             (({t}*)p.out)[i] = lz_mul_add(x[0], x[1], x[2]); break; }}\n"
        )
    };
    let types = [DType::F16, DType::BF16];
    let cases: String = types.map(type_name).into_iter().enumerate().map(case).collect();
    let source = kernel(&cases);
    for (which, (dtype, format)) in types.into_iter().zip([halves::F16, halves::BF16]).enumerate() {
        let triples = halves::triples(&format);
        let mut input = vec![0u128; (6 * triples.len()).div_ceil(16)];
        let each = bytes_of(&mut input).chunks_exact_mut(2).zip(triples.as_flattened());
        each.for_each(|(bytes, bits)| bytes.copy_from_slice(&bits.to_le_bytes()));
        let mut output = vec![0u128; (2 * triples.len()).div_ceil(16)];
        run(&source, which as u64, &mut input, &mut output, triples.len()).unwrap();
        for (&[x, y, z], bytes) in triples.iter().zip(bytes_of(&mut output).chunks_exact(2)) {
            let (found, wanted) =
                (u16::from_le_bytes([bytes[0], bytes[1]]), format.mul_add(x, y, z));
            let same = found == wanted || format.is_nan(found) && format.is_nan(wanted);
            assert!(same, "{dtype}: {x:#x} * {y:#x} + {z:#x}: {found:#x}, not {wanted:#x}");
        }
    }
}

#[test]
fn mul_add_of_halves_rounds_once_in_the_emulator() {
    if emulator::available() {
        check_half_mul_add(&emulate);
    }
}

#[test]
fn mul_add_of_halves_rounds_once_on_a_gpu() {
    if gpu().is_some() {
        check_half_mul_add(&on_gpu);
    }
}

/// The known answers that come with the generator's paper.
fn check_philox(run: Runner<'_>) {
    let source = kernel(
        "    case 0: {\n        const lz_u32* w = (const lz_u32*)p.in + 8 * i;\n        \
         ((lz_u32x4*)p.out)[i] = lz_philox(lz_u32x4{{w[0], w[1], w[2], w[3]}}, lz_u32x2{{w[4], w[5]}});\n    } break;\n",
    );
    let ones = u32::MAX;
    let counters = [
        [0, 0, 0, 0, 0, 0, 0, 0],
        [ones, ones, ones, ones, ones, ones, 0, 0],
        [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0, 0],
    ];
    let wanted = [
        [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8],
        [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd],
        [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1u32],
    ];
    let (mut input, mut output) = (vec![0u128; 6], vec![0u128; 3]);
    let each = bytes_of(&mut input).chunks_exact_mut(4).zip(counters.as_flattened());
    each.for_each(|(bytes, word)| bytes.copy_from_slice(&word.to_le_bytes()));
    run(&source, 0, &mut input, &mut output, 3).unwrap();
    let words = bytes_of(&mut output).chunks_exact(4);
    for (bytes, word) in words.zip(wanted.as_flattened()) {
        assert_eq!(u32::from_le_bytes(bytes.try_into().unwrap()), *word);
    }
}

#[test]
fn philox_gives_its_known_answers_in_the_emulator() {
    if emulator::available() {
        check_philox(&emulate);
    }
}

#[test]
fn philox_gives_its_known_answers_on_a_gpu() {
    if gpu().is_some() {
        check_philox(&on_gpu);
    }
}
