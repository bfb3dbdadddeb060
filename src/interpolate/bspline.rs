//! Basis splines.

use super::{Beyond, nan_beyond, read, rising, rows, upload, with_axes, wrapped};
use crate::array::{DeviceArray, located};
use crate::dtype::Floating;
use crate::error::{Error, Result};
use crate::ops::scan::Scan;
use crate::ops::search::Side;

/// The largest degree: a value takes about as many operations as the square of the degree.
pub(super) const MOST_DEGREE: usize = 9;

/// A spline as a sum of basis splines. SciPy: `BSpline`.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::interpolate::BSpline;
/// let knots = [0.0, 0.0, 1.0, 2.0, 2.0]; // a polygon
/// let f = BSpline::new(&knots, &DeviceArray::from_slice(&[3.0, 5.0, 1.0])?, 1)?;
/// let at = DeviceArray::from_slice(&[0.0, 0.5, 1.5])?;
/// assert_eq!(f.at(&at).to_vec()?, [3.0, 4.0, 3.0]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct BSpline<T: Floating> {
    knots: Vec<f64>,
    /// The knots on the device.
    places: DeviceArray<T>,
    coefficients: DeviceArray<T>,
    degree: usize,
    beyond: Beyond,
}

impl<T: Floating> BSpline<T> {
    /// The spline of these knots, coefficients and degree.
    ///
    /// **Shape.** `coefficients` is `[n, …]` for `n + degree + 1` knots, which do not fall. **Laziness.**
    /// The coefficients are recorded.
    ///
    /// # Errors
    /// [`Error::is_shape`] where the numbers do not fit, the knots fall, or the degree is above 9.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{interpolate::BSpline, prelude::*};
    /// let steps = BSpline::new(&[0.0, 1.0, 2.0], &DeviceArray::from_slice(&[5.0, 6.0])?, 0)?;
    /// assert_eq!(steps.at(&DeviceArray::from_slice(&[0.5, 1.0])?).to_vec()?, [5.0, 6.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn new(knots: &[f64], coefficients: &DeviceArray<T>, degree: usize) -> Result<BSpline<T>> {
        located(Self::checked(knots, coefficients, degree))
    }

    fn checked(knots: &[f64], coefficients: &DeviceArray<T>, degree: usize) -> Result<BSpline<T>> {
        let fail = |why: String| Err(Error::shape(format!("BSpline: {why}")));
        let n = coefficients.shape().first().copied().unwrap_or(0);
        if degree > MOST_DEGREE || n <= degree || knots.len() != n + degree + 1 {
            let shape = coefficients.shape();
            return fail(format!(
                "{} knots and coefficients of shape {shape:?} for degree {degree} (at most {MOST_DEGREE})",
                knots.len()
            ));
        }
        if !knots.windows(2).all(|w| w[0] <= w[1]) || knots[degree] >= knots[n] {
            return fail("the knots fall, or there is nothing between them".to_owned());
        }
        let places = coefficients.device().scope(|| {
            DeviceArray::from_vec([knots.len()], knots.iter().map(|&t| T::from_f64(t)).collect())
        })?;
        Ok(BSpline {
            knots: knots.to_vec(),
            places,
            coefficients: coefficients.clone(),
            degree,
            beyond: Beyond::default(),
        })
    }

    /// The same spline with other values beyond its ends.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{interpolate::{Beyond, BSpline}, prelude::*};
    /// let f = BSpline::new(&[0.0, 1.0], &DeviceArray::from_slice(&[5.0])?, 0)?.beyond(Beyond::Nan);
    /// assert!(f.at(&DeviceArray::from_slice(&[2.0])?).to_vec()?[0].is_nan());
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn beyond(mut self, beyond: Beyond) -> Self {
        self.beyond = beyond;
        self
    }

    /// The knots. SciPy: `t`.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{interpolate::BSpline, prelude::*};
    /// let f = BSpline::new(&[0.0, 1.0], &DeviceArray::from_slice(&[5.0])?, 0)?;
    /// assert_eq!(f.knots(), [0.0, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn knots(&self) -> &[f64] {
        &self.knots
    }

    /// The coefficients. SciPy: `c`.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{interpolate::BSpline, prelude::*};
    /// let f = BSpline::new(&[0.0, 1.0], &DeviceArray::from_slice(&[5.0])?, 0)?;
    /// assert_eq!(f.coefficients().to_vec()?, [5.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn coefficients(&self) -> &DeviceArray<T> {
        &self.coefficients
    }

    /// The degree. SciPy: `k`.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{interpolate::BSpline, prelude::*};
    /// let f = BSpline::new(&[0.0, 1.0], &DeviceArray::from_slice(&[5.0])?, 0)?;
    /// assert_eq!(f.degree(), 0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// The values at these places, by de Boor's recurrence. NaN gives NaN.
    ///
    /// **Shape.** That of the places, with the trailing axes of the coefficients behind. **Laziness.**
    /// Records. Source: C. de Boor, J. Approx. Theory 6 (1972), 50.
    ///
    /// # Panics
    /// Where the places are on another device.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{interpolate::make_interp_spline, prelude::*};
    /// let x = DeviceArray::from_slice(&[0.0, 1.0, 2.0, 3.0])?;
    /// let f = make_interp_spline(&x, &x.square(), 2)?;
    /// assert!((f.at(&DeviceArray::from_slice(&[1.5])?).to_vec()?[0] - 2.25).abs() < 1e-12);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn at(&self, places: &DeviceArray<T>) -> DeviceArray<T> {
        let (k, n) = (self.degree, self.coefficients.shape()[0]);
        let ends = [self.knots[k], self.knots[n]];
        let places = match self.beyond {
            Beyond::Periodic => wrapped(places, ends),
            _ => places.clone(),
        };
        // The last knot that is not above the place, and has another one behind it.
        let end = (k..n).rev().find(|&i| self.knots[i] < self.knots[n]).unwrap_or(k);
        let span = self.places.searchsorted(&places, Side::Right) - 1;
        let span = span.clip(k as i64, end as i64);
        let knot = |offset: i64| read(&self.places, &(&span + offset));
        let trailing = self.coefficients.ndim() - 1;
        let control = |j: usize| read(&self.coefficients, &(&span + (j as i64 - k as i64)));
        let mut values: Vec<DeviceArray<T>> = (0..=k).map(control).collect();
        for r in 1..=k {
            for j in (r..=k).rev() {
                let left = knot(j as i64 - k as i64);
                let right = knot(1 + j as i64 - r as i64);
                let weight = with_axes(&((&places - &left) / (right - &left)), trailing);
                let before = &values[j - 1];
                values[j] = before + weight * (&values[j] - before);
            }
        }
        let mut value = values.pop().expect("there is a coefficient");
        if k == 0 {
            value += with_axes(&(&places * T::ZERO), trailing);
        }
        if self.beyond == Beyond::Nan {
            value = nan_beyond(value, &places, ends, trailing);
        }
        value
    }

    /// Differences between knots as a column beside the coefficients.
    fn column(&self, values: Vec<f64>) -> DeviceArray<T> {
        let column = self.coefficients.device().scope(|| {
            DeviceArray::from_vec([values.len()], values.into_iter().map(T::from_f64).collect())
        });
        with_axes(&crate::array::or_panic(column), self.coefficients.ndim() - 1)
    }

    /// The derivative, of a degree less. SciPy: `derivative`, `splder`.
    ///
    /// **Laziness.** Records.
    ///
    /// # Errors
    /// [`Error::is_shape`] of a spline of degree 0.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{interpolate::make_interp_spline, prelude::*};
    /// let x = DeviceArray::from_slice(&[0.0, 1.0, 2.0, 3.0])?;
    /// let slope = make_interp_spline(&x, &x.square(), 2)?.derivative()?;
    /// assert!((slope.at(&DeviceArray::from_slice(&[1.5])?).to_vec()?[0] - 3.0).abs() < 1e-12);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn derivative(&self) -> Result<BSpline<T>> {
        let (k, t) = (self.degree, &self.knots);
        if k == 0 {
            return located(Err(Error::shape("BSpline: steps have no derivative".to_owned())));
        }
        let n = self.coefficients.shape()[0];
        // Where knots fall together the difference has no place, and counts nothing.
        let factor = |i: usize| match t[i + k + 1] - t[i + 1] {
            0.0 => 0.0,
            width => k as f64 / width,
        };
        let c = self.coefficients.diff(1, 0) * self.column((0..n - 1).map(factor).collect());
        let derived = BSpline::new(&t[1..t.len() - 1], &c, k - 1)?;
        Ok(derived.beyond(self.beyond))
    }

    /// The integral from the first knot on, of a degree more. SciPy: `antiderivative`, `splantider`.
    ///
    /// **Laziness.** Records.
    ///
    /// # Errors
    /// [`Error::is_shape`] of a spline of degree 9.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{interpolate::make_interp_spline, prelude::*};
    /// let x = DeviceArray::from_slice(&[0.0, 1.0, 2.0, 3.0])?;
    /// let area = make_interp_spline(&x, &x.square(), 2)?.antiderivative()?;
    /// assert!((area.at(&DeviceArray::from_slice(&[3.0])?).to_vec()?[0] - 9.0).abs() < 1e-12);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn antiderivative(&self) -> Result<BSpline<T>> {
        let (k, t) = (self.degree, &self.knots);
        let n = self.coefficients.shape()[0];
        let width = |i: usize| (t[i + k + 1] - t[i]) / (k + 1) as f64;
        let parts = &self.coefficients * self.column((0..n).map(width).collect());
        let c = parts.cumsum_with(0, Scan::new().include_initial()).cast::<T>();
        let mut knots = vec![t[0]];
        knots.extend(t);
        knots.push(t[t.len() - 1]);
        Ok(BSpline::new(&knots, &c, k + 1)?.beyond(self.beyond))
    }
}

