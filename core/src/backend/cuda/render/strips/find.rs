//! What a kernel reads along its rows, and whether it can be written by strips.

use crate::backend::cuda::render::uses;
use crate::dtype::DType;
use crate::kernel::phases::Phases;
use crate::kernel::weight::unrolled_axes;
use crate::kernel::{Atom, AxisKind, AxisSet, Index, Inst, Kernel, Val, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// The furthest read of a row of which strips' ends alone are in shared memory, in positions.
const FURTHEST: i64 = 16;
/// The same where other rows are whole, so that strips may be short.
const NEAR: i64 = 2;

/// What a row is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    /// What is read when the kernel begins.
    State(usize),
    Value(Val),
}

/// Elements of an array that each thread has for its strip.
#[derive(Debug)]
pub(super) struct State {
    pub input: u32,
    /// The place of a position's own element.
    pub index: Index,
    pub dtype: DType,
    /// The store of what the next turn finds there.
    pub store: Option<usize>,
    /// Whether it is read before it is written.
    pub read: bool,
}

/// A row whose neighbours are read.
#[derive(Debug)]
pub(super) struct Row {
    pub element: Element,
    /// The sweep that fills it; the state's are filled before the first one.
    pub filled: Option<u32>,
    /// The last sweep that reads it.
    pub read: u32,
    /// How far it is read to the left and to the right.
    pub left: i64,
    pub right: i64,
    /// Whether all of it is in shared memory, and its ends a second time beyond its ends.
    pub whole: bool,
    /// The number of its memory.
    pub slot: usize,
}

/// Elements of an array that all positions read in a loop, such as the weights of a window.
#[derive(Debug)]
pub(super) struct Table {
    pub input: u32,
    pub index: Index,
    /// The loop.
    pub axis: usize,
    pub dtype: DType,
}

