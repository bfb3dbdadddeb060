//! Arguments that say a shape or a set of axes.

use crate::error::{Error, Result};
use crate::shape::{Shape, axis_index};
use smallvec::{SmallVec, smallvec};
use std::ops::RangeFull;

pub(crate) mod sealed {
    use super::AxisSet;
    use crate::error::Result;
    use crate::shape::Shape;

    pub trait Lengths {
        fn lengths(self) -> Shape;
    }
    pub trait Resolve {
        fn resolve(self, op: &str, rank: usize) -> Result<AxisSet>;
    }
    pub trait Fit {
        fn fit(self, len: usize) -> Result<Shape>;
    }
    pub trait Widths {
        fn widths(self, rank: usize) -> smallvec::SmallVec<[(usize, usize); 4]>;
    }
    pub trait List {
        fn integers(self) -> smallvec::SmallVec<[isize; 4]>;
    }
}

/// A set of axes of an array of a certain rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AxisSet {
    /// One bit for each axis.
    pub(crate) mask: u32,
    /// Whether the axes stay with length 1.
    pub(crate) keep: bool,
    /// Whether `..` stood for them.
    pub(crate) all: bool,
}

impl AxisSet {
    /// Whether the set holds the axis.
    pub(crate) fn contains(self, axis: usize) -> bool {
        self.mask >> axis & 1 == 1
    }

    /// The number of elements along these axes.
    pub(crate) fn len(self, shape: &[usize]) -> usize {
        (0..shape.len()).filter(|&k| self.contains(k)).map(|k| shape[k]).product()
    }

    /// The same axes, kept.
    pub(crate) fn kept(self) -> AxisSet {
        AxisSet { keep: true, ..self }
    }
}

/// A set that an array has resolved once stands for its axes again.
impl sealed::Resolve for AxisSet {
    fn resolve(self, _: &str, _: usize) -> Result<AxisSet> {
        Ok(self)
    }
}
impl Axes for AxisSet {}

/// A shape: `[2, 3]`, `(2, 3)`, a slice, a `Vec`, one `usize` for one axis, `()` for none.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// assert_eq!(DeviceArray::<f32>::zeros([2, 3]).shape(), [2, 3]);
/// assert_eq!(DeviceArray::<f32>::zeros(4).shape(), [4]);
/// assert_eq!(DeviceArray::<f32>::zeros(()).ndim(), 0);
/// ```
pub trait IntoShape: sealed::Lengths {}

macro_rules! shapes {
    ($([$($g:tt)*] $t:ty, $self:ident => $e:expr;)*) => {$(
        impl<$($g)*> sealed::Lengths for $t {
            fn lengths($self) -> Shape { $e }
        }
        impl<$($g)*> IntoShape for $t {}
    )*};
}
shapes! {
    [const N: usize] [usize; N], self => Shape::from_slice(&self);
    [const N: usize] &[usize; N], self => Shape::from_slice(self);
    [] &[usize], self => Shape::from_slice(self);
    [] Vec<usize>, self => Shape::from_vec(self);
    [] &Vec<usize>, self => Shape::from_slice(self);
    [] usize, self => Shape::from_slice(&[self]);
    [] (), self => Shape::new();
    [] (usize,), self => Shape::from_slice(&[self.0]);
    [] (usize, usize), self => Shape::from_slice(&[self.0, self.1]);
    [] (usize, usize, usize), self => Shape::from_slice(&[self.0, self.1, self.2]);
}

/// The shape that `reshape` is to give; in signed integers, one length may be `-1`, which stands
/// for what remains.
pub trait ReshapeTo: sealed::Fit {}

fn fit_signed(lengths: impl Iterator<Item = isize> + Clone, len: usize) -> Result<Shape> {
    let asked: Vec<isize> = lengths.clone().collect();
    let mut given = lengths.clone().filter(|&d| d >= 0).map(|d| d as usize);
    // Beyond what can be counted nothing fits, unless another length is zero.
    let known = match asked.contains(&0) {
        true => Some(0),
        false => given.try_fold(1usize, |product, d| product.checked_mul(d)),
    };
    let Some(known) = known else {
        return Err(Error::shape(format!("reshape: {len} elements do not fit into {asked:?}")));
    };
    if asked.iter().any(|&d| d < -1) || asked.iter().filter(|&&d| d == -1).count() > 1 {
        return Err(Error::shape(format!("reshape: {asked:?} is not a shape")));
    }
    if asked.contains(&-1) && (known == 0 || !len.is_multiple_of(known)) {
        return Err(Error::shape(format!("reshape: {len} elements do not fit into {asked:?}")));
    }
    Ok(lengths.map(|d| if d < 0 { len / known } else { d as usize }).collect())
}

