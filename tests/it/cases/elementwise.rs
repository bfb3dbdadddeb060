//! NumPy's elementwise ops, and the methods that stand for them.

use crate::support::value::{Value, like, on};
use lazuli::Result;
use lazuli::prelude::*;
use serde_json::Value as Json;

/// The array of an op of one argument, where the table has the name.
macro_rules! unary {
    ($op:expr, $x:expr; $($class:ident: $($name:literal $method:ident),*;)*) => {
        match $op {
            $($($name => on!($class Value, $x, a => a.$method().into()),)*)*
            _ => None,
        }
    };
}

fn unary(op: &str, x: &Value) -> Option<Value> {
    unary! { op, x;
        signed: "negative" negative;
        number: "abs" abs, "sign" sign, "square" square, "reciprocal" reciprocal;
        inexact: "sqrt" sqrt, "exp" exp, "log" ln, "log2" log2, "log10" log10, "sin" sin,
            "cos" cos, "tan" tan, "arcsin" asin, "arccos" acos, "arctan" atan, "sinh" sinh,
            "cosh" cosh, "tanh" tanh, "arcsinh" asinh, "arccosh" acosh, "arctanh" atanh,
            "isnan" is_nan, "isinf" is_inf, "isfinite" is_finite, "conjugate" conj,
            "real" real, "imag" imag, "angle" angle;
        floating: "exp2" exp2, "expm1" exp_m1, "log1p" ln_1p, "cbrt" cbrt, "floor" floor,
            "ceil" ceil, "trunc" trunc, "rint" rint, "degrees" degrees, "radians" radians,
            "sinc" sinc, "signbit" signbit, "erf" erf, "erfc" erfc, "erfinv" erfinv,
            "erfcinv" erfcinv, "gamma" gamma, "gammaln" lgamma, "j0" bessel_j0, "j1" bessel_j1,
            "y0" bessel_y0, "y1" bessel_y1, "i0" bessel_i0, "i1" bessel_i1;
        element: "logical_not" logical_not;
        bits: "invert" bitwise_not;
        integer: "bitwise_count" bitwise_count;
    }
}

/// As `unary`, for the checked methods of two arguments of one type.
macro_rules! binary {
    ($op:expr, $x:expr, $y:expr; $($class:ident: $($name:literal $method:ident),*;)*) => {
        match $op {
            $($($name => {
                on!($class Value, $x, a => a.$method(like(a, $y)).map(Value::from))
            })*)*
            _ => None,
        }
    };
}

fn binary(op: &str, x: &Value, y: &Value) -> Option<Result<Value>> {
    binary! { op, x, y;
        number: "add" try_add, "subtract" try_subtract, "multiply" try_multiply,
            "divide" try_divide, "trunc_divide" try_divide, "power" try_power;
        real: "fmod" try_fmod, "floor_divide" try_floor_divide, "remainder" try_remainder,
            "div_euclid" try_div_euclid, "rem_euclid" try_rem_euclid;
        floating: "logaddexp" try_logaddexp, "logaddexp2" try_logaddexp2, "arctan2" try_atan2,
            "hypot" try_hypot, "copysign" try_copysign, "nextafter" try_nextafter,
            "heaviside" try_heaviside;
        ordered: "maximum" try_maximum, "minimum" try_minimum, "fmax" try_fmax,
            "fmin" try_fmin, "less" try_less, "less_equal" try_less_equal,
            "greater" try_greater, "greater_equal" try_greater_equal;
        element: "equal" try_equal, "not_equal" try_not_equal, "logical_and" try_logical_and,
            "logical_or" try_logical_or, "logical_xor" try_logical_xor;
        bits: "bitwise_and" try_bitwise_and, "bitwise_or" try_bitwise_or,
            "bitwise_xor" try_bitwise_xor;
        integer: "left_shift" try_left_shift, "right_shift" try_right_shift, "gcd" try_gcd,
            "lcm" try_lcm;
    }
}

fn cast(x: &Value, to: &str) -> Option<Value> {
    macro_rules! to {
        ($($name:literal $t:ty),*) => {
            match to {
                $($name => on!(element Value, x, a => a.cast::<$t>().into()),)*
                _ => None,
            }
        };
    }
    to! {
        "bool" bool, "i8" i8, "i16" i16, "i32" i32, "i64" i64, "u8" u8, "u16" u16, "u32" u32,
        "u64" u64, "f16" f16, "bf16" bf16, "f32" f32, "f64" f64, "c64" Complex<f32>,
        "c128" Complex<f64>
    }
}

fn ternary(op: &str, x: &[Value]) -> Option<Result<Value>> {
    match op {
        "where" => on!(element Value, &x[1], a => {
            bool_of(&x[0]).try_select(a, like(a, &x[2])).map(Value::from)
        }),
        "clip" => on!(ordered Value, &x[0], a => {
            a.try_clip(like(a, &x[1]), like(a, &x[2])).map(Value::from)
        }),
        "mul_add" => on!(number Value, &x[0], a => {
            a.try_mul_add(like(a, &x[1]), like(a, &x[2])).map(Value::from)
        }),
        _ => None,
    }
}

/// The `bool` array in a value.
pub fn bool_of(x: &Value) -> &DeviceArray<bool> {
    match x {
        Value::Bool(mask) => mask,
        other => panic!("{} where bool was expected", other.dtype()),
    }
}

/// The results of an op by NumPy's name; `None` where the public API has no such op.
pub fn apply(op: &str, params: &Json, x: &[Value]) -> Option<Result<Vec<Value>>> {
    let one = |value: Value| Ok(vec![value]);
    match (op, x) {
        ("cast", [a]) => cast(a, params["to"].as_str()?).map(one),
        ("modf", [a]) => on!(floating Value, a, a => {
            let (fraction, whole) = a.modf();
            Ok(vec![fraction.into(), whole.into()])
        }),
        // Unsigned types have no sign to turn round; NumPy's result is the difference from zero.
        ("negative", [a @ (Value::U8(_) | Value::U16(_) | Value::U32(_) | Value::U64(_))]) => {
            on!(integer Value, a, a => Ok(vec![(a.zeros_like() - a).into()]))
        }
        ("frexp", [a]) => on!(floating Value, a, a => {
            let (mantissa, exponent) = a.frexp();
            Ok(vec![mantissa.into(), exponent.into()])
        }),
        ("ldexp", [a, Value::I32(n)]) => {
            on!(floating Value, a, a => a.try_ldexp(n).map(|v| vec![v.into()]))
        }
        (_, [a]) => unary(op, a).map(one),
        (_, [a, b]) => Some(binary(op, a, b)?.map(|v| vec![v])),
        (_, [_, _, _]) => Some(ternary(op, x)?.map(|v| vec![v])),
        _ => None,
    }
}
