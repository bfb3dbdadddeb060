//! Piecewise polynomials.

use super::{intervals, nan_beyond, read, rising, with_axes, wrapped};
use crate::array::{DeviceArray, located};
use crate::dtype::Floating;
use crate::error::{Error, Result};
use crate::ops::scan::Scan;

/// What an interpolant gives beyond its first and last point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Beyond {
    /// The first and the last polynomial go on. SciPy: `extrapolate=True`.
    #[default]
    Extrapolate,
    /// NaN. SciPy: `extrapolate=False`.
    Nan,
    /// The points again and again. SciPy: `extrapolate="periodic"`.
    Periodic,
}

/// A function that is a polynomial between each two of its points. SciPy: `PPoly`.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::interpolate::PPoly;
/// // x² from 0 to 1, and 2 − (x − 1) from 1 to 3.
/// let c = DeviceArray::try_from([[1.0, 0.0], [0.0, -1.0], [0.0, 2.0]])?;
/// let f = PPoly::new(&c, &DeviceArray::from_slice(&[0.0, 1.0, 3.0])?)?;
/// let at = DeviceArray::from_slice(&[0.5, 1.0, 2.5])?;
/// assert_eq!(f.at(&at).to_vec()?, [0.25, 2.0, 0.5]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PPoly<T: Floating> {
    points: DeviceArray<T>,
    ends: [f64; 2],
    /// The coefficients of each power of the distance from the point to the left, the highest first:
    /// `[intervals, …]`.
    coefficients: Vec<DeviceArray<T>>,
    beyond: Beyond,
}

