//! Windows by name.

use crate::DeviceArray;
use crate::array::{checked_fns, upload_to};
use crate::backend::Device;
use crate::device::Float;
use crate::dtype::Floating;
use crate::error::{Error, Result};
use crate::shape::{Shape, checked_len};
use std::f64::consts::PI;
use std::str::FromStr;

/// Whether a window is symmetric, for a filter, or one period of a function, for a spectrum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Symmetry {
    /// The last point equals the first one. SciPy: `sym=True`, `fftbins=False`.
    Symmetric,
    /// The point after the last one would equal the first one. SciPy: `sym=False`, `fftbins=True`.
    #[default]
    Periodic,
}

/// Weights that fall off towards both ends of a stretch of samples.
///
/// A name without parameters parses: `"hann".parse::<Window>()`. In the formulas `x` goes from -1 at
/// the first point to 1 at the last one. SciPy: the functions of `signal.windows`.
///
/// # Example
/// ```
/// use lazuli::signal::{Symmetry, Window};
/// assert_eq!(Window::Bartlett.values(5, Symmetry::Symmetric), [0.0, 0.5, 1.0, 0.5, 0.0]);
/// assert_eq!("hann".parse::<Window>()?, Window::Hann);
/// # Ok::<(), lazuli::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Window {
    /// 1 throughout. SciPy: `boxcar`.
    Boxcar,
    /// A triangle that ends in 0. SciPy: `bartlett`.
    Bartlett,
    /// A triangle whose zeros lie a point beyond its ends. SciPy: `triang`.
    Triang,
    /// `0.5 + 0.5 cos(πx)`. SciPy: `hann`.
    #[default]
    Hann,
    /// `0.54 + 0.46 cos(πx)`. SciPy: `hamming`.
    Hamming,
    /// `α + (1 - α) cos(πx)`. SciPy: `general_hamming`.
    GeneralHamming(f64),
    /// `0.42 + 0.5 cos(πx) + 0.08 cos(2πx)`. SciPy: `blackman`.
    Blackman,
    /// Four cosines with side lobes below -92 dB. SciPy: `blackmanharris`.
    BlackmanHarris,
    /// Four cosines, Nuttall's. SciPy: `nuttall`.
    Nuttall,
    /// Five cosines, with a flat top for amplitudes. SciPy: `flattop`.
    Flattop,
    /// Half a wave of a cosine, whose zeros lie half a point beyond its ends. SciPy: `cosine`.
    Cosine,
    /// `(1 - |x|) cos(πx) + sin(π|x|) / π`. SciPy: `bohman`.
    Bohman,
    /// De la Vallée Poussin's window of cubics. SciPy: `parzen`.
    Parzen,
    /// Bartlett's and Hann's: `0.62 - 0.24 |x| + 0.38 cos(πx)`. SciPy: `barthann`.
    Barthann,
    /// `sin(πx) / (πx)`. SciPy: `lanczos`.
    Lanczos,
    /// Up to five cosines: `w₀ + w₁ cos(πx) + w₂ cos(2πx) + …`; what is not needed is 0. SciPy:
    /// `general_cosine`.
    GeneralCosine([f64; 5]),
    /// Taylor's: a number `n`, and decibels: the `n - 1` side lobes next to the main one lie so many
    /// decibels lower, those beyond fall off. Its middle is 1. SciPy: `taylor`.
    Taylor(usize, f64),
    /// Kaiser's, `I₀(β √(1 - x²)) / I₀(β)`. SciPy: `kaiser`.
    Kaiser(f64),
    /// `exp(-(d / σ)² / 2)` at the distance `d` of so many points from the middle. SciPy: `gaussian`.
    Gaussian(f64),
    /// `exp(-|d / σ|^(2p) / 2)` of `p` and `σ`. SciPy: `general_gaussian`.
    GeneralGaussian(f64, f64),
    /// `exp(-|d| / τ)`. SciPy: `exponential`.
    Exponential(f64),
    /// Flat, with the fraction α of its points in two halves of a Hann window at its ends. SciPy:
    /// `tukey`.
    Tukey(f64),
    /// Dolph's and Chebyshev's: the narrowest main lobe for side lobes that lie so many decibels
    /// lower. SciPy: `chebwin`.
    Chebyshev(f64),
}

