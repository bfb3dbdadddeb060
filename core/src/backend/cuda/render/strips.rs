//! Kernels whose rows stay in registers: a thread keeps a strip of neighbouring positions of its
//! block's row, in a loop from the first turn to the last.
//!
//! A kernel of several sweeps over a row reads its neighbours through rows in shared memory
//! ([`Inst::Row`]). Where all such reads lie at known, small distances around the ring that the row is,
//! nearly all neighbours are in the same strip, so that only a strip's ends go through shared memory;
//! and where turn follows turn, the state is read and written once a launch. Twenty Runge-Kutta steps
//! of 4096 rows of 9600 doubles, written by hand, take an H200 1.2 ms in one launch, 5.0 in a launch
//! for each, and 5.9 where every element goes through shared memory.
//!
//! - Every thread has a whole strip: the last one begins earlier where the row ends within it, and the
//!   threads beyond it do the same work again. What is computed twice is written once.
//! - Not for folds, scans, draws, loops within a position, reads at other places, and rows whose strips
//!   do not fit into registers ([`choose`]).

use super::emit::{Emitter, Turns, Written};
use super::items::{Lane, Work, declare_loads, emit_item, issue_loads, write_value};
use super::names::{type_name, words};
use super::rows::roots;
use super::skipped::{self, Runs};
use super::weight::Form;
use super::{
    Launch, Rendered, Target, check, comment, definitions, is_wide, normalise, turns, uses,
};
use crate::dtype::DType;
use crate::error::Result;
use crate::kernel::own::own;
use crate::kernel::phases::Phases;
use crate::kernel::{Atom, AxisKind, Index, Inst, Kernel, Val, name};
use rustc_hash::{FxHashMap, FxHashSet};

/// The furthest read, in positions.
const FURTHEST: i64 = 16;
/// The registers of a thread besides those of its strip.
const WORKING: usize = 18;
/// The registers of a multiprocessor, and the most of a thread.
const REGISTERS: usize = 1 << 16;
const MOST_REGISTERS: usize = 255;
/// The warps of a multiprocessor from which on they cover each other's waiting.
const BUSY_WARPS: f64 = 8.0;
/// What the ends of a strip cost, in positions.
const ENDS: f64 = 6.0;
/// The fewest strips of a row.
const FEWEST: usize = 8;
/// What a kernel by strips may weigh. Sums and products that are written out many times take NVRTC half
/// as long as their weight says: a Runge-Kutta step by strips of 25 positions, 370,500, takes 0.17 s.
pub const MOST_WEIGHT: u64 = 450_000;
/// So many lengths of strips are tried before the kernel is written another way.
const TRIES: usize = 3;

/// Rows of fewer bytes are written another way where a launch takes one turn: they stay in the
/// innermost cache.
const LONG: usize = 32 << 10;

/// What a row is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Element {
    /// What is read when the kernel begins.
    State(usize),
    Value(Val),
}

/// Elements of an array that each thread has for its strip.
#[derive(Debug)]
struct State {
    input: u32,
    /// The place of a position's own element.
    index: Index,
    dtype: DType,
    /// The store of what the next turn finds there.
    store: Option<usize>,
    /// Whether it is read before it is written.
    read: bool,
}

/// A row whose neighbours are read.
#[derive(Debug)]
struct Row {
    element: Element,
    /// The sweep that fills it; the state's are filled before the first one.
    filled: Option<u32>,
    /// The last sweep that reads it.
    read: u32,
    /// How far it is read to the left and to the right.
    left: i64,
    right: i64,
    /// The number of its memory.
    slot: usize,
}

/// A kernel that can be written by strips.
struct Strips<'k> {
    kernel: &'k Kernel,
    phases: &'k Phases,
    pairs: Option<&'k [(u32, u32)]>,
    /// The Reduce axis.
    axis: usize,
    length: usize,
    states: Vec<State>,
    rows: Vec<Row>,
    /// Reads at a distance, with the row's number.
    beside: FxHashMap<Val, (usize, i64)>,
    /// Reads of a state at the own position, with the state's number.
    own: FxHashMap<Val, usize>,
    /// Other loads along the row, which are the same in every turn.
    constant: Vec<Val>,
}

/// The positions of a strip, and the threads of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Plan {
    keep: usize,
    team: usize,
}

