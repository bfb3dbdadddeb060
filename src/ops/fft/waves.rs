//! The public cosine and sine transforms.

use super::cosine::{Along, Kind, Waves, waves};
use super::options::{Options, Rank};
use crate::array::{DeviceArray, checked, checked_fns};
use crate::dtype::Inexact;
use crate::error::Result;

#[track_caller]
fn run<T: Inexact>(
    name: &str,
    a: &DeviceArray<T>,
    options: &Options,
    rank: Rank,
    (waves_of, kind, inverse): (Waves, Kind, bool),
) -> Result<DeviceArray<T>> {
    let axes = options.resolve(name, rank, a.shape())?;
    let how = Along { name, waves: waves_of, kind, norm: options.norm, inverse };
    waves(a.node(), &axes, how).map(DeviceArray::from_node)
}

/// Defines each transform as a function, and as a method of [`Options`]. `ortho` is element `[0, 1]`
/// of the orthonormal transform of type II of the numbers 0 to 15 in four rows, by SciPy.
macro_rules! transforms {
    ($(
        $(#[$meta:meta])*
        example $(#[$example:meta])*
        fn $name:ident | $try_name:ident = $rank:ident $waves:ident $inverse:literal,
            ortho $ortho:literal;
    )*) => {
        checked_fns! {$(
            $(#[$meta])*
            example
            $(#[$example])*
            fn $name | $try_name<T: Inexact>(a: &DeviceArray<T>, kind: Kind) -> DeviceArray<T> {
                let how = (Waves::$waves, kind, $inverse);
                run(stringify!($name), a, &Options::default(), Rank::$rank, how)
            }
        )*}

        impl Options {
            checked! {$(
                #[doc = concat!(
                    "[`", stringify!($name), "`](fn@super::", stringify!($name), ") with these axes, ",
                    "lengths and norm. SciPy: `fft.", stringify!($name), "(a, …, norm=…)`."
                )]
                example
                #[doc = concat!(
                    "```\nuse lazuli::{fft, prelude::*};\n",
                    "let a = DeviceArray::<f64>::arange_to(16.0).reshape([4, 4]);\n",
                    "let ortho = fft::Options::new().norm(fft::Norm::Ortho);\n",
                    "let b = ortho.", stringify!($name), "(&a, fft::Kind::II);\n",
                    "assert!((b.get([0, 1])? - ", $ortho, ").abs() < 1e-11);\n",
                    "# Ok::<(), Error>(())\n```"
                )]
                fn $name | $try_name<T: Inexact>(
                    &self,
                    a: &DeviceArray<T>,
                    kind: Kind,
                ) -> DeviceArray<T> {
                    let how = (Waves::$waves, kind, $inverse);
                    run(stringify!($name), a, self, Rank::$rank, how)
                }
            )*}
        }
    };
}