macro_rules! reshapes {
    (unsigned: $([$($g:tt)*] $t:ty;)*) => {$(
        impl<$($g)*> sealed::Fit for $t {
            fn fit(self, _: usize) -> Result<Shape> { Ok(sealed::Lengths::lengths(self)) }
        }
        impl<$($g)*> ReshapeTo for $t {}
    )*};
    (signed: $($t:ty)*) => {$(
        impl<const N: usize> sealed::Fit for [$t; N] {
            fn fit(self, len: usize) -> Result<Shape> {
                fit_signed(self.iter().map(|&d| d as isize), len)
            }
        }
        impl<const N: usize> ReshapeTo for [$t; N] {}
        impl sealed::Fit for &[$t] {
            fn fit(self, len: usize) -> Result<Shape> {
                fit_signed(self.iter().map(|&d| d as isize), len)
            }
        }
        impl ReshapeTo for &[$t] {}
        impl sealed::Fit for $t {
            fn fit(self, len: usize) -> Result<Shape> {
                fit_signed(std::iter::once(self as isize), len)
            }
        }
        impl ReshapeTo for $t {}
    )*};
}
reshapes! { unsigned:
    [const N: usize] [usize; N];
    [const N: usize] &[usize; N];
    [] &[usize];
    [] Vec<usize>;
    [] &Vec<usize>;
    [] usize;
    [] ();
    [] (usize,);
    [] (usize, usize);
    [] (usize, usize, usize);
}
reshapes! { signed: i32 i64 isize }

/// How many elements [`pad`](crate::DeviceArray::pad) adds before and after each axis: a number for
/// both ends of every axis, a pair for every axis, or a list of a pair for each.
///
/// # Example
/// ```
/// use lazuli::PadMode::Constant;
/// use lazuli::prelude::*;
/// let a = DeviceArray::<f64>::ones([2, 3]);
/// assert_eq!(a.pad(1, Constant(0.0)).shape(), [4, 5]);
/// assert_eq!(a.pad((1, 0), Constant(0.0)).shape(), [3, 4]);
/// assert_eq!(a.pad([(1, 0), (0, 2)], Constant(0.0)).shape(), [3, 5]);
/// ```
pub trait PadWidths: sealed::Widths {}

macro_rules! widths {
    ($([$($g:tt)*] $t:ty, $self:ident, $rank:ident => $e:expr;)*) => {$(
        impl<$($g)*> sealed::Widths for $t {
            fn widths($self, $rank: usize) -> SmallVec<[(usize, usize); 4]> { $e }
        }
        impl<$($g)*> PadWidths for $t {}
    )*};
}
widths! {
    [] usize, self, rank => smallvec![(self, self); rank];
    [] (usize, usize), self, rank => smallvec![self; rank];
    [const N: usize] [(usize, usize); N], self, _rank => SmallVec::from_slice(&self);
    [const N: usize] &[(usize, usize); N], self, _rank => SmallVec::from_slice(self);
    [] &[(usize, usize)], self, _rank => SmallVec::from_slice(self);
    [] Vec<(usize, usize)>, self, _rank => SmallVec::from_slice(&self);
    [] &Vec<(usize, usize)>, self, _rank => SmallVec::from_slice(self);
}

/// Axes of an array: one index, a list of them, or `..` for all; negative indices count from the
/// end. [`keep`] around them keeps the reduced axes with length 1.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let a = DeviceArray::<f64>::ones([2, 3, 4]);
/// assert_eq!(a.sum(-1).shape(), [2, 3]);
/// assert_eq!(a.sum([0, 2]).shape(), [3]);
/// assert_eq!(a.sum(keep(1)).shape(), [2, 1, 4]);
/// assert_eq!(a.sum(..).ndim(), 0);
/// ```
pub trait Axes: sealed::Resolve {}

