//! The value of an operation for one element of a vector.

use half::{bf16, f16};
use num_complex::Complex;

/// The value of an operation for one element.
///
/// Most operations give the value itself. One whose vectorised form is right on a part of its
/// domain only gives a [`Partial`], so that a loop can take the fast form for a whole vector and
/// repair the few elements that need it.
pub trait Lane<R>: Sized {
    /// The value, wrong where `is_rare` holds.
    fn fast(self) -> R;
    /// Whether the fast value is wrong.
    fn is_rare(&self) -> bool;
    /// The value, right everywhere.
    fn value(self) -> R;
}

/// A fast value, whether it is wrong, and how to compute the right one.
pub struct Partial<R, F> {
    fast: R,
    rare: bool,
    full: F,
}

/// Makes a [`Partial`].
#[inline(always)]
pub fn partial<R, F: FnOnce() -> R>(fast: R, rare: bool, full: F) -> Partial<R, F> {
    Partial { fast, rare, full }
}

impl<R, F: FnOnce() -> R> Lane<R> for Partial<R, F> {
    #[inline(always)]
    fn fast(self) -> R {
        self.fast
    }
    #[inline(always)]
    fn is_rare(&self) -> bool {
        self.rare
    }
    #[inline(always)]
    fn value(self) -> R {
        if self.rare { (self.full)() } else { self.fast }
    }
}

macro_rules! plain {
    ($($t:ty),*) => {$(
        impl Lane<$t> for $t {
            #[inline(always)]
            fn fast(self) -> $t {
                self
            }
            #[inline(always)]
            fn is_rare(&self) -> bool {
                false
            }
            #[inline(always)]
            fn value(self) -> $t {
                self
            }
        }
    )*};
}
plain!(bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64);
plain!(Complex<f32>, Complex<f64>);