/// Renders a kernel of one turn, or of many where there are pairs, by strips; none where it cannot be,
/// or does not fit.
///
/// # Errors
/// Where a user's function has no code for the device.
pub(super) fn render(
    kernel: &Kernel,
    pairs: Option<&[(u32, u32)]>,
    target: &Target,
) -> Result<Option<Rendered>> {
    render_if(kernel, pairs.map_or(Runs::Once, Runs::Again), target, |_| true)
}

/// The same of a kernel of one turn where that is the faster way.
pub(super) fn render_long(
    kernel: &Kernel,
    runs: Runs,
    target: &Target,
) -> Result<Option<Rendered>> {
    render_if(kernel, runs, target, |strips| {
        strips.bytes().0 >= LONG && strips.phases.sweeps.len() > 2
    })
}

fn render_if(
    kernel: &Kernel,
    runs: Runs,
    target: &Target,
    pays: impl Fn(&Strips) -> bool,
) -> Result<Option<Rendered>> {
    let entry = name::identifier(kernel);
    let normal = normalise::normalise(kernel);
    let (kernel, pairs) = (&normal.kernel, runs.pairs());
    if is_wide(kernel) || pairs.is_some_and(|pairs| own(kernel, pairs).is_none()) {
        return Ok(None);
    }
    let phases = kernel.phases();
    let strips = Strips::new(kernel, &phases, &normal.row_at, pairs);
    let Some(strips) = strips.filter(pays) else { return Ok(None) };
    for plan in strips.choose(target).into_iter().take(TRIES) {
        let mut e = Emitter::new(kernel, &phases, false, &normal.row_at, Form::default());
        e.written(pairs.unwrap_or_default());
        let (launch, written) = (strips.write(&mut e, plan), e.finish());
        let Written { text, args, form, tally, .. } = written;
        let weight = form.weight(&tally);
        // Strips in rolled loops would lie in memory.
        if !form.is_written_out(&tally) || weight > MOST_WEIGHT {
            continue;
        }
        let (structure, mut template) = args.finish(kernel);
        let mut body = comment(kernel, "strips", false);
        body += &form.definitions(definitions(kernel)?);
        let threads = plan.team.to_string();
        let mut form_of_turns = None;
        body += &structure;
        let parts = (&*text, &*threads, &*entry);
        match runs {
            Runs::Once => body += &skipped::once(parts),
            Runs::Unless => body += &skipped::skipped(parts, &mut template),
            Runs::Again(pairs) => {
                let (turns, form) = turns::resident(kernel, pairs, parts, &launch, &mut template);
                body += "\n";
                body += &turns;
                form_of_turns = Some(form);
            }
        }
        if check(&template, &launch, target).is_err() {
            continue;
        }
        return Ok(Some(Rendered {
            body,
            entry,
            grid: [launch.grid as u32, 1, 1],
            block: launch.block.map(|n| n as u32),
            shared_bytes: launch.shared as u32,
            template,
            scratch_bytes: 0,
            counters: 0,
            schedule: format!(
                "strips of {} positions for each of {} threads, {} blocks",
                plan.keep, plan.team, launch.grid
            ),
            weight,
            turns: form_of_turns,
            at_a_time: None,
        }));
    }
    Ok(None)
}

/// Whether two indices lead to the same place at every position.
fn same_place(kernel: &Kernel, a: &Index, b: &Index) -> bool {
    let axes = 0..kernel.axes.len();
    a.offset == b.offset
        && a.values().next().is_none()
        && b.values().next().is_none()
        && axes.into_iter().all(|k| a.stride(k) == b.stride(k))
}

impl<'k> Strips<'k> {
    fn new(
        kernel: &'k Kernel,
        phases: &'k Phases,
        row_at: &Index,
        pairs: Option<&'k [(u32, u32)]>,
    ) -> Option<Self> {
        let mut reduce = kernel.axes_of(AxisKind::Reduce).iter();
        let (axis, None) = (reduce.next()?, reduce.next()) else { return None };
        let plain = |inst: &Inst| {
            inst.reduced().is_none()
                && inst.swept().is_none()
                && !matches!(inst, Inst::Draw { .. } | Inst::Component { .. })
        };
        let fits = kernel.axes_of(AxisKind::Serial).is_empty()
            && same_place(kernel, row_at, &Index::axis(axis))
            && phases.stores.is_empty()
            && !phases.sweeps.is_empty()
            && kernel.values.iter().all(|value| plain(&value.inst))
            && kernel.outputs.iter().all(|output| output.alias.is_none())
            && kernel.stores.iter().all(|store| store.index.values().next().is_none());
        if !fits {
            return None;
        }
        let mut strips = Strips {
            kernel,
            phases,
            pairs,
            axis,
            length: kernel.axes[axis].extent,
            states: Vec::new(),
            rows: Vec::new(),
            beside: FxHashMap::default(),
            own: FxHashMap::default(),
            constant: Vec::new(),
        };
        strips.find_pairs()?;
        strips.find_reads()?;
        strips.share_memory();
        Some(strips)
    }