/// Windows that have no parameter, and Tukey's with SciPy's default.
const NAMED: [(&str, Window); 16] = [
    ("boxcar", Window::Boxcar),
    ("bartlett", Window::Bartlett),
    ("triang", Window::Triang),
    ("hann", Window::Hann),
    ("hamming", Window::Hamming),
    ("blackman", Window::Blackman),
    ("blackmanharris", Window::BlackmanHarris),
    ("nuttall", Window::Nuttall),
    ("flattop", Window::Flattop),
    ("cosine", Window::Cosine),
    ("bohman", Window::Bohman),
    ("parzen", Window::Parzen),
    ("barthann", Window::Barthann),
    ("lanczos", Window::Lanczos),
    ("tukey", Window::Tukey(0.5)),
    ("rectangular", Window::Boxcar),
];

impl FromStr for Window {
    type Err = Error;

    fn from_str(name: &str) -> Result<Window> {
        let found = NAMED.iter().find(|known| known.0 == name);
        found.map(|known| known.1).ok_or_else(|| {
            let names: Vec<&str> = NAMED.iter().map(|known| known.0).collect();
            Error::shape(format!(
                "there is no window named {name:?} without a parameter; there are {}, and with \
                 parameters those of lazuli::signal::Window",
                names.join(", ")
            ))
        })
    }
}

impl Window {
    /// The window of `n` points on the host. One point is 1.
    ///
    /// # Example
    /// ```
    /// use lazuli::signal::{Symmetry, Window};
    /// let w = Window::Hann.values(4, Symmetry::Periodic);
    /// assert!((w[1] - 0.5).abs() < 1e-15 && (w[2] - 1.0).abs() < 1e-15);
    /// ```
    pub fn values(&self, n: usize, symmetry: Symmetry) -> Vec<f64> {
        if n < 2 {
            return vec![1.0; n];
        }
        let whole = match symmetry {
            Symmetry::Symmetric => n,
            Symmetry::Periodic => n + 1,
        };
        let mut values = match *self {
            Window::Chebyshev(decibels) => chebyshev(whole, decibels),
            Window::Taylor(near, decibels) => taylor(whole, near, decibels),
            _ => (0..whole).map(|i| self.at(i as f64, whole as f64)).collect(),
        };
        values.truncate(n);
        values
    }

    /// The value at one of `n` points.
    fn at(&self, i: f64, n: f64) -> f64 {
        let x = 2.0 * i / (n - 1.0) - 1.0;
        // The distance from the middle, in points.
        let d = i - (n - 1.0) / 2.0;
        match *self {
            Window::Boxcar => 1.0,
            // From the nearer end, so that both halves are the same.
            Window::Bartlett => 2.0 * i.min(n - 1.0 - i) / (n - 1.0),
            Window::Triang => {
                let nearer = i.min(n - 1.0 - i) + 1.0;
                if n % 2.0 == 0.0 { (2.0 * nearer - 1.0) / n } else { 2.0 * nearer / (n + 1.0) }
            }
            Window::Hann => cosines(x, &[0.5, 0.5]),
            Window::Hamming => cosines(x, &[0.54, 0.46]),
            Window::GeneralHamming(alpha) => cosines(x, &[alpha, 1.0 - alpha]),
            Window::Blackman => cosines(x, &[0.42, 0.5, 0.08]),
            Window::BlackmanHarris => cosines(x, &[0.35875, 0.48829, 0.14128, 0.01168]),
            Window::Nuttall => cosines(x, &[0.3635819, 0.4891775, 0.1365995, 0.0106411]),
            Window::Flattop => {
                cosines(x, &[0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368])
            }
            Window::Cosine => (PI * (i + 0.5) / n).sin(),
            Window::Bohman if x.abs() == 1.0 => 0.0,
            Window::Bohman => (1.0 - x.abs()) * (PI * x).cos() + (PI * x.abs()).sin() / PI,
            Window::Parzen => {
                let y = 2.0 * d.abs() / n;
                match d.abs() <= (n - 1.0) / 4.0 {
                    true => 1.0 - 6.0 * y.powi(2) + 6.0 * y.powi(3),
                    false => 2.0 * (1.0 - y).powi(3),
                }
            }
            Window::Barthann => 0.62 - 0.24 * x.abs() + 0.38 * (PI * x).cos(),
            Window::Lanczos if x == 0.0 => 1.0,
            Window::Lanczos if x.abs() == 1.0 => 0.0,
            Window::Lanczos => (PI * x).sin() / (PI * x),
            Window::Kaiser(beta) => {
                (beta * (1.0 - x * x).max(0.0).sqrt()).bessel_i0() / beta.bessel_i0()
            }
            Window::Gaussian(sigma) => (-0.5 * (d / sigma).powi(2)).exp(),
            Window::GeneralGaussian(p, sigma) => (-0.5 * (d / sigma).abs().powf(2.0 * p)).exp(),
            Window::Exponential(tau) => (-d.abs() / tau).exp(),
            Window::Tukey(alpha) => tukey(i.min(n - 1.0 - i), n, alpha),
            Window::GeneralCosine(weights) => cosines(x, &weights),
            Window::Chebyshev(_) | Window::Taylor(..) => 1.0,
        }
    }
}

