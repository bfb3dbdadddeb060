//! Reductions by users' functions: states of several components, combined in the order of their
//! elements, since the function need not commute.

use super::copy::{fill, moves};
use super::guarded::Guarded;
use super::interleave::split;
use super::layout::Mode;
use super::lower::Lowering;
use super::places::Place;
use super::program::{LEVELS, Mem, StatePart, States, Step, UserSerial, round_up};
use super::worker::{Space, Worker};
use crate::function::{Fold, TileArg};
use crate::kernel::{AxisSet, Inst, Val};
use lazuli_inner_loops::operations::Arg;
use smallvec::SmallVec;

type Pointers = SmallVec<[*mut u8; 3]>;

impl Lowering<'_> {
    /// The reductions of a sweep by users' functions, and the folds of what users' scans take.
    pub(super) fn states(&mut self, sweep: usize) -> Vec<States> {
        let Some(phase) = self.phases.sweeps.get(sweep) else { return Vec::new() };
        let is_fold = |v: &Val| self.kernel.value(*v).inst.fold().is_some();
        let folds: Vec<Val> = phase.reductions.iter().copied().filter(is_fold).collect();
        folds.into_iter().map(|v| self.swept(v)).collect()
    }

    fn swept(&mut self, v: Val) -> States {
        let mut states = self.states_of(v, &|_| true, Place::Outside(0));
        let (tile, across) = (self.sizes.len, self.layout.mode == Mode::AcrossReduce);
        let count = match self.layout.mode {
            Mode::AcrossReduce => self.sizes.len,
            Mode::ShortRows => self.sizes.tile,
            _ => self.sizes.block,
        };
        for part in &mut states.parts {
            let size = part.identity.dtype().size();
            let halves = if across { 0 } else { tile * size };
            part.state = self.registers.inner_alloc(count * size);
            part.temp = self.registers.inner_alloc(count.max(tile) * size);
            part.left = self.registers.inner_alloc(halves);
            part.right = self.registers.inner_alloc(halves);
            part.tree = self.registers.outer_alloc(LEVELS * round_up(count * size));
            if part.half.is_some() {
                part.narrow = self.registers.inner_alloc(tile * size);
                part.wide = self.registers.outer_alloc(count * 4);
            }
        }
        states
    }

    /// The states of a fold without memory; results that are not `wanted` have no value.
    fn states_of(&self, v: Val, wanted: &dyn Fn(Val) -> bool, place: Place) -> States {
        let fold = self.kernel.value(v).inst.fold().expect("the caller passes a fold");
        let Fold { function, identity } = &**fold;
        let values = self.kernel.components(v);
        let part = |(value, &identity): (&Option<Val>, &crate::dtype::Scalar)| {
            let dtype = identity.dtype();
            let none = Mem::default();
            StatePart {
                v: value.filter(|&v| wanted(v)).map(|v| v.0),
                identity,
                half: (dtype.compute() != dtype).then(|| moves(dtype, self.level)),
                state: none,
                temp: none,
                left: none,
                right: none,
                narrow: none,
                tree: none,
                wide: none,
            }
        };
        let along = self.along(place);
        States {
            function: Guarded::new(function),
            neighbours: Guarded::over_neighbours(function),
            parts: values.iter().zip(identity).map(part).collect(),
            vector: !self.kernel.value(v).axes.intersection(along).is_empty(),
        }
    }

    /// The step of a loop over Serial axes.
    pub(super) fn user_serial(
        &self,
        place: Place,
        needed: &[bool],
        v: Val,
        axes: AxisSet,
        steps: Vec<Step>,
    ) -> Step {
        let mut args = SmallVec::new();
        if let Inst::Fold { args: elements, .. } = &self.kernel.value(v).inst {
            args = elements.iter().map(|a| a.0).collect();
        }
        let axes = axes.iter().map(|k| (k as u32, self.kernel.axes[k].extent)).collect();
        let states = self.states_of(v, &|v| needed[v.at()], place);
        Step::UserSerial(Box::new(UserSerial { axes, steps, args, states }))
    }
}

