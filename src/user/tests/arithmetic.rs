//! Operators, methods and casts.

use super::{Cases, Range};
use crate::device;

macro_rules! integer_functions {
    ($($module:ident $t:ident $unsigned:ident;)*) => {$(
        mod $module {
            use crate::device;

            #[device]
            pub fn wrapping(a: $t, b: $t) -> ($t, $t, $t, $t) {
                (a.wrapping_add(b), a.wrapping_sub(b), a.wrapping_mul(b), a.wrapping_neg())
            }

            #[device]
            pub fn bits(a: $t, b: $t) -> ($t, $t, $t, $t, u32, u32, u32, u32) {
                (a & b, a | b, a ^ b, !a, a.count_ones(), a.count_zeros(), a.leading_zeros(), a.trailing_zeros())
            }

            #[device]
            pub fn shifts(a: $t, n: u32) -> ($t, $t, $t, $t, $t, $t) {
                let small = n % <$t>::BITS;
                (
                    a.wrapping_shl(n),
                    a.wrapping_shr(n),
                    a << small,
                    a >> small,
                    a.rotate_left(n),
                    a.rotate_right(n),
                )
            }

            #[device]
            pub fn order(a: $t, b: $t) -> (bool, bool, bool, bool, $t, $t) {
                (a < b, a <= b, a == b, a != b, a.min(b), a.max(b))
            }

            #[device]
            pub fn division(a: $t, b: $t) -> ($t, $t) {
                if b == 0 {
                    return (0, 0);
                }
                (a.wrapping_div(b), a.wrapping_rem(b))
            }

            #[device]
            pub fn rest(a: $t, b: $t) -> ($t, $t, $unsigned, $t, $t, $t) {
                (
                    a.saturating_add(b),
                    a.saturating_sub(b),
                    a.abs_diff(b),
                    a.swap_bytes(),
                    a.reverse_bits(),
                    a.wrapping_pow(3),
                )
            }

            #[device]
            pub fn more(a: $t, b: $t) -> ($t, $t, u32, u32, u32) {
                let positive = if a > 0 { a } else { 1 };
                (
                    a.saturating_mul(b),
                    positive.isqrt(),
                    positive.ilog2(),
                    a.leading_ones(),
                    a.trailing_ones(),
                )
            }

            #[device]
            pub fn casts(a: $t) -> (i8, u8, i16, u16, i32, u32, i64, u64, f32, f64) {
                (
                    a as i8, a as u8, a as i16, a as u16, a as i32, a as u32, a as i64, a as u64,
                    a as f32, a as f64,
                )
            }

            #[device]
            pub fn promoted(a: $t, b: $t) -> (bool, $t) {
                // Eight bits wrap before they are compared and divided.
                let sum = a.wrapping_add(b);
                (sum > a, sum.wrapping_mul(3) / 2)
            }
        }
    )*};
}
integer_functions! {
    on_i8 i8 u8; on_u8 u8 u8; on_i16 i16 u16; on_u16 u16 u16;
    on_i32 i32 u32; on_u32 u32 u32; on_i64 i64 u64; on_u64 u64 u64;
}

#[test]
fn integers_mean_what_rust_says() {
    let mut cases = Cases::default();
    macro_rules! add {
        ($($module:ident)*) => {$(
            cases
                .add::<$module::wrapping, ()>(Range::Edges, 0.0)
                .add::<$module::bits, ()>(Range::Edges, 0.0)
                .add::<$module::shifts, ()>(Range::Edges, 0.0)
                .add::<$module::order, ()>(Range::Edges, 0.0)
                .add::<$module::division, ()>(Range::Edges, 0.0)
                .add::<$module::rest, ()>(Range::Edges, 0.0)
                .add::<$module::more, ()>(Range::Edges, 0.0)
                .add::<$module::more, ()>(Range::Small, 0.0)
                .add::<$module::casts, ()>(Range::Edges, 0.0)
                .add::<$module::promoted, ()>(Range::Edges, 0.0);
        )*};
    }
    add!(on_i8 on_u8 on_i16 on_u16 on_i32 on_u32 on_i64 on_u64);
    cases.check();
}

#[device]
fn signed(a: i32, b: i32) -> (i32, i32, i32, i32, u32, bool, bool) {
    let b = if b == 0 || b == -1 { 7 } else { b };
    (
        a.rem_euclid(b),
        a.div_euclid(b),
        a.signum(),
        a.wrapping_abs(),
        a.unsigned_abs(),
        a.is_negative(),
        a.is_positive(),
    )
}

#[device]
fn operators(a: i64, b: i64) -> (i64, i64, i64, i64, i64) {
    let d = if b == 0 { 1 } else { b };
    (a + b, a - b, a * b, a / d, -a % d)
}

#[device]
fn compound(a: i32, b: u8) -> (i32, u8) {
    let (mut x, mut y) = (a, b);
    x += 3;
    x *= 2;
    x -= a;
    x /= 2;
    x %= 100;
    x <<= 2u8;
    x >>= 1;
    x ^= 0x55;
    x |= 8;
    x &= 0xffff;
    y ^= 0xf0;
    y >>= y & 7;
    (x, y)
}

