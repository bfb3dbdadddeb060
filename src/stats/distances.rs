//! Distances between distributions by samples of them.

use super::sample::same_device;
use crate::array::{DeviceArray, checked_fns};
use crate::dtype::Real;
use crate::error::{Error, Result};
use crate::ops::join::try_concatenate;
use crate::ops::search::Side;
use crate::prelude::s;

/// The differences of the distribution functions between neighbours of all elements, and how far
/// apart these are.
#[track_caller]
fn steps<T: Real>(
    name: &str,
    u: &DeviceArray<T>,
    v: &DeviceArray<T>,
) -> Result<(DeviceArray<f64>, DeviceArray<f64>)> {
    same_device(name, u, v)?;
    if u.is_empty() || v.is_empty() {
        let (u, v) = (u.shape(), v.shape());
        return Err(Error::shape(format!("{name}: samples of shapes {u:?} and {v:?}")));
    }
    let [u, v] = [u, v].map(|x| x.cast::<f64>().flatten());
    let all = try_concatenate(&[&u, &v], 0)?.sort(0);
    let places = all.slice(s![..-1]);
    let share = |x: &DeviceArray<f64>| {
        x.sort(0).searchsorted(&places, Side::Right).cast::<f64>() / x.len() as f64
    };
    Ok((share(&u) - share(&v), all.diff(1, 0)))
}

checked_fns! {
    /// The distance of Wasserstein of order 1 between the distributions that two samples are: the
    /// least work that turns one into the other, the area between their distribution functions.
    ///
    /// **Shape.** No axes; the samples have any shapes and an element each. **Dtype.** As
    /// [`mean`](DeviceArray::mean). SciPy: `stats.wasserstein_distance`, without weights.
    #[doc(alias = "earth mover")]
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let u = DeviceArray::from_slice(&[0.0f64, 1.0])?;
    /// let v = DeviceArray::from_slice(&[5.0, 6.0])?;
    /// assert_eq!(lazuli::stats::wasserstein_distance(&u, &v).item()?, 5.0);
    /// # Ok::<(), Error>(())
    /// ```
    fn wasserstein_distance | try_wasserstein_distance<T: Real>(
        u: &DeviceArray<T>,
        v: &DeviceArray<T>,
    ) -> DeviceArray<T::Mean> {
        let (differences, widths) = steps("wasserstein_distance", u, v)?;
        Ok((differences.abs() * widths).sum(..).cast())
    }

    /// The energy distance between the distributions that two samples are: the root of twice the
    /// integral of the squared difference of their distribution functions.
    ///
    /// **Shape.** No axes; the samples have any shapes and an element each. **Dtype.** As
    /// [`mean`](DeviceArray::mean). SciPy: `stats.energy_distance`, without weights.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let (u, v) = (DeviceArray::from_slice(&[0.0f64])?, DeviceArray::from_slice(&[8.0f64])?);
    /// assert_eq!(lazuli::stats::energy_distance(&u, &v).item()?, 4.0);
    /// # Ok::<(), Error>(())
    /// ```
    fn energy_distance | try_energy_distance<T: Real>(
        u: &DeviceArray<T>,
        v: &DeviceArray<T>,
    ) -> DeviceArray<T::Mean> {
        let (differences, widths) = steps("energy_distance", u, v)?;
        Ok(((differences.square() * widths).sum(..) * 2.0).sqrt().cast())
    }
}
