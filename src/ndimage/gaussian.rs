//! Gaussian filters and their derivatives.

use super::border::{Border, Placement, each};
use super::weighted::{along, sum_of, truncated};
use crate::array::{DeviceArray, checked_fns, record};
use crate::dtype::{DType, Number};
use crate::error::{Error, Result};
use crate::graph::Node;
use crate::shape::axis_index;
use crate::table::Op;
use smallvec::SmallVec;
use std::sync::Arc;

/// The width of a Gaussian filter, and what else it is told.
///
/// Made from one standard deviation (`2.0`) or one for each axis (`[2.0, 0.5]`). SciPy: the
/// parameters `sigma`, `order`, `truncate`, `radius`, `mode` and `cval`.
///
/// # Example
/// ```
/// use lazuli::ndimage::{Border, Gaussian, gaussian_filter};
/// use lazuli::prelude::*;
/// let a = DeviceArray::<f64>::arange_to(25.0).reshape([5, 5]);
/// // The derivative along the rows, of which so narrow a Gaussian gives a part.
/// let across = Gaussian::new(0.5).order([0, 1]).truncate(6.0).border(Border::Nearest);
/// let slope = gaussian_filter(&a, across).slice(s![2, 2]).item()?;
/// assert!((slope - 0.8601).abs() < 1e-4);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Gaussian {
    sigmas: SmallVec<[f64; 4]>,
    orders: SmallVec<[usize; 4]>,
    radii: SmallVec<[usize; 4]>,
    truncate: f64,
    placement: Placement,
}

impl Gaussian {
    /// A filter with these standard deviations, cut off at four of them.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ndimage::{Gaussian, gaussian_filter}, prelude::*};
    /// let a = DeviceArray::from_slice(&[0.0f64, 0.0, 1.0, 0.0, 0.0])?;
    /// let b = gaussian_filter(&a, Gaussian::new(1.0)).to_vec()?;
    /// assert!((b[2] - 0.398943469).abs() < 1e-8);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(sigma: impl Into<Gaussian>) -> Gaussian {
        sigma.into()
    }

    /// The derivative of the Gaussian that is applied along each axis, or along all of them where
    /// one number is given; 0 is the Gaussian itself.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ndimage::{Gaussian, gaussian_filter}, prelude::*};
    /// let a = DeviceArray::from_slice(&[0.0f64, 0.0, 1.0, 0.0, 0.0])?;
    /// let b = gaussian_filter(&a, Gaussian::new(1.0).order([1])).to_vec()?;
    /// assert!((b[1] - 0.241436123).abs() < 1e-8);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn order(self, orders: impl IntoIterator<Item = usize>) -> Gaussian {
        Gaussian { orders: orders.into_iter().collect(), ..self }
    }

    /// After how many standard deviations the weights end.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ndimage::{Gaussian, gaussian_filter}, prelude::*};
    /// let a = DeviceArray::from_slice(&[0.0f64, 0.0, 1.0, 0.0, 0.0])?;
    /// let b = gaussian_filter(&a, Gaussian::new(1.0).truncate(1.0)).to_vec()?;
    /// assert!((b[2] - 0.451862762).abs() < 1e-8);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn truncate(self, truncate: f64) -> Gaussian {
        Gaussian { truncate, ..self }
    }

    /// How many elements the weights reach on both sides of each axis, whatever
    /// [`truncate`](Self::truncate) says; one number stands for all axes.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ndimage::{Gaussian, gaussian_filter}, prelude::*};
    /// let a = DeviceArray::from_slice(&[0.0f64, 0.0, 1.0, 0.0, 0.0])?;
    /// let b = gaussian_filter(&a, Gaussian::new(1.0).radius([1])).to_vec()?;
    /// assert!((b[1] - 0.274068619).abs() < 1e-8);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn radius(self, radii: impl IntoIterator<Item = usize>) -> Gaussian {
        Gaussian { radii: radii.into_iter().collect(), ..self }
    }

    /// What the filter takes beyond the edges of all axes.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ndimage::{Border, Gaussian, gaussian_filter}, prelude::*};
    /// let a = DeviceArray::from_slice(&[0.0f64, 0.0, 1.0, 0.0, 0.0])?;
    /// let b = gaussian_filter(&a, Gaussian::new(1.0).border(Border::Constant(1.0))).to_vec()?;
    /// assert!((b[0] - 0.354519393).abs() < 1e-8);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn border(self, border: Border) -> Gaussian {
        self.borders([border])
    }

    /// What the filter takes beyond the edges, axis by axis.
    ///
    /// # Example
    /// ```
    /// use lazuli::{ndimage::{Border, Gaussian, gaussian_filter}, prelude::*};
    /// let a = DeviceArray::<f64>::eye(3);
    /// let how = Gaussian::new(1.0).borders([Border::Nearest, Border::Wrap]);
    /// assert!((gaussian_filter(&a, how).get([0, 2])? - 0.302637832).abs() < 1e-8);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn borders(self, borders: impl IntoIterator<Item = Border>) -> Gaussian {
        Gaussian { placement: Placement::default().borders(borders), ..self }
    }

    /// The weights along the axes of an array, `None` where an axis is left alone.
    fn weights(&self, name: &str, rank: usize) -> Result<Vec<Option<Vec<f64>>>> {
        let sigmas = each(name, "standard deviations", &self.sigmas, rank, 1.0)?;
        let orders = each(name, "orders", &self.orders, rank, 0)?;
        let radii: SmallVec<[usize; 4]> = match self.radii[..] {
            [] => {
                sigmas.iter().map(|sigma| (self.truncate * sigma + 0.5).max(0.0) as usize).collect()
            }
            _ => each(name, "radii", &self.radii, rank, 0)?,
        };
        let one = |k: usize| {
            let sigma = sigmas[k];
            if !sigma.is_finite() || radii[k] > MOST_RADIUS {
                return Err(Error::shape(format!(
                    "{name}: a standard deviation of {sigma} with weights up to {} elements away",
                    radii[k]
                )));
            }
            Ok((sigma > LEAST_SIGMA).then(|| weights(sigma, orders[k], radii[k])))
        };
        (0..rank).map(one).collect()
    }
}

