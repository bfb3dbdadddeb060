//! Reducing steps.

use super::super::reference::reduce;
use super::{Host, Program, Rng, Step, Typed, Value};
use lazuli::prelude::*;
use ndarray::{ArrayD, Axis};

/// A reduction: the reference's function of the elements and the method, for each type.
macro_rules! fold {
    ($p:expr, $name:expr, $i:expr, $axes:expr, $keep:expr;
     $($v:ident |$x:ident| $e:expr, $method:ident;)*) => {
        match &$p.values[$i] {
            $(Host::$v(a) => {
                let value = Typed::host(reduce(a, $axes, $keep, |$x| $e));
                let (i, kept, axes) = ($i, $keep, $axes.to_vec());
                let text = format!("{} over {axes:?}{}", $name, if kept { ", kept" } else { "" });
                Some(Step::new(text, &[i], value, move |v| match &v[i] {
                    Value::$v(a) if kept => a.$method(keep(&axes)).into(),
                    Value::$v(a) if axes.len() == a.ndim() => a.$method(..).into(),
                    Value::$v(a) => a.$method(&axes).into(),
                    _ => unreachable!("the type was checked"),
                }))
            })*
            _ => None,
        }
    };
}

fn first<T: Copy>(x: &[T], better: impl Fn(T, T) -> bool) -> i64 {
    let mut found = 0;
    for k in 1..x.len() {
        if better(x[k], x[found]) {
            found = k;
        }
    }
    found as i64
}

fn with_identity(p: &Program, rng: &mut Rng, i: usize, axes: &[usize], kept: bool) -> Option<Step> {
    match rng.below(4) {
        0 | 1 => fold! { p, "sum", i, axes, kept;
        Bool |x| x.iter().map(|&v| i64::from(v)).sum::<i64>(), sum;
        I32 |x| x.iter().map(|&v| i64::from(v)).sum::<i64>(), sum;
        I64 |x| x.iter().fold(0i64, |a, &v| a.wrapping_add(v)), sum;
        F32 |x| x.iter().map(|&v| f64::from(v)).sum::<f64>() as f32, sum;
        F64 |x| x.iter().sum::<f64>(), sum;
        C128 |x| x.iter().sum::<Complex<f64>>(), sum; },
        2 => fold! { p, "count_nonzero", i, axes, kept;
        Bool |x| x.iter().filter(|&&v| v).count() as i64, count_nonzero;
        I32 |x| x.iter().filter(|&&v| v != 0).count() as i64, count_nonzero;
        I64 |x| x.iter().filter(|&&v| v != 0).count() as i64, count_nonzero; },
        _ => fold! { p, "any or all", i, axes, kept;
        Bool |x| x.iter().all(|&v| v), all;
        I32 |x| x.iter().any(|&v| v != 0), any;
        I64 |x| x.iter().all(|&v| v != 0), all; },
    }
}

fn of_some(p: &Program, rng: &mut Rng, i: usize, axes: &[usize], kept: bool) -> Option<Step> {
    match rng.below(6) {
        0 => fold! { p, "max", i, axes, kept;
        Bool |x| x.iter().any(|&v| v), max;
        I32 |x| x.iter().copied().max().unwrap_or(0), max;
        I64 |x| x.iter().copied().max().unwrap_or(0), max;
        F32 |x| x.iter().copied().fold(f32::MIN, f32::max), max;
        F64 |x| x.iter().copied().fold(f64::MIN, f64::max), max; },
        1 => fold! { p, "min", i, axes, kept;
        Bool |x| x.iter().all(|&v| v), min;
        I32 |x| x.iter().copied().min().unwrap_or(0), min;
        I64 |x| x.iter().copied().min().unwrap_or(0), min;
        F32 |x| x.iter().copied().fold(f32::MAX, f32::min), min;
        F64 |x| x.iter().copied().fold(f64::MAX, f64::min), min; },
        2 if !p.is_rounded(i) => fold! { p, "argmax", i, axes, kept;
        I32 |x| first(x, |a, b| a > b), argmax; I64 |x| first(x, |a, b| a > b), argmax;
        F32 |x| first(x, |a, b| a > b), argmax; F64 |x| first(x, |a, b| a > b), argmax;
        Bool |x| first(x, |a, b| a & !b), argmax; },
        3 if !p.is_rounded(i) => fold! { p, "argmin", i, axes, kept;
        I32 |x| first(x, |a, b| a < b), argmin; I64 |x| first(x, |a, b| a < b), argmin;
        F32 |x| first(x, |a, b| a < b), argmin; F64 |x| first(x, |a, b| a < b), argmin;
        Bool |x| first(x, |a, b| !a & b), argmin; },
        4 => fold! { p, "mean", i, axes, kept;
        F32 |x| (x.iter().map(|&v| f64::from(v)).sum::<f64>() / x.len() as f64) as f32, mean;
        F64 |x| x.iter().sum::<f64>() / x.len() as f64, mean;
        I32 |x| x.iter().map(|&v| f64::from(v)).sum::<f64>() / x.len() as f64, mean; }
        .map(Step::rounding),
        _ => fold! { p, "var", i, axes, kept;
        F64 |x| {
            let mean = x.iter().sum::<f64>() / x.len() as f64;
            x.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / x.len() as f64
        }, var; }
        .map(Step::rounding),
    }
}

