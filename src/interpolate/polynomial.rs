//! Polynomials through all points at once.

use super::{read, rows, upload, with_axes};
use crate::array::{DeviceArray, located};
use crate::dtype::Floating;
use crate::error::{Error, Result};

/// The coordinates of points on the host: finite numbers, one at least.
fn finite<T: Floating>(name: &str, x: &DeviceArray<T>) -> Result<Vec<f64>> {
    let host: Vec<f64> = match x.ndim() {
        1 => x.to_vec()?.into_iter().map(Floating::to_f64).collect(),
        _ => Vec::new(),
    };
    if host.is_empty() || host.iter().any(|x| !x.is_finite()) {
        let shape = x.shape();
        return Err(Error::shape(format!(
            "{name}: coordinates of shape {shape:?}; they have one axis, and are finite numbers, one at least"
        )));
    }
    Ok(host)
}

/// The polynomial of the least degree through points, by its values there. SciPy:
/// `BarycentricInterpolator`.
///
/// It stays accurate where the points lie more densely at the ends, as Chebyshev's do; of many evenly
/// spaced points no polynomial is near a function.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::interpolate::Barycentric;
/// let x = DeviceArray::from_slice(&[0.0, 1.0, 3.0])?;
/// let f = Barycentric::new(&x, &x.square())?;
/// assert!((f.at(&DeviceArray::from_slice(&[2.0])?).to_vec()?[0] - 4.0).abs() < 1e-14);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Barycentric<T: Floating> {
    places: DeviceArray<T>,
    weights: DeviceArray<T>,
    values: DeviceArray<T>,
}

impl<T: Floating> Barycentric<T> {
    /// The polynomial through these points, in any order.
    ///
    /// **Shape.** `x` is `[n]`, `y` is `[n, …]`. **Laziness.** Evaluates `x`, and computes the weights on
    /// the host. Source: J.-P. Berrut and L. N. Trefethen, SIAM Rev. 46 (2004), 501.
    ///
    /// # Errors
    /// [`Error::is_shape`] where shapes do not fit, or a coordinate is not finite or comes twice; those
    /// of the evaluation.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{interpolate::Barycentric, prelude::*};
    /// let x = DeviceArray::from_slice(&[1.0, 1.0])?;
    /// assert!(Barycentric::new(&x, &x).is_err_and(|e| e.is_shape()));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn new(x: &DeviceArray<T>, y: &DeviceArray<T>) -> Result<Barycentric<T>> {
        located(Self::checked(x, y))
    }

    fn checked(x: &DeviceArray<T>, y: &DeviceArray<T>) -> Result<Barycentric<T>> {
        let points = finite("Barycentric", x)?;
        if y.shape().first() != Some(&points.len()) {
            let (shape, n) = (y.shape(), points.len());
            return Err(Error::shape(format!(
                "Barycentric: values of shape {shape:?} at {n} points"
            )));
        }
        if x.device().differs(y.device()) {
            return Err(crate::array::record::devices_differ(
                "Barycentric",
                x.device(),
                y.device(),
            ));
        }
        let (low, high) =
            points.iter().fold((f64::MAX, f64::MIN), |(a, b), &x| (a.min(x), b.max(x)));
        // Products of distances in quarters of the whole neither grow nor fall much.
        let scale = 4.0 / (high - low);
        let weight = |j: usize| {
            let others = points.iter().enumerate().filter(|&(k, _)| k != j);
            1.0 / others.map(|(_, x)| (points[j] - x) * scale).product::<f64>()
        };
        let weights: Vec<f64> = (0..points.len()).map(weight).collect();
        let most = weights.iter().fold(0.0, |most: f64, w| most.max(w.abs()));
        let is_known = |w: &f64| *w != 0.0 && w.is_finite();
        if !weights.iter().all(is_known) {
            return Err(Error::shape(
                "Barycentric: two coordinates are the same, or there are too many points",
            ));
        }
        let weights: Vec<T> = weights.iter().map(|w| T::from_f64(w / most)).collect();
        let weights = x.device().scope(|| DeviceArray::from_vec([points.len()], weights))?;
        Ok(Barycentric { places: x.clone(), weights, values: y.clone() })
    }

    /// The values at these places. NaN gives NaN.
    ///
    /// **Shape.** That of the places, with the trailing axes of the values behind. **Laziness.** Records.
    ///
    /// # Panics
    /// Where the places are on another device.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{interpolate::Barycentric, prelude::*};
    /// let x = DeviceArray::from_slice(&[0.0, 1.0])?;
    /// let f = Barycentric::new(&x, &DeviceArray::from_slice(&[3.0, 5.0])?)?;
    /// assert_eq!(f.at(&DeviceArray::from_slice(&[0.5, 1.0])?).to_vec()?, [4.0, 5.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn at(&self, places: &DeviceArray<T>) -> DeviceArray<T> {
        let (n, trailing) = (self.places.len(), &self.values.shape()[1..]);
        let shape: Vec<usize> = places.shape().iter().chain(trailing).copied().collect();
        let flat = places.reshape([places.len(), 1]);
        let apart = &flat - &self.places;
        let same = apart.equal(T::ZERO);
        let parts = &self.weights / apart;
        let total = parts.sum(-1).insert_axis(1);
        let width: usize = trailing.iter().product();
        let values = self.values.reshape([n, width]);
        let between = (parts / total).matmul(&values);
        // At a point the quotients are infinite.
        let at = same.cast::<i32>().argmax(-1);
        let exact = read(&values, &at);
        same.any(-1).insert_axis(1).select(exact, between).reshape(shape)
    }
}

