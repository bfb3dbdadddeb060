//! Elements in memory that many threads share.
//!
//! A kernel's threads may write one element at the same time: on a GPU the last one wins. Here
//! every access is an atomic one of the weakest kind, which costs what a plain one does, so that
//! a race is never more than a surprise.

use crate::dtype::{DType, Element, bf16, f16};
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

/// The bytes of a value, zeros behind them.
#[inline]
pub(super) fn to_bits<T: Element>(value: T) -> [u64; 2] {
    let mut bits = [0u64; 2];
    // SAFETY: elements are plain data of at most 16 bytes without padding.
    unsafe { bits.as_mut_ptr().cast::<T>().write(value) };
    bits
}

/// The value with these bytes.
#[inline]
pub(super) fn from_bits<T: Element>(mut bits: [u64; 2]) -> T {
    if matches!(T::DTYPE, DType::Bool) {
        bits[0] = u64::from(bits[0] as u8 != 0);
    }
    // SAFETY: every pattern of bits is a value of an element type, `bool` aside, which was made
    // one; sixteen bytes, aligned as 64-bit numbers, hold every element.
    unsafe { bits.as_ptr().cast::<T>().read() }
}

/// Reads an element.
///
/// # Safety
/// The pointer is aligned for elements of its size (to 8 for larger ones) and stays valid, and
/// whoever else uses the element meanwhile does so through this module.
#[inline]
pub(super) unsafe fn load<T: Element>(from: *const T) -> T {
    // SAFETY: as the caller says.
    let bits = unsafe {
        match size_of::<T>() {
            1 => [u64::from((*from.cast::<AtomicU8>()).load(Relaxed)), 0],
            2 => [u64::from((*from.cast::<AtomicU16>()).load(Relaxed)), 0],
            4 => [u64::from((*from.cast::<AtomicU32>()).load(Relaxed)), 0],
            8 => [(*from.cast::<AtomicU64>()).load(Relaxed), 0],
            _ => {
                let words = &*from.cast::<[AtomicU64; 2]>();
                [words[0].load(Relaxed), words[1].load(Relaxed)]
            }
        }
    };
    from_bits(bits)
}

/// Writes an element.
///
/// # Safety
/// As [`load`].
#[inline]
pub(super) unsafe fn store<T: Element>(to: *mut T, value: T) {
    let bits = to_bits(value);
    // SAFETY: as the caller says.
    unsafe {
        match size_of::<T>() {
            1 => (*to.cast::<AtomicU8>()).store(bits[0] as u8, Relaxed),
            2 => (*to.cast::<AtomicU16>()).store(bits[0] as u16, Relaxed),
            4 => (*to.cast::<AtomicU32>()).store(bits[0] as u32, Relaxed),
            8 => (*to.cast::<AtomicU64>()).store(bits[0], Relaxed),
            _ => {
                let words = &*to.cast::<[AtomicU64; 2]>();
                words[0].store(bits[0], Relaxed);
                words[1].store(bits[1], Relaxed);
            }
        }
    }
}

/// Replaces an element by what `change` makes of it, in one step; gives what was there.
///
/// # Safety
/// As [`load`]; the type has 2, 4 or 8 bytes.
#[inline]
pub(super) unsafe fn update<T: Element>(at: *mut T, change: impl Fn(T) -> T) -> T {
    macro_rules! through {
        ($atomic:ty, $word:ty) => {{
            // SAFETY: as the caller says.
            let word = unsafe { &*at.cast::<$atomic>() };
            let step = |old: $word| Some(to_bits(change(from_bits([old as u64, 0])))[0] as $word);
            let old = word.fetch_update(Relaxed, Relaxed, step);
            from_bits([old.unwrap_or_else(|old| old) as u64, 0])
        }};
    }
    match size_of::<T>() {
        2 => through!(AtomicU16, u16),
        4 => through!(AtomicU32, u32),
        _ => through!(AtomicU64, u64),
    }
}

