//! Scans: tiles are scanned one after another, each begun with what lies before it.
//!
//! A kernel with scans has two sweeps here. The last one is the kernel's own. The first folds what
//! the scans take, and runs only where threads share R: a thread takes the next chunk of R, folds
//! it, waits for what all chunks before it combine to, passes on the same with its own, and scans
//! the chunk, which is in its cache by now. Chunks are taken in order, so that what a thread waits
//! for is at work already; and since every chunk is combined with all before it at once, results
//! do not depend on which thread took which chunk, nor when.

use super::copy::{end_streams, fill};
use super::layout::Mode;
use super::nest::{Shared, Turns};
use super::program::{Mem, SCAN_SWEEP, ScanFn, ScanState, Target, round_up};
use super::room;
use super::worker::{Space, Worker};
use crate::backend::pool;
use crate::dtype::DType;
use crate::kernel::Kernel;
use crate::kernel::phases::{Phase, Phases};
use crate::table::Reduction;
use lazuli_inner_loops::apply::{class_types, combine};
use lazuli_inner_loops::fold::Combine;
use lazuli_inner_loops::level::{Level, levels};
use lazuli_inner_loops::operations::Arg;
use num_complex::Complex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The phases of a kernel, with the sweep that folds what its scans take.
pub fn phases(kernel: &Kernel) -> Phases {
    let mut phases = kernel.phases();
    let scans = kernel.scans();
    if scans.is_empty() {
        return phases;
    }
    let after = kernel.after_scans();
    let own = &phases.sweeps[0];
    let body = own.body.iter().copied().filter(|v| !after[v.at()]).collect();
    phases.sweeps.insert(0, Phase { body, reductions: scans, ..Phase::default() });
    phases
}

/// The elements that are scanned at once: each takes the ones before it in as many steps as the
/// number has bits, whole vectors at a time.
const WIDTH: usize = 8;

#[inline(always)]
fn step<const BY: usize, O: Combine<T>, T: Copy>(x: [T; WIDTH]) -> [T; WIDTH] {
    let mut y = x;
    let mut k = BY;
    while k < WIDTH {
        y[k] = both::<O, T>(x[k - BY], x[k]);
        k += 1;
    }
    y
}

#[inline(always)]
fn both<O: Combine<T>, T>(a: T, b: T) -> T {
    crate::math::lane::Lane::value(O::apply(a, b, ()))
}

#[inline(always)]
unsafe fn scan<O: Combine<T>, T: Copy>(
    dst: *mut u8,
    src: *const u8,
    n: usize,
    carry: *mut u8,
    exclusive: bool,
) {
    let (dst, src, carry) = (dst.cast::<T>(), src.cast::<T>(), carry.cast::<T>());
    // SAFETY: the caller gives `n` elements, room for as many, and one element as the carry.
    unsafe {
        let mut before = carry.read();
        let mut at = 0;
        while at + WIDTH <= n {
            let x = src.add(at).cast::<[T; WIDTH]>().read();
            let x = step::<4, O, T>(step::<2, O, T>(step::<1, O, T>(x)));
            let mut y = x;
            for k in 0..WIDTH {
                y[k] = both::<O, T>(before, x[k]);
            }
            let next = y[WIDTH - 1];
            if exclusive {
                for k in (1..WIDTH).rev() {
                    y[k] = y[k - 1];
                }
                y[0] = before;
            }
            dst.add(at).cast::<[T; WIDTH]>().write(y);
            before = next;
            at += WIDTH;
        }
        for k in at..n {
            let next = both::<O, T>(before, src.add(k).read());
            dst.add(k).write(if exclusive { before } else { next });
            before = next;
        }
        carry.write(before);
    }
}

levels! {
    /// Scans elements along the lanes.
    find_scan[O: Combine<T>, T: Copy](dst: *mut u8, src: *const u8, n: usize, carry: *mut u8, exclusive: bool) = scan::<O, T>;
}

/// The loop of a scan along the lanes.
pub fn scan_fn(op: Reduction, dtype: DType, level: Level) -> Option<ScanFn> {
    match op {
        Reduction::Sum => class_types!(Number, dtype, T => find_scan::<combine::Sum, T>(level)),
        Reduction::Prod => class_types!(Number, dtype, T => find_scan::<combine::Prod, T>(level)),
        Reduction::Min => class_types!(Ordered, dtype, T => find_scan::<combine::Min, T>(level)),
        Reduction::Max => class_types!(Ordered, dtype, T => find_scan::<combine::Max, T>(level)),
        _ => None,
    }
}

