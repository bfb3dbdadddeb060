//! Selection without branches.

/// `a` where the condition holds, else `b`, both computed.
///
/// An `if` stays a branch until late in the compiler's pipeline, and two on one condition make it
/// duplicate all that lies between them, for both outcomes; this is a blend from the start.
#[inline(always)]
pub(super) fn select<T: Select>(condition: bool, a: T, b: T) -> T {
    T::select(condition, a, b)
}

/// What [`select`] selects between.
pub(super) trait Select {
    /// `a` where the condition holds, else `b`.
    fn select(condition: bool, a: Self, b: Self) -> Self;
}

macro_rules! integers {
    ($($t:ident)+) => {$(
        impl Select for $t {
            #[inline(always)]
            fn select(condition: bool, a: $t, b: $t) -> $t {
                let mask = $t::from(condition).wrapping_neg();
                (a & mask) | (b & !mask)
            }
        }
    )+};
}
integers! { u32 u64 i32 }

macro_rules! floats {
    ($($t:ident)+) => {$(
        impl Select for $t {
            #[inline(always)]
            fn select(condition: bool, a: $t, b: $t) -> $t {
                $t::from_bits(select(condition, a.to_bits(), b.to_bits()))
            }
        }
    )+};
}
floats! { f32 f64 }

impl<A: Select, B: Select> Select for (A, B) {
    #[inline(always)]
    fn select(condition: bool, a: Self, b: Self) -> Self {
        (select(condition, a.0, b.0), select(condition, a.1, b.1))
    }
}
