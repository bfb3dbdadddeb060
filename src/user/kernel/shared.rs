//! Memory that the threads of a block share.

use super::engine::Fault;
use super::memory::{self, Atomic, AtomicBits, atomic_methods};
use super::place::{Place, offset};
use super::thread::CONTEXT;
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
pub trait PlaceIn<A: SharedArray + ?Sized>: Copy {
    /// The number of the element in C order.
    #[doc(hidden)]
    fn offset(self, shape: &A::Shape) -> usize;
}

mod private {
    pub trait Sealed {}
}

macro_rules! shared_arrays {
    ($($n:literal: [$($length:ident),*] $array:ty;)*) => {$(
        impl<T: Element, $(const $length: usize),*> private::Sealed for $array {}
        impl<T: Element, $(const $length: usize),*> SharedArray for $array {
            type Element = T;
            type Shape = [usize; $n];
        }
        impl<T: Element, P: Place<$n>, $(const $length: usize),*> PlaceIn<$array> for P {
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
/// **Bounds.** As for [`Array`](super::Array).
pub struct Shared<A: SharedArray + ?Sized> {
    data: *mut A::Element,
    shape: A::Shape,
}

impl<A: SharedArray + ?Sized> Clone for Shared<A> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<A: SharedArray + ?Sized> Copy for Shared<A> {}

impl<A: SharedArray + ?Sized> fmt::Debug for Shared<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Shared<{}>{:?}", A::Element::DTYPE, self.shape.as_ref())
    }
}

impl<A: SharedArray + ?Sized> Shared<A> {
    /// The length of axis `axis`.
    ///
    /// # Panics
    /// Where there is no such axis.
    #[inline]
    pub fn shape(&self, axis: usize) -> usize {
        self.shape.as_ref()[axis]
    }

    /// The number of elements.
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
    #[inline]
    pub fn get(&self, place: impl PlaceIn<A>) -> A::Element {
        // SAFETY: the memory is that of a block, whose threads take turns on one thread of the
        // processor; blocks of memory are not given back before the kernel ends.
        unsafe { memory::load(self.pointer(place)) }
    }

    /// Writes the element at a place: `tile[place] = value`.
    ///
    /// # Panics
    /// As [`get`](Self::get).
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
/// # Panics
/// Outside a kernel, and where a block would have more than 48 KiB; in a kernel this ends the
/// launch with an error.
#[track_caller]
#[inline]
pub fn shared<A: FixedArray>() -> Shared<A> {
    let count = A::SHAPE.as_ref().iter().product::<usize>();
    let data = place_of(count * size_of::<A::Element>(), A::Element::DTYPE, Location::caller());
    Shared { data: data.cast(), shape: A::SHAPE }
}

/// The dynamic shared memory of the block, whose size the launch gives, as elements of one type.
///
/// All calls give the same memory.
///
/// CUDA's `extern __shared__`, Numba's `cuda.shared.array(0, …)`.
///
/// # Panics
/// Outside a kernel.
#[inline]
pub fn dynamic_shared<T: Element>() -> Shared<[T]> {
    let arena = arena();
    // SAFETY: the launch that made the arena is still running.
    let (data, bytes) = unsafe { ((*arena).memory(), (*arena).dynamic) };
    Shared { data: data.cast(), shape: [bytes / size_of::<T>()] }
}

fn arena() -> *const Arena {
    let arena = CONTEXT.with(|c| c.shared.get());
    assert!(!arena.is_null(), "there is no shared memory outside a kernel");
    arena
}

fn place_of(bytes: usize, dtype: DType, site: &'static Location<'static>) -> *mut u8 {
    // SAFETY: the launch that made the arena is still running.
    unsafe { &*arena() }.place(bytes, dtype, site)
}

/// The shared memory of the block that runs: the dynamic part, then what [`shared`] asks for.
pub(super) struct Arena {
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
