//! Densities by kernels.

use super::sample::{Sample, at_least};
use crate::array::{DeviceArray, checked, located, recorded};
use crate::dtype::Real;
use crate::error::{Error, Result};
use crate::special::ndtr;
use std::f64::consts::TAU;

/// How wide the kernels of a [`GaussianKde`] are, as a part of the standard deviations of the points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Bandwidth {
    /// `n^(-1 / (d + 4))` for `n` points in `d` dimensions (D. W. Scott).
    #[default]
    Scott,
    /// `(n (d + 2) / 4)^(-1 / (d + 4))` (B. W. Silverman).
    Silverman,
    /// This part.
    Factor(f64),
}

impl Bandwidth {
    fn factor(self, n: f64, d: f64) -> f64 {
        match self {
            Bandwidth::Scott => n.powf(-1.0 / (d + 4.0)),
            Bandwidth::Silverman => (n * (d + 2.0) / 4.0).powf(-1.0 / (d + 4.0)),
            Bandwidth::Factor(factor) => factor,
        }
    }
}

/// An estimate of the density that points were drawn from: a normal distribution around each, with the
/// covariance of all points made narrower. SciPy: `stats.gaussian_kde`, without weights.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::stats::{Bandwidth, GaussianKde};
/// let points = DeviceArray::from_slice(&[-1.0f64, 0.0, 1.0])?;
/// let density = GaussianKde::new(&points, Bandwidth::Scott)?;
/// let at = DeviceArray::from_slice(&[0.0f64, 2.0])?;
/// let values = density.at(&at).to_vec()?;
/// assert!((values[0] - 0.3181562209264015).abs() < 1e-14);
/// // All of it is somewhere.
/// assert!((density.integrate_box_1d(-50.0, 50.0).item()? - 1.0).abs() < 1e-14);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct GaussianKde {
    /// The points in coordinates in which kernels are round and of width 1: `[d, n]`.
    points: DeviceArray<f64>,
    /// The lower triangle whose square is the kernels' covariance.
    root: DeviceArray<f64>,
    factor: f64,
}

