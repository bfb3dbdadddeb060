//! What kernels weigh for NVRTC: no kernel that the planner would leave whole weighs more than the
//! bound, however many functions of whatever kind it calls, and small ones are written as they are.

use super::super::super::compile::{Arch, CompileOptions, compile_to_cubin, nvrtc_is_here};
use super::super::render;
use super::{LARGE, check, fixtures, show};
use crate::dtype::DType::{self, C64, C128, F16, F32, F64, I32, I64};
use crate::kernel::weight::{self, MOST};
use crate::kernel::{Kernel, Val};
use crate::table::{Form, Op};
use std::time::Instant;

const TYPES: [DType; 7] = [F16, F32, F64, C64, C128, I32, I64];

/// The operations that can be done again on their results, with the types on which.
fn chains() -> impl Iterator<Item = (Op, DType)> {
    let all = Op::ALL.iter().flat_map(|&op| TYPES.map(|dtype| (op, dtype)));
    all.filter(|&(op, dtype)| {
        op.class().contains(dtype)
            && op.result(dtype) == dtype
            && matches!(op.form(), Form::unary | Form::binary)
    })
}

/// What compiling takes one operation, by the table.
fn each(kernel: &Kernel) -> u64 {
    (0..kernel.values.len()).map(|k| weight::of_value(kernel, Val(k as u32))).max().unwrap_or(0)
}

#[test]
fn functions_of_every_kind_keep_to_the_bound() {
    for (op, dtype) in chains() {
        for (n, turns) in [(777, 1), (777, 60), (1 << 20, 4), (1 << 20, 30), (1 << 20, 250)] {
            let kernel = fixtures::often(n, dtype, op, turns);
            let (least, rendered) =
                (weight::least(&kernel, &kernel.phases()), render(&kernel, &LARGE).unwrap());
            assert!(
                rendered.weight <= MOST.max(least),
                "{turns} of {op:?} of {dtype}: {} where {least} is the least\n{}",
                rendered.weight,
                rendered.body
            );
        }
    }
}

#[test]
fn what_few_functions_compute_is_written_out() {
    let few = [
        (Op::Sin, F32, 4),
        (Op::Exp, F32, 12),
        (Op::Tanh, F64, 8),
        (Op::Erfinv, F32, 4),
        (Op::Exp, C64, 3),
        (Op::Divide, C128, 6),
        (Op::Power, C128, 1),
        (Op::Multiply, C64, 100),
        (Op::Sqrt, F16, 12),
    ];
    for (op, dtype, turns) in few {
        let kernel = fixtures::often(1 << 20, dtype, op, turns);
        let body = render(&kernel, &LARGE).unwrap().body;
        assert!(!body.contains("lz_once_"), "{turns} of {op:?} of {dtype}:\n{body}");
    }
}

/// Many functions, of complex numbers too, give what the interpreter gives: in packs whose loops stay
/// loops, at an end that is cut, and for usual arguments no more.
#[test]
fn kernels_in_lighter_forms_give_the_same() {
    // The emulator takes seconds for each.
    let heavy = [(Op::Divide, C64, 40, 3), (Op::Logaddexp, F32, 2, 0)];
    for (op, dtype, turns, rest) in heavy {
        let kernel = fixtures::often((1 << 14) + rest, dtype, op, turns);
        let rendered = check(&format!("{turns} of {op:?}"), &fixtures::case(kernel));
        let body = &rendered.body;
        let is_lighter = body.contains("lz_once_") || body.contains("#pragma unroll 1");
        assert!(is_lighter, "{turns} of {op:?} of {dtype}:\n{body}");
    }
}

/// What NVRTC takes for the heaviest kernels is printed, with `LAZULI_ALL_WEIGHTS` for all kinds and
/// numbers of functions, and the size of what it makes is bounded: times are the machine's.
#[test]
fn the_heaviest_kernels_compile_to_little() {
    const MOST_BYTES: usize = 400 << 10;
    if !nvrtc_is_here() {
        return;
    }
    let all = std::env::var_os("LAZULI_ALL_WEIGHTS").is_some();
    let worst = [
        (Op::Divide, C64),
        (Op::Exp, C128),
        (Op::Power, C128),
        (Op::Tan, C64),
        (Op::Sin, F32),
        (Op::Logaddexp, F64),
        (Op::Gamma, F32),
        (Op::Maximum, F64),
        (Op::Multiply, F16),
        (Op::Add, I32),
        (Op::FloorDivide, I64),
    ];
    for (op, dtype) in chains().filter(|chain| all || worst.contains(chain)) {
        for turns in [10, 50, 100, 250].into_iter().filter(|&turns| all || turns == 100) {
            let kernel = fixtures::often(1 << 20, dtype, op, turns);
            let rendered = render(&kernel, &LARGE).unwrap();
            show(&format!("{dtype} {} {turns}", op.name()), &rendered);
            let source = rendered.source();
            let begin = Instant::now();
            let cubin = compile_to_cubin(&source, Arch::new(9, 0), &CompileOptions::default());
            let (time, bytes) = (begin.elapsed(), cubin.expect("a kernel").len());
            println!(
                "{dtype:10} {:14} {turns:4}: {:6.0} ms for {:4.0} by weight ({:5.1} a place), {:4} KB",
                op.name(),
                time.as_secs_f64() * 1e3,
                rendered.weight as f64 / 1e3,
                each(&kernel) as f64 / 1e3,
                bytes >> 10
            );
            assert!(bytes <= MOST_BYTES, "{turns} of {op:?} of {dtype}: {bytes} bytes");
        }
    }
}
