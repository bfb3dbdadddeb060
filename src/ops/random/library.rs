//! Generators of NVIDIA's library, cuRAND.

use crate::array::{DeviceArray, IntoShape, located, or_panic, record};
use crate::backend::Device;
use crate::dtype::{Component, DType, Element, Scalar};
use crate::error::{Error, Result};
use crate::graph::{Arg, Args, AxisMap};
use crate::library::Library;
use crate::library::random::{Generate, Kind, Variate};
use crate::ops::movement;
use crate::shape::{Shape, checked_len};

/// A generator of cuRAND's: what NumbaPro's `pyculib.rand.PRNG` and `QRNG` were.
///
/// The numbers are cuRAND's for the seed and the offset, in its order `CURAND_ORDERING_PSEUDO_LEGACY`,
/// which is the same on every GPU; on the processor there is XORWOW alone, with the same words and
/// the uniform numbers made of them: normal and Poisson numbers are an error there
/// ([`Error::is_unsupported`]). [`Generator`](super::Generator) is faster nearly
/// always, as its numbers never go through memory; this one is for those who need cuRAND's own.
///
/// A draw takes the next `n` of the generator's words, where a number of 64 bits counts two (of
/// Sobol's sequences one), a Poisson count eight, and an odd number of normal numbers is made even,
/// as cuRAND makes them in pairs. A draw records; it is computed by the library when it is evaluated, and
/// has the same numbers however often that happens.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// use lazuli::random::{Kind, LibraryGenerator};
/// let mut rng = LibraryGenerator::new(Kind::Xorwow, 1234)?;
/// let u = rng.random::<f32>(10_000);
/// assert!(u.min(..).item()? > 0.0 && u.max(..).item()? <= 1.0);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryGenerator {
    kind: Kind,
    device: Device,
    seed: u64,
    offset: u64,
    dims: u32,
}

impl LibraryGenerator {
    /// A generator for a seed, on the current device. Sobol's sequences have no seed and ignore it.
    ///
    /// # Errors
    /// [`Error::is_unsupported`] where the device does not have the generator,
    /// [`Error::is_device`] where there is no such device. That cuRAND is missing shows when a
    /// draw is evaluated.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::random::{Kind, LibraryGenerator};
    /// let mut a = LibraryGenerator::new(Kind::Xorwow, 1)?;
    /// let mut b = LibraryGenerator::new(Kind::Xorwow, 1)?;
    /// assert_eq!(a.random::<f64>(3).to_vec()?, b.random::<f64>(3).to_vec()?);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn new(kind: Kind, seed: u64) -> Result<Self> {
        let device = Device::current()?;
        if !device.is_cuda() && kind != Kind::Xorwow {
            return Err(Error::unsupported(format!(
                "{} is a generator of cuRAND's, and {device} is no CUDA device",
                kind.name()
            )));
        }
        Ok(LibraryGenerator { kind, device, seed, offset: 0, dims: 1 })
    }

    /// The same with so many dimensions, for Sobol's sequences: draws are of the shape
    /// `[dims, …]`, a row for each dimension.
    ///
    /// # Errors
    /// [`Error::is_shape`] for another generator, for none, and for more than 20,000.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::random::{Kind, LibraryGenerator};
    /// match LibraryGenerator::new(Kind::Sobol32, 0) {
    ///     Ok(rng) => {
    ///         let points = rng.with_dimensions(2)?.random::<f64>([2, 1000]); // x and y
    ///         assert!((points.mean(1).get([0])? - 0.5).abs() < 0.01);
    ///     }
    ///     Err(why) => assert!(why.is_unsupported()), // on the processor
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn with_dimensions(mut self, dims: u32) -> Result<Self> {
        if !self.kind.is_quasi() || dims == 0 || dims > 20_000 {
            return Err(Error::shape(format!("{} of {dims} dimensions", self.kind.name())));
        }
        self.dims = dims;
        Ok(self)
    }

    /// Moves to an absolute place in the sequence.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// use lazuli::random::{Kind, LibraryGenerator};
    /// let mut rng = LibraryGenerator::new(Kind::Xorwow, 1)?;
    /// let first = rng.bits_u32(5).to_vec()?;
    /// rng.set_offset(3);
    /// assert_eq!(rng.bits_u32(2).to_vec()?, first[3..]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn set_offset(&mut self, offset: u64) {
        self.offset = offset;
    }
}

