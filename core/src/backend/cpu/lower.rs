//! From a kernel to programs: which steps, in which order, in which registers.

use super::affine::Map;
use super::copy::moves;
use super::draw::draw_fn;
use super::layout::{Layout, Mode, is_choice};
use super::places::{Place, Places};
use super::program::{Kept, Mem, Prepared, Program, Row, Step, Sweep, TURNS, Target};
use super::registers::{Frame, Registers};
use crate::dtype::DType;
use crate::function::ScanBy;
use crate::kernel::phases::Phases;
use crate::kernel::{AxisKind, AxisSet, Index, Inst, Kernel, Val};
use crate::table::{Op, Reduction};
use lazuli_inner_loops::casts::{cast_fn, round_fn};
use lazuli_inner_loops::level::Level;
use lazuli_inner_loops::operations::{OpFn, half_fn, op_fn};
use smallvec::SmallVec;

/// Outputs of so many bytes do not stay in any cache. Tests write most of theirs past the caches.
const HUGE: usize = if cfg!(test) { 1 << 9 } else { 48 << 20 };

/// The sizes of tiles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sizes {
    /// The elements of the outermost dimension of the lanes in a tile.
    pub tile: usize,
    /// The most elements of a tile.
    pub len: usize,
    /// The rows of a block.
    pub block: usize,
    /// Whether what is written is soon read again, so that it stays in the caches however much it
    /// is.
    pub stays: bool,
}

/// Lowers kernels.
pub struct Lowering<'k> {
    pub kernel: &'k Kernel,
    pub phases: &'k Phases,
    pub layout: &'k Layout,
    pub places: &'k Places<'k>,
    pub level: Level,
    pub sizes: Sizes,
    pub(super) registers: Registers,
    pub(super) rows: Vec<Option<u32>>,
    /// The rows, each with its value.
    pub(super) row_list: Vec<(Val, Row)>,
}

/// The reduction's operation as a loop over tiles.
pub(super) fn combine_fn(op: Reduction, dtype: DType, level: Level) -> OpFn {
    op_fn(op.combine(), dtype, level).expect("a reduction's class is its operation's")
}

impl<'k> Lowering<'k> {
    pub fn new(
        kernel: &'k Kernel,
        phases: &'k Phases,
        layout: &'k Layout,
        places: &'k Places<'k>,
        level: Level,
        sizes: Sizes,
    ) -> Self {
        let rows = vec![None; kernel.values.len()];
        let mut registers = Registers::default();
        // Serial loops make longer tiles before their turns.
        registers.inner_alloc((sizes.len.max(sizes.block) + TURNS) * 16);
        let row_list = Vec::new();
        Lowering { kernel, phases, layout, places, level, sizes, registers, rows, row_list }
    }

    /// Lowers the whole kernel. The second result is the most bytes that the registers of a
    /// program along the lanes take.
    pub fn lower(mut self) -> (Prepared, usize) {
        self.make_rows();
        let launch = self.program(Place::Launch);
        let count = self.places.sweeps();
        let (mut sweeps, mut outside) = (Vec::new(), Vec::new());
        for s in 0..count {
            outside.push(self.program(Place::Outside(s)));
            let lanes = self.program(Place::Lanes(s));
            let rows = self.program(Place::Rows(s));
            let accs = self.accs(s);
            let states = self.states(s);
            let body = self.program(Place::Body(s));
            let (scans, user_scans) = (self.scans(s), self.user_scans(s));
            sweeps.push(Sweep { lanes, rows, body, accs, states, scans, user_scans });
        }
        outside.push(self.program(Place::Outside(count)));
        let programs = sweeps.iter().flat_map(|s: &Sweep| [&s.lanes, &s.rows, &s.body]);
        let mut kept = Vec::new();
        programs.chain(&outside).for_each(|program| Kept::collect(&program.steps, &mut kept));
        let peak = self.registers.peak_of_lanes();
        let reduce = self.kernel.axes_of(AxisKind::Reduce);
        let store_moves =
            self.kernel.outputs.iter().map(|o| moves(o.dtype, self.level)).collect::<Vec<_>>();
        let prepared = Prepared {
            kernel: self.kernel.clone(),
            layout: self.layout.clone(),
            is_desc: self.places.is_desc.clone(),
            cuts: super::cuts::cuts(self.kernel, self.layout),
            tile: self.sizes.tile,
            tile_len: self.sizes.len,
            block: self.sizes.block,
            launch,
            kept,
            outside,
            sweeps,
            store_moves: self
                .kernel
                .stores
                .iter()
                .map(|s| match self.is_huge(s.output) {
                    true => store_moves[s.output as usize].past_caches(self.level),
                    false => store_moves[s.output as usize],
                })
                .collect(),
            row_len: self.kernel.extent(reduce),
            rows: self.row_list.into_iter().map(|row| row.1).collect(),
            work: 0,
            chunk: 0,
            outer: self.registers.outer(),
            inner: self.registers.inner(),
            guards: self.registers.guards().to_vec(),
        };
        (prepared, peak)
    }