    /// What pairs hand on is the state.
    fn find_pairs(&mut self) -> Option<()> {
        for &(input, output) in self.pairs.unwrap_or_default() {
            let store = self.kernel.stores.iter().position(|store| store.output == output)?;
            let (index, dtype) =
                (&self.kernel.stores[store].index, self.kernel.outputs[output as usize].dtype);
            if index.stride(self.axis) != 1 {
                return None;
            }
            let index = index.clone();
            self.states.push(State { input, index, dtype, store: Some(store), read: false });
        }
        Some(())
    }

    /// How far a place along the row is from the position, around the ring.
    fn distance(&self, place: Val) -> Option<i64> {
        let Inst::IndexMod { index, by } = &self.kernel.value(place).inst else { return None };
        let length = self.length as i64;
        let along = matches!(index.terms[..], [(Atom::Axis(k), 1)] if k as usize == self.axis);
        if *by != length || !along {
            return None;
        }
        let ahead = index.offset.rem_euclid(length);
        let distance = if ahead <= length / 2 { ahead } else { ahead - length };
        (distance.abs() <= FURTHEST).then_some(distance)
    }

    /// The place of a position's own element, and how far from it a read is; none where that is not
    /// known.
    fn own_place(&self, index: &Index) -> Option<(Index, i64)> {
        let (mut own, mut distance) = (Index::constant(index.offset), 0);
        for &(atom, coefficient) in &index.terms {
            match atom {
                Atom::Value(place) => {
                    distance += self.distance(place)?;
                    own.add_term(Atom::Axis(self.axis as u8), coefficient);
                }
                axis => own.add_term(axis, coefficient),
            }
        }
        (own.stride(self.axis) == 1).then_some((own, distance))
    }

    /// The number of the row of an element.
    fn row(&mut self, element: Element, filled: Option<u32>) -> usize {
        if let Some(at) = self.rows.iter().position(|row| row.element == element) {
            return at;
        }
        self.rows.push(Row { element, filled, read: 0, left: 0, right: 0, slot: 0 });
        self.rows.len() - 1
    }

    fn read_beside(&mut self, v: Val, row: usize, distance: i64) {
        let of = &mut self.rows[row];
        of.read = of.read.max(self.phases.of[v.at()]);
        of.left = of.left.max(-distance);
        of.right = of.right.max(distance);
        self.beside.insert(v, (row, distance));
    }

    /// Finds what is read of arrays and of rows.
    fn find_reads(&mut self) -> Option<()> {
        let (kernel, axis) = (self.kernel, self.axis);
        let along = |v: Val| kernel.value(v).axes.has(axis);
        // What changes from turn to turn.
        let mut varies = vec![false; kernel.values.len()];
        for (k, value) in kernel.values.iter().enumerate() {
            let v = Val(k as u32);
            value.inst.for_each_arg(|a| varies[k] |= varies[a.at()]);
            match &value.inst {
                Inst::Load { input, index, mask } => {
                    let place = mask.is_none().then(|| self.own_place(index)).flatten();
                    let handed_on =
                        self.states.iter().any(|s| s.input == *input && s.store.is_some());
                    match place {
                        Some((place, distance)) => self.read_state(v, *input, &place, distance)?,
                        None if handed_on || varies[k] => return None,
                        None if along(v) => self.constant.push(v),
                        None => {}
                    }
                    varies[k] |= handed_on;
                }
                Inst::RowLoad { row, at, mask: None } => {
                    let (place, distance) = self.own_place(at)?;
                    let Inst::Row(element) = kernel.value(*row).inst else { return None };
                    let is_row = same_place(kernel, &place, &Index::axis(axis));
                    if !is_row || !along(element) || kernel.value(element).inst.is_index() {
                        return None;
                    }
                    let filled = self.phases.of[row.at()].checked_sub(1)?;
                    let (element, filled) = match self.own.get(&element) {
                        Some(&state) => (Element::State(state), None),
                        None => (Element::Value(element), Some(filled)),
                    };
                    let row = self.row(element, filled);
                    self.read_beside(v, row, distance);
                    varies[k] = true;
                }
                Inst::RowLoad { .. } => return None,
                _ => {}
            }
        }
        (!self.rows.is_empty()).then_some(())
    }

