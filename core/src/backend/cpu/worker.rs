//! A thread at work on a kernel: where its tile is, and what it knows of each value there.

use super::affine::{self, Affine, DIMS, Desc, Map, Piece, Shape};
use super::guards;
use super::index_loops::{Sum, find_map, find_sum};
use super::program::{Mem, Prepared};
use super::scratch::Scratch;
use crate::dtype::Scalar;
use crate::error::Result;
use crate::kernel::{Atom, Index};
use lazuli_inner_loops::level::Level;
use lazuli_inner_loops::operations::Arg;
use smallvec::SmallVec;
use std::sync::Arc;

/// What a launch was given.
pub struct Launch<'a> {
    /// The kernel.
    pub p: &'a Prepared,
    /// The inputs' memory.
    pub inputs: &'a [*const u8],
    /// The outputs' memory.
    pub outputs: &'a [*mut u8],
    /// The scalar arguments.
    pub scalars: &'a [Scalar],
}

// SAFETY: the pointers are those of buffers that outlive the launch; threads write disjoint parts.
unsafe impl Sync for Launch<'_> {}

/// The tile that a program runs over.
#[derive(Clone, Copy, Debug)]
pub struct Space {
    /// Its shape.
    pub shape: Shape,
    /// The axes of its dimensions.
    pub axes: [u8; DIMS],
}

impl Space {
    /// A single element.
    pub const ONE: Space = Space { shape: Shape::ONE, axes: [u8::MAX; DIMS] };
}

/// A thread at work.
pub struct Worker<'a> {
    pub l: &'a Launch<'a>,
    /// For each value, its tile or its single element.
    pub slots: Vec<Arg>,
    /// For values along the rows, the whole vector.
    pub bases: Vec<Arg>,
    /// For each index, what it is within the tile.
    pub descs: Vec<Desc>,
    /// The position of the tile on each axis.
    pub pos: [usize; 32],
    /// An axis whose positions end earlier for this worker, and where they do.
    pub end: Option<(usize, usize)>,
    /// The row within the block.
    pub row: usize,
    /// The sweep that runs.
    pub sweep: usize,
    /// The scratch memory that is shared with threads that work on the same positions of X.
    pub outer: *mut u8,
    /// What loops keep for the launch.
    pub kept: Option<Arc<KeptBases>>,
    scratch: Scratch,
}

impl<'a> Worker<'a> {
    /// A worker that begins a launch, or one that knows what another one knows.
    ///
    /// # Errors
    /// Where there is no scratch memory for it.
    pub fn new(l: &'a Launch<'a>, parent: Option<&Known>) -> Result<Self> {
        let mut scratch = Scratch::take(l.p.outer + l.p.inner)?;
        let none = Arg::near(std::ptr::null(), false);
        let count = l.p.kernel.values.len();
        let (mut slots, mut bases, mut descs) = scratch.take_lists();
        match parent {
            Some(known) => {
                slots.extend_from_slice(&known.slots);
                bases.extend_from_slice(&known.bases);
            }
            None => {
                slots.resize(count, none);
                bases.resize(count, none);
            }
        }
        descs.resize_with(count, Desc::default);
        let outer = scratch.memory();
        let pos = parent.map_or([0; 32], |known| known.pos);
        let kept = parent.and_then(|known| known.kept.clone());
        let (end, row, sweep) = (None, 0, 0);
        let worker = Worker { l, slots, bases, descs, pos, end, row, sweep, outer, kept, scratch };
        // SAFETY: the worker's scratch memory has both regions, with their guards.
        unsafe { guards::mark(&l.p.guards, |guard| worker.own(guard)) };
        Ok(worker)
    }

    /// Where the positions of an axis end.
    pub fn extent(&self, axis: usize) -> usize {
        match self.end {
            Some((k, end)) if k == axis => end,
            _ => self.l.p.kernel.axes[axis].extent,
        }
    }

    /// A place in scratch memory.
    #[inline(always)]
    pub fn mem(&self, mem: Mem) -> *mut u8 {
        let base = match mem.is_outer() {
            true => self.outer,
            false => self.scratch.memory().wrapping_add(self.l.p.outer),
        };
        base.wrapping_add(mem.offset())
    }

    /// A place in this worker's own scratch memory, whichever outer region it works with.
    fn own(&self, mem: Mem) -> *mut u8 {
        let region = if mem.is_outer() { 0 } else { self.l.p.outer };
        self.scratch.memory().wrapping_add(region + mem.offset())
    }

    /// Memory for the length of a step: 16 bytes for each element of a tile.
    pub fn temporary(&self) -> *mut u8 {
        self.scratch.memory().wrapping_add(self.l.p.outer)
    }

    /// What other workers must know to continue from here.
    pub fn known(&self) -> Known {
        Known {
            slots: self.slots.clone(),
            bases: self.bases.clone(),
            pos: self.pos,
            outer: self.outer,
            kept: self.kept.clone(),
        }
    }