/// The values of the basis splines that are not zero at a place in the interval behind knot `i`.
pub(super) fn basis(t: &[f64], k: usize, i: usize, x: f64) -> Vec<f64> {
    let mut values = vec![1.0];
    for d in 1..=k {
        let mut next = vec![0.0; d + 1];
        for (j, value) in values.iter().enumerate() {
            let (left, right) = (t[i + 1 + j - d], t[i + 1 + j]);
            let share = value / (right - left);
            next[j] += (right - x) * share;
            next[j + 1] += (x - left) * share;
        }
        values = next;
    }
    values
}

/// The spline of this degree through points, without knots at the points next to the ends ("not a
/// knot") for odd degrees, and with knots between points for even ones.
///
/// **Shape.** `x` has one axis and rises, `y` is `[x.len(), …]`, with more than `degree` points.
/// **Laziness.** Computes the coefficients now, on the host. SciPy: `make_interp_spline(x, y, k)`.
/// Source: C. de Boor, A Practical Guide to Splines, chapter XIII.
///
/// # Errors
/// [`Error::is_shape`] where the points do not fit, do not rise or are too few, or the degree is 0 or
/// above 9.
///
/// # Example
/// ```
/// use lazuli::{interpolate::make_interp_spline, prelude::*};
/// let x = DeviceArray::<f64>::linspace(0.0, 3.0, 16);
/// let f = make_interp_spline(&x, &x.exp(), 5)?;
/// let at = DeviceArray::from_slice(&[0.1, 2.3])?;
/// assert!((f.at(&at) / at.exp() - 1.0).abs().max(..).item()? < 1e-6);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn make_interp_spline<T: Floating>(
    x: &DeviceArray<T>,
    y: &DeviceArray<T>,
    degree: usize,
) -> Result<BSpline<T>> {
    const NAME: &str = "make_interp_spline";
    let make = || {
        let points = rising(NAME, x)?;
        let (k, n) = (degree, points.len());
        if k == 0 || k > MOST_DEGREE || n <= k {
            return Err(Error::shape(format!("{NAME}: degree {k} through {n} points")));
        }
        let mut right = rows(NAME, y, n)?;
        let inner: Vec<f64> = match k % 2 {
            1 => points[k.div_ceil(2)..n - k.div_ceil(2)].to_vec(),
            _ => {
                let middle: Vec<f64> = points.windows(2).map(|w| (w[0] + w[1]) / 2.0).collect();
                middle[k / 2..n - 1 - k / 2].to_vec()
            }
        };
        let mut t = vec![points[0]; k + 1];
        t.extend(inner);
        t.extend(vec![points[n - 1]; k + 1]);
        solve_collocation(&t, k, &points, &mut right);
        let c = x.device().scope(|| upload(&right, &y.shape()[1..]))?;
        BSpline::checked(&t, &c, k)
    };
    located(make())
}