/// The values at places of the polynomial through points: [`Barycentric`] once.
///
/// **Shape, laziness.** Those of [`Barycentric::new`] and [`Barycentric::at`]. SciPy:
/// `barycentric_interpolate`.
///
/// # Errors
/// As [`Barycentric::new`].
///
/// # Example
/// ```
/// use lazuli::{interpolate::barycentric_interpolate, prelude::*};
/// let x = DeviceArray::from_slice(&[0.0, 1.0, 3.0])?;
/// let at = DeviceArray::from_slice(&[2.0])?;
/// assert!((barycentric_interpolate(&x, &x.square(), &at)?.item()? - 4.0).abs() < 1e-14);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn barycentric_interpolate<T: Floating>(
    x: &DeviceArray<T>,
    y: &DeviceArray<T>,
    places: &DeviceArray<T>,
) -> Result<DeviceArray<T>> {
    Ok(Barycentric::new(x, y)?.at(places))
}

/// The polynomial of the least degree that has given values and derivatives at points. SciPy:
/// `KroghInterpolator`.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::interpolate::Krogh;
/// // The value 0 and the slope 0 at 0, the value 1 at 1.
/// let x = DeviceArray::from_slice(&[0.0, 0.0, 1.0])?;
/// let f = Krogh::new(&x, &DeviceArray::from_slice(&[0.0, 0.0, 1.0])?)?;
/// let at = DeviceArray::from_slice(&[3.0])?;
/// assert_eq!((f.at(&at).item()?, f.derivative(&at, 1).item()?), (9.0, 6.0));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Krogh<T: Floating> {
    points: Vec<f64>,
    coefficients: DeviceArray<T>,
}