    /// The elements of a register of a program.
    fn elements(&self, place: Place) -> usize {
        match (place, self.layout.mode) {
            (Place::Launch, _) => 1,
            (Place::Outside(_), Mode::AlongReduce) | (Place::Rows(_), _) => self.sizes.block,
            (Place::Outside(_), Mode::ShortRows) => self.sizes.tile,
            _ => self.sizes.len,
        }
    }

    /// Whether the program's tiles lie along the lanes.
    fn along_lanes(&self, place: Place) -> bool {
        // Values outside of the sweeps lie along the rows, unless lanes lie across R.
        let outside = matches!(self.layout.mode, Mode::AlongReduce | Mode::ShortRows);
        match place {
            Place::Launch | Place::Rows(_) => false,
            Place::Outside(_) => !outside,
            Place::Lanes(_) | Place::Body(_) => true,
        }
    }

    /// The axes that the tiles of a program lie along.
    pub(super) fn along(&self, place: Place) -> AxisSet {
        match (place, self.layout.mode) {
            (Place::Launch, _) => AxisSet::EMPTY,
            (Place::Rows(_), _) | (Place::Outside(_), Mode::AlongReduce) => {
                self.layout.rows.into_iter().collect()
            }
            (Place::Outside(_), Mode::ShortRows) => AxisSet::one(self.layout.lanes[0]),
            _ => self.layout.lanes.iter().copied().collect(),
        }
    }

    /// Whether a load without a mask is read in place in every tile.
    fn is_in_place(&self, place: Place, v: Val, input: u32, index: &Index) -> bool {
        let dtype = self.kernel.value(v).dtype;
        let along = self.along(place);
        let strides = || along.iter().map(|k| index.stride(k));
        let mut step = 1;
        let ordered = along == self.layout.lanes.iter().copied().collect()
            && self.layout.lanes.iter().rev().all(|&k| {
                let fits = index.stride(k) == step;
                step *= self.kernel.axes[k].extent as i64;
                fits
            });
        dtype.compute() == dtype
            && !self.must_copy(v, input)
            && index.values().next().is_none()
            && (ordered
                || strides().all(|s| s == 0)
                || along.len() == 1 && strides().all(|s| s == 1))
    }

    /// Lowers one program.
    fn program(&mut self, place: Place) -> Program {
        let needed = self.places.needed(place).to_vec();
        let mut steps = Vec::new();
        self.emit(place, &needed, AxisSet::EMPTY, AxisSet::EMPTY, &mut steps);
        self.finish(place, &mut steps);
        let mut steps = self.chains(place, steps);
        let frame = Frame {
            kernel: self.kernel,
            exported: self.places.exported(place).to_vec(),
            along: self.along(place),
            elements: self.elements(place),
            outer: matches!(place, Place::Launch | Place::Outside(_)),
            lanes: self.along_lanes(place),
        };
        self.registers.assign(&mut steps, frame);
        let row_values = self.row_values(place);
        Program { steps, row_values, exports: self.exports(place) }
    }

