//! Options of transforms: axes, lengths, the norm; and the element types that they take.

use crate::array::record;
use crate::dtype::{Complex, Component, DType, Element, bf16, f16};
use crate::error::{Error, Result};
use crate::graph::Node;
use crate::shape::axis_index;
use smallvec::SmallVec;
use std::sync::Arc;

mod sealed {
    pub trait Sealed {}
}

/// Element types that can be transformed: all. Integers and `bool` are transformed as `f64`, halves
/// as `f32`.
///
/// Sealed: implemented for every [`Element`].
pub trait Sample: Element + sealed::Sealed {
    /// The type of the components that the transform computes with.
    type Component: Component;
}

/// The element type of a spectrum of `T`: complex, of `T`'s precision.
pub type Spectrum<T> = <<T as Sample>::Component as Component>::Complex;

/// The real element type that goes with `T`.
pub type Signal<T> = <T as Sample>::Component;

macro_rules! samples {
    ($($t:ty => $c:ty;)*) => {$(
        impl sealed::Sealed for $t {}
        impl Sample for $t { type Component = $c; }
    )*};
}
samples! {
    bool => f64; i8 => f64; i16 => f64; i32 => f64; i64 => f64;
    u8 => f64; u16 => f64; u32 => f64; u64 => f64;
    f16 => f32; bf16 => f32; f32 => f32; f64 => f64;
    Complex<f32> => f32; Complex<f64> => f64;
}

/// The array in the type that is transformed.
#[track_caller]
pub(crate) fn as_sample<T: Sample>(a: &Arc<Node>) -> Arc<Node> {
    match a.dtype.is_complex() {
        true => a.clone(),
        false => record::cast(a, T::Component::DTYPE),
    }
}

/// Which direction is divided by the number of points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Norm {
    /// The inverse, by the number of points.
    #[default]
    Backward,
    /// Both, by the square root of the number of points.
    Ortho,
    /// The forward transform, by the number of points.
    Forward,
}

impl Norm {
    /// The factor of a direction.
    pub(super) fn factor(self, inverse: bool, points: f64) -> f64 {
        match (self, inverse) {
            (Norm::Ortho, _) => 1.0 / points.sqrt(),
            (Norm::Backward, true) | (Norm::Forward, false) => 1.0 / points,
            (Norm::Backward, false) | (Norm::Forward, true) => 1.0,
        }
    }

    /// The norm under which the inverse has the factor that the forward transform has under this
    /// one.
    pub(super) fn swapped(self) -> Norm {
        match self {
            Norm::Backward => Norm::Forward,
            Norm::Ortho => Norm::Ortho,
            Norm::Forward => Norm::Backward,
        }
    }
}

/// Axes, lengths and the norm of a transform, with the transforms as methods.
///
/// # Example
/// ```
/// use lazuli::fft::Options;
/// use lazuli::prelude::*;
/// let a = DeviceArray::<f64>::ones([4, 6]);
/// // The columns, padded with zeros to 16 points.
/// assert_eq!(Options::new().axis(0).n(16).rfft(&a).shape(), [9, 6]);
/// // Both axes, the first one halved.
/// assert_eq!(Options::new().axes(&[1, 0]).rfftn(&a).shape(), [3, 6]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    axes: Option<SmallVec<[isize; 4]>>,
    lens: Option<SmallVec<[usize; 4]>>,
    pub(super) norm: Norm,
}

/// How many axes a function transforms where nothing is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rank {
    /// The last, and never more than one.
    One,
    /// The last two.
    Two,
    /// All.
    Any,
}

/// An axis with the number of points to which it is padded or trimmed.
pub(crate) type AxisLen = (usize, Option<usize>);

