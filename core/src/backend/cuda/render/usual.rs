//! Items whose functions are those for usual arguments (`prelude/usual.cuh`), and once more with all
//! functions where something was not usual.
//!
//! A quotient, a root or a logarithm branches where its argument is extreme, and the compiler moves
//! nothing across a branch. Without branches it lays the positions of an item side by side, makes
//! each constant once for all of them, and issues fewer instructions (of Black-Scholes written so by
//! hand by 15% in f32 and 28% in f64): 64 million elements on an H200, 0.36 to 0.34 ms in f32 and 0.99 to 0.84 in f64.
//!
//! An item is a few neighbouring positions whose loads and stores are one access each. Heavy items
//! are computed by functions for usual arguments, which have no branches and note whether an
//! argument was not usual; where one was, the item is computed again by the plain functions. Both
//! give the same bits for usual arguments. Users' functions without loops and arrays take part:
//! they are compiled once more as members of a structure whose functions are these. Heavy items of
//! narrow types that call functions without such a form are written value by value for all
//! positions (`lockstep.rs`).

use super::emit::{Emitter, Turns};
use super::items::{self, Lane, Work};
use super::lockstep::HEAVY;
use super::plain::emit_plain;
use crate::dtype::DType;
use crate::function::{CudaCode, Function};
use crate::kernel::{Inst, Kernel, Val, Value};
use crate::table::Op;
use std::fmt::Write;
use std::sync::LazyLock;

/// An expression lighter than so much a byte waits for memory however it is written.
const HEAVY_BYTE: u32 = 2;
/// What costs as much branches, if there is no form of it without.
const BRANCHES: u32 = 20;
/// The most positions of which the second computation is written out: more share a loop.
const WRITTEN_OUT: usize = 2;

/// How functions with a usual form are called.
static CALLS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let name = |op: Op| op.cuda().split_once('(').map(|(name, _)| name);
    Op::USUAL.into_iter().filter_map(name).collect()
});

/// Whether a user's function is compiled for usual arguments, too.
pub(super) fn is_member(function: &Function) -> bool {
    let floats = [DType::F32, DType::F64];
    let types = || function.args.iter().chain(&function.results);
    let code = function.cuda.as_ref().filter(|_| types().any(|dtype| floats.contains(dtype)));
    code.is_some_and(|code| code.is_straight() && code.calls(&CALLS))
}

/// The users' functions that are, as members of a structure; nothing if there is none.
pub(super) fn definitions(kernel: &Kernel) -> String {
    let functions = kernel.values.iter().filter_map(|value| value.inst.function());
    members(functions.filter(|f| is_member(f)).filter_map(|f| f.cuda.as_ref()))
}

/// Functions as members of a structure, which are found there before those of other arguments.
pub fn members<'a>(functions: impl Iterator<Item = &'a CudaCode>) -> String {
    let mut known: Vec<&str> = Vec::new();
    let mut text = String::new();
    for (name, definition) in functions.flat_map(|code| &code.definitions) {
        if known.contains(&name.as_str()) {
            continue;
        }
        known.push(name);
        // The reciprocal takes half of what a quotient takes.
        let definition = definition.trim_end().replace("lz_divide(1.0, ", "lz_reciprocal(");
        let definition = definition.replace("lz_divide(1.0f, ", "lz_reciprocal(");
        let _ = writeln!(text, "{definition}");
    }
    match text.is_empty() {
        true => text,
        false => format!("struct lz_usual_here : lz_usual {{\n{text}}};\n"),
    }
}

/// Whether there is a form of a value for usual arguments.
pub(super) fn is_usual(value: &Value) -> bool {
    match &value.inst {
        Inst::Op(op, _) => op.has_usual_form(value.dtype),
        Inst::Call { function, .. } => is_member(function),
        _ => false,
    }
}

