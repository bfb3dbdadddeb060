//! Kernels of many turns, against a launch for each turn.

use super::super::skipped::Runs;
use super::super::{Barrier, render_as, render_turns};
use super::*;
use crate::kernel::AxisKind;
use crate::kernel::builder::{Builder, affine};

/// The inputs that may take an output's place, each with the output.
fn pairs(kernel: &Kernel) -> Vec<(u32, u32)> {
    let mut free: Vec<u32> = (0..kernel.inputs.len() as u32).collect();
    let mut pairs = Vec::new();
    for (output, of) in kernel.outputs.iter().enumerate() {
        let fits = |&input: &u32| {
            let input = &kernel.inputs[input as usize];
            (input.dtype, input.len) == (of.dtype, of.len)
        };
        if let Some(at) = free.iter().position(fits) {
            pairs.push((free.remove(at), output as u32));
        }
    }
    pairs
}

/// The outputs of the last of several turns, by the emulator.
pub(super) fn emulate_turns(
    kernel: &Kernel,
    pairs: &[(u32, u32)],
    rendered: &Rendered,
    case: &Case,
    turns: u64,
) -> Vec<Vec<u8>> {
    let form = rendered.turns.as_ref().expect("it has turns");
    let memory = |o: &crate::kernel::Output| Aligned::new(&vec![0; o.len * o.dtype.size()]);
    let mut inputs: Vec<Aligned> = case.inputs.iter().map(|b| Aligned::new(b)).collect();
    let mut outputs: Vec<Aligned> = kernel.outputs.iter().map(memory).collect();
    let mut spares: Vec<Aligned> =
        pairs.iter().map(|pair| memory(&kernel.outputs[pair.1 as usize])).collect();
    let template = &rendered.template;
    let mut bytes = template.bytes.clone();
    for (at, input) in template.inputs.iter().zip(&mut inputs) {
        Template::write_address(&mut bytes, *at, input.address());
    }
    for (at, output) in template.outputs.iter().zip(&mut outputs) {
        Template::write_address(&mut bytes, *at, output.address());
    }
    for (at, scalar) in template.scalars.iter().zip(&case.scalars) {
        if let Some(at) = at {
            Template::write_scalar(&mut bytes, *at, scalar);
        }
    }
    for (&at, spare) in form.spares.iter().zip(&mut spares) {
        Template::write_address(&mut bytes, Some(at), spare.address());
    }
    Template::write_address(&mut bytes, Some(form.turns), turns);
    let (source, shared) = (rendered.source(), rendered.shared_bytes as usize);
    emulator::run(&source, &rendered.entry, rendered.grid, rendered.block, shared, &mut bytes)
        .unwrap_or_else(|e| panic!("{e}\n{}", rendered.body));
    let read = |(output, of): (&mut Aligned, &crate::kernel::Output)| {
        output.bytes(of.len * of.dtype.size()).to_vec()
    };
    outputs.iter_mut().zip(&kernel.outputs).map(read).collect()
}

/// The same by a launch for each turn, of a kernel that is written position by position.
pub(super) fn launched_one_by_one(
    kernel: &Kernel,
    pairs: &[(u32, u32)],
    case: &Case,
    turns: u64,
) -> Vec<Vec<u8>> {
    let rendered = render_as(kernel, &SMALL, Runs::Once).unwrap();
    let mut given = case.clone();
    let mut outputs = Vec::new();
    for _ in 0..turns {
        outputs = emulate(kernel, &rendered, &given);
        for &(input, output) in pairs {
            given.inputs[input as usize].clone_from(&outputs[output as usize]);
        }
    }
    outputs
}

/// Ends a test where elements have other bits than they should, but for those of NaN.
pub(super) fn same(
    kernel: &Kernel,
    found: &[Vec<u8>],
    wanted: &[Vec<u8>],
    what: &dyn Fn() -> String,
) {
    for (k, output) in kernel.outputs.iter().enumerate() {
        let differs = |at: &usize| {
            let element = |bytes: &[u8]| reference::element(bytes, output.dtype, *at);
            let (f, w) = (element(&found[k]), element(&wanted[k]));
            f.bytes() != w.bytes() && !(is_nan(f) && is_nan(w))
        };
        if let Some(at) = (0..output.len).find(differs) {
            panic!("out{k}[{at}] differs: {}", what());
        }
    }
}

