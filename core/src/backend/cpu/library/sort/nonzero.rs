//! The positions at which a mask is true.

use super::shared::Shared;
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

/// A mask is looked at in blocks of so many elements.
const BLOCK: usize = 32;
/// The elements of a block that are looked at together.
const WORD: usize = size_of::<u64>();

/// The lowest bit of each byte: a word of elements that are all true, as comparisons give them.
const LOW: u64 = u64::MAX / 255;

/// Writes the positions at which a part of a mask is true, of which there are `count`, counted from
/// `first` on. Blocks without any are passed over, and of those that are true as a whole the positions
/// are counted: masks are often sparse, or dense. What is written for an
/// element of another block that is not true, the next true one overwrites: a branch would be
/// mispredicted where a mask has no pattern.
///
/// # Safety
/// `out` has room for `count` positions.
unsafe fn positions(part: &[u8], first: usize, out: *mut i64, count: usize) {
    let (blocks, rest) = part.as_chunks::<BLOCK>();
    let (mut at, mut k) = (0, first);
    for block in blocks {
        let (words, _) = block.as_chunks::<WORD>();
        let any = words.iter().fold(0, |any, &word| any | u64::from_ne_bytes(word));
        let all = words.iter().all(|&word| u64::from_ne_bytes(word) == LOW);
        if all {
            // SAFETY: there is room for each position that is found.
            (0..BLOCK).for_each(|j| unsafe { out.add(at + j).write((k + j) as i64) });
            at += BLOCK;
        } else if any != 0 && at + BLOCK <= count {
            for (w, word) in words.iter().enumerate() {
                for j in 0..WORD {
                    // SAFETY: `at` rises by one at most for each, and there was room for all.
                    unsafe { out.add(at).write((k + WORD * w + j) as i64) };
                    at += usize::from(word[j] != 0);
                }
            }
        } else if any != 0 {
            // SAFETY: there is room for each position that is found.
            at += unsafe { few_positions(block, k, out.add(at)) };
        }
        k += BLOCK;
    }
    // SAFETY: as above.
    unsafe { few_positions(rest, k, out.add(at)) };
}

/// The same where there is room for what is found alone; gives how many are found.
///
/// # Safety
/// `out` has room for a position for each true element.
unsafe fn few_positions(part: &[u8], first: usize, out: *mut i64) -> usize {
    let mut at = 0;
    for (place, &m) in (first as i64..).zip(part) {
        if m != 0 {
            // SAFETY: there is room for each position that is found.
            unsafe { out.add(at).write(place) };
            at += 1;
        }
    }
    at
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

/// How many elements of a part are true. The bytes of a word count side by side, as many turns as a
/// byte can: one by one each would have to be widened.
fn count_of(part: &[u8]) -> usize {
    const TURNS: usize = 255;
    let (words, rest) = part.as_chunks::<WORD>();
    let mut count = rest.iter().filter(|&&m| m != 0).count();
    for words in words.chunks(TURNS) {
        let mut bytes = 0;
        for &word in words {
            let word = u64::from_ne_bytes(word);
            // The highest bit of a byte is set by a carry, or was; no carry leaves its byte.
            bytes += (((word & (127 * LOW)) + 127 * LOW) | word) >> 7 & LOW;
        }
        count += bytes.to_ne_bytes().iter().map(|&n| usize::from(n)).sum::<usize>();
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Masks of all densities, with lengths around those of blocks, turns and parts.
    #[test]
    fn every_true_element_is_found() {
        for len in [0, 1, 7, 31, 32, 33, 100, 255 * WORD + 5, PART, 2 * PART + 77] {
            for every in [1, 2, 3, 37, 1000, usize::MAX, 0] {
                // Any byte but 0 is true, and most are 1. Every 0: dense, with gaps.
                let is_true = |k: usize| match every {
                    0 => k % 300 > 5,
                    _ => (k * 7919 + 13) % every == 0,
                };
                let byte = |k: usize| if k % 1000 < 500 { 1 } else { k as u8 | 1 };
                let mask: Vec<u8> =
                    (0..len).map(|k| if is_true(k) { byte(k) } else { 0 }).collect();
                let expected: Vec<i64> =
                    (0..len).filter(|&k| mask[k] != 0).map(|k| k as i64).collect();
                // Positions beyond those that were counted would overwrite the mark.
                let mut found = vec![-1; expected.len() + 1];
                // SAFETY: there is room for all positions.
                unsafe { nonzero(&mask, found.as_mut_ptr(), expected.len()) };
                assert_eq!(found.pop(), Some(-1));
                assert_eq!(found, expected, "{len} elements, every {every}");
            }
        }
    }
}
