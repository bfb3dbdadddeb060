//! Elementwise steps.

use super::super::reference::zip;
use super::{Host, Program, Rng, Step, Typed, Value};
use lazuli::prelude::*;
use ndarray::ArrayD;

/// A step of two arguments: the reference's function and the method, for each type.
macro_rules! pair {
    ($p:expr, $name:expr, $i:expr, $j:expr;
     $($v:ident |$x:ident, $y:ident| $e:expr, $method:ident;)*) => {
        match (&$p.values[$i], &$p.values[$j]) {
            $((Host::$v(a), Host::$v(b)) => {
                let value = Typed::host(zip(a, b, |$x, $y| $e));
                let (i, j) = ($i, $j);
                Some(Step::new($name, &[i, j], value, move |v| match (&v[i], &v[j]) {
                    (Value::$v(a), Value::$v(b)) => a.$method(b).into(),
                    _ => unreachable!("the types were checked"),
                }))
            })*
            _ => None,
        }
    };
}

fn floor_div(x: i64, y: i64) -> i64 {
    let (q, r) = (x.wrapping_div(y), x.wrapping_rem(y));
    if r != 0 && (r < 0) != (y < 0) { q - 1 } else { q }
}

fn floor_mod(x: i64, y: i64) -> i64 {
    x.wrapping_sub(floor_div(x, y).wrapping_mul(y))
}

fn arithmetic(p: &Program, rng: &mut Rng, i: usize, j: usize) -> Option<Step> {
    match rng.below(3) {
        0 => pair! { p, "add", i, j;
        I32 |x, y| x.wrapping_add(y), add; I64 |x, y| x.wrapping_add(y), add;
        F32 |x, y| x + y, add; F64 |x, y| x + y, add; C128 |x, y| x + y, add;
        Bool |x, y| x || y, logical_or; },
        1 => pair! { p, "subtract", i, j;
        I32 |x, y| x.wrapping_sub(y), subtract; I64 |x, y| x.wrapping_sub(y), subtract;
        F32 |x, y| x - y, subtract; F64 |x, y| x - y, subtract; C128 |x, y| x - y, subtract;
        Bool |x, y| x != y, logical_xor; },
        _ => pair! { p, "multiply", i, j;
        I32 |x, y| x.wrapping_mul(y), multiply; I64 |x, y| x.wrapping_mul(y), multiply;
        F32 |x, y| x * y, multiply; F64 |x, y| x * y, multiply; C128 |x, y| x * y, multiply;
        Bool |x, y| x && y, logical_and; },
    }
}

fn choice(p: &Program, rng: &mut Rng, i: usize, j: usize) -> Option<Step> {
    match rng.below(2) {
        0 => pair! { p, "maximum", i, j;
        I32 |x, y| x.max(y), maximum; I64 |x, y| x.max(y), maximum;
        F32 |x, y| x.max(y), maximum; F64 |x, y| x.max(y), maximum;
        Bool |x, y| x | y, maximum; },
        _ => pair! { p, "minimum", i, j;
        I32 |x, y| x.min(y), minimum; I64 |x, y| x.min(y), minimum;
        F32 |x, y| x.min(y), minimum; F64 |x, y| x.min(y), minimum;
        Bool |x, y| x & y, minimum; },
    }
}

fn integer(p: &Program, rng: &mut Rng, i: usize, j: usize) -> Option<Step> {
    match rng.below(4) {
        0 => pair! { p, "floor_divide", i, j;
        I64 |x, y| if y == 0 { 0 } else { floor_div(x, y) }, floor_divide; },
        1 => pair! { p, "remainder", i, j;
        I64 |x, y| if y == 0 { 0 } else { floor_mod(x, y) }, remainder; },
        2 => pair! { p, "bitwise_xor", i, j;
        I32 |x, y| x ^ y, bitwise_xor; I64 |x, y| x ^ y, bitwise_xor;
        Bool |x, y| x ^ y, bitwise_xor; },
        _ => pair! { p, "bitwise_and", i, j;
        I32 |x, y| x & y, bitwise_and; I64 |x, y| x & y, bitwise_and;
        Bool |x, y| x & y, bitwise_and; },
    }
}

