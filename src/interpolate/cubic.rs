//! Cubic interpolants: piecewise cubic polynomials by their slopes at the points.

use super::{PPoly, rising, rows, upload};
use crate::array::{DeviceArray, located};
use crate::dtype::Floating;
use crate::error::{Error, Result};

/// What a cubic spline does at its ends.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Boundary {
    /// The first two polynomials are one, and the last two.
    #[default]
    NotAKnot,
    /// The second derivative is zero.
    Natural,
    /// The slope is zero.
    Clamped,
    /// The first and the last value are equal, and the derivatives go on from one end at the other.
    Periodic,
    /// These slopes at the first and at the last point. SciPy: `((1, a), (1, b))`.
    Slopes(f64, f64),
    /// These second derivatives there. SciPy: `((2, a), (2, b))`.
    Curvatures(f64, f64),
}

/// The points of an interpolant on the host, and what is computed of them.
struct Points {
    x: Vec<f64>,
    y: Vec<Vec<f64>>,
    trailing: Vec<usize>,
}

impl Points {
    fn new<T: Floating>(name: &str, x: &DeviceArray<T>, y: &DeviceArray<T>) -> Result<Points> {
        let x = rising(name, x)?;
        let y_host = rows(name, y, x.len())?;
        Ok(Points { x, y: y_host, trailing: y.shape()[1..].to_vec() })
    }

    fn widths(&self) -> Vec<f64> {
        self.x.windows(2).map(|w| w[1] - w[0]).collect()
    }

    /// The values of one of the functions that go through the points side by side.
    fn values(&self, j: usize) -> Vec<f64> {
        self.y.iter().map(|row| row[j]).collect()
    }

    /// The interpolant with the slopes that `slopes` gives for the values of each function.
    fn by_slopes<T: Floating>(
        &self,
        points: &DeviceArray<T>,
        slopes: impl Fn(&[f64], usize) -> Vec<f64>,
    ) -> Result<PPoly<T>> {
        let (widths, intervals) = (self.widths(), self.x.len() - 1);
        let functions = self.y[0].len();
        let mut all = vec![vec![vec![0.0; functions]; intervals]; 4];
        for j in 0..functions {
            let y = self.values(j);
            let s = slopes(&y, j);
            for k in 0..intervals {
                let (h, slope) = (widths[k], (y[k + 1] - y[k]) / widths[k]);
                let t = (s[k] + s[k + 1] - 2.0 * slope) / h;
                let cubic = [t / h, (slope - s[k]) / h - t, s[k], y[k]];
                (0..4).for_each(|power| all[power][k][j] = cubic[power]);
            }
        }
        let coefficients = points.device().scope(|| {
            all.iter().map(|rows| upload(rows, &self.trailing)).collect::<Result<Vec<_>>>()
        })?;
        Ok(PPoly::of(points, &self.x, coefficients))
    }
}

/// Solves a system of three diagonals whose pivots are not small.
fn tridiagonal(below: &[f64], diagonal: &[f64], above: &[f64], right: &[f64]) -> Vec<f64> {
    let n = diagonal.len();
    let (mut c, mut d) = (vec![0.0; n], vec![0.0; n]);
    for k in 0..n {
        let (before, term) = if k == 0 { (0.0, 0.0) } else { (c[k - 1], d[k - 1]) };
        let pivot = diagonal[k] - below[k] * before;
        c[k] = above[k] / pivot;
        d[k] = (right[k] - below[k] * term) / pivot;
    }
    for k in (0..n.saturating_sub(1)).rev() {
        d[k] -= c[k] * d[k + 1];
    }
    d
}

/// The same with a last column in the first row and a first one in the last, by the formula of Sherman
/// and Morrison.
fn cyclic(below: &[f64], diagonal: &[f64], above: &[f64], right: &[f64]) -> Vec<f64> {
    let n = diagonal.len();
    let (corner_above, corner_below) = (below[0], above[n - 1]);
    let gamma = -diagonal[0];
    let mut changed = diagonal.to_vec();
    changed[0] -= gamma;
    changed[n - 1] -= corner_above * corner_below / gamma;
    let (mut below, mut above) = (below.to_vec(), above.to_vec());
    (below[0], above[n - 1]) = (0.0, 0.0);
    let mut column = vec![0.0; n];
    (column[0], column[n - 1]) = (gamma, corner_below);
    let y = tridiagonal(&below, &changed, &above, right);
    let z = tridiagonal(&below, &changed, &above, &column);
    let ratio = corner_above / gamma;
    let factor = (y[0] + ratio * y[n - 1]) / (1.0 + z[0] + ratio * z[n - 1]);
    y.iter().zip(&z).map(|(y, z)| y - factor * z).collect()
}

