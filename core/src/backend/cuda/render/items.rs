//! One item: `V` neighbouring positions of one axis, loaded and stored as packs of 16 bytes where
//! every stride allows it.

use super::emit::Emitter;
use super::names::type_name;
use crate::kernel::{Atom, Index, Inst, Kernel, Val, weight};
use rustc_hash::{FxHashMap, FxHashSet};

/// The axis along which an item lies.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    /// The axis; none for a kernel without axes to walk.
    pub axis: Option<usize>,
    /// The positions of an item.
    pub v: usize,
    /// The name of the first position.
    pub base: String,
    /// The end of the axis, where the last item may be cut.
    pub tail: Option<String>,
}

/// What is done with an item.
#[derive(Clone, Debug, Default)]
pub(super) struct Work {
    /// The values that may be emitted.
    pub wanted: Vec<bool>,
    /// The phase.
    pub phase: usize,
    /// The reductions to fold.
    pub reductions: Vec<Val>,
    /// What follows an accumulator's name, such as `[e]`.
    pub fold_into: String,
    /// Whether users' reductions fold into a tile's state, which is folded over lanes afterwards.
    pub tiles: bool,
    /// The rows to fill.
    pub rows: Vec<Val>,
    /// The scans whose arguments go into arrays, with the subscript there.
    pub scans: Vec<Val>,
    /// See `scans`.
    pub scan_into: String,
    /// The scans whose arguments are combined, into what `fold_into` says.
    pub totals: Vec<Val>,
    /// The stores to make.
    pub stores: Vec<usize>,
    /// The condition under which stores are made.
    pub store_if: Option<String>,
    /// Whether stores go into variables that stand outside, to be written later.
    pub held_back: bool,
    /// The values kept in arrays, and the subscript of an item, such as `[k]`.
    pub kept: FxHashSet<Val>,
    /// The subscript of the item in arrays of kept values.
    pub subscript: String,
    /// The values to be read back from the row that they filled.
    pub reread: FxHashMap<Val, Val>,
}

/// How many turns of a loop over items of `v` positions stand side by side, so that their loads are
/// under way together: as many as are wanted, or two where functions of 64 bits are computed, of which more
/// have no room in registers: exponentials of doubles, summed along rows, took 0.289 ms by four turns and
/// 0.162 by two, and along columns 0.459 by eight and 0.148 by two, on an H200. Fewer where they are
/// [too much](MOST_TOGETHER).
pub(super) fn side_by_side(e: &Emitter, work: &Work, v: usize, wanted: usize) -> usize {
    let heavy = |k: usize| {
        let value = &e.kernel.values[k];
        value.dtype.size() >= 8 && value.inst.cost().is_some_and(|cost| cost >= FUNCTION)
    };
    let any = (0..work.wanted.len()).any(|k| work.wanted[k] && heavy(k));
    let mut turns = if any { wanted.min(2) } else { wanted };
    let weight = weight_of(e, work, v);
    while turns > 1 && weight * turns as u64 > MOST_TOGETHER {
        turns /= 2;
    }
    turns
}

/// Whether what is done with an item of `v` positions is so much that it is written once, rather than
/// a second time for the last turn of a loop.
pub(super) fn is_long(e: &Emitter, work: &Work, v: usize) -> bool {
    weight_of(e, work, v) > MOST_TOGETHER
}

/// What an item of `v` positions weighs for NVRTC; its loads are packs, mostly.
fn weight_of(e: &Emitter, work: &Work, v: usize) -> u64 {
    let weight = |k: usize| match e.kernel.values[k].inst {
        Inst::Load { .. } => weight::of_value(e.kernel, Val(k as u32)),
        _ => weight::of_value(e.kernel, Val(k as u32)) * v as u64,
    };
    (0..work.wanted.len()).filter(|&k| work.wanted[k]).map(weight).sum()
}