/// A sum of cosines of multiples of `πx`.
fn cosines(x: f64, weights: &[f64]) -> f64 {
    weights.iter().enumerate().map(|(k, w)| w * (k as f64 * PI * x).cos()).sum()
}

/// Tukey's window at a distance of `i` points from the nearer end.
fn tukey(i: f64, n: f64, alpha: f64) -> f64 {
    let ramp = alpha.min(1.0) * (n - 1.0) / 2.0;
    match alpha > 0.0 && i < ramp {
        true => 0.5 * (1.0 - (PI * i / ramp).cos()),
        false => 1.0,
    }
}

/// Dolph's and Chebyshev's window: the Fourier transform of a Chebyshev polynomial of degree `n - 1`.
/// An even number of points lies between those of the transform, half a point off.
fn chebyshev(n: usize, decibels: f64) -> Vec<f64> {
    let order = n as f64 - 1.0;
    let beta = ((10f64.powf(decibels.abs() / 20.0)).acosh() / order).cosh();
    let polynomial = |x: f64| match x.abs() <= 1.0 {
        true => (order * x.acos()).cos(),
        // The sign of an odd polynomial follows its argument.
        false if x < 0.0 && n % 2 == 0 => -(order * (-x).acosh()).cosh(),
        false => (order * x.abs().acosh()).cosh(),
    };
    let spectrum: Vec<f64> =
        (0..n).map(|k| polynomial(beta * (PI * k as f64 / n as f64).cos())).collect();
    let at = |m: f64| -> f64 {
        let turn = |k: usize| 2.0 * PI * k as f64 * m / n as f64;
        spectrum.iter().enumerate().map(|(k, p)| p * turn(k).cos()).sum()
    };
    let middle = (n as f64 - 1.0) / 2.0;
    let values: Vec<f64> = (0..n).map(|i| at(i as f64 - middle)).collect();
    let largest = values.iter().copied().fold(f64::MIN, f64::max);
    values.iter().map(|v| v / largest).collect()
}

/// Taylor's window: cosines whose weights make the first zeros of its spectrum those of Dolph's and
/// Chebyshev's, and the others those of a flat window. T. T. Taylor (1955), in the form of W. Carrara
/// and others, Spotlight Synthetic Aperture Radar (1995), appendix D.
fn taylor(n: usize, near: usize, decibels: f64) -> Vec<f64> {
    let a = 10f64.powf(decibels / 20.0).acosh() / PI;
    let zero = |k: usize| a * a + (k as f64 - 0.5).powi(2);
    let stretch = (near as f64).powi(2) / zero(near);
    let weight = |m: usize| -> f64 {
        let square = (m * m) as f64;
        let top: f64 = (1..near).map(|k| 1.0 - square / stretch / zero(k)).product();
        let others = (1..near).filter(|&k| k != m);
        let bottom: f64 = others.map(|k| 1.0 - square / (k * k) as f64).product();
        let sign = if m % 2 == 0 { -1.0 } else { 1.0 };
        sign * top / bottom
    };
    let weights: Vec<f64> = (1..near).map(weight).collect();
    let at = |d: f64| -> f64 {
        let turn = 2.0 * PI * d / n as f64;
        1.0 + weights.iter().zip(1..).map(|(w, m)| w * (f64::from(m) * turn).cos()).sum::<f64>()
    };
    let middle = (n as f64 - 1.0) / 2.0;
    (0..n).map(|i| at(i as f64 - middle) / at(0.0)).collect()
}

