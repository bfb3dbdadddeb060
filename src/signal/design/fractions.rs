//! Partial fractions of quotients of polynomials, and polynomials of partial fractions.
//!
//! At a pole of multiplicity `m` the quotient without it is expanded into a series, whose first `m`
//! coefficients are the residues.

use super::roots::roots;
use crate::dtype::Complex;
use crate::error::{Error, Result};

type C = Complex<f64>;

/// Residues, the poles that they belong to, and the polynomial that is left.
type Fractions = (Vec<C>, Vec<C>, Vec<f64>);

/// Which of several roots that lie close together [`unique_roots`] gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Of {
    /// Their mean. SciPy: `"avg"`.
    #[default]
    Mean,
    /// The one with the largest real part, of several the one with the largest imaginary part. SciPy:
    /// `"max"`.
    Largest,
    /// The one with the least real part, of several the one with the least imaginary part. SciPy:
    /// `"min"`.
    Least,
}

/// Roots without those that lie within a tolerance of an earlier one, and how many each stands for.
///
/// Computed on the host. SciPy: `signal.unique_roots`, whose tolerance is 1e-3 by default.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::signal::{Of, unique_roots};
/// let roots = [1.0, 3.0, 1.0002].map(|x| Complex::new(x, 0.0));
/// let (unique, counts) = unique_roots(&roots, 1e-3, Of::Largest);
/// assert_eq!((unique[0].re, unique[1].re), (1.0002, 3.0));
/// assert_eq!(counts, [2, 1]);
/// ```
pub fn unique_roots(roots: &[C], tolerance: f64, of: Of) -> (Vec<C>, Vec<usize>) {
    let mut open = roots.to_vec();
    let (mut unique, mut counts) = (Vec::new(), Vec::new());
    while let Some(&first) = open.first() {
        let near = |x: &C| x == &first || (x - first).norm() <= tolerance;
        let (mut group, rest): (Vec<C>, Vec<C>) = open[1..].iter().partition(|x| near(x));
        group.insert(0, first);
        counts.push(group.len());
        unique.push(one_of(&group, of));
        open = rest;
    }
    (unique, counts)
}

/// The one that stands for a group, which is not empty.
fn one_of(group: &[C], of: Of) -> C {
    let order = |x: &C, y: &C| x.re.total_cmp(&y.re).then(x.im.total_cmp(&y.im));
    let chosen = match of {
        Of::Mean => None,
        Of::Largest => group.iter().copied().max_by(order),
        Of::Least => group.iter().copied().min_by(order),
    };
    chosen.unwrap_or_else(|| group.iter().sum::<C>() / group.len() as f64)
}

/// Poles and how often each comes.
type Poles = (Vec<C>, Vec<usize>);

/// The coefficients from the power 0 on of a polynomial about a place; it is given from its highest
/// power down. By repeated division.
fn about(c: &[f64], place: C) -> Vec<C> {
    let mut left: Vec<C> = c.iter().map(|&c| C::new(c, 0.0)).collect();
    let mut found = Vec::with_capacity(c.len());
    while !left.is_empty() {
        (1..left.len()).for_each(|k| left[k] = left[k] + left[k - 1] * place);
        found.extend(left.pop());
    }
    found
}

/// The residues of a polynomial over `Π (x - p)^m`, for each pole those of its powers from 1 on.
fn residues(numerator: &[f64], (poles, counts): &Poles) -> Vec<C> {
    let mut found = Vec::new();
    for (k, (&pole, &count)) in poles.iter().zip(counts).enumerate() {
        let mut top = about(numerator, pole);
        top.resize(top.len().max(count), C::new(0.0, 0.0));
        // The other factors about the pole, as far as they matter.
        let mut bottom = vec![C::new(0.0, 0.0); count];
        bottom[0] = C::new(1.0, 0.0);
        for l in (0..poles.len()).filter(|&l| l != k) {
            let distance = pole - poles[l];
            for _ in 0..counts[l] {
                for j in (0..count).rev() {
                    let lower = if j == 0 { C::new(0.0, 0.0) } else { bottom[j - 1] };
                    bottom[j] = bottom[j] * distance + lower;
                }
            }
        }
        let mut series: Vec<C> = Vec::with_capacity(count);
        for j in 0..count {
            let known: C = (0..j).map(|l| series[l] * bottom[j - l]).sum();
            series.push((top[j] - known) / bottom[0]);
        }
        found.extend(series.iter().rev());
    }
    found
}