/// What turns side by side weigh for NVRTC at most, in microseconds. What weighs more has loads enough under
/// way in one turn, or waits for its arithmetic. Of 94 sums and means of 8 million elements on an H200
/// 21 were faster so by 3 to 49% (a turn of a denoising and its squares, `f32`, 0.063 ms for 0.125), 22
/// slower by 1.5 to 9 (functions of `f32` that take 0.010 to 0.019 ms, four roots 0.042 for 0.038), and NVRTC
/// took 17.5 s for 22.4 for all.
const MOST_TOGETHER: u64 = 30_000;

/// What a function such as a logarithm costs, in additions.
const FUNCTION: u32 = 20;

/// Whether an access can move `v` neighbouring elements at once.
pub(super) fn packable(
    kernel: &Kernel,
    index: &Index,
    mask: Option<Val>,
    axis: usize,
    v: usize,
) -> bool {
    let v = v as i64;
    let along = |value: Val| kernel.value(value).axes.has(axis);
    let fits = |&(atom, coefficient): &(Atom, i64)| match atom {
        Atom::Axis(k) if k as usize == axis => coefficient == 1,
        Atom::Axis(_) => coefficient % v == 0,
        Atom::Value(value) => coefficient % v == 0 && !along(value),
    };
    index.stride(axis) == 1
        && index.offset % v == 0
        && index.terms.iter().all(fits)
        && mask.is_none_or(|mask| is_whole(kernel, mask, axis, v))
}

/// Whether a value is the same at all positions of a pack: what chooses between parts that begin
/// where packs do is asked once for each.
fn is_whole(kernel: &Kernel, value: Val, axis: usize, v: i64) -> bool {
    let own = kernel.value(value);
    match &own.inst {
        _ if !own.axes.has(axis) => true,
        Inst::Op(_, args) => args.iter().all(|&arg| is_whole(kernel, arg, axis, v)),
        Inst::InRange { index, low, high } => {
            let fits = |&(atom, coefficient): &(Atom, i64)| match atom {
                Atom::Axis(k) if k as usize == axis => coefficient == 1,
                _ => coefficient % v == 0,
            };
            let Some((least, most)) = index.range(&kernel.axes) else { return false };
            let divides = |end: i64| end <= least || end > most || (end - index.offset) % v == 0;
            index.terms.iter().all(fits) && divides(*low) && divides(*high)
        }
        _ => false,
    }
}

impl Work {
    /// Whether nothing is done with an item but to store what is computed of it.
    pub(super) fn only_stores(&self) -> bool {
        let taking = [&self.reductions, &self.rows, &self.scans, &self.totals];
        taking.iter().all(|values| values.is_empty())
            && self.kept.is_empty()
            && self.reread.is_empty()
    }
}

/// The values of an item that have no name yet, in their order.
pub(super) fn item_values(e: &mut Emitter, lane: &Lane, work: &Work) -> Vec<Val> {
    let before = e.bound;
    if let Some(axis) = lane.axis {
        e.bind(axis, lane.base.clone());
    }
    let ready = e.ready(&work.wanted, work.phase);
    e.bound = before;
    ready
}

impl Lane {
    fn packs(&self, kernel: &Kernel, index: &Index, mask: Option<Val>) -> bool {
        let Some(axis) = self.axis else { return false };
        self.v > 1 && packable(kernel, index, mask, axis, self.v)
    }
}

/// The loads that can be issued before anything is computed: their index is known.
pub(super) fn early_loads(e: &mut Emitter, lane: &Lane, work: &Work) -> Vec<Val> {
    let Some(axis) = lane.axis else { return Vec::new() };
    let kernel = e.kernel;
    let mut found = Vec::new();
    for k in 0..kernel.values.len() {
        let (v, value) = (Val(k as u32), &kernel.values[k]);
        let Inst::Load { index, mask, .. } = &value.inst else { continue };
        let mut bound = e.bound;
        bound = bound.union(crate::kernel::AxisSet::one(axis));
        let known = |a: Val| e.has_name(a) || e.cheap[a.at()];
        let whole = |mask: Val| lane.v > 1 && is_whole(kernel, mask, axis, lane.v as i64);
        let ready = work.wanted[k]
            && !work.reread.contains_key(&v)
            && !e.has_name(v)
            && e.phases.of[k] as usize <= work.phase
            && value.axes.has(axis)
            && e.free_axes(v).is_subset(bound)
            && index.values().all(known)
            && mask.is_none_or(|mask| known(mask) || whole(mask));
        if ready && (lane.v == 1 || lane.packs(kernel, index, *mask)) {
            found.push(v);
        }
    }
    found
}

