//! What systems do to frequencies.

use super::forms::ss2zpk;
use super::host;
use super::state_space::StateSpace;
use crate::DeviceArray;
use crate::array::{checked_fns, located, recorded, upload_to};
use crate::backend::Device;
use crate::dtype::Complex;
use crate::error::{Error, Result};
use crate::guvectorize;
use crate::shape::Shape;
use crate::signal::axes::zeros;
use crate::signal::design::{frequencies, interesting};
use ndarray::{ArrayView2, Axis};
use std::f64::consts::TAU;

type C = Complex<f64>;

/// `c (s - t)⁻¹ b + d` of an upper triangle, by substitution, whose numbers are in `x`.
#[guvectorize("(n,n),(n),(n),(),()->(),(n)")]
fn gain(
    t: ArrayView2<Complex<f64>>,
    b: &[Complex<f64>],
    c: &[Complex<f64>],
    d: Complex<f64>,
    s: Complex<f64>,
    sum: &mut Complex<f64>,
    x: &mut [Complex<f64>],
) {
    let n = b.len();
    let mut total = d;
    let mut done = 0;
    while done < n {
        let i = n - 1 - done;
        let mut rest = b[i];
        let mut j = i + 1;
        while j < n {
            rest += t[[i, j]] * x[j];
            j += 1;
        }
        x[i] = rest / (s - t[[i, i]]);
        total += c[i] * x[i];
        done += 1;
    }
    *sum = total;
}

/// The gain of a system of one input and one output at points of the plane.
#[track_caller]
fn gains(name: &str, system: &StateSpace, points: &DeviceArray<C>) -> Result<DeviceArray<C>> {
    if system.inputs() != 1 || system.outputs() != 1 {
        return Err(Error::shape(format!(
            "{name}: the system has {} inputs and {} outputs; it must have one of both",
            system.inputs(),
            system.outputs()
        )));
    }
    // A unitary change of the state keeps the gain, and makes a triangle of the matrix.
    let [t, z] = host::schur(&system.a)?;
    let wide = |x: &f64| C::new(*x, 0.0);
    let b = z.mapv(|x| x.conj()).t().dot(&system.b.map(wide));
    let c = system.c.map(wide).dot(&z);
    let list = |values: Vec<C>| {
        let shape = Shape::from_slice(&[values.len()]);
        upload_to(points.device(), &values, shape)
    };
    let d = list(vec![wide(&system.d[[0, 0]])])?.try_index_axis(0, 0)?;
    let (b, c) = (b.index_axis(Axis(1), 0).to_vec(), c.index_axis(Axis(0), 0).to_vec());
    let t = host::upload(&t, points.device())?;
    gain::try_call(&t, &list(b)?, &list(c)?, &d, points).map(|(sum, _)| sum)
}

/// Decibels, and degrees without jumps along the last axis.
#[track_caller]
fn decibels_and_degrees(h: &DeviceArray<C>) -> Result<[DeviceArray<f64>; 2]> {
    let angle = h.imag().try_atan2(h.real())?;
    let angle = if h.ndim() == 0 { angle } else { angle.try_unwrap_phase(-1, TAU, None)? };
    Ok([h.abs().log10() * 20.0, angle.degrees()])
}

/// Frequencies that a continuous system of one input and one output makes interesting.
fn found(name: &'static str, system: &StateSpace, n: usize) -> Result<DeviceArray<f64>> {
    system.continuous(name)?;
    let filter = ss2zpk(system, 0).map_err(|error| error.in_operation(name))?;
    list(&interesting(filter.zeros(), filter.poles(), n))
}

/// `n` frequencies from 0 to π.
fn around(name: &str, system: &StateSpace, n: usize) -> Result<DeviceArray<f64>> {
    system.stepped(name)?;
    list(&frequencies(n))
}

fn list(w: &[f64]) -> Result<DeviceArray<f64>> {
    upload_to(Device::current()?, w, Shape::from_slice(&[w.len()]))
}

/// Frequencies, magnitudes and phases.
type Bode = (DeviceArray<f64>, DeviceArray<f64>, DeviceArray<f64>);

