//! The operations as the CUDA prelude computes them, against the processor's: every row of the
//! table for every type, over its range and over all pairs of special values. The rendered code
//! runs in the emulator, and on a GPU where there is one.

use super::cpu::evaluate;
use super::cuda::emulator;
use super::cuda::gpu_tests::{gpu, run_on};
use super::cuda::prelude::with_prelude;
use crate::dtype::{DType, Scalar, with_dtype};
use crate::function::cpp::type_name;
use crate::table::Op;
use num_complex::Complex;

/// Operations in one translation unit: compiling one for each would take minutes.
const OPS_PER_UNIT: usize = 14;

#[repr(C)]
struct Args {
    inputs: [u64; 3],
    output: u64,
    count: u64,
    which: u64,
}

impl Args {
    fn bytes(&self) -> Vec<u8> {
        let words = self.inputs.into_iter().chain([self.output, self.count, self.which]);
        words.flat_map(u64::to_le_bytes).collect()
    }
}

fn cases_of(ops: &[Op]) -> Vec<(Op, DType)> {
    let types = |op: Op| DType::ALL.into_iter().filter(move |&dtype| op.class().contains(dtype));
    ops.iter().flat_map(|&op| types(op).map(move |dtype| (op, dtype))).collect()
}

/// A kernel that computes case `which` for each element.
fn kernel_of(cases: &[(Op, DType)]) -> String {
    let mut body = String::from(
        "struct Args { const void* in[3]; void* out; lz_i64 count, which; };\n\
         extern \"C\" __global__ void agree(Args p) {\n    \
         lz_i64 i = blockIdx.x * lz_i64(blockDim.x) + threadIdx.x;\n    \
         if (i >= p.count) return;\n    switch (p.which) {\n",
    );
    for (which, &(op, dtype)) in cases.iter().enumerate() {
        let mut expression = op.cuda().to_string();
        for k in 0..op.arity() {
            let argument = type_name(op.argument(k, dtype));
            let load = format!("((const {argument}*)p.in[{k}])[i]");
            expression = expression.replace(&format!("{{{k}}}"), &load);
        }
        let result = type_name(op.result(dtype));
        body += &format!("    case {which}: (({result}*)p.out)[i] = {expression}; break;\n");
    }
    with_prelude(&(body + "    }\n}\n"))
}

const SPECIAL: [f64; 17] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -2.5,
    3.0,
    7.0,
    -7.0,
    1e-42,
    -3e-310,
    1e30,
    -1e305,
    127.0,
];

/// The special values of a type, as scalars.
fn specials(dtype: DType) -> Vec<Scalar> {
    match dtype {
        DType::C64 => pairs(&SPECIAL[..9])
            .map(|(re, im)| Scalar::new(Complex::new(re as f32, im as f32)))
            .collect(),
        DType::C128 => {
            pairs(&SPECIAL[..9]).map(|(re, im)| Scalar::new(Complex::new(re, im))).collect()
        }
        DType::I64 => [i64::MIN, i64::MAX, i64::MIN + 1, -1, 0, 1, 2, 3, -3, 7, 63, 64, 1 << 40]
            .map(Scalar::new)
            .into(),
        DType::U64 => [u64::MAX, u64::MAX - 1, 1 << 63, 0, 1, 2, 3, 7, 63, 64, 1 << 40]
            .map(Scalar::new)
            .into(),
        _ => SPECIAL.iter().map(|&value| Scalar::from_f64(dtype, value)).collect(),
    }
}

fn pairs(values: &[f64]) -> impl Iterator<Item = (f64, f64)> + '_ {
    values.iter().flat_map(|&a| values.iter().map(move |&b| (a, b)))
}

/// Numbers in the operation's range, by a fixed sequence.
struct Draw(u64);

impl Draw {
    fn next(&mut self, (low, high): (f64, f64)) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        low + (high - low) * ((self.0 >> 11) as f64 / (1u64 << 53) as f64)
    }

    fn scalar(&mut self, dtype: DType, range: (f64, f64)) -> Scalar {
        match dtype {
            DType::C64 => {
                Scalar::new(Complex::new(self.next(range) as f32, self.next(range) as f32))
            }
            DType::C128 => Scalar::new(Complex::new(self.next(range), self.next(range))),
            _ => Scalar::from_f64(dtype, self.next(range)),
        }
    }
}

/// Argument tuples: random ones, and the special values crossed with each other.
fn arguments(op: Op, dtype: DType) -> Vec<Vec<Scalar>> {
    let mut draw = Draw(op as u64 * 100 + dtype as u64);
    let types: Vec<DType> = (0..op.arity()).map(|k| op.argument(k, dtype)).collect();
    let mut rows: Vec<Vec<Scalar>> = (0..100)
        .map(|_| types.iter().map(|&dtype| draw.scalar(dtype, op.test_range())).collect())
        .collect();
    // Complex pairs of pairs would be thousands; a third argument takes a few values.
    let values: Vec<Vec<Scalar>> = types
        .iter()
        .enumerate()
        .map(|(k, &dtype)| {
            let step = if k == 2 || (dtype.is_complex() && k > 0) { 5 } else { 1 };
            specials(dtype).into_iter().step_by(step).collect()
        })
        .collect();
    let count: usize = values.iter().map(Vec::len).product();
    for mut n in 0..count {
        let mut row = Vec::new();
        for choices in &values {
            row.push(choices[n % choices.len()]);
            n /= choices.len();
        }
        rows.push(row);
    }
    rows
}

