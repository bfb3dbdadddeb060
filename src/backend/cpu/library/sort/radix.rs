//! The radix sort of one row, least significant digit first, over one thread or several.
//!
//! Each thread takes a part of the row, in order. It counts the digits of its part; from all
//! counts each thread knows where its items of each digit go, and moves them there. Only the bits
//! in which keys differ are sorted by.

use super::word::Item;
use rayon::prelude::*;
use std::ops::Range;

/// The most bits of a digit: more would be more cache lines written at once than there is cache.
const DIGIT: u32 = 11;
/// Shorter rows take fewer bits, as each pass looks at every digit.
const SHORT: usize = 1 << 14;
const SHORT_DIGIT: u32 = 8;
/// From this many bytes on, whole cache lines are collected before they are written, past the
/// cache: a line that is written in pieces is read first.
const COMBINED: usize = 1 << 20;

/// Memory that threads write in disjoint parts.
pub(super) struct Shared<T>(pub *mut T);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Shared<T> {}
// SAFETY: it is only an address; those who write through it say which parts are theirs.
unsafe impl<T: Send> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// The place of an element.
    pub(super) fn at(self, k: usize) -> *mut T {
        self.0.wrapping_add(k)
    }
}

/// Items are loaded so many at a time, so that what makes them vectorises.
const BLOCK: usize = 512;
/// The blocks of items by which the digits are guessed.
const SAMPLES: usize = 16;

/// Sorts `len` items into `out`, as `store` makes them. `load` fills a slice with the items from a
/// position on.
///
/// # Safety
/// `out` has room for `len` values, and each of the `spare` for `len` items; the second may be
/// the same memory as `out`. `load` is safe for positions up to `len`.
pub(super) unsafe fn sort<I: Item, D: Copy + Send>(
    len: usize,
    load: impl Fn(usize, &mut [I]) + Sync,
    store: impl Fn(I) -> D + Sync,
    out: *mut D,
    spare: [*mut I; 2],
    threads: usize,
) {
    let row = Row { len, parts: parts(len, threads) };
    let most = if len < SHORT { SHORT_DIGIT } else { DIGIT };
    // A few items tell most often in which bits all of them differ.
    let guess = Digits::of(row.sample(&load), most);
    let (mut counts, varying) = row.counts(&load, guess.at(0));
    let mut digits = guess;
    if !guess.cover(varying) {
        digits = Digits::of(varying, most);
        (counts, _) = row.counts(&load, digits.at(0));
    }
    let (spare, out) = (spare.map(Shared), Shared(out));
    let last = digits.passes.saturating_sub(1);
    let target = |pass: u32| spare[(last - 1 - pass) as usize & 1];
    let read = |pass: u32| {
        let from = target(pass - 1);
        // SAFETY: the pass before wrote all items there.
        move |k: usize, into: &mut [I]| unsafe {
            std::ptr::copy_nonoverlapping(from.at(k), into.as_mut_ptr(), into.len());
        }
    };
    let same = |item: I| item;
    // SAFETY: every pass writes each place of its target once, and reads from elsewhere.
    unsafe {
        match digits.passes {
            0 => row.each_part(|range, _| {
                let mut k = range.start;
                each_block(range, &load, |items| {
                    items.iter().for_each(|&item| {
                        out.at(k).write(store(item));
                        k += 1;
                    });
                });
            }),
            1 => row.pass(&load, &store, out, digits.at(0), counts),
            _ => {
                row.pass(&load, &same, target(0), digits.at(0), counts);
                for pass in 1..last {
                    let (load, digit) = (read(pass), digits.at(pass));
                    row.pass(&load, &same, target(pass), digit, row.counts(&load, digit).0);
                }
                let (load, digit) = (read(last), digits.at(last));
                row.pass(&load, &store, out, digit, row.counts(&load, digit).0);
            }
        }
    }
}

/// Equal parts of a range.
fn parts(len: usize, count: usize) -> Vec<Range<usize>> {
    let size = len.div_ceil(count.max(1)).max(1);
    (0..count.max(1)).map(|k| (k * size).min(len)..((k + 1) * size).min(len)).collect()
}

/// The digits by which keys are sorted.
#[derive(Clone, Copy)]
struct Digits {
    low: u32,
    bits: u32,
    passes: u32,
}

/// One digit.
#[derive(Clone, Copy)]
struct Digit {
    shift: u32,
    mask: usize,
}

impl Digits {
    fn of(varying: u64, most: u32) -> Digits {
        if varying == 0 {
            return Digits { low: 0, bits: 0, passes: 0 };
        }
        let low = varying.trailing_zeros();
        let span = 64 - varying.leading_zeros() - low;
        let passes = span.div_ceil(most);
        Digits { low, bits: span.div_ceil(passes), passes }
    }

    /// Whether the digits hold all these bits.
    fn cover(&self, varying: u64) -> bool {
        let Digits { low, bits, passes } = self;
        varying == 0
            || (*low <= varying.trailing_zeros()
                && low + bits * passes >= 64 - varying.leading_zeros())
    }