impl GaussianKde {
    /// The density by points: `[n]` numbers, or `[d, n]` coordinates of points in `d` dimensions.
    ///
    /// **Laziness.** Records; the covariance and its root are computed when the density is. An
    /// evaluation in several dimensions fails with [`Error::is_numeric`] where all points lie in a
    /// plane of fewer.
    ///
    /// # Errors
    /// [`Error::is_shape`] where there are fewer than 2 points, or more axes than two.
    ///
    /// # Example
    /// ```
    /// use lazuli::{prelude::*, stats::{Bandwidth, GaussianKde}};
    /// let points = DeviceArray::from_slice(&[-1.0f64, 0.0, 1.0])?;
    /// let density = GaussianKde::new(&points, Bandwidth::Factor(0.5))?;
    /// assert_eq!(density.factor(), 0.5);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn new<T: Real>(points: &DeviceArray<T>, bandwidth: Bandwidth) -> Result<GaussianKde> {
        located(recorded(|| make(points, bandwidth)))
    }

    /// The width of the kernels, as a part of the standard deviations of the points. SciPy: `factor`.
    ///
    /// # Example
    /// ```
    /// use lazuli::{prelude::*, stats::{Bandwidth, GaussianKde}};
    /// let points = DeviceArray::<f64>::arange_to(32.0);
    /// assert_eq!(GaussianKde::new(&points, Bandwidth::Scott)?.factor(), 0.5);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn factor(&self) -> f64 {
        self.factor
    }

    /// The distances from all points to places, `[m, n]`: half of their squares.
    #[track_caller]
    fn energies(&self, places: &DeviceArray<f64>) -> Result<DeviceArray<f64>> {
        let d = self.points.shape()[0];
        let own = if places.ndim() < 2 { 1 } else { places.shape()[0] };
        if places.ndim() > 2 || places.ndim() == 0 || own != d {
            let shape = places.shape();
            return Err(Error::shape(format!("places of shape {shape:?} in {d} dimensions")));
        }
        let places = places.reshape([d, places.len() / d]);
        let places = whitened(&self.root, &places)?;
        let axes = (0..d).map(|k| {
            let (at, points) =
                (places.index_axis(0, k as isize), self.points.index_axis(0, k as isize));
            (at.insert_axis(1) - points.insert_axis(0)).square()
        });
        let squares = axes.reduce(|sum, term| sum + term).expect("there is a dimension");
        Ok(squares * 0.5)
    }

    /// What the sum of the kernels is divided by, as a logarithm.
    #[track_caller]
    fn log_norm(&self) -> DeviceArray<f64> {
        let (d, n) = (self.points.shape()[0] as f64, self.points.shape()[1] as f64);
        self.root.diagonal(0, 0, 1).ln().sum(..) + (0.5 * d * TAU.ln() + n.ln())
    }

    checked! {
        /// The density at places: `[m]` numbers, or `[d, m]` coordinates.
        ///
        /// **Shape.** `[m]`. **Dtype.** `f64`. SciPy: `gaussian_kde.evaluate`, `pdf`.
        example
        /// ```
        /// use lazuli::{prelude::*, stats::{Bandwidth, GaussianKde}};
        /// let points = DeviceArray::from_vec([2, 4], vec![0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0])?;
        /// let density = GaussianKde::new(&points, Bandwidth::Scott)?;
        /// let values = density.at(&DeviceArray::from_vec([2, 1], vec![0.5, 0.5])?);
        /// assert!((values.item()? - 0.23045090186127912).abs() < 1e-13);
        /// # Ok::<(), Error>(())
        /// ```
        fn at | try_at(&self, places: &DeviceArray<f64>) -> DeviceArray<f64> {
            let kernels = (-self.energies(places)?).exp().sum(-1);
            Ok(kernels / self.log_norm().exp())
        }

        /// The logarithm of the density at places, also where it is too small for a number.
        ///
        /// **Shape.** `[m]`. **Dtype.** `f64`. SciPy: `gaussian_kde.logpdf`.
        example
        /// ```
        /// use lazuli::{prelude::*, stats::{Bandwidth, GaussianKde}};
        /// let points = DeviceArray::from_slice(&[-1.0f64, 0.0, 1.0])?;
        /// let density = GaussianKde::new(&points, Bandwidth::Scott)?;
        /// let far = density.log_at(&DeviceArray::from_slice(&[100.0f64])?).item()?;
        /// assert!((far + 7606.617063336362).abs() < 1e-9);
        /// # Ok::<(), Error>(())
        /// ```
        fn log_at | try_log_at(&self, places: &DeviceArray<f64>) -> DeviceArray<f64> {
            Ok((-self.energies(places)?).try_logsumexp(-1)? - self.log_norm())
        }

        /// The probability between two numbers, in one dimension.
        ///
        /// **Shape.** No axes. **Dtype.** `f64`. An error in several dimensions. SciPy:
        /// `gaussian_kde.integrate_box_1d`.
        example
        /// ```
        /// use lazuli::{prelude::*, stats::{Bandwidth, GaussianKde}};
        /// let points = DeviceArray::from_slice(&[-1.0f64, 0.0, 1.0])?;
        /// let density = GaussianKde::new(&points, Bandwidth::Scott)?;
        /// let half = density.integrate_box_1d(f64::NEG_INFINITY, 0.0).item()?;
        /// assert!((half - 0.5).abs() < 1e-15);
        /// # Ok::<(), Error>(())
        /// ```
        fn integrate_box_1d | try_integrate_box_1d(&self, low: f64, high: f64) -> DeviceArray<f64> {
            let d = self.points.shape()[0];
            if d != 1 {
                return Err(Error::shape(format!("integrate_box_1d: a density in {d} dimensions")));
            }
            let below = |x: f64| ndtr(&(self.root.reciprocal() * x - &self.points));
            Ok((below(high) - below(low)).mean(..))
        }
    }
}

/// Coordinates in which the kernels are round.
#[track_caller]
fn whitened(root: &DeviceArray<f64>, points: &DeviceArray<f64>) -> Result<DeviceArray<f64>> {
    match root.len() {
        1 => points.try_divide(root),
        _ => root.try_solve_triangular(points, true),
    }
}

#[track_caller]
fn make<T: Real>(points: &DeviceArray<T>, bandwidth: Bandwidth) -> Result<GaussianKde> {
    let (d, n) = match points.shape() {
        &[n] => (1, n),
        &[d, n] if d > 0 => (d, n),
        shape => return Err(Error::shape(format!("GaussianKde: points of shape {shape:?}"))),
    };
    at_least("GaussianKde", n, 2)?;
    let points = points.cast::<f64>().reshape([d, n]);
    let factor = bandwidth.factor(n as f64, d as f64);
    let root = match d {
        1 => Sample::new("GaussianKde", &points, crate::keep(1))?.variance().sqrt(),
        _ => points.try_cov()?.try_cholesky()?,
    };
    let root = root * factor;
    Ok(GaussianKde { points: whitened(&root, &points)?, root, factor })
}
