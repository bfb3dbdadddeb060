//! Interpolation between points that lie anywhere.

use super::read;
use crate::array::{DeviceArray, located, or_panic};
use crate::dtype::{Component, Factorable, Floating};
use crate::error::{Error, Result};

/// Checks points `[n, d]` and their values `[n, …]`.
fn checked<T: Floating>(
    name: &str,
    points: &DeviceArray<T>,
    values: &DeviceArray<T>,
) -> Result<()> {
    let fits =
        matches!(points.shape(), [n, d] if *n > 0 && *d > 0 && values.shape().first() == Some(n));
    if !fits {
        let (points, values) = (points.shape(), values.shape());
        return Err(Error::shape(format!(
            "{name}: points of shape {points:?} and values of shape {values:?}"
        )));
    }
    match points.device().differs(values.device()) {
        true => Err(crate::array::record::devices_differ(name, points.device(), values.device())),
        false => Ok(()),
    }
}

/// Places `[…, d]` as rows, and the shape before the last axis.
fn listed<T: Floating>(
    name: &str,
    places: &DeviceArray<T>,
    dimensions: usize,
) -> Result<(DeviceArray<T>, Vec<usize>)> {
    match places.shape().split_last() {
        Some((&d, lead)) if d == dimensions => {
            let count: usize = lead.iter().product();
            Ok((places.reshape([count, d]), lead.to_vec()))
        }
        _ => Err(Error::shape(format!(
            "{name}: places of shape {:?}, whose last axis is to have {dimensions} coordinates",
            places.shape()
        ))),
    }
}

/// The squares of the distances of rows from points.
#[track_caller]
fn squares<T: Floating>(rows: &DeviceArray<T>, points: &DeviceArray<T>) -> DeviceArray<T> {
    (rows.insert_axis(1) - points).square().sum(-1)
}

/// The value of the nearest point. SciPy: `NearestNDInterpolator`.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::interpolate::NearestND;
/// let points = DeviceArray::try_from([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])?;
/// let f = NearestND::new(&points, &DeviceArray::from_slice(&[5.0, 6.0, 7.0])?)?;
/// let at = DeviceArray::try_from([[0.1, 1.5], [0.9, 0.3]])?;
/// assert_eq!(f.at(&at).to_vec()?, [7.0, 6.0]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct NearestND<T: Floating> {
    points: DeviceArray<T>,
    values: DeviceArray<T>,
}

impl<T: Floating> NearestND<T> {
    /// The interpolant of these points and values.
    ///
    /// **Shape.** `points` is `[n, d]`, `values` is `[n, …]`. **Laziness.** Records.
    ///
    /// # Errors
    /// [`Error::is_shape`] where the shapes do not fit, [`Error::is_device`].
    ///
    /// # Example
    /// ```
    /// # use lazuli::{interpolate::NearestND, prelude::*};
    /// let points = DeviceArray::<f64>::zeros([0, 2]);
    /// assert!(NearestND::new(&points, &DeviceArray::zeros([0])).is_err_and(|e| e.is_shape()));
    /// ```
    #[track_caller]
    pub fn new(points: &DeviceArray<T>, values: &DeviceArray<T>) -> Result<NearestND<T>> {
        located(checked("NearestND", points, values))?;
        Ok(NearestND { points: points.clone(), values: values.clone() })
    }

    /// The values at these places: each is held against all points, so that the time is the product of
    /// both numbers, and of equal distances the first point's is taken. NaN among the coordinates gives
    /// NaN.
    ///
    /// **Shape.** `[…, d]` gives `[…]`, with the trailing axes of the values behind. **Laziness.**
    /// Records.
    ///
    /// # Panics
    /// Where the last axis has not `d` elements, or the places are on another device.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{interpolate::NearestND, prelude::*};
    /// let points = DeviceArray::try_from([[0.0], [1.0]])?;
    /// let f = NearestND::new(&points, &DeviceArray::from_slice(&[5.0, 6.0])?)?;
    /// assert_eq!(f.at(&DeviceArray::from_slice(&[0.7])?).item()?, 6.0);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn at(&self, places: &DeviceArray<T>) -> DeviceArray<T> {
        let (rows, lead) = or_panic(listed("NearestND", places, self.points.shape()[1]));
        // In units of a power of two, which rounds nothing: squares of large coordinates would overflow,
        // and those of tiny ones vanish.
        let largest = self.points.abs().max(..);
        let unit = &largest / (largest.frexp().0 * T::from_f64(2.0));
        let unit = unit.greater(T::ZERO).select(&unit, T::ONE);
        let nearest = squares(&(&rows / &unit), &(&self.points / &unit)).argmin(-1);
        let known = rows.equal(&rows).all(-1);
        let trailing = &self.values.shape()[1..];
        let values = read(&self.values, &nearest);
        let known = known.reshape([&[rows.shape()[0]][..], &vec![1; trailing.len()]].concat());
        let values = known.select(values, T::from_f64(f64::NAN));
        values.reshape([&lead[..], trailing].concat())
    }
}

