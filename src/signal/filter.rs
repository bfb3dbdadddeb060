//! Recursive filters along an axis: `lfilter`, `sosfilt` and the states of their steps.

use super::axes::{from_last, narrowed, to_last, widened, zeros};
use super::recurrence::{Filter, Filtered};
use crate::DeviceArray;
use crate::array::checked_fns;
use crate::dtype::{Element, Inexact};
use crate::error::{Error, Result};
use crate::shape::axis_index;

/// The filter of a numerator and a denominator, and the number of its states that are not padding.
pub(super) fn section(name: &str, b: &[f64], a: &[f64]) -> Result<(Filter, usize)> {
    let (mut b, mut a) = normalised(name, b, a)?;
    let order = b.len() - 1;
    b.resize(b.len().max(2), 0.0);
    while a.len() > 1 && a.last() == Some(&0.0) {
        a.pop();
    }
    Ok((Filter::Section { b, a }, order))
}

/// Both of the same length, the denominator beginning with 1.
pub(super) fn normalised(name: &str, b: &[f64], a: &[f64]) -> Result<(Vec<f64>, Vec<f64>)> {
    match a.first() {
        Some(&first) if first != 0.0 && !b.is_empty() => {
            let n = a.len().max(b.len());
            let scaled = |c: &[f64]| {
                let mut scaled: Vec<f64> = c.iter().map(|c| c / first).collect();
                scaled.resize(n, 0.0);
                scaled
            };
            Ok((scaled(b), scaled(a)))
        }
        _ => Err(Error::shape(format!(
            "{name}: numerator {b:?} and denominator {a:?}: both need a coefficient, and the \
             denominator's first one must not be 0"
        ))),
    }
}

/// A cascade whose rows begin their denominators with 1.
pub(super) fn cascade(name: &str, sos: &[[f64; 6]]) -> Result<Filter> {
    if sos.is_empty() {
        return Err(Error::shape(format!("{name}: no section")));
    }
    if let Some(row) = sos.iter().find(|row| row[3] != 1.0) {
        return Err(Error::shape(format!(
            "{name}: the section {row:?} has {} in the place of a denominator's first coefficient, \
             which must be 1",
            row[3]
        )));
    }
    Ok(Filter::Cascade(sos.to_vec()))
}

impl Filter {
    /// A state of zeros for each line along the last axis.
    fn at_rest(&self, x: &DeviceArray<f64>) -> DeviceArray<f64> {
        let shape = [&x.shape()[..x.ndim() - 1], &self.state()[..]].concat();
        zeros(&shape, x.device())
    }

    /// The output along an axis, from states of zeros.
    fn at_once<T: Inexact>(
        &self,
        name: &str,
        x: &DeviceArray<T>,
        axis: isize,
    ) -> Result<DeviceArray<T>> {
        let axis = axis_index(name, axis, x.ndim())?;
        let lines = widened(&to_last(x, axis)?)?;
        let y = self.along_last(&lines, &self.at_rest(&lines))?.y;
        from_last(&narrowed(&y)?, axis)
    }

    /// The output along an axis and the states behind it, from states that are given: in the shape of
    /// the array, with the state in the axis' place.
    fn go_on<T: Inexact>(
        &self,
        x: &DeviceArray<T>,
        axis: usize,
        start: &DeviceArray<T>,
    ) -> Result<(DeviceArray<T>, DeviceArray<T>)> {
        let lines = widened(&to_last(x, axis)?)?;
        let Filtered { y, end } = self.along_last(&lines, &widened(start)?)?;
        Ok((from_last(&narrowed(&y)?, axis)?, narrowed(&end)?))
    }
}

/// Checks the states that a caller gives, and broadcasts them.
fn states<T: Element>(
    name: &str,
    x: &DeviceArray<T>,
    wanted: &[usize],
    zi: &DeviceArray<T>,
) -> Result<DeviceArray<T>> {
    if zi.ndim() != wanted.len() {
        return Err(Error::shape(format!(
            "{name}: initial states of shape {:?} for an array of shape {:?}; {wanted:?} is needed, \
             where axes may have length 1",
            zi.shape(),
            x.shape()
        )));
    }
    zi.try_broadcast_to(wanted)
}

