//! Entropies.

use super::sample::{Sample, beside, places};
use crate::array::{Axes, DeviceArray, checked_fns};
use crate::dtype::Real;
use crate::error::{Error, Result};
use crate::special::{entr, rel_entr};

/// The number by which an entropy in nats is divided.
fn unit(name: &str, base: Option<f64>) -> Result<f64> {
    match base {
        None => Ok(1.0),
        Some(base) if base > 0.0 => Ok(base.ln()),
        Some(base) => Err(Error::shape(format!("{name}: the base is {base}"))),
    }
}

/// How [`differential_entropy`] is estimated, by differences of elements of the sorted sample that
/// stand some places apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EntropyMethod {
    /// Van Es' up to 10 elements, Ebrahimi's up to 1000, else Vasicek's.
    #[default]
    Auto,
    /// By differences around each element, the ends standing for what is beyond them (O. Vasicek,
    /// 1976).
    Vasicek,
    /// By differences from each element on, with a correction of the bias (B. van Es, 1992).
    VanEs,
    /// As Vasicek's, with smaller weights near the ends (N. Ebrahimi et al., 1994).
    Ebrahimi,
    /// By slopes of straight lines through the elements around each one (J. C. Correa, 1995).
    Correa,
}

/// Sorted rows read some places further on, the ends standing for what is beyond them.
#[track_caller]
fn shifted(sorted: &DeviceArray<f64>, by: i64) -> DeviceArray<f64> {
    sorted.take_clipped((places(sorted) + by).clip_min(0), -1)
}

/// The differences of elements `m` places before and behind each one.
#[track_caller]
fn around(sorted: &DeviceArray<f64>, m: i64) -> DeviceArray<f64> {
    shifted(sorted, m) - shifted(sorted, -m)
}

#[track_caller]
fn vasicek(sorted: &DeviceArray<f64>, n: usize, m: usize) -> DeviceArray<f64> {
    (around(sorted, m as i64) * (n as f64 / (2.0 * m as f64))).ln().mean(-1)
}

#[track_caller]
fn van_es(sorted: &DeviceArray<f64>, n: usize, m: usize) -> Result<DeviceArray<f64>> {
    let from = sorted.try_take(&(m..n).collect::<Vec<_>>(), -1)?;
    let to = sorted.try_take(&(0..n - m).collect::<Vec<_>>(), -1)?;
    let correction: f64 = (m..=n).map(|k| 1.0 / k as f64).sum();
    let (n, m) = (n as f64, m as f64);
    let logs = ((from - to) * ((n + 1.0) / m)).ln();
    Ok(logs.sum(-1) / (n - m) + (correction + m.ln() - (n + 1.0).ln()))
}

#[track_caller]
fn ebrahimi(sorted: &DeviceArray<f64>, n: usize, m: usize) -> Result<DeviceArray<f64>> {
    let weight = |i: usize| match i {
        i if i > n - m => 1.0 + (n - i) as f64 / m as f64,
        i if i <= m => 1.0 + (i - 1) as f64 / m as f64,
        _ => 2.0,
    };
    let factors: Vec<f64> = (1..=n).map(|i| n as f64 / (weight(i) * m as f64)).collect();
    Ok((around(sorted, m as i64) * beside(sorted, &factors)?).ln().mean(-1))
}

#[track_caller]
fn correa(sorted: &DeviceArray<f64>, n: usize, m: usize) -> DeviceArray<f64> {
    let by = -(m as i64)..=m as i64;
    let parts: Vec<_> = by.map(|by| (by as f64, shifted(sorted, by))).collect();
    let sum = |of: &dyn Fn(f64, &DeviceArray<f64>) -> DeviceArray<f64>| {
        let terms = parts.iter().map(|(by, x)| of(*by, x));
        terms.reduce(|sum, term| sum + term).unwrap_or_else(|| sorted.clone())
    };
    let mean = sum(&|_, x| x.clone()) / parts.len() as f64;
    let slope = sum(&|by, x| (x - &mean) * by);
    let squares = sum(&|_, x| (x - &mean).square());
    -(slope / (squares * n as f64)).ln().mean(-1)
}