    /// The values that a program makes along the rows for others.
    fn exports(&self, place: Place) -> Vec<u32> {
        let along_rows = match place {
            Place::Rows(_) => true,
            Place::Outside(_) => !self.along_lanes(place),
            _ => false,
        };
        if !along_rows {
            return Vec::new();
        }
        let exported = self.places.exported(place);
        (0..exported.len()).filter(|&k| exported[k]).map(|k| k as u32).collect()
    }

    /// Emits the values at one depth of Serial loops: those whose Serial axes are `inside` at
    /// most, and `own` at least in part where this is a loop's body.
    fn emit(
        &self,
        place: Place,
        needed: &[bool],
        inside: AxisSet,
        own: AxisSet,
        steps: &mut Vec<Step>,
    ) {
        let serial = self.kernel.axes_of(AxisKind::Serial);
        for k in (0..needed.len()).filter(|&k| needed[k]) {
            let axes = self.kernel.values[k].axes.intersection(serial);
            let of_body = own.is_empty() || !axes.intersection(own).is_empty();
            if axes.is_subset(inside) && of_body {
                self.value(place, needed, inside, Val(k as u32), steps);
            }
        }
    }

    /// Emits one value.
    fn value(&self, place: Place, needed: &[bool], inside: AxisSet, v: Val, steps: &mut Vec<Step>) {
        let value = self.kernel.value(v);
        let mem = Mem::default();
        let sweep = match place {
            Place::Body(s) => s,
            _ => 0,
        };
        if matches!(place, Place::Body(_)) && self.places.reads_kept(v, sweep) {
            let row = self.rows[v.at()].expect("a kept value has a row");
            let index = self.row_list[row as usize].1.linear.clone();
            steps.push(Step::RowLoad {
                v: v.0,
                row,
                index,
                mask: None,
                copy: false,
                vector: true,
                mem,
            });
            return;
        }
        if let Some((map, index)) = positions(&value.inst) {
            steps.push(Step::Index { v: v.0, map, index: index.clone(), mem });
        }
        match &value.inst {
            Inst::Scalar(slot) => {
                let moves = moves(value.dtype, self.level);
                steps.push(Step::Scalar { v: v.0, slot: *slot, mem, moves });
            }
            Inst::Op(op, args) => steps.push(self.op(place, v, *op, args)),
            Inst::Call { .. } => steps.extend(self.call(place, needed, v)),
            Inst::Draw { law, index, seed } => steps.push(Step::Draw {
                v: v.0,
                f: draw_fn(*law, value.dtype, self.level),
                index: index.clone(),
                seed: [0, 1, 2].map(|k| seed[k].0),
                size: value.dtype.size(),
                mem,
            }),
            Inst::Cast(a) => steps.push(self.cast(place, v, *a)),
            Inst::Load { .. } | Inst::RowLoad { .. } => steps.push(self.read(place, v)),
            Inst::Reduce { op, args, axes } => {
                let mut body = Vec::new();
                self.emit(place, needed, inside.union(*axes), *axes, &mut body);
                steps.push(self.serial(place, v, *op, args, *axes, body));
            }
            Inst::Fold { axes, .. } => {
                let mut body = Vec::new();
                self.emit(place, needed, inside.union(*axes), *axes, &mut body);
                steps.push(self.user_serial(place, needed, v, *axes, body));
            }
            // The fold or the scan brings all its components, and positions were found above.
            Inst::Component { .. } | Inst::Row(_) => {}
            Inst::Index(_) | Inst::IndexDiv { .. } | Inst::IndexMod { .. } => {}
            Inst::IndexClamp { .. } | Inst::IndexAbs(_) | Inst::InRange { .. } => {}
            Inst::Scan { by: ScanBy::Table(_), args, .. } => {
                let in_table = |v: &Val| self.kernel.value(*v).inst.fold().is_none();
                let mut scans = self.kernel.scans().into_iter().filter(in_table);
                let scan = scans.position(|s| s == v).expect("it is one of them") as u32;
                steps.push(Step::Scan {
                    v: v.0,
                    scan,
                    arg: args[0].0,
                    mem,
                    target: self.target(place, v),
                });
            }
            Inst::Scan { by: ScanBy::User(_), .. } => {
                steps.extend(self.user_scan(v, |v| self.call_target(place, v)));
            }
        }
        if self.places.is_desc[v.at()] && self.wants_tile(place, needed, v) {
            steps.push(match value.dtype {
                DType::Bool => Step::Truth { v: v.0, mem },
                _ => Step::Numbers { v: v.0, mem },
            });
        }
        self.after(place, v, steps);
    }

