//! Frequencies, shifts, and lengths that are fast.

use crate::array::{Axes, DeviceArray, checked_fns, record};
use crate::backend::Device;
use crate::dtype::{DType, Element, Floating, Scalar};
use crate::error::{Error, Result};
use crate::graph::{AxisMap, Node, View, Wrap};
use crate::shape::Shape;
use crate::table::Op;
use std::sync::Arc;

/// Each of the axes read `by(n)` places further on, around its end.
#[track_caller]
fn turned(a: &Arc<Node>, axes: u32, by: impl Fn(usize) -> usize) -> Arc<Node> {
    let map = |(k, &n): (usize, &usize)| match axes >> k & 1 == 1 && n > 1 {
        true => AxisMap::affine(k, by(n) as i64, 1).wrapped(Wrap::Mod(n as i64)),
        false => AxisMap::same(k),
    };
    let view = View(a.shape.iter().enumerate().map(map).collect());
    record::view(a, view, a.shape.clone())
}

/// `0, 1, …, n - 1` less `n` from the middle on, times a factor.
#[track_caller]
fn frequencies<T: Floating>(name: &str, n: usize, d: f64, half: bool) -> Result<DeviceArray<T>> {
    if n == 0 {
        return Err(Error::shape(format!("{name}: there are no frequencies for 0 points")));
    }
    let (len, middle) = if half { (n / 2 + 1, 0) } else { (n, n / 2) };
    let counted = record::iota(0, Shape::from_slice(&[len]), Device::current()?);
    let centred = record::binary(Op::Subtract, &counted, Scalar::new(middle as i64))?;
    let order = record::cast(&turned(&centred, 1, |_| middle), DType::F64);
    let step = Scalar::new(1.0 / (n as f64 * d));
    let scaled = record::binary(Op::Multiply, &order, step)?;
    Ok(DeviceArray::from_node(record::cast(&scaled, T::DTYPE)))
}

checked_fns! {
    /// Moves frequency 0 to the middle of each of the given axes (`..` for all).
    ///
    /// **Shape.** The array's. A view. NumPy: `fft.fftshift`.
    example
    /// ```
    /// use lazuli::{fft, prelude::*};
    /// let a = DeviceArray::from_slice(&[0, 1, 2, -2, -1])?;
    /// assert_eq!(fft::fftshift(&a, ..).to_vec()?, [-2, -1, 0, 1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    fn fftshift | try_fftshift<T: Element>(
        a: &DeviceArray<T>,
        axes: impl Axes,
    ) -> DeviceArray<T> {
        let axes = axes.resolve("fftshift", a.ndim())?.mask;
        Ok(DeviceArray::from_node(turned(a.node(), axes, |n| n - n / 2)))
    }

    /// The inverse of [`fftshift`].
    ///
    /// **Shape.** The array's. A view. NumPy: `fft.ifftshift`.
    example
    /// ```
    /// use lazuli::{fft, prelude::*};
    /// let a = DeviceArray::from_slice(&[-2, -1, 0, 1, 2])?;
    /// assert_eq!(fft::ifftshift(&a, 0).to_vec()?, [0, 1, 2, -2, -1]);
    /// # Ok::<(), Error>(())
    /// ```
    fn ifftshift | try_ifftshift<T: Element>(
        a: &DeviceArray<T>,
        axes: impl Axes,
    ) -> DeviceArray<T> {
        let axes = axes.resolve("ifftshift", a.ndim())?.mask;
        Ok(DeviceArray::from_node(turned(a.node(), axes, |n| n / 2)))
    }

    /// The frequencies of the points of [`fft`](fn@super::fft), for `n` samples `d` apart: 0 and
    /// the positive ones first.
    ///
    /// **Shape.** `[n]`. Generated inside the kernels that use it. NumPy: `fft.fftfreq`.
    example
    /// ```
    /// use lazuli::{fft, prelude::*};
    /// let f: DeviceArray<f64> = fft::fftfreq(4, 0.5);
    /// assert_eq!(f.to_vec()?, [0.0, 0.5, -1.0, -0.5]);
    /// # Ok::<(), Error>(())
    /// ```
    fn fftfreq | try_fftfreq<T: Floating>(n: usize, d: f64) -> DeviceArray<T> {
        frequencies("fftfreq", n, d, false)
    }

    /// The frequencies of the points of [`rfft`](fn@super::rfft), for `n` samples `d` apart.
    ///
    /// **Shape.** `[n / 2 + 1]`. Generated inside the kernels that use it. NumPy: `fft.rfftfreq`.
    example
    /// ```
    /// use lazuli::{fft, prelude::*};
    /// let f: DeviceArray<f64> = fft::rfftfreq(4, 0.5);
    /// assert_eq!(f.to_vec()?, [0.0, 0.5, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn rfftfreq | try_rfftfreq<T: Floating>(n: usize, d: f64) -> DeviceArray<T> {
        frequencies("rfftfreq", n, d, true)
    }
}

/// The smallest length from `n` on that has no prime factor above 7: such lengths are fastest.
///
/// SciPy: `fft.next_fast_len`, which for some transforms takes 11 as a factor too.
///
/// # Example
/// ```
/// use lazuli::fft::next_fast_len;
/// assert_eq!((next_fast_len(0), next_fast_len(97), next_fast_len(1021)), (1, 98, 1024));
/// ```
pub fn next_fast_len(n: usize) -> usize {
    fast_multiple(n, 1)
}

/// The smallest multiple of `of` from `n` on whose quotient has no prime factor above 7.
pub(in crate::ops) fn fast_multiple(n: usize, of: usize) -> usize {
    let least = n.div_ceil(of).max(1);
    // A power of two is at most twice as far.
    let mut best = least.checked_next_power_of_two().unwrap_or(least);
    let mut sevens = 1usize;
    while sevens < best {
        let mut fives = sevens;
        while fives < best {
            let mut threes = fives;
            while threes < best {
                let twos = least.div_ceil(threes).next_power_of_two();
                best = best.min(threes.saturating_mul(twos));
                threes = threes.saturating_mul(3);
            }
            fives = fives.saturating_mul(5);
        }
        sevens = sevens.saturating_mul(7);
    }
    best.saturating_mul(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fast_lengths_by_search() {
        let smooth = |mut n: usize| {
            for p in [2, 3, 5, 7] {
                while n.is_multiple_of(p) {
                    n /= p;
                }
            }
            n == 1
        };
        for n in 0..3000 {
            let want = (n.max(1)..).find(|&m| smooth(m)).unwrap();
            assert_eq!(next_fast_len(n), want);
            let even = (n.max(1)..).find(|&m| m % 2 == 0 && smooth(m / 2)).unwrap();
            assert_eq!(fast_multiple(n, 2), even);
        }
    }
}
