//! One long line on all threads, in four steps: with `n = n₁·n₂` points in a table of `n₁` rows,
//!
//! ```text
//! X[k₁ + n₁·k₂] = Σ over j₂ of  w(n₂)^(j₂·k₂) · w(n)^(j₂·k₁) · Σ over j₁ of  w(n₁)^(j₁·k₁) · x[j₁·n₂ + j₂]
//! ```
//!
//! so the columns are transformed, multiplied by the roots of unity between, then the rows, and the
//! table is turned around. The first two are one pass over the memory, the last two another; both
//! go by blocks of lines that the second-level cache holds, and every thread takes some of them.
//! Which thread does what changes no bit of the result.
//!
//! A real line of an even number of points is a complex one of half as many, its even points the
//! real parts and its odd ones the imaginary parts. The spectra of both follow from the symmetries
//! of the whole's, which is one more pass.
//!
//! Lines of 65,536 points or more that have several threads to themselves go this way.

use super::lines::{BLOCK_BYTES, LINES, Shared, gather, padded, scatter};
use crate::backend::cpu::room::filled_or_raise;
use crate::backend::pool;
use lazuli_inner_loops::level::{Level, levels};
use lazuli_libraries::fft::{Component, Fft, FftDirection};
use num_complex::Complex;
use std::mem::size_of;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The points of a complex line from which it is worth to share it among threads.
const LONG: usize = 1 << 16;
/// The fewest points of the lines that a long one is taken apart into.
const SHORT: usize = 64;

/// A plan for a long line of complex numbers.
pub(super) struct Long<T: Component> {
    /// The rows of the table, and the points of a column.
    rows: usize,
    /// The columns, and the points of a row.
    columns: usize,
    /// The transforms of a column and of a row.
    down: Arc<dyn Fft<T>>,
    along: Arc<dyn Fft<T>>,
    roots: Roots<T>,
}

/// A plan for a long line of real numbers: that of half as many complex ones, and the roots by
/// which the two halves differ.
pub(super) struct LongReal<T: Component> {
    half: Long<T>,
    roots: Roots<T>,
}

/// The powers of a root of unity, as products of two from short tables.
struct Roots<T> {
    fine: Vec<Complex<T>>,
    coarse: Vec<Complex<T>>,
    /// The bits of an exponent that the first table covers.
    bits: u32,
    multiply: Multiply<T>,
}

impl<T: Component> Roots<T> {
    fn new(n: usize, direction: FftDirection) -> Self {
        let bits = n.ilog2().div_ceil(2);
        let sign = if direction == FftDirection::Forward { -1.0 } else { 1.0 };
        let root = |power: usize| {
            let angle = sign * std::f64::consts::TAU * power as f64 / n as f64;
            let (sin, cos) = angle.sin_cos();
            Complex::new(T::of(cos), T::of(sin))
        };
        Roots {
            fine: (0..1 << bits).map(root).collect(),
            coarse: (0..=n >> bits).map(|k| root(k << bits)).collect(),
            bits,
            multiply: find_multiply::<T>(Level::best()),
        }
    }

    /// A power, for an exponent up to `n`.
    #[inline(always)]
    fn power(&self, exponent: usize) -> Complex<T> {
        self.coarse[exponent >> self.bits] * self.fine[exponent & ((1 << self.bits) - 1)]
    }

    /// Multiplies the numbers of a column by the powers of `column` times their places: those of a
    /// run by the power at its beginning and those up to its length.
    fn turn(&self, column: usize, line: &mut [Complex<T>]) {
        let mut near = [[T::zero(); RUN]; 2];
        for k in 0..RUN {
            let power = self.power(column * k);
            (near[0][k], near[1][k]) = (power.re, power.im);
        }
        let (runs, rest) = line.as_chunks_mut::<RUN>();
        for (k, run) in runs.iter_mut().enumerate() {
            // SAFETY: the loop was found for this processor.
            unsafe { (self.multiply)(run, &near, self.power(column * k * RUN)) };
        }
        let done = runs.len() * RUN;
        for (k, value) in rest.iter_mut().enumerate() {
            *value = *value * self.power(column * (done + k));
        }
    }
}

/// The numbers that are turned together.
const RUN: usize = 32;

/// Multiplies a run of numbers by `far` and by those of `near`, real and imaginary parts.
type Multiply<T> = unsafe fn(&mut [Complex<T>; RUN], &[[T; RUN]; 2], Complex<T>);

#[inline(always)]
unsafe fn multiply<T: Component>(
    run: &mut [Complex<T>; RUN],
    near: &[[T; RUN]; 2],
    far: Complex<T>,
) {
    for (k, value) in run.iter_mut().enumerate() {
        let power = far * Complex::new(near[0][k], near[1][k]);
        *value = *value * power;
    }
}

