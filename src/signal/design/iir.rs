//! Designs of recursive filters: Butterworth's, Chebyshev's, the elliptic one.

use super::analog::{
    bilinear, butterworth, chebyshev1, chebyshev2, elliptic, to_band, to_high, to_low, to_stop,
};
use super::zpk::Zpk;
use crate::error::{Error, Result};
use std::f64::consts::PI;

/// What a filter passes. Frequencies are fractions of Nyquist's, half the sampling rate; those of
/// another unit are divided by [`rate`](Self::rate).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Band {
    /// What is below a frequency.
    Low(f64),
    /// What is above a frequency.
    High(f64),
    /// What is between two frequencies.
    Pass(f64, f64),
    /// What is not between two frequencies.
    Stop(f64, f64),
}

impl Band {
    /// The band of frequencies that are given in the unit of a sampling rate. SciPy: `fs=`.
    ///
    /// # Example
    /// ```
    /// use lazuli::signal::Band;
    /// assert_eq!(Band::Pass(50.0, 100.0).rate(1000.0), Band::Pass(0.1, 0.2));
    /// ```
    #[must_use]
    pub fn rate(self, rate: f64) -> Band {
        let of = |f: f64| 2.0 * f / rate;
        match self {
            Band::Low(f) => Band::Low(of(f)),
            Band::High(f) => Band::High(of(f)),
            Band::Pass(f, g) => Band::Pass(of(f), of(g)),
            Band::Stop(f, g) => Band::Stop(of(f), of(g)),
        }
    }

    /// Checks that frequencies lie between 0 and Nyquist's and rise.
    pub(super) fn check(self, name: &str) -> Result<()> {
        let inside = |f: f64| f > 0.0 && f < 1.0;
        let fits = match self {
            Band::Low(f) | Band::High(f) => inside(f),
            Band::Pass(f, g) | Band::Stop(f, g) => inside(f) && inside(g) && f < g,
        };
        if fits {
            return Ok(());
        }
        Err(Error::shape(format!(
            "{name}: {self:?}: frequencies lie between 0 and 1, which is half the sampling rate, and \
             two of them rise; Band::rate takes them in another unit"
        )))
    }
}

/// The digital filter of a band that a prototype makes.
fn digital(name: &str, prototype: &Zpk, band: Band) -> Result<Zpk> {
    band.check(name)?;
    // The bilinear transform bends frequencies; they are bent the other way before.
    let bent = |f: f64| 4.0 * (PI * f / 2.0).tan();
    let around = |f: f64, g: f64| {
        let (f, g) = (bent(f), bent(g));
        ((f * g).sqrt(), g - f)
    };
    Ok(bilinear(
        &match band {
            Band::Low(f) => to_low(prototype, bent(f)),
            Band::High(f) => to_high(prototype, bent(f)),
            Band::Pass(f, g) => {
                let (w, width) = around(f, g);
                to_band(prototype, w, width)
            }
            Band::Stop(f, g) => {
                let (w, width) = around(f, g);
                to_stop(prototype, w, width)
            }
        },
        2.0,
    ))
}

pub(super) fn check_order(name: &str, order: usize) -> Result<()> {
    match order {
        0 => Err(Error::shape(format!("{name}: a filter of order 0 passes everything"))),
        _ => Ok(()),
    }
}

/// Checks decibels, which are positive.
pub(super) fn check_decibels(name: &str, what: &str, decibels: f64) -> Result<()> {
    if decibels > 0.0 && decibels.is_finite() {
        return Ok(());
    }
    Err(Error::shape(format!("{name}: {what} of {decibels} dB; it must be positive")))
}

/// Butterworth's filter of an order, flat in its pass band; the order of one that passes or stops a
/// band is twice that. At the band's edges it passes -3 dB.
///
/// Computed on the host. SciPy: `signal.butter`, whose `output` is [`Zpk::sos`], [`Zpk::ba`] or the
/// result itself, and whose `fs` is [`Band::rate`].
///
/// # Errors
/// [`Error::is_shape`] for the order 0 and for frequencies that do not lie between 0 and 1 or do not
/// rise.
///
/// # Example
/// ```
/// use lazuli::signal::{Band, butter};
/// let (b, a) = butter(2, Band::Low(50.0).rate(1000.0))?.ba();
/// assert!((b[0] - 0.020083365564211236).abs() < 1e-15);
/// assert!((a[1] + 1.5610180758007182).abs() < 1e-14);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn butter(order: usize, band: Band) -> Result<Zpk> {
    check_order("butter", order)?;
    digital("butter", &butterworth(order), band)
}

/// Chebyshev's filter of type I: steeper than [`butter`], with a ripple of so many decibels in its
/// pass band, to the depth of which it falls at the band's edges.
///
/// Computed on the host. SciPy: `signal.cheby1`.
///
/// # Errors
/// As [`butter`], and [`Error::is_shape`] where the decibels are not positive.
///
/// # Example
/// ```
/// use lazuli::signal::{Band, cheby1, freqz_at};
/// let (b, a) = cheby1(4, 1.0, Band::Low(0.25))?.ba();
/// let edge = freqz_at(&b, &a, &[0.25 * std::f64::consts::PI])[0].norm();
/// assert!((20.0 * edge.log10() + 1.0).abs() < 1e-9);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn cheby1(order: usize, ripple: f64, band: Band) -> Result<Zpk> {
    check_order("cheby1", order)?;
    check_decibels("cheby1", "a ripple", ripple)?;
    digital("cheby1", &chebyshev1(order, ripple), band)
}