    fn at(&self, pass: u32) -> Digit {
        Digit { shift: self.low + pass * self.bits, mask: (1 << self.bits) - 1 }
    }
}

impl Digit {
    #[inline(always)]
    fn of<I: Item>(self, item: I) -> usize {
        (item.key() >> self.shift) as usize & self.mask
    }
}

/// A row and its division over threads.
struct Row {
    len: usize,
    parts: Vec<Range<usize>>,
}

impl Row {
    /// Runs a function for each part, with its number.
    fn each_part(&self, f: impl Fn(Range<usize>, usize) + Sync) {
        match &self.parts[..] {
            [part] => f(part.clone(), 0),
            parts => {
                parts.par_iter().enumerate().with_max_len(1).for_each(|(k, p)| f(p.clone(), k));
            }
        }
    }

    /// The bits in which some of the keys differ.
    fn sample<I: Item>(&self, load: &impl Fn(usize, &mut [I])) -> u64 {
        let (mut and, mut or) = (u64::MAX, 0);
        let step = self.len.div_ceil(SAMPLES).max(BLOCK);
        for start in (0..self.len).step_by(step) {
            each_block(start..self.len.min(start + BLOCK), load, |items| {
                let both = |(and, or): (u64, u64), item: &I| (and & item.key(), or | item.key());
                (and, or) = items.iter().fold((and, or), both);
            });
        }
        if self.len == 0 { 0 } else { and ^ or }
    }

    /// For each part how often it has each digit; and the bits in which keys differ.
    fn counts<I: Item>(
        &self,
        load: &(impl Fn(usize, &mut [I]) + Sync),
        digit: Digit,
    ) -> (Vec<usize>, u64) {
        let radix = digit.mask + 1;
        let mut counts = vec![0usize; self.parts.len() * radix];
        let bits: Vec<(u64, u64)> = match &self.parts[..] {
            [part] => vec![count(part.clone(), load, digit, &mut counts)],
            parts => {
                let parts = parts.par_iter().with_max_len(1).zip(counts.par_chunks_mut(radix));
                parts.map(|(part, into)| count(part.clone(), load, digit, into)).collect()
            }
        };
        let (and, or) = bits.iter().fold((u64::MAX, 0), |a, b| (a.0 & b.0, a.1 | b.1));
        (counts, if self.len == 0 { 0 } else { and ^ or })
    }

    /// Moves all items to where one digit puts them.
    ///
    /// # Safety
    /// `out` has room for all, nobody reads it meanwhile, and the counts are those of the items.
    unsafe fn pass<I: Item, D: Copy + Send>(
        &self,
        load: &(impl Fn(usize, &mut [I]) + Sync),
        store: &(impl Fn(I) -> D + Sync),
        out: Shared<D>,
        digit: Digit,
        mut places: Vec<usize>,
    ) {
        let radix = digit.mask + 1;
        begin(&mut places, radix);
        let places = Shared(places.as_mut_ptr());
        let combined = self.len * size_of::<D>() >= COMBINED;
        self.each_part(|range, k| {
            // SAFETY: each part has its own counters, which say how many of each digit come
            // before, in this part and the parts before it: every item has its own place in `out`.
            unsafe {
                let places = std::slice::from_raw_parts_mut(places.at(k * radix), radix);
                match combined {
                    true => {
                        let mut lines = Lines::new(out, places);
                        each_block(range, load, |items| {
                            items.iter().for_each(|&i| lines.put(digit.of(i), store(i)));
                        });
                        lines.finish();
                    }
                    false => each_block(range, load, |items| {
                        for &item in items {
                            let place = &mut places[digit.of(item)];
                            out.at(*place).write(store(item));
                            *place += 1;
                        }
                    }),
                }
            }
        });
    }
}

/// Counts digits, and gives the bits that all keys have and those that any has. Neighbours count
/// apart from each other: the next increment of a counter would wait for the last one.
fn count<I: Item>(
    range: Range<usize>,
    load: &impl Fn(usize, &mut [I]),
    digit: Digit,
    into: &mut [usize],
) -> (u64, u64) {
    let (mut and, mut or) = (u64::MAX, 0);
    let mut odd = vec![0u32; into.len()];
    let mut even = vec![0u32; into.len()];
    // A 32-bit counter cannot run over within one step.
    for start in range.clone().step_by(1 << 31) {
        each_block(start..range.end.min(start + (1 << 31)), load, |items| {
            let both = |(and, or): (u64, u64), item: &I| (and & item.key(), or | item.key());
            (and, or) = items.iter().fold((and, or), both);
            let (pairs, rest) = items.as_chunks::<2>();
            for pair in pairs {
                even[digit.of(pair[0])] += 1;
                odd[digit.of(pair[1])] += 1;
            }
            rest.iter().for_each(|&item| even[digit.of(item)] += 1);
        });
        for ((into, odd), even) in into.iter_mut().zip(&mut odd).zip(&mut even) {
            *into += std::mem::take(odd) as usize + std::mem::take(even) as usize;
        }
    }
    (and, or)
}

