//! The sort of so few items that they stay in the cache, by one thread.
//!
//! The items are moved to where their topmost bits put them. Few stay out of order then, all of
//! them near to their places, and these are brought there by comparisons. Where the keys are
//! spread evenly one pass is enough; else there are two, the less significant digit first.

use super::word::Item;
use crate::backend::cpu::room::filled_or_raise;
use lazuli_inner_loops::level::{Level, levels};

/// Fewer items are sorted by comparisons.
const COMPARED: usize = 128;
/// The most bits of one pass.
const ONE: u32 = 14;
/// So many items of one digit are put in order by exchanging neighbours so many times.
const NEAR: u32 = 16;
/// In two passes, so many bits more are sorted by than tell the items from each other.
const MORE: u32 = 4;
/// The most bits of each of two passes.
const TWO: u32 = 11;
/// An item moves at most so far by insertion.
const FAR: usize = 16;
/// Longer runs that share all bits sorted by are sorted as all is.
const RUN: usize = 512;

/// Memory of a thread.
pub(super) struct Scratch<I> {
    first: Vec<I>,
    second: Vec<I>,
    counts: Vec<u32>,
}

impl<I: Item> Scratch<I> {
    pub(super) fn new() -> Self {
        Scratch { first: Vec::new(), second: Vec::new(), counts: Vec::new() }
    }

    /// Memory for so many items that are to be sorted.
    pub(super) fn room(&mut self, len: usize) -> &mut [I] {
        if self.first.len() < len {
            let len = len.next_power_of_two();
            self.first = filled_or_raise("sort", len, I::default());
            self.second = filled_or_raise("sort", len, I::default());
        }
        &mut self.first[..len]
    }

    /// Sorts the items that are in the [`room`](Self::room); none has a key below `base`.
    pub(super) fn sort(&mut self, len: usize, base: u64, level: Level) -> &[I] {
        let (first, second) = (&mut self.first[..len], &mut self.second[..len]);
        let mut work = Work { first, second, base, counts: &mut self.counts, swapped: false };
        // SAFETY: this processor has the level, and the pointer is that of a `Work`.
        unsafe { sort_at::<I>(level)((&raw mut work).cast()) };
        if work.swapped { work.second } else { work.first }
    }
}

/// What a sort works on.
struct Work<'a, I> {
    first: &'a mut [I],
    second: &'a mut [I],
    base: u64,
    counts: &'a mut Vec<u32>,
    /// Whether the result is in the second memory.
    swapped: bool,
}

levels! {
    /// Does the [`Work`] at an address.
    sort_at[I: Item](work: *mut u8) = sort_work::<I>;
}

/// # Safety
/// It is the address of a `Work<I>`.
#[inline(always)]
unsafe fn sort_work<I: Item>(work: *mut u8) {
    // SAFETY: the caller says so.
    let work = unsafe { &mut *work.cast::<Work<I>>() };
    work.swapped = sort(work.first, work.second, work.base, work.counts);
}

/// A digit of the keys.
#[derive(Clone, Copy)]
struct Digit {
    base: u64,
    shift: u32,
    bits: u32,
}

impl Digit {
    #[inline(always)]
    fn of<I: Item>(self, item: I) -> usize {
        (item.key().wrapping_sub(self.base) >> self.shift) as usize & ((1 << self.bits) - 1)
    }
}

/// Sorts items; whether the result is in the other memory.
#[inline(always)]
fn sort<I: Item>(items: &mut [I], other: &mut [I], base: u64, counts: &mut Vec<u32>) -> bool {
    // Counts are 32-bit numbers.
    if items.len() < COMPARED || u32::try_from(items.len()).is_err() {
        items.sort_unstable();
        return false;
    }
    let varying = varying(items, base);
    if varying == 0 {
        return false;
    }
    let (low, high) = (varying.trailing_zeros(), 64 - varying.leading_zeros());
    let (span, log) = (high - low, items.len().ilog2());
    let bits = span.min(log - 1);
    if bits <= ONE {
        let digit = Digit { base, shift: high - bits, bits };
        let places = room(counts, 1 << bits);
        count(items, digit, places);
        let most = places.iter().fold(0, |most, &n| most.max(n));
        if bits == span || most <= NEAR {
            begin(places);
            // SAFETY: the places are those of the items' digits.
            unsafe { pass(items, other, digit, places) };
            if bits < span {
                (0..most as usize).for_each(|k| exchange(&mut other[k & 1..]));
            }
            return true;
        }
    }
    let bits = span.min(log + MORE).div_ceil(2).min(TWO);
    let cut = high.saturating_sub(2 * bits).max(low);
    let digits = [cut, cut + bits].map(|shift| Digit { base, shift, bits });
    let swapped = two(items, other, digits, room(counts, 2 << bits));
    if cut > low {
        match swapped {
            true => tidy(other, items, digits[0], counts),
            false => tidy(items, other, digits[0], counts),
        }
    }
    swapped
}

