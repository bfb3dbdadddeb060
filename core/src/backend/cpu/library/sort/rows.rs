//! Rows of any number and length: which are sorted how, and by whom.

use super::cached::Scratch;
use super::radix::{self, By};
use super::shared::Shared;
use super::word::{Code, Item, Narrow, Wide, Word};
use crate::backend::pool;
use crate::library::sort::Sort;
use rayon::prelude::*;

/// Shorter rows are sorted within the cache, each by one thread.
const SHORT: usize = 1 << 15;
/// A task takes rows of about so many elements.
const TASK: usize = 1 << 14;
/// So many keys are looked at to see whether it is worth looking at all.
const GLANCE: usize = 256;

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
    by: By,
) -> crate::error::Result<()> {
    // SAFETY: the caller's promise, in the words of the element type's width.
    unsafe {
        match call.dtype.size() {
            1 => sort_words::<u8>(call, input.cast(), out, spare, by),
            2 => sort_words::<u16>(call, input.cast(), out, spare, by),
            4 => sort_words::<u32>(call, input.cast(), out, spare, by),
            _ => sort_words::<u64>(call, input.cast(), out, spare, by),
        }
    }
}

unsafe fn sort_words<W: Word>(
    call: &Sort,
    input: *const W,
    out: *mut u8,
    spare: &mut impl Spare,
    by: By,
) -> crate::error::Result<()> {
    let code = Code::<W>::new(&call.encoding());
    let input = Shared(input.cast_mut());
    // SAFETY: positions below `total` are the input's.
    let key = move |k: usize| unsafe { input.at(k).read() }.encode(&code);
    let wide = move |k: usize, at: usize| Wide(key(k).bits(), at as u64);
    let short = u32::try_from(call.len).is_ok();
    let base = match W::BITS <= 32 {
        true => Some(0),
        false if !call.positions => None,
        false => base(call.rows * call.len, |k| key(k).bits()),
    };
    // SAFETY: the caller's promise.
    unsafe {
        match base {
            _ if !call.positions => {
                sort_items(call, |k, _| key(k), move |w: W| w.decode(&code), out.cast(), spare, by)
            }
            Some(base) if short => {
                let narrow =
                    move |k: usize, at: usize| Narrow((key(k).bits() - base) << 32 | at as u64);
                sort_items(call, narrow, Item::position, out.cast::<i64>(), spare, by)
            }
            _ => sort_items(call, wide, Item::position, out.cast::<i64>(), spare, by),
        }
    }
}

/// The least key, where all others lie within 32 bits from it.
fn base(len: usize, key: impl Fn(usize) -> u64 + Sync) -> Option<u64> {
    let wider = |(low, high): (u64, u64), k: usize| (low.min(key(k)), high.max(key(k)));
    let none = (u64::MAX, 0);
    let near = |(low, high): (u64, u64)| high - low <= u64::from(u32::MAX);
    // Of most arrays a few keys tell that they do not.
    if len == 0 || !near((0..len).step_by(len.div_ceil(GLANCE)).fold(none, wider)) {
        return None;
    }
    let part = |k: usize| (k * TASK..len.min((k + 1) * TASK)).fold(none, wider);
    let range = match len.div_ceil(TASK) {
        1 => part(0),
        parts => pool::inside(|| {
            let parts = (0..parts).into_par_iter().map(part);
            parts.reduce(|| none, |a, b| (a.0.min(b.0), a.1.max(b.1)))
        }),
    };
    near(range).then_some(range.0)
}

/// Sorts rows of items: `load` takes the position in the array and in the row.
unsafe fn sort_items<I: Item, D: Copy + Send>(
    call: &Sort,
    load: impl Fn(usize, usize) -> I + Sync,
    store: impl Fn(I) -> D + Sync,
    out: *mut D,
    spare: &mut impl Spare,
    by: By,
) -> crate::error::Result<()> {
    let (rows, len, out) = (call.rows, call.len, Shared(out));
    let load_row = |row: usize| {
        let load = &load;
        move |start: usize, into: &mut [I]| {
            for (k, into) in into.iter_mut().enumerate() {
                *into = load(row * len + start + k, start + k);
            }
        }
    };
    if len < SHORT {
        let per = (TASK / len.max(1)).max(1);
        let tasks = rows.div_ceil(per);
        let sort = |scratch: &mut Scratch<I>, task: usize| {
            for row in task * per..rows.min((task + 1) * per) {
                let to = out.at(row * len);
                // SAFETY: each row has its place.
                unsafe {
                    radix::sort_short(len, &load_row(row), &store, to, scratch, by.level);
                }
            }
        };
        match tasks {
            0 | 1 => (0..tasks).for_each(|task| sort(&mut Scratch::new(), task)),
            _ => pool::inside(|| {
                (0..tasks).into_par_iter().for_each_init(Scratch::new, sort);
            }),
        }
        return Ok(());
    }
    if rows >= 4 * by.threads {
        let by = By { threads: 1, ..by };
        let memory = || radix::room::<I>(radix::spare::<I>(len, 1));
        let sort = |spare: &mut crate::error::Result<_>, row: usize| {
            let spare: &mut Vec<_> = spare.as_mut().map_err(|full| full.clone())?;
            let to = out.at(row * len);
            // SAFETY: the spare has room for a row, and each row has its place.
            unsafe { radix::sort(len, &load_row(row), &store, to, spare.as_mut_ptr(), by) }
        };
        return pool::inside(|| (0..rows).into_par_iter().try_for_each_init(memory, sort));
    }
    let room = radix::spare::<I>(len, by.threads) * size_of::<I>();
    let spare = spare.bytes(room)?.cast::<I>();
    for row in 0..rows {
        // SAFETY: the spare has room for a row, and each row has its place.
        unsafe { radix::sort(len, &load_row(row), &store, out.at(row * len), spare, by)? };
    }
    Ok(())
}
