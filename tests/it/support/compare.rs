//! The manifest's rules on how near a result must be.

use super::value::Host;
use lazuli::prelude::*;
use ndarray::{ArrayD, Dimension};
use serde_json::Value as Json;

/// How far a result may be from what was expected; the default is: not at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tolerance {
    /// Steps of the type.
    pub ulp: u64,
    /// Relative to the expected value.
    pub rtol: f64,
    /// Absolute.
    pub atol: f64,
    /// Whether a zero must have the expected sign.
    pub signed_zero: bool,
}

impl Tolerance {
    /// The tolerance that a case of the manifest states.
    pub fn of(case: &Json) -> Self {
        Tolerance {
            ulp: case["ulp"].as_u64().unwrap_or(0),
            rtol: case["rtol"].as_f64().unwrap_or(0.0),
            atol: case["atol"].as_f64().unwrap_or(0.0),
            signed_zero: case["signed_zero"].as_bool().unwrap_or(false),
        }
    }
}

/// An element that can be held against an expected one.
trait Close: Copy + std::fmt::Debug {
    fn close(self, expected: Self, tolerance: Tolerance) -> bool;
}

macro_rules! exact {
    ($($t:ty)*) => {$(
        impl Close for $t {
            fn close(self, expected: Self, _: Tolerance) -> bool { self == expected }
        }
    )*};
}
exact!(bool i8 i16 i32 i64 u8 u16 u32 u64);

/// A number whose successor in order of value is the next representable one; both zeros are 0.
fn position(bits: u64, sign: u64) -> i64 {
    if bits & sign == 0 { bits as i64 } else { -((bits & !sign) as i64) }
}

macro_rules! floats {
    ($($t:ty, $sign:literal;)*) => {$(
        impl Close for $t {
            fn close(self, expected: Self, t: Tolerance) -> bool {
                let (got, want) = (self.to_f64(), expected.to_f64());
                if got.is_nan() || want.is_nan() {
                    return got.is_nan() && want.is_nan();
                }
                if t.signed_zero && want == 0.0 && got == 0.0 {
                    return got.is_sign_negative() == want.is_sign_negative();
                }
                let steps = position(u64::from(self.to_bits()), $sign)
                    .abs_diff(position(u64::from(expected.to_bits()), $sign));
                got == want
                    || steps <= t.ulp
                    || (got.is_finite() && (got - want).abs() <= t.atol + t.rtol * want.abs())
            }
        }
    )*};
}
floats! { f16, 0x8000; bf16, 0x8000; f32, 0x8000_0000; f64, 0x8000_0000_0000_0000; }

macro_rules! complexes {
    ($($t:ty)*) => {$(
        impl Close for Complex<$t> {
            fn close(self, expected: Self, t: Tolerance) -> bool {
                let wide = |z: Self| Complex::new(f64::from(z.re), f64::from(z.im));
                let (got, want) = (wide(self), wide(expected));
                let parts = Tolerance { rtol: 0.0, atol: 0.0, ..t };
                (self.re.close(expected.re, parts) && self.im.close(expected.im, parts))
                    || (got - want).norm() <= t.atol + t.rtol * want.norm()
            }
        }
    )*};
}
complexes!(f32 f64);

fn first_difference<T: Close>(
    got: &ArrayD<T>,
    expected: &ArrayD<T>,
    tolerance: Tolerance,
) -> Option<String> {
    if got.shape() != expected.shape() {
        return Some(format!("shape {:?} where {:?} is right", got.shape(), expected.shape()));
    }
    let wrong: Vec<_> = got
        .indexed_iter()
        .zip(expected)
        .filter(|((_, g), e)| !g.close(**e, tolerance))
        .map(|((at, g), e)| format!("{g:?} where {e:?} is right, at {:?}", at.slice().to_vec()))
        .collect();
    let first = wrong.first()?;
    Some(format!("{} of {} elements differ: {first}", wrong.len(), got.len()))
}

/// What is wrong with a result, if anything is.
pub fn difference(got: &Host, expected: &Host, tolerance: Tolerance) -> Option<String> {
    macro_rules! pairs {
        ($($v:ident)*) => {
            match (got, expected) {
                $((Host::$v(g), Host::$v(e)) => first_difference(g, e, tolerance),)*
                _ => Some(format!("{} where {} is right", got.dtype(), expected.dtype())),
            }
        };
    }
    pairs!(Bool I8 I16 I32 I64 U8 U16 U32 U64 F16 BF16 F32 F64 C64 C128)
}
