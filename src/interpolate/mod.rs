//! Interpolation: SciPy's `scipy.interpolate`.
//!
//! Piecewise polynomials ([`PPoly`]) through points, by their derivatives ([`cubic_spline`], [`pchip`],
//! [`akima`], [`hermite`]); splines of any degree by basis splines ([`BSpline`], [`make_interp_spline`]);
//! and tables on rectangular grids of any number of axes ([`RegularGrid`]). Points that lie anywhere have
//! [`NearestND`] and [`Rbf`], and polynomials through all points are [`Barycentric`] and [`Krogh`]. The coefficients of an
//! interpolant are computed once, on the host, in `f64`; its values, derivatives and integrals are
//! recorded like any operation: the search for the interval, the reading of coefficients and the
//! polynomial are one kernel with what stands around them.
//!
//! The points of lines are [`interp`](crate::DeviceArray::interp)'s, and those of evenly spaced grids
//! may be [`ndimage::map_coordinates`](crate::ndimage::map_coordinates)'.
//!
//! [`guide::interpolation`](crate::guide::interpolation) shows it in pictures.
//!
//! # Example
//! ```
//! use lazuli::{interpolate, prelude::*};
//! let x = DeviceArray::<f64>::linspace(0.0, 6.0, 13);
//! let sine = interpolate::cubic_spline(&x, &x.sin(), interpolate::Boundary::NotAKnot)?;
//! let at = DeviceArray::from_slice(&[1.0, 2.5])?;
//! let errors = (sine.at(&at) - at.sin()).abs().max(..).item()?;
//! assert!(errors < 1e-3);
//! let slopes = (sine.derivative(1).at(&at) - at.cos()).abs().max(..).item()?;
//! assert!(slopes < 1e-2);
//! assert!((sine.integrate(0.0, 6.0).item()? - (1.0 - 6f64.cos())).abs() < 1e-3);
//! # Ok::<(), Error>(())
//! ```

mod bspline;
mod cubic;
mod grid;
mod least_squares;
mod piecewise;
mod polynomial;
mod scattered;

pub use bspline::{BSpline, make_interp_spline};
pub use cubic::{Boundary, akima, cubic_spline, hermite, pchip};
pub use grid::{GridMethod, RegularGrid};
pub use least_squares::make_lsq_spline;
pub use piecewise::{Beyond, PPoly};
pub use polynomial::{Barycentric, Krogh, barycentric_interpolate, krogh_interpolate};
pub use scattered::{Kernel, NearestND, Rbf};

use crate::array::{DeviceArray, or_panic};
use crate::dtype::Floating;
use crate::error::{Error, Result};
use crate::ops::index::take_from_start;
use crate::ops::search::Side;

/// The coordinates of points on the host: finite, rising numbers, two at least.
fn rising<T: Floating>(name: &str, x: &DeviceArray<T>) -> Result<Vec<f64>> {
    let fail = |why: String| Err(Error::shape(format!("{name}: {why}")));
    if x.ndim() != 1 || x.len() < 2 {
        let shape = x.shape();
        return fail(format!(
            "coordinates of shape {shape:?}; they have one axis and are 2 at least"
        ));
    }
    let x: Vec<f64> = x.to_vec()?.into_iter().map(Floating::to_f64).collect();
    match (1..x.len()).find(|&k| !(x[k - 1] < x[k] && x[k - 1].is_finite() && x[k].is_finite())) {
        Some(k) => fail(format!("coordinates {} and {} do not rise", x[k - 1], x[k])),
        None => Ok(x),
    }
}

/// Values at points on the host: one row for each point.
fn rows<T: Floating>(name: &str, y: &DeviceArray<T>, points: usize) -> Result<Vec<Vec<f64>>> {
    if y.shape().first() != Some(&points) {
        let shape = y.shape();
        return Err(Error::shape(format!("{name}: values of shape {shape:?} at {points} points")));
    }
    let all: Vec<f64> = y.to_vec()?.into_iter().map(Floating::to_f64).collect();
    let width = all.len() / points;
    Ok((0..points).map(|k| all[k * width..(k + 1) * width].to_vec()).collect())
}

/// Rows on the device, with the trailing axes of values.
fn upload<T: Floating>(rows: &[Vec<f64>], trailing: &[usize]) -> Result<DeviceArray<T>> {
    let shape: Vec<usize> = [rows.len()].into_iter().chain(trailing.iter().copied()).collect();
    DeviceArray::from_vec(shape, rows.iter().flatten().map(|&value| T::from_f64(value)).collect())
}

/// The number of the interval between points in which each value lies, those beyond the ends in the
/// first and the last one.
fn intervals<T: Floating>(points: &DeviceArray<T>, values: &DeviceArray<T>) -> DeviceArray<i64> {
    let last = points.len() as i64 - 2;
    (points.searchsorted(values, Side::Right) - 1).clip(0, last)
}

/// The elements at places along the first axis, none of which is negative.
#[track_caller]
fn read<T: Floating>(a: &DeviceArray<T>, places: &DeviceArray<i64>) -> DeviceArray<T> {
    or_panic(take_from_start(a, places, 0))
}

/// An array with so many axes of one element behind its own.
fn with_axes<T: Floating>(a: &DeviceArray<T>, count: usize) -> DeviceArray<T> {
    let shape: Vec<usize> =
        a.shape().iter().copied().chain(std::iter::repeat_n(1, count)).collect();
    a.reshape(shape)
}

/// The places of a function that repeats between its ends, within them.
fn wrapped<T: Floating>(places: &DeviceArray<T>, [first, last]: [f64; 2]) -> DeviceArray<T> {
    let (low, span) = (T::from_f64(first), T::from_f64(last - first));
    places - ((places - low) / span).floor() * span
}

/// Values with so many trailing axes, NaN where their places are not between the ends.
fn nan_beyond<T: Floating>(
    values: DeviceArray<T>,
    places: &DeviceArray<T>,
    [first, last]: [f64; 2],
    trailing: usize,
) -> DeviceArray<T> {
    let places = with_axes(places, trailing);
    let inside =
        places.greater_equal(T::from_f64(first)).logical_and(places.less_equal(T::from_f64(last)));
    inside.select(values, T::from_f64(f64::NAN))
}
