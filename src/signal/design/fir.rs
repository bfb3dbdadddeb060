//! Filters without feedback, from windows.

use super::iir::Band;
use crate::error::{Error, Result};
use crate::signal::window::{Symmetry, Window};
use std::f64::consts::PI;

/// `sin(πx) / (πx)`.
fn sinc(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { (PI * x).sin() / (PI * x) }
}

/// A filter of so many coefficients with linear phase: the ideal answer of a band, cut off by a
/// window, and scaled so that the middle of the band passes as it is (0 for a low-pass filter and one
/// that stops a band, Nyquist's frequency for a high-pass filter).
///
/// Computed on the host. The coefficients go to [`convolve`](super::super::convolve()) or
/// [`filtfilt`](super::super::filtfilt()). SciPy: `signal.firwin`, whose window is
/// [`Window::Hamming`] by default.
///
/// # Errors
/// [`Error::is_shape`] without coefficients, for frequencies that do not lie between 0 and 1 or do not
/// rise, and for an even number of coefficients where Nyquist's frequency has to pass.
///
/// # Example
/// ```
/// use lazuli::signal::{Band, Window, firwin};
/// let h = firwin(3, Band::Low(0.1), Window::Hamming)?;
/// assert!((h[0] - 0.06799017).abs() < 1e-8 && (h[1] - 0.86401967).abs() < 1e-8);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn firwin(n: usize, band: Band, window: Window) -> Result<Vec<f64>> {
    band.check("firwin")?;
    if n == 0 {
        return Err(Error::shape("firwin: a filter needs a coefficient"));
    }
    if n % 2 == 0 && matches!(band, Band::High(_) | Band::Stop(..)) {
        return Err(Error::shape(format!(
            "firwin: {n} coefficients for {band:?}: an even number of them lets nothing pass at \
             Nyquist's frequency"
        )));
    }
    // The bands that pass, and the frequency that passes as it is.
    let (bands, at) = match band {
        Band::Low(f) => (vec![(0.0, f)], 0.0),
        Band::High(f) => (vec![(f, 1.0)], 1.0),
        Band::Pass(f, g) => (vec![(f, g)], 0.5 * (f + g)),
        Band::Stop(f, g) => (vec![(0.0, f), (g, 1.0)], 0.0),
    };
    let middle = 0.5 * (n as f64 - 1.0);
    let ideal = |i: usize| -> f64 {
        let m = i as f64 - middle;
        bands.iter().map(|(f, g)| g * sinc(g * m) - f * sinc(f * m)).sum()
    };
    let weights = window.values(n, Symmetry::Symmetric);
    let h: Vec<f64> = weights.iter().enumerate().map(|(i, w)| w * ideal(i)).collect();
    let passed = |(i, h): (usize, &f64)| h * (PI * (i as f64 - middle) * at).cos();
    let scale: f64 = h.iter().enumerate().map(passed).sum();
    Ok(h.iter().map(|h| h / scale).collect())
}