    /// The step that reads a value from an input or a row.
    fn read(&self, place: Place, v: Val) -> Step {
        let (value, mem) = (self.kernel.value(v), Mem::default());
        match &value.inst {
            Inst::Load { input, index, mask } => Step::Load {
                v: v.0,
                input: *input,
                index: index.clone(),
                mask: mask.map(|m| m.0),
                moves: moves(value.dtype, self.level),
                copy: self.must_copy(v, *input),
                in_place: mask.is_none() && self.is_in_place(place, v, *input, index),
                mem,
            },
            Inst::RowLoad { row, at, mask } => Step::RowLoad {
                v: v.0,
                row: self.rows[row.at()].expect("every row was listed"),
                index: at.clone(),
                mask: mask.map(|m| m.0),
                // Outside of the sweeps the value may live longer than the row.
                copy: !matches!(place, Place::Body(_)),
                vector: !value.axes.intersection(self.along(place)).is_empty(),
                mem,
            },
            _ => unreachable!("no other value is read"),
        }
    }

    /// Emits what stores a value as soon as it is there: rows, and outputs that stand in no
    /// input's place.
    fn after(&self, place: Place, v: Val, steps: &mut Vec<Step>) {
        let Place::Body(sweep) = place else { return };
        for row in self.rows_of(v, sweep) {
            steps.push(Step::RowStore { row, value: v.0 });
        }
        for &k in self.places.stores(sweep) {
            let store = &self.kernel.stores[k];
            if store.value == v && self.is_early(k) {
                steps.push(self.store(k));
            }
        }
    }

    fn store(&self, k: usize) -> Step {
        let uses = self.places.store_values(k).iter().map(|v| v.0).collect();
        Step::Store { store: k as u32, uses }
    }

    /// The rows that hold a value which this sweep computes.
    fn rows_of(&self, v: Val, sweep: usize) -> Vec<u32> {
        let made_here = |&(k, _): &(Val, u32)| match self.kernel.value(k).inst {
            Inst::Row(a) => a == v && self.phases.of[k.at()] as usize == sweep + 1,
            _ => k == v && self.places.kept[k.at()] == Some(sweep),
        };
        let rows = self.row_list.iter().map(|row| row.0).zip(0..);
        rows.filter(made_here).map(|(_, row)| row).collect()
    }

    /// Whether a store may happen as soon as its value is there.
    fn is_early(&self, k: usize) -> bool {
        let store = &self.kernel.stores[k];
        let no_alias = self.kernel.outputs.iter().all(|o| o.alias.is_none());
        no_alias && store.index.values().next().is_none()
    }

