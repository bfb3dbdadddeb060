//! Runs functions three ways on the same inputs: as the plain Rust function, as tiles, and as
//! device code under the emulator; and compiles the device code by NVRTC where it is there.

use crate::backend::cpu::level::Level;
use crate::backend::cuda::compile::{Arch, CompileOptions, compile_to_cubin, nvrtc_is_here};
use crate::backend::cuda::emulator;
use crate::backend::cuda::prelude::with_prelude;
use crate::backend::cuda::render::usual;
use crate::dtype::{Complex, DType, Scalar, with_dtype};
use crate::function::cpp::type_name;
use crate::function::{CudaCode, TileArg, TileFn};
use crate::user::code::{Callee, DeviceFn, code, flat};
use crate::user::lanes::LANES;
use crate::user::pack::Pack;
use crate::user::tile::tile_loop;
use std::fmt::Write;

/// What arguments are drawn from.
#[derive(Clone, Copy, PartialEq)]
pub enum Range {
    /// NaN, infinities, zeros, the limits of integers, and numbers between.
    Edges,
    /// Numbers between -9 and 9, so that nothing overflows.
    Small,
    /// Numbers between 0.1 and 9.
    Positive,
}

const SAMPLES: usize = 330;

/// One function for given types, with its inputs and what it must give.
struct Case {
    name: &'static str,
    code: CudaCode,
    args: Vec<DType>,
    results: Vec<DType>,
    inputs: Vec<Vec<u8>>,
    expected: Vec<Vec<u8>>,
    /// For each instruction set of this processor.
    tiles: Vec<(Level, TileFn)>,
    tolerance: f64,
    has_lanes: bool,
}

/// Functions that are compiled together.
#[derive(Default)]
pub struct Cases {
    cases: Vec<Case>,
    definitions: Vec<(String, String)>,
}

impl Cases {
    /// Adds a function, with the relative error that its floats may have.
    pub fn add<F, G>(&mut self, range: Range, tolerance: f64) -> &mut Self
    where
        F: DeviceFn<G>,
        F::Args: Pack,
        F::Output: Pack,
        G: 'static,
    {
        let (mut args, mut results) = (Vec::new(), Vec::new());
        F::Args::dtypes(&mut args);
        F::Output::dtypes(&mut results);
        let code = flat::<F::Args>(&code::<F, G>().cuda, &args, &results);
        for definition in &code.definitions {
            if !self.definitions.contains(definition) {
                self.definitions.push(definition.clone());
            }
        }
        let inputs: Vec<Vec<u8>> =
            args.iter().enumerate().map(|(k, &d)| stream(d, range, k as u64)).collect();
        let expected = plain::<F, G>(&inputs, &args, results.len());
        self.cases.push(Case {
            name: F::NAME,
            code,
            args,
            results,
            inputs,
            expected,
            tiles: Level::available()
                .map(|l| (l, tile_loop::<Callee<F, G>>(l) as TileFn))
                .collect(),
            tolerance,
            has_lanes: F::LANES,
        });
        self
    }

    /// How many of them have a lane form.
    pub fn lane_forms(&self) -> usize {
        self.cases.iter().filter(|case| case.has_lanes).count()
    }

    /// Runs them all and compares.
    pub fn check(&self) {
        for case in &self.cases {
            for &(level, tile) in &case.tiles {
                let how = format!("as a tile for {}", level.name());
                case.compare(&how, &case.run_tile(tile));
            }
        }
        let source = self.source();
        if nvrtc_is_here() {
            let arch = Arch::new(9, 0);
            if let Err(error) = compile_to_cubin(&source, arch, &CompileOptions::default()) {
                panic!("{error}");
            }
        }
        if !emulator::available() {
            return;
        }
        for (k, case) in self.cases.iter().enumerate() {
            let mut outs = case.room();
            let mut words = vec![k as u64, SAMPLES as u64];
            words.extend(pad(case.inputs.iter().map(|i| i.as_ptr() as u64), 12));
            words.extend(pad(outs.iter_mut().map(|o| o.as_mut_ptr() as u64), 12));
            let mut args: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let ran = emulator::run(&source, "all", [1; 3], [1; 3], 0, &mut args);
            ran.unwrap_or_else(|error| panic!("{error}"));
            case.compare("as device code", &outs);
        }
    }

