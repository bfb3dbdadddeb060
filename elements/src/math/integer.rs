//! NumPy's integer arithmetic: overflow wraps, division by zero gives 0, nothing panics.

/// Integer functions, to be called as `IntMath::floor_divide(a, b)`.
pub trait IntMath: Copy {
    /// The quotient, truncated; 0 for a divisor of 0.
    fn divide(a: Self, b: Self) -> Self;
    /// The remainder with the sign of the dividend; 0 for a divisor of 0.
    fn fmod(a: Self, b: Self) -> Self;
    /// The quotient, rounded down; 0 for a divisor of 0.
    fn floor_divide(a: Self, b: Self) -> Self;
    /// The remainder with the sign of the divisor; 0 for a divisor of 0.
    fn remainder(a: Self, b: Self) -> Self;
    /// The quotient that leaves a remainder of at least 0; 0 for a divisor of 0.
    fn div_euclid(a: Self, b: Self) -> Self;
    /// The remainder of at least 0; 0 for a divisor of 0.
    fn rem_euclid(a: Self, b: Self) -> Self;
    /// a^b, wrapping; a negative exponent gives 0, or ±1 for a base of ±1.
    fn power(a: Self, b: Self) -> Self;
    /// The absolute value; the smallest number wraps to itself.
    fn abs(a: Self) -> Self;
    /// -1, 0 or 1.
    fn sign(a: Self) -> Self;
    /// 1 / a: ±1 for ±1, else 0.
    fn reciprocal(a: Self) -> Self;
    /// `a << b`; 0 for a count that is negative or not below the width.
    fn left_shift(a: Self, b: Self) -> Self;
    /// `a >> b`; all sign bits for a count that is negative or not below the width.
    fn right_shift(a: Self, b: Self) -> Self;
    /// The number of ones in |a|.
    fn bitwise_count(a: Self) -> u8;
    /// The greatest common divisor, of the absolute values.
    fn gcd(a: Self, b: Self) -> Self;
    /// The least common multiple of the absolute values, wrapping.
    fn lcm(a: Self, b: Self) -> Self;
}

/// The greatest common divisor by Euclid's algorithm.
macro_rules! euclid {
    ($a:expr, $b:expr) => {{
        let (mut a, mut b) = ($a, $b);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    }};
}

/// a^b for b >= 0 by squaring.
macro_rules! wrapping_power {
    ($t:ident, $a:expr, $b:expr) => {{
        let (mut base, mut left, mut r): ($t, $t, $t) = ($a, $b, 1);
        while left > 0 {
            if left & 1 == 1 {
                r = r.wrapping_mul(base);
            }
            base = base.wrapping_mul(base);
            left >>= 1;
        }
        r
    }};
}

/// The truncated quotient and its remainder, with a divisor of 1 where it is 0 or the quotient would
/// overflow, so that the remainder is 0.
///
/// No processor divides vectors of integers, but the truncated quotient of two floats with more
/// bits than the integers have is right: a quotient below a whole number n is below it by 1/d at
/// least, which is more than half an ulp, so that it does not round to n.
macro_rules! quotient {
    ($t:ident, $via:ident, $a:expr, $b:expr) => {{
        let (a, b): ($t, $t) = ($a, $b);
        let overflows = $t::MIN != 0 && a == $t::MIN && b == (0 as $t).wrapping_sub(1);
        let d = if (b == 0) | overflows { 1 } else { b };
        let q: $t = quotient!(@divide $t, $via, a, d);
        (q, a.wrapping_sub(q.wrapping_mul(d)))
    }};
    (@divide $t:ident, f32, $a:ident, $d:ident) => { quotient!(@float $t, f32, $a, $d) };
    (@divide $t:ident, f64, $a:ident, $d:ident) => { quotient!(@float $t, f64, $a, $d) };
    (@divide $t:ident, $via:ident, $a:ident, $d:ident) => { $a.wrapping_div($d) };
    (@float $t:ident, $via:ident, $a:ident, $d:ident) => {
        // SAFETY: the divisor is not zero and the quotient does not overflow, so that it is a
        // number in the range of the type.
        unsafe { ($via::from($a) / $via::from($d)).to_int_unchecked::<$t>() }
    };
}

