//! The sort of one long row by its keys' digits, over one thread or several.
//!
//! Each thread takes a part of the row, in order, and divides it into buckets of neighbouring
//! keys, small enough for the cache. A sample of the keys tells where a bucket ends. Then each
//! thread takes one bucket after the other, sorts it within the cache and writes it to its place
//! in the result. So the row goes through memory twice, however long its keys are.
//!
//! Threads divide without counting first, by whole cache lines past the cache (`chunks.rs`), and a
//! sample makes the buckets about equal for any distribution (`split.rs`). A bucket that is too
//! large is divided again; one of equal keys is only copied. Short rows are sorted like a bucket
//! (`cached.rs`).

use super::cached::Scratch;
use super::chunks::{self, BLOCK, Chains, LINE, Line, Region, Writer, write_line};
use super::shared::Shared;
use super::split::{SAMPLES, Split};
use super::word::Item;
use crate::backend::cpu::copy::end_streams;
use crate::backend::cpu::room;
use crate::backend::pool;
use crate::caught::raise;
use crate::error::Result;
use lazuli_inner_loops::level::Level;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The bytes of a bucket: this and the memory to sort it stay in the innermost caches.
const BUCKET: usize = 1 << 15;
/// More buckets would be more cache lines collected at once than there is cache.
const BUCKETS: usize = 1 << 11;
/// Each thread has so many buckets at least, so that all end at about the same time.
const SHARE: usize = 8;
/// A larger bucket than this is divided again.
const LARGE: usize = 1 << 20;
/// How often a bucket is divided again.
const DEPTH: u32 = 3;
/// The bytes of a chunk of a bucket.
const CHUNK: usize = 1 << 12;
/// Results of so many bytes are written past the cache.
const STREAMED: usize = 1 << 20;
/// A thread takes so many items at least.
const WORTH: usize = 1 << 14;
/// Places within a part are 32-bit numbers.
const PART: usize = 1 << 30;

/// Who sorts.
#[derive(Clone, Copy, Debug)]
pub(super) struct By {
    pub threads: usize,
    pub level: Level,
}

impl By {
    /// All threads, with all that this processor has.
    pub(super) fn best() -> By {
        By { threads: pool::threads(), level: Level::best() }
    }
}

/// Sorts `len` items into `out`, as `store` makes them. `load` fills a slice with the items from a
/// position on.
///
/// # Errors
/// Where there is no memory for a bucket that must be divided again.
///
/// # Safety
/// `out` has room for `len` values, and `spare` for [`spare`] items. `load` is safe for positions
/// up to `len`.
pub(super) unsafe fn sort<I: Item, D: Copy + Send>(
    len: usize,
    load: &(impl Fn(usize, &mut [I]) + Sync),
    store: &(impl Fn(I) -> D + Sync),
    out: *mut D,
    spare: *mut I,
    by: By,
) -> Result<()> {
    let by = By { threads: threads(len, by.threads), ..by };
    // SAFETY: the caller's promise.
    unsafe { sort_row(len, load, store, Shared(out), Shared(spare), by, 0) }
}

/// Sorts `len` items as [`sort`] does, by one thread and with no other memory.
///
/// # Safety
/// As for [`sort`].
pub(super) unsafe fn sort_short<I: Item, D: Copy>(
    len: usize,
    load: &impl Fn(usize, &mut [I]),
    store: &impl Fn(I) -> D,
    out: *mut D,
    scratch: &mut Scratch<I>,
    level: Level,
) {
    load(0, scratch.room(len));
    // SAFETY: the caller's promise.
    unsafe { write(scratch.sort(len, 0, level), store, out, false) };
}

/// Memory for so many items.
pub(super) fn room<I>(len: usize) -> Result<Vec<I>> {
    room::room("sort", len)
}

/// How many items of memory a sort takes besides its result.
pub(super) fn spare<I: Item>(len: usize, threads: usize) -> usize {
    let shape = Shape::new::<I>(len, self::threads(len, threads));
    shape.parts * shape.region(Split::most(shape.buckets)) + LINE / size_of::<I>()
}

/// How many threads are worth it.
fn threads(len: usize, most: usize) -> usize {
    most.min(len / WORTH).max(1)
}

/// The division of a row.
#[derive(Clone, Copy)]
struct Shape {
    len: usize,
    parts: usize,
    /// The items of a part.
    part: usize,
    /// How many buckets the row should have.
    buckets: usize,
    /// The items of a chunk.
    chunk: usize,
}

