//! The loops around the programs: tiles, blocks of rows, sweeps and the chunks of R.

use super::affine::{DIMS, Shape};
use super::copy::{end_streams, fill};
use super::layout::Mode;
use super::program::{Acc, LEVELS, Prepared, Program, SCAN_SWEEP, Step, round_up};
use super::room;
use super::worker::{Known, Launch, Space, Worker};
use crate::backend::pool;
use crate::error::Result;
use lazuli_inner_loops::fold::ACCUMULATOR;
use lazuli_inner_loops::operations::Arg;
use parking_lot::Mutex;
use std::ops::Range;
use std::sync::Arc;

/// Chunks of R across the lanes have at least so many positions.
const CHUNK_ROWS: usize = 64;
/// R is cut into so many chunks at most: the tree that combines them has a level for each bit.
const CHUNKS: usize = 1 << (LEVELS - 1);
/// Along the lanes fewer do, as tiles are summed up by themselves.
const CHUNKS_ALONG: usize = 1 << 10;

/// How often the loops of a kernel turn.
#[derive(Clone, Copy, Debug)]
pub struct Turns {
    /// The pieces of X that threads work on.
    pub units: usize,
    /// The tiles of lanes.
    tiles: usize,
    /// The blocks of rows.
    blocks: usize,
    /// The turns of a sweep.
    steps: usize,
    /// The turns of a chunk.
    chunk: usize,
}

impl Turns {
    pub fn new(p: &Prepared) -> Self {
        let extent = |k: usize| p.kernel.axes[k].extent;
        let product = |axes: &[usize]| axes.iter().map(|&k| extent(k)).product::<usize>();
        let tiles = p.layout.lanes.first().map_or(1, |&k| extent(k).div_ceil(p.tile));
        let blocks = p.layout.rows.map_or(1, |k| extent(k).div_ceil(p.block));
        let (parallel, reduce) = (product(&p.layout.parallel), product(&p.layout.reduce));
        let (units, steps, least) = match p.layout.mode {
            Mode::Elementwise => (parallel * tiles * blocks, 1, 1),
            Mode::AlongReduce => (parallel * blocks, reduce * tiles, p.chunk / p.tile_len),
            Mode::AcrossReduce => (parallel * tiles, reduce * blocks, CHUNK_ROWS / p.block),
            Mode::ShortRows => (parallel * tiles, 1, 1),
        };
        let most = if p.layout.mode == Mode::AlongReduce { CHUNKS_ALONG } else { CHUNKS };
        let chunk = least.max(steps.div_ceil(most)).max(1);
        Turns { units, tiles, blocks, steps, chunk }
    }

    /// Whether threads are to share the chunks of a sweep.
    pub(super) fn shares_chunks(&self, p: &Prepared, threads: usize) -> bool {
        let few = self.units < 2 * threads;
        let many_chunks = self.chunks() >= 2 * threads.min(8);
        few && (many_chunks || (self.chunks() > 1 && p.work >= 8 * PARALLEL))
    }

    /// The chunks of a sweep.
    pub fn chunks(&self) -> usize {
        self.steps.div_ceil(self.chunk)
    }
}

