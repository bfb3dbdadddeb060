//! Lowering of calls of users' functions.

use super::copy::{Moves, moves};
use super::guarded::Guarded;
use super::lower::Lowering;
use super::places::Place;
use super::program::{Call, CallArg, CallResult, Mem, Step, Target};
use crate::dtype::DType;
use crate::kernel::{Inst, Val};

/// The additions for an element of a function that takes no longer than its elements' way to memory.
const LIGHT: u32 = 64;

impl Lowering<'_> {
    /// The step of a call, unless an earlier result of the same call brought it.
    pub(super) fn call(&self, place: Place, needed: &[bool], v: Val) -> Option<Step> {
        let inst = &self.kernel.value(v).inst;
        let Inst::Call { function, args, .. } = inst else { return None };
        let sweep = if let Place::Body(s) = place { s } else { 0 };
        let here = |k: &usize| {
            let kept =
                matches!(place, Place::Body(_)) && self.places.reads_kept(Val(*k as u32), sweep);
            needed[*k] && !kept && self.kernel.values[*k].inst.is_same_call(inst)
        };
        let all: Vec<usize> = (0..needed.len()).filter(here).collect();
        if all.first() != Some(&v.at()) {
            return None;
        }
        let arg = |&a: &Val| CallArg { v: a.0, narrow: self.half(self.kernel.value(a).dtype) };
        let result = |(k, &dtype): (usize, &DType)| {
            let is_it = |&&at: &&usize| match self.kernel.values[at].inst {
                Inst::Call { output, .. } => output as usize == k,
                _ => false,
            };
            let v = all.iter().find(is_it).map(|&at| Val(at as u32));
            let target = v.map_or(Target::Register, |v| self.call_target(place, v));
            CallResult {
                v: v.map(|v| v.0),
                dtype,
                mem: Mem::default(),
                widen: self.half(dtype),
                target,
            }
        };
        Some(Step::Call(Box::new(Call {
            name: function.name.clone(),
            function: Guarded::new(function),
            light: function.additions() <= LIGHT,
            args: args.iter().map(arg).collect(),
            results: function.results.iter().enumerate().map(result).collect(),
        })))
    }

    /// How halves move between memory and registers, by way of a place to be given.
    pub(super) fn half(&self, dtype: DType) -> Option<(Moves, Mem)> {
        (dtype.compute() != dtype).then(|| (moves(dtype, self.level), Mem::default()))
    }

    /// Where a result of a call is written: what a call writes must not be what it reads.
    pub(super) fn call_target(&self, place: Place, v: Val) -> Target {
        match self.target(place, v) {
            Target::Store(_) if self.kernel.outputs.iter().all(|o| o.alias.is_none()) => {
                self.target(place, v)
            }
            _ => Target::Register,
        }
    }
}
