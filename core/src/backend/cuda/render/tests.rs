//! Rendered kernels: executed by the emulator against the reference interpreter, compiled by
//! NVRTC, and the same source for every size of a class.

mod fixtures;
#[cfg(test)]
mod identity;
#[cfg(test)]
mod programs;
#[cfg(test)]
mod skipped;
#[cfg(test)]
mod snapshots;
pub mod strips;
pub mod tiled;
pub mod turns;
#[cfg(test)]
mod weights;

use super::{Rendered, Target, Template, render};
use crate::backend::cuda::compile::{Arch, CompileOptions, compile_to_cubin, nvrtc_is_here};
use crate::backend::cuda::emulator;
use crate::dtype::{DType, Scalar};
use crate::kernel::{Kernel, reference};
use crate::table::{Op, Reduction};
use fixtures::Case;

/// A small device, so that few elements already fill it.
const SMALL: Target = Target { multiprocessors: 2, shared_bytes: 64 << 10 };
/// The device that speed is measured on.
pub(super) const LARGE: Target = Target { multiprocessors: 132, shared_bytes: 227 << 10 };

/// The source of a kernel for the large device.
pub fn source(kernel: &Kernel) -> String {
    render(kernel, &LARGE).expect("a kernel that can be rendered").body
}

/// What the kernel weighs for NVRTC on the large device; none where it cannot be launched.
pub fn weight(kernel: &Kernel) -> Option<u64> {
    render(kernel, &LARGE).ok().map(|rendered| rendered.weight)
}

/// Memory aligned as a device's is.
struct Aligned(Vec<u64>, usize);

impl Aligned {
    fn new(bytes: &[u8]) -> Self {
        let words = vec![0u64; bytes.len() / 8 + 64];
        let skip = words.as_ptr().align_offset(256);
        let mut aligned = Aligned(words, skip.min(48));
        aligned.bytes(bytes.len()).copy_from_slice(bytes);
        aligned
    }

    fn bytes(&mut self, len: usize) -> &mut [u8] {
        // SAFETY: the vector is 64 words longer than any length that is asked for.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().add(self.1).cast::<u8>(), len) }
    }

    fn address(&mut self) -> u64 {
        self.bytes(0).as_mut_ptr() as u64
    }
}

/// Runs a rendered kernel in the emulator and gives the outputs' bytes.
fn emulate(kernel: &Kernel, rendered: &Rendered, case: &Case) -> Vec<Vec<u8>> {
    let mut inputs: Vec<Aligned> = case.inputs.iter().map(|b| Aligned::new(b)).collect();
    let mut outputs: Vec<Aligned> =
        kernel.outputs.iter().map(|o| Aligned::new(&vec![0; o.len * o.dtype.size()])).collect();
    let mut scratch = Aligned::new(&vec![0xff; rendered.scratch_bytes]);
    let mut counters = Aligned::new(&vec![0; rendered.counters * 4]);
    let mut bytes = rendered.template.bytes.clone();
    let template = &rendered.template;
    for (k, at) in template.inputs.iter().enumerate() {
        Template::write_address(&mut bytes, *at, inputs[k].address());
    }
    for (k, at) in template.outputs.iter().enumerate() {
        let address = match kernel.outputs[k].alias {
            Some(input) => inputs[input as usize].address(),
            None => outputs[k].address(),
        };
        Template::write_address(&mut bytes, *at, address);
    }
    for (k, at) in template.scalars.iter().enumerate() {
        if let Some(at) = at {
            Template::write_scalar(&mut bytes, *at, &case.scalars[k]);
        }
    }
    Template::write_address(&mut bytes, template.scratch, scratch.address());
    Template::write_address(&mut bytes, template.counters, counters.address());
    let shared = rendered.shared_bytes as usize;
    let source = rendered.source();
    // Twice, so that counters left behind would show.
    for _ in 0..if kernel.outputs.iter().any(|o| o.alias.is_some()) { 1 } else { 2 } {
        emulator::run(&source, &rendered.entry, rendered.grid, rendered.block, shared, &mut bytes)
            .unwrap_or_else(|e| panic!("{e}\n{}", rendered.body));
    }
    assert!(counters.bytes(rendered.counters * 4).iter().all(|&b| b == 0), "counters stay zero");
    let read = |(k, o): (usize, &crate::kernel::Output)| {
        let len = o.len * o.dtype.size();
        match o.alias {
            Some(input) => inputs[input as usize].bytes(len).to_vec(),
            None => outputs[k].bytes(len).to_vec(),
        }
    };
    kernel.outputs.iter().enumerate().map(read).collect()
}