/// Element types with atomic operations: 32- and 64-bit integers, and floating-point numbers.
///
/// Sealed, as [`Element`] is.
pub trait Atomic: Element {
    #[doc(hidden)]
    fn plus(self, other: Self) -> Self;
    #[doc(hidden)]
    fn minus(self, other: Self) -> Self;
    #[doc(hidden)]
    fn least(self, other: Self) -> Self;
    #[doc(hidden)]
    fn greatest(self, other: Self) -> Self;
    #[doc(hidden)]
    fn is_same(self, other: Self) -> bool {
        to_bits(self) == to_bits(other)
    }
}

/// Element types with atomic operations on their bits: 32- and 64-bit integers.
pub trait AtomicBits: Atomic {
    #[doc(hidden)]
    fn and(self, other: Self) -> Self;
    #[doc(hidden)]
    fn or(self, other: Self) -> Self;
    #[doc(hidden)]
    fn xor(self, other: Self) -> Self;
}

macro_rules! atomic_integers {
    ($($t:ty),*) => {$(
        impl Atomic for $t {
            #[inline]
            fn plus(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline]
            fn minus(self, other: Self) -> Self { self.wrapping_sub(other) }
            #[inline]
            fn least(self, other: Self) -> Self { Ord::min(self, other) }
            #[inline]
            fn greatest(self, other: Self) -> Self { Ord::max(self, other) }
        }
        impl AtomicBits for $t {
            #[inline]
            fn and(self, other: Self) -> Self { self & other }
            #[inline]
            fn or(self, other: Self) -> Self { self | other }
            #[inline]
            fn xor(self, other: Self) -> Self { self ^ other }
        }
    )*};
}
atomic_integers!(i32, u32, i64, u64);

macro_rules! atomic_floats {
    ($($t:ty: $to:expr, $from:expr;)*) => {$(
        impl Atomic for $t {
            #[inline]
            fn plus(self, other: Self) -> Self { $from($to(self) + $to(other)) }
            #[inline]
            fn minus(self, other: Self) -> Self { $from($to(self) - $to(other)) }
            #[inline]
            fn least(self, other: Self) -> Self { $from($to(self).min($to(other))) }
            #[inline]
            fn greatest(self, other: Self) -> Self { $from($to(self).max($to(other))) }
        }
    )*};
}
atomic_floats! {
    f32: |v: f32| v, |v: f32| v;
    f64: |v: f64| v, |v: f64| v;
    f16: f16::to_f32, f16::from_f32;
    bf16: bf16::to_f32, bf16::from_f32;
}