impl Worker<'_> {
    /// Works on some of the units.
    pub fn units(&mut self, t: &Turns, units: Range<usize>) {
        match self.l.p.layout.mode {
            Mode::Elementwise => self.elementwise(t, units),
            _ => units.for_each(|unit| {
                self.begin(t, unit);
                self.outside(0);
                if self.has_scans() {
                    self.begin_scans();
                    return self.sweep(t, SCAN_SWEEP, 0..t.chunks());
                }
                for s in 0..self.l.p.sweeps.len() {
                    self.sweep(t, s, 0..t.chunks());
                    self.outside(s + 1);
                }
            }),
        }
        end_streams();
    }

    /// Works on one unit, sharing each sweep over R with the other threads.
    pub fn unit_in_chunks(&mut self, t: &Turns, unit: usize) {
        self.begin(t, unit);
        self.outside(0);
        if self.has_scans() {
            return self.parallel_scan(t);
        }
        for s in 0..self.l.p.sweeps.len() {
            self.parallel_sweep(t, s);
            self.outside(s + 1);
        }
    }

    fn has_scans(&self) -> bool {
        self.l.p.sweeps.iter().any(|s| !s.scans.is_empty() || !s.user_scans.is_empty())
    }

    /// Goes to a unit's positions of X.
    fn begin(&mut self, t: &Turns, unit: usize) {
        let p = self.l.p;
        self.row = 0;
        match p.layout.mode {
            Mode::AlongReduce => {
                self.go(&p.layout.parallel, unit / t.blocks);
                self.go_to_block(unit % t.blocks);
            }
            _ => {
                self.go(&p.layout.parallel, unit / t.tiles);
                self.go_to_tile(unit % t.tiles);
            }
        }
    }

    fn elementwise(&mut self, t: &Turns, units: Range<usize>) {
        let (p, mut last) = (self.l.p, None);
        let sweep = &p.sweeps[0];
        for unit in units {
            let (outer, block) = (unit / t.blocks, unit % t.blocks);
            if last != Some(outer) {
                self.go(&p.layout.parallel, outer / t.tiles);
                self.go_to_tile(outer % t.tiles);
                self.go_to_block(0);
                self.run(&sweep.lanes.steps, &self.lanes_space());
                last = Some(outer);
            }
            self.go_to_block(block);
            self.rows_and_body(0);
        }
    }

    /// Works on some positions of an axis of an elementwise kernel, and all of the others.
    pub fn between(&mut self, axis: usize, positions: Range<usize>) {
        let p = self.l.p;
        let of = |k: usize| match k == axis {
            true => positions.clone(),
            false => 0..p.kernel.axes[k].extent,
        };
        let tiles = p.layout.lanes.first().map_or(0..1, |&k| of(k));
        let blocks = p.layout.rows.map_or(0..1, of);
        self.end = Some((axis, positions.end));
        // Where it is an inner axis of the lanes, no tile or block sets it.
        self.pos[axis] = positions.start;
        let outer: usize = p.layout.parallel.iter().map(|&k| of(k).len()).product();
        for mut linear in 0..outer {
            for &k in p.layout.parallel.iter().rev() {
                let range = of(k);
                self.pos[k] = range.start + linear % range.len();
                linear /= range.len();
            }
            for tile in tiles.clone().step_by(p.tile.max(1)) {
                self.set(p.layout.lanes.first().copied(), tile);
                self.set(p.layout.rows, blocks.start);
                self.run(&p.sweeps[0].lanes.steps, &self.lanes_space());
                for block in blocks.clone().step_by(p.block.max(1)) {
                    self.set(p.layout.rows, block);
                    self.rows_and_body(0);
                }
            }
        }
        self.end = None;
        self.pos[axis] = 0;
        end_streams();
    }

    /// Goes to a position of an axis, if there is one.
    fn set(&mut self, axis: Option<usize>, position: usize) {
        if let Some(k) = axis {
            self.pos[k] = position;
        }
    }

    /// Decodes a linear position of some axes.
    fn go(&mut self, axes: &[usize], mut linear: usize) {
        for &k in axes.iter().rev() {
            let extent = self.l.p.kernel.axes[k].extent;
            self.pos[k] = linear % extent;
            linear /= extent;
        }
    }

    fn go_to_tile(&mut self, tile: usize) {
        if let Some(&k) = self.l.p.layout.lanes.first() {
            self.pos[k] = tile * self.l.p.tile;
        }
    }

    fn go_to_block(&mut self, block: usize) {
        if let Some(k) = self.l.p.layout.rows {
            self.pos[k] = block * self.l.p.block;
        }
    }

    /// The tile of lanes at the current position.
    fn lanes_space(&self) -> Space {
        let p = self.l.p;
        let mut extents = [1; DIMS];
        let mut axes = [u8::MAX; DIMS];
        for (d, &k) in p.layout.lanes.iter().enumerate() {
            let left = self.extent(k) - self.pos[k];
            extents[d] = if d == 0 { p.tile.min(left) } else { left };
            axes[d] = k as u8;
        }
        Space { shape: Shape::new(&extents[..p.layout.lanes.len()]), axes }
    }

    /// The block of rows at the current position.
    fn rows_space(&self) -> Space {
        let p = self.l.p;
        let Some(k) = p.layout.rows else { return Space::ONE };
        let count = p.block.min(self.extent(k) - self.pos[k]);
        Space { shape: Shape::new(&[count]), axes: [k as u8, u8::MAX, u8::MAX] }
    }

    /// The tile of positions of X that values outside of the sweeps are computed for.
    fn outside_space(&self) -> Space {
        match self.l.p.layout.mode {
            Mode::AcrossReduce => self.lanes_space(),
            Mode::ShortRows => {
                let lanes = self.lanes_space();
                let shape = Shape::new(&lanes.shape.extent[..1]);
                Space { shape, axes: [lanes.axes[0], u8::MAX, u8::MAX] }
            }
            _ => self.rows_space(),
        }
    }

    /// Runs what stands before a sweep.
    fn outside(&mut self, sweep: usize) {
        let p = self.l.p;
        // Values along the rows were single elements during the sweep.
        for earlier in &p.outside[..sweep] {
            self.restore(earlier);
        }
        let program = &p.outside[sweep];
        self.row = 0;
        self.run(&program.steps, &self.outside_space());
        self.keep(program);
    }

    fn restore(&mut self, program: &Program) {
        for &v in &program.exports {
            self.slots[v as usize] = self.bases[v as usize];
        }
    }

    fn keep(&mut self, program: &Program) {
        for &v in &program.exports {
            self.bases[v as usize] = self.slots[v as usize];
        }
    }

    /// Runs the rows' program for the block at the current position, and the body for each row.
    fn rows_and_body(&mut self, sweep: usize) {
        let p = self.l.p;
        let (program, body) = (&p.sweeps[sweep].rows, &p.sweeps[sweep].body);
        self.sweep = sweep;
        let Some(axis) = p.layout.rows else {
            let space = self.lanes_space();
            self.spread(body, &space);
            return self.run_cut(&body.steps, space);
        };
        let rows = self.rows_space();
        if !program.steps.is_empty() {
            self.run(&program.steps, &rows);
            self.keep(program);
        }
        let (first, lanes) = (self.pos[axis], self.lanes_space());
        for row in 0..rows.shape.len {
            self.row = row;
            self.pos[axis] = first + row;
            for value in &body.row_values {
                let base = self.bases[value.v as usize];
                let at = if base.vector { row * value.size } else { 0 };
                let ptr = base.ptr.wrapping_add(at);
                self.slots[value.v as usize] = Arg::near(ptr, false);
            }
            self.run(&body.steps, &lanes);
        }
        self.pos[axis] = first;
        self.row = 0;
    }

    /// Runs steps over a tile, piece by piece where it is cut.
    fn run_cut(&mut self, steps: &[Step], space: Space) {
        let p = self.l.p;
        let whole = p.cuts.is_empty() || !p.sweeps[0].lanes.steps.is_empty();
        let (Some(&k), false) = (p.layout.lanes.first(), whole) else {
            return self.run(steps, &space);
        };
        let (first, end) = (self.pos[k], self.pos[k] + space.shape.len);
        let inside = p.cuts.iter().copied().filter(|&cut| cut > first && cut < end);
        let mut from = first;
        for to in inside.chain([end]) {
            self.pos[k] = from;
            self.run(steps, &Space { shape: Shape::new(&[to - from]), ..space });
            from = to;
        }
        self.pos[k] = first;
    }

    /// Spreads the values along the rows over a tile of short rows.
    fn spread(&mut self, body: &Program, space: &Space) {
        if self.l.p.layout.mode != Mode::ShortRows {
            return;
        }
        let rows = space.shape.extent[0];
        let len = space.shape.len / rows;
        for value in &body.row_values {
            let base = self.bases[value.v as usize];
            if !base.vector {
                continue;
            }
            let to = self.mem(value.mem);
            for row in 0..rows {
                // SAFETY: the vector has an element for each row.
                let element = unsafe {
                    std::slice::from_raw_parts(base.ptr.add(row * value.size), value.size)
                };
                fill(to.wrapping_add(row * len * value.size), element, len);
            }
            self.slots[value.v as usize] = Arg::near(to, true);
        }
    }

    /// Runs some chunks of a sweep, and leaves their combined results in the values of its
    /// reductions.
    fn sweep(&mut self, t: &Turns, sweep: usize, chunks: Range<usize>) {
        let count = chunks.len();
        for (done, chunk) in chunks.enumerate() {
            self.chunk(t, sweep, chunk);
            self.finish_chunk(t, sweep, done);
        }
        self.finish_tree(sweep, count);
    }

    /// Runs one chunk of a sweep.
    pub(super) fn chunk(&mut self, t: &Turns, sweep: usize, chunk: usize) {
        let p = self.l.p;
        self.begin_accs(sweep);
        let end = ((chunk + 1) * t.chunk).min(t.steps);
        for step in chunk * t.chunk..end {
            match p.layout.mode {
                Mode::AlongReduce => {
                    self.go(&p.layout.reduce, step / t.tiles);
                    self.go_to_tile(step % t.tiles);
                }
                Mode::AcrossReduce => {
                    self.go(&p.layout.reduce, step / t.blocks);
                    self.go_to_block(step % t.blocks);
                }
                Mode::Elementwise | Mode::ShortRows => {}
            }
            let lanes = &p.sweeps[sweep].lanes;
            if !lanes.steps.is_empty() {
                self.run(&lanes.steps, &self.lanes_space());
            }
            self.rows_and_body(sweep);
        }
    }

    /// The number of positions of X at work.
    pub(super) fn width(&self) -> usize {
        self.outside_space().shape.len
    }

    fn begin_accs(&mut self, sweep: usize) {
        let p = self.l.p;
        let width = self.width();
        for acc in &p.sweeps[sweep].accs {
            let to = self.mem(acc.mem);
            let size = acc.dtype.size();
            match p.layout.mode {
                Mode::AcrossReduce | Mode::ShortRows => fill(to, acc.identity.bytes(), width),
                _ => fill(to, acc.identity.bytes(), width * ACCUMULATOR / size),
            }
            if acc.search.is_some() {
                fill(self.mem(acc.places), &i64::MAX.to_ne_bytes(), width);
            }
        }
        self.begin_states(sweep);
    }

    /// Where the results of a level of the tree are, and their positions.
    fn level(&self, acc: &Acc, level: usize) -> (*mut u8, *mut i64) {
        let p = self.l.p;
        let count = match p.layout.mode {
            Mode::AcrossReduce => p.tile_len,
            Mode::ShortRows => p.tile,
            _ => p.block,
        };
        let values = self.mem(acc.tree).wrapping_add(level * round_up(count * acc.dtype.size()));
        let places = self.mem(acc.tree_places).wrapping_add(level * round_up(count * 8));
        (values, places.cast())
    }

    /// Puts the results of a chunk on the tree, and combines equal halves: the same pairs
    /// whoever computed the chunks.
    fn finish_chunk(&mut self, t: &Turns, sweep: usize, done: usize) {
        let level = done.count_ones() as usize;
        for acc in &self.l.p.sweeps[sweep].accs {
            let (values, places) = self.level(acc, level);
            // SAFETY: a level has room for the results.
            unsafe { self.results(acc, values, places) };
        }
        self.push_states(sweep, level);
        let _ = t;
        self.grow_tree(sweep, done);
    }

    /// Writes the results of the accumulators.
    ///
    /// # Safety
    /// There is room for the positions of X at work.
    pub(super) unsafe fn results(&self, acc: &Acc, values: *mut u8, places: *mut i64) {
        let (p, width, size) = (self.l.p, self.width(), acc.dtype.size());
        let from = self.mem(acc.mem);
        // SAFETY: the accumulators of a sweep hold `width` results.
        unsafe {
            if acc.search.is_some() {
                let found: *const i64 = self.mem(acc.places).cast();
                std::ptr::copy_nonoverlapping(found, places, width);
            }
            if matches!(p.layout.mode, Mode::AcrossReduce | Mode::ShortRows) {
                return std::ptr::copy_nonoverlapping(from, values, width * size);
            }
            for row in 0..width {
                let (lanes, to) = (from.add(row * ACCUMULATOR), values.add(row * size));
                match acc.search {
                    Some(_) => std::ptr::copy_nonoverlapping(lanes, to, size),
                    None => (acc.folds.finish)(lanes, to),
                }
            }
        }
    }

    /// Combines the upper levels after the result of chunk `done` was added.
    fn grow_tree(&mut self, sweep: usize, done: usize) {
        let mut level = done.count_ones() as usize;
        let mut rest = done;
        while rest & 1 == 1 {
            self.combine(sweep, level - 1);
            level -= 1;
            rest >>= 1;
        }
    }

    /// Combines what is left of the tree after `count` chunks, and hands out the results.
    fn finish_tree(&mut self, sweep: usize, count: usize) {
        for level in (1..count.count_ones() as usize).rev() {
            self.combine(sweep, level - 1);
        }
        let p = self.l.p;
        for acc in &p.sweeps[sweep].accs {
            let (values, places) = self.level(acc, 0);
            let ptr = if acc.search.is_some() { places.cast() } else { values };
            self.slots[acc.v as usize] = Arg::near(ptr, acc.vector);
        }
        self.hand_out_states(sweep);
    }

    /// Combines a level of the tree with the one above it.
    fn combine(&self, sweep: usize, level: usize) {
        let width = self.width();
        for acc in &self.l.p.sweeps[sweep].accs {
            let (low, low_places) = self.level(acc, level);
            let (high, high_places) = self.level(acc, level + 1);
            let arg = |ptr: *mut u8| Arg::near(ptr, true);
            // SAFETY: both levels hold `width` results.
            unsafe {
                match acc.search {
                    None => {
                        (acc.combine)(low, &[arg(low), arg(high), arg(high)], width);
                    }
                    Some(search) => {
                        let places = arg(high_places.cast());
                        (search.lanes)(low, low_places, arg(high), places, width);
                    }
                }
            }
        }
        self.combine_level(sweep, level);
    }

    /// Shares a sweep with the other threads: each takes some chunks, whose results are combined
    /// as one thread would have combined them.
    fn parallel_sweep(&mut self, t: &Turns, sweep: usize) {
        let (p, width, chunks) = (self.l.p, self.width(), t.chunks());
        let accs = &p.sweeps[sweep].accs;
        // A chunk's results stand side by side: values, and positions in a search.
        let room = |acc: &Acc| round_up(width * acc.dtype.size()) + round_up(width * 8);
        let stride: usize = accs.iter().map(room).sum::<usize>() + self.states_room(sweep);
        let mut results = room::filled_or_raise("reduction", chunks * stride / 8, 0u64);
        let base = Shared(results.as_mut_ptr().cast::<u8>());
        let (l, known) = (self.l, self.known());
        let parts = chunks.min(4 * pool::threads());
        let fold = |worker: &mut Worker, part: usize| {
            for chunk in part * chunks / parts..(part + 1) * chunks / parts {
                worker.chunk(t, sweep, chunk);
                let mut to = base.get().wrapping_add(chunk * stride);
                for acc in &l.p.sweeps[sweep].accs {
                    let places = to.wrapping_add(round_up(width * acc.dtype.size()));
                    // SAFETY: the buffer has room for the results of every chunk.
                    unsafe { worker.results(acc, to, places.cast()) };
                    to = to.wrapping_add(room(acc));
                }
                // SAFETY: as above.
                unsafe { worker.save_states(sweep, to) };
            }
            end_streams();
        };
        let left = Left::default();
        pool::parts(parts, |part| {
            left.unless(part, Worker::new(l, Some(&known)), |worker| {
                worker.outer = known.outer;
                fold(worker, part);
            });
        });
        left.each(|part| fold(self, part));
        for done in 0..chunks {
            let mut from = base.get().wrapping_add(done * stride);
            for acc in accs {
                let (values, places) = self.level(acc, done.count_ones() as usize);
                let bytes = width * acc.dtype.size();
                // SAFETY: the results of the chunk were written, and a level has room for them.
                unsafe {
                    std::ptr::copy_nonoverlapping(from, values, bytes);
                    if acc.search.is_some() {
                        let found = from.add(round_up(bytes));
                        std::ptr::copy_nonoverlapping(found, places.cast(), width * 8);
                    }
                }
                from = from.wrapping_add(room(acc));
            }
            // SAFETY: the states of the chunk were written behind its other results.
            unsafe { self.restore_states(sweep, done.count_ones() as usize, from) };
            self.grow_tree(sweep, done);
        }
        self.finish_tree(sweep, chunks);
    }
}