/// Comparisons jump where rounding differs, so their arguments are exact.
fn comparison(p: &Program, rng: &mut Rng, i: usize, j: usize) -> Option<Step> {
    if p.is_rounded(i) || p.is_rounded(j) {
        return None;
    }
    match rng.below(3) {
        0 => pair! { p, "less", i, j;
        I32 |x, y| x < y, less; I64 |x, y| x < y, less; F32 |x, y| x < y, less;
        F64 |x, y| x < y, less; Bool |x, y| !x & y, less; },
        1 => pair! { p, "greater_equal", i, j;
        I32 |x, y| x >= y, greater_equal; I64 |x, y| x >= y, greater_equal;
        F32 |x, y| x >= y, greater_equal; F64 |x, y| x >= y, greater_equal;
        Bool |x, y| x | !y, greater_equal; },
        _ => pair! { p, "equal", i, j;
        I32 |x, y| x == y, equal; I64 |x, y| x == y, equal; F32 |x, y| x == y, equal;
        F64 |x, y| x == y, equal; C128 |x, y| x == y, equal; Bool |x, y| x == y, equal; },
    }
}

/// As `pair`, for one argument.
macro_rules! single {
    ($p:expr, $name:expr, $i:expr; $($v:ident |$x:ident| $e:expr, |$d:ident| $m:expr;)*) => {
        match &$p.values[$i] {
            $(Host::$v(a) => {
                let value = Typed::host(a.mapv(|$x| $e));
                let i = $i;
                Some(Step::new($name, &[i], value, move |v| match &v[i] {
                    Value::$v($d) => Value::from($m),
                    _ => unreachable!("the type was checked"),
                }))
            })*
            _ => None,
        }
    };
}

fn unary(p: &Program, rng: &mut Rng, i: usize) -> Option<Step> {
    match rng.below(7) {
        0 => single! { p, "negative", i;
        I32 |x| x.wrapping_neg(), |a| -a; I64 |x| x.wrapping_neg(), |a| -a;
        F32 |x| -x, |a| -a; F64 |x| -x, |a| -a; C128 |x| -x, |a| -a;
        Bool |x| !x, |a| a.logical_not(); },
        1 => single! { p, "abs", i;
        I32 |x| x.wrapping_abs(), |a| a.abs(); I64 |x| x.wrapping_abs(), |a| a.abs();
        F32 |x| x.abs(), |a| a.abs(); F64 |x| x.abs(), |a| a.abs(); },
        2 => single! { p, "scaled", i;
        I32 |x| 3i32.wrapping_sub(x), |a| 3 - a; I64 |x| x.wrapping_mul(5), |a| a * 5;
        F32 |x| x * 0.5 + 1.0, |a| a * 0.5 + 1.0; F64 |x| 2.0 - x, |a| 2.0 - a;
        C128 |x| x * Complex::new(0.0, 1.0), |a| a * Complex::new(0.0, 1.0); },
        3 => single! { p, "square or conjugate", i;
        I32 |x| x.wrapping_mul(x), |a| a.square(); I64 |x| x.wrapping_mul(x), |a| a.square();
        F32 |x| x * x, |a| a.square(); F64 |x| x * x, |a| a.square();
        C128 |x| x.conj(), |a| a.conj(); },
        4 => single! { p, "part", i;
        C128 |x| x.im, |a| a.imag(); F64 |x| Complex::new(1.0, x), |a| {
            a.ones_like().to_complex(a)
        }; },
        5 => single! { p, "tanh", i;
        F32 |x| x.tanh(), |a| a.tanh(); F64 |x| x.tanh(), |a| a.tanh(); }
        .map(Step::rounding),
        _ => single! { p, "root", i;
        F32 |x| (x.abs() + 1.0).sqrt(), |a| (a.abs() + 1.0).sqrt();
        F64 |x| (x.abs() + 1.0).sqrt(), |a| (a.abs() + 1.0).sqrt();
        C128 |x| Complex::from(x.norm()), |a| {
            a.abs().to_complex(a.real().zeros_like())
        }; }
        .map(Step::rounding),
    }
}