/// Defines the atomic methods of what has `fn pointer(&self, place) -> *mut T`.
macro_rules! atomic_methods {
    ($place:ident: $bound:path, $t:ty) => {
        /// Adds `value` to the element and gives what was there before.
        ///
        /// # Panics
        /// As [`get`](Self::get).
        ///
        /// # Example
        /// ```
        /// use lazuli::{gpu::*, prelude::*};
        ///
        /// #[kernel]
        /// fn combined(out: ArrayMut<i32, 1>) {
        ///     out.atomic_add(0, thread_idx().x as i32);
        /// }
        ///
        /// let mut out = DeviceArray::from_slice(&[100i32])?;
        /// combined.launch(1, 5, (&mut out,))?;
        /// assert_eq!(out.to_vec()?, [110]);
        /// # Ok::<(), Error>(())
        /// ```
        #[inline]
        pub fn atomic_add<$place: $bound>(&self, place: $place, value: $t) -> $t
        where
            $t: Atomic,
        {
            // SAFETY: `pointer` gives an element of memory that is used through `memory` only.
            unsafe { memory::update(self.pointer(place), |old| old.plus(value)) }
        }

        /// Subtracts `value` from the element and gives what was there before.
        ///
        /// # Panics
        /// As [`get`](Self::get).
        ///
        /// # Example
        /// ```
        /// use lazuli::{gpu::*, prelude::*};
        ///
        /// #[kernel]
        /// fn combined(out: ArrayMut<i32, 1>) {
        ///     out.atomic_sub(0, thread_idx().x as i32);
        /// }
        ///
        /// let mut out = DeviceArray::from_slice(&[100i32])?;
        /// combined.launch(1, 5, (&mut out,))?;
        /// assert_eq!(out.to_vec()?, [90]);
        /// # Ok::<(), Error>(())
        /// ```
        #[inline]
        pub fn atomic_sub<$place: $bound>(&self, place: $place, value: $t) -> $t
        where
            $t: Atomic,
        {
            // SAFETY: as in `atomic_add`.
            unsafe { memory::update(self.pointer(place), |old| old.minus(value)) }
        }

        /// Puts the smaller of the element and `value` in its place and gives what was there
        /// before. NaN is passed over.
        ///
        /// # Panics
        /// As [`get`](Self::get).
        ///
        /// # Example
        /// ```
        /// use lazuli::{gpu::*, prelude::*};
        ///
        /// #[kernel]
        /// fn combined(out: ArrayMut<i32, 1>) {
        ///     out.atomic_min(0, thread_idx().x as i32 - 2);
        /// }
        ///
        /// let mut out = DeviceArray::from_slice(&[100i32])?;
        /// combined.launch(1, 5, (&mut out,))?;
        /// assert_eq!(out.to_vec()?, [-2]);
        /// # Ok::<(), Error>(())
        /// ```
        #[inline]
        pub fn atomic_min<$place: $bound>(&self, place: $place, value: $t) -> $t
        where
            $t: Atomic,
        {
            // SAFETY: as in `atomic_add`.
            unsafe { memory::update(self.pointer(place), |old| old.least(value)) }
        }

        /// Puts the greater of the element and `value` in its place and gives what was there
        /// before. NaN is passed over.
        ///
        /// # Panics
        /// As [`get`](Self::get).
        ///
        /// # Example
        /// ```
        /// use lazuli::{gpu::*, prelude::*};
        ///
        /// #[kernel]
        /// fn combined(out: ArrayMut<i32, 1>) {
        ///     out.atomic_max(0, thread_idx().x as i32);
        /// }
        ///
        /// let mut out = DeviceArray::from_slice(&[1i32])?;
        /// combined.launch(1, 5, (&mut out,))?;
        /// assert_eq!(out.to_vec()?, [4]);
        /// # Ok::<(), Error>(())
        /// ```
        #[inline]
        pub fn atomic_max<$place: $bound>(&self, place: $place, value: $t) -> $t
        where
            $t: Atomic,
        {
            // SAFETY: as in `atomic_add`.
            unsafe { memory::update(self.pointer(place), |old| old.greatest(value)) }
        }

        /// Puts `value` in the element's place and gives what was there before.
        ///
        /// # Panics
        /// As [`get`](Self::get).
        ///
        /// # Example
        /// ```
        /// use lazuli::{gpu::*, prelude::*};
        ///
        /// #[kernel]
        /// fn swapped(out: ArrayMut<i32, 1>) {
        ///     out[1] = out.atomic_exchange(0, 7);
        /// }
        ///
        /// let mut out = DeviceArray::from_slice(&[3, 0])?;
        /// swapped.launch(1, 1, (&mut out,))?;
        /// assert_eq!(out.to_vec()?, [7, 3]);
        /// # Ok::<(), Error>(())
        /// ```
        #[inline]
        pub fn atomic_exchange<$place: $bound>(&self, place: $place, value: $t) -> $t
        where
            $t: Atomic,
        {
            // SAFETY: as in `atomic_add`.
            unsafe { memory::update(self.pointer(place), |_| value) }
        }

        /// Puts `value` in the element's place where the element has the bits of `expected`, and
        /// gives what was there before.
        ///
        /// # Panics
        /// As [`get`](Self::get).
        ///
        /// # Example
        /// ```
        /// use lazuli::{gpu::*, prelude::*};
        ///
        /// #[kernel]
        /// fn swapped(out: ArrayMut<i32, 1>) {
        ///     out[1] = out.atomic_compare_exchange(0, 3, 7); // is it 3?
        ///     out[2] = out.atomic_compare_exchange(0, 3, 9); // no longer
        /// }
        ///
        /// let mut out = DeviceArray::from_slice(&[3, 0, 0])?;
        /// swapped.launch(1, 1, (&mut out,))?;
        /// assert_eq!(out.to_vec()?, [7, 3, 7]);
        /// # Ok::<(), Error>(())
        /// ```
        #[inline]
        pub fn atomic_compare_exchange<$place: $bound>(
            &self,
            place: $place,
            expected: $t,
            value: $t,
        ) -> $t
        where
            $t: Atomic,
        {
            let step = |old: $t| if old.is_same(expected) { value } else { old };
            // SAFETY: as in `atomic_add`.
            unsafe { memory::update(self.pointer(place), step) }
        }

        /// Combines the element with `value` by `&` and gives what was there before.
        ///
        /// # Panics
        /// As [`get`](Self::get).
        ///
        /// # Example
        /// ```
        /// use lazuli::{gpu::*, prelude::*};
        ///
        /// #[kernel]
        /// fn combined(out: ArrayMut<u32, 1>) {
        ///     out.atomic_and(0, !(1 << thread_idx().x));
        /// }
        ///
        /// let mut out = DeviceArray::from_slice(&[255u32])?;
        /// combined.launch(1, 4, (&mut out,))?;
        /// assert_eq!(out.to_vec()?, [240]);
        /// # Ok::<(), Error>(())
        /// ```
        #[inline]
        pub fn atomic_and<$place: $bound>(&self, place: $place, value: $t) -> $t
        where
            $t: AtomicBits,
        {
            // SAFETY: as in `atomic_add`.
            unsafe { memory::update(self.pointer(place), |old| old.and(value)) }
        }

        /// Combines the element with `value` by `|` and gives what was there before.
        ///
        /// # Panics
        /// As [`get`](Self::get).
        ///
        /// # Example
        /// ```
        /// use lazuli::{gpu::*, prelude::*};
        ///
        /// #[kernel]
        /// fn combined(out: ArrayMut<u32, 1>) {
        ///     out.atomic_or(0, 1 << thread_idx().x);
        /// }
        ///
        /// let mut out = DeviceArray::from_slice(&[0u32])?;
        /// combined.launch(1, 4, (&mut out,))?;
        /// assert_eq!(out.to_vec()?, [15]);
        /// # Ok::<(), Error>(())
        /// ```
        #[inline]
        pub fn atomic_or<$place: $bound>(&self, place: $place, value: $t) -> $t
        where
            $t: AtomicBits,
        {
            // SAFETY: as in `atomic_add`.
            unsafe { memory::update(self.pointer(place), |old| old.or(value)) }
        }

        /// Combines the element with `value` by `^` and gives what was there before.
        ///
        /// # Panics
        /// As [`get`](Self::get).
        ///
        /// # Example
        /// ```
        /// use lazuli::{gpu::*, prelude::*};
        ///
        /// #[kernel]
        /// fn combined(out: ArrayMut<u32, 1>) {
        ///     out.atomic_xor(0, 1 << thread_idx().x);
        /// }
        ///
        /// let mut out = DeviceArray::from_slice(&[9u32])?;
        /// combined.launch(1, 4, (&mut out,))?;
        /// assert_eq!(out.to_vec()?, [6]);
        /// # Ok::<(), Error>(())
        /// ```
        #[inline]
        pub fn atomic_xor<$place: $bound>(&self, place: $place, value: $t) -> $t
        where
            $t: AtomicBits,
        {
            // SAFETY: as in `atomic_add`.
            unsafe { memory::update(self.pointer(place), |old| old.xor(value)) }
        }
    };
}
pub(super) use atomic_methods;