fn to_complex(v: Scalar) -> (f64, f64) {
    if let Some(z) = v.get::<num_complex::Complex<f32>>() {
        return (f64::from(z.re), f64::from(z.im));
    }
    if let Some(z) = v.get::<num_complex::Complex<f64>>() {
        return (z.re, z.im);
    }
    let wide = reference::cast(v, DType::F64);
    (wide.get::<f64>().unwrap_or(f64::NAN), 0.0)
}

fn close(a: Scalar, b: Scalar) -> bool {
    let tolerance = match a.dtype() {
        DType::F16 => 4e-3,
        DType::BF16 => 3e-2,
        DType::F32 | DType::C64 => 3e-5,
        DType::F64 | DType::C128 => 1e-11,
        _ => return a == b,
    };
    let near = |a: f64, b: f64| {
        a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= tolerance * (1.0 + b.abs())
    };
    let (a, b) = (to_complex(a), to_complex(b));
    near(a.0, b.0) && near(a.1, b.1)
}

/// Checks a kernel against the interpreter, as rendered for a small device.
fn check(name: &str, case: &Case) -> Rendered {
    check_on(name, case, &SMALL)
}

fn check_on(name: &str, case: &Case, target: &Target) -> Rendered {
    let kernel = &case.kernel;
    let rendered = render(kernel, target).unwrap();
    show(name, &rendered);
    agrees(name, case, &rendered);
    rendered
}

/// Checks what a kernel gives against the interpreter.
fn agrees(name: &str, case: &Case, rendered: &Rendered) {
    if !emulator::available() {
        return;
    }
    let kernel = &case.kernel;
    let found = emulate(kernel, rendered, case);
    let inputs: Vec<&[u8]> = case.inputs.iter().map(|b| b.as_slice()).collect();
    let mut wanted: Vec<Vec<u8>> = kernel
        .outputs
        .iter()
        .map(|o| match o.alias {
            Some(input) => case.inputs[input as usize].clone(),
            None => vec![0; o.len * o.dtype.size()],
        })
        .collect();
    reference::run(kernel, &inputs, &mut wanted, &case.scalars);
    for (k, output) in kernel.outputs.iter().enumerate() {
        for at in 0..output.len {
            let element = |bytes: &[u8]| reference::element(bytes, output.dtype, at);
            let (f, w) = (element(&found[k]), element(&wanted[k]));
            assert!(
                close(f, w),
                "{name}: out{k}[{at}] is {f:?}, should be {w:?}\n{}\n{kernel}\n{}",
                rendered.schedule,
                rendered.body
            );
        }
    }
}

/// Writes the source into the folder that `LAZULI_SHOW` names, for a look at it.
fn show(name: &str, rendered: &Rendered) {
    if let Some(folder) = std::env::var_os("LAZULI_SHOW") {
        let file = std::path::Path::new(&folder).join(format!("{}.cu", name.replace(' ', "-")));
        let (schedule, weight) = (&rendered.schedule, rendered.weight);
        let text = format!("// {schedule}, weight {weight}\n{}", rendered.source());
        std::fs::write(file, text).unwrap();
    }
}

/// Compiles a kernel for an architecture.
fn compile(name: &str, kernel: &Kernel, target: &Target, arch: Arch) {
    let rendered = render(kernel, target).unwrap();
    show(name, &rendered);
    if let Err(error) = compile_to_cubin(&rendered.source(), arch, &CompileOptions::default()) {
        let log = error.to_string();
        let log = log.split("the source:").next().unwrap_or_default();
        panic!("{name} for {arch}: {log}\n{}", rendered.body);
    }
}

#[test]
fn every_fixture_gives_what_the_interpreter_gives() {
    for (name, case) in fixtures::all() {
        check(name, &case);
    }
}

#[test]
fn few_long_rows_are_shared_by_blocks_also_where_elements_are_stored() {
    for (n, rows) in [(1 << 20, true), (1 << 20, false)] {
        for few in [1, 3] {
            let shape = if rows { [few, n] } else { [n, few] };
            let kernel = fixtures::stored(shape[0], shape[1], Reduction::Max, DType::F64, rows);
            let rendered = render(&kernel, &LARGE).unwrap();
            assert!(
                rendered.grid.iter().product::<u32>() >= 132,
                "{shape:?}: {}",
                rendered.schedule
            );
        }
    }
}

