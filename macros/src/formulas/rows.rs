// Functions of numbers that are made of others: one row, and nothing else, makes each of them.
//
// A row is a function of floats in the language of device code, generic over `T: Float`, which is
// left out, with
//
// - its documentation: the formula, what it gives at the edges of its domain, and its name in SciPy or
//   another library;
// - `#[example(x = [0.0, 1.0], gives = [0.0, 0.5])]`: arguments, and what comes out exactly;
// - `#[oracle("x / (1 + abs(x))", x = -50.0..50.0, within = 3)]`: the formula in Python for mpmath, the
//   range of each argument, and the units in the last place that a value in `f64` may be off by; `floor`
//   is the size below which the error counts as that of a value of this size;
// - `#[function]` where it is to be no method, because an argument stands before the array or the
//   method has another type.
//
// Rows may call each other. From each come the function on arrays in `special`, the method of arrays with
// its `try_` form, the function for users' own in `special::device`, the method of floats in `Formulas`,
// which users' functions call, and the tests. After a change run `python3 tests/data/formulas/generate.py`.

/// `x / (1 + |x|)`: from -1 to 1, with tails that fall slowly. PyTorch: `softsign`.
#[example(x = [-1.0, 0.0, 3.0], gives = [-0.5, 0.0, 0.75])]
#[oracle("x / (1 + abs(x))", x = -50.0..50.0, within = 2)]
fn softsign(x: T) -> T {
    x / (T::ONE + x.abs())
}

/// `x / (1 + exp(-x))`; NaN at minus infinity. PyTorch: `silu`, also called swish.
#[example(x = [-1000.0, 0.0, 1000.0], gives = [0.0, 0.0, 1000.0])]
#[oracle("x / (1 + exp(-x))", x = -50.0..50.0, within = 4)]
fn silu(x: T) -> T {
    x * expit(x)
}

/// `x Φ(x)` with the distribution function Φ of the standard normal distribution, of which
/// [`gelu`](crate::DeviceArray::gelu) is an approximation; far below zero its error is of units of 1.
/// PyTorch: `gelu` by default.
#[example(x = [-100.0, 0.0, 100.0], gives = [0.0, 0.0, 100.0])]
#[oracle("x * ncdf(x)", x = -9.0..9.0, within = 4, floor = 1.0)]
fn gelu_exact(x: T) -> T {
    T::from_f64(0.5) * x * (-x / T::SQRT_2).erfc()
}

/// `x tanh(ln(1 + exp(x)))`; NaN at minus infinity. PyTorch: `mish`.
#[example(x = [-1000.0, 0.0, 1000.0], gives = [0.0, 0.0, 1000.0])]
#[oracle("x * tanh(log1p(exp(x)))", x = -50.0..50.0, within = 6)]
fn mish(x: T) -> T {
    x * softplus(x).tanh()
}

/// `x ln(y)`, 0 where `x` is zero and `y` is a number. SciPy: `special.xlogy`.
#[example(x = [0.0, 2.0], y = [0.0, 1.0], gives = [0.0, 0.0])]
#[oracle("x * log(y)", x = -9.0..9.0, y = 0.001..1000.0, within = 4)]
fn xlogy(x: T, y: T) -> T {
    if x == T::ZERO && !y.is_nan() { T::ZERO } else { x * y.ln() }
}

/// `x ln(1 + y)`, 0 where `x` is zero and `y` is a number. SciPy: `special.xlog1py`.
#[example(x = [0.0, 2.0], y = [-1.0, -1.0], gives = [0.0, f64::NEG_INFINITY])]
#[oracle("x * log1p(y)", x = -9.0..9.0, y = -0.99..10.0, within = 4)]
fn xlog1py(x: T, y: T) -> T {
    if x == T::ZERO && !y.is_nan() { T::ZERO } else { x * y.ln_1p() }
}

/// The entropy `-x ln(x)`, 0 at zero and minus infinity below. SciPy: `special.entr`.
#[example(x = [0.0, 1.0, -1.0], gives = [0.0, 0.0, f64::NEG_INFINITY])]
#[oracle("-x * log(x)", x = 0.001..9.0, within = 4)]
fn entr(x: T) -> T {
    if x == T::ZERO {
        T::ZERO
    } else if x < T::ZERO {
        T::NEG_INFINITY
    } else {
        -x * x.ln()
    }
}

