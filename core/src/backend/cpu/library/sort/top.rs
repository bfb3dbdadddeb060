//! The first few elements of an order, in one look at each row.

use super::shared::Shared;
use super::word::{Code, Item, Narrow, Wide, Word};
use crate::backend::cpu::room::room;
use crate::backend::pool;
use crate::caught::raise;
use crate::library::sort::Top;
use rayon::prelude::*;

/// The least part of a row that is worth a task.
const PART: usize = 1 << 16;

/// Writes the positions of the first `count` elements of each row's order.
///
/// # Safety
/// `input` and `out` hold as many elements as the call says.
pub(super) unsafe fn top(call: &Top, input: *const u8, out: *mut i64) {
    // SAFETY: the caller's promise, in the words of the element type's width.
    unsafe {
        match call.sort.dtype.size() {
            1 => top_words::<u8>(call, input.cast(), out),
            2 => top_words::<u16>(call, input.cast(), out),
            4 => top_words::<u32>(call, input.cast(), out),
            _ => top_words::<u64>(call, input.cast(), out),
        }
    }
}

unsafe fn top_words<W: Word>(call: &Top, input: *const W, out: *mut i64) {
    let code = Code::<W>::new(&call.sort.encoding());
    let input = Shared(input.cast_mut());
    // SAFETY: positions below `total` are the input's.
    let key = move |k: usize| unsafe { input.at(k).read() }.encode(&code).bits();
    // SAFETY: the caller's promise.
    unsafe {
        match W::BITS <= 32 && u32::try_from(call.sort.len).is_ok() {
            true => top_items(call, |k, at| Narrow(key(k) << 32 | at as u64), out),
            false => top_items(call, |k, at| Wide(key(k), at as u64), out),
        }
    }
}

unsafe fn top_items<I: Item>(call: &Top, load: impl Fn(usize, usize) -> I + Sync, out: *mut i64) {
    let (len, count, out) = (call.sort.len, call.count, Shared(out));
    let one_row = |row: usize| {
        let part = |start: usize| {
            let items = start..len.min(start.saturating_add(PART));
            first(items.map(|k| load(row * len + k, k)), count)
        };
        let all = match len <= PART {
            true => part(0),
            false => pool::inside(|| {
                let parts = (0..len.div_ceil(PART)).into_par_iter().map(|k| part(k * PART));
                parts.reduce(Vec::new, |a, b| first(a.into_iter().chain(b), count))
            }),
        };
        for (k, item) in all.into_iter().enumerate() {
            // SAFETY: each row has `count` places.
            unsafe { out.at(row * count + k).write(item.position()) };
        }
    };
    match call.sort.rows {
        1 => one_row(0),
        rows => pool::inside(|| (0..rows).into_par_iter().for_each(one_row)),
    }
}

/// The smallest items, in order.
fn first<I: Item>(items: impl Iterator<Item = I>, count: usize) -> Vec<I> {
    let most = 2 * count + 32;
    let mut found: Vec<I> = room("top", most).unwrap_or_else(|full| raise(full));
    let mut limit = None;
    for item in items {
        if limit.is_some_and(|limit| item > limit) {
            continue;
        }
        found.push(item);
        if found.len() == most {
            // Whatever comes behind `count` items that are known is out for good.
            let (_, &mut last, _) = found.select_nth_unstable(count.saturating_sub(1));
            limit = Some(last);
            found.truncate(count);
        }
    }
    found.sort_unstable();
    found.truncate(count);
    found
}
