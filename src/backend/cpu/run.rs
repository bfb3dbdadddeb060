//! Running the steps of a program over a tile.

use super::affine::{self, Affine, DIMS, Desc, for_runs, run_base};
use super::copy::Moves;
use super::fold::{ACCUMULATOR, Places};
use super::layout::Mode;
use super::loops::{Arg, OpFn};
use super::program::{Mem, Step, Target};
use super::worker::{Space, Worker};
use crate::kernel::Index;

/// What a masked load gives where the mask is false.
static ZERO: [u64; 2] = [0; 2];

/// Where a mask holds within a tile.
enum Cover {
    /// Everywhere.
    All,
    /// Nowhere.
    None,
    /// In these runs: first element and end.
    Runs(Vec<(usize, usize)>),
}

impl Worker<'_> {
    /// Runs steps over a tile.
    pub(crate) fn run(&mut self, steps: &[Step], space: &Space) {
        for step in steps {
            self.step(step, space);
        }
    }

    fn step(&mut self, step: &Step, space: &Space) {
        let n = space.shape.len;
        match step {
            Step::Index { v, map, index, mem } => {
                let mem = self.mem(*mem).cast();
                let desc = self.index(index, space, mem);
                self.descs[*v as usize] = self.map(*map, desc, space, mem);
            }
            Step::Numbers { v, mem } => self.numbers(*v, *mem, space),
            Step::Truth { v, mem } => self.truth(*v, *mem, space),
            Step::Scalar { v, slot, mem, moves } => {
                let bytes = self.l.scalars[*slot as usize].bytes().as_ptr();
                let ptr = self.mem(*mem);
                // SAFETY: the register has room for one element.
                unsafe { (moves.load)(ptr, bytes, 0, 1) };
                self.slots[*v as usize] = Arg { ptr, vector: false };
            }
            Step::Op { v, f, args, arity, choice, round, mem, target } => {
                let mut operands = [self.slots[args[0] as usize]; 3];
                for k in 1..*arity as usize {
                    operands[k] = self.slots[args[k] as usize];
                }
                if *choice && !operands[0].vector {
                    // SAFETY: the condition is one bool.
                    let holds = unsafe { operands[0].ptr.cast::<bool>().read() };
                    self.slots[*v as usize] = operands[if holds { 1 } else { 2 }];
                    return;
                }
                let vector = operands[..*arity as usize].iter().any(|a| a.vector);
                debug_assert!(!vector || self.varies(*v, space), "v{v} varies along its axes only");
                let ptr = self.target(*target, vector, *mem, space);
                self.call(*f, *round, ptr, &operands, if vector { n } else { 1 });
                self.slots[*v as usize] = Arg { ptr, vector };
            }
            Step::Load { v, input, index, mask, moves, copy, in_place: _, mem } => {
                let base = self.l.inputs[*input as usize];
                let temporary = self.temporary().cast();
                let cover = self.cover(*mask, n);
                let slot = match cover {
                    Cover::None => Arg { ptr: ZERO.as_ptr().cast(), vector: false },
                    cover => {
                        let desc = self.index(index, space, temporary);
                        let len = self.l.p.kernel.inputs[*input as usize].len;
                        debug_assert!(matches!(cover, Cover::Runs(_)) || inside(&desc, space, len));
                        self.load(base, desc, &cover, moves, *copy, *mem, space)
                    }
                };
                self.slots[*v as usize] = slot;
            }
            Step::RowLoad { v, row, index, mask, copy, vector, mem } => {
                let slot = match self.cover(*mask, n) {
                    Cover::None => Arg { ptr: ZERO.as_ptr().cast(), vector: false },
                    cover => {
                        let (base, desc) = self.row_address(*row, index, *vector, space);
                        let moves = self.l.p.rows[*row as usize].moves;
                        self.load(base, desc, &cover, &moves, *copy, *mem, space)
                    }
                };
                self.slots[*v as usize] = slot;
            }
            Step::Serial { .. } => self.serial(step, space),
            Step::Fold { acc, args } => self.fold(*acc, *args, space),
            Step::RowStore { row, value } => {
                let row_info = &self.l.p.rows[*row as usize];
                let (base, desc) = self.row_address(*row, &row_info.linear, true, space);
                self.store(base, desc, self.slots[*value as usize], &row_info.moves, space);
            }
            Step::Store { store, .. } => {
                let index = &self.l.p.kernel.stores[*store as usize];
                let base = self.l.outputs[index.output as usize];
                let desc = self.index(&index.index, space, self.temporary().cast());
                let moves = self.l.p.store_moves[*store as usize];
                self.store(base, desc, self.slots[index.value.at()], &moves, space);
            }
        }
    }

    /// Runs a loop and the rounding after it.
    fn call(&self, f: OpFn, round: Option<OpFn>, dst: *mut u8, args: &[Arg; 3], n: usize) {
        // SAFETY: the operands are tiles of `n` elements, or one, of the types that the function
        // was found for; registers are disjoint or, of one size, the same.
        unsafe {
            f(dst, args, n);
            if let Some(round) = round {
                round(dst, &[Arg { ptr: dst, vector: true }; 3], n);
            }
        }
    }

    /// Whether a value varies within the tile.
    fn varies(&self, v: u32, space: &Space) -> bool {
        let axes = self.l.p.kernel.values[v as usize].axes;
        space.axes[..space.shape.rank].iter().any(|&k| axes.has(k as usize))
    }

    /// Where an operation writes.
    fn target(&self, target: Target, vector: bool, mem: Mem, space: &Space) -> *mut u8 {
        if !vector {
            return self.mem(mem);
        }
        let (base, desc, size) = match target {
            Target::Register => return self.mem(mem),
            Target::Store(k) => {
                let store = &self.l.p.kernel.stores[k as usize];
                let desc = self.index(&store.index, space, std::ptr::null_mut());
                let size = self.l.p.store_moves[k as usize].mem;
                (self.l.outputs[store.output as usize], desc, size)
            }
            Target::Row(k) => {
                let row = &self.l.p.rows[k as usize];
                let (base, desc) = self.row_address(k, &row.linear, true, space);
                (base, desc, row.moves.reg)
            }
        };
        match desc {
            Desc::Affine(a) if a.flat(&space.shape) == Some(1) => {
                base.wrapping_offset(a.base as isize * size as isize)
            }
            _ => self.mem(mem),
        }
    }

    /// Writes an index as a tile of numbers.
    fn numbers(&mut self, v: u32, mem: Mem, space: &Space) {
        let ptr: *mut i64 = self.mem(mem).cast();
        let desc = &self.descs[v as usize];
        let constant = matches!(desc, Desc::Affine(a) if a.flat(&space.shape) == Some(0));
        let shape = if constant { affine::Shape::ONE } else { space.shape };
        // SAFETY: the register has room for the tile.
        unsafe { affine::write(desc, &shape, ptr) };
        self.slots[v as usize] = Arg { ptr: ptr.cast(), vector: !constant };
    }

    /// Writes a condition on an index as a tile of bools.
    fn truth(&mut self, v: u32, mem: Mem, space: &Space) {
        let ptr: *mut bool = self.mem(mem).cast();
        let n = space.shape.len;
        // SAFETY: the register has room for a bool for each element.
        unsafe {
            match &self.descs[v as usize] {
                Desc::Affine(a) => {
                    ptr.write(a.base != 0);
                    self.slots[v as usize] = Arg { ptr: ptr.cast(), vector: false };
                    return;
                }
                Desc::Pieces(pieces) => {
                    for (k, piece) in pieces.iter().enumerate() {
                        let end = pieces.get(k + 1).map_or(n, |next| next.start);
                        let count = end - piece.start;
                        ptr.add(piece.start)
                            .cast::<u8>()
                            .write_bytes((piece.base != 0) as u8, count);
                    }
                }
                Desc::Tile(tile) => (0..n).for_each(|k| ptr.add(k).write(*tile.add(k) != 0)),
            }
        }
        self.slots[v as usize] = Arg { ptr: ptr.cast(), vector: true };
    }

    /// Where a mask holds.
    fn cover(&self, mask: Option<u32>, n: usize) -> Cover {
        let Some(m) = mask else { return Cover::All };
        let m = m as usize;
        let uniform = |holds: bool| if holds { Cover::All } else { Cover::None };
        if !self.l.p.is_desc[m] {
            let slot = self.slots[m];
            let count = if slot.vector { n } else { 1 };
            // SAFETY: the slot has that many bools.
            let bools = unsafe { std::slice::from_raw_parts(slot.ptr.cast::<u8>(), count) };
            if !slot.vector {
                return uniform(bools[0] != 0);
            }
            return runs(n, |k| bools[k] != 0);
        }
        match &self.descs[m] {
            Desc::Affine(a) => uniform(a.base != 0),
            Desc::Pieces(pieces) => {
                let end = |k: usize| pieces.get(k + 1).map_or(n, |next: &affine::Piece| next.start);
                let held = pieces.iter().enumerate().filter(|(_, p)| p.base != 0);
                let list: Vec<_> = held.map(|(k, p)| (p.start, end(k))).collect();
                match list[..] {
                    [] => Cover::None,
                    [(0, end)] if end == n => Cover::All,
                    _ => Cover::Runs(list),
                }
            }
            // SAFETY: the tile has a number for each element.
            Desc::Tile(tile) => runs(n, |k| unsafe { *tile.add(k) } != 0),
        }
    }

    /// Loads a tile, in place where that is possible.
    #[allow(clippy::too_many_arguments)]
    fn load(
        &self,
        base: *const u8,
        desc: Desc,
        cover: &Cover,
        moves: &Moves,
        copy: bool,
        mem: Mem,
        space: &Space,
    ) -> Arg {
        let (shape, dst) = (&space.shape, self.mem(mem));
        let at = |index: i64| base.wrapping_offset(index as isize * moves.mem as isize);
        let lane = |k: usize| dst.wrapping_add(k * moves.reg);
        if let Cover::Runs(runs) = cover {
            // SAFETY: the register has room for the tile; only what the mask covers is read.
            unsafe {
                dst.write_bytes(0, shape.len * moves.reg);
                self.load_runs(base, desc, runs, moves, dst, space);
            }
            return Arg { ptr: dst, vector: true };
        }
        // SAFETY: the planner keeps indices inside the input, and the register has room.
        unsafe {
            match desc {
                Desc::Affine(a) => match a.flat(shape) {
                    Some(stride @ (0 | 1)) if moves.same && !copy => {
                        return Arg { ptr: at(a.base), vector: stride == 1 };
                    }
                    Some(0) => {
                        (moves.load)(dst, at(a.base), 0, 1);
                        return Arg { ptr: dst, vector: false };
                    }
                    Some(stride) => (moves.load)(dst, at(a.base), stride as isize, shape.len),
                    None => for_runs(shape, |k, coordinates| {
                        let last = shape.rank - 1;
                        let from = at(run_base(&a, coordinates));
                        (moves.load)(lane(k), from, a.strides[last] as isize, shape.extent[last]);
                    }),
                },
                Desc::Pieces(pieces) => {
                    for (k, piece) in pieces.iter().enumerate() {
                        let end = pieces.get(k + 1).map_or(shape.len, |next| next.start);
                        let count = end - piece.start;
                        (moves.load)(
                            lane(piece.start),
                            at(piece.base),
                            piece.stride as isize,
                            count,
                        );
                    }
                }
                Desc::Tile(tile) => (moves.gather)(dst, base, tile, shape.len),
            }
        }
        Arg { ptr: dst, vector: true }
    }

    /// Loads the elements in some runs of a tile.
    ///
    /// # Safety
    /// The indices there are inside, and `dst` has room for the tile.
    unsafe fn load_runs(
        &self,
        base: *const u8,
        desc: Desc,
        runs: &[(usize, usize)],
        moves: &Moves,
        dst: *mut u8,
        space: &Space,
    ) {
        let shape = &space.shape;
        let lane = |k: usize| dst.wrapping_add(k * moves.reg);
        let at = |index: i64| base.wrapping_offset(index as isize * moves.mem as isize);
        let whole;
        let pieces = match &desc {
            Desc::Affine(a) if shape.rank <= 1 || a.flat(shape).is_some() => {
                let stride = a.flat(shape).unwrap_or(0);
                whole = [affine::Piece { start: 0, base: a.base, stride }];
                Some(&whole[..])
            }
            Desc::Pieces(pieces) => Some(&pieces[..]),
            _ => None,
        };
        // SAFETY: the caller says so.
        unsafe {
            let Some(pieces) = pieces else {
                let tile: *mut i64 = self.temporary().cast();
                affine::write(&desc, shape, tile);
                for &(start, end) in runs {
                    (moves.gather)(lane(start), base, tile.add(start), end - start);
                }
                return;
            };
            for &(start, end) in runs {
                for (k, piece) in pieces.iter().enumerate() {
                    let until = pieces.get(k + 1).map_or(shape.len, |next| next.start).min(end);
                    let from = piece.start.max(start);
                    if from < until {
                        let first = piece.base + piece.stride * (from - piece.start) as i64;
                        (moves.load)(lane(from), at(first), piece.stride as isize, until - from);
                    }
                }
            }
        }
    }

    /// Stores a tile.
    pub(crate) fn store(
        &self,
        base: *mut u8,
        desc: Desc,
        value: Arg,
        moves: &Moves,
        space: &Space,
    ) {
        let shape = &space.shape;
        let at = |index: i64| base.wrapping_offset(index as isize * moves.mem as isize);
        let lane = |k: usize| match value.vector {
            true => Arg { ptr: value.ptr.wrapping_add(k * moves.reg), vector: true },
            false => value,
        };
        // SAFETY: the planner keeps indices inside the output, and the value has one element or
        // as many as the tile.
        unsafe {
            match desc {
                Desc::Affine(a) => match a.flat(shape) {
                    // The operation wrote it there.
                    Some(1) if value.vector && std::ptr::eq(at(a.base), value.ptr) => {}
                    Some(stride) => (moves.store)(at(a.base), stride as isize, value, shape.len),
                    None => for_runs(shape, |k, coordinates| {
                        let last = shape.rank - 1;
                        let to = at(run_base(&a, coordinates));
                        (moves.store)(to, a.strides[last] as isize, lane(k), shape.extent[last]);
                    }),
                },
                Desc::Pieces(pieces) => {
                    for (k, piece) in pieces.iter().enumerate() {
                        let end = pieces.get(k + 1).map_or(shape.len, |next| next.start);
                        let count = end - piece.start;
                        (moves.store)(
                            at(piece.base),
                            piece.stride as isize,
                            lane(piece.start),
                            count,
                        );
                    }
                }
                Desc::Tile(tile) => (moves.scatter)(base, tile, value, shape.len),
            }
        }
    }

    /// The memory of a row, and where in it the elements of the tile are; all at the first
    /// element's place where the tile is not a `vector`.
    fn row_address(&self, row: u32, index: &Index, vector: bool, space: &Space) -> (*mut u8, Desc) {
        let p = self.l.p;
        let info = &p.rows[row as usize];
        let temporary: *mut i64 = self.temporary().cast();
        let mut desc = self.index(index, space, temporary);
        let base = self.mem(info.mem);
        let along_rows = p.layout.rows.is_some_and(|k| space.axes[0] == k as u8);
        if p.layout.mode == Mode::AcrossReduce {
            // Each position of R is a tile of lanes.
            let pitch = p.tile_len as i64;
            let mut lanes = Affine::default();
            let mut step = 1;
            for d in (0..space.shape.rank).rev().filter(|_| vector) {
                lanes.strides[d] = step;
                step *= space.shape.extent[d] as i64;
            }
            desc = self.scaled(desc, pitch, lanes, space);
        } else if along_rows && space.shape.rank == 1 {
            let stride = if vector { p.row_len as i64 } else { 0 };
            let rows = Affine { base: 0, strides: [stride, 0, 0] };
            desc = self.scaled(desc, 1, rows, space);
        } else {
            return (base.wrapping_add(self.row * p.row_len * info.moves.reg), desc);
        }
        (base, desc)
    }

    /// `factor` times an index, plus an affine one.
    fn scaled(&self, desc: Desc, factor: i64, plus: Affine, space: &Space) -> Desc {
        if let Desc::Tile(tile) = desc {
            let to: *mut i64 = self.temporary().cast();
            // The numbers and the sum take half of the temporary memory each.
            let sum = to.wrapping_add(space.shape.len.max(self.l.p.tile_len.max(self.l.p.block)));
            // SAFETY: the temporary memory has 16 bytes for each element.
            unsafe {
                affine::write(&Desc::Affine(plus), &space.shape, sum);
                (0..space.shape.len).for_each(|k| *sum.add(k) += factor * *tile.add(k));
            }
            return Desc::Tile(sum);
        }
        let mut sum = Desc::Affine(plus);
        affine::add(&mut sum, &desc, factor, space.shape.len);
        sum
    }

    /// Runs a Serial loop.
    fn serial(&mut self, step: &Step, space: &Space) {
        let Step::Serial { axes, steps, fold } = step else { return };
        let n = if fold.vector { space.shape.len } else { 1 };
        let acc = self.mem(fold.mem);
        let places: *mut i64 = self.mem(fold.places).cast();
        fill(acc, fold.identity.bytes(), n);
        if fold.search.is_some() {
            // SAFETY: the register has room for a position for each element.
            (0..n).for_each(|k| unsafe { places.add(k).write(i64::MAX) });
        }
        let turns: usize = axes.iter().map(|a| a.1).product();
        for turn in 0..turns {
            let mut linear = turn;
            for &(k, extent) in axes.iter().rev() {
                self.pos[k as usize] = linear % extent;
                linear /= extent;
            }
            self.run(steps, space);
            let element = self.slots[fold.args[0] as usize];
            match fold.search {
                // SAFETY: the accumulators have `n` elements, the arguments as many or one.
                Some(search) => unsafe {
                    let place = self.slots[fold.args[1] as usize];
                    (search.lanes)(acc, places, element, place, n);
                },
                None => {
                    let args = [Arg { ptr: acc, vector: fold.vector }, element, element];
                    self.call(fold.combine, None, acc, &args, n);
                }
            }
        }
        axes.iter().for_each(|a| self.pos[a.0 as usize] = 0);
        let ptr: *const u8 = if fold.search.is_some() { places.cast() } else { acc };
        self.slots[fold.v as usize] = Arg { ptr, vector: fold.vector };
    }

    /// Folds a tile into an accumulator of the sweep that runs.
    fn fold(&mut self, acc: u32, args: [u32; 2], space: &Space) {
        let p = self.l.p;
        let acc = &p.sweeps[self.sweep].accs[acc as usize];
        let n = space.shape.len;
        let element = self.slots[args[0] as usize];
        let to = self.mem(acc.mem);
        let places: *mut i64 = self.mem(acc.places).cast();
        if p.layout.mode == Mode::AcrossReduce {
            match acc.search {
                None => {
                    let operands = [Arg { ptr: to, vector: true }, element, element];
                    self.call(acc.combine, None, to, &operands, n);
                }
                Some(search) => {
                    let tile: *mut i64 = self.temporary().cast();
                    let desc = self.number(args[1] as usize);
                    let constant =
                        matches!(&desc, Desc::Affine(a) if a.flat(&space.shape) == Some(0));
                    let shape = if constant { affine::Shape::ONE } else { space.shape };
                    // SAFETY: the tiles have room for the elements and their positions.
                    unsafe {
                        affine::write(&desc, &shape, tile);
                        let place = Arg { ptr: tile.cast(), vector: !constant };
                        (search.lanes)(to, places, element, place, n);
                    }
                }
            }
            return;
        }
        let size = acc.dtype.size();
        let mut src = element.ptr;
        if !element.vector {
            // A value that does not vary along the lanes is folded once for each of them.
            let half = self.temporary().wrapping_add(n * 8);
            let spread = if acc.search.is_some() { half } else { self.temporary() };
            // SAFETY: the element is one of the accumulator's type.
            let bytes = unsafe { std::slice::from_raw_parts(src, size) };
            fill(spread, bytes, n);
            src = spread;
        }
        let to = to.wrapping_add(self.row * ACCUMULATOR);
        // SAFETY: the accumulator belongs to this row, and the tile has `n` elements.
        unsafe {
            match acc.search {
                None => (acc.folds.fold)(to, src, n),
                Some(search) => {
                    let at = self.places(args[1], space);
                    (search.search)(to, places.add(self.row), src, n, at);
                }
            }
        }
    }

    /// The positions of a tile's elements for a search.
    fn places(&self, v: u32, space: &Space) -> Places {
        let desc = self.number(v as usize);
        if let Desc::Affine(a) = &desc
            && let Some(stride) = a.flat(&space.shape)
        {
            return Places { base: a.base, stride, ptr: std::ptr::null() };
        }
        let tile: *mut i64 = self.temporary().cast();
        // SAFETY: the temporary memory has room for a number for each element.
        unsafe { affine::write(&desc, &space.shape, tile) };
        Places { base: 0, stride: 0, ptr: tile }
    }
}

