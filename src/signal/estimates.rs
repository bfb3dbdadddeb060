//! Filters that look at a signal's noise, phases of events, and what lags stand for.

use super::axes::part;
use super::filter::{normalised, try_lfilter};
use crate::DeviceArray;
use crate::array::{checked_fns, record, upload_to};
use crate::dtype::{Element, Floating, Inexact, Scalar};
use crate::error::{Error, Result};
use crate::ops::convolve::{Mode, try_convolve, try_correlate};
use crate::shape::Shape;

/// Checks that an array has one axis.
fn one_axis<T: Element>(name: &str, what: &str, a: &DeviceArray<T>) -> Result<()> {
    if a.ndim() == 1 {
        return Ok(());
    }
    Err(Error::shape(format!("{name}: {what} of shape {:?}, which must have one axis", a.shape())))
}

checked_fns! {
    /// Wiener's filter: each element goes towards the mean around it, the further the less the elements
    /// around it vary beyond the noise. Without a noise's variance it is the mean of the variances
    /// around all elements. Zeros are beyond the edges.
    ///
    /// **Shape.** The array's; the window has as many axes. **Dtype.** The array's; computed in `f64`
    /// and rounded once. A window without elements is an error. SciPy: `signal.wiener(im, mysize,
    /// noise)`, whose window is 3 along each axis by default.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::wiener;
    /// let x = DeviceArray::from_slice(&[1.0, 1.0, 4.0, 1.0, 1.0])?;
    /// // All that varies is taken for noise.
    /// assert_eq!(wiener(&x, &[3], Some(100.0)).to_vec()?[1..4], [2.0, 2.0, 2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn wiener | try_wiener<T: Floating>(
        a: &DeviceArray<T>,
        window: &[usize],
        noise: Option<f64>,
    ) -> DeviceArray<T> {
        if window.len() != a.ndim() || window.contains(&0) {
            return Err(Error::shape(format!(
                "wiener: a window of shape {window:?} for an array of shape {:?}: it needs as many \
                 axes, and elements",
                a.shape()
            )));
        }
        if a.is_empty() {
            return Ok(a.clone());
        }
        let wide = a.cast::<f64>();
        let ones = DeviceArray::from_node(record::full(
            Scalar::new(1.0),
            Shape::from_slice(window),
            a.device(),
        ));
        let count = window.iter().product::<usize>() as f64;
        let mean = try_correlate(&wide, &ones, Mode::Same)? / count;
        let power = try_correlate(&wide.square(), &ones, Mode::Same)? / count;
        let variance = power - mean.square();
        let noise = match noise {
            Some(noise) => variance.zeros_like() + noise,
            None => variance.try_mean(..)?.try_broadcast_to(variance.shape())?,
        };
        let kept = (wide - &mean) * (1.0 - &noise / &variance) + &mean;
        Ok(variance.try_less(&noise)?.try_select(&mean, &kept)?.cast())
    }

    /// How well events keep to a period, from 0 to 1, and the phase at which they come, for each of the
    /// given periods.
    ///
    /// **Shape.** The periods', twice; the events have one axis. **Dtype.** The arrays'; computed in
    /// `f64` and rounded once. Of no events both are NaN. A period that is not positive gives what the
    /// formula does. SciPy: `signal.vectorstrength`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::vectorstrength;
    /// let events = DeviceArray::from_slice(&[0.5f64, 2.5, 4.5])?;
    /// let (strength, phase) = vectorstrength(&events, &DeviceArray::from_slice(&[2.0, 4.0])?);
    /// let (strength, phase) = (strength.to_vec()?, phase.to_vec()?);
    /// assert!((strength[0] - 1.0).abs() < 1e-14 && (strength[1] - 1.0 / 3.0).abs() < 1e-14);
    /// assert!((phase[0] - std::f64::consts::FRAC_PI_2).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn vectorstrength | try_vectorstrength<T: Floating>(
        events: &DeviceArray<T>,
        periods: &DeviceArray<T>,
    ) -> (DeviceArray<T>, DeviceArray<T>) {
        one_axis("vectorstrength", "events", events)?;
        let (events, periods) = (events.cast::<f64>(), periods.cast::<f64>());
        let angles = (events * std::f64::consts::TAU) / periods.try_insert_axis(-1)?;
        let (re, im) = (angles.cos().try_mean(-1)?, angles.sin().try_mean(-1)?);
        Ok((re.try_hypot(&im)?.cast(), im.try_atan2(&re)?.cast()))
    }

    /// The quotient and the remainder of a signal divided by another one, as polynomials: the signal is
    /// the [`convolve`](super::convolve()) of the divisor and the quotient, and the remainder.
    ///
    /// **Shape.** One axis: the quotient's is as much longer than 1 as the signal is longer than the
    /// divisor, and empty where it is shorter; the remainder's is the signal's. **Dtype.** The
    /// signal's. A divisor that is empty or begins with 0 is an error. SciPy: `signal.deconvolve`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::deconvolve;
    /// let signal = DeviceArray::from_slice(&[1.0, 5.0, 8.0, 5.0])?;
    /// let (quotient, remainder) = deconvolve(&signal, &[1.0, 2.0]);
    /// assert_eq!(quotient.to_vec()?, [1.0, 3.0, 2.0]);
    /// assert_eq!(remainder.to_vec()?, [0.0, 0.0, 0.0, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn deconvolve | try_deconvolve<T: Inexact>(
        signal: &DeviceArray<T>,
        divisor: &[f64],
    ) -> (DeviceArray<T>, DeviceArray<T>) {
        one_axis("deconvolve", "a signal", signal)?;
        // Checks the divisor, also where nothing is divided.
        normalised("deconvolve", &[1.0], divisor)?;
        let (n, d) = (signal.len(), divisor.len());
        if d > n {
            return Ok((part(signal, 0, 0, 0, 1), signal.clone()));
        }
        let front = part(signal, 0, 0, n - d + 1, 1);
        let quotient = try_lfilter(&[1.0], divisor, &front, -1)?;
        let divisor = upload_to(
            signal.device(),
            divisor,
            Shape::from_slice(&[d]),
        )?;
        let whole = try_convolve(&quotient, &divisor.cast::<T>(), Mode::Full)?;
        let remainder = signal.try_subtract(&whole)?;
        Ok((quotient, remainder))
    }

    /// By how many samples the first of two signals is shifted, for each element of their
    /// [`correlate`](super::correlate()).
    ///
    /// **Shape.** One axis, of the correlation's length. **Dtype.** `i64`, on the current device.
    /// Signals without samples are an error. SciPy: `signal.correlation_lags`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::{Mode, correlation_lags};
    /// assert_eq!(correlation_lags(3, 2, Mode::Full).to_vec()?, [-1, 0, 1, 2]);
    /// assert_eq!(correlation_lags(4, 2, Mode::Valid).to_vec()?, [0, 1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    fn correlation_lags | try_correlation_lags(
        first: usize,
        second: usize,
        mode: Mode,
    ) -> DeviceArray<i64> {
        if first == 0 || second == 0 {
            return Err(Error::shape(format!(
                "correlation_lags: signals of {first} and {second} samples"
            )));
        }
        let (n, m) = (first as i64, second as i64);
        let (from, to) = match mode {
            Mode::Full => (1 - m, n),
            Mode::Same => {
                let from = 1 - m + (n + m - 1) / 2 - n / 2;
                (from, from + n)
            }
            Mode::Valid if n >= m => (0, n - m + 1),
            Mode::Valid => (n - m, 1),
        };
        DeviceArray::try_arange(from, to, 1)
    }
}