    /// What an index is within the tile; `mem` is for a number for each element, unless the index is
    /// the numbers of a value and nothing else, which lie where they are.
    pub fn index(&self, index: &Index, space: &Space, mem: *mut i64) -> Desc {
        let mut sum = Affine { base: index.offset, strides: [0; DIMS] };
        let mut terms = index.terms.iter();
        for &(atom, factor) in terms.by_ref() {
            match atom {
                Atom::Axis(k) => {
                    sum.base += factor * self.pos[k as usize] as i64;
                    for d in 0..space.shape.rank {
                        if space.axes[d] == k {
                            sum.strides[d] += factor;
                        }
                    }
                }
                Atom::Value(_) => break,
            }
        }
        // Atoms are in order: behind the axes stand values only.
        if !matches!(index.terms.last(), Some((Atom::Value(_), _))) {
            return Desc::Affine(sum);
        }
        let mut desc = Desc::Affine(sum);
        let mut tiles: SmallVec<[(*const i64, i64); 2]> = SmallVec::new();
        for (v, factor) in index.terms.iter().filter_map(|t| match t.0 {
            Atom::Value(v) => Some((v, t.1)),
            Atom::Axis(_) => None,
        }) {
            match self.number(v.at()) {
                Desc::Tile(tile) => tiles.push((tile, factor)),
                other => affine::add(&mut desc, &other, factor, space.shape.len),
            }
        }
        let (first, more) = match tiles.split_first() {
            None => return desc,
            // Numbers by themselves are read where they are.
            Some((&(tile, 1), [])) if matches!(&desc, Desc::Affine(a) if *a == Affine::default()) =>
            {
                return Desc::Tile(tile);
            }
            Some((first, more)) => (*first, more),
        };
        let n = space.shape.len;
        // SAFETY: `mem` has room for the tile, and tiles are as long as the tile. A position that the
        // user made up may be anything: it wraps here, and is refused or masked where it is used.
        unsafe {
            let moved = |(tile, factor): (*const i64, i64), k: usize| {
                factor.wrapping_mul(tile.add(k).read())
            };
            let flat = match &desc {
                Desc::Affine(a) => a.flat(&space.shape).map(|step| (a.base, step)),
                _ => None,
            };
            if let Some((base, step)) = flat {
                let (from, factor) = first;
                find_sum(Level::best())(Sum { base, step, factor }, mem, from, n);
            } else {
                affine::write(&desc, &space.shape, mem);
                (0..n).for_each(|k| *mem.add(k) = (*mem.add(k)).wrapping_add(moved(first, k)));
            }
            for &tile in more {
                (0..n).for_each(|k| *mem.add(k) = (*mem.add(k)).wrapping_add(moved(tile, k)));
            }
        }
        Desc::Tile(mem)
    }

    /// What an `i64` value is as an index.
    pub fn number(&self, v: usize) -> Desc {
        if self.l.p.is_desc[v] {
            return self.descs[v].clone();
        }
        let slot = self.slots[v];
        if slot.vector {
            return Desc::Tile(slot.ptr.cast());
        }
        // SAFETY: the slot is one element of type i64.
        let base = unsafe { slot.ptr.cast::<i64>().read() };
        Desc::Affine(Affine { base, strides: [0; DIMS] })
    }

    /// A function of an index within the tile.
    pub fn map(&self, map: Map, desc: Desc, space: &Space, mem: *mut i64) -> Desc {
        let shape = &space.shape;
        if map == Map::Same {
            return desc;
        }
        let mut pieces: SmallVec<[Piece; 4]> = SmallVec::new();
        match &desc {
            Desc::Affine(a) => {
                if let Some(value) = map.affine(a, shape) {
                    return Desc::Affine(value);
                }
                let whole = Piece { start: 0, base: a.base, stride: a.strides[0] };
                if shape.rank == 1 && map.pieces(whole, shape.len, &mut pieces) {
                    return Desc::Pieces(pieces);
                }
            }
            Desc::Pieces(list) => {
                let end = |k: usize| list.get(k + 1).map_or(shape.len, |next| next.start);
                let mut each = list.iter().enumerate();
                if each.all(|(k, piece)| map.pieces(*piece, end(k) - piece.start, &mut pieces)) {
                    return Desc::Pieces(pieces);
                }
            }
            Desc::Tile(_) => {}
        }
        // SAFETY: `mem` has room for the tile.
        unsafe {
            affine::write(&desc, shape, mem);
            find_map(Level::best())(map, mem, shape.len);
        }
        Desc::Tile(mem)
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        // SAFETY: the guards lie in the worker's scratch memory and were marked.
        let overwritten = unsafe { guards::overwritten(&self.l.p.guards, |guard| self.own(guard)) };
        if let Some(guard) = overwritten
            && !std::thread::panicking()
        {
            panic!("a tile is longer than its register, before {guard:?}: {:?}", self.l.p.kernel);
        }
        let lists = (
            std::mem::take(&mut self.slots),
            std::mem::take(&mut self.bases),
            std::mem::take(&mut self.descs),
        );
        self.scratch.give_back(lists);
    }
}

/// Values computed ahead.
pub(super) type Bases = SmallVec<[Arg; 8]>;

/// Where values that loops keep for the launch lie, under the first of them.
#[derive(Default)]
pub(super) struct KeptBases(pub(super) Vec<(u32, Bases)>);

// SAFETY: what the pointers point to is only read from when it has been computed to the end of the
// launch.
unsafe impl Send for KeptBases {}
// SAFETY: as above.
unsafe impl Sync for KeptBases {}

/// What a worker hands on to others.
pub struct Known {
    slots: Vec<Arg>,
    bases: Vec<Arg>,
    pos: [usize; 32],
    /// The outer scratch memory.
    pub outer: *mut u8,
    kept: Option<Arc<KeptBases>>,
}

// SAFETY: what the pointers point to is only read by the workers that know it, except for rows,
// of which each worker writes its own part.
unsafe impl Sync for Known {}