/// The slopes of a cubic spline, whose second derivative is continuous.
fn spline_slopes(h: &[f64], y: &[f64], boundary: Boundary) -> Vec<f64> {
    let n = y.len();
    let slope: Vec<f64> = (0..n - 1).map(|k| (y[k + 1] - y[k]) / h[k]).collect();
    if boundary == Boundary::Periodic {
        return periodic_slopes(h, &slope);
    }
    if boundary == Boundary::NotAKnot {
        match n {
            2 => return vec![slope[0]; 2],
            // The parabola through the points.
            3 => {
                let c = (slope[1] - slope[0]) / (h[0] + h[1]);
                return vec![slope[0] - c * h[0], slope[0] + c * h[0], slope[1] + c * h[1]];
            }
            _ => {}
        }
    }
    let (mut below, mut diagonal, mut above) = (vec![0.0; n], vec![1.0; n], vec![0.0; n]);
    let mut right = vec![0.0; n];
    for k in 1..n - 1 {
        (below[k], diagonal[k], above[k]) = (h[k], 2.0 * (h[k - 1] + h[k]), h[k - 1]);
        right[k] = 3.0 * (h[k] * slope[k - 1] + h[k - 1] * slope[k]);
    }
    let last = n - 1;
    let mut curved = |first: f64, second: f64| {
        (diagonal[0], above[0]) = (2.0 * h[0], h[0]);
        right[0] = -0.5 * first * h[0] * h[0] + 3.0 * (y[1] - y[0]);
        let h = h[last - 1];
        (below[last], diagonal[last]) = (h, 2.0 * h);
        right[last] = 0.5 * second * h * h + 3.0 * (y[last] - y[last - 1]);
    };
    match boundary {
        Boundary::Natural => curved(0.0, 0.0),
        Boundary::Curvatures(first, second) => curved(first, second),
        Boundary::Slopes(first, second) => (right[0], right[last]) = (first, second),
        Boundary::NotAKnot => {
            let d = h[0] + h[1];
            (diagonal[0], above[0]) = (h[1], d);
            right[0] = ((h[0] + 2.0 * d) * h[1] * slope[0] + h[0] * h[0] * slope[1]) / d;
            let (a, b) = (h[last - 2], h[last - 1]);
            let d = a + b;
            (below[last], diagonal[last]) = (d, a);
            right[last] = (b * b * slope[last - 2] + (2.0 * d + b) * a * slope[last - 1]) / d;
        }
        // Slopes of zero; periodic ones were found before.
        Boundary::Clamped | Boundary::Periodic => {}
    }
    tridiagonal(&below, &diagonal, &above, &right)
}

fn periodic_slopes(h: &[f64], slope: &[f64]) -> Vec<f64> {
    // The last point is the first one again.
    let n = h.len();
    let mut slopes = match n {
        1 => vec![0.0],
        2 => {
            let t = (slope[0] / h[0] + slope[1] / h[1]) / (1.0 / h[0] + 1.0 / h[1]);
            vec![t; 2]
        }
        _ => {
            let before = |k: usize| (k + n - 1) % n;
            let below: Vec<f64> = h.to_vec();
            let diagonal: Vec<f64> = (0..n).map(|k| 2.0 * (h[before(k)] + h[k])).collect();
            let above: Vec<f64> = (0..n).map(|k| h[before(k)]).collect();
            let right = |k: usize| 3.0 * (h[k] * slope[before(k)] + h[before(k)] * slope[k]);
            cyclic(&below, &diagonal, &above, &(0..n).map(right).collect::<Vec<_>>())
        }
    };
    slopes.push(slopes[0]);
    slopes
}

