//! Memory that the threads of a block share.

use super::memory::{self, Atomic, AtomicBits, atomic_methods};
use super::place::{Place, offset};
use super::stops::Fault;
use crate::dtype::{DType, Element};
use std::cell::{Cell, OnceCell, RefCell};
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;

/// The most static shared memory of a block: what every GPU has.
pub(super) const MOST_STATIC: usize = 48 << 10;
/// The most shared memory of a block on the processor: what the largest GPUs have.
pub(super) const MOST_SHARED: usize = 227 << 10;

/// What [`shared`] makes: arrays of constant lengths with up to three axes. A slice, `[T]`, is
/// what [`dynamic_shared`] makes.
///
/// Sealed: `[T; A]`, `[[T; B]; A]`, `[[[T; C]; B]; A]` and `[T]`.
pub trait SharedArray: private::Sealed {
    /// The element type.
    type Element: Element;
    /// The lengths of the axes.
    #[doc(hidden)]
    type Shape: Copy + AsRef<[usize]>;
}

/// A [`SharedArray`] whose lengths are constants.
pub trait FixedArray: SharedArray {
    /// The lengths.
    #[doc(hidden)]
    const SHAPE: Self::Shape;
}

/// A place in a [`Shared`] array: an integer for one axis, a pair or a triple for several.
///
/// Sealed: `get` and `set` rely on the number of an element being below that of all.
pub trait PlaceIn<A: SharedArray + ?Sized>: Copy + private::Offset<A> {}

mod private {
    pub trait Sealed {}
    pub trait Offset<A: super::SharedArray + ?Sized> {
        /// The number of the element in C order, which is in the array.
        fn offset(self, shape: &A::Shape) -> usize;
    }
}

macro_rules! shared_arrays {
    ($($n:literal: [$($length:ident),*] $array:ty;)*) => {$(
        impl<T: Element, $(const $length: usize),*> private::Sealed for $array {}
        impl<T: Element, $(const $length: usize),*> SharedArray for $array {
            type Element = T;
            type Shape = [usize; $n];
        }
        impl<T: Element, P: Place<$n>, $(const $length: usize),*> PlaceIn<$array> for P {}
        impl<T: Element, P: Place<$n>, $(const $length: usize),*> private::Offset<$array> for P {
            #[inline]
            fn offset(self, shape: &[usize; $n]) -> usize {
                offset(self, shape, "shared")
            }
        }
    )*};
}
shared_arrays! {
    1: [] [T];
    1: [A] [T; A];
    2: [A, B] [[T; B]; A];
    3: [A, B, C] [[[T; C]; B]; A];
}

impl<T: Element, const A: usize> FixedArray for [T; A] {
    const SHAPE: [usize; 1] = [A];
}
impl<T: Element, const A: usize, const B: usize> FixedArray for [[T; B]; A] {
    const SHAPE: [usize; 2] = [A, B];
}
impl<T: Element, const A: usize, const B: usize, const C: usize> FixedArray for [[[T; C]; B]; A] {
    const SHAPE: [usize; 3] = [A, B, C];
}

/// An array in the shared memory of a block: all its threads see the one array.
///
/// In a kernel its elements are read as `tile[(i, j)]` and written as `tile[(i, j)] = v`, which
/// stand for [`get`](Self::get) and [`set`](Self::set). What one thread writes, others may read
/// after the next [`sync_threads`](super::sync_threads). It begins undefined: on the processor
/// with NaN, all ones in integers, and `false`.
///
/// **Lifetime.** It lives as long as the launch: what is kept beyond it does not compile.
///
/// **Bounds.** As for [`Array`](super::Array).
pub struct Shared<'k, A: SharedArray + ?Sized> {
    data: *mut A::Element,
    shape: A::Shape,
    life: PhantomData<&'k ()>,
}

impl<A: SharedArray + ?Sized> Clone for Shared<'_, A> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<A: SharedArray + ?Sized> Copy for Shared<'_, A> {}

impl<A: SharedArray + ?Sized> fmt::Debug for Shared<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Shared<{}>{:?}", A::Element::DTYPE, self.shape.as_ref())
    }
}

