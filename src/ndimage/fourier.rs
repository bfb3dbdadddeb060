//! Filters of spectra: products with what a filter makes of each frequency.

use crate::array::{DeviceArray, checked_fns, record, upload_to};
use crate::dtype::{Component, Element, Factorable, Floating};
use crate::error::{Error, Result};
use crate::shape::{Shape, axis_index};
use crate::table::Op;
use std::f64::consts::PI;

/// The spectrum of a real transform: how many elements the transformed array has, and along which axis.
pub type RealAxis = Option<(usize, isize)>;

/// The frequencies along each axis of a spectrum, in turns for each element, and one number for each of
/// them.
fn frequencies(
    name: &str,
    shape: &[usize],
    sizes: &[f64],
    real: RealAxis,
) -> Result<Vec<(Vec<f64>, f64)>> {
    if !(sizes.len() == 1 || sizes.len() == shape.len()) {
        let count = sizes.len();
        return Err(Error::shape(format!(
            "{name}: {count} numbers for an array of shape {shape:?}"
        )));
    }
    let real = match real {
        Some((n, axis)) => {
            let axis = axis_index(name, axis, shape.len())?;
            if n / 2 + 1 != shape[axis] {
                return Err(Error::shape(format!(
                    "{name}: axis {axis} of shape {shape:?} is not that of a real transform of {n} elements"
                )));
            }
            Some((n, axis))
        }
        None => None,
    };
    let along = |(axis, &length): (usize, &usize)| {
        let is_real = real.is_some_and(|(_, own)| own == axis);
        let n = real.filter(|_| is_real).map_or(length, |(n, _)| n);
        let turns = |k: usize| {
            let k =
                if is_real || k < length.div_ceil(2) { k as f64 } else { k as f64 - length as f64 };
            k / n.max(1) as f64
        };
        let size = sizes[if sizes.len() == 1 { 0 } else { axis }];
        ((0..length).map(turns).collect(), size)
    };
    Ok(shape.iter().enumerate().map(along).collect())
}

/// Numbers along an axis, in a shape that broadcasts.
#[track_caller]
fn on_axis<R: Floating>(
    values: &[f64],
    axis: usize,
    rank: usize,
    device: crate::backend::Device,
) -> Result<DeviceArray<R>> {
    let values: Vec<R> = values.iter().map(|&x| R::from_f64(x)).collect();
    let mut shape = Shape::from_elem(1, rank);
    shape[axis] = values.len();
    upload_to(device, &values, shape)
}

/// A spectrum times a function of the frequencies along each axis.
#[track_caller]
fn multiplied<T: Factorable>(
    name: &str,
    a: &DeviceArray<T>,
    sizes: &[f64],
    real: RealAxis,
    by: impl Fn(f64, f64) -> f64,
) -> Result<DeviceArray<T>> {
    let mut result = a.clone();
    for (axis, (turns, size)) in frequencies(name, a.shape(), sizes, real)?.into_iter().enumerate()
    {
        let factors: Vec<f64> = turns.into_iter().map(|turns| by(turns, size)).collect();
        let factors = on_axis::<T::Real>(&factors, axis, a.ndim(), a.device())?;
        result = result.try_multiply(factors.cast::<T>())?;
    }
    Ok(result)
}