/// A kernel that can be written by strips.
pub(super) struct Strips<'k> {
    pub kernel: &'k Kernel,
    pub phases: &'k Phases,
    pub pairs: Option<&'k [(u32, u32)]>,
    /// The Reduce axis.
    pub axis: usize,
    /// The Serial axes that stay loops.
    pub looped: AxisSet,
    pub length: usize,
    pub states: Vec<State>,
    pub rows: Vec<Row>,
    /// Reads at a distance, which is a constant and positions on Serial axes, with the row's number.
    pub beside: FxHashMap<Val, (usize, Index)>,
    /// Reads of a state at the own position, with the state's number.
    pub own: FxHashMap<Val, usize>,
    /// What loops read of arrays whatever the position is, and the number of a load's.
    pub tables: Vec<Table>,
    pub of_tables: FxHashMap<Val, usize>,
    /// Other loads along the row, which are the same in every turn.
    pub constant: Vec<Val>,
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
    pub(super) fn new(
        kernel: &'k Kernel,
        phases: &'k Phases,
        row_at: &Index,
        pairs: Option<&'k [(u32, u32)]>,
    ) -> Option<Self> {
        let mut reduce = kernel.axes_of(AxisKind::Reduce).iter();
        let (axis, None) = (reduce.next()?, reduce.next()) else { return None };
        let serial = kernel.axes_of(AxisKind::Serial);
        let plain = |value: &Value| {
            let inst = &value.inst;
            let window = |axes: AxisSet| {
                matches!(inst, Inst::Reduce { op, .. } if !op.is_arg()) && axes.is_subset(serial)
            };
            inst.swept().is_none_or(window)
                && value.axes.intersection(serial).len() <= 1
                && !matches!(inst, Inst::Draw { .. } | Inst::Component { .. })
        };
        let fits = same_place(kernel, row_at, &Index::axis(axis))
            && phases.stores.is_empty()
            && !phases.sweeps.is_empty()
            && kernel.values.iter().all(plain)
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
            looped: serial.minus(unrolled_axes(kernel)),
            length: kernel.axes[axis].extent,
            states: Vec::new(),
            rows: Vec::new(),
            beside: FxHashMap::default(),
            own: FxHashMap::default(),
            tables: Vec::new(),
            of_tables: FxHashMap::default(),
            constant: Vec::new(),
        };
        strips.find_pairs()?;
        strips.find_reads()?;
        strips.find_whole()?;
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

    /// The place of a position's own element, and how far from it a read is; none where that is not
    /// known.
    fn own_place(&self, v: Val, index: &Index) -> Option<(Index, Index)> {
        let serial = self.kernel.axes_of(AxisKind::Serial);
        let (mut own, mut along) = (Index::constant(index.offset), Index::default());
        for &(atom, coefficient) in &index.terms {
            match atom {
                Atom::Axis(k) if !serial.has(k as usize) => own.add_term(atom, coefficient),
                _ => along.add_term(atom, coefficient),
            }
        }
        if along == Index::default() {
            return (own.stride(self.axis) == 1).then(|| (own, Index::default()));
        }
        let serial = self.kernel.value(v).axes.intersection(serial);
        let (distance, furthest) = self.kernel.beside(self.axis, &along, serial)?;
        own.add_term(Atom::Axis(self.axis as u8), 1);
        let is_near = furthest <= self.length as i64;
        (own.stride(self.axis) == 1 && is_near).then_some((own, distance))
    }

    /// The number of the row of an element.
    fn row(&mut self, element: Element, filled: Option<u32>) -> usize {
        if let Some(at) = self.rows.iter().position(|row| row.element == element) {
            return at;
        }
        let (left, right, whole) = (0, 0, false);
        self.rows.push(Row { element, filled, read: 0, left, right, whole, slot: 0 });
        self.rows.len() - 1
    }

    fn read_beside(&mut self, v: Val, read: u32, row: usize, distance: Index) -> Option<()> {
        let (low, high) = distance.range(&self.kernel.axes)?;
        let of = &mut self.rows[row];
        of.read = of.read.max(read);
        of.left = of.left.max(-low);
        of.right = of.right.max(high);
        of.whole |= !distance.axes().intersection(self.looped).is_empty();
        self.beside.insert(v, (row, distance));
        Some(())
    }

    /// Finds the rows that are whole in shared memory; none where one's ends are longer than itself.
    fn find_whole(&mut self) -> Option<()> {
        let reach = |row: &Row| row.left.max(row.right);
        let any = self.rows.iter().any(|row| row.whole || reach(row) > FURTHEST);
        let furthest = if any { NEAR } else { FURTHEST };
        self.rows.iter_mut().for_each(|row| row.whole |= reach(row) > furthest);
        self.rows.iter().all(|row| reach(row) <= self.length as i64).then_some(())
    }

    /// Finds what is read of arrays and of rows.
    fn find_reads(&mut self) -> Option<()> {
        let (kernel, axis) = (self.kernel, self.axis);
        let along = |v: Val| kernel.value(v).axes.has(axis);
        let serial = |v: Val| {
            !kernel.value(v).axes.intersection(kernel.axes_of(AxisKind::Serial)).is_empty()
        };
        let computed = uses::computed(kernel, self.phases);
        // What changes from turn to turn.
        let mut varies = vec![false; kernel.values.len()];
        for (k, value) in kernel.values.iter().enumerate() {
            let v = Val(k as u32);
            value.inst.for_each_arg(|a| varies[k] |= varies[a.at()]);
            match &value.inst {
                Inst::Load { input, index, mask } => {
                    let place = mask.is_none().then(|| self.own_place(v, index)).flatten();
                    let handed_on =
                        self.states.iter().any(|s| s.input == *input && s.store.is_some());
                    match place {
                        Some((place, distance)) => {
                            let read = self.read_state(*input, &place, value.dtype)?;
                            if distance == Index::default() {
                                self.own.insert(v, read);
                            } else {
                                let row = self.row(Element::State(read), None);
                                self.read_beside(v, computed[k], row, distance)?;
                            }
                        }
                        None if handed_on || varies[k] || (along(v) && serial(v)) => return None,
                        None if along(v) => self.constant.push(v),
                        None if mask.is_none() => self.read_table(v, *input, index),
                        None => {}
                    }
                    varies[k] |= handed_on;
                }
                Inst::RowLoad { row, at, mask: None } => {
                    let (place, distance) = self.own_place(v, at)?;
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
                    self.read_beside(v, computed[k], row, distance)?;
                    varies[k] = true;
                }
                Inst::RowLoad { .. } => return None,
                _ => {}
            }
        }
        (!self.rows.is_empty()).then_some(())
    }

    /// The number of the state that a place of an array belongs to; none where what is handed on is read
    /// elsewhere.
    fn read_state(&mut self, input: u32, place: &Index, dtype: DType) -> Option<usize> {
        let kernel = self.kernel;
        let same = |state: &State| state.input == input && same_place(kernel, &state.index, place);
        let known = self.states.iter().position(same);
        let handed_on = self.states.iter().any(|s| s.input == input && s.store.is_some());
        let state = match known {
            Some(state) => state,
            None if handed_on => return None,
            None => {
                let (index, store) = (place.clone(), None);
                self.states.push(State { input, index, dtype, store, read: false });
                self.states.len() - 1
            }
        };
        self.states[state].read = true;
        Some(state)
    }

    /// Takes in a read of a table, if it is one.
    fn read_table(&mut self, v: Val, input: u32, index: &Index) {
        let (axes, value) = (index.axes(), self.kernel.value(v));
        let (Some(axis), None) = (axes.iter().next(), index.values().next()) else { return };
        if !self.looped.has(axis) || value.axes.len() != 1 {
            return;
        }
        let (extent, stride) = (self.kernel.axes[axis].extent, index.stride(axis));
        let same = |table: &Table| {
            let reads = (table.index.offset, table.index.stride(table.axis));
            let len = self.kernel.axes[table.axis].extent;
            table.input == input && reads == (index.offset, stride) && len == extent
        };
        let known = self.tables.iter().position(same);
        let table = known.unwrap_or_else(|| {
            let (index, dtype) = (index.clone(), value.dtype);
            self.tables.push(Table { input, index, axis, dtype });
            self.tables.len() - 1
        });
        self.of_tables.insert(v, table);
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
    pub(super) fn waits_for_turns(&self) -> bool {
        let last = self.phases.sweeps.len() as u32 - 1;
        let read: FxHashSet<usize> =
            self.rows.iter().filter(|row| row.read >= last).map(|row| row.slot).collect();
        let first = |row: &&Row| row.filled.is_none_or(|filled| filled == 0);
        last == 0 || self.rows.iter().filter(first).any(|row| read.contains(&row.slot))
    }

    pub(super) fn dtype_of(&self, element: Element) -> DType {
        match element {
            Element::State(state) => self.states[state].dtype,
            Element::Value(v) => self.kernel.value(v).dtype,
        }
    }

    /// Whether rows are read in loops.
    pub(super) fn has_windows(&self) -> bool {
        self.beside.values().any(|read| !read.1.axes().intersection(self.looped).is_empty())
    }

    /// The state that a store hands on.
    pub(super) fn state_of(&self, store: usize) -> Option<usize> {
        self.states.iter().position(|state| state.store == Some(store))
    }

    /// The stores of what no turn reads.
    pub(super) fn loose_stores(&self) -> impl Iterator<Item = usize> {
        (0..self.kernel.stores.len()).filter(|&k| self.state_of(k).is_none())
    }

    /// Whether what a store writes goes through shared memory: neighbours lie side by side.
    pub(super) fn is_staged(&self, store: usize) -> bool {
        self.kernel.stores[store].index.stride(self.axis) == 1
    }
}
