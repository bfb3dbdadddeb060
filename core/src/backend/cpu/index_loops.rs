//! Loops over the numbers of an index, for each instruction set: positions that another array holds
//! go through several of them.

use super::affine::Map;
use lazuli_inner_loops::level::levels;

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
        // The processor divides no vectors of integers, and one integer in tens of cycles.
        Map::Div(by) if all_fit(&[by]) && all_fit(tile) => {
            tile.iter_mut().for_each(|v| *v = quotient(*v, 1.0 / by as f64));
        }
        Map::Mod(by) if all_fit(&[by]) && all_fit(tile) => {
            tile.iter_mut().for_each(|v| *v -= quotient(*v, 1.0 / by as f64) * by);
        }
        Map::Clamp(low, high) => tile.iter_mut().for_each(|v| *v = (*v).max(low).min(high)),
        Map::InRange(low, high) => {
            tile.iter_mut().for_each(|v| *v = i64::from((low <= *v) & (*v < high)));
        }
        _ => tile.iter_mut().for_each(|v| *v = map.of(*v)),
    }
}

/// Whether numbers are not negative, and small enough for [`quotient`].
#[inline(always)]
fn all_fit(numbers: &[i64]) -> bool {
    numbers.iter().fold(0u64, |all, &v| all | v as u64) <= i32::MAX as u64
}

/// The quotient of two numbers that fit, by the reciprocal of the second. Half a unit more than the first
/// number lies a relative 2⁻³² or more away from where quotients change, and is multiplied to within 2⁻⁵¹.
#[inline(always)]
fn quotient(v: i64, reciprocal: f64) -> i64 {
    let quotient = (f64::from(v as i32) + 0.5) * reciprocal;
    // SAFETY: the quotient is no larger than the number, which fits.
    i64::from(unsafe { quotient.to_int_unchecked::<i32>() })
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
    use lazuli_inner_loops::level::Level;

    /// Quotients by reciprocals are right beside every multiple, up to the largest numbers.
    #[test]
    fn quotients_are_exact() {
        let most = i64::from(i32::MAX);
        let near = |at: i64| (at - 2..=at + 2).filter(|v| (0..=most).contains(v));
        let divisors = near(2).chain(near(1 << 15)).chain(near(46_341)).chain(near(most));
        for by in divisors.filter(|&by| by > 0) {
            let times = [0, 1, 2, 3, 1000, most / by / 2, most / by - 1, most / by];
            for v in times.into_iter().flat_map(|times| near(times * by)) {
                assert_eq!(quotient(v, 1.0 / by as f64), v / by, "{v} by {by}");
            }
        }
    }

    #[test]
    fn loops_of_all_levels_compute_the_same() {
        let numbers: Vec<i64> =
            (0..77).map(|k| if k == 70 { i64::MIN } else { k * k * k - 5000 }).collect();
        let maps = [
            Map::Div(8),
            Map::Mod(8),
            Map::Div(7),
            Map::Mod(7),
            Map::Div(1),
            Map::Mod(3),
            Map::Div(i32::MAX as i64),
            Map::Mod(i32::MAX as i64 - 1),
            Map::Div(1 << 33),
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