transforms! {
    /// The discrete cosine transform of a type along the last axis: for [`Kind::II`]
    /// `2 Σ a[n] cos(πk(2n + 1) / 2N)`.
    ///
    /// **Shape.** The array's. **Dtype.** The array's; halves are transformed as `f32`, the parts of
    /// complex numbers each for itself. With [`Norm::Ortho`](super::Norm::Ortho) the transforms are
    /// orthogonal. SciPy: `fft.dct`.
    example
    /// ```
    /// use lazuli::{fft, prelude::*};
    /// let a = DeviceArray::<f64>::ones(4);
    /// let b = fft::dct(&a, fft::Kind::II).to_vec()?;
    /// assert!((b[0] - 8.0).abs() < 1e-14 && b[1].abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn dct | try_dct = One Cosines false, ortho -2.230442497388;

    /// The inverse of [`dct`](fn@dct) of the same type along the last axis.
    ///
    /// **Shape.** The array's. **Dtype.** As [`dct`](fn@dct). SciPy: `fft.idct`.
    example
    /// ```
    /// use lazuli::{fft, prelude::*};
    /// let a = DeviceArray::<f64>::linspace(0.0, 1.0, 7);
    /// let back = fft::idct(&fft::dct(&a, fft::Kind::IV), fft::Kind::IV);
    /// assert!(back.all_close(&a).item()?);
    /// # Ok::<(), Error>(())
    /// ```
    fn idct | try_idct = One Cosines true, ortho -2.689246397241;

    /// The discrete sine transform of a type along the last axis: for [`Kind::II`]
    /// `2 Σ a[n] sin(π(k + 1)(2n + 1) / 2N)`.
    ///
    /// **Shape.** The array's. **Dtype.** As [`dct`](fn@dct). SciPy: `fft.dst`.
    example
    /// ```
    /// use lazuli::{fft, prelude::*};
    /// let b = fft::dst(&DeviceArray::from_slice(&[1.0, 0.0])?, fft::Kind::I);
    /// assert!((b - 3f64.sqrt()).abs().max(..).item()? < 1e-15);
    /// # Ok::<(), Error>(())
    /// ```
    fn dst | try_dst = One Sines false, ortho -2.0;

    /// The inverse of [`dst`](fn@dst) of the same type along the last axis.
    ///
    /// **Shape.** The array's. **Dtype.** As [`dct`](fn@dct). SciPy: `fft.idst`.
    example
    /// ```
    /// use lazuli::{fft, prelude::*};
    /// let a = DeviceArray::<f64>::linspace(0.0, 1.0, 7);
    /// let back = fft::idst(&fft::dst(&a, fft::Kind::III), fft::Kind::III);
    /// assert!(back.all_close(&a).item()?);
    /// # Ok::<(), Error>(())
    /// ```
    fn idst | try_idst = One Sines true, ortho -1.541196100146;

    /// The discrete cosine transform of a type along all axes.
    ///
    /// **Shape.** The array's. **Dtype.** As [`dct`](fn@dct). SciPy: `fft.dctn`.
    example
    /// ```
    /// use lazuli::{fft, prelude::*};
    /// let b = fft::dctn(&DeviceArray::<f64>::ones([2, 3]), fft::Kind::II);
    /// assert!((b.get([0, 0])? - 24.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn dctn | try_dctn = Any Cosines false, ortho -4.460884994775;

    /// The inverse of [`dctn`](fn@dctn) of the same type.
    ///
    /// **Shape.** The array's. **Dtype.** As [`dct`](fn@dct). SciPy: `fft.idctn`.
    example
    /// ```
    /// use lazuli::{fft, prelude::*};
    /// let a = DeviceArray::<f64>::linspace(0.0, 1.0, 12).reshape([3, 4]);
    /// let back = fft::idctn(&fft::dctn(&a, fft::Kind::II), fft::Kind::II);
    /// assert!(back.all_close(&a).item()?);
    /// # Ok::<(), Error>(())
    /// ```
    fn idctn | try_idctn = Any Cosines true, ortho -8.947160518112;

    /// The discrete sine transform of a type along all axes.
    ///
    /// **Shape.** The array's. **Dtype.** As [`dct`](fn@dct). SciPy: `fft.dstn`.
    example
    /// ```
    /// use lazuli::{fft, prelude::*};
    /// let b = fft::dstn(&DeviceArray::<f64>::ones([1, 1]), fft::Kind::II);
    /// assert!((b.get([0, 0])? - 4.0).abs() < 1e-14);
    /// # Ok::<(), Error>(())
    /// ```
    fn dstn | try_dstn = Any Sines false, ortho -3.695518130045;

    /// The inverse of [`dstn`](fn@dstn) of the same type.
    ///
    /// **Shape.** The array's. **Dtype.** As [`dct`](fn@dct). SciPy: `fft.idstn`.
    example
    /// ```
    /// use lazuli::{fft, prelude::*};
    /// let a = DeviceArray::<f64>::linspace(0.0, 1.0, 12).reshape([3, 4]);
    /// let back = fft::idstn(&fft::dstn(&a, fft::Kind::II), fft::Kind::II);
    /// assert!(back.all_close(&a).item()?);
    /// # Ok::<(), Error>(())
    /// ```
    fn idstn | try_idstn = Any Sines true, ortho 2.096391826263;
}
