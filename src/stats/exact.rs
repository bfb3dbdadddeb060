//! Distributions of statistics of ranks, computed on the host.

use super::result::{Alternative, TestResult};
use crate::array::DeviceArray;
use crate::dtype::Element;
use crate::error::Result;
use crate::special::device::ndtr;

/// A result that was found on the host, on the device of an array.
pub(super) fn uploaded<T: Element>(
    a: &DeviceArray<T>,
    statistic: f64,
    pvalue: f64,
) -> Result<TestResult<f64>> {
    let one = |value| a.device().scope(|| DeviceArray::from_vec([0usize; 0], vec![value]));
    Ok(TestResult { statistic: one(statistic)?, pvalue: one(pvalue)? })
}

/// A normal statistic's probability.
pub(super) fn normal(z: f64, alternative: Alternative) -> f64 {
    match alternative {
        Alternative::TwoSided => 2.0 * ndtr(-z.abs()),
        Alternative::Less => ndtr(z),
        Alternative::Greater => ndtr(-z),
    }
}

/// Sums over runs of equal neighbours, of what is made of a run's length.
fn over_runs(n: usize, same: impl Fn(usize) -> bool, of: impl Fn(f64) -> f64) -> f64 {
    let (mut total, mut length) = (0.0, 1.0);
    for k in 1..=n {
        if k < n && same(k) {
            length += 1.0;
        } else {
            total += of(length);
            length = 1.0;
        }
    }
    total
}

/// The number of pairs of which the later one is less, by merging; `line` is sorted.
fn inversions(line: &mut Vec<f64>) -> f64 {
    if line.len() < 2 {
        return 0.0;
    }
    let mut right = line.split_off(line.len() / 2);
    let mut count = inversions(line) + inversions(&mut right);
    let (mut merged, mut i) = (Vec::with_capacity(line.len() + right.len()), 0);
    for &value in &right {
        while i < line.len() && line[i] <= value {
            merged.push(line[i]);
            i += 1;
        }
        count += (line.len() - i) as f64;
        merged.push(value);
    }
    merged.extend_from_slice(&line[i..]);
    *line = merged;
    count
}

/// Kendall's τ-b of pairs and its probability (W. R. Knight, 1966).
pub(super) fn kendall(x: &[f64], y: &[f64], alternative: Alternative) -> (f64, f64) {
    let n = x.len();
    if n < 2 || x.iter().chain(y).any(|v| v.is_nan()) {
        return (f64::NAN, f64::NAN);
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| x[i].total_cmp(&x[j]).then(y[i].total_cmp(&y[j])));
    // A negative zero is no less than the other one.
    let plain = |v: &[f64]| order.iter().map(|&i| v[i] + 0.0).collect::<Vec<f64>>();
    let (xs, mut ys) = (plain(x), plain(y));
    let pairs = |t: f64| t * (t - 1.0) / 2.0;
    let same_x = |k: usize| xs[k] == xs[k - 1];
    let x_ties = over_runs(n, same_x, pairs);
    let both = over_runs(n, |k| same_x(k) && ys[k] == ys[k - 1], pairs);
    let cubic = |t: f64| t * (t - 1.0) * (t - 2.0);
    let variance = |t: f64| t * (t - 1.0) * (2.0 * t + 5.0);
    let (x0, x1) = (over_runs(n, same_x, cubic), over_runs(n, same_x, variance));
    let discordant = inversions(&mut ys);
    let same_y = |k: usize| ys[k] == ys[k - 1];
    let y_ties = over_runs(n, same_y, pairs);
    let (y0, y1) = (over_runs(n, same_y, cubic), over_runs(n, same_y, variance));
    let all = pairs(n as f64);
    if x_ties == all || y_ties == all {
        return (f64::NAN, f64::NAN);
    }
    let difference = all - x_ties - y_ties + both - 2.0 * discordant;
    let tau = difference / (all - x_ties).sqrt() / (all - y_ties).sqrt();
    let untied = x_ties == 0.0 && y_ties == 0.0;
    let p = if untied && (n <= 33 || discordant.min(all - discordant) <= 1.0) {
        kendall_exact(n, all - discordant, alternative)
    } else {
        let (n, m) = (n as f64, n as f64 * (n as f64 - 1.0));
        let spread = (m * (2.0 * n + 5.0) - x1 - y1) / 18.0
            + 2.0 * x_ties * y_ties / m
            + x0 * y0 / (9.0 * m * (n - 2.0));
        normal(difference / spread.sqrt(), alternative)
    };
    (tau.clamp(-1.0, 1.0), p)
}