impl<T: Floating> PPoly<T> {
    /// The function with these coefficients between these points: `c[k]` is the factor of the power
    /// `c.shape()[0] - 1 - k` of the distance from the point to the left.
    ///
    /// **Shape.** `c` is `[powers, intervals, …]` for `intervals + 1` points. **Laziness.** Looks at the
    /// points now, the coefficients are recorded.
    ///
    /// # Errors
    /// [`Error::is_shape`] where the shapes do not fit or the points do not rise.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{interpolate::PPoly, prelude::*};
    /// let c = DeviceArray::try_from([[3.0]])?; // a constant
    /// let f = PPoly::new(&c, &DeviceArray::from_slice(&[0.0, 1.0])?)?;
    /// assert_eq!(f.at(&DeviceArray::from_slice(&[0.5])?).to_vec()?, [3.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn new(c: &DeviceArray<T>, points: &DeviceArray<T>) -> Result<PPoly<T>> {
        located(Self::checked(c, points))
    }

    fn checked(c: &DeviceArray<T>, points: &DeviceArray<T>) -> Result<PPoly<T>> {
        let host = rising("PPoly", points)?;
        if c.ndim() < 2 || c.shape()[0] == 0 || c.shape()[1] + 1 != host.len() {
            return Err(Error::shape(format!(
                "PPoly: coefficients of shape {:?} for {} points",
                c.shape(),
                host.len()
            )));
        }
        let coefficients = (0..c.shape()[0]).map(|k| c.index_axis(0, k as isize)).collect();
        Ok(Self::of(points, &host, coefficients))
    }

    /// The function of parts that fit.
    pub(super) fn of(
        points: &DeviceArray<T>,
        host: &[f64],
        coefficients: Vec<DeviceArray<T>>,
    ) -> PPoly<T> {
        let ends = [host[0], host[host.len() - 1]];
        PPoly { points: points.clone(), ends, coefficients, beyond: Beyond::default() }
    }

    /// The same function with other values beyond its ends.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{interpolate::{Beyond, pchip}, prelude::*};
    /// let x = DeviceArray::from_slice(&[0.0, 1.0, 2.0])?;
    /// let f = pchip(&x, &x)?.beyond(Beyond::Periodic);
    /// assert_eq!(f.at(&DeviceArray::from_slice(&[2.5])?).to_vec()?, [0.5]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn beyond(mut self, beyond: Beyond) -> Self {
        self.beyond = beyond;
        self
    }

    /// The coefficients, `[powers, intervals, …]`. SciPy: `c`.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{interpolate::pchip, prelude::*};
    /// let x = DeviceArray::from_slice(&[0.0, 1.0])?;
    /// assert_eq!(pchip(&x, &x)?.coefficients().to_vec()?, [0.0, 0.0, 1.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn coefficients(&self) -> DeviceArray<T> {
        crate::stack(&self.coefficients.iter().collect::<Vec<_>>(), 0)
    }

    /// The points. SciPy: `x`.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{interpolate::pchip, prelude::*};
    /// let x = DeviceArray::from_slice(&[0.0, 1.0])?;
    /// assert_eq!(pchip(&x, &x)?.points().to_vec()?, [0.0, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn points(&self) -> &DeviceArray<T> {
        &self.points
    }

    /// The trailing axes of a value.
    fn trailing(&self) -> usize {
        self.coefficients[0].ndim() - 1
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
    /// # use lazuli::{interpolate::pchip, prelude::*};
    /// let x = DeviceArray::from_slice(&[0.0, 1.0, 2.0])?;
    /// let f = pchip(&x, &DeviceArray::from_slice(&[0.0, 10.0, 10.0])?)?;
    /// assert_eq!(f.at(&DeviceArray::from_slice(&[0.5, 1.5])?).to_vec()?, [6.875, 10.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn at(&self, places: &DeviceArray<T>) -> DeviceArray<T> {
        let places = match self.beyond {
            Beyond::Periodic => wrapped(places, self.ends),
            _ => places.clone(),
        };
        let interval = intervals(&self.points, &places);
        let distance = &places - read(&self.points, &interval);
        let distance = with_axes(&distance, self.trailing());
        let mut powers = self.coefficients.iter().map(|c| read(c, &interval));
        let highest = powers.next().expect("there is one power at least");
        let constant = self.coefficients.len() == 1;
        let mut value = powers.fold(highest, |value, c| value * &distance + c);
        if constant {
            // A constant knows no NaN of its places.
            value += &distance * T::ZERO;
        }
        if self.beyond == Beyond::Nan {
            value = nan_beyond(value, &places, self.ends, self.trailing());
        }
        value
    }

    /// The derivative of this order.
    ///
    /// **Laziness.** Records. SciPy: `derivative`.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{interpolate::pchip, prelude::*};
    /// let x = DeviceArray::from_slice(&[0.0, 2.0])?;
    /// let f = pchip(&x, &(3.0 * &x))?;
    /// assert_eq!(f.derivative(1).at(&x).to_vec()?, [3.0, 3.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn derivative(&self, order: usize) -> PPoly<T> {
        let mut coefficients = self.coefficients.clone();
        for _ in 0..order {
            let last = coefficients.pop().expect("there is one power at least");
            if coefficients.is_empty() {
                coefficients.push(DeviceArray::zeros_like(&last));
            }
            let powers = coefficients.len();
            for (k, c) in coefficients.iter_mut().enumerate() {
                *c = &*c * T::from_f64((powers - k) as f64);
            }
        }
        PPoly { coefficients, ..self.clone() }
    }

    /// The integral from the first point on.
    ///
    /// **Laziness.** Records. SciPy: `antiderivative`.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{interpolate::pchip, prelude::*};
    /// let x = DeviceArray::from_slice(&[0.0, 2.0, 3.0])?;
    /// let f = pchip(&x, &x)?;
    /// assert_eq!(f.antiderivative().at(&x).to_vec()?, [0.0, 2.0, 4.5]);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn antiderivative(&self) -> PPoly<T> {
        let powers = self.coefficients.len();
        let divided = self.coefficients.iter().enumerate();
        let mut coefficients: Vec<DeviceArray<T>> =
            divided.map(|(k, c)| c / T::from_f64((powers - k) as f64)).collect();
        let width = with_axes(&self.points.diff(1, 0), self.trailing());
        let pieces =
            coefficients[1..].iter().fold(coefficients[0].clone(), |sum, c| sum * &width + c);
        let before = (pieces * &width).cumsum_with(0, Scan::new().exclusive());
        coefficients.push(before.cast::<T>());
        PPoly { coefficients, ..self.clone() }
    }

    /// The integral between two numbers; it is negative where the second one is less.
    ///
    /// **Shape.** The trailing axes of the values. **Laziness.** Records. SciPy: `integrate`.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{interpolate::pchip, prelude::*};
    /// let x = DeviceArray::from_slice(&[0.0, 1.0, 2.0])?;
    /// assert_eq!(pchip(&x, &x)?.integrate(0.0, 2.0).item()?, 2.0);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn integrate(&self, from: f64, to: f64) -> DeviceArray<T> {
        let whole = self.antiderivative().beyond(match self.beyond {
            Beyond::Periodic => Beyond::Extrapolate,
            other => other,
        });
        let place = |x: f64| self.points.device().scope(|| DeviceArray::full((), T::from_f64(x)));
        if self.beyond != Beyond::Periodic {
            return whole.at(&place(to)) - whole.at(&place(from));
        }
        let [first, last] = self.ends;
        let period = last - first;
        let up_to = |x: f64| {
            let turns = ((x - first) / period).floor();
            let rest = whole.at(&place(x - turns * period));
            rest + whole.at(&place(last)) * T::from_f64(turns)
        };
        up_to(to) - up_to(from)
    }
}