/// The states of [`lfilter_with_state`](super::lfilter_with_state()) that a filter has after its latest
/// outputs `y` and inputs `x`, the latest of each first; what is not given was 0.
///
/// Computed on the host. SciPy: `signal.lfiltic`.
///
/// # Errors
/// [`Error::is_shape`] where the denominator begins with 0 or one of both is empty.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::signal::{lfilter_with_state, lfiltic};
/// // y[n] = x[n] + y[n - 1] / 2, and the last output was 8.
/// let state = lfiltic(&[1.0], &[1.0, -0.5], &[8.0], &[])?;
/// assert_eq!(state, [4.0]);
/// let x = DeviceArray::from_slice(&[0.0, 0.0])?;
/// let state = DeviceArray::from_slice(&state)?;
/// assert_eq!(lfilter_with_state(&[1.0], &[1.0, -0.5], &x, -1, &state).0.to_vec()?, [4.0, 2.0]);
/// # Ok::<(), Error>(())
/// ```
pub fn lfiltic(b: &[f64], a: &[f64], y: &[f64], x: &[f64]) -> Result<Vec<f64>> {
    let (b, a) = normalised("lfiltic", b, a)?;
    // In transposed form a state is what the past adds to the outputs to come.
    let past = |c: &[f64], list: &[f64], k: usize| -> f64 {
        c[k + 1..].iter().zip(list).map(|(c, value)| c * value).sum()
    };
    Ok((0..b.len() - 1).map(|k| past(&b, x, k) - past(&a, y, k)).collect())
}