/// What is narrower changes nothing.
const LEAST_SIGMA: f64 = 1e-15;
/// Windows are no longer than this on either side.
const MOST_RADIUS: usize = 1 << 24;

impl From<f64> for Gaussian {
    fn from(sigma: f64) -> Gaussian {
        Gaussian::from([sigma])
    }
}

impl<const N: usize> From<[f64; N]> for Gaussian {
    fn from(sigmas: [f64; N]) -> Gaussian {
        Gaussian::from(&sigmas[..])
    }
}

impl From<&[f64]> for Gaussian {
    fn from(sigmas: &[f64]) -> Gaussian {
        Gaussian {
            sigmas: SmallVec::from_slice(sigmas),
            orders: SmallVec::new(),
            radii: SmallVec::new(),
            truncate: 4.0,
            placement: Placement::default(),
        }
    }
}

/// The weights of a correlation with a Gaussian's derivative: the sampled Gaussian, whose sum is 1,
/// times the polynomial that stands before it.
fn weights(sigma: f64, order: usize, radius: usize) -> Vec<f64> {
    let radius = radius as i64;
    let places = || (-radius..=radius).map(|x| x as f64);
    let mut values: Vec<f64> = places().map(|x| (-0.5 / (sigma * sigma) * x * x).exp()).collect();
    let sum: f64 = values.iter().sum();
    let polynomial = derivative(sigma, order);
    for (value, x) in values.iter_mut().zip(places()) {
        *value *= polynomial.iter().rev().fold(0.0, |sum, c| sum * x + c) / sum;
    }
    // A convolution with them is wanted.
    values.reverse();
    values
}

/// The coefficients of the polynomial `q` of which `q(x) exp(-x² / 2σ²)` is the derivative: from one
/// derivative to the next, `q` becomes `q' - q x / σ²`.
fn derivative(sigma: f64, order: usize) -> Vec<f64> {
    let mut q = vec![1.0];
    for _ in 0..order {
        let mut next = vec![0.0; q.len() + 1];
        for (k, &c) in q.iter().enumerate() {
            next[k + 1] -= c / (sigma * sigma);
            if k > 0 {
                next[k - 1] += k as f64 * c;
            }
        }
        q = next;
    }
    q
}

/// One axis after the other, each result in the array's own type.
#[track_caller]
fn filter(name: &str, a: &Arc<Node>, how: &Gaussian) -> Result<Arc<Node>> {
    let mut result = a.clone();
    for (axis, weights) in how.weights(name, a.shape.len())?.iter().enumerate() {
        if let Some(weights) = weights {
            result = along(name, &result, weights, axis, &how.placement)?;
        }
    }
    Ok(result)
}

/// The same filter with a derivative along one axis alone, for each of the axes.
#[track_caller]
fn each_axis(name: &str, a: &Arc<Node>, how: &Gaussian, order: usize) -> Result<Vec<Arc<Node>>> {
    let rank = a.shape.len();
    let one = |axis: usize| {
        let orders = (0..rank).map(|k| if k == axis { order } else { 0 });
        filter(name, a, &how.clone().order(orders))
    };
    (0..rank).map(one).collect()
}

