//! Splines as filters, as `scipy.signal` has them: coefficients along lines that are mirrored at their
//! ends, and values at any places. [`interpolate`](crate::interpolate) has splines of uneven points.

use super::axes::{from_last, part, to_last};
use super::filter::try_lfilter_with_state;
use crate::DeviceArray;
use crate::array::{checked_fns, upload_to};
use crate::dtype::Floating;
use crate::error::{Error, Result};
use crate::keep;
use crate::ndimage::{Border, try_convolve1d};
use crate::shape::{Shape, axis_index};
use crate::vectorize;

/// The filter `c0 / ((1 - z1 / z) (1 - z1 z))` along the last axis, whose lines are mirrored at their
/// ends, which are repeated.
fn symmetric(x: &DeviceArray<f64>, c0: f64, z1: f64) -> Result<DeviceArray<f64>> {
    let n = x.shape()[x.ndim() - 1];
    if x.is_empty() {
        return Ok(x.clone());
    }
    // What the mirrored line before the first sample adds to it. Powers that vanish are left out.
    let terms = (0..n).map(|k| z1.powi(k as i32 + 1));
    let powers: Vec<f64> = terms.take_while(|power| power.abs() > f64::MIN_POSITIVE).collect();
    let first = part(x, x.ndim() - 1, 0, powers.len(), 1);
    let powers = upload_to(x.device(), &powers, Shape::from_slice(&[powers.len()]))?;
    let before = (first * powers).try_sum(keep(-1))?;
    let a = [1.0, -z1];
    let (forward, _) = try_lfilter_with_state(&[1.0], &a, x, -1, &before)?;
    let back = forward.try_flip(-1)?;
    let after = part(&back, x.ndim() - 1, 0, 1, 1) * (c0 * z1 / (1.0 - z1));
    let (y, _) = try_lfilter_with_state(&[c0], &a, &back, -1, &after)?;
    y.try_flip(-1)
}

/// The filter along an axis of any array.
fn along<T: Floating>(
    name: &str,
    x: &DeviceArray<T>,
    axis: isize,
    c0: f64,
    z1: f64,
) -> Result<DeviceArray<T>> {
    let axis = axis_index(name, axis, x.ndim())?;
    let y = symmetric(&to_last(&x.cast::<f64>(), axis)?, c0, z1)?;
    Ok(from_last(&y, axis)?.cast())
}

/// The cubic B-spline at a distance.
#[vectorize]
fn cubic(distance: f64) -> f64 {
    let t = distance.abs();
    if t >= 2.0 {
        0.0
    } else if t < 1.0 {
        2.0 / 3.0 - t * t * (2.0 - t) / 2.0
    } else {
        (2.0 - t) * (2.0 - t) * (2.0 - t) / 6.0
    }
}

/// The quadratic B-spline at a distance.
#[vectorize]
fn quadratic(distance: f64) -> f64 {
    let t = distance.abs();
    if t >= 1.5 {
        0.0
    } else if t < 0.5 {
        0.75 - t * t
    } else {
        (t - 1.5) * (t - 1.5) / 2.0
    }
}

/// The sum of a spline's coefficients around places, `reach` to each side, which are mirrored at the
/// first and the last coefficient.
fn values<T: Floating>(
    name: &str,
    coefficients: &DeviceArray<T>,
    places: &DeviceArray<T>,
    (dx, x0): (f64, f64),
    reach: f64,
    weight: impl Fn(&DeviceArray<f64>) -> Result<DeviceArray<f64>>,
) -> Result<DeviceArray<T>> {
    if coefficients.ndim() != 1 || coefficients.is_empty() {
        return Err(Error::shape(format!(
            "{name}: coefficients of shape {:?}, which must have one axis and elements",
            coefficients.shape()
        )));
    }
    let coefficients = coefficients.cast::<f64>();
    let places = (places.cast::<f64>() - x0) / dx;
    let last = coefficients.len() as f64 - 1.0;
    let places = match last {
        0.0 => places * 0.0,
        _ => {
            let turn = places.try_remainder(2.0 * last)?;
            turn.try_minimum(&(2.0 * last - &turn))?
        }
    };
    let first = (&places - reach).floor() + 1.0;
    let mut sum = places.zeros_like();
    for k in 0..(2.0 * reach) as usize {
        let at = &first + k as f64;
        // Beyond its ends the outermost coefficients count, as in SciPy.
        let read = coefficients.try_take_clipped(at.try_maximum(0.0)?.cast::<i64>(), 0)?;
        sum += read * weight(&(&places - at))?;
    }
    Ok(sum.cast())
}

