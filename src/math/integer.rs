//! NumPy's integer arithmetic: overflow wraps, division by zero gives 0, nothing panics.

/// Integer functions, to be called as `IntMath::floor_divide(a, b)`.
pub(crate) trait IntMath: Copy {
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

/// What signed and unsigned types share.
macro_rules! common {
    ($t:ident, $unsigned:ident) => {
        #[inline(always)]
        fn divide(a: $t, b: $t) -> $t {
            let q = a.wrapping_div(if b == 0 { 1 } else { b });
            if b == 0 { 0 } else { q }
        }

        #[inline(always)]
        fn fmod(a: $t, b: $t) -> $t {
            a.wrapping_rem(if b == 0 { 1 } else { b })
        }

        #[inline(always)]
        fn div_euclid(a: $t, b: $t) -> $t {
            let q = a.wrapping_div_euclid(if b == 0 { 1 } else { b });
            if b == 0 { 0 } else { q }
        }

        #[inline(always)]
        fn rem_euclid(a: $t, b: $t) -> $t {
            a.wrapping_rem_euclid(if b == 0 { 1 } else { b })
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
    ($($t:ident $unsigned:ident,)+) => {$(
        impl IntMath for $t {
            common!($t, $unsigned);

            #[inline(always)]
            fn floor_divide(a: $t, b: $t) -> $t {
                let d = if b == 0 { 1 } else { b };
                let down = a.wrapping_rem(d) != 0 && (a < 0) != (d < 0);
                let q = a.wrapping_div(d) - $t::from(down);
                if b == 0 { 0 } else { q }
            }

            #[inline(always)]
            fn remainder(a: $t, b: $t) -> $t {
                let r = Self::fmod(a, b);
                if r != 0 && (r < 0) != (b < 0) { r + b } else { r }
            }

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

            fn gcd(a: $t, b: $t) -> $t {
                euclid!(a.unsigned_abs(), b.unsigned_abs()) as $t
            }
        }
    )+};
}

macro_rules! unsigned {
    ($($t:ident,)+) => {$(
        impl IntMath for $t {
            common!($t, $t);

            #[inline(always)]
            fn floor_divide(a: $t, b: $t) -> $t {
                Self::divide(a, b)
            }

            #[inline(always)]
            fn remainder(a: $t, b: $t) -> $t {
                Self::fmod(a, b)
            }

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

            fn gcd(a: $t, b: $t) -> $t {
                euclid!(a, b)
            }
        }
    )+};
}

signed! { i8 u8, i16 u16, i32 u32, i64 u64, }
unsigned! { u8, u16, u32, u64, }