/// Casts; towards integers only of what is exact, because they jump too.
fn cast(p: &Program, rng: &mut Rng, i: usize) -> Option<Step> {
    if p.is_rounded(i) && rng.one_in(2) {
        return single! { p, "cast", i;
        F32 |x| f64::from(x), |a| a.cast::<f64>(); F64 |x| x as f32, |a| a.cast::<f32>(); }
        .map(Step::rounding);
    }
    if p.is_rounded(i) {
        return None;
    }
    match rng.below(3) {
        0 => single! { p, "cast", i;
        Bool |x| f64::from(u8::from(x)), |a| a.cast::<f64>();
        I32 |x| f64::from(x), |a| a.cast::<f64>(); I64 |x| x as f32, |a| a.cast::<f32>();
        F32 |x| x as i32, |a| a.cast::<i32>(); F64 |x| x as i64, |a| a.cast::<i64>(); },
        1 => single! { p, "cast", i;
        Bool |x| i64::from(x), |a| a.cast::<i64>(); I32 |x| i64::from(x), |a| a.cast::<i64>();
        I64 |x| x as i32, |a| a.cast::<i32>(); F32 |x| f64::from(x), |a| a.cast::<f64>();
        F64 |x| Complex::from(x), |a| a.cast::<Complex<f64>>(); },
        _ => single! { p, "cast", i;
        I32 |x| x != 0, |a| a.cast::<bool>(); I64 |x| x != 0, |a| a.cast::<bool>();
        F32 |x| x != 0.0, |a| a.cast::<bool>(); F64 |x| x != 0.0, |a| a.cast::<bool>();
        Bool |x| i32::from(x), |a| a.cast::<i32>(); },
    }
}

fn selected<T: Typed>(mask: &ArrayD<bool>, a: &ArrayD<T>, b: &ArrayD<T>) -> ArrayD<T> {
    let either = zip(a, b, |x, y| (x, y));
    zip(mask, &either, |m, (x, y)| if m { x } else { y })
}

fn choose(p: &Program, rng: &mut Rng, i: usize, j: usize) -> Option<Step> {
    let k = p.pick(rng, |p, k| p.is(k, &["bool"]) && p.fits(i, k) && p.fits(j, k))?;
    let Host::Bool(mask) = &p.values[k] else { return None };
    let value = match (&p.values[i], &p.values[j]) {
        (Host::F32(a), Host::F32(b)) => Typed::host(selected(mask, a, b)),
        (Host::F64(a), Host::F64(b)) => Typed::host(selected(mask, a, b)),
        (Host::I64(a), Host::I64(b)) => Typed::host(selected(mask, a, b)),
        (Host::I32(a), Host::I32(b)) => Typed::host(selected(mask, a, b)),
        (Host::C128(a), Host::C128(b)) => Typed::host(selected(mask, a, b)),
        (Host::Bool(a), Host::Bool(b)) => Typed::host(selected(mask, a, b)),
        _ => return None,
    };
    Some(Step::new("select", &[k, i, j], value, move |v| {
        let mask = bool::of(&v[k]);
        match (&v[i], &v[j]) {
            (Value::F32(a), Value::F32(b)) => select(mask, a, b).into(),
            (Value::F64(a), Value::F64(b)) => select(mask, a, b).into(),
            (Value::I64(a), Value::I64(b)) => select(mask, a, b).into(),
            (Value::I32(a), Value::I32(b)) => select(mask, a, b).into(),
            (Value::C128(a), Value::C128(b)) => select(mask, a, b).into(),
            (Value::Bool(a), Value::Bool(b)) => select(mask, a, b).into(),
            _ => unreachable!("the types were checked"),
        }
    }))
}

/// An elementwise step, or `None` where the values at hand do not allow the one that was drawn.
pub fn draw(p: &Program, rng: &mut Rng) -> Option<Step> {
    let i = p.pick(rng, |_, _| true)?;
    let kind = rng.below(10);
    if kind < 2 {
        return unary(p, rng, i);
    }
    if kind == 2 {
        return cast(p, rng, i);
    }
    let j = p.partner(rng, i)?;
    match kind {
        3 => choice(p, rng, i, j),
        4 => integer(p, rng, i, j),
        5 | 6 => comparison(p, rng, i, j),
        7 => choose(p, rng, i, j),
        _ => arithmetic(p, rng, i, j),
    }
}
