//! Rows of any number and length: which are sorted how, and by whom.

use super::radix::{self, Shared};
use super::word::{Code, Item, Narrow, Wide, Word};
use crate::library::sort::Sort;
use rayon::prelude::*;

/// Shorter rows are sorted by comparisons.
const COMPARED: usize = 1 << 9;
/// Shorter rows are not worth several threads.
const ALONE: usize = 1 << 15;
/// A task takes rows of about so many elements.
const TASK: usize = 1 << 14;

/// Memory for the length of a sort.
pub(super) trait Spare {
    /// So many bytes, aligned for every type; they live as long as this.
    fn bytes(&mut self, bytes: usize) -> crate::error::Result<*mut u8>;
}

/// Sorts the rows of `call` from `input` into `out`.
///
/// # Safety
/// Both hold as many elements as the call says.
pub(super) unsafe fn sort(
    call: &Sort,
    input: *const u8,
    out: *mut u8,
    spare: &mut impl Spare,
) -> crate::error::Result<()> {
    // SAFETY: the caller's promise, in the words of the element type's width.
    unsafe {
        match call.dtype.size() {
            1 => sort_words::<u8>(call, input.cast(), out, spare),
            2 => sort_words::<u16>(call, input.cast(), out, spare),
            4 => sort_words::<u32>(call, input.cast(), out, spare),
            _ => sort_words::<u64>(call, input.cast(), out, spare),
        }
    }
}

unsafe fn sort_words<W: Word>(
    call: &Sort,
    input: *const W,
    out: *mut u8,
    spare: &mut impl Spare,
) -> crate::error::Result<()> {
    let code = Code::<W>::new(&call.encoding());
    let input = Shared(input.cast_mut());
    // SAFETY: positions below `total` are the input's.
    let key = move |k: usize| unsafe { input.at(k).read() }.encode(&code);
    let narrow = move |k: usize, at: usize| Narrow(key(k).bits() << 32 | at as u64);
    let wide = move |k: usize, at: usize| Wide(key(k).bits(), at as u64);
    // SAFETY: the caller's promise.
    unsafe {
        if !call.positions {
            return sort_items(call, |k, _| key(k), move |w: W| w.decode(&code), out.cast(), spare);
        }
        match W::BITS <= 32 && u32::try_from(call.len).is_ok() {
            true => sort_items(call, narrow, Item::position, out.cast::<i64>(), spare),
            false => sort_items(call, wide, Item::position, out.cast::<i64>(), spare),
        }
    }
}

/// Sorts rows of items: `load` takes the position in the array and in the row.
unsafe fn sort_items<I: Item, D: Copy + Send>(
    call: &Sort,
    load: impl Fn(usize, usize) -> I + Sync,
    store: impl Fn(I) -> D + Sync,
    out: *mut D,
    spare: &mut impl Spare,
) -> crate::error::Result<()> {
    let (rows, len, out) = (call.rows, call.len, Shared(out));
    let threads = rayon::current_num_threads();
    // SAFETY (where it is called): the spares have room for a row, and each row has its place.
    let sort_row = |row: usize, spare: [*mut I; 2], threads: usize| unsafe {
        let load = |start: usize, into: &mut [I]| {
            for (k, into) in into.iter_mut().enumerate() {
                *into = load(row * len + start + k, start + k);
            }
        };
        radix::sort(len, load, &store, out.at(row * len), spare, threads);
    };
    if len < ALONE || rows >= 4 * threads {
        let per = (TASK / len.max(1)).max(1);
        let tasks = (0..rows.div_ceil(per)).into_par_iter();
        tasks.for_each_init(Vec::new, |memory: &mut Vec<I>, task| {
            for row in task * per..rows.min((task + 1) * per) {
                if len >= COMPARED {
                    memory.resize(2 * len, I::default());
                    let (first, second) = memory.split_at_mut(len);
                    sort_row(row, [first.as_mut_ptr(), second.as_mut_ptr()], 1);
                    continue;
                }
                memory.clear();
                memory.extend((0..len).map(|k| load(row * len + k, k)));
                memory.sort_unstable();
                for (k, &item) in memory.iter().enumerate() {
                    // SAFETY: each row is written once, to its own place.
                    unsafe { out.at(row * len + k).write(store(item)) };
                }
            }
        });
        return Ok(());
    }
    let first = spare.bytes(len * size_of::<I>())?.cast::<I>();
    let shared = size_of::<I>() == size_of::<D>() && align_of::<I>() == align_of::<D>();
    let second = if shared { None } else { Some(spare.bytes(len * size_of::<I>())?.cast::<I>()) };
    for row in 0..rows {
        sort_row(row, [first, second.unwrap_or(out.at(row * len).cast())], threads);
    }
    Ok(())
}
