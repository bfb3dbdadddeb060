//! How much of a kernel a GPU's compiler has to compile: microseconds of NVRTC 13.0's time on one
//! core of a server, measured on kernels of one operation each and rounded up.
//!
//! A renderer counts what it writes; what the planner counts here is the lightest form that a kernel
//! has, in which functions are compiled once and called.

use super::phases::Phases;
use super::{AxisKind, AxisSet, Inst, Kernel, Val};
use crate::dtype::DType;
use crate::function::{Function, ScanBy};
use crate::table::Op;
use rustc_hash::FxHashMap;

/// A call of a function that is compiled once.
pub const CALL: u32 = 350;
/// A load, with the place that it reads.
const LOAD: u64 = 800;
/// A position, or a condition on one.
const INDEX: u64 = 250;
/// A reduction or a scan, with how threads combine what they have. This is flat: the templates of
/// long scans, ordered folds and positions of extremes down columns took 100 to 400 ms on a loaded
/// machine, so that the bound does not hold for them.
const REDUCTION: u64 = 6_000;
/// Random numbers: a block of the generator, and what is made of it.
const DRAW: u64 = 4_000;

/// What a kernel may weigh: NVRTC takes a quarter of a second for it, with what it takes for any. A
/// user's function, which is compiled whole, and reductions can take longer.
pub const MOST: u64 = 200_000;

/// Serial loops up to this many turns are written out.
const UNROLLED_TURNS: usize = 16;
/// The most values that writing out may add up to in nested loops.
const UNROLLED_NEST: usize = 64;

/// A function that can be compiled once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Called<'k> {
    /// An operation, on a first argument of this type.
    Op(Op, DType),
    /// A user's function.
    User(&'k Function),
}