/// Axes that a reduction keeps with length 1; made by [`keep`].
#[derive(Clone, Copy, Debug)]
pub struct Keep<A>(A);

/// Keeps the axes of a reduction, with length 1, so that its result broadcasts against the array.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let a = DeviceArray::try_from([[1.0f64, 3.0], [2.0, 2.0]])?;
/// let p = &a / a.sum(keep(-1)); // NumPy: a / a.sum(axis=-1, keepdims=True)
/// assert_eq!(p.to_vec()?, [0.25, 0.75, 0.5, 0.5]);
/// # Ok::<(), Error>(())
/// ```
#[doc(alias = "keepdims")]
pub fn keep<A: Axes>(axes: A) -> Keep<A> {
    Keep(axes)
}

impl<A: Axes> sealed::Resolve for Keep<A> {
    fn resolve(self, op: &str, rank: usize) -> Result<AxisSet> {
        Ok(self.0.resolve(op, rank)?.kept())
    }
}
impl<A: Axes> Axes for Keep<A> {}

impl sealed::Resolve for RangeFull {
    fn resolve(self, _: &str, rank: usize) -> Result<AxisSet> {
        Ok(AxisSet { mask: (1u32 << rank) - 1, keep: false, all: true })
    }
}
impl Axes for RangeFull {}

fn collect(op: &str, axes: impl Iterator<Item = isize>, rank: usize) -> Result<AxisSet> {
    let mut mask = 0;
    for axis in axes {
        let bit = 1u32 << axis_index(op, axis, rank)?;
        if mask & bit != 0 {
            return Err(Error::shape(format!("{op}: axis {axis} is given twice")));
        }
        mask |= bit;
    }
    Ok(AxisSet { mask, keep: false, all: false })
}

macro_rules! axes {
    ($($t:ty)*) => {$(
        impl sealed::Resolve for $t {
            fn resolve(self, op: &str, rank: usize) -> Result<AxisSet> {
                collect(op, std::iter::once(self as isize), rank)
            }
        }
        impl Axes for $t {}
        impl<const N: usize> sealed::Resolve for [$t; N] {
            fn resolve(self, op: &str, rank: usize) -> Result<AxisSet> {
                collect(op, self.iter().map(|&k| k as isize), rank)
            }
        }
        impl<const N: usize> Axes for [$t; N] {}
        impl sealed::Resolve for &[$t] {
            fn resolve(self, op: &str, rank: usize) -> Result<AxisSet> {
                collect(op, self.iter().map(|&k| k as isize), rank)
            }
        }
        impl Axes for &[$t] {}
        impl sealed::Resolve for &Vec<$t> {
            fn resolve(self, op: &str, rank: usize) -> Result<AxisSet> {
                collect(op, self.iter().map(|&k| k as isize), rank)
            }
        }
        impl Axes for &Vec<$t> {}
    )*};
}
axes! { i32 i64 isize usize }

/// One whole number or a list of them, in order: axes that are moved, distances.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let a = DeviceArray::<f64>::zeros([2, 3]);
/// assert_eq!(a.insert_axis(0).shape(), [1, 2, 3]);
/// assert_eq!(a.insert_axis([0, -1]).shape(), [1, 2, 3, 1]);
/// ```
pub trait IntegerList: sealed::List {}

macro_rules! lists {
    ($($t:ty)*) => {$(
        impl sealed::List for $t {
            fn integers(self) -> SmallVec<[isize; 4]> {
                smallvec![self as isize]
            }
        }
        impl IntegerList for $t {}
        impl<const N: usize> sealed::List for [$t; N] {
            fn integers(self) -> SmallVec<[isize; 4]> {
                self.iter().map(|&k| k as isize).collect()
            }
        }
        impl<const N: usize> IntegerList for [$t; N] {}
        impl sealed::List for &[$t] {
            fn integers(self) -> SmallVec<[isize; 4]> {
                self.iter().map(|&k| k as isize).collect()
            }
        }
        impl IntegerList for &[$t] {}
        impl sealed::List for &Vec<$t> {
            fn integers(self) -> SmallVec<[isize; 4]> {
                self.iter().map(|&k| k as isize).collect()
            }
        }
        impl IntegerList for &Vec<$t> {}
    )*};
}
lists! { i32 i64 isize usize }
