//! Memory of the host that becomes an array without a copy.

use super::memory::{Memory, Strides};
use crate::array::{DeviceArray, located};
use crate::backend::{Device, Owner};
use crate::dtype::Element;
use crate::error::Result;
use crate::shape::Shape;
use ndarray::{ArcArray, Array, ArrayRef, ArrayView, Dimension};
use std::sync::Arc;

pub(super) mod sealed {
    use super::{Shape, Strides};

    /// Where elements lie, and what keeps them there.
    pub struct Parts<T, O> {
        pub(crate) pointer: *const T,
        pub(crate) shape: Shape,
        pub(crate) strides: Option<Strides>,
        pub(crate) owner: O,
    }

    /// # Safety
    /// The pointer, shape and strides reach initialised elements alone, which nobody writes while
    /// the owner lives, wherever that is moved.
    pub unsafe trait IntoMemory<T> {
        type Owner: Send + 'static;
        fn into_memory(self) -> Parts<T, Self::Owner>;
    }
}
use sealed::{IntoMemory, Parts};

/// Memory of the host that [`DeviceArray::adopt`] takes over: owned, shared or static.
///
/// Sealed: `Vec<T>`, `Box<[T]>`, `Arc<[T]>`, `Arc<Vec<T>>`, `&'static [T]`, and ndarray's `Array`,
/// `ArcArray` and `ArrayView<'static, …>`; with the features of these names also `faer::Mat`,
/// `nalgebra`'s matrices that own their elements, and `image::ImageBuffer`.
pub trait HostMemory<T: Element>: IntoMemory<T> {}

impl<T: Element, M: IntoMemory<T>> HostMemory<T> for M {}

impl<T: Element> DeviceArray<T> {
    /// Makes host memory that nobody else can write an array on the processor, without a copy.
    ///
    /// The memory goes when nothing reads it any more. Arrays of ndarray may have any strides,
    /// negative ones too: in C order the memory is the array's data, else kernels read it by
    /// its strides. Lazuli never writes it.
    ///
    /// **Shape.** The array's; of vectors and slices one axis; of images `[height, width,
    /// channels]`. **Laziness.** Nothing is computed or copied. The array lives on the processor,
    /// whatever the current device is; [`to`](Self::to) copies it to another.
    ///
    /// NumPy: `asarray`.
    ///
    /// # Errors
    /// [`Error::is_shape`](crate::Error::is_shape) where there are more than 16 axes.
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let host = ndarray::arr2(&[[1.0, 2.0], [3.0, 4.0]]).reversed_axes();
    /// let a = DeviceArray::adopt(host)?;
    /// assert_eq!((&a + 0.5).to_vec()?, [1.5, 3.5, 2.5, 4.5]);
    ///
    /// static TABLE: [u8; 3] = [1, 2, 3];
    /// assert_eq!(DeviceArray::adopt(&TABLE[..])?.sum(..).item()?, 6);
    /// # Ok::<(), Error>(())
    /// ```
    #[doc(alias = "asarray")]
    #[track_caller]
    pub fn adopt(memory: impl HostMemory<T>) -> Result<Self> {
        let Parts { pointer, shape, strides, owner } = memory.into_memory();
        located(adopt("adopt", pointer, shape, strides, Owner::new(owner)))
    }

    /// A view of host memory as an array on the processor, without a copy, for a time that the
    /// caller vouches for.
    ///
    /// What a view borrows may go while an array or an expression still stands for it: no lifetime
    /// says otherwise. Where an owner can be given away, [`adopt`](Self::adopt) is safe, and
    /// [`from_ndarray`](Self::from_ndarray) copies.
    ///
    /// **Shape.** The view's. **Laziness.** Nothing is computed or copied.
    ///
    /// # Safety
    /// The elements stay where they are and nobody writes them for as long as this array lives, or
    /// its clones, or anything that was recorded from it and is not evaluated.
    ///
    /// # Errors
    /// As [`adopt`](Self::adopt).
    ///
    /// # Example
    /// ```
    /// use lazuli::prelude::*;
    /// let host = ndarray::arr1(&[3.0, 1.0, 2.0]);
    /// // SAFETY: the array goes before `host` does.
    /// let largest = unsafe { DeviceArray::adopt_view(&host) }?.max(..).item()?;
    /// assert_eq!(largest, 3.0);
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub unsafe fn adopt_view<D: Dimension>(view: &ArrayRef<T, D>) -> Result<Self> {
        let (shape, strides) = layout(view);
        located(adopt("adopt_view", view.as_ptr(), shape, Some(strides), Owner::new(())))
    }
}

