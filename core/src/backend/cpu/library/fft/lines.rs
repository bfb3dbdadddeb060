//! One pass of a transform: every line along one axis of an array, over the pool of threads.

use crate::backend::cpu::room::filled_or_raise;
use crate::backend::pool;
use num_complex::Complex;
use std::marker::PhantomData;
use std::mem::size_of;
use std::ptr::copy_nonoverlapping;

/// Where the lines of a pass lie: the arrays are `[outer, from, inner]` and `[outer, to, inner]`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Geometry {
    pub outer: usize,
    pub from: usize,
    pub to: usize,
    pub inner: usize,
}

/// A transform of one line.
pub(super) trait Line<T>: Send + Sync {
    /// The elements that it reads, and may use as scratch memory.
    type From: Copy + Default + Send + Sync;
    /// The elements that it writes.
    type To: Copy + Default + Send + Sync;

    /// The scratch memory that a transform needs.
    fn scratch_len(&self) -> usize;

    /// Transforms a line.
    fn transform(&self, from: &mut [Self::From], to: &mut [Self::To], scratch: &mut [Complex<T>]);
}

/// A pointer that threads share, each writing lines of its own.
#[derive(Clone, Copy)]
pub(super) struct Shared<E>(pub *mut E);

impl<E> Shared<E> {
    /// The pointer. A closure that asks for it borrows the whole, and not the pointer alone.
    pub(super) fn get(&self) -> *mut E {
        self.0
    }
}

// SAFETY: every thread writes to its own lines.
unsafe impl<E> Send for Shared<E> {}
// SAFETY: as above.
unsafe impl<E> Sync for Shared<E> {}

/// The same for reading.
#[derive(Clone, Copy)]
struct Source<E>(*const E);

// SAFETY: a line is read by the thread that writes it, before it does.
unsafe impl<E> Send for Source<E> {}
// SAFETY: as above.
unsafe impl<E> Sync for Source<E> {}

/// The points from which the pool of threads is used.
const PARALLEL: usize = 1 << 14;
/// The bytes of the lines that are transposed together: they stay in the second-level cache.
pub(super) const BLOCK_BYTES: usize = 512 << 10;
/// The fewest and the most lines that are transposed together: whole lines of the cache, so that
/// none is read twice.
pub(super) const LINES: (usize, usize) = (8, 32);

/// Runs a pass. The input may be the output, where the lengths agree.
///
/// # Safety
/// `from` and `to` point to arrays of the geometry.
pub(super) unsafe fn run<T, L: Line<T>>(
    line: &L,
    geometry: &Geometry,
    from: *const L::From,
    to: Shared<L::To>,
) where
    T: Copy + Default + Send + Sync,
{
    let Geometry { outer, from: points, inner, .. } = *geometry;
    let pass = Pass { line, geometry: *geometry, from: Source(from), to };
    let block = match inner {
        1 => 1,
        _ => (BLOCK_BYTES / (points * size_of::<L::From>())).clamp(LINES.0, LINES.1).min(inner),
    };
    let blocks = inner.div_ceil(block);
    let units = outer * blocks;
    let unit = |unit: usize, scratch: &mut Scratch<T, L>| {
        let (o, first) = (unit / blocks, unit % blocks * block);
        // SAFETY: the caller vouches for the arrays, and each unit is another set of lines.
        unsafe {
            match inner {
                1 => pass.row(o, scratch),
                _ => pass.columns(o, first, block.min(inner - first), scratch),
            }
        }
    };
    let threads = pool::threads();
    if threads == 1 || outer * points * inner < PARALLEL || units == 1 {
        let mut scratch = Scratch::new(line, geometry, block);
        return (0..units).for_each(|u| unit(u, &mut scratch));
    }
    let parts = units.min(8 * threads);
    pool::each(parts, |part| {
        let mut scratch = Scratch::new(line, geometry, block);
        (part * units / parts..(part + 1) * units / parts).for_each(|u| unit(u, &mut scratch));
    });
}

/// The memory of one thread.
struct Scratch<T, L: Line<T>> {
    from: Vec<L::From>,
    to: Vec<L::To>,
    own: Vec<Complex<T>>,
    pass: PhantomData<L>,
}

impl<T: Copy + Default, L: Line<T>> Scratch<T, L> {
    fn new(line: &L, geometry: &Geometry, block: usize) -> Self {
        Scratch {
            from: filled_or_raise("fft", padded(geometry.from) * block, L::From::default()),
            to: filled_or_raise("fft", padded(geometry.to) * block, L::To::default()),
            own: filled_or_raise(
                "fft",
                line.scratch_len(),
                Complex { re: T::default(), im: T::default() },
            ),
            pass: PhantomData,
        }
    }
}

