//! Where a mask is true.

use super::radix::Shared;
use crate::backend::pool;
use rayon::prelude::*;

/// A task looks at so many elements.
const PART: usize = 1 << 16;

/// Writes the positions at which `mask` is true; there are `count`.
///
/// # Safety
/// `out` has room for `count` positions.
pub(super) unsafe fn nonzero(mask: &[u8], out: *mut i64, count: usize) {
    let (begins, end) = begins(mask);
    assert!(end == count, "the mask has changed since it was counted");
    let out = Shared(out);
    let ends: Vec<usize> = begins.iter().skip(1).copied().chain([end]).collect();
    let write = |(part, (chunk, begin)): (usize, (&[u8], usize))| {
        // SAFETY: the parts before have as many positions as were counted, and this one its own.
        unsafe { positions(chunk, part * PART, out.at(begin), ends[part] - begin) };
    };
    match mask.len() <= PART {
        true => mask.chunks(PART).zip(begins).enumerate().for_each(write),
        false => pool::inside(|| mask.par_chunks(PART).zip(begins).enumerate().for_each(write)),
    }
}

/// Writes the positions at which a part of a mask is true, of which there are `count`, counted from
/// `first` on. What is written for an element that is not true, the next true one overwrites: a
/// branch would be mispredicted where a mask has no pattern.
///
/// # Safety
/// `out` has room for `count` positions.
unsafe fn positions(part: &[u8], first: usize, out: *mut i64, count: usize) {
    const TOGETHER: usize = 8;
    let (mut at, mut k) = (0, 0);
    // As long as there is room for all of them.
    while at + TOGETHER <= count && k + TOGETHER <= part.len() {
        for j in 0..TOGETHER {
            // SAFETY: `at` rises by one at most for each, and there was room for all.
            unsafe { out.add(at).write((first + k + j) as i64) };
            at += usize::from(part[k + j] != 0);
        }
        k += TOGETHER;
    }
    while at < count {
        // SAFETY: there is room up to `count`, and a position is left to be found.
        unsafe { out.add(at).write((first + k) as i64) };
        at += usize::from(part[k] != 0);
        k += 1;
    }
}

/// Writes how many elements are true up to each.
pub(super) fn ranks(mask: &[u8], out: &mut [i64]) {
    let (begins, _) = begins(mask);
    let write = |((mask, out), begin): ((&[u8], &mut [i64]), usize)| {
        let mut rank = begin as i64;
        for (out, &m) in out.iter_mut().zip(mask) {
            rank += i64::from(m != 0);
            *out = rank;
        }
    };
    if mask.len() <= PART {
        return mask.chunks(PART).zip(out.chunks_mut(PART)).zip(begins).for_each(write);
    }
    pool::inside(|| {
        mask.par_chunks(PART).zip(out.par_chunks_mut(PART)).zip(begins).for_each(write);
    });
}

/// For each part of a mask how many elements before it are true, and how many are in all.
fn begins(mask: &[u8]) -> (Vec<usize>, usize) {
    let count_of = |part: &[u8]| part.iter().map(|&m| usize::from(m != 0)).sum::<usize>();
    let counts: Vec<usize> = match mask.len() <= PART {
        true => mask.chunks(PART).map(count_of).collect(),
        false => pool::inside(|| mask.par_chunks(PART).map(count_of).collect()),
    };
    let mut end = 0;
    let begins = counts.iter().map(|n| {
        end += n;
        end - n
    });
    (begins.collect(), end)
}
