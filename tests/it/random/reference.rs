//! The eager reference: every operation on `ndarray` arrays, element by element.

use crate::support::value::Host;
use ndarray::{ArrayD, Dimension, IxDyn};
use num_complex::Complex;

/// Runs an expression with the array of a [`Host`] of one of the types that programs use, and
/// gives a [`Host`] again.
macro_rules! host {
    ($x:expr, $a:ident => $e:expr) => {
        match $x {
            Host::Bool($a) => Typed::host($e),
            Host::I32($a) => Typed::host($e),
            Host::I64($a) => Typed::host($e),
            Host::F32($a) => Typed::host($e),
            Host::F64($a) => Typed::host($e),
            Host::C128($a) => Typed::host($e),
            other => unreachable!("programs have no {}", other.dtype()),
        }
    };
}
pub(super) use host;

/// An array of a shape, each element from its index.
pub fn build<T: Clone>(shape: &[usize], at: impl Fn(&[usize]) -> T) -> ArrayD<T> {
    ArrayD::from_shape_fn(IxDyn(shape), |index| at(index.slice()))
}

/// The shape to which two shapes broadcast.
pub fn broadcast(a: &[usize], b: &[usize]) -> Option<Vec<usize>> {
    let rank = a.len().max(b.len());
    let length = |s: &[usize], k: usize| (k + s.len()).checked_sub(rank).map_or(1, |i| s[i]);
    (0..rank)
        .map(|k| match (length(a, k), length(b, k)) {
            (x, y) if x == y || y == 1 => Some(x),
            (1, y) => Some(y),
            _ => None,
        })
        .collect()
}

/// The array repeated to a shape.
pub fn spread<T: Clone>(a: &ArrayD<T>, shape: &[usize]) -> ArrayD<T> {
    a.broadcast(IxDyn(shape)).expect("the shapes broadcast").to_owned()
}

/// An operation of two arguments, broadcast.
pub fn zip<T: Clone, U: Clone, R>(
    a: &ArrayD<T>,
    b: &ArrayD<U>,
    f: impl Fn(T, U) -> R,
) -> ArrayD<R> {
    let shape = broadcast(a.shape(), b.shape()).expect("the shapes broadcast");
    let (a, b) = (spread(a, &shape), spread(b, &shape));
    let values = a.iter().cloned().zip(b.iter().cloned()).map(|(x, y)| f(x, y)).collect();
    ArrayD::from_shape_vec(IxDyn(&shape), values).expect("as many as the shape says")
}

/// The elements in C order under another shape.
pub fn reshaped<T: Clone>(a: &ArrayD<T>, shape: &[usize]) -> ArrayD<T> {
    let values = a.iter().cloned().collect();
    ArrayD::from_shape_vec(IxDyn(shape), values).expect("the shape fits")
}

/// For each place of the result, the elements along the axes in C order, handed to `f`.
pub fn reduce<T: Clone, R: Clone>(
    a: &ArrayD<T>,
    axes: &[usize],
    keep: bool,
    f: impl Fn(&[T]) -> R,
) -> ArrayD<R> {
    let kept: Vec<usize> =
        (0..a.ndim()).map(|k| if axes.contains(&k) { 1 } else { a.shape()[k] }).collect();
    let inner: Vec<usize> =
        (0..a.ndim()).map(|k| if axes.contains(&k) { a.shape()[k] } else { 1 }).collect();
    let result = build(&kept, |at| {
        let within = ndarray::indices(IxDyn(&inner)).into_iter();
        let elements: Vec<T> = within
            .map(|j| {
                let place: Vec<usize> = (0..at.len()).map(|k| at[k] + j[k]).collect();
                a[IxDyn(&place)].clone()
            })
            .collect();
        f(&elements)
    });
    if keep {
        return result;
    }
    let shape: Vec<usize> =
        (0..a.ndim()).filter(|k| !axes.contains(k)).map(|k| a.shape()[k]).collect();
    reshaped(&result, &shape)
}

/// Every number in the array, as `f64`; both parts of complex ones.
fn numbers(host: &Host) -> Vec<f64> {
    match host {
        Host::Bool(_) => Vec::new(),
        Host::I32(a) => a.iter().map(|&v| f64::from(v)).collect(),
        Host::I64(a) => a.iter().map(|&v| v as f64).collect(),
        Host::F32(a) => a.iter().map(|&v| f64::from(v)).collect(),
        Host::F64(a) => a.iter().copied().collect(),
        Host::C128(a) => a.iter().flat_map(|v: &Complex<f64>| [v.re, v.im]).collect(),
        other => unreachable!("programs have no {}", other.dtype()),
    }
}

/// The largest absolute value.
pub fn magnitude(host: &Host) -> f64 {
    numbers(host).into_iter().fold(0.0, |m, v| if v.is_nan() { v } else { m.max(v.abs()) })
}

/// Whether all values are integers, or small multiples of 1/16, so that sums and products of
/// them are not rounded in any order.
pub fn is_exact(host: &Host) -> bool {
    let small = |v: f64| v.abs() < 32768.0 && (v * 16.0).fract() == 0.0;
    match host {
        Host::F32(_) | Host::F64(_) | Host::C128(_) => numbers(host).into_iter().all(small),
        _ => true,
    }
}
