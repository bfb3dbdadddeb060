//! Running the steps of a program over a tile.
//!
//! What one operation, or a light function of the user's, gives to a large output by itself goes
//! there in parts of a few KB by way of the first cache (`op_in_parts`, `call_in_parts`).

use super::affine::{self, Desc, Map};
use super::calls::PART;
use super::copy::fill;
use super::index_loops::find_truth;
use super::layout::Mode;
use super::program::{Acc, Chain, Mem, Step, Target};
use super::tiles::{Cover, inside, inside_row};
use super::worker::{Space, Worker};
use crate::kernel::Index;
use lazuli_inner_loops::ahead::LINE;
use lazuli_inner_loops::chain::{Link, Linked};
use lazuli_inner_loops::fold::{ACCUMULATOR, Places};
use lazuli_inner_loops::level::Level;
use lazuli_inner_loops::operations::{Arg, OpFn};
use smallvec::SmallVec;

/// The bytes of an array that the inner caches do not hold.
const FAR: usize = if cfg!(test) { 1 << 8 } else { 1 << 20 };
/// What a masked load gives where the mask is false.
static ZERO: [u64; 2] = [0; 2];

impl Worker<'_> {
    /// Runs steps over a tile.
    pub fn run(&mut self, steps: &[Step], space: &Space) {
        for step in steps {
            self.step(step, space);
        }
    }

    fn step(&mut self, step: &Step, space: &Space) {
        let n = space.shape.len;
        match step {
            Step::Index { v, map, index, mem } => self.positions(*v, *map, index, *mem, space),
            Step::Numbers { v, mem } => self.numbers(*v, *mem, space),
            Step::Truth { v, mem } => self.truth(*v, *mem, space),
            Step::Scalar { v, slot, mem, moves } => {
                let bytes = self.l.scalars[*slot as usize].bytes().as_ptr();
                let ptr = self.mem(*mem);
                // SAFETY: the register has room for one element.
                unsafe { (moves.load)(ptr, bytes, 0, 1) };
                self.slots[*v as usize] = Arg::near(ptr, false);
            }
            Step::Op { v, f, basic: _, args, arity, choice, round, mem, target } => {
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
                let mut aside = [0; 2];
                if vector {
                    put_aside(self.mem(*mem), &mut operands, &mut aside);
                }
                match target {
                    Target::Stream(k) if vector && ptr != self.mem(*mem) => {
                        let sizes = args.map(|a| self.size(a));
                        self.op_in_parts(*f, &operands, sizes, self.mem(*mem), (*k, ptr), n);
                    }
                    _ => self.call(*f, *round, ptr, &operands, if vector { n } else { 1 }),
                }
                self.slots[*v as usize] = Arg::near(ptr, vector);
            }
            Step::Chain(chain) => match chain.sum {
                None => self.chain(chain, space),
                Some(acc) => self.sum(chain, acc, space),
            },
            Step::Call(call) => self.call_user(call, space),
            Step::UserScan { scan, call } => self.user_scan(*scan, call, space),
            Step::Scan { v, scan, arg, mem, target } => {
                self.scan(*v, *scan, *arg, *mem, *target, space);
            }
            Step::Load { v, .. } | Step::RowLoad { v, .. } | Step::Draw { v, .. } => {
                let slot = self.read(step, space);
                debug_assert!(!slot.vector || self.varies(*v, space), "v{v} is one number");
                self.slots[*v as usize] = slot;
            }
            Step::Serial(serial) => self.serial(serial, space),
            Step::UserSerial(serial) => self.user_serial(serial, space),
            Step::UserFold { state, args } => self.user_fold(*state, args, space),
            Step::Fold { acc, args, sums: _ } => self.fold(*acc, *args, space),
            Step::RowStore { .. } | Step::Store { .. } => self.write(step, space),
        }
    }

    /// Finds the positions of a tile.
    fn positions(&mut self, v: u32, map: Map, index: &Index, mem: Mem, space: &Space) {
        let mem = self.mem(mem).cast();
        let desc = self.index(index, space, mem);
        let mut desc = self.map(map, desc, space, mem);
        if let Desc::Tile(tile) = desc
            && !std::ptr::eq(tile, mem)
        {
            // The value whose numbers they are may be gone before this one is.
            // SAFETY: the register has room for the tile, whose numbers there are as many.
            unsafe { affine::write(&desc, &space.shape, mem) };
            desc = Desc::Tile(mem);
        }
        self.descs[v as usize] = desc;
    }

    /// Loads or draws a value's elements.
    fn read(&mut self, step: &Step, space: &Space) -> Arg {
        let n = space.shape.len;
        match step {
            Step::Load { v: _, input, index, mask, moves, copy, in_place: _, mem } => {
                let base = self.l.inputs[*input as usize];
                let temporary = self.temporary().cast();
                let cover = self.cover(*mask, n);
                if let Cover::None = cover {
                    return Arg::near(ZERO.as_ptr().cast(), false);
                }
                let desc = self.index(index, space, temporary);
                let len = self.l.p.kernel.inputs[*input as usize].len;
                debug_assert!(matches!(cover, Cover::Runs(_)) || inside(&desc, space, len));
                let arg = self.load(base, desc, &cover, moves, *copy, *mem, space);
                let in_place = arg.vector && arg.ptr != self.mem(*mem);
                Arg { far: in_place && len * moves.mem >= FAR, ..arg }
            }
            Step::RowLoad { v: _, row, index, mask, copy, vector, mem } => {
                let cover = self.cover(*mask, n);
                if let Cover::None = cover {
                    return Arg::near(ZERO.as_ptr().cast(), false);
                }
                let (base, desc) = self.row_address(*row, index, *vector, space);
                let info = &self.l.p.rows[*row as usize];
                debug_assert!(
                    matches!(cover, Cover::Runs(_))
                        || inside_row(info, self.mem(info.mem), base, &desc, space)
                );
                self.load(base, desc, &cover, &info.moves, *copy, *mem, space)
            }
            Step::Draw { v: _, f, index, seed, size, mem } => {
                self.draw(*f, *size, index, *seed, *mem, space)
            }
            _ => unreachable!("no other step reads"),
        }
    }

    /// Stores a value's elements to a row or an output.
    fn write(&mut self, step: &Step, space: &Space) {
        match step {
            Step::RowStore { row, value } => {
                let row_info = &self.l.p.rows[*row as usize];
                let (base, desc) = self.row_address(*row, &row_info.linear, true, space);
                debug_assert!(inside_row(row_info, self.mem(row_info.mem), base, &desc, space));
                self.store(base, desc.clone(), self.slots[*value as usize], &row_info.moves, space);
                self.store_halo(*row, base, &desc, space);
            }
            Step::Store { store, .. } => {
                let index = &self.l.p.kernel.stores[*store as usize];
                let base = self.l.outputs[index.output as usize];
                let desc = self.index(&index.index, space, self.temporary().cast());
                let moves = self.l.p.store_moves[*store as usize];
                self.store(base, desc, self.slots[index.value.at()], &moves, space);
            }
            _ => unreachable!("no other step writes"),
        }
    }

    /// Runs a chain, unless another value is chosen in all of the tile.
    fn chain(&mut self, chain: &Chain, space: &Space) {
        let n = space.shape.len;
        let condition = chain.choice.map(|choice| (choice, self.slots[choice.condition as usize]));
        if let Some((choice, Arg { ptr, vector: false, .. })) = condition {
            // SAFETY: the condition is one bool.
            let holds = unsafe { ptr.cast::<bool>().read() };
            if holds != choice.holds {
                self.slots[chain.v as usize] = self.slots[choice.other as usize];
                return;
            }
        }
        let mut aside = [0; 2];
        let (first, links, vector, far) = self.links(chain, &mut aside);
        let count = if vector { n } else { 1 };
        debug_assert!(!vector || self.varies(chain.v, space), "v{} is one number", chain.v);
        let chosen = condition.filter(|(_, condition)| condition.vector);
        let mem = self.mem(chain.mem);
        let to = match chosen {
            Some(_) => mem,
            None => self.target(chain.target, vector, chain.mem, space),
        };
        let past_caches = matches!(chain.target, Target::Stream(_)) && to != mem;
        // SAFETY: the operands are tiles of `n` elements, or one, of the chain's type; registers
        // are disjoint or, of one size, the same, and no operand is read from where results go
        // past the caches.
        unsafe { (chain.fns.run)(to, first, &links, count, past_caches, far) };
        let held = Arg::near(to, vector);
        self.slots[chain.v as usize] = held;
        if let Some((choice, condition)) = chosen {
            let other = self.slots[choice.other as usize];
            let [a, b] = if choice.holds { [held, other] } else { [other, held] };
            self.call(choice.f, None, mem, &[condition, a, b], n);
            self.slots[chain.v as usize] = Arg::near(mem, true);
        }
    }

    /// The first operand of a chain and its links with theirs, whether one of all has an element for
    /// each lane, and whether one is far. See [`put_aside`].
    #[inline(always)]
    fn links(
        &self,
        chain: &Chain,
        aside: &mut [u64; 2],
    ) -> (Arg, SmallVec<[Linked; 8]>, bool, bool) {
        let mut first = self.slots[chain.first as usize];
        let (mut vector, mut far) = (first.vector, first.far);
        let link = |l: &Link| {
            let arg = self.slots[l.arg as usize];
            (vector, far) = (vector | arg.vector, far | arg.far);
            Linked { op: l.op, second: l.second, arg }
        };
        let mut links: SmallVec<[Linked; 8]> = chain.links.iter().map(link).collect();
        if far {
            ask_once(first, &mut links);
        }
        if vector {
            let operands = links.iter_mut().map(|link| &mut link.arg).chain([&mut first]);
            put_aside(self.mem(chain.mem), operands, aside);
        }
        (first, links, vector, far)
    }

    /// Sums up the results of a chain; what does not fill the lanes is written and folded.
    #[inline(never)]
    fn sum(&mut self, chain: &Chain, acc: u32, space: &Space) {
        let n = space.shape.len;
        let mut aside = [0; 2];
        let (first, mut links, vector, _) = self.links(chain, &mut aside);
        let mem = self.mem(chain.mem);
        // SAFETY: the operands are tiles of `n` elements, or one, of the type of the chain and the
        // accumulator, which belongs to this row; the rest is written where it lies in a tile.
        unsafe {
            if !vector {
                (chain.fns.run)(mem, first, &links, 1, false, false);
                self.slots[chain.v as usize] = Arg::near(mem, false);
                return self.fold(acc, [chain.v; 2], space);
            }
            let acc = &self.l.p.sweeps[self.sweep].accs[acc as usize];
            let to = self.mem(acc.mem).wrapping_add(self.row * ACCUMULATOR);
            let done = (chain.fns.sum)(to, first, &links, n);
            if done < n {
                let bytes = done * acc.dtype.size();
                links.iter_mut().for_each(|link| link.arg = link.arg.after(bytes));
                let mem = mem.wrapping_add(bytes);
                (chain.fns.run)(mem, first.after(bytes), &links, n - done, false, false);
                (acc.folds.fold)(to, mem, n - done, false);
            }
        }
    }

    /// The bytes of an element of a value in a tile.
    fn size(&self, v: u32) -> usize {
        self.l.p.kernel.values[v as usize].dtype.compute().size()
    }

    /// Runs a loop for a part of the tile after the other: the results wait in the first cache for
    /// their way past the others.
    #[inline(never)]
    fn op_in_parts(
        &self,
        f: OpFn,
        args: &[Arg; 3],
        sizes: [usize; 3],
        mem: *mut u8,
        (store, to): (u32, *mut u8),
        n: usize,
    ) {
        let moves = &self.l.p.store_moves[store as usize];
        for from in (0..n).step_by(PART) {
            let count = PART.min(n - from);
            let to = to.wrapping_add(from * moves.mem);
            let parts = std::array::from_fn(|k| args[k].after(from * sizes[k]));
            // SAFETY: as for the whole tile. Where the register is an operand's, a part is written
            // over what was read before, or over itself.
            unsafe {
                match moves.stream {
                    Some(stream) => {
                        f(mem, &parts, count);
                        stream(to, mem, count * moves.mem);
                    }
                    None => f(to, &parts, count),
                }
            }
        }
    }

    /// Runs a loop and the rounding after it.
    pub(super) fn call(
        &self,
        f: OpFn,
        round: Option<OpFn>,
        dst: *mut u8,
        args: &[Arg; 3],
        n: usize,
    ) {
        // SAFETY: the operands are tiles of `n` elements, or one, of the types that the function
        // was found for; registers are disjoint or, of one size, the same.
        unsafe {
            f(dst, args, n);
            if let Some(round) = round {
                round(dst, &[Arg::near(dst, true); 3], n);
            }
        }
    }

    /// Whether a value varies within the tile.
    fn varies(&self, v: u32, space: &Space) -> bool {
        let axes = self.l.p.kernel.values[v as usize].axes;
        space.axes[..space.shape.rank].iter().any(|&k| axes.has(k as usize))
    }

    /// Where an operation writes.
    pub(super) fn target(&self, target: Target, vector: bool, mem: Mem, space: &Space) -> *mut u8 {
        if !vector {
            return self.mem(mem);
        }
        let (base, desc, size) = match target {
            Target::Register => return self.mem(mem),
            Target::Store(k) | Target::Stream(k) => {
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
        self.slots[v as usize] = Arg::near(ptr.cast(), !constant);
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
                    self.slots[v as usize] = Arg::near(ptr.cast(), false);
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
                Desc::Tile(tile) => find_truth(Level::best())(ptr, *tile, n),
            }
        }
        self.slots[v as usize] = Arg::near(ptr.cast(), true);
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
                    let operands = [Arg::near(to, true), element, element];
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
                        let place = Arg::near(tile.cast(), !constant);
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
        if p.layout.mode == Mode::ShortRows {
            return self.fold_rows(acc, to, src, args[1], space);
        }
        let to = to.wrapping_add(self.row * ACCUMULATOR);
        // SAFETY: the accumulator belongs to this row, and the tile has `n` elements.
        unsafe {
            match acc.search {
                None => (acc.folds.fold)(to, src, n, element.far),
                Some(search) => {
                    let at = self.places(args[1], space);
                    (search.search)(to, places.add(self.row), src, n, at);
                }
            }
        }
    }

    /// Folds each row of a tile of short rows.
    fn fold_rows(&self, acc: &Acc, to: *mut u8, src: *const u8, position: u32, space: &Space) {
        let (rows, size) = (space.shape.extent[0], acc.dtype.size());
        let len = space.shape.len / rows;
        let places: *mut i64 = self.mem(acc.places).cast();
        // SAFETY: the tile has `rows` rows of `len` elements, the accumulator one for each row.
        unsafe {
            let Some(search) = acc.search else { return (acc.folds.rows)(to, src, len, rows) };
            let desc = self.number(position as usize);
            let along = match &desc {
                Desc::Affine(a) if space.shape.rank == 2 => Some(a),
                _ => None,
            };
            // Positions that are no affine sequence in a row are written out: rows are short.
            let tile: *mut i64 = self.temporary().cast();
            if along.is_none() {
                affine::write(&desc, &space.shape, tile);
            }
            for row in 0..rows {
                let at = match along {
                    Some(a) => Places {
                        base: a.base + a.strides[0] * row as i64,
                        stride: a.strides[1],
                        ptr: std::ptr::null(),
                    },
                    None => Places { base: 0, stride: 0, ptr: tile.add(row * len) },
                };
                let from = src.add(row * len * size);
                (search.search)(to.add(row * size), places.add(row), from, len, at);
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

/// Copies an operand of one element that lies where a tile of results is to be written: the loops
/// read it again and again. A value that varies may be one element in some tiles, as what a choice
/// takes may be, and an operation has the register of what it uses last.
#[inline(always)]
fn put_aside<'a>(
    to: *mut u8,
    operands: impl IntoIterator<Item = &'a mut Arg>,
    aside: &mut [u64; 2],
) {
    let aside = std::ptr::from_mut(aside);
    for arg in operands.into_iter().filter(|arg| !arg.vector && arg.ptr == to.cast_const()) {
        // SAFETY: a register has room for two words.
        unsafe { aside.write(to.cast::<[u64; 2]>().read_unaligned()) };
        arg.ptr = aside.cast();
    }
}

/// Leaves it to one operand to ask for cache lines on which several lie, as shifted views of an array
/// do.
#[inline(never)]
fn ask_once(first: Arg, links: &mut [Linked]) {
    for k in 0..links.len() {
        let arg = links[k].arg;
        let mut before = links[..k].iter().map(|l| l.arg).chain([first]).filter(|a| a.far);
        let alone = before.all(|a| (a.ptr as usize).abs_diff(arg.ptr as usize) >= LINE);
        links[k].arg.far &= alone;
    }
}
