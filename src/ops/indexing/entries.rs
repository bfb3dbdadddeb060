//! What stands between the brackets of NumPy's `a[…]`: positions, ranges, arrays, masks.

use crate::array::DeviceArray;
use crate::dtype::Integer;
use crate::error::Result;
use crate::ops::index::sealed::Positions as _;
use ndarray::{NewAxis, SliceInfo, SliceInfoElem};
use std::ops::{Range, RangeFrom, RangeFull, RangeTo};

/// The axes that no other entry of an index mentions, taken whole: NumPy's `...`.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let a = DeviceArray::<i32>::arange_to(8).reshape([2, 2, 2]);
/// assert_eq!(a.index((Ellipsis, 1))?.to_vec()?, [1, 3, 5, 7]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ellipsis;

/// An entry of an index.
pub enum Entry {
    /// A position, a range or a new axis.
    Basic(SliceInfoElem),
    /// The axes that are not mentioned.
    Ellipsis,
    /// One position beside arrays.
    One(i64),
    /// Positions along an axis, on the host, in one axis.
    Listed(Vec<i64>),
    /// Positions along an axis, on a device.
    Positions(DeviceArray<i64>),
    /// The positions along as many axes as it has, at which it is true.
    Mask(DeviceArray<bool>),
}

pub(crate) mod sealed {
    use super::Entry;
    use crate::error::Result;

    pub trait Entries {
        /// Adds the entries to a list.
        fn push_to(self, entries: &mut Vec<Entry>) -> Result<()>;
    }
    pub trait Listed {
        fn entries(self) -> Result<Vec<Entry>>;
    }
}
use sealed::{Entries, Listed};

/// What may stand for an axis, or for several, in an [`Index`]:
///
/// - a whole number: one position, negative ones counting from the end; the axis disappears;
/// - a range, `..`, `1..`, `..-1`, `0..3`, or with steps as `ndarray`'s [`s!`](ndarray::s) and
///   [`Slice`](ndarray::Slice) have them: these positions;
/// - an array of integers, on a device or as a list on the host: these positions;
/// - a mask, an array of `bool`: the positions along as many axes as it has, at which it is true;
/// - [`Ellipsis`]: all axes that are not mentioned;
/// - [`NewAxis`](struct@ndarray::NewAxis): a new axis of length 1.
pub trait IndexEntry: Entries {}

/// An index of several axes: one [`IndexEntry`] or a tuple of them.
///
/// # Example
/// ```
/// use lazuli::prelude::*;
/// let a = DeviceArray::<i32>::arange_to(12).reshape([3, 4]);
/// let (i, j) = (DeviceArray::from_slice(&[0, 2])?, DeviceArray::from_slice(&[1, 3])?);
/// assert_eq!(a.index((&i, &j))?.to_vec()?, [1, 11]);
/// assert_eq!(a.index((&i, 1..3))?.to_vec()?, [1, 2, 9, 10]);
/// # Ok::<(), Error>(())
/// ```
pub trait Index: Listed {}

impl<E: IndexEntry> Listed for E {
    fn entries(self) -> Result<Vec<Entry>> {
        let mut entries = Vec::new();
        self.push_to(&mut entries)?;
        Ok(entries)
    }
}
impl<E: IndexEntry> Index for E {}

macro_rules! tuples {
    ($($($name:ident)+;)*) => {$(
        impl<$($name: IndexEntry),+> Listed for ($($name,)+) {
            #[allow(non_snake_case)]
            fn entries(self) -> Result<Vec<Entry>> {
                let ($($name,)+) = self;
                let mut entries = Vec::new();
                $($name.push_to(&mut entries)?;)+
                Ok(entries)
            }
        }
        impl<$($name: IndexEntry),+> Index for ($($name,)+) {}
    )*};
}
tuples! { A; A B; A B C; A B C D; A B C D E; A B C D E F; A B C D E F G; A B C D E F G H; }

/// Entries that are a part of a slice, as an expression says.
macro_rules! basic {
    ($([$($g:tt)*] $t:ty, $self:ident => $e:expr;)*) => {$(
        impl<$($g)*> Entries for $t {
            fn push_to($self, entries: &mut Vec<Entry>) -> Result<()> {
                entries.push($e);
                Ok(())
            }
        }
        impl<$($g)*> IndexEntry for $t {}
    )*};
}

fn range(start: isize, end: Option<isize>) -> Entry {
    Entry::Basic(SliceInfoElem::Slice { start, end, step: 1 })
}

basic! {
    [] RangeFull, self => range(0, None);
    [] NewAxis, self => Entry::Basic(SliceInfoElem::NewAxis);
    [] Ellipsis, self => Entry::Ellipsis;
    [] ndarray::Slice, self => Entry::Basic(self.into());
    [] SliceInfoElem, self => Entry::Basic(self);
    [] &DeviceArray<bool>, self => Entry::Mask(self.clone());
    [] DeviceArray<bool>, self => Entry::Mask(self);
}

impl<const N: usize, In: ndarray::Dimension, Out: ndarray::Dimension> Entries
    for SliceInfo<[SliceInfoElem; N], In, Out>
{
    fn push_to(self, entries: &mut Vec<Entry>) -> Result<()> {
        entries.extend(self.as_ref().iter().map(|&part| Entry::Basic(part)));
        Ok(())
    }
}
impl<const N: usize, In: ndarray::Dimension, Out: ndarray::Dimension> IndexEntry
    for SliceInfo<[SliceInfoElem; N], In, Out>
{
}

impl<I: Integer> Entries for &DeviceArray<I> {
    fn push_to(self, entries: &mut Vec<Entry>) -> Result<()> {
        entries.push(Entry::Positions(self.positions("index", 0, self.device())?));
        Ok(())
    }
}
impl<I: Integer> IndexEntry for &DeviceArray<I> {}

impl<I: Integer> Entries for DeviceArray<I> {
    fn push_to(self, entries: &mut Vec<Entry>) -> Result<()> {
        (&self).push_to(entries)
    }
}
impl<I: Integer> IndexEntry for DeviceArray<I> {}

macro_rules! whole_numbers {
    ($($t:ty)*) => {$(
        basic! {
            [] $t, self => Entry::Basic(SliceInfoElem::Index(self as isize));
            [] Range<$t>, self => range(self.start as isize, Some(self.end as isize));
            [] RangeFrom<$t>, self => range(self.start as isize, None);
            [] RangeTo<$t>, self => range(0, Some(self.end as isize));
            [const N: usize] [$t; N], self => listed(self.iter().map(|&k| i64::try_from(k)));
            [const N: usize] &[$t; N], self => listed(self.iter().map(|&k| i64::try_from(k)));
            [] &[$t], self => listed(self.iter().map(|&k| i64::try_from(k)));
            [] &Vec<$t>, self => listed(self.iter().map(|&k| i64::try_from(k)));
        }
    )*};
}
whole_numbers! { i32 i64 isize usize }

/// Positions on the host; what `i64` does not hold is beyond every axis.
fn listed<E>(positions: impl Iterator<Item = std::result::Result<i64, E>>) -> Entry {
    Entry::Listed(positions.map(|k| k.unwrap_or(i64::MAX)).collect())
}