impl<T: Floating> Krogh<T> {
    /// The polynomial with these values; where a coordinate stands several times in a row, its second
    /// value is that of the derivative, the third one that of the second derivative, and so on.
    ///
    /// **Shape.** `x` is `[n]`, `y` is `[n, …]`. **Laziness.** Evaluates both, and computes divided
    /// differences on the host, in `f64`. Source: F. T. Krogh, Math. Comp. 24 (1970), 185.
    ///
    /// # Errors
    /// [`Error::is_shape`] where shapes do not fit, or a coordinate is not finite or comes again after
    /// another one; those of the evaluation.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{interpolate::Krogh, prelude::*};
    /// let x = DeviceArray::from_slice(&[1.0, 2.0, 1.0])?;
    /// assert!(Krogh::new(&x, &x).is_err_and(|e| e.is_shape()));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn new(x: &DeviceArray<T>, y: &DeviceArray<T>) -> Result<Krogh<T>> {
        located(Self::checked(x, y))
    }

    fn checked(x: &DeviceArray<T>, y: &DeviceArray<T>) -> Result<Krogh<T>> {
        let points = finite("Krogh", x)?;
        let n = points.len();
        let given = rows("Krogh", y, n)?;
        // Where the run of the same coordinate begins.
        let begin = |i: usize| (0..=i).rev().take_while(|&k| points[k] == points[i]).last();
        let begins: Vec<usize> = (0..n).map(|i| begin(i).unwrap_or(i)).collect();
        if (0..n).any(|i| points[..begins[i]].contains(&points[i])) {
            return Err(Error::shape("Krogh: a coordinate comes again after another one"));
        }
        let mut table: Vec<Vec<f64>> = begins.iter().map(|&k| given[k].clone()).collect();
        let mut factorial = 1.0;
        for order in 1..n {
            factorial *= order as f64;
            for i in (order..n).rev() {
                let apart = points[i] - points[i - order];
                table[i] = if apart == 0.0 {
                    given[begins[i] + order].iter().map(|y| y / factorial).collect()
                } else {
                    let pairs = table[i].iter().zip(&table[i - 1]);
                    pairs.map(|(upper, lower)| (upper - lower) / apart).collect()
                };
            }
        }
        let coefficients = y.device().scope(|| upload(&table, &y.shape()[1..]))?;
        Ok(Krogh { points, coefficients })
    }

    /// The values at these places. NaN gives NaN.
    ///
    /// **Shape.** That of the places, with the trailing axes of the values behind. **Laziness.** Records.
    ///
    /// # Panics
    /// Where the places are on another device.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{interpolate::Krogh, prelude::*};
    /// let x = DeviceArray::from_slice(&[0.0, 1.0, 2.0])?;
    /// let f = Krogh::new(&x, &x.square())?;
    /// assert_eq!(f.at(&DeviceArray::from_slice(&[3.0])?).to_vec()?, [9.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn at(&self, places: &DeviceArray<T>) -> DeviceArray<T> {
        self.derivative(places, 0)
    }

    /// The values of a derivative at these places, of that of order 0 those of the polynomial.
    ///
    /// **Shape.** That of the places, with the trailing axes of the values behind. **Laziness.** Records.
    ///
    /// # Panics
    /// Where the places are on another device.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{interpolate::Krogh, prelude::*};
    /// let x = DeviceArray::from_slice(&[0.0, 1.0, 2.0])?;
    /// let f = Krogh::new(&x, &x.square())?;
    /// assert_eq!(f.derivative(&DeviceArray::from_slice(&[3.0])?, 2).to_vec()?, [2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn derivative(&self, places: &DeviceArray<T>, order: usize) -> DeviceArray<T> {
        let trailing = self.coefficients.ndim() - 1;
        let places = with_axes(places, trailing);
        let n = self.points.len();
        let row = |k: usize| self.coefficients.slice(ndarray::s![k]);
        let nothing = (&places * T::ZERO) + row(n - 1) * T::ZERO;
        // The derivatives of what was put together so far, by Horner's scheme.
        let mut parts = vec![nothing.clone(); order.min(n) + 1];
        parts[0] = &nothing + row(n - 1);
        for k in (0..n - 1).rev() {
            let apart = &places - T::from_f64(self.points[k]);
            for j in (1..parts.len()).rev() {
                parts[j] = &apart * &parts[j] + &parts[j - 1] * T::from_f64(j as f64);
            }
            parts[0] = &apart * &parts[0] + row(k);
        }
        if order < n { parts.swap_remove(order) } else { nothing }
    }
}

/// The values at places of the polynomial through points: [`Krogh`] once.
///
/// **Shape, laziness.** Those of [`Krogh::new`] and [`Krogh::at`]. SciPy: `krogh_interpolate`.
///
/// # Errors
/// As [`Krogh::new`].
///
/// # Example
/// ```
/// use lazuli::{interpolate::krogh_interpolate, prelude::*};
/// let x = DeviceArray::from_slice(&[0.0, 1.0, 3.0])?;
/// let at = DeviceArray::from_slice(&[2.0])?;
/// assert_eq!(krogh_interpolate(&x, &x.square(), &at)?.item()?, 4.0);
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn krogh_interpolate<T: Floating>(
    x: &DeviceArray<T>,
    y: &DeviceArray<T>,
    places: &DeviceArray<T>,
) -> Result<DeviceArray<T>> {
    Ok(Krogh::new(x, y)?.at(places))
}