fn tile(ptr: *mut u8) -> TileArg {
    TileArg::near(ptr, true)
}

/// Combines neighbours among `len` states; the last of an odd number stays as it is.
///
/// # Safety
/// The states are there, or one for all, and `to` has room for half of them, rounded up.
unsafe fn halve(pairs: &Guarded, states: &States, from: &[TileArg], to: &[*mut u8], len: usize) {
    // SAFETY: the caller says so.
    unsafe {
        pairs.run(from, to, len / 2);
        for (part, (from, to)) in states.parts.iter().zip(from.iter().zip(to)) {
            if len % 2 == 1 {
                let size = part.identity.dtype().size();
                let last = from.ptr.add(if from.vector { (len - 1) * size } else { 0 });
                std::ptr::copy_nonoverlapping(last, to.add(len / 2 * size), size);
            }
        }
    }
}

impl Worker<'_> {
    /// The components of an element, as they lie in memory.
    fn elements(&self, states: &States, args: &[u32], n: usize) -> SmallVec<[TileArg; 8]> {
        let element = |(part, &v): (&StatePart, &u32)| {
            let slot = self.slots[v as usize];
            let Some(half) = &part.half else {
                return TileArg { ptr: slot.ptr, vector: slot.vector, far: slot.far };
            };
            let (to, count) = (self.mem(part.narrow), if slot.vector { n } else { 1 });
            // SAFETY: the tile has room for as many halves.
            unsafe { (half.store)(to, 1, slot, count) };
            TileArg::near(to, slot.vector)
        };
        states.parts.iter().zip(args).map(element).collect()
    }

    fn places_of(&self, states: &States, of: impl Fn(&StatePart) -> Mem) -> Pointers {
        states.parts.iter().map(|part| self.mem(of(part))).collect()
    }

    /// Combines `n` states with as many elements behind them, by way of `room`.
    ///
    /// # Safety
    /// `left` and `room` hold `n` states, `right` as many or one, all of them disjoint.
    unsafe fn absorb(
        &self,
        states: &States,
        left: &[*mut u8],
        right: &[TileArg],
        room: &[*mut u8],
        n: usize,
    ) {
        let mut args: SmallVec<[TileArg; 8]> =
            left.iter().map(|&ptr| TileArg::near(ptr, true)).collect();
        args.extend_from_slice(right);
        // SAFETY: the caller gives the states.
        unsafe {
            states.function.run(&args, room, n);
            for ((part, &to), &from) in states.parts.iter().zip(left).zip(room) {
                std::ptr::copy_nonoverlapping(from, to, n * part.identity.dtype().size());
            }
        }
    }

    /// Folds a tile into a state of the sweep that runs.
    pub(super) fn user_fold(&mut self, state: u32, args: &[u32], space: &Space) {
        let p = self.l.p;
        let states = &p.sweeps[self.sweep].states[state as usize];
        let n = space.shape.len;
        let elements = self.elements(states, args, n);
        let mut left = self.places_of(states, |part| part.state);
        let temp = self.places_of(states, |part| part.temp);
        if p.layout.mode == Mode::AcrossReduce {
            // SAFETY: the states and the elements are tiles of `n`.
            return unsafe { self.absorb(states, &left, &elements, &temp, n) };
        }
        let rows = match p.layout.mode {
            Mode::ShortRows => space.shape.extent[0],
            _ => {
                for (at, part) in left.iter_mut().zip(&states.parts) {
                    *at = at.wrapping_add(self.row * part.identity.dtype().size());
                }
                1
            }
        };
        self.fold_tile(states, elements, rows, n / rows);
        let room = self.places_of(states, |part| part.left);
        let folded: SmallVec<[TileArg; 8]> =
            temp.iter().map(|&ptr| TileArg::near(ptr, true)).collect();
        // SAFETY: there is one state and one folded element for each row.
        unsafe { self.absorb(states, &left, &folded, &room, rows) };
    }

    /// Folds each of `rows` rows of `len` elements into one, which lies in `temp`: neighbours are
    /// combined until one is left.
    fn fold_tile(
        &self,
        states: &States,
        mut from: SmallVec<[TileArg; 8]>,
        rows: usize,
        mut len: usize,
    ) {
        let right = self.places_of(states, |part| part.right);
        // Results lie in one of these, from where the next ones are made by way of the other.
        let rooms =
            [self.places_of(states, |part| part.temp), self.places_of(states, |part| part.left)];
        let mut free = 1;
        loop {
            let results = match &states.neighbours {
                // No pair has elements of two rows.
                Some(by) if rows == 1 || len.is_multiple_of(2) => {
                    // SAFETY: the tile has its elements, and there is room for half as many.
                    unsafe { halve(by, states, &from, &rooms[free], rows * len) };
                    free
                }
                _ => {
                    for (k, part) in states.parts.iter().enumerate() {
                        let identity = part.identity.bytes();
                        // SAFETY: both halves have room for half of the tile, rounded up for
                        // each row.
                        unsafe { split(from[k], rooms[free][k], right[k], rows, len, identity) };
                    }
                    let pairs = rooms[free].iter().chain(&right);
                    let pairs: SmallVec<[TileArg; 8]> = pairs.map(|&ptr| tile(ptr)).collect();
                    // SAFETY: the halves are whole, and there is room for as many results.
                    unsafe {
                        states.function.run(&pairs, &rooms[1 - free], rows * len.div_ceil(2))
                    };
                    1 - free
                }
            };
            free = 1 - results;
            len = len.div_ceil(2);
            if len == 1 {
                break;
            }
            from.iter_mut().zip(&rooms[results]).for_each(|(from, &ptr)| *from = tile(ptr));
        }
        if free == 0 {
            for ((part, &last), &temp) in states.parts.iter().zip(&rooms[1]).zip(&rooms[0]) {
                let bytes = rows * part.identity.dtype().size();
                // SAFETY: there is one result for each row.
                unsafe { std::ptr::copy_nonoverlapping(last, temp, bytes) };
            }
        }
    }

    /// Runs a loop over Serial axes.
    pub(super) fn user_serial(&mut self, serial: &UserSerial, space: &Space) {
        let states = &serial.states;
        let n = if states.vector { space.shape.len } else { 1 };
        let state = self.places_of(states, |part| part.state);
        let temp = self.places_of(states, |part| part.temp);
        for (&to, part) in state.iter().zip(&states.parts) {
            fill(to, part.identity.bytes(), n);
        }
        let turns: usize = serial.axes.iter().map(|a| a.1).product();
        for turn in 0..turns {
            let mut linear = turn;
            for &(k, extent) in serial.axes.iter().rev() {
                self.pos[k as usize] = linear % extent;
                linear /= extent;
            }
            self.run(&serial.steps, space);
            let elements = self.elements(states, &serial.args, n);
            // SAFETY: the states have `n` elements, the components of an element as many or one.
            unsafe { self.absorb(states, &state, &elements, &temp, n) };
        }
        serial.axes.iter().for_each(|a| self.pos[a.0 as usize] = 0);
        self.hand_out(states, &state, n);
    }

    /// Makes states the values of a fold's components.
    fn hand_out(&mut self, states: &States, from: &[*mut u8], n: usize) {
        for (part, &from) in states.parts.iter().zip(from) {
            let Some(v) = part.v else { continue };
            let mut ptr = from;
            if let Some(half) = &part.half {
                ptr = self.mem(part.wide);
                // SAFETY: there is room for `n` widened halves.
                unsafe { (half.load)(ptr, from, 1, n) };
            }
            self.slots[v as usize] = Arg::near(ptr, states.vector);
        }
    }

    // ---- The chunks of a sweep ----

    /// Sets the states of a sweep to the identity.
    pub(super) fn begin_states(&self, sweep: usize) {
        let width = self.width();
        for part in self.l.p.sweeps[sweep].states.iter().flat_map(|s| &s.parts) {
            fill(self.mem(part.state), part.identity.bytes(), width);
        }
    }

    /// Where a level of the tree is.
    fn level_of(&self, part: &StatePart, level: usize) -> *mut u8 {
        let p = self.l.p;
        let count = match p.layout.mode {
            Mode::AcrossReduce => p.tile_len,
            Mode::ShortRows => p.tile,
            _ => p.block,
        };
        self.mem(part.tree).wrapping_add(level * round_up(count * part.identity.dtype().size()))
    }

    /// Puts the states of a chunk on the tree.
    pub(super) fn push_states(&self, sweep: usize, level: usize) {
        let width = self.width();
        for part in self.l.p.sweeps[sweep].states.iter().flat_map(|s| &s.parts) {
            let bytes = width * part.identity.dtype().size();
            // SAFETY: a level has room for the states of the positions at work.
            unsafe {
                let from = self.mem(part.state);
                std::ptr::copy_nonoverlapping(from, self.level_of(part, level), bytes);
            }
        }
    }

    /// Combines a level of the tree with the one above it, which holds what comes after.
    pub(super) fn combine_level(&self, sweep: usize, level: usize) {
        for states in &self.l.p.sweeps[sweep].states {
            let low: Pointers = states.parts.iter().map(|p| self.level_of(p, level)).collect();
            let high = states.parts.iter().map(|p| self.level_of(p, level + 1));
            let high: SmallVec<[TileArg; 8]> = high.map(|ptr| TileArg::near(ptr, true)).collect();
            let temp = self.places_of(states, |part| part.temp);
            // SAFETY: both levels hold the states of the positions at work.
            unsafe { self.absorb(states, &low, &high, &temp, self.width()) };
        }
    }

    /// Makes the lowest level of the tree the values of the components.
    pub(super) fn hand_out_states(&mut self, sweep: usize) {
        let (p, width) = (self.l.p, self.width());
        for states in &p.sweeps[sweep].states {
            let low: Pointers = states.parts.iter().map(|part| self.level_of(part, 0)).collect();
            self.hand_out(states, &low, width);
        }
    }

    /// The bytes of the states of one chunk.
    pub(super) fn states_room(&self, sweep: usize) -> usize {
        let parts = self.l.p.sweeps[sweep].states.iter().flat_map(|s| &s.parts);
        parts.map(|part| round_up(self.width() * part.identity.dtype().size())).sum()
    }

    /// Writes the states of a chunk side by side.
    ///
    /// # Safety
    /// There is room for [`states_room`](Self::states_room) bytes.
    pub(super) unsafe fn save_states(&self, sweep: usize, mut to: *mut u8) {
        for part in self.l.p.sweeps[sweep].states.iter().flat_map(|s| &s.parts) {
            let bytes = self.width() * part.identity.dtype().size();
            // SAFETY: the caller gives the room.
            unsafe { std::ptr::copy_nonoverlapping(self.mem(part.state), to, bytes) };
            to = to.wrapping_add(round_up(bytes));
        }
    }

    /// Reads them back onto a level of the tree.
    ///
    /// # Safety
    /// [`save_states`](Self::save_states) wrote them there.
    pub(super) unsafe fn restore_states(&self, sweep: usize, level: usize, mut from: *mut u8) {
        for part in self.l.p.sweeps[sweep].states.iter().flat_map(|s| &s.parts) {
            let bytes = self.width() * part.identity.dtype().size();
            // SAFETY: the caller says so, and a level has room for the states.
            unsafe { std::ptr::copy_nonoverlapping(from, self.level_of(part, level), bytes) };
            from = from.wrapping_add(round_up(bytes));
        }
    }
}
