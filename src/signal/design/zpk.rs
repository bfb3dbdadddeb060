//! Zeros, poles and gain of a filter, and its other forms.

use super::roots::roots;
use crate::dtype::Complex;
use crate::error::{Error, Result};

type C = Complex<f64>;

/// Points that are equal up to this, relatively, are each other's conjugates, as in SciPy.
const SAME: f64 = 100.0 * f64::EPSILON;

/// A filter as its zeros, its poles and its gain: the form in which designs are made, and of which the
/// others are made. Filters are digital, but for prototypes and what is made of them before
/// [`bilinear_zpk`](super::super::bilinear_zpk()).
///
/// # Example
/// ```
/// use lazuli::signal::{Band, butter};
/// let filter = butter(2, Band::Low(0.5))?;
/// let (b, a) = filter.ba();
/// assert_eq!((b.len(), a.len(), filter.sos().len()), (3, 3, 1));
/// assert!((b[0] - 0.2928932188134524).abs() < 1e-15);
/// # Ok::<(), lazuli::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Zpk {
    pub(super) z: Vec<C>,
    pub(super) p: Vec<C>,
    pub(super) k: f64,
}

impl Zpk {
    /// A filter of zeros, poles and a gain. What is not real comes with its conjugate.
    ///
    /// # Errors
    /// [`Error::is_shape`] where a zero or a pole that is not real has no conjugate.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::Zpk;
    /// let filter = Zpk::new(&[], &[Complex::new(0.5, 0.0)], 2.0)?;
    /// assert_eq!(filter.ba(), (vec![2.0], vec![1.0, -0.5]));
    /// assert!(Zpk::new(&[], &[Complex::new(0.5, 0.1)], 2.0).is_err());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(z: &[C], p: &[C], k: f64) -> Result<Zpk> {
        split("Zpk::new", z)?;
        split("Zpk::new", p)?;
        Ok(Zpk { z: z.to_vec(), p: p.to_vec(), k })
    }

    /// The zeros.
    ///
    /// # Example
    /// ```
    /// use lazuli::signal::{Band, butter};
    /// let filter = butter(1, Band::Low(0.5))?;
    /// assert_eq!(filter.zeros()[0].re, -1.0);
    /// # Ok::<(), lazuli::Error>(())
    /// ```
    pub fn zeros(&self) -> &[C] {
        &self.z
    }

    /// The poles.
    ///
    /// # Example
    /// ```
    /// use lazuli::signal::{Band, butter};
    /// let filter = butter(1, Band::Low(0.5))?;
    /// assert!(filter.poles()[0].norm() < 1e-15);
    /// # Ok::<(), lazuli::Error>(())
    /// ```
    pub fn poles(&self) -> &[C] {
        &self.p
    }

    /// The gain.
    ///
    /// # Example
    /// ```
    /// use lazuli::signal::{Band, butter};
    /// assert!((butter(1, Band::Low(0.5))?.gain() - 0.5).abs() < 1e-15);
    /// # Ok::<(), lazuli::Error>(())
    /// ```
    pub fn gain(&self) -> f64 {
        self.k
    }

    /// The coefficients of numerator and denominator, from the power 0 of z⁻¹ on, for
    /// [`lfilter`](super::super::lfilter()); of an analog filter, from the highest power of `s` down.
    /// SciPy: `signal.zpk2tf`.
    ///
    /// # Example
    /// ```
    /// use lazuli::signal::{Band, butter};
    /// let (b, a) = butter(1, Band::High(0.5))?.ba();
    /// assert!((b[0] - 0.5).abs() < 1e-15 && (b[1] + 0.5).abs() < 1e-15);
    /// assert!(a[0] == 1.0 && a[1].abs() < 1e-15);
    /// # Ok::<(), lazuli::Error>(())
    /// ```
    pub fn ba(&self) -> (Vec<f64>, Vec<f64>) {
        let b = polynomial(&self.z).iter().map(|c| self.k * c.re).collect();
        (b, polynomial(&self.p).iter().map(|c| c.re).collect())
    }

    /// Sections of second order for [`sosfilt`](super::super::sosfilt()), rows of
    /// `b0 b1 b2 1 a1 a2`. Each pair of poles stands with the zeros nearest to it; the pair nearest to
    /// the unit circle comes last, and the gain is in the first section. SciPy:
    /// `signal.zpk2sos(pairing="nearest")`.
    ///
    /// # Example
    /// ```
    /// use lazuli::signal::{Band, cheby1};
    /// let sos = cheby1(5, 1.0, Band::Low(0.3))?.sos();
    /// assert_eq!(sos.len(), 3);
    /// // The pole on the real axis stands beside one at 0.
    /// assert_eq!(sos.iter().filter(|row| row[5] == 0.0).count(), 1);
    /// # Ok::<(), lazuli::Error>(())
    /// ```
    pub fn sos(&self) -> Vec<[f64; 6]> {
        let (mut z, mut p) = (self.z.clone(), self.p.clone());
        let n = z.len().max(p.len()).next_multiple_of(2).max(2);
        z.resize(n, C::new(0.0, 0.0));
        p.resize(n, C::new(0.0, 0.0));
        if self.z.len() == self.p.len() && self.p.is_empty() {
            return vec![[self.k, 0.0, 0.0, 1.0, 0.0, 0.0]];
        }
        let mut open = Open { z: halves(&z), p: halves(&p) };
        let mut sections: Vec<[f64; 6]> = (0..n / 2).map(|_| open.section()).collect();
        sections.reverse();
        sections[0][..3].iter_mut().for_each(|b| *b *= self.k);
        sections
    }
}