impl<A: SharedArray + ?Sized> Shared<'_, A> {
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
    /// fn example(out: ArrayMut<u64, 1>) {
    ///     let tile = shared::<[[i32; 3]; 2]>();
    ///     out[thread_idx().x] = tile.shape(thread_idx().x) as u64;
    /// }
    ///
    /// let mut out = DeviceArray::<u64>::zeros(2);
    /// example.launch(1, 2, (&mut out,))?;
    /// assert_eq!(out.to_vec()?, [2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    #[inline]
    pub fn shape(&self, axis: usize) -> usize {
        self.shape.as_ref()[axis]
    }

    /// The number of elements.
    ///
    /// # Example
    /// ```
    /// use lazuli::{gpu::*, prelude::*};
    ///
    /// #[kernel]
    /// fn example(out: ArrayMut<u64, 1>) {
    ///     let tile = shared::<[[i32; 3]; 2]>();
    ///     out[0] = tile.len() as u64;
    /// }
    ///
    /// let mut out = DeviceArray::<u64>::zeros(1);
    /// example.launch(1, 1, (&mut out,))?;
    /// assert_eq!(out.to_vec()?, [6]);
    /// # Ok::<(), Error>(())
    /// ```
    #[inline]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.shape.as_ref().iter().product()
    }

    #[inline]
    fn pointer(&self, place: impl PlaceIn<A>) -> *mut A::Element {
        let offset = place.offset(&self.shape);
        // SAFETY: the offset is inside the array.
        unsafe { self.data.add(offset) }
    }

    /// The element at a place: `tile[place]`.
    ///
    /// # Panics
    /// Where the place is out of range, which ends the kernel with an error.
    ///
    /// # Example
    /// ```
    /// use lazuli::{gpu::*, prelude::*};
    ///
    /// #[kernel]
    /// fn example(out: ArrayMut<i32, 1>) {
    ///     let tile = shared::<[[i32; 3]; 2]>();
    ///     tile[(1, 2)] = 7;
    ///     out[0] = tile.get((1, 2));
    /// }
    ///
    /// let mut out = DeviceArray::<i32>::zeros(1);
    /// example.launch(1, 1, (&mut out,))?;
    /// assert_eq!(out.to_vec()?, [7]);
    /// # Ok::<(), Error>(())
    /// ```
    #[inline]
    pub fn get(&self, place: impl PlaceIn<A>) -> A::Element {
        // SAFETY: `life` is that of a borrow of the arena, which holds the memory. The arena is one
        // thread's of the processor, on which the block's threads take turns, and neither it nor
        // this leaves that thread (`not_shared_between_cores`). Arrays begin at multiples of 16
        // bytes.
        unsafe { memory::load(self.pointer(place)) }
    }

    /// Writes the element at a place: `tile[place] = value`.
    ///
    /// # Panics
    /// As [`get`](Self::get).
    ///
    /// # Example
    /// ```
    /// use lazuli::{gpu::*, prelude::*};
    ///
    /// #[kernel]
    /// fn example(out: ArrayMut<i32, 1>) {
    ///     let tile = shared::<[[i32; 3]; 2]>();
    ///     tile.set((1, 2), 7);
    ///     out[0] = tile[(1, 2)];
    /// }
    ///
    /// let mut out = DeviceArray::<i32>::zeros(1);
    /// example.launch(1, 1, (&mut out,))?;
    /// assert_eq!(out.to_vec()?, [7]);
    /// # Ok::<(), Error>(())
    /// ```
    #[inline]
    pub fn set(&self, place: impl PlaceIn<A>, value: A::Element) {
        // SAFETY: as in `get`.
        unsafe { memory::store(self.pointer(place), value) }
    }

    atomic_methods!(P: PlaceIn<A>, A::Element);
}

/// An array in the block's shared memory, of constant lengths: `shared::<[f32; 256]>()`,
/// `shared::<[[f32; 32]; 32]>()`.
///
/// Each place in the source that calls this is one array of the block: all threads, and every
/// turn of a loop, get the same.
///
/// CUDA's `__shared__`, Numba's `cuda.shared.array`.
///
/// It is called in the body of a [`kernel`](macro@crate::kernel), which makes of it a call that
/// knows the block. A block that would have more than 48 KiB ends the launch with an error.
///
/// # Panics
/// Outside of a kernel's body.
///
/// # Example
/// ```
/// use lazuli::{gpu::*, prelude::*};
///
/// #[kernel]
/// fn reversed(out: ArrayMut<u32, 1>) {
///     let tile = shared::<[u32; 4]>();
///     let t = thread_idx().x;
///     tile[t] = t as u32;
///     sync_threads();
///     out[t] = tile[3 - t];
/// }
///
/// let mut out = DeviceArray::<u32>::zeros(4);
/// reversed.launch(1, 4, (&mut out,))?;
/// assert_eq!(out.to_vec()?, [3, 2, 1, 0]);
/// # Ok::<(), Error>(())
/// ```
#[inline]
pub fn shared<A: FixedArray>() -> Shared<'static, A> {
    outside("shared")
}

