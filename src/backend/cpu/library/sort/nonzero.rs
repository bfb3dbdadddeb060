//! Where a mask is true.

use super::radix::Shared;
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
    mask.par_chunks(PART).zip(begins).enumerate().for_each(|(part, (chunk, begin))| {
        let mut at = begin;
        for (k, _) in chunk.iter().enumerate().filter(|(_, m)| **m != 0) {
            // SAFETY: the parts before have as many positions as were counted.
            unsafe { out.at(at).write((part * PART + k) as i64) };
            at += 1;
        }
    });
}

/// Writes how many elements are true up to each.
pub(super) fn ranks(mask: &[u8], out: &mut [i64]) {
    let (begins, _) = begins(mask);
    let parts = mask.par_chunks(PART).zip(out.par_chunks_mut(PART));
    parts.zip(begins).for_each(|((mask, out), begin)| {
        let mut rank = begin as i64;
        for (out, &m) in out.iter_mut().zip(mask) {
            rank += i64::from(m != 0);
            *out = rank;
        }
    });
}

/// For each part of a mask how many elements before it are true, and how many are in all.
fn begins(mask: &[u8]) -> (Vec<usize>, usize) {
    let count_of = |part: &[u8]| part.iter().map(|&m| usize::from(m != 0)).sum::<usize>();
    let counts: Vec<usize> = mask.par_chunks(PART).map(count_of).collect();
    let mut end = 0;
    let begins = counts.iter().map(|n| {
        end += n;
        end - n
    });
    (begins.collect(), end)
}
