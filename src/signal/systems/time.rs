//! Responses of systems to given inputs over time.

use super::discretize::{held, ramped};
use super::host::upload;
use super::state_space::{StateSpace, positive};
use crate::DeviceArray;
use crate::array::{checked_fns, upload_to};
use crate::backend::Device;
use crate::error::{Error, Result};
use crate::guvectorize;
use crate::shape::Shape;
use crate::signal::axes::part;
use ndarray::{Array2, ArrayView2, ArrayViewMut2};

/// What an input of [`lsim`] does between its samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Hold {
    /// It goes straight to the next one. SciPy: `interp=True`.
    #[default]
    Linear,
    /// It stays. SciPy: `interp=False`.
    Zero,
}

/// A system's response over time.
///
/// # Example
/// ```
/// use lazuli::signal::{dstep, tf2ss};
/// let response = dstep(&tf2ss(&[1.0], &[1.0, -0.5])?.discrete(0.1)?, 4)?;
/// assert_eq!(response.y.to_vec()?, [0.0, 1.0, 1.5, 1.75]);
/// assert_eq!(response.t.to_vec()?[2], 0.2);
/// # Ok::<(), lazuli::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TimeResponse {
    /// The times, from 0 on.
    pub t: DeviceArray<f64>,
    /// The outputs over time; of several outputs along a last axis.
    pub y: DeviceArray<f64>,
    /// The states over time, along the last axis.
    pub x: DeviceArray<f64>,
}

// `while`s, as in `recurrence.rs`: the threads of a GPU's block must not share a line's loop.

/// The states `x[k] = a x[k - 1] + w[k]`, of which the first is `w[0]`.
#[guvectorize("(n,n),(k,n)->(k,n)")]
fn walk(a: ArrayView2<f64>, w: ArrayView2<f64>, mut x: ArrayViewMut2<f64>) {
    let (count, n) = w.dim();
    let mut k = 0;
    while k < count {
        let mut i = 0;
        while i < n {
            let mut sum = w[[k, i]];
            let mut j = 0;
            while k > 0 && j < n {
                sum += a[[i, j]] * x[[k - 1, j]];
                j += 1;
            }
            x[[k, i]] = sum;
            i += 1;
        }
        k += 1;
    }
}

/// What a step does: the factors of the state, of the input at its beginning and of that at its end.
pub(super) struct Steps {
    pub(super) state: Array2<f64>,
    pub(super) begin: Array2<f64>,
    pub(super) end: Option<Array2<f64>>,
    pub(super) length: f64,
}

impl Steps {
    /// A continuous system's.
    pub(super) fn of_continuous(system: &StateSpace, length: f64, hold: Hold) -> Result<Steps> {
        Ok(match hold {
            Hold::Linear => {
                let [state, begin, end] = ramped(&system.a, &system.b, length)?;
                Steps { state, begin, end: Some(end), length }
            }
            Hold::Zero => {
                let [state, begin] = held(&system.a, &system.b, length)?;
                Steps { state, begin, end: None, length }
            }
        })
    }

    /// A discrete system's.
    pub(super) fn of_discrete(system: &StateSpace, length: f64) -> Steps {
        Steps { state: system.a.clone(), begin: system.b.clone(), end: None, length }
    }
}

/// The times of steps.
pub(super) fn times(count: usize, length: f64, device: Device) -> DeviceArray<f64> {
    device.scope(|| DeviceArray::<f64>::arange_to(count as f64) * length)
}

/// The response to inputs `[…, k, inputs]` from states `[…, 1, n]`, which broadcast.
#[track_caller]
pub(super) fn response(
    system: &StateSpace,
    steps: &Steps,
    u: &DeviceArray<f64>,
    first: &DeviceArray<f64>,
) -> Result<TimeResponse> {
    let (device, axis) = (u.device(), u.ndim() - 2);
    let count = u.shape()[axis];
    let n = system.a.nrows();
    let by = |matrix: &Array2<f64>| upload(&matrix.t().to_owned(), device);
    let mut driven = part(u, axis, 0, count - 1, 1).try_matmul(&by(&steps.begin)?)?;
    if let Some(end) = &steps.end {
        let next = part(u, axis, 1, count - 1, 1).try_matmul(&by(end)?)?;
        driven = driven.try_add(&next)?;
    }
    let mut shape = u.shape().to_vec();
    (shape[axis], shape[axis + 1]) = (1, n);
    let first = first.try_broadcast_to(&shape[..])?;
    let w = crate::try_concatenate(&[first, driven], -2)?;
    let x = walk::try_call(&upload(&steps.state, device)?, &w)?;
    let mut y = x.try_matmul(&by(&system.c)?)?;
    // Without a way through, an input that is not finite reaches the output by the state alone.
    if system.d.iter().any(|&d| d != 0.0) {
        y = y.try_add(&u.try_matmul(&by(&system.d)?)?)?;
    }
    if system.outputs() == 1 {
        y = y.try_index_axis(-1, 0)?;
    }
    Ok(TimeResponse { t: times(count, steps.length, device), y, x })
}

