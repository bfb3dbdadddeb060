//! What a kernel is called in reports and in NVIDIA's tools: the names of what it computes.

use super::{Inst, Kernel, Value};
use crate::function::ScanBy;
use std::borrow::Cow;

/// The most names; what costs least is left out first.
const MOST: usize = 4;
/// An operation from this cost on is worth a name rather than a plain one.
const COSTLY: u32 = 4;

/// The names of what a kernel computes, in the order in which they are computed: `sin exp sum`. Users'
/// functions, reductions, scans and draws come first where there are too many, then costly
/// functions, then arithmetic; `…` stands for the others. What moves data alone is a `copy`.
pub fn name(kernel: &Kernel) -> String {
    let mut words: Vec<(u8, Cow<'_, str>)> = Vec::new();
    for (rank, word) in kernel.values.iter().filter_map(word) {
        if !words.iter().any(|known| known.1 == word) {
            words.push((rank, word));
        }
    }
    if words.is_empty() {
        return if kernel.inputs.is_empty() { "fill" } else { "copy" }.to_owned();
    }
    let mut ranks: Vec<u8> = words.iter().map(|word| word.0).collect();
    ranks.sort_unstable();
    let last = ranks.get(MOST - 1).copied().unwrap_or(u8::MAX);
    let below = ranks.iter().filter(|rank| **rank < last).count();
    let (count, mut room) = (words.len(), MOST.saturating_sub(below));
    words.retain(|word| {
        let fits = word.0 < last || (word.0 == last && room > 0);
        room -= usize::from(fits && word.0 == last);
        fits
    });
    let mut text = words.iter().map(|word| &*word.1).collect::<Vec<_>>().join(" ");
    if words.len() < count {
        text += " …";
    }
    text
}

/// The name of a value, and its rank: what is lowest is kept.
fn word(value: &Value) -> Option<(u8, Cow<'_, str>)> {
    Some(match &value.inst {
        Inst::Call { function, .. } => (0, (&*function.name).into()),
        Inst::Fold { fold, .. } => (0, (&*fold.function.name).into()),
        Inst::Reduce { op, .. } => (0, op.name().into()),
        Inst::Scan { by: ScanBy::Table(op), .. } => (0, format!("cum{}", op.name()).into()),
        Inst::Scan { by: ScanBy::User(fold), .. } => (0, (&*fold.function.name).into()),
        Inst::Draw { law, .. } => (0, law.name().into()),
        Inst::Op(op, _) if op.cost() >= COSTLY => (1, op.name().into()),
        Inst::Op(op, _) => (2, op.name().into()),
        Inst::Cast(_) => (3, "cast".into()),
        _ => return None,
    })
}

/// The same as an identifier of C++.
pub fn identifier(kernel: &Kernel) -> String {
    let word = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = name(kernel).trim_end_matches(" …").chars().map(word).take(80).collect();
    format!("lazuli_{name}")
}