impl<'k> Called<'k> {
    /// The function that a value calls, where a call of it is less to compile than the function.
    pub fn of(kernel: &'k Kernel, v: Val) -> Option<Called<'k>> {
        let called = match &kernel.value(v).inst {
            Inst::Op(op, _) if !op.cuda().starts_with("lz_") => return None,
            Inst::Op(op, args) => Called::Op(*op, kernel.value(args[0]).dtype),
            Inst::Call { function, .. } => Called::User(function),
            _ => return None,
        };
        Some(called).filter(|called| called.weight() > 2 * u64::from(CALL))
    }

    /// What it weighs where it is written out.
    pub fn weight(&self) -> u64 {
        u64::from(match self {
            Called::Op(op, dtype) => op.compile_weight(*dtype),
            Called::User(function) => function.compile_weight(),
        })
    }

    /// What it weighs where it is compiled once and called at some places. A user's function does not
    /// count but for its calls, as nothing makes it shorter.
    pub fn once(&self, places: u64) -> u64 {
        let calls = places * u64::from(CALL);
        match self {
            Called::Op(..) => self.body() + calls,
            Called::User(_) => calls,
        }
    }

    /// What it weighs where it is compiled once, besides its calls.
    pub fn body(&self) -> u64 {
        self.weight() + self.weight().min(35_000) + 3_000
    }
}

/// What the code of a value weighs at one place, written out.
pub fn of_value(kernel: &Kernel, v: Val) -> u64 {
    match &kernel.value(v).inst {
        Inst::Op(op, args) => u64::from(op.compile_weight(kernel.value(args[0]).dtype)),
        Inst::Call { .. } if is_made_before(kernel, v) => 0,
        Inst::Call { function, .. } => u64::from(function.compile_weight()),
        Inst::Load { .. } | Inst::RowLoad { .. } => LOAD,
        Inst::Draw { .. } => DRAW,
        Inst::Scalar(_) | Inst::Row(_) | Inst::Component { .. } => 0,
        _ => INDEX,
    }
}

/// What the reductions and scans of a kernel weigh besides the values that they combine.
pub fn of_reductions(kernel: &Kernel) -> u64 {
    let reduce = kernel.axes_of(AxisKind::Reduce);
    let sweeps =
        |inst: &Inst| inst.swept().is_some_and(|axes| !axes.intersection(reduce).is_empty());
    REDUCTION * kernel.values.iter().filter(|value| sweeps(&value.inst)).count() as u64
}

/// What folding an element into a reduction or a scan weighs at one place.
pub fn of_fold(kernel: &Kernel, v: Val) -> u64 {
    let value = kernel.value(v);
    match &value.inst {
        Inst::Reduce { op, .. } if op.is_arg() => 1_000,
        Inst::Reduce { op, .. } | Inst::Scan { by: ScanBy::Table(op), .. } => {
            u64::from(op.combine().compile_weight(value.dtype))
        }
        _ => 0,
    }
}

/// Whether a value is a further result of a call that an earlier one makes.
pub fn is_made_before(kernel: &Kernel, v: Val) -> bool {
    let inst = &kernel.value(v).inst;
    let several = matches!(inst, Inst::Call { function, .. } if function.results.len() > 1);
    several && kernel.values[..v.at()].iter().any(|value| value.inst.is_same_call(inst))
}

/// The Serial axes whose loops are written out. The only loop of a single thread stays one, so that
/// a kernel serves all lengths. Of several, one may stand in another that it does not depend on, and
/// would run again in each of its turns: written out, its sum is computed once.
pub fn unrolled_axes(kernel: &Kernel) -> AxisSet {
    if let [axis] = &kernel.axes[..]
        && axis.kind == AxisKind::Serial
    {
        return AxisSet::EMPTY;
    }
    let few = |k: &usize| kernel.axes[*k].extent <= UNROLLED_TURNS;
    let mut set: AxisSet = kernel.axes_of(AxisKind::Serial).iter().filter(few).collect();
    // Nested loops multiply; where that is too much, none is written out.
    let turns = |v: &super::Value| kernel.extent(v.axes.intersection(set));
    if kernel.values.iter().any(|v| turns(v) > UNROLLED_NEST) {
        set = AxisSet::EMPTY;
    }
    // The turns that are written out are the innermost, which a fold in C order must agree to.
    for value in &kernel.values {
        let Inst::Fold { axes, .. } = &value.inst else { continue };
        if let Some(looped) = axes.minus(set).iter().next_back() {
            set = set.minus(axes.iter().filter(|&k| k < looped).collect());
        }
    }
    set
}

/// What a kernel weighs in its lightest form.
pub fn least(kernel: &Kernel, phases: &Phases) -> u64 {
    with_places(kernel, &places(kernel, phases))
}

/// What it weighs at least: where each value is written at one place.
pub fn at_least(kernel: &Kernel) -> u64 {
    with_places(kernel, &vec![1; kernel.values.len()])
}

fn with_places(kernel: &Kernel, places: &[u64]) -> u64 {
    let mut functions: FxHashMap<Called, u64> = FxHashMap::default();
    let unrolled = unrolled_axes(kernel);
    let mut sum = of_reductions(kernel);
    for (k, value) in kernel.values.iter().enumerate() {
        let v = Val(k as u32);
        let places = places[k] * kernel.extent(value.axes.intersection(unrolled)) as u64;
        match Called::of(kernel, v) {
            Some(_) if is_made_before(kernel, v) => {}
            Some(called) => *functions.entry(called).or_default() += places,
            None => sum += places * of_value(kernel, v),
        }
    }
    let lightest =
        |(called, &places): (&Called, &u64)| (places * called.weight()).min(called.once(places));
    sum + functions.iter().map(lightest).sum::<u64>()
}

/// At how many places each value is written at most: in each sweep that computes it.
fn places(kernel: &Kernel, phases: &Phases) -> Vec<u64> {
    let sweeps = &phases.sweeps;
    // A sweep that is shared by blocks, or folds in order, is written with its end apart.
    let ends = 1 + u64::from(sweeps.len() == 1 || kernel.is_ordered());
    let mut swept = vec![0; kernel.values.len()];
    for sweep in sweeps {
        sweep.body.iter().for_each(|v| swept[v.at()] += ends);
    }
    swept.into_iter().map(|places: u64| places.max(1)).collect()
}