checked_fns! {
    /// Shannon's entropy of probabilities over the axes, `-Σ p·ln(p)`, in the unit of a base, nats
    /// without one. They are divided by their sum first.
    ///
    /// **Shape.** The array's without the axes. **Dtype.** As [`mean`](DeviceArray::mean); negative
    /// infinity for a negative number. SciPy: `stats.entropy`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let p = DeviceArray::from_slice(&[1.0f64, 1.0, 2.0])?;
    /// assert_eq!(lazuli::stats::entropy(&p, Some(2.0), ..).item()?, 1.5);
    /// # Ok::<(), Error>(())
    /// ```
    fn entropy | try_entropy<T: Real>(
        p: &DeviceArray<T>,
        base: Option<f64>,
        axes: impl Axes,
    ) -> DeviceArray<T::Mean> {
        let unit = unit("entropy", base)?;
        let p = Sample::new("entropy", p, axes)?;
        let share = &p.x / p.x.sum(p.axes.kept());
        Ok((entr(&share).sum(p.axes) / unit).cast())
    }

    /// The relative entropy over the axes of probabilities `p` by those of `q`, `Σ p·ln(p / q)`, the
    /// divergence of Kullback and Leibler. Both are divided by their sums first.
    ///
    /// **Shape.** The arrays' without the axes; other axes broadcast. **Dtype.** As
    /// [`mean`](DeviceArray::mean). SciPy: `stats.entropy(pk, qk)`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// let p = DeviceArray::from_slice(&[1.0f64, 1.0])?;
    /// let q = DeviceArray::from_slice(&[1.0, 3.0])?;
    /// let entropy = lazuli::stats::relative_entropy(&p, &q, Some(2.0), ..).item()?;
    /// assert!((entropy - (1.0 - 0.5 * 3f64.log2())).abs() < 1e-15);
    /// # Ok::<(), Error>(())
    /// ```
    fn relative_entropy | try_relative_entropy<T: Real>(
        p: &DeviceArray<T>,
        q: &DeviceArray<T>,
        base: Option<f64>,
        axes: impl Axes,
    ) -> DeviceArray<T::Mean> {
        let unit = unit("relative_entropy", base)?;
        let p = Sample::new("relative_entropy", p, axes)?;
        let q = p.paired("relative_entropy", q)?;
        let share = |s: &Sample| &s.x / s.x.sum(s.axes.kept());
        Ok((rel_entr(share(&p), share(&q)).sum(p.axes) / unit).cast())
    }

    /// An estimate of the differential entropy of the distribution that a sample over the axes was
    /// drawn from, in the unit of a base, nats without one. `window` is the number of places between
    /// the elements whose differences are taken, by default the root of their number, rounded.
    ///
    /// **Shape.** The array's without the axes. **Dtype.** As [`mean`](DeviceArray::mean). An error
    /// where the window is 0 or not below half of the number of elements. SciPy:
    /// `stats.differential_entropy`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::stats::{EntropyMethod, differential_entropy};
    /// let a = DeviceArray::<f64>::linspace(0.0, 4.0, 10_001);
    /// let entropy = differential_entropy(&a, EntropyMethod::Auto, None, None, ..).item()?;
    /// assert!((entropy - 4f64.ln()).abs() < 0.01);
    /// # Ok::<(), Error>(())
    /// ```
    fn differential_entropy | try_differential_entropy<T: Real>(
        a: &DeviceArray<T>,
        method: EntropyMethod,
        window: Option<usize>,
        base: Option<f64>,
        axes: impl Axes,
    ) -> DeviceArray<T::Mean> {
        let unit = unit("differential_entropy", base)?;
        let a = Sample::new("differential_entropy", a, axes)?;
        let n = a.n as usize;
        let m = window.unwrap_or((a.n.sqrt() + 0.5) as usize);
        if m == 0 || 2 * m >= n {
            return Err(Error::shape(format!(
                "differential_entropy: a window of {m} for {n} elements"
            )));
        }
        let method = match method {
            EntropyMethod::Auto if n <= 10 => EntropyMethod::VanEs,
            EntropyMethod::Auto if n <= 1000 => EntropyMethod::Ebrahimi,
            method => method,
        };
        let sorted = a.rows().sort(-1);
        let entropy = match method {
            EntropyMethod::VanEs => van_es(&sorted, n, m)?,
            EntropyMethod::Ebrahimi => ebrahimi(&sorted, n, m)?,
            EntropyMethod::Correa => correa(&sorted, n, m),
            EntropyMethod::Auto | EntropyMethod::Vasicek => vasicek(&sorted, n, m),
        };
        Ok(a.back(&(entropy / unit)).cast())
    }
}