checked_fns! {
    /// The array blurred by a Gaussian, or filtered with derivatives of one.
    ///
    /// Axis by axis, each result in the array's type: integers are truncated every time. Sums as in
    /// [`correlate1d`](super::correlate1d).
    ///
    /// **Shape.** The array's. **Dtype.** The array's. SciPy: `ndimage.gaussian_filter`.
    example
    /// ```
    /// use lazuli::ndimage::gaussian_filter;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[0.0, 0.0, 1.0, 0.0, 0.0])?;
    /// let blurred = gaussian_filter(&a, 0.5).to_vec()?;
    /// assert!((blurred[2] - 0.7865).abs() < 1e-4 && (blurred[1] - 0.1064).abs() < 1e-4);
    /// # Ok::<(), Error>(())
    /// ```
    fn gaussian_filter | try_gaussian_filter<T: Number>(
        a: &DeviceArray<T>,
        how: impl Into<Gaussian>,
    ) -> DeviceArray<T> {
        filter("gaussian_filter", a.node(), &how.into()).map(DeviceArray::from_node)
    }

    /// The array filtered with a Gaussian, or a derivative of one, along one axis.
    ///
    /// **Shape.** The array's. **Dtype.** The array's. SciPy: `ndimage.gaussian_filter1d`.
    example
    /// ```
    /// use lazuli::ndimage::{Gaussian, gaussian_filter1d};
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[0.0, 0.0, 1.0, 0.0, 0.0])?;
    /// let slope = gaussian_filter1d(&a, Gaussian::new(1.0).order([1]), 0).to_vec()?;
    /// assert!((slope[1] - 0.2414).abs() < 1e-4 && (slope[1] + slope[3]).abs() < 1e-12);
    /// # Ok::<(), Error>(())
    /// ```
    fn gaussian_filter1d | try_gaussian_filter1d<T: Number>(
        a: &DeviceArray<T>,
        how: impl Into<Gaussian>,
        axis: isize,
    ) -> DeviceArray<T> {
        let axis = axis_index("gaussian_filter1d", axis, a.ndim())?;
        let how = how.into();
        let weights = how.weights("gaussian_filter1d", 1)?.remove(0);
        let filtered = match weights {
            Some(weights) => along("gaussian_filter1d", a.node(), &weights, axis, &how.placement)?,
            None => a.node().clone(),
        };
        Ok(DeviceArray::from_node(filtered))
    }

    /// The sum of the second derivatives along all axes, by derivatives of a Gaussian.
    ///
    /// **Shape.** The array's. **Dtype.** The array's; sums of integers wrap. SciPy:
    /// `ndimage.gaussian_laplace`.
    example
    /// ```
    /// use lazuli::ndimage::gaussian_laplace;
    /// use lazuli::prelude::*;
    /// let x = DeviceArray::<f64>::arange_to(21.0) - 10.0;
    /// let bowl = x.square().insert_axis(0) + x.square().insert_axis(1);
    /// let found = gaussian_laplace(&bowl, 1.0).slice(s![10, 10]).item()?;
    /// assert!((found - 4.0).abs() < 0.01);
    /// # Ok::<(), Error>(())
    /// ```
    fn gaussian_laplace | try_gaussian_laplace<T: Number>(
        a: &DeviceArray<T>,
        how: impl Into<Gaussian>,
    ) -> DeviceArray<T> {
        match a.ndim() {
            0 => Ok(a.clone()),
            _ => sum_of(each_axis("gaussian_laplace", a.node(), &how.into(), 2)?)
                .map(DeviceArray::from_node),
        }
    }

    /// The length of the gradient, by derivatives of a Gaussian.
    ///
    /// **Shape.** The array's. **Dtype.** The array's; squares and sums of integers wrap. SciPy:
    /// `ndimage.gaussian_gradient_magnitude`.
    example
    /// ```
    /// use lazuli::ndimage::gaussian_gradient_magnitude;
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::arange_to(25.0).insert_axis(0) * 3.0;
    /// let slope = gaussian_gradient_magnitude(&a, 1.0).slice(s![0, 12]).item()?;
    /// assert!((slope - 3.0).abs() < 0.01);
    /// # Ok::<(), Error>(())
    /// ```
    fn gaussian_gradient_magnitude | try_gaussian_gradient_magnitude<T: Number>(
        a: &DeviceArray<T>,
        how: impl Into<Gaussian>,
    ) -> DeviceArray<T> {
        if a.ndim() == 0 {
            return Ok(a.clone());
        }
        let slopes = each_axis("gaussian_gradient_magnitude", a.node(), &how.into(), 1)?;
        let squares = slopes.iter().map(|slope| record::binary(Op::Multiply, slope, slope));
        let sum = sum_of(squares.collect::<Result<_>>()?)?;
        let dtype = if T::DTYPE.is_integer() { DType::F64 } else { T::DTYPE };
        let root = record::unary(Op::Sqrt, &record::cast(&sum, dtype));
        truncated(&root, T::DTYPE).map(DeviceArray::from_node)
    }
}