    /// Emits the end of a program: what has not been stored yet, and the folds.
    fn finish(&self, place: Place, steps: &mut Vec<Step>) {
        let (stores, sweep) = match place {
            Place::Body(s) => (self.places.stores(s), Some(s)),
            Place::Outside(s) if s == self.places.sweeps() => (self.places.last_stores(), None),
            _ => return,
        };
        if let Some(s) = sweep {
            self.finish_rows(s, steps);
            let reductions = self.phases.sweeps.get(s).map_or(&[][..], |p| &p.reductions);
            let (mut acc, mut state) = (0, 0);
            for &r in reductions {
                match &self.kernel.value(r).inst {
                    inst if inst.fold().is_some() => {
                        let mut args = SmallVec::new();
                        inst.for_each_arg(|a| args.push(a.0));
                        steps.push(Step::UserFold { state, args });
                        state += 1;
                    }
                    Inst::Reduce { op, args, .. } => {
                        let last = args.last().expect("a reduction has an element");
                        let sums = *op == Reduction::Sum && self.layout.mode == Mode::AlongReduce;
                        steps.push(Step::Fold { acc, args: [args[0].0, last.0], sums });
                        acc += 1;
                    }
                    Inst::Scan { args, .. } => {
                        steps.push(Step::Fold { acc, args: [args[0].0; 2], sums: false });
                        acc += 1;
                    }
                    _ => {}
                }
            }
        }
        for &k in stores {
            // A value that another program computes was not followed by its store.
            let done =
                |step: &Step| matches!(step, Step::Store { store, .. } if *store == k as u32);
            if !steps.iter().any(done) {
                steps.push(self.store(k));
            }
        }
    }

    /// Rows whose value another program computes.
    fn finish_rows(&self, sweep: usize, steps: &mut Vec<Step>) {
        for (k, value) in self.kernel.values.iter().enumerate() {
            let Inst::Row(a) = value.inst else { continue };
            let row = self.rows[k].expect("every row was listed");
            let done = |step: &Step| matches!(step, Step::RowStore { row: r, .. } if *r == row);
            if self.phases.of[k] as usize == sweep + 1 && !steps.iter().any(done) {
                steps.push(Step::RowStore { row, value: a.0 });
            }
        }
    }

    /// Whether some step of the program takes an index as a tile.
    fn wants_tile(&self, place: Place, needed: &[bool], v: Val) -> bool {
        let by_value =
            (0..needed.len()).filter(|&k| needed[k]).any(|k| match &self.kernel.values[k].inst {
                Inst::Op(_, args)
                | Inst::Call { args, .. }
                | Inst::Fold { args, .. }
                | Inst::Scan { args, .. } => args.contains(&v),
                Inst::Reduce { args, .. } => args.contains(&v),
                Inst::Cast(a) => *a == v,
                _ => false,
            });
        let Place::Body(s) = place else {
            let stored = |&k: &usize| self.kernel.stores[k].value == v;
            let last = place == Place::Outside(self.places.sweeps());
            return by_value || (last && self.places.last_stores().iter().any(stored));
        };
        let folded = self.phases.sweeps.get(s).is_some_and(|phase| {
            let element = |r: &Val| match &self.kernel.value(*r).inst {
                Inst::Reduce { args, .. } => args[0] == v,
                Inst::Fold { args, .. } | Inst::Scan { args, .. } => args.contains(&v),
                _ => false,
            };
            phase.reductions.iter().any(element)
        });
        let stored = self.places.stores(s).iter().any(|&k| self.kernel.stores[k].value == v);
        let in_row = self.kernel.values.iter().any(|x| matches!(x.inst, Inst::Row(a) if a == v));
        by_value || folded || stored || in_row
    }

    /// Whether a load of an input that an output overwrites must be copied: its value could
    /// still be read, in place, when the output is written.
    fn must_copy(&self, v: Val, input: u32) -> bool {
        if self.kernel.outputs.iter().all(|o| o.alias != Some(input)) {
            return false;
        }
        let by_choice = self.kernel.values.iter().any(|x| match &x.inst {
            Inst::Op(op, args) => is_choice(*op) && args.contains(&v),
            _ => false,
        });
        by_choice || self.kernel.stores.iter().any(|s| s.value == v)
    }