/// A function of the distance from a point, of which an interpolant is a sum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kernel {
    /// `−r`.
    Linear,
    /// `r²·ln r`.
    ThinPlateSpline,
    /// `r³`.
    Cubic,
    /// `−r⁵`.
    Quintic,
    /// `−√(1 + (εr)²)`.
    Multiquadric(f64),
    /// `1 / √(1 + (εr)²)`.
    InverseMultiquadric(f64),
    /// `1 / (1 + (εr)²)`.
    InverseQuadratic(f64),
    /// `exp(−(εr)²)`.
    Gaussian(f64),
}

impl Kernel {
    /// The least degree of the polynomial with which the system has one solution.
    fn degree(self) -> usize {
        match self {
            Kernel::ThinPlateSpline | Kernel::Cubic => 1,
            Kernel::Quintic => 2,
            _ => 0,
        }
    }

    /// The function of squares of distances.
    #[track_caller]
    fn of<T: Floating>(self, squares: &DeviceArray<T>) -> DeviceArray<T> {
        let scaled = |epsilon: f64| squares * T::from_f64(epsilon * epsilon);
        let negative = |x: DeviceArray<T>| x * T::from_f64(-1.0);
        match self {
            Kernel::Linear => negative(squares.sqrt()),
            Kernel::ThinPlateSpline => {
                let value = squares * squares.ln() * T::from_f64(0.5);
                squares.equal(T::ZERO).select(T::ZERO, value)
            }
            Kernel::Cubic => squares * squares.sqrt(),
            Kernel::Quintic => negative(squares.square() * squares.sqrt()),
            Kernel::Multiquadric(epsilon) => negative((scaled(epsilon) + T::ONE).sqrt()),
            Kernel::InverseMultiquadric(epsilon) => (scaled(epsilon) + T::ONE).sqrt().reciprocal(),
            Kernel::InverseQuadratic(epsilon) => (scaled(epsilon) + T::ONE).reciprocal(),
            Kernel::Gaussian(epsilon) => negative(scaled(epsilon)).exp(),
        }
    }
}

/// A sum of functions of the distances from points, and a polynomial. SciPy: `RBFInterpolator` with all
/// points as neighbours.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::interpolate::{Kernel, Rbf};
/// let points = DeviceArray::try_from([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])?;
/// let heights = DeviceArray::from_slice(&[0.0, 1.0, 2.0, 3.0])?; // a plane
/// let f = Rbf::new(&points, &heights, Kernel::ThinPlateSpline, 0.0)?;
/// let at = DeviceArray::try_from([[0.5, 0.25]])?;
/// assert!((f.at(&at).item()? - 1.0).abs() < 1e-12);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Rbf<T: Component> {
    points: DeviceArray<T>,
    kernel: Kernel,
    /// The exponents of each term of the polynomial.
    powers: Vec<Vec<i32>>,
    /// What is taken from the coordinates, and what they are divided by then.
    shift: DeviceArray<T>,
    scale: DeviceArray<T>,
    /// The weights of the points and of the polynomial's terms.
    weights: DeviceArray<T>,
    trailing: Vec<usize>,
}

/// The exponents of all products of so many variables up to a degree.
fn powers(variables: usize, degree: usize) -> Vec<Vec<i32>> {
    let mut found = vec![vec![0; variables]];
    let mut last = found.clone();
    for _ in 0..degree {
        let mut next = Vec::new();
        for term in &last {
            // Only variables from the last one on, so that each product comes once.
            let from = term.iter().rposition(|&power| power > 0).unwrap_or(0);
            for k in from..variables {
                let mut term = term.clone();
                term[k] += 1;
                next.push(term);
            }
        }
        found.extend(next.iter().cloned());
        last = next;
    }
    found
}

