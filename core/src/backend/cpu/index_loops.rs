//! Loops over the numbers of an index, for each instruction set: positions that another array holds
//! go through several of them.

use super::affine::Map;
use super::level::levels;

/// `base + step · k + factor · from[k]`.
#[derive(Clone, Copy)]
pub struct Sum {
    pub base: i64,
    pub step: i64,
    pub factor: i64,
}

levels! {
    /// Applies a function to `n` numbers.
    find_map[](map: Map, tile: *mut i64, n: usize) = map_tile;
}
levels! {
    /// Writes a sum for each of `n` numbers.
    find_sum[](sum: Sum, to: *mut i64, from: *const i64, n: usize) = sum_tile;
}
levels! {
    /// Writes whether each of `n` numbers is not zero.
    find_truth[](to: *mut bool, from: *const i64, n: usize) = truth_tile;
}

/// Applies a function to every number of a tile.
///
/// # Safety
/// The tile has `n` numbers.
#[inline(always)]
unsafe fn map_tile(map: Map, tile: *mut i64, n: usize) {
    // SAFETY: the caller says so.
    let tile = unsafe { std::slice::from_raw_parts_mut(tile, n) };
    match map {
        Map::Div(by) if (by as u64).is_power_of_two() => {
            tile.iter_mut().for_each(|v| *v >>= by.trailing_zeros());
        }
        Map::Mod(by) if (by as u64).is_power_of_two() => {
            tile.iter_mut().for_each(|v| *v &= by - 1);
        }
        // Divisions of 32 bits are several times faster.
        Map::Div(by) if by <= u32::MAX as i64 && fits(tile) => {
            tile.iter_mut().for_each(|v| *v = (*v as u32 / by as u32) as i64);
        }
        Map::Mod(by) if by <= u32::MAX as i64 && fits(tile) => {
            tile.iter_mut().for_each(|v| *v = (*v as u32 % by as u32) as i64);
        }
        Map::Clamp(low, high) => tile.iter_mut().for_each(|v| *v = (*v).max(low).min(high)),
        Map::InRange(low, high) => {
            tile.iter_mut().for_each(|v| *v = i64::from((low <= *v) & (*v < high)));
        }
        _ => tile.iter_mut().for_each(|v| *v = map.of(*v)),
    }
}

/// Whether every number is non-negative and fits into 32 bits.
#[inline(always)]
fn fits(tile: &[i64]) -> bool {
    tile.iter().fold(0u64, |all, &v| all | v as u64) <= u32::MAX as u64
}

/// Writes sums, which wrap: a position that the user made up may be anything, and is refused or
/// masked where it is used.
///
/// # Safety
/// `from` has `n` numbers, and `to` has room for as many; they may be the same.
#[inline(always)]
unsafe fn sum_tile(sum: Sum, to: *mut i64, from: *const i64, n: usize) {
    for k in 0..n {
        let at = sum.base.wrapping_add(sum.step.wrapping_mul(k as i64));
        // SAFETY: the caller says so.
        unsafe { to.add(k).write(at.wrapping_add(sum.factor.wrapping_mul(from.add(k).read()))) };
    }
}

/// Writes truth values.
///
/// # Safety
/// `from` has `n` numbers, and `to` room for as many truth values.
#[inline(always)]
unsafe fn truth_tile(to: *mut bool, from: *const i64, n: usize) {
    for k in 0..n {
        // SAFETY: the caller says so.
        unsafe { to.add(k).write(from.add(k).read() != 0) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::cpu::level::Level;

    #[test]
    fn loops_of_all_levels_compute_the_same() {
        let numbers: Vec<i64> =
            (0..77).map(|k| if k == 70 { i64::MIN } else { k * k * k - 5000 }).collect();
        let maps = [
            Map::Div(8),
            Map::Mod(8),
            Map::Div(7),
            Map::Mod(7),
            Map::Clamp(-3, 900),
            Map::InRange(i64::MIN, 0),
        ];
        for level in Level::available() {
            for map in maps {
                for small in [false, true] {
                    let mut tile = numbers.clone();
                    tile.iter_mut().filter(|_| small).for_each(|v| *v = v.rem_euclid(1000));
                    let want: Vec<i64> = tile.iter().map(|&v| map.of(v)).collect();
                    // SAFETY: the tile has as many numbers.
                    unsafe { find_map(level)(map, tile.as_mut_ptr(), tile.len()) };
                    assert_eq!(tile, want, "{map:?}");
                }
            }
            let (mut sums, mut truths) = (vec![0; 77], vec![false; 77]);
            let sum = Sum { base: 5, step: -2, factor: 3 };
            // SAFETY: all have 77 elements.
            unsafe {
                find_sum(level)(sum, sums.as_mut_ptr(), numbers.as_ptr(), 77);
                find_truth(level)(truths.as_mut_ptr(), sums.as_ptr(), 77);
            }
            for k in 0..77 {
                let want = numbers[k].wrapping_mul(3).wrapping_add(5 - 2 * k as i64);
                assert_eq!((sums[k], truths[k]), (want, want != 0));
            }
        }
    }
}