/// Writes an element `n` times.
pub(crate) fn fill(to: *mut u8, element: &[u8], n: usize) {
    // SAFETY: callers give room for `n` elements.
    unsafe {
        match *element {
            [b] => to.write_bytes(b, n),
            _ => (0..n).for_each(|k| {
                let at = to.add(k * element.len());
                std::ptr::copy_nonoverlapping(element.as_ptr(), at, element.len());
            }),
        }
    }
}

/// The runs in which a condition holds.
fn runs(n: usize, holds: impl Fn(usize) -> bool) -> Cover {
    let mut list = Vec::new();
    let mut k = 0;
    while k < n {
        while k < n && !holds(k) {
            k += 1;
        }
        let start = k;
        while k < n && holds(k) {
            k += 1;
        }
        if start < k {
            list.push((start, k));
        }
    }
    match list[..] {
        [] => Cover::None,
        [(0, end)] if end == n => Cover::All,
        _ => Cover::Runs(list),
    }
}

/// Whether all indices of a tile are inside an input.
fn inside(desc: &Desc, space: &Space, len: usize) -> bool {
    let fits = |low: i64, high: i64| low >= 0 && high < len as i64;
    match desc {
        Desc::Affine(a) => {
            let (low, high) = a.range(&space.shape);
            fits(low, high)
        }
        Desc::Pieces(pieces) => pieces.iter().enumerate().all(|(k, p)| {
            let end = pieces.get(k + 1).map_or(space.shape.len, |next| next.start);
            let last = p.base + p.stride * (end - p.start - 1) as i64;
            fits(p.base.min(last), p.base.max(last))
        }),
        // SAFETY: the tile has a number for each element.
        Desc::Tile(tile) => (0..space.shape.len).all(|k| {
            let v = unsafe { *tile.add(k) };
            fits(v, v)
        }),
    }
}

const _: () = assert!(DIMS == 3);