/// What signed and unsigned types share.
macro_rules! common {
    ($t:ident, $unsigned:ident, $via:ident) => {
        #[inline(always)]
        fn divide(a: $t, b: $t) -> $t {
            let (q, _) = quotient!($t, $via, a, b);
            if b == 0 { 0 } else { q }
        }

        #[inline(always)]
        fn fmod(a: $t, b: $t) -> $t {
            quotient!($t, $via, a, b).1
        }

        #[inline(always)]
        fn left_shift(a: $t, b: $t) -> $t {
            // A negative count is a large one without its sign.
            let r = a.wrapping_shl(b as u32);
            if (b as $unsigned) < $t::BITS as $unsigned { r } else { 0 }
        }

        #[inline(always)]
        fn right_shift(a: $t, b: $t) -> $t {
            let r = a.wrapping_shr(b as u32);
            let gone = a.wrapping_shr($t::BITS - 1);
            let gone = if $t::MIN == 0 { 0 } else { gone };
            if (b as $unsigned) < $t::BITS as $unsigned { r } else { gone }
        }

        #[inline]
        fn lcm(a: $t, b: $t) -> $t {
            // Unsigned, because an absolute value may not fit the signed type.
            let d = Self::gcd(a, b) as $unsigned;
            let (a, b) =
                (<$t as IntMath>::abs(a) as $unsigned, <$t as IntMath>::abs(b) as $unsigned);
            IntMath::divide(a, d).wrapping_mul(b) as $t
        }
    };
}

macro_rules! signed {
    ($($t:ident $unsigned:ident $via:ident,)+) => {$(
        impl IntMath for $t {
            common!($t, $unsigned, $via);

            #[inline(always)]
            fn floor_divide(a: $t, b: $t) -> $t {
                let (q, r) = quotient!($t, $via, a, b);
                let down = r != 0 && (r < 0) != (b < 0);
                if b == 0 { 0 } else { q - $t::from(down) }
            }

            #[inline(always)]
            fn remainder(a: $t, b: $t) -> $t {
                let (_, r) = quotient!($t, $via, a, b);
                if r != 0 && (r < 0) != (b < 0) { r + b } else { r }
            }

            #[inline(always)]
            fn div_euclid(a: $t, b: $t) -> $t {
                let (q, r) = quotient!($t, $via, a, b);
                let step = if b > 0 { -1 } else { 1 };
                let step = if r < 0 { step } else { 0 };
                if b == 0 { 0 } else { q + step }
            }

            #[inline(always)]
            fn rem_euclid(a: $t, b: $t) -> $t {
                let (_, r) = quotient!($t, $via, a, b);
                if r < 0 { r.wrapping_add(b.wrapping_abs()) } else { r }
            }

            #[inline]
            fn power(a: $t, b: $t) -> $t {
                match (a, b) {
                    (_, 0..) => wrapping_power!($t, a, b),
                    (1, _) => 1,
                    (-1, _) => if b & 1 == 0 { 1 } else { -1 },
                    _ => 0,
                }
            }

            #[inline(always)]
            fn abs(a: $t) -> $t {
                a.wrapping_abs()
            }

            #[inline(always)]
            fn sign(a: $t) -> $t {
                a.signum()
            }

            #[inline(always)]
            fn reciprocal(a: $t) -> $t {
                if a == 1 || a == -1 { a } else { 0 }
            }

            #[inline(always)]
            fn bitwise_count(a: $t) -> u8 {
                a.unsigned_abs().count_ones() as u8
            }

            #[inline]
            fn gcd(a: $t, b: $t) -> $t {
                euclid!(a.unsigned_abs(), b.unsigned_abs()) as $t
            }
        }
    )+};
}

macro_rules! unsigned {
    ($($t:ident $via:ident,)+) => {$(
        impl IntMath for $t {
            common!($t, $t, $via);

            #[inline(always)]
            fn floor_divide(a: $t, b: $t) -> $t {
                Self::divide(a, b)
            }

            #[inline(always)]
            fn remainder(a: $t, b: $t) -> $t {
                Self::fmod(a, b)
            }

            #[inline(always)]
            fn div_euclid(a: $t, b: $t) -> $t {
                Self::divide(a, b)
            }

            #[inline(always)]
            fn rem_euclid(a: $t, b: $t) -> $t {
                Self::fmod(a, b)
            }

            #[inline]
            fn power(a: $t, b: $t) -> $t {
                wrapping_power!($t, a, b)
            }

            #[inline(always)]
            fn abs(a: $t) -> $t {
                a
            }

            #[inline(always)]
            fn sign(a: $t) -> $t {
                if a == 0 { 0 } else { 1 }
            }

            #[inline(always)]
            fn reciprocal(a: $t) -> $t {
                if a == 1 { 1 } else { 0 }
            }

            #[inline(always)]
            fn bitwise_count(a: $t) -> u8 {
                a.count_ones() as u8
            }

            #[inline]
            fn gcd(a: $t, b: $t) -> $t {
                euclid!(a, b)
            }
        }
    )+};
}

signed! { i8 u8 f32, i16 u16 f32, i32 u32 f64, i64 u64 i64, }
unsigned! { u8 f32, u16 f32, u32 f64, u64 u64, }
