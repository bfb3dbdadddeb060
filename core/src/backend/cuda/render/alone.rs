//! Many turns of positions that look at themselves alone: each thread takes all turns of one position,
//! whose state stays in registers from the first turn to the last.
//!
//! Through memory, as a turn at a time has it, a thousand Runge-Kutta steps of a million Lorenz systems
//! of three doubles took an H100 6.2 ms, where a kernel written by hand takes 2.9; four adaptive steps of
//! them, whose 700 instructions a step were written for packs of positions, took 0.53.
//!
//! Where a turn is work, a thread also ends once a turn has changed nothing: all that follow would give
//! the same, since a turn reads the state, and numbers that are the same in all turns. Members of an
//! ensemble that have arrived cost no more then.

use super::assemble::{Draft, Takes};
use super::emit::Emitter;
use super::items::{self, Lane, Work, write_value};
use super::names::{type_name, words};
use super::plain::emit_plain;
use super::turns::Barrier;
use super::weight::Form;
use super::{Launch, Rendered, Target, is_wide, normalise, usual};
use crate::error::Result;
use crate::kernel::own::{Own, own};
use crate::kernel::{AxisKind, Inst, Kernel, Store, Val, name};

/// The threads of a block: each may take as many registers as there are.
const BLOCK: usize = 128;
/// The 32-bit registers that the state of a position may take.
const STATE: usize = 96;
/// What a turn costs, in additions, from which it is asked whether it changed anything.
const WORK: u32 = 100;

/// A kernel whose turns a thread takes by itself.
struct Alone<'k> {
    kernel: &'k Kernel,
    /// For each store, the input that the next turn reads in its place, where one is read.
    inputs: Vec<Option<u32>>,
    /// The loads of the state, with the store that gives it.
    states: Vec<(Val, usize)>,
    /// What is not the same in all turns.
    varies: Vec<bool>,
}

/// Renders a kernel of many turns whose state stays in registers; none where positions look at others,
/// reduce anything, or have more state than registers.
///
/// # Errors
/// Where users' functions cannot stand in one kernel.
pub(super) fn render(
    kernel: &Kernel,
    pairs: &[(u32, u32)],
    target: &Target,
) -> Result<Option<Rendered>> {
    if own(kernel, pairs) != Some(Own::Element) {
        return Ok(None);
    }
    let entry = name::identifier(kernel);
    let normal = normalise::normalise(kernel);
    let kernel = &normal.kernel;
    let Some(alone) = Alone::new(kernel, pairs) else { return Ok(None) };
    let (phases, wide) = (kernel.phases(), is_wide(kernel));
    let mut form = Form::default();
    let (launch, written) = loop {
        let mut e = Emitter::new(kernel, &phases, wide, &normal.row_at, form);
        e.written(pairs);
        let (launch, written) = (alone.write(&mut e), e.finish());
        match written.form.lighter(&written.tally) {
            Some(lighter) => form = lighter,
            None => break (launch, written),
        }
    };
    let schedule = format!("a thread a position, {} blocks of {BLOCK} threads", launch.grid);
    let name = "turns in registers";
    let draft = Draft { kernel, entry: &entry, name, schedule, wide, launch, written };
    draft.finish(Takes::All(pairs, Barrier::None), target).map(Some)
}

