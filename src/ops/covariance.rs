//! Covariances and correlations of variables.

use super::linalg::matmul::matmul;
use super::movement::{diagonal, insert_axis, permute};
use super::statistics::wide;
use crate::array::{DeviceArray, checked, record};
use crate::dtype::{Element, Real, Scalar};
use crate::error::{Error, Result};
use crate::graph::Node;
use crate::shape::Shape;
use crate::table::{Op, Reduction};
use std::sync::Arc;

/// How [`cov_with`](DeviceArray::cov_with) and [`corrcoef_with`](DeviceArray::corrcoef_with) read
/// an array, and what they divide by.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let a = DeviceArray::from_vec([3, 2], vec![0.0, 2.0, 1.0, 1.0, 2.0, 0.0])?;
/// let by_columns = Covariance::new().columns();
/// assert_eq!(a.cov_with(by_columns).to_vec()?, [1.0, -1.0, -1.0, 1.0]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Covariance {
    columns: bool,
    ddof: usize,
    counts: Option<Arc<Node>>,
    weights: Option<Arc<Node>>,
}

impl Default for Covariance {
    #[track_caller]
    fn default() -> Self {
        Covariance::new()
    }
}

impl Covariance {
    /// Each row is a variable and each column an observation; sums are divided by the number of
    /// observations less 1. NumPy's default.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.0f64, 2.0, 3.0])?;
    /// assert_eq!(a.cov_with(Covariance::new()).item()?, 1.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub const fn new() -> Self {
        Covariance { columns: false, ddof: 1, counts: None, weights: None }
    }

    /// Each column is a variable and each row an observation: NumPy's `rowvar=False`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::<f64>::ones([5, 2]);
    /// assert_eq!(a.cov_with(Covariance::new().columns()).shape(), [2, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn columns(self) -> Self {
        Covariance { columns: true, ..self }
    }

    /// Divides by the number of observations less `ddof`: 0 is NumPy's `bias=True`.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.0f64, 3.0])?;
    /// assert_eq!(a.cov_with(Covariance::new().ddof(0)).item()?, 1.0);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn ddof(self, ddof: usize) -> Self {
        Covariance { ddof, ..self }
    }

    /// How often each observation occurred: NumPy's `fweights`. They are not checked to be whole
    /// and not negative.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.0f64, 3.0])?;
    /// let counts = DeviceArray::from_slice(&[2, 2])?;
    /// let all = DeviceArray::from_slice(&[1.0f64, 1.0, 3.0, 3.0])?;
    /// let found = a.cov_with(Covariance::new().counts(&counts));
    /// assert_eq!(found.item()?, all.cov().item()?);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn counts<C: Real>(self, counts: &DeviceArray<C>) -> Self {
        Covariance { counts: Some(counts.node().clone()), ..self }
    }

    /// How much each observation counts: NumPy's `aweights`. They are not checked to be not
    /// negative.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.0f64, 3.0])?;
    /// let weights = DeviceArray::from_slice(&[0.5, 0.5])?;
    /// let how = Covariance::new().ddof(0).weights(&weights);
    /// assert_eq!(a.cov_with(how).item()?, 1.0);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn weights<W: Real>(self, weights: &DeviceArray<W>) -> Self {
        Covariance { weights: Some(weights.node().clone()), ..self }
    }
}

/// The sum over the last axis, which is kept.
#[track_caller]
fn total(a: &Arc<Node>) -> Arc<Node> {
    let sum = record::reduce(Reduction::Sum, a, 1 << (a.shape.len() - 1));
    insert_axis(&sum, sum.shape.len())
}

/// Variables in rows and observations in columns.
#[track_caller]
fn table(name: &str, a: &Arc<Node>, columns: bool) -> Result<Arc<Node>> {
    match a.shape[..] {
        [] => Ok(record::reshape(a, Shape::from_slice(&[1, 1]))),
        [_] => Ok(insert_axis(a, 0)),
        [_, _] if columns => Ok(permute(a, &[1, 0])),
        [_, _] => Ok(a.clone()),
        _ => Err(Error::shape(format!("{name}: shape {:?} has more than two axes", a.shape))),
    }
}

