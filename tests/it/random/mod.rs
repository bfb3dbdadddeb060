//! Random programs: shapes, views, elementwise operations, casts, selections, reductions and
//! assignments of several types, against an eager reference over plain `ndarray` arrays that
//! shares no code with the library, on every device. `LAZULI_SEED` moves the seeds, to try others.

mod reference;
mod steps;

use crate::support::compare::{Tolerance, difference};
use crate::support::value::{Host, Value};
use crate::support::{Rng, on_each_device};
use lazuli::prelude::*;
use reference::magnitude;
use steps::{Program, Rounding, draw};

/// How far rounding may carry a result: not at all where every value on the way was exact.
fn tolerance(expected: &Host, rounding: Rounding) -> Tolerance {
    let relative = match rounding {
        Rounding::None => return Tolerance::default(),
        Rounding::Double => 1e-9,
        Rounding::Single => 2e-4,
    };
    let atol = relative * magnitude(expected).max(1.0);
    Tolerance { rtol: relative, atol, ..Tolerance::default() }
}

fn check(program: &Program, k: usize, value: &Value) {
    let got = value.to_host().unwrap_or_else(|e| panic!("value {k}: {e}"));
    let tolerance = tolerance(&program.values[k], program.rounded[k]);
    if let Some(what) = difference(&got, &program.values[k], tolerance) {
        panic!("value {k}: {what}");
    }
}

/// Prints the program if the test panics meanwhile, wherever that is.
struct Shown<'a>(&'a Program);

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.0);
        }
    }
}

/// Evaluates some values together while some handles are dropped, then the others, so that
/// intermediates are stored, computed again, kept and found.
fn evaluate(program: &Program, rng: &mut Rng) {
    let _shown = Shown(program);
    let values = program.record();
    let mut left: Vec<(usize, Value)> = values.into_iter().enumerate().collect();
    let last = left.pop().into_iter();
    left.retain(|_| !rng.one_in(3));
    left.extend(last);
    while !left.is_empty() {
        let some = 1 + rng.below(3.min(left.len()));
        let together: Vec<(usize, Value)> = left.split_off(left.len() - some);
        let arrays: Vec<&dyn AnyArray> = together.iter().map(|(_, v)| v.any()).collect();
        let roots: Vec<usize> = together.iter().map(|(k, _)| *k).collect();
        eprintln!("evaluating {roots:?}");
        eval(&arrays).unwrap_or_else(|e| panic!("{e}"));
        eval(&arrays).unwrap_or_else(|e| panic!("{e}"));
        together.iter().for_each(|(k, value)| check(program, *k, value));
    }
}

fn run(seeds: std::ops::Range<u64>, length: usize) {
    let first = std::env::var("LAZULI_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(0u64);
    let programs: Vec<Program> =
        seeds.map(|seed| draw(first + seed, length + (seed % 7) as usize)).collect();
    on_each_device(|device| {
        // Every program compiles kernels of its own on a GPU, which takes time.
        let share = if device.is_cuda() { programs.len() / 6 } else { programs.len() };
        for program in &programs[..share] {
            evaluate(program, &mut Rng(program.seed ^ 0x5eed));
        }
    });
}

#[test]
fn short_programs() {
    run(0..400, 4);
}

#[test]
fn long_programs() {
    run(1000..1150, 16);
}

#[test]
fn long_programs_of_other_seeds() {
    run(2000..2100, 28);
}