    /// Takes in a read of an array; none where what is handed on is read elsewhere.
    fn read_state(&mut self, v: Val, input: u32, place: &Index, distance: i64) -> Option<()> {
        let kernel = self.kernel;
        let same = |state: &State| state.input == input && same_place(kernel, &state.index, place);
        let known = self.states.iter().position(same);
        let handed_on = self.states.iter().any(|s| s.input == input && s.store.is_some());
        let state = match known {
            Some(state) => state,
            None if handed_on => return None,
            None => {
                let dtype = kernel.value(v).dtype;
                let (index, store) = (place.clone(), None);
                self.states.push(State { input, index, dtype, store, read: false });
                self.states.len() - 1
            }
        };
        self.states[state].read = true;
        if distance == 0 {
            self.own.insert(v, state);
        } else {
            let row = self.row(Element::State(state), None);
            self.read_beside(v, row, distance);
        }
        Some(())
    }

    /// Shares memory out among the rows: one's is another's once nobody reads it any more.
    fn share_memory(&mut self) {
        let mut free: Vec<Option<u32>> = Vec::new();
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.sort_by_key(|&k| self.rows[k].filled);
        for k in order {
            // The state's are filled before the sweep of number 0, as if by one before it.
            let filled = self.rows[k].filled;
            let is_free = |last: &Option<u32>| last.is_none_or(|last| filled > Some(last));
            let slot = free.iter().position(is_free).unwrap_or_else(|| {
                free.push(None);
                free.len() - 1
            });
            free[slot] = Some(self.rows[k].read);
            self.rows[k].slot = slot;
        }
    }

    /// Whether a turn must not begin before all threads have ended the one before.
    fn waits_for_turns(&self) -> bool {
        let last = self.phases.sweeps.len() as u32 - 1;
        let read: FxHashSet<usize> =
            self.rows.iter().filter(|row| row.read >= last).map(|row| row.slot).collect();
        let first = |row: &&Row| row.filled.is_none_or(|filled| filled == 0);
        last == 0 || self.rows.iter().filter(first).any(|row| read.contains(&row.slot))
    }

    fn dtype_of(&self, element: Element) -> DType {
        match element {
            Element::State(state) => self.states[state].dtype,
            Element::Value(v) => self.kernel.value(v).dtype,
        }
    }

    /// The bytes of a row's memory, and of all of them.
    fn bytes(&self) -> (usize, usize) {
        let sizes = self.kernel.values.iter().map(|value| value.dtype.size());
        let outputs = self.kernel.outputs.iter().map(|output| output.dtype.size());
        let widest = sizes.chain(outputs).max().unwrap_or(8);
        let slots = self.rows.iter().map(|row| row.slot + 1).max().unwrap_or(1);
        let one = (self.length * widest).next_multiple_of(16);
        (one, one * slots)
    }

    /// The registers that a position takes.
    fn live_words(&self) -> usize {
        let of = |dtypes: &mut dyn Iterator<Item = DType>| -> usize { dtypes.map(words).sum() };
        let constant = of(&mut self.constant.iter().map(|&v| self.kernel.value(v).dtype));
        let row = self.rows.iter().map(|row| words(self.dtype_of(row.element))).max().unwrap_or(0);
        let sweeps = uses::live_words(self.kernel, self.phases) + row;
        if self.pairs.is_none() {
            return sweeps + constant;
        }
        let (handed_on, stays): (Vec<&State>, Vec<&State>) =
            self.states.iter().partition(|state| state.store.is_some());
        let next = of(&mut handed_on.iter().map(|state| state.dtype));
        let stays = of(&mut stays.iter().map(|state| state.dtype));
        let loose = self.loose_stores().map(|k| self.kernel.stores[k].value);
        let loose = of(&mut loose.map(|v| self.kernel.value(v).dtype));
        sweeps.max(2 * next) + stays + constant + loose
    }