/// Weights as a row beside so many observations of the array, in the type of its components.
#[track_caller]
fn row(name: &str, what: &str, a: &Arc<Node>, weights: &Arc<Node>) -> Result<Arc<Node>> {
    if weights.device.differs(a.device) {
        return Err(record::devices_differ(name, a.device, weights.device));
    }
    if weights.shape[..] != a.shape[1..] {
        return Err(Error::shape(format!(
            "{name}: {what} of shape {:?} for {} observations",
            weights.shape, a.shape[1]
        )));
    }
    Ok(insert_axis(&record::cast(weights, a.dtype.real()), 0))
}

/// The covariances of all pairs of rows, by NumPy's rules.
#[track_caller]
fn covariances(name: &str, a: &Arc<Node>, how: &Covariance) -> Result<Arc<Node>> {
    let a = table(name, a, how.columns)?;
    let real = a.dtype.real();
    let counts = how.counts.as_ref().map(|w| row(name, "counts", &a, w)).transpose()?;
    let weights = how.weights.as_ref().map(|w| row(name, "weights", &a, w)).transpose()?;
    let both = match (&counts, &weights) {
        (Some(counts), Some(weights)) => Some(record::binary(Op::Multiply, counts, weights)?),
        (one, other) => one.as_ref().or(other.as_ref()).cloned(),
    };
    let ddof = Scalar::from_f64(real, how.ddof as f64);
    let observations = a.shape[1];
    let (weighted, size, degrees) = match &both {
        None => {
            let shape = Shape::from_slice(&[1, 1]);
            let number =
                |n: usize| record::full(Scalar::from_f64(real, n as f64), shape.clone(), a.device);
            (a.clone(), number(observations), number(observations.saturating_sub(how.ddof)))
        }
        Some(both) => {
            let sum = total(both);
            let less = match &weights {
                None => record::full(ddof, sum.shape.clone(), a.device),
                // What a degree of freedom weighs.
                Some(weights) => {
                    let squares = total(&record::binary(Op::Multiply, both, weights)?);
                    let each = record::binary(Op::Divide, &squares, &sum)?;
                    record::binary(Op::Multiply, &each, ddof)?
                }
            };
            let degrees = match how.ddof {
                0 => sum.clone(),
                _ => record::binary(Op::Subtract, &sum, &less)?,
            };
            let degrees = record::binary(Op::Maximum, &degrees, record::number(&degrees, 0.0))?;
            let weighted = record::binary(Op::Multiply, &a, &record::cast(both, a.dtype))?;
            (weighted, sum, degrees)
        }
    };
    let mean = record::binary(Op::Divide, &total(&weighted), &record::cast(&size, a.dtype))?;
    let far = record::binary(Op::Subtract, &a, &mean)?;
    let other = match &both {
        None => far.clone(),
        Some(both) => record::binary(Op::Multiply, &far, &record::cast(both, a.dtype))?,
    };
    let other = if a.dtype.is_complex() { record::unary(Op::Conj, &other) } else { other };
    let sums = matmul(name, &far, &permute(&other, &[1, 0]))?;
    record::binary(Op::Divide, &sums, &record::cast(&degrees, a.dtype))
}

/// The correlations of all pairs of rows.
#[track_caller]
fn correlations(name: &str, a: &Arc<Node>, how: &Covariance) -> Result<Arc<Node>> {
    let all = covariances(name, a, how)?;
    if all.shape[0] == 1 {
        // Of one variable it is 1, unless there is no number for its variance or that is 0.
        return record::binary(Op::Divide, &all, &all);
    }
    let variances = diagonal(&all, 0, 0, 1);
    let variances = match all.dtype.is_complex() {
        true => record::unary(Op::RealPart, &variances),
        false => variances,
    };
    let deviations = record::cast(&record::unary(Op::Sqrt, &variances), all.dtype);
    let all = record::binary(Op::Divide, &all, &insert_axis(&deviations, 1))?;
    let all = record::binary(Op::Divide, &all, &insert_axis(&deviations, 0))?;
    // Rounding may have gone past the ends.
    let held = |a: &Arc<Node>| {
        let least = record::binary(Op::Maximum, a, record::number(a, -1.0))?;
        record::binary(Op::Minimum, &least, record::number(a, 1.0))
    };
    match all.dtype.is_complex() {
        true => record::binary(
            Op::ToComplex,
            &held(&record::unary(Op::RealPart, &all))?,
            &held(&record::unary(Op::ImagPart, &all))?,
        ),
        false => held(&all),
    }
}