/// The cubic spline through points: its second derivative is continuous.
///
/// **Shape.** `x` has one axis and rises, `y` is `[x.len(), …]`: functions side by side. **Laziness.**
/// Computes the coefficients now, on the host. SciPy: `CubicSpline(x, y, bc_type)`. Source: C. de Boor,
/// A Practical Guide to Splines, chapter IV.
///
/// # Errors
/// [`Error::is_shape`] where the points do not fit or do not rise, or a periodic function ends with
/// another value than it begins with.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::interpolate::{Boundary, cubic_spline};
/// let x = DeviceArray::from_slice(&[0.0f64, 1.0, 2.0, 3.0])?;
/// let cubes = cubic_spline(&x, &x.power(3.0), Boundary::NotAKnot)?;
/// let at = DeviceArray::from_slice(&[0.5f64, 2.5])?;
/// assert!((cubes.at(&at) - at.power(3.0)).abs().max(..).item()? < 1e-12);
/// # Ok::<(), Error>(())
/// ```
#[doc(alias = "CubicSpline")]
#[track_caller]
pub fn cubic_spline<T: Floating>(
    x: &DeviceArray<T>,
    y: &DeviceArray<T>,
    boundary: Boundary,
) -> Result<PPoly<T>> {
    let make = || {
        let points = Points::new("cubic_spline", x, y)?;
        let (first, last) = (&points.y[0], &points.y[points.y.len() - 1]);
        let are_equal =
            first.iter().zip(last).all(|(a, b)| (a - b).abs() <= 1e-15 + 1e-15 * b.abs() || a == b);
        if boundary == Boundary::Periodic && !are_equal {
            return Err(Error::shape(
                "cubic_spline: a periodic function ends with the value that it begins with"
                    .to_owned(),
            ));
        }
        let h = points.widths();
        let spline = points.by_slopes(x, |y, _| spline_slopes(&h, y, boundary))?;
        Ok(match boundary {
            Boundary::Periodic => spline.beyond(super::Beyond::Periodic),
            _ => spline,
        })
    };
    located(make())
}

/// The cubic interpolant that keeps the shape of the points: it rises and falls where they do.
///
/// **Shape, laziness.** As of [`cubic_spline`]. SciPy: `PchipInterpolator`. Source: F. N. Fritsch and J.
/// Butland, SIAM J. Sci. Stat. Comput. 5 (1984), 300; ends as C. Moler's `pchip`.
///
/// # Errors
/// [`Error::is_shape`] where the points do not fit or do not rise.
///
/// # Example
/// ```
/// use lazuli::{interpolate::pchip, prelude::*};
/// let x = DeviceArray::from_slice(&[0.0, 1.0, 2.0, 3.0])?;
/// let steps = pchip(&x, &DeviceArray::from_slice(&[0.0, 0.0, 1.0, 1.0])?)?;
/// let at = DeviceArray::from_slice(&[0.5, 1.5, 2.5])?;
/// assert_eq!(steps.at(&at).to_vec()?, [0.0, 0.5, 1.0]);
/// # Ok::<(), Error>(())
/// ```
#[doc(alias = "PchipInterpolator")]
#[track_caller]
pub fn pchip<T: Floating>(x: &DeviceArray<T>, y: &DeviceArray<T>) -> Result<PPoly<T>> {
    let make = || {
        let points = Points::new("pchip", x, y)?;
        let h = points.widths();
        points.by_slopes(x, |y, _| monotone_slopes(&h, y))
    };
    located(make())
}

fn monotone_slopes(h: &[f64], y: &[f64]) -> Vec<f64> {
    let n = y.len();
    let m: Vec<f64> = (0..n - 1).map(|k| (y[k + 1] - y[k]) / h[k]).collect();
    if n == 2 {
        return vec![m[0]; 2];
    }
    let sign = |x: f64| if x == 0.0 { 0.0 } else { x.signum() };
    let end = |h0: f64, h1: f64, m0: f64, m1: f64| {
        let slope = ((2.0 * h0 + h1) * m0 - h0 * m1) / (h0 + h1);
        if sign(slope) != sign(m0) {
            0.0
        } else if sign(m0) != sign(m1) && slope.abs() > 3.0 * m0.abs() {
            3.0 * m0
        } else {
            slope
        }
    };
    let inner = |k: usize| {
        let (a, b) = (m[k - 1], m[k]);
        if sign(a) != sign(b) || a == 0.0 || b == 0.0 {
            return 0.0;
        }
        let (w1, w2) = (2.0 * h[k] + h[k - 1], h[k] + 2.0 * h[k - 1]);
        (w1 + w2) / (w1 / a + w2 / b)
    };
    let mut slopes = vec![end(h[0], h[1], m[0], m[1])];
    slopes.extend((1..n - 1).map(inner));
    slopes.push(end(h[n - 2], h[n - 3], m[n - 2], m[n - 3]));
    slopes
}