    /// Strips by which a row stays in registers, the best ones first.
    fn choose(&self, target: &Target) -> Vec<Plan> {
        let (n, live, (_, shared)) = (self.length, self.live_words(), self.bytes());
        let reach = self.rows.iter().map(|row| row.left.max(row.right)).max().unwrap_or(0) as usize;
        let count = self.kernel.extent(self.kernel.axes_of(AxisKind::Parallel));
        let at_once = count.div_ceil(target.multiprocessors as usize);
        let mut found: Vec<(f64, Plan)> = Vec::new();
        for keep in reach.max(2)..=32 {
            let (strips, rest) = (n.div_ceil(keep), n % keep);
            let team = strips.next_multiple_of(32);
            // Whoever reads beyond the last strip but one finds the last one there, or the ring's begin.
            let ends_well = rest == 0 || rest >= reach;
            if strips < FEWEST || team > 1024 || !ends_well || shared > target.shared_bytes {
                continue;
            }
            let registers = (keep * live + WORKING).next_multiple_of(8);
            let most = (REGISTERS / team / 8 * 8).min(MOST_REGISTERS);
            if registers > most {
                continue;
            }
            let by_memory = target.shared_bytes / (shared + 1024).min(target.shared_bytes);
            let together = (REGISTERS / (registers * team))
                .min(2048 / team)
                .min(by_memory)
                .min(at_once)
                .max(1);
            let warps = (together * team / 32) as f64;
            let waste = (team * keep) as f64 / n as f64;
            let waits = (BUSY_WARPS / warps).max(1.0).sqrt();
            found.push((waste * (1.0 + ENDS / keep as f64) * waits, Plan { keep, team }));
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        found.into_iter().map(|(_, plan)| plan).collect()
    }
}

/// Writing.
impl Strips<'_> {
    fn write(&self, e: &mut Emitter, plan: Plan) -> Launch {
        let kernel = self.kernel;
        let everything = e.closure(roots(kernel));
        self.header(e, plan);
        e.emit_ready(&everything, 0);
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

    /// The state that a store hands on.
    fn state_of(&self, store: usize) -> Option<usize> {
        self.states.iter().position(|state| state.store == Some(store))
    }

    /// The stores of what no turn reads.
    fn loose_stores(&self) -> impl Iterator<Item = usize> {
        (0..self.kernel.stores.len()).filter(|&k| self.state_of(k).is_none())
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
            e.line(&format!("{ctype}* const row{k} = ({ctype}*){at};"));
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
        for (&v, &(row, distance)) in &self.beside {
            let array = self.array_of(self.rows[row].element);
            let text = match distance {
                0 => format!("{array}[k]"),
                by => format!(
                    "lz_near<{}>({array}, k + {by}, row{row} + left, row{row} + right)",
                    plan.keep
                ),
            };
            e.beside.insert(v, text);
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
            if matches!(value.inst, Inst::IndexMod { .. }) && !needed[k] {
                e.name_for_good((k as u32, 0), "0".into());
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
                && self.beside.get(v).is_none_or(|read| read.1 != 0)
        };
        kept.retain(now);
        kept
    }

    fn sweep(&self, e: &mut Emitter, plan: Plan, p: u32) {
        let kept = self.kept(e, p);
        if kept.is_empty() {
            return;
        }
        let mut declared: Vec<Val> = kept.iter().copied().collect();
        declared.sort();
        for v in &declared {
            e.line(&format!("{} v{}[{}];", e.held(*v), v.0, plan.keep));
        }
        let work = Work {
            wanted: e.closure_up_to(declared, &|v| e.has_name(v)),
            phase: p as usize,
            kept,
            subscript: "[k]".into(),
            ..Work::default()
        };
        self.open_strip(e, plan);
        emit_item(e, &self.lane(), &work);
        e.close();
    }

    /// Writes the ends of strips into rows, for the neighbours; says whether there are any.
    fn fill(&self, e: &mut Emitter, plan: Plan, which: impl Fn(&Row) -> bool) -> bool {
        let is_read = |row: &Row| row.left > 0 || row.right > 0;
        let filled = |&k: &usize| which(&self.rows[k]) && is_read(&self.rows[k]);
        let filled: Vec<usize> = (0..self.rows.len()).filter(filled).collect();
        if filled.is_empty() {
            return false;
        }
        self.open_strip(e, plan);
        for k in filled {
            let row = &self.rows[k];
            let mut at_end = Vec::new();
            if row.right > 0 {
                at_end.push(format!("k < {}", row.right));
            }
            if row.left > 0 {
                at_end.push(format!("k >= {}", plan.keep as i64 - row.left));
            }
            at_end.push("everything".into());
            e.line(&format!(
                "if (({}) && k >= skip) row{k}[x{}] = {}[k];",
                at_end.join(" || "),
                self.axis,
                self.array_of(row.element)
            ));
        }
        e.close();
        true
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
        if store.index.stride(self.axis) != 1 {
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