checked_fns! {
    /// The recursive filter with a numerator `b` and a denominator `a` along an axis, in transposed
    /// direct form II: `a[0] y[n] = b[0] x[n] + … + b[M] x[n-M] - a[1] y[n-1] - … - a[N] y[n-N]`.
    ///
    /// High orders lose accuracy in this form, which [`sosfilt`] does not. Few long lines are cut into
    /// blocks that run side by side; a filter without feedback runs so, too, while
    /// [`convolve`](super::convolve) fuses with what is around it.
    ///
    /// **Shape.** The array's. **Dtype.** The array's; computed in `f64` and rounded once. The
    /// coefficients are real. SciPy: `signal.lfilter`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::lfilter;
    /// let x = DeviceArray::from_slice(&[1.0, 0.0, 0.0, 0.0])?;
    /// // y[n] = x[n] + y[n - 1] / 2
    /// assert_eq!(lfilter(&[1.0], &[1.0, -0.5], &x, -1).to_vec()?, [1.0, 0.5, 0.25, 0.125]);
    /// # Ok::<(), Error>(())
    /// ```
    fn lfilter | try_lfilter<T: Inexact>(
        b: &[f64],
        a: &[f64],
        x: &DeviceArray<T>,
        axis: isize,
    ) -> DeviceArray<T> {
        section("lfilter", b, a)?.0.at_once("lfilter", x, axis)
    }

    /// [`lfilter`] that begins in given states, and the states in which it ends: what a signal that
    /// comes in pieces is filtered with.
    ///
    /// **Shape.** The array's, and twice for the states: the array's with `max(len(a), len(b)) - 1` in
    /// the place of the axis; axes of length 1 are broadcast. **Dtype.** As [`lfilter`]. SciPy:
    /// `signal.lfilter(…, zi=zi)`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::lfilter_with_state;
    /// let x = DeviceArray::from_slice(&[1.0, 0.0])?;
    /// let (b, a) = (&[1.0], &[1.0, -0.5]);
    /// let (first, state) = lfilter_with_state(b, a, &x, -1, &DeviceArray::zeros(1));
    /// let (second, _) = lfilter_with_state(b, a, &(&x * 0.0), -1, &state);
    /// assert_eq!(first.to_vec()?, [1.0, 0.5]);
    /// assert_eq!(second.to_vec()?, [0.25, 0.125]);
    /// # Ok::<(), Error>(())
    /// ```
    fn lfilter_with_state | try_lfilter_with_state<T: Inexact>(
        b: &[f64],
        a: &[f64],
        x: &DeviceArray<T>,
        axis: isize,
        zi: &DeviceArray<T>,
    ) -> (DeviceArray<T>, DeviceArray<T>) {
        let name = "lfilter_with_state";
        let (filter, order) = section(name, b, a)?;
        let axis = axis_index(name, axis, x.ndim())?;
        let mut wanted = x.shape().to_vec();
        wanted[axis] = order;
        let zi = states(name, x, &wanted, zi)?;
        if order == 0 {
            let y = filter.at_once(name, x, axis as isize)?;
            return Ok((y, zi));
        }
        let (y, zf) = filter.go_on(x, axis, &to_last(&zi, axis)?)?;
        Ok((y, from_last(&zf, axis)?))
    }

    /// The filter of a cascade of sections of second order along an axis: rows of
    /// `b0 b1 b2 1 a1 a2`, as [`Zpk::sos`](super::Zpk::sos) makes them. This is the accurate form of a
    /// filter of high order.
    ///
    /// Few long lines are cut into blocks that run side by side.
    ///
    /// **Shape.** The array's. **Dtype.** The array's; computed in `f64` and rounded once. SciPy:
    /// `signal.sosfilt`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::{Band, butter, sosfilt};
    /// let sos = butter(4, Band::Low(0.1))?.sos();
    /// let y = sosfilt(&sos, &DeviceArray::<f64>::ones([3, 400]), -1);
    /// // A constant passes through once the filter has settled.
    /// assert!((y.get([2, 399])? - 1.0).abs() < 1e-9);
    /// # Ok::<(), Error>(())
    /// ```
    fn sosfilt | try_sosfilt<T: Inexact>(
        sos: &[[f64; 6]],
        x: &DeviceArray<T>,
        axis: isize,
    ) -> DeviceArray<T> {
        cascade("sosfilt", sos)?.at_once("sosfilt", x, axis)
    }

    /// [`sosfilt`] that begins in given states, and the states in which it ends.
    ///
    /// **Shape.** The array's, and twice for the states: the number of sections, then the array's
    /// shape with 2 in the place of the axis; axes of length 1 are broadcast. **Dtype.** As
    /// [`sosfilt`]. SciPy: `signal.sosfilt(…, zi=zi)`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::sosfilt_with_state;
    /// let x = DeviceArray::from_slice(&[1.0, 0.0])?;
    /// let sos = [[1.0, 0.0, 0.0, 1.0, -0.5, 0.0]];
    /// let (y, state) = sosfilt_with_state(&sos, &x, -1, &DeviceArray::zeros([1, 2]));
    /// assert_eq!(y.to_vec()?, [1.0, 0.5]);
    /// assert_eq!(state.to_vec()?, [0.25, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn sosfilt_with_state | try_sosfilt_with_state<T: Inexact>(
        sos: &[[f64; 6]],
        x: &DeviceArray<T>,
        axis: isize,
        zi: &DeviceArray<T>,
    ) -> (DeviceArray<T>, DeviceArray<T>) {
        let name = "sosfilt_with_state";
        let filter = cascade(name, sos)?;
        let axis = axis_index(name, axis, x.ndim())?;
        let mut wanted = vec![sos.len()];
        wanted.extend_from_slice(x.shape());
        wanted[axis + 1] = 2;
        let zi = states(name, x, &wanted, zi)?;
        // The sections stand in front, and a line's state behind the line's place.
        let start = zi.try_move_axis([0, axis as isize + 1], [-2, -1])?;
        let (y, zf) = filter.go_on(x, axis, &start)?;
        Ok((y, zf.try_move_axis([-2, -1], [0, axis as isize + 1])?))
    }
}

