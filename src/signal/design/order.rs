//! The least order of a filter that is as steep as wanted.
//!
//! The wanted band is mapped onto the prototype's: how far its stop band begins from its pass band is
//! all that an order depends on. The formulas are those of A. V. Oppenheim and R. W. Schafer,
//! Discrete-Time Signal Processing, chapter 7, and of S. J. Orfanidis for elliptic filters.

use super::iir::{Band, Family, check_decibels};
use crate::error::{Error, Result};
use crate::special::device::{ellipk, ellipkm1};
use std::f64::consts::PI;

/// Frequencies of an analog filter: the edges of the pass band and of the stop band.
#[derive(Clone, Copy)]
struct Edges {
    pass: [f64; 2],
    stop: [f64; 2],
}

/// What is wanted of a filter, as powers: the ripple and the attenuation, each less 1.
#[derive(Clone, Copy)]
struct Wanted {
    ripple: f64,
    attenuation: f64,
}

impl Family {
    /// The order of a prototype, not rounded up, whose stop band begins at `ratio` times its cut-off.
    fn order(self, ratio: f64, wanted: Wanted) -> f64 {
        let depth = wanted.attenuation / wanted.ripple;
        match self {
            Family::Butterworth => depth.log10() / (2.0 * ratio.log10()),
            Family::Chebyshev1 | Family::Chebyshev2 => depth.sqrt().acosh() / ratio.acosh(),
            Family::Elliptic => {
                let quarters = |m: f64| (ellipk(m), ellipkm1(m));
                let (k0, k0c) = quarters(1.0 / (ratio * ratio));
                let (k1, k1c) = quarters(1.0 / depth);
                k0 * k1c / (k0c * k1)
            }
        }
    }
}

/// Where the prototype's stop band begins, for a filter that stops a band.
fn ratio_of_stop(Edges { pass: [p0, p1], stop }: Edges) -> f64 {
    let at = |s: f64| (s * (p0 - p1) / (s * s - p0 * p1)).abs();
    at(stop[0]).min(at(stop[1]))
}

/// Where the prototype's stop band begins, for a filter that passes a band.
fn ratio_of_pass(Edges { pass: [p0, p1], stop }: Edges) -> f64 {
    let at = |s: f64| ((s * s - p0 * p1) / (s * (p0 - p1))).abs();
    at(stop[0]).min(at(stop[1]))
}

/// The place of a minimum in an interval, by golden sections: the function falls, then rises.
fn lowest(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    let golden = (5f64.sqrt() - 1.0) / 2.0;
    let (mut x, mut y) = (high - golden * (high - low), low + golden * (high - low));
    let (mut at_x, mut at_y) = (f(x), f(y));
    for _ in 0..100 {
        if at_x < at_y {
            (high, y, at_y) = (y, x, at_x);
            x = high - golden * (high - low);
            at_x = f(x);
        } else {
            (low, x, at_x) = (x, y, at_y);
            y = low + golden * (high - low);
            at_y = f(y);
        }
    }
    (low + high) / 2.0
}

/// The edges of a filter that stops a band, its pass band widened as far as the order falls by it: one
/// edge, then the other.
fn widened(mut edges: Edges, family: Family, wanted: Wanted) -> Edges {
    let order = |edges: Edges, k: usize, p: f64| {
        let mut moved = edges;
        moved.pass[k] = p;
        family.order(ratio_of_stop(moved), wanted)
    };
    let (pass, stop) = (edges.pass, edges.stop);
    edges.pass[0] = lowest(pass[0], stop[0] - 1e-12, |p| order(edges, 0, p));
    edges.pass[1] = lowest(stop[1] + 1e-12, pass[1], |p| order(edges, 1, p));
    edges
}