/// `n` frequencies that [`findfreqs`](super::super::findfreqs()) finds for a continuous system, in
/// radians a second, and its complex gain at them.
///
/// **Shape.** `[n]` for both. **Dtype.** `f64` and `Complex<f64>`. On the current device; records the
/// gain. SciPy: `signal.freqresp(system, n=n)`.
///
/// # Errors
/// [`Error::is_shape`] for a discrete system, and for several inputs or outputs;
/// [`Error::is_numeric`] where the system holds what is not finite.
///
/// # Example
/// ```
/// use lazuli::signal::{freqresp, tf2ss};
/// let (w, h) = freqresp(&tf2ss(&[1.0], &[1.0, 1.0])?, 5)?;
/// assert!((w.to_vec()?[0] - 0.01).abs() < 1e-15);
/// assert!((h.abs().to_vec()?[0] - 1.0 / 1.0001f64.sqrt()).abs() < 1e-14);
/// # Ok::<(), lazuli::Error>(())
/// ```
#[track_caller]
pub fn freqresp(system: &StateSpace, n: usize) -> Result<(DeviceArray<f64>, DeviceArray<C>)> {
    let find = || {
        let w = found("freqresp", system, n)?;
        let h = try_freqresp_at(system, &w)?;
        Ok((w, h))
    };
    located(recorded(find))
}

/// `n` frequencies from 0 to π, in radians for each sample, and the complex gain of a discrete system
/// at them.
///
/// **Shape.** `[n]` for both. **Dtype.** `f64` and `Complex<f64>`. On the current device; records the
/// gain. SciPy: `signal.dfreqresp(system, n=n)`.
///
/// # Errors
/// As [`freqresp`], for a continuous system.
///
/// # Example
/// ```
/// use lazuli::signal::{dfreqresp, tf2ss};
/// let (_, h) = dfreqresp(&tf2ss(&[1.0], &[1.0, -0.5])?.discrete(1.0)?, 4)?;
/// assert!((h.abs().to_vec()?[0] - 2.0).abs() < 1e-14);
/// # Ok::<(), lazuli::Error>(())
/// ```
#[track_caller]
pub fn dfreqresp(system: &StateSpace, n: usize) -> Result<(DeviceArray<f64>, DeviceArray<C>)> {
    let find = || {
        let w = around("dfreqresp", system, n)?;
        let h = try_dfreqresp_at(system, &w)?;
        Ok((w, h))
    };
    located(recorded(find))
}

/// `n` frequencies that [`findfreqs`](super::super::findfreqs()) finds for a continuous system, in
/// radians a second, the magnitude of its gain at them in decibels, and the phase in degrees, without
/// jumps.
///
/// **Shape.** `[n]` for all. **Dtype.** `f64`. On the current device; records magnitudes and phases.
/// SciPy: `signal.bode(system, n=n)`.
///
/// # Errors
/// As [`freqresp`].
///
/// # Example
/// ```
/// use lazuli::signal::{bode, tf2ss};
/// let (_, magnitude, phase) = bode(&tf2ss(&[1.0], &[1.0, 1.0])?, 5)?;
/// assert!(magnitude.to_vec()?[0].abs() < 1e-3 && phase.to_vec()?[4] < -84.0);
/// # Ok::<(), lazuli::Error>(())
/// ```
#[track_caller]
pub fn bode(system: &StateSpace, n: usize) -> Result<Bode> {
    let find = || {
        let w = found("bode", system, n)?;
        let (magnitude, phase) = try_bode_at(system, &w)?;
        Ok((w, magnitude, phase))
    };
    located(recorded(find))
}

/// `n` frequencies of a discrete system up to half its rate, in radians a second, the magnitude of its
/// gain at them in decibels, and the phase in degrees, without jumps.
///
/// **Shape.** `[n]` for all. **Dtype.** `f64`. On the current device; records magnitudes and phases.
/// SciPy: `signal.dbode(system, n=n)`.
///
/// # Errors
/// As [`dfreqresp`].
///
/// # Example
/// ```
/// use lazuli::signal::{dbode, tf2ss};
/// let (w, magnitude, _) = dbode(&tf2ss(&[0.5], &[1.0, -0.5])?.discrete(0.1)?, 4)?;
/// assert!(magnitude.to_vec()?[0].abs() < 1e-13);
/// assert!((w.to_vec()?[1] - 2.5 * std::f64::consts::PI).abs() < 1e-14);
/// # Ok::<(), lazuli::Error>(())
/// ```
#[track_caller]
pub fn dbode(system: &StateSpace, n: usize) -> Result<Bode> {
    let find = || {
        let w = around("dbode", system, n)?;
        let (magnitude, phase) = try_dbode_at(system, &w)?;
        Ok((w / system.stepped("dbode")?, magnitude, phase))
    };
    located(recorded(find))
}