/// Declares the arrays of loads that are issued before anything is computed.
pub(super) fn declare_loads(e: &mut Emitter, lane: &Lane, loads: &[Val], count: usize) {
    for &v in loads {
        let dtype = e.kernel.value(v).dtype;
        let ctype = if lane.v > 1 {
            Emitter::pack_type(dtype, lane.v)
        } else {
            type_name(dtype).to_string()
        };
        e.for_turns(v, |e, _, name| e.line(&format!("{ctype} {name}[{count}];")));
    }
}

/// Issues loads: into arrays at the subscript, or into names of the present scope.
pub(super) fn issue_loads(e: &mut Emitter, lane: &Lane, loads: &[Val], subscript: Option<&str>) {
    let Some(axis) = lane.axis else { return };
    let before = e.bound;
    if lane.v == 1 {
        e.bind(axis, lane.base.clone());
    }
    // Masks and positions that the loads need are made first.
    let mut needed = Vec::new();
    loads.iter().for_each(|&v| e.kernel.value(v).inst.for_each_arg(|a| needed.push(a)));
    let wanted = e.closure_up_to(needed, &|v| e.has_name(v));
    e.emit_ready(&wanted, u32::MAX as usize);
    e.bind(axis, lane.base.clone());
    emit_whole(e, lane, &wanted);
    for &v in loads {
        match subscript {
            Some(subscript) if lane.v == 1 => {
                e.emit(v, Some(&|name| format!("{name}{subscript}")));
            }
            None if lane.v == 1 => e.emit(v, None),
            _ => issue_pack(e, lane, v, subscript),
        }
    }
    if lane.v > 1 {
        e.bound = before;
    }
}

/// Emits what is the same at all positions of a pack, once the first position has its name.
pub(super) fn emit_whole(e: &mut Emitter, lane: &Lane, wanted: &[bool]) {
    let Some(axis) = lane.axis.filter(|_| lane.v > 1) else { return };
    let (kernel, v) = (e.kernel, lane.v as i64);
    let whole = |(k, &wanted): (usize, &bool)| wanted && is_whole(kernel, Val(k as u32), axis, v);
    let wanted: Vec<bool> = wanted.iter().enumerate().map(whole).collect();
    e.emit_ready(&wanted, u32::MAX as usize);
}

fn issue_pack(e: &mut Emitter, lane: &Lane, v: Val, subscript: Option<&str>) {
    let kernel = e.kernel;
    let value = kernel.value(v);
    let Inst::Load { input, index, mask } = &value.inst else { return };
    let pack = Emitter::pack_type(value.dtype, lane.v);
    e.for_turns(v, |e, turn, name| {
        let mut read = e.read_pack(*input, index, v, lane.v);
        if let Some(n) = &lane.tail {
            let left = format!(", {n} - {})", lane.base);
            read = read.replacen("lz_read_pack", "lz_read_tail", 1);
            read.pop();
            read.push_str(&left);
        }
        if let Some(mask) = mask {
            read = format!("{} ? {read} : {pack}()", e.operand(*mask));
        }
        match subscript {
            Some(subscript) => {
                e.line(&format!("{name}{subscript} = {read};"));
                let element = format!("{name}{subscript}.at[e]");
                e.name_for_good((v.0, turn), element);
            }
            None => {
                e.line(&format!("const {pack} {name} = {read};"));
                e.name((v.0, turn), format!("{name}.at[e]"));
            }
        }
    });
}