/// Moves items to where two digits put them, but for digits that all of them share; whether the
/// result is in the other memory.
#[inline(always)]
fn two<I: Item>(items: &mut [I], other: &mut [I], digits: [Digit; 2], places: &mut [u32]) -> bool {
    let [low, high] = digits;
    let (lows, highs) = places.split_at_mut(1 << low.bits);
    lows.fill(0);
    highs.fill(0);
    for &item in &*items {
        // SAFETY: there is a counter for each digit.
        unsafe {
            *lows.get_unchecked_mut(low.of(item)) += 1;
            *highs.get_unchecked_mut(high.of(item)) += 1;
        }
    }
    let differ = |counts: &[u32], digit: Digit| (counts[digit.of(items[0])] as usize) < items.len();
    let passes = (differ(lows, low), differ(highs, high));
    begin(lows);
    begin(highs);
    // SAFETY: the places are those of the items' digits.
    unsafe {
        match passes {
            (true, true) => {
                pass(items, other, low, lows);
                pass(other, items, high, highs);
            }
            (true, false) => pass(items, other, low, lows),
            (false, true) => pass(items, other, high, highs),
            (false, false) => {}
        }
    }
    passes.0 != passes.1
}

/// The bits in which some of the keys differ.
#[inline(always)]
fn varying<I: Item>(items: &[I], base: u64) -> u64 {
    let (mut and, mut or) = (u64::MAX, 0);
    for item in items {
        let key = item.key().wrapping_sub(base);
        (and, or) = (and & key, or | key);
    }
    and ^ or
}

/// So many counters.
#[inline(always)]
fn room(counts: &mut Vec<u32>, len: usize) -> &mut [u32] {
    if counts.len() < len {
        counts.resize(len, 0);
    }
    &mut counts[..len]
}

/// Counts how often each digit comes.
#[inline(always)]
fn count<I: Item>(items: &[I], digit: Digit, counts: &mut [u32]) {
    assert!(counts.len() == 1 << digit.bits);
    counts.fill(0);
    for &item in items {
        // SAFETY: there is a counter for each digit.
        unsafe { *counts.get_unchecked_mut(digit.of(item)) += 1 };
    }
}

/// Turns counts into the places where the items of each digit begin.
#[inline(always)]
fn begin(counts: &mut [u32]) {
    let mut sum = 0;
    counts.iter_mut().for_each(|n| sum += std::mem::replace(n, sum));
}

/// Moves items to where a digit puts them.
///
/// # Safety
/// The places are where the items of each digit begin.
#[inline(always)]
unsafe fn pass<I: Item>(from: &[I], to: &mut [I], digit: Digit, places: &mut [u32]) {
    for &item in from {
        // SAFETY: there is a place for each digit, and the items of one have room there.
        unsafe {
            let place = places.get_unchecked_mut(digit.of(item));
            *to.get_unchecked_mut(*place as usize) = item;
            *place += 1;
        }
    }
}

/// Puts each two neighbours in order. After as many rounds, begun in turn at the first item and
/// at the second, as there are items out of order next to each other, all are in order.
#[inline(always)]
fn exchange<I: Item>(items: &mut [I]) {
    for pair in items.as_chunks_mut::<2>().0 {
        let [a, b] = *pair;
        let less = b.key() < a.key();
        *pair = [if less { b } else { a }, if less { a } else { b }];
    }
}

/// Puts items in order that differ only below a digit from those that they stand among.
#[inline(always)]
fn tidy<I: Item>(items: &mut [I], other: &mut [I], digit: Digit, counts: &mut Vec<u32>) {
    const BLOCK: usize = 64;
    let (len, mut k) = (items.len(), 1);
    while k < len {
        let end = len.min(k + BLOCK);
        let pairs = items[k - 1..end - 1].iter().zip(&items[k..end]);
        if !pairs.fold(false, |any, (a, b)| any | (b.key() < a.key())) {
            k = end;
            continue;
        }
        while k < end {
            let (item, mut at) = (items[k], k);
            while at > 0 && item.key() < items[at - 1].key() && k - at < FAR {
                items[at] = items[at - 1];
                at -= 1;
            }
            items[at] = item;
            k += 1;
            if k - at > FAR {
                k = run(items, other, at, digit, counts);
            }
        }
    }
}

/// Sorts the run of equal topmost bits in which an item stands; where it ends.
#[cold]
#[inline(never)]
fn run<I: Item>(
    items: &mut [I],
    other: &mut [I],
    at: usize,
    digit: Digit,
    counts: &mut Vec<u32>,
) -> usize {
    let top = |item: &I| item.key().wrapping_sub(digit.base) >> digit.shift;
    let this = top(&items[at]);
    let begin = items[..at].iter().rposition(|i| top(i) != this).map_or(0, |k| k + 1);
    let end = items[at..].iter().position(|i| top(i) != this).map_or(items.len(), |k| at + k);
    let (items, other) = (&mut items[begin..end], &mut other[begin..end]);
    if items.len() < RUN {
        items.sort_unstable();
    } else if sort(items, other, digit.base, counts) {
        items.copy_from_slice(other);
    }
    end
}