/// Rounds a scalar of the compute type to the type itself.
fn rounded(value: Scalar, dtype: DType) -> Scalar {
    match value.get::<f32>() {
        Some(x) if dtype != DType::F32 => match dtype {
            DType::F16 => Scalar::new(half::f16::from_f32(x)),
            _ => Scalar::new(half::bf16::from_f32(x)),
        },
        _ => value,
    }
}

/// What the processor says: halves are computed in f32 and rounded.
fn expected(op: Op, dtype: DType, args: &[Scalar]) -> Scalar {
    if op == Op::Nextafter && dtype.compute() != dtype {
        return half_nextafter(dtype, args);
    }
    let widened: Vec<Scalar> = args
        .iter()
        .map(|arg| match arg.dtype() {
            half if half.compute() != half => Scalar::new(components(*arg)[0] as f32),
            _ => *arg,
        })
        .collect();
    rounded(evaluate(op, &widened), op.result(dtype))
}

/// The neighbour in the half's own bits.
fn half_nextafter(dtype: DType, args: &[Scalar]) -> Scalar {
    let (x, y) = (components(args[0])[0], components(args[1])[0]);
    let bits = |arg: Scalar| u16::from_le_bytes(arg.bytes().try_into().expect("a half"));
    let from_bits = |bits: u16| match dtype {
        DType::F16 => Scalar::new(half::f16::from_bits(bits)),
        _ => Scalar::new(half::bf16::from_bits(bits)),
    };
    match (x, y) {
        _ if x.is_nan() || y.is_nan() => Scalar::from_f64(dtype, f64::NAN),
        _ if x == y => args[1],
        _ if x == 0.0 => from_bits((bits(args[1]) & 0x8000) | 1),
        _ if (y > x) == (x > 0.0) => from_bits(bits(args[0]) + 1),
        _ => from_bits(bits(args[0]) - 1),
    }
}

/// A number as one or two f64; exact but for 64-bit integers, which are compared by their bytes.
fn components(value: Scalar) -> Vec<f64> {
    match value.dtype() {
        DType::F16 => vec![value.get::<half::f16>().expect("its type").to_f64()],
        DType::BF16 => vec![value.get::<half::bf16>().expect("its type").to_f64()],
        DType::F32 => vec![f64::from(value.get::<f32>().expect("its type"))],
        DType::F64 => vec![value.get::<f64>().expect("its type")],
        DType::C64 => {
            let z = value.get::<Complex<f32>>().expect("its type");
            vec![f64::from(z.re), f64::from(z.im)]
        }
        DType::C128 => {
            let z = value.get::<Complex<f64>>().expect("its type");
            vec![z.re, z.im]
        }
        _ => vec![],
    }
}

/// Relative error allowed, as a multiple of the type's rounding.
fn tolerance(op: Op, dtype: DType) -> f64 {
    let rounding = match dtype {
        DType::F16 => 1.0 / 1024.0,
        DType::BF16 => 1.0 / 128.0,
        DType::F32 | DType::C64 => f64::from(f32::EPSILON),
        _ => f64::EPSILON,
    };
    let units = match op {
        // Zeros between the large values, where only the absolute error is small.
        Op::BesselJ0 | Op::BesselJ1 | Op::BesselY0 | Op::BesselY1 => 64.0,
        // The exponent multiplies the logarithm's error.
        Op::Power => 64.0,
        _ if dtype.is_complex() => 32.0,
        _ => 12.0,
    };
    rounding * units
}

fn agrees(op: Op, dtype: DType, found: Scalar, wanted: Scalar) -> bool {
    if found.bytes() == wanted.bytes() {
        return true;
    }
    let (found, wanted) = (components(found), components(wanted));
    let size = wanted.iter().filter(|x| x.is_finite()).fold(0.0f64, |a, x| a.max(x.abs()));
    // Near the zeros of an oscillating function only the absolute error is small.
    let oscillates = op == Op::Sinc || op.name().starts_with("bessel");
    let floor = if oscillates { 0.1 } else { smallest(dtype) };
    let allowed = tolerance(op, dtype) * size.max(floor);
    // Where one part of a complex number is NaN, C leaves much of the other open.
    let nan = |parts: &[f64]| parts.iter().any(|part| part.is_nan());
    if dtype.is_complex() && nan(&found) && nan(&wanted) {
        return true;
    }
    let close =
        |(&a, &b): (&f64, &f64)| (a.is_nan() && b.is_nan()) || a == b || (a - b).abs() <= allowed;
    !found.is_empty() && found.iter().zip(&wanted).all(close)
}

