//! Items divided into buckets in one look at them: a bucket is a chain of chunks of memory, so
//! that nobody needs to know beforehand how many items it gets.

use super::shared::Shared;
use super::split::Split;
use super::word::Item;
use crate::backend::cpu::copy::end_streams;
use crate::backend::cpu::room::{filled_or_raise, full};
use crate::caught::raise;
use lazuli_inner_loops::level::levels;

/// The bytes of a cache line.
pub(super) const LINE: usize = 64;
/// Items are divided so many at a time.
pub(super) const BLOCK: usize = 512;
/// The line of the item so many places ahead is fetched: all lines together are more than the
/// innermost cache holds.
const AHEAD: usize = 12;

/// Bytes on their way to memory.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Line(pub(super) [u8; LINE]);

/// The memory of one part of a row.
#[derive(Clone, Copy)]
pub(super) struct Region<I> {
    /// Its beginning, that of a cache line.
    pub memory: Shared<I>,
    /// The items of a chunk, a power of two and whole cache lines. The first chunk is not used.
    pub chunk: usize,
}

/// Divides the items of one part of a row. Each bucket collects a cache line, which is written
/// past the cache: a line that is written in pieces is read first.
pub(super) struct Writer<I> {
    region: Region<I>,
    /// Where the next item of each bucket goes; 0 before the first.
    places: Vec<u32>,
    lines: Vec<Line>,
    chains: Chains,
}

/// Which chunks each bucket has.
pub(super) struct Chains {
    first: Vec<u32>,
    /// The chunk behind each, in its bucket.
    after: Vec<u32>,
    /// The chunks of each bucket, and in the end its items.
    counts: Vec<usize>,
}

impl<I: Item> Writer<I> {
    const PER: usize = LINE / size_of::<I>();

    pub(super) fn new(region: Region<I>, buckets: usize) -> Self {
        let (first, counts) =
            (filled_or_raise("sort", buckets, 0), filled_or_raise("sort", buckets, 0));
        let after = vec![0];
        Writer {
            region,
            places: filled_or_raise("sort", buckets, 0),
            lines: filled_or_raise("sort", buckets, Line([0; LINE])),
            chains: Chains { first, after, counts },
        }
    }

    /// Takes items to the lines of their buckets. A line that is full is written when the next
    /// item comes: by then its own items are out of the way of a wider load.
    ///
    /// # Safety
    /// There is a line for each bucket of the split, and the region has room.
    #[inline(always)]
    unsafe fn put(&mut self, items: &[I], split: &Split) {
        let mut digits = [0u32; BLOCK + AHEAD];
        for (digit, item) in digits.iter_mut().zip(items) {
            *digit = split.digit(item.key());
        }
        let (places, lines) = (self.places.as_mut_ptr(), self.lines.as_mut_ptr().cast::<I>());
        let table = split.table().as_ptr();
        for (k, &item) in items.iter().take(BLOCK).enumerate() {
            // SAFETY: digits are within the table (those not set are 0), buckets within the
            // places and lines, and the slot within the line.
            unsafe {
                let later = *table.add(*digits.get_unchecked(k + AHEAD) as usize);
                fetch(lines.add(later as usize * Self::PER));
                let bucket = *table.add(*digits.get_unchecked(k) as usize) as usize;
                let mut place = *places.add(bucket) as usize;
                if place % Self::PER == 0 {
                    place = self.turn(bucket, place);
                }
                *lines.add(bucket * Self::PER + place % Self::PER) = item;
                *places.add(bucket) = place as u32 + 1;
            }
        }
    }

    /// Writes the line of a bucket, which is full, and gives the place of the next.
    ///
    /// # Safety
    /// As for [`put`](Self::put).
    #[inline(always)]
    unsafe fn turn(&mut self, bucket: usize, place: usize) -> usize {
        if place > 0 {
            // SAFETY: the line that ends at the place is the bucket's.
            unsafe {
                let to = self.region.memory.at(place - Self::PER);
                write_line(to.cast(), self.lines.get_unchecked(bucket));
            }
        }
        match place & (self.region.chunk - 1) {
            0 => self.chains.grow(bucket, place, self.region.chunk),
            _ => place,
        }
    }

    /// Writes what is left in the lines.
    ///
    /// # Safety
    /// As for [`put`](Self::put).
    pub(super) unsafe fn finish(self) -> Chains {
        let (mut chains, chunk) = (self.chains, self.region.chunk);
        for (bucket, count) in chains.counts.iter_mut().enumerate().filter(|(_, n)| **n > 0) {
            let last = self.places[bucket] as usize - 1;
            let to = self.region.memory.at(last / Self::PER * Self::PER);
            // SAFETY: the line in which the last item is lies within the chunk.
            unsafe { write_line(to.cast(), &self.lines[bucket]) };
            *count = (*count - 1) * chunk + last % chunk + 1;
        }
        end_streams();
        chains
    }
}

impl Chains {
    /// Gives a bucket a chunk; where it begins.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, bucket: usize, end: usize, chunk: usize) -> usize {
        let new = self.after.len();
        if new == self.after.capacity() && self.after.try_reserve(1).is_err() {
            raise(full("sort", 2 * new * size_of::<u32>()));
        }
        self.after.push(0);
        match end {
            0 => self.first[bucket] = new as u32,
            _ => self.after[end / chunk - 1] = new as u32,
        }
        self.counts[bucket] += 1;
        new * chunk
    }

    /// The items of a bucket.
    pub(super) fn count(&self, bucket: usize) -> usize {
        self.counts[bucket]
    }

    /// Runs a function on all items of a bucket, in the order in which they came.
    ///
    /// # Safety
    /// The region is the one that was written.
    pub(super) unsafe fn each<I: Item>(
        &self,
        bucket: usize,
        region: Region<I>,
        mut f: impl FnMut(&[I]),
    ) {
        let (mut at, mut left) = (self.first[bucket] as usize, self.counts[bucket]);
        while left > 0 {
            let count = left.min(region.chunk);
            let begin = region.memory.at(at * region.chunk);
            // SAFETY: so many items of the chunk were written.
            f(unsafe { std::slice::from_raw_parts(begin, count) });
            at = self.after[at] as usize;
            left -= count;
        }
    }
}

levels! {
    /// Puts at most `BLOCK` items into buckets, as [`Writer::put`] says.
    put_at[I: Item](writer: *mut Writer<I>, split: *const Split, items: *const I, len: usize) = put::<I>;
}

/// # Safety
/// As for [`Writer::put`]; the pointers are a writer, a split and so many items.
#[inline(always)]
unsafe fn put<I: Item>(writer: *mut Writer<I>, split: *const Split, items: *const I, len: usize) {
    // SAFETY: the caller says so.
    unsafe { (*writer).put(std::slice::from_raw_parts(items, len), &*split) }
}

/// Brings memory into the cache.
#[inline(always)]
fn fetch<T>(at: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE is part of the architecture, and a prefetch reads nothing.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(at.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

/// Writes a line past the cache.
///
/// # Safety
/// `to` is aligned and has room.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) unsafe fn write_line(to: *mut u8, line: &Line) {
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
pub(super) unsafe fn write_line(to: *mut u8, line: &Line) {
    // SAFETY: the caller says so.
    unsafe { to.cast::<Line>().write(*line) };
}
