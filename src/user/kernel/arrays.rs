//! The arrays that a kernel's threads see.

use super::memory::{self, Atomic, AtomicBits, atomic_methods};
use super::place::{Place, offset};
use crate::dtype::{Element, Number};
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
            ///
            /// # Example
            /// ```
            /// use lazuli::{gpu::*, prelude::*};
            ///
            /// #[kernel]
            /// fn example(a: Array<i32, 2>, out: ArrayMut<u64, 1>) {
            ///     out[thread_idx().x] = a.shape(thread_idx().x) as u64;
            /// }
            ///
            /// let a = DeviceArray::try_from([[1, 2, 3], [4, 5, 6]])?;
            /// let mut out = DeviceArray::<u64>::zeros(2);
            /// example.launch(1, 2, (&a, &mut out))?;
            /// assert_eq!(out.to_vec()?, [2, 3]);
            /// # Ok::<(), Error>(())
            /// ```
            #[inline]
            pub fn shape(&self, axis: usize) -> usize {
                self.shape[axis]
            }

            /// The number of elements.
            ///
            /// # Example
            /// ```
            /// use lazuli::{gpu::*, prelude::*};
            ///
            /// #[kernel]
            /// fn example(a: Array<i32, 2>, out: ArrayMut<u64, 1>) {
            ///     out[0] = a.len() as u64;
            /// }
            ///
            /// let a = DeviceArray::try_from([[1, 2, 3], [4, 5, 6]])?;
            /// let mut out = DeviceArray::<u64>::zeros(1);
            /// example.launch(1, 1, (&a, &mut out))?;
            /// assert_eq!(out.to_vec()?, [6]);
            /// # Ok::<(), Error>(())
            /// ```
            #[inline]
            #[allow(clippy::len_without_is_empty)]
            pub fn len(&self) -> usize {
                self.shape.iter().product()
            }

            /// Whether there are no elements.
            ///
            /// # Example
            /// ```
            /// use lazuli::{gpu::*, prelude::*};
            ///
            /// #[kernel]
            /// fn example(a: Array<i32, 2>, out: ArrayMut<bool, 1>) {
            ///     out[0] = a.is_empty();
            /// }
            ///
            /// let a = DeviceArray::<i32>::zeros([0, 3]);
            /// let mut out = DeviceArray::<bool>::zeros(1);
            /// example.launch(1, 1, (&a, &mut out))?;
            /// assert_eq!(out.to_vec()?, [true]);
            /// # Ok::<(), Error>(())
            /// ```
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

macro_rules! rows {
    ($($name:ident)*) => {$(
        impl<'k, T: Element> $name<'k, T, 2> {
            /// A row: the elements `a[(i, j)]` for all `j`, as an array with one axis, for the same
            /// uses.
            ///
            /// # Panics
            /// Where there is no such row, which ends the kernel with an error. On a GPU the error
            /// is that of [`Array`]'s bounds, and the row has no elements.
            ///
            /// # Example
            /// ```
            /// use lazuli::{gpu::*, prelude::*};
            ///
            /// #[kernel]
            /// fn example(a: Array<i32, 2>, out: ArrayMut<i32, 1>) {
            ///     let row = a.row(1);
            ///     out[thread_idx().x] = row[thread_idx().x];
            /// }
            ///
            /// let a = DeviceArray::try_from([[1, 2, 3], [4, 5, 6]])?;
            /// let mut out = DeviceArray::<i32>::zeros(3);
            /// example.launch(1, 3, (&a, &mut out))?;
            /// assert_eq!(out.to_vec()?, [4, 5, 6]);
            /// # Ok::<(), Error>(())
            /// ```
            #[inline]
            pub fn row(&self, i: impl Place<1>) -> $name<'k, T, 1> {
                let i = offset(i, &[self.shape[0]], self.name);
                // SAFETY: the row begins at one of the array's elements, or has none.
                let data = unsafe { self.data.add(i * self.shape[1]) };
                $name { data, shape: [self.shape[1]], name: self.name, life: PhantomData }
            }
        }
    )*};
}
rows! { Array ArrayMut }