/// The frequencies at which the prototype's `1 / w` is, of a filter that stops a band, or its `w`, of
/// one that passes it: the two positive roots of `x² ± w (p1 - p0) x = p0 p1`.
fn edges_at(w: f64, [p0, p1]: [f64; 2]) -> [f64; 2] {
    let half = w * (p1 - p0) / 2.0;
    let root = half.hypot((p0 * p1).sqrt());
    // The roots' product is known, which spares the difference of near numbers.
    let upper = root + half;
    [p0 * p1 / upper, upper]
}

/// The order, and the band for which a filter of this order is designed.
pub(super) fn least(
    name: &str,
    family: Family,
    (pass, stop): (Band, Band),
    ripple: f64,
    attenuation: f64,
) -> Result<(usize, Band)> {
    check(name, pass, stop, ripple, attenuation)?;
    let less_one = |decibels: f64| (0.1 * decibels * std::f64::consts::LN_10).exp_m1();
    let wanted = Wanted { ripple: less_one(ripple), attenuation: less_one(attenuation) };
    let bent = |f: f64| (PI * f / 2.0).tan();
    let straight = |w: f64| 2.0 / PI * w.atan();
    let both = |f: f64, g: f64| [bent(f), bent(g)];
    let whole = |ratio: f64| family.order(ratio, wanted).ceil();
    // By which the prototype's frequencies are multiplied, so that the ripple is met at the band's
    // edges, or by Butterworth's the point of -3 dB.
    let shift = |order: f64| match family {
        Family::Butterworth => wanted.ripple.powf(-0.5 / order),
        Family::Chebyshev2 => ((wanted.attenuation / wanted.ripple).sqrt().acosh() / order).cosh(),
        _ => 1.0,
    };
    let (order, band) = match (pass, stop) {
        (Band::Low(p), Band::Low(s)) => {
            let order = whole(bent(s) / bent(p));
            (order, Band::Low(straight(bent(p) * shift(order))))
        }
        (Band::High(p), Band::High(s)) => {
            let order = whole(bent(p) / bent(s));
            (order, Band::High(straight(bent(p) / shift(order))))
        }
        (Band::Pass(p, q), Band::Pass(s, t)) => {
            let edges = Edges { pass: both(p, q), stop: both(s, t) };
            let order = whole(ratio_of_pass(edges));
            let [low, high] = edges_at(shift(order), edges.pass);
            (order, Band::Pass(straight(low), straight(high)))
        }
        (Band::Stop(p, q), Band::Stop(s, t)) => {
            let edges = Edges { pass: both(p, q), stop: both(s, t) };
            let edges = widened(edges, family, wanted);
            let order = whole(ratio_of_stop(edges));
            let [low, high] = edges_at(1.0 / shift(order), edges.pass);
            (order, Band::Stop(straight(low), straight(high)))
        }
        _ => return Err(unlike(name, pass, stop)),
    };
    if order.is_nan() || order > f64::from(u32::MAX) {
        return Err(Error::shape(format!(
            "{name}: an order of {order} for a ripple of {ripple} dB and an attenuation of \
             {attenuation} dB between {pass:?} and {stop:?}: no filter is as steep"
        )));
    }
    Ok((order as usize, band))
}

fn unlike(name: &str, pass: Band, stop: Band) -> Error {
    Error::shape(format!(
        "{name}: {pass:?} passes and what is not in {stop:?} is stopped: both must be of one kind, and \
         the edges of the first within those of the second, for Band::Stop the other way round"
    ))
}

/// Checks that there is room between what passes and what is stopped.
fn check(name: &str, pass: Band, stop: Band, ripple: f64, attenuation: f64) -> Result<()> {
    pass.check(name)?;
    stop.check(name)?;
    check_decibels(name, "a ripple", ripple)?;
    check_decibels(name, "an attenuation", attenuation)?;
    if attenuation <= ripple {
        return Err(Error::shape(format!(
            "{name}: an attenuation of {attenuation} dB is not larger than a ripple of {ripple} dB"
        )));
    }
    let fits = match (pass, stop) {
        (Band::Low(p), Band::Low(s)) => p < s,
        (Band::High(p), Band::High(s)) => s < p,
        (Band::Pass(p, q), Band::Pass(s, t)) => s < p && q < t,
        (Band::Stop(p, q), Band::Stop(s, t)) => p < s && t < q,
        _ => false,
    };
    if fits { Ok(()) } else { Err(unlike(name, pass, stop)) }
}