#[device]
fn powers(a: i16, n: u32) -> (i16, bool) {
    (a.wrapping_pow(n), (n as u16).is_power_of_two())
}

macro_rules! unsigned_functions {
    ($($name:ident $t:ident;)*) => {$(
        #[device]
        fn $name(a: $t, b: $t) -> ($t, bool, $t) {
            let d = if b == 0 { 1 } else { b };
            // What is no more than half of the range has such a power.
            (a.div_ceil(d), a.is_multiple_of(b), (a / 2).next_power_of_two())
        }
    )*};
}
unsigned_functions! { whole_u8 u8; whole_u16 u16; whole_u32 u32; whole_u64 u64; }

#[test]
fn operators_of_integers() {
    Cases::default()
        .add::<whole_u8, ()>(Range::Edges, 0.0)
        .add::<whole_u16, ()>(Range::Edges, 0.0)
        .add::<whole_u32, ()>(Range::Edges, 0.0)
        .add::<whole_u64, ()>(Range::Edges, 0.0)
        .add::<whole_u64, ()>(Range::Small, 0.0)
        .add::<signed, ()>(Range::Edges, 0.0)
        .add::<operators, ()>(Range::Small, 0.0)
        .add::<compound, ()>(Range::Small, 0.0)
        .add::<powers, ()>(Range::Edges, 0.0)
        .check();
}

#[device]
fn floats(a: f64, b: f64) -> (f64, f64, f64, f64, f64, f64, bool, bool) {
    (a + b, a - b, a * b, a / b, a % b, -a, a < b, a >= b)
}

#[device]
fn singles(a: f32, b: f32) -> (f32, f32, f32, f32, f32, bool) {
    (a + b * 2.0, a - 0.1, a * b, a / b, a % b, a != b)
}

#[device]
fn rounding(a: f64) -> (f64, f64, f64, f64, f64, f64, f64, f64) {
    (a.floor(), a.ceil(), a.trunc(), a.round(), a.round_ties_even(), a.fract(), a.abs(), a.signum())
}

#[device]
fn order(a: f64, b: f64, c: f64) -> (f64, f64, f64, f64, f64, bool, bool, bool) {
    let c = if c < 1.0 || c.is_nan() { 1.0 } else { c };
    (
        a.min(b),
        a.max(b),
        a.clamp(-c, c),
        a.copysign(b),
        a.mul_add(b, c),
        a.is_nan(),
        a.is_infinite(),
        a.is_sign_negative(),
    )
}

#[device]
fn from_floats(a: f64, b: f32) -> (i8, u8, i32, u64, i64, f32, u16, i64) {
    (a as i8, a as u8, a as i32, a as u64, (a * 1e18) as i64, a as f32, b as u16, b as i64)
}

#[device]
fn bits_of_floats(a: f32, b: f64) -> (u32, u64, f32) {
    let (a, b) = (if a.is_nan() { 0.0 } else { a }, if b.is_nan() { 0.0 } else { b });
    (a.to_bits(), b.to_bits(), f32::from_bits(a.to_bits() & 0x7fff_ffff))
}

#[test]
fn floats_are_exact() {
    Cases::default()
        .add::<floats, ()>(Range::Edges, 0.0)
        .add::<singles, ()>(Range::Edges, 0.0)
        .add::<rounding, ()>(Range::Edges, 0.0)
        .add::<order, ()>(Range::Edges, 0.0)
        .add::<from_floats, ()>(Range::Edges, 0.0)
        .add::<bits_of_floats, ()>(Range::Edges, 0.0)
        .check();
}

#[device]
fn transcendental(a: f64) -> (f64, f64, f64, f64, f64, f64, f64, f64) {
    (a.sin(), a.cos(), a.tan(), a.exp(), a.exp_m1(), a.atan(), a.sinh(), a.tanh())
}

#[device]
fn large_angles(a: f64) -> (f64, f64) {
    let big = a * 1e12;
    (big.sin(), big.cos())
}

#[device]
fn logarithms(a: f64, b: f64) -> (f64, f64, f64, f64, f64, f64, f64, f64) {
    (a.ln(), a.log2(), a.log10(), a.ln_1p(), a.log(b), a.sqrt(), a.cbrt(), a.powf(b))
}

#[device]
fn inverse(a: f64, b: f64) -> (f64, f64, f64, f64, f64, f64, f64) {
    let c = a / 10.0;
    let (s, d) = b.sin_cos();
    (c.asin(), c.acos(), c.atanh(), a.atan2(b), a.hypot(b), s + d, f64::acosh(1.0 + a.abs()))
}

#[device]
fn whole_powers(a: f64, n: i32) -> (f64, f64, f64, f64) {
    (a.powi(3), a.powi(-2), a.powi(n), a.recip().to_degrees().to_radians())
}

#[test]
fn mathematics_is_as_exact_as_the_librarys() {
    Cases::default()
        .add::<transcendental, ()>(Range::Small, 1e-14)
        .add::<large_angles, ()>(Range::Small, 1e-13)
        .add::<logarithms, ()>(Range::Positive, 1e-13)
        .add::<inverse, ()>(Range::Small, 1e-13)
        .add::<whole_powers, ()>(Range::Small, 1e-13)
        .check();
}