/// Loads a range block by block.
#[inline(always)]
fn each_block<I: Item>(
    range: Range<usize>,
    load: &impl Fn(usize, &mut [I]),
    mut f: impl FnMut(&[I]),
) {
    let mut block = [I::default(); BLOCK];
    for start in range.clone().step_by(BLOCK) {
        let items = &mut block[..BLOCK.min(range.end - start)];
        load(start, items);
        f(items);
    }
}

/// Turns counts, part after part, into the places where each part's items of a digit begin.
fn begin(counts: &mut [usize], radix: usize) {
    let mut sum = 0;
    for digit in 0..radix {
        for k in (digit..counts.len()).step_by(radix) {
            sum += std::mem::replace(&mut counts[k], sum);
        }
    }
}

/// The bytes of a cache line.
const LINE: usize = 64;

#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line([u8; LINE]);

/// Items on their way to memory by whole cache lines, of which each digit fills one at a time.
struct Lines<'a, D> {
    out: Shared<D>,
    /// Where the next item of each digit goes, counted from the beginning of a line of memory.
    places: &'a mut [usize],
    begins: Vec<usize>,
    lines: Vec<Line>,
}

impl<'a, D: Copy> Lines<'a, D> {
    const PER: usize = LINE / size_of::<D>();

    fn new(out: Shared<D>, places: &'a mut [usize]) -> Self {
        let skew = (out.0 as usize % LINE) / size_of::<D>();
        places.iter_mut().for_each(|place| *place += skew);
        Lines {
            out: Shared(out.0.wrapping_sub(skew)),
            begins: places.to_vec(),
            lines: vec![Line([0; LINE]); places.len()],
            places,
        }
    }

    /// Takes an item to its line. A line that is full is written when the
    /// next item comes: by then its own items are out of the way of a wider load.
    ///
    /// # Safety
    /// It is one of the digits; the place of the item is in the memory, and its alone.
    #[inline(always)]
    unsafe fn put(&mut self, digit: usize, value: D) {
        // SAFETY: each digit has its place, its beginning and its line, in which the slot is; the
        // places of the line are this digit's, from where it begins.
        unsafe {
            let place = *self.places.get_unchecked(digit);
            *self.places.get_unchecked_mut(digit) = place + 1;
            let slot = place % Self::PER;
            if slot == 0 && place > *self.begins.get_unchecked(digit) {
                self.write(digit, place);
            }
            let line = self.lines.get_unchecked_mut(digit);
            line.0.as_mut_ptr().cast::<D>().add(slot).write(value);
        }
    }

    /// Writes the line of a digit, up to a place.
    ///
    /// # Safety
    /// As for [`put`](Self::put).
    unsafe fn write(&self, digit: usize, end: usize) {
        let line = &self.lines[digit];
        let first = (end - 1) / Self::PER * Self::PER;
        let begin = self.begins[digit];
        // SAFETY: the caller says so.
        unsafe {
            match first >= begin && end - first == Self::PER {
                true => write_line(self.out.at(first).cast(), line),
                false => {
                    write_some(line.0.as_ptr().cast(), self.out, begin.max(first)..end, Self::PER);
                }
            }
        }
    }

    /// Writes what is left in the lines.
    ///
    /// # Safety
    /// As for [`put`](Self::put).
    unsafe fn finish(self) {
        for (digit, (&begin, &end)) in self.begins.iter().zip(&*self.places).enumerate() {
            if end > begin {
                // SAFETY: the caller says so.
                unsafe { self.write(digit, end) };
            }
        }
        fence();
    }
}

/// Writes a part of a line.
///
/// # Safety
/// The places are the caller's.
unsafe fn write_some<D: Copy>(line: *const D, out: Shared<D>, places: Range<usize>, per: usize) {
    for place in places {
        // SAFETY: the caller says so.
        unsafe { out.at(place).write(line.add(place % per).read()) };
    }
}

/// Writes a line past the cache.
///
/// # Safety
/// `to` is aligned and has room.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn write_line(to: *mut u8, line: &Line) {
    use std::arch::x86_64::{_mm_load_si128, _mm_stream_si128};
    for k in 0..LINE / 16 {
        // SAFETY: SSE2 is part of the architecture; both sides are aligned lines.
        unsafe {
            let word = _mm_load_si128(line.0.as_ptr().cast::<std::arch::x86_64::__m128i>().add(k));
            _mm_stream_si128(to.cast::<std::arch::x86_64::__m128i>().add(k), word);
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
unsafe fn write_line(to: *mut u8, line: &Line) {
    // SAFETY: the caller says so.
    unsafe { to.cast::<Line>().write(*line) };
}

/// Makes what was written past the cache visible to the other threads.
fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE is part of the architecture.
    unsafe {
        std::arch::x86_64::_mm_sfence()
    };
}