impl Shape {
    fn new<I: Item>(len: usize, threads: usize) -> Shape {
        let parts = threads.max(len.div_ceil(PART));
        let bytes = len * size_of::<I>();
        let buckets = bytes.div_ceil(BUCKET).max(SHARE * threads).min(BUCKETS);
        // The chunks that are not full take memory: at most about an eighth more.
        let chunk = (bytes / 8 / (buckets * parts)).clamp(LINE, CHUNK);
        let chunk = (1 << chunk.ilog2()) / size_of::<I>();
        Shape { len, parts, part: len.div_ceil(parts), buckets, chunk }
    }

    /// Whether all keys of the row are the same.
    fn is_one_key<I: Item>(&self, load: &(impl Fn(usize, &mut [I]) + Sync)) -> bool {
        let part = |k: usize| {
            let mut bits = (u64::MAX, 0);
            each_block(self.part(k), load, |_, items| bits = both(bits, items));
            bits
        };
        let (and, or) = pool::inside(|| {
            let parts = (0..self.parts).into_par_iter().with_max_len(1).map(part);
            parts.reduce(|| (u64::MAX, 0), |a, b| (a.0 & b.0, a.1 | b.1))
        });
        and == or
    }

    fn part(&self, k: usize) -> Range<usize> {
        (k * self.part).min(self.len)..((k + 1) * self.part).min(self.len)
    }

    /// The items of memory that a part takes with so many buckets.
    fn region(&self, buckets: usize) -> usize {
        (self.part.div_ceil(self.chunk) + buckets + 1) * self.chunk
    }
}

/// Runs a function for each of some tasks, all at the same time.
fn each(count: usize, f: impl Fn(usize) + Sync) {
    pool::each(count, f);
}

/// [`sort`], where `depth` counts how often the row has been divided before.
unsafe fn sort_row<I: Item, D: Copy + Send>(
    len: usize,
    load: &(impl Fn(usize, &mut [I]) + Sync),
    store: &(impl Fn(I) -> D + Sync),
    out: Shared<D>,
    spare: Shared<I>,
    by: By,
    depth: u32,
) -> Result<()> {
    let shape = Shape::new::<I>(len, by.threads);
    let sample = sample(&shape, load);
    if sample.iter().all(|&key| key == sample[0]) && shape.is_one_key(load) {
        // SAFETY: the caller's promise.
        unsafe { copy(&shape, load, store, out) };
        return Ok(());
    }
    let split = Split::new(sample, shape.buckets);
    assert!(split.buckets() <= Split::most(shape.buckets), "the memory is for as many buckets");
    let aligned = Shared(spare.at(spare.0.align_offset(LINE)));
    let size = shape.region(split.buckets());
    let region = |k: usize| Region { memory: Shared(aligned.at(k * size)), chunk: shape.chunk };
    // SAFETY: each part has its own region, with room for all its items and for a chunk of each
    // bucket that is not full.
    let divide = |k| unsafe { divide(shape.part(k), load, region(k), &split, by.level) };
    let chains: Vec<Chains> =
        pool::inside(|| (0..shape.parts).into_par_iter().with_max_len(1).map(divide).collect());
    let buckets = Buckets::new(chains, (0..shape.parts).map(region).collect(), split);
    let again = |b: usize| buckets.is_large(b) && depth < DEPTH && !buckets.equal[b];
    for bucket in (0..buckets.split.buckets()).filter(|&b| again(b)) {
        // SAFETY: as for the row.
        unsafe { sort_again(&buckets, bucket, store, out, by, depth + 1)? };
    }
    let next = AtomicUsize::new(0);
    let tasks = buckets.split.buckets() * shape.parts;
    let streamed = len * size_of::<D>() >= STREAMED;
    each(by.threads, |_| {
        let mut scratch = Scratch::new();
        loop {
            let task = next.fetch_add(1, Ordering::Relaxed);
            let (bucket, part) = (task / shape.parts, task % shape.parts);
            if task >= tasks {
                break;
            }
            // SAFETY: each bucket has its places in the result, and is one thread's; or each part
            // of it is.
            unsafe {
                if buckets.equal[bucket] {
                    buckets.copy(bucket, part, store, out, streamed);
                } else if part == 0 && !again(bucket) {
                    let len = buckets.len(bucket);
                    buckets.gather(bucket, scratch.room(len).as_mut_ptr());
                    let items = scratch.sort(len, buckets.split.base(bucket), by.level);
                    write(items, store, out.at(buckets.begin(bucket, 0)), streamed);
                }
            }
        }
        end_streams();
    });
    Ok(())
}

