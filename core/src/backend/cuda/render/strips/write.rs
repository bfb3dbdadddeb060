//! Writing a kernel by strips.

use super::find::{Element, Row, Strips};
use super::plan::Plan;
use crate::backend::cuda::render::Launch;
use crate::backend::cuda::render::beside::Beside;
use crate::backend::cuda::render::emit::{Emitter, Turns};
use crate::backend::cuda::render::forms::emit_item;
use crate::backend::cuda::render::items::{Lane, Work, declare_loads, issue_loads, write_value};
use crate::backend::cuda::render::names::type_name;
use crate::backend::cuda::render::rows::roots;
use crate::backend::cuda::render::uses;
use crate::kernel::{AxisKind, AxisSet, Index, Inst, Val};
use rustc_hash::FxHashSet;

/// The terms of windows that the compiler writes out, those of some turns for each position of a strip:
/// their reads are under way together. Twenty steps of Lorenz's model III, 40 rows of 960 doubles by 5
/// positions, took an H200 0.303 ms with 4 turns written out, and 0.407 with 2.
const TOGETHER: usize = 24;

impl Strips<'_> {
    /// Writes the kernel.
    pub(super) fn write(&self, e: &mut Emitter, plan: Plan) -> Launch {
        let kernel = self.kernel;
        let everything = e.closure(roots(kernel));
        self.header(e, plan);
        e.emit_ready(&everything, 0);
        self.read_tables(e, plan);
        (0..self.states.len()).for_each(|state| self.read(e, plan, state));
        self.read_constant(e, plan);
        self.name_reads(e, plan);
        match self.pairs {
            None => self.turn(e, plan),
            Some(_) => {
                for k in self.loose_stores() {
                    let ctype = type_name(kernel.value(kernel.stores[k].value).dtype);
                    e.line(&format!("{ctype} last{k}[{}];", plan.keep));
                }
                e.open("for (unsigned long long turn = 0; turn < given.turns; ++turn)");
                self.turn(e, plan);
                self.hand_on(e, plan);
                e.close();
            }
        }
        (0..kernel.stores.len()).for_each(|k| self.write_store(e, plan, k));
        let count = kernel.extent(kernel.axes_of(AxisKind::Parallel));
        Launch {
            grid: count,
            block: [plan.team, 1, 1],
            shared: self.bytes().1,
            ..Launch::default()
        }
    }

    /// All sweeps over the row.
    fn turn(&self, e: &mut Emitter, plan: Plan) {
        if self.fill(e, plan, |row| row.filled.is_none()) {
            e.line("__syncthreads();");
        }
        let sweeps = self.phases.sweeps.len() as u32;
        for p in 0..sweeps {
            self.sweep(e, plan, p);
            self.fill(e, plan, |row| row.filled == Some(p));
            if p + 1 < sweeps {
                e.line("__syncthreads();");
            }
        }
    }

    /// Finds a thread's strip, and names the memory.
    fn header(&self, e: &mut Emitter, plan: Plan) {
        let (keep, n) = (plan.keep, e.extent(self.axis));
        let strips = e.args.number("strips".into(), self.length.div_ceil(keep) as i64);
        e.line("const int lane = threadIdx.x;");
        e.line("const int team = blockIdx.x;");
        e.decompose("team", self.kernel.axes_of(AxisKind::Parallel));
        e.line(&format!("const int begin = lane + 1 < {strips} ? lane * {keep} : {n} - {keep};"));
        e.line(&format!("const int skip = lane * {keep} - begin;"));
        // The last strip may begin within the one before, so that its neighbours read anywhere in both.
        e.line(&format!("const bool everything = lane + 2 >= {strips};"));
        e.line(&format!("const int left = begin == 0 ? {n} : begin;"));
        e.line(&format!("const int right = begin + {keep} == {n} ? 0 : begin + {keep};"));
        e.line("LZ_DYNAMIC_SHARED(memory);");
        let row = e.args.number("row".into(), self.bytes().0 as i64);
        for (k, row_of) in self.rows.iter().enumerate() {
            let ctype = self.type_of(row_of.element);
            let at = match row_of.slot {
                0 => "memory".to_string(),
                slot => format!("(memory + {row} * {slot})"),
            };
            // Its end stands before its begin once more.
            let before = match row_of.whole {
                true if row_of.left > 0 => format!(" + {}", row_of.left),
                _ => String::new(),
            };
            e.line(&format!("{ctype}* const row{k} = ({ctype}*){at}{before};"));
        }
    }

    fn type_of(&self, element: Element) -> &'static str {
        type_name(self.dtype_of(element))
    }

    fn array_of(&self, element: Element) -> String {
        match element {
            Element::State(state) => format!("state{state}"),
            Element::Value(v) => format!("v{}", v.0),
        }
    }

    /// Opens the loop over a strip's positions.
    fn open_strip(&self, e: &mut Emitter, plan: Plan) {
        e.open_turns(&format!("for (int k = 0; k < {}; ++k)", plan.keep), Turns::All(plan.keep));
        e.line(&format!("const int x{} = begin + k;", self.axis));
    }

    /// Opens the loop of a block over a row, neighbouring threads at neighbouring positions.
    fn open_row(&self, e: &mut Emitter, plan: Plan) {
        let (k, n) = (self.axis, e.extent(self.axis));
        let head = format!("for (int x{k} = lane; x{k} < {n}; x{k} += {})", plan.team);
        e.open_turns(&head, Turns::Some(4));
        e.bind(k, format!("x{k}"));
    }

    /// Reads a state, by way of shared memory: neighbouring threads read neighbouring elements.
    fn read(&self, e: &mut Emitter, plan: Plan, number: usize) {
        let state = &self.states[number];
        let ctype = type_name(state.dtype);
        e.line(&format!("{ctype} state{number}[{}];", plan.keep));
        if !state.read {
            return;
        }
        let (stage, axis) = (format!("(({ctype}*)memory)"), self.axis);
        self.open_row(e, plan);
        let read = e.read(state.input, &state.index, &format!("_state{number}"));
        e.line(&format!("{stage}[x{axis}] = {read};"));
        e.close();
        e.line("__syncthreads();");
        self.open_strip(e, plan);
        e.line(&format!("state{number}[k] = {stage}[x{axis}];"));
        e.close();
        e.line("__syncthreads();");
    }

    /// Reads what is the same in every turn.
    fn read_constant(&self, e: &mut Emitter, plan: Plan) {
        if self.constant.is_empty() {
            return;
        }
        let lane = self.lane();
        declare_loads(e, &lane, &self.constant, plan.keep);
        self.open_strip(e, plan);
        e.bind(self.axis, format!("x{}", self.axis));
        issue_loads(e, &lane, &self.constant, Some("[k]"));
        e.close();
    }

    fn lane(&self) -> Lane {
        Lane { axis: Some(self.axis), v: 1, base: format!("x{}", self.axis), tail: None }
    }

    /// Names what is read of the state and of rows.
    fn name_reads(&self, e: &mut Emitter, plan: Plan) {
        let kernel = self.kernel;
        for (&v, &state) in &self.own {
            e.name_for_good((v.0, 0), format!("state{state}[k]"));
        }
        for (&v, (row, distance)) in &self.beside {
            let of = &self.rows[*row];
            let read = Beside {
                distance: distance.clone(),
                array: self.array_of(of.element),
                keep: plan.keep,
                row: format!("row{row}"),
                whole: of.whole.then(|| format!("x{}", self.axis)),
            };
            e.beside.insert(v, read);
        }
        // Places that such reads alone need are not computed.
        let mut needed = vec![false; kernel.values.len()];
        for (k, value) in kernel.values.iter().enumerate() {
            let v = Val(k as u32);
            if !self.beside.contains_key(&v) && !self.own.contains_key(&v) {
                value.inst.for_each_arg(|a| needed[a.at()] = true);
            }
        }
        for (k, value) in kernel.values.iter().enumerate() {
            if value.inst.is_index() && !needed[k] {
                e.for_turns(Val(k as u32), |e, turn, _| {
                    e.name_for_good((k as u32, turn), "0".into());
                });
            }
        }
    }

    /// What a sweep computes and somebody needs later.
    fn kept(&self, e: &Emitter, p: u32) -> FxHashSet<Val> {
        let kernel = self.kernel;
        let crossing = uses::crossing(kernel, self.phases);
        let mut kept: FxHashSet<Val> =
            (0..kernel.values.len()).filter(|&k| crossing[k]).map(|k| Val(k as u32)).collect();
        kept.extend(self.rows.iter().filter_map(|row| match row.element {
            Element::Value(v) => Some(v),
            Element::State(_) => None,
        }));
        kept.extend(kernel.stores.iter().map(|store| store.value));
        let now = |v: &Val| {
            self.phases.of[v.at()] == p
                && kernel.value(*v).axes.has(self.axis)
                && !e.has_name(*v)
                && self.beside.get(v).is_none_or(|read| read.1 != Index::default())
        };
        kept.retain(now);
        kept
    }

    fn sweep(&self, e: &mut Emitter, plan: Plan, p: u32) {
        let mut kept: Vec<Val> = self.kept(e, p).into_iter().collect();
        kept.sort();
        for window in self.windows(e, p, &kept) {
            self.window(e, plan, p, window);
        }
        kept.retain(|&v| !e.has_name(v));
        self.strip(e, plan, p, kept);
    }

    /// Computes values for all positions of a strip.
    fn strip(&self, e: &mut Emitter, plan: Plan, p: u32, values: Vec<Val>) {
        if values.is_empty() {
            return;
        }
        for v in &values {
            e.line(&format!("{} v{}[{}];", e.held(*v), v.0, plan.keep));
        }
        let work = Work {
            wanted: e.closure_up_to(values.iter().copied(), &|v| e.has_name(v)),
            phase: p as usize,
            kept: values.into_iter().collect(),
            subscript: "[k]".into(),
            ..Work::default()
        };
        self.open_strip(e, plan);
        emit_item(e, &self.lane(), &work);
        e.close();
    }

    /// The sums over windows that some values need and that a sweep computes.
    fn windows(&self, e: &Emitter, p: u32, needed: &[Val]) -> Vec<Val> {
        let needed = e.closure_up_to(needed.iter().copied(), &|v| e.has_name(v));
        let is_window = |v: &Val| {
            let value = self.kernel.value(*v);
            let looped = |axes: AxisSet| !axes.intersection(self.looped).is_empty();
            needed[v.at()]
                && self.phases.of[v.at()] == p
                && value.axes.has(self.axis)
                && value.inst.reduced().is_some_and(looped)
                && !e.has_name(*v)
        };
        (0..self.kernel.values.len() as u32).map(Val).filter(is_window).collect()
    }

    /// Sums up the windows of all positions of a strip together: neighbours' windows share all but their
    /// ends, which the compiler reads once for several turns.
    fn window(&self, e: &mut Emitter, plan: Plan, p: u32, v: Val) {
        let value = self.kernel.value(v);
        let Some(axes) = value.inst.reduced() else { return };
        let mut args = Vec::new();
        value.inst.for_each_arg(|a| args.push(a));
        let within = e.closure_up_to(args, &|a| e.has_name(a));
        // What is the same in all turns.
        let outside = |a: &Val| {
            let of = self.kernel.value(*a);
            within[a.at()]
                && of.axes.has(self.axis)
                && !matches!(of.inst, Inst::Row(_))
                && of.axes.intersection(axes).is_empty()
                && !e.has_name(*a)
                && !e.cheap[a.at()]
                && !self.beside.contains_key(a)
        };
        let outside = (0..self.kernel.values.len() as u32).map(Val).filter(outside).collect();
        self.strip(e, plan, p, outside);
        let (sum, identity) = (format!("v{}[k]", v.0), e.identity(v));
        e.line(&format!("{} v{}[{}];", e.accumulator(v), v.0, plan.keep));
        self.open_strip(e, plan);
        e.line(&format!("{sum} = {identity};"));
        e.close();
        for k in axes.iter() {
            let turns = self.kernel.axes[k].extent;
            let head = format!("for (int x{k} = 0; x{k} < {turns}; ++x{k})");
            e.open_turns(&head, Turns::Some((TOGETHER / plan.keep).clamp(1, turns)));
            e.bind(k, format!("x{k}"));
        }
        e.emit_ready(&within, p as usize);
        self.open_strip(e, plan);
        e.bind(self.axis, format!("x{}", self.axis));
        e.emit_ready(&within, p as usize);
        e.count_fold(v);
        let folded = e.folded(v, &sum);
        e.line(&format!("{sum} = {folded};"));
        e.close();
        axes.iter().for_each(|_| e.close());
        e.name_for_good((v.0, 0), sum);
    }

    /// Writes what neighbours read into rows; says whether there is any.
    fn fill(&self, e: &mut Emitter, plan: Plan, which: impl Fn(&Row) -> bool) -> bool {
        let is_read = |row: &Row| row.left > 0 || row.right > 0;
        let filled = |&k: &usize| which(&self.rows[k]) && is_read(&self.rows[k]);
        let filled: Vec<usize> = (0..self.rows.len()).filter(filled).collect();
        if filled.is_empty() {
            return false;
        }
        self.open_strip(e, plan);
        filled.iter().for_each(|&k| self.fill_row(e, plan, k));
        e.close();
        filled.into_iter().filter(|&k| self.rows[k].whole).for_each(|k| self.fill_ends(e, plan, k));
        true
    }

    /// Writes a position of a row.
    fn fill_row(&self, e: &mut Emitter, plan: Plan, k: usize) {
        let (row, axis) = (&self.rows[k], self.axis);
        let (x, value) = (format!("x{axis}"), format!("{}[k]", self.array_of(row.element)));
        let mut at_end = Vec::new();
        if row.whole {
            return e.line(&format!("if (k >= skip) row{k}[{x}] = {value};"));
        }
        if row.right > 0 {
            at_end.push(format!("k < {}", row.right));
        }
        if row.left > 0 {
            at_end.push(format!("k >= {}", plan.keep as i64 - row.left));
        }
        at_end.push("everything".into());
        let at_end = at_end.join(" || ");
        e.line(&format!("if (({at_end}) && k >= skip) row{k}[{x}] = {value};"));
    }

    /// Writes the ends of a whole row a second time, beyond its other ends.
    fn fill_ends(&self, e: &mut Emitter, plan: Plan, k: usize) {
        let (row, n, keep) = (&self.rows[k], e.extent(self.axis), plan.keep);
        let (x, value) = (format!("x{}", self.axis), format!("{}[k]", self.array_of(row.element)));
        let (left, right) = (row.left, row.right);
        // Few threads have a part of an end.
        e.open(&format!("if (begin + {keep} > {n} - {left} || begin < {right})"));
        self.open_strip(e, plan);
        e.line(&format!("if (k >= skip && {x} >= {n} - {left}) row{k}[{x} - {n}] = {value};"));
        e.line(&format!("if (k >= skip && {x} < {right}) row{k}[{x} + {n}] = {value};"));
        e.close();
        e.close();
    }

    /// Reads tables into shared memory.
    fn read_tables(&self, e: &mut Emitter, plan: Plan) {
        for (k, table) in self.tables.iter().enumerate() {
            let (ctype, axis) = (type_name(table.dtype), table.axis);
            let at = e.args.number(format!("table{k}"), self.table_at(k) as i64);
            e.line(&format!("{ctype}* const table{k} = ({ctype}*)(memory + {at});"));
            let (extent, team) = (self.kernel.axes[axis].extent, plan.team);
            e.open(&format!("for (int x{axis} = lane; x{axis} < {extent}; x{axis} += {team})"));
            e.bind(axis, format!("x{axis}"));
            let read = e.read(table.input, &table.index, &format!("_table{k}"));
            e.line(&format!("table{k}[x{axis}] = {read};"));
            e.close();
        }
        if !self.tables.is_empty() {
            e.line("__syncthreads();");
        }
        for (&v, &table) in &self.of_tables {
            for k in self.kernel.value(v).axes.iter() {
                e.name_for_good((v.0, 0), format!("table{table}[x{k}]"));
            }
        }
    }

    /// Makes what a turn gives the state of the next one.
    fn hand_on(&self, e: &mut Emitter, plan: Plan) {
        let stores = &self.kernel.stores;
        let handed_on = || {
            let states = self.states.iter().enumerate();
            states.filter_map(|(state, of)| Some((state, of.store?)))
        };
        self.open_strip(e, plan);
        for (state, store) in handed_on() {
            let (ctype, value) =
                (type_name(self.states[state].dtype), e.operand(stores[store].value));
            e.line(&format!("const {ctype} next{state} = {value};"));
        }
        for k in self.loose_stores() {
            let value = e.operand(stores[k].value);
            e.line(&format!("last{k}[k] = {value};"));
        }
        for (state, _) in handed_on() {
            e.line(&format!("state{state}[k] = next{state};"));
        }
        e.close();
        if self.waits_for_turns() {
            e.line("__syncthreads();");
        }
    }

    /// Writes what a store gets, by way of shared memory where neighbours lie side by side.
    fn write_store(&self, e: &mut Emitter, plan: Plan, k: usize) {
        let store = &self.kernel.stores[k];
        let value = match (self.state_of(k), self.pairs) {
            (Some(state), _) => format!("state{state}[k]"),
            (None, Some(_)) => format!("last{k}[k]"),
            (None, None) => e.operand(store.value),
        };
        if !self.is_staged(k) {
            self.open_strip(e, plan);
            e.bind(self.axis, format!("x{}", self.axis));
            write_value(e, k, &value, Some("k >= skip"));
            return e.close();
        }
        let ctype = type_name(self.kernel.value(store.value).dtype);
        let stage = format!("(({ctype}*)memory)");
        e.line("__syncthreads();");
        self.open_strip(e, plan);
        e.line(&format!("if (k >= skip) {stage}[x{}] = {value};", self.axis));
        e.close();
        e.line("__syncthreads();");
        self.open_row(e, plan);
        write_value(e, k, &format!("{stage}[x{}]", self.axis), None);
        e.close();
    }
}
