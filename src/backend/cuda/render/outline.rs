//! Functions that a kernel calls at so many places that they stay functions. What is written out
//! where it is called takes NVRTC milliseconds at each place: a chain of 24 sines of `f32`, four
//! elements a thread, took 1.2 s to the end of its first run on an H200, and one of 40, which are
//! calls, takes 0.16 s. Calls cost 5 to 17% of the time of kernels that do nothing else (8 million
//! elements: 12 sines 0.131 ms for 0.112, 24 of them 0.244 for 0.224, 24 hyperbolic tangents of `f64`
//! 0.535 for 0.501).

use crate::kernel::{Inst, Kernel};
use crate::ops::table::Op;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// A function that is called at more places than this, for each element of a pack, is compiled once.
const MOST_PLACES: usize = 24;

/// What costs as much, in additions, is a function of some length.
const HEAVY: u32 = 20;

/// The names of the functions that a kernel over packs of `v` elements calls too often, with the
/// number of their arguments.
fn called_often(kernel: &Kernel, v: usize) -> Vec<(&'static str, usize)> {
    let mut places: FxHashMap<Op, usize> = FxHashMap::default();
    for value in &kernel.values {
        if let Inst::Op(op, _) = value.inst
            && op.cost() >= HEAVY
        {
            *places.entry(op).or_default() += 1;
        }
    }
    let mut often: Vec<(&str, usize)> = places
        .into_iter()
        .filter(|&(_, places)| places * v > MOST_PLACES)
        .filter_map(|(op, _)| {
            let (name, arguments) = op.cuda().split_once('(')?;
            Some((name, arguments.matches('{').count())).filter(|_| name.starts_with("lz_"))
        })
        .collect();
    often.sort_unstable();
    often
}

/// The definitions of such functions, and a kernel's text that calls them.
pub(super) fn outlined(kernel: &Kernel, v: usize, text: String) -> (String, String) {
    let (mut definitions, mut text) = (String::new(), text);
    for (name, arguments) in called_often(kernel, v) {
        let own = format!("lz_once_{}", &name[3..]);
        let replaced = replace_calls(&text, name, &own);
        if replaced == text {
            continue;
        }
        text = replaced;
        let list =
            |one: &dyn Fn(usize) -> String| (0..arguments).map(one).collect::<Vec<_>>().join(", ");
        let types = list(&|k| format!("class T{k}"));
        let parameters = list(&|k| format!("T{k} a{k}"));
        let passed = list(&|k| format!("a{k}"));
        let _ = writeln!(
            definitions,
            "template <{types}> __device__ __noinline__ auto {own}({parameters}) {{ return {name}({passed}); }}"
        );
    }
    (definitions, text)
}

/// Replaces what is called, where the name is neither the end of another nor a member's.
fn replace_calls(text: &str, name: &str, by: &str) -> String {
    let call = format!("{name}(");
    let mut replaced = String::with_capacity(text.len());
    let mut done = 0;
    for (at, _) in text.match_indices(&call) {
        let before = text[..at].chars().next_back();
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '.' | '>');
        if before.is_some_and(is_part) {
            continue;
        }
        replaced += &text[done..at];
        replaced += by;
        done = at + name.len();
    }
    replaced + &text[done..]
}

#[cfg(test)]
mod tests {
    use super::replace_calls;

    #[test]
    fn calls_are_replaced_and_members_stay() {
        let text = "lz_tanh(x) + y.lz_tanh(1) * lz_atanh(lz_tanh(2)) - U::lz_tanh(lz_tanh2(3))";
        let wanted = "f(x) + y.lz_tanh(1) * lz_atanh(f(2)) - U::lz_tanh(lz_tanh2(3))";
        assert_eq!(replace_calls(text, "lz_tanh", "f"), wanted);
    }
}
