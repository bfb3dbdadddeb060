//! The arrays that a kernel's threads see.

use super::memory::{self, Atomic, AtomicBits, atomic_methods};
use super::place::{Place, offset};
use crate::dtype::Element;
use std::marker::PhantomData;
use std::ops::Index;

/// An array with `N` axes that a kernel reads: a parameter of a [`kernel`](macro@crate::kernel).
///
/// At the launch it is given as `&DeviceArray<T>`. Its elements are read as `a[i]`, `a[(i, j)]`
/// or `a[[i, j]]`, with integers of any type.
///
/// **Bounds.** Every index is checked, unless the launch is `launch_unchecked`. On the processor one
/// that is out of range ends the kernel with an error that names it. On a GPU it reads zeros or
/// writes nowhere, and the next call that waits for the device gives that error.
pub struct Array<'k, T: Element, const N: usize> {
    data: *const T,
    shape: [usize; N],
    name: &'static str,
    life: PhantomData<&'k [T]>,
}

/// An array with `N` axes that a kernel reads and writes: a parameter of a
/// [`kernel`](macro@crate::kernel).
///
/// At the launch it is given as `&mut DeviceArray<T>`. In a kernel its elements are read as
/// `a[(i, j)]` and written as `a[(i, j)] = v` or `a[(i, j)] += v`, which stand for
/// [`get`](Self::get) and [`set`](Self::set). All threads of the grid see the one array: where
/// two of them write an element, one of the values stays, and which one is chance.
///
/// **Bounds.** As for [`Array`].
pub struct ArrayMut<'k, T: Element, const N: usize> {
    data: *mut T,
    shape: [usize; N],
    name: &'static str,
    life: PhantomData<&'k [T]>,
}

// SAFETY: nobody writes what an `Array` reads while the kernel runs.
unsafe impl<T: Element, const N: usize> Sync for Array<'_, T, N> {}
// SAFETY: as above.
unsafe impl<T: Element, const N: usize> Send for Array<'_, T, N> {}
// SAFETY: every access is atomic.
unsafe impl<T: Element, const N: usize> Sync for ArrayMut<'_, T, N> {}
// SAFETY: as above.
unsafe impl<T: Element, const N: usize> Send for ArrayMut<'_, T, N> {}

impl<T: Element, const N: usize> Clone for Array<'_, T, N> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Element, const N: usize> Copy for Array<'_, T, N> {}
impl<T: Element, const N: usize> Clone for ArrayMut<'_, T, N> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Element, const N: usize> Copy for ArrayMut<'_, T, N> {}

/// What both kinds of arrays have.
macro_rules! common {
    ($name:ident, $pointer:ty) => {
        impl<T: Element, const N: usize> $name<'_, T, N> {
            /// The elements at an address, in C order.
            ///
            /// # Safety
            /// There are as many elements as the shape says, and while this value is used they
            /// stay, and nobody touches them but the threads of the kernel through their arrays.
            #[doc(hidden)]
            pub(super) unsafe fn new(address: u64, shape: [usize; N], name: &'static str) -> Self {
                Self { data: address as $pointer, shape, name, life: PhantomData }
            }

            /// The length of axis `axis`.
            ///
            /// # Panics
            /// Where there is no such axis.
            #[inline]
            pub fn shape(&self, axis: usize) -> usize {
                self.shape[axis]
            }

            /// The number of elements.
            #[inline]
            #[allow(clippy::len_without_is_empty)]
            pub fn len(&self) -> usize {
                self.shape.iter().product()
            }

            /// Whether there are no elements.
            #[inline]
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            #[inline]
            fn pointer(&self, place: impl Place<N>) -> $pointer {
                let offset = offset(place, &self.shape, self.name);
                // SAFETY: the offset is inside the array.
                unsafe { self.data.add(offset) }
            }
        }
    };
}
common!(Array, *const T);
common!(ArrayMut, *mut T);

impl<T: Element, const N: usize> Array<'_, T, N> {
    /// The element at a place: `a[place]`.
    ///
    /// # Panics
    /// Where the place is out of range, which ends the kernel with an error.
    #[inline]
    pub fn get(&self, place: impl Place<N>) -> T {
        // SAFETY: the pointer is to an element, which nobody writes.
        unsafe { *self.pointer(place) }
    }
}

impl<T: Element, P: Place<N>, const N: usize> Index<P> for Array<'_, T, N> {
    type Output = T;

    #[inline]
    fn index(&self, place: P) -> &T {
        // SAFETY: the pointer is to an element, which nobody writes.
        unsafe { &*self.pointer(place) }
    }
}

impl<T: Element, const N: usize> ArrayMut<'_, T, N> {
    /// The element at a place: `a[place]`.
    ///
    /// # Panics
    /// Where the place is out of range, which ends the kernel with an error.
    #[inline]
    pub fn get(&self, place: impl Place<N>) -> T {
        // SAFETY: the pointer is to an element of memory that is used through `memory` only.
        unsafe { memory::load(self.pointer(place)) }
    }

    /// Writes the element at a place: `a[place] = value`.
    ///
    /// # Panics
    /// As [`get`](Self::get).
    #[inline]
    pub fn set(&self, place: impl Place<N>, value: T) {
        // SAFETY: as in `get`.
        unsafe { memory::store(self.pointer(place), value) }
    }

    atomic_methods!(P: Place<N>, T);
}