/// Sorts a bucket that is too large for the cache.
///
/// # Safety
/// As for [`sort`].
unsafe fn sort_again<I: Item, D: Copy + Send>(
    buckets: &Buckets<I>,
    bucket: usize,
    store: &(impl Fn(I) -> D + Sync),
    out: Shared<D>,
    by: By,
    depth: u32,
) -> Result<()> {
    let len = buckets.len(bucket);
    let by = By { threads: threads(len, by.threads), ..by };
    let mut items = room::<I>(len)?;
    let mut memory = room::<I>(spare::<I>(len, by.threads))?;
    // SAFETY: there is room for all items.
    unsafe { buckets.gather(bucket, items.as_mut_ptr()) };
    let load = reader(Shared(items.as_mut_ptr()));
    let out = Shared(out.at(buckets.begin(bucket, 0)));
    // SAFETY: the items are there, and the bucket has its places in the result.
    unsafe { sort_row(len, &load, store, out, Shared(memory.as_mut_ptr()), by, depth) }
}

/// Stores the items of a row as they come.
///
/// # Safety
/// As for [`sort`].
unsafe fn copy<I: Item, D: Copy + Send>(
    shape: &Shape,
    load: &(impl Fn(usize, &mut [I]) + Sync),
    store: &(impl Fn(I) -> D + Sync),
    out: Shared<D>,
) {
    each(shape.parts, |k| {
        each_block(shape.part(k), load, |start, items| {
            // SAFETY: the parts of the row have their places in the result.
            unsafe { write(items, store, out.at(start), false) };
        });
    });
}

/// Loads a range block by block.
fn each_block<I: Item>(
    range: Range<usize>,
    load: &impl Fn(usize, &mut [I]),
    mut f: impl FnMut(usize, &[I]),
) {
    let mut block = [I::default(); BLOCK];
    for start in range.clone().step_by(BLOCK) {
        let items = &mut block[..BLOCK.min(range.end - start)];
        load(start, items);
        f(start, items);
    }
}

/// The bits that all keys have and those that any has.
#[inline(always)]
fn both<I: Item>(bits: (u64, u64), items: &[I]) -> (u64, u64) {
    items.iter().fold(bits, |(and, or), item| (and & item.key(), or | item.key()))
}

/// Loads items from memory that holds them.
fn reader<I: Item>(from: Shared<I>) -> impl Fn(usize, &mut [I]) + Sync {
    // SAFETY: there are items at all positions that are asked for.
    move |start: usize, into: &mut [I]| unsafe {
        std::ptr::copy_nonoverlapping(from.at(start), into.as_mut_ptr(), into.len());
    }
}

/// Some keys of a row, from all over it.
fn sample<I: Item>(shape: &Shape, load: &impl Fn(usize, &mut [I])) -> Vec<u64> {
    let mut items = [I::default(); SAMPLES];
    let items = &mut items[..SAMPLES.min(shape.len)];
    let mut keys = room::room("sort", shape.buckets * SAMPLES).unwrap_or_else(|full| raise(full));
    let step = (shape.len - items.len()) as f64 / shape.buckets as f64;
    for k in 0..shape.buckets {
        load((k as f64 * step) as usize, items);
        keys.extend(items.iter().map(|item| item.key()));
    }
    keys
}

/// Divides a part of a row into buckets.
///
/// # Safety
/// `load` is safe for the part, and the region has room.
unsafe fn divide<I: Item>(
    part: Range<usize>,
    load: &impl Fn(usize, &mut [I]),
    region: Region<I>,
    split: &Split,
    level: Level,
) -> Chains {
    let mut writer = Writer::new(region, split.buckets());
    let put = chunks::put_at::<I>(level);
    each_block(part, load, |_, items| {
        // SAFETY: the pointers are those of what the function takes; the caller's promise.
        unsafe { put(&mut writer, split, items.as_ptr(), items.len()) };
    });
    // SAFETY: as above.
    unsafe { writer.finish() }
}

