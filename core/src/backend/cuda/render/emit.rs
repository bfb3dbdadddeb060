//! Writes the statements of a kernel: scopes, values, indices.
//!
//! A value is emitted once, in the outermost scope where every axis that it depends on is bound.
//! Serial loops of few turns are written out turn by turn, so that a turn's values are values
//! like any other and find their own outermost scope.

mod expression;

use super::args::Args;
use super::beside::Beside;
use super::names::type_name;
use super::time_tiles::Patch;
use super::weight::{Form, Tally};
use crate::dtype::DType;
use crate::kernel::phases::Phases;
use crate::kernel::ranges::Ranges;
use crate::kernel::weight::unrolled_axes;
use crate::kernel::{Atom, AxisKind, AxisSet, Index, Inst, Kernel, Val};
use rustc_hash::FxHashMap;

/// A value in one turn of the loops that are written out.
type Instance = (u32, u32);

struct Scope {
    names: Vec<Instance>,
    bound: AxisSet,
    /// How often the compiler writes out what stands here.
    copies: usize,
}

/// The turns of a loop over positions that the compiler writes out.
#[derive(Clone, Copy, Debug)]
pub(super) enum Turns {
    /// All of so many, so that arrays over them stay in registers.
    All(usize),
    /// So many at a time.
    Some(usize),
}

/// The kernel being written.
pub(super) struct Emitter<'k> {
    pub kernel: &'k Kernel,
    pub phases: &'k Phases,
    pub args: Args,
    /// Whether indices take 64 bits.
    pub wide: bool,
    /// The memory of the rows.
    pub rows: FxHashMap<Val, String>,
    text: String,
    depth: usize,
    names: FxHashMap<Instance, String>,
    scopes: Vec<Scope>,
    axis: Vec<String>,
    /// The axes whose position has a name.
    pub bound: AxisSet,
    unrolled: AxisSet,
    turn: Vec<u32>,
    aliased: Vec<bool>,
    row_at: &'k Index,
    ranges: Ranges,
    /// Where scans run along with their values: the subscript of what lies before.
    pub scan_in_place: Option<&'static str>,
    /// The values made from positions and scalars by a few additions: no loads, no functions.
    pub cheap: Vec<bool>,
    /// The form in which the kernel is written.
    pub form: Form<'k>,
    /// What there is to compile so far.
    pub tally: Tally<'k>,
    /// Whether functions are those for usual arguments.
    pub usual: bool,
    /// Whether they were anywhere so far.
    pub any_usual: bool,
    /// Where turns of tiles are written, the positions that a thread works for.
    pub patch: Option<Patch<'k>>,
    /// Reads that are no reads of memory, where strips of rows are written.
    pub beside: FxHashMap<Val, Beside>,
}

/// A kernel that is written.
pub(super) struct Written<'k> {
    /// The body's text.
    pub text: String,
    /// The arguments that it asked for.
    pub args: Args,
    /// The form in which it is written.
    pub form: Form<'k>,
    /// What there is to compile.
    pub tally: Tally<'k>,
    /// Whether functions for usual arguments are called.
    pub usual: bool,
}

impl<'k> Emitter<'k> {
    pub(super) fn new(
        kernel: &'k Kernel,
        phases: &'k Phases,
        wide: bool,
        row_at: &'k Index,
        form: Form<'k>,
    ) -> Self {
        let mut aliased = vec![false; kernel.inputs.len()];
        for input in kernel.outputs.iter().filter_map(|o| o.alias) {
            aliased[input as usize] = true;
        }
        Emitter {
            kernel,
            phases,
            args: Args::new(wide),
            wide,
            rows: FxHashMap::default(),
            text: String::new(),
            depth: 1,
            names: FxHashMap::default(),
            scopes: vec![Scope { names: Vec::new(), bound: AxisSet::EMPTY, copies: 1 }],
            axis: vec![String::new(); kernel.axes.len()],
            bound: AxisSet::EMPTY,
            unrolled: unrolled_axes(kernel),
            turn: vec![0; kernel.axes.len()],
            aliased,
            row_at,
            ranges: Ranges::new(kernel),
            scan_in_place: None,
            cheap: cheap(kernel),
            form,
            tally: Tally::new(kernel),
            usual: false,
            any_usual: false,
            patch: None,
            beside: FxHashMap::default(),
        }
    }