/// Parts of a launch for which the thread that took them has no memory to work in. The launch's
/// own thread has: it runs them in the end, since others may have begun to write the results.
#[derive(Default)]
struct Left(Mutex<Vec<usize>>);

impl Left {
    /// Runs a part by a worker, if there is one.
    fn unless<'a>(
        &self,
        part: usize,
        worker: Result<Worker<'a>>,
        run: impl FnOnce(&mut Worker<'a>),
    ) {
        match worker {
            Ok(mut worker) => run(&mut worker),
            Err(_) => self.0.lock().push(part),
        }
    }

    /// Runs what is left.
    fn each(self, run: impl FnMut(usize)) {
        self.0.into_inner().into_iter().for_each(run);
    }
}

/// A pointer that threads share, each writing its own part.
pub(super) struct Shared(pub *mut u8);

// SAFETY: every thread writes to its own chunks.
unsafe impl Sync for Shared {}

impl Shared {
    pub(super) fn get(&self) -> *mut u8 {
        self.0
    }
}

/// Runs a launch on the pool of threads, or on this one where the work is small.
///
/// # Errors
/// Where there is no memory to work in; then nothing has been written.
pub fn launch(l: &Launch) -> Result<()> {
    let (p, t) = (l.p, Turns::new(l.p));
    let mut first = Worker::new(l, None)?;
    first.run(&p.launch.steps, &Space::ONE);
    if !p.kept.is_empty() {
        first.kept = Some(Arc::new(first.compute_kept(&p.kept)));
    }
    let threads = pool::threads();
    if threads == 1 || p.work < PARALLEL {
        first.units(&t, 0..t.units);
        return Ok(());
    }
    if p.layout.mode != Mode::Elementwise && t.shares_chunks(p, threads) {
        (0..t.units).for_each(|unit| first.unit_in_chunks(&t, unit));
        return Ok(());
    }
    if t.units == 1 {
        first.units(&t, 0..1);
        return Ok(());
    }
    let parts = t.units.min(8 * threads);
    let known: Known = first.known();
    let range = |part: usize| part * t.units / parts..(part + 1) * t.units / parts;
    let left = Left::default();
    pool::parts(parts, |part| {
        left.unless(part, Worker::new(l, Some(&known)), |worker| worker.units(&t, range(part)));
    });
    left.each(|part| first.units(&t, range(part)));
    Ok(())
}

/// The work, in element operations, from which the pool of threads is used.
pub(super) const PARALLEL: usize = 1 << 18;