impl Worker<'_> {
    /// Begins the scans of a unit with their identities.
    pub fn begin_scans(&mut self) {
        let (p, width) = (self.l.p, self.width());
        for scan in &p.sweeps[SCAN_SWEEP].scans {
            fill(self.mem(scan.carry), scan.identity.bytes(), width);
        }
        self.begin_user_scans();
    }

    /// Scans a tile.
    pub fn scan(&mut self, v: u32, scan: u32, arg: u32, mem: Mem, to: Target, s: &Space) {
        let p = self.l.p;
        let scan = &p.sweeps[SCAN_SWEEP].scans[scan as usize];
        let (n, size) = (s.shape.len, scan.dtype.size());
        let dst = self.target(to, true, mem, s);
        let element = self.slots[arg as usize];
        let carry = self.mem(scan.carry);
        self.slots[v as usize] = Arg::near(dst, true);
        if p.layout.mode == Mode::AcrossReduce {
            let before = Arg::near(carry, true);
            let into = if scan.exclusive { carry } else { dst };
            // SAFETY: the tile and the carry have `n` elements, and do not overlap.
            unsafe {
                if scan.exclusive {
                    std::ptr::copy_nonoverlapping(carry, dst, n * size);
                }
                (scan.combine)(into, &[before, element, element], n);
                if !scan.exclusive {
                    std::ptr::copy_nonoverlapping(dst, carry, n * size);
                }
            }
            return;
        }
        let mut src = element.ptr;
        if !element.vector {
            // SAFETY: the element is one of the accumulator's type.
            let bytes = unsafe { std::slice::from_raw_parts(src, size) };
            fill(self.temporary(), bytes, n);
            src = self.temporary();
        }
        let rows = if p.layout.mode == Mode::ShortRows { s.shape.extent[0] } else { 1 };
        let len = n / rows;
        for row in 0..rows {
            let at = row * len * size;
            let carry = carry.wrapping_add((self.row + row) * size);
            // SAFETY: the tile has `rows` rows of `len` elements, and each row has its carry.
            unsafe {
                (scan.along)(dst.wrapping_add(at), src.wrapping_add(at), len, carry, scan.exclusive)
            };
        }
    }

    /// Shares the scans of a unit with the other threads.
    pub fn parallel_scan(&mut self, t: &Turns) {
        let (p, width, chunks) = (self.l.p, self.width(), t.chunks());
        let room = |s: &ScanState| round_up(width * s.dtype.size());
        let stride =
            p.sweeps[SCAN_SWEEP].scans.iter().map(room).sum::<usize>() + self.states_room(0);
        // What the chunks up to each one combine to.
        let mut prefixes = room::filled_or_raise("scan", chunks * stride / 8, 0u64);
        let line = Line {
            prefixes: Shared(prefixes.as_mut_ptr().cast()),
            stride,
            ready: (0..chunks).map(|_| AtomicBool::new(false)).collect(),
            broken: AtomicBool::new(false),
        };
        let next = AtomicUsize::new(0);
        let (l, known) = (self.l, self.known());
        let work = |worker: &mut Worker| {
            loop {
                let chunk = next.fetch_add(1, Ordering::Relaxed);
                if chunk >= chunks || worker.chunk_in_line(t, &line, chunk).is_none() {
                    break;
                }
            }
            end_streams();
        };
        pool::each(pool::threads(), |_| {
            // A thread without memory to work in takes no chunk.
            if let Ok(mut worker) = Worker::new(l, Some(&known)) {
                worker.outer = known.outer;
                work(&mut worker);
            }
        });
        work(self);
    }

    /// Works on a chunk between its neighbours; `None` where one before it has failed.
    fn chunk_in_line(&mut self, t: &Turns, line: &Line, chunk: usize) -> Option<()> {
        let _broken = Broken(line);
        let (p, width) = (self.l.p, self.width());
        let last = chunk + 1 == line.ready.len();
        if !last {
            self.chunk(t, 0, chunk);
        }
        self.begin_scans();
        let before = match chunk.checked_sub(1) {
            Some(before) => Some(line.wait(before)?),
            None => None,
        };
        let mut offset = 0;
        for (acc, scan) in p.sweeps[0].accs.iter().zip(&p.sweeps[SCAN_SWEEP].scans) {
            let bytes = width * scan.dtype.size();
            let own = line.prefix(chunk).wrapping_add(offset);
            let vector = |ptr: *const u8| Arg::near(ptr, true);
            // SAFETY: the line has room for the results of each chunk, those of the one before are
            // written and are written no more, and the carry is as wide.
            unsafe {
                if !last {
                    self.results(acc, own, std::ptr::null_mut());
                }
                if let Some(before) = before {
                    let before = before.wrapping_add(offset);
                    std::ptr::copy_nonoverlapping(before, self.mem(scan.carry), bytes);
                    if !last {
                        (scan.combine)(own, &[vector(before), vector(own), vector(own)], width);
                    }
                }
            }
            offset += round_up(bytes);
        }
        let own = line.prefix(chunk).wrapping_add(offset);
        // SAFETY: as above; the states stand behind the other results.
        unsafe {
            if !last {
                self.save_states(0, own);
            }
            let before = before.map(|before| before.wrapping_add(offset));
            self.line_up(before, (!last).then_some(own));
        }
        line.ready[chunk].store(true, Ordering::Release);
        self.chunk(t, SCAN_SWEEP, chunk);
        Some(())
    }
}

/// The chunks of R in a line: what each and all before it combine to, once it is ready.
struct Line {
    prefixes: Shared,
    stride: usize,
    ready: Vec<AtomicBool>,
    /// Whether a chunk will never be ready, because its thread panicked.
    broken: AtomicBool,
}

/// Tells those who wait for a chunk that its thread has panicked.
struct Broken<'a>(&'a Line);

impl Drop for Broken<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.broken.store(true, Ordering::Relaxed);
        }
    }
}

impl Line {
    /// Where the results up to a chunk are.
    fn prefix(&self, chunk: usize) -> *mut u8 {
        self.prefixes.get().wrapping_add(chunk * self.stride)
    }

    /// The results up to a chunk that some thread is working on, unless a thread has panicked.
    fn wait(&self, chunk: usize) -> Option<*const u8> {
        let mut turns = 0;
        while !self.ready[chunk].load(Ordering::Acquire) {
            if self.broken.load(Ordering::Relaxed) {
                return None;
            }
            turns += 1;
            // The other thread may need this one's processor.
            if turns < 1000 { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
        Some(self.prefix(chunk))
    }
}