levels! {
    /// The loop of `turn`.
    find_multiply[T: Component](run: &mut [Complex<T>; RUN], near: &[[T; RUN]; 2], far: Complex<T>) = multiply::<T>;
}

/// The divisor that comes closest to the square root of `n`, and its counterpart, where both are
/// long enough.
fn balanced(n: usize) -> Option<(usize, usize)> {
    let rows = (SHORT..=n.isqrt()).rev().find(|d| n.is_multiple_of(*d))?;
    (n / rows <= SHORT * rows).then_some((rows, n / rows))
}

/// Whether lines of `points` complex numbers are each shared among threads, where there are `lines`
/// of them. Four steps are 1.3 to 1.7 times the work of rustfft's single plan for doubles, and 1.6
/// to 1.8 times for singles.
fn is_worth_it<T>(points: usize, lines: usize) -> bool {
    let fewest = if size_of::<T>() == 4 { 3 } else { 2 };
    points >= LONG && fewest * lines <= pool::threads()
}

/// Runs `work` for blocks of some of `count` lines, each thread with memory of its own. A thread
/// takes the next block when it has done one.
fn in_blocks<M>(
    count: usize,
    block: usize,
    memory: impl Fn() -> M + Sync,
    work: impl Fn(&mut M, usize, usize) + Sync,
) {
    let (blocks, next) = (count.div_ceil(block), AtomicUsize::new(0));
    let threads = blocks.min(pool::threads());
    pool::each(threads, |_| {
        let mut memory = memory();
        loop {
            let first = next.fetch_add(1, Ordering::Relaxed) * block;
            if first >= count {
                break;
            }
            work(&mut memory, first, block.min(count - first));
        }
    });
}

/// The memory of a thread: two blocks of lines, and what a transform needs.
struct Memory<T> {
    from: Vec<Complex<T>>,
    to: Vec<Complex<T>>,
    own: Vec<Complex<T>>,
}

impl<T: Component> Memory<T> {
    fn new(line: &dyn Fft<T>, from: usize, to: usize) -> Self {
        let zeros = |n: usize| filled_or_raise("fft", n, Complex::new(T::zero(), T::zero()));
        let own = zeros(line.get_outofplace_scratch_len());
        Memory { from: zeros(from), to: zeros(to), own }
    }
}

/// The lines of so many points that are worked on together.
fn lines_of<T>(points: usize, count: usize) -> usize {
    (BLOCK_BYTES / (points * size_of::<Complex<T>>())).clamp(LINES.0, LINES.1).min(count)
}

impl<T: Component> Long<T> {
    /// A plan, where lines of `n` points are long and fall apart well.
    pub(super) fn new(n: usize, lines: usize, direction: FftDirection) -> Option<Self> {
        if !is_worth_it::<T>(n, lines) {
            return None;
        }
        Self::of(n, direction)
    }

    fn of(n: usize, direction: FftDirection) -> Option<Self> {
        let (rows, columns) = balanced(n)?;
        Some(Long {
            rows,
            columns,
            down: T::complex(rows, direction),
            along: T::complex(columns, direction),
            roots: Roots::new(n, direction),
        })
    }

    /// The points of a line.
    pub(super) fn points(&self) -> usize {
        self.rows * self.columns
    }

    /// Transforms a line by way of `room`, which may be the line that is read.
    ///
    /// # Safety
    /// The three have the points of the plan, and `to` is memory of its own or the line that is
    /// read, where `room` is neither.
    pub(super) unsafe fn transform(
        &self,
        from: *const Complex<T>,
        room: *mut Complex<T>,
        to: *mut Complex<T>,
    ) {
        // SAFETY: the caller says so. The first pass reads all that there is before the second one
        // writes.
        unsafe {
            self.transform_columns(Shared(from.cast_mut()), Shared(room));
            self.transform_rows(Shared(room), Shared(to));
        }
    }

    /// Transforms the columns, and multiplies them by the roots between.
    ///
    /// # Safety
    /// Both tables have the points of the plan; they may be the same.
    unsafe fn transform_columns(&self, from: Shared<Complex<T>>, to: Shared<Complex<T>>) {
        let (block, step) = (lines_of::<T>(self.rows, self.columns), padded(self.rows));
        let memory = || Memory::new(&*self.down, block * step, block * step);
        in_blocks(self.columns, block, memory, |memory, first, count| {
            // SAFETY: the block's columns are inside of both tables, and nobody else has them.
            unsafe {
                let source = from.get().add(first).cast_const();
                gather(source, self.columns, self.rows, count, &mut memory.from, step);
                for k in 0..count {
                    let line = &mut memory.from[k * step..][..self.rows];
                    let result = &mut memory.to[k * step..][..self.rows];
                    self.down.process_outofplace_with_scratch(line, result, &mut memory.own);
                    self.roots.turn(first + k, result);
                }
                let target = to.get().add(first);
                scatter(&memory.to, step, self.rows, count, target, self.columns);
            }
        });
    }

