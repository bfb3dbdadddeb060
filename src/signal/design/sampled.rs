//! Filters without feedback from samples of their answers.

use crate::dtype::Complex;
use crate::error::{Error, Result};
use crate::signal::window::{Symmetry, Window};
use std::f64::consts::{PI, TAU};

type C = Complex<f64>;

/// Whether a filter's second half mirrors its first one, or is its negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Taps {
    /// It mirrors it. SciPy: `antisymmetric=False`.
    #[default]
    Symmetric,
    /// It is the mirror's negative. SciPy: `antisymmetric=True`.
    Antisymmetric,
}

/// The value at a place of the lines through given points, of which two may lie at one place: there
/// both meet halfway.
fn between(freq: &[f64], gain: &[f64], x: f64) -> f64 {
    let after = freq.partition_point(|&f| f < x);
    match freq.get(after) {
        Some(&f) if f == x && freq.get(after + 1) == Some(&x) => {
            (gain[after] + gain[after + 1]) / 2.0
        }
        Some(&f) if f == x => gain[after],
        Some(&f) if after > 0 => {
            let (low, from) = (freq[after - 1], gain[after - 1]);
            from + (gain[after] - from) / (f - low) * (x - low)
        }
        _ => gain[after.min(gain.len() - 1)],
    }
}

/// Checks the points, and that the filter can have the gains at 0 and at Nyquist's frequency.
fn check(n: usize, freq: &[f64], gain: &[f64], taps: Taps) -> Result<()> {
    let refused = |why: &str| {
        Err(Error::shape(format!(
            "firwin2: {n} coefficients for the gains {gain:?} at {freq:?}: {why}"
        )))
    };
    if n == 0 || freq.len() != gain.len() || freq.len() < 2 {
        return refused(
            "a filter needs a coefficient, and as many gains as frequencies, two at least",
        );
    }
    let (first, last) = (freq[0], freq[freq.len() - 1]);
    let thrice = freq.windows(3).any(|f| f[0] == f[2]);
    let twice_at_end = freq[1] == first || freq[freq.len() - 2] == last;
    if first != 0.0 || last != 1.0 || !freq.is_sorted() || thrice || twice_at_end {
        return refused("frequencies rise from 0 to 1, and only those between may come twice");
    }
    let stops = |gain: f64| gain == 0.0;
    let (at_0, at_1) = (stops(gain[0]), stops(gain[gain.len() - 1]));
    let fits = match (taps, n % 2) {
        (Taps::Symmetric, 1) => true,
        (Taps::Symmetric, _) => at_1,
        (Taps::Antisymmetric, 1) => at_0 && at_1,
        (Taps::Antisymmetric, _) => at_0,
    };
    match fits {
        true => Ok(()),
        false => refused(
            "an even number of symmetric ones is 0 at 1, an even number of antisymmetric ones at 0, \
             an odd number of those at both",
        ),
    }
}

/// A filter of `n` coefficients with linear phase, from gains at frequencies from 0 to 1, half the
/// sampling rate, between which they go straight; a frequency that comes twice is a jump. The answer
/// is sampled at `points` frequencies, by default one more than the next power of 2.
///
/// Computed on the host. SciPy: `signal.firwin2(n, freq, gain, nfreqs=points, window=window,
/// antisymmetric=…)`, whose window is [`Window::Hamming`] by default.
///
/// # Errors
/// [`Error::is_shape`] for frequencies that do not rise from 0 to 1, for gains that such a filter cannot
/// have, and for less points than coefficients.
///
/// # Example
/// ```
/// use lazuli::signal::{Taps, Window, firwin2};
/// let h = firwin2(151, &[0.0, 0.5, 1.0], &[1.0, 1.0, 0.0], Window::Hamming, Taps::Symmetric, None)?;
/// assert!((h[75] - 0.75).abs() < 1e-4 && h[0] == h[150]);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn firwin2(
    n: usize,
    freq: &[f64],
    gain: &[f64],
    window: Window,
    taps: Taps,
    points: Option<usize>,
) -> Result<Vec<f64>> {
    check(n, freq, gain, taps)?;
    let points = points.unwrap_or_else(|| 1 + n.next_power_of_two());
    if points <= n {
        return Err(Error::shape(format!(
            "firwin2: {n} coefficients from {points} points, which must be more"
        )));
    }
    let gaps = (points - 1) as f64;
    let sampled: Vec<f64> = (0..points).map(|k| between(freq, gain, k as f64 / gaps)).collect();
    let middle = (n as f64 - 1.0) / 2.0;
    // The inverse transform of the samples with the middle as its origin. Only half of them are given:
    // those between the ends count twice.
    let at = |i: usize| -> f64 {
        let term = |(k, gain): (usize, &f64)| {
            let angle = PI * k as f64 * (i as f64 - middle) / gaps;
            let twice = if k == 0 || k == points - 1 { 1.0 } else { 2.0 };
            match taps {
                Taps::Symmetric => twice * gain * angle.cos(),
                Taps::Antisymmetric => -twice * gain * angle.sin(),
            }
        };
        sampled.iter().enumerate().map(term).sum::<f64>() / (2.0 * gaps)
    };
    let weights = window.values(n, Symmetry::Symmetric);
    // The second half is the first one's mirror, also in rounding.
    let mut h: Vec<f64> =
        (0..n).map(|i| if 2 * i < n { weights[i] * at(i) } else { 0.0 }).collect();
    for i in 0..n / 2 {
        h[n - 1 - i] = if taps == Taps::Symmetric { h[i] } else { -h[i] };
    }
    if taps == Taps::Antisymmetric && n % 2 == 1 {
        h[n / 2] = 0.0;
    }
    Ok(h)
}