/// The least order of a Butterworth filter that loses no more than `ripple` decibels in the band
/// `pass` and at least `attenuation` outside of the band `stop`, and the band for which
/// [`butter`](super::butter()) makes it. Both bands are of one kind, so that `Band::Low(0.2)` and
/// `Band::Low(0.3)` leave what is between 0.2 and 0.3 open; of two `Band::Stop`, the second is the
/// narrower one.
///
/// Computed on the host. SciPy: `signal.buttord(wp, ws, gpass, gstop)`, which reads the kind of the
/// band off the order of the edges.
///
/// # Errors
/// [`Error::is_shape`] for bands of different kinds or without room between them, for frequencies
/// that do not lie between 0 and 1, for decibels that are not positive, for an attenuation that is
/// not larger than the ripple, and where the order would be 2³² or more.
///
/// # Example
/// ```
/// use lazuli::signal::{Band, butter, buttord};
/// let (order, band) = buttord(Band::Low(0.2), Band::Low(0.3), 3.0, 40.0)?;
/// assert_eq!(order, 11);
/// let filter = butter(order, band)?;
/// assert_eq!(filter.poles().len(), 11);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn buttord(pass: Band, stop: Band, ripple: f64, attenuation: f64) -> Result<(usize, Band)> {
    least("buttord", Family::Butterworth, (pass, stop), ripple, attenuation)
}

/// As [`buttord`], for Chebyshev's filters of type I, [`cheby1`](super::cheby1()).
///
/// Computed on the host. SciPy: `signal.cheb1ord`.
///
/// # Errors
/// As [`buttord`].
///
/// # Example
/// ```
/// use lazuli::signal::{Band, cheb1ord};
/// let (order, band) = cheb1ord(Band::Low(0.2), Band::Low(0.3), 3.0, 40.0)?;
/// assert_eq!(order, 6);
/// assert!(matches!(band, Band::Low(f) if (f - 0.2).abs() < 1e-15));
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn cheb1ord(pass: Band, stop: Band, ripple: f64, attenuation: f64) -> Result<(usize, Band)> {
    least("cheb1ord", Family::Chebyshev1, (pass, stop), ripple, attenuation)
}

/// As [`buttord`], for Chebyshev's filters of type II, [`cheby2`](super::cheby2()).
///
/// Computed on the host. SciPy: `signal.cheb2ord`.
///
/// # Errors
/// As [`buttord`].
///
/// # Example
/// ```
/// use lazuli::signal::{Band, cheb2ord};
/// let (order, band) = cheb2ord(Band::Low(0.2), Band::Low(0.3), 3.0, 40.0)?;
/// assert_eq!(order, 6);
/// // The stop band begins where it has to, or before.
/// assert!(matches!(band, Band::Low(f) if f > 0.2 && f <= 0.3));
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn cheb2ord(pass: Band, stop: Band, ripple: f64, attenuation: f64) -> Result<(usize, Band)> {
    least("cheb2ord", Family::Chebyshev2, (pass, stop), ripple, attenuation)
}

/// As [`buttord`], for elliptic filters, [`ellip`](super::ellip()).
///
/// Computed on the host. SciPy: `signal.ellipord`.
///
/// # Errors
/// As [`buttord`].
///
/// # Example
/// ```
/// use lazuli::signal::{Band, ellipord};
/// let (order, _) = ellipord(Band::Low(0.2), Band::Low(0.3), 3.0, 40.0)?;
/// assert_eq!(order, 4);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn ellipord(pass: Band, stop: Band, ripple: f64, attenuation: f64) -> Result<(usize, Band)> {
    least("ellipord", Family::Elliptic, (pass, stop), ripple, attenuation)
}
