//! Functions whose text is the same for `f32` and `f64`: rounding, remainders, comparisons, bit
//! fields.

/// Defines the shared functions for one float type: its bits, the number of stored mantissa bits,
/// and the largest number below one half.
macro_rules! shared_functions {
    ($t:ident, $bits:ident, $mantissa:expr, $below_half:expr) => {
        use std::$t::consts::{LN_2, LOG2_E, PI};

        const SIGN: $bits = 1 << ($bits::BITS - 1);
        /// The largest exponent of a finite number, which is also the bias.
        const BIAS: i32 = $t::MAX_EXP - 1;

        /// 2^n for a normal result.
        #[inline(always)]
        fn pow2(n: i32) -> $t {
            $t::from_bits(((n + BIAS) as $bits) << $mantissa)
        }

        /// How far the two lie apart, and what that was rounded by, unless they lie so far apart
        /// that it does not count.
        #[inline(always)]
        fn apart(x: $t, y: $t) -> ($t, $t) {
            let (top, low) = if x > y { (x, y) } else { (y, x) };
            let d = top - low;
            let v = d - top;
            let lo = (top - (d - v)) - (low + v);
            (d, if d < 1e4 { lo } else { 0.0 })
        }

        #[inline(always)]
        pub fn logaddexp_fast(x: $t, y: $t) -> $t {
            let top = if x > y { x } else { y };
            let (d, lo) = apart(x, y);
            let e = exp(-d);
            let r = top + ln_1p(e - e * lo);
            if x == y { x + LN_2 } else { r }
        }

        #[inline(always)]
        pub fn logaddexp2_fast(x: $t, y: $t) -> $t {
            let top = if x > y { x } else { y };
            let (d, lo) = apart(x, y);
            let e = exp2(-d);
            let r = top + ln_1p(e - e * (lo * LN_2)) * LOG2_E;
            if x == y { x + 1.0 } else { r }
        }

        /// Whether a result lost digits because the larger argument is nearly its opposite.
        #[inline(always)]
        fn cancels(x: $t, y: $t, r: $t) -> bool {
            let top = if x > y { x } else { y };
            2.0 * r.abs() < -top
        }

        #[inline(always)]
        pub fn logaddexp_rare(x: $t, y: $t) -> bool {
            cancels(x, y, logaddexp_fast(x, y))
        }

        /// Twice a power of two is exact.
        #[inline(always)]
        pub fn logaddexp2_rare(x: $t, y: $t) -> bool {
            cancels(x, y, logaddexp2_fast(x, y)) & (x != y)
        }

        pub fn logaddexp(x: $t, y: $t) -> $t {
            match logaddexp_rare(x, y) {
                true => crate::math::double::logsum::logaddexp(x as f64, y as f64) as $t,
                false => logaddexp_fast(x, y),
            }
        }

        pub fn logaddexp2(x: $t, y: $t) -> $t {
            match logaddexp2_rare(x, y) {
                true => crate::math::double::logsum::logaddexp2(x as f64, y as f64) as $t,
                false => logaddexp2_fast(x, y),
            }
        }

        #[inline(always)]
        pub fn sqrt(x: $t) -> $t {
            x.sqrt()
        }

        #[inline(always)]
        pub fn fmod(x: $t, y: $t) -> $t {
            x % y
        }

        /// Division is monotonic, so the truncated quotient is at most one too large, and the
        /// fused remainder of it is exact.
        #[inline(always)]
        pub fn fmod_fast(x: $t, y: $t) -> $t {
            let (a, b) = (x.abs(), y.abs());
            let q = (a / b).trunc();
            let r = (-q).mul_add(b, a);
            let r = if r < 0.0 { r + b } else { r };
            r.copysign(x)
        }

        #[inline(always)]
        pub fn fmod_rare(x: $t, y: $t) -> bool {
            // A quotient of NaN comes from arguments for which the fast form gives NaN as well.
            (x / y).abs() >= 1.0 / $t::EPSILON || y.abs() == $t::INFINITY
        }

        /// Moves a remainder with the sign of the dividend to the sign of the divisor.
        #[inline(always)]
        fn floor_remainder(r: $t, y: $t) -> $t {
            let moved = if (r < 0.0) != (y < 0.0) { r + y } else { r };
            if r == 0.0 { (0.0 as $t).copysign(y) } else { moved }
        }

        /// NumPy's quotient for a remainder `r` with the sign of the dividend.
        #[inline(always)]
        fn floor_quotient(x: $t, y: $t, r: $t) -> $t {
            let q = (x - r) / y;
            let q = if r != 0.0 && (r < 0.0) != (y < 0.0) { q - 1.0 } else { q };
            let down = q.floor();
            let nearest = if q - down > 0.5 { down + 1.0 } else { down };
            let q = if q == 0.0 { (0.0 as $t).copysign(x / y) } else { nearest };
            if y == 0.0 { x / y } else { q }
        }

        #[inline(always)]
        pub fn remainder(x: $t, y: $t) -> $t {
            floor_remainder(fmod(x, y), y)
        }

        #[inline(always)]
        pub fn remainder_fast(x: $t, y: $t) -> $t {
            floor_remainder(fmod_fast(x, y), y)
        }

        #[inline(always)]
        pub fn floor_divide(x: $t, y: $t) -> $t {
            floor_quotient(x, y, fmod(x, y))
        }

        #[inline(always)]
        pub fn floor_divide_fast(x: $t, y: $t) -> $t {
            floor_quotient(x, y, fmod_fast(x, y))
        }

        #[inline(always)]
        pub fn div_euclid(x: $t, y: $t) -> $t {
            x.div_euclid(y)
        }

        #[inline(always)]
        pub fn rem_euclid(x: $t, y: $t) -> $t {
            x.rem_euclid(y)
        }

        #[inline(always)]
        pub fn div_euclid_fast(x: $t, y: $t) -> $t {
            let q = (x / y).trunc();
            let step = if y > 0.0 { -1.0 } else { 1.0 };
            if fmod_fast(x, y) < 0.0 { q + step } else { q }
        }

        #[inline(always)]
        pub fn rem_euclid_fast(x: $t, y: $t) -> $t {
            let r = fmod_fast(x, y);
            if r < 0.0 { r + y.abs() } else { r }
        }

        #[inline(always)]
        pub fn copysign(x: $t, y: $t) -> $t {
            x.copysign(y)
        }

        #[inline(always)]
        pub fn nextafter(x: $t, y: $t) -> $t {
            let bits = x.to_bits();
            let away = (y > x) == (x > 0.0);
            let step = if away { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
            let step = if x == 0.0 { (y.to_bits() & SIGN) | 1 } else { step };
            let r = $t::from_bits(step);
            let r = if x == y { y } else { r };
            if x.is_nan() || y.is_nan() { x + y } else { r }
        }

        /// Three factors: two that keep the number normal, and a last one that alone rounds.
        #[inline(always)]
        pub fn ldexp(x: $t, n: i32) -> $t {
            const LOW: i32 = $t::MIN_EXP - 1 + $t::MANTISSA_DIGITS as i32;
            let mut n = n.clamp(-4 * BIAS, 4 * BIAS);
            let mut x = x;
            for _ in 0..2 {
                let step = if n > BIAS {
                    BIAS
                } else if n < $t::MIN_EXP - 1 {
                    LOW
                } else {
                    0
                };
                x *= pow2(step);
                n -= step;
            }
            x * pow2(n.clamp($t::MIN_EXP - 1, BIAS))
        }

        /// The number scaled to be normal, and the exponent that this hides.
        #[inline(always)]
        fn normal(x: $t) -> ($bits, i32) {
            let tiny = x.abs() < $t::MIN_POSITIVE;
            let scaled = if tiny { x * pow2($t::MANTISSA_DIGITS as i32 + 1) } else { x };
            (scaled.to_bits(), if tiny { -($t::MANTISSA_DIGITS as i32) - 1 } else { 0 })
        }

        #[inline(always)]
        pub fn frexp_mantissa(x: $t) -> $t {
            let fraction: $bits = SIGN | ((1 << $mantissa) - 1);
            let half = (0.5 as $t).to_bits();
            let m = $t::from_bits((normal(x).0 & fraction) | half);
            if x == 0.0 || !x.is_finite() { x } else { m }
        }

        #[inline(always)]
        pub fn frexp_exponent(x: $t) -> i32 {
            let (bits, hidden) = normal(x);
            let e = ((bits & !SIGN) >> $mantissa) as i32 - (BIAS - 1) + hidden;
            if x == 0.0 || !x.is_finite() { 0 } else { e }
        }

        #[inline(always)]
        pub fn heaviside(x: $t, y: $t) -> $t {
            let r = if x > 0.0 { 1.0 } else { 0.0 };
            let r = if x == 0.0 { y } else { r };
            if x.is_nan() { x } else { r }
        }

        #[inline(always)]
        pub fn rint(x: $t) -> $t {
            x.round_ties_even()
        }

        /// Adding the largest number below one half cannot carry 0.49999… to 1.
        #[inline(always)]
        pub fn round(x: $t) -> $t {
            let below_half: $t = $below_half;
            (x + below_half.copysign(x)).trunc()
        }

        #[inline(always)]
        pub fn trunc(x: $t) -> $t {
            x.trunc()
        }

        #[inline(always)]
        pub fn floor(x: $t) -> $t {
            x.floor()
        }

        #[inline(always)]
        pub fn ceil(x: $t) -> $t {
            x.ceil()
        }

        #[inline(always)]
        pub fn fmin(x: $t, y: $t) -> $t {
            if x <= y || y.is_nan() { x } else { y }
        }

        #[inline(always)]
        pub fn fmax(x: $t, y: $t) -> $t {
            if x >= y || y.is_nan() { x } else { y }
        }

        #[inline(always)]
        pub fn minimum(x: $t, y: $t) -> $t {
            if x < y || x.is_nan() { x } else { y }
        }

        #[inline(always)]
        pub fn maximum(x: $t, y: $t) -> $t {
            if x > y || x.is_nan() { x } else { y }
        }

        #[inline(always)]
        pub fn abs(x: $t) -> $t {
            x.abs()
        }

        #[inline(always)]
        pub fn sign(x: $t) -> $t {
            let r = if x > 0.0 { 1.0 } else { 0.0 };
            let r = if x < 0.0 { -1.0 } else { r };
            if x.is_nan() { x } else { r }
        }

        #[inline(always)]
        pub fn reciprocal(x: $t) -> $t {
            1.0 / x
        }

        #[inline(always)]
        pub fn square(x: $t) -> $t {
            x * x
        }

        #[inline(always)]
        pub fn degrees(x: $t) -> $t {
            x * (180.0 / PI)
        }

        #[inline(always)]
        pub fn radians(x: $t) -> $t {
            x * (PI / 180.0)
        }

        #[inline(always)]
        pub fn signbit(x: $t) -> bool {
            x.is_sign_negative()
        }

        #[inline(always)]
        pub fn is_nan(x: $t) -> bool {
            x.is_nan()
        }

        #[inline(always)]
        pub fn is_inf(x: $t) -> bool {
            x.is_infinite()
        }

        #[inline(always)]
        pub fn is_finite(x: $t) -> bool {
            x.is_finite()
        }
    };
}
pub(super) use shared_functions;