    /// One kernel that runs the function of a number.
    fn source(&self) -> String {
        let mut body: String = self.definitions.iter().map(|(_, text)| text.as_str()).collect();
        let straight = self.cases.iter().map(|case| &case.code).filter(|code| code.is_straight());
        body += &usual::members(straight);
        body += "struct Args { lz_u64 which, n; const void* in[12]; void* out[12]; };\n";
        body += "extern \"C\" __global__ void all(Args p) {\n";
        body += "for (lz_u64 i = 0; i < p.n; ++i) switch (p.which) {\n";
        for (k, case) in self.cases.iter().enumerate() {
            let read =
                |(k, d): (usize, &DType)| format!("((const {}*)p.in[{k}])[i]", type_name(*d));
            let args: Vec<String> = case.args.iter().enumerate().map(read).collect();
            let call = format!("{}({})", case.code.entry, args.join(", "));
            let _ = writeln!(body, "case {k}: {{\nauto r = {call};");
            if case.code.is_straight() {
                // Where all arguments are usual, the form for those gives the same.
                let _ = writeln!(body, "lz_usual_here usual;\nauto again = usual.{call};");
                body += "if (usual.all) r = again;\n";
            }
            for (k, &d) in case.results.iter().enumerate() {
                let part = if case.results.len() == 1 { String::new() } else { format!("._{k}") };
                // The braces keep a result of another type from being converted silently.
                let t = type_name(d);
                let _ = writeln!(body, "static_assert(lz_same<decltype(r{part}), {t}>, \"\");");
                let _ = writeln!(body, "(({t}*)p.out[{k}])[i] = r{part};");
            }
            body += "break;\n}\n";
        }
        with_prelude(&(body + "}\n}\n"))
    }
}

fn pad(words: impl Iterator<Item = u64>, count: usize) -> Vec<u64> {
    let mut words: Vec<u64> = words.collect();
    words.resize(count, 0);
    words
}

impl Case {
    fn room(&self) -> Vec<Vec<u8>> {
        self.results.iter().map(|d| vec![0u8; d.size() * SAMPLES]).collect()
    }

    fn run_tile(&self, tile: TileFn) -> Vec<Vec<u8>> {
        let mut outs = self.room();
        let args: Vec<TileArg> =
            self.inputs.iter().map(|i| TileArg::near(i.as_ptr(), true)).collect();
        let pointers: Vec<*mut u8> = outs.iter_mut().map(|o| o.as_mut_ptr()).collect();
        // SAFETY: every stream has SAMPLES elements of its type.
        unsafe { tile(&args, &pointers, SAMPLES) };
        outs
    }

    fn compare(&self, how: &str, found: &[Vec<u8>]) {
        for (k, &dtype) in self.results.iter().enumerate() {
            for i in 0..SAMPLES {
                let at = |list: &[Vec<u8>]| scalar(dtype, &list[k][i * dtype.size()..]);
                let (found, wanted) = (at(found), at(&self.expected));
                if !close(found, wanted, self.tolerance) {
                    let inputs = self.args.iter().zip(&self.inputs);
                    let inputs: Vec<Scalar> =
                        inputs.map(|(&d, list)| scalar(d, &list[i * d.size()..])).collect();
                    panic!(
                        "{} {how}: {found:?} instead of {wanted:?} for {inputs:?} (part {k})",
                        self.name
                    );
                }
            }
        }
    }
}

/// The plain function on every element.
fn plain<F, G>(inputs: &[Vec<u8>], args: &[DType], results: usize) -> Vec<Vec<u8>>
where
    F: DeviceFn<G>,
    F::Args: Pack,
    F::Output: Pack,
{
    let mut outs = vec![Vec::new(); results];
    for i in 0..SAMPLES {
        let parts = inputs.iter().zip(args);
        let args: Vec<TileArg> =
            parts.map(|(list, d)| TileArg::near(list[i * d.size()..].as_ptr(), false)).collect();
        // SAFETY: every stream has one element where the pointer points.
        let lanes = unsafe { F::Args::load(&args, 0, LANES) };
        let mut scalars = Vec::new();
        F::plain(F::Args::get(&lanes, 0)).scalars(&mut scalars);
        for (out, scalar) in outs.iter_mut().zip(scalars) {
            out.extend_from_slice(scalar.bytes());
        }
    }
    outs
}