/// Whether an item is worth computing so.
pub(super) fn pays(e: &mut Emitter, lane: &Lane, work: &Work) -> bool {
    if e.form.plain {
        return false;
    }
    let kernel = e.kernel;
    let named = |k: &usize| kernel.stores[*k].index.values().all(|v| e.has_name(v));
    let plain = !work.stores.is_empty() && work.only_stores() && work.stores.iter().all(named);
    if !plain || (lane.v > 1 && items::packed_stores(e, lane, work).len() < work.stores.len()) {
        return false;
    }
    let ready = items::item_values(e, lane, work);
    let usual = |v: Val| is_usual(kernel.value(v));
    let straight = |&v: &Val| match &kernel.value(v).inst {
        Inst::Op(op, _) => op.cost() < BRANCHES || usual(v),
        Inst::Call { .. } => usual(v),
        Inst::Cast(_) | Inst::Load { .. } | Inst::Scalar(_) | Inst::InRange { .. } => true,
        Inst::Draw { .. } | Inst::RowLoad { .. } => false,
        inst => inst.index().is_some(),
    };
    let cost: u32 = ready.iter().filter_map(|&v| kernel.value(v).inst.cost()).sum();
    let loads = ready.iter().filter(|&&v| matches!(kernel.value(v).inst, Inst::Load { .. }));
    let stored = work.stores.iter().map(|&k| kernel.stores[k].value);
    let bytes = |v: Val| kernel.value(v).dtype.size() as u32;
    let moved: u32 = loads.copied().chain(stored).map(bytes).sum();
    let heavy = cost >= HEAVY.min(HEAVY_BYTE * moved);
    heavy && ready.iter().any(|&v| usual(v)) && ready.iter().all(straight)
}

/// Opens the block in which functions are those for usual arguments.
pub(super) fn begin(e: &mut Emitter) {
    let functions = e.kernel.values.iter().filter_map(|v| v.inst.function());
    let has_members = functions.into_iter().any(|f| is_member(f));
    e.any_usual = true;
    e.line(if has_members { "lz_usual_here usual;" } else { "lz_usual usual;" });
    e.open("");
    e.usual = true;
}

/// Closes it; `usual.all` says whether all arguments were.
pub(super) fn end(e: &mut Emitter) {
    e.usual = false;
    e.close();
}

pub(super) fn emit(e: &mut Emitter, lane: &Lane, work: &Work) {
    items::declare_stores(e, lane, &work.stores);
    begin(e);
    emit_plain(e, lane, &Work { held_back: true, ..work.clone() });
    end(e);
    e.open("if (usual.all)");
    if lane.v > 1 {
        items::write_packs(e, lane, work, &work.stores);
    } else {
        if let Some(axis) = lane.axis {
            e.bind(axis, lane.base.clone());
        }
        for &k in &work.stores {
            items::write_value(e, k, &format!("store{k}"), work.store_if.as_deref());
        }
    }
    e.close();
    e.open("else");
    compute_again(e, lane, work);
    e.close();
    if let Some(axis) = lane.axis.filter(|&axis| e.bound.has(axis)) {
        e.bind(axis, lane.base.clone());
    }
}

/// The item once more, one position after the other.
fn compute_again(e: &mut Emitter, lane: &Lane, work: &Work) {
    let Some(axis) = lane.axis else { return emit_plain(e, lane, work) };
    let word = e.word();
    e.line(&format!("const {word} again = lz_again({});", lane.base));
    let one = |base: &str| Lane { axis: Some(axis), v: 1, base: base.into(), tail: None };
    if lane.v == 1 {
        return emit_plain(e, &one("again"), work);
    }
    // What is subscripted by a variable does not stay in registers.
    let turns = if lane.v <= WRITTEN_OUT || e.names_arrays() { lane.v } else { 1 };
    e.open_turns(&format!("for (int e = 0; e < {}; ++e)", lane.v), Turns::Some(turns));
    e.line(&format!("const {word} at = again + e;"));
    match &lane.tail {
        Some(end) => e.open(&format!("if (at < {end})")),
        None => e.open(""),
    }
    emit_plain(e, &one("at"), work);
    e.close();
    e.close();
}