/// Chebyshev's filter of type II: flat in its pass band; its stop band, which begins at the given
/// frequencies, is so many decibels lower.
///
/// Computed on the host. SciPy: `signal.cheby2`.
///
/// # Errors
/// As [`butter`], and [`Error::is_shape`] where the decibels are not positive.
///
/// # Example
/// ```
/// use lazuli::signal::{Band, cheby2, freqz_at};
/// let (b, a) = cheby2(4, 40.0, Band::Low(0.25))?.ba();
/// let edge = freqz_at(&b, &a, &[0.25 * std::f64::consts::PI])[0].norm();
/// assert!((20.0 * edge.log10() + 40.0).abs() < 1e-7);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn cheby2(order: usize, attenuation: f64, band: Band) -> Result<Zpk> {
    check_order("cheby2", order)?;
    check_decibels("cheby2", "an attenuation", attenuation)?;
    digital("cheby2", &chebyshev2(order, attenuation), band)
}

/// The elliptic filter, Cauer's: the steepest of an order, with a ripple of so many decibels in its
/// pass band, and a stop band so many decibels lower.
///
/// Computed on the host. SciPy: `signal.ellip`.
///
/// # Errors
/// As [`butter`], and [`Error::is_shape`] where the decibels are not positive or the attenuation is
/// not larger than the ripple.
///
/// # Example
/// ```
/// use lazuli::signal::{Band, ellip, freqz_at};
/// let (b, a) = ellip(4, 1.0, 40.0, Band::Low(0.25))?.ba();
/// let edge = freqz_at(&b, &a, &[0.25 * std::f64::consts::PI])[0].norm();
/// assert!((20.0 * edge.log10() + 1.0).abs() < 1e-9);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn ellip(order: usize, ripple: f64, attenuation: f64, band: Band) -> Result<Zpk> {
    check_order("ellip", order)?;
    check_decibels("ellip", "a ripple", ripple)?;
    check_decibels("ellip", "an attenuation", attenuation)?;
    let prototype = match attenuation > ripple {
        true => elliptic(order, ripple, attenuation),
        false => None,
    };
    let prototype = prototype.ok_or_else(|| {
        Error::shape(format!(
            "ellip: there is no filter with a ripple of {ripple} dB and an attenuation of \
             {attenuation} dB"
        ))
    })?;
    digital("ellip", &prototype, band)
}

/// The families of recursive filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// [`butter`]. SciPy: `"butter"`.
    Butterworth,
    /// [`cheby1`]. SciPy: `"cheby1"`.
    Chebyshev1,
    /// [`cheby2`]. SciPy: `"cheby2"`.
    Chebyshev2,
    /// [`ellip`]. SciPy: `"ellip"`.
    Elliptic,
}

/// A recursive filter of a family. The ripple and the attenuation are given where the family has them,
/// and not looked at elsewhere.
///
/// Computed on the host. SciPy: `signal.iirfilter(order, band, ripple, attenuation, ftype=family)`.
///
/// # Errors
/// As the family's own function, and [`Error::is_shape`] where decibels are missing.
///
/// # Example
/// ```
/// use lazuli::signal::{Band, Family, cheby1, iirfilter};
/// let filter = iirfilter(4, Band::Low(0.3), Some(1.0), None, Family::Chebyshev1)?;
/// assert_eq!(filter, cheby1(4, 1.0, Band::Low(0.3))?);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn iirfilter(
    order: usize,
    band: Band,
    ripple: Option<f64>,
    attenuation: Option<f64>,
    family: Family,
) -> Result<Zpk> {
    let needed = |what: &str, decibels: Option<f64>| {
        decibels.ok_or_else(|| Error::shape(format!("iirfilter: {family:?} needs {what}")))
    };
    let ripple = || needed("a ripple", ripple);
    let attenuation = || needed("an attenuation", attenuation);
    match family {
        Family::Butterworth => butter(order, band),
        Family::Chebyshev1 => cheby1(order, ripple()?, band),
        Family::Chebyshev2 => cheby2(order, attenuation()?, band),
        Family::Elliptic => ellip(order, ripple()?, attenuation()?, band),
    }
}

/// The recursive filter of a family and of the least order that loses no more than `ripple` decibels in
/// the band `pass` and at least `attenuation` outside of the band `stop`. The bands are those of
/// [`buttord`](super::buttord()).
///
/// Computed on the host. SciPy: `signal.iirdesign`, whose family is the elliptic one by default.
///
/// # Errors
/// As [`buttord`](super::buttord()).
///
/// # Example
/// ```
/// use lazuli::signal::{Band, Family, iirdesign};
/// let filter = iirdesign(Band::Low(0.2), Band::Low(0.3), 1.0, 40.0, Family::Elliptic)?;
/// assert_eq!(filter.poles().len(), 4);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn iirdesign(
    pass: Band,
    stop: Band,
    ripple: f64,
    attenuation: f64,
    family: Family,
) -> Result<Zpk> {
    let (order, band) =
        super::order::least("iirdesign", family, (pass, stop), ripple, attenuation)?;
    iirfilter(order, band, Some(ripple), Some(attenuation), family)
}