    fn op(&self, place: Place, v: Val, op: Op, args: &[Val]) -> Step {
        let dtype = self.kernel.value(args[usize::from(is_choice(op))]).dtype;
        let f = half_fn(op, dtype, self.level)
            .or_else(|| op_fn(op, dtype.compute(), self.level))
            .expect("the planner checks classes");
        let mut list = [args[0].0; 3];
        args.iter().enumerate().for_each(|(k, a)| list[k] = a.0);
        Step::Op {
            v: v.0,
            f,
            basic: op.basic(),
            args: list,
            arity: args.len() as u8,
            choice: is_choice(op),
            round: round_fn(self.kernel.value(v).dtype, self.level),
            mem: Mem::default(),
            target: self.target(place, v),
        }
    }

    fn cast(&self, place: Place, v: Val, a: Val) -> Step {
        let (from, to) = (self.kernel.value(a).dtype, self.kernel.value(v).dtype);
        // A half that widens is in f32 already.
        let round = if from == to { None } else { round_fn(to, self.level) };
        Step::Op {
            v: v.0,
            f: cast_fn(from, to, self.level),
            basic: None,
            args: [a.0; 3],
            arity: 1,
            choice: false,
            round,
            mem: Mem::default(),
            target: self.target(place, v),
        }
    }

    /// Where an operation writes: into the place of its only store, if nothing reads what was
    /// there afterwards.
    pub(super) fn target(&self, place: Place, v: Val) -> Target {
        let Place::Body(sweep) = place else { return Target::Register };
        if self.places.in_serial(v) {
            return Target::Register;
        }
        if let [row] = self.rows_of(v, sweep)[..] {
            return Target::Row(row);
        }
        let mut stores =
            self.places.stores(sweep).iter().filter(|&&k| self.kernel.stores[k].value == v);
        let (Some(&k), None) = (stores.next(), stores.next()) else { return Target::Register };
        let output = &self.kernel.outputs[self.kernel.stores[k].output as usize];
        let plain = output.dtype.compute() == output.dtype;
        let free = output.alias.is_none_or(|input| self.last_use(input) <= v.at());
        let simple = self.kernel.stores[k].index.values().next().is_none();
        if plain && free && simple && !self.is_huge(self.kernel.stores[k].output) {
            Target::Store(k as u32)
        } else {
            Target::Register
        }
    }

    /// Whether an output is so large that it is written past the caches; one that stands in an
    /// input's place is in them already.
    pub(super) fn is_huge(&self, output: u32) -> bool {
        let output = &self.kernel.outputs[output as usize];
        let same = output.dtype.compute() == output.dtype;
        let huge = same && output.alias.is_none() && output.len * output.dtype.size() >= HUGE;
        huge && !self.sizes.stays
    }

    /// The last value that uses a load of an input.
    fn last_use(&self, input: u32) -> usize {
        let mut last = 0;
        for (k, value) in self.kernel.values.iter().enumerate() {
            if !matches!(value.inst, Inst::Load { input: i, .. } if i == input) {
                continue;
            }
            last = last.max(k);
            for (user, other) in self.kernel.values.iter().enumerate() {
                other.inst.for_each_arg(|a| {
                    if a.at() == k {
                        last = last.max(user);
                    }
                });
            }
            if self.kernel.stores.iter().any(|s| s.value.at() == k) {
                last = usize::MAX;
            }
        }
        last
    }
}

/// The positions that a value is, as an index and what is made of it.
fn positions(inst: &Inst) -> Option<(Map, &Index)> {
    Some(match inst {
        Inst::Index(index) => (Map::Same, index),
        Inst::IndexDiv { index, by } => (Map::Div(*by), index),
        Inst::IndexMod { index, by } => (Map::Mod(*by), index),
        Inst::IndexClamp { index, low, high } => (Map::Clamp(*low, *high), index),
        Inst::IndexAbs(index) => (Map::Abs, index),
        Inst::InRange { index, low, high } => (Map::InRange(*low, *high), index),
        _ => return None,
    })
}