/// A result in its type, without axes where there is one variable.
#[track_caller]
fn squeezed<T: Element>(all: &Arc<Node>) -> DeviceArray<T::Mean> {
    let all = match all.shape[..] {
        [1, 1] => record::reshape(all, Shape::new()),
        _ => all.clone(),
    };
    DeviceArray::from_node(record::cast(&all, <T::Mean as Element>::DTYPE))
}

impl<T: Element> DeviceArray<T> {
    checked! {
        /// The covariances of variables, the rows, over observations, the columns: sums of products
        /// of distances from the means, the second factor conjugated, divided by the number of
        /// observations less 1.
        ///
        /// **Shape.** `[n, n]` for `n` variables, and no axes for one, as it is in an array with one
        /// axis; NaN for one observation. **Dtype.** As [`mean`](Self::mean). NumPy: `cov`; its
        /// second array is what [`concatenate`](crate::concatenate) puts below the first.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_vec([2, 3], vec![0.0, 1.0, 2.0, 2.0, 1.0, 0.0])?;
        /// assert_eq!(a.cov().to_vec()?, [1.0, -1.0, -1.0, 1.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn cov | try_cov(&self) -> DeviceArray<T::Mean> {
            self.try_cov_with(Covariance::new())
        }

        /// As [`cov`](Self::cov), with a choice of what is a variable, what is divided by, and
        /// weights.
        ///
        /// **Shape, dtype.** As of [`cov`](Self::cov). Weights have one axis, as long as there are
        /// observations. NumPy: `cov` with `rowvar`, `bias`, `ddof`, `fweights` and `aweights`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_vec([2, 2], vec![0.0, 4.0, 2.0, 0.0])?;
        /// let how = Covariance::new().columns().ddof(0);
        /// assert_eq!(a.cov_with(how).to_vec()?, [1.0, -2.0, -2.0, 4.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn cov_with | try_cov_with(&self, how: Covariance) -> DeviceArray<T::Mean> {
            let all = covariances("cov", &wide::<T>(self.node()), &how)?;
            Ok(squeezed::<T>(&all))
        }

        /// The correlation coefficients of variables, the rows, over observations, the columns:
        /// covariances over the standard deviations of both.
        ///
        /// **Shape, dtype.** As of [`cov`](Self::cov). No part of an element lies outside of -1 to
        /// 1. NaN where a variable does not vary. NumPy: `corrcoef`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_vec([2, 3], vec![0.0, 1.0, 2.0, 4.0, 2.0, 0.0])?;
        /// assert_eq!(a.corrcoef().to_vec()?, [1.0, -1.0, -1.0, 1.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn corrcoef | try_corrcoef(&self) -> DeviceArray<T::Mean> {
            self.try_corrcoef_with(Covariance::new())
        }

        /// As [`corrcoef`](Self::corrcoef), with a choice of what is a variable, and weights.
        ///
        /// **Shape, dtype.** As of [`cov_with`](Self::cov_with). NumPy: `corrcoef` with `rowvar`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// let a = DeviceArray::from_vec([3, 2], vec![0.0, 4.0, 1.0, 2.0, 2.0, 0.0])?;
        /// let by_columns = Covariance::new().columns();
        /// assert_eq!(a.corrcoef_with(by_columns).to_vec()?, [1.0, -1.0, -1.0, 1.0]);
        /// # Ok::<(), Error>(())
        /// ```
        fn corrcoef_with | try_corrcoef_with(&self, how: Covariance) -> DeviceArray<T::Mean> {
            let all = correlations("corrcoef", &wide::<T>(self.node()), &how)?;
            Ok(squeezed::<T>(&all))
        }
    }
}