/// Checks a kernel that can take many turns; says who waits for whom.
fn check_turns(name: &str, case: &Case, arch: Arch) -> Option<Barrier> {
    let kernel = &case.kernel;
    let pairs = pairs(kernel);
    if pairs.is_empty() || kernel.outputs.iter().any(|o| o.alias.is_some()) {
        return None;
    }
    let rendered = render_turns(kernel, &pairs, &SMALL).ok()?;
    let barrier = rendered.turns.as_ref().map(|form| form.barrier);
    show(&format!("turns of {name}"), &rendered);
    if nvrtc_is_here() {
        compile_to_cubin(&rendered.source(), arch, &CompileOptions::default())
            .unwrap_or_else(|error| panic!("{name}: {error}\n{}", rendered.body));
    }
    // The emulator has one block after the other.
    if !emulator::available() || barrier == Some(Barrier::Grid) {
        return barrier;
    }
    for turns in 1..=3 {
        let found = emulate_turns(kernel, &pairs, &rendered, case, turns);
        let wanted = launched_one_by_one(kernel, &pairs, case, turns);
        same(kernel, &found, &wanted, &|| {
            format!(
                "{name} after {turns} turns\n{}\n{kernel}\n{}",
                rendered.schedule, rendered.body
            )
        });
    }
    barrier
}

fn is_nan(value: Scalar) -> bool {
    let (re, im) = to_complex(value);
    re.is_nan() || im.is_nan()
}

/// Checks the turns of a kernel that the planner made; says who waits for whom.
pub fn check_planned_turns(name: &str, kernel: &Kernel) -> Option<Barrier> {
    check_turns(name, &fixtures::case(kernel.clone()), Arch::new(9, 0))
}

#[test]
fn many_turns_give_what_they_give_one_by_one() {
    let mut met = [0; 3];
    for (name, case) in fixtures::all() {
        match check_turns(name, &case, Arch::new(9, 0)) {
            Some(Barrier::None) => met[0] += 1,
            Some(Barrier::Block) => met[1] += 1,
            Some(Barrier::Grid) => met[2] += 1,
            None => {}
        }
    }
    eprintln!("turns by thread, by block, by grid: {met:?}");
    assert!(met.iter().all(|&count| count > 0), "{met:?}");
}

/// A turn of work on two numbers of which one waits for the other, until both change no more.
#[test]
fn positions_that_change_no_more_take_no_more_turns() {
    let n = 150;
    let mut b = Builder::new(&[(AxisKind::Parallel, n)]);
    let at = || affine(&[(0, 1)], 0);
    let inputs = [(); 2].map(|()| b.input(DType::F64, n));
    let given = b.input(DType::F64, n);
    let [x, y] = inputs.map(|input| b.load(input, at()));
    let (given, one) = (b.load(given, at()), b.scalar(DType::F64));
    let mut work = b.op(Op::Sin, &[x]);
    for _ in 0..3 {
        let sum = b.op(Op::Add, &[work, given]);
        work = b.op(Op::Exp, &[sum]);
        work = b.op(Op::Sin, &[work]);
    }
    let square = b.op(Op::Multiply, &[work, work]);
    let step = b.op(Op::Add, &[square, one]);
    let less = b.op(Op::Subtract, &[x, step]);
    let goes_on = b.op(Op::Greater, &[x, one]);
    let new = b.op(Op::Select, &[goes_on, less, x]);
    b.store(new, at(), n);
    // The other one is what the first was, and one more output is read by nobody.
    b.store(x, at(), n);
    let sum = b.op(Op::Add, &[new, y]);
    b.store(sum, at(), n);
    let pairs = [(0, 0), (1, 1)];
    let rendered = render_turns(&b.kernel, &pairs, &SMALL).unwrap();
    assert!(rendered.schedule.starts_with("a thread a position"), "{}", rendered.schedule);
    assert!(rendered.body.contains(") break;"), "{}", rendered.body);
    if !emulator::available() {
        return;
    }
    let case = fixtures::case(b.kernel.clone());
    for turns in [1, 2, 3, 40] {
        let found = emulate_turns(&b.kernel, &pairs, &rendered, &case, turns);
        let wanted = launched_one_by_one(&b.kernel, &pairs, &case, turns);
        same(&b.kernel, &found, &wanted, &|| format!("{turns} turns\n{}", rendered.body));
    }
}