/// Inputs with an axis of inputs, which one input may lack.
#[track_caller]
fn inputs(name: &str, system: &StateSpace, u: &DeviceArray<f64>) -> Result<DeviceArray<f64>> {
    let wide = system.inputs() > 1;
    let refused = |why: String| Err(Error::shape(format!("{name}: {why}")));
    if u.ndim() < 1 + usize::from(wide) || (wide && u.shape()[u.ndim() - 1] != system.inputs()) {
        return refused(format!(
            "inputs of the shape {:?} for a system of {} inputs",
            u.shape(),
            system.inputs()
        ));
    }
    let u = if wide { u.clone() } else { u.try_insert_axis(-1)? };
    match u.shape()[u.ndim() - 2] {
        0 => refused("no samples".to_string()),
        _ => Ok(u),
    }
}

/// The state at the beginning, which is 0 where none is given.
fn beginning(
    name: &str,
    system: &StateSpace,
    first: Option<&[f64]>,
    device: Device,
) -> Result<DeviceArray<f64>> {
    let n = system.a.nrows();
    let zeros = vec![0.0; n];
    let first = first.unwrap_or(&zeros);
    if first.len() != n {
        return Err(Error::shape(format!(
            "{name}: {} numbers of a beginning for a system of {n} states",
            first.len()
        )));
    }
    upload_to(device, first, Shape::from_slice(&[1, n]))
}

checked_fns! {
    /// The response of a continuous system to inputs that are given in steps of a length, from a state
    /// on that is 0 where it is not given. The samples are exact but for rounding, where the input does
    /// between its own what `hold` says.
    ///
    /// A response goes from sample to sample; those of a batch run side by side.
    ///
    /// **Shape.** The inputs are `[…, k]`, of several inputs `[…, k, inputs]`; the outputs `[…, k]`, of
    /// several outputs `[…, k, outputs]`; the states `[…, k, n]` and the times `[k]`. **Dtype.** `f64`.
    /// A discrete system, a length that is not positive, no samples, and a state of another size are
    /// errors. SciPy: `signal.lsim(system, u, t, x0, interp)`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::{Hold, lsim, tf2ss};
    /// // The integral of a ramp.
    /// let u = DeviceArray::from_slice(&[0.0, 1.0, 2.0])?;
    /// let response = lsim(&tf2ss(&[1.0], &[1.0, 0.0])?, &u, 1.0, None, Hold::Linear);
    /// let y = response.y.to_vec()?;
    /// assert!((y[1] - 0.5).abs() < 1e-15 && (y[2] - 2.0).abs() < 1e-15);
    /// # Ok::<(), Error>(())
    /// ```
    fn lsim | try_lsim(
        system: &StateSpace,
        u: &DeviceArray<f64>,
        step: f64,
        first: Option<&[f64]>,
        hold: Hold,
    ) -> TimeResponse {
        system.continuous("lsim")?;
        let steps = Steps::of_continuous(system, positive("lsim", step)?, hold)?;
        let u = inputs("lsim", system, u)?;
        response(system, &steps, &u, &beginning("lsim", system, first, u.device())?)
    }

    /// The response of a discrete system to inputs, from a state on that is 0 where it is not given.
    ///
    /// A response goes from sample to sample; those of a batch run side by side.
    ///
    /// **Shape, dtype.** As of [`lsim`]. A continuous system, no samples, and a state of another size
    /// are errors. SciPy: `signal.dlsim(system, u, x0=first)`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::{dlsim, tf2ss};
    /// let u = DeviceArray::from_slice(&[1.0, 2.0, 3.0])?;
    /// let sums = tf2ss(&[1.0, 0.0], &[1.0, -1.0])?.discrete(1.0)?;
    /// assert_eq!(dlsim(&sums, &u, None).y.to_vec()?, [1.0, 3.0, 6.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn dlsim | try_dlsim(
        system: &StateSpace,
        u: &DeviceArray<f64>,
        first: Option<&[f64]>,
    ) -> TimeResponse {
        let steps = Steps::of_discrete(system, system.stepped("dlsim")?);
        let u = inputs("dlsim", system, u)?;
        response(system, &steps, &u, &beginning("dlsim", system, first, u.device())?)
    }
}

#[cfg(all(test, feature = "cuda"))]
mod tests {
    #[test]
    fn the_code_for_gpus_compiles() {
        crate::signal::gpu_tests::compiles(&super::walk::lz_source());
    }
}
