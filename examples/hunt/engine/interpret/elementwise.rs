//! The table of elementwise operations.

use super::super::value::{Host, Kind, V, below, broadcast};
use super::floats::{Rounds, added, apply, decide, multiplied};
use super::{spread, zip};
use Rounds::{Exactly, Within};

const CLOSE: Rounds = Within(8.0, 0.0);
/// Functions with roots at which only the distance is bounded.
const NEAR: Rounds = Within(64.0, 64.0);

fn map(kind: Kind, a: &Host, f: impl Fn(&V) -> V) -> Option<Host> {
    Some(Host::new(kind, a.shape.clone(), a.data.iter().map(f).collect()))
}

/// An operation of one argument.
pub fn unary(name: &str, a: &Host) -> Option<Host> {
    let kind = a.kind;
    match name {
        "logical_not" => return map(Kind::Bool, a, |v| truth(kind, v, true)),
        _ if kind.is_complex() => return complex(name, a),
        "bitwise_not" if kind == Kind::Bool => {
            return map(kind, a, |v| truth(kind, v, true));
        }
        _ => {}
    }
    if kind == Kind::Bool {
        return None;
    }
    if kind.is_integer() {
        let result = if name == "bitwise_count" { Kind::U8 } else { kind };
        integer_unary(name, kind, 1)?;
        return map(result, a, |v| {
            if !v.is_known() {
                return V::UNKNOWN;
            }
            V::int(result.wrap(integer_unary(name, kind, v.int).unwrap_or(0)))
        });
    }
    float_unary(name, a)
}

/// Whether an element is zero, or is not.
pub fn truth(kind: Kind, v: &V, of_zero: bool) -> V {
    if !v.is_known() {
        return V::UNKNOWN;
    }
    if kind.is_discrete() {
        return V::truth((v.int == 0) == of_zero);
    }
    if v.loose > 0.0 && v.re.abs() <= v.loose && v.im.abs() <= v.loose {
        return V::UNKNOWN;
    }
    V::truth((v.re == 0.0 && v.im == 0.0) == of_zero)
}

fn integer_unary(name: &str, kind: Kind, a: i128) -> Option<i128> {
    Some(match name {
        "negative" if kind.is_signed() => -a,
        "abs" => a.abs(),
        "sign" => a.signum(),
        "square" => a.wrapping_mul(a),
        "reciprocal" => {
            if a.abs() == 1 {
                a
            } else {
                0
            }
        }
        "bitwise_not" => !a,
        "bitwise_count" => i128::from(a.unsigned_abs().count_ones()),
        _ => return None,
    })
}

fn float_unary(name: &str, a: &Host) -> Option<Host> {
    let kind = a.kind;
    let test: Option<fn(f64) -> bool> = match name {
        "is_nan" => Some(f64::is_nan),
        "is_inf" => Some(f64::is_infinite),
        "is_finite" => Some(f64::is_finite),
        "is_pos_inf" => Some(|x| x == f64::INFINITY),
        "is_neg_inf" => Some(|x| x == f64::NEG_INFINITY),
        "signbit" => Some(f64::is_sign_negative),
        _ => None,
    };
    if let Some(test) = test {
        return map(Kind::Bool, a, |v| {
            if name == "signbit" && v.re.is_nan() {
                return V::UNKNOWN;
            }
            // Which values are infinite is known where the value is, and only signs need corners.
            if name != "signbit" && v.is_known() {
                return V::truth(test(v.re));
            }
            decide(&[v], |x| i128::from(test(x[0])))
        });
    }
    if name == "square" {
        return map(a.kind, a, |v| multiplied(a.kind, v, v));
    }
    if name == "frexp_exponent" {
        return map(Kind::I32, a, |v| decide(&[v], |x| frexp(x[0]).1));
    }
    let (rounds, f) = float_function(name)?;
    map(kind, a, |v| {
        // What turns round and round is not known at its corners, nor is a product with pi.
        let turns =
            name.starts_with("bessel") || ["sin", "cos", "tan", "sinc", "lgamma"].contains(&name);
        if turns && v.loose > 0.1 || name == "sinc" && v.re.abs() > 1e4 {
            return V::UNKNOWN;
        }
        // So is what comes near to a pole, which lies between the corners.
        let to_pole = match name {
            "tan" => v.re.cos().abs(),
            "lgamma" if v.re < 0.5 => (v.re - v.re.round()).abs(),
            _ => f64::INFINITY,
        };
        if v.loose > 0.0 && v.loose >= 0.1 * to_pole {
            return V::UNKNOWN;
        }
        let mut r = apply(kind, &[v], rounds, |x| f(x[0]));
        r.sign |= name == "sign" && r.re == 0.0;
        r
    })
}