/// The probability of a number of pairs in order, of all permutations. The number of those with `k`
/// pairs out of order is had from the number for one element less (M. Kendall, "Rank correlation
/// methods", 1970).
fn kendall_exact(n: usize, in_order: f64, alternative: Alternative) -> f64 {
    let all = (n * (n - 1) / 2) as f64;
    let right = in_order >= all - in_order;
    let c = in_order.min(all - in_order) as usize;
    // The probabilities of 0 to c pairs out of order.
    let mut counts = vec![0.0; c + 1];
    counts[0] = 1.0;
    for size in 2..=n {
        let mut sum = 0.0;
        let before = counts.clone();
        for k in 0..=c {
            sum += before[k];
            if k >= size {
                sum -= before[k - size];
            }
            counts[k] = sum / size as f64;
        }
    }
    let tail: f64 = counts.iter().sum();
    let p = match alternative {
        Alternative::TwoSided if 2.0 * c as f64 == all => 1.0,
        Alternative::TwoSided => 2.0 * tail,
        one if right == (one == Alternative::Greater) => tail,
        _ => 1.0 - tail + counts[c],
    };
    p.clamp(0.0, 1.0)
}

/// The probability of each value of Mann and Whitney's U for samples of `n` and `m` elements: the sum
/// of `n` of the ranks up to `n + m`, all choices being as likely, less the smallest of these sums.
pub(super) fn mann_whitney(n: usize, m: usize) -> Vec<f64> {
    // Of U = u there are as many ways as partitions of u into at most n parts up to m: the product of
    // (1 - x^(m + k)) / (1 - x^k) over k to n.
    let mut ways = vec![0.0; n * m + 1];
    ways[0] = 1.0;
    for k in 1..=n {
        for u in ((m + k)..ways.len()).rev() {
            ways[u] -= ways[u - m - k];
        }
        for u in k..ways.len() {
            ways[u] += ways[u - k];
        }
        // Kept near 1: the sum after k steps is the binomial coefficient of m + k over k.
        let scale = k as f64 / (m + k) as f64;
        ways.iter_mut().for_each(|w| *w *= scale);
    }
    // Differences have left their errors in the upper half.
    for u in 0..ways.len() / 2 {
        ways[n * m - u] = ways[u];
    }
    ways
}

/// The probability of each sum of the ranks 1 to `n` with random signs that are positive.
pub(super) fn signed_ranks(n: usize) -> Vec<f64> {
    let mut ways = vec![0.0; n * (n + 1) / 2 + 1];
    ways[0] = 1.0;
    for rank in 1..=n {
        for sum in (0..ways.len()).rev() {
            let with = if sum >= rank { ways[sum - rank] } else { 0.0 };
            ways[sum] = 0.5 * (ways[sum] + with);
        }
    }
    ways
}

/// The probabilities of at most each value.
pub(super) fn up_to(probabilities: &[f64]) -> Vec<f64> {
    let sums = probabilities.iter().scan(0.0, |sum, p| {
        *sum += p;
        Some(*sum)
    });
    sums.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distributions_are_symmetric_and_whole() {
        for (n, m) in [(1, 1), (3, 5), (8, 20), (8, 300)] {
            let p = mann_whitney(n, m);
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{n} {m}");
            assert!(p.iter().zip(p.iter().rev()).all(|(a, b)| (a - b).abs() < 1e-12), "{n} {m}");
        }
        assert_eq!(mann_whitney(2, 2), [1.0, 1.0, 2.0, 1.0, 1.0].map(|w: f64| w / 6.0));
        assert_eq!(signed_ranks(2), [0.25; 4]);
        let p = signed_ranks(50);
        assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(inversions(&mut vec![3.0, 1.0, 2.0, 2.0]), 3.0);
    }
}