#[test]
fn infinities_and_nan_are_found_at_their_first_place() {
    for (op, worst) in [(Reduction::ArgMax, f32::NEG_INFINITY), (Reduction::ArgMin, f32::INFINITY)]
    {
        for n in [7, 900, 30_001] {
            let mut all = vec![worst; n];
            for (at, value) in [(n, worst), (n - 1, 1.0), (n / 2, f32::NAN), (n / 3, f32::NAN)] {
                all.iter_mut().skip(at).take(1).for_each(|x| *x = value);
                let bytes = all.iter().flat_map(|x| x.to_ne_bytes()).collect();
                let kernel = fixtures::reduction(1, n, op, DType::F32, true);
                check("extremes", &Case { kernel, inputs: vec![bytes], scalars: Vec::new() });
            }
        }
    }
}

/// One multiprocessor, so that a row need not be very long for its parts to be long.
const ONE: Target = Target { multiprocessors: 1, shared_bytes: 64 << 10 };

/// More turns than may wait, as many, and a last one that is cut; beside a sum and of halves.
#[test]
fn what_long_parts_of_ordered_folds_leave_waits_in_shared_memory() {
    for n in [270_001, 8 * 2048 * 32, 600_001] {
        let case = fixtures::case(fixtures::folds([1, 1, n], true));
        let rendered = check_on("long ordered folds", &case, &ONE);
        assert!(rendered.body.contains("wait"), "{}", rendered.body);
        assert!(rendered.schedule.contains("team: 512"), "{}", rendered.schedule);
        if nvrtc_is_here() {
            compile("long ordered folds", &case.kernel, &ONE, Arch::new(9, 0));
        }
    }
}

/// Of heavy expressions each value is computed for a whole item before the next, where there is no
/// form of them without branches.
#[test]
fn heavy_items_are_computed_value_by_value() {
    let lockstep = |kernel: &Kernel| {
        let body = render(kernel, &SMALL).unwrap().body;
        body.lines().filter(|line| line.contains("for (int e")).count() > 4
    };
    assert!(lockstep(&fixtures::heavy(1 << 17, DType::F16, Op::Exp)));
    assert!(lockstep(&fixtures::heavy(40_003, DType::F32, Op::Cosh)));
    assert!(!lockstep(&fixtures::heavy(8192, DType::F32, Op::Exp)));
    assert!(!lockstep(&fixtures::heavy(8192, DType::F64, Op::Cosh)));
    assert!(!lockstep(&fixtures::chain(8192, DType::F32, 0)));
}

/// Heavy expressions of floats are computed by functions for usual arguments, and again where some
/// are not: for whole packs, at an end that is cut, and one by one.
#[test]
fn heavy_items_are_computed_for_usual_arguments_first() {
    let extremes = [0.0, -0.0, f64::INFINITY, f64::NAN, -f64::NAN, 1e-310, -1e308, 1e-42];
    for dtype in [DType::F32, DType::F64] {
        for (n, every) in [(8192, 0), (40_003, 61), (1 << 17, 1000), (777, 1), (1, 1)] {
            let kernel = fixtures::heavy(n, dtype, Op::Exp);
            let mut case = fixtures::case(kernel);
            for (k, input) in case.inputs.iter_mut().enumerate() {
                let places = input.chunks_mut(dtype.size()).skip(k).step_by(every.max(1));
                for (at, place) in places.enumerate().take(n * every.min(1)) {
                    let extreme = Scalar::new(extremes[at % extremes.len()]);
                    place.copy_from_slice(reference::cast(extreme, dtype).bytes());
                }
            }
            let rendered = check("usual", &case);
            assert!(rendered.body.contains("usual.all"), "{}", rendered.body);
            if nvrtc_is_here() {
                compile("usual", &case.kernel, &LARGE, Arch::new(9, 0));
            }
        }
    }
    let light = render(&fixtures::chain(8192, DType::F64, 0), &SMALL).unwrap();
    assert!(!light.body.contains("usual"), "{}", light.body);
}