/// Makes the random numbers of an item together: neighbours share blocks of the generator.
pub(super) fn issue_draws(e: &mut Emitter, lane: &Lane, work: &Work) {
    let (Some(axis), kernel) = (lane.axis, e.kernel) else { return };
    let before = e.bound;
    e.bind(axis, lane.base.clone());
    let wanted: Vec<bool> = (0..kernel.values.len())
        .map(|k| work.wanted[k] && !work.kept.contains(&Val(k as u32)))
        .collect();
    for v in e.ready(&wanted, work.phase) {
        let value = kernel.value(v);
        let Inst::Draw { law, index, seed } = &value.inst else { continue };
        // Positions within the pack, and what varies with them, have no names yet.
        let known = index.values().all(|a| e.has_name(a));
        if known && draws_packed(kernel, v, axis, lane.v) {
            e.for_turns(v, |e, turn, name| {
                let pack = Emitter::pack_type(value.dtype, lane.v);
                let numbers = e.drawn(*law, index, seed, v, lane.v);
                e.line(&format!("const {pack} {name} = {numbers};"));
                e.name((v.0, turn), format!("{name}.at[e]"));
            });
        }
    }
    e.bound = before;
}

/// Whether the random numbers of `v` neighbours along an axis begin where a block does, or lie
/// within one.
pub(super) fn draws_packed(kernel: &Kernel, draw: Val, axis: usize, v: usize) -> bool {
    let value = kernel.value(draw);
    let Inst::Draw { index, .. } = &value.inst else { return false };
    value.axes.has(axis) && packable(kernel, index, None, axis, v.min(16 / value.dtype.size()))
}

/// Declares the variables that stores go into before they are written.
pub(super) fn declare_stores(e: &mut Emitter, lane: &Lane, stores: &[usize]) {
    for &k in stores {
        let ctype = type_name(e.kernel.outputs[e.kernel.stores[k].output as usize].dtype);
        match lane.v {
            1 => e.line(&format!("{ctype} store{k};")),
            v => e.line(&format!("lz_pack<{ctype}, {v}> store{k};")),
        }
    }
}

pub(super) fn packed_stores(e: &Emitter, lane: &Lane, work: &Work) -> Vec<usize> {
    let packs = |&k: &usize| lane.packs(e.kernel, &e.kernel.stores[k].index, None);
    work.stores.iter().copied().filter(packs).collect()
}

/// Writes one element.
pub(super) fn write_one(e: &mut Emitter, k: usize, only_if: Option<&str>) {
    let value = e.operand(e.kernel.stores[k].value);
    write_value(e, k, &value, only_if);
}

/// Writes one element, whose value is given.
pub(super) fn write_value(e: &mut Emitter, k: usize, value: &str, only_if: Option<&str>) {
    let kernel = e.kernel;
    let store = &kernel.stores[k];
    let base = e.args.output(kernel, store.output);
    let moves = kernel.outputs[store.output as usize].moves;
    let at = e.place(&store.index, &format!("_out{k}"), moves);
    let guard = only_if.map(|c| format!("if ({c}) ")).unwrap_or_default();
    e.line(&format!("{guard}lz_write({base} + ({at}), {value});"));
}

pub(super) fn write_packs(e: &mut Emitter, lane: &Lane, work: &Work, packed: &[usize]) {
    let (Some(axis), kernel) = (lane.axis, e.kernel) else { return };
    if packed.is_empty() {
        return;
    }
    let before = e.bound;
    e.bind(axis, lane.base.clone());
    for &k in packed {
        let store = &kernel.stores[k];
        let base = e.args.output(kernel, store.output);
        let moves = kernel.outputs[store.output as usize].moves;
        let at = e.place(&store.index, &format!("_out{k}"), moves);
        let guard = work.store_if.as_ref().map(|c| format!("if ({c}) ")).unwrap_or_default();
        let write = match &lane.tail {
            Some(n) => format!("lz_write_tail({base} + ({at}), store{k}, {n} - {});", lane.base),
            None => format!("lz_write_pack({base} + ({at}), store{k});"),
        };
        e.line(&format!("{guard}{write}"));
    }
    e.bound = before;
}
