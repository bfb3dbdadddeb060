//! Tiles between memory and registers: masks, loads, stores and rows.
//!
//! A row in scratch memory that is read around its end repeats up to 64 elements at either end, its
//! halo (`store_halo`): a window or a shifted row is then read in place.

use super::affine::{self, Affine, Desc, for_runs, run_base};
use super::copy::Moves;
use super::layout::Mode;
use super::program::{Mem, Row};
use super::worker::{Space, Worker};
use crate::kernel::Index;
use lazuli_inner_loops::operations::Arg;

/// Where a mask holds within a tile.
pub(super) enum Cover {
    /// Everywhere.
    All,
    /// Nowhere.
    None,
    /// In these runs: first element and end.
    Runs(Vec<(usize, usize)>),
}

impl Worker<'_> {
    /// Where a mask holds.
    pub(super) fn cover(&self, mask: Option<u32>, n: usize) -> Cover {
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
    pub(super) fn load(
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
            return Arg::near(dst, true);
        }
        // SAFETY: the planner keeps indices inside the input, and the register has room.
        unsafe {
            match desc {
                Desc::Affine(a) => match a.flat(shape) {
                    Some(stride @ (0 | 1)) if moves.same && !copy => {
                        return Arg::near(at(a.base), stride == 1);
                    }
                    Some(0) => {
                        (moves.load)(dst, at(a.base), 0, 1);
                        return Arg::near(dst, false);
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
        Arg::near(dst, true)
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
    pub fn store(&self, base: *mut u8, desc: Desc, value: Arg, moves: &Moves, space: &Space) {
        let shape = &space.shape;
        let at = |index: i64| base.wrapping_offset(index as isize * moves.mem as isize);
        let lane = |k: usize| value.after(k * moves.reg);
        // SAFETY: the planner keeps indices inside the output, and the value has one element or
        // as many as the tile.
        unsafe {
            match desc {
                Desc::Affine(a) => match a.flat(shape) {
                    // The operation wrote it there.
                    Some(1) if value.vector && std::ptr::eq(at(a.base), value.ptr) => {}
                    Some(stride) => match moves.stream {
                        Some(stream) if stride == 1 && value.vector => {
                            stream(at(a.base), value.ptr, shape.len * moves.mem);
                        }
                        _ => (moves.store)(at(a.base), stride as isize, value, shape.len),
                    },
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
    pub(super) fn row_address(
        &self,
        row: u32,
        index: &Index,
        vector: bool,
        space: &Space,
    ) -> (*mut u8, Desc) {
        let p = self.l.p;
        let info = &p.rows[row as usize];
        let temporary: *mut i64 = self.temporary().cast();
        let mut desc = self.index(index, space, temporary);
        let base = self.mem(info.mem).wrapping_add(info.halo * info.moves.reg);
        let pitch = p.row_len + 2 * info.halo;
        let along_rows = p.layout.rows.is_some_and(|k| space.axes[0] == k as u8);
        if p.layout.mode == Mode::AcrossReduce {
            // Each position of R is a tile of lanes. A program along the rows reads one lane: all
            // have the same elements there.
            let pitch = p.tile_len as i64;
            let mut lanes = Affine::default();
            let mut step = 1;
            let along_lanes = vector && p.layout.lanes.contains(&(space.axes[0] as usize));
            for d in (0..space.shape.rank).rev().filter(|_| along_lanes) {
                lanes.strides[d] = step;
                step *= space.shape.extent[d] as i64;
            }
            desc = self.scaled(desc, pitch, lanes, space);
        } else if p.layout.mode == Mode::ShortRows {
            let mut rows = Affine::default();
            rows.strides[0] = if vector { p.row_len as i64 } else { 0 };
            desc = self.scaled(desc, 1, rows, space);
        } else if along_rows && space.shape.rank == 1 {
            let stride = if vector { pitch as i64 } else { 0 };
            let rows = Affine { base: 0, strides: [stride, 0, 0] };
            desc = self.scaled(desc, 1, rows, space);
        } else {
            let desc = unwrapped(desc, p.row_len, info.halo, space.shape.len);
            return (base.wrapping_add(self.row * pitch * info.moves.reg), desc);
        }
        (base, desc)
    }

    /// Repeats what was just stored at the ends of a row.
    pub(super) fn store_halo(&self, row: u32, base: *mut u8, desc: &Desc, space: &Space) {
        let Row { halo, moves, .. } = self.l.p.rows[row as usize];
        if halo == 0 {
            return;
        }
        let (Desc::Affine(a), len) = (desc, self.l.p.row_len) else {
            unreachable!("tiles lie along rows that have a halo");
        };
        debug_assert_eq!(a.flat(&space.shape), Some(1));
        let first = a.base as usize;
        let tile = first..first + space.shape.len;
        let at = |index: isize| base.wrapping_offset(index * moves.reg as isize);
        for (end, by) in [(0..halo, len as isize), (len - halo..len, -(len as isize))] {
            let (start, stop) = (tile.start.max(end.start), tile.end.min(end.end));
            if start < stop {
                let start = start as isize;
                let bytes = (stop as isize - start) as usize * moves.reg;
                // SAFETY: the row has these elements, and room for as many at its other end.
                unsafe { at(start + by).copy_from_nonoverlapping(at(start), bytes) };
            }
        }
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
}

/// Whether a tile lies inside the memory of a row.
pub(super) fn inside_row(
    row: &Row,
    start: *const u8,
    base: *const u8,
    desc: &Desc,
    space: &Space,
) -> bool {
    let size = row.moves.reg;
    // The tile begins behind the row's first elements: in another row of the block, say.
    let before = (base as usize - start as usize) / size;
    let moved = match desc {
        Desc::Affine(a) => Desc::Affine(Affine { base: a.base + before as i64, ..*a }),
        Desc::Pieces(pieces) => {
            let moved = |p: &affine::Piece| affine::Piece { base: p.base + before as i64, ..*p };
            Desc::Pieces(pieces.iter().map(moved).collect())
        }
        Desc::Tile(_) => return inside(desc, space, row.bytes / size - before),
    };
    inside(&moved, space, row.bytes / size)
}

/// A tile of a row that is read around its end, in place where what is repeated there reaches.
fn unwrapped(desc: Desc, row: usize, halo: usize, n: usize) -> Desc {
    let Desc::Pieces(pieces) = &desc else { return desc };
    let (row, halo, n) = (row as i64, halo as i64, n as i64);
    let first = pieces[0].base;
    let goes_on = |piece: &affine::Piece| {
        piece.stride == 1 && (first + piece.start as i64 - piece.base) % row == 0
    };
    if halo == 0 || !pieces.iter().all(goes_on) {
        return desc;
    }
    let fits = |from: &i64| *from >= -halo && from + n <= row + halo;
    match [first, first - row].into_iter().find(fits) {
        Some(base) => Desc::Affine(Affine { base, strides: [1, 0, 0] }),
        None => desc,
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
pub(super) fn inside(desc: &Desc, space: &Space, len: usize) -> bool {
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
        Desc::Tile(tile) => (0..space.shape.len).all(|k| {
            // SAFETY: the tile has a number for each element.
            let v = unsafe { *tile.add(k) };
            fits(v, v)
        }),
    }
}