/// Below this, rounding is absolute.
fn smallest(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 6.2e-5,
        DType::BF16 | DType::F32 | DType::C64 => f64::from(f32::MIN_POSITIVE),
        _ => f64::MIN_POSITIVE,
    }
}

/// A buffer of elements, aligned as the device aligns the largest type.
struct Elements {
    words: Vec<u128>,
    bytes: usize,
}

impl Elements {
    fn new(bytes: usize) -> Self {
        Self { words: vec![0; bytes.div_ceil(16) + 1], bytes }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the words hold at least that many initialised bytes.
        unsafe { std::slice::from_raw_parts_mut(self.words.as_mut_ptr().cast(), self.bytes) }
    }
}

/// Runs the kernel with inputs and an output of the host.
type Runner<'a> =
    &'a dyn Fn(&str, u64, &mut [Elements], &mut Elements, usize) -> Result<(), String>;

fn compare(run: Runner<'_>) {
    let mut failures = Vec::new();
    for ops in Op::ALL.chunks(OPS_PER_UNIT) {
        let cases = cases_of(ops);
        let source = kernel_of(&cases);
        for (which, &(op, dtype)) in cases.iter().enumerate() {
            failures.extend(compare_case(run, &source, which, op, dtype));
        }
    }
    assert!(failures.is_empty(), "{} disagree:\n{}", failures.len(), failures.join("\n"));
}

/// The first disagreements of one case, as text.
fn compare_case(run: Runner<'_>, source: &str, which: usize, op: Op, dtype: DType) -> Vec<String> {
    let rows = arguments(op, dtype);
    let mut inputs: Vec<Elements> = (0..op.arity())
        .map(|k| {
            let size = op.argument(k, dtype).size();
            let mut elements = Elements::new(rows.len() * size);
            let each = elements.bytes_mut().chunks_exact_mut(size).zip(&rows);
            each.for_each(|(bytes, row)| bytes.copy_from_slice(row[k].bytes()));
            elements
        })
        .collect();
    let result = op.result(dtype);
    let mut output = Elements::new(rows.len() * result.size());
    if let Err(error) = run(source, which as u64, &mut inputs, &mut output, rows.len()) {
        return vec![format!("{} of {dtype}: {error}", op.name())];
    }
    let found = output.bytes_mut().chunks_exact(result.size()).map(|bytes| scalar(result, bytes));
    rows.iter()
        .zip(found)
        .filter_map(|(row, found)| {
            let wanted = expected(op, dtype, row);
            (!agrees(op, result, found, wanted))
                .then(|| format!("{}({row:?}): cuda {found:?}, cpu {wanted:?}", op.name()))
        })
        .take(4)
        .collect()
}

fn scalar(dtype: DType, bytes: &[u8]) -> Scalar {
    // SAFETY: the kernel wrote an element of the type, and a bool is 0 or 1.
    with_dtype!(dtype, T => Scalar::new(unsafe { bytes.as_ptr().cast::<T>().read_unaligned() }))
}

#[test]
fn the_prelude_agrees_with_the_processor_in_the_emulator() {
    if !emulator::available() {
        return;
    }
    compare(&|source, which, inputs, output, count| {
        let mut args = Args {
            inputs: [0; 3],
            output: output.words.as_mut_ptr() as u64,
            count: count as u64,
            which,
        };
        for (pointer, input) in args.inputs.iter_mut().zip(inputs) {
            *pointer = input.words.as_mut_ptr() as u64;
        }
        let blocks = count.div_ceil(128) as u32;
        emulator::run(source, "agree", [blocks, 1, 1], [128, 1, 1], 0, &mut args.bytes())
    });
}

#[test]
fn the_prelude_agrees_with_the_processor_on_a_gpu() {
    let Some(device) = gpu() else { return };
    compare(&|source, which, inputs, output, count| {
        let upload = |elements: &mut Elements| {
            let buffer = device.allocate(elements.bytes)?;
            device.copy_to_device(elements.bytes_mut(), &buffer, 0)?;
            Ok::<_, crate::error::Error>(buffer)
        };
        let mut run = || {
            let inputs: Vec<_> = inputs.iter_mut().map(upload).collect::<Result<_, _>>()?;
            let target = device.allocate(output.bytes)?;
            let mut args =
                Args { inputs: [0; 3], output: target.address(), count: count as u64, which };
            for (pointer, input) in args.inputs.iter_mut().zip(&inputs) {
                *pointer = input.address();
            }
            let blocks = count.div_ceil(128) as u32;
            run_on(device, source, "agree", [blocks, 1, 1], [128, 1, 1], 0, &args.bytes())?;
            device.copy_to_host(&target, 0, output.bytes_mut())
        };
        run().map_err(|error: crate::error::Error| error.to_string())
    });
}
