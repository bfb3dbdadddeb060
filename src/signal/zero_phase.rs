//! Filters that run forwards and backwards, so that nothing is delayed.

use super::axes::{from_last, narrowed, part, to_last, widened};
use super::filter::{cascade, lfilter_zi, section, sosfilt_zi};
use super::recurrence::Filter;
use crate::DeviceArray;
use crate::array::{checked_fns, upload_to};
use crate::dtype::Inexact;
use crate::error::{Error, Result};
use crate::shape::{Shape, axis_index};

/// What a signal goes on with beyond its ends while it is filtered forwards and backwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Extension {
    /// The signal turned around its ends by half a turn.
    #[default]
    Odd,
    /// The signal mirrored at its ends.
    Even,
    /// The samples at the ends.
    Constant,
    /// Nothing.
    None,
}

/// Extends the last axis by so many samples at both ends, fewer than it has.
pub(super) fn extended(
    x: &DeviceArray<f64>,
    how: Extension,
    by: usize,
) -> Result<DeviceArray<f64>> {
    let axis = x.ndim() - 1;
    let n = x.shape()[axis];
    if by == 0 || how == Extension::None {
        return Ok(x.clone());
    }
    let (first, last) = (part(x, axis, 0, 1, 1), part(x, axis, n - 1, 1, 1));
    let (left, right) = (part(x, axis, by, by, -1), part(x, axis, n - 2, by, -1));
    let (left, right) = match how {
        Extension::Odd => (2.0 * &first - left, 2.0 * &last - right),
        Extension::Even => (left, right),
        _ => (first.try_broadcast_to(left.shape())?, last.try_broadcast_to(right.shape())?),
    };
    crate::try_concatenate(&[left, x.clone(), right], axis as isize)
}

/// A filter forwards, then backwards, each time from the state that the first sample would have led
/// to if it had stood there for ever.
fn both_ways<T: Inexact>(
    name: &str,
    filter: &Filter,
    settled: &[f64],
    x: &DeviceArray<T>,
    axis: isize,
    how: (Extension, usize),
) -> Result<DeviceArray<T>> {
    let axis = axis_index(name, axis, x.ndim())?;
    let by = if how.0 == Extension::None { 0 } else { how.1 };
    if x.shape()[axis] <= by {
        return Err(Error::shape(format!(
            "{name}: axis {axis} of shape {:?} must be longer than the {by} samples that it is \
             extended by",
            x.shape()
        )));
    }
    if x.is_empty() {
        return Ok(x.clone());
    }
    let lines = extended(&widened(&to_last(x, axis)?)?, how.0, by)?;
    let state = filter.state();
    let settled = upload_to(x.device(), settled, Shape::from_slice(&state))?;
    let last = lines.ndim() - 1;
    let n = lines.shape()[last];
    let once = |lines: &DeviceArray<f64>| -> Result<DeviceArray<f64>> {
        let first = part(lines, last, 0, 1, 1);
        let first = match state.len() {
            1 => first,
            _ => first.try_insert_axis(-1)?,
        };
        let y = filter.along_last(lines, &(first * &settled))?.y;
        Ok(part(&y, last, n - 1, n, -1))
    };
    let y = once(&once(&lines)?)?;
    from_last(&narrowed(&part(&y, last, by, n - 2 * by, 1))?, axis)
}

checked_fns! {
    /// The filter of a numerator and a denominator forwards and backwards along an axis: twice the
    /// order, no delay. The signal goes on beyond its ends as `how` says, by so many samples, or by
    /// three times the number of coefficients.
    ///
    /// **Shape.** The array's, whose axis is longer than the extension. **Dtype.** The array's;
    /// computed in `f64` and rounded once. SciPy: `signal.filtfilt(…, method="pad")`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::{Band, Extension, butter, filtfilt};
    /// let (b, a) = butter(2, Band::Low(0.2))?.ba();
    /// let line = DeviceArray::<f64>::linspace(0.0, 1.0, 50);
    /// // A line goes through, up to its ends.
    /// let y = filtfilt(&b, &a, &line, -1, Extension::Odd, None);
    /// assert!((y - line).abs().max(..).item()? < 1e-3);
    /// # Ok::<(), Error>(())
    /// ```
    fn filtfilt | try_filtfilt<T: Inexact>(
        b: &[f64],
        a: &[f64],
        x: &DeviceArray<T>,
        axis: isize,
        how: Extension,
        by: Option<usize>,
    ) -> DeviceArray<T> {
        let by = by.unwrap_or(3 * a.len().max(b.len()));
        let filter = section("filtfilt", b, a)?.0;
        let mut settled = lfilter_zi(b, a)?;
        settled.resize(settled.len().max(1), 0.0);
        both_ways("filtfilt", &filter, &settled, x, axis, (how, by))
    }

    /// The filter of a cascade of sections forwards and backwards along an axis: twice the order, no
    /// delay. The signal goes on beyond its ends as `how` says, by so many samples, or by three times
    /// the number of coefficients.
    ///
    /// **Shape.** The array's, whose axis is longer than the extension. **Dtype.** The array's;
    /// computed in `f64` and rounded once. SciPy: `signal.sosfiltfilt`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::{Band, Extension, butter, sosfiltfilt};
    /// let t = DeviceArray::<f64>::arange_to(400.0);
    /// let (slow, fast) = ((&t * 0.05).sin(), (&t * 2.5).sin());
    /// let sos = butter(6, Band::Low(0.2))?.sos();
    /// let y = sosfiltfilt(&sos, &(&slow + fast), -1, Extension::Odd, None);
    /// assert!((y - slow).slice(s![50..350]).abs().max(..).item()? < 1e-3);
    /// # Ok::<(), Error>(())
    /// ```
    fn sosfiltfilt | try_sosfiltfilt<T: Inexact>(
        sos: &[[f64; 6]],
        x: &DeviceArray<T>,
        axis: isize,
        how: Extension,
        by: Option<usize>,
    ) -> DeviceArray<T> {
        let filter = cascade("sosfiltfilt", sos)?;
        let without = |k: usize| sos.iter().filter(|row| row[k] == 0.0).count();
        let taps = 2 * sos.len() + 1 - without(2).min(without(5));
        let settled = sosfilt_zi(sos)?;
        both_ways("sosfiltfilt", &filter, settled.as_flattened(), x, axis,
            (how, by.unwrap_or(3 * taps)))
    }
}