fn scalar(dtype: DType, bytes: &[u8]) -> Scalar {
    // SAFETY: the bytes are those of an element of that type.
    with_dtype!(dtype, T => Scalar::new(unsafe { bytes.as_ptr().cast::<T>().read_unaligned() }))
}

fn parts(value: Scalar) -> Option<(f64, f64)> {
    match value.dtype() {
        DType::F16 => value.get::<half::f16>().map(|v| (v.to_f64(), 0.0)),
        DType::BF16 => value.get::<half::bf16>().map(|v| (v.to_f64(), 0.0)),
        DType::F32 => value.get::<f32>().map(|v| (v.into(), 0.0)),
        DType::F64 => value.get::<f64>().map(|v| (v, 0.0)),
        DType::C64 => value.get::<Complex<f32>>().map(|v| (v.re.into(), v.im.into())),
        DType::C128 => value.get::<Complex<f64>>().map(|v| (v.re, v.im)),
        _ => None,
    }
}

fn close(a: Scalar, b: Scalar, tolerance: f64) -> bool {
    let (Some(x), Some(y)) = (parts(a), parts(b)) else { return a.bytes() == b.bytes() };
    let same = |a: f64, b: f64, scale: f64| {
        a.is_nan() && b.is_nan()
            || a == b && (a != 0.0 || a.is_sign_negative() == b.is_sign_negative() || scale > 0.0)
            || (a - b).abs() <= tolerance * scale
    };
    let scale = y.0.hypot(y.1).max(tolerance.min(1e-12));
    let scale = if scale.is_finite() { scale } else { 0.0 };
    same(x.0, y.0, scale) && same(x.1, y.1, scale)
}

fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The elements of one argument.
fn stream(dtype: DType, range: Range, k: u64) -> Vec<u8> {
    let mut state = 7 + 1000 * k;
    (0..SAMPLES).flat_map(|_| sample(dtype, range, &mut state).bytes().to_vec()).collect()
}

fn sample(dtype: DType, range: Range, state: &mut u64) -> Scalar {
    const FLOATS: [f64; 13] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        f64::NAN,
        -f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        2.5,
        -3.5,
        1e-3,
        300.0,
    ];
    let (pick, bits) = (random(state), random(state));
    let unit = random(state) as f64 / u64::MAX as f64;
    let low = match range {
        Range::Positive => 0.1,
        _ if dtype.is_integer() && !dtype.is_signed_integer() => 0.0,
        _ => -9.0,
    };
    let number = low + (9.0 - low) * unit;
    let edge = range == Range::Edges && pick % 2 == 0;
    match dtype {
        DType::Bool => Scalar::new(bits & 1 == 1),
        DType::C64 | DType::C128 => {
            let im = random(state) as f64 / u64::MAX as f64 * 18.0 - 9.0;
            match dtype {
                DType::C64 => Scalar::new(Complex::new(number as f32, im as f32)),
                _ => Scalar::new(Complex::new(number, im)),
            }
        }
        d if d.is_float() => {
            let value = if edge { FLOATS[(pick / 2) as usize % FLOATS.len()] } else { number };
            Scalar::from_f64(d, value)
        }
        // All bits count at the edges.
        DType::I64 if range == Range::Edges => Scalar::new(integer(pick, bits) as i64),
        DType::U64 if range == Range::Edges => Scalar::new(integer(pick, bits)),
        DType::I32 if range == Range::Edges => Scalar::new(integer(pick, bits) as i32),
        DType::U32 if range == Range::Edges => Scalar::new(integer(pick, bits) as u32),
        DType::I16 if range == Range::Edges => Scalar::new(integer(pick, bits) as i16),
        DType::U16 if range == Range::Edges => Scalar::new(integer(pick, bits) as u16),
        DType::I8 if range == Range::Edges => Scalar::new(integer(pick, bits) as i8),
        DType::U8 if range == Range::Edges => Scalar::new(integer(pick, bits) as u8),
        d => Scalar::from_f64(d, number.round()),
    }
}

/// Bits whose lower parts are the limits of the narrower types as well.
fn integer(pick: u64, bits: u64) -> u64 {
    match pick % 8 {
        0 => 0,
        1 => 1,
        2 => u64::MAX,
        3 => 0x8000_8000_8000_8080,
        4 => 0x7fff_7fff_7fff_7f7f,
        5 => 1 << 63,
        6 => bits % 70,
        _ => bits,
    }
}
