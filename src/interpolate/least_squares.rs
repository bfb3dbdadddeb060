//! Splines that pass near points.

use super::bspline::{BSpline, MOST_DEGREE, basis};
use super::{rows, upload};
use crate::array::{DeviceArray, located};
use crate::dtype::Floating;
use crate::error::{Error, Result};

/// The spline with these knots whose values at the points differ least from those given, in the sum of
/// the squares of the differences, each times its weight.
///
/// **Shape.** `x` has one axis, does not fall and lies between the ends of the spline, `knots[degree]` and
/// the one as far from the last; `y` is `[x.len(), …]`, `weights` are as many, one for all where there
/// are none. **Laziness.** Computes the coefficients now, on the host, by rotations. SciPy:
/// `make_lsq_spline(x, y, t, k, w)`. Source: M. G. Cox, The Least Squares Solution of Overdetermined
/// Linear Equations Having Band or Augmented Band Structure, IMA J. Numer. Anal. 1 (1981), 3.
///
/// # Errors
/// [`Error::is_shape`] where the parts do not fit, [`Error::is_numeric`] where a coefficient is in no
/// value: there are knots without points between them.
///
/// # Example
/// ```
/// use lazuli::{interpolate::make_lsq_spline, prelude::*};
/// // One line near four points.
/// let x = DeviceArray::from_slice(&[0.0, 1.0, 2.0, 3.0])?;
/// let y = DeviceArray::from_slice(&[0.0, 1.0, 1.0, 2.0])?;
/// let f = make_lsq_spline(&x, &y, &[0.0, 0.0, 3.0, 3.0], 1, None)?;
/// let at = DeviceArray::from_slice(&[0.0, 3.0])?;
/// let wanted = DeviceArray::from_slice(&[0.1, 1.9])?;
/// assert!(f.at(&at).all_close(&wanted).item()?);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn make_lsq_spline<T: Floating>(
    x: &DeviceArray<T>,
    y: &DeviceArray<T>,
    knots: &[f64],
    degree: usize,
    weights: Option<&DeviceArray<T>>,
) -> Result<BSpline<T>> {
    located(made(x, y, knots, degree, weights))
}

fn made<T: Floating>(
    x: &DeviceArray<T>,
    y: &DeviceArray<T>,
    knots: &[f64],
    k: usize,
    weights: Option<&DeviceArray<T>>,
) -> Result<BSpline<T>> {
    const NAME: &str = "make_lsq_spline";
    let fail = |why: String| Err(Error::shape(format!("{NAME}: {why}")));
    let host = |a: &DeviceArray<T>| -> Result<Vec<f64>> {
        Ok(a.to_vec()?.into_iter().map(Floating::to_f64).collect())
    };
    let n = knots.len().saturating_sub(k + 1);
    let rises =
        knots.windows(2).all(|pair| pair[0] <= pair[1]) && knots.iter().all(|t| t.is_finite());
    if k > MOST_DEGREE || n <= k || !rises || knots[k] >= knots[n] {
        return fail(format!("{} knots, which are not to fall, for degree {k}", knots.len()));
    }
    if x.ndim() != 1 || weights.is_some_and(|w| w.shape() != x.shape()) || x.len() < n {
        let (x, weights) = (x.shape(), weights.map(|w| w.shape()));
        return fail(format!(
            "points of shape {x:?} and weights of shape {weights:?} for {n} coefficients"
        ));
    }
    let points = host(x)?;
    let lies = points.is_sorted() && points.iter().all(|x| (knots[k]..=knots[n]).contains(x));
    if !lies {
        return fail(format!("points that fall or are not between {} and {}", knots[k], knots[n]));
    }
    let weights = weights.map_or_else(|| Ok(vec![1.0; points.len()]), host)?;
    let mut triangle = Triangle::new(n, k, y.len() / points.len().max(1));
    for ((&x, mut right), weight) in points.iter().zip(rows(NAME, y, points.len())?).zip(weights) {
        let last = (k..n).rev().find(|&i| knots[i] < knots[n]).unwrap_or(k);
        let span = (knots.partition_point(|&knot| knot <= x) - 1).clamp(k, last);
        let mut row = basis(knots, k, span, x);
        row.iter_mut().chain(&mut right).for_each(|value| *value *= weight);
        triangle.take_in(row, right, span - k);
    }
    let coefficients = triangle.solved().ok_or_else(|| {
        Error::numeric(format!("{NAME}: there are knots without points between them"))
    })?;
    let c = x.device().scope(|| upload(&coefficients, &y.shape()[1..]))?;
    BSpline::new(knots, &c, k)
}

/// An upper triangle of `k + 1` diagonals, and right-hand sides.
struct Triangle {
    bands: Vec<Vec<f64>>,
    right: Vec<Vec<f64>>,
    k: usize,
}

impl Triangle {
    fn new(n: usize, k: usize, width: usize) -> Triangle {
        Triangle { bands: vec![vec![0.0; k + 1]; n], right: vec![vec![0.0; width]; n], k }
    }

    /// Rotates a row of `k + 1` numbers from a column on into the triangle.
    fn take_in(&mut self, mut row: Vec<f64>, mut right: Vec<f64>, first: usize) {
        for at in first..(first + self.k + 1).min(self.bands.len()) {
            let (own, band) = (row[0], &mut self.bands[at]);
            if own != 0.0 {
                let length = band[0].hypot(own);
                let (c, s) = (band[0] / length, own / length);
                let turn = |a: &mut f64, b: &mut f64| (*a, *b) = (c * *a + s * *b, c * *b - s * *a);
                band.iter_mut().zip(&mut row).for_each(|(a, b)| turn(a, b));
                self.right[at].iter_mut().zip(&mut right).for_each(|(a, b)| turn(a, b));
            }
            row.rotate_left(1);
            row[self.k] = 0.0;
        }
    }

    /// The solution; none where the triangle has no inverse.
    fn solved(mut self) -> Option<Vec<Vec<f64>>> {
        let n = self.bands.len();
        let most = self.bands.iter().fold(0.0, |most: f64, band| most.max(band[0].abs()));
        for at in (0..n).rev() {
            let band = &self.bands[at];
            if band[0].abs() <= 1e-14 * most || band[0].is_nan() {
                return None;
            }
            let (above, below) = self.right.split_at_mut(at + 1);
            for (factor, other) in band[1..].iter().zip(below.iter()) {
                above[at].iter_mut().zip(other).for_each(|(a, b)| *a -= factor * b);
            }
            above[at].iter_mut().for_each(|value| *value /= band[0]);
        }
        Some(self.right)
    }
}