impl<'k> Alone<'k> {
    fn new(kernel: &'k Kernel, pairs: &[(u32, u32)]) -> Option<Alone<'k>> {
        let others = [AxisKind::Reduce, AxisKind::Serial].map(|kind| kernel.axes_of(kind));
        let is_plain = others.iter().all(|axes| axes.is_empty()) && !kernel.has_scans();
        let in_place = kernel.outputs.iter().any(|output| output.alias.is_some());
        let scattered = kernel.stores.iter().any(|store| store.index.values().next().is_some());
        if !is_plain || in_place || scattered {
            return None;
        }
        let input_of = |output: u32| pairs.iter().find(|pair| pair.1 == output).map(|pair| pair.0);
        let mut varies = vec![false; kernel.values.len()];
        let mut states = Vec::new();
        for (k, value) in kernel.values.iter().enumerate() {
            match &value.inst {
                Inst::Load { input, mask, .. } if pairs.iter().any(|pair| pair.0 == *input) => {
                    let output = pairs.iter().find(|pair| pair.0 == *input)?.1;
                    let store = kernel.stores.iter().position(|store| store.output == output)?;
                    // Where nothing is read, zeros are.
                    if mask.is_some() {
                        return None;
                    }
                    states.push((Val(k as u32), store));
                    varies[k] = true;
                }
                inst => inst.for_each_arg(|a| varies[k] |= varies[a.at()]),
            }
        }
        let of = |store: &Store| words(kernel.outputs[store.output as usize].dtype);
        let registers: usize = kernel.stores.iter().map(of).sum();
        let inputs = kernel.stores.iter().map(|store| input_of(store.output)).collect();
        (registers <= STATE).then_some(Alone { kernel, inputs, states, varies })
    }

    fn write(&self, e: &mut Emitter) -> Launch {
        let kernel = self.kernel;
        let axes = kernel.axes_of(AxisKind::Parallel);
        let count = kernel.extent(axes);
        let (end, word) = (e.args.number("n".into(), count as i64), e.word());
        e.line(&format!("const {word} x = ({word})blockIdx.x * {BLOCK} + threadIdx.x;"));
        e.open(&format!("if (x < {end})"));
        if !axes.is_empty() {
            e.decompose("x", axes);
        }
        let roots = kernel.stores.iter().map(|store| store.value);
        let wanted = e.closure(roots);
        let constant: Vec<bool> =
            wanted.iter().zip(&self.varies).map(|(&wanted, &varies)| wanted && !varies).collect();
        e.emit_ready(&constant, 0);
        for (k, store) in kernel.stores.iter().enumerate() {
            let ctype = type_name(kernel.outputs[store.output as usize].dtype);
            let read = self.inputs[k].map(|input| e.read(input, &store.index, &format!("_own{k}")));
            match read {
                Some(read) => e.line(&format!("{ctype} own{k} = {read};")),
                None => e.line(&format!("{ctype} own{k} = {ctype}();")),
            }
        }
        for &(v, store) in &self.states {
            e.name_for_good((v.0, 0), format!("own{store}"));
        }
        e.open("for (unsigned long long turn = 0; turn < given.turns; ++turn)");
        self.turn(e, wanted);
        self.hand_on(e);
        e.close();
        for k in 0..kernel.stores.len() {
            write_value(e, k, &format!("own{k}"), None);
        }
        e.close();
        Launch::flat(count.div_ceil(BLOCK), BLOCK)
    }

    /// Computes what a turn gives.
    fn turn(&self, e: &mut Emitter, wanted: Vec<bool>) {
        let lane = Lane { axis: None, v: 1, base: "x".into(), tail: None };
        let stores = (0..self.kernel.stores.len()).collect();
        let work = Work { wanted, stores, ..Work::default() };
        let held_back = Work { held_back: true, ..work.clone() };
        items::declare_stores(e, &lane, &work.stores);
        if !usual::pays(e, &lane, &work) {
            return emit_plain(e, &lane, &held_back);
        }
        usual::begin(e);
        emit_plain(e, &lane, &held_back);
        usual::end(e);
        e.open("if (!usual.all)");
        emit_plain(e, &lane, &held_back);
        e.close();
    }

    /// What a turn gave is what the next one reads.
    fn hand_on(&self, e: &mut Emitter) {
        let stores = 0..self.kernel.stores.len();
        let cost: u32 = self.kernel.values.iter().filter_map(|value| value.inst.cost()).sum();
        if cost >= WORK {
            let same = stores.clone().map(|k| format!("lz_same_bits(own{k}, store{k})"));
            e.line(&format!("if ({}) break;", same.collect::<Vec<_>>().join(" & ")));
        }
        for k in stores {
            e.line(&format!("own{k} = store{k};"));
        }
    }
}
