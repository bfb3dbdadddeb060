//! Means beside the arithmetic one, and how far a mean may be off.

use super::sample::Sample;
use crate::array::{Axes, DeviceArray, checked_fns};
use crate::dtype::Real;
use crate::error::Error;
use crate::ops::statistics::Correction;

/// NaN in the place of negative numbers.
#[track_caller]
fn not_negative(x: &DeviceArray<f64>) -> DeviceArray<f64> {
    x.less(0.0).select(f64::NAN, x)
}

checked_fns! {
    /// The geometric mean over the axes, `exp` of the mean of the logarithms: 0 where there is a 0,
    /// NaN where there is a negative number.
    ///
    /// **Shape.** The array's without the axes; NaN for no elements. **Dtype.** As
    /// [`mean`](DeviceArray::mean). SciPy: `stats.gmean`, without weights.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let mean = lazuli::stats::gmean(&DeviceArray::from_slice(&[1.0f64, 4.0, 16.0])?, ..).item()?;
    /// assert!((mean - 4.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn gmean | try_gmean<T: Real>(a: &DeviceArray<T>, axes: impl Axes) -> DeviceArray<T::Mean> {
        let a = Sample::new("gmean", a, axes)?;
        Ok(a.x.ln().mean(a.axes).exp().cast())
    }

    /// The harmonic mean over the axes, the reciprocal of the mean of the reciprocals: 0 where there
    /// is a 0, NaN where there is a negative number.
    ///
    /// **Shape.** The array's without the axes; NaN for no elements. **Dtype.** As
    /// [`mean`](DeviceArray::mean). SciPy: `stats.hmean`, without weights.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.0f64, 4.0, 4.0])?;
    /// assert_eq!(lazuli::stats::hmean(&a, ..).item()?, 2.0);
    /// # Ok::<(), Error>(())
    /// ```
    fn hmean | try_hmean<T: Real>(a: &DeviceArray<T>, axes: impl Axes) -> DeviceArray<T::Mean> {
        let a = Sample::new("hmean", a, axes)?;
        Ok(not_negative(&a.x).reciprocal().mean(a.axes).reciprocal().cast())
    }

    /// The power mean over the axes, the root of order `p` of the mean of the powers: the arithmetic
    /// one for 1, the harmonic one for -1, the geometric one for 0. NaN where there is a negative
    /// number.
    ///
    /// **Shape.** The array's without the axes; NaN for no elements. **Dtype.** As
    /// [`mean`](DeviceArray::mean). An infinite `p` is an error. SciPy: `stats.pmean`, without weights.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.0f64, 7.0])?;
    /// assert_eq!(lazuli::stats::pmean(&a, 2.0, ..).item()?, 5.0);
    /// # Ok::<(), Error>(())
    /// ```
    fn pmean | try_pmean<T: Real>(
        a: &DeviceArray<T>,
        p: f64,
        axes: impl Axes,
    ) -> DeviceArray<T::Mean> {
        if p == 0.0 {
            return try_gmean(a, axes);
        }
        if !p.is_finite() {
            return Err(Error::shape(format!("pmean: the exponent is {p}")));
        }
        let a = Sample::new("pmean", a, axes)?;
        Ok(not_negative(&a.x).power(p).mean(a.axes).power(1.0 / p).cast())
    }

    /// The standard deviation over the axes, divided by the mean. `ddof` is that of
    /// [`std_ddof`](DeviceArray::std_ddof), SciPy's default being 0.
    ///
    /// **Shape.** The array's without the axes; NaN for no elements. **Dtype.** As
    /// [`mean`](DeviceArray::mean). SciPy: `stats.variation`.
    #[doc(alias = "coefficient of variation")]
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.0f64, 3.0])?;
    /// assert_eq!(lazuli::stats::variation(&a, .., 0).item()?, 0.5);
    /// # Ok::<(), Error>(())
    /// ```
    fn variation | try_variation<T: Real>(
        a: &DeviceArray<T>,
        axes: impl Axes,
        ddof: impl Correction,
    ) -> DeviceArray<T::Mean> {
        let a = Sample::new("variation", a, axes)?;
        let deviation = a.x.std_ddof(a.axes, ddof);
        Ok((deviation / a.mean()).cast())
    }

    /// The standard error of the mean over the axes: the standard deviation, divided by the root of
    /// the number of elements. `ddof` is that of [`std_ddof`](DeviceArray::std_ddof), SciPy's default
    /// being 1.
    ///
    /// **Shape.** The array's without the axes; NaN for no elements. **Dtype.** As
    /// [`mean`](DeviceArray::mean). SciPy: `stats.sem`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let a = DeviceArray::from_slice(&[1.0f64, 2.0, 2.0, 3.0])?;
    /// let error = lazuli::stats::sem(&a, .., 1).item()?;
    /// assert!((error - (1.0f64 / 6.0).sqrt()).abs() < 1e-15);
    /// # Ok::<(), Error>(())
    /// ```
    fn sem | try_sem<T: Real>(
        a: &DeviceArray<T>,
        axes: impl Axes,
        ddof: impl Correction,
    ) -> DeviceArray<T::Mean> {
        let a = Sample::new("sem", a, axes)?;
        Ok((a.x.std_ddof(a.axes, ddof) / a.n.sqrt()).cast())
    }
}