/// Zeros and poles that stand in no section yet; of a pair, the one above the real axis.
struct Open {
    z: Vec<C>,
    p: Vec<C>,
}

fn is_real(x: &C) -> bool {
    x.im == 0.0
}

/// Takes the first of the points that are wanted for which a measure is least.
fn take(list: &mut Vec<C>, wanted: impl Fn(&C) -> bool, measure: impl Fn(&C) -> f64) -> C {
    let candidates = (0..list.len()).filter(|&k| wanted(&list[k]));
    let best = candidates.min_by(|&k, &l| measure(&list[k]).total_cmp(&measure(&list[l])));
    best.map_or(C::new(0.0, 0.0), |k| list.remove(k))
}

impl Open {
    /// The section of the pole that is nearest to the unit circle.
    fn section(&mut self) -> [f64; 6] {
        let risk = |p: &C| (1.0 - p.norm()).abs();
        let p1 = take(&mut self.p, |_| true, risk);
        let count = |list: &[C]| list.iter().filter(|x| is_real(x)).count();
        let near = |z: &C| (p1 - z).norm();
        if is_real(&p1) && count(&self.p) == 0 {
            let z1 = take(&mut self.z, is_real, near);
            return one(&[z1, C::new(0.0, 0.0)], &[p1, C::new(0.0, 0.0)]);
        }
        let p2 = match is_real(&p1) {
            true => take(&mut self.p, is_real, risk),
            false => p1.conj(),
        };
        // One real pole and one real zero that are left are for each other.
        let left_over = !is_real(&p1)
            && self.p.len() + 1 == self.z.len()
            && count(&self.p) == 1
            && count(&self.z) == 1;
        let z1 = take(&mut self.z, |z| !left_over || !is_real(z), near);
        let z2 = match is_real(&z1) {
            true => take(&mut self.z, is_real, near),
            false => z1.conj(),
        };
        one(&[z1, z2], &[p1, p2])
    }
}

fn one(z: &[C; 2], p: &[C; 2]) -> [f64; 6] {
    let quadratic = |x: &[C; 2]| [1.0, -(x[0] + x[1]).re, (x[0] * x[1]).re];
    let ([b0, b1, b2], [a0, a1, a2]) = (quadratic(z), quadratic(p));
    [b0, b1, b2, a0, a1, a2]
}