    /// Transforms the rows, which are scratch memory then, and turns the table around.
    ///
    /// # Safety
    /// Both tables have the points of the plan, and do not overlap.
    unsafe fn transform_rows(&self, from: Shared<Complex<T>>, to: Shared<Complex<T>>) {
        let (block, step) = (lines_of::<T>(self.columns, self.rows), padded(self.columns));
        let memory = || Memory::new(&*self.along, 0, block * step);
        in_blocks(self.rows, block, memory, |memory, first, count| {
            // SAFETY: the block's rows are inside of both tables, and nobody else has them.
            unsafe {
                for k in 0..count {
                    let line = from.get().add((first + k) * self.columns);
                    let line = std::slice::from_raw_parts_mut(line, self.columns);
                    let result = &mut memory.to[k * step..][..self.columns];
                    self.along.process_outofplace_with_scratch(line, result, &mut memory.own);
                }
                scatter(&memory.to, step, self.columns, count, to.get().add(first), self.rows);
            }
        });
    }
}

/// The pairs of places that a thread takes at a time.
const PAIRS: usize = 1 << 13;

impl<T: Component> LongReal<T> {
    /// A plan, where lines of `n` real points are long and fall apart well.
    pub(super) fn new(n: usize, lines: usize, direction: FftDirection) -> Option<Self> {
        if !n.is_multiple_of(2) || !is_worth_it::<T>(n / 2, lines) {
            return None;
        }
        Self::of(n, direction)
    }

    fn of(n: usize, direction: FftDirection) -> Option<Self> {
        let half = Long::of(n / 2, direction)?;
        Some(LongReal { half, roots: Roots::new(n, direction) })
    }

    /// The complex numbers that a real line is as long as.
    pub(super) fn points(&self) -> usize {
        self.half.points()
    }

    /// Transforms a real line to the first half of its spectrum.
    ///
    /// # Safety
    /// `from` and `room`, which may be the same, have half as many complex numbers as there are
    /// real ones, `to` has one more, and is memory of its own.
    pub(super) unsafe fn forward(
        &self,
        from: *const T,
        room: *mut Complex<T>,
        to: *mut Complex<T>,
    ) {
        let (points, half) = (self.points(), T::of(0.5));
        // SAFETY: the caller says so.
        unsafe {
            self.half.transform(from.cast(), room, to);
            let first = to.read();
            to.write(Complex::new(first.re + first.im, T::zero()));
            to.add(points).write(Complex::new(first.re - first.im, T::zero()));
        }
        let to = Shared(to);
        self.pairs(|k| {
            // SAFETY: both places are inside of the spectrum, and nobody else has them.
            unsafe {
                let (low, high) = (to.get().add(k), to.get().add(points - k));
                let (a, b) = (low.read(), high.read().conj());
                let (even, odd) = ((a + b) * half, (a - b) * half);
                // Over i, then turned on.
                let odd = Complex::new(odd.im, -odd.re) * self.roots.power(k);
                low.write(even + odd);
                high.write((even - odd).conj());
            }
        });
    }

    /// Transforms the first half of a spectrum to its real line.
    ///
    /// # Safety
    /// `from` has one complex number more than half of the real ones, `room`, which may be `from`,
    /// and `to` have half as many; `to` is memory of its own.
    pub(super) unsafe fn inverse(
        &self,
        from: *const Complex<T>,
        room: *mut Complex<T>,
        to: *mut T,
    ) {
        let points = self.points();
        // SAFETY: the caller says so.
        unsafe {
            // The spectrum of real numbers is real at both ends; what is not is left out.
            let (first, last) = (from.read().re, from.add(points).read().re);
            room.write(Complex::new(first + last, first - last));
        }
        let (source, target) = (Shared(from.cast_mut()), Shared(room));
        self.pairs(|k| {
            // SAFETY: both places are inside, and nobody else has them.
            unsafe {
                let (low, high) = (source.get().add(k).read(), source.get().add(points - k).read());
                let (a, b) = (low, high.conj());
                let (even, odd) = (a + b, (a - b) * self.roots.power(k));
                // Times i.
                let odd = Complex::new(-odd.im, odd.re);
                target.get().add(k).write(even + odd);
                target.get().add(points - k).write((even - odd).conj());
            }
        });
        // SAFETY: the room is written, and the caller says the rest.
        unsafe { self.half.transform(room, room, to.cast()) };
    }

    /// Runs `work` once for each pair of places `k` and `points - k`, both ends left out; the place
    /// in the middle is its own counterpart.
    fn pairs(&self, work: impl Fn(usize) + Sync) {
        let last = self.points() / 2;
        in_blocks(
            last,
            PAIRS,
            || (),
            |_, first, count| (first + 1..=first + count).for_each(&work),
        );
    }
}

#[cfg(test)]
mod tests;