impl Options {
    /// NumPy's defaults.
    ///
    /// # Example
    /// ```
    /// use lazuli::{fft::*, prelude::*};
    /// let a = DeviceArray::from_slice(&[1.0, 2.0, 3.0, 4.0])?;
    /// assert_eq!(Options::new().fft(&a).real().to_vec()?, [10.0, -2.0, -2.0, -2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new() -> Options {
        Options::default()
    }

    /// The one axis to transform; negative ones count from the end. NumPy: `axis=`.
    ///
    /// # Example
    /// ```
    /// use lazuli::{fft::*, prelude::*};
    /// let a = DeviceArray::try_from([[1.0, 2.0], [3.0, 5.0]])?;
    /// assert_eq!(Options::new().axis(0).fft(&a).real().to_vec()?, [4.0, 7.0, -2.0, -3.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn axis(self, axis: isize) -> Options {
        self.axes(&[axis])
    }

    /// The axes to transform, each at most once. Between real and complex arrays, the last of the
    /// list is the one that is halved. NumPy: `axes=`.
    ///
    /// # Example
    /// ```
    /// use lazuli::{fft::*, prelude::*};
    /// let a = DeviceArray::try_from([[[1.0, 2.0], [3.0, 5.0]]])?;
    /// let b = Options::new().axes(&[0, 1]).fftn(&a); // not along the last axis
    /// assert_eq!(b.real().to_vec()?, [4.0, 7.0, -2.0, -3.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn axes(self, axes: &[isize]) -> Options {
        Options { axes: Some(SmallVec::from_slice(axes)), ..self }
    }

    /// The number of points along the one axis, to which it is padded with zeros or trimmed. For
    /// transforms to real arrays, this is the length of the result. NumPy: `n=`.
    ///
    /// # Example
    /// ```
    /// use lazuli::{fft::*, prelude::*};
    /// let a = DeviceArray::from_slice(&[1.0, 2.0])?;
    /// let padded = Options::new().n(4).fft(&a); // of 1, 2, 0, 0
    /// assert_eq!(padded.real().to_vec()?, [3.0, 1.0, -1.0, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn n(self, n: usize) -> Options {
        self.s(&[n])
    }

    /// The numbers of points, one for each axis. Without [`axes`](Self::axes), they are those of
    /// the last axes. NumPy: `s=`.
    ///
    /// # Example
    /// ```
    /// use lazuli::{fft::*, prelude::*};
    /// let a = DeviceArray::try_from([[1.0, 2.0], [3.0, 5.0]])?;
    /// let trimmed = Options::new().s(&[1, 2]).fft2(&a); // of the first row
    /// assert_eq!(trimmed.real().to_vec()?, [3.0, -1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn s(self, lens: &[usize]) -> Options {
        Options { lens: Some(SmallVec::from_slice(lens)), ..self }
    }

    /// The norm. NumPy: `norm=`.
    ///
    /// # Example
    /// ```
    /// use lazuli::{fft::*, prelude::*};
    /// let a = DeviceArray::from_slice(&[1.0, 2.0, 3.0, 4.0])?;
    /// let spectrum = Options::new().norm(Norm::Ortho).fft(&a);
    /// assert_eq!(spectrum.real().to_vec()?, [5.0, -1.0, -1.0, -1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn norm(self, norm: Norm) -> Options {
        Options { norm, ..self }
    }

    /// The axes to transform, in their order, with their lengths where these are set.
    pub(super) fn resolve(
        &self,
        name: &str,
        rank: Rank,
        shape: &[usize],
    ) -> Result<SmallVec<[AxisLen; 4]>> {
        let default = match (rank, &self.lens) {
            (Rank::One, _) => 1,
            (_, Some(lens)) => lens.len(),
            (Rank::Two, None) => 2,
            (Rank::Any, None) => shape.len(),
        };
        let last = || (-(default as isize)..0).collect();
        let axes: SmallVec<[isize; 4]> = self.axes.clone().unwrap_or_else(last);
        if rank == Rank::One && axes.len() != 1 {
            return Err(Error::shape(format!("{name}: one axis is transformed, not {axes:?}")));
        }
        if let Some(lens) = self.lens.as_ref().filter(|lens| lens.len() != axes.len()) {
            return Err(Error::shape(format!(
                "{name}: lengths {lens:?} for the axes {axes:?} of shape {shape:?}"
            )));
        }
        let mut resolved: SmallVec<[AxisLen; 4]> = SmallVec::new();
        for (k, &axis) in axes.iter().enumerate() {
            let index = axis_index(name, axis, shape.len())?;
            if resolved.iter().any(|r| r.0 == index) {
                return Err(Error::shape(format!("{name}: axis {axis} is given twice")));
            }
            resolved.push((index, self.lens.as_ref().map(|lens| lens[k])));
        }
        Ok(resolved)
    }
}

/// The complex type with components of a type.
pub(super) fn complex_of(dtype: DType) -> DType {
    match dtype {
        DType::F64 | DType::C128 => DType::C128,
        _ => DType::C64,
    }
}
