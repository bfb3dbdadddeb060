//! Values of a signal's z-transform on a spiral, and its spectrum between two frequencies.
//!
//! L. I. Bluestein's identity `nk = (n² + k² - (n - k)²) / 2` makes a convolution of the transform,
//! with a wave whose frequency rises; that goes through Fourier transforms whose length is fast.

use super::axes::{fourier, part, with_elements};
use crate::DeviceArray;
use crate::array::{checked_fns, record, upload_to};
use crate::backend::Device;
use crate::dtype::Complex;
use crate::error::{Error, Result};
use crate::fft::{Sample, Spectrum, Which, as_sample, next_fast_len};
use crate::graph::Node;
use crate::shape::Shape;
use crate::table::Op;
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

type C = Complex<f64>;

/// Points `a w⁻ᵏ` on a spiral.
struct Spiral {
    a: C,
    step: Step,
}

/// The ratio of two neighbouring points.
enum Step {
    /// Any number.
    Any(C),
    /// `e^(-2πi p / q)` of `p` and `q`, whose high powers are found without losing digits.
    Turns(f64, f64),
}

impl Spiral {
    /// The step's power of `k² / 2`.
    fn chirp(&self, k: f64) -> C {
        match self.step {
            Step::Any(w) => w.powf(k * k / 2.0),
            Step::Turns(p, q) => C::from_polar(1.0, -PI * turned(p, q, k * k)),
        }
    }

    /// The start's power of `-n`.
    fn weight(&self, n: f64) -> C {
        match self.a == C::new(1.0, 0.0) {
            true => self.a,
            false => self.a.powf(-n),
        }
    }
}

/// `p n / q` up to a multiple of 2, from which the rounding of the product is kept.
fn turned(p: f64, q: f64, n: f64) -> f64 {
    let product = p * n;
    let rounding = p.mul_add(n, -product);
    (product % (2.0 * q) + rounding) / q
}

/// A list along an axis, in the type of a spectrum.
fn along(like: &Arc<Node>, axis: usize, values: &[C], device: Device) -> Result<Arc<Node>> {
    let mut shape = Shape::from_elem(1, like.shape.len());
    shape[axis] = values.len();
    Ok(record::cast(upload_to(device, values, shape)?.node(), like.dtype))
}

/// The transform along an axis.
#[track_caller]
fn transformed<T: Sample>(
    name: &str,
    x: &DeviceArray<T>,
    m: usize,
    spiral: &Spiral,
    axis: isize,
) -> Result<DeviceArray<Spectrum<T>>> {
    let axis = with_elements(name, x, axis)?;
    if m == 0 {
        return Err(Error::shape(format!("{name}: no points")));
    }
    let n = x.shape()[axis];
    let length = next_fast_len(n + m - 1);
    let up: Vec<C> = (0..n.max(m)).map(|k| spiral.chirp(k as f64)).collect();
    let weights: Vec<C> = (0..n).map(|k| spiral.weight(k as f64) * up[k]).collect();
    // Its inverse, from -(n - 1) to m - 1, the negative ones from the end.
    let mut down = vec![C::new(0.0, 0.0); length];
    (0..m).for_each(|k| down[k] = up[k].inv());
    (1..n).for_each(|k| down[length - k] = up[k].inv());
    let signal =
        record::cast(&as_sample::<T>(x.node()), <Spectrum<T> as crate::dtype::Element>::DTYPE);
    let list = |values: &[C]| along(&signal, axis, values, x.device());
    let weighted = record::binary(Op::Multiply, &signal, &list(&weights)?)?;
    let spectrum = fourier(name, &weighted, axis, Some(length), Which::Forward)?;
    let filter = fourier(name, &list(&down)?, axis, None, Which::Forward)?;
    let product = record::binary(Op::Multiply, &spectrum, &filter)?;
    let y = DeviceArray::from_node(fourier(name, &product, axis, None, Which::Inverse)?);
    let y = part::<Spectrum<T>>(&y, axis, 0, m, 1);
    record::binary(Op::Multiply, y.node(), &list(&up[..m])?).map(DeviceArray::from_node)
}

