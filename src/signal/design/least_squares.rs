//! Filters without feedback whose answer is nearest to a wanted one.

use crate::error::{Error, Result};
use std::f64::consts::PI;

/// A band of a [`firls`] filter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Desired {
    /// The edges, as fractions of Nyquist's frequency.
    pub edges: [f64; 2],
    /// The wanted gains at the edges, between which they go straight.
    pub gains: [f64; 2],
    /// How much an error in this band counts.
    pub weight: f64,
}

/// `sin(πx) / (πx)`.
fn sinc(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { (PI * x).sin() / (PI * x) }
}

/// The integral of `cos(πnf)` over a band.
fn cosines([low, high]: [f64; 2], n: f64) -> f64 {
    high * sinc(n * high) - low * sinc(n * low)
}

/// The integral of the wanted gain times `cos(πnf)` over a band, by parts.
fn gains(band: &Desired, n: f64) -> f64 {
    let ([low, high], [from, to]) = (band.edges, band.gains);
    let slope = (to - from) / (high - low);
    let at = |f: f64| match n == 0.0 {
        true => (from - slope * low) * f + slope * f * f / 2.0,
        false => {
            let gain = from + slope * (f - low);
            f * gain * sinc(n * f) + slope * (PI * n * f).cos() / (PI * n).powi(2)
        }
    };
    at(high) - at(low)
}

/// The solution of a system with a symmetric matrix without negative eigenvalues, by Cholesky's
/// factorisation; `None` where a pivot is not positive.
fn solved(mut a: Vec<Vec<f64>>, mut x: Vec<f64>) -> Option<Vec<f64>> {
    let n = x.len();
    for k in 0..n {
        for l in 0..=k {
            let dot: f64 = (0..l).map(|j| a[k][j] * a[l][j]).sum();
            let left = a[k][l] - dot;
            a[k][l] = match l == k {
                true if left > 0.0 => left.sqrt(),
                true => return None,
                false => left / a[l][l],
            };
        }
        let dot: f64 = (0..k).map(|j| a[k][j] * x[j]).sum();
        x[k] = (x[k] - dot) / a[k][k];
    }
    for k in (0..n).rev() {
        let dot: f64 = (k + 1..n).map(|j| a[j][k] * x[j]).sum();
        x[k] = (x[k] - dot) / a[k][k];
    }
    Some(x)
}

/// A filter of an odd number of coefficients with linear phase, the squares of whose errors are least
/// over given bands: what is between them is left open.
///
/// Computed on the host. SciPy: `signal.firls(n, bands, desired, weight=weight)`.
///
/// # Errors
/// [`Error::is_shape`] for an even number of coefficients, without bands, for edges that do not rise or
/// do not lie from 0 to 1, and for weights that are not positive; [`Error::is_numeric`] where the bands
/// say too little of the filter.
///
/// # Example
/// ```
/// use lazuli::signal::{Desired, firls};
/// let pass = Desired { edges: [0.0, 0.3], gains: [1.0, 1.0], weight: 1.0 };
/// let stop = Desired { edges: [0.5, 1.0], gains: [0.0, 0.0], weight: 10.0 };
/// let h = firls(21, &[pass, stop])?;
/// assert!((h.iter().sum::<f64>() - 1.0).abs() < 0.02 && h[0] == h[20]);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn firls(n: usize, bands: &[Desired]) -> Result<Vec<f64>> {
    let edges: Vec<f64> = bands.iter().flat_map(|band| band.edges).collect();
    let rising = bands.iter().all(|band| band.edges[0] < band.edges[1]) && edges.is_sorted();
    let inside = edges.iter().all(|f| (0.0..=1.0).contains(f));
    let weighted = bands.iter().all(|band| band.weight > 0.0 && band.weight.is_finite());
    if n % 2 == 0 || bands.is_empty() || !rising || !inside || !weighted {
        return Err(Error::shape(format!(
            "firls: {n} coefficients for the bands {bands:?}: their number must be odd, edges rise from \
             0 to 1, which is half the sampling rate, and weights be positive"
        )));
    }
    let half = n / 2;
    let moment = |k: usize| -> f64 {
        bands.iter().map(|band| band.weight * cosines(band.edges, k as f64)).sum()
    };
    // Integrals of products of two cosines are those of their sums and differences.
    let moments: Vec<f64> = (0..n).map(moment).collect();
    let row = |k: usize| (0..=half).map(|l| moments[k.abs_diff(l)] + moments[k + l]).collect();
    let wanted =
        |k: usize| -> f64 { bands.iter().map(|band| band.weight * gains(band, k as f64)).sum() };
    let cosine = solved((0..=half).map(row).collect(), (0..=half).map(wanted).collect());
    let cosine = cosine.ok_or_else(|| {
        Error::numeric(format!("firls: {n} coefficients are not determined by the bands {bands:?}"))
    })?;
    Ok((0..n).map(|k| cosine[k.abs_diff(half)] * if k == half { 2.0 } else { 1.0 }).collect())
}