/// The quotient and the remainder of two polynomials, from the highest power down; the divisor does not
/// begin with 0.
fn divided(b: &[f64], a: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let mut left = b.to_vec();
    let steps = (b.len() + 1).saturating_sub(a.len());
    for k in 0..steps {
        let factor = left[k] / a[0];
        left[k] = factor;
        a[1..].iter().enumerate().for_each(|(l, a)| left[k + 1 + l] -= factor * a);
    }
    let rest = left.split_off(steps);
    (left, rest)
}

/// Without the zeros at the beginning.
fn trimmed(c: &[f64]) -> &[f64] {
    &c[c.iter().take_while(|&&c| c == 0.0).count()..]
}

/// Every pole as often as it comes.
fn repeated((poles, counts): &Poles) -> Vec<C> {
    poles.iter().zip(counts).flat_map(|(&p, &n)| std::iter::repeat_n(p, n)).collect()
}

/// The partial fractions of a quotient of polynomials, from the highest power down: residues, the pole
/// of each, and the polynomial that is left. A pole that comes several times has a residue for each of
/// its powers from 1 on. Poles within the tolerance of each other are one, their mean.
///
/// Computed on the host. SciPy: `signal.residue(b, a, tol=tolerance)`, whose tolerance is 1e-3 by
/// default.
///
/// # Errors
/// [`Error::is_shape`] for a denominator that is 0.
///
/// # Example
/// ```
/// use lazuli::signal::residue;
/// // (3x + 1) / ((x - 1) (x + 1)) = 2 / (x - 1) + 1 / (x + 1)
/// let (r, p, k) = residue(&[3.0, 1.0], &[1.0, 0.0, -1.0], 1e-3)?;
/// let sum: f64 = r.iter().zip(&p).map(|(r, p)| (r * p).re).sum();
/// assert!((sum - 1.0).abs() < 1e-14 && k.is_empty());
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn residue(b: &[f64], a: &[f64], tolerance: f64) -> Result<Fractions> {
    let (b, a) = (trimmed(b), trimmed(a));
    let Some(&first) = a.first() else {
        return Err(Error::shape("residue: the denominator is 0"));
    };
    let poles = unique_roots(&roots(a), tolerance, Of::Mean);
    let (whole, rest) = divided(b, a);
    let r = residues(&rest, &poles).iter().map(|r| r / first).collect();
    Ok((r, repeated(&poles), whole))
}

/// The partial fractions of a filter, `Σ r / (1 - p z⁻¹)ᵐ + Σ k z⁻ⁿ`: residues, the pole of each, and
/// what is left. The coefficients go from the power 0 of z⁻¹ on.
///
/// Computed on the host. SciPy: `signal.residuez(b, a, tol=tolerance)`.
///
/// # Errors
/// [`Error::is_shape`] for a denominator that is empty or begins with 0.
///
/// # Example
/// ```
/// use lazuli::signal::residuez;
/// // 1 / ((1 - z⁻¹ / 2) (1 + z⁻¹ / 2)): both poles have one half.
/// let (r, _, k) = residuez(&[1.0], &[1.0, 0.0, -0.25], 1e-3)?;
/// assert!(r.iter().all(|r| (r - 0.5).norm() < 1e-14) && k.is_empty());
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn residuez(b: &[f64], a: &[f64], tolerance: f64) -> Result<Fractions> {
    let turned = |c: &[f64]| -> Vec<f64> { c.iter().rev().copied().collect() };
    let (b, up) = (turned(b), turned(a));
    let up = trimmed(&up);
    if a.first().is_none_or(|&a| a == 0.0) {
        return Err(Error::shape(format!(
            "residuez: the denominator {a:?} begins with 0 or is empty"
        )));
    }
    let poles = unique_roots(&roots(&turned(up)), tolerance, Of::Mean);
    let (whole, rest) = divided(trimmed(&b), up);
    // In z⁻¹ the poles are the inverse ones: 1 - p z⁻¹ = -p (z⁻¹ - 1 / p).
    let inverse = (poles.0.iter().map(|p| p.inv()).collect(), poles.1.clone());
    let powers = poles.1.iter().flat_map(|&n| 1..=n as i32);
    let p = repeated(&poles);
    let of = residues(&rest, &inverse);
    let r = of.iter().zip(&p).zip(powers).map(|((r, p), m)| r * (-p).powi(m) / up[0]).collect();
    Ok((r, p, turned(&whole)))
}

/// The product of two polynomials.
fn product(a: &[C], b: &[C]) -> Vec<C> {
    let mut product = vec![C::new(0.0, 0.0); (a.len() + b.len()).saturating_sub(1)];
    for (k, a) in a.iter().enumerate() {
        b.iter().enumerate().for_each(|(l, b)| product[k + l] += a * b);
    }
    product
}