/// The relative entropy `x ln(x / y)`, 0 where `x` is zero, infinite out of the domain; exact where
/// both are near. SciPy: `special.rel_entr`.
#[example(x = [0.0, 1.0, 1.0], y = [0.5, 1.0, 0.0], gives = [0.0, 0.0, f64::INFINITY])]
#[oracle("x * log(x / y)", x = 0.001..9.0, y = 0.001..9.0, within = 6)]
fn rel_entr(x: T, y: T) -> T {
    if x.is_nan() || y.is_nan() {
        return T::NAN;
    }
    if x == T::ZERO && y >= T::ZERO {
        return T::ZERO;
    }
    if x <= T::ZERO || y <= T::ZERO {
        return T::INFINITY;
    }
    let ratio = x / y;
    // Near 1 the quotient's rounding says more than its logarithm.
    if ratio > T::from_f64(0.5) && ratio < T::from_f64(2.0) {
        return x * ((x - y) / y).ln_1p();
    }
    if ratio > T::MIN_POSITIVE && ratio < T::INFINITY {
        return x * ratio.ln();
    }
    x * (x.ln() - y.ln())
}

/// Huber's loss of the residual `r`: its half square up to `delta`, a line beyond; infinite where
/// `delta` is negative. SciPy: `special.huber`.
#[example(delta = [1.0, 1.0], r = [-0.5, 3.0], gives = [0.125, 2.5])]
#[oracle(
    "r * r / 2 if abs(r) <= delta else delta * (abs(r) - delta / 2)",
    delta = 0.1..3.0,
    r = -9.0..9.0,
    within = 4
)]
#[function]
fn huber(delta: T, r: T) -> T {
    let (half, size) = (T::from_f64(0.5), r.abs());
    if delta < T::ZERO {
        T::INFINITY
    } else if size <= delta {
        half * r * r
    } else {
        delta * (size - half * delta)
    }
}

/// The smooth form of Huber's loss, `delta² (sqrt(1 + (r / delta)²) - 1)`, without cancellation. SciPy:
/// `special.pseudo_huber`.
#[example(delta = [1.0, 1.0], r = [0.0, 0.75], gives = [0.0, 0.25])]
#[oracle("delta**2 * (sqrt(1 + (r / delta)**2) - 1)", delta = 0.1..3.0, r = -9.0..9.0, within = 6)]
#[function]
fn pseudo_huber(delta: T, r: T) -> T {
    if delta < T::ZERO {
        return T::INFINITY;
    }
    if delta == T::ZERO || r == T::ZERO {
        return if delta.is_nan() || r.is_nan() { T::NAN } else { T::ZERO };
    }
    if r.is_infinite() && delta.is_finite() {
        return T::INFINITY;
    }
    r * (r / (T::ONE + T::ONE.hypot(r / delta)))
}

/// The logistic function, `1 / (1 + exp(-x))`: `DeviceArray::sigmoid` for real floats. SciPy:
/// `special.expit`.
#[example(x = [-800.0, 0.0], gives = [0.0, 0.5])]
#[oracle("1 / (1 + exp(-x))", x = -50.0..50.0, within = 4)]
fn expit(x: T) -> T {
    let e = (-x.abs()).exp();
    let top = if x < T::ZERO { e } else { T::ONE };
    top / (T::ONE + e)
}

/// The inverse of the logistic function, `ln(p / (1 - p))`; NaN out of `[0, 1]`. SciPy:
/// `special.logit`.
#[example(p = [0.0, 0.5, 1.0], gives = [f64::NEG_INFINITY, 0.0, f64::INFINITY])]
#[oracle("log(p / (1 - p))", p = 0.001..0.999, within = 4)]
#[function]
fn logit(p: T) -> T {
    let off = p + p - T::ONE;
    // Near a half the quotient's rounding says more than its logarithm.
    if off.abs() < T::from_f64(0.4) {
        off.ln_1p() - (-off).ln_1p()
    } else {
        (p / (T::ONE - p)).ln()
    }
}

/// The logarithm of the logistic function, which neither vanishes nor overflows. SciPy:
/// `special.log_expit`.
#[example(x = [-800.0, 0.0], gives = [-800.0, -2f64.ln()])]
#[oracle("-log1p(exp(-x))", x = -50.0..50.0, within = 4)]
fn log_expit(x: T) -> T {
    let rest = (-x.abs()).exp().ln_1p();
    if x < T::ZERO { x - rest } else { -rest }
}

/// `ln(1 + exp(x))` without overflow. SciPy: `special.softplus`.
#[example(x = [0.0, 800.0], gives = [2f64.ln(), 800.0])]
#[oracle("log1p(exp(x))", x = -50.0..50.0, within = 4)]
fn softplus(x: T) -> T {
    let rest = (-x.abs()).exp().ln_1p();
    if x < T::ZERO { rest } else { x + rest }
}