/// Combines the elements along an axis up to each one, as a scan does.
fn scanned<T: Copy, R: Copy>(
    a: &ArrayD<T>,
    axis: usize,
    (reverse, exclusive): (bool, bool),
    first: R,
    combine: impl Fn(R, T) -> R,
) -> ArrayD<R> {
    let mut out = ArrayD::from_elem(a.raw_dim(), first);
    let lanes = a.lanes(Axis(axis)).into_iter().zip(out.lanes_mut(Axis(axis)));
    for (from, mut to) in lanes {
        let (n, mut sum) = (from.len(), first);
        for k in 0..n {
            let k = if reverse { n - 1 - k } else { k };
            let next = combine(sum, from[k]);
            to[k] = if exclusive { sum } else { next };
            sum = next;
        }
    }
    out
}

/// A scan: what it begins with and the reference's function, for each type.
macro_rules! scan {
    ($p:expr, $name:expr, $i:expr, $axis:expr, $how:expr;
     $($v:ident $first:expr, |$s:ident, $x:ident| $e:expr, $method:ident;)*) => {
        match &$p.values[$i] {
            $(Host::$v(a) => {
                let (i, axis, (reverse, exclusive)) = ($i, $axis, $how);
                let value = Typed::host(scanned(a, axis, $how, $first, |$s, $x| $e));
                let mut how = Scan::new();
                how = if reverse { how.reverse() } else { how };
                how = if exclusive { how.exclusive() } else { how };
                let text = format!("{} along {axis}, {how:?}", $name);
                Some(Step::new(text, &[i], value, move |v| match &v[i] {
                    Value::$v(a) => a.$method(axis, how).into(),
                    _ => unreachable!("the type was checked"),
                }))
            })*
            _ => None,
        }
    };
}

/// A scan along an axis.
pub fn draw_scan(p: &Program, rng: &mut Rng) -> Option<Step> {
    let i = p.pick(rng, |_, _| true)?;
    if p.rank(i) == 0 {
        return None;
    }
    let axis = rng.below(p.rank(i));
    let how = (rng.one_in(3), rng.one_in(4));
    match rng.below(3) {
        0 => scan! { p, "cummax", i, axis, (how.0, false);
        I32 i32::MIN, |s, x| s.max(x), cummax_with;
        I64 i64::MIN, |s, x| s.max(x), cummax_with;
        F32 f32::NEG_INFINITY, |s, x| s.max(x), cummax_with;
        F64 f64::NEG_INFINITY, |s, x| s.max(x), cummax_with; },
        _ => scan! { p, "cumsum", i, axis, how;
        Bool 0i64, |s, x| s + i64::from(x), cumsum_with;
        I32 0i64, |s, x| s.wrapping_add(i64::from(x)), cumsum_with;
        I64 0i64, |s, x| s.wrapping_add(x), cumsum_with;
        F64 0.0, |s, x| s + x, cumsum_with;
        C128 Complex::new(0.0, 0.0), |s, x| s + x, cumsum_with; },
    }
}

/// A reduction over some of the axes.
pub fn draw(p: &Program, rng: &mut Rng) -> Option<Step> {
    if rng.one_in(4) {
        return draw_scan(p, rng);
    }
    let i = p.pick(rng, |_, _| true)?;
    let axes: Vec<usize> = match rng.one_in(4) {
        true => (0..p.rank(i)).collect(),
        false => (0..p.rank(i)).filter(|_| rng.one_in(2)).collect(),
    };
    let kept = !rng.one_in(3);
    let reduced: usize = axes.iter().map(|&k| p.shape(i)[k]).product();
    if reduced == 0 || p.len(i) == 0 || rng.one_in(2) {
        return with_identity(p, rng, i, &axes, kept);
    }
    of_some(p, rng, i, &axes, kept)
}