/// A row divided into buckets.
struct Buckets<I> {
    chains: Vec<Chains>,
    regions: Vec<Region<I>>,
    split: Split,
    /// Where each part's items of each bucket begin in the result, and the end.
    begins: Vec<usize>,
    /// The buckets of which all keys are known to be the same.
    equal: Vec<bool>,
}

impl<I: Item> Buckets<I> {
    fn new(chains: Vec<Chains>, regions: Vec<Region<I>>, split: Split) -> Self {
        let mut end = 0;
        let mut begins = vec![0];
        for bucket in 0..split.buckets() {
            begins.extend(chains.iter().map(|chain| {
                end += chain.count(bucket);
                end
            }));
        }
        let mut buckets = Buckets { chains, regions, split, begins, equal: Vec::new() };
        let known = |b: usize| {
            // A large bucket may be a value that comes often; a look is cheaper than a sort.
            buckets.split.is_one_key(b) || (buckets.is_large(b) && buckets.is_one_key(b))
        };
        buckets.equal = (0..buckets.split.buckets()).map(known).collect();
        buckets
    }

    /// Whether a bucket is too large for the cache.
    fn is_large(&self, bucket: usize) -> bool {
        self.len(bucket) * size_of::<I>() > LARGE
    }

    /// Whether all keys of a bucket are the same.
    fn is_one_key(&self, bucket: usize) -> bool {
        let (mut and, mut or) = (u64::MAX, 0);
        for (chain, &region) in self.chains.iter().zip(&self.regions) {
            let look = |items: &[I]| {
                // Once two keys differ nothing is left to find out.
                if and & or == or {
                    (and, or) = both((and, or), items);
                }
            };
            // SAFETY: the region is the chain's.
            unsafe { chain.each(bucket, region, look) };
        }
        and == or
    }

    /// Where a part's items of a bucket begin in the result.
    fn begin(&self, bucket: usize, part: usize) -> usize {
        self.begins[bucket * self.chains.len() + part]
    }

    /// The items of a bucket.
    fn len(&self, bucket: usize) -> usize {
        self.begin(bucket + 1, 0) - self.begin(bucket, 0)
    }

    /// Copies the items of a bucket, in the order in which they came.
    ///
    /// # Safety
    /// There is room.
    unsafe fn gather(&self, bucket: usize, mut to: *mut I) {
        for (chain, &region) in self.chains.iter().zip(&self.regions) {
            // SAFETY: the region is the chain's; there is room for all items.
            unsafe {
                chain.each(bucket, region, |items| {
                    std::ptr::copy_nonoverlapping(items.as_ptr(), to, items.len());
                    to = to.add(items.len());
                });
            }
        }
    }

    /// Stores a part's items of a bucket as they came.
    ///
    /// # Safety
    /// The result has room, and nobody else writes there.
    unsafe fn copy<D: Copy>(
        &self,
        bucket: usize,
        part: usize,
        store: &impl Fn(I) -> D,
        out: Shared<D>,
        streamed: bool,
    ) {
        let mut to = out.at(self.begin(bucket, part));
        // SAFETY: the region is the chain's; the caller's promise.
        unsafe {
            self.chains[part].each(bucket, self.regions[part], |items| {
                write(items, store, to, streamed);
                to = to.add(items.len());
            });
        }
    }
}

/// Stores items, past the cache where asked to.
///
/// # Safety
/// There is room.
unsafe fn write<I: Item, D: Copy>(
    items: &[I],
    store: &impl Fn(I) -> D,
    out: *mut D,
    streamed: bool,
) {
    let one = |k: usize| {
        // SAFETY: the caller says that there is room for all items.
        unsafe { out.add(k).write(store(items[k])) }
    };
    let per = LINE / size_of::<D>();
    let head = if streamed { out.align_offset(LINE).min(items.len()) } else { items.len() };
    (0..head).for_each(one);
    let mut k = head;
    while k + per <= items.len() {
        let mut line = Line([0; LINE]);
        for (slot, &item) in items[k..k + per].iter().enumerate() {
            // SAFETY: a line holds so many values; the place is a line of the result's memory.
            unsafe { line.0.as_mut_ptr().cast::<D>().add(slot).write(store(item)) };
        }
        // SAFETY: the items from the first whole line on have their places behind it.
        unsafe { write_line(out.add(k).cast(), &line) };
        k += per;
    }
    (k..items.len()).for_each(one);
}
