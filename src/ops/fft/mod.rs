//! Discrete Fourier transforms, by NumPy's names (`numpy.fft`) and conventions.
//!
//! The functions transform the axes that NumPy's would: the last one (`fft`), the last two
//! (`fft2`), all (`fftn`). [`Options`] chooses other axes, pads or trims to other lengths, and sets
//! the norm; it has the same functions as methods.
//!
//! Any length is right; products of small primes are fastest ([`next_fast_len`]). Real input is
//! never made complex: `fft` of a real array computes half of the spectrum and reads the other
//! half off it. An inverse transform of products and sums of spectra of real arrays is known to be
//! real, and computed as such: `ifft2(&(fft2(&a) * fft2(&b))).real()` costs what
//! `irfft2(&(rfft2(&a) * rfft2(&b)))` costs.
//!
//! [`guide::signals`](crate::guide::signals) shows it in pictures.
//!
//! # Example
//! ```
//! use lazuli::fft::{self, Norm, Options};
//! use lazuli::prelude::*;
//! let a = DeviceArray::<f64>::linspace(0.0, 1.0, 12).reshape([3, 4]);
//! assert_eq!(fft::fft(&a).shape(), [3, 4]);
//! assert_eq!(fft::rfft(&a).shape(), [3, 3]);
//! let along_columns = Options::new().axis(0).n(8).norm(Norm::Ortho).rfft(&a);
//! assert_eq!(along_columns.shape(), [5, 4]);
//! ```

mod cosine;
mod helpers;
mod options;
mod spectrum;
mod transform;
mod waves;

pub use cosine::Kind;
pub(in crate::ops) use helpers::fast_multiple;
pub use helpers::{
    fftfreq, fftshift, ifftshift, next_fast_len, rfftfreq, try_fftfreq, try_fftshift,
    try_ifftshift, try_rfftfreq,
};
pub(crate) use options::AxisLen;
pub(crate) use options::as_sample;
pub use options::{Norm, Options, Sample, Signal, Spectrum};
pub(crate) use transform::{Which, transform};
pub use waves::{
    dct, dctn, dst, dstn, idct, idctn, idst, idstn, try_dct, try_dctn, try_dst, try_dstn, try_idct,
    try_idctn, try_idst, try_idstn,
};

use crate::array::{DeviceArray, checked, checked_fns};
use crate::dtype::Element;
use crate::error::Result;
use options::Rank;

#[track_caller]
fn run<T: Sample, U: Element>(
    name: &str,
    a: &DeviceArray<T>,
    options: &Options,
    rank: Rank,
    which: Which,
) -> Result<DeviceArray<U>> {
    let input = options::as_sample::<T>(a.node());
    let axes = options.resolve(name, rank, &input.shape)?;
    transform(name, &input, &axes, options.norm, which).map(DeviceArray::from_node)
}

/// Defines each transform as a function, and as a method of [`Options`]. `ortho` is the real part of
/// element `[0, 1]` of the orthonormal transform of the numbers 0 to 15 in four rows, by NumPy.
macro_rules! transforms {
    ($(
        $(#[$meta:meta])*
        example $(#[$example:meta])*
        fn $name:ident | $try_name:ident -> $out:ident = $rank:ident $which:ident,
            ortho $ortho:literal;
    )*) => {
        checked_fns! {$(
            $(#[$meta])*
            example
            $(#[$example])*
            fn $name | $try_name<T: Sample>(a: &DeviceArray<T>) -> DeviceArray<$out<T>> {
                run(stringify!($name), a, &Options::default(), Rank::$rank, Which::$which)
            }
        )*}

        impl Options {
            checked! {$(
                #[doc = concat!(
                    "[`", stringify!($name), "`](fn@", stringify!($name), ") with these axes, ",
                    "lengths and norm. NumPy: `fft.", stringify!($name), "(a, …, norm=…)`."
                )]
                example
                #[doc = concat!(
                    "```\nuse lazuli::{fft, prelude::*};\n",
                    "let a = DeviceArray::<f64>::arange_to(16.0).reshape([4, 4]);\n",
                    "let b = fft::Options::new().norm(fft::Norm::Ortho).", stringify!($name), "(&a);\n",
                    "assert!((b.real().get([0, 1])? - ", $ortho, ").abs() < 1e-11);\n",
                    "# Ok::<(), Error>(())\n```"
                )]
                fn $name | $try_name<T: Sample>(&self, a: &DeviceArray<T>) -> DeviceArray<$out<T>> {
                    run(stringify!($name), a, self, Rank::$rank, Which::$which)
                }
            )*}
        }
    };
}