/// The quotient of polynomials of partial fractions whose poles have these factors; all from the power
/// 0 on.
fn joined(
    name: &str,
    (r, p, k): (&[C], &[C], &[f64]),
    tolerance: f64,
    factor: impl Fn(C) -> [C; 2],
) -> Result<(Vec<C>, Vec<C>)> {
    if r.len() != p.len() {
        return Err(Error::shape(format!("{name}: {} residues and {} poles", r.len(), p.len())));
    }
    let power = |place: C, n: usize| {
        (0..n).fold(vec![C::new(1.0, 0.0)], |c, _| product(&c, &factor(place)))
    };
    // Poles that are one in the tolerance, with their residues in the order in which they stand.
    let mut groups: Vec<(Vec<C>, Vec<C>)> = Vec::new();
    for (&r, &p) in r.iter().zip(p) {
        match groups.iter_mut().find(|group| (group.0[0] - p).norm() <= tolerance) {
            Some(group) => {
                group.0.push(p);
                group.1.push(r);
            }
            None => groups.push((vec![p], vec![r])),
        }
    }
    let places: Vec<C> = groups.iter().map(|group| one_of(&group.0, Of::Mean)).collect();
    let all = |skip: Option<usize>| {
        let one = vec![C::new(1.0, 0.0)];
        let each = (0..groups.len()).filter(|&l| Some(l) != skip);
        each.fold(one, |c, l| product(&c, &power(places[l], groups[l].1.len())))
    };
    let bottom = all(None);
    let k: Vec<C> = k.iter().map(|&k| C::new(k, 0.0)).collect();
    let mut top = product(&k, &bottom);
    let mut add = |term: Vec<C>| {
        top.resize(top.len().max(term.len()), C::new(0.0, 0.0));
        term.iter().enumerate().for_each(|(j, x)| top[j] += x);
    };
    for (l, group) in groups.iter().enumerate() {
        let others = all(Some(l));
        for (m, &r) in group.1.iter().enumerate() {
            let left = power(places[l], group.1.len() - 1 - m);
            add(product(&product(&others, &left), &[r]));
        }
    }
    Ok((top, bottom))
}

/// The quotient of polynomials of partial fractions as [`residue`] gives them, from the highest power
/// down: numerator and denominator. Poles within the tolerance of each other are one; their residues
/// are those of its powers from 1 on.
///
/// Computed on the host. SciPy: `signal.invres(r, p, k, tol=tolerance)`.
///
/// # Errors
/// [`Error::is_shape`] where there are not as many residues as poles.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::signal::invres;
/// let list = |values: [f64; 2]| values.map(|x| Complex::new(x, 0.0));
/// let (b, a) = invres(&list([2.0, 1.0]), &list([1.0, -1.0]), &[], 1e-3)?;
/// assert_eq!((b[0].re, b[1].re), (3.0, 1.0));
/// assert_eq!((a[0].re, a[1].re, a[2].re), (1.0, 0.0, -1.0));
/// # Ok::<(), Error>(())
/// ```
pub fn invres(r: &[C], p: &[C], k: &[f64], tolerance: f64) -> Result<(Vec<C>, Vec<C>)> {
    let k: Vec<f64> = k.iter().rev().copied().collect();
    let (mut top, mut bottom) =
        joined("invres", (r, p, &k), tolerance, |p| [-p, C::new(1.0, 0.0)])?;
    while top.last().is_some_and(|x| x.norm() == 0.0) {
        top.pop();
    }
    top.reverse();
    bottom.reverse();
    Ok((top, bottom))
}

/// The filter of partial fractions as [`residuez`] gives them: numerator and denominator from the power
/// 0 of z⁻¹ on. Poles within the tolerance of each other are one.
///
/// Computed on the host. SciPy: `signal.invresz(r, p, k, tol=tolerance)`.
///
/// # Errors
/// As [`invres`].
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::signal::invresz;
/// let list = |values: [f64; 2]| values.map(|x| Complex::new(x, 0.0));
/// let (b, a) = invresz(&list([0.5, 0.5]), &list([0.5, -0.5]), &[], 1e-3)?;
/// assert_eq!((b[0].re, b[1].re), (1.0, 0.0));
/// assert_eq!((a[0].re, a[1].re, a[2].re), (1.0, 0.0, -0.25));
/// # Ok::<(), Error>(())
/// ```
pub fn invresz(r: &[C], p: &[C], k: &[f64], tolerance: f64) -> Result<(Vec<C>, Vec<C>)> {
    joined("invresz", (r, p, k), tolerance, |p| [C::new(1.0, 0.0), -p])
}