/// The states of [`lfilter`] in which a constant 1 is answered by a constant, from the first sample
/// on. Times the first sample of a signal, they spare a filter the jump from 0.
///
/// Computed on the host. SciPy: `signal.lfilter_zi`.
///
/// # Errors
/// [`Error::is_shape`] where the denominator begins with 0 or one of both is empty, and
/// [`Error::is_numeric`] where there is no such state, as the filter's answer to 1 grows.
///
/// # Example
/// ```
/// use lazuli::signal::lfilter_zi;
/// assert_eq!(lfilter_zi(&[1.0], &[1.0, -0.5])?, [1.0]);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn lfilter_zi(b: &[f64], a: &[f64]) -> Result<Vec<f64>> {
    let leading = a.iter().take_while(|&&a| a == 0.0).count();
    let (b, a) = normalised("lfilter_zi", b, &a[leading..])?;
    settled("lfilter_zi", &b, &a)
}

/// The steady state `z = A z + B` of the filter's step under a constant 1. With the output `y` of a
/// step, `z[k] = z[k+1] + b[k+1] - a[k+1] y`; the sum over all k gives `y = Σb / Σa`.
fn settled(name: &str, b: &[f64], a: &[f64]) -> Result<Vec<f64>> {
    let (rise, fall): (f64, f64) = (b.iter().sum(), a.iter().sum());
    if fall == 0.0 {
        return Err(Error::numeric(format!(
            "{name}: the denominator {a:?} is 0 at frequency 0: no state answers a constant by one"
        )));
    }
    let y = rise / fall;
    let mut z = vec![0.0; b.len() - 1];
    let mut next = 0.0;
    for k in (0..z.len()).rev() {
        next += b[k + 1] - a[k + 1] * y;
        z[k] = next;
    }
    Ok(z)
}

/// The states of [`sosfilt`] in which a constant 1 is answered by a constant, a pair for each
/// section.
///
/// Computed on the host. SciPy: `signal.sosfilt_zi`.
///
/// # Errors
/// As [`lfilter_zi`].
///
/// # Example
/// ```
/// use lazuli::signal::sosfilt_zi;
/// let sos = [[1.0, 0.0, 0.0, 1.0, -0.5, 0.0], [1.0, 0.0, 0.0, 1.0, 0.5, 0.0]];
/// // The second section is answered by the first one's 2.
/// let zi = sosfilt_zi(&sos)?;
/// assert_eq!(zi[0], [1.0, 0.0]);
/// assert!((zi[1][0] + 2.0 / 3.0).abs() < 1e-15);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn sosfilt_zi(sos: &[[f64; 6]]) -> Result<Vec<[f64; 2]>> {
    cascade("sosfilt_zi", sos)?;
    let mut scale = 1.0;
    let mut states = Vec::with_capacity(sos.len());
    for row in sos {
        let (b, a) = row.split_at(3);
        let state = settled("sosfilt_zi", b, a)?;
        states.push([scale * state[0], scale * state[1]]);
        scale *= b.iter().sum::<f64>() / a.iter().sum::<f64>();
    }
    Ok(states)
}