fn adopt<T: Element>(
    name: &'static str,
    pointer: *const T,
    shape: Shape,
    strides: Option<Strides>,
    owner: Owner,
) -> Result<DeviceArray<T>> {
    let address = pointer.expose_provenance() as u64;
    let (device, dtype, stream) = (Device::cpu(), T::DTYPE, None);
    let memory = Memory { name, device, dtype, address, shape, strides, stream };
    memory.into_node(owner).map(DeviceArray::from_node)
}

/// The shape and the strides of an array of ndarray's.
fn layout<T, D: Dimension>(array: &ArrayRef<T, D>) -> (Shape, Strides) {
    let strides = array.strides().iter().map(|&stride| stride as i64);
    (Shape::from_slice(array.shape()), strides.collect())
}

/// What has one axis in C order.
fn line<T, O>(slice: &[T], owner: impl FnOnce() -> O) -> Parts<T, O> {
    let (pointer, shape) = (slice.as_ptr(), Shape::from_slice(&[slice.len()]));
    Parts { pointer, shape, strides: None, owner: owner() }
}

// SAFETY: the elements of a vector lie on the heap, and the owner alone reaches them.
unsafe impl<T: Element> IntoMemory<T> for Vec<T> {
    type Owner = Vec<T>;

    fn into_memory(self) -> Parts<T, Vec<T>> {
        let (pointer, shape) = (self.as_ptr(), Shape::from_slice(&[self.len()]));
        Parts { pointer, shape, strides: None, owner: self }
    }
}

// SAFETY: as for vectors, of which it becomes one, since a box that moves is taken for the only way
// to its elements.
unsafe impl<T: Element> IntoMemory<T> for Box<[T]> {
    type Owner = Vec<T>;

    fn into_memory(self) -> Parts<T, Vec<T>> {
        self.into_vec().into_memory()
    }
}

// SAFETY: shared elements lie on the heap, and who shares them writes none.
unsafe impl<T: Element> IntoMemory<T> for Arc<[T]> {
    type Owner = Arc<[T]>;

    fn into_memory(self) -> Parts<T, Arc<[T]>> {
        line(&self, || self.clone())
    }
}

// SAFETY: a vector that is shared is neither moved nor written.
unsafe impl<T: Element> IntoMemory<T> for Arc<Vec<T>> {
    type Owner = Arc<Vec<T>>;

    fn into_memory(self) -> Parts<T, Arc<Vec<T>>> {
        line(&self, || self.clone())
    }
}

// SAFETY: what is borrowed for good stays.
unsafe impl<T: Element> IntoMemory<T> for &'static [T] {
    type Owner = ();

    fn into_memory(self) -> Parts<T, ()> {
        line(self, || ())
    }
}

// SAFETY: the elements lie on the heap, and the owner alone reaches them.
unsafe impl<T: Element, D: Dimension + 'static> IntoMemory<T> for Array<T, D> {
    type Owner = Array<T, D>;

    fn into_memory(self) -> Parts<T, Self> {
        let (shape, strides) = layout(&self);
        Parts { pointer: self.as_ptr(), shape, strides: Some(strides), owner: self }
    }
}

// SAFETY: the elements lie on the heap, and who writes a shared array copies it first.
unsafe impl<T: Element, D: Dimension + 'static> IntoMemory<T> for ArcArray<T, D> {
    type Owner = ArcArray<T, D>;

    fn into_memory(self) -> Parts<T, Self> {
        let (shape, strides) = layout(&self);
        Parts { pointer: self.as_ptr(), shape, strides: Some(strides), owner: self }
    }
}

// SAFETY: what is borrowed for good stays.
unsafe impl<T: Element, D: Dimension> IntoMemory<T> for ArrayView<'static, T, D> {
    type Owner = ();

    fn into_memory(self) -> Parts<T, ()> {
        let (shape, strides) = layout(&self);
        Parts { pointer: self.as_ptr(), shape, strides: Some(strides), owner: () }
    }
}