fn frexp(x: f64) -> (f64, i128) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    let (m, e) = libm::frexp(x);
    (m, i128::from(e))
}

type Real = fn(f64) -> f64;

fn float_function(name: &str) -> Option<(Rounds, Real)> {
    Some(match name {
        "negative" => (Exactly, |x| -x),
        "abs" => (Exactly, f64::abs),
        "sign" => (Exactly, |x| if x == 0.0 || x.is_nan() { x } else { x.signum() }),
        "square" => (Exactly, |x| x * x),
        "reciprocal" => (Exactly, |x| 1.0 / x),
        "conj" | "real" => (Exactly, |x| x),
        "sqrt" => (Exactly, f64::sqrt),
        "floor" => (Exactly, f64::floor),
        "ceil" => (Exactly, f64::ceil),
        "trunc" => (Exactly, f64::trunc),
        "rint" => (Exactly, f64::round_ties_even),
        "round_ties_away" => (Exactly, f64::round),
        "frexp_mantissa" => (Exactly, |x| frexp(x).0),
        "exp" => (CLOSE, f64::exp),
        "ln" => (CLOSE, f64::ln),
        "log2" => (CLOSE, f64::log2),
        "log10" => (CLOSE, f64::log10),
        "cbrt" => (CLOSE, f64::cbrt),
        "exp2" => (CLOSE, f64::exp2),
        "exp10" => (CLOSE, |x| libm::exp10(x)),
        "exp_m1" => (CLOSE, f64::exp_m1),
        "ln_1p" => (CLOSE, f64::ln_1p),
        "sin" => (CLOSE, f64::sin),
        "cos" => (CLOSE, f64::cos),
        "tan" => (CLOSE, f64::tan),
        "asin" => (CLOSE, f64::asin),
        "acos" => (CLOSE, f64::acos),
        "atan" => (CLOSE, f64::atan),
        "sinh" => (CLOSE, f64::sinh),
        "cosh" => (CLOSE, f64::cosh),
        "tanh" => (CLOSE, f64::tanh),
        "asinh" => (CLOSE, libm::asinh),
        "acosh" => (CLOSE, |x| if x < 1.0 { f64::NAN } else { libm::acosh(x) }),
        "atanh" => (CLOSE, libm::atanh),
        "degrees" => (CLOSE, |x| x * (180.0 / std::f64::consts::PI)),
        "radians" => (CLOSE, |x| x * (std::f64::consts::PI / 180.0)),
        "sinc" => (NEAR, |x| {
            let y = std::f64::consts::PI * x;
            if x == 0.0 { 1.0 } else { y.sin() / y }
        }),
        "erf" => (CLOSE, libm::erf),
        "erfc" => (Within(16.0, 0.0), libm::erfc),
        "lgamma" => (NEAR, libm::lgamma),
        "bessel_j0" => (NEAR, libm::j0),
        "bessel_j1" => (NEAR, libm::j1),
        _ => return None,
    })
}

