//! Analog low-pass prototypes and the steps from them to other filters, as users call them.

use super::analog::{
    self, butterworth, chebyshev1, chebyshev2, elliptic, to_band, to_high, to_low, to_stop,
};
use super::iir::check_decibels;
use super::zpk::Zpk;
use crate::error::{Error, Result};

/// A prototype without poles, which is a gain.
fn gain(k: f64) -> Zpk {
    Zpk { z: vec![], p: vec![], k }
}

/// The number that so many decibels below 1 is.
fn below(decibels: f64) -> f64 {
    10f64.powf(-decibels / 20.0)
}

/// Butterworth's analog low-pass prototype of an order, which passes -3 dB at 1 radian a second.
///
/// Computed on the host. [`lp2lp_zpk`] and its kin make other bands of it, [`bilinear_zpk`] a digital
/// filter. SciPy: `signal.buttap`.
///
/// # Example
/// ```
/// use lazuli::signal::buttap;
/// let (b, a) = buttap(2).ba();
/// assert_eq!((b, a[0]), (vec![1.0], 1.0));
/// assert!((a[1] - 2f64.sqrt()).abs() < 1e-15 && (a[2] - 1.0).abs() < 1e-15);
/// ```
pub fn buttap(order: usize) -> Zpk {
    butterworth(order)
}

/// Chebyshev's analog low-pass prototype of type I, with a ripple of so many decibels up to 1 radian a
/// second.
///
/// Computed on the host. SciPy: `signal.cheb1ap`.
///
/// # Errors
/// [`Error::is_shape`] where the decibels are not positive.
///
/// # Example
/// ```
/// use lazuli::signal::cheb1ap;
/// // Of the first order, with a ripple of 3.01 dB, it is Butterworth's.
/// let filter = cheb1ap(1, 10.0 * 2f64.log10())?;
/// assert!((filter.poles()[0].re + 1.0).abs() < 1e-15 && (filter.gain() - 1.0).abs() < 1e-15);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn cheb1ap(order: usize, ripple: f64) -> Result<Zpk> {
    check_decibels("cheb1ap", "a ripple", ripple)?;
    Ok(if order == 0 { gain(below(ripple)) } else { chebyshev1(order, ripple) })
}

/// Chebyshev's analog low-pass prototype of type II, so many decibels lower from 1 radian a second on.
///
/// Computed on the host. SciPy: `signal.cheb2ap`.
///
/// # Errors
/// [`Error::is_shape`] where the decibels are not positive.
///
/// # Example
/// ```
/// use lazuli::signal::cheb2ap;
/// let filter = cheb2ap(2, 40.0)?;
/// // The zeros are where the middle of the two lobes is: at i √2 and its conjugate.
/// assert!((filter.zeros()[0].norm() - 2f64.sqrt()).abs() < 1e-15);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn cheb2ap(order: usize, attenuation: f64) -> Result<Zpk> {
    check_decibels("cheb2ap", "an attenuation", attenuation)?;
    Ok(if order == 0 { gain(1.0) } else { chebyshev2(order, attenuation) })
}

/// The elliptic analog low-pass prototype, with a ripple of so many decibels up to 1 radian a second,
/// and a stop band so many decibels lower.
///
/// Computed on the host. SciPy: `signal.ellipap`.
///
/// # Errors
/// [`Error::is_shape`] where the decibels are not positive or the attenuation is not larger than the
/// ripple.
///
/// # Example
/// ```
/// use lazuli::signal::ellipap;
/// let filter = ellipap(3, 1.0, 40.0)?;
/// assert_eq!((filter.zeros().len(), filter.poles().len()), (2, 3));
/// assert!(filter.poles().iter().all(|p| p.re < 0.0));
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn ellipap(order: usize, ripple: f64, attenuation: f64) -> Result<Zpk> {
    check_decibels("ellipap", "a ripple", ripple)?;
    check_decibels("ellipap", "an attenuation", attenuation)?;
    let made = match (order, attenuation > ripple) {
        (_, false) => None,
        (0, true) => Some(gain(below(ripple))),
        (_, true) => elliptic(order, ripple, attenuation),
    };
    made.ok_or_else(|| {
        Error::shape(format!(
            "ellipap: there is no filter with a ripple of {ripple} dB and an attenuation of \
             {attenuation} dB"
        ))
    })
}