/// The dynamic shared memory of the block, whose size the launch gives, as elements of one type.
///
/// All calls give the same memory.
///
/// CUDA's `extern __shared__`, Numba's `cuda.shared.array(0, …)`.
///
/// # Panics
/// Outside of a kernel's body.
///
/// # Example
/// ```
/// use lazuli::{gpu::*, prelude::*};
///
/// #[kernel]
/// fn reversed(out: ArrayMut<u32, 1>) {
///     let tile = dynamic_shared::<u32>();
///     let t = thread_idx().x;
///     tile[t] = t as u32;
///     sync_threads();
///     out[t] = tile[tile.len() - 1 - t];
/// }
///
/// let mut out = DeviceArray::<u32>::zeros(4);
/// reversed.dynamic_shared(16).launch(1, 4, (&mut out,))?; // 16 bytes for each block
/// assert_eq!(out.to_vec()?, [3, 2, 1, 0]);
/// # Ok::<(), Error>(())
/// ```
#[inline]
pub fn dynamic_shared<T: Element>() -> Shared<'static, [T]> {
    outside("dynamic_shared")
}

#[cold]
fn outside(function: &str) -> ! {
    panic!("`{function}` was called outside of a kernel's body, where no block shares memory")
}

/// The block that runs, as a kernel's body gets it: what borrows the block's memory lives no longer
/// than the launch.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Block<'k> {
    arena: &'k Arena,
}

impl<'k> Block<'k> {
    /// What [`shared`] stands for.
    #[track_caller]
    #[inline]
    pub fn shared<A: FixedArray>(self) -> Shared<'k, A> {
        let bytes = A::SHAPE.as_ref().iter().product::<usize>() * size_of::<A::Element>();
        let data = self.arena.place(bytes, A::Element::DTYPE, Location::caller());
        Shared { data: data.cast(), shape: A::SHAPE, life: PhantomData }
    }

    /// What [`dynamic_shared`] stands for.
    #[inline]
    pub fn dynamic_shared<T: Element>(self) -> Shared<'k, [T]> {
        let shape = [self.arena.dynamic / size_of::<T>()];
        Shared { data: self.arena.memory().cast(), shape, life: PhantomData }
    }
}

/// The shared memory of the block that runs: the dynamic part, then what [`shared`] asks for.
#[doc(hidden)]
pub struct Arena {
    /// Whole 16-byte units; made when it is first used.
    memory: OnceCell<Box<[Cell<u128>]>>,
    dynamic: usize,
    made: RefCell<Vec<Made>>,
    not_shared_between_cores: PhantomData<*mut ()>,
}

/// A static array of the block.
struct Made {
    site: &'static Location<'static>,
    bytes: usize,
    dtype: DType,
    offset: usize,
}

impl Arena {
    pub(super) fn new(dynamic: usize) -> Self {
        Arena {
            memory: OnceCell::new(),
            dynamic,
            made: RefCell::default(),
            not_shared_between_cores: PhantomData,
        }
    }

    pub(super) fn block(&self) -> Block<'_> {
        Block { arena: self }
    }

    pub(super) fn begin_block(&self) {
        self.made.borrow_mut().clear();
        if self.dynamic > 0 {
            self.fill(0, self.dynamic, 0xff);
        }
    }

    fn memory(&self) -> *mut u8 {
        let units = (MOST_SHARED + MOST_STATIC) / 16;
        let memory = self.memory.get_or_init(|| vec![Cell::new(0); units].into());
        memory.as_ptr().cast_mut().cast()
    }

    fn fill(&self, offset: usize, bytes: usize, byte: u8) {
        // SAFETY: callers name a part of the memory, which only this thread uses.
        unsafe { self.memory().add(offset).write_bytes(byte, bytes) }
    }

    fn place(&self, bytes: usize, dtype: DType, site: &'static Location<'static>) -> *mut u8 {
        let mut made = self.made.borrow_mut();
        let same = |m: &&Made| m.bytes == bytes && m.dtype == dtype && m.site == site;
        let offset = match made.iter().find(same) {
            Some(array) => array.offset,
            None => {
                let begin = self.dynamic.next_multiple_of(16);
                let offset = made.last().map_or(begin, |m| m.offset + m.bytes.next_multiple_of(16));
                let total = offset - begin + bytes;
                if total > MOST_STATIC {
                    Fault::raise(format!(
                        "{total} bytes of shared arrays, and a block has at most {MOST_STATIC}"
                    ));
                }
                self.fill(offset, bytes, if dtype == DType::Bool { 0 } else { 0xff });
                made.push(Made { site, bytes, dtype, offset });
                offset
            }
        };
        // SAFETY: the array is inside the memory.
        unsafe { self.memory().add(offset) }
    }
}