checked_fns! {
    /// The complex gain of a continuous system at given frequencies, in radians a second. At a pole it
    /// is not finite.
    ///
    /// **Shape.** The frequencies'. **Dtype.** `Complex<f64>`. A discrete system, and several inputs or
    /// outputs are errors. SciPy: `signal.freqresp(system, w)`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::{freqresp_at, tf2ss};
    /// let h = freqresp_at(&tf2ss(&[1.0], &[1.0, 1.0])?, &DeviceArray::from_slice(&[1.0])?);
    /// assert!((h.get([0])? - Complex::new(0.5, -0.5)).norm() < 1e-15);
    /// # Ok::<(), Error>(())
    /// ```
    fn freqresp_at | try_freqresp_at(
        system: &StateSpace,
        w: &DeviceArray<f64>,
    ) -> DeviceArray<Complex<f64>> {
        system.continuous("freqresp_at")?;
        gains("freqresp_at", system, &zeros(w.shape(), w.device()).try_to_complex(w)?)
    }

    /// The complex gain of a discrete system at given frequencies, in radians for each sample.
    ///
    /// **Shape.** The frequencies'. **Dtype.** `Complex<f64>`. A continuous system, and several inputs
    /// or outputs are errors. SciPy: `signal.dfreqresp(system, w)`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::{dfreqresp_at, tf2ss};
    /// let system = tf2ss(&[1.0], &[1.0, -0.5])?.discrete(1.0)?;
    /// let h = dfreqresp_at(&system, &DeviceArray::from_slice(&[0.0])?);
    /// assert!((h.get([0])? - 2.0).norm() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn dfreqresp_at | try_dfreqresp_at(
        system: &StateSpace,
        w: &DeviceArray<f64>,
    ) -> DeviceArray<Complex<f64>> {
        system.stepped("dfreqresp_at")?;
        gains("dfreqresp_at", system, &w.cos().try_to_complex(w.sin())?)
    }

    /// The magnitude of a continuous system's gain at given frequencies, in radians a second, in
    /// decibels, and the phase in degrees, without jumps along the last axis.
    ///
    /// **Shape.** The frequencies' for both. **Dtype.** `f64`. Errors as of [`freqresp_at`]. SciPy:
    /// `signal.bode(system, w)`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::{bode_at, tf2ss};
    /// let system = tf2ss(&[1.0], &[1.0, 1.0])?;
    /// let (magnitude, phase) = bode_at(&system, &DeviceArray::from_slice(&[1.0])?);
    /// assert!((magnitude.get([0])? + 10.0 * 2f64.log10()).abs() < 1e-13);
    /// assert!((phase.get([0])? + 45.0).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn bode_at | try_bode_at(
        system: &StateSpace,
        w: &DeviceArray<f64>,
    ) -> (DeviceArray<f64>, DeviceArray<f64>) {
        let [magnitude, phase] = decibels_and_degrees(&try_freqresp_at(system, w)?)?;
        Ok((magnitude, phase))
    }

    /// The magnitude of a discrete system's gain at given frequencies, in radians for each sample, in
    /// decibels, and the phase in degrees, without jumps along the last axis.
    ///
    /// **Shape.** The frequencies' for both. **Dtype.** `f64`. Errors as of [`dfreqresp_at`]. SciPy:
    /// `signal.dbode(system, w)`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::{dbode_at, tf2ss};
    /// let system = tf2ss(&[1.0], &[1.0, 0.0])?.discrete(1.0)?;
    /// let (magnitude, phase) = dbode_at(&system, &DeviceArray::from_slice(&[1.0])?);
    /// assert!(magnitude.get([0])?.abs() < 1e-13);
    /// assert!((phase.get([0])? + 1f64.to_degrees()).abs() < 1e-13);
    /// # Ok::<(), Error>(())
    /// ```
    fn dbode_at | try_dbode_at(
        system: &StateSpace,
        w: &DeviceArray<f64>,
    ) -> (DeviceArray<f64>, DeviceArray<f64>) {
        let [magnitude, phase] = decibels_and_degrees(&try_dfreqresp_at(system, w)?)?;
        Ok((magnitude, phase))
    }
}

#[cfg(all(test, feature = "cuda"))]
mod tests {
    #[test]
    fn the_code_for_gpus_compiles() {
        crate::signal::gpu_tests::compiles(&super::gain::lz_source());
    }
}
