//! Filters by their coefficients, whose variable is replaced by a quotient of polynomials.

use crate::error::{Error, Result};

/// A numerator and a denominator, from the highest power down.
type Quotient = (Vec<f64>, Vec<f64>);

/// The product of two polynomials.
pub(super) fn multiplied(a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut product = vec![0.0; (a.len() + b.len()).saturating_sub(1)];
    for (k, a) in a.iter().enumerate() {
        b.iter().enumerate().for_each(|(l, b)| product[k + l] += a * b);
    }
    product
}

/// `c` of `top / bottom`, times `bottom` to the power `degree`, which is at least that of `c`.
fn substituted(c: &[f64], top: &[f64], bottom: &[f64], degree: usize) -> Vec<f64> {
    let width = top.len().max(bottom.len());
    let mut sum = vec![0.0; degree * (width - 1) + 1];
    for (k, &c) in c.iter().rev().enumerate() {
        let mut term = vec![c];
        (0..k).for_each(|_| term = multiplied(&term, top));
        (k..degree).for_each(|_| term = multiplied(&term, bottom));
        let from = sum.len() - term.len();
        term.iter().enumerate().for_each(|(l, x)| sum[from + l] += x);
    }
    sum
}

/// Both parts of a filter with the variable replaced, normalised.
fn replaced(name: &str, (b, a): (&[f64], &[f64]), top: &[f64], bottom: &[f64]) -> Result<Quotient> {
    if b.is_empty() || a.is_empty() {
        return Err(Error::shape(format!(
            "{name}: numerator {b:?} and denominator {a:?}: both need a coefficient"
        )));
    }
    let degree = b.len().max(a.len()) - 1;
    let of = |c: &[f64]| substituted(c, top, bottom, degree);
    normal(name, &of(b), &of(a))
}

/// A filter whose denominator begins with 1, without the zeros with which both began. What is below
/// 1e-14 at the beginning of the numerator counts as 0.
fn normal(name: &str, b: &[f64], a: &[f64]) -> Result<Quotient> {
    let a = &a[a.iter().take_while(|&&a| a == 0.0).count()..];
    let Some(&first) = a.first().filter(|_| !b.is_empty()) else {
        return Err(Error::shape(format!(
            "{name}: numerator {b:?} and denominator {a:?}: the first needs a coefficient, the second \
             one that is not 0"
        )));
    };
    let scaled = |c: &[f64]| -> Vec<f64> { c.iter().map(|c| c / first).collect() };
    let b = scaled(b);
    let leading = b.iter().take_while(|b| b.abs() <= 1e-14).count().min(b.len() - 1);
    Ok((b[leading..].to_vec(), scaled(a)))
}

/// The coefficients of a filter divided by the denominator's first one that is not 0, without zeros at
/// their beginnings.
///
/// Computed on the host. Coefficients below 1e-14 at the beginning of the numerator count as zeros.
/// SciPy: `signal.normalize`.
///
/// # Errors
/// [`Error::is_shape`] for a numerator without coefficients and a denominator of zeros.
///
/// # Example
/// ```
/// use lazuli::signal::normalize;
/// let (b, a) = normalize(&[0.0, 4.0], &[0.0, 2.0, 1.0])?;
/// assert_eq!((b, a), (vec![2.0], vec![1.0, 0.5]));
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn normalize(b: &[f64], a: &[f64]) -> Result<(Vec<f64>, Vec<f64>)> {
    normal("normalize", b, a)
}

/// [`lp2lp_zpk`](super::super::lp2lp_zpk()) of a filter given by its coefficients, from the highest power
/// of `s` down.
///
/// Computed on the host. Zeros, poles and gains are more accurate for high orders. SciPy:
/// `signal.lp2lp`.
///
/// # Errors
/// As [`normalize`].
///
/// # Example
/// ```
/// use lazuli::signal::lp2lp;
/// assert_eq!(lp2lp(&[1.0], &[1.0, 1.0], 5.0)?, (vec![5.0], vec![1.0, 5.0]));
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn lp2lp(b: &[f64], a: &[f64], wo: f64) -> Result<(Vec<f64>, Vec<f64>)> {
    replaced("lp2lp", (b, a), &[1.0, 0.0], &[wo])
}

/// [`lp2hp_zpk`](super::super::lp2hp_zpk()) of a filter given by its coefficients, from the highest power
/// of `s` down.
///
/// Computed on the host. SciPy: `signal.lp2hp`.
///
/// # Errors
/// As [`normalize`].
///
/// # Example
/// ```
/// use lazuli::signal::lp2hp;
/// assert_eq!(lp2hp(&[1.0], &[1.0, 1.0], 5.0)?, (vec![1.0, 0.0], vec![1.0, 5.0]));
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn lp2hp(b: &[f64], a: &[f64], wo: f64) -> Result<(Vec<f64>, Vec<f64>)> {
    replaced("lp2hp", (b, a), &[wo], &[1.0, 0.0])
}

/// [`lp2bp_zpk`](super::super::lp2bp_zpk()) of a filter given by its coefficients, from the highest power
/// of `s` down.
///
/// Computed on the host. SciPy: `signal.lp2bp`.
///
/// # Errors
/// As [`normalize`].
///
/// # Example
/// ```
/// use lazuli::signal::lp2bp;
/// let (b, a) = lp2bp(&[1.0], &[1.0, 1.0], 2.0, 0.5)?;
/// assert_eq!((b, a), (vec![0.5, 0.0], vec![1.0, 0.5, 4.0]));
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn lp2bp(b: &[f64], a: &[f64], wo: f64, bw: f64) -> Result<(Vec<f64>, Vec<f64>)> {
    replaced("lp2bp", (b, a), &[1.0, 0.0, wo * wo], &[bw, 0.0])
}

/// [`lp2bs_zpk`](super::super::lp2bs_zpk()) of a filter given by its coefficients, from the highest power
/// of `s` down.
///
/// Computed on the host. SciPy: `signal.lp2bs`.
///
/// # Errors
/// As [`normalize`].
///
/// # Example
/// ```
/// use lazuli::signal::lp2bs;
/// let (b, a) = lp2bs(&[1.0], &[1.0, 1.0], 2.0, 0.5)?;
/// assert_eq!((b, a), (vec![1.0, 0.0, 4.0], vec![1.0, 0.5, 4.0]));
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn lp2bs(b: &[f64], a: &[f64], wo: f64, bw: f64) -> Result<(Vec<f64>, Vec<f64>)> {
    replaced("lp2bs", (b, a), &[bw, 0.0], &[1.0, 0.0, wo * wo])
}

/// [`bilinear_zpk`](super::super::bilinear_zpk()) of a filter given by its coefficients, from the highest
/// power of `s` down; the result's go from the power 0 of z⁻¹ on.
///
/// Computed on the host. SciPy: `signal.bilinear`.
///
/// # Errors
/// As [`normalize`].
///
/// # Example
/// ```
/// use lazuli::signal::bilinear;
/// assert_eq!(bilinear(&[2.0], &[1.0, 2.0], 1.0)?, (vec![0.5, 0.5], vec![1.0, 0.0]));
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn bilinear(b: &[f64], a: &[f64], fs: f64) -> Result<(Vec<f64>, Vec<f64>)> {
    // Zeros in front would be degrees that the filter has not: common roots at half the sampling rate.
    let leading = |c: &[f64]| c.iter().take_while(|&&c| c == 0.0).count();
    let trimmed = (&b[leading(b).min(b.len().saturating_sub(1))..], &a[leading(a)..]);
    replaced("bilinear", trimmed, &[2.0 * fs, -2.0 * fs], &[1.0, 1.0])
}