/// The Fourier transform of a power of 2 of points, in place; `sign` is 1 for the inverse one, which is
/// not divided by their number. By C. Gentleman and G. Sande's halving.
fn fourier(x: &mut [C], sign: f64) {
    let n = x.len();
    if n < 2 {
        return;
    }
    let half = n / 2;
    for k in 0..half {
        let (a, b) = (x[k], x[k + half]);
        let turn = C::from_polar(1.0, sign * TAU * k as f64 / n as f64);
        (x[k], x[k + half]) = (a + b, (a - b) * turn);
    }
    let (even, odd) = x.split_at_mut(half);
    fourier(even, sign);
    fourier(odd, sign);
    let joined: Vec<C> = even.iter().zip(&*odd).flat_map(|(a, b)| [*a, *b]).collect();
    x.copy_from_slice(&joined);
}

/// What of a filter [`minimum_phase`] keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Kept {
    /// The square root of its gains, in half as many coefficients: of a filter with linear phase, which
    /// goes twice over what is left. SciPy: `half=True`.
    #[default]
    Half,
    /// Its gains, in as many coefficients. SciPy: `half=False`.
    Whole,
}

/// The filter of least delay with a filter's gains, or with their square roots, by the homomorphic
/// method of A. V. Oppenheim and R. W. Schafer (Discrete-Time Signal Processing): its logarithm's
/// transform is folded onto positive times. It is computed with `points` points, raised to a power of
/// 2, by default 200 times the coefficients.
///
/// Computed on the host. SciPy: `signal.minimum_phase(h, "homomorphic", n_fft=points, half=…)`.
///
/// # Errors
/// [`Error::is_shape`] for less than three coefficients, for zeros alone, and for less points than
/// coefficients.
///
/// # Example
/// ```
/// use lazuli::signal::{Band, Kept, Window, firwin, minimum_phase};
/// let h = firwin(21, Band::Low(0.3), Window::Hamming)?;
/// let h = minimum_phase(&h, Kept::Half, None)?;
/// assert_eq!(h.len(), 11);
/// assert!((h.iter().sum::<f64>() - 1.0).abs() < 1e-2);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn minimum_phase(h: &[f64], kept: Kept, points: Option<usize>) -> Result<Vec<f64>> {
    let n = h.len();
    let points = points.unwrap_or(200 * n.saturating_sub(1));
    let points = points.checked_next_power_of_two().unwrap_or(0);
    if n < 3 || points < n || h.iter().all(|&h| h == 0.0) {
        return Err(Error::shape(format!(
            "minimum_phase: {n} coefficients and {points} points: there must be three coefficients, one \
             that is not 0, and as many points"
        )));
    }
    let mut x: Vec<C> = h.iter().map(|&h| C::new(h, 0.0)).collect();
    x.resize(points, C::new(0.0, 0.0));
    fourier(&mut x, -1.0);
    // A zero has no logarithm: it is made as small as nothing else is.
    let size = |x: &C| x.norm();
    let least = x.iter().map(size).filter(|&x| x > 0.0).fold(f64::INFINITY, f64::min);
    let power = if kept == Kept::Half { 0.5 } else { 1.0 };
    x.iter_mut().for_each(|x| *x = C::new(power * (size(x) + 1e-7 * least).ln(), 0.0));
    fourier(&mut x, 1.0);
    for (k, x) in x.iter_mut().enumerate() {
        let weight = match k {
            0 => 1.0,
            k if 2 * k < points => 2.0,
            _ => 0.0,
        };
        *x = C::new(x.re * weight / points as f64, 0.0);
    }
    fourier(&mut x, -1.0);
    x.iter_mut().for_each(|x| *x = x.exp());
    fourier(&mut x, 1.0);
    let length = if kept == Kept::Half { n.div_ceil(2) } else { n };
    Ok(x[..length].iter().map(|x| x.re / points as f64).collect())
}