/// What is called at many places is one function, of any type, in packs and for usual arguments.
#[test]
fn what_is_called_often_is_compiled_once() {
    use DType::{BF16, C128, F16, F32, F64};
    let functions = [
        (Op::Tanh, vec![F16, BF16, F32, F64], 100),
        (Op::Sin, vec![F32, F64], 30),
        (Op::Exp, vec![F32, F64], 200),
        (Op::Exp, vec![C128], 10),
        (Op::Atan2, vec![F32, F64], 50),
        (Op::Power, vec![DType::I32], 200),
    ];
    for (op, types, turns) in functions {
        for dtype in types {
            let many = fixtures::often(777, dtype, op, turns);
            let rendered = check("often", &fixtures::case(many.clone()));
            let body = &rendered.body;
            assert!(body.contains("lz_once_"), "{op:?} of {dtype}:\n{body}");
            if nvrtc_is_here() {
                compile("often", &many, &LARGE, Arch::new(9, 0));
            }
        }
    }
    // A pack has as many places as elements.
    for (op, turns) in [(Op::Tanh, 30), (Op::Sin, 10)] {
        let rendered = check("packs", &fixtures::case(fixtures::often(1 << 14, F32, op, turns)));
        assert!(rendered.body.contains("lz_once_"), "{op:?}:\n{}", rendered.body);
    }
}

/// Whole tiles of a warp are folded together, what is left of them one by one.
#[test]
fn tiles_of_ordered_folds_are_folded_together() {
    for shape in [[1, 1, 9001], [3, 1, 20_000], [40, 1, 1030]] {
        let case = fixtures::case(fixtures::folds(shape, true));
        let rendered = check("tiles of folds", &case);
        assert!(rendered.body.contains("lz_fold_tiles_in_order<4>"), "{}", rendered.body);
    }
}

/// A thread counts in 32 bits, by rows and by columns, except where places are wide.
#[test]
fn what_is_true_is_counted() {
    for (n, m, rows) in [(1, 40_001, true), (30, 700, true), (300, 200, false), (5, 5000, false)] {
        let kernel = fixtures::counts(n, m, rows);
        let rendered = check("counts", &fixtures::case(kernel.clone()));
        assert!(rendered.body.contains("int count"), "{}", rendered.body);
        let rendered = check("wide counts", &fixtures::case(fixtures::wide(kernel)));
        assert!(!rendered.body.contains("int count"), "{}", rendered.body);
    }
    // Long parts of a row, by larger blocks.
    let case = fixtures::case(fixtures::counts(1, 300_007, true));
    let rendered = check_on("long counts", &case, &ONE);
    assert!(rendered.schedule.contains("team: 512"), "{}", rendered.schedule);
}

#[test]
fn every_fixture_compiles() {
    if !nvrtc_is_here() {
        return;
    }
    for (k, (name, case)) in fixtures::all().into_iter().enumerate() {
        let arch = [Arch::new(9, 0), Arch::new(8, 0), Arch::new(10, 0)][k % 3];
        compile(name, &case.kernel, &SMALL, arch);
    }
    for (name, kernel) in fixtures::workloads() {
        compile(name, &kernel, &LARGE, Arch::new(9, 0));
    }
}

/// Checks a kernel that the planner made, with inputs drawn at random: executed by the emulator
/// against the interpreter, and compiled for an architecture, each where that can be done.
pub fn check_planned(name: &str, kernel: &Kernel, arch: (u32, u32)) {
    check(name, &fixtures::case(kernel.clone()));
    compile_planned(name, kernel, arch);
}

/// Compiles a kernel of a plan for an architecture, if NVRTC is here.
pub fn compile_planned(name: &str, kernel: &Kernel, arch: (u32, u32)) {
    if nvrtc_is_here() {
        compile(name, kernel, &LARGE, Arch::new(arch.0, arch.1));
    }
}

/// Numbers without a pattern.
pub(super) struct Noise(pub u64);

impl Noise {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) ^ (self.0 >> 20)
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// An array's bytes: reals between -2 and 2, small integers.
    pub(super) fn array(&mut self, dtype: DType, len: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        for _ in 0..len {
            let real = (self.next() % 4001) as f64 / 1000.0 - 2.0;
            let scalar = match dtype {
                DType::Bool => Scalar::new(real > 0.0),
                d if d.is_integer() => Scalar::from_f64(
                    d,
                    (real * 5.0).round().max(if d.is_signed_integer() { -10.0 } else { 0.0 }),
                ),
                d => reference::cast(Scalar::new(real), d),
            };
            bytes.extend_from_slice(scalar.bytes());
        }
        bytes
    }
}
