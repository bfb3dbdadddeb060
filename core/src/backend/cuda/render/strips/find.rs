//! What a kernel reads along its rows, and whether it can be written by strips.

use crate::dtype::DType;
use crate::kernel::phases::Phases;
use crate::kernel::{Atom, AxisKind, AxisSet, Index, Inst, Kernel, Val};
use rustc_hash::{FxHashMap, FxHashSet};

/// The furthest read, in positions.
const FURTHEST: i64 = 16;

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
    /// The number of its memory.
    pub slot: usize,
}

/// A kernel that can be written by strips.
pub(super) struct Strips<'k> {
    pub kernel: &'k Kernel,
    pub phases: &'k Phases,
    pub pairs: Option<&'k [(u32, u32)]>,
    /// The Reduce axis.
    pub axis: usize,
    pub length: usize,
    pub states: Vec<State>,
    pub rows: Vec<Row>,
    /// Reads at a distance, with the row's number.
    pub beside: FxHashMap<Val, (usize, i64)>,
    /// Reads of a state at the own position, with the state's number.
    pub own: FxHashMap<Val, usize>,
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

    /// The place of a position's own element, and how far from it a read is; none where that is not
    /// known.
    fn own_place(&self, index: &Index) -> Option<(Index, i64)> {
        let (mut own, mut along) = (Index::constant(index.offset), Index::default());
        for &(atom, coefficient) in &index.terms {
            match atom {
                Atom::Value(_) => along.add_term(atom, coefficient),
                axis => own.add_term(axis, coefficient),
            }
        }
        if along == Index::default() {
            return (own.stride(self.axis) == 1).then_some((own, 0));
        }
        let (distance, furthest) = self.kernel.beside(self.axis, &along, AxisSet::EMPTY)?;
        own.add_term(Atom::Axis(self.axis as u8), 1);
        (own.stride(self.axis) == 1 && furthest <= FURTHEST).then_some((own, distance.offset))
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
