//! Real functions of floats: what is right, and how far rounding may carry a result.

use super::super::value::{Kind, V};

/// How a function rounds.
#[derive(Clone, Copy)]
pub enum Rounds {
    /// To the nearest number of the type.
    Exactly,
    /// Within so many units in the last place, and so many of 1 besides.
    Within(f64, f64),
}

/// The numbers that an argument may be.
fn candidates(v: &V) -> Vec<f64> {
    let mut all = vec![v.re];
    if v.loose > 0.0 && v.re.is_finite() {
        all.extend([v.re - v.loose, v.re + v.loose]);
    }
    if v.sign && v.re.abs() <= v.loose {
        all.extend([0.0, -0.0]);
    }
    all
}

/// The value of a real function at arguments that are known within bounds: the function is taken at
/// the corners of what they may be.
pub fn apply(kind: Kind, args: &[&V], rounds: Rounds, f: impl Fn(&[f64]) -> f64) -> V {
    if args.iter().any(|v| !v.is_known()) {
        return V::UNKNOWN;
    }
    let all: Vec<Vec<f64>> = args.iter().map(|v| candidates(v)).collect();
    let exact = f(&args.iter().map(|v| v.re).collect::<Vec<f64>>());
    let value = kind.round(exact);
    let mut err: f64 = match rounds {
        Rounds::Exactly => 0.0,
        Rounds::Within(ulps, units) => ulps * kind.ulp(value) + units * kind.unit(),
    };
    if err > 0.0 && !exact.is_nan() && exact.abs() >= kind.greatest() * 0.999 && exact.is_finite() {
        return V::UNKNOWN;
    }
    let mut sign = false;
    let mut at = vec![0; args.len()];
    let mut spread: f64 = 0.0;
    loop {
        let corner: Vec<f64> = at.iter().zip(&all).map(|(&i, c)| c[i]).collect();
        let y = f(&corner);
        let rounded = kind.round(y);
        if rounded.is_nan() != value.is_nan()
            || rounded.is_infinite() != value.is_infinite()
            || (rounded.is_infinite() && rounded != value)
        {
            return V::UNKNOWN;
        }
        if value.is_finite() {
            spread = spread.max((y - value).abs());
            sign |= y.is_sign_negative() != value.is_sign_negative();
        }
        let Some(k) = (0..at.len()).find(|&k| at[k] + 1 < all[k].len()) else { break };
        at[..k].fill(0);
        at[k] += 1;
    }
    // At exact arguments the corners are the arguments, and the distance is that of one rounding.
    if all.iter().any(|c| c.len() > 1) {
        err += spread * 2.0 + if spread > 0.0 { kind.ulp(value) } else { 0.0 };
    }
    let mut result = V { sign: sign || err > 0.0, ..V::float(value).within(err) };
    if value.is_finite() && exact != value {
        result.loose = err + 2.0 * (exact - value).abs();
        if kind.is_half() {
            result.loose = result.loose.max(err + kind.ulp(value));
        }
    }
    result
}

/// A truth about numbers that are known within bounds.
pub fn decide(args: &[&V], f: impl Fn(&[f64]) -> i128) -> V {
    if args.iter().any(|v| !v.is_known()) {
        return V::UNKNOWN;
    }
    let all: Vec<Vec<f64>> = args.iter().map(|v| candidates(v)).collect();
    let value = f(&args.iter().map(|v| v.re).collect::<Vec<f64>>());
    let mut at = vec![0; args.len()];
    loop {
        let corner: Vec<f64> = at.iter().zip(&all).map(|(&i, c)| c[i]).collect();
        if f(&corner) != value {
            return V::UNKNOWN;
        }
        let Some(k) = (0..at.len()).find(|&k| at[k] + 1 < all[k].len()) else { break };
        at[..k].fill(0);
        at[k] += 1;
    }
    // Equal where both are uncertain may be unequal between the corners.
    if args.len() == 2 && args.iter().any(|v| v.loose > 0.0) {
        let reach: f64 = args.iter().map(|v| v.loose).sum();
        if (args[0].re - args[1].re).abs() <= reach {
            return V::UNKNOWN;
        }
    }
    if args.len() == 1 && args[0].loose > 0.0 && args[0].re.abs() <= args[0].loose {
        return V::UNKNOWN;
    }
    V::int(value)
}

/// A sum or difference of floats. What doubles have beyond their last digit is too little for
/// other arguments to be tried.
pub fn added(kind: Kind, x: &V, y: &V, f: fn(f64, f64) -> f64) -> V {
    let sum = apply(kind, &[x, y], Rounds::Exactly, |v| f(v[0], v[1]));
    let beyond = x.loose + y.loose;
    if kind != Kind::F64 || beyond == 0.0 || !sum.is_known() || !sum.re.is_finite() {
        return sum;
    }
    sum.within(sum.err.max(beyond + kind.ulp(sum.re)))
}

/// A product of floats. The digits that a double loses are not lost where it is added to something.
pub fn multiplied(kind: Kind, x: &V, y: &V) -> V {
    let mut product = apply(kind, &[x, y], Rounds::Exactly, |v| v[0] * v[1]);
    if kind == Kind::F64 && product.re.is_finite() {
        let lost = x.re.mul_add(y.re, -product.re).abs();
        product.loose = product.loose.max(product.err + 2.0 * lost);
    }
    product
}