checked_fns! {
    /// The filter `c0 / ((1 - z1 / z) (1 - z1 z))`, forwards and backwards, along an axis, whose lines
    /// are mirrored at their ends, which are repeated.
    ///
    /// **Shape.** The array's. **Dtype.** The array's; computed in `f64` and rounded once. A `z1` that
    /// does not lie between -1 and 1 is an error. SciPy: `signal.symiirorder1`, which gives the same as
    /// far as its `precision` lets it.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::symiirorder1;
    /// let x = DeviceArray::<f64>::ones(5);
    /// // A constant is multiplied by c0 / (1 - z1)².
    /// let y = symiirorder1(&x, 1.0, 0.5, -1).to_vec()?;
    /// assert!((y[0] - 4.0).abs() < 0.2 && (y[4] - 4.0).abs() < 0.2);
    /// # Ok::<(), Error>(())
    /// ```
    fn symiirorder1 | try_symiirorder1<T: Floating>(
        x: &DeviceArray<T>,
        c0: f64,
        z1: f64,
        axis: isize,
    ) -> DeviceArray<T> {
        if z1.is_nan() || z1.abs() >= 1.0 {
            return Err(Error::shape(format!("symiirorder1: z1 is {z1}, and not between -1 and 1")));
        }
        along("symiirorder1", x, axis, c0, z1)
    }

    /// The coefficients of the cubic spline through samples along the last axis, which are mirrored at
    /// their ends; [`cspline1d_eval`] gives its values.
    ///
    /// **Shape.** The array's. **Dtype.** The array's; computed in `f64` and rounded once. SciPy:
    /// `signal.cspline1d`, without smoothing.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::{cspline1d, cspline1d_eval};
    /// let x = DeviceArray::from_slice(&[0.0f64, 1.0, 4.0, 9.0, 16.0, 25.0, 36.0])?;
    /// let c = cspline1d(&x);
    /// let y = cspline1d_eval(&c, &DeviceArray::from_slice(&[3.0, 3.5])?, 1.0, 0.0).to_vec()?;
    /// assert!((y[0] - 9.0).abs() < 1e-2 && (y[1] - 12.25).abs() < 0.1);
    /// # Ok::<(), Error>(())
    /// ```
    fn cspline1d | try_cspline1d<T: Floating>(x: &DeviceArray<T>) -> DeviceArray<T> {
        let z1 = 3f64.sqrt() - 2.0;
        along("cspline1d", x, -1, -6.0 * z1, z1)
    }

    /// The coefficients of the quadratic spline through samples along the last axis, which are
    /// mirrored at their ends; [`qspline1d_eval`] gives its values.
    ///
    /// **Shape.** The array's. **Dtype.** The array's; computed in `f64` and rounded once. SciPy:
    /// `signal.qspline1d`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::{qspline1d, qspline1d_eval};
    /// let x = DeviceArray::from_slice(&[0.0f64, 1.0, 4.0, 9.0, 16.0, 25.0, 36.0])?;
    /// let c = qspline1d(&x);
    /// let y = qspline1d_eval(&c, &DeviceArray::from_slice(&[3.0, 3.5])?, 1.0, 0.0).to_vec()?;
    /// assert!((y[0] - 9.0).abs() < 1e-2 && (y[1] - 12.25).abs() < 0.1);
    /// # Ok::<(), Error>(())
    /// ```
    fn qspline1d | try_qspline1d<T: Floating>(x: &DeviceArray<T>) -> DeviceArray<T> {
        let z1 = 8f64.sqrt() - 3.0;
        along("qspline1d", x, -1, -8.0 * z1, z1)
    }

    /// The values of a cubic spline at places, of its coefficients, which are `dx` apart and begin at
    /// `x0`; beyond its ends the spline is mirrored.
    ///
    /// **Shape.** The places'; the coefficients have one axis. **Dtype.** The arrays'; computed in
    /// `f64` and rounded once. SciPy: `signal.cspline1d_eval(cj, newx, dx, x0)`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::cspline1d_eval;
    /// let c = DeviceArray::from_slice(&[0.0f64, 0.0, 6.0, 0.0, 0.0])?;
    /// let y = cspline1d_eval(&c, &DeviceArray::from_slice(&[2.0, 3.0, 4.0])?, 1.0, 0.0).to_vec()?;
    /// assert_eq!(y, [4.0, 1.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn cspline1d_eval | try_cspline1d_eval<T: Floating>(
        coefficients: &DeviceArray<T>,
        places: &DeviceArray<T>,
        dx: f64,
        x0: f64,
    ) -> DeviceArray<T> {
        values("cspline1d_eval", coefficients, places, (dx, x0), 2.0, |t| cubic::try_call(t))
    }

    /// The values of a quadratic spline at places, of its coefficients, which are `dx` apart and begin
    /// at `x0`; beyond its ends the spline is mirrored.
    ///
    /// **Shape.** The places'; the coefficients have one axis. **Dtype.** The arrays'; computed in
    /// `f64` and rounded once. SciPy: `signal.qspline1d_eval(cj, newx, dx, x0)`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::qspline1d_eval;
    /// let c = DeviceArray::from_slice(&[0.0f64, 0.0, 8.0, 0.0, 0.0])?;
    /// let y = qspline1d_eval(&c, &DeviceArray::from_slice(&[2.0, 3.0, 4.0])?, 1.0, 0.0).to_vec()?;
    /// assert_eq!(y, [6.0, 1.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn qspline1d_eval | try_qspline1d_eval<T: Floating>(
        coefficients: &DeviceArray<T>,
        places: &DeviceArray<T>,
        dx: f64,
        x0: f64,
    ) -> DeviceArray<T> {
        values("qspline1d_eval", coefficients, places, (dx, x0), 1.5, |t| quadratic::try_call(t))
    }

    /// The Gaussian that a B-spline of degree `n` resembles: of the variance `(n + 1) / 12`.
    ///
    /// **Shape.** The array's. **Dtype.** The array's; computed in `f64` and rounded once. SciPy:
    /// `signal.gauss_spline`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::gauss_spline;
    /// let y = gauss_spline(&DeviceArray::from_slice(&[0.0f64])?, 3).item()?;
    /// // The cubic B-spline has 2/3 there.
    /// assert!((y - 0.6909882989426709).abs() < 1e-15);
    /// # Ok::<(), Error>(())
    /// ```
    fn gauss_spline | try_gauss_spline<T: Floating>(
        x: &DeviceArray<T>,
        n: usize,
    ) -> DeviceArray<T> {
        let variance = (n as f64 + 1.0) / 12.0;
        let x = x.cast::<f64>();
        let height = 1.0 / (std::f64::consts::TAU * variance).sqrt();
        Ok(((x.square() * (-0.5 / variance)).exp() * height).cast())
    }

    /// The convolution of an image with a filter along its rows and one along its columns, both of an
    /// odd number of coefficients; the image is mirrored at its edges, whose elements are repeated.
    ///
    /// **Shape.** The array's, which has two axes. **Dtype.** The array's; computed in `f64` and
    /// rounded once. SciPy: `signal.sepfir2d(input, hrow, hcol)`. More axes and borders:
    /// [`ndimage::convolve1d`](crate::ndimage::convolve1d()).
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::sepfir2d;
    /// let image = DeviceArray::from_vec([2, 3], vec![0.0f64, 8.0, 0.0, 0.0, 0.0, 0.0])?;
    /// let blurred = sepfir2d(&image, &[0.25, 0.5, 0.25], &[0.25, 0.5, 0.25]);
    /// assert_eq!(blurred.to_vec()?, [1.5, 3.0, 1.5, 0.5, 1.0, 0.5]);
    /// # Ok::<(), Error>(())
    /// ```
    fn sepfir2d | try_sepfir2d<T: Floating>(
        a: &DeviceArray<T>,
        rows: &[f64],
        columns: &[f64],
    ) -> DeviceArray<T> {
        if a.ndim() != 2 || rows.len() % 2 == 0 || columns.len() % 2 == 0 {
            return Err(Error::shape(format!(
                "sepfir2d: filters of {} and {} coefficients for an array of shape {:?}: their numbers \
                 are odd, and the array has two axes",
                rows.len(), columns.len(), a.shape()
            )));
        }
        let along_rows = try_convolve1d(&a.cast::<f64>(), rows, 1, Border::Reflect)?;
        Ok(try_convolve1d(&along_rows, columns, 0, Border::Reflect)?.cast())
    }
}