checked_fns! {
    /// A spectrum times that of a Gaussian: the transform of a blurred image.
    ///
    /// **Shape.** The array's. There is a standard deviation for each axis, or one for all; `real` is
    /// `Some((n, axis))` for the spectrum of a real transform (`rfft`) of `n` elements along an axis.
    /// **Dtype.** The array's. SciPy: `ndimage.fourier_gaussian`.
    example
    /// ```
    /// use lazuli::{fft, ndimage::fourier_gaussian, prelude::*};
    /// let mut a = DeviceArray::<f64>::zeros([8]);
    /// a.assign(s![4], 1.0);
    /// let blurred = fft::irfft(&fourier_gaussian(&fft::rfft(&a), &[1.0], Some((8, 0))));
    /// let peak = blurred.get([4])?; // nearly 1/√(2π)
    /// assert!((peak - 0.398).abs() < 1e-3);
    /// # Ok::<(), Error>(())
    /// ```
    fn fourier_gaussian | try_fourier_gaussian<T: Factorable>(
        a: &DeviceArray<T>,
        sigmas: &[f64],
        real: RealAxis,
    ) -> DeviceArray<T> {
        multiplied("fourier_gaussian", a, sigmas, real, |turns, sigma| {
            (-2.0 * (PI * sigma * turns).powi(2)).exp()
        })
    }

    /// A spectrum times that of a box: the transform of means over boxes.
    ///
    /// **Shape.** The array's. There is a size for each axis, or one for all; `real` is as for
    /// [`fourier_gaussian`]. **Dtype.** The array's. SciPy: `ndimage.fourier_uniform`.
    example
    /// ```
    /// use lazuli::{ndimage::fourier_uniform, prelude::*};
    /// let ones = DeviceArray::<f64>::ones([4]);
    /// let found = fourier_uniform(&ones, &[2.0], None).to_vec()?;
    /// let wanted = 2.0 / std::f64::consts::PI; // sin(π/2) / (π/2)
    /// assert!(found[0] == 1.0 && (found[1] - wanted).abs() < 1e-15);
    /// # Ok::<(), Error>(())
    /// ```
    fn fourier_uniform | try_fourier_uniform<T: Factorable>(
        a: &DeviceArray<T>,
        sizes: &[f64],
        real: RealAxis,
    ) -> DeviceArray<T> {
        multiplied("fourier_uniform", a, sizes, real, |turns, size| {
            let angle = PI * size * turns;
            if angle == 0.0 { 1.0 } else { angle.sin() / angle }
        })
    }

    /// A spectrum with its phases turned: the transform of a shifted image, whose edges wrap.
    ///
    /// **Shape.** The array's. There is a shift for each axis, or one for all; `real` is as for
    /// [`fourier_gaussian`]. **Dtype.** The complex type of the array's precision. SciPy:
    /// `ndimage.fourier_shift`.
    example
    /// ```
    /// use lazuli::{fft, ndimage::fourier_shift, prelude::*};
    /// let a = DeviceArray::from_slice(&[1.0, 2.0, 3.0, 4.0])?;
    /// let moved = fft::irfft(&fourier_shift(&fft::rfft(&a), &[1.0], Some((4, 0))));
    /// assert!(moved.all_close(&DeviceArray::from_slice(&[4.0, 1.0, 2.0, 3.0])?).item()?);
    /// # Ok::<(), Error>(())
    /// ```
    fn fourier_shift | try_fourier_shift<T: Factorable>(
        a: &DeviceArray<T>,
        shifts: &[f64],
        real: RealAxis,
    ) -> DeviceArray<T::Complex> {
        let all = frequencies("fourier_shift", a.shape(), shifts, real)?;
        let mut result = DeviceArray::<T::Complex>::from_node(record::cast(a.node(), T::Complex::DTYPE));
        for (axis, (turns, shift)) in all.into_iter().enumerate() {
            let angle = |turns: &f64| -2.0 * PI * shift * turns;
            let part = |of: fn(f64) -> f64| -> Result<DeviceArray<T::Real>> {
                let values: Vec<f64> = turns.iter().map(|turns| of(angle(turns))).collect();
                on_axis(&values, axis, a.ndim(), a.device())
            };
            let (cosines, sines) = (part(f64::cos)?, part(f64::sin)?);
            let factors = record::binary(Op::ToComplex, cosines.node(), sines.node())?;
            result = result.try_multiply(DeviceArray::<T::Complex>::from_node(factors))?;
        }
        Ok(result)
    }

    /// A spectrum times that of an ellipsoid: the transform of means over ellipsoids, of an array of
    /// one axis over intervals.
    ///
    /// **Shape.** The array's, of three axes at most. There is a diameter for each axis, or one for all;
    /// `real` is as for [`fourier_gaussian`]. **Dtype.** The array's. SciPy:
    /// `ndimage.fourier_ellipsoid`.
    example
    /// ```
    /// use lazuli::{ndimage::fourier_ellipsoid, prelude::*};
    /// let ones = DeviceArray::<f64>::ones([4, 4]);
    /// let found = fourier_ellipsoid(&ones, &[2.0], None);
    /// assert_eq!(found.get([0, 0])?, 1.0);
    /// assert!((found.get([1, 0])? - 0.72174).abs() < 1e-4); // 2·J₁(π/2) / (π/2)
    /// # Ok::<(), Error>(())
    /// ```
    fn fourier_ellipsoid | try_fourier_ellipsoid<T: Factorable>(
        a: &DeviceArray<T>,
        sizes: &[f64],
        real: RealAxis,
    ) -> DeviceArray<T> {
        if a.ndim() > 3 {
            return Err(Error::unsupported(format!(
                "fourier_ellipsoid: an array of shape {:?}; three axes are the most", a.shape()
            )));
        }
        if a.ndim() < 2 {
            return try_fourier_uniform(a, sizes, real);
        }
        let mut squares: Option<DeviceArray<T::Real>> = None;
        for (axis, (turns, size)) in
            frequencies("fourier_ellipsoid", a.shape(), sizes, real)?.into_iter().enumerate()
        {
            let own: Vec<f64> = turns.iter().map(|turns| (PI * size * turns).powi(2)).collect();
            let own = on_axis::<T::Real>(&own, axis, a.ndim(), a.device())?;
            squares = Some(match squares {
                Some(squares) => squares.try_add(own)?,
                None => own,
            });
        }
        let factors = ellipsoid(&squares.expect("there are axes").sqrt(), a.ndim());
        a.try_multiply(factors.cast::<T>())
    }
}

/// The transform of a circle or a ball of diameter 2 and area 1, for angles.
#[track_caller]
fn ellipsoid<R: Component>(angles: &DeviceArray<R>, rank: usize) -> DeviceArray<R> {
    let number = R::from_f64;
    let factors = match rank {
        2 => angles.bessel_j1() * number(2.0) / angles,
        _ => {
            let exact = (angles.sin() - angles * angles.cos()) * number(3.0) / angles.powi(3);
            // The difference of near numbers says nothing: by its series.
            let square = angles.square();
            let series = [-1.0 / 15_120.0, 1.0 / 280.0, -0.1, 1.0];
            let first = &square * number(1.0 / 1_330_560.0);
            let near = series.iter().fold(first, |sum, &term| {
                let sum = sum + number(term);
                if term == 1.0 { sum } else { sum * &square }
            });
            angles.less(number(0.2)).select(near, exact)
        }
    };
    angles.equal(R::ZERO).select(R::ONE, factors)
}