/// Solves for the coefficients in place. The matrix of basis splines at the points is totally positive
/// and has `2k + 1` diagonals, so that elimination needs no pivots.
fn solve_collocation(t: &[f64], k: usize, points: &[f64], right: &mut [Vec<f64>]) {
    let n = points.len();
    // Row i has the columns i − k to i + k.
    let mut band = vec![vec![0.0; 2 * k + 1]; n];
    for (row, &x) in points.iter().enumerate() {
        let span = (t.partition_point(|&knot| knot <= x) - 1).clamp(k, n - 1);
        for (j, value) in basis(t, k, span, x).into_iter().enumerate() {
            let column = span - k + j;
            if let Some(place) = (column + k).checked_sub(row).filter(|&place| place <= 2 * k) {
                band[row][place] = value;
            }
        }
    }
    for pivot in 0..n {
        for row in pivot + 1..(pivot + k + 1).min(n) {
            let factor = band[row][pivot + k - row] / band[pivot][k];
            if factor == 0.0 {
                continue;
            }
            for column in pivot..(pivot + k + 1).min(n) {
                let above = band[pivot][column + k - pivot];
                band[row][column + k - row] -= factor * above;
            }
            let (above, below) = right.split_at_mut(row);
            below[0].iter_mut().zip(&above[pivot]).for_each(|(b, a)| *b -= factor * a);
        }
    }
    for row in (0..n).rev() {
        for column in row + 1..(row + k + 1).min(n) {
            let factor = band[row][column + k - row];
            let (above, below) = right.split_at_mut(column);
            above[row].iter_mut().zip(&below[0]).for_each(|(a, b)| *a -= factor * b);
        }
        let pivot = band[row][k];
        right[row].iter_mut().for_each(|value| *value /= pivot);
    }
}