/// The spiral of given numbers; without a step, `m` points once around the circle.
fn spiral(m: usize, w: Option<C>, a: C) -> Spiral {
    let step = w.map_or(Step::Turns(1.0, m as f64), Step::Any);
    Spiral { a, step }
}

checked_fns! {
    /// The values of a signal's z-transform `Σ x[n] z⁻ⁿ` at the `m` points `a w⁻ᵏ`, along an axis.
    /// Without `w` they are once around the circle, as those of the Fourier transform.
    ///
    /// Far from the circle high powers of `w` lose digits, which is in the nature of the method.
    ///
    /// **Shape.** The array's, with `m` points along the axis. **Dtype.** Complex, of the array's
    /// precision. No points at all are an error. SciPy: `signal.czt(x, m, w, a, axis=axis)`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::czt;
    /// let x = DeviceArray::from_slice(&[1.0f64, 2.0, 3.0])?;
    /// let y = czt(&x, 3, None, Complex::new(1.0, 0.0), -1);
    /// assert!((y - lazuli::fft::fft(&x)).abs().max(..).item()? < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn czt | try_czt<T: Sample>(
        x: &DeviceArray<T>,
        m: usize,
        w: Option<Complex<f64>>,
        a: Complex<f64>,
        axis: isize,
    ) -> DeviceArray<Spectrum<T>> {
        transformed("czt", x, m, &spiral(m, w, a), axis)
    }

    /// The spectrum of a signal at `m` frequencies from `from` to `to`, which is left out, along an
    /// axis; the frequencies are in the unit of the sampling rate. To have the last one too, move `to`
    /// up by `(to - from) / (m - 1)`.
    ///
    /// **Shape.** The array's, with `m` points along the axis. **Dtype.** Complex, of the array's
    /// precision. No points at all are an error. SciPy: `signal.zoom_fft(x, [from, to], m, fs=rate,
    /// axis=axis)`, whose rate is 2 by default.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::zoom_fft;
    /// let t = DeviceArray::<f64>::arange_to(100.0) / 100.0;
    /// let x = (t * (std::f64::consts::TAU * 7.25)).sin();
    /// // From 5 Hz on in steps of a quarter: 7.25 Hz are the tenth.
    /// let y = zoom_fft(&x, 5.0, 10.0, 20, 100.0, -1);
    /// assert_eq!(y.abs().argmax(..).item()?, 9);
    /// # Ok::<(), Error>(())
    /// ```
    fn zoom_fft | try_zoom_fft<T: Sample>(
        x: &DeviceArray<T>,
        from: f64,
        to: f64,
        m: usize,
        rate: f64,
        axis: isize,
    ) -> DeviceArray<Spectrum<T>> {
        let start = C::from_polar(1.0, TAU * from / rate);
        let spiral = Spiral { a: start, step: Step::Turns(to - from, m as f64 * rate) };
        transformed("zoom_fft", x, m, &spiral, axis)
    }

    /// The points at which [`czt`] gives the z-transform, on the current device.
    ///
    /// **Shape.** `[m]`. **Dtype.** `Complex<f64>`. Computed on the host and copied. SciPy:
    /// `signal.czt_points(m, w, a)`.
    example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::signal::czt_points;
    /// let z = czt_points(4, Some(Complex::new(0.5, 0.0)), Complex::new(1.0, 0.0)).to_vec()?;
    /// assert!((z[3] - 8.0).norm() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn czt_points | try_czt_points(
        m: usize,
        w: Option<Complex<f64>>,
        a: Complex<f64>,
    ) -> DeviceArray<Complex<f64>> {
        let at = |k: usize| match spiral(m, w, a).step {
            Step::Any(w) => a * w.powf(-(k as f64)),
            Step::Turns(p, q) => a * C::from_polar(1.0, TAU * (p * k as f64 / q)),
        };
        let points: Vec<C> = (0..m).map(at).collect();
        upload_to(Device::current()?, &points, Shape::from_slice(&[m]))
    }
}
