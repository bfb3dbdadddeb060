//! Makes chains of operations of a program.
//!
//! These are sums, differences, products, quotients and squares of `f32` and `f64` whose results
//! only the next one uses; `ops/table/properties.rs` says which operations (`Op::basic`). A choice
//! between a chain's result and another value ends the chain. Where its condition is the same in
//! all of a tile, as inside a border, the side that is not chosen is not computed.

use super::lower::Lowering;
use super::places::Place;
use super::program::{Chain, Choice, Mem, Step, Target};
use super::registers::for_each_use;
use crate::kernel::Val;
use lazuli_inner_loops::chain::{Link, chain_fns};
use smallvec::smallvec;

impl Lowering<'_> {
    /// Makes chains of operations whose results only the next one uses.
    pub(super) fn chains(&self, place: Place, steps: Vec<Step>) -> Vec<Step> {
        let uses = self.uses(place, &steps);
        let mut out: Vec<Step> = Vec::with_capacity(steps.len());
        for step in steps {
            let step = match step {
                Step::Op { choice: true, .. } => self.chosen(step, &uses, &mut out),
                Step::Op { .. } => self.linked(place, step, &uses, &mut out),
                Step::Fold { sums: true, .. } => self.summed(step, &uses, &mut out),
                other => other,
            };
            out.push(step);
        }
        for step in &mut out {
            if let Step::Chain(chain) = step
                && chain.sum.is_none()
                && chain.target == Target::Register
                && uses[chain.v as usize] == 1
                && let Some(k) = self.streamed(place, Val(chain.v))
            {
                chain.target = Target::Stream(k);
            }
            if self.kernel.outputs.iter().any(|o| o.alias.is_some()) {
                continue;
            }
            let past = |v: u32, target: &mut Target| {
                if *target == Target::Register
                    && uses[v as usize] == 1
                    && let Some(k) = self.streamed(place, Val(v))
                {
                    *target = Target::Stream(k);
                }
            };
            match step {
                Step::Op { v, choice: false, round: None, target, .. } => past(*v, target),
                // Others are not cut into parts: how a function's lanes run is found out anew in each.
                Step::Call(call) if call.light => {
                    for result in call.results.iter_mut().filter(|r| r.widen.is_none()) {
                        result.v.into_iter().for_each(|v| past(v, &mut result.target));
                    }
                }
                _ => {}
            }
        }
        out
    }

    /// How often the steps use each value; what other programs use counts more than once.
    fn uses(&self, place: Place, steps: &[Step]) -> Vec<u32> {
        let exported = self.places.exported(place);
        let mut uses: Vec<u32> = exported.iter().map(|&e| if e { 2 } else { 0 }).collect();
        for step in steps {
            match step {
                Step::Op { args, arity, .. } => {
                    args[..*arity as usize].iter().for_each(|&a| uses[a as usize] += 1);
                }
                other => for_each_use(other, &mut |v| uses[v as usize] += 1),
            }
        }
        uses
    }

    /// The latest chain that gives one of some values to nobody else, with the value's position
    /// among them, taken out of the steps.
    fn take_chain(
        &self,
        values: &[u32],
        uses: &[u32],
        out: &mut Vec<Step>,
    ) -> Option<(usize, Box<Chain>)> {
        let (at, k) = out.iter().enumerate().rev().find_map(|(at, step)| {
            let Step::Chain(chain) = step else { return None };
            let k = values.iter().position(|&v| v == chain.v)?;
            let free = chain.choice.is_none() && chain.target == Target::Register;
            (free && uses[chain.v as usize] == 1).then_some((at, k))
        })?;
        // An input that an output overwrites must have been read before.
        if self.kernel.outputs.iter().any(|o| o.alias.is_some()) && out[at..].iter().any(writes) {
            return None;
        }
        match out.remove(at) {
            Step::Chain(chain) => Some((k, chain)),
            _ => unreachable!("it was found to be a chain"),
        }
    }

    /// An operation as a chain, or as the end of one.
    fn linked(&self, place: Place, step: Step, uses: &[u32], out: &mut Vec<Step>) -> Step {
        let Step::Op { v, basic: Some(op), args, arity, round: None, .. } = step else {
            return step;
        };
        let dtype = self.kernel.value(Val(v)).dtype;
        let Some(fns) = chain_fns(dtype, self.level) else { return step };
        let args = &args[..arity as usize];
        // The operation with the value that it begins with, or goes on from, and the other.
        let link = |k: usize| Link { op, second: k == 1, arg: args[args.len() - 1 - k] };
        let mut chain = match self.take_chain(args, uses, out) {
            Some((k, mut chain)) => {
                let link = link(k);
                // A square has no other operand; what it is applied to is nobody's any more.
                let arg = if args.len() == 1 { chain.first } else { link.arg };
                chain.links.push(Link { arg, ..link });
                chain
            }
            None => Box::new(Chain {
                v,
                fns,
                first: args[0],
                links: smallvec![link(0)],
                choice: None,
                mem: Mem::default(),
                target: Target::Register,
                sum: None,
            }),
        };
        chain.v = v;
        chain.target = self.target(place, Val(v));
        Step::Chain(chain)
    }

    /// A choice as the end of a chain that gives one of its alternatives.
    fn chosen(&self, step: Step, uses: &[u32], out: &mut Vec<Step>) -> Step {
        let Step::Op { v, f, args, round: None, target, .. } = step else { return step };
        if args[1] == args[2] {
            return step;
        }
        let Some((k, mut chain)) = self.take_chain(&args[1..], uses, out) else { return step };
        let other = args[2 - k];
        chain.choice = Some(Choice { condition: args[0], holds: k == 0, other, f });
        chain.v = v;
        chain.target = target;
        Step::Chain(chain)
    }

    /// A fold as the end of the chain that gives its elements to nobody else.
    fn summed(&self, step: Step, uses: &[u32], out: &mut Vec<Step>) -> Step {
        let Step::Fold { acc, args, .. } = step else { return step };
        // The fold names its element twice.
        let mut uses = uses.to_vec();
        uses[args[0] as usize] -= 1;
        match self.take_chain(&args[..1], &uses, out) {
            Some((_, mut chain)) => {
                chain.sum = Some(acc);
                Step::Chain(chain)
            }
            None => step,
        }
    }

    /// The store that writes a value past the caches.
    fn streamed(&self, place: Place, v: Val) -> Option<u32> {
        let Place::Body(sweep) = place else { return None };
        let k = *self.places.stores(sweep).iter().find(|&&k| self.kernel.stores[k].value == v)?;
        let store = &self.kernel.stores[k];
        let plain = store.index.values().next().is_none();
        (plain && self.is_huge(store.output)).then_some(k as u32)
    }
}

/// Whether a step writes an output.
fn writes(step: &Step) -> bool {
    let to = |target: Target| matches!(target, Target::Store(_) | Target::Stream(_));
    match step {
        Step::Op { target, .. } | Step::Scan { target, .. } => to(*target),
        Step::Chain(chain) => to(chain.target),
        Step::Call(call) | Step::UserScan { call, .. } => call.results.iter().any(|r| to(r.target)),
        Step::Store { .. } => true,
        _ => false,
    }
}