    /// Notes that what pairs of inputs and outputs name is written by the launch itself.
    pub(super) fn written(&mut self, pairs: &[(u32, u32)]) {
        pairs.iter().for_each(|pair| self.aliased[pair.0 as usize] = true);
    }

    /// What was written.
    pub(super) fn finish(self) -> Written<'k> {
        let Emitter { text, args, form, tally, any_usual: usual, .. } = self;
        Written { text, args, form, tally, usual }
    }

    // ---- Text and scopes ----

    /// Writes one line.
    pub(super) fn line(&mut self, line: &str) {
        if !line.starts_with('#') {
            self.text.extend(std::iter::repeat_n("    ", self.depth));
        }
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Opens a block after a line such as `for (…)`.
    pub(super) fn open(&mut self, line: &str) {
        self.line(&format!("{line} {{"));
        self.depth += 1;
        let copies = self.copies();
        self.scopes.push(Scope { names: Vec::new(), bound: self.bound, copies });
    }

    /// Opens a loop over positions, of which the compiler writes out some turns unless the kernel
    /// would become too large.
    pub(super) fn open_turns(&mut self, head: &str, turns: Turns) {
        let copies = match turns {
            _ if self.form.rolled => 1,
            Turns::All(turns) | Turns::Some(turns) => turns,
        };
        match turns {
            Turns::All(_) if !self.form.rolled => self.line("#pragma unroll"),
            _ => self.line(&format!("#pragma unroll {copies}")),
        }
        self.open(head);
        if let Some(scope) = self.scopes.last_mut() {
            scope.copies *= copies;
        }
    }

    /// Counts an element that is folded here.
    pub(super) fn count_fold(&mut self, v: Val) {
        self.tally.add_fold(self.kernel, v, self.copies());
    }

    /// How often the compiler writes out what is written here.
    fn copies(&self) -> usize {
        self.scopes.last().map_or(1, |scope| scope.copies)
    }

    /// Closes the innermost block; what was named in it has no name any more.
    pub(super) fn close(&mut self) {
        if let Some(scope) = self.scopes.pop() {
            for instance in scope.names {
                self.names.remove(&instance);
            }
            self.bound = scope.bound;
        }
        self.depth -= 1;
        self.line("}");
    }

    /// Names the position on an axis until the innermost block closes.
    pub(super) fn bind(&mut self, axis: usize, text: impl Into<String>) {
        self.axis[axis] = text.into();
        self.bound = self.bound.union(AxisSet::one(axis));
    }

    /// The name of the position on an axis.
    pub(super) fn position(&self, axis: usize) -> &str {
        &self.axis[axis]
    }

    /// An index over loops that are written out: a number in each of their turns.
    pub(super) fn known(&self, index: &Index) -> Option<i64> {
        index.terms.iter().try_fold(index.offset, |sum, &(atom, coefficient)| match atom {
            Atom::Axis(k) if self.unrolled.has(k as usize) => {
                Some(sum + coefficient * i64::from(self.turn[k as usize]))
            }
            _ => None,
        })
    }

    /// The integer type of indices.
    pub(super) fn word(&self) -> &'static str {
        if self.wide { "long long" } else { "int" }
    }

    /// The extent of an axis as an argument.
    pub(super) fn extent(&mut self, axis: usize) -> String {
        let extent = self.kernel.axes[axis].extent as i64;
        self.args.number(format!("n{axis}"), extent)
    }

    /// The extent of an axis as a divisor.
    pub(super) fn extent_divisor(&mut self, axis: usize) -> String {
        let extent = self.kernel.axes[axis].extent as i64;
        self.args.named_divisor(format!("dn{axis}"), extent)
    }

    /// Binds axes to the digits of a linear position, the last axis the fastest.
    pub(super) fn decompose(&mut self, linear: &str, axes: AxisSet) {
        let word = self.word();
        let count = axes.len();
        let mut rest = linear.to_string();
        for (turn, k) in axes.iter().rev().enumerate() {
            if turn + 1 == count {
                self.line(&format!("const {word} x{k} = {rest};"));
            } else {
                let by = self.extent_divisor(k);
                self.line(&format!("const {word} x{k} = lz_mod({rest}, {by});"));
                let next = format!("q{k}");
                self.line(&format!("const {word} {next} = lz_div({rest}, {by});"));
                rest = next;
            }
            self.bind(k, format!("x{k}"));
        }
    }

    /// The present position within a row.
    pub(super) fn rows_at(&mut self) -> String {
        self.index(self.row_at, "_row")
    }

    // ---- Values ----

    /// The values that some roots need, over all scopes.
    pub(super) fn closure(&self, roots: impl IntoIterator<Item = Val>) -> Vec<bool> {
        self.closure_up_to(roots, &|_| false)
    }

    /// The same, where some values are there already and what makes them is not needed.
    pub(super) fn closure_up_to(
        &self,
        roots: impl IntoIterator<Item = Val>,
        there: &dyn Fn(Val) -> bool,
    ) -> Vec<bool> {
        let mut wanted = vec![false; self.kernel.values.len()];
        roots.into_iter().for_each(|v| wanted[v.at()] = true);
        for k in (0..wanted.len()).rev() {
            let leaf = matches!(self.kernel.values[k].inst, Inst::Row(_)) || there(Val(k as u32));
            if wanted[k] && !leaf {
                self.kernel.values[k].inst.for_each_arg(|a| wanted[a.at()] = true);
            }
        }
        wanted
    }

    /// The axes that a value still needs bound, written-out loops aside.
    pub(super) fn free_axes(&self, v: Val) -> AxisSet {
        self.kernel.value(v).axes.minus(self.unrolled)
    }

    /// Whether the value belongs to the phases and has no statement of its own.
    fn is_special(&self, v: Val) -> bool {
        match &self.kernel.value(v).inst {
            Inst::Row(_) => true,
            Inst::Scan { .. } => self.scan_in_place.is_none(),
            inst => inst.reduced().is_some_and(|axes| self.is_sweep(axes)),
        }
    }

    /// Whether a reduction over these axes is a sweep over R.
    pub(super) fn is_sweep(&self, axes: AxisSet) -> bool {
        axes.iter().any(|k| self.kernel.axes[k].kind == AxisKind::Reduce)
    }

    /// Whether a value is named as an element of an array, by the position within an item.
    pub(super) fn names_arrays(&self) -> bool {
        self.names.values().any(|name| name.contains("[e]"))
    }

    /// Whether the value has a name in every turn.
    pub(super) fn has_name(&self, v: Val) -> bool {
        let turns = self.turns(self.kernel.value(v).axes.intersection(self.unrolled));
        (0..turns as u32).all(|t| self.names.contains_key(&(v.0, t)))
    }

    /// Emits what is wanted, ready by this phase, and not yet named, as far as axes are bound.
    pub(super) fn emit_ready(&mut self, wanted: &[bool], phase: usize) {
        for v in self.ready(wanted, phase) {
            self.emit(v, None);
        }
    }

    /// The values that [`emit_ready`](Self::emit_ready) would emit.
    pub(super) fn ready(&self, wanted: &[bool], phase: usize) -> Vec<Val> {
        let all = (0..self.kernel.values.len()).map(|k| Val(k as u32));
        let ready = |&v: &Val| {
            wanted[v.at()]
                && self.phases.of[v.at()] as usize <= phase
                && self.free_axes(v).is_subset(self.bound)
                && !self.is_special(v)
                && !self.has_name(v)
        };
        all.filter(ready).collect()
    }

    /// Emits a value in all its turns. With a place, such as `v7[k]`, the value is assigned to
    /// an array declared earlier, and its name outlives the scope.
    pub(super) fn emit(&mut self, v: Val, place: Option<&dyn Fn(&str) -> String>) {
        let set = self.kernel.value(v).axes.intersection(self.unrolled);
        for turn in 0..self.turns(set) as u32 {
            self.set_turn(set, turn);
            self.count(v);
            let name = self.plain_name(v, turn);
            match place {
                Some(place) => {
                    let target = place(&name);
                    let expression = self.expression(v, &format!("{name}_sum"));
                    self.line(&format!("{target} = {expression};"));
                    self.names.insert((v.0, turn), target);
                }
                None => {
                    let expression = self.expression(v, &name);
                    if expression != name {
                        let declared = self.declared(v);
                        self.line(&format!("{declared} {name} = {expression};"));
                    }
                    self.name((v.0, turn), name);
                }
            }
        }
    }

    /// Counts a value that is written here.
    fn count(&mut self, v: Val) {
        match self.beside.get(&v) {
            // A neighbour's window reads most of it, too, and its place is a number.
            Some(read) if read.whole.is_some() => self.tally.add_read(self.copies()),
            _ => self.tally.add(self.kernel, v, self.copies(), self.usual),
        }
    }

    /// The name of a value in a turn, before any array.
    pub(super) fn plain_name(&self, v: Val, turn: u32) -> String {
        let set = self.kernel.value(v).axes.intersection(self.unrolled);
        if set.is_empty() { format!("v{}", v.0) } else { format!("v{}_{turn}", v.0) }
    }

    /// Runs `f` for every turn of a value, with the name that the value has in it.
    pub(super) fn for_turns(&mut self, v: Val, mut f: impl FnMut(&mut Self, u32, String)) {
        let set = self.kernel.value(v).axes.intersection(self.unrolled);
        for turn in 0..self.turns(set) as u32 {
            self.set_turn(set, turn);
            let name = self.plain_name(v, turn);
            f(self, turn, name);
        }
    }

    /// Names a value in a turn until the innermost block closes.
    pub(super) fn name(&mut self, instance: Instance, text: String) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.push(instance);
        }
        self.names.insert(instance, text);
    }

    /// Names a value in a turn until the end of the kernel.
    pub(super) fn name_for_good(&mut self, instance: Instance, text: String) {
        self.names.insert(instance, text);
    }

    /// The type that a value is held in: indices in the index type.
    pub(super) fn held(&self, v: Val) -> &'static str {
        if self.is_index(v) { self.word() } else { type_name(self.kernel.value(v).dtype) }
    }

    /// What a value is declared as. Whole numbers are not constant: NVRTC looks at each use of a
    /// constant one whether it is known when it compiles, back to where all of them come from, which
    /// takes the square of their number (two seconds for a chain of a thousand sums).
    fn declared(&self, v: Val) -> String {
        let (held, dtype) = (self.held(v), self.kernel.value(v).dtype);
        let whole = self.is_index(v) || dtype.is_integer() || dtype == DType::Bool;
        if whole { held.to_string() } else { format!("const {held}") }
    }

    fn is_index(&self, v: Val) -> bool {
        let inst = &self.kernel.value(v).inst;
        inst.is_index() || matches!(inst, Inst::Index(_))
    }

    fn turns(&self, set: AxisSet) -> usize {
        self.kernel.extent(set)
    }

    fn set_turn(&mut self, set: AxisSet, turn: u32) {
        let mut rest = turn;
        for k in set.iter().rev() {
            let extent = self.kernel.axes[k].extent as u32;
            self.turn[k] = rest % extent;
            rest /= extent;
        }
    }

    fn turn_of(&self, v: Val) -> u32 {
        let set = self.kernel.value(v).axes.intersection(self.unrolled);
        set.iter().fold(0, |t, k| t * self.kernel.axes[k].extent as u32 + self.turn[k])
    }

    /// The text of a value as an operand.
    pub(super) fn operand(&self, v: Val) -> String {
        let name = self.raw(v);
        if self.is_index(v) && !self.wide { format!("(long long){name}") } else { name }
    }

    fn raw(&self, v: Val) -> String {
        let key = (v.0, self.turn_of(v));
        // A value without a name would be a fault of the schedule; the compiler then says which.
        self.names.get(&key).cloned().unwrap_or_else(|| format!("v{}_unbound", v.0))
    }

    /// The text of a value as part of an index.
    fn atom(&self, v: Val) -> String {
        if self.is_index(v) { self.raw(v) } else { format!("({}){}", self.word(), self.raw(v)) }
    }
}

/// Which values are made from positions and scalars by a few additions: no loads, no functions.
pub(super) fn cheap(kernel: &Kernel) -> Vec<bool> {
    let mut cheap = vec![false; kernel.values.len()];
    for (k, value) in kernel.values.iter().enumerate() {
        let mut all = true;
        value.inst.for_each_arg(|a| all &= cheap[a.at()]);
        cheap[k] = all
            && match &value.inst {
                Inst::Op(op, _) => op.cost() <= 2,
                Inst::Load { .. } | Inst::RowLoad { .. } | Inst::Reduce { .. } => false,
                Inst::Fold { .. } | Inst::Component { .. } => false,
                Inst::Row(_) | Inst::Call { .. } => false,
                Inst::Scan { .. } | Inst::Draw { .. } => false,
                _ => true,
            };
    }
    cheap
}