/// Operations of a complex number.
fn complex(name: &str, a: &Host) -> Option<Host> {
    let (kind, part) = (a.kind, a.kind.component());
    let u = kind.unit();
    match name {
        "conj" => map(kind, a, |v| V { im: -v.im, ..*v }),
        "negative" => map(kind, a, |v| V { re: -v.re, im: -v.im, ..*v }),
        "real" => map(part, a, |v| V { im: 0.0, ..*v }),
        "imag" => map(part, a, |v| V { re: v.im, im: 0.0, ..*v }),
        "is_nan" => map(Kind::Bool, a, |v| {
            if v.is_known() { V::truth(v.re.is_nan() || v.im.is_nan()) } else { V::UNKNOWN }
        }),
        "is_finite" => map(Kind::Bool, a, |v| {
            if v.is_known() { V::truth(v.re.is_finite() && v.im.is_finite()) } else { V::UNKNOWN }
        }),
        "abs" => map(part, a, |v| {
            let r = v.re.hypot(v.im);
            let moderate = r == 0.0 || (1e-30..1e30).contains(&r);
            if moderate && v.is_known() {
                V::float(part.round(r)).within(8.0 * part.ulp(r) + 2.0 * v.loose)
            } else {
                V::UNKNOWN
            }
        }),
        "square" => map(kind, a, |v| product(kind, v, v)),
        "sqrt" | "exp" | "sin" | "cos" | "tanh" | "ln" | "reciprocal" => map(kind, a, |v| {
            let z = num_complex::Complex::new(v.re, v.im);
            let moderate = (1e-2..8.0).contains(&v.re.abs()) && (1e-2..8.0).contains(&v.im.abs());
            if !moderate || v.loose > 1e-4 {
                return V::UNKNOWN;
            }
            let (r, slope) = match name {
                "sqrt" => (z.sqrt(), 100.0),
                "exp" => (z.exp(), z.exp().norm() * 2.0),
                "sin" => (z.sin(), 6000.0),
                "cos" => (z.cos(), 6000.0),
                "tanh" if z.cosh().norm() < 0.1 => return V::UNKNOWN,
                "tanh" => (z.tanh(), 200.0),
                "ln" => (z.ln(), 200.0),
                _ => (z.inv(), 2e4),
            };
            let err = 64.0 * u * r.norm() + 16.0 * u + 2.0 * slope * v.loose;
            V::complex(part.round(r.re), part.round(r.im)).within(err)
        }),
        _ => None,
    }
}