impl<T: Component + Factorable> Rbf<T> {
    /// The interpolant of these points and values, with the least polynomial that the kernel needs;
    /// `smoothing` above zero lets it pass by the values.
    ///
    /// **Shape.** `points` is `[n, d]`, `values` is `[n, …]`. **Laziness.** Records the solution of a dense
    /// system of `n` unknowns, whose evaluation fails with [`Error::is_numeric`] where a point comes
    /// twice or all lie on a line (or whatever the polynomial does not tell apart).
    ///
    /// # Errors
    /// [`Error::is_shape`] where the shapes do not fit, or there are fewer points than terms of the
    /// polynomial; [`Error::is_device`].
    ///
    /// # Example
    /// ```
    /// # use lazuli::{interpolate::{Kernel, Rbf}, prelude::*};
    /// let points = DeviceArray::<f64>::from_vec([3, 1], vec![0.0, 1.0, 3.0])?;
    /// let values = DeviceArray::from_slice(&[1.0, 2.0, 0.0])?;
    /// let f = Rbf::new(&points, &values, Kernel::Gaussian(0.5), 0.0)?;
    /// assert!((f.at(&points) - values).abs().max(..).item()? < 1e-12);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn new(
        points: &DeviceArray<T>,
        values: &DeviceArray<T>,
        kernel: Kernel,
        smoothing: f64,
    ) -> Result<Rbf<T>> {
        located(Self::solved(points, values, kernel, smoothing))
    }

    fn solved(
        points: &DeviceArray<T>,
        values: &DeviceArray<T>,
        kernel: Kernel,
        smoothing: f64,
    ) -> Result<Rbf<T>> {
        checked("Rbf", points, values)?;
        let [n, d] = [points.shape()[0], points.shape()[1]];
        let powers = powers(d, kernel.degree());
        let terms = powers.len();
        if n < terms {
            return Err(Error::shape(format!("Rbf: {n} points for a polynomial of {terms} terms")));
        }
        let (low, high) = (points.min(0), points.max(0));
        let half = (&high - &low) * T::from_f64(0.5);
        let scale = half.equal(T::ZERO).select(T::ONE, half);
        let mut found = Rbf {
            points: points.clone(),
            kernel,
            powers,
            shift: (high + low) * T::from_f64(0.5),
            scale,
            weights: values.clone(),
            trailing: values.shape()[1..].to_vec(),
        };
        let width: usize = found.trailing.iter().product();
        let near = kernel.of(&squares(points, points));
        let weights = points.device().scope(|| {
            let smooth = DeviceArray::<T>::eye(n) * T::from_f64(smoothing);
            let terms_at = found.terms(points);
            let zeros = DeviceArray::zeros([terms, terms]);
            let top = crate::ops::join::try_concatenate(&[&(near + smooth), &terms_at], 1)?;
            let bottom = crate::ops::join::try_concatenate(&[&terms_at.t(), &zeros], 1)?;
            let whole = crate::ops::join::try_concatenate(&[&top, &bottom], 0)?;
            let values = values.reshape([n, width]);
            let nothing = DeviceArray::zeros([terms, width]);
            whole.try_solve(&crate::ops::join::try_concatenate(&[&values, &nothing], 0)?)
        });
        found.weights = weights?;
        Ok(found)
    }

    /// The terms of the polynomial at rows of coordinates.
    #[track_caller]
    fn terms(&self, rows: &DeviceArray<T>) -> DeviceArray<T> {
        let near = (rows - &self.shift) / &self.scale;
        let term = |powers: &Vec<i32>| {
            let ones = DeviceArray::ones_like(&near.slice(ndarray::s![.., 0]));
            let factors = powers.iter().enumerate().filter(|(_, power)| **power > 0);
            factors
                .fold(ones, |term, (k, &power)| term * near.slice(ndarray::s![.., k]).powi(power))
        };
        crate::stack(&self.powers.iter().map(term).collect::<Vec<_>>(), 1)
    }

    /// The values at these places. NaN gives NaN.
    ///
    /// **Shape.** `[…, d]` gives `[…]`, with the trailing axes of the values behind. **Laziness.**
    /// Records; as many functions are computed for each place as there are points.
    ///
    /// # Panics
    /// Where the last axis has not `d` elements, or the places are on another device.
    ///
    /// # Example
    /// ```
    /// # use lazuli::{interpolate::{Kernel, Rbf}, prelude::*};
    /// let points = DeviceArray::try_from([[0.0], [2.0]])?;
    /// let f = Rbf::new(&points, &DeviceArray::from_slice(&[3.0, 5.0])?, Kernel::Linear, 0.0)?;
    /// assert!((f.at(&DeviceArray::from_slice(&[1.0])?).item()? - 4.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn at(&self, places: &DeviceArray<T>) -> DeviceArray<T> {
        let (rows, lead) = or_panic(listed("Rbf", places, self.points.shape()[1]));
        let near = self.kernel.of(&squares(&rows, &self.points));
        let all = crate::ops::join::try_concatenate(&[&near, &self.terms(&rows)], 1);
        or_panic(all).matmul(&self.weights).reshape([&lead[..], &self.trailing].concat())
    }
}