/// The distance between lines in scratch memory: were it a power of two, all lines would compete
/// for the same places of the cache.
pub(super) fn padded(points: usize) -> usize {
    points + 8
}

struct Pass<'a, T, L: Line<T>> {
    line: &'a L,
    geometry: Geometry,
    from: Source<L::From>,
    to: Shared<L::To>,
}

impl<T: Copy + Default, L: Line<T>> Pass<'_, T, L> {
    /// Transforms a line whose points are neighbours.
    ///
    /// # Safety
    /// The arrays have the pass's geometry, and nobody else has this line.
    unsafe fn row(&self, o: usize, scratch: &mut Scratch<T, L>) {
        let Geometry { from, to, .. } = self.geometry;
        // SAFETY: the row is inside the arrays.
        let (source, target) = unsafe {
            let source = self.from.0.add(o * from);
            copy_nonoverlapping(source, scratch.from.as_mut_ptr(), from);
            let target = std::slice::from_raw_parts_mut(self.to.0.add(o * to), to);
            (&mut scratch.from[..from], target)
        };
        self.line.transform(source, target, &mut scratch.own);
    }

    /// Transforms neighbouring lines whose points lie `inner` elements apart: brings them
    /// together, transforms them, and brings them back.
    ///
    /// # Safety
    /// As [`Self::row`].
    unsafe fn columns(&self, o: usize, first: usize, count: usize, scratch: &mut Scratch<T, L>) {
        let Geometry { from, to, inner, .. } = self.geometry;
        let (step, back) = (padded(from), padded(to));
        // SAFETY: the lines are inside the arrays.
        unsafe {
            let source = self.from.0.add(o * from * inner + first);
            gather(source, inner, from, count, &mut scratch.from, step);
            for k in 0..count {
                let line = &mut scratch.from[k * step..][..from];
                let result = &mut scratch.to[k * back..][..to];
                self.line.transform(line, result, &mut scratch.own);
            }
            let target = self.to.0.add(o * to * inner + first);
            scatter(&scratch.to, back, to, count, target, inner);
        }
    }
}

/// The points and lines that are moved together.
const TILE: usize = 8;

/// Copies `count` lines of `points` elements, which lie `inner` apart, so that each is contiguous.
/// Elements are copied as bytes: a complex number would else move as two.
///
/// # Safety
/// The lines can be read from `from`.
pub(super) unsafe fn gather<E: Copy>(
    from: *const E,
    inner: usize,
    points: usize,
    count: usize,
    into: &mut [E],
    step: usize,
) {
    assert!(into.len() >= (count - 1) * step + points);
    let (whole_lines, whole_points) = (count / TILE * TILE, points / TILE * TILE);
    let into = into.as_mut_ptr();
    // SAFETY: the caller vouches for the source, and the length of the target was checked.
    unsafe {
        for line in (0..whole_lines).step_by(TILE) {
            for point in (0..whole_points).step_by(TILE) {
                for p in point..point + TILE {
                    for l in line..line + TILE {
                        copy_nonoverlapping(from.add(p * inner + l), into.add(l * step + p), 1);
                    }
                }
            }
        }
        for p in 0..points {
            let done = if p < whole_points { whole_lines } else { 0 };
            for l in done..count {
                copy_nonoverlapping(from.add(p * inner + l), into.add(l * step + p), 1);
            }
        }
    }
}

/// The way back.
///
/// # Safety
/// The lines can be written to `into`.
pub(super) unsafe fn scatter<E: Copy>(
    from: &[E],
    step: usize,
    points: usize,
    count: usize,
    into: *mut E,
    inner: usize,
) {
    assert!(from.len() >= (count - 1) * step + points);
    let (whole_lines, whole_points) = (count / TILE * TILE, points / TILE * TILE);
    let from = from.as_ptr();
    // SAFETY: the caller vouches for the target, and the length of the source was checked.
    unsafe {
        for point in (0..whole_points).step_by(TILE) {
            for line in (0..whole_lines).step_by(TILE) {
                for p in point..point + TILE {
                    for l in line..line + TILE {
                        copy_nonoverlapping(from.add(l * step + p), into.add(p * inner + l), 1);
                    }
                }
            }
        }
        for p in 0..points {
            let done = if p < whole_points { whole_lines } else { 0 };
            for l in done..count {
                copy_nonoverlapping(from.add(l * step + p), into.add(p * inner + l), 1);
            }
        }
    }
}