macro_rules! sums {
    ($($name:ident)*) => {$(
        impl<T: Number> $name<'_, T, 1> {
            /// The sum of the elements, one after another, in the array's type.
            ///
            /// # Example
            /// ```
            /// use lazuli::{gpu::*, prelude::*};
            ///
            /// #[kernel]
            /// fn sums(a: Array<i32, 2>, out: ArrayMut<i32, 1>) {
            ///     let i = grid::<1>();
            ///     if i < a.shape(0) {
            ///         out[i] = a.row(i).sum();
            ///     }
            /// }
            ///
            /// let a = DeviceArray::try_from([[1, 2, 3], [4, 5, 6]])?;
            /// let mut out = DeviceArray::<i32>::zeros(2);
            /// sums.launch(1, 32, (&a, &mut out))?;
            /// assert_eq!(out.to_vec()?, [6, 15]);
            /// # Ok::<(), Error>(())
            /// ```
            #[inline]
            pub fn sum(&self) -> T {
                let mut sum = T::ZERO;
                for i in 0..self.len() {
                    sum += self.get(i);
                }
                sum
            }
        }
    )*};
}
sums! { Array ArrayMut }

impl<T: Element, const N: usize> Array<'_, T, N> {
    /// The element at a place: `a[place]`.
    ///
    /// # Panics
    /// Where the place is out of range, which ends the kernel with an error.
    ///
    /// # Example
    /// ```
    /// use lazuli::{gpu::*, prelude::*};
    ///
    /// #[kernel]
    /// fn example(a: Array<i32, 2>, out: ArrayMut<i32, 1>) {
    ///     out[0] = a.get((1, 2)) + a[(0, 1)];
    /// }
    ///
    /// let a = DeviceArray::try_from([[1, 2, 3], [4, 5, 6]])?;
    /// let mut out = DeviceArray::<i32>::zeros(1);
    /// example.launch(1, 1, (&a, &mut out))?;
    /// assert_eq!(out.to_vec()?, [8]);
    /// # Ok::<(), Error>(())
    /// ```
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
    ///
    /// # Example
    /// ```
    /// use lazuli::{gpu::*, prelude::*};
    ///
    /// #[kernel]
    /// fn example(a: Array<i32, 2>, out: ArrayMut<i32, 1>) {
    ///     out[0] = a[(1, 2)];
    ///     out[1] = out.get(0) + 1;
    /// }
    ///
    /// let a = DeviceArray::try_from([[1, 2, 3], [4, 5, 6]])?;
    /// let mut out = DeviceArray::<i32>::zeros(2);
    /// example.launch(1, 1, (&a, &mut out))?;
    /// assert_eq!(out.to_vec()?, [6, 7]);
    /// # Ok::<(), Error>(())
    /// ```
    #[inline]
    pub fn get(&self, place: impl Place<N>) -> T {
        // SAFETY: the pointer is to an element of memory that is used through `memory` only.
        unsafe { memory::load(self.pointer(place)) }
    }

    /// Writes the element at a place: `a[place] = value`.
    ///
    /// # Panics
    /// As [`get`](Self::get).
    ///
    /// # Example
    /// ```
    /// use lazuli::{gpu::*, prelude::*};
    ///
    /// #[kernel]
    /// fn example(a: Array<i32, 2>, out: ArrayMut<i32, 1>) {
    ///     out.set(0, a[(1, 2)]);
    ///     out[1] = a[(1, 1)]; // the same
    /// }
    ///
    /// let a = DeviceArray::try_from([[1, 2, 3], [4, 5, 6]])?;
    /// let mut out = DeviceArray::<i32>::zeros(2);
    /// example.launch(1, 1, (&a, &mut out))?;
    /// assert_eq!(out.to_vec()?, [6, 5]);
    /// # Ok::<(), Error>(())
    /// ```
    #[inline]
    pub fn set(&self, place: impl Place<N>, value: T) {
        // SAFETY: as in `get`.
        unsafe { memory::store(self.pointer(place), value) }
    }

    atomic_methods!(P: Place<N>, T);
}