/// The window of `n` points, an even number, whose squares and those of its neighbours half a window
/// further add up to 1: from the running sums of a Kaiser window with the parameter β.
///
/// Computed on the host. SciPy: `signal.windows.kaiser_bessel_derived`.
///
/// # Errors
/// [`Error::is_shape`] for an odd number of points.
///
/// # Example
/// ```
/// use lazuli::signal::kaiser_bessel_derived;
/// let w = kaiser_bessel_derived(4, 4.0)?;
/// assert!((w[0].powi(2) + w[2].powi(2) - 1.0).abs() < 1e-15);
/// assert_eq!(w[0], w[3]);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn kaiser_bessel_derived(n: usize, beta: f64) -> Result<Vec<f64>> {
    if n % 2 == 1 {
        return Err(Error::shape(format!(
            "kaiser_bessel_derived: {n} points; their number must be even"
        )));
    }
    let kaiser = Window::Kaiser(beta).values(n / 2 + 1, Symmetry::Symmetric);
    let whole: f64 = kaiser.iter().sum();
    let mut sum = 0.0;
    let half = kaiser[..n / 2].iter().map(|value| {
        sum += value;
        (sum / whole).sqrt()
    });
    let half: Vec<f64> = half.collect();
    Ok(half.iter().chain(half.iter().rev()).copied().collect())
}

/// What overlapping windows add up to, at each place of a step.
fn overlapped(
    name: &str,
    window: Window,
    (length, overlap): (usize, usize),
    term: impl Fn(f64) -> f64,
) -> Result<Vec<f64>> {
    if length == 0 || overlap >= length {
        return Err(Error::shape(format!(
            "{name}: windows of {length} samples cannot share {overlap} of them"
        )));
    }
    let step = length - overlap;
    let mut sums = vec![0.0; step];
    for (k, value) in window.values(length, Symmetry::Periodic).into_iter().enumerate() {
        sums[k % step] += term(value);
    }
    Ok(sums)
}

/// Whether overlapping windows add up to a constant, up to a tolerance.
///
/// Computed on the host. SciPy: `signal.check_COLA`, whose tolerance is 1e-10 by default.
///
/// # Errors
/// [`Error::is_shape`] where the windows share more samples than they have.
///
/// # Example
/// ```
/// use lazuli::signal::{Window, check_cola};
/// assert!(check_cola(Window::Hann, 120, 60, 1e-10)?);
/// assert!(!check_cola(Window::Hann, 120, 50, 1e-10)?);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn check_cola(window: Window, length: usize, overlap: usize, tolerance: f64) -> Result<bool> {
    let sums = overlapped("check_cola", window, (length, overlap), |value| value)?;
    let mut sorted = sums.clone();
    sorted.sort_by(f64::total_cmp);
    let middle = (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0;
    Ok(sums.iter().all(|sum| (sum - middle).abs() < tolerance))
}

/// Whether the squares of overlapping windows are more than a tolerance everywhere, so that
/// [`istft`](super::istft()) can undo [`stft`](super::stft()).
///
/// Computed on the host. SciPy: `signal.check_NOLA`, whose tolerance is 1e-10 by default.
///
/// # Errors
/// [`Error::is_shape`] where the windows share more samples than they have.
///
/// # Example
/// ```
/// use lazuli::signal::{Window, check_nola};
/// assert!(check_nola(Window::Hann, 120, 1, 1e-10)?);
/// // Hann's window begins with a 0.
/// assert!(!check_nola(Window::Hann, 120, 0, 1e-10)?);
/// # Ok::<(), lazuli::Error>(())
/// ```
pub fn check_nola(window: Window, length: usize, overlap: usize, tolerance: f64) -> Result<bool> {
    let sums = overlapped("check_nola", window, (length, overlap), |value| value * value)?;
    Ok(sums.iter().all(|&sum| sum > tolerance))
}

checked_fns! {
    /// A window of `n` points, on the current device.
    ///
    /// **Shape.** `[n]`. **Dtype.** Floating-point; computed on the host in `f64`, rounded once, and
    /// copied. SciPy: `signal.get_window(window, n, fftbins=…)`, whose default is the periodic one.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::{Symmetry, Window, get_window};
    /// let w: DeviceArray<f64> = get_window(Window::Tukey(0.5), 9, Symmetry::Symmetric);
    /// let w = w.to_vec()?;
    /// assert_eq!((w[0], w[2], w[4]), (0.0, 1.0, 1.0));
    /// assert!((w[1] - 0.5).abs() < 1e-15);
    /// # Ok::<(), Error>(())
    /// ```
    fn get_window | try_get_window<T: Floating>(
        window: Window,
        n: usize,
        symmetry: Symmetry,
    ) -> DeviceArray<T> {
        let shape = Shape::from_slice(&[n]);
        checked_len("get_window", &shape)?;
        let values: Vec<T> = window.values(n, symmetry).into_iter().map(T::from_f64).collect();
        upload_to(Device::current()?, &values, shape)
    }
}
