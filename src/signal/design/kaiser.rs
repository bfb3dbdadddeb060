//! Kaiser's formulas for the window of a filter that is as steep as wanted: J. F. Kaiser, Nonrecursive
//! digital filter design using the I₀-sinh window function (1974).

use crate::error::{Error, Result};

/// The parameter β of a [`Window::Kaiser`](super::super::Window::Kaiser) whose filters lie so many
/// decibels lower in their stop band.
///
/// Computed on the host. SciPy: `signal.kaiser_beta`.
///
/// # Example
/// ```
/// use lazuli::signal::kaiser_beta;
/// assert!((kaiser_beta(65.0) - 6.20426).abs() < 1e-12);
/// assert_eq!(kaiser_beta(10.0), 0.0);
/// ```
pub fn kaiser_beta(attenuation: f64) -> f64 {
    match attenuation {
        a if a > 50.0 => 0.1102 * (a - 8.7),
        a if a > 21.0 => 0.5842 * (a - 21.0).powf(0.4) + 0.07886 * (a - 21.0),
        _ => 0.0,
    }
}

/// How many decibels lower a filter of so many coefficients lies in its stop band, whose transition is
/// `width` wide, as a fraction of Nyquist's frequency.
///
/// Computed on the host. SciPy: `signal.kaiser_atten`.
///
/// # Example
/// ```
/// use lazuli::signal::kaiser_atten;
/// assert!((kaiser_atten(211, 0.0375) - 64.48099630593983).abs() < 1e-12);
/// ```
pub fn kaiser_atten(taps: usize, width: f64) -> f64 {
    2.285 * (taps as f64 - 1.0) * std::f64::consts::PI * width + 7.95
}

/// The number of coefficients and the parameter β of a filter from a
/// [`Window::Kaiser`](super::super::Window::Kaiser) whose ripple in the pass band and in the stop band
/// is at most so many decibels, and whose transition is `width` wide, as a fraction of Nyquist's
/// frequency.
///
/// Computed on the host. SciPy: `signal.kaiserord`.
///
/// # Errors
/// [`Error::is_shape`] where the ripple is below 8 dB, which the formula does not know, and where the
/// width is not positive.
///
/// # Example
/// ```
/// use lazuli::signal::{Band, Window, firwin, kaiserord};
/// let (n, beta) = kaiserord(65.0, 24.0 / 500.0)?;
/// assert_eq!(n, 167);
/// let h = firwin(n, Band::Low(0.25), Window::Kaiser(beta))?;
/// assert_eq!(h.len(), 167);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn kaiserord(ripple: f64, width: f64) -> Result<(usize, f64)> {
    let attenuation = ripple.abs();
    if !(attenuation >= 8.0 && attenuation.is_finite() && width > 0.0) {
        return Err(Error::shape(format!(
            "kaiserord: a ripple of {ripple} dB and a width of {width}: Kaiser's formula needs 8 dB or \
             more and a positive width"
        )));
    }
    let n = (attenuation - 7.95) / 2.285 / (std::f64::consts::PI * width) + 1.0;
    Ok((n.ceil() as usize, kaiser_beta(attenuation)))
}