/// The product of complex numbers, which is computed with or without intermediate roundings.
pub fn product(kind: Kind, a: &V, b: &V) -> V {
    let part = kind.component();
    let (re, im) = (a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
    let size = (a.re.abs() + a.im.abs()) * (b.re.abs() + b.im.abs());
    if !below(size, 1e30) || !a.is_known() || !b.is_known() {
        return V::UNKNOWN;
    }
    let whole = |x: f64| (x * 16.0).fract() == 0.0 && x.abs() < 64.0;
    let exact = [a.re, a.im, b.re, b.im].into_iter().all(whole) && a.is_exact() && b.is_exact();
    let spread = a.loose * (b.re.abs() + b.im.abs())
        + b.loose * (a.re.abs() + a.im.abs())
        + a.loose * b.loose;
    let err = if exact { 0.0 } else { 4.0 * kind.unit() * size + 2.0 * spread + part.ulp(0.0) };
    if !below(err, 1e30) {
        return V::UNKNOWN;
    }
    V { sign: true, ..V::complex(part.round(re), part.round(im)).within(err) }
}

/// An operation of two arguments of one type.
pub fn binary(name: &str, a: &Host, b: &Host) -> Option<Host> {
    if a.kind != b.kind {
        return None;
    }
    let kind = a.kind;
    if let Some(f) = match name {
        "logical_and" => Some((|x, y| x && y) as fn(bool, bool) -> bool),
        "logical_or" => Some((|x, y| x || y) as fn(bool, bool) -> bool),
        "logical_xor" => Some((|x, y| x != y) as fn(bool, bool) -> bool),
        _ => None,
    } {
        return zip(Kind::Bool, a, b, |x, y| {
            let (x, y) = (truth(kind, x, false), truth(kind, y, false));
            if x.is_known() && y.is_known() {
                V::truth(f(x.int != 0, y.int != 0))
            } else {
                V::UNKNOWN
            }
        });
    }
    if let Some(f) = comparison(name) {
        return compared(name, f, a, b);
    }
    if kind.is_complex() {
        return complex_binary(name, a, b);
    }
    if kind.is_discrete() {
        let f = integer_function(name, kind)?;
        return zip(kind, a, b, |x, y| {
            if x.is_known() && y.is_known() {
                V::int(kind.wrap(f(x.int, y.int)))
            } else {
                V::UNKNOWN
            }
        });
    }
    if name == "to_complex" && !kind.is_half() {
        let to = if kind == Kind::F32 { Kind::C64 } else { Kind::C128 };
        return zip(to, a, b, |x, y| {
            let both = V::complex(x.re, y.re).within(x.err.max(y.err));
            V { loose: x.loose.max(y.loose), sign: x.sign || y.sign, ..both }
        });
    }
    float_binary(name, a, b)
}

fn comparison(name: &str) -> Option<fn(std::cmp::Ordering) -> bool> {
    use std::cmp::Ordering;
    Some(match name {
        "equal" => Ordering::is_eq,
        "not_equal" => Ordering::is_ne,
        "less" => Ordering::is_lt,
        "less_equal" => Ordering::is_le,
        "greater" => Ordering::is_gt,
        "greater_equal" => Ordering::is_ge,
        _ => return None,
    })
}

fn compared(name: &str, f: fn(std::cmp::Ordering) -> bool, a: &Host, b: &Host) -> Option<Host> {
    let kind = a.kind;
    let unordered = name == "not_equal";
    if kind.is_complex() {
        if !name.ends_with("equal") || name.contains('_') && name != "not_equal" {
            return None;
        }
        return zip(Kind::Bool, a, b, |x, y| {
            let reach = x.loose + y.loose;
            let near = (x.re - y.re).abs() <= reach && (x.im - y.im).abs() <= reach;
            if !x.is_known() || !y.is_known() || reach > 0.0 && near {
                return V::UNKNOWN;
            }
            V::truth((x.re == y.re && x.im == y.im) != unordered)
        });
    }
    zip(Kind::Bool, a, b, |x, y| {
        if kind.is_discrete() {
            let known = x.is_known() && y.is_known();
            return if known { V::truth(f(x.int.cmp(&y.int))) } else { V::UNKNOWN };
        }
        decide(&[x, y], |v| i128::from(v[0].partial_cmp(&v[1]).map_or(unordered, f)))
    })
}

fn complex_binary(name: &str, a: &Host, b: &Host) -> Option<Host> {
    let (kind, part) = (a.kind, a.kind.component());
    let sum = |sign: f64| {
        move |x: &V, y: &V| {
            let one = |p: f64, q: f64| {
                let v = |re: f64, w: &V| V { re, im: 0.0, ..*w };
                apply(part, &[&v(p, x), &v(q, y)], Exactly, |v| v[0] + sign * v[1])
            };
            let (re, im) = (one(x.re, y.re), one(x.im, y.im));
            let err = re.err.max(im.err);
            V {
                loose: re.loose.max(im.loose),
                sign: re.sign || im.sign,
                ..V::complex(re.re, im.re).within(err)
            }
        }
    };
    match name {
        "add" => zip(kind, a, b, sum(1.0)),
        "subtract" => zip(kind, a, b, sum(-1.0)),
        "multiply" => zip(kind, a, b, |x, y| product(kind, x, y)),
        "divide" => zip(kind, a, b, |x, y| {
            let (p, q) =
                (num_complex::Complex::new(x.re, x.im), num_complex::Complex::new(y.re, y.im));
            // The quotient below loses the digits of subnormal numbers, which the library keeps.
            let size = p.re.abs().max(p.im.abs());
            let moderate = (1e-3..1e3).contains(&q.norm())
                && (size == 0.0 || (1e-280..1e6).contains(&size))
                && x.loose == 0.0
                && y.loose == 0.0;
            if !moderate {
                return V::UNKNOWN;
            }
            let r = p / q;
            let err = 32.0 * kind.unit() * r.norm() + 2.0 * part.ulp(0.0);
            V { sign: true, ..V::complex(part.round(r.re), part.round(r.im)).within(err) }
        }),
        _ => None,
    }
}

fn integer_function(name: &str, kind: Kind) -> Option<Box<dyn Fn(i128, i128) -> i128>> {
    let bits = i128::from(kind.bits());
    let truth = kind == Kind::Bool;
    let f: fn(i128, i128) -> i128 = match name {
        "minimum" | "fmin" => i128::min,
        "maximum" | "fmax" => i128::max,
        "bitwise_and" => |a, b| a & b,
        "bitwise_or" => |a, b| a | b,
        "bitwise_xor" => |a, b| a ^ b,
        _ if truth => return None,
        "add" => |a, b| a + b,
        "subtract" => |a, b| a - b,
        "multiply" => i128::wrapping_mul,
        "divide" => |a, b| if b == 0 { 0 } else { a / b },
        "fmod" => |a, b| if b == 0 { 0 } else { a % b },
        "floor_divide" => |a, b| {
            if b == 0 { 0 } else { a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0) }
        },
        "remainder" => |a, b| if b == 0 { 0 } else { ((a % b) + b) % b },
        "div_euclid" => |a, b| if b == 0 { 0 } else { a.div_euclid(b) },
        "rem_euclid" => |a, b| if b == 0 { 0 } else { a.rem_euclid(b) },
        "power" => return Some(Box::new(move |a, b| power(kind, a, b))),
        "left_shift" => {
            return Some(Box::new(move |a, b| if (0..bits).contains(&b) { a << b } else { 0 }));
        }
        "right_shift" => {
            return Some(Box::new(
                move |a, b| if (0..bits).contains(&b) { a >> b } else { a >> 127 },
            ));
        }
        "gcd" => gcd,
        "lcm" => |a, b| {
            let d = gcd(a, b);
            if d == 0 { 0 } else { (a.abs() / d).wrapping_mul(b.abs()) }
        },
        _ => return None,
    };
    Some(Box::new(f))
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn power(kind: Kind, a: i128, b: i128) -> i128 {
    if b < 0 {
        return match a {
            1 => 1,
            -1 => {
                if b % 2 == 0 {
                    1
                } else {
                    -1
                }
            }
            _ => 0,
        };
    }
    let (mut base, mut left, mut r) = (a, b, 1i128);
    while left > 0 {
        if left & 1 == 1 {
            r = kind.wrap(r.wrapping_mul(base));
        }
        base = kind.wrap(base.wrapping_mul(base));
        left >>= 1;
    }
    r
}

fn float_binary(name: &str, a: &Host, b: &Host) -> Option<Host> {
    let kind = a.kind;
    let by = |rounds: Rounds, f: fn(f64, f64) -> f64| {
        zip(kind, a, b, move |x, y| apply(kind, &[x, y], rounds, |v| f(v[0], v[1])))
    };
    if ["fmod", "remainder", "rem_euclid"].contains(&name) {
        // As many times as the divisor fits, its error moves the rest.
        let moved = |x: &V, y: &V| match y.loose {
            0.0 => x.loose,
            loose => x.loose + loose * (x.re / y.re).abs().max(1.0),
        };
        let jumps = |x: &V, y: &V| {
            let far = moved(x, y);
            far.is_nan() || far > 0.0 && far > 0.1 * y.re.abs()
        };
        let far = zip(Kind::Bool, a, b, |x, y| V::truth(jumps(x, y)))?;
        if far.data.iter().any(|v| v.int != 0) {
            return None;
        }
    }
    let loose_sign = |r: Option<Host>| {
        let mut r = r?;
        r.data.iter_mut().for_each(|v| v.sign |= v.re == 0.0);
        Some(r)
    };
    match name {
        "add" => zip(kind, a, b, move |x, y| added(kind, x, y, |x, y| x + y)),
        "subtract" => zip(kind, a, b, move |x, y| added(kind, x, y, |x, y| x - y)),
        "multiply" => zip(kind, a, b, move |x, y| multiplied(kind, x, y)),
        "divide" => by(Exactly, |x, y| x / y),
        "fmod" => by(Exactly, |x, y| x % y),
        "minimum" => {
            loose_sign(by(
                Exactly,
                |x, y| if x.is_nan() || y.is_nan() { f64::NAN } else { x.min(y) },
            ))
        }
        "maximum" => {
            loose_sign(by(
                Exactly,
                |x, y| if x.is_nan() || y.is_nan() { f64::NAN } else { x.max(y) },
            ))
        }
        "fmin" => loose_sign(by(Exactly, f64::min)),
        "fmax" => loose_sign(by(Exactly, f64::max)),
        "remainder" => loose_sign(by(Within(2.0, 0.0), |x, y| {
            let r = x % y;
            if r != 0.0 && (r < 0.0) != (y < 0.0) { r + y } else { r }
        })),
        "rem_euclid" => loose_sign(by(Within(2.0, 0.0), |x, y| {
            let r = x % y;
            if r < 0.0 { r + y.abs() } else { r }
        })),
        "floor_divide" => quotient(a, b, |x, y| (x / y).floor()),
        "div_euclid" => quotient(a, b, f64::div_euclid),
        // Whether an uncertain exponent of a negative base is whole is not known.
        "power" => zip(kind, a, b, |x, y| {
            let unclear = x.re - x.loose < 0.0 && y.loose > 0.0;
            if unclear { V::UNKNOWN } else { apply(kind, &[x, y], CLOSE, |v| v[0].powf(v[1])) }
        }),
        "atan2" => by(CLOSE, f64::atan2),
        "hypot" => by(CLOSE, f64::hypot),
        "logaddexp" => by(NEAR, |x, y| {
            if x == y {
                x + std::f64::consts::LN_2
            } else {
                let (m, d) = (x.max(y), (x - y).abs());
                if x.is_nan() || y.is_nan() { f64::NAN } else { m + (-d).exp().ln_1p() }
            }
        }),
        "copysign" => zip(kind, a, b, |x, y| {
            if y.re.is_nan() {
                V::UNKNOWN
            } else {
                apply(kind, &[x, y], Exactly, |v| v[0].copysign(v[1]))
            }
        }),
        "heaviside" => by(Exactly, |x, y| {
            if x.is_nan() {
                x
            } else if x < 0.0 {
                0.0
            } else if x > 0.0 {
                1.0
            } else {
                y
            }
        }),
        _ => None,
    }
}

/// A whole quotient, which is known where it is small and exact.
fn quotient(a: &Host, b: &Host, f: impl Fn(f64, f64) -> f64) -> Option<Host> {
    let kind = a.kind;
    zip(kind, a, b, |x, y| {
        let q = f(x.re, y.re);
        let near = (x.re / y.re - (x.re / y.re).round()).abs() < 1e-6 && x.re % y.re != 0.0;
        if x.loose > 0.0 || y.loose > 0.0 || y.re == 0.0 || !below(q.abs(), 200.0) || near {
            return V::UNKNOWN;
        }
        V { sign: q == 0.0, ..V::float(q) }
    })
}

/// An operation of three arguments of one type.
pub fn ternary(name: &str, a: &Host, b: &Host, c: &Host) -> Option<Host> {
    if a.kind != b.kind || a.kind != c.kind {
        return None;
    }
    match name {
        "clip" => binary("minimum", &binary("maximum", a, b)?, c),
        "mul_add" if a.kind.is_integer() => binary("add", &binary("multiply", a, b)?, c),
        "mul_add" if a.kind.is_float() => {
            let shape = broadcast(&broadcast(&a.shape, &b.shape)?, &c.shape)?;
            let (a, b, c) = (spread(a, &shape)?, spread(b, &shape)?, spread(c, &shape)?);
            let one = |k: usize| {
                let args = [&a.data[k], &b.data[k], &c.data[k]];
                // A double rounds products of floats exactly, but not their sums.
                let rounds = if a.kind == Kind::F64 { Exactly } else { Within(1.0, 0.0) };
                apply(a.kind, &args, rounds, |v| v[0].mul_add(v[1], v[2]))
            };
            let data = (0..a.data.len()).map(one).collect();
            Some(Host::new(a.kind, shape, data))
        }
        _ => None,
    }
}

/// `a * 2^b`.
pub fn ldexp(a: &Host, b: &Host) -> Option<Host> {
    if !a.kind.is_float() || b.kind != Kind::I32 {
        return None;
    }
    zip(a.kind, a, b, |x, n| {
        if !n.is_known() {
            return V::UNKNOWN;
        }
        let n = n.int.clamp(-4000, 4000) as i32;
        apply(a.kind, &[x], Exactly, |v| libm::scalbn(v[0], n))
    })
}

/// `a` where the mask holds, else `b`.
pub fn select(mask: &Host, a: &Host, b: &Host) -> Option<Host> {
    if mask.kind != Kind::Bool || a.kind != b.kind {
        return None;
    }
    let shape = broadcast(&broadcast(&mask.shape, &a.shape)?, &b.shape)?;
    let (m, x, y) = (spread(mask, &shape)?, spread(a, &shape)?, spread(b, &shape)?);
    let one = |k: usize| match &m.data[k] {
        v if !v.is_known() => V::UNKNOWN,
        v if v.int != 0 => x.data[k],
        _ => y.data[k],
    };
    let data = (0..m.data.len()).map(one).collect();
    Some(Host::new(a.kind, shape, data))
}

/// The elements in another type.
pub fn cast(a: &Host, to: Kind) -> Host {
    let from = a.kind;
    let one = |v: &V| -> V {
        if !v.is_known() {
            return V::UNKNOWN;
        }
        if to == Kind::Bool {
            return truth(from, v, false);
        }
        if from.is_discrete() {
            if to.is_discrete() {
                return V::int(to.wrap(v.int));
            }
            return V::float(nearest(to.component(), v.int));
        }
        if to.is_integer() {
            let (low, high) = to.limits();
            let real = V { im: 0.0, ..*v };
            return decide_number(
                &real,
                |x| if x.is_nan() { 0 } else { (x as i128).clamp(low, high) },
            );
        }
        if from.is_complex() && to.is_complex() {
            let part =
                |re: f64| apply(to.component(), &[&V { re, im: 0.0, ..*v }], Exactly, |x| x[0]);
            let (re, im) = (part(v.re), part(v.im));
            let both = V::complex(re.re, im.re).within(re.err.max(im.err));
            return V { loose: re.loose.max(im.loose), sign: re.sign || im.sign, ..both };
        }
        apply(to.component(), &[&V { im: 0.0, ..*v }], Exactly, |x| x[0])
    };
    Host::new(to, a.shape.clone(), a.data.iter().map(one).collect())
}

/// A whole number of a float, which is known where the corners agree.
fn decide_number(v: &V, f: impl Fn(f64) -> i128) -> V {
    let value = f(v.re);
    let corners = [v.re - v.loose, v.re + v.loose];
    if v.loose > 0.0 && corners.into_iter().any(|x| f(x) != value) {
        V::UNKNOWN
    } else {
        V::int(value)
    }
}

/// The float nearest to an integer, rounded once.
fn nearest(kind: Kind, x: i128) -> f64 {
    match kind {
        Kind::F32 => f64::from(x as f32),
        Kind::F64 => x as f64,
        // A sticky bit keeps what the first rounding would lose.
        _ => {
            let near = x as f64;
            let odd = if near as i128 == x || near.to_bits() & 1 == 1 {
                near
            } else {
                f64::from_bits(near.to_bits() | 1)
            };
            kind.round(odd)
        }
    }
}