transforms! {
    /// The discrete Fourier transform along the last axis.
    ///
    /// **Shape.** The array's. **Dtype.** Complex, of the array's precision; integers as `f64`.
    /// NumPy: `fft.fft`.
    example
    /// ```
    /// use lazuli::{fft, prelude::*};
    /// let a = DeviceArray::from_slice(&[1.0, 0.0, -1.0, 0.0])?;
    /// let re = fft::fft(&a).real().to_vec()?;
    /// assert_eq!(re, [0.0, 2.0, 0.0, 2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn fft | try_fft -> Spectrum = One Forward, ortho -1.0;

    /// The inverse of [`fft`](fn@fft) along the last axis.
    ///
    /// **Shape.** The array's. **Dtype.** Complex, of the array's precision. NumPy: `fft.ifft`.
    example
    /// ```
    /// use lazuli::{fft, prelude::*};
    /// let a = DeviceArray::<f64>::linspace(0.0, 1.0, 7);
    /// let back = fft::ifft(&fft::fft(&a)).real();
    /// assert!(back.all_close(&a).item()?);
    /// # Ok::<(), Error>(())
    /// ```
    fn ifft | try_ifft -> Spectrum = One Inverse, ortho -1.0;

    /// The transform of a real array along the last axis: the half of the spectrum from frequency
    /// 0 to the highest, from which the rest follows.
    ///
    /// **Shape.** The array's, the last length `n` becomes `n / 2 + 1`. **Dtype.** Complex. Of a
    /// complex array, which NumPy refuses, the real parts are transformed. NumPy: `fft.rfft`.
    example
    /// ```
    /// use lazuli::{fft, prelude::*};
    /// let a = DeviceArray::from_slice(&[1.0f32, 2.0, 3.0, 4.0])?;
    /// assert_eq!(fft::rfft(&a).real().to_vec()?, [10.0, -2.0, -2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn rfft | try_rfft -> Spectrum = One RealForward, ortho -1.0;

    /// The inverse of [`rfft`](fn@rfft) along the last axis. An odd length has to be said:
    /// `Options::new().n(7).irfft(&spectrum)`.
    ///
    /// **Shape.** The array's, the last length `m` becomes `2 (m - 1)`. **Dtype.** Real. Imaginary
    /// parts that the spectrum of a real array does not have are left out. NumPy: `fft.irfft`.
    example
    /// ```
    /// use lazuli::{fft, prelude::*};
    /// let a = DeviceArray::<f64>::linspace(0.0, 1.0, 8);
    /// assert!(fft::irfft(&fft::rfft(&a)).all_close(&a).item()?);
    /// # Ok::<(), Error>(())
    /// ```
    fn irfft | try_irfft -> Signal = One RealInverse, ortho -1.632993161855;

    /// The transform along the last axis of what has a real spectrum, given by its first half.
    ///
    /// **Shape.** The array's, the last length `m` becomes `2 (m - 1)`. **Dtype.** Real. NumPy:
    /// `fft.hfft`.
    example
    /// ```
    /// use lazuli::{fft, prelude::*};
    /// let a = DeviceArray::from_slice(&[1.0, 2.0, 3.0])?;
    /// assert_eq!(fft::hfft(&a).to_vec()?, [8.0, -2.0, 0.0, -2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn hfft | try_hfft -> Signal = One Hermitian, ortho -1.632993161855;

    /// The inverse of [`hfft`](fn@hfft) along the last axis.
    ///
    /// **Shape.** The array's, the last length `n` becomes `n / 2 + 1`. **Dtype.** Complex. NumPy:
    /// `fft.ihfft`.
    example
    /// ```
    /// use lazuli::{fft, prelude::*};
    /// let a = DeviceArray::from_slice(&[8.0, -2.0, 0.0, -2.0])?;
    /// assert_eq!(fft::ihfft(&a).real().to_vec()?, [1.0, 2.0, 3.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn ihfft | try_ihfft -> Spectrum = One HermitianInverse, ortho -1.0;

    /// The transform over the last two axes.
    ///
    /// **Shape.** The array's. **Dtype.** Complex, of the array's precision. NumPy: `fft.fft2`.
    example
    /// ```
    /// use lazuli::{fft, prelude::*};
    /// let a = DeviceArray::<f32>::ones([2, 3]);
    /// assert_eq!(fft::fft2(&a).real().to_vec()?, [6.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn fft2 | try_fft2 -> Spectrum = Two Forward, ortho -2.0;

    /// The inverse of [`fft2`](fn@fft2).
    ///
    /// **Shape.** The array's. **Dtype.** Complex, of the array's precision. NumPy: `fft.ifft2`.
    example
    /// ```
    /// use lazuli::{fft, prelude::*};
    /// let a = DeviceArray::<f64>::linspace(0.0, 1.0, 6).reshape([2, 3]);
    /// assert!(fft::ifft2(&fft::fft2(&a)).real().all_close(&a).item()?);
    /// # Ok::<(), Error>(())
    /// ```
    fn ifft2 | try_ifft2 -> Spectrum = Two Inverse, ortho -2.0;

    /// The transform of a real array over the last two axes: half of the spectrum along the last.
    ///
    /// **Shape.** The array's, the last length `n` becomes `n / 2 + 1`. **Dtype.** Complex. NumPy:
    /// `fft.rfft2`.
    example
    /// ```
    /// use lazuli::{fft, prelude::*};
    /// let b = fft::rfft2(&DeviceArray::<f32>::ones([2, 6]));
    /// assert_eq!((b.shape(), b.real().get([0, 0])?), (&[2, 4][..], 12.0));
    /// # Ok::<(), Error>(())
    /// ```
    fn rfft2 | try_rfft2 -> Spectrum = Two RealForward, ortho -2.0;

    /// The inverse of [`rfft2`](fn@rfft2).
    ///
    /// **Shape.** The array's, the last length `m` becomes `2 (m - 1)`. **Dtype.** Real. NumPy:
    /// `fft.irfft2`.
    example
    /// ```
    /// use lazuli::{fft, prelude::*};
    /// let a = DeviceArray::<f64>::linspace(0.0, 1.0, 12).reshape([3, 4]);
    /// assert!(fft::irfft2(&fft::rfft2(&a)).all_close(&a).item()?);
    /// # Ok::<(), Error>(())
    /// ```
    fn irfft2 | try_irfft2 -> Signal = Two RealInverse, ortho -3.265986323711;

    /// The transform over all axes.
    ///
    /// **Shape.** The array's. **Dtype.** Complex, of the array's precision. NumPy: `fft.fftn`.
    example
    /// ```
    /// use lazuli::{fft, prelude::*};
    /// let a = DeviceArray::<f64>::ones([2, 3, 4]);
    /// assert_eq!(fft::fftn(&a).real().max(..).item()?, 24.0);
    /// # Ok::<(), Error>(())
    /// ```
    fn fftn | try_fftn -> Spectrum = Any Forward, ortho -2.0;

    /// The inverse of [`fftn`](fn@fftn).
    ///
    /// **Shape.** The array's. **Dtype.** Complex, of the array's precision. NumPy: `fft.ifftn`.
    example
    /// ```
    /// use lazuli::{fft, prelude::*};
    /// let a = DeviceArray::<f64>::linspace(0.0, 1.0, 12).reshape([2, 2, 3]);
    /// assert!(fft::ifftn(&fft::fftn(&a)).real().all_close(&a).item()?);
    /// # Ok::<(), Error>(())
    /// ```
    fn ifftn | try_ifftn -> Spectrum = Any Inverse, ortho -2.0;

    /// The transform of a real array over all axes: half of the spectrum along the last.
    ///
    /// **Shape.** The array's, the last length `n` becomes `n / 2 + 1`. **Dtype.** Complex. NumPy:
    /// `fft.rfftn`.
    example
    /// ```
    /// use lazuli::{fft, prelude::*};
    /// let b = fft::rfftn(&DeviceArray::<f64>::ones([2, 3, 5]));
    /// assert_eq!(b.shape(), [2, 3, 3]);
    /// assert!((b.real().get([0, 0, 0])? - 30.0).abs() < 1e-12);
    /// # Ok::<(), Error>(())
    /// ```
    fn rfftn | try_rfftn -> Spectrum = Any RealForward, ortho -2.0;

    /// The inverse of [`rfftn`](fn@rfftn).
    ///
    /// **Shape.** The array's, the last length `m` becomes `2 (m - 1)`. **Dtype.** Real. NumPy:
    /// `fft.irfftn`.
    example
    /// ```
    /// use lazuli::{fft, prelude::*};
    /// let a = DeviceArray::<f64>::linspace(0.0, 1.0, 12).reshape([3, 2, 2]);
    /// assert!(fft::irfftn(&fft::rfftn(&a)).all_close(&a).item()?);
    /// # Ok::<(), Error>(())
    /// ```
    fn irfftn | try_irfftn -> Signal = Any RealInverse, ortho -3.265986323711;

    /// The transform over the last two axes of what has a real spectrum, given by half of it along the
    /// last one.
    ///
    /// **Shape.** The array's, the last length `m` becomes `2 (m - 1)`. **Dtype.** Real. SciPy:
    /// `fft.hfft2`.
    example
    /// ```
    /// use lazuli::{fft, prelude::*};
    /// let b = fft::hfft2(&DeviceArray::<f64>::ones([2, 3]));
    /// assert_eq!(b.to_vec()?, [8.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn hfft2 | try_hfft2 -> Signal = Two Hermitian, ortho -3.265986323711;

    /// The inverse of [`hfft2`](fn@hfft2).
    ///
    /// **Shape.** The array's, the last length `n` becomes `n / 2 + 1`. **Dtype.** Complex. SciPy:
    /// `fft.ihfft2`.
    example
    /// ```
    /// use lazuli::{fft, prelude::*};
    /// let b = fft::ihfft2(&DeviceArray::<f64>::ones([2, 4]));
    /// assert_eq!(b.real().to_vec()?, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn ihfft2 | try_ihfft2 -> Spectrum = Two HermitianInverse, ortho -2.0;

    /// The transform over all axes of what has a real spectrum, given by half of it along the last
    /// one.
    ///
    /// **Shape.** The array's, the last length `m` becomes `2 (m - 1)`. **Dtype.** Real. SciPy:
    /// `fft.hfftn`.
    example
    /// ```
    /// use lazuli::{fft, prelude::*};
    /// let b = fft::hfftn(&DeviceArray::<f64>::ones([2, 2, 2]));
    /// assert_eq!(b.to_vec()?, [8.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    /// # Ok::<(), Error>(())
    /// ```
    fn hfftn | try_hfftn -> Signal = Any Hermitian, ortho -3.265986323711;

    /// The inverse of [`hfftn`](fn@hfftn).
    ///
    /// **Shape.** The array's, the last length `n` becomes `n / 2 + 1`. **Dtype.** Complex. SciPy:
    /// `fft.ihfftn`.
    example
    /// ```
    /// use lazuli::{fft, prelude::*};
    /// let a = DeviceArray::<f64>::linspace(0.0, 1.0, 16).reshape([2, 2, 4]);
    /// assert!(fft::hfftn(&fft::ihfftn(&a)).all_close(&a).item()?);
    /// # Ok::<(), Error>(())
    /// ```
    fn ihfftn | try_ihfftn -> Spectrum = Any HermitianInverse, ortho -2.0;
}