/// The points above the real axis, in the order of their real parts, and the real ones.
fn split(name: &str, list: &[C]) -> Result<(Vec<C>, Vec<C>)> {
    let mut sorted = list.to_vec();
    sorted.sort_by(|x, y| x.re.total_cmp(&y.re).then(x.im.abs().total_cmp(&y.im.abs())));
    let (real, rest): (Vec<C>, Vec<C>) = sorted.iter().partition(|x| x.im.abs() <= SAME * x.norm());
    let (upper, mut lower): (Vec<C>, Vec<C>) = rest.iter().partition(|x| x.im > 0.0);
    let mut pairs = Vec::with_capacity(upper.len());
    for x in &upper {
        let distance = |y: &C| (y.conj() - x).norm();
        let near =
            (0..lower.len()).min_by(|&k, &l| distance(&lower[k]).total_cmp(&distance(&lower[l])));
        let Some(k) = near.filter(|&k| distance(&lower[k]) <= SAME * x.norm()) else {
            return Err(Error::shape(format!("{name}: {x} has no conjugate in {list:?}")));
        };
        pairs.push((x + lower.remove(k).conj()) / 2.0);
    }
    match lower.first() {
        Some(x) => Err(Error::shape(format!("{name}: {x} has no conjugate in {list:?}"))),
        None => Ok((pairs, real.iter().map(|x| C::new(x.re, 0.0)).collect())),
    }
}

/// One of each pair, and the real points behind them. Every list of a filter splits: `new` checked
/// it, or a design made it.
fn halves(list: &[C]) -> Vec<C> {
    match split("Zpk::sos", list) {
        Ok((pairs, real)) => [pairs, real].concat(),
        Err(_) => list.iter().filter(|x| x.im >= 0.0).copied().collect(),
    }
}

/// The coefficients of the polynomial with these roots, from the highest power down.
pub(in crate::signal) fn polynomial(roots: &[C]) -> Vec<C> {
    let mut c = vec![C::new(1.0, 0.0)];
    for r in roots {
        c.push(C::new(0.0, 0.0));
        (1..c.len()).rev().for_each(|k| c[k] = c[k] - c[k - 1] * r);
    }
    c
}

/// The zeros, the poles and the gain of a filter given by its numerator and its denominator. Poles
/// that lie close together are not found accurately from these coefficients: design filters as
/// [`Zpk`].
///
/// SciPy: `signal.tf2zpk`; `signal.tf2sos` is [`Zpk::sos`] of it.
///
/// # Errors
/// [`Error::is_shape`] where the denominator begins with 0 or is empty, or the numerator is 0.
///
/// # Example
/// ```
/// use lazuli::signal::tf2zpk;
/// let filter = tf2zpk(&[2.0, 0.0], &[1.0, -0.75, 0.125])?;
/// let mut poles: Vec<f64> = filter.poles().iter().map(|p| p.re).collect();
/// poles.sort_by(f64::total_cmp);
/// assert!((poles[0] - 0.25).abs() < 1e-14 && (poles[1] - 0.5).abs() < 1e-14);
/// assert_eq!((filter.zeros()[0].re, filter.gain()), (0.0, 2.0));
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn tf2zpk(b: &[f64], a: &[f64]) -> Result<Zpk> {
    let leading = b.iter().take_while(|&&b| b == 0.0).count();
    let b = &b[leading..];
    match (b.first(), a.first()) {
        (Some(b0), Some(&a0)) if a0 != 0.0 => Ok(Zpk { z: roots(b), p: roots(a), k: b0 / a0 }),
        _ => Err(Error::shape(format!(
            "tf2zpk: numerator {b:?} and denominator {a:?}: both need a coefficient that is not 0, \
             the denominator at its beginning"
        ))),
    }
}

/// The numerator and the denominator of a cascade of sections.
///
/// SciPy: `signal.sos2tf`.
///
/// # Example
/// ```
/// use lazuli::signal::sos2tf;
/// let (b, a) = sos2tf(&[[1.0, 2.0, 0.0, 1.0, -0.5, 0.0], [3.0, 0.0, 0.0, 1.0, 0.5, 0.0]]);
/// assert_eq!(b, [3.0, 6.0, 0.0, 0.0, 0.0]);
/// assert_eq!(a, [1.0, 0.0, -0.25, 0.0, 0.0]);
/// ```
pub fn sos2tf(sos: &[[f64; 6]]) -> (Vec<f64>, Vec<f64>) {
    let product = |from: usize| {
        sos.iter().fold(vec![1.0], |c, row| {
            let mut longer = vec![0.0; c.len() + 2];
            for (k, c) in c.iter().enumerate() {
                (0..3).for_each(|l| longer[k + l] += c * row[from + l]);
            }
            longer
        })
    };
    (product(0), product(3))
}