/// Akima's cubic interpolant, whose slope at a point depends on four points around it, so that one that
/// is far off moves little.
///
/// **Shape, laziness.** As of [`cubic_spline`]. SciPy: `Akima1DInterpolator`, which extrapolates only
/// when it is asked to. Source: H. Akima, J. ACM 17 (1970), 589.
///
/// # Errors
/// [`Error::is_shape`] where the points do not fit or do not rise.
///
/// # Example
/// ```
/// use lazuli::{interpolate::akima, prelude::*};
/// let x = DeviceArray::from_slice(&[0.0, 1.0, 2.0, 3.0, 4.0])?;
/// let f = akima(&x, &(2.0 * &x))?;
/// assert_eq!(f.at(&DeviceArray::from_slice(&[1.25])?).to_vec()?, [2.5]);
/// # Ok::<(), Error>(())
/// ```
#[doc(alias = "Akima1DInterpolator")]
#[track_caller]
pub fn akima<T: Floating>(x: &DeviceArray<T>, y: &DeviceArray<T>) -> Result<PPoly<T>> {
    let make = || {
        let points = Points::new("akima", x, y)?;
        let h = points.widths();
        // What is a small difference of slopes is so beside those of all functions.
        let differences: Vec<Vec<f64>> =
            (0..points.y[0].len()).map(|j| akima_differences(&h, &points.values(j))).collect();
        let largest = differences.iter().flatten().fold(0.0f64, |most, d| most.max(*d));
        points.by_slopes(x, |y, _| akima_slopes(&h, y, 1e-9 * largest))
    };
    located(make())
}

/// The slopes between points, with two more at each end.
fn extended(h: &[f64], y: &[f64]) -> Vec<f64> {
    let n = y.len();
    let mut m = vec![0.0; n + 3];
    (0..n - 1).for_each(|k| m[k + 2] = (y[k + 1] - y[k]) / h[k]);
    if n == 2 {
        return vec![m[2]; 5];
    }
    m[1] = 2.0 * m[2] - m[3];
    m[0] = 2.0 * m[1] - m[2];
    m[n + 1] = 2.0 * m[n] - m[n - 1];
    m[n + 2] = 2.0 * m[n + 1] - m[n];
    m
}

fn akima_differences(h: &[f64], y: &[f64]) -> Vec<f64> {
    let m = extended(h, y);
    (0..y.len()).map(|k| (m[k + 3] - m[k + 2]).abs() + (m[k + 1] - m[k]).abs()).collect()
}

fn akima_slopes(h: &[f64], y: &[f64], small: f64) -> Vec<f64> {
    let m = extended(h, y);
    let slope = |k: usize| {
        let (after, before) = ((m[k + 3] - m[k + 2]).abs(), (m[k + 1] - m[k]).abs());
        match after + before > small {
            true => (after * m[k + 1] + before * m[k + 2]) / (after + before),
            false => 0.5 * (m[k + 3] + m[k]),
        }
    };
    (0..y.len()).map(slope).collect()
}

/// The cubic interpolant with these slopes at the points.
///
/// **Shape, laziness.** As of [`cubic_spline`]; `slopes` are of the shape of `y`. SciPy:
/// `CubicHermiteSpline`.
///
/// # Errors
/// [`Error::is_shape`] where the points do not fit or do not rise.
///
/// # Example
/// ```
/// use lazuli::{interpolate::hermite, prelude::*};
/// let x = DeviceArray::from_slice(&[0.0, 2.0])?;
/// let parabola = hermite(&x, &x.square(), &(2.0 * &x))?;
/// assert_eq!(parabola.at(&DeviceArray::from_slice(&[1.0, 3.0])?).to_vec()?, [1.0, 9.0]);
/// # Ok::<(), Error>(())
/// ```
#[doc(alias = "CubicHermiteSpline")]
#[track_caller]
pub fn hermite<T: Floating>(
    x: &DeviceArray<T>,
    y: &DeviceArray<T>,
    slopes: &DeviceArray<T>,
) -> Result<PPoly<T>> {
    let make = || {
        let points = Points::new("hermite", x, y)?;
        if slopes.shape() != y.shape() {
            let (slopes, values) = (slopes.shape(), y.shape());
            return Err(Error::shape(format!(
                "hermite: slopes of shape {slopes:?} for values of shape {values:?}"
            )));
        }
        let given = rows("hermite", slopes, points.x.len())?;
        points.by_slopes(x, |_, j| given.iter().map(|row| row[j]).collect())
    };
    located(make())
}