/// Checks that an analog filter has a gain at high frequencies, which not all changes of bands keep.
fn proper(name: &str, filter: &Zpk) -> Result<()> {
    if filter.z.len() <= filter.p.len() {
        return Ok(());
    }
    Err(Error::shape(format!(
        "{name}: {} zeros and {} poles: there must not be more zeros",
        filter.z.len(),
        filter.p.len()
    )))
}

/// The analog low-pass filter with its cut-off at `wo` that a prototype makes, in radians a second.
///
/// Computed on the host. SciPy: `signal.lp2lp_zpk`.
///
/// # Errors
/// [`Error::is_shape`] for more zeros than poles.
///
/// # Example
/// ```
/// use lazuli::signal::{buttap, lp2lp_zpk};
/// let filter = lp2lp_zpk(&buttap(1), 5.0)?;
/// assert_eq!((filter.poles()[0].re, filter.gain()), (-5.0, 5.0));
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn lp2lp_zpk(filter: &Zpk, wo: f64) -> Result<Zpk> {
    proper("lp2lp_zpk", filter).map(|()| to_low(filter, wo))
}

/// The analog high-pass filter with its cut-off at `wo` that a prototype makes, in radians a second.
///
/// Computed on the host. SciPy: `signal.lp2hp_zpk`.
///
/// # Errors
/// [`Error::is_shape`] for more zeros than poles.
///
/// # Example
/// ```
/// use lazuli::signal::{buttap, lp2hp_zpk};
/// let filter = lp2hp_zpk(&buttap(1), 5.0)?;
/// assert_eq!((filter.zeros()[0].re, filter.poles()[0].re, filter.gain()), (0.0, -5.0, 1.0));
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn lp2hp_zpk(filter: &Zpk, wo: f64) -> Result<Zpk> {
    proper("lp2hp_zpk", filter).map(|()| to_high(filter, wo))
}

/// The analog filter that passes a band of the width `bw` around `wo`, the geometric mean of its
/// edges, that a prototype makes, in radians a second.
///
/// Computed on the host. SciPy: `signal.lp2bp_zpk`.
///
/// # Errors
/// [`Error::is_shape`] for more zeros than poles.
///
/// # Example
/// ```
/// use lazuli::signal::{buttap, lp2bp_zpk};
/// let (b, a) = lp2bp_zpk(&buttap(1), 2.0, 0.5)?.ba();
/// assert_eq!(b, [0.5, 0.0]);
/// assert!((a[1] - 0.5).abs() < 1e-15 && (a[2] - 4.0).abs() < 1e-15);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn lp2bp_zpk(filter: &Zpk, wo: f64, bw: f64) -> Result<Zpk> {
    proper("lp2bp_zpk", filter).map(|()| to_band(filter, wo, bw))
}

/// The analog filter that stops a band of the width `bw` around `wo`, the geometric mean of its edges,
/// that a prototype makes, in radians a second.
///
/// Computed on the host. SciPy: `signal.lp2bs_zpk`.
///
/// # Errors
/// [`Error::is_shape`] for more zeros than poles.
///
/// # Example
/// ```
/// use lazuli::signal::{buttap, lp2bs_zpk};
/// let (b, a) = lp2bs_zpk(&buttap(1), 2.0, 0.5)?.ba();
/// assert_eq!(b, [1.0, 0.0, 4.0]);
/// assert!((a[1] - 0.5).abs() < 1e-15 && (a[2] - 4.0).abs() < 1e-15);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn lp2bs_zpk(filter: &Zpk, wo: f64, bw: f64) -> Result<Zpk> {
    proper("lp2bs_zpk", filter).map(|()| to_stop(filter, wo, bw))
}

/// The digital filter of an analog one by the bilinear transform, `s = 2 fs (z - 1) / (z + 1)`.
///
/// Computed on the host. The transform bends frequencies: the analog filter's `2 fs tan(π f / fs)` is
/// the digital one's `f`. SciPy: `signal.bilinear_zpk`.
///
/// # Errors
/// [`Error::is_shape`] for more zeros than poles.
///
/// # Example
/// ```
/// use lazuli::signal::{bilinear_zpk, buttap, lp2lp_zpk};
/// let filter = bilinear_zpk(&lp2lp_zpk(&buttap(1), 2.0)?, 1.0)?;
/// assert_eq!((filter.zeros()[0].re, filter.poles()[0].re, filter.gain()), (-1.0, 0.0, 0.5));
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn bilinear_zpk(filter: &Zpk, fs: f64) -> Result<Zpk> {
    proper("bilinear_zpk", filter).map(|()| analog::bilinear(filter, fs))
}
