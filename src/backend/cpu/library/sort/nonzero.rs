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
        let mut at = begin;
        for (k, &m) in chunk.iter().enumerate() {
            if at == ends[part] {
                break;
            }
            // What is written for an element that is not true, the next true one overwrites: a
            // branch would be mispredicted where a mask has no pattern.
            // SAFETY: the part has positions up to its end, and `at` is before that.
            unsafe { out.at(at).write((part * PART + k) as i64) };
            at += usize::from(m != 0);
        }
    };
    match mask.len() <= PART {
        true => mask.chunks(PART).zip(begins).enumerate().for_each(write),
        false => pool::inside(|| mask.par_chunks(PART).zip(begins).enumerate().for_each(write)),
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