macro_rules! library_draws {
    ($(
        $(#[$meta:meta])*
        example $(#[$example:meta])*
        fn $name:ident | $try_name:ident $(<$g:ident: $bound:path>)?
            (&mut $this:ident $(, $arg:ident : $ty:ty)* $(,)?) -> $out:ty
        $body:block
    )*) => {$(
        $(#[$meta])*
        ///
        /// **Laziness.** Records a library call.
        ///
        /// # Panics
        /// Where the parameters are no distribution, the generator does not have it, or the shape
        /// does not begin with its dimensions;
        #[doc = concat!("[`Self::", stringify!($try_name), "`] returns an error.")]
        ///
        /// # Example
        $(#[$example])*
        #[track_caller]
        pub fn $name $(<$g: $bound>)? (&mut $this $(, $arg: $ty)*) -> $out {
            or_panic($this.$try_name($($arg),*))
        }

        #[doc = concat!("[`Self::", stringify!($name), "`] for arguments that come from data.")]
        ///
        /// **Laziness.** Records a library call.
        ///
        /// # Errors
        /// [`Error::is_shape`] where the parameters are no distribution or the shape does not
        /// begin with the dimensions, [`Error::is_unsupported`] where the generator does not have
        /// this.
        #[track_caller]
        pub fn $try_name $(<$g: $bound>)? (&mut $this $(, $arg: $ty)*) -> Result<$out> {
            located(super::attempt(|| -> Result<$out> { $body }))
        }
    )*};
}

impl LibraryGenerator {
    library_draws! {
        /// The generator's words of 32 bits.
        ///
        /// **Shape.** The given one. **Dtype.** `u32`. cuRAND: `curandGenerate`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::{Kind, LibraryGenerator};
        /// let mut rng = LibraryGenerator::new(Kind::Xorwow, 0)?;
        /// let words = rng.bits_u32(1000).cast::<f64>();
        /// assert!((words.mean(..).item()? / 2f64.powi(31) - 1.0).abs() < 0.1);
        /// # Ok::<(), Error>(())
        /// ```
        fn bits_u32 | try_bits_u32(&mut self, shape: impl IntoShape) -> DeviceArray<u32> {
            self.draw(Variate::Bits, shape.lengths(), [0.0; 2])
        }

        /// The generator's words of 64 bits, of Sobol's sequences of 64 bits alone.
        ///
        /// **Shape.** The given one. **Dtype.** `u64`. cuRAND: `curandGenerateLongLong`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::{Kind, LibraryGenerator};
        /// match LibraryGenerator::new(Kind::Sobol64, 0) {
        ///     Ok(mut rng) => {
        ///         let words = rng.bits_u64(2).to_vec()?;
        ///         assert_ne!(words[0], words[1]);
        ///     }
        ///     Err(why) => assert!(why.is_unsupported()), // on the processor
        /// }
        /// # Ok::<(), Error>(())
        /// ```
        fn bits_u64 | try_bits_u64(&mut self, shape: impl IntoShape) -> DeviceArray<u64> {
            self.draw(Variate::Bits, shape.lengths(), [0.0; 2])
        }

        /// Numbers of `(0, 1]`.
        ///
        /// **Shape.** The given one. **Dtype.** `f32` or `f64`. cuRAND: `curandGenerateUniform`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::{Kind, LibraryGenerator};
        /// let u = LibraryGenerator::new(Kind::Xorwow, 1)?.random::<f32>(10_000);
        /// assert!(u.min(..).item()? > 0.0 && (u.mean(..).item()? - 0.5).abs() < 0.02);
        /// # Ok::<(), Error>(())
        /// ```
        fn random | try_random<T: Component>(&mut self, shape: impl IntoShape) -> DeviceArray<T> {
            self.draw(Variate::Uniform, shape.lengths(), [0.0; 2])
        }

        /// Normal numbers of the given mean and standard deviation.
        ///
        /// **Shape.** The given one. **Dtype.** `f32` or `f64`. On CUDA devices. cuRAND:
        /// `curandGenerateNormal`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::{Kind, LibraryGenerator};
        /// let mut rng = LibraryGenerator::new(Kind::Xorwow, 1)?;
        /// if Device::current()?.is_cuda() {
        ///     let x = rng.normal::<f64>(5.0, 2.0, 10_000);
        ///     assert!((x.mean(..).item()? - 5.0).abs() < 0.1);
        /// }
        /// # Ok::<(), Error>(())
        /// ```
        fn normal | try_normal<T: Component>(&mut self, mean: f64, deviation: f64, shape: impl IntoShape) -> DeviceArray<T> {
            parameters("normal", mean, deviation)?;
            self.draw(Variate::Normal, shape.lengths(), [mean, deviation])
        }

        /// Numbers whose logarithm is normal with the given mean and standard deviation.
        ///
        /// **Shape.** The given one. **Dtype.** `f32` or `f64`. On CUDA devices. cuRAND:
        /// `curandGenerateLogNormal`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::{Kind, LibraryGenerator};
        /// let mut rng = LibraryGenerator::new(Kind::Xorwow, 1)?;
        /// if Device::current()?.is_cuda() {
        ///     let x = rng.lognormal::<f64>(0.0, 1.0, 10_000);
        ///     assert!(x.ln().mean(..).item()?.abs() < 0.1);
        /// }
        /// # Ok::<(), Error>(())
        /// ```
        fn lognormal | try_lognormal<T: Component>(&mut self, mean: f64, deviation: f64, shape: impl IntoShape) -> DeviceArray<T> {
            parameters("lognormal", mean, deviation)?;
            self.draw(Variate::Lognormal, shape.lengths(), [mean, deviation])
        }

        /// Poisson counts of the given mean.
        ///
        /// **Shape.** The given one. **Dtype.** `u32`. On CUDA devices. cuRAND:
        /// `curandGeneratePoisson`.
        example
        /// ```
        /// use lazuli::prelude::*;
        /// use lazuli::random::{Kind, LibraryGenerator};
        /// let mut rng = LibraryGenerator::new(Kind::Xorwow, 1)?;
        /// if Device::current()?.is_cuda() {
        ///     let x = rng.poisson(4.0, 10_000);
        ///     assert!((x.mean(..).item()? - 4.0).abs() < 0.1);
        /// }
        /// # Ok::<(), Error>(())
        /// ```
        fn poisson | try_poisson(&mut self, mean: f64, shape: impl IntoShape) -> DeviceArray<u32> {
            if !super::is_positive(mean) {
                return Err(Error::shape(format!("poisson: the mean is {mean}, and must be positive")));
            }
            self.draw(Variate::Poisson, shape.lengths(), [mean, 0.0])
        }
    }

    #[track_caller]
    fn draw<T: Element>(
        &mut self,
        variate: Variate,
        shape: Shape,
        parameters: [f64; 2],
    ) -> Result<DeviceArray<T>> {
        let (kind, dtype) = (self.kind, T::DTYPE);
        let len = checked_len(kind.name(), &shape)?;
        if variate == Variate::Bits && dtype != kind.word() {
            let name = kind.name();
            return Err(Error::unsupported(format!("the words of {name} are {}", kind.word())));
        }
        let made_of_words = matches!(variate, Variate::Bits | Variate::Uniform);
        if !self.device.is_cuda() && !made_of_words {
            return Err(Error::unsupported(format!(
                "{variate:?} numbers are cuRAND's on CUDA devices alone; random::Generator has them"
            )));
        }
        if kind.is_quasi() && shape.first().copied() != Some(self.dims as usize) && self.dims > 1 {
            return Err(Error::shape(format!(
                "{}: shape {:?} does not begin with the {} dimensions",
                kind.name(),
                &shape[..],
                self.dims
            )));
        }
        if len == 0 {
            let node = record::full(Scalar::from_f64(dtype, 0.0), shape, self.device);
            return Ok(DeviceArray::from_node(node));
        }
        let dims = self.dims as usize;
        // cuRAND makes normal numbers in pairs.
        let paired = matches!(variate, Variate::Normal | Variate::Lognormal) && !kind.is_quasi();
        let made = if paired { len.next_multiple_of(2) } else { len };
        crate::eval::tell_of_draw();
        let call = Generate { kind, variate, dtype, len: made, dims: self.dims };
        let words = [self.seed, self.offset].map(|x| Arg::Scalar(Scalar::new(x)));
        let args: Args =
            words.into_iter().chain(parameters.map(|x| Arg::Scalar(Scalar::new(x)))).collect();
        let each = match (variate, dtype) {
            (Variate::Poisson, _) => 8,
            _ if kind.is_quasi() || dtype != DType::F64 => 1,
            _ => 2,
        };
        self.offset = self.offset.wrapping_add((made / dims * each) as u64);
        let node =
            record::library(Library::Generate(call), args, Shape::from_slice(&[made]), self.device);
        let node =
            if made > len { movement::replace_axis(&node, 0, AxisMap::same(0), len) } else { node };
        Ok(DeviceArray::from_node(record::reshape(&node, shape)))
    }
}

fn parameters(name: &str, mean: f64, deviation: f64) -> Result<()> {
    match mean.is_finite() && super::is_scale(deviation) {
        true => Ok(()),
        false => Err(Error::shape(format!(
            "{name}: no numbers of mean {mean} and deviation {deviation}"
        ))),
    }
}
